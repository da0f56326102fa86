#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `./dev demo` after building: the digit classifier through the command line and through the C client.
set -euo pipefail
here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
root=$(dirname "$here")
[ -n "${GE_PREFIX:-}" ] || exec "$root/dev" demo "$@"

data=$here/digits
out=$root/build/demo
ge=$GE_PREFIX/bin/ge
mkdir -p "$out"

say() { printf '\n== %s\n' "$*"; }
show() { printf '$ %s\n' "$*"; }

say "the model"
show ge info examples/digits/digits.onnx
"$ge" info "$data/digits.onnx"

say "360 held-out images through the command line"
show ge run examples/digits/digits.onnx --input image=examples/digits/images.npy --output build/demo
"$ge" run "$data/digits.onnx" --input image="$data/images.npy" --output "$out"
python3 "$data/score.py" "$out/probabilities.npy"

say "the same through a C program (examples/c/digits.c)"
PKG_CONFIG_PATH=$GE_PREFIX/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
export PKG_CONFIG_PATH
# shellcheck disable=SC2046  # several words on purpose
${CC:-cc} -std=c11 -Wall -Wextra -O2 "$here/c/digits.c" -o "$out/digits" $(pkg-config --cflags --libs ge-1) \
    "-Wl,-rpath,$GE_PREFIX/lib"
"$out/digits" "$data/digits.onnx" "$data/images.npy" "$data/labels.npy" | tee "$out/digits.txt"
python3 "$data/score.py" --count "$(sed -n 's/^\([0-9]*\) of .* recognised$/\1/p' "$out/digits.txt")"

say "the optimised graph"
show ge dump examples/digits/digits.onnx --format dot --output build/demo/digits.dot
"$ge" dump "$data/digits.onnx" --format dot --output "$out/digits.dot"
# Only the drawing needs Graphviz; without it the demo still counts.
if ! command -v dot >/dev/null 2>&1; then
    (BUILD=$root/build && source "$root/tests/setup.sh" && apt_install graphviz) || true
fi
if command -v dot >/dev/null 2>&1; then
    dot -Tsvg "$out/digits.dot" -o "$out/digits.svg"
    echo "drawn: build/demo/digits.svg"
else
    echo "build/demo/digits.dot is there, but no Graphviz to draw it"
fi
