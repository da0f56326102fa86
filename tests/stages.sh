# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by ./dev: builds, and the stages of `./dev test`.  A stage is one function stage_NAME that prints what its
# runner prints and fails when the runner fails.

ALL_STAGES=(ctest asan onnx models python rust go java parity checks gate)
FULL_STAGES=(tsan fuzz) # on top, with --full

configure() {
    local dir=$1
    shift
    [ -e "$dir/build.ninja" ] && cmake -S "$ROOT" -B "$dir" "$@" >"$dir/configure.log" 2>&1 && return
    mkdir -p "$dir"
    cmake -S "$ROOT" -B "$dir" -G Ninja "$@" >"$dir/configure.log" 2>&1 || { cat "$dir/configure.log" >&2; return 1; }
}

# compile DIR [TARGET]: prints what failed, or a closing line.
compile() {
    local log=$1/build.log
    cmake --build "$1" -j "$JOBS" --target "${2:-all}" -- --quiet >"$log" 2>&1 </dev/null || { tail -n 60 "$log" >&2; return 1; }
    say "built ${1#"$ROOT"/}"
}

# The library and its command line, installed into build/prefix.
build_product() {
    configure "$GE_RELEASE" -DCMAKE_BUILD_TYPE=Release "-DGE_BUILD_TESTS=${1:-OFF}" &&
        compile "$GE_RELEASE" product &&
        cmake --install "$GE_RELEASE" --prefix "$GE_PREFIX" >"$GE_RELEASE/install.log" ||
        { say "the release build failed"; return 1; }
    export PKG_CONFIG_PATH=$GE_PREFIX/lib/pkgconfig LD_LIBRARY_PATH=$GE_PREFIX/lib
}

# The same with the C tests.
build_release() { build_product ON && compile "$GE_RELEASE"; }

stage_ctest() {
    build_release && ctest --test-dir "$GE_RELEASE" --output-on-failure -j "$JOBS"
}

stage_asan() {
    configure "$GE_ASAN" -DCMAKE_BUILD_TYPE=Debug "-DGE_SANITIZE=address;undefined" &&
        compile "$GE_ASAN" &&
        ctest --test-dir "$GE_ASAN" --output-on-failure -j "$JOBS"
}

stage_tsan() {
    configure "$BUILD/tsan" -DCMAKE_BUILD_TYPE=Debug -DGE_SANITIZE=thread -DGE_BUILD_CLI=ON &&
        compile "$BUILD/tsan" &&
        ctest --test-dir "$BUILD/tsan" --output-on-failure -j "$JOBS"
}

# Without --full it leaves out the header matrix, which is one of the checks, and the linker matrix.
stage_gate() { build_product ON && python3 "$ROOT/versioning/gate.py" $([ -n "${GE_TEST_FULL:-}" ] || echo --fast); }

stage_fuzz() { "$ROOT/tests/fuzz/run.sh" --seconds 600; }

# Random calls of operators, the node tests of the onnx package and Debian's stored ones against tests/onnx/differences.txt, with 1 thread and with 2.
stage_onnx() {
    build_product ON || return 1
    local threads status=0
    for threads in 1 2; do
        env -u LD_LIBRARY_PATH "$GE_VENV/bin/python" -B "$ROOT/tests/onnx/run.py" "$GE_PREFIX/lib/libge.so" --threads $threads </dev/null || status=1
        [ -e "$BUILD/onnx-testdata/data" ] || continue
        env -u LD_LIBRARY_PATH "$GE_VENV/bin/python" -B "$ROOT/tests/onnx/run.py" "$GE_PREFIX/lib/libge.so" --threads $threads \
            --data "$BUILD/onnx-testdata/data" </dev/null || status=1
    done
    [ -e "$BUILD/onnx-testdata/data" ] || say "NOT RUN: the stored tests of Debian's libonnx-testdata, which is not there"
    env -u LD_LIBRARY_PATH "$GE_VENV/bin/python" -B "$ROOT/tests/onnx/properties.py" "$GE_PREFIX/lib/libge.so" \
        $([ -z "${GE_TEST_FULL:-}" ] || echo --full) </dev/null || status=1
    return $status
}

# Models as packages ship them against ONNX Runtime; with --full the exported architectures too.
stage_models() {
    build_product ON && env -u LD_LIBRARY_PATH "$GE_VENV/bin/python" -B "$ROOT/tests/models/run.py" "$GE_PREFIX/lib/libge.so" \
        ${GE_TEST_FULL:+--architectures} </dev/null
}

stage_python() {
    build_product ON &&
        "$GE_VENV/bin/python" -m pip install -q --disable-pip-version-check --no-index --no-deps --no-build-isolation \
            --force-reinstall "$ROOT/sdk/python" "-Ccmake.define.CMAKE_PREFIX_PATH=$GE_PREFIX" \
            "-Cbuild-dir=$BUILD/python" </dev/null &&
        env -u LD_LIBRARY_PATH "$GE_VENV/bin/python" -m pytest -q "$ROOT/sdk/python/tests"
}

stage_rust() {
    build_product ON && (cd "$ROOT/sdk/rust" && CARGO_TARGET_DIR=$BUILD/rust cargo test --jobs "$JOBS" </dev/null)
}

# Twice: with the strictest pointer checks and a collector that never rests, and with the race detector.
stage_go() {
    build_product ON &&
        (cd "$ROOT/sdk/go" &&
            GOGC=1 GOEXPERIMENT=cgocheck2 go test -count=1 ./... </dev/null &&
            go test -count=1 -race ./... </dev/null)
}

stage_java() {
    local log=$BUILD/java.log
    build_product ON && (cd "$ROOT/sdk/java" && mvn -B --no-transfer-progress test </dev/null 2>&1 | tee "$log") &&
        ! grep -nE 'WARNING.*(JNI|native)|Corrupted channel' "$log"
}

# What the SDK tests left in $GE_PARITY: the demo model's output and one error record, per language.  All are equal, and
# the output is what the command line, a C client, writes.
stage_parity() {
    build_product ON || return 1
    local digits=examples/digits status=0 language
    "$GE_PREFIX/bin/ge" run $digits/digits.onnx --input image=$digits/images.npy --output "$GE_PARITY" >/dev/null || return 1
    for language in python rust go java; do
        local bytes=$GE_PARITY/$language.bin
        tail -c "$(stat -c %s "$bytes")" "$GE_PARITY/probabilities.npy" | cmp - "$bytes" || status=1
        diff "$GE_PARITY/python.txt" "$GE_PARITY/$language.txt" || status=1
    done
    [ $status = 0 ] || return 1
    say "same output bytes in C, Python, Rust, Go and Java, and the same error record:"
    sed 's/^/    /' "$GE_PARITY/python.txt"
}

# Each file of tests/checks is one check: exit 0 is a pass.  Names starting with _ are parts of others.
stage_checks() {
    build_product ON || return 1
    local passed=0 failed=0 check
    for check in "$ROOT"/tests/checks/[!_]*.py "$ROOT"/tests/checks/[!_]*.sh; do
        [ -e "$check" ] || continue
        say "check: $(basename "$check")"
        case $check in
            *.py) set -- "$GE_VENV/bin/python" ;;
            *) set -- bash ;;
        esac
        if "$@" "$check" </dev/null; then passed=$((passed + 1)); else
            failed=$((failed + 1))
            say "FAILED: $(basename "$check")"
        fi
    done
    printf 'checks: %d passed, %d failed\n' "$passed" "$failed"
    [ "$failed" = 0 ]
}

# Part of `./dev lint` only.
stage_lint() {
    local status=0
    configure "$BUILD/clang" -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=clang && compile "$BUILD/clang" || status=1
    if [ -d "$ROOT/sdk/go" ]; then
        local unformatted
        unformatted=$(gofmt -l "$ROOT/sdk/go")
        [ -z "$unformatted" ] || { say "gofmt wants to change: $unformatted"; status=1; }
        (cd "$ROOT/sdk/go" && go vet ./...) || status=1
    fi
    if [ -d "$ROOT/sdk/rust" ]; then
        (cd "$ROOT/sdk/rust" && cargo fmt --check &&
            CARGO_TARGET_DIR=$BUILD/rust cargo clippy -q --all-targets -- -D warnings) || status=1
    fi
    return $status
}

# A missing SDK folder fails its stage.
sdk_present() {
    case $1 in
        python | rust | go | java) [ -d "$ROOT/sdk/$1" ] || { say "sdk/$1 is missing"; return 1; } ;;
    esac
}

# What the stages named need before they run; C alone takes no compiler of another language and no bindgen.
setup_stages() {
    local stage sdks=
    for stage in "$@"; do
        declare -F "stage_$stage" >/dev/null || die "unknown stage '$stage' (stages: ${ALL_STAGES[*]} ${FULL_STAGES[*]})"
        case $stage in
            ctest | asan | tsan) ;;
            onnx) setup_python tests; setup_onnx_testdata ;;
            models) setup_python tests; setup_models ;;
            *) sdks=1 ;;
        esac
    done
    setup_c
    setup_c_tests
    [ -z "$sdks" ] || setup_sdks
}

run_stages() {
    setup_stages "$@"
    local stage started results=() failed=0
    rm -rf "$GE_PARITY" && mkdir -p "$GE_PARITY"
    for stage in "$@"; do
        say "stage $stage"
        started=$SECONDS
        if sdk_present "$stage" && "stage_$stage"; then
            results+=("pass  $stage  $((SECONDS - started)) s")
        else
            results+=("FAIL  $stage  $((SECONDS - started)) s")
            failed=$((failed + 1))
        fi
    done
    say "summary"
    printf '%s\n' "${results[@]}"
    [ "$failed" = 0 ] || die "$failed of $# stages failed"
    say "all $# stages passed"
}
