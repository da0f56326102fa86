# SPDX-License-Identifier: Apache-2.0
"""What libge.so takes from other libraries holds nothing of tests/guard/forbidden.def: it cannot print, end the process or change its
state, on any path.  tests/guard runs clients with a guard that judges the calls of those marked SOMETIMES."""

import os
import re
import subprocess
import sys
from pathlib import Path

from _repo import ROOT


def forbidden() -> tuple[set[str], set[str]]:
    text = (ROOT / "tests/guard/forbidden.def").read_text()
    found = re.findall(r"^(NEVER|SOMETIMES)\((\w+)\)$", text, re.M)
    return ({name for kind, name in found if kind == "NEVER"}, {name for kind, name in found if kind == "SOMETIMES"})


def imports(library: Path) -> set[str]:
    listed = subprocess.run(["nm", "-D", "--undefined-only", str(library)], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1].split("@")[0] for line in listed.splitlines()}


def main() -> None:
    prefix = os.environ.get("GE_PREFIX") or sys.exit("imports: GE_PREFIX is not set: run this as ./dev test --only checks")
    never, sometimes = forbidden()
    taken = imports(Path(prefix) / "lib/libge.so")
    if len(never) < 50 or "malloc" not in taken:
        sys.exit("imports: this check sees nothing")
    bad = sorted(taken & never)
    if bad:
        sys.exit("imports: libge.so calls what it must not: " + ", ".join(bad))
    print("imports: %d, none of the %d forbidden; watched by the guard: %s"
          % (len(taken), len(never), ", ".join(sorted(taken & sometimes))))


main()
