# SPDX-License-Identifier: Apache-2.0
"""The coverage table: public functions x what a test must show x languages.

    python tests/checks/coverage.py     fails at an empty cell without a dated reason and at a reason for a cell that is filled;
                                        writes the table to build/coverage.md
    python tests/checks/coverage.py --prune     drops the reasons of cells that are filled by now

Cells of a function: success; every error and class its comment documents; every usual error its parameters allow (usual_gen.py
writes those cases, so a new function has them at once).  A cell is filled by a test that ran: check_ok and check_fails of
tests/abi/abi_test.h note function and status, taken from the error record itself.  Languages: c, by the success cell; the
others, when hand-written code of the SDK calls the function.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

from _header import Function, read
from _repo import ROOT, report

BUILD = Path(os.environ.get("GE_RELEASE", ROOT / "build/release"))
CELLS = BUILD / "tmp/cells"
UNCOVERED, UNCALLED = ROOT / "tests/abi/uncovered.txt", ROOT / "tests/abi/uncalled.txt"
TABLE = ROOT / "build/coverage.md"

# Hand-written sources: generated raw layers hold every function and prove nothing.
SDKS = {"python": ("sdk/python", (".py",)), "rust": ("sdk/rust/ge", (".rs",)), "go": ("sdk/go/ge", (".go",)), "java": ("sdk/java/src/main/java", (".java",))}
GENERATED = {"Raw.java", "bindings.rs", "constants.rs"}


def errors_of(f: Function) -> list[str]:
    """Statuses and classes the comment documents, the usual ones apart."""
    found = re.search(r"@errors(.*?)@since", f.comment, re.S)
    return list(dict.fromkeys(re.findall(r"\bGE_(?:ERR|CLASS)_\w+", found.group(1)))) if found else []


def classes(header) -> dict[str, int]:
    return {name: int(value, 0) for name, value, _ in header.constants if name.startswith("GE_CLASS_")}


def run_tests() -> set[tuple[str, str]]:
    """Cells noted by the C tests through the public header; those that have not run since they were built run now."""
    programs = [BUILD / "tests" / ("abi." + p.stem[5:]) for p in (ROOT / "tests/abi").glob("test_*.c")]
    noted = set()
    for program in sorted(programs):
        if not program.exists():
            sys.exit("coverage: %s is not built: ./dev test --only ctest" % program.name)
        cells = CELLS / program.name
        if not cells.exists() or cells.stat().st_mtime < program.stat().st_mtime:
            subprocess.run([program], cwd=ROOT / "tests", capture_output=True, env=dict(os.environ, GE_TEST_TMP=str(BUILD / "tmp"), GE_REPO=str(ROOT)))
        if cells.exists():  # a test without check_ok and check_fails notes nothing
            noted |= {tuple(line.split()) for line in cells.read_text().splitlines() if line.count(" ") == 1}
    return noted


def usual_cases() -> set[tuple[str, str]]:
    text = subprocess.run([sys.executable, ROOT / "tests/abi/usual_gen.py", "--list"], capture_output=True, text=True)
    if text.returncode:
        sys.exit(text.stderr.strip())
    return {tuple(line.split()[:2]) for line in text.stdout.splitlines()}


def spoken() -> str:
    """The C tests as text: what functions without a status leave to be seen."""
    return "\n".join(re.sub(r"/\*.*?\*/", "", p.read_text(), flags=re.S) for p in sorted((ROOT / "tests/abi").glob("*.[ch]")))


def test_cells(header, noted: set[tuple[str, str]]) -> dict[tuple[str, str], bool]:
    statuses = {name: int(value, 0) for name, value, _ in header.constants if name.startswith("GE_ERR_")}
    by_class, text, cells = classes(header), spoken(), {}
    usual = usual_cases()
    for f in header.functions:
        got = {status for name, status in noted if name == f.name}
        cells[f.name, "success"] = "GE_OK" in got or (f.returns != "ge_status" or f.name in ("ge_error_get_status", "ge_error_set_in_callback")) and bool(re.search(r"\b%s\(" % f.name, text))
        wanted = errors_of(f) + sorted({status for name, status in usual if name == f.name} - set(errors_of(f)))
        for error in wanted:
            if error == "GE_ERR_BAD_HANDLE":
                hit = any(s.startswith("GE_ERR_HANDLE_") for s in got)
            elif error in by_class:
                hit = any(statuses.get(s, 0) >> 16 == by_class[error] for s in got)
            else:
                hit = error in got
            cells[f.name, error] = hit
    return cells


def language_cells(header) -> dict[tuple[str, str], bool]:
    cells = {}
    for language, (folder, suffixes) in SDKS.items():
        text = "\n".join(p.read_text() for p in sorted((ROOT / folder).rglob("*")) if p.suffix in suffixes and p.name not in GENERATED and
                         "build" not in p.parts and "target" not in p.parts)
        called = set(re.findall(r"\bge_\w+", text)) | {"ge_" + name for name in re.findall(r"\bge_shim_(\w+)", text)}
        for f in header.functions:
            cells[f.name, language] = f.name in called
    return cells


def reasons_of(path: Path, cells: dict, problems: list[str]) -> dict[tuple[str, str], str]:
    """Lines `function cell[,cell...] date reason`."""
    reasons = {}
    for n, line in enumerate(path.read_text().splitlines() if path.exists() else [], 1):
        where = "%s:%d" % (path.relative_to(ROOT), n)
        if not line.strip() or line.startswith("#"):
            continue
        if not (m := re.fullmatch(r"(ge_\w+) (\w+(?:,\w+)*) (20\d\d-\d\d-\d\d) (.{10,})", line)):
            problems.append("%s: want 'function cell[,cell...] date reason'" % where)
            continue
        for cell in m.group(2).split(","):
            reasons[m.group(1), cell] = "%s (%s)" % (m.group(4), m.group(3))
            if cells.get((m.group(1), cell), True):
                problems.append("%s: %s %s is filled, or gone: coverage.py --prune drops it" % (where, m.group(1), cell))
    return reasons


def prune(path: Path, cells: dict) -> None:
    kept = []
    for line in path.read_text().splitlines():
        name, _, rest = line.partition(" ")
        if line.startswith("ge_"):
            empty = [c for c in rest.split(" ")[0].split(",") if not cells.get((name, c), True)]
            line = " ".join([name, ",".join(empty)] + rest.split(" ")[1:]) if empty else ""
        kept += [line] if line else []
    path.write_text("\n".join(kept) + "\n")


def page(header, tests: dict, languages: dict, reasons: dict) -> str:
    out = ["# Coverage of the public functions", "", "Written by tests/checks/coverage.py. `+` a test shows it, `-` a dated reason stands below.", "",
           "| function | tests | c | " + " | ".join(SDKS) + " |", "|---|---|---|" + "---|" * len(SDKS)]
    for f in header.functions:
        shown = ["%s%s" % ("+" if hit else "-", what.replace("GE_ERR_", "").replace("GE_CLASS_", "class ")) for (name, what), hit in tests.items()
                 if name == f.name]
        out.append("| `%s` | %s | %s | %s |" % (f.name, " ".join(shown), "+" if tests[f.name, "success"] else "-",
                                              " | ".join("+" if languages[f.name, s] else "-" for s in SDKS)))
    out += ["", "## Reasons", ""] + ["- `%s` %s: %s" % (name, what, why) for (name, what), why in reasons.items()]
    return "\n".join(out) + "\n"


def main() -> None:
    header, problems = read(ROOT / "abi/ge_c_api.h"), []
    tests, languages = test_cells(header, run_tests()), language_cells(header)
    if "--prune" in sys.argv[1:]:
        prune(UNCOVERED, tests)
        prune(UNCALLED, languages)
    reasons = reasons_of(UNCOVERED, tests, problems)
    unsaid = reasons_of(UNCALLED, languages, problems)
    for (name, what), hit in tests.items():
        if not hit and (name, what) not in reasons:
            problems.append("no test of %s %s: %s, or add a dated reason to tests/abi/uncovered.txt" % (
                name, what, "call it in a test of tests/abi under check_ok(...)" if what == "success" else
                "provoke it in a test of tests/abi under check_fails(%s(...), %s, \"argument\")" % (name, what)))
    for f in header.functions:
        missing = [s for s in SDKS if not languages[f.name, s] and (f.name, s) not in unsaid]
        if missing:
            problems.append("%s is not called by the SDK of %s: wrap it, or add '%s %s DATE REASON' to tests/abi/uncalled.txt" % (
                f.name, ", ".join(missing), f.name, ",".join(missing)))
    TABLE.parent.mkdir(exist_ok=True)
    TABLE.write_text(page(header, tests, languages, {**reasons, **unsaid}))
    report(problems, "coverage: %d of %d cells of %d functions shown by tests, %d with a reason; %d of %d language cells, %d with a reason" % (
        sum(tests.values()), len(tests), len(header.functions), len(reasons), sum(languages.values()), len(languages), len(unsaid)))


if __name__ == "__main__":
    main()
