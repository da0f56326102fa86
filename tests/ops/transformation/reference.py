# SPDX-License-Identifier: Apache-2.0
"""Moves of blocks, for expect.py."""

import numpy as np


def depth_to_space(x, block, mode="DCR"):
    """Channels first."""
    n, c, h, w = x.shape
    d = c // block**2
    if mode == "DCR":
        y = x.reshape(n, block, block, d, h, w).transpose(0, 3, 4, 1, 5, 2)
    else:
        y = x.reshape(n, d, block, block, h, w).transpose(0, 1, 4, 2, 5, 3)
    return y.reshape(n, d, h * block, w * block)


def space_to_depth(x, block):
    n, c, h, w = x.shape
    y = x.reshape(n, c, h // block, block, w // block, block).transpose(0, 3, 5, 1, 2, 4)
    return y.reshape(n, c * block**2, h // block, w // block)


def last(fn, x, *more):
    """The same with channels last."""
    return np.moveaxis(fn(np.moveaxis(x, -1, 1), *more), 1, -1)


def col2im(x, image, block, strides=None, dilations=None, pads=None):
    n = len(image)
    strides, dilations, pads = strides or [1] * n, dilations or [1] * n, pads or [0] * 2 * n
    steps = [(image[d] + pads[d] + pads[n + d] - dilations[d] * (block[d] - 1) - 1) // strides[d] + 1 for d in range(n)]
    x = x.reshape([x.shape[0], -1] + list(block) + steps)
    y = np.zeros(x.shape[:2] + tuple(image), x.dtype)
    for tap in np.ndindex(*block):
        for step in np.ndindex(*steps):
            at = tuple(step[d] * strides[d] - pads[d] + tap[d] * dilations[d] for d in range(n))
            if all(0 <= at[d] < image[d] for d in range(n)):
                y[(slice(None), slice(None)) + at] += x[(slice(None), slice(None)) + tap + step]
    return y


def to_blocks(x):
    """[N, C, H, W] to [N, blocks of 16, H, W, 16]."""
    n, c, h, w = x.shape
    return np.pad(x, [(0, 0), (0, -c % 16), (0, 0), (0, 0)]).reshape(n, -1, 16, h, w).transpose(0, 1, 3, 4, 2)


def from_blocks(x, channels):
    return x.transpose(0, 1, 4, 2, 3).reshape(x.shape[0], -1, *x.shape[2:4])[:, :channels]
