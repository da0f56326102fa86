#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# `./dev fuzz`: builds the fuzz targets of this folder with clang's libFuzzer and runs them.
set -euo pipefail
root=$(cd "$(dirname "$(readlink -f "$0")")/../.." && pwd)
work=$root/build/fuzz
seconds=60

usage() {
    cat <<'HELP'
usage: ./dev fuzz [--seconds N] [TARGET]...

Runs each fuzz target of tests/fuzz for N seconds (default: 60), or only those named (npy, graph_text, ...).
What a target learned stays in build/fuzz/corpus; a crash is written to build/fuzz/crashes. The files of
tests/fuzz/kept/TARGET, crashes that were mended, are run first.
HELP
}

# Files to start from.
seeds_of() {
    case $1 in
        npy) printf '%s\n' "$root"/tests/unit/cli/data/*.npy "$root"/examples/digits/*.npy ;;
        graph_text) find "$root/tests/passes" -name '*.graph' ;;
        onnx) find "$root/examples" "$root/tests" -name '*.onnx' ;;
    esac
}

# clang with its fuzzer run time.
setup_clang() {
    local ROOT=$root BUILD=$root/build
    # shellcheck source=tests/setup.sh
    source "$root/tests/setup.sh"
    have clang || apt_install clang
    ls "$(clang -print-resource-dir)"/lib/linux/*fuzzer* >/dev/null 2>&1 ||
        apt_install "libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev"
}

build_library() {
    CC=clang CFLAGS=-fsanitize=fuzzer-no-link cmake -S "$root" -B "$work/library" -G Ninja -DCMAKE_BUILD_TYPE=Debug \
        "-DGE_SANITIZE=address;undefined" -DGE_BUILD_TESTS=OFF >"$work/configure.log"
    cmake --build "$work/library" -j "${GE_JOBS:-$(nproc)}" --target ge_inner ge_cli_parts >"$work/build.log" 2>&1 ||
        { tail -n 40 "$work/build.log" >&2; return 1; }
}

build_target() {
    clang -std=c11 -D_GNU_SOURCE -g -O1 -Wall -Wextra -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
        -I "$root/impl" -I "$root/abi" -I "$root/tests" -I "$work/library/generated" "$root/tests/fuzz/fuzz_$1.c" -o "$work/fuzz_$1" \
        "$work/library/lib/libge_cli_parts.a" "$work/library/lib/libge_inner.a" -lm -ldl -lpthread
}

run_target() {
    local name=$1 corpus=$work/corpus/$1 kept=$root/tests/fuzz/kept/$1
    mkdir -p "$corpus" "$work/crashes"
    seeds_of "$name" | while read -r file; do
        if [ -f "$file" ]; then cp "$file" "$corpus/seed-$(basename "$file")"; fi
    done
    if [ -d "$kept" ]; then "$work/fuzz_$name" -timeout=25 "$kept"/* >"$work/$name.log" 2>&1 || return 1; fi
    "$work/fuzz_$name" -max_total_time="$seconds" -timeout=25 -rss_limit_mb=4096 -print_final_stats=1 \
        -artifact_prefix="$work/crashes/$name-" "$corpus" >"$work/$name.log" 2>&1
}

main() {
    local targets=() passed=0 failed=0 name
    while [ $# -gt 0 ]; do
        case $1 in
            -h | --help) usage; return ;;
            --seconds) [ $# -gt 1 ] || { usage >&2; return 2; }; seconds=$2; shift ;;
            -*) usage >&2; return 2 ;;
            *) targets+=("$1") ;;
        esac
        shift
    done
    if [ ${#targets[@]} = 0 ]; then
        for name in "$root"/tests/fuzz/fuzz_*.c; do
            name=$(basename "$name" .c)
            targets+=("${name#fuzz_}")
        done
    fi
    mkdir -p "$work"
    setup_clang
    build_library
    for name in "${targets[@]}"; do
        if build_target "$name" && run_target "$name"; then
            passed=$((passed + 1))
            printf '%-12s %s runs, no crash\n' "$name" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$work/$name.log" | tail -n 1)"
        else
            failed=$((failed + 1))
            printf '%-12s FAILED: see build/fuzz/%s.log\n' "$name" "$name"
            grep -E '^(SUMMARY|fuzz_|==.*ERROR)|Test unit written' "$work/$name.log" 2>/dev/null | head -n 5 || true
        fi
    done
    printf 'fuzz: %d passed, %d failed\n' "$passed" "$failed"
    [ "$failed" = 0 ]
}

main "$@"
