# SPDX-License-Identifier: Apache-2.0
"""Public functions x tests: success, and each error the header documents beyond the usual ones.

    python tests/checks/coverage.py            fails at a cell that is empty and has no dated reason in tests/abi/uncovered.txt,
                                               and at a reason for a cell that is covered by now
    python tests/checks/coverage.py --table    prints the table

A cell is covered by a statement of a C test through the public header that holds both the call and the status.
"""

import re
import sys

from _header import read
from _repo import ROOT, report

REASONS = ROOT / "tests/abi/uncovered.txt"


def statements() -> list[str]:
    """Statements of the C tests that see the public header only; rows of tables count as one each."""
    files = sorted((ROOT / "tests/abi").glob("*.[ch]")) + sorted((ROOT / "tests/unit/api").glob("*.c"))
    return [s for f in files for s in re.split(r";|\n\n", re.sub(r"/\*.*?\*/", "", f.read_text(), flags=re.S))]


def errors_of(comment: str) -> list[str]:
    found = re.search(r"@errors(.*?)@since", comment, re.S)
    return re.findall(r"\bGE_ERR_\w+", found.group(1)) if found else []


def main() -> None:
    spoken = statements()
    cells = {}
    for f in read(ROOT / "abi/ge_c_api.h").functions:
        calls = [s for s in spoken if re.search(r"\b%s\b" % f.name, s)]
        cells[f.name, "success"] = bool(calls)
        for error in errors_of(f.comment):
            wanted = [error] if error != "GE_ERR_BAD_HANDLE" else ["GE_ERR_HANDLE_", "GE_ERR_BAD_HANDLE", ", why,"]
            cells[f.name, error] = any(w in s for s in calls for w in wanted)
    if "--table" in sys.argv:
        for (name, what), covered in cells.items():
            print("%-36s %-28s %s" % (name, what, "yes" if covered else "-"))
        return
    reasons, problems = {}, []
    for n, line in enumerate(REASONS.read_text().splitlines() if REASONS.exists() else [], 1):
        if not line.strip() or line.startswith("#"):
            continue
        if not (m := re.fullmatch(r"(ge_\w+) (\w+) (20\d\d-\d\d-\d\d) (.{10,})", line)):
            problems.append("tests/abi/uncovered.txt:%d: want 'function error date reason'" % n)
            continue
        reasons[m.group(1), m.group(2)] = m.group(4)
        if cells.get((m.group(1), m.group(2)), True):
            problems.append("tests/abi/uncovered.txt:%d: %s %s is covered, or gone" % (n, m.group(1), m.group(2)))
    problems += ["no test: %s %s" % cell for cell, covered in cells.items() if not covered and cell not in reasons]
    report(problems, "coverage: %d of %d cells of %d functions, %d left with a reason"
           % (sum(cells.values()), len(cells), len({name for name, _ in cells}), len(reasons)))


main()
