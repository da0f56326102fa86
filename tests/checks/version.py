# SPDX-License-Identifier: Apache-2.0
"""Checks that every place that states the version says what versioning/VERSION says."""

import re

from _repo import ROOT, report

PLACES = {
    "CHANGELOG.md": r"^## (\d+\.\d+\.\d+)",
    "sdk/python/pyproject.toml": r'^version = "(.*)"',
    "sdk/rust/ge/Cargo.toml": r'^version = "(.*)"',
    "sdk/rust/ge-sys/Cargo.toml": r'^version = ".*\+(.*)"',
    "sdk/java/pom.xml": r"<version>(\d+\.\d+\.\d+)(?:-SNAPSHOT)?</version>",
}


def main() -> None:
    want = (ROOT / "versioning/VERSION").read_text().strip()
    problems = []
    header = (ROOT / "abi/ge_c_api.h").read_text()
    parts = [re.search(r"define GE_HEADER_%s (\d+)" % part, header).group(1) for part in ("MAJOR", "MINOR", "PATCH")]
    if ".".join(parts) != want:
        problems.append("abi/ge_c_api.h says %s, versioning/VERSION %s" % (".".join(parts), want))
    for name, pattern in PLACES.items():
        found = re.search(pattern, (ROOT / name).read_text(), re.M)
        if not found or found.group(1) != want:
            problems.append("%s says %s, versioning/VERSION %s" % (name, found and found.group(1), want))
    report(problems, "version: %d places say %s" % (len(PLACES) + 1, want))


main()
