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


def value_of(name: str, type_proto: onnx.TypeProto) -> onnx.ValueInfoProto:
    return helper.make_value_info(name, type_proto)


FLOATS = helper.make_tensor_type_proto(TensorProto.FLOAT, None)
SEQUENCE, OPTIONAL = helper.make_sequence_type_proto(FLOATS), helper.make_optional_type_proto(FLOATS)
MAP = helper.make_map_type_proto(TensorProto.STRING, FLOATS)
# Values of every kind in and out; no node but Identity takes maps.
graph = helper.make_graph(
    [helper.make_node("SequenceInsert", ["items", "item"], ["more"]), helper.make_node("OptionalHasElement", ["maybe"], ["has"]),
     helper.make_node("Identity", ["named"], ["same"]), helper.make_node("Optional", ["item"], ["wrapped"])],
    "values", [value_of("items", SEQUENCE), f32("item", [2]), value_of("maybe", OPTIONAL), value_of("named", MAP)],
    [value_of("more", SEQUENCE), helper.make_tensor_value_info("has", TensorProto.BOOL, []), value_of("same", MAP), value_of("wrapped", OPTIONAL)])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)
(HERE / "values.onnx").write_bytes(model.SerializeToString(deterministic=True))  # the checker knows no maps through Identity
