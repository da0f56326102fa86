# SPDX-License-Identifier: Apache-2.0
"""Graphs: walk, edit, dump, save."""

import enum
from array import array
from typing import Any, List, Optional, Tuple

from .. import _raw
from .._error import Error
from .._text import read_text
from . import _attribute
from ._native import Native, failing_as
from .node import Node


class DumpFormat(enum.Enum):
    """Texts a graph is written as."""

    kOnnx = 0
    kTxt = 1
    kReadable = 2


_DUMPS = {DumpFormat.kReadable: _raw.GE_DUMP_READABLE}


class Graph(Native):
    """A graph of operators. A subgraph shows the one in its parent: edits are seen by both."""

    _destroy = staticmethod(_raw.ge_graph_destroy)

    def __init__(self, name: Optional[str] = "graph") -> None:
        if not isinstance(name, str):
            raise TypeError("Graph name must be a string")
        self._begin()
        self._hold(_raw.ge_graph_create(None, name))

    @classmethod
    def _create_from(cls, handle: Any, owner: Any = None) -> "Graph":
        """Takes over a graph handle of the library; `owner` is kept alive as long as the graph."""
        if handle is None:
            raise ValueError("Graph pointer cannot be None")
        self = cls.__new__(cls)
        self._begin()
        self._owner = owner
        self._hold(handle)
        return self

    def _begin(self) -> None:
        self._owns_handle = True
        self._owner = None

    def _transfer_ownership_when_pass_as_subgraph(self, new_owner: Any) -> None:
        """The graph becomes part of a graph under construction; this happens once."""
        if not self._owns_handle:
            raise RuntimeError(f"Graph {self.name} cannot transfer ownership again")
        self._owns_handle = False
        self._owner = new_owner

    @property
    def name(self) -> str:
        return _raw.ge_graph_get_info(self._handle)["name"]

    def get_direct_nodes(self) -> List[Node]:
        """Nodes of this graph, those of subgraphs not counted."""
        ids = array("Q", bytes(8 * _raw.ge_graph_get_nodes(self._handle, _raw.GE_ORDER_CREATION, None)))
        _raw.ge_graph_get_nodes(self._handle, _raw.GE_ORDER_CREATION, ids)
        outputs = self._output_node()
        return [Node._create_from(node, self) for node in ids] + ([outputs] if outputs else [])

    def _output_node(self) -> Optional[Node]:
        """The NetOutput node; None when outputs were never set."""
        try:
            return Node._create_from(_raw.ge_graph_get_output_node(self._handle), self)
        except Error as error:
            if error.status != _raw.GE_ERR_NOT_FOUND:
                raise
            return None

    def _output_uses(self, value: int) -> List[Tuple[Node, int]]:
        """Where the NetOutput node reads a value."""
        outputs = self._output_node()
        return [(outputs, index) for index, read in enumerate(outputs._inputs()) if read == value] if outputs else []

    def get_all_nodes(self) -> List[Node]:
        """Nodes of this graph and of every graph nested in it."""
        nodes = self.get_direct_nodes()
        for subgraph in self.get_all_subgraphs():
            nodes += subgraph.get_direct_nodes()
        return nodes

    def find_node_by_name(self, name: str) -> Node:
        if not isinstance(name, str):
            raise TypeError("name must be a string")
        outputs = self._output_node()
        if outputs and outputs.name == name:
            return outputs
        with failing_as(f"Failed to find Node name {name}"):
            return Node._create_from(_raw.ge_graph_find_node(self._handle, name), self)

    def get_attr(self, key: str) -> Any:
        if not isinstance(key, str):
            raise TypeError("Attribute key must be a string")
        with failing_as(f"Failed to get attribute '{key}' from Graph {self.name}"):
            return _attribute.get_attr(self._handle, _attribute.GRAPH_OWNER, key)

    def set_attr(self, key: str, value: Any) -> None:
        if not isinstance(key, str):
            raise TypeError("Attribute key must be a string")
        with failing_as(f"Failed to set attribute '{key}' on Graph {self.name}"):
            _attribute.set_attr(self._handle, _attribute.GRAPH_OWNER, key, value)

    def dump_to_stream(self, format: DumpFormat = DumpFormat.kReadable) -> str:
        _check_dump_format(format)
        with failing_as(f"Failed to dump Graph {self.name}"):
            return read_text(_raw.ge_graph_dump, self._handle, _DUMPS[format])

    def remove_node(self, node: Node) -> None:
        """Removes a node with its edges. Neighbours are not joined."""
        _check_node(node, "node")
        with failing_as(f"Failed to remove Node {node.name}"):
            for index in range(node.get_outputs_size()):
                value = _raw.ge_graph_get_port(self._handle, node._id, _raw.GE_DIRECTION_OUT, index)
                for reader, port in self._output_uses(value):
                    _raw.ge_graph_remove_edge(self._handle, node._id, index, reader._id, port)
            _raw.ge_graph_remove_node(self._handle, node._id)

    def remove_edge(self, src_node: Node, src_port_index: int, dst_node: Node, dst_port_index: int) -> None:
        """Removes a data edge, or with -1, -1 a control edge."""
        _check_edge(src_node, src_port_index, dst_node, dst_port_index)
        with failing_as(f"Failed to remove Edge from Node {src_node.name} to Node {dst_node.name}"):
            _raw.ge_graph_remove_edge(self._handle, src_node._id, src_port_index, dst_node._id, dst_port_index)

    def add_data_edge(self, src_node: Node, src_port_index: int, dst_node: Node, dst_port_index: int) -> None:
        _check_edge(src_node, src_port_index, dst_node, dst_port_index)
        with failing_as(f"Failed to add Edge from Node {src_node.name} to Node {dst_node.name}"):
            if src_port_index < 0 and dst_port_index < 0:
                raise RuntimeError("a data edge has no negative port")
            _raw.ge_graph_add_edge(self._handle, src_node._id, src_port_index, dst_node._id, dst_port_index)

    def add_control_edge(self, src_node: Node, dst_node: Node) -> None:
        _check_node(src_node, "src_node")
        _check_node(dst_node, "dst_node")
        with failing_as(f"Failed to add Control from Node {src_node.name} to Node {dst_node.name}"):
            _raw.ge_graph_add_edge(self._handle, src_node._id, _raw.GE_CONTROL_INDEX, dst_node._id,
                                   _raw.GE_CONTROL_INDEX)

    def get_all_subgraphs(self) -> List["Graph"]:
        """The graphs nested in this one, at any depth; parents first."""
        ids = array("Q", bytes(8 * _raw.ge_graph_get_subgraphs(self._handle, 0, None)))
        _raw.ge_graph_get_subgraphs(self._handle, 0, ids)
        return [Graph._create_from(_raw.ge_graph_create_view(self._handle, subgraph)) for subgraph in ids]

    def __str__(self) -> str:
        return self.dump_to_stream()


def _check_node(node: Any, name: str) -> None:
    if not isinstance(node, Node):
        raise TypeError(f"{name} must be a Node")


def _check_edge(src_node: Any, src_port_index: Any, dst_node: Any, dst_port_index: Any) -> None:
    _check_node(src_node, "src_node")
    if not isinstance(src_port_index, int):
        raise TypeError("src_port_index must be an integer")
    _check_node(dst_node, "dst_node")
    if not isinstance(dst_port_index, int):
        raise TypeError("dst_port_index must be an integer")


def _check_dump_format(format: Any) -> None:
    if not isinstance(format, DumpFormat):
        raise TypeError(f"Format must be in {list(DumpFormat)}")
