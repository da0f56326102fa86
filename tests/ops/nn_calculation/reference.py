# SPDX-License-Identifier: Apache-2.0
"""Convolution by its definition, for expect.py."""

import itertools

import numpy as np


def same_pads(size, kernel, stride, dilation, lower):
    out = -(-size // stride)
    total = max((out - 1) * stride + (kernel - 1) * dilation + 1 - size, 0)
    return (total - total // 2, total // 2) if lower else (total // 2, total - total // 2)


def conv(x, w, bias=None, strides=None, pads=None, dilations=None, groups=1, auto_pad="NOTSET"):
    """x [N, C, ...], w [O, C / groups, ...]; pads: (begin, end) for each spatial dim."""
    n = x.ndim - 2
    strides, dilations = strides or [1] * n, dilations or [1] * n
    kernel = w.shape[2:]
    if auto_pad.startswith("SAME"):
        pads = [same_pads(x.shape[2 + d], kernel[d], strides[d], dilations[d], auto_pad == "SAME_LOWER") for d in range(n)]
    elif auto_pad == "VALID" or pads is None:
        pads = [(0, 0)] * n
    x = np.pad(x, [(0, 0), (0, 0)] + list(pads))
    out = [(x.shape[2 + d] - (kernel[d] - 1) * dilations[d] - 1) // strides[d] + 1 for d in range(n)]
    y = np.zeros([x.shape[0], w.shape[0]] + out)
    per_in, per_out = x.shape[1] // groups, w.shape[0] // groups
    for g in range(groups):
        part = x[:, g * per_in:(g + 1) * per_in].astype(np.float64)
        filters = w[g * per_out:(g + 1) * per_out].astype(np.float64)
        for tap in itertools.product(*(range(k) for k in kernel)):
            window = tuple(slice(tap[d] * dilations[d], tap[d] * dilations[d] + (out[d] - 1) * strides[d] + 1, strides[d]) for d in range(n))
            y[:, g * per_out:(g + 1) * per_out] += np.einsum("nc...,oc->no...", part[(slice(None), slice(None)) + window],
                                                           filters[(slice(None), slice(None)) + tap])
    return y if bias is None else y + np.asarray(bias, np.float64).reshape([1, -1] + [1] * n)


def pairs(flat):
    """[top, bottom, left, right] as pairs."""
    return [(flat[2 * k], flat[2 * k + 1]) for k in range(len(flat) // 2)]


def onnx_pads(flat):
    """[begins..., ends...] as pairs."""
    n = len(flat) // 2
    return [(flat[k], flat[n + k]) for k in range(n)]


def conv_ir(x, filter, a, bias=None, filter_format=None):
    """Conv2D, Conv3D with their attributes."""
    last = a.get("data_format", "NHWC")[-1] == "C"
    n = x.ndim - 2
    spatial = slice(1, n + 1) if last else slice(2, n + 2)
    if last:
        x = np.moveaxis(x, -1, 1)
    if filter_format == "HWCN":
        filter = np.moveaxis(filter, [-1, -2], [0, 1])
    y = conv(x, filter, bias, a.get("strides", [1] * (n + 2))[spatial], pairs(a["pads"]), a.get("dilations", [1] * (n + 2))[spatial], a.get("groups", 1),
             a.get("auto_pad", "NOTSET"))
    return np.moveaxis(y, 1, -1) if last else y


def conv_onnx(x, w, bias, a):
    pads = onnx_pads(a["pads"]) if "pads" in a else None
    return conv(x, w, bias, a.get("strides"), pads, a.get("dilations"), a.get("group", 1), a.get("auto_pad", "NOTSET"))


def conv_transpose(x, w, b, a):
    """ONNX ConvTranspose by its definition: every element of x adds the filter to y."""
    n, groups = x.ndim - 2, a.get("groups", a.get("group", 1))
    strides, dilations = a.get("strides", [1] * n), a.get("dilations", [1] * n)
    extra, pads = a.get("output_padding", [0] * n), a.get("pads", [0] * (2 * n))
    spans = [(w.shape[2 + d] - 1) * dilations[d] + 1 for d in range(n)]
    full = [(x.shape[2 + d] - 1) * strides[d] + spans[d] + extra[d] for d in range(n)]
    size, auto = a.get("output_shape"), a.get("auto_pad", "NOTSET")
    if size is None and auto.startswith("SAME"):
        size = [x.shape[2 + d] * strides[d] for d in range(n)]
    if size is not None:
        total = [f - s for f, s in zip(full, size)]
        begin = [t // 2 if auto == "SAME_UPPER" else t - t // 2 for t in total]
    else:
        begin, size = pads[:n], [full[d] - pads[d] - pads[n + d] for d in range(n)]
    out = w.shape[1]
    margin = [abs(v) + 1 + s for v, s in zip(begin, size)]
    wide = np.zeros((x.shape[0], out * groups, *(f + 2 * m for f, m in zip(full, margin))))
    for at in np.ndindex(*x.shape[2:]):
        for tap in np.ndindex(*w.shape[2:]):
            to = tuple(margin[d] + at[d] * strides[d] + tap[d] * dilations[d] for d in range(n))
            for g in range(groups):
                ins = slice(g * w.shape[0] // groups, (g + 1) * w.shape[0] // groups)
                wide[(slice(None), slice(g * out, (g + 1) * out), *to)] += x[(slice(None), ins, *at)] @ w[(ins, slice(None), *tap)]
    y = wide[(slice(None), slice(None), *(slice(margin[d] + begin[d], margin[d] + begin[d] + size[d]) for d in range(n)))]
    return y if b is None else y + b.reshape(-1, *[1] * n)


def deform_conv(x, w, offset, b, mask, a):
    """Each tap reads x between its elements, at its own place moved by the offset."""
    n, groups, og = x.ndim - 2, a.get("groups", a.get("group", 1)), a.get("offset_groups", a.get("offset_group", 1))
    strides, dilations, pads = a.get("strides", [1] * n), a.get("dilations", [1] * n), a.get("pads", [0] * (2 * n))
    kernel, size = w.shape[2:], offset.shape[2:]
    moves = offset.reshape(len(x), og, *kernel, n, *size)
    weights = np.ones((len(x), og, *kernel, *size)) if mask is None else mask.reshape(len(x), og, *kernel, *size)
    y = np.zeros((len(x), len(w), *size))
    for i, o, *at in np.ndindex(*y.shape):
        for c in range(w.shape[1]):
            channel = o // (len(w) // groups) * w.shape[1] + c
            g = channel // (x.shape[1] // og)
            for tap in np.ndindex(*kernel):
                place = [at[d] * strides[d] - pads[d] + tap[d] * dilations[d] + moves[(i, g, *tap, d, *at)] for d in range(n)]
                value = 0
                for corner in np.ndindex(*(2,) * n):
                    spot = [int(np.floor(p)) + u for p, u in zip(place, corner)]
                    if all(0 <= s < m for s, m in zip(spot, x.shape[2:])):
                        value += np.prod([1 - abs(p - s) for p, s in zip(place, spot)]) * x[(i, channel, *spot)]
                y[(i, o, *at)] += w[(o, c, *tap)] * weights[(i, g, *tap, *at)] * value
    return y if b is None else y + b.reshape(-1, *[1] * n)


def to_blocks(x):
    """[N, C, H, W] to [N, blocks of 16, H, W, 16]."""
    n, c, h, w = x.shape
    x = np.pad(x, [(0, 0), (0, -c % 16), (0, 0), (0, 0)])
    return x.reshape(n, -1, 16, h, w).transpose(0, 1, 3, 4, 2)


def conv_blocked(x, filter, a, bias=None, residual=None):
    groups = a.get("groups", 1)
    if x.ndim == 5:
        x = x.transpose(0, 1, 4, 2, 3).reshape(x.shape[0], -1, *x.shape[2:4])[:, :filter.shape[1] * groups]
    y = conv(x, filter, bias, a.get("strides", [1, 1])[-2:], pairs(a.get("pads", [0] * 4)), a.get("dilations", [1, 1])[-2:], groups, a.get("auto_pad", "NOTSET"))
    return to_blocks(y) if residual is None else to_blocks(y) + residual
