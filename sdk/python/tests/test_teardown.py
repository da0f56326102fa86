# SPDX-License-Identifier: Apache-2.0
"""A hundred interpreters end in the middle of their work, each with the code it was asked for and nothing said; see teardown.py."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

COUNT = int(os.environ.get("GE_TEARDOWNS", "100"))
SCRIPT = Path(__file__).with_name("teardown.py")


def one(seed: int) -> str:
    """Empty, or what is wrong."""
    done = subprocess.run([sys.executable, SCRIPT, str(seed)], capture_output=True, text=True, timeout=120)
    said = done.stdout + done.stderr
    return "" if done.returncode in (0, 7) and not said else "teardown.py %d: code %d\n%s" % (seed, done.returncode, said[-2000:])


def test_interpreters_end_in_the_middle_of_work():
    with ThreadPoolExecutor(2) as pool:
        wrong = [text for text in pool.map(one, range(1, COUNT + 1)) if text]
    assert not wrong, "\n".join(wrong)
