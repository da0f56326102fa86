# SPDX-License-Identifier: Apache-2.0
"""The ABI gate: compares what the library offers today with the golden files beside this script.

    ./dev gate            all stages; any difference fails
    ./dev gate --update   writes the golden files anew: a change of the ABI, to be reviewed as such
    ./dev gate --quick    without the linker matrix

Stages: header matrix, exported symbols with versions (symbols.txt), values of constants and layouts of structs
(layout.txt), equal exports from every pair of compiler and linker.  Until release 1.0 the ABI is a draft: the golden
files show what changed, and nothing old has to keep working.  Baselines of released minors and old clients join then.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "sdk"))
import shimgen  # noqa: E402  the header's reader

SYMBOLS, LAYOUT = ROOT / "versioning/symbols.txt", ROOT / "versioning/layout.txt"

# Compiler, linker, link-time optimisation.  Other pairs need linker plugins and do not link.
MATRIX = [("gcc", "bfd", False), ("gcc", "bfd", True), ("gcc", "lld", False), ("clang", "lld", False),
          ("clang", "lld", True), ("clang", "bfd", False)]


def run(*command: str, **how) -> str:
    done = subprocess.run(command, capture_output=True, text=True, **how)
    if done.returncode:
        sys.exit("gate: %s failed:\n%s%s" % (" ".join(command[:3]), done.stdout[-3000:], done.stderr[-3000:]))
    return done.stdout


def exports(library: Path) -> str:
    """Sorted lines name@@version of what a library defines; data symbols carry a mark, so that none goes unseen."""
    lines = []
    for line in run("readelf", "--dyn-syms", "--wide", str(library)).splitlines():
        parts = line.split()
        if len(parts) < 8 or not parts[0].rstrip(":").isdigit() or parts[6] in ("UND", "ABS"):
            continue
        if parts[4] not in ("GLOBAL", "WEAK"):
            continue
        lines.append(parts[7] if parts[3] == "FUNC" else "%s %s" % (parts[7], parts[3]))
    return "".join(line + "\n" for line in sorted(lines))


def layout() -> str:
    """What a C program says of every constant and struct of the public header."""
    header = shimgen.parse(shimgen.HEADER)
    source = ["#include <ge_c_api.h>", "#include <stddef.h>", "#include <stdio.h>",
              "#define MEMBER(type, field) ((type *)0)->field", "int main(void) {"]
    for name, _, _ in header.constants:
        if not name.startswith("GE_HEADER_"):
            source.append('printf("constant %s %%lld\\n", (long long)%s);' % (name, name))
    for name, base in header.integers.items():
        source.append('printf("type %s %s %%zu\\n", sizeof(%s));' % (name, base, name))
    for struct, fields in header.structs.items():
        source.append('printf("struct %s %%zu\\n", sizeof(%s));' % (struct, struct))
        for f in fields:
            source.append('printf("  %s.%s %s at %%zu size %%zu\\n", offsetof(%s, %s), sizeof(MEMBER(%s, %s)));'
                          % (struct, f.name, f.type.text, struct, f.name, struct, f.name))
    for f in header.functions:
        params = ", ".join("%s %s" % (p.type.text, p.name) for p in f.params) or "void"
        source.append('printf("function %s %s(%s)\\n");' % (f.result.text, f.name, params))
    source.append("return 0; }")
    with tempfile.TemporaryDirectory() as tmp:
        c, program = Path(tmp, "layout.c"), Path(tmp, "layout")
        c.write_text("\n".join(source))
        run("gcc", "-std=c11", "-w", "-I", str(ROOT / "abi"), str(c), "-o", str(program))
        return run(str(program))


def compare(golden: Path, now: str, update: bool) -> bool:
    """Whether the golden file holds `now`; prints the difference, or writes the file."""
    if update:
        golden.write_text(now)
    before = golden.read_text() if golden.exists() else ""
    if before == now:
        print("gate: %s holds (%d lines)" % (golden.name, now.count("\n")))
        return True
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as fresh:
        fresh.write(now)
        fresh.flush()
        print(subprocess.run(["diff", "-u", "--label", golden.name, "--label", "now", str(golden), fresh.name],
                             capture_output=True, text=True).stdout)
    print("gate: %s differs; if that is meant, run ./dev gate --update and say so in CHANGELOG.md" % golden.name)
    return False


def linker_matrix(want: str) -> bool:
    good = True
    for compiler, linker, lto in MATRIX:
        name = "%s-%s%s" % (compiler, linker, "-lto" if lto else "")
        build = ROOT / "build/gate" / name
        link = "-fuse-ld=" + linker
        run("cmake", "-S", str(ROOT), "-B", str(build), "-G", "Ninja", "-DCMAKE_C_COMPILER=" + compiler,
            "-DCMAKE_SHARED_LINKER_FLAGS=" + link, "-DCMAKE_EXE_LINKER_FLAGS=" + link,
            "-DGE_LTO=" + ("ON" if lto else "OFF"), "-DGE_BUILD_TESTS=OFF", "-DGE_BUILD_CLI=OFF")
        run("cmake", "--build", str(build), "--target", "ge", "-j", os.environ.get("GE_JOBS", "2"))
        same = exports(build / "lib/libge.so") == want
        print("gate: %s exports %s" % (name, "the same" if same else "SOMETHING ELSE"))
        good = good and same
    return good


def main() -> None:
    update, quick = "--update" in sys.argv, "--quick" in sys.argv
    if unknown := [a for a in sys.argv[1:] if a not in ("--update", "--quick")]:
        sys.exit("gate: unknown option %s\n%s" % (unknown[0], __doc__))
    good = subprocess.run(["bash", str(ROOT / "tests/checks/header_matrix.sh")]).returncode == 0
    now = exports(Path(os.environ["GE_RELEASE"]) / "lib/libge.so")
    good &= compare(SYMBOLS, now, update)
    good &= compare(LAYOUT, layout(), update)
    if not quick:
        good &= linker_matrix(now)
    print("gate: " + ("open" if good else "CLOSED"))
    sys.exit(0 if good else 1)


main()
