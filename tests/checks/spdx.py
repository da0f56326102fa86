# SPDX-License-Identifier: Apache-2.0
"""Checks that every source file names its licence in the first lines."""

from _repo import files, report, text

LINE = "SPDX-License-Identifier: Apache-2.0"
SOURCES = {".c", ".h", ".in", ".inc", ".i", ".py", ".pyi", ".rs", ".go", ".java", ".sh", ".cmake", ".map", ".toml",
           ".xml", ".cc", ".cpp"}
NAMES = {"CMakeLists.txt", "dev", "run", ".gitignore"}
NOT_OURS_TO_MARK = {"Cargo.lock", "ge-1.pc.in"}


def main() -> None:
    problems, count = [], 0
    for path in files():
        if path.name in NOT_OURS_TO_MARK or not (path.suffix in SOURCES or path.name in NAMES):
            continue
        count += 1
        if LINE not in "\n".join((text(path) or "").splitlines()[:6]):
            problems.append("%s: no '%s' in its first lines" % (path, LINE))
    report(problems, "licence lines: %d files carry one" % count)


main()
