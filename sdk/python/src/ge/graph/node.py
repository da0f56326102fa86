# SPDX-License-Identifier: Apache-2.0
"""Nodes of a graph."""

from array import array
from typing import TYPE_CHECKING, Any, List, Tuple

from .. import _raw
from .._error import Error
from . import _attribute
from ._native import Uncopyable, failing_as
from .tensor_desc import Shape, TensorDesc
from .types import Format

if TYPE_CHECKING:
    from .graph import Graph

# Where a port keeps the shape and format it had before a change of layout; the names of GE's files.
_ORIGIN_SHAPE = "origin_shape"
_ORIGIN_FORMAT = "origin_format_for_int"


class Node(Uncopyable):
    """One operator of a graph, named by the graph and an id in it. Two objects of one node compare by name."""

    def __init__(self) -> None:
        raise RuntimeError("Node objects should not be created directly")

    @classmethod
    def _create_from(cls, handle: "int | None", graph: "Graph") -> "Node":
        """Of the id of a node in a graph."""
        if not handle:
            raise ValueError("Node handle cannot be None")
        self = cls.__new__(cls)
        self._id = handle
        self._graph = graph
        return self

    @property
    def _info(self) -> dict[str, Any]:
        return _raw.ge_graph_get_node_infos(self._graph._handle, array("Q", [self._id]), 1)[0]

    @property
    def name(self) -> str:
        return self._info["name"]

    @property
    def type(self) -> str:
        return self._info["op_type"]

    def get_in_control_nodes(self) -> List["Node"]:
        return self._control_nodes(_raw.GE_DIRECTION_IN)

    def get_out_control_nodes(self) -> List["Node"]:
        return self._control_nodes(_raw.GE_DIRECTION_OUT)

    def _control_nodes(self, direction: int) -> List["Node"]:
        graph = self._graph._handle
        ids = array("Q", bytes(8 * _raw.ge_graph_get_control_nodes(graph, self._id, direction, None)))
        _raw.ge_graph_get_control_nodes(graph, self._id, direction, ids)
        return [Node._create_from(node, self._graph) for node in ids]

    def _inputs(self) -> array:
        graph = self._graph._handle
        values = array("Q", bytes(8 * _raw.ge_graph_get_node_inputs(graph, self._id, None)))
        _raw.ge_graph_get_node_inputs(graph, self._id, values)
        return values

    def get_in_data_nodes_and_port_indexes(self, in_index: int) -> Tuple["Node", int]:
        """The producer of an input, and which of its outputs it is."""
        _check_index(in_index, "Input")
        values = self._inputs()
        if not 0 <= in_index < len(values) or not values[in_index]:
            raise RuntimeError(f"Failed to get input data node for index {in_index} of Node {self.name}")
        node, _, index = _raw.ge_graph_get_port_owner(self._graph._handle, values[in_index])
        return Node._create_from(node, self._graph), index

    def get_out_data_nodes_and_port_indexes(self, out_index: int) -> List[Tuple["Node", int]]:
        """Who reads an output, and at which input."""
        _check_index(out_index, "Output")
        graph = self._graph._handle
        try:
            value = _raw.ge_graph_get_port(graph, self._id, _raw.GE_DIRECTION_OUT, out_index)
        except (Error, OverflowError):
            return []
        uses = array("Q", bytes(8 * _raw.ge_graph_get_uses(graph, value, None)))
        _raw.ge_graph_get_uses(graph, value, uses)
        readers = [(Node._create_from(node, self._graph), index) for node, index in zip(uses[::2], uses[1::2])]
        return readers + self._graph._output_uses(value)

    def get_inputs_size(self) -> int:
        """Number of inputs that are there; absent optional ones are not."""
        values = self._inputs()
        return len(values) if self.type in _INPUT_TYPES else sum(map(bool, values))

    def get_outputs_size(self) -> int:
        return self._info["outputs_count"]

    def get_attr(self, key: str) -> Any:
        if not isinstance(key, str):
            raise TypeError("Attribute key must be a string")
        with failing_as(f"Failed to get attribute '{key}' from Node {self.name}"):
            return _attribute.get_attr(self._graph._handle, self._id, key)

    def set_attr(self, key: str, value: Any) -> None:
        if not isinstance(key, str):
            raise TypeError("Attribute key must be a string")
        with failing_as(f"Failed to set attribute '{key}' on Node {self.name}"):
            _attribute.set_attr(self._graph._handle, self._id, key, value)

    def has_attr(self, attr_name: str) -> bool:
        if not isinstance(attr_name, str):
            raise TypeError("attr_name must be a string")
        return _attribute.has_attr(self._graph._handle, self._id, attr_name)

    def _port(self, direction: int, index: Any) -> int:
        return _raw.ge_graph_get_port(self._graph._handle, self._id, direction, _unsigned(index))

    def _get_port_attr(self, direction: int, side: str, attr_name: Any, index: Any) -> Any:
        _check_attr_name(attr_name)
        _check_index(index, side)
        with failing_as(f"Failed to get {side.lower()} attribute '{attr_name}' at index {index} of Node {self.name}"):
            return _attribute.get_attr(self._graph._handle, self._port(direction, index), attr_name)

    def _set_port_attr(self, direction: int, side: str, attr_name: Any, index: Any, value: Any) -> None:
        _check_attr_name(attr_name)
        _check_index(index, side)
        with failing_as(f"Failed to set {side.lower()} attribute '{attr_name}' at index {index} of Node {self.name}"):
            _attribute.set_attr(self._graph._handle, self._port(direction, index), attr_name, value)

    def get_input_attr(self, attr_name: str, input_index: int) -> Any:
        return self._get_port_attr(_raw.GE_DIRECTION_IN, "Input", attr_name, input_index)

    def set_input_attr(self, attr_name: str, input_index: int, value: Any) -> None:
        self._set_port_attr(_raw.GE_DIRECTION_IN, "Input", attr_name, input_index, value)

    def get_output_attr(self, attr_name: str, output_index: int) -> Any:
        return self._get_port_attr(_raw.GE_DIRECTION_OUT, "Output", attr_name, output_index)

    def set_output_attr(self, attr_name: str, output_index: int, value: Any) -> None:
        self._set_port_attr(_raw.GE_DIRECTION_OUT, "Output", attr_name, output_index, value)

    def get_input_desc(self, index: int) -> TensorDesc:
        """A copy of the description of an input; write it back with update_input_desc."""
        return self._get_desc(_raw.GE_DIRECTION_IN, "Input", index)

    def update_input_desc(self, index: int, tensor_desc: TensorDesc) -> None:
        self._update_desc(_raw.GE_DIRECTION_IN, "Input", index, tensor_desc)

    def get_output_desc(self, index: int) -> TensorDesc:
        """A copy of the description of an output; write it back with update_output_desc."""
        return self._get_desc(_raw.GE_DIRECTION_OUT, "Output", index)

    def update_output_desc(self, index: int, tensor_desc: TensorDesc) -> None:
        self._update_desc(_raw.GE_DIRECTION_OUT, "Output", index, tensor_desc)

    def _get_desc(self, direction: int, side: str, index: Any) -> TensorDesc:
        _check_index(index, side)
        graph = self._graph._handle
        with failing_as(f"Failed to get {side.lower()} desc for index {index}"):
            port = self._port(direction, index)
            desc = TensorDesc._create_from(_raw.ge_graph_get_desc(graph, port))
            if _attribute.has_attr(graph, port, _ORIGIN_FORMAT):
                desc._origin_format = Format(_attribute.get_attr(graph, port, _ORIGIN_FORMAT) & 0xff)
            if _attribute.has_attr(graph, port, _ORIGIN_SHAPE):
                desc._origin_shape = Shape(_attribute.get_ints(graph, port, _ORIGIN_SHAPE))
        return desc

    def _update_desc(self, direction: int, side: str, index: Any, desc: Any) -> None:
        _check_index(index, side)
        if not isinstance(desc, TensorDesc):
            raise TypeError("tensor_desc must be a TensorDesc")
        graph = self._graph._handle
        with failing_as(f"Failed to update {side.lower()} desc for index {index}"):
            port = self._port(direction, index)
            _raw.ge_graph_set_desc(graph, port, desc._native())
            if desc._origin_format is not None:
                _attribute.set_attr(graph, port, _ORIGIN_FORMAT, int(desc._origin_format))
            if desc._origin_shape is not None:
                _attribute.set_ints(graph, port, _ORIGIN_SHAPE, desc._origin_shape)


_INPUT_TYPES = ("Data", "RefData", "AippData", "AnyData")


def _check_index(index: Any, side: str) -> None:
    if not isinstance(index, int):
        raise TypeError(f"{side} index must be an integer")


def _check_attr_name(name: Any) -> None:
    if not isinstance(name, str):
        raise TypeError("Attribute name must be a string")


def _unsigned(index: int) -> int:
    """An index for the library, which tells of the range itself; those it cannot take are beyond every range."""
    return index if 0 <= index < 0xffffffff else 0xffffffff
