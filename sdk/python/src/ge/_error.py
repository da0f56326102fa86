# SPDX-License-Identifier: Apache-2.0
"""One place where the library's error record becomes a Python exception."""

from . import _raw


class Error(RuntimeError):
    """A call of the library failed; the fields hold everything its record says.

    Subclasses tell the class of the failure and also are the natural built-in exception, so that
    ``except ValueError`` works too.
    """

    status: int                          #: number of the status
    name: str                            #: its constant, e.g. "GE_ERR_SHAPE"
    message: str                         #: what was wrong, one line
    function: str                        #: the C function that failed
    argument: str                        #: name of the wrong argument or field, or ""
    argument_index: int                  #: its position from 0, or -1
    node: str                            #: name of the node concerned, or ""
    found: str                           #: the value found, or ""
    wanted: str                          #: the value wanted, or ""
    details: dict[str, str]              #: further facts, such as "offset"
    causes: list[tuple[int, str, str]]   #: status, its name and message, nearest first
    source: str                          #: place in the library's source, "file:line"

    def __init__(self, record: dict) -> None:
        super().__init__(record["message"] or record["name"])
        self.status = record["status"]
        self.name = record["name"]
        self.message = record["message"]
        self.function = record["function_name"]
        self.argument = record["argument"]
        self.argument_index = record["argument_index"]
        self.node = record["node"]
        self.found = record["found"]
        self.wanted = record["wanted"]
        self.details = record["details"]
        self.causes = record["causes"]
        self.source = f"{record['file']}:{record['line']}"

    def _clear(self, message: str) -> None:
        """Fields of an error that comes from no call of the library."""
        self.status, self.name, self.message, self.function = 0, "", message, ""
        self.argument, self.argument_index, self.node, self.found, self.wanted = "", -1, "", "", ""
        self.details, self.causes, self.source = {}, [], ""

    def __reduce__(self):
        return _rebuild, (type(self), self.args, self.__dict__)

    def record(self) -> str:
        """The whole record as lines "key: value"; the same text in every SDK."""
        lines = [f"status: {self.status:#010x}", f"name: {self.name}", f"message: {self.message}",
                 f"function: {self.function}", f"argument: {self.argument}", f"argument_index: {self.argument_index}",
                 f"node: {self.node}", f"found: {self.found}", f"wanted: {self.wanted}"]
        lines += [f"detail {key}: {value}" for key, value in self.details.items()]
        lines += [f"cause {name}: {message}" for _, name, message in self.causes]
        return "\n".join(lines) + "\n"


def _rebuild(cls, args, fields):
    error = cls.__new__(cls, *args)
    error.args = args
    error.__dict__.update(fields)
    return error


class ArgumentError(Error, ValueError):
    """The caller passed something wrong."""


class DtypeError(Error, TypeError):
    """A data type does not fit what is wanted."""


class HandleError(Error, ValueError):
    """A handle or id does not name a live object."""


class StateError(Error):
    """Right call, wrong time."""


class ResourceError(Error, OSError):
    """Files, threads or limits."""


class OutOfMemory(Error, MemoryError):
    """Memory could not be allocated."""


class Unsupported(Error, NotImplementedError):
    """Valid, but this build cannot do it."""


class ModelError(Error, ValueError):
    """A model file or graph is not valid."""


class CompileError(Error):
    """A valid graph could not be compiled."""


class DeviceError(Error):
    """Execution failed."""


class Cancelled(Error):
    """The work ended early on request."""


class Timeout(Cancelled, TimeoutError):
    """A deadline passed or a wait ended."""


class InternalError(Error):
    """A defect of the library."""


class CallbackError(Error):
    """A callback of the caller failed."""


_BY_STATUS = {_raw.GE_ERR_OUT_OF_MEMORY: OutOfMemory, _raw.GE_ERR_DEADLINE: Timeout, _raw.GE_ERR_TIMEOUT: Timeout,
              _raw.GE_ERR_DTYPE: DtypeError}
_BY_CLASS = {_raw.GE_CLASS_ARGUMENT: ArgumentError, _raw.GE_CLASS_HANDLE: HandleError, _raw.GE_CLASS_STATE: StateError,
             _raw.GE_CLASS_RESOURCE: ResourceError, _raw.GE_CLASS_UNSUPPORTED: Unsupported,
             _raw.GE_CLASS_MODEL: ModelError, _raw.GE_CLASS_COMPILE: CompileError, _raw.GE_CLASS_DEVICE: DeviceError,
             _raw.GE_CLASS_CANCELLED: Cancelled, _raw.GE_CLASS_INTERNAL: InternalError,
             _raw.GE_CLASS_CALLBACK: CallbackError}


_latest = ""


def latest_message() -> str:
    """Text of the latest failed call of this process, "" when there was none."""
    return _latest


def _make(record: dict) -> Error:
    global _latest
    status = record["status"]
    _latest = record["message"] or record["name"]
    return _BY_STATUS.get(status, _BY_CLASS.get(status >> 16, Error))(record)


_raw.set_error_factory(_make)
