# SPDX-License-Identifier: Apache-2.0
"""Tensors: memory of Python objects in, memory of the library out, without copies."""

import enum
from array import array
from typing import Any, Self

from . import _raw
from ._context import Context, live
from ._handle import Handle

DType = enum.IntEnum("DType", {name[len("GE_DTYPE_"):]: value for name, value in vars(_raw).items()
                               if name.startswith("GE_DTYPE_")}, module=__name__)
DType.__doc__ = "Data types, with the numbers of the C header."

_CPU = (1, 0)  # DLPack: device type CPU, device 0


class Tensor(_raw.Buffer, Handle):
    """A tensor; shows its bytes through the buffer protocol and DLPack, e.g. ``numpy.asarray(tensor)``.

    Views taken from it stay valid after close().
    """

    _destroy = staticmethod(_raw.ge_tensor_destroy)
    _warns = False  # results are dropped like numbers

    def __init__(self) -> None:
        raise TypeError("make tensors with ge.tensor(...)")

    @classmethod
    def _over(cls, handle: Any) -> Self:
        self = cls.__new__(cls)
        self._open(handle)
        self._set(handle)
        return self

    def close(self) -> None:
        self._set(None)
        Handle.close(self)

    @property
    def dtype(self) -> DType:
        return DType(_raw.ge_tensor_get_desc(self._live)["dtype"])

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(_raw.ge_tensor_get_desc(self._live)["dims"])

    @property
    def nbytes(self) -> int:
        return _raw.ge_tensor_get_info(self._live)["data_size"]

    @property
    def readonly(self) -> bool:
        return bool(_raw.ge_tensor_get_info(self._live)["is_read_only"])

    def tobytes(self) -> bytes:
        """A copy of the bytes in row-major order."""
        with memoryview(self) as view:
            return view.tobytes()

    def __repr__(self) -> str:
        if self.closed:
            return "<ge.Tensor closed>"
        return f"<ge.Tensor {self.dtype.name.lower()}{list(self.shape)}>"

    def __dlpack_device__(self) -> tuple[int, int]:
        return _CPU

    def __dlpack__(self, *, stream: Any = None, max_version: tuple[int, int] | None = None,
                   dl_device: tuple[int, int] | None = None, copy: bool | None = None) -> Any:
        if stream is not None:
            raise ValueError("a CPU tensor takes no stream")
        if dl_device is not None and tuple(dl_device) != _CPU:
            raise BufferError("the tensor lives on the CPU")
        source = self._live
        if copy:
            source = _raw.ge_tensor_copy(source)
        try:
            return _raw.tensor_to_capsule(source, max_version is not None and max_version[0] >= 1)
        finally:
            if copy:
                _raw.ge_tensor_destroy(source)


def tensor(source: Any, *, dtype: DType | None = None, copy: bool = False, context: Context | None = None) -> Tensor:
    """A tensor over the memory of `source`: an object with the buffer protocol (an array, bytes, a numpy array) or
    with ``__dlpack__``. Nothing is copied unless `copy`; the object is held until the last user of the tensor is done.

    `dtype` reads a buffer as another data type of the same size, e.g. bfloat16 kept in 16-bit integers.
    """
    try:
        view = memoryview(source)
    except (TypeError, ValueError, BufferError):  # no buffer protocol, or no format for its elements
        return Tensor._over(_raw.tensor_from_capsule(live(context), _capsule(source, copy)))
    if copy:
        kind = _raw.dtype_of(view.format) if dtype is None else dtype
        desc = {"dtype": kind, "dims": array("q", view.shape)}
        return Tensor._over(_raw.ge_tensor_create_from_data(live(context), desc, view.tobytes()))
    if not view.c_contiguous:
        raise ValueError("the memory is not contiguous in row-major order; ge.tensor(..., copy=True) copies it")
    return Tensor._over(_raw.tensor_over_buffer(live(context), view, DType.UNDEFINED if dtype is None else dtype))


def _capsule(source: Any, copy: bool) -> Any:
    export = getattr(source, "__dlpack__", None)
    if export is None:
        raise TypeError(f"no tensor can be made of a {type(source).__name__}: it has neither the buffer protocol nor __dlpack__")
    try:
        return export(max_version=(1, 0), copy=copy or None)
    except TypeError:  # a producer from before DLPack 1.0
        return export()
