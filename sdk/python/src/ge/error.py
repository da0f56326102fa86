# SPDX-License-Identifier: Apache-2.0
"""Errors of engine calls in GE's form."""

from typing import Any, NoReturn, Optional

from . import _error
from ._error import Error


class GeError(Error):
    """An engine call failed. ``error_message`` is the library's own text, ``api_name`` the call, ``context`` its
    arguments by name."""

    error_message: str
    api_name: Optional[str]
    context: dict[str, Any]

    def __init__(self, message: str, error_message: str = None, api_name: str = None, context: dict = None) -> None:
        RuntimeError.__init__(self, message)
        self._clear(message)
        self.error_message = error_message or ""
        self.api_name = api_name
        self.context = context if context is not None else {}


def get_ge_error_msg() -> str:
    """The text of the latest failure of the library in this process; "" when there was none."""
    return _error.latest_message()


def raise_ge_error(api_name: str, status: int = None, **context: Any) -> NoReturn:
    """Raises a GeError that names the call, its context and the library's own text."""
    parts = [f"{api_name} failed"]
    if context:
        parts.append(", ".join(f"{key}={value}" for key, value in context.items()))
    text = get_ge_error_msg()
    if text:
        parts.append(text)
    raise GeError("; ".join(parts), text, api_name, context)
