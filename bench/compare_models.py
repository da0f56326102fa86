# SPDX-License-Identifier: Apache-2.0
"""compare_models.py [MODEL...]: latency of whole models against ONNX Runtime and OpenVINO, all measured in this run.

Engines take turns (A B B A ...) in blocks of runs with a warm-up, inputs and outputs bound beforehand; outputs are compared first.
The ratio is that of the medians of block medians; its interval is the middle half of the ratios of neighbouring blocks.  Above 1
ge is faster.  A table goes to the terminal, all numbers to a JSON file.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from pathlib import Path

import ge
import models
import numpy

PAUSE_SECONDS = 0.02  # with several threads: lets the other engine's spinning workers fall asleep


def ours(path: Path, feed: dict, threads: int):
    context = ge.Context({"ge.threads": threads})
    graph = ge.Graph(path, context=context)
    model = graph.compile()
    binding = model.bind(*(feed[io.name] for io in model.inputs))
    keep = context, graph, model  # live as long as the functions

    def output(keep=keep):
        binding.run()
        return numpy.array(numpy.from_dlpack(binding.outputs[0]))

    return binding.run, output


def onnxruntime(path: Path, feed: dict, threads: int):
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_ALL
    session = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    binding = session.io_binding()
    for name, array in feed.items():
        binding.bind_cpu_input(name, array)
    for output in session.get_outputs():
        binding.bind_output(output.name)

    def output():
        session.run_with_iobinding(binding)
        return binding.get_outputs()[0].numpy()

    return lambda: session.run_with_iobinding(binding), output


def openvino(path: Path, feed: dict, threads: int):
    import openvino as ov

    core = ov.Core()
    config = {"INFERENCE_NUM_THREADS": threads, "NUM_STREAMS": 1, "INFERENCE_PRECISION_HINT": "f32", "PERFORMANCE_HINT": "LATENCY"}
    request = core.compile_model(str(path), "CPU", config).create_infer_request()
    for name, array in feed.items():
        request.set_tensor(name, ov.Tensor(array, shared_memory=True))

    def output():
        request.infer()
        return numpy.array(request.get_output_tensor(0).data)

    return request.infer, output


PEERS = {"ort": onnxruntime, "openvino": openvino}


def block(run, count: int) -> float:
    """Median seconds of a run, after two that warm up."""
    run()
    run()
    times = []
    for _ in range(max(1, count // 5)):
        begin = time.perf_counter()
        for _ in range(min(count, 5)):
            run()
        times.append((time.perf_counter() - begin) / min(count, 5))
    return statistics.median(times)


def difference(a: numpy.ndarray, b: numpy.ndarray) -> float:
    """Largest difference, in parts of the largest value."""
    return float(numpy.max(numpy.abs(a - b)) / max(float(numpy.max(numpy.abs(b))), 1e-30))


def measure(path: Path, threads: int, peers: list[str], blocks: int, seconds: float) -> dict:
    feed = models.feed(path)
    engines = {"ge": ours(path, feed, threads)} | {name: PEERS[name](path, feed, threads) for name in peers}
    outputs = {name: output() for name, (_, output) in engines.items()}
    counts = {}
    for name, (run, _) in engines.items():
        counts[name] = max(1, min(2000, int(seconds / max(block(run, 3), 1e-7))))
    times = {name: [] for name in engines}
    for turn in range(blocks):
        for name in list(engines) if turn % 2 == 0 else reversed(engines):
            if threads > 1:
                time.sleep(PAUSE_SECONDS)
            times[name].append(block(engines[name][0], counts[name]))
    result = {"model": path.name, "threads": threads, "blocks": blocks, "runs": counts, "peers": {},
              "median_us": {n: statistics.median(t) * 1e6 for n, t in times.items()}, "best_us": {n: min(t) * 1e6 for n, t in times.items()}}
    for name in peers:
        pairs = [theirs / mine for mine, theirs in zip(times["ge"], times[name])]
        low, _, high = statistics.quantiles(pairs, n=4)
        result["peers"][name] = {"ratio": result["median_us"][name] / result["median_us"]["ge"], "low": low, "high": high,
                                 "best_ratio": result["best_us"][name] / result["best_us"]["ge"],
                                 "difference": difference(outputs["ge"], outputs[name])}
    return result


def show(result: dict) -> None:
    line = f"{result['model'].split('.')[0]:18s} {result['threads']}T  ge {result['median_us']['ge']:10.1f} us"
    for name, peer in result["peers"].items():
        line += (f"   {name} {result['median_us'][name]:10.1f} us  ratio {peer['ratio']:5.2f} ({peer['low']:.2f} to {peer['high']:.2f}, "
                 f"best {peer['best_ratio']:.2f}, outputs {peer['difference']:.0e})")
    print(line, flush=True)


def usable(peer: str) -> bool:
    try:
        __import__({"ort": "onnxruntime"}.get(peer, peer))
    except ImportError:
        print(f"{peer}: not installed, left out", file=sys.stderr)
        return False
    return True


def geometric_mean(results: list[dict], peer: str) -> float:
    return statistics.geometric_mean(r["peers"][peer]["ratio"] for r in results)


def main() -> None:
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("models", nargs="*", metavar="MODEL", help=f"of {', '.join(models.MODELS)}; all by default")
    args.add_argument("--peer", action="append", choices=["none", *PEERS], help="all that are installed by default")
    args.add_argument("--threads", type=int, action="append", help="1 and 2 by default")
    args.add_argument("--blocks", type=int, default=9)
    args.add_argument("--seconds", type=float, default=0.2, help="of one block")
    args.add_argument("--folder", type=Path, default=Path("build/bench/models"), help="where model files are kept")
    args.add_argument("--json", type=Path, default=Path("build/bench/models.json"))
    chosen = args.parse_args()
    peers = [] if chosen.peer == ["none"] else [p for p in chosen.peer or PEERS if p != "none" and usable(p)]
    cpus = len(os.sched_getaffinity(0))
    results = []
    for threads in chosen.threads or [1, 2]:
        if threads > cpus:
            print(f"{threads} threads: there are {cpus} CPUs, left out", file=sys.stderr)
            continue
        for name in chosen.models or models.MODELS:
            path = models.build(name, chosen.folder)
            try:
                results.append(measure(path, threads, peers, chosen.blocks, chosen.seconds))
            except ge.Error as e:
                print(f"{name:18s} {threads}T  ge cannot run it: {e}", flush=True)
                continue
            show(results[-1])
    for peer in peers if results else []:
        print(f"geometric mean against {peer}: {geometric_mean(results, peer):.2f}")
    chosen.json.parent.mkdir(parents=True, exist_ok=True)
    chosen.json.write_text(json.dumps({"version": models.VERSION, "results": results}, indent=1) + "\n")


if __name__ == "__main__":
    main()
