# SPDX-License-Identifier: Apache-2.0
"""Interpolation, for expect.py."""

import numpy as np


def cubic(x, c=-0.75):
    x = abs(x)
    if x < 1:
        return (c + 2) * x**3 - (c + 3) * x**2 + 1
    return c * x**3 - 5 * c * x**2 + 8 * c * x - 4 * c if x < 2 else 0.0


def place(where, at, scale, size, out, length, start, end):
    if where == "half_pixel_symmetric":
        return size / 2 * (1 - out / length) + (at + 0.5) / scale - 0.5
    if where == "pytorch_half_pixel":
        return (at + 0.5) / scale - 0.5 if out > 1 else 0.0
    if where == "align_corners":
        return 0.0 if length == 1 else at * (size - 1) / (length - 1)
    if where == "asymmetric":
        return at / scale
    if where == "tf_crop_and_resize":
        if length == 1:
            return 0.5 * (start + end) * (size - 1)
        return start * (size - 1) + at * (end - start) * (size - 1) / (length - 1)
    return (at + 0.5) / scale - 0.5


def weights(size, out, scale, length, a, start=0.0, end=1.0):
    """Matrix [out, size] and which places lie outside."""
    mode, where = a.get("mode", "nearest"), a.get("coordinate_transformation_mode", "half_pixel")
    matrix, outside = np.zeros((out, size)), np.zeros(out, bool)
    rounding = {"round_prefer_floor": lambda v: np.ceil(v - 0.5), "round_prefer_ceil": lambda v: np.floor(v + 0.5), "floor": np.floor, "ceil": np.ceil}
    for at in range(out):
        x = place(where, at, scale, size, out, length, start, end)
        outside[at] = where == "tf_crop_and_resize" and not 0 <= x <= size - 1
        if mode == "nearest":
            matrix[at, int(np.clip(rounding[a.get("nearest_mode", "round_prefer_floor")](x), 0, size - 1))] = 1
            continue
        shrink = min(scale, 1) if a.get("antialias") else 1
        reach = int(np.ceil((2 if mode == "cubic" else 1) / shrink)) + 1
        taps = range(int(np.floor(x)) - reach, int(np.floor(x)) + reach + 1)
        kernel = (lambda v: cubic(v, a.get("cubic_coeff_a", -0.75))) if mode == "cubic" else (lambda v: max(1 - abs(v), 0))
        w = np.array([kernel((t - x) * shrink) for t in taps])
        if a.get("exclude_outside"):
            w[[not 0 <= t < size for t in taps]] = 0
        w = w / w.sum()
        for t, v in zip(taps, w):
            matrix[at, int(np.clip(t, 0, size - 1))] += v
    return matrix, outside


def resize(x, a, roi=None, scales=None, sizes=None):
    axes = [int(v) % x.ndim for v in a.get("axes") or range(x.ndim)]
    given = scales is not None and scales.size > 0
    policy, shape = a.get("keep_aspect_ratio_policy", "stretch"), x.shape
    for k, axis in enumerate(axes):
        size = x.shape[axis]
        if given:
            scale = float(scales[k])
            out, length = int(np.floor(size * scale)), size * scale
        else:
            each = [sizes[j] / shape[axes[j]] for j in range(len(axes))]
            scale = each[k] if policy == "stretch" else (min if policy == "not_larger" else max)(each)
            out = int(sizes[k]) if policy == "stretch" else int(np.floor(scale * size + 0.5))
            length = out if policy == "stretch" else scale * size
        start, end = (roi[k], roi[len(axes) + k]) if roi is not None and roi.size else (0.0, 1.0)
        matrix, outside = weights(size, out, scale, length, a, start, end)
        x = np.moveaxis(np.tensordot(matrix, x, (1, axis)), 0, axis)
        x[tuple(outside if d == axis else slice(None) for d in range(x.ndim))] = a.get("extrapolation_value", 0)
    return x


def grid_sample(x, grid, a):
    mode = {"bilinear": "linear", "bicubic": "cubic"}.get(a.get("mode", "linear"), a.get("mode", "linear"))
    pad, corners = a.get("padding_mode", "zeros"), a.get("align_corners", 0)
    n = x.ndim - 2
    y = np.zeros(x.shape[:2] + grid.shape[1:-1])

    def mirror(v, low, high):
        while not low <= v <= high:
            v = 2 * low - v if v < low else 2 * high - v
        return v

    def taps(g, size):
        low, high = (0, size - 1) if corners else (-0.5, size - 0.5)
        at = (g + 1) / 2 * (size - 1) if corners else ((g + 1) * size - 1) / 2
        at = np.rint(at) if mode == "nearest" else at
        if not low <= at <= high:
            at = np.clip(at, 0, size - 1) if pad == "border" else mirror(at, low, high) if pad == "reflection" else at
        base = int(np.rint(at) if mode == "nearest" else np.floor(at))
        out = []
        for t in {"nearest": [0], "linear": [0, 1], "cubic": [-1, 0, 1, 2]}[mode]:
            w = 1.0 if mode == "nearest" else 1 - abs(at - base - t) if mode == "linear" else cubic(at - base - t)
            k = base + t
            if not 0 <= k < size and pad != "zeros":
                k = int(np.clip(k, 0, size - 1) if pad == "border" else np.clip(int(mirror(k, low, high)), 0, size - 1))
            out.append((k if 0 <= k < size else None, w))
        return out

    for at in np.ndindex(grid.shape[:-1]):
        axes = [taps(grid[at][n - 1 - d], x.shape[d + 2]) for d in range(n)]
        for choice in np.ndindex(*(len(t) for t in axes)):
            picked = [axes[d][choice[d]] for d in range(n)]
            if any(k is None for k, _ in picked):
                continue
            y[(at[0], slice(None)) + at[1:]] += np.prod([w for _, w in picked]) * x[(at[0], slice(None)) + tuple(k for k, _ in picked)]
    return y


def affine_grid(theta, size, corners):
    n = len(size) - 2
    axes = []
    for d in size[2:]:
        axes.append((np.linspace(-1, 1, d) if d > 1 else np.zeros(1)) if corners else (2 * np.arange(d) + 1) / d - 1)
    grids = np.meshgrid(*axes, indexing="ij")
    homogeneous = np.stack(list(grids[::-1]) + [np.ones_like(grids[0])], -1)
    return np.einsum("nij,...j->n...i", theta, homogeneous) if n else None
