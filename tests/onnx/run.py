#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the node tests of the installed `onnx` package, or those in a folder, on libge and compares with the outputs they carry.

Each test passes, or stands in differences.txt with a reason.  The list is checked both ways: an entry whose tests pass is an error.
A test that ends its process counts as a crash, which no entry excuses.  Exit code 0: as listed."""

import argparse
import fnmatch
import multiprocessing
import os
import sys
import warnings
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))


def cases():
    warnings.filterwarnings("ignore")
    from onnx.backend.test.case.node import collect_testcases

    return sorted(collect_testcases(None), key=lambda t: t.name)


class StoredCase:
    """A test as a folder holds it: model.onnx, test_data_set_*/input_*.pb and output_*.pb; the suite's tolerances."""

    rtol, atol = 1e-3, 1e-7

    def __init__(self, folder, name):
        import onnx

        self.name = name
        self.model = onnx.load(folder / "model.onnx")
        self.data_sets = [[self.read(data, kind, values) for kind, values in (("input", self.free_inputs()), ("output", self.model.graph.output))]
                          for data in sorted(folder.glob("test_data_set_*"))]

    def free_inputs(self):
        """Files before IR version 4 name initializers as inputs too; the data sets leave those out."""
        given = {t.name for t in self.model.graph.initializer}
        return [v for v in self.model.graph.input if v.name not in given]

    def read(self, folder, kind, values):
        from onnx import OptionalProto, SequenceProto, TensorProto

        protos = {"sequence_type": SequenceProto, "optional_type": OptionalProto}
        out = []
        for i in range(len(list(folder.glob(f"{kind}_*.pb")))):
            proto = protos.get(values[i].type.WhichOneof("value"), TensorProto)()
            proto.ParseFromString((folder / f"{kind}_{i}.pb").read_bytes())
            out.append(proto)
        return out


def stored_cases(folder):
    """Names begin with the folder a test is in, as in data/node/test_add: the same test exists in two versions."""
    models = sorted(folder.rglob("model.onnx"))
    if not models:
        sys.exit(f"{folder}: no model.onnx in it")
    return [StoredCase(m.parent, "/".join(m.parent.parts[-3:])) for m in models]


def operators(graph):
    """Operator types of a graph and everything nested in it, with their domain when it is not ai.onnx."""
    found = set()
    for node in graph.node:
        found.add(node.op_type if node.domain in ("", "ai.onnx") else f"{node.domain}:{node.op_type}")
        for attribute in node.attribute:
            for inner in [attribute.g] if attribute.HasField("g") else attribute.graphs:
                found |= operators(inner)
    return found


def compare(got, want, rtol, atol):
    """None, or how they differ."""
    import numpy as np

    want = np.asarray(want)
    if want.dtype.kind in "OUS":
        want = want.astype(object)
        return None if got.shape == want.shape and list(map(str, got.reshape(-1))) == list(map(str, want.reshape(-1))) else "strings differ"
    if got.dtype != want.dtype:
        return f"dtype {got.dtype}, wanted {want.dtype}"
    if got.shape != want.shape:
        return f"shape {list(got.shape)}, wanted {list(want.shape)}"
    wide = np.complex128 if want.dtype.kind == "c" else np.float64 if want.dtype.kind not in "iub" else want.dtype
    a, b = got.astype(wide), want.astype(wide)
    if np.array_equal(a, b, equal_nan=want.dtype.kind not in "iub"):
        return None
    if want.dtype.kind in "iub" or not np.allclose(a, b, rtol=rtol, atol=atol, equal_nan=True):
        worst = np.nanmax(np.abs(a.astype(np.complex128) - b.astype(np.complex128)), initial=0)
        return f"values differ, worst by {worst:.3g}"
    return None


def compare_values(got, want, rtol, atol):
    """The same for sequences and optionals too."""
    if want is None or got is None:
        return None if got is want else "one of the two is nothing"
    if not isinstance(want, (list, dict)):
        return "no tensor" if isinstance(got, (list, dict)) else compare(got, want, rtol, atol)
    if type(got) is not type(want) or len(got) != len(want):
        return f"got {type(got).__name__}, wanted {type(want).__name__} of {len(want)}"
    keys = range(len(want)) if isinstance(want, list) else want
    differences = (compare_values(got[k], want[k], rtol, atol) if isinstance(got, list) or k in got else "missing" for k in keys)
    return next((f"item {k}: {d}" for k, d in zip(keys, differences) if d), None)


def plain(value):
    """What the engine takes: arrays, lists, dicts, None."""
    import numpy as np
    from onnx import MapProto, OptionalProto, SequenceProto, TensorProto, numpy_helper

    if isinstance(value, TensorProto):
        return numpy_helper.to_array(value)
    if isinstance(value, SequenceProto):
        return [plain(x) for x in numpy_helper.to_list(value)]
    if isinstance(value, OptionalProto):
        return plain(numpy_helper.to_optional(value))
    if isinstance(value, MapProto):
        return numpy_helper.to_dict(value)
    if isinstance(value, list):
        return [plain(x) for x in value]
    return value if value is None or isinstance(value, dict) else np.asarray(value)


def run_case(engine, case):
    """'' when all data sets agree, else the first difference."""
    from engine import EngineError

    model = case.model.SerializeToString()
    for inputs, outputs in case.data_sets:
        inputs, outputs = [plain(x) for x in inputs], [plain(x) for x in outputs]
        try:
            got = engine.run(model, inputs)
        except EngineError as error:
            return str(error)
        except KeyError as error:
            return f"numpy type {error}"
        if len(got) != len(outputs):
            return f"{len(got)} outputs, wanted {len(outputs)}"
        for i, want in enumerate(outputs):
            difference = compare_values(got[i], want, case.rtol, case.atol)
            if difference:
                return f"output {i}: {difference}"
    return ""


def worker(pipe, library, threads, selected, judge):
    from engine import Engine

    engine = Engine(library, threads)
    for index, case in selected:
        pipe.send((index, None))  # begun: should the process end now, this is the case
        try:
            pipe.send((index, judge(engine, case)))
        except Exception as error:  # a fault of this script, shown as such
            pipe.send((index, f"runner: {type(error).__name__}: {error}"))
    pipe.close()


def run_share(library, threads, share, judge):
    """Results of one share of the cases by index; restarts the worker behind a case that ended it.  judge(engine, case): '' or what is
    wrong."""
    results = {}
    while share:
        ours, theirs = multiprocessing.Pipe(False)
        process = multiprocessing.Process(target=worker, args=(theirs, library, threads, share, judge))
        process.start()
        theirs.close()
        current = None
        while True:
            try:
                if not ours.poll(120):
                    process.kill()
                    break
                index, result = ours.recv()
            except EOFError:
                break
            current = index if result is None else None
            if result is not None:
                results[index] = result
        process.join()
        if current is None and len(results) and all(i in results for i, _ in share):
            break
        if current is None:
            current = next(i for i, _ in share if i not in results)
        results[current] = f"CRASH: exit code {process.exitcode}"
        share = [(i, case) for i, case in share if i not in results]
    return results


def run_all(library, threads, tests, jobs, judge=run_case):
    numbered = list(enumerate(tests))
    with multiprocessing.pool.ThreadPool(jobs) as pool:
        parts = pool.map(lambda k: run_share(library, threads, numbered[k::jobs], judge), range(jobs))
    return {tests[i].name: result for part in parts for i, result in part.items()}


def read_differences():
    entries = []
    for number, line in enumerate((HERE / "differences.txt").read_text().splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        pattern, _, reason = line.partition("  ")
        if not reason.strip():
            sys.exit(f"differences.txt:{number}: no reason")
        entries.append((number, pattern, reason.strip()))
    return entries


def matches(pattern, case):
    if pattern.startswith("op:"):
        return any(fnmatch.fnmatchcase(name, pattern[3:]) for name in operators(case.model.graph))
    return fnmatch.fnmatchcase(case.name, pattern)


def check(tests, results, is_stored):
    """Prints what is not as listed; returns the number of faults.  Entries with a / are for stored tests, op: entries for both."""
    entries, faults = [e for e in read_differences() if e[1].startswith("op:") or ("/" in e[1]) == is_stored], 0
    excused = set()
    for number, pattern, _ in entries:
        selected = [t for t in tests if matches(pattern, t)]
        passing = [t.name for t in selected if results[t.name] == ""]
        if passing or (not selected and not (is_stored and pattern.startswith("op:"))):
            faults += 1
            print(f"differences.txt:{number}: '{pattern}' {'matches no test' if not selected else 'passes: ' + ', '.join(passing[:5])}")
        excused |= {t.name for t in selected}
    for test in tests:
        result = results[test.name]
        if result and (test.name not in excused or result.startswith(("CRASH", "runner:"))):
            faults += 1
            print(f"FAILED {test.name}: {result}")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("library", nargs="?", default=os.environ.get("GE_LIBRARY"), help="libge.so (or $GE_LIBRARY)")
    parser.add_argument("--data", type=Path, metavar="FOLDER", help="the tests stored in a folder and below it")
    parser.add_argument("-k", default="*", metavar="PATTERN", help="only tests whose name matches")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--threads", type=int, default=1, help="threads of one run")
    parser.add_argument("--list", action="store_true", help="print each failing test and its operators, compare with nothing")
    arguments = parser.parse_args()
    if not arguments.library:
        parser.error("which libge.so?")
    tests = [t for t in (stored_cases(arguments.data) if arguments.data else cases()) if fnmatch.fnmatchcase(t.name, arguments.k)]
    if not tests:
        parser.error(f"no test matches '{arguments.k}'")
    results = run_all(arguments.library, arguments.threads, tests, arguments.jobs)
    if arguments.list:
        for test in tests:
            if results[test.name]:
                print(f"{test.name}  [{' '.join(sorted(operators(test.model.graph)))}]  {results[test.name]}")
    passed = sum(r == "" for r in results.values())
    inference = [t for t in tests if not any("training" in o.domain for o in t.model.opset_import)]
    inference_passed = sum(results[t.name] == "" for t in inference)
    faults = 0 if arguments.list or arguments.k != "*" else check(tests, results, bool(arguments.data))
    print(f"onnx {'stored' if arguments.data else 'node'} tests: {passed} of {len(tests)} pass ({100 * passed / len(tests):.1f} %), "
          f"without training domains {inference_passed} of {len(inference)} ({100 * inference_passed / max(1, len(inference)):.1f} %)")
    print(f"{len(tests) - faults} passed, {faults} failed")
    return 1 if faults else 0


if __name__ == "__main__":
    multiprocessing.set_start_method("fork")
    import multiprocessing.pool

    sys.exit(main())
