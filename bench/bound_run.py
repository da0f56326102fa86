# SPDX-License-Identifier: Apache-2.0
"""bound_run.py MODEL: prints the nanoseconds of a bound run through the Python SDK, best of 15 rounds."""

import sys
import time

import ge

RUNS = 20000


def main() -> None:
    with ge.load(sys.argv[1]) as model, model.bind(memoryview(bytes(16)).cast("f")) as binding:
        run, best = binding.run, float("inf")
        for _ in range(15):
            begin = time.perf_counter_ns()
            for _ in range(RUNS):
                run()
            best = min(best, (time.perf_counter_ns() - begin) / RUNS)
    print(f"{best:.1f}")


main()
