# SPDX-License-Identifier: Apache-2.0
"""Tensors over Python memory and Python views over tensors."""

import gc
import pickle
import sys
import warnings
from array import array

import ge
import numpy
import pytest

DTYPES = ["float32", "float64", "float16", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64",
          "bool", "complex64", "complex128"]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 0, 4), (2, 3, 4)])
def test_numpy_round_trip_copies_nothing(dtype, shape):
    source = numpy.arange(numpy.prod(shape, dtype=int)).reshape(shape).astype(dtype)
    with ge.Context() as context:
        before = context.info["copied_bytes"]
        tensor = ge.tensor(source, context=context)
        back = numpy.asarray(tensor)
        assert context.info["copied_bytes"] == before
    assert tensor.shape == shape and tensor.dtype.name.lower() == dtype
    assert back.dtype == source.dtype and back.shape == shape
    numpy.testing.assert_array_equal(back, source)
    if source.size:
        assert numpy.shares_memory(back, source)


def test_other_buffers_work_too():
    assert ge.tensor(array("i", [1, 2, 3])).dtype == ge.DType.INT32
    assert ge.tensor(b"abc").shape == (3,)
    assert ge.tensor(b"abc").readonly
    assert ge.tensor(bytes(4), dtype=ge.DType.INT8).dtype == ge.DType.INT8


def test_strided_memory_needs_copy():
    source = numpy.arange(12, dtype=numpy.int32).reshape(3, 4).T
    with pytest.raises(ValueError, match="copy=True"):
        ge.tensor(source)
    numpy.testing.assert_array_equal(numpy.asarray(ge.tensor(source, copy=True)), source)


def test_what_is_no_tensor_is_a_type_error():
    for source in (3, "text", [1, 2], object()):
        with pytest.raises(TypeError):
            ge.tensor(source)
    with pytest.raises(TypeError, match="format"):
        ge.tensor(numpy.zeros(3, ">f4"))


def test_the_source_is_held_as_long_as_the_tensor_and_no_longer():
    source = numpy.zeros(1000)
    count = sys.getrefcount(source)
    tensor = ge.tensor(source)
    assert sys.getrefcount(source) > count
    tensor.close()
    gc.collect()
    assert sys.getrefcount(source) == count


def test_a_view_keeps_the_bytes_after_close():
    tensor = ge.tensor(bytearray(b"hold me"))
    view = memoryview(tensor)
    tensor.close()
    assert bytes(view) == b"hold me"
    with pytest.raises(BufferError, match="closed"):
        memoryview(tensor)


def test_dlpack_both_ways():
    source = numpy.arange(6, dtype=numpy.float32).reshape(2, 3)
    tensor = ge.tensor(source)
    back = numpy.from_dlpack(tensor)
    numpy.testing.assert_array_equal(back, source)
    assert numpy.shares_memory(back, source)

    class OnlyDlpack:
        def __dlpack__(self, **how):
            return source.__dlpack__(**how)

    assert numpy.shares_memory(numpy.asarray(ge.tensor(OnlyDlpack())), source)


def test_an_unused_capsule_gives_the_memory_back():
    source = numpy.zeros(8)
    count = sys.getrefcount(source)
    capsule = ge.tensor(source).__dlpack__()
    del capsule
    gc.collect()
    assert sys.getrefcount(source) == count


def test_errors_survive_pickling(model):
    with pytest.raises(ge.Error) as caught:
        model()
    copy = pickle.loads(pickle.dumps(caught.value))
    assert type(copy) is type(caught.value) and copy.record() == caught.value.record()


def test_a_forgotten_context_warns_and_is_closed():
    context = ge.Context()
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        del context
        gc.collect()
    assert any(w.category is ResourceWarning for w in heard)


def test_options_are_checked():
    with pytest.raises(ge.Error) as caught:
        ge.Context({"ge.thread": 1})
    assert caught.value.name == "GE_ERR_UNKNOWN_OPTION"
    with ge.Context({"ge.threads": 1}) as context:
        assert context.info["threads"] == 1
