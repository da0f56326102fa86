# SPDX-License-Identifier: Apache-2.0
"""ge: load a computation graph, compile it, run it.

>>> import ge
>>> with ge.load("digits.onnx") as model:
...     probabilities, = model(images)
"""

import os
from typing import Mapping

from . import _raw
from ._error import (ArgumentError, CallbackError, Cancelled, CompileError, DeviceError, DtypeError, Error, HandleError,
                     InternalError, ModelError, OutOfMemory, ResourceError, StateError, Timeout, Unsupported)
from ._context import Context, OptionValue
from ._tensor import DType, Tensor, tensor
from ._model import IO, Binding, Model
from ._graph import Graph

__all__ = ["ArgumentError", "Binding", "CallbackError", "Cancelled", "CompileError", "Context", "DType", "DeviceError",
           "DtypeError", "Error", "Graph", "HandleError", "IO", "InternalError", "Model", "ModelError", "OutOfMemory",
           "ResourceError", "StateError", "Tensor", "Timeout", "Unsupported", "load", "tensor"]

_raw.ge_check_header(_raw.GE_HEADER_ABI, _raw.GE_HEADER_MAJOR, 8)
__version__ = "%d.%d.%d" % _raw.ge_get_version()


def load(source: str | os.PathLike | bytes | bytearray | memoryview, *, format: str = "auto",
         options: Mapping[str, OptionValue] | None = None, context: Context | None = None) -> Model:
    """Reads a model from a file (a path) or from memory (a bytes-like object) and compiles it."""
    with Graph(source, format=format, context=context) as graph:
        return graph.compile(options)
