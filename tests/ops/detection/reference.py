# SPDX-License-Identifier: Apache-2.0
"""Regions of images, for expect.py."""

import numpy as np


def sample(plane, y, x):
    """The four weighted neighbours."""
    h, w = plane.shape
    if not -1 <= y <= h or not -1 <= x <= w:
        return [0.0] * 4
    y, x = min(max(y, 0), h - 1), min(max(x, 0), w - 1)
    top, left = int(y), int(x)
    bottom, right, v, u = min(top + 1, h - 1), min(left + 1, w - 1), y - top, x - left
    return [(1 - v) * (1 - u) * plane[top, left], (1 - v) * u * plane[top, right], v * (1 - u) * plane[bottom, left], v * u * plane[bottom, right]]


def roi_align(x, rois, batch, a):
    half = a.get("coordinate_transformation_mode", "half_pixel") == "half_pixel"
    height, width, ratio = a.get("output_height", 1), a.get("output_width", 1), a.get("sampling_ratio", 0)
    y = np.zeros((len(rois), x.shape[1], height, width))
    for r, (roi, b) in enumerate(zip(rois, batch)):
        x1, y1, x2, y2 = roi * a.get("spatial_scale", 1.0) - (0.5 if half else 0)
        h, w = (y2 - y1, x2 - x1) if half else (max(y2 - y1, 1), max(x2 - x1, 1))
        h, w = h / height, w / width
        rows, columns = ratio or int(np.ceil(h)), ratio or int(np.ceil(w))
        for c, i, j in np.ndindex(x.shape[1], height, width):
            terms = [sample(x[b, c], y1 + i * h + (p + 0.5) * h / rows, x1 + j * w + (q + 0.5) * w / columns) for p in range(rows) for q in range(columns)]
            if terms:
                y[r, c, i, j] = np.max(terms) if a.get("mode", "avg") == "max" else np.sum(terms) / len(terms)
    return y


def roi_pool(x, rois, height, width, scale_h, scale_w):
    y = np.zeros((len(rois), x.shape[1], height, width))
    for r, roi in enumerate(rois):
        x1, y1, x2, y2 = (int(np.floor(v + 0.5)) for v in roi[1:] * [scale_w, scale_h, scale_w, scale_h])
        h, w = max(y2 - y1 + 1, 1) / height, max(x2 - x1 + 1, 1) / width
        for i, j in np.ndindex(height, width):
            rows = slice(max(y1 + int(np.floor(i * h)), 0), max(y1 + int(np.ceil((i + 1) * h)), 0))
            columns = slice(max(x1 + int(np.floor(j * w)), 0), max(x1 + int(np.ceil((j + 1) * w)), 0))
            part = x[int(roi[0]), :, rows, columns]
            y[r, :, i, j] = part.max(axis=(1, 2)) if part.size else 0
    return y
