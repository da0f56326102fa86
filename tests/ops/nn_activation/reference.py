# SPDX-License-Identifier: Apache-2.0
"""Activations over axes, for expect.py."""

import math

import numpy as np

erfc = np.vectorize(math.erfc, otypes=[np.float64])


def softmax(x, axes):
    axes = tuple(axes)
    e = np.exp(x - x.max(axis=axes, keepdims=True))
    return e / e.sum(axis=axes, keepdims=True)


def softmax_2d(x, axis):
    """ONNX before opset 13: over everything from `axis` on."""
    return softmax(x, range(axis % x.ndim if axis < 0 else axis, x.ndim)) if x.ndim > axis else np.ones_like(x)
