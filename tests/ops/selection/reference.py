# SPDX-License-Identifier: Apache-2.0
"""Indexing, for expect.py."""

import numpy as np

COMBINE = {"none": lambda a, b: b, "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "max": np.maximum, "min": np.minimum}


def gather_nd(x, indices, batch=0):
    lead = indices.shape[:batch]
    xs, rows = x.reshape((-1,) + x.shape[batch:]), indices.reshape((-1,) + indices.shape[batch:])
    out = [np.array([v[tuple(r)] for r in i.reshape(-1, i.shape[-1])]) for v, i in zip(xs, rows)]
    slice_shape = x.shape[batch + indices.shape[-1]:]
    return np.array(out).reshape(lead + indices.shape[batch:-1] + slice_shape)


def scatter_elements(data, indices, updates, axis=0, how="none"):
    y = data.copy()
    for at in np.ndindex(indices.shape):
        place = list(at)
        place[axis] = indices[at]
        y[tuple(place)] = COMBINE[how](y[tuple(place)], updates[at])
    return y


def scatter_nd(x, indices, updates, how="none"):
    y = x.copy()
    for at in np.ndindex(indices.shape[:-1]):
        place = tuple(indices[at])
        y[place] = COMBINE[how](y[place], updates[at])
    return y


def top(x, k, axis=-1, largest=True, places=False):
    k = int(np.ravel(k)[0])
    order = np.argsort(-x.astype(np.float64) if largest else x, axis=axis, kind="stable")
    order = np.take(order, range(k), axis=axis)
    return order if places else np.take_along_axis(x, order, axis=axis)


def reverse_sequence(x, lengths, time, batch):
    y = x.copy()
    for b, n in enumerate(lengths):
        for t in range(n):
            to, source = [slice(None)] * x.ndim, [slice(None)] * x.ndim
            to[batch] = source[batch] = b
            to[time], source[time] = t, n - 1 - t
            y[tuple(to)] = x[tuple(source)]
    return y
