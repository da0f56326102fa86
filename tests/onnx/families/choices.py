# SPDX-License-Identifier: Apache-2.0
"""Operators that choose, convert, quantise, and those on texts, sequences, images and signals; control flow."""

import ml_dtypes
import numpy as np
from draw import Call
from onnx import TensorProto, helper

from families.linear import by_onnxruntime


def ints(*values):
    return np.asarray(values, np.int64)


def selection(d):
    op = d.one(["TopK", "NonZero", "OneHot", "Unique", "NonMaxSuppression"])
    if op == "TopK":
        shape = d.shape(d.int(1, 4), low=1)
        x, axis = d.distinct(shape, d.one([np.float32, np.float64, np.int32, np.int64])), d.axis(len(shape))
        k, largest = d.int(0, shape[axis]), d.int(0, 1)

        def top(v, _):
            order = np.argsort(-v if largest else v, axis, kind="stable")
            order = np.take(order, np.arange(k), axis)
            return np.take_along_axis(v, order, axis), order.astype(np.int64)
        return Call("sorted, with indices", op, [x, ints(k)], {"axis": axis, "largest": largest}, n_out=2, want=top, constants=(1,) if d.maybe() else ())
    if op == "NonZero":
        return Call("indices in row-major order", op, [d.array(d.shape(d.int(1, 4)), d.one([np.float32, np.int32, bool]), 0, 2)],
                    want=lambda v: np.stack(np.nonzero(v)).astype(np.int64))
    if op == "OneHot":
        depth, axis = d.int(1, 5), None
        i = np.asarray(d.rng.integers(-depth - 1, depth + 2, d.shape(d.int(0, 3), high=3)), d.one([np.int32, np.int64]))
        axis = d.int(-i.ndim - 1, i.ndim)
        values = np.asarray([0, 1], d.one([np.float32, np.int32]))

        def hot(v, *_):
            at = axis + v.ndim + 1 if axis < 0 else axis
            grid = np.expand_dims(np.where(v < 0, v + depth, v), at) == np.arange(depth).reshape([-1 if a == at else 1 for a in range(v.ndim + 1)])
            return np.where(grid & np.expand_dims((v >= -depth) & (v < depth), at), values[1], values[0])
        return Call("an index outside is all off", op, [i, np.asarray(depth, np.int64), values], {"axis": axis}, want=hot)
    if op == "Unique":
        x, by_value = d.array([d.int(0, 12)], d.one([np.float32, np.int64, np.int8]), -3, 3), d.int(0, 1)
        x = np.round(x).astype(x.dtype) + np.asarray(0, x.dtype)

        def unique(v):
            values, first, inverse, count = np.unique(v, True, True, True)
            if not by_value:
                order = np.argsort(first)
                place = np.empty_like(order)
                place[order] = np.arange(len(order))
                values, first, inverse, count = values[order], first[order], place[inverse], count[order]
            return values, first.astype(np.int64), inverse.astype(np.int64), count.astype(np.int64)
        return Call("sorted or in order of appearance", op, [x], {"sorted": by_value}, n_out=4, want=unique)
    boxes = np.sort(d.array([1, d.int(1, 8), 4], np.float32, 0, 5), axis=-1)[..., [0, 1, 2, 3]]
    scores = d.distinct([1, d.int(1, 2), boxes.shape[1]]) / 20
    inputs = [boxes, scores.astype(np.float32), ints(d.int(0, 4)), np.asarray([0.4], np.float32), np.asarray([0.1], np.float32)]
    return Call("the best boxes that do not overlap", op, inputs, want=by_onnxruntime(op, inputs, {}))


def selection_wrong(d):
    kind = d.int(0, 3)
    if kind == 0:
        return Call("more than there are", "TopK", [d.array([3]), ints(4)], n_out=2)
    if kind == 1:
        return Call("an axis outside the rank", "TopK", [d.array([3]), ints(1)], {"axis": 1}, n_out=2)
    if kind == 2:
        return Call("not two values", "OneHot", [ints(1), np.asarray(3, np.int64), np.asarray([0, 1, 2], np.float32)])
    return Call("boxes of other than four numbers", "NonMaxSuppression", [d.array([1, 2, 3]), d.array([1, 1, 2])])


SATURATING = [ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2]
PLAIN = [np.float32, np.float64, np.float16, np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, bool]


def cast(d):
    source, target = d.one(PLAIN), d.one(PLAIN + [ml_dtypes.bfloat16] + SATURATING)
    if np.dtype(source).kind == "f" and np.dtype(target).kind in "iu":  # what is out of range is not defined
        info = np.iinfo(target)
        x = d.array(d.deep_shape(), source, max(info.min, -100), min(info.max, 100))
    else:
        x = d.array(d.deep_shape(), source, special=np.dtype(target).kind != "V" or True)
    if target in SATURATING:
        x, limit = x.astype(source), float(ml_dtypes.finfo(target).max)

        def saturate(v):
            wide = v.astype(np.float64)
            return np.where(np.isnan(wide), wide, np.clip(wide, -limit, limit)).astype(np.float32).astype(target)
        if np.dtype(source).kind in "iu" or source is np.float64:
            x = d.array(d.deep_shape(), np.float32, special=True)
        return Call("out of range saturates, NaN stays", "Cast", [x], {"to": helper.np_dtype_to_tensor_dtype(np.dtype(target))}, want=saturate)
    return Call("integers wrap, floats round to even, anything but 0 is true", "Cast", [x], {"to": helper.np_dtype_to_tensor_dtype(np.dtype(target))},
                want=lambda v: v.astype(target))


def cast_wrong(d):
    if d.maybe():
        return Call("a type there is not", "Cast", [d.array([2])], {"to": d.one([0, 99, -1])})
    return Call("texts that are no numbers", "Cast", [np.array(["a", "1x"], object)], {"to": TensorProto.FLOAT})


def quantise(d):
    op = d.one(["QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear", "QLinearMatMul", "ConvInteger", "QLinearConv"])
    dtype = d.one([np.uint8, np.int8])
    info = np.iinfo(dtype)
    if op == "DynamicQuantizeLinear":
        x = d.array(d.shape(d.int(1, 4), low=1), np.float32)
        return Call("range taken from the data, 0 in it", op, [x], n_out=3, want=by_onnxruntime(op, [x], {}, 3), tolerance=(1e-6, 1))
    if op == "QLinearMatMul":
        m, k, n = d.dim(1, 9), d.dim(1, 9), d.dim(1, 9)
        a, b = d.array([m, k], dtype, special=True), d.array([k, n], dtype, special=True)
        s = [np.asarray(v, np.float32) for v in (2**-4, 2**-5, 2**-3)]  # exact, so that ties are ties in any precision
        z = [np.asarray(d.int(0, 9), dtype) for _ in range(3)]
        f = lambda a, sa, za, b, sb, zb, sy, zy: np.clip(np.rint((a.astype(np.int64) - za) @ (b.astype(np.int64) - zb) * (np.float64(sa) * sb / sy)) + zy, info.min, info.max).astype(dtype)
        return Call("rounded to even, saturated", op, [a, s[0], z[0], b, s[1], z[1], s[2], z[2]], want=f)
    if op in ("ConvInteger", "QLinearConv"):
        c, o = d.int(1, 5), d.int(1, 5)
        x, w = d.array([1, c, d.int(3, 7), d.int(3, 7)], np.uint8, special=True), d.array([o, c, d.int(1, 3), d.int(1, 3)], np.uint8, special=True)
        xz, wz = np.asarray(d.int(0, 255), np.uint8), np.asarray(d.int(0, 255), np.uint8)
        if op == "ConvInteger":
            return Call("integers without their zero points", op, [x, w, xz, wz], want=by_onnxruntime(op, [x, w, xz, wz], {}))
        inputs = [x, np.asarray(2**-3, np.float32), xz, w, np.asarray(2**-5, np.float32), wz, np.asarray(2.0, np.float32), np.asarray(7, np.uint8)]
        return Call("rounded to even, saturated", op, inputs, want=by_onnxruntime(op, inputs, {}), constants=(1, 2, 3, 4, 5, 6, 7))
    shape = d.shape(d.int(1, 4), low=1)
    axis = d.int(0, len(shape) - 1)
    along = [shape[axis] if a == axis else 1 for a in range(len(shape))] if d.maybe() else []
    scale = d.array([int(np.prod(along))] if along else [], np.float32, 0.05, 0.5)
    zero = d.array(scale.shape, dtype, info.min // 4, info.max // 4)
    spread = lambda v: v.reshape(along) if along else v
    if op == "QuantizeLinear":
        x = d.array(shape, np.float32, -60, 60)
        f = lambda v, s, z: np.clip(np.rint(v / spread(s)).astype(np.int64) + spread(z), info.min, info.max).astype(dtype)
        return Call("rounded to even, saturated; per tensor or axis", op, [x, scale, zero], {"axis": axis} if along else {}, want=f, opset=21)
    x = d.array(shape, dtype, special=True)
    f = lambda v, s, z: ((v.astype(np.int32) - spread(z)) * spread(s)).astype(np.float32)
    return Call("per tensor or axis", op, [x, scale, zero], {"axis": axis} if along else {}, want=f, opset=21)


def quantise_wrong(d):
    op = d.one(["QuantizeLinear", "DequantizeLinear"])
    x = d.array([2, 3], np.float32 if op == "QuantizeLinear" else np.uint8)
    kind = d.int(0, 2)
    if kind == 0:
        return Call("scales that do not fit the axis", op, [x, d.array([2], np.float32, 1, 2), d.array([2], np.uint8)], {"axis": 1}, opset=21)
    if kind == 1:
        return Call("a zero point of another shape", op, [x, np.asarray(1, np.float32), d.array([3], np.uint8)], opset=21)
    return Call("an axis outside the rank", op, [x, d.array([3], np.float32, 1, 2), d.array([3], np.uint8)], {"axis": 5}, opset=21)


def resize(d):
    x = d.array([d.int(1, 2), d.int(1, 3), d.int(1, 6), d.int(1, 6)])
    mode = d.one(["nearest", "linear", "cubic"])
    attrs = {"mode": mode, "coordinate_transformation_mode": d.one(["half_pixel", "pytorch_half_pixel", "asymmetric", "align_corners"])}
    if mode == "nearest":
        attrs["nearest_mode"] = d.one(["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"])
    sizes = [*x.shape[:2], d.int(1, 12), d.int(1, 12)]
    inputs = [x, None, None, ints(*sizes)]
    return Call("modes, corner rules, rounding", "Resize", inputs, attrs, want=by_onnxruntime("Resize", inputs, attrs, opset=19), opset=19, constants=(3,), tolerance=(1e-3, 1e-3))


def resize_wrong(d):
    x, kind = d.array([1, 1, 4, 4]), d.int(0, 3)
    if kind == 0:
        return Call("sizes for another rank", "Resize", [x, None, None, ints(4, 4)], opset=19, constants=(3,))
    if kind == 1:
        return Call("a mode there is not", "Resize", [x, None, None, ints(1, 1, 8, 8)], {"mode": "sharp"}, opset=19)
    if kind == 2:
        return Call("neither scales nor sizes", "Resize", [x], opset=19)
    return Call("a scale of 0", "Resize", [x, None, np.asarray([1, 1, 0, 2], np.float32)], opset=19, constants=(2,))


WORDS = ["", "a", "B", "graph", "über", "x y", "1.5"]


def texts(d):
    op = d.one(["StringConcat", "StringSplit", "Equal", "StringNormalizer", "Identity", "Concat", "Where"])
    pick = lambda shape: np.array([d.one(WORDS) for _ in range(int(np.prod(shape)))], object).reshape(shape)
    a, b = d.broadcast(2)
    if op == "StringConcat":
        return Call("shapes broadcast", op, [pick(a), pick(b)], want=lambda x, y: np.asarray(x + y, object) if np.ndim(x + y) else np.array(x.item() + y.item(), object))
    if op == "Equal":
        return Call("byte by byte", op, [pick(a), pick(b)], want=lambda x, y: np.asarray(np.equal(x, y), bool))
    if op == "StringSplit":
        x = np.array([d.one(["a,b", "", "a", "a,,b", ",", "x,y,z"]) for _ in range(d.int(1, 4))], object)
        return Call("parts side by side, filled up", op, [x], {"delimiter": ","}, n_out=2)
    if op == "StringNormalizer":
        x = np.array([d.one([w for w in WORDS if w]) for _ in range(d.int(1, 4))], object)
        attrs = {"stopwords": ["a"]} if any(t != "a" for t in x) else {}
        change = {"LOWER": str.lower, "UPPER": str.upper, "NONE": str}
        action = d.one(list(change))
        # The evaluator of onnx drops accents besides, which the specification does not have.
        return Call("case and stop words", op, [x], attrs | {"case_change_action": action, "is_case_sensitive": 1},
                    want=lambda v: np.array([change[action](t) for t in v if t not in attrs.get("stopwords", [])], object))
    if op == "Identity":
        return Call("the same", op, [pick(a)], want=lambda v: v)
    if op == "Concat":
        return Call("one after the other", op, [pick([d.int(0, 3)]) for _ in range(3)], {"axis": 0}, want=lambda *v: np.concatenate(v))
    c = d.array(np.broadcast_shapes(a, b), bool)
    return Call("three shapes broadcast", op, [c, pick(a), pick(b)], want=np.where)


def texts_wrong(d):
    if d.maybe():
        return Call("numbers are no texts", "StringConcat", [d.array([2]), d.array([2])])
    return Call("shapes that do not broadcast", "StringConcat", [np.array(["a"] * 2, object), np.array(["b"] * 3, object)])


def graph_of(nodes, outputs):
    return helper.make_graph(nodes, "g", [], [helper.make_empty_tensor_value_info(o) for o in outputs])


def control(d):
    kind = d.int(0, 2)
    x = d.array(d.shape(d.int(0, 3)), np.float32)
    if kind == 0:
        condition = d.array([], bool)
        make = lambda op: helper.make_graph([helper.make_node(op, ["x1"], ["r"])], "body", [], [helper.make_empty_tensor_value_info("r")])
        node = helper.make_node("If", ["x0"], ["y0"], name="the_node", then_branch=make("Neg"), else_branch=make("Abs"))
        return Call("the branch that the condition names", "If", [condition, x], graph=graph_of([node], ["y0"]), want=lambda c, v: -v if c else np.abs(v))
    if kind == 1:
        trips, limit = d.int(0, 6), d.one([3.0, 100.0])
        value, boolean = (lambda n: helper.make_tensor_value_info(n, TensorProto.FLOAT, None)), TensorProto.BOOL
        body = helper.make_graph([helper.make_node("Add", ["v", "x2"], ["v_out"]), helper.make_node("ReduceMax", ["v_out"], ["most"], keepdims=0),
                                  helper.make_node("Less", ["most", "x3"], ["go_on"]), helper.make_node("Identity", ["v_out"], ["scan"])], "body",
                                 [helper.make_tensor_value_info("i", TensorProto.INT64, []), helper.make_tensor_value_info("c", boolean, []), value("v")],
                                 [helper.make_tensor_value_info("go_on", boolean, []), value("v_out"), value("scan")])
        node = helper.make_node("Loop", ["x0", "", "x1"], ["y0", "y1"], name="the_node", body=body)
        start, step = d.array([3], np.float32, -2, 1), d.array([3], np.float32, 0.5, 1)

        def loop(n, v, s, most):
            seen = []
            for _ in range(int(n)):
                v = v + s
                seen.append(v)
                if not v.max() < most:
                    break
            return v, np.stack(seen) if seen else np.empty([0, 3], np.float32)
        return Call("as often as asked, or until the condition fails", "Loop", [np.asarray(trips, np.int64), start, step, np.asarray(limit, np.float32)],
                    graph=graph_of([node], ["y0", "y1"]), want=loop)
    steps, width = d.int(1, 5), d.int(1, 4)
    info = lambda n: helper.make_tensor_value_info(n, TensorProto.FLOAT, [width])
    body = helper.make_graph([helper.make_node("Add", ["s", "e"], ["s_out"]), helper.make_node("Mul", ["s_out", "e"], ["o"])], "body", [info("s"), info("e")], [info("s_out"), info("o")])
    backwards = d.int(0, 1)
    node = helper.make_node("Scan", ["x0", "x1"], ["y0", "y1"], name="the_node", body=body, num_scan_inputs=1, scan_input_directions=[backwards])

    def scan(s, xs):
        outs = []
        for e in (xs[::-1] if backwards else xs):
            s = s + e
            outs.append(s * e)
        return s, np.stack(outs)
    return Call("slice by slice, either way", "Scan", [d.array([width]), d.array([steps, width])], graph=graph_of([node], ["y0", "y1"]), want=scan)


def control_wrong(d):
    body = lambda op, n: helper.make_graph([helper.make_node(op, ["x1"], ["r"])], "body", [], [helper.make_empty_tensor_value_info("r")] * n)
    branches = {"then_branch": body("Neg", 1)} if d.maybe() else {"then_branch": body("Neg", 1), "else_branch": body("Abs", 2)}
    node = helper.make_node("If", ["x0"], ["y0"], name="the_node", **branches)
    return Call("a branch is missing, or gives another number of values", "If", [d.array([], bool), d.array([2])], graph=graph_of([node], ["y0"]))


def sequence(d):
    op = d.one(["at", "insert", "erase", "length", "concat", "split"])
    items = [d.array([2, d.int(1, 3)]) for _ in range(d.int(1, 4))]
    if op == "split":
        x, n = d.array([d.int(1, 7), 2]), d.int(1, 3)
        nodes = [helper.make_node("SplitToSequence", ["x0", "x1"], ["s"], name="the_node"), helper.make_node("SequenceAt", ["s", "x2"], ["y0"], name="last")]
        return Call("equal parts, the last one shorter", "SplitToSequence", [x, np.asarray(n, np.int64), np.asarray(-1, np.int64)], graph=graph_of(nodes, ["y0"]),
                    want=lambda v, k, _: v[(len(v) - 1) // n * n:])
    count = len(items)
    nodes = [helper.make_node("SequenceConstruct", [f"x{i}" for i in range(count)], ["s"], name="the_node")]
    position = d.int(-count, count - 1)
    inputs = items + [np.asarray(position, np.int64)]
    at = f"x{count}"
    if op == "at":
        nodes.append(helper.make_node("SequenceAt", ["s", at], ["y0"]))
        return Call("from either end", "SequenceAt", inputs, graph=graph_of(nodes, ["y0"]), want=lambda *v: items[position])
    if op == "length":
        nodes.append(helper.make_node("SequenceLength", ["s"], ["y0"]))
        return Call("how many", "SequenceLength", items, graph=graph_of(nodes, ["y0"]), want=lambda *v: np.asarray(count, np.int64))
    if op == "concat":
        nodes.append(helper.make_node("ConcatFromSequence", ["s"], ["y0"], axis=1))
        return Call("one after the other", "ConcatFromSequence", items, graph=graph_of(nodes, ["y0"]), want=lambda *v: np.concatenate(items, 1))
    if op == "insert":
        nodes += [helper.make_node("SequenceInsert", ["s", "x0", at], ["t"]), helper.make_node("ConcatFromSequence", ["t"], ["y0"], axis=1)]
        place = position if position >= 0 else position + count
        return Call("before the item there", "SequenceInsert", inputs, graph=graph_of(nodes, ["y0"]),
                    want=lambda *v: np.concatenate(items[:place] + [items[0]] + items[place:], 1))
    nodes += [helper.make_node("SequenceErase", ["s", at], ["t"]), helper.make_node("SequenceLength", ["t"], ["y0"])]
    return Call("one fewer", "SequenceErase", inputs, graph=graph_of(nodes, ["y0"]), want=lambda *v: np.asarray(count - 1, np.int64))


def sequence_wrong(d):
    if d.maybe():
        nodes = [helper.make_node("SequenceConstruct", ["x0", "x1"], ["s"]), helper.make_node("SequenceAt", ["s", "x2"], ["y0"], name="the_node")]
        return Call("no such item", "SequenceAt", [d.array([2]), d.array([2]), np.asarray(d.one([2, -3]), np.int64)], graph=graph_of(nodes, ["y0"]))
    nodes = [helper.make_node("SequenceConstruct", ["x0", "x1"], ["y0"], name="the_node")]
    return Call("items of two types", "SequenceConstruct", [d.array([2]), d.array([2], np.int64)], graph=graph_of(nodes, ["y0"]))


def attention(d):
    heads, groups, size, b, q, k = d.int(1, 3), d.int(1, 2), d.int(1, 8), d.int(1, 2), d.int(1, 5), d.int(1, 5)
    many, causal = heads * groups, d.int(0, 1)
    inputs = [d.array([b, many, q, size]), d.array([b, heads, k, size]), d.array([b, heads, k, size])]
    if d.maybe():
        inputs.append(d.array([q, k], bool) | np.eye(q, k, dtype=bool) | (np.arange(k) == 0) if d.maybe() else d.array([q, k]))

    def attend(q_, k_, v_, mask=None):
        k_, v_ = (np.repeat(t.astype(np.float64), groups, axis=1) for t in (k_, v_))
        s = q_.astype(np.float64) @ np.swapaxes(k_, -1, -2) / np.sqrt(size)
        if mask is not None:
            s = np.where(mask, s, -np.inf) if mask.dtype == bool else s + mask
        if causal:
            s = np.where(np.tril(np.ones([q, k], bool)), s, -np.inf)
        e = np.exp(s - s.max(-1, keepdims=True))
        return (e / e.sum(-1, keepdims=True) @ v_).astype(np.float32)
    return Call("scaled, masked, heads in groups", "Attention", inputs, {"is_causal": causal}, want=attend, opset=23, tolerance=(1e-3, 1e-4))


def attention_wrong(d):
    kind = d.int(0, 1)
    if kind == 0:
        return Call("heads that groups do not divide", "Attention", [d.array([1, 3, 2, 4]), d.array([1, 2, 2, 4]), d.array([1, 2, 2, 4])], opset=23)
    return Call("keys of another size", "Attention", [d.array([1, 2, 2, 4]), d.array([1, 2, 2, 5]), d.array([1, 2, 2, 4])], opset=23)


def signal(d):
    op = d.one(["DFT", "HannWindow", "HammingWindow", "BlackmanWindow"])
    if op == "DFT":
        n, inverse = d.int(1, 17), d.int(0, 1)
        x = d.array([d.int(1, 3), n, 2])

        def dft(v, *_):
            c = v[..., 0].astype(np.complex128) + 1j * v[..., 1]
            c = np.fft.ifft(c, axis=1) if inverse else np.fft.fft(c, axis=1)
            return np.stack([c.real, c.imag], -1).astype(np.float32)
        return Call("any length", op, [x, None, np.asarray(1, np.int64)], {"inverse": inverse}, want=dft, opset=20, tolerance=(1e-3, 1e-3))
    n, periodic = d.int(2, 20), d.int(0, 1)
    return Call("periodic or symmetric", op, [np.asarray(n, np.int64)], {"periodic": periodic}, want=by_onnxruntime(op, [np.asarray(n, np.int64)], {"periodic": periodic}, opset=17), opset=17,
                tolerance=(1e-5, 1e-5))


def signal_wrong(d):
    if d.maybe():
        return Call("neither real nor complex", "DFT", [d.array([1, 4, 3]), None, np.asarray(1, np.int64)], opset=20)
    return Call("an axis outside the rank", "DFT", [d.array([1, 4, 2]), None, np.asarray(7, np.int64)], opset=20, constants=(2,))


FAMILIES = {"selection": (selection, selection_wrong), "cast": (cast, cast_wrong), "quantise": (quantise, quantise_wrong), "resize": (resize, resize_wrong),
            "texts": (texts, texts_wrong), "control": (control, control_wrong), "sequence": (sequence, sequence_wrong), "attention": (attention, attention_wrong),
            "signal": (signal, signal_wrong)}
