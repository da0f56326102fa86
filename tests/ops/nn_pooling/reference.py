# SPDX-License-Identifier: Apache-2.0
"""Pooling by its definition, for expect.py."""

import itertools
import math

import numpy as np


def geometry(size, kernel, stride, dilation, pads, auto_pad, ceil):
    """(output size, begin, end)."""
    reach = (kernel - 1) * dilation + 1
    if auto_pad.startswith("SAME"):
        out = -(-size // stride)
        total = max((out - 1) * stride + reach - size, 0)
        lower = auto_pad == "SAME_LOWER"
        begin = total - total // 2 if lower else total // 2
        return out, begin, total - begin
    begin, end = (0, 0) if auto_pad == "VALID" else pads
    out = (math.ceil if ceil else math.floor)((size + begin + end - reach) / stride) + 1
    if ceil and (out - 1) * stride >= size + begin:
        out -= 1
    return out, begin, end


def pool(x, kernel, strides=None, pads=None, dilations=None, auto_pad="NOTSET", ceil=False, mean=False, count_pads=False, divisor=0, storage_order=0):
    """x [N, C, ...]; pads: (begin, end) for each spatial dim.  (values, indices of the largest)."""
    n = x.ndim - 2
    strides, dilations, pads = strides or [1] * n, dilations or [1] * n, pads or [(0, 0)] * n
    shape = x.shape[2:]
    sizes = [geometry(shape[d], kernel[d], strides[d], dilations[d], pads[d], auto_pad, ceil) for d in range(n)]
    y = np.zeros(x.shape[:2] + tuple(s[0] for s in sizes))
    index = np.zeros(y.shape, np.int64)
    plane = int(np.prod(shape))
    for at in itertools.product(*(range(s) for s in y.shape)):
        taps, counted = [], 0
        for tap in itertools.product(*(range(k) for k in kernel)):
            place = [at[2 + d] * strides[d] - sizes[d][1] + tap[d] * dilations[d] for d in range(n)]
            counted += all(place[d] < shape[d] + sizes[d][2] for d in range(n))
            if all(0 <= place[d] < shape[d] for d in range(n)):
                taps.append(tuple(place))
        values = [x[at[:2] + t] for t in taps]
        if mean:
            by = divisor or (counted if count_pads else len(values))
            y[at] = sum(values) / by if by else 0
            continue
        if not values:
            y[at], index[at] = -np.inf, -1
            continue
        best = int(np.argmax(values))
        y[at] = values[best]
        order = taps[best] if storage_order == 0 else taps[best][::-1]
        dims = shape if storage_order == 0 else shape[::-1]
        index[at] = (at[0] * x.shape[1] + at[1]) * plane + int(np.ravel_multi_index(order, dims))
    return y, index


def pairs(flat):
    return [(flat[2 * k], flat[2 * k + 1]) for k in range(len(flat) // 2)]


def onnx_pads(flat):
    n = len(flat) // 2
    return [(flat[k], flat[n + k]) for k in range(n)]


def pool_2d(x, a, mean=False):
    """MaxPoolV3, AvgPoolV2 with their attributes."""
    last = a.get("data_format", "NCHW")[-1] == "C"
    spatial = slice(1, 3) if last else slice(2, 4)
    x = np.moveaxis(x, -1, 1) if last else x
    kernel, strides = a["ksize"][spatial], a["strides"][spatial]
    pads, mode = pairs(a.get("pads", [0, 0, 0, 0])), a.get("padding_mode", "CALCULATED")
    if a.get("global_pooling"):
        kernel, strides, pads, mode = list(x.shape[2:]), [1, 1], None, "CALCULATED"
    y, _ = pool(x, kernel, strides, pads, None, mode, a.get("ceil_mode", False), mean, not a.get("exclusive", True), a.get("divisor_override", 0))
    return np.moveaxis(y, 1, -1) if last else y


def pool_ge(x, a, mean=False):
    """GeMaxPool, GeAveragePool."""
    return pool(x, a["ksize"], a.get("strides"), pairs(a["pads"]) if "pads" in a else None, a.get("dilations"), a.get("auto_pad", "NOTSET"),
                a.get("ceil_mode", False), mean, a.get("count_include_pad", False), 0, a.get("storage_order", 0))


def pool_onnx(x, a, mean=False):
    return pool(x, a["kernel_shape"], a.get("strides"), onnx_pads(a["pads"]) if "pads" in a else None, a.get("dilations"), a.get("auto_pad", "NOTSET"),
                bool(a.get("ceil_mode", 0)), mean, bool(a.get("count_include_pad", 0)), 0, a.get("storage_order", 0))


def pool_blocked(x, a):
    """GeBlockedPool2D: [N, blocks, H, W, 16]."""
    kernel, strides = a.get("ksize"), a.get("strides")
    pads, auto_pad = pairs(a["pads"]) if "pads" in a else None, a.get("auto_pad", "NOTSET")
    plain = x.transpose(0, 1, 4, 2, 3).reshape(x.shape[0], -1, *x.shape[2:4])
    if a.get("global_pooling"):
        kernel, strides, pads, auto_pad = list(x.shape[2:4]), None, None, "NOTSET"
    y, _ = pool(plain, kernel, strides, pads, a.get("dilations"), auto_pad, a.get("ceil_mode", False), a["mode"] == "avg", a.get("count_include_pad", False))
    return y.reshape(x.shape[0], -1, 16, *y.shape[2:]).transpose(0, 1, 3, 4, 2)
