#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random calls of operators, family by family: valid ones against numpy or the reference evaluator of onnx, invalid ones must be refused
with an error that names the node.  Every call comes from its family, kind and number alone, so a failure is repeated by name:

    properties.py libge.so --only arithmetic.valid.17

Full: 500 valid and 200 invalid calls a family (--full); without it a tenth of that."""

import argparse
import functools
import importlib
import multiprocessing
import os
import sys
import time
import warnings
import zlib
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
sys.dont_write_bytecode = True
FULL, QUICK = {"valid": 500, "invalid": 200}, {"valid": 50, "invalid": 20}
NODE = "the_node"


def families():
    for path in sorted((HERE / "families").glob("*.py")):
        module = importlib.import_module("families." + path.stem)
        for name, pair in module.FAMILIES.items():
            yield name, pair


class Drawn:
    """A call by its name; drawn where it runs."""

    def __init__(self, family, kind, number, make):
        self.name, self.make, self.kind = f"{family}.{kind}.{number}", make, kind

    @functools.cached_property
    def call(self):
        from draw import Draw

        return self.make(Draw(zlib.crc32(self.name.encode())))

    @functools.cached_property
    def model(self):
        from onnx import helper

        call = self.call
        names = ["" if x is None else f"x{i}" for i, x in enumerate(call.inputs)]
        while names and not names[-1]:
            names.pop()
        if call.graph is not None:
            graph = call.graph
        else:
            node = helper.make_node(call.op, names, [f"y{i}" for i in range(call.n_out)], name=NODE, **call.attrs)
            graph = helper.make_graph([node], "g", [], [])
        for i, x in enumerate(call.inputs):
            if x is None:
                continue
            if i in call.constants:
                graph.initializer.append(tensor_of(f"x{i}", x))
            elif isinstance(x, list):
                inner = helper.make_tensor_type_proto(element_type(x[0]), None)
                graph.input.append(helper.make_value_info(f"x{i}", helper.make_sequence_type_proto(inner)))
            else:
                graph.input.append(helper.make_tensor_value_info(f"x{i}", element_type(x), x.shape))
        if call.graph is None:
            graph.output.extend(helper.make_empty_tensor_value_info(f"y{i}") for i in range(call.n_out))
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", call.opset)], ir_version=10)

    @property
    def feeds(self):
        return [x for i, x in enumerate(self.call.inputs) if x is not None and i not in self.call.constants]

    def wanted(self):
        call = self.call
        if callable(call.want):
            got = call.want(*call.inputs)
            return list(got) if isinstance(got, tuple) else [got]
        if call.want is not None:
            return call.want
        from onnx.reference import ReferenceEvaluator

        names = [f"x{i}" for i, x in enumerate(call.inputs) if x is not None and i not in call.constants]
        return ReferenceEvaluator(self.model).run(None, dict(zip(names, self.feeds)))


def element_type(array):
    from onnx import TensorProto, helper

    return TensorProto.STRING if array.dtype.kind in "OUS" else helper.np_dtype_to_tensor_dtype(array.dtype)


def tensor_of(name, array):
    from onnx import TensorProto, helper, numpy_helper

    if array.dtype.kind in "OUS":
        return helper.make_tensor(name, TensorProto.STRING, array.shape, [str(t).encode() for t in array.reshape(-1)])
    return numpy_helper.from_array(array, name)


def judge(engine, drawn):
    """'' or what is wrong."""
    from draw import TOLERANCE
    from engine import EngineError
    from run import compare_values

    call = drawn.call
    told = f"{call.op}: {call.rule}"
    try:
        got = engine.run(drawn.model.SerializeToString(), drawn.feeds)
    except EngineError as error:
        if drawn.kind == "valid":
            return f"{told}: refused: {error}"
        if NODE not in str(error) or (call.error or "") not in str(error):
            return f"{told}: the error does not say '{call.error or NODE}': {error}"
        return ""
    if drawn.kind == "invalid":
        return f"{told}: not refused"
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = drawn.wanted()
    for i, (mine, theirs) in enumerate(zip(got, want)):
        kind = str(getattr(theirs, "dtype", ""))
        rtol, atol = call.tolerance or TOLERANCE.get(kind, (1e-5, 1e-6))
        difference = compare_values(mine, theirs, rtol, atol)
        if difference:
            shapes = [list(np.shape(x)) if not isinstance(x, list) else "sequence" for x in call.inputs if x is not None]
            return f"{told}: output {i}: {difference}; inputs {shapes}, attributes {call.attrs}"
    return "" if len(got) == len(want) else f"{told}: {len(got)} outputs, wanted {len(want)}"


def main():
    from run import run_all

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", nargs="?", default=os.environ.get("GE_LIBRARY"), help="libge.so (or $GE_LIBRARY)")
    parser.add_argument("--full", action="store_true", help="500 valid and 200 invalid calls a family")
    parser.add_argument("--only", metavar="NAME", help="a family, a kind (pad.valid) or one call (pad.valid.3)")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--threads", type=int, default=2, help="threads of one run")
    arguments = parser.parse_args()
    if not arguments.library:
        parser.error("which libge.so?")
    counts, started = FULL if arguments.full else QUICK, time.monotonic()
    drawn = [Drawn(family, kind, n, make) for family, pair in families() for kind, make in zip(("valid", "invalid"), pair)
             for n in range(counts[kind])]
    if arguments.only:
        drawn = [d for d in drawn if (d.name + ".").startswith(arguments.only + ".")]
        if not drawn:
            parser.error(f"nothing is called '{arguments.only}'")
    results = run_all(arguments.library, arguments.threads, drawn, arguments.jobs, judge)
    table, failed = {}, 0
    for d in drawn:
        family, kind, _ = d.name.split(".")
        passed, total = table.get((family, kind), (0, 0))
        wrong = results[d.name]
        table[family, kind] = (passed + (wrong == ""), total + 1)
        if wrong:
            failed += 1
            print(f"FAILED {d.name}: {wrong}")
    for family in dict.fromkeys(f for f, _ in table):
        cells = ["%s %d of %d" % (kind, *table[family, kind]) for kind in counts if (family, kind) in table]
        print(f"{family:14s} {', '.join(cells)}")
    print(f"properties: {len(drawn) - failed} passed, {failed} failed in {time.monotonic() - started:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    multiprocessing.set_start_method("fork")
    import multiprocessing.pool

    import numpy as np

    sys.exit(main())
