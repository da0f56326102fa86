# SPDX-License-Identifier: Apache-2.0
"""The ABI gate: whatever breaks the promise to old clients closes it.  It fails when a tool is missing; it never skips.

    ./dev gate            all stages; any difference fails
    ./dev gate --fast     without the header matrix and the linker matrix, which `./dev test` and `./dev lint` have or leave out
    ./dev gate --update   writes the golden files anew: a change of the ABI, to be reviewed as such

Stages: tools, header matrix, link, exports, dynamic section, frozen nodes, layout, abidiff, released minors, struct sizes,
rehearsal, linker matrix, self-test.  versioning/README.md says what each sees.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

import release
import rehearsal
import selftest
import stages
from stages import ARCH, HERE, ROOT

HEADERS = ROOT / "abi"
SYMBOLS, LAYOUT, FROZEN = HERE / "symbols.txt", HERE / "layout.txt", HERE / "frozen.txt"
BASELINE = HERE / "baselines" / ARCH / "draft.abi"


def say(text: str) -> None:
    print("gate: " + text, flush=True)


def header_matrix() -> list[str]:
    done = subprocess.run(["bash", ROOT / "tests/checks/header_matrix.sh"])
    return ["the header matrix failed"] if done.returncode else []


def write_golden(library: Path) -> None:
    SYMBOLS.write_text(stages.exports(library))
    LAYOUT.write_text(stages.layout(HEADERS))
    BASELINE.parent.mkdir(parents=True, exist_ok=True)
    BASELINE.write_text(stages.baseline(library, HEADERS))
    say("wrote %s, %s and %s; say in CHANGELOG.md what changed" % (SYMBOLS.name, LAYOUT.name, BASELINE.relative_to(HERE)))


def main() -> None:
    options = sys.argv[1:]
    if unknown := [o for o in options if o not in ("--update", "--fast", "--quick")]:
        sys.exit("gate: unknown option %s\n%s" % (unknown[0], __doc__))
    fast = "--fast" in options or "--quick" in options
    if missing := stages.missing_tools():
        sys.exit("gate: CLOSED: " + ", ".join(missing))
    build = Path(os.environ["GE_RELEASE"])
    library = (build / "lib/libge.so").resolve()
    if "--update" in options:
        write_golden(library)

    def golden(path: Path) -> str:
        return path.read_text() if path.exists() else ""

    rows = [
        ("link", lambda: stages.check_link(HEADERS, library)),
        ("exports", lambda: stages.check_exports(library, golden(SYMBOLS))),
        ("dynamic section", lambda: stages.check_dynamic(library)),
        ("frozen nodes", lambda: stages.check_frozen((HERE / "ge.map").read_text(), golden(FROZEN))),
        ("layout", lambda: stages.check_layout(HEADERS, golden(LAYOUT))),
        ("abidiff", lambda: stages.check_abidiff(BASELINE, library, HEADERS) if BASELINE.exists() else
            ["there is no baseline for %s; ./dev gate --update writes one" % ARCH]),
        ("released minors", lambda: release.check_released(library, HEADERS, say)),
        ("struct sizes", lambda: stages.check_struct_sizes(HEADERS, library)),
        ("rehearsal", lambda: rehearsal.rehearse(say)),
        ("self-test", lambda: selftest.selftest(build, say)),
    ]
    if not fast:
        rows.insert(0, ("header matrix", header_matrix))
        rows.append(("linker matrix", lambda: stages.check_linkers(stages.exports(library), say)))
    closed = []
    for name, check in rows:
        started = time.monotonic()
        try:
            problems = check()
        except stages.Failed as e:
            problems = [str(e)]
        for p in problems:
            say("%s: %s" % (name, p))
        say("%s  %s  %.1f s" % ("FAIL" if problems else "pass", name, time.monotonic() - started))
        if problems:
            closed.append(name)
    if closed:
        say("if the change is meant: ./dev gate --update, and a line in CHANGELOG.md")
    say("CLOSED by " + ", ".join(closed) if closed else "open: %d stages" % len(rows))
    sys.exit(1 if closed else 0)


main()
