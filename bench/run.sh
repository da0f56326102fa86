#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `./dev bench [overhead|scale|latency]...`: all of them by default.  Prints what it measures; judges nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
out=build/bench
mkdir -p $out

program() {
    # shellcheck disable=SC2046  # several words on purpose
    "${CC:-cc}" -std=gnu11 -O2 -Wall -Wextra -Ibench "bench/$1.c" -o "$out/$1" $(pkg-config --cflags --libs ge-1)
}

overhead() {
    echo "overhead of a bound run in C (nanoseconds)"
    program overhead
    $out/overhead
}

scale() {
    echo "a graph of N Add nodes (nanoseconds and bytes per node)"
    program graph_scale
    for n in 10000 100000 1000000; do $out/graph_scale $n; done
}

latency() {
    echo "latency against ONNX Runtime (ratio above 1: ge is faster)"
    env -u LD_LIBRARY_PATH "$GE_VENV/bin/python" bench/latency.py
}

[ $# -gt 0 ] || set -- overhead scale latency
for what in "$@"; do
    case $what in
        overhead | scale | latency) "$what" ;;
        *) echo "bench: no '$what'; there are: overhead, scale, latency" >&2; exit 2 ;;
    esac
done
