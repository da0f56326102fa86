# SPDX-License-Identifier: Apache-2.0
"""The generator of impl/ops/random, for expect.py."""

import numpy as np

MASK = 2**64 - 1


def mix(z):
    z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ z >> 27) * 0x94D049BB133111EB) & MASK
    return z ^ z >> 31


def uniform(n, seed, seed2, first=0, step=1):
    base = mix((mix(int(seed)) + int(seed2)) & MASK)
    return np.array([(mix((base + (first + step * k + 1) * 0x9E3779B97F4A7C15) & MASK) >> 11) / 2**53 for k in range(int(n))])


def normal(n, seed, seed2):
    u, v = 1 - uniform(n, seed, seed2, 0, 2), uniform(n, seed, seed2, 1, 2)
    return np.sqrt(-2 * np.log(u)) * np.cos(2 * np.pi * v)


def multinomial(logits, n, seed, seed2):
    sums = np.exp(logits - logits.max(1, keepdims=True)).cumsum(1)
    drawn = uniform(len(logits) * n, seed, seed2).reshape(len(logits), n) * sums[:, -1:]
    return (sums[:, None, :] <= drawn[:, :, None]).sum(2)
