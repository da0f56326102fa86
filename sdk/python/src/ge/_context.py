# SPDX-License-Identifier: Apache-2.0
"""Contexts and options."""

from typing import Mapping, Self

from . import _raw
from ._handle import Handle
from ._text import read_text

OptionValue = str | int | float | bool


class Options(Handle):
    """Settings by key, for a ``with`` statement around the call that uses them."""

    _destroy = staticmethod(_raw.ge_options_destroy)

    def __init__(self, settings: Mapping[str, OptionValue]) -> None:
        self._open(_raw.ge_options_create())
        try:
            for key, value in settings.items():
                self.set(key, value)
        except BaseException:
            self.close()
            raise

    def set(self, key: str, value: OptionValue) -> None:
        if isinstance(value, str):
            _raw.ge_options_set_text(self._live, key, value)
        elif isinstance(value, int):
            _raw.ge_options_set_int(self._live, key, int(value))
        else:
            _raw.ge_options_set_float(self._live, key, value)

    def get(self, key: str) -> str:
        return read_text(_raw.ge_options_get_text, self._live, key)


class Context(Handle):
    """Limits, registries and counters that objects share. Most programs need none: leave the parameter out.

    >>> with ge.Context({"ge.threads": 2}) as context:
    ...     model = ge.load("model.onnx", context=context)
    """

    _destroy = staticmethod(_raw.ge_context_destroy)

    def __init__(self, options: Mapping[str, OptionValue] | None = None) -> None:
        with Options(options or {}) as settings:
            self._open(_raw.ge_context_create(settings._live))

    @property
    def info(self) -> dict[str, int]:
        """Counters: threads, copied_bytes, allocated_bytes, peak_bytes, objects_count."""
        return _raw.ge_context_get_info(self._live)


def live(context: Context | None):
    """The handle of a context, or the process default."""
    return None if context is None else context._live
