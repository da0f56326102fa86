# SPDX-License-Identifier: Apache-2.0
"""Writes the small model files of this folder: python tests/models/make.py."""

from pathlib import Path

import onnx
from onnx import TensorProto, helper

HERE = Path(__file__).resolve().parent


def save(name: str, graph: onnx.GraphProto) -> None:
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    (HERE / name).write_bytes(model.SerializeToString(deterministic=True))


def f32(name: str, dims: list[int]) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, dims)


# One node, every dim known.
save("relu.onnx", helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "relu", [f32("x", [4])], [f32("y", [4])]))
# Scalars in and out.
save("scalar.onnx", helper.make_graph([helper.make_node("Add", ["a", "b"], ["sum"])], "scalar",
                                      [f32("a", []), f32("b", [])], [f32("sum", [])]))
