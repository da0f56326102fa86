# SPDX-License-Identifier: Apache-2.0
"""Checks that committed generated files are what their generators write today.

`python tests/checks/generated_current.py --update` rewrites them.  A generator is a row of GENERATORS: the files it
owns and the command; {out} in the command stands for the file to write.
"""

import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from _repo import ROOT, report

GENERATORS = [
    # (file, command)
]


def generate(command: str, out: Path) -> None:
    words = [w.replace("{out}", str(out)) for w in shlex.split(command)]
    words = [sys.executable if w == "python" else w for w in words]
    tools = os.environ.get("GE_TOOLS", str(ROOT / "build" / "tools"))
    env = dict(os.environ, PATH=tools + "/bin:" + os.environ["PATH"])
    subprocess.run(words, cwd=ROOT, check=True, env=env)


def main() -> None:
    update, problems = "--update" in sys.argv[1:], []
    with tempfile.TemporaryDirectory() as tmp:
        for name, command in GENERATORS:
            fresh = ROOT / name if update else Path(tmp) / Path(name).name
            generate(command, fresh)
            if fresh.read_bytes() != (ROOT / name).read_bytes():
                problems.append("%s is out of date; rewrite it by: python tests/checks/generated_current.py --update"
                                % name)
    report(problems, "generated files: %d are current" % len(GENERATORS))


main()
