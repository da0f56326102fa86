# SPDX-License-Identifier: Apache-2.0
"""Checks that no file names a folder of this machine or a package registry's host.

What to look for is read from the machine, so that this file names neither.
"""

import os
import re
import subprocess
from pathlib import Path

from _repo import ROOT, files, report, text

SETTINGS = ["/etc/apt/sources.list", "/etc/apt/sources.list.d/*", "/etc/maven/settings.xml", "~/.m2/settings.xml",
            "~/.cargo/config.toml", "~/.config/pip/pip.conf", "/etc/pip.conf"]
QUESTIONS = [["pip", "config", "list"], ["go", "env", "GOPROXY"], ["npm", "config", "get", "registry"]]
# Names of XML schemas and licence texts, and this machine itself.
HARMLESS = re.compile(r"^(maven\.apache\.org|www\.w3\.org|www\.apache\.org|localhost|127\.0\.0\.1|)$")


def registry_hosts() -> set[str]:
    said = ["\n".join("%s=%s" % kv for kv in os.environ.items())]
    for pattern in SETTINGS:
        p = Path(pattern).expanduser()
        said += [f.read_text(errors="replace") for f in p.parent.glob(p.name) if f.is_file()]
    for question in QUESTIONS:
        try:
            said.append(subprocess.run(question, capture_output=True, text=True, timeout=30).stdout)
        except (OSError, subprocess.TimeoutExpired):
            pass
    hosts = set(re.findall(r"https?://(?:[^/\s@]*@)?([A-Za-z0-9.-]+)", "\n".join(said)))
    return {h for h in hosts if not HARMLESS.match(h)}


def main() -> None:
    paths = {str(ROOT) + "/", str(ROOT.parent) + "/", str(Path.home()) + "/"} - {"/", "/tmp/"}
    hosts = registry_hosts()
    problems = []
    for path in files():
        source = text(path)
        if source is None:
            continue
        for number, line in enumerate(source.splitlines(), 1):
            for found in (p for p in paths if p in line):
                problems.append("%s:%d: a folder of this machine: %s" % (path, number, found))
            if path.name != "Cargo.lock":
                for found in (h for h in hosts if re.search(r"(?<![\w.-])%s(?![\w-])" % re.escape(h), line)):
                    problems.append("%s:%d: a registry's host: %s" % (path, number, found))
    report(problems, "machine paths: none in the tree")


main()
