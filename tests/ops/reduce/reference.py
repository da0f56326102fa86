# SPDX-License-Identifier: Apache-2.0
"""Reductions, for expect.py."""

import numpy as np


def axes_of(x, axes, noop):
    axes = [] if axes is None else np.ravel(axes)
    if len(axes) == 0:
        return () if noop else tuple(range(x.ndim))
    return tuple(int(v) % x.ndim for v in axes)


def reduced(fn, x, axes, keep=False, noop=False):
    return fn(x, axis=axes_of(x, axes, noop), keepdims=bool(keep))


def l1(x, **how):
    return np.sum(np.abs(x), **how)


def l2(x, **how):
    return np.sqrt(np.sum(np.square(x.astype(np.float64)), **how))


def sum_square(x, **how):
    return np.sum(np.square(x), **how)


def log_sum(x, **how):
    return np.log(np.sum(x, **how))


def log_sum_exp(x, **how):
    x = x.astype(np.float64)
    most = np.max(x)
    return np.log(np.sum(np.exp(x - most), **how)) + most


def arg(fn, x, axis, keep=False, last=False):
    axis = int(np.ravel(axis)[0]) % x.ndim
    y = x.shape[axis] - 1 - fn(np.flip(x, axis), axis=axis) if last else fn(x, axis=axis)
    return np.expand_dims(y, axis) if keep else y
