# SPDX-License-Identifier: Apache-2.0
"""What several checks need: the repository's root, its files, and one way to report."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def files() -> list[Path]:
    """Tracked files and new ones that are not ignored, relative to the root."""
    names = subprocess.run(
        ["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        check=True, capture_output=True).stdout.split(b"\0")
    paths = (Path(n.decode()) for n in names if n)
    return sorted(p for p in paths if (ROOT / p).is_file())


def text(path: Path) -> str | None:
    """The file's text, or None for a binary file."""
    data = (ROOT / path).read_bytes()
    return None if b"\0" in data[:8192] else data.decode("utf-8", "replace")


def report(problems: list[str], ok: str) -> None:
    """Prints and exits: 1 when there are problems."""
    for problem in problems:
        print(problem)
    if problems:
        sys.exit(1)
    print(ok)
