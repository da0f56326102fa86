# SPDX-License-Identifier: Apache-2.0
"""Models: compiled graphs to run, from any number of threads."""

from dataclasses import dataclass
from typing import Any, Sequence

from . import _raw
from ._context import Context
from ._handle import Handle
from ._tensor import DType, Tensor, tensor
from ._text import dump_format, read_text


@dataclass(frozen=True)
class IO:
    """An input or output of a model."""

    name: str
    dtype: DType
    shape: tuple[int | str | None, ...] | None  #: a dim is a number, the name of a symbol, or None; None: rank unknown
    is_optional: bool


def _io(info: dict[str, Any]) -> IO:
    dims, names = info["dims"], info["dim_names"]
    shape = None
    if dims is not None:
        symbols = names or [None] * len(dims)
        shape = tuple(dim if dim >= 0 else symbol for dim, symbol in zip(dims, symbols))
    return IO(info["name"], DType(info["dtype"]), shape, bool(info["is_optional"]))


def _values(sources: Sequence[Any], context: Context | None) -> list[Any]:
    """A value handle per source, None for None; the caller destroys them."""
    values: list[Any] = []
    try:
        for source in sources:
            if source is None:
                values.append(None)
                continue
            own = isinstance(source, Tensor)
            t = source if own else tensor(source, context=context)
            values.append(_raw.ge_value_create_from_tensor(t._live))
            if not own:
                t.close()  # the value keeps the memory
    except BaseException:
        _drop(values)
        raise
    return values


def _drop(values: Sequence[Any]) -> None:
    for value in values:
        _raw.ge_value_destroy(value)


class Model(Handle):
    """A compiled model.

    >>> model = ge.load("digits.onnx")
    >>> probabilities, = model(images)
    """

    _destroy = staticmethod(_raw.ge_model_destroy)

    def __init__(self, handle: Any, context: Context | None = None) -> None:
        self._open(handle)
        self._context = context  # tensors for the model are made in it
        self.inputs: list[IO] = self._ios(_raw.GE_DIRECTION_IN)
        self.outputs: list[IO] = self._ios(_raw.GE_DIRECTION_OUT)
        self._input_index = {io.name: i for i, io in enumerate(self.inputs)}

    def _ios(self, direction: int) -> list[IO]:
        infos, count = _raw.ge_model_get_io_infos(self._live, direction, 0)
        infos, count = _raw.ge_model_get_io_infos(self._live, direction, count)
        return [_io(info) for info in infos]

    @property
    def summary(self) -> dict[str, int]:
        """Figures of the compilation: nodes, steps, bytes, time."""
        return _raw.ge_model_get_summary(self._live)

    @property
    def metadata(self) -> dict[str, str]:
        return dict(_raw.ge_model_get_metadata(self._live, i) for i in range(self.summary["metadata_count"]))

    def dump(self, format: str = "readable") -> str:
        """The optimised graph or a report as text: also "passes", "kernels", "plan", "summary"."""
        return read_text(_raw.ge_model_dump, self._live, dump_format(format))

    def __call__(self, *inputs: Any, deadline_ns: int = 0, **named: Any) -> list[Tensor]:
        """Runs once and gives one tensor per output. Inputs are tensors or whatever ge.tensor() takes, in order or
        by name. `deadline_ns` is a time of time.monotonic_ns() after which the run gives up."""
        if named:
            inputs = self._by_name(inputs, named)
        values = _values(inputs, self._context)
        results: list[Any] = []
        try:
            results = _raw.ge_model_run(self._live, {"deadline_ns": deadline_ns} if deadline_ns else None, values,
                                        len(self.outputs))
            return [Tensor._over(_raw.ge_tensor_create_from_value(result)) for result in results]
        finally:
            _drop(values)
            _drop(results)

    def _by_name(self, inputs: Sequence[Any], named: dict[str, Any]) -> list[Any]:
        slots = list(inputs) + [None] * (len(self.inputs) - len(inputs))
        for name, source in named.items():
            index = self._input_index.get(name)
            if index is None:
                raise TypeError(f"the model has no input '{name}'; its inputs: {', '.join(self._input_index)}")
            if slots[index] is not None:
                raise TypeError(f"input '{name}' is given twice")
            slots[index] = source
        return slots

    def bind(self, *inputs: Any) -> "Binding":
        """Inputs bound once, to run many times."""
        binding = Binding(self)
        try:
            for i, source in enumerate(inputs):
                binding.set_input(i, source)
        except BaseException:
            binding.close()
            raise
        return binding


class Binding(Handle):
    """Inputs and outputs bound once and run many times; one thread at a time."""

    _destroy = staticmethod(_raw.ge_binding_destroy)

    def __init__(self, model: Model) -> None:
        self._open(_raw.ge_binding_create(model._live))
        self._context = model._context
        self._count = len(model.outputs)

    def set_input(self, index: int, source: Any) -> None:
        """Each run reads the bytes of `source` anew."""
        values = _values([source], self._context)
        try:
            _raw.ge_binding_set_input(self._live, index, values[0])
        finally:
            _drop(values)

    def set_output(self, index: int, target: Any) -> None:
        """Runs write into the memory of `target`, which must fit exactly."""
        values = _values([target], self._context)
        try:
            _raw.ge_binding_set_output(self._live, index, values[0])
        finally:
            _drop(values)

    def run(self) -> None:
        _raw.ge_binding_run(self._live, None)

    @property
    def outputs(self) -> list[Tensor]:
        """The tensors of the last run; the next run writes into the same memory."""
        return [Tensor._over(_raw.ge_tensor_create_from_value(_raw.ge_binding_get_output(self._live, i)))
                for i in range(self._count)]
