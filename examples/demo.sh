#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `./dev demo` after building: the digit classifier through the command line and through the C client.
set -euo pipefail
here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
root=$(dirname "$here")
[ -n "${GE_PREFIX:-}" ] || exec "$root/dev" demo "$@"

cd "$root" # so that what is shown can be typed
data=examples/digits
out=build/demo
mkdir -p "$out"

say() { printf '\n== %s\n' "$*"; }

# Shows a command and runs it, with the `ge` just built.
ge() {
    printf '$ ge %s\n' "$*"
    "$GE_PREFIX/bin/ge" "$@"
}

say "the model"
ge info $data/digits.onnx

say "360 held-out images through the command line"
ge run $data/digits.onnx --input image=$data/images.npy --output $out
python3 $data/score.py $out/probabilities.npy

say "the same through a C program (examples/c/digits.c)"
PKG_CONFIG_PATH=$GE_PREFIX/lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
export PKG_CONFIG_PATH
# shellcheck disable=SC2046  # several words on purpose
${CC:-cc} -std=c11 -Wall -Wextra -O2 examples/c/digits.c -o $out/digits $(pkg-config --cflags --libs ge-1) \
    "-Wl,-rpath,$GE_PREFIX/lib"
$out/digits $data/digits.onnx $data/images.npy $data/labels.npy | tee $out/digits.txt
python3 $data/score.py --count "$(sed -n 's/^\([0-9]*\) of .* recognised$/\1/p' $out/digits.txt)"

say "the optimised graph"
ge dump $data/digits.onnx --format dot --output $out/digits.dot
# Only the drawing needs Graphviz; without it the demo still counts.
if ! command -v dot >/dev/null 2>&1; then
    (BUILD=$root/build && source tests/setup.sh && apt_install graphviz) || true
fi
if command -v dot >/dev/null 2>&1; then
    dot -Tsvg $out/digits.dot -o $out/digits.svg
    echo "drawn: $out/digits.svg"
else
    echo "$out/digits.dot is there, but no Graphviz to draw it"
fi
