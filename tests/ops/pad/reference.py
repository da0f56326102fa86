# SPDX-License-Identifier: Apache-2.0
"""Padding, for expect.py."""

import numpy as np

MODES = {"constant": "constant", "reflect": "reflect", "edge": "edge", "symmetric": "symmetric", "circular": "wrap", "wrap": "wrap",
         "REFLECT": "reflect", "SYMMETRIC": "symmetric"}


def pad(x, begins, ends, mode="constant", value=0):
    """Crops first, then pads."""
    cut = tuple(slice(max(-b, 0), n - max(-e, 0)) for b, e, n in zip(begins, ends, x.shape))
    widths = [(max(b, 0), max(e, 0)) for b, e in zip(begins, ends)]
    more = {"constant_values": value} if mode == "constant" else {}
    return np.pad(x[cut], widths, MODES[mode], **more)


def pad_pairs(x, pairs, mode="constant", value=0):
    return pad(x, np.ravel(pairs)[0::2], np.ravel(pairs)[1::2], mode, value)


def pad_halves(x, pads, mode="constant", value=0, axes=None):
    n = len(pads) // 2
    begins, ends = [0] * x.ndim, [0] * x.ndim
    for k, axis in enumerate(range(x.ndim) if axes is None else axes):
        begins[axis], ends[axis] = pads[k], pads[n + k]
    return pad(x, begins, ends, mode, value)
