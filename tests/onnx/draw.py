# SPDX-License-Identifier: Apache-2.0
"""Drawing of random calls: shapes, values, and the call of one operator with what it must give."""

from dataclasses import dataclass, field

import numpy as np

OPSET = 22
INTS = [np.int8, np.int16, np.int32, np.int64]
UINTS = [np.uint8, np.uint16, np.uint32, np.uint64]
FLOATS = [np.float32, np.float64, np.float16]
TOLERANCE = {"float64": (1e-9, 1e-11), "float32": (2e-5, 2e-6), "float16": (4e-3, 4e-3)}  # rtol, atol: some units of the last place


@dataclass
class Call:
    """One call.  want: arrays, a function of the inputs, or None: the reference evaluator of onnx says it.  error: part of the message that
    a refusal has besides the node's name."""
    rule: str
    op: str
    inputs: list
    attrs: dict = field(default_factory=dict)
    n_out: int = 1
    want: object = None
    error: str | None = None
    opset: int = OPSET
    constants: tuple = ()  # inputs that are initializers
    tolerance: tuple | None = None
    graph: object = None   # a whole graph instead of one node


class Draw:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def int(self, low, high):
        """low to high, both included."""
        return int(self.rng.integers(low, high + 1))

    def one(self, items):
        return items[self.int(0, len(items) - 1)]

    def maybe(self, chance=0.5):
        return self.rng.random() < chance

    def dim(self, low=0, high=5):
        return self.one([d for d in (0, 1, 2, 3, 5, 7, 17) if low <= d <= high]) if self.maybe(0.7) else self.int(low, high)

    def shape(self, rank=None, low=0, high=5, most_rank=5):
        rank = self.int(0, most_rank) if rank is None else rank
        shape = [self.dim(max(low, 1), high) for _ in range(rank)]
        if low == 0 and shape and self.maybe(0.1):
            shape[self.int(0, rank - 1)] = 0
        return shape

    def deep_shape(self):
        """Up to rank 8, small dims."""
        return self.shape(self.int(0, 8), high=3)

    def broadcast(self, count):
        """Shapes that broadcast, numpy's way."""
        full = self.shape(self.int(0, 8), high=3) if self.maybe(0.2) else self.shape(most_rank=4)
        shapes = []
        for _ in range(count):
            shape = full[self.int(0, len(full)) if self.maybe(0.3) else 0:]
            shapes.append([1 if self.maybe(0.25) else d for d in shape])
        return shapes

    def axis(self, rank):
        axis = self.int(0, rank - 1)
        return axis - rank if self.maybe() else axis

    def axes(self, rank, least=0):
        chosen = self.rng.permutation(rank)[:self.int(least, rank)]
        return [int(a) - rank if self.maybe() else int(a) for a in chosen]

    def array(self, shape, dtype=np.float32, low=-4, high=4, special=False):
        dtype = np.dtype(dtype)
        if dtype.kind == "b":
            return np.asarray(self.rng.integers(0, 2, shape), bool)
        if dtype.kind in "iu":
            info = np.iinfo(dtype)
            if special:
                values = self.rng.integers(info.min, info.max, shape, dtype=dtype, endpoint=True)
                edges = np.array([info.min, info.max, 0, 1], dtype)
                return np.where(self.rng.random(shape) < 0.3, edges[self.rng.integers(0, 4, shape)], values).astype(dtype)
            return np.asarray(self.rng.integers(max(low, info.min), high + 1, shape), dtype)
        values = np.asarray(self.rng.uniform(low, high, shape)).astype(dtype)
        if special:
            edges = np.array([np.nan, np.inf, -np.inf, -0.0, 0.0, np.finfo(dtype).max, np.finfo(dtype).tiny], dtype)
            values = np.where(self.rng.random(shape) < 0.2, edges[self.rng.integers(0, len(edges), shape)], values).astype(dtype)
        return np.asarray(values, dtype)

    def distinct(self, shape, dtype=np.float32):
        """No two elements equal: nothing that sorts has a tie."""
        return self.rng.permutation(int(np.prod(shape))).reshape(shape).astype(dtype)
