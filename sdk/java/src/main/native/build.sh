#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# build.sh FOLDER JAVA_HOME: compiles the JNI shim and puts it, with libge, under FOLDER/<os>-<arch>/.
# libge is found by pkg-config (ge-1); the shim finds its copy by $ORIGIN.
set -eu
here=$(dirname "$0")
out=$1/linux-$(uname -m)
mkdir -p "$out"
libdir=$(pkg-config --variable=libdir ge-1) || { echo "pkg-config does not find ge-1; set PKG_CONFIG_PATH" >&2; exit 1; }
${CC:-cc} -std=gnu11 -O2 -g -fPIC -shared -fvisibility=hidden -Wall -Wextra -Werror \
    -I"$2/include" -I"$2/include/linux" $(pkg-config --cflags ge-1) \
    "$here/ge_jni.c" "$here/memory.c" -o "$out/libge_jni.so" \
    -L"$libdir" -lge -Wl,-rpath,'$ORIGIN' -Wl,-z,defs -lc
cp "$libdir/libge.so.1" "$out/libge.so.1"
echo "libge_jni.so libge.so.1" >"$out/index"
