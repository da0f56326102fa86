# SPDX-License-Identifier: Apache-2.0
"""Products, windows, cells: what multiplies and adds."""

import numpy as np
from draw import Call


def matrix(d):
    kind, dtype = d.int(0, 3), d.one([np.float32, np.float64])
    if kind == 0:
        m, k, n = (d.dim(1, 17) for _ in range(3))
        batch = d.broadcast(2) if d.maybe() else [[], []]
        a, b = batch[0][:4] + [m, k], batch[1][:4] + [k, n]
        try:
            np.broadcast_shapes(a[:-2], b[:-2])
        except ValueError:
            a, b = [m, k], [k, n]
        if d.maybe(0.2):
            a = [k]
        if d.maybe(0.2):
            b = [k]
        dtype = d.one([np.float32, np.float64, np.int32, np.int64])
        return Call("vectors, matrices and batches as numpy's matmul", "MatMul", [d.array(a, dtype), d.array(b, dtype)],
                    want=lambda x, y: np.asarray(np.matmul(x, y)), constants=(1,) if d.maybe(0.3) else (), tolerance=(1e-4, 1e-4))
    if kind == 1:
        m, k, n, ta, tb = d.dim(1, 17), d.dim(1, 17), d.dim(1, 17), d.int(0, 1), d.int(0, 1)
        a, b = d.array([k, m] if ta else [m, k], dtype), d.array([n, k] if tb else [k, n], dtype)
        c = d.array(d.one([[], [1], [n], [1, n], [m, 1], [m, n]]), dtype) if d.maybe(0.7) else None
        attrs = {"alpha": 0.5, "beta": 2.0, "transA": ta, "transB": tb}
        f = lambda x, y, z=None: (0.5 * ((x.T if ta else x) @ (y.T if tb else y)) + (2.0 * z if z is not None else 0)).astype(dtype)
        return Call("alpha A B + beta C, C broadcast", "Gemm", [a, b] + ([c] if c is not None else []), attrs, want=f, tolerance=(1e-4, 1e-4))
    if kind == 2:
        equation, shapes = d.one([("ij,jk->ik", "ij jk"), ("ij,kj", "ij kj"), ("bij,bjk->bik", "bij bjk"), ("ii->i", "ii"), ("ij->ji", "ij"),
                                  ("i,j->ij", "i j"), ("...ij,...jk->...ik", "aij ajk"), ("ij->", "ij"), ("ij,ij->i", "ij ij"), ("abc,cd,de->abe", "abc cd de"),
                                  ("ij,j", "ij j"), ("bhid,bhjd->bhij", "bhid bhjd"), ("i,i", "i i")])
        size = {k: d.dim(1, 7) for k in "abcdehijk"}
        xs = [d.array([size[k] for k in s], dtype) for s in shapes.split()]
        return Call("any legal equation", "Einsum", xs, {"equation": equation}, want=lambda *x: np.asarray(np.einsum(equation, *x)), tolerance=(1e-4, 1e-4))
    m, k, n, ta, tb = d.dim(1, 9), d.dim(1, 9), d.dim(1, 9), d.one([np.uint8, np.int8]), d.one([np.uint8, np.int8])
    a, b = d.array([m, k], ta, special=True), d.array([k, n], tb, special=True)
    az, bz = np.asarray(d.int(0, 9), ta), np.asarray(d.int(0, 9), tb)
    return Call("integers without their zero points", "MatMulInteger", [a, b, az, bz], want=lambda x, y, p, q: (x.astype(np.int32) - p) @ (y.astype(np.int32) - q))


def matrix_wrong(d):
    kind = d.int(0, 4)
    if kind == 0:
        return Call("inner sizes that differ", "MatMul", [d.array([2, 3]), d.array([4, 2])])
    if kind == 1:
        return Call("batches that do not broadcast", "MatMul", [d.array([2, 3, 4]), d.array([3, 4, 2])])
    if kind == 2:
        return Call("inner sizes that differ", "Gemm", [d.array([2, 3]), d.array([2, 3])], {"transA": 0})
    if kind == 3:
        return Call("a letter of two sizes", "Einsum", [d.array([2, 3]), d.array([4, 5])], {"equation": "ij,jk->ik"})
    return Call("fewer inputs than the equation has", "Einsum", [d.array([2, 3])], {"equation": d.one(["ij,jk->ik", "ij->iz", "i", "ij->ii"])})


def windows(d, rank, size):
    """Kernel, strides, dilations, pads that leave an output."""
    kernel = [d.int(1, 3) for _ in range(rank)]
    attrs = {"strides": [d.int(1, 2) for _ in range(rank)], "dilations": [d.int(1, 2) for _ in range(rank)]}
    reach = [(k - 1) * l + 1 for k, l in zip(kernel, attrs["dilations"])]
    if d.maybe(0.2):
        attrs["auto_pad"] = d.one(["SAME_UPPER", "SAME_LOWER", "VALID"])
        attrs["dilations"] = [1] * rank  # ONNX Runtime has no SAME with dilations
        attrs["strides"] = [min(t, k) for t, k in zip(attrs["strides"], kernel)]  # nor pads below 0
        reach = kernel
    else:
        attrs["pads"] = [d.int(0, (k - 1) // 2 if k > 1 else 0) for k in kernel * 2]
    return kernel, attrs, [max(s, r) for s, r in zip(size, reach)]


def convolution(d):
    rank, groups = d.one([1, 2, 2, 2, 3]), d.one([1, 1, 2, 3])
    per_in, per_out = d.int(1, 4), d.int(1, 4)
    if d.maybe(0.25):
        groups, per_in = d.int(2, 20), 1  # depthwise
    if d.maybe(0.2):
        per_in, per_out, groups = d.int(14, 34), d.int(14, 34), 1
    kernel, attrs, size = windows(d, rank, [d.int(1, 12) for _ in range(rank)])
    x = d.array([d.int(1, 2), groups * per_in] + size)
    op = "ConvTranspose" if d.maybe(0.25) else "Conv"
    if op == "ConvTranspose":
        attrs.pop("auto_pad", None)
        attrs["pads"] = [0] * (2 * rank)
        attrs["dilations"] = [1] * rank
        w = d.array([groups * per_in, per_out] + kernel)
        groups_out = per_out * groups
    else:
        w, groups_out = d.array([groups * per_out, per_in] + kernel), groups * per_out
    inputs = [x, w] + ([d.array([groups_out])] if d.maybe() else [])
    attrs |= {"group": groups, "kernel_shape": kernel}
    return Call("strides, dilations, pads, groups, one to three dims", op, inputs, attrs, want=by_onnxruntime(op, inputs, attrs),
                constants=(1,) if d.maybe(0.7) else (), tolerance=(2e-4, 2e-4))


def by_onnxruntime(op, inputs, attrs, n_out=1, opset=22):
    """The reference evaluator is slow or incomplete here; ONNX Runtime is the other oracle."""
    def run(*arrays):
        import onnxruntime as ort
        from onnx import helper
        names = ["" if x is None else f"x{i}" for i, x in enumerate(inputs)]
        node = helper.make_node(op, names, [f"y{i}" for i in range(n_out)], **attrs)
        graph = helper.make_graph([node], "g", [helper.make_tensor_value_info(f"x{i}", helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
                                                for i, x in enumerate(inputs) if x is not None],
                                  [helper.make_empty_tensor_value_info(f"y{i}") for i in range(n_out)])
        options = ort.SessionOptions()
        options.intra_op_num_threads, options.log_severity_level = 1, 4
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)
        session = ort.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
        return tuple(session.run(None, {f"x{i}": x for i, x in enumerate(inputs) if x is not None}))
    return run


def convolution_wrong(d):
    kind = d.int(0, 4)
    x = d.array([1, 4, 5, 5])
    if kind == 0:
        return Call("channels that do not fit the weights", "Conv", [x, d.array([2, 3, 3, 3])])
    if kind == 1:
        return Call("groups that do not divide", "Conv", [x, d.array([4, 1, 3, 3])], {"group": 3})
    if kind == 2:
        return Call("a bias of another size", "Conv", [x, d.array([2, 4, 3, 3]), d.array([3])])
    if kind == 3:
        return Call("strides of zero", "Conv", [x, d.array([2, 4, 3, 3])], {"strides": [0, 1]})
    return Call("fewer strides than dims", "Conv", [x, d.array([2, 4, 3, 3])], {"strides": [1]})


def pooling(d):
    op = d.one(["MaxPool", "AveragePool", "LpPool", "GlobalMaxPool", "GlobalAveragePool", "GlobalLpPool"])
    rank = d.one([1, 2, 2, 2, 3])
    kernel, attrs, size = windows(d, rank, [d.int(1, 12) for _ in range(rank)])
    x = d.array([d.int(1, 2), d.int(1, 19)] + size)
    if op.startswith("Global"):
        f = {"GlobalMaxPool": np.max, "GlobalAveragePool": np.mean}.get(op, lambda v, axis, keepdims: np.sqrt((v.astype(np.float64) ** 2).sum(axis, keepdims=keepdims)))
        return Call("over all of each channel", op, [x], want=lambda v: f(v, axis=tuple(range(2, v.ndim)), keepdims=True).astype(v.dtype), tolerance=(1e-4, 1e-5))
    attrs["kernel_shape"] = kernel
    if op == "MaxPool" and d.maybe(0.2):
        attrs["ceil_mode"] = 1
        attrs.pop("auto_pad", None)
    if op == "AveragePool":
        attrs["count_include_pad"] = d.int(0, 1)
        if "auto_pad" in attrs:
            attrs.pop("auto_pad")
        attrs["dilations"] = [1] * rank
    if op == "LpPool":
        attrs["p"] = d.int(1, 2)
        attrs["dilations"] = [1] * rank
        attrs.pop("auto_pad", None)
    return Call("windows as for convolutions", op, [x], attrs, want=by_onnxruntime(op, [x], attrs), tolerance=(1e-4, 1e-5))


def pooling_wrong(d):
    op = d.one(["MaxPool", "AveragePool", "LpPool"])
    x = d.array([1, 2, 5, 5])
    kind = d.int(0, 3)
    if kind == 0:
        return Call("a kernel of zero", op, [x], {"kernel_shape": [0, 2]})
    if kind == 1:
        return Call("a kernel of another rank", op, [x], {"kernel_shape": [2]})
    if kind == 2:
        return Call("no kernel", op, [x])
    return Call("a window larger than what it slides over", op, [x], {"kernel_shape": [9, 9]})


def recurrent(d):
    op = d.one(["RNN", "GRU", "LSTM"])
    gates = {"RNN": 1, "GRU": 3, "LSTM": 4}[op]
    steps, batch, ins, hidden = d.int(1, 5), d.int(1, 4), d.int(1, 9), d.int(1, 9)
    direction = d.one(["forward", "reverse", "bidirectional"])
    ways = 2 if direction == "bidirectional" else 1
    inputs = [d.array([steps, batch, ins], low=-1, high=1), d.array([ways, gates * hidden, ins], low=-1, high=1),
              d.array([ways, gates * hidden, hidden], low=-1, high=1), d.array([ways, 2 * gates * hidden], low=-1, high=1) if d.maybe() else None,
              np.asarray(d.rng.integers(1, steps + 1, [batch]), np.int32) if d.maybe(0.3) else None,
              d.array([ways, batch, hidden]) if d.maybe() else None]
    attrs = {"hidden_size": hidden, "direction": direction}
    if op == "LSTM":
        inputs += [d.array([ways, batch, hidden]) if d.maybe() else None, d.array([ways, 3 * hidden]) if d.maybe(0.3) else None]
    if op == "GRU":
        attrs["linear_before_reset"] = d.int(0, 1)
    if op != "LSTM" and d.maybe(0.3):  # for LSTM ONNX Runtime does not clip what goes into h, which the specification includes
        attrs["clip"] = 0.5
    n_out = 3 if op == "LSTM" else 2
    return Call("directions, lengths, first states, peepholes, clip", op, inputs, attrs, n_out=n_out, want=by_onnxruntime(op, inputs, attrs, n_out),
                constants=(1, 2) if d.maybe() else (), tolerance=(1e-3, 1e-4))


def recurrent_wrong(d):
    op = d.one(["RNN", "GRU", "LSTM"])
    gates = {"RNN": 1, "GRU": 3, "LSTM": 4}[op]
    x, w, r = d.array([3, 2, 4]), d.array([1, gates * 5, 4]), d.array([1, gates * 5, 5])
    kind = d.int(0, 2)
    if kind == 0:
        return Call("weights of another input size", op, [x, d.array([1, gates * 5, 3]), r], {"hidden_size": 5}, n_out=2)
    if kind == 1:
        return Call("one direction's weights for two", op, [x, w, r], {"hidden_size": 5, "direction": "bidirectional"}, n_out=2)
    return Call("a direction there is not", op, [x, w, r], {"hidden_size": 5, "direction": "sideways"}, n_out=2)


FAMILIES = {"matrix": (matrix, matrix_wrong), "convolution": (convolution, convolution_wrong), "pooling": (pooling, pooling_wrong),
            "recurrent": (recurrent, recurrent_wrong)}
