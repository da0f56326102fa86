# SPDX-License-Identifier: Apache-2.0
"""Graphs: read from files or memory, dump, compile."""

import os
from array import array
from typing import Any, Mapping

from . import _raw
from ._context import Context, Options, OptionValue, live
from ._handle import Handle
from ._model import Model
from ._text import dump_format, read_text

_FORMATS = {"auto": _raw.GE_FILE_AUTO, "onnx": _raw.GE_FILE_ONNX}


class Graph(Handle):
    """A computation graph."""

    _destroy = staticmethod(_raw.ge_graph_destroy)

    def __init__(self, source: str | os.PathLike | bytes | bytearray | memoryview, *, format: str = "auto",
                 options: Mapping[str, OptionValue] | None = None, context: Context | None = None) -> None:
        """Reads a model from a file (a path) or from memory (a bytes-like object)."""
        if format not in _FORMATS:
            raise ValueError(f"no file format '{format}'; there are: {', '.join(_FORMATS)}")
        if source is None:
            raise TypeError("a model is a path or a bytes-like object, not None")
        self._context = context
        with Options(options or {}) as settings:
            how = {"options": settings._live}
            if isinstance(source, (str, os.PathLike)):
                self._open(_raw.ge_graph_import_file(live(context), _FORMATS[format], os.fsencode(source), how))
            else:
                self._open(_raw.ge_graph_import(live(context), _FORMATS[format], source, how))

    @property
    def name(self) -> str:
        return _raw.ge_graph_get_info(self._live)["name"]

    @property
    def nodes(self) -> list[dict[str, Any]]:
        """One dict per node in creation order: name, op_type, counts of ports and attributes."""
        graph = self._live
        ids = array("Q", bytes(8 * _raw.ge_graph_get_nodes(graph, _raw.GE_ORDER_CREATION, None)))
        _raw.ge_graph_get_nodes(graph, _raw.GE_ORDER_CREATION, ids)
        return _raw.ge_graph_get_node_infos(graph, ids, len(ids))

    def dump(self, format: str = "readable") -> str:
        """The graph as text: "readable", "dot", "ir", "ge_text"."""
        return read_text(_raw.ge_graph_dump, self._live, dump_format(format))

    def compile(self, options: Mapping[str, OptionValue] | None = None) -> Model:
        """A model of the graph as it is now; later changes of the graph do not reach it."""
        with Options(options or {}) as settings:
            return Model(_raw.ge_graph_compile(self._live, {"options": settings._live}), self._context)
