# SPDX-License-Identifier: Apache-2.0
"""Recurrent layers, for expect.py."""

import numpy as np


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def hard_sigmoid(x):
    return np.clip(0.25 * x + 0.5, 0, 1)


def rnn_step(g, r, b, h, c, p, f):
    return f[0](g + h @ r.T + b), c


def gru_step(g, r, b, h, c, p, f, linear=False):
    n = h.shape[1]
    zr = f[0](g[:, :2 * n] + h @ r[:2 * n].T + b[:2 * n])
    z, reset = zr[:, :n], zr[:, n:]
    inner = reset * (h @ r[2 * n:].T + b[2 * n:]) if linear else (reset * h) @ r[2 * n:].T + b[2 * n:]
    return (1 - z) * f[1](g[:, 2 * n:] + inner) + z * h, c


def lstm_step(g, r, b, h, c, p, f, couples=False):
    gi, go, gf, gc = np.split(g + h @ r.T + b, 4, 1)
    pi, po, pf = np.split(p, 3)
    i = f[0](gi + pi * c)
    forget = 1 - i if couples else f[0](gf + pf * c)
    c = forget * c + i * f[1](gc)
    return f[0](go + po * c) * f[2](c), c


def layer(step, x, w, r, b=None, lens=None, h0=None, c0=None, p=None, part=0, direction="forward", batch_first=False, f=None, clip=None, **more):
    """Output `part`: y, last h, last c."""
    x = x.swapaxes(0, 1) if batch_first else x
    states = [s.swapaxes(0, 1) if batch_first and s is not None else s for s in (h0, c0)]
    steps, batch, directions, n = len(x), x.shape[1], len(w), r.shape[2]
    f = f or (np.tanh,) * 3
    f = [lambda v, g=g: g(np.clip(v, -clip, clip)) for g in f] if clip else f
    y, ends = np.zeros((steps, directions, batch, n)), [np.zeros((directions, batch, n)) for _ in range(2)]
    for d in range(directions):
        backward = direction == "reverse" or d == 1
        bias = np.zeros(2 * w.shape[1]) if b is None else b[d]
        for k in range(batch):
            h, c = (np.zeros((1, n)) if s is None else s[d, k:k + 1] for s in states)
            count = steps if lens is None else int(lens[k])
            for t in range(count)[::-1] if backward else range(count):
                g = x[t, k:k + 1] @ w[d].T + bias[:w.shape[1]]
                h, c = step(g, r[d], bias[w.shape[1]:], h, c, np.zeros(3 * n) if p is None else p[d], f, **more)
                y[t, d, k] = h
            ends[0][d, k], ends[1][d, k] = h, c
    if part == 0:
        return y.transpose(2, 0, 1, 3) if batch_first else y
    return ends[part - 1].swapaxes(0, 1) if batch_first else ends[part - 1]
