# SPDX-License-Identifier: Apache-2.0
"""Normalisations, for expect.py."""

import numpy as np


def parts_of(x, axes, epsilon):
    """Mean, variance and normalised x over axes."""
    mean = x.mean(axis=axes, keepdims=True)
    variance = x.var(axis=axes, keepdims=True)
    return mean, variance, (x - mean) / np.sqrt(variance + epsilon)


def layer(x, gamma, beta, axis, epsilon, part=0):
    axes = tuple(range(axis % x.ndim, x.ndim))
    mean, variance, y = parts_of(x, axes, epsilon)
    return (y * gamma + (0 if beta is None else beta), mean, variance, 1 / np.sqrt(variance + epsilon))[part]


def rms(x, gamma, axis, epsilon, part=0):
    axes = tuple(range(axis % x.ndim, x.ndim))
    rstd = 1 / np.sqrt(np.mean(x * x, axis=axes, keepdims=True) + epsilon)
    return (x * rstd * gamma, rstd)[part]


def group(x, gamma, beta, groups, epsilon, part=0):
    """Channels first."""
    n, c = x.shape[:2]
    split = x.reshape(n, groups, -1)
    mean, variance, y = parts_of(split, 2, epsilon)
    wide = [np.repeat(v, c // v.size).reshape((c,) + (1,) * (x.ndim - 2)) for v in (gamma, beta)]
    return (y.reshape(x.shape) * wide[0] + wide[1], mean.reshape(n, groups), variance.reshape(n, groups),
            1 / np.sqrt(variance + epsilon).reshape(n, groups))[part]


def group_last(x, *more):
    return np.moveaxis(group(np.moveaxis(x, -1, 1), *more), 1, -1)


def batch(x, scale, offset, mean, variance, epsilon, axis=1):
    shape = [1] * x.ndim
    if x.ndim > axis:
        shape[axis] = x.shape[axis]
    s, o, m, v = (a.reshape(shape) for a in (scale, offset, mean, variance))
    return (x - m) / np.sqrt(v + epsilon) * s + o


def batch_training(x, scale, offset, mean, variance, epsilon, momentum, part=0):
    axes = tuple(d for d in range(x.ndim) if d != 1)
    m, v = x.mean(axis=axes), x.var(axis=axes)
    blend = [old * momentum + new * (1 - momentum) for old, new in ((mean, m), (variance, v))]
    return (batch(x, scale, offset, m, v, epsilon), *blend)[part]


def lp(x, axis, p):
    norm = np.sum(np.abs(x) ** p, axis=axis, keepdims=True) ** (1 / p)
    return x / np.where(norm == 0, 1, norm)


def lrn(x, before, behind, weight, beta, bias):
    y = np.empty_like(x)
    for c in range(x.shape[1]):
        near = x[:, max(c - before, 0):c + behind + 1]
        y[:, c] = x[:, c] / (bias + weight * np.sum(near * near, axis=1)) ** beta
    return y
