# SPDX-License-Identifier: Apache-2.0
"""Attributes of graphs, nodes and ports as Python values."""

from array import array
from typing import Any

from .. import _raw
from .._error import Error
from .tensor import Tensor
from .types import AttrValueType, DataType

GRAPH_OWNER = 0

_INT_KINDS = {AttrValueType.VT_INT: int, AttrValueType.VT_BOOL: bool, AttrValueType.VT_DATA_TYPE: DataType}
_INT_LISTS = {AttrValueType.VT_LIST_INT: int, AttrValueType.VT_LIST_BOOL: bool, AttrValueType.VT_LIST_DATA_TYPE: int}


def kind_of(value: Any) -> AttrValueType:
    """How GE stores a value; the first that fits."""
    if isinstance(value, list):
        return _list_kind_of(value)
    for kind, accepted in ((AttrValueType.VT_STRING, str), (AttrValueType.VT_FLOAT, float),
                           (AttrValueType.VT_BOOL, bool), (AttrValueType.VT_DATA_TYPE, DataType),
                           (AttrValueType.VT_TENSOR, Tensor), (AttrValueType.VT_INT, int)):
        if isinstance(value, accepted):
            return kind
    raise ValueError(f"Unsupported attribute type: {type(value).__name__}")


def _list_kind_of(value: list) -> AttrValueType:
    if not value:
        raise ValueError("Empty list is not supported")
    for kind, accepted in ((AttrValueType.VT_LIST_FLOAT, float), (AttrValueType.VT_LIST_BOOL, bool),
                           (AttrValueType.VT_LIST_INT, int), (AttrValueType.VT_LIST_STRING, str)):
        if all(isinstance(item, accepted) for item in value):
            return kind
    raise ValueError("Unsupported attribute type: list of " + ", ".join(sorted({type(i).__name__ for i in value})))


def set_attr(graph: Any, owner: int, name: str, value: Any) -> None:
    """Sets an attribute of an owner (an id, or GRAPH_OWNER); raises ge.Error when the graph refuses it."""
    kind = kind_of(value)
    items = value if isinstance(value, list) else [value]
    packed = _packed(kind, items)
    attr = _raw.ge_graph_add_attr(graph, owner, name, int(kind))
    if kind == AttrValueType.VT_TENSOR:
        _set_tensor(graph, attr, value)
    elif packed is None:
        for index, text in enumerate(items):
            _raw.ge_graph_set_attr_text(graph, attr, index, text)
    elif packed.typecode == "f":
        _raw.ge_graph_set_attr_floats(graph, attr, packed)
    else:
        _raw.ge_graph_set_attr_ints(graph, attr, packed)


def _packed(kind: AttrValueType, items: list) -> array | None:
    if kind in (AttrValueType.VT_FLOAT, AttrValueType.VT_LIST_FLOAT):
        return array("f", items)
    if kind in _INT_KINDS or kind in _INT_LISTS:
        try:
            return array("q", map(int, items))
        except OverflowError:
            raise ValueError("Unsupported attribute type: an integer beyond 64 bits") from None
    return None


def _set_tensor(graph: Any, attr: int, tensor: Tensor) -> None:
    """A copy: the tensor stays the caller's to change."""
    copy = _raw.ge_tensor_copy(tensor._native())
    try:
        _raw.ge_graph_set_attr_tensor(graph, attr, 0, copy)
    finally:
        _raw.ge_tensor_destroy(copy)


def has_attr(graph: Any, owner: int, name: str) -> bool:
    try:
        _raw.ge_graph_find_attr(graph, owner, name)
    except Error as error:
        if error.status != _raw.GE_ERR_NOT_FOUND:
            raise
        return False
    return True


def get_attr(graph: Any, owner: int, name: str) -> Any:
    """Reads an attribute; raises ge.Error when it is not there, RuntimeError when GE has no Python form for its kind."""
    attr = _raw.ge_graph_find_attr(graph, owner, name)
    info = _raw.ge_graph_get_attr_info(graph, attr)
    kind, count = info["kind"], info["items_count"]
    if kind == AttrValueType.VT_STRING:
        return _raw.ge_graph_get_attr_text(graph, attr, 0)
    if kind == AttrValueType.VT_TENSOR:
        return Tensor._create_from(_raw.ge_tensor_create_from_attr(graph, attr, 0))
    if kind == AttrValueType.VT_FLOAT:
        return _floats(graph, attr, 1)[0]
    if kind in _INT_KINDS:
        return _INT_KINDS[kind](_ints(graph, attr, 1)[0])
    if kind not in _INT_LISTS and kind not in (AttrValueType.VT_LIST_FLOAT, AttrValueType.VT_LIST_STRING):
        raise RuntimeError(f"Unsupported attribute type: kind {kind}")
    if not count:
        raise RuntimeError("Failed to get list value: the list is empty")
    if kind == AttrValueType.VT_LIST_FLOAT:
        return list(_floats(graph, attr, count))
    if kind == AttrValueType.VT_LIST_STRING:
        return [_raw.ge_graph_get_attr_text(graph, attr, index) for index in range(count)]
    return [_INT_LISTS[kind](item) for item in _ints(graph, attr, count)]


def get_ints(graph: Any, owner: int, name: str) -> list[int]:
    """A list of integers, which may be empty."""
    attr = _raw.ge_graph_find_attr(graph, owner, name)
    return list(_ints(graph, attr, _raw.ge_graph_get_attr_info(graph, attr)["items_count"]))


def set_ints(graph: Any, owner: int, name: str, values: list[int]) -> None:
    attr = _raw.ge_graph_add_attr(graph, owner, name, int(AttrValueType.VT_LIST_INT))
    _raw.ge_graph_set_attr_ints(graph, attr, array("q", values))


def _ints(graph: Any, attr: int, count: int) -> array:
    values = array("q", bytes(8 * count))
    _raw.ge_graph_get_attr_ints(graph, attr, values)
    return values


def _floats(graph: Any, attr: int, count: int) -> array:
    values = array("f", bytes(4 * count))
    _raw.ge_graph_get_attr_floats(graph, attr, values)
    return values
