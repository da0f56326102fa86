# SPDX-License-Identifier: Apache-2.0
"""One random life of an interpreter, from its seed: python teardown.py SEED.

Objects are made, used by daemon threads, closed or dropped or left in random order, and the process ends in the middle of it; with
code 0 when the script returns and CODE when it exits by a call.  Errors are those of closed objects or the script ends with 99."""

import gc
import os
import random
import sys
import threading
import time
import traceback
from pathlib import Path

import ge

CODE = 7
DIGITS = Path(__file__).resolve().parents[3] / "examples" / "digits" / "digits.onnx"


class Life:
    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.context = ge.Context({"ge.threads": self.random.randint(1, 3)}) if self.random.random() < 0.7 else None
        self.model = ge.load(DIGITS, context=self.context)
        count = self.random.choice([1, 8, 200])
        data = memoryview(bytearray(count * 256)).cast("B").cast("f", [count, 1, 8, 8])
        self.image = ge.tensor(data, context=self.context)
        self.binding = self.model.bind(self.image)
        self.kept: list[object] = []

    def step(self, chance: random.Random) -> None:
        try:
            what = chance.randrange(8)
            if what == 0:
                self.binding.run()
            elif what == 1:
                self.kept.append(self.model(self.image)[0])
            elif what == 2:
                self.kept.clear()
            elif what == 3:
                ge.load(b"no model", format="onnx")
            else:
                self.model(self.image)
        except (ge.Error, ValueError):
            pass  # closed meanwhile, or run by another thread; broken bytes
        except BaseException:
            traceback.print_exc()
            os._exit(99)

    def worker(self, seed: int) -> None:
        chance = random.Random(seed)
        while True:
            self.step(chance)

    def end(self) -> None:
        """Closes or drops some, in some order."""
        names = ["context", "model", "image", "binding"]
        self.random.shuffle(names)
        for name in names[: self.random.randrange(5)]:
            if self.random.random() < 0.6 and (thing := getattr(self, name)) is not None:
                thing.close()
            elif self.n_threads == 0:
                delattr(self, name)
        if self.random.random() < 0.3:
            gc.collect()
        time.sleep(self.random.choice([0, 0, 0.002]))

    def run(self) -> None:
        self.n_threads = self.random.randrange(4)
        for _ in range(self.n_threads):
            threading.Thread(target=self.worker, args=(self.random.random(),), daemon=True).start()
        for _ in range(self.random.randrange(6)):
            self.step(self.random)
        self.end()
        how = self.random.randrange(5)
        if how == 1:
            sys.exit(CODE)
        if how == 2:
            os._exit(CODE)
        if how == 3:
            raise SystemExit(CODE)
        if how == 4:
            threading.Timer(0.002, os._exit, (CODE,)).start()
            time.sleep(10)


if __name__ == "__main__":
    life = Life(int(sys.argv[1]))
    life.run()
