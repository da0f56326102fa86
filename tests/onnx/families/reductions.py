# SPDX-License-Identifier: Apache-2.0
"""Operators that bring many elements together: reductions, activations along an axis, normalisation."""

import numpy as np
from draw import Call


def activation(d):
    op = d.one(["Relu", "LeakyRelu", "Elu", "Selu", "Celu", "Sigmoid", "HardSigmoid", "HardSwish", "Softplus", "Softsign", "Gelu", "Mish", "PRelu",
                "ThresholdedRelu", "Softmax", "LogSoftmax", "Hardmax", "Clip", "Erf"])
    dtype = d.one([np.float32, np.float64])
    x, attrs, inputs, want = d.array(d.deep_shape(), dtype), {}, None, None
    alpha = round(d.rng.uniform(0.1, 2), 2)
    if op in ("LeakyRelu", "Elu", "Celu", "ThresholdedRelu"):
        attrs = {"alpha": alpha} if d.maybe() else {}
        dtype = np.float32 if op == "Celu" else dtype
        x = x.astype(dtype)
    if op == "Selu":
        attrs = {"alpha": alpha, "gamma": 1.5} if d.maybe() else {}
    if op == "HardSigmoid":
        attrs = {"alpha": 0.3, "beta": 0.4} if d.maybe() else {}
    if op == "Gelu":
        attrs = {"approximate": d.one(["none", "tanh"])}
    if op in ("Softmax", "LogSoftmax", "Hardmax"):
        shape = d.shape(d.int(1, 5), low=1)
        x = d.distinct(shape, dtype) / 7 if op == "Hardmax" else d.array(shape, dtype, -20, 20)
        attrs = {"axis": d.axis(len(shape))} if d.maybe(0.8) else {}
        if op == "Hardmax":
            axis = attrs.get("axis", -1)
            want = lambda v: (v == v.max(axis=axis, keepdims=True)).astype(v.dtype)
    if op in ("Softsign", "Softplus"):
        want = lambda v: (v / (1 + np.abs(v)) if op == "Softsign" else np.logaddexp(v, 0)).astype(v.dtype)
    if op == "PRelu":
        a, b = d.broadcast(2)
        full = np.broadcast_shapes(a, b)
        inputs, want = [d.array(full, dtype), d.array(b, dtype)], lambda v, s: np.where(v < 0, v * s, v).astype(v.dtype)
    if op == "Clip":
        dtype = d.one([np.float32, np.float64, np.int32, np.int64, np.int8, np.uint8])
        low, high = np.asarray(-1 if np.dtype(dtype).kind != "u" else 1, dtype), np.asarray(2, dtype)
        inputs = [d.array(d.deep_shape(), dtype), low if d.maybe() else None, high if d.maybe() else None]
        want = lambda v, *b: np.clip(v, *[(list(b) + [None, None])[i] for i in (0, 1)]) if any(y is not None for y in b) else v
    return Call("one element or one axis at a time", op, inputs or [x], attrs, want=want, tolerance=(3e-5, 3e-6))


def activation_wrong(d):
    op = d.one(["Softmax", "LogSoftmax", "Hardmax"])
    kind = d.int(0, 2)
    if kind == 0:
        rank = d.int(1, 4)
        return Call("an axis outside the rank", op, [d.array([2] * rank)], {"axis": d.one([rank, -rank - 1])})
    if kind == 1:
        return Call("not for integers", d.one(["Sigmoid", "Tanh", "Elu", "Softmax"]), [d.array([2, 3], np.int32)])
    return Call("a slope that does not broadcast to x", "PRelu", [d.array([2, 3]), d.array([4, 2, 3])])


REDUCTIONS = ["Sum", "Mean", "Max", "Min", "Prod", "L1", "L2", "LogSum", "LogSumExp", "SumSquare"]


def reduction(d):
    if d.maybe(0.25):
        op, x = d.one(["ArgMax", "ArgMin"]), d.distinct(d.shape(d.int(1, 5), low=1), d.one([np.float32, np.int32, np.float64]))
        if d.maybe(0.3):
            x = x // 3  # ties: the first, or the last when asked
        attrs = {"axis": d.axis(x.ndim), "keepdims": d.int(0, 1), "select_last_index": d.int(0, 1)}

        def arg(v):
            f, axis = (np.argmax if op == "ArgMax" else np.argmin), attrs["axis"]
            index = v.shape[axis] - 1 - f(np.flip(v, axis), axis) if attrs["select_last_index"] else f(v, axis)
            return np.expand_dims(index, axis).astype(np.int64) if attrs["keepdims"] else np.asarray(index, np.int64)
        return Call("ties go to the first or to the last", op, [x], attrs, want=arg)
    if d.maybe(0.15):
        x = d.array(d.shape(d.int(1, 4), low=1), d.one([np.float32, np.float64, np.int32, np.int64]))
        axis = d.axis(x.ndim)
        attrs = {"exclusive": d.int(0, 1), "reverse": d.int(0, 1)}

        def total(v, _):
            v = np.flip(v, axis) if attrs["reverse"] else v
            s = np.cumsum(v, axis, dtype=v.dtype)
            s = s - v if attrs["exclusive"] and v.dtype.kind == "i" else s
            if attrs["exclusive"] and v.dtype.kind == "f":
                s = np.concatenate([np.zeros_like(np.take(s, [0], axis)), np.delete(s, -1, axis)], axis)
            return np.flip(s, axis) if attrs["reverse"] else s
        return Call("sums so far, along an axis", "CumSum", [x, np.asarray(axis, np.int64)], attrs, want=total)
    name = d.one(REDUCTIONS)
    integer = name in ("Sum", "Max", "Min", "Prod", "SumSquare", "L1") and d.maybe(0.3)
    dtype = d.one([np.int32, np.int64]) if integer else d.one([np.float32, np.float64])
    x = d.array(d.shape(d.int(0, 6), low=1, high=3), dtype, 0.1 if name.startswith("Log") and not integer else -3, 3)
    given, noop = d.maybe(0.8) and x.ndim > 0, d.int(0, 1)
    axes = np.asarray(d.axes(x.ndim), np.int64) if given else None
    attrs = {"keepdims": d.int(0, 1), "noop_with_empty_axes": noop}

    def reduce(v, a=None):
        over = tuple(int(k) for k in a) if a is not None and len(a) else (() if noop else tuple(range(v.ndim)))
        keep, wide = bool(attrs["keepdims"]), v.astype(np.float64) if v.dtype.kind == "f" else v
        f = {"Sum": np.sum, "Mean": np.mean, "Max": np.max, "Min": np.min, "Prod": np.prod}.get(name)
        if noop and not over:
            over = ()
        if f:
            out = f(wide, axis=over, keepdims=keep)
        elif name == "L1":
            out = np.sum(np.abs(wide), axis=over, keepdims=keep)
        elif name == "LogSumExp":
            out = np.log(np.sum(np.exp(wide), axis=over, keepdims=keep))
        elif name == "LogSum":
            out = np.log(np.sum(wide, axis=over, keepdims=keep))
        else:
            out = np.sum(wide * wide, axis=over, keepdims=keep)
            out = np.sqrt(out) if name == "L2" else out
        return np.asarray(out).astype(v.dtype)
    if noop and (axes is None or len(axes) == 0) and name not in ("Sum", "Mean", "Max", "Min", "Prod"):
        noop = attrs["noop_with_empty_axes"] = 0
    return Call("over the axes named, all, or none", "Reduce" + name, [x, axes] if axes is not None else [x], attrs, want=reduce, opset=18,
                constants=(1,) if axes is not None and d.maybe() else (), tolerance=(2e-5, 1e-6))


def reduction_wrong(d):
    op, rank = "Reduce" + d.one(REDUCTIONS), d.int(1, 4)
    kind = d.int(0, 3)
    x = d.array([2] * rank)
    if kind == 0:
        return Call("an axis outside the rank", op, [x, np.asarray([d.one([rank, -rank - 1])], np.int64)], constants=(1,), opset=18)
    if kind == 1:
        return Call("an axis named twice", op, [x, np.asarray([0, -rank], np.int64)], constants=(1,), opset=18)
    if kind == 2:
        return Call("axes are integers", op, [x, np.asarray([0], np.float32)], opset=18)
    return Call("an axis outside the rank", d.one(["ArgMax", "ArgMin"]), [x], {"axis": rank + 3})


def normal(v, axes, epsilon):
    wide = v.astype(np.float64)
    mean = wide.mean(axis=axes, keepdims=True)
    return (wide - mean) / np.sqrt(((wide - mean) ** 2).mean(axis=axes, keepdims=True) + epsilon)


def norm(d):
    op = d.one(["BatchNormalization", "InstanceNormalization", "LayerNormalization", "GroupNormalization", "RMSNormalization", "LRN",
                "MeanVarianceNormalization", "LpNormalization"])
    epsilon = d.one([1e-5, 1e-3])
    dtype = d.one([np.float32, np.float64])
    shape = d.shape(d.int(2, 5), low=1, high=7)
    c = shape[1]
    along = [c] + [1] * (len(shape) - 2)
    tolerance = (1e-4, 1e-5)
    if op == "BatchNormalization":
        x, s, b, m, v = d.array(shape, dtype), *(d.array([c], dtype) for _ in range(3)), d.array([c], dtype, 0.1, 2)
        f = lambda x, s, b, m, v: ((x.astype(np.float64) - m.reshape(along)) / np.sqrt(v.reshape(along) + epsilon) * s.reshape(along) + b.reshape(along)).astype(x.dtype)
        return Call("with the mean and variance given", op, [x, s, b, m, v], {"epsilon": epsilon}, want=f, tolerance=tolerance)
    if op == "InstanceNormalization":
        shape = d.shape(d.int(3, 5), low=1, high=7)
        c, axes = shape[1], tuple(range(2, len(shape)))
        along = [c] + [1] * len(axes)
        f = lambda x, s, b: (normal(x, axes, epsilon) * s.reshape(along) + b.reshape(along)).astype(x.dtype)
        return Call("each channel of each item", op, [d.array(shape, dtype), d.array([c], dtype), d.array([c], dtype)], {"epsilon": epsilon}, want=f, tolerance=(1e-3, 1e-4))
    if op in ("LayerNormalization", "RMSNormalization"):
        axis = d.axis(len(shape))
        tail = shape[axis % len(shape):]
        axes = tuple(range(axis % len(shape), len(shape)))
        inputs = [d.array(shape, dtype), d.array(tail, dtype)]
        if op == "LayerNormalization":
            inputs += [d.array(tail, dtype)] if d.maybe() else []
            f = lambda x, s, b=0.0: (normal(x, axes, epsilon) * s + b).astype(x.dtype)
        else:
            f = lambda x, s: (x.astype(np.float64) / np.sqrt((x.astype(np.float64) ** 2).mean(axis=axes, keepdims=True) + epsilon) * s).astype(x.dtype)
        return Call("over the dims from axis on", op, inputs, {"axis": axis, "epsilon": epsilon}, want=f, tolerance=(1e-3, 1e-4), opset=23)
    if op == "GroupNormalization":
        groups, per = d.int(1, 3), d.int(1, 3)
        shape = [d.int(1, 2), groups * per] + d.shape(d.int(1, 3), low=1)
        along = [groups * per] + [1] * (len(shape) - 2)

        def f(x, s, b):
            grouped = x.reshape([x.shape[0], groups, -1])
            return (normal(grouped, (2,), epsilon).reshape(x.shape) * s.reshape(along) + b.reshape(along)).astype(x.dtype)
        return Call("channels in groups", op, [d.array(shape, dtype), d.array([groups * per], dtype), d.array([groups * per], dtype)],
                    {"num_groups": groups, "epsilon": epsilon}, want=f, tolerance=(1e-3, 1e-4))
    if op == "LRN":
        shape = d.shape(4, low=1, high=5)
        size = d.one([1, 3, 5])

        def f(x):
            square = np.zeros(x.shape)
            for k in range(x.shape[1]):
                square[:, k] = (x[:, max(0, k - (size - 1) // 2):k + size // 2 + 1].astype(np.float64) ** 2).sum(axis=1)
            return (x / (1 + 1e-4 / size * square) ** 0.75).astype(x.dtype)
        return Call("neighbouring channels", op, [d.array(shape, np.float32)], {"size": size}, want=f, tolerance=tolerance)
    if op == "LpNormalization":
        axis, p = d.axis(len(shape)), d.int(1, 2)
        f = lambda x: (x / np.linalg.norm(x.astype(np.float64), p, axis, keepdims=True)).astype(x.dtype)
        return Call("of the first or second order", op, [d.array(shape, dtype, 0.5, 3)], {"axis": axis, "p": p}, want=f, tolerance=tolerance)
    shape = d.shape(4, low=1, high=7)
    f = lambda x: ((x - x.mean((0, 2, 3), keepdims=True)) / (np.sqrt(((x - x.mean((0, 2, 3), keepdims=True)) ** 2).mean((0, 2, 3), keepdims=True)) + 1e-9)).astype(np.float32)
    shape[2] = max(shape[2], 2)
    return Call("axes 0, 2, 3 when none are named", op, [d.array(shape, np.float32)], want=lambda x: f(x.astype(np.float64)), tolerance=(1e-3, 1e-4))


def norm_wrong(d):
    op = d.one(["BatchNormalization", "InstanceNormalization", "LayerNormalization", "GroupNormalization"])
    x, right, wrong = d.array([2, 4, 3]), d.array([4]), d.array([5])
    if op == "BatchNormalization":
        params = [right] * 4
        params[d.int(0, 3)] = wrong
        return Call("parameters as many as channels", op, [x, *params])
    if op == "LayerNormalization":
        return Call("an axis outside the rank", op, [x, d.array([3])], {"axis": d.one([3, -4])})
    if op == "GroupNormalization":
        return Call("groups that do not divide the channels", op, [x, right, right], {"num_groups": 3}, opset=21)
    return Call("parameters as many as channels", op, [x, right, wrong])


FAMILIES = {"activation": (activation, activation_wrong), "reduction": (reduction, reduction_wrong), "normalisation": (norm, norm_wrong)}
