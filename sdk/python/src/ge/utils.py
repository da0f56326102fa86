# SPDX-License-Identifier: Apache-2.0
"""Utilities on graphs and nodes."""

from array import array
from typing import List, Tuple

from . import _raw
from .graph import Graph, Node
from .graph._native import failing_as
from .graph.tensor_desc import UNKNOWN_DIM_NUM
from ._text import read_text

__all__ = ["GeUtils"]


class GeUtils:
    """Static helpers."""

    @staticmethod
    def infer_shape(graph: Graph, input_shapes: List[List[int]]) -> None:
        """Infers shapes and data types of a graph and writes them into it."""
        if not isinstance(input_shapes, list) or not all(isinstance(shape, list) for shape in input_shapes):
            raise TypeError("input_shapes must be a list of shape lists")
        if not all(isinstance(dim, int) for shape in input_shapes for dim in shape):
            raise TypeError("each shape dim must be an integer")
        with failing_as("Failed to infer shape"):
            dims = array("q", [dim for shape in input_shapes if shape != _UNKNOWN_RANK for dim in shape])
            ranks = array("i", [-1 if shape == _UNKNOWN_RANK else len(shape) for shape in input_shapes])
            _raw.ge_graph_infer_shapes(graph._handle, dims if ranks else None, ranks or None)

    @staticmethod
    def check_node_support_on_aicore(node: Node) -> Tuple[bool, str]:
        """(True, "") or (False, reason). The answer is about the kernels this machine runs graphs with."""
        with failing_as("Failed to check node support on AICore"):
            reasons = read_text(_raw.ge_graph_query_support, node._graph._handle, node._id, _raw.GE_BACKEND_ANY)
        return not reasons, reasons.rstrip("\n")


_UNKNOWN_RANK = [UNKNOWN_DIM_NUM]
