# SPDX-License-Identifier: Apache-2.0
"""Graphs as GE's Python interface has them: build, walk, edit, dump, save.

>>> from ge.graph import DumpFormat
>>> print(graph.dump_to_stream(DumpFormat.kReadable))
"""

from .graph import DumpFormat, Graph
from .node import Node
from .operator import Operator
from .tensor import Tensor
from .tensor_desc import Shape, TensorDesc
from .types import DataType, Format, Placement

__all__ = ["Graph", "Node", "Operator", "DataType", "Format", "Placement", "Shape", "Tensor", "TensorDesc", "DumpFormat"]
