# SPDX-License-Identifier: Apache-2.0
"""What every object over a library handle shares: close() twice is fine, use after close is a clear error."""

import warnings
import weakref
from typing import Any, Callable, Self


def _collected(name: str, destroy: Callable[[Any], None], handle: Any) -> None:
    warnings.warn(f"a ge.{name} was never closed", ResourceWarning, stacklevel=2)
    destroy(handle)


class Handle:
    """Owns one handle of the library.

    Use it in a ``with`` statement or call close(). An object that is dropped without either is closed when it is
    collected, with a ResourceWarning if its class sets ``_warns``; not at interpreter exit, when the process gives
    everything back anyway.
    """

    _destroy: Callable[[Any], None]  # a function of _raw
    _warns = True

    def _open(self, handle: Any) -> None:
        self._handle = handle
        name = type(self).__name__
        if self._warns:
            self._finalizer = weakref.finalize(self, _collected, name, self._destroy, handle)
        else:
            self._finalizer = weakref.finalize(self, self._destroy, handle)
        self._finalizer.atexit = False

    @property
    def _live(self) -> Any:
        """The handle, for a call that is about to be made."""
        if self._handle is None:
            raise ValueError(f"{type(self).__name__} is closed")
        return self._handle

    @property
    def closed(self) -> bool:
        return self._handle is None

    def close(self) -> None:
        """Gives the handle back. What still needs its contents keeps them."""
        handle, self._handle = self._handle, None
        if handle is not None and self._finalizer.detach():
            self._destroy(handle)

    def __enter__(self) -> Self:
        self._live
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
