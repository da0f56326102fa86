# SPDX-License-Identifier: Apache-2.0
"""Losses, for expect.py."""

import numpy as np


def log_softmax(x):
    shifted = x - x.max(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))


def nll(x, labels, weight=None, reduction="mean", ignored=None, total=False):
    labels = np.asarray(labels).astype(int)
    used = labels != ignored
    safe = np.where(used, labels, 0)
    w = (np.ones(x.shape[1]) if weight is None else weight)[safe] * used
    values = -w * np.take_along_axis(x, np.expand_dims(safe, 1), 1).squeeze(1)
    if total:
        return w.sum()
    return values if reduction == "none" else values.sum() if reduction == "sum" else values.sum() / w.sum()
