# SPDX-License-Identifier: Apache-2.0
"""Latency of a model against ONNX Runtime, both measured in this run.

Batches of runs alternate between the two, so that a slow spell of the machine hits both; the ratio is that of the
medians, its interval the middle half of the ratios of neighbouring batches. Above 1 we are faster.
"""

import statistics
import sys
import time
from pathlib import Path

import ge
import numpy
import onnxruntime

ROUNDS, SECONDS = 41, 0.02


def batch(run, count: int) -> float:
    begin = time.perf_counter()
    for _ in range(count):
        run()
    return (time.perf_counter() - begin) / count


def peer(path: Path, feed: dict, threads: int):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    binding = session.io_binding()
    for name, array in feed.items():
        binding.bind_cpu_input(name, array)
    for output in session.get_outputs():
        binding.bind_output(output.name)
    return lambda: session.run_with_iobinding(binding)


def ours(path: Path, feed: dict, threads: int):
    context = ge.Context({"ge.threads": threads})
    graph = ge.Graph(path, context=context)
    model = graph.compile()
    binding = model.bind(*(feed[io.name] for io in model.inputs))
    objects = (context, graph, model)  # live as long as the function
    return lambda objects=objects: binding.run()


def measure(path: Path, feed: dict, threads: int) -> None:
    runs = ours(path, feed, threads), peer(path, feed, threads)
    for run in runs:
        run()
    count = [max(1, int(SECONDS / batch(run, 5))) for run in runs]
    times = [[batch(run, n) for run, n in zip(runs, count)] for _ in range(ROUNDS)]
    mine, theirs = (statistics.median(column) for column in zip(*times))
    low, _, high = statistics.quantiles([b / a for a, b in times], n=4)
    shape = "x".join(str(n) for n in next(iter(feed.values())).shape)
    print(f"{path.name:20s} {shape:14s} {threads} thread(s)  ge {mine * 1e6:9.1f} us  ONNX Runtime {theirs * 1e6:9.1f} us  "
          f"ratio {theirs / mine:5.2f} ({low:.2f} to {high:.2f})", flush=True)


def main() -> None:
    digits = Path(__file__).resolve().parents[1] / "examples" / "digits"
    images = numpy.load(digits / "images.npy")
    for threads in (1, 2):
        for count in (1, 360):
            measure(digits / "digits.onnx", {"image": images[:count]}, threads)


if __name__ == "__main__":
    sys.exit(main())
