#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Compiles the public headers as every C and C++ they promise, with gcc and clang, alone and in both orders, and lets SWIG,
# bindgen and cgo read them. A missing tool is an error. Exit 0: all of it holds.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
export PATH="${GE_TOOLS:-$root/build/tools}/bin:${GE_VENV:-$root/build/venv}/bin:$PATH"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
checked=0

missing=()
for tool in gcc g++ clang clang++ swig bindgen rustc go python3; do
    command -v "$tool" >/dev/null || missing+=("$tool")
done
[ ${#missing[@]} = 0 ] || { echo "header matrix: missing tools: ${missing[*]}"; exit 1; }
swig_version=$(swig -version | sed -n 's/^SWIG Version //p')
[ "$(printf '4.4\n%s\n' "$swig_version" | sort -V | head -n 1)" = 4.4 ] ||
    { echo "header matrix: SWIG $swig_version is too old; 4.4 or newer is needed"; exit 1; }

# expect LABEL COMMAND...: the command succeeds and says nothing.
expect() {
    local label=$1
    shift
    checked=$((checked + 1))
    if ! "$@" >"$work/said" 2>&1 || [ -s "$work/said" ]; then
        failed=$((failed + 1))
        echo "header matrix: FAILED: $label"
        head -n 20 "$work/said"
    fi
}

python3 "$here/_header_units.py" "$work"
headers=(ge_c_api.h planned.h)
[ ! -e "$root/abi/ge_experimental.h" ] || headers+=(ge_experimental.h)
units=()
for header in "${headers[@]}"; do
    printf '#include "%s"\n' "$header" >"$work/alone_${header%.h}.c"
    units+=("alone_${header%.h}")
done
printf '#include "%s"\n' "${headers[@]}" >"$work/in_order.c"
printf '%s\n' "${headers[@]}" | tac | sed 's/.*/#include "&"/' >"$work/in_reverse.c"
units+=(in_order in_reverse uses)

strict=(-I"$root/abi" -Wall -Wextra -pedantic -Werror -Wconversion -fsyntax-only)
for compiler in gcc clang; do
    for std in c99 c11 c17 c2x; do
        for unit in "${units[@]}"; do
            # Casting functions to one type is what uses.c does on purpose.
            expect "$compiler -std=$std $unit" "$compiler" -x c -std=$std "${strict[@]}" -Wstrict-prototypes -Wpadded \
                -Wno-cast-function-type "$work/$unit.c"
        done
    done
done
for compiler in g++ clang++; do
    for std in c++11 c++14 c++17 c++20; do
        for unit in "${units[@]}"; do
            expect "$compiler -std=$std $unit" "$compiler" -x c++ -std=$std "${strict[@]}" -Wzero-as-null-pointer-constant \
                -Wno-cast-function-type "$work/$unit.c"
        done
    done
done
# Marks for NULL expand to nothing on request, and enumeration width does not matter.
expect "clang without nullability marks" clang -x c -std=c99 "${strict[@]}" -DGE_NO_NULLABILITY "$work/in_order.c"
expect "gcc -fshort-enums" gcc -x c -std=c99 "${strict[@]}" -fshort-enums -Wpadded -Wno-cast-function-type "$work/uses.c"

# The design note: its names exist, its listings compile.
expect "names in abi/DESIGN_NOTE.md" python3 "$here/_design_note.py" "$work"
for listing in "$work"/listing_*.c; do
    for compiler in gcc clang; do
        expect "$compiler $(basename "$listing") of abi/DESIGN_NOTE.md" "$compiler" -std=c99 "${strict[@]}" "$listing"
    done
done

# SWIG sets no text fields of structs (warning 451), as bindings fill structs in shims; nothing else is switched off.
cat >"$work/planned.i" <<'END'
%module ge_planned
%{
#include "planned.h"
%}
%include <stdint.i>
%immutable;
%include "ge_c_api.h"
%include "planned.h"
END
for language in python java go; do
    mkdir -p "$work/$language"
    options=(-"$language" -Wall -I"$root/abi" -outdir "$work/$language" -o "$work/$language/wrap.c")
    [ $language != go ] || options+=(-intgosize 64 -cgo)
    expect "swig -$language" swig "${options[@]}" "$work/planned.i"
done

expect bindgen bindgen "$root/abi/planned.h" --allowlist-item 'ge_.*|GE_.*' -o "$work/planned.rs" -- -I"$root/abi"
printf 'functions %s\nstructs %s\n' "$(grep -c 'pub fn ge_' "$work/planned.rs")" \
    "$(grep -c 'pub struct_size:' "$work/planned.rs")" >"$work/counts_bindgen"
expect "bindgen reads as many functions and structs as are declared" cmp "$work/counts" "$work/counts_bindgen"
expect "rustc on bindgen's output" rustc --edition 2021 --crate-type lib --emit metadata -A warnings -o "$work/planned.rmeta" "$work/planned.rs"

mkdir -p "$work/cgo"
cp "$work/uses.go" "$work/cgo/"
printf 'module uses\n\ngo 1.24\n' >"$work/cgo/go.mod"
expect cgo env -C "$work/cgo" GOCACHE="$work/gocache" GOFLAGS=-mod=mod go vet .

[ $failed = 0 ] || { echo "header matrix: $failed of $checked failed"; exit 1; }
echo "header matrix: $checked compilations and readings are clean"
