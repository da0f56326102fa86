#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Uses the installed library as strangers do: a C client through pkg-config (shared and static) and through the CMake
# package, and looks at what libge.so needs and exports.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
prefix=${GE_PREFIX:?run by ./dev test}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "install: $*" >&2; exit 1; }

cat >"$work/client.c" <<'C'
#include <ge_c_api.h>
#include <stdio.h>
int main(void) {
    uint32_t major, minor, patch;
    ge_context *context = NULL;
    ge_get_version(&major, &minor, &patch);
    if (ge_check_header(GE_HEADER_ABI, GE_HEADER_MAJOR, sizeof(void *)) != GE_OK) return 1;
    if (ge_context_create(NULL, &context) != GE_OK || ge_context_destroy(context) != GE_OK) return 1;
    printf("%u.%u.%u\n", (unsigned)major, (unsigned)minor, (unsigned)patch);
    return 0;
}
C
cat >"$work/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.22)
project(client C)
find_package(ge 0.1 CONFIG REQUIRED)
add_executable(shared client.c)
target_link_libraries(shared PRIVATE ge::ge)
add_executable(static client.c)
target_link_libraries(static PRIVATE ge::ge_static)
CMAKE

version=$(cat "$root/versioning/VERSION")
says() { [ "$("$@")" = "$version" ] || fail "'$*' does not print $version"; }

export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
[ "$(pkg-config --modversion ge-1)" = "$version" ] || fail "pkg-config names another version"
# shellcheck disable=SC2046  # several words on purpose
gcc -Wall -Werror "$work/client.c" -o "$work/a" $(pkg-config --cflags --libs ge-1)
says env LD_LIBRARY_PATH="$prefix/lib" "$work/a"
# shellcheck disable=SC2046
gcc -Wall -Werror "$work/client.c" -o "$work/b" $(pkg-config --cflags ge-1) "$prefix/lib/libge.a" -lm -ldl -pthread
says "$work/b"
cmake -S "$work" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" >"$work/log" 2>&1 &&
    cmake --build "$work/build" >>"$work/log" 2>&1 || { cat "$work/log"; fail "the CMake package does not work"; }
says "$work/build/shared"
says "$work/build/static"

lib=$prefix/lib/libge.so.1
[ "$(readelf -d "$lib" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')" = libge.so.1 ] || fail "the soname is not libge.so.1"
needed=$(readelf -d "$lib" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -vE '^lib[cm]\.so\.6$|^ld-linux' || true)
[ -z "$needed" ] || fail "libge.so needs more than libc and libm: $needed"
! readelf -d "$lib" | grep -E 'TEXTREL|RPATH|RUNPATH' || fail "libge.so has text relocations or a search path"
for flag in 'FLAGS_1.*NOW' 'FLAGS_1.*NODELETE'; do
    readelf -d "$lib" | grep -qE "$flag" || fail "libge.so lacks $flag"
done
strange=$(nm -D --defined-only "$lib" | grep -vE ' T gex?_[a-z0-9_]+@@GE_| A GE_' || true)
[ -z "$strange" ] || fail "libge.so exports what it should not: $strange"
strange=$(nm -g --defined-only "$prefix/lib/libge.a" 2>/dev/null | awk 'NF == 3 {print $3}' | grep -vE '^gex?_' || true)
[ -z "$strange" ] || fail "libge.a shows internal names: $strange"
echo "install: pkg-config, CMake package, shared and static library work; libge.so needs libc and libm only"
