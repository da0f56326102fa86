# SPDX-License-Identifier: Apache-2.0
"""ge.graph: enumerations, shapes, tensor descriptions, tensors."""

import pytest
from ge.graph import DataType, Format, Placement, Shape, Tensor, TensorDesc

F32, ND = DataType.DT_FLOAT, Format.FORMAT_ND


def test_a_shape_is_a_list_and_knows_its_size():
    assert Shape() == [] and Shape([2, 3])[1:] == [3]
    assert [Shape(dims).get_shape_size() for dims in ([], [2, 3], [2, -1], [-2], [0, 4])] == [0, 6, -1, -1, 0]
    assert Shape([2, -1]).is_unknown_shape() and Shape([-2]).is_unknown_shape() and not Shape([2]).is_unknown_shape()
    for wrong in ((1, 2), [1.0], "ab", 3):
        with pytest.raises(TypeError, match="dims must be a list of integers"):
            Shape(wrong)


def test_a_desc_keeps_what_its_setters_got():
    desc = TensorDesc([1, 2], Format.FORMAT_NCHW, DataType.DT_INT8)
    assert desc.set_shape([3]).set_origin_shape([4, 5]).set_format(ND).set_origin_format(Format.FORMAT_NHWC) is desc
    assert (desc.shape, desc.origin_shape, desc.format, desc.origin_format) == ([3], [4, 5], ND, Format.FORMAT_NHWC)
    assert desc.set_data_type(DataType.DT_INT64).data_type == DataType.DT_INT64
    assert repr(TensorDesc([1, 2])) == "TensorDesc(shape=[1, 2], format=2, data_type=0)"


@pytest.mark.parametrize("dtype, given, got", [
    (DataType.DT_INT8, [127, 128, -129], [127, -128, 127]), (DataType.DT_UINT16, [-1, 65536, 7], [65535, 0, 7]),
    (DataType.DT_INT64, [1, 2.9, -3], [1, 2, -3]), (DataType.DT_FLOAT, [1.1, 1e-20, -2], [1.1, 0.0, -2.0]),
    (DataType.DT_FLOAT16, [1.5, 1e6, 1e-9], [1.5, float("inf"), 0.0]), (DataType.DT_BOOL, [True, False, True], [1, 0, 1])])
def test_elements_are_converted(dtype, given, got):
    assert Tensor(given, None, dtype, ND, [3]).data == got


def test_data_is_nested_by_the_shape():
    assert Tensor(list(range(6)), None, DataType.DT_INT32, ND, [2, 3]).data == [[0, 1, 2], [3, 4, 5]]
    assert Tensor([7], None, DataType.DT_INT32).data == 7
    assert Tensor([], None, F32, ND, [2, 0]).data == [[], []]


def test_placement_is_a_mark():
    tensor = Tensor([1.0], placement=Placement.PLACEMENT_DEVICE)
    assert tensor.placement == Placement.PLACEMENT_DEVICE and tensor.to_host() is tensor
    with pytest.raises(ValueError, match="only supports device tensors"):
        tensor.to_host()
