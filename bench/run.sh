#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `./dev bench [overhead|handles|branches|callers|shapes|sdk|scale|latency|decode]...`: all of them by default.  `./dev bench models [ARG...]`: whole models
# (bench/compare_models.py --help).  Prints what it measures; judges nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
out=build/bench
mkdir -p $out

# program NAME [ARG...]: a client, from bench/NAME.c.
program() {
    local name=$1
    shift
    # shellcheck disable=SC2046  # several words on purpose
    "${CC:-cc}" -std=gnu11 -O2 -Wall -Wextra -Ibench "bench/$name.c" -o "$out/$name" "$@" $(pkg-config --cflags --libs ge-1)
}

yardstick() {
    "${CC:-cc}" -O2 -fPIC -shared bench/yardstick.c -o $out/libyardstick.so
    with_yardstick=("$out/libyardstick.so" "-Wl,-rpath,$PWD/$out")
}

callers() {
    echo "many threads on one model against the best number of them (runs per second)"
    program callers
    $out/callers
}

branches() {
    echo "two equal branches side by side against in line (ratio of medians)"
    program branches
    $out/branches
}

shapes() {
    echo "what a change of shape costs (microseconds for the short and the long chain; new_to_run: multiples of a run)"
    program shapes
    $out/shapes
}

overhead() {
    echo "overhead of a bound run in C (nanoseconds; calls: multiples of an empty call)"
    yardstick
    program overhead "${with_yardstick[@]}"
    $out/overhead
}

# inner NAME [ARG...]: the same, linked with the inner library.
inner() {
    local name=$1
    shift
    cmake --build "$GE_RELEASE" --target ge_inner -- --quiet >"$out/inner.log"
    "${CC:-cc}" -std=gnu11 -O2 -Wall -Wextra -Ibench -Iimpl -Iabi "bench/$name.c" -o "$out/$name" \
        "$GE_RELEASE/lib/libge_inner.a" "$@" -lm -pthread
}

handles() {
    echo "cost of a handle check and of a lease (nanoseconds; calls: multiples of an empty call)"
    yardstick
    inner handle_cost "${with_yardstick[@]}"
    $out/handle_cost
}

mem_plan() {
    inner mem_plan
    $out/mem_plan "$@"
}

# The same one-node model in each language; what counts is the difference from C in this run.
sdk() {
    echo "a bound run of one node in each language (nanoseconds; SDKs as ./dev test built them)"
    local model=$PWD/tests/models/relu.onnx
    yardstick
    program overhead "${with_yardstick[@]}"
    echo "C       $($out/overhead | sed 's/.*"run_ns": \([0-9.]*\).*/\1/')"
    echo "Python  $(env -u LD_LIBRARY_PATH "$GE_VENV/bin/python" bench/bound_run.py "$model")"
    echo "Rust    $(cd sdk/rust && CARGO_TARGET_DIR=$OLDPWD/build/rust cargo run -q --release --example bound_run "$model")"
    echo "Go      $(cd sdk/go && go run ./internal/boundrun "$model")"
    echo "Java    $(java -cp build/java/classes:build/java/test-classes libge.BoundRun "$model")"
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

decode() {
    echo "a decoder whose cache grows by one row a run, against ONNX Runtime (ratio above 1: ge is faster)"
    env -u LD_LIBRARY_PATH "$GE_VENV/bin/python" bench/decode.py
}

# OpenVINO is tried once: where it cannot be installed, the table goes without it.
models() {
    local python=$GE_VENV/bin/python
    if ! "$python" -c 'import onnx, openvino' 2>/dev/null && [ ! -e $out/without_openvino ] && [[ " $* " != *" --peer none "* ]]; then
        "$python" -m pip install -q openvino >"$out/pip.log" 2>&1 || touch $out/without_openvino
    fi
    env -u LD_LIBRARY_PATH "$python" bench/compare_models.py "$@"
}

case ${1:-} in
    models | mem_plan)
        "$@"
        exit
        ;;
esac
[ $# -gt 0 ] || set -- overhead handles branches callers shapes sdk scale latency decode
for what in "$@"; do
    case $what in
        overhead | handles | branches | callers | shapes | sdk | scale | latency | decode) "$what" ;;
        *) echo "bench: no '$what'; there are: overhead, handles, branches, callers, shapes, sdk, scale, latency, decode" >&2; exit 2 ;;
    esac
done
