# SPDX-License-Identifier: Apache-2.0
"""The operator a parser of foreign nodes fills. Made by ONNX plugins only, for the time of one callback."""

from typing import Any, Optional

from ._attribute import kind_of
from ._native import Uncopyable

_COUNT_LIMIT = 1 << 32


class Operator(Uncopyable):
    """Declares ports and sets attributes of one operator; stale when the callback returns."""

    _token = object()  # of those who may make one

    def __init__(self, handle: Any = None, token: Any = None) -> None:
        if token is not Operator._token:
            raise RuntimeError("Operator objects should not be created directly")
        if handle is None:
            raise ValueError("Operator handle cannot be None")
        self._handle: Optional[Any] = handle

    @classmethod
    def _create_from(cls, handle: Any) -> "Operator":
        """`handle` has name, type, set_attr(name, value) and declare(direction, kind, name, count)."""
        return cls(handle, cls._token)

    @property
    def _live(self) -> Any:
        if self._handle is None:
            raise RuntimeError("Operator is only valid inside parse_node")
        return self._handle

    def __enter__(self) -> "Operator":
        self._live
        return self

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        self._handle = None

    @property
    def name(self) -> str:
        return self._live.name

    @property
    def type(self) -> str:
        return self._live.type

    def set_attr(self, name: str, value: object) -> None:
        handle = self._live
        _check_name(name)
        kind_of(value)
        handle.set_attr(name, value)

    def register_input(self, name: str) -> None:
        self._declare("input", "required", name, 1)

    def register_optional_input(self, name: str) -> None:
        self._declare("input", "optional", name, 1)

    def register_output(self, name: str) -> None:
        self._declare("output", "required", name, 1)

    def register_dynamic_input(self, name: str, count: int) -> None:
        self._declare("input", "dynamic", name, _checked_count(count))

    def register_dynamic_output(self, name: str, count: int) -> None:
        self._declare("output", "dynamic", name, _checked_count(count))

    def _declare(self, direction: str, kind: str, name: str, count: int) -> None:
        handle = self._live
        _check_name(name)
        handle.declare(direction, kind, name, count)


def _check_name(name: Any) -> None:
    if not isinstance(name, str) or not name:
        raise TypeError("name must be a non-empty string")


def _checked_count(count: Any) -> int:
    if type(count) is not int:
        raise TypeError("count must be an integer")
    if not 0 <= count < _COUNT_LIMIT:
        raise ValueError(f"count must be in the range 0 to {_COUNT_LIMIT - 1}")
    return count
