# SPDX-License-Identifier: Apache-2.0
"""Runs seeds of teardown.c, each a process of its own: run.py COUNT FIRST_SEED PROGRAM [ARG...].

A process must end by itself with code 0 or the one it asked for (7); a signal, another code or a line on stderr fails, and the seed
that does it is printed: PROGRAM SEED [ARG...] does it again.  GE_TEARDOWNS=N takes another count."""

import collections
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

CODES = {0: "0", 7: "as asked"}


def one(command: list[str], seed: int) -> tuple[int, int, str]:
    words = [command[0], str(seed), *command[1:]]
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
    return seed, done.returncode, (done.stdout + done.stderr).decode("utf-8", "replace")


def main() -> None:
    count, first, command = int(os.environ.get("GE_TEARDOWNS") or sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
    ends: collections.Counter[str] = collections.Counter()
    failed = 0
    with ThreadPoolExecutor(2) as pool:
        for seed, code, text in pool.map(lambda seed: one(command, seed), range(first, first + count)):
            ends[CODES.get(code, "other")] += 1
            if code not in CODES or text:
                failed += 1
                print("seed %d: ended with %d\n%s" % (seed, code, text[-2000:]))
    print("%d teardowns, %s" % (count, ", ".join("%d with code %s" % (n, code) for code, n in sorted(ends.items()))))
    sys.exit(1 if failed else 0)


main()
