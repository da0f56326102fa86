# SPDX-License-Identifier: Apache-2.0
"""Tensors with GE's interface over tensors of the library."""

import math
import struct
from typing import Any, List, Optional, Union

from .. import _raw
from .._error import Error
from ._native import Native, is_int_list
from .tensor_desc import Shape, TensorDesc, native_desc
from .types import DataType, Format, Placement

TensorLike = Union[int, float, bool, List["TensorLike"]]

# Codes of the module struct.
_INTS = {DataType.DT_INT8: "b", DataType.DT_INT16: "h", DataType.DT_INT32: "i", DataType.DT_INT64: "q",
         DataType.DT_UINT8: "B", DataType.DT_UINT16: "H", DataType.DT_UINT32: "I", DataType.DT_UINT64: "Q"}
_FLOATS = {DataType.DT_FLOAT: "f", DataType.DT_FLOAT16: "e", DataType.DT_DOUBLE: "d"}
_BOOL = "?"


class Tensor(Native):
    """A tensor of one data type, made from a flat list or from a file of raw little-endian bytes."""

    _destroy = staticmethod(_raw.ge_tensor_destroy)

    def __init__(self, data: Optional[TensorLike] = None, file_path: Optional[str] = None,
                 data_type: Optional[DataType] = DataType.DT_FLOAT, format: Optional[Format] = Format.FORMAT_ND,
                 shape: Optional[List[int]] = None,
                 placement: Optional[Placement] = Placement.PLACEMENT_HOST) -> None:
        if shape is not None and not is_int_list(shape):
            raise TypeError("Shape must be a list of integers")
        if not isinstance(placement, Placement):
            raise TypeError("Placement must be a Placement")
        if data is not None and file_path is not None:
            raise RuntimeError("Tensor is created either by data or by file, not by both")
        self._begin(Shape(), Format.FORMAT_ND, DataType.DT_FLOAT)
        if data is None and file_path is None:
            return  # no bytes
        self._begin(Shape(None if shape is None else list(shape)), format, data_type)
        if data is not None:
            if not isinstance(data, list):
                raise TypeError("data should be List")
            self._fill(_encode(data, self._shape, data_type))
        else:
            self._fill(_read(file_path))
        if placement == Placement.PLACEMENT_DEVICE:
            self.to_device()

    @classmethod
    def _create_from(cls, handle: Any, placement: Placement = Placement.PLACEMENT_HOST) -> "Tensor":
        """Takes over a tensor handle of the library."""
        if handle is None:
            raise ValueError("Tensor pointer cannot be None")
        self = cls.__new__(cls)
        desc = _raw.ge_tensor_get_desc(handle)
        self._begin(Shape(desc["dims"]), Format(desc["format"] & 0xff), DataType(desc["dtype"]))
        self._placement = placement
        self._hold(handle)
        return self

    def _begin(self, shape: Shape, format: Format, data_type: DataType) -> None:
        self._shape = shape
        self._format = format
        self._data_type = data_type
        self._placement = Placement.PLACEMENT_HOST
        self._owns_handle = True
        self._owner = None

    def _fill(self, data: bytes) -> None:
        desc = native_desc(self._shape, self._format, self._data_type)
        try:
            size = _needed_bytes(self._shape, self._data_type)
            if len(data) < size:
                raise RuntimeError(f"Failed to create Tensor: {len(data)} bytes are there, {size} are needed")
            self._hold(_raw.ge_tensor_create_from_data(None, desc, data[:size]))
        except Error as error:
            raise RuntimeError(f"Failed to create Tensor: {error}") from error

    def _native(self) -> Any:
        """The library's tensor, with the data type and format the object has now. Lives as long as the object."""
        if self._handle is None:
            desc = native_desc([0], self._format, self._data_type)
            self._hold(_raw.ge_tensor_create(None, desc))
        return self._handle

    def _relabel(self, format: Format, data_type: DataType) -> None:
        if self._handle is not None:
            desc = native_desc(self._shape, format, data_type)
            self._hold(_raw.ge_tensor_create_view(self._handle, desc))
        self._format, self._data_type = format, data_type

    def _transfer_ownership_when_pass_as_attr(self, new_owner: Any) -> None:
        """The tensor becomes an attribute of a graph under construction; this happens once."""
        if not self._owns_handle:
            raise RuntimeError("Tensor already has an new owner builder")
        self._owns_handle = False
        self._owner = new_owner

    @property
    def placement(self) -> Placement:
        return self.get_placement()

    @property
    def format(self) -> Format:
        return self.get_format()

    @property
    def data_type(self) -> DataType:
        return self.get_data_type()

    @property
    def shape(self) -> Shape:
        return self.get_shape()

    @property
    def data(self) -> TensorLike:
        return self.get_data()

    def set_format(self, format: Format) -> "Tensor":
        if not isinstance(format, Format):
            raise TypeError("Format must be a Format")
        try:
            self._relabel(format, self._data_type)
        except Error as error:
            raise RuntimeError(f"Failed to set format {int(format)}: {error}") from error
        return self

    def get_format(self) -> Format:
        return self._format

    def set_data_type(self, data_type: DataType) -> "Tensor":
        """Gives the same bytes another data type."""
        if not isinstance(data_type, DataType):
            raise TypeError("Data_type must be a DataType")
        try:
            self._relabel(self._format, data_type)
        except Error as error:
            raise RuntimeError(f"Failed to set datatype {int(data_type)}: {error}") from error
        return self

    def get_data_type(self) -> DataType:
        return self._data_type

    def get_shape(self) -> Shape:
        return Shape(list(self._shape))

    def get_tensor_desc(self) -> TensorDesc:
        return TensorDesc(list(self._shape), self._format, self._data_type)

    def get_placement(self) -> Placement:
        return self._placement

    def get_data(self) -> TensorLike:
        """The elements as nested lists, or one number. Floats have six decimals, as GE prints them."""
        if self._handle is None:
            return []
        code = _INTS.get(self._data_type) or _FLOATS.get(self._data_type)
        if self._data_type == DataType.DT_BOOL:
            code = _BOOL
        if code is None:
            raise ValueError(f"Tensor data must start with '[': elements of {self._data_type.name} have no text")
        try:
            data = _bytes_of(self._handle)
        except Error as error:
            raise RuntimeError(f"Failed to get Tensor data: {error}") from error
        values = list(struct.unpack(f"<{len(data) // struct.calcsize(code)}{code}", data))
        if self._data_type in _FLOATS:
            values = [float(f"{value:.6f}") for value in values]
        return _nest(values, self._shape)

    def to_host(self) -> "Tensor":
        if self._placement != Placement.PLACEMENT_DEVICE:
            raise ValueError("to_host() only supports device tensors")
        self._placement = Placement.PLACEMENT_HOST
        return self

    def to_device(self) -> "Tensor":
        """Marks the tensor as one of the device, which is this machine's memory too."""
        if self._placement != Placement.PLACEMENT_HOST:
            raise ValueError("to_device() only supports host tensors")
        self._placement = Placement.PLACEMENT_DEVICE
        return self

    def __str__(self) -> str:
        return (f"Tensor(\n  format={int(self._format)},\n  data_type={int(self._data_type)},\n"
                f"  shape={list(self._shape)},\n  data={self.get_data()}\n)")


def _bytes_of(handle: Any) -> bytes:
    buffer = _raw.Buffer()
    buffer._set(handle)
    with memoryview(buffer) as view:
        return view.tobytes()


def _read(path: Any) -> bytes:
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise RuntimeError(f"Failed to create Tensor from file '{path}': {error}") from error
    if not data:
        raise RuntimeError(f"Failed to create Tensor: file '{path}' is empty")
    return data


def _needed_bytes(shape: List[int], data_type: DataType) -> int:
    bits = _raw.ge_dtype_get_bits(int(data_type))
    return (math.prod(shape) * bits + 7) // 8


def _encode(data: list, shape: Shape, data_type: DataType) -> bytes:
    count = math.prod(shape)
    items = data[:count] if count >= 0 else data
    if not data:
        return b""
    if all(isinstance(item, bool) for item in data) and data_type not in _INTS and data_type not in _FLOATS:
        return bytes(items)
    if data_type in _INTS:
        code, bits = _INTS[data_type], 8 * struct.calcsize(_INTS[data_type])
        return struct.pack(f"<{len(items)}{code}", *(_wrapped(int(item), bits, code.islower()) for item in items))
    if data_type == DataType.DT_FLOAT16:
        return b"".join(_half(float(item)) for item in items)
    if data_type == DataType.DT_FLOAT:
        return b"".join(_single(float(item)) for item in items)
    if data_type == DataType.DT_DOUBLE:
        raise RuntimeError("Failed to create Tensor: DT_DOUBLE is not supported")
    raise RuntimeError(f"Failed to create Tensor with data type {int(data_type)}")


def _wrapped(value: int, bits: int, is_signed: bool) -> int:
    """The low bits, as C converts."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if is_signed and value >> (bits - 1) else value


def _half(value: float) -> bytes:
    try:
        return struct.pack("<e", value)
    except OverflowError:
        return struct.pack("<e", math.copysign(math.inf, value))


def _single(value: float) -> bytes:
    try:
        return struct.pack("<f", value)
    except OverflowError:
        return struct.pack("<f", math.copysign(math.inf, value))


def _nest(values: list, shape: List[int]) -> TensorLike:
    if not shape:
        if len(values) != 1:
            raise ValueError("Scalar tensor should contain exactly one element")
        return values[0]
    if len(shape) == 1:
        return values
    step = math.prod(shape[1:])
    return [_nest(values[i * step:(i + 1) * step], shape[1:]) for i in range(shape[0])]


def _parse_str_list(text: str) -> list:
    """Numbers out of a text "[1, 2.5]": digits alone are an int, all else a float."""
    text = text.strip()
    if not text.startswith("[") or not text.endswith("]"):
        raise ValueError("Tensor data must start with '[' and end with ']'")
    inner = text[1:-1].strip()
    return [_parse_item(item.strip()) for item in inner.split(",")] if inner else []


def _parse_item(item: str) -> Union[int, float]:
    try:
        return int(item) if item.lstrip("+-").isdigit() else float(item)
    except ValueError:
        raise ValueError(f"Invalid item '{item}' in Tensor data") from None


def unflatten_tensor_data(text: str, shape: List[int]) -> TensorLike:
    """The numbers of a text "[v,v,...]", nested by a shape."""
    return _nest(_parse_str_list(text), list(shape))
