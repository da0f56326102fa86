# SPDX-License-Identifier: Apache-2.0
"""Attention and its companions, for expect.py."""

import numpy as np


def heads_of(x, heads):
    """[batch, heads, rows, size], whatever x is packed like."""
    return x if x.ndim == 4 else x.reshape(*x.shape[:2], heads, -1).swapaxes(1, 2)


def attention(q, k, v, mask=None, past_k=None, past_v=None, nonpad=None, part="y", causal=False, left=-1, right=-1, scale=None, softcap=0,
              heads=0, kv_heads=0):
    packed = q.ndim == 3
    q, k, v = heads_of(q, heads), heads_of(k, kv_heads), heads_of(v, kv_heads)
    offset = np.zeros((len(q), 1, 1, 1)) + (0 if past_k is None else past_k.shape[2])
    if past_k is not None:
        k, v = np.concatenate([past_k, k], 2), np.concatenate([past_v, v], 2)
    if part == "k" or part == "v":
        return k if part == "k" else v
    repeats = q.shape[1] // k.shape[1]
    scores = q @ np.repeat(k, repeats, 1).swapaxes(2, 3) * (q.shape[3] ** -0.5 if scale is None else scale)
    if part == "raw":
        return scores
    if softcap:
        scores = softcap * np.tanh(scores / softcap)
    if part == "capped":
        return scores
    key, sees = np.arange(k.shape[2]), np.ones(scores.shape, bool)
    if nonpad is not None:
        count = np.asarray(nonpad).reshape(-1, 1, 1, 1)
        offset, sees = count - q.shape[2], sees & (key < count)
    place = offset + np.arange(q.shape[2]).reshape(-1, 1)
    sees = sees & (key <= place) if causal else sees
    sees = sees & (key >= place - left) if left >= 0 else sees
    sees = sees & (key <= place + right) if right >= 0 else sees
    if mask is not None:
        bias = np.where(mask, 0.0, -np.inf) if mask.dtype == bool else mask
        if bias.shape[-1] not in (1, k.shape[2]):
            bias = np.pad(bias, [(0, 0)] * (bias.ndim - 1) + [(0, k.shape[2] - bias.shape[-1])], constant_values=-np.inf)
        scores = scores + bias
    scores = np.where(sees, scores, -np.inf)
    if part == "biased":
        return scores
    most = scores.max(-1, keepdims=True)
    weights = np.exp(scores - np.where(np.isinf(most), 0, most))
    weights = weights / np.where(weights.sum(-1, keepdims=True) == 0, 1, weights.sum(-1, keepdims=True))
    if part == "softmax":
        return weights
    y = weights @ np.repeat(v, repeats, 1)
    return y.swapaxes(1, 2).reshape(*y.shape[::2], -1) if packed else y


def rotary(x, cos, sin, ids=None, heads=0, size=0, interleaved=False):
    y = heads_of(x, heads).copy()
    if ids is not None:
        cos, sin = cos[np.asarray(ids).astype(int)], sin[np.asarray(ids).astype(int)]
    cos, sin = cos[:, None], sin[:, None]
    size = size or y.shape[-1]
    first = slice(0, size, 2) if interleaved else slice(0, size // 2)
    second = slice(1, size, 2) if interleaved else slice(size // 2, size)
    a, b = y[..., first].copy(), y[..., second].copy()
    y[..., first], y[..., second] = cos * a - sin * b, sin * a + cos * b
    return y if x.ndim == 4 else y.swapaxes(1, 2).reshape(x.shape)


def linear_attention(q, k, v, state=None, decay=None, beta=None, heads=1, kv_heads=1, scale=0, part=0):
    """Output, or with part 1 the state."""
    q, k, v = heads_of(q, heads), heads_of(k, kv_heads), heads_of(v, kv_heads)
    state = np.zeros((*k.shape[:2], k.shape[3], v.shape[3])) if state is None else state
    y, shared = np.zeros((*q.shape[:3], v.shape[3])), heads // kv_heads
    for t in range(q.shape[2]):
        if decay is not None:
            state = state * np.exp(heads_of(decay, kv_heads)[:, :, t])[..., None]
        value = v[:, :, t]
        if beta is not None:
            rate = heads_of(beta, beta.shape[2])[:, :, t]
            value = rate * (value - np.einsum("bhkv,bhk->bhv", state, k[:, :, t]))
        state = state + np.einsum("bhk,bhv->bhkv", k[:, :, t], value)
        y[:, :, t] = np.einsum("bhkv,bhk->bhv", np.repeat(state, shared, 1), q[:, :, t]) * (scale or q.shape[3] ** -0.5)
    return state if part else y.swapaxes(1, 2).reshape(len(y), y.shape[2], -1)


def causal_conv(x, w, b=None, state=None, silu=False, part=0):
    k = w.shape[2]
    line = np.concatenate([np.zeros((*x.shape[:2], k - 1)) if state is None else state, x], 2)
    if part:
        return line[:, :, x.shape[2]:]
    y = sum(w[:, :, j] * line[:, :, j:j + x.shape[2]] for j in range(k)) + (0 if b is None else b[:, None])
    return y / (1 + np.exp(-y)) if silu else y
