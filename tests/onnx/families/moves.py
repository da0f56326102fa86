# SPDX-License-Identifier: Apache-2.0
"""Operators that move elements: shapes, slices, gathering, scattering, padding, joining."""

import numpy as np
from draw import Call

ALL = [np.float32, np.float64, np.float16, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, bool, object]


def any_array(d, shape, dtype=None):
    dtype = d.one(ALL) if dtype is None else dtype
    if dtype is object:
        return np.array([f"t{i}" for i in range(int(np.prod(shape)))], object).reshape(shape)
    return d.array(shape, dtype, special=True)


def ints(*values):
    return np.asarray(values, np.int64)


def shape_op(d):
    op = d.one(["Transpose", "Reshape", "Expand", "Tile", "Squeeze", "Unsqueeze", "Flatten", "DepthToSpace", "SpaceToDepth", "Shape", "Size", "Identity",
                "Trilu", "EyeLike", "ConstantOfShape", "Range"])
    x = any_array(d, d.shape(d.int(0, 6), high=3))
    constant = (1,) if d.maybe(0.6) else ()
    if op == "Transpose":
        perm = [int(p) for p in d.rng.permutation(x.ndim)]
        given = d.maybe(0.8)
        return Call("dims in the order asked, reversed by default", op, [x], {"perm": perm} if given and perm else {}, want=lambda v: np.transpose(v, perm if given and perm else None))
    if op == "Reshape":
        x = any_array(d, d.shape(d.int(1, 4), low=1, high=3))
        target = list(x.reshape([int(v) for v in d.rng.permutation(x.shape)]).shape)
        told = list(target)
        if d.maybe():
            told[d.int(0, len(told) - 1)] = -1
        return Call("one -1 is what is left", op, [x, ints(*told)], want=lambda v, _: v.reshape(target), constants=constant)
    if op == "Expand":
        a, b = d.broadcast(2)
        x = any_array(d, a)
        return Call("two-way broadcasting", op, [x, ints(*b)], want=lambda v, _: np.broadcast_to(v, np.broadcast_shapes(tuple(a), tuple(b))).copy(), constants=constant)
    if op == "Tile":
        repeats = [d.int(0, 3) for _ in range(x.ndim)]
        return Call("each dim as often as asked", op, [x, ints(*repeats)], want=lambda v, _: np.tile(v, repeats), constants=constant)
    if op == "Squeeze":
        shape = [d.one([1, 1, 2, 3]) for _ in range(d.int(0, 5))]
        x, ones = any_array(d, shape), [i for i, s in enumerate(shape) if s == 1]
        if d.maybe(0.3):
            return Call("all ones when no axes are named", op, [x], want=np.squeeze)
        axes = [int(a) - (len(shape) if d.maybe() else 0) for a in d.rng.permutation(ones)[:d.int(0, len(ones))]] if ones else []
        if not axes:
            return Call("all ones when no axes are named", op, [x], want=np.squeeze)
        return Call("the ones named", op, [x, ints(*axes)], want=lambda v, _: np.squeeze(v, tuple(axes)), constants=constant)
    if op == "Unsqueeze":
        x = any_array(d, d.shape(d.int(0, 4), high=3))
        n = d.int(1, 3)
        axes = [int(a) - (x.ndim + n if d.maybe() else 0) for a in d.rng.permutation(x.ndim + n)[:n]]
        return Call("ones where asked", op, [x, ints(*axes)], want=lambda v, _: np.expand_dims(v, tuple(axes)), constants=constant)
    if op == "Flatten":
        axis = d.int(-x.ndim, x.ndim)
        at = axis + x.ndim if axis < 0 else axis
        return Call("two dims", op, [x], {"axis": axis}, want=lambda v: v.reshape(int(np.prod(v.shape[:at])), int(np.prod(v.shape[at:]))))
    if op in ("DepthToSpace", "SpaceToDepth"):
        block, c, h, w = d.int(1, 3), d.int(1, 3), d.int(1, 3), d.int(1, 3)
        mode = d.one(["DCR", "CRD"])
        x = d.array([d.int(1, 2), c * block * block, h, w] if op == "DepthToSpace" else [1, c, h * block, w * block], d.one([np.float32, np.int32]))
        return Call("blocks between depth and space", op, [x], {"blocksize": block} | ({"mode": mode} if op == "DepthToSpace" else {}))
    if op in ("Shape", "Size"):
        attrs = {"start": d.int(-x.ndim - 1, x.ndim + 1), "end": d.int(-x.ndim - 1, x.ndim + 1)} if op == "Shape" and d.maybe() else {}

        def sizes(v):
            clamp = lambda a: min(max(a + v.ndim if a < 0 else a, 0), v.ndim)
            return np.asarray(v.shape[clamp(attrs["start"]):clamp(attrs["end"])] if attrs else v.shape, np.int64)
        return Call("dims as int64, clamped", op, [x], attrs, want=sizes if op == "Shape" else lambda v: np.asarray(v.size, np.int64))
    if op == "Identity":
        return Call("the same", op, [x], want=lambda v: v)
    if op == "Trilu":
        x, k, upper = d.array(d.shape(d.int(2, 4), high=5), d.one([np.float32, np.int64, np.uint8])), d.int(-4, 4), d.int(0, 1)
        return Call("a triangle from a diagonal on", op, [x, np.asarray(k, np.int64)], {"upper": upper}, want=lambda v, _: (np.triu if upper else np.tril)(v, k))
    if op == "EyeLike":
        k = d.int(-3, 3)
        return Call("ones on a diagonal", op, [d.array(d.shape(2, low=1), np.float32)], {"k": k}, want=lambda v: np.eye(*v.shape, k=k, dtype=np.float32))
    if op == "ConstantOfShape":
        shape = d.shape(d.int(0, 5), high=3)
        return Call("zeros by default", op, [ints(*shape)], want=lambda _: np.zeros(shape, np.float32), constants=(0,) if d.maybe() else ())
    dtype = d.one([np.int32, np.int64, np.float32])
    start, limit, delta = (np.asarray(v, dtype) for v in (d.int(-9, 9), d.int(-9, 9), d.one([1, 2, 3, -1, -2])))
    return Call("up to but not including the limit; may be empty", "Range", [start, limit, delta], want=lambda *v: np.arange(*v, dtype=dtype))


def shape_op_wrong(d):
    kind = d.int(0, 7)
    if kind == 0:
        return Call("a permutation that is none", "Transpose", [d.array([2, 3])], {"perm": d.one([[0, 0], [0, 2], [0]])})
    if kind == 1:
        return Call("another number of elements", "Reshape", [d.array([2, 3]), ints(d.one([4, 7]))], constants=(1,))
    if kind == 2:
        return Call("two -1", "Reshape", [d.array([2, 3]), ints(-1, -1)], constants=(1,))
    if kind == 3:
        return Call("a shape that does not broadcast", "Expand", [d.array([2, 3]), ints(2, 4)], constants=(1,))
    if kind == 4:
        return Call("repeats for another rank", "Tile", [d.array([2, 3]), ints(2)], constants=(1,))
    if kind == 5:
        return Call("a dim that is not 1", "Squeeze", [d.array([2, 1]), ints(0)], constants=(1,))
    if kind == 6:
        return Call("an axis named twice", "Unsqueeze", [d.array([2]), ints(1, 1)], constants=(1,))
    return Call("depth that blocks do not divide", "DepthToSpace", [d.array([1, 3, 2, 2])], {"blocksize": 2})


def slices(d):
    op = d.one(["Slice", "Gather", "GatherElements", "GatherND", "ScatterElements", "ScatterND", "Split", "Concat", "Compress", "ReverseSequence"])
    shape = d.shape(d.int(1, 5), low=1, high=5)
    rank, dtype = len(shape), d.one(ALL)
    x, constant = any_array(d, shape, dtype), (1,) if d.maybe() else ()
    axis = d.axis(rank)
    n = shape[axis]
    index = d.one([np.int32, np.int64])
    if op == "Slice":
        axes = [int(a) for a in d.rng.permutation(rank)[:d.int(1, rank)]]
        steps = [d.one([1, 1, 2, -1, -2]) for _ in axes]
        starts, ends = [d.int(-7, 7) for _ in axes], [d.one([d.int(-7, 7), 2**31 - 1, -2**31]) for _ in axes]

        def cut(v, *_):
            for a, s, e, t in zip(axes, starts, ends, steps):
                size = v.shape[a]
                s, e = (k + size if k < 0 else k for k in (s, e))
                s = min(max(s, 0 if t > 0 else -1), size if t > 0 else size - 1)  # below the first: empty, as numpy and the evaluator of onnx
                e = min(max(e, 0 if t > 0 else -1), size if t > 0 else size - 1)
                v = np.take(v, np.arange(s, e, t), axis=a)
            return v
        told = [a - (rank if d.maybe() else 0) for a in axes]
        return Call("bounds are clamped, steps may be negative", op, [x, *(np.asarray(v, index) for v in (starts, ends, told, steps))], want=cut,
                    constants=(1, 2, 3, 4) if d.maybe() else ())
    if op == "Gather":
        i = np.asarray(d.rng.integers(-n, n, d.shape(d.int(0, 3), high=3)), index)
        return Call("indices may be negative", op, [x, i], {"axis": axis}, want=lambda v, k: np.take(v, k, axis=axis), constants=constant)
    if op in ("GatherElements", "ScatterElements"):
        small = [d.int(1, s) for s in shape]
        if op == "GatherElements":
            i = np.asarray(d.rng.integers(-n, n, small), index)
            return Call("an index for each element", op, [x, i], {"axis": axis},
                        want=lambda v, k: np.take_along_axis(v[tuple(slice(0, s if a != axis % rank else None) for a, s in enumerate(small))], np.where(k < 0, k + n, k), axis))
        order = [d.rng.permutation(n)[:small[axis]] for _ in range(int(np.prod(small)) // small[axis])]
        i = np.moveaxis(np.asarray(order).reshape([s for a, s in enumerate(small) if a != axis % rank] + [small[axis]]), -1, axis % rank).astype(index)
        u = any_array(d, small, dtype)

        def put(v, k, w):
            v = v.copy()
            for at in np.ndindex(*small):
                to = list(at)
                to[axis] = k[at]
                v[tuple(to)] = w[at]
            return v
        return Call("each update at its index", op, [x, i, u], {"axis": axis}, want=put)
    if op in ("GatherND", "ScatterND"):
        depth = d.int(1, rank)
        count = d.int(0, 4)
        places = int(np.prod(shape[:depth]))
        flat = d.rng.permutation(places)[:min(count, places)]
        i = np.stack(np.unravel_index(flat, shape[:depth]), -1).astype(np.int64).reshape(len(flat), depth)
        if op == "GatherND":
            return Call("tuples of indices", op, [x, i], want=lambda v, k: np.stack([v[tuple(t)] for t in k]) if len(k) else np.empty([0] + shape[depth:], v.dtype))
        u = any_array(d, [len(flat)] + shape[depth:], dtype)

        def put_nd(v, k, w):
            v = v.copy()
            for t, one in zip(k, w):
                v[tuple(t)] = one
            return v
        return Call("tuples of indices", op, [x, i, u], want=put_nd)
    if op == "Split":
        parts = d.int(1, 4)
        edges = sorted(d.int(0, n) for _ in range(parts - 1))
        sizes = np.diff([0, *edges, n])
        return Call("sizes named; some may be 0", op, [x, ints(*sizes)], {"axis": axis}, n_out=parts, want=lambda v, _: tuple(np.split(v, edges, axis)),
                    constants=constant)
    if op == "Concat":
        xs = [any_array(d, [d.int(0, 3) if a == axis % rank else s for a, s in enumerate(shape)], dtype) for _ in range(d.int(1, 4))]
        return Call("one after the other, empty ones too", op, xs, {"axis": axis}, want=lambda *v: np.concatenate(v, axis))
    if op == "Compress":
        x = any_array(d, shape, d.one([t for t in ALL if t is not object]))
        keep = d.array([d.int(0, n)], bool)
        return Call("where the condition is true", op, [x, keep], {"axis": axis}, want=lambda v, k: np.compress(k, v, axis))
    shape = [d.int(1, 5), d.int(1, 4)] + d.shape(d.int(0, 2), high=3)
    x, time_axis = any_array(d, shape), d.int(0, 1)
    lengths = ints(*[d.int(1, shape[time_axis]) for _ in range(shape[1 - time_axis])])

    def reverse(v, k):
        v = np.moveaxis(v.copy(), (time_axis, 1 - time_axis), (0, 1))
        for b, length in enumerate(k):
            v[:length, b] = v[:length, b][::-1]
        return np.moveaxis(v, (0, 1), (time_axis, 1 - time_axis))
    return Call("the first of each sequence", "ReverseSequence", [x, lengths], {"time_axis": time_axis, "batch_axis": 1 - time_axis}, want=reverse)


def slices_wrong(d):
    kind = d.int(0, 8)
    x = d.array([2, 3])
    if kind == 0:
        return Call("a step of 0", "Slice", [x, ints(0), ints(2), ints(1), ints(0)], constants=(1, 2, 3, 4))
    if kind == 1:
        return Call("an axis outside the rank", "Slice", [x, ints(0), ints(2), ints(5)], constants=(1, 2, 3))
    if kind == 2:
        return Call("an index outside", "Gather", [x, ints(d.one([2, -3, 2**40]))])
    if kind == 3:
        return Call("an index outside", "GatherElements", [x, np.asarray([[5, 0, 0]], np.int64)])
    if kind == 4:
        return Call("an index outside", "ScatterND", [x, np.asarray([[2, 0]], np.int64), d.array([1])])
    if kind == 5:
        return Call("sizes that do not add up", "Split", [x, ints(1, 1)], {"axis": 1}, n_out=2, constants=(1,))
    if kind == 6:
        return Call("other dims that differ", "Concat", [x, d.array([2, 4])], {"axis": 0})
    if kind == 7:
        return Call("an axis outside the rank", d.one(["Gather", "GatherElements"]), [x, ints(0) if d.maybe() else np.zeros([1, 1], np.int64)], {"axis": 2})
    return Call("updates of another shape", "ScatterElements", [x, np.zeros([1, 2], np.int64), d.array([1, 3])])


def pad(d):
    shape = d.shape(d.int(1, 5), low=1, high=5)
    rank, mode = len(shape), d.one(["constant", "constant", "reflect", "edge", "wrap"])
    dtype = d.one([np.float32, np.float64, np.int32, np.int64, np.uint8, bool])
    x = d.array(shape, dtype)
    most = {"constant": 3, "edge": 3}.get(mode)
    axes = [int(a) for a in d.rng.permutation(rank)[:d.int(1, rank)]] if d.maybe(0.4) else list(range(rank))
    begin, end = ([d.int(-1 if mode == "constant" and shape[a] > 2 else 0, most if most is not None else shape[a] - 1) for a in axes] for _ in range(2))
    value = np.asarray(1, dtype) if mode == "constant" and d.maybe() else None
    inputs = [x, ints(*begin, *end), value, ints(*axes) if axes != list(range(rank)) else None]

    def padded(v, *_):
        width, cut = [(0, 0)] * rank, [slice(None)] * rank
        for a, b, e in zip(axes, begin, end):
            width[a], cut[a] = (max(b, 0), max(e, 0)), slice(max(-b, 0), shape[a] - max(-e, 0))
        v = v[tuple(cut)]
        return np.pad(v, width, mode, constant_values=value if value is not None else np.asarray(0, dtype)) if mode == "constant" else np.pad(v, width, mode)
    return Call("negative pads cut, modes as numpy's", "Pad", inputs, {"mode": mode}, want=padded, constants=(1,) if d.maybe() else ())


def pad_wrong(d):
    kind, x = d.int(0, 3), d.array([2, 3])
    if kind == 0:
        return Call("pads for another rank", "Pad", [x, ints(1, 1)], constants=(1,))
    if kind == 1:
        return Call("a mode there is not", "Pad", [x, ints(0, 0, 1, 1)], {"mode": "mirror"})
    if kind == 2:
        return Call("more cut off than there is", "Pad", [x, ints(-2, 0, -2, 0)], constants=(1,))
    return Call("an axis outside the rank", "Pad", [x, ints(1, 1), None, ints(4)], constants=(1, 3))


FAMILIES = {"shape": (shape_op, shape_op_wrong), "slices": (slices, slices_wrong), "pad": (pad, pad_wrong)}
