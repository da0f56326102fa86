# SPDX-License-Identifier: Apache-2.0
"""decode.py: a decoder that writes one token a run, with a cache of keys and values that grows by one row each time, against ONNX Runtime.

Whole sequences of the engines are taken in turn; outputs feed the next step as they are, without copies by this program.  The time of a
sequence is the sum over its steps of the median over the sequences.  The ratio is that of these times; above 1 ge is faster.  `all kept` is
ge with room for every shape, all seen before: what it is faster by is what making an instance for each new length costs.
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path

import ge
import models
import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper

HEADS = 12


class Writer(models.Writer):
    """A Writer whose inputs and outputs may have named dims."""

    def port(self, ports: list, name: str, shape: list, kind: int = TensorProto.FLOAT) -> str:
        ports.append(helper.make_tensor_value_info(name, kind, shape))
        return name


def layer(w: Writer, x: str, i: int, width: int) -> str:
    size = width // HEADS
    past = [1, HEADS, "past", size]
    parts = [w.heads(w.linear(x, width, width), 1, width, HEADS, [0, 2, 1, 3]) for _ in range(3)]
    for at, name in ((1, "keys"), (2, "values")):
        parts[at] = w.op("Concat", w.port(w.inputs, f"{name}_{i}", past), parts[at], axis=2)
        w.port(w.outputs, parts[at], [1, HEADS, "length", size])
    scores = w.op("Div", w.op("MatMul", parts[0], w.op("Transpose", parts[1], perm=[0, 1, 3, 2])), w.const(size**0.5))
    y = w.op("Transpose", w.op("MatMul", w.op("Softmax", scores, axis=-1), parts[2]), perm=[0, 2, 1, 3])
    return w.linear(w.op("Reshape", y, w.const([1, 1, width], numpy.int64)), width, width)


def build(path: Path, depth: int, width: int, steps: int) -> None:
    w = Writer("decode", seed=7)
    ids, at = (w.port(w.inputs, name, [1, 1], TensorProto.INT64) for name in ("ids", "at"))
    x = w.op("Add", w.op("Gather", w.normal((4096, width), 0.5), ids, axis=0), w.op("Gather", w.normal((steps + 1, width), 0.1), at, axis=0))
    for i in range(depth):
        x = w.op("Add", x, layer(w, w.layer_norm(x, width), i, width))
        x = w.op("Add", x, w.mlp(w.layer_norm(x, width), width, 4 * width, w.gelu_tanh))
    w.port(w.outputs, w.op("MatMul", w.layer_norm(x, width), w.normal((width, 4096), 0.02)), [1, 1, 4096])
    w.save(path)


def ids_at(step: int) -> tuple[numpy.ndarray, numpy.ndarray]:
    return numpy.array([[step * 37 % 4096]]), numpy.array([[step]])


class Ours:
    def __init__(self, path: Path, threads: int, kept: int):
        self.context = ge.Context({"ge.threads": threads})
        graph = ge.Graph(path, context=self.context)
        self.model = graph.compile({"ge.maxShapes": kept}) if kept else graph.compile()

    def sequence(self, caches: list[numpy.ndarray], steps: int) -> tuple[list[float], numpy.ndarray]:
        times, state = [], [ge.tensor(c, context=self.context) for c in caches]
        for step in range(steps):
            ids = ids_at(step)
            begin = time.perf_counter()
            *state, scores = self.model(*ids, *state)
            times.append(time.perf_counter() - begin)
        return times, numpy.array(numpy.from_dlpack(scores))


class Theirs:
    def __init__(self, path: Path, threads: int):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
        self.session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        self.inputs = [i.name for i in self.session.get_inputs()]
        self.outputs = [o.name for o in self.session.get_outputs()]

    def sequence(self, caches: list[numpy.ndarray], steps: int) -> tuple[list[float], numpy.ndarray]:
        times, state = [], [onnxruntime.OrtValue.ortvalue_from_numpy(c) for c in caches]
        binding = self.session.io_binding()
        for step in range(steps):
            ids = ids_at(step)
            begin = time.perf_counter()
            for name, array in zip(self.inputs, ids):
                binding.bind_cpu_input(name, array)
            for name, value in zip(self.inputs[2:], state):
                binding.bind_ortvalue_input(name, value)
            for name in self.outputs:
                binding.bind_output(name)
            self.session.run_with_iobinding(binding)
            *state, scores = binding.get_outputs()
            times.append(time.perf_counter() - begin)
        return times, scores.numpy()


def by_step(times: list[list[float]], quantity=statistics.median) -> float:
    return sum(map(quantity, zip(*times))) / len(times[0]) * 1e6


def measure(path: Path, depth: int, width: int, steps: int, threads: int, sequences: int) -> str:
    caches = [numpy.zeros((1, HEADS, 1, width // HEADS), numpy.float32)] * (2 * depth)
    engines = {"ge": Ours(path, threads, 0), "kept": Ours(path, threads, steps + 1), "ort": Theirs(path, threads)}
    times, scores = {name: [] for name in engines}, {}
    engines["kept"].sequence(caches, steps)
    for turn in range(sequences):
        for name in list(engines) if turn % 2 == 0 else reversed(engines):
            step_times, scores[name] = engines[name].sequence(caches, steps)
            times[name].append(step_times)
    off = float(numpy.max(numpy.abs(scores["ge"] - scores["ort"])) / numpy.max(numpy.abs(scores["ort"])))
    mine, known, other = (by_step(times[n]) for n in engines)
    best = by_step(times["ort"], min) / by_step(times["ge"], min)
    return (f"depth {depth} width {width} {threads}T  ge {mine:9.1f} us a step   ort {other:9.1f} us  ratio {other / mine:5.2f} (best {best:.2f})   "
            f"all kept {known:9.1f} us  ratio {mine / known:5.2f}   outputs {off:.0e}")


def main() -> None:
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--sizes", default="4x192,12x768", help="depth x width, separated by commas")
    args.add_argument("--steps", type=int, default=256)
    args.add_argument("--sequences", type=int, default=5)
    args.add_argument("--threads", type=int, action="append", help="1 and 2 by default")
    args.add_argument("--folder", type=Path, default=Path("build/bench/models"))
    chosen = args.parse_args()
    chosen.folder.mkdir(parents=True, exist_ok=True)
    for size in chosen.sizes.split(","):
        depth, width = map(int, size.split("x"))
        path = chosen.folder / f"decode_{depth}_{width}_{chosen.steps}.onnx"
        if not path.exists():
            build(path, depth, width, chosen.steps)
        for threads in chosen.threads or [1, 2]:
            print(measure(path, depth, width, chosen.steps, threads, chosen.sequences), flush=True)


if __name__ == "__main__":
    main()
