# SPDX-License-Identifier: Apache-2.0
"""Shapes, and descriptions of tensors."""

from array import array
from typing import Any, List, Optional

from ._native import Uncopyable, is_int_list
from .types import DataType, Format

UNKNOWN_DIM = -1
UNKNOWN_DIM_NUM = -2
UNKNOWN_DIM_SIZE = -1


class Shape(list):
    """A list of dims; empty is a scalar."""

    def __init__(self, dims: Optional[List[int]] = None) -> None:
        if dims is None:
            dims = []
        if not is_int_list(dims):
            raise TypeError("dims must be a list of integers")
        super().__init__(dims)

    def get_shape_size(self) -> int:
        """Number of elements; 0 for an empty shape, -1 when it is not known."""
        if not self:
            return 0
        if self.is_unknown_shape():
            return UNKNOWN_DIM_SIZE
        size = 1
        for dim in self:
            size *= dim
        return size

    def is_unknown_shape(self) -> bool:
        return any(dim in (UNKNOWN_DIM, UNKNOWN_DIM_NUM) for dim in self)


class TensorDesc(Uncopyable):
    """Shape, format and data type of a tensor or a port. Its setters give the object itself."""

    def __init__(self, shape: Optional[List[int]] = None, format: Optional[Format] = Format.FORMAT_ND,
                 data_type: Optional[DataType] = DataType.DT_FLOAT) -> None:
        _check_format(format)
        _check_data_type(data_type)
        self._shape = _checked_shape(shape, "shape must be a list of integers")
        self._origin_shape: Optional[Shape] = None
        self._format = format
        self._origin_format: Optional[Format] = None
        self._data_type = data_type

    @classmethod
    def _create_from(cls, handle: Optional[dict[str, Any]]) -> "TensorDesc":
        """Of a desc as the library gives it: a dict of its fields."""
        if handle is None:
            raise ValueError("TensorDesc pointer cannot be None")
        self = cls()
        self._set_native(handle)
        return self

    def _set_native(self, desc: dict[str, Any]) -> None:
        if desc["rank"] < 0 and desc["dtype"] == DataType.DT_UNDEFINED:
            return  # nothing is known: GE's default desc
        self._shape = Shape([UNKNOWN_DIM_NUM] if desc["rank"] < 0 else desc["dims"])
        self._format = Format(desc["format"] & 0xff)
        self._data_type = DataType(desc["dtype"])
        if desc.get("origin_dims") is not None:
            self._origin_shape = Shape(desc["origin_dims"])
            self._origin_format = Format(desc["origin_format"] & 0xff)

    def _native(self) -> dict[str, Any]:
        """The fields of the library's desc."""
        return native_desc(self._shape, self._format, self._data_type)

    @property
    def shape(self) -> Shape:
        return self.get_shape()

    @property
    def origin_shape(self) -> Shape:
        return self.get_origin_shape()

    @property
    def format(self) -> Format:
        return self.get_format()

    @property
    def origin_format(self) -> Format:
        return self.get_origin_format()

    @property
    def data_type(self) -> DataType:
        return self.get_data_type()

    def get_shape(self) -> Shape:
        return Shape(list(self._shape))

    def set_shape(self, shape: List[int]) -> "TensorDesc":
        self._shape = _checked_shape(shape, "shape must be a list of integers")
        return self

    def get_origin_shape(self) -> Shape:
        return Shape(list(self._origin_shape or []))

    def set_origin_shape(self, shape: List[int]) -> "TensorDesc":
        self._origin_shape = _checked_shape(shape, "origin shape must be a list of integers")
        return self

    def get_format(self) -> Format:
        return self._format

    def set_format(self, format: Format) -> "TensorDesc":
        _check_format(format)
        self._format = format
        return self

    def get_origin_format(self) -> Format:
        return Format.FORMAT_ND if self._origin_format is None else self._origin_format

    def set_origin_format(self, format: Format) -> "TensorDesc":
        _check_format(format)
        self._origin_format = format
        return self

    def get_data_type(self) -> DataType:
        return self._data_type

    def set_data_type(self, data_type: DataType) -> "TensorDesc":
        _check_data_type(data_type)
        self._data_type = data_type
        return self

    def __repr__(self) -> str:
        return f"TensorDesc(shape={list(self._shape)}, format={int(self._format)}, data_type={int(self._data_type)})"


def native_desc(shape: List[int], format: int, data_type: int) -> dict[str, Any]:
    """The library's desc as a dict. GE writes an unknown rank as [-2]."""
    desc: dict[str, Any] = {"dtype": int(data_type), "format": int(format)}
    if shape == [UNKNOWN_DIM_NUM]:
        desc["rank"] = -1
    else:
        desc["dims"] = array("q", shape)
    return desc


def _checked_shape(shape: Any, text: str) -> Shape:
    if shape is not None and not is_int_list(shape):
        raise TypeError(text)
    return Shape(None if shape is None else list(shape))


def _check_format(format: Any) -> None:
    if not isinstance(format, Format):
        raise TypeError("Format must be a Format")


def _check_data_type(data_type: Any) -> None:
    if not isinstance(data_type, DataType):
        raise TypeError("Data type must be a DataType")
