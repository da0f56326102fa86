# SPDX-License-Identifier: Apache-2.0
"""Text that comes out of the library."""

from typing import Any, Callable

from . import _raw

_DUMPS = {name[len("GE_DUMP_"):].lower(): value for name, value in vars(_raw).items() if name.startswith("GE_DUMP_")}


def dump_format(name: str) -> int:
    if name not in _DUMPS:
        raise ValueError(f"no dump format '{name}'; there are: {', '.join(_DUMPS)}")
    return _DUMPS[name]


def read_text(function: Callable[..., int], *args: Any) -> str:
    """Reads text that comes out through a caller buffer: asks for the size, then for the text."""
    size = function(*args, None)
    buffer = bytearray(size + 1)
    function(*args, buffer)
    return buffer[:size].decode()
