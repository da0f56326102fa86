# SPDX-License-Identifier: Apache-2.0
"""Windows and the mel scale, for expect.py."""

import numpy as np

COSINES = {"hann": (0.5, 0.5, 0.0), "hamming": (25 / 46, 21 / 46, 0.0), "blackman": (0.42, 0.5, 0.08)}


def window(size, attrs):
    n = int(np.asarray(size).reshape(-1)[0])
    period = n if attrs.get("periodic", True) else n - 1
    a = COSINES[attrs["kind"]]
    angle = 2 * np.pi * np.arange(n) / period
    return a[0] - a[1] * np.cos(angle) + a[2] * np.cos(2 * angle)


def mel(bins, length, rate, low, high):
    bins, length, rate, low, high = (np.asarray(v).reshape(-1)[0] for v in (bins, length, rate, low, high))
    edges = np.array([2595 * np.log10(1 + f / 700) for f in (low, high)])
    points = edges[0] + np.arange(bins + 2) * (edges[1] - edges[0]) / (bins + 2)
    at = np.floor(700 * (10 ** (points / 2595) - 1) * (length + 1) / rate).astype(int)
    y = np.zeros((length // 2 + 1, bins))
    for m in range(bins):
        left, peak, right = at[m:m + 3]
        for b in range(len(y)):
            if left <= b < peak:
                y[b, m] = (b - left) / (peak - left)
            elif peak < b < right:
                y[b, m] = (right - b) / (right - peak)
            elif b == peak:
                y[b, m] = 1
    return y


def complex_of(x):
    return x[..., 0] + 1j * (x[..., 1] if x.shape[-1] == 2 else 0)


def dft(x, length=None, axis=-2, inverse=False, onesided=False):
    axis = int(axis) % x.ndim
    n = None if length is None else int(length)
    if inverse and onesided:
        return np.fft.irfft(complex_of(x), n, axis)[..., None]
    y = np.fft.ifft(complex_of(x), n, axis) if inverse else np.fft.fft(complex_of(x), n, axis)
    if onesided:
        y = y.take(range(y.shape[axis] // 2 + 1), axis)
    return np.stack([y.real, y.imag], -1)


def stft(x, step, window=None, length=None, onesided=True):
    step, n = int(step), int(length if length is not None else len(window) if window is not None else x.shape[1])
    frames = np.stack([complex_of(x)[:, k:k + n] for k in range(0, x.shape[1] - n + 1, step)], 1) * (1 if window is None else window)
    y = np.fft.fft(frames)[..., :n // 2 + 1 if onesided else n]
    return np.stack([y.real, y.imag], -1)
