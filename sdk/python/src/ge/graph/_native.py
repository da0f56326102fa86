# SPDX-License-Identifier: Apache-2.0
"""What the classes over a handle of the library share: no copies, the handle goes with the object, calls of their own
error texts."""

import contextlib
import weakref
from typing import Any, Callable, Iterator

from .._error import Error


class Uncopyable:
    """copy.copy and copy.deepcopy are refused."""

    def __copy__(self) -> Any:
        raise RuntimeError(f"{type(self).__name__} does not support copy")

    def __deepcopy__(self, memo: dict) -> Any:
        raise RuntimeError(f"{type(self).__name__} does not support deepcopy")


class Native(Uncopyable):
    """Holds one handle, given back when the object is collected; not at interpreter exit."""

    _destroy: Callable[[Any], None]  # a function of _raw
    _handle: Any = None

    def _hold(self, handle: Any) -> None:
        self._handle = handle
        weakref.finalize(self, self._destroy, handle).atexit = False


def is_int_list(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(item, int) for item in value)


@contextlib.contextmanager
def failing_as(text: str) -> Iterator[None]:
    """A failed call of the library inside is a RuntimeError with this text; the library's own error is its cause."""
    try:
        yield
    except Error as error:
        raise RuntimeError(f"{text}: {error}") from error
