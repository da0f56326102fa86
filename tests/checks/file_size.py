# SPDX-License-Identifier: Apache-2.0
"""Reports long source files and refuses large committed ones.

A long file is a hint to look, not a fault; a large binary does not belong in the history.
"""

from _repo import ROOT, files, report, text

LONG_LINES = 900
LARGE_BYTES = 1 << 20
SOURCES = {".c", ".h", ".py", ".rs", ".go", ".java"}


def main() -> None:
    problems, longest = [], []
    for path in files():
        size = (ROOT / path).stat().st_size
        if size > LARGE_BYTES:
            problems.append("%s: %d bytes; at most %d may be committed in one file" % (path, size, LARGE_BYTES))
        if path.suffix in SOURCES:
            lines = (text(path) or "").splitlines()
            if not any("enerated by" in line for line in lines[:3]):
                longest.append((len(lines), path))
    longest.sort(reverse=True)
    for count, path in longest[:5]:
        print("%6d lines  %s%s" % (count, path, "  (long: does it hold one thing?)" if count > LONG_LINES else ""))
    report(problems, "file sizes: no file over %d bytes" % LARGE_BYTES)


main()
