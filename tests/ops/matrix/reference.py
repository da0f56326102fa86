# SPDX-License-Identifier: Apache-2.0
"""Products, for expect.py."""

import numpy as np


def product(x1, x2, t1=False, t2=False, bias=None):
    y = np.matmul(np.swapaxes(x1, -1, -2) if t1 else x1, np.swapaxes(x2, -1, -2) if t2 else x2)
    return y if bias is None else y + bias


def gemm(a, b, c, attrs):
    y = attrs.get("alpha", 1.0) * product(a, b, attrs.get("transA", 0), attrs.get("transB", 0))
    return y if c is None else y + attrs.get("beta", 1.0) * c
