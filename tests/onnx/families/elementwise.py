# SPDX-License-Identifier: Apache-2.0
"""Operators that work element by element."""

import numpy as np
from draw import FLOATS, INTS, UINTS, Call

NUMBERS = FLOATS + INTS + UINTS


def pair(d, dtype, special=True):
    a, b = d.broadcast(2)
    return d.array(a, dtype, special=special), d.array(b, dtype, special=special)


def trunc_div(a, b):
    """Toward zero; the lowest integer by -1 wraps to itself."""
    wide = np.abs(a.astype(object)) // np.abs(b.astype(object)) * np.sign(a.astype(object)) * np.sign(b.astype(object))
    bits = a.dtype.itemsize * 8
    return np.asarray([(int(v) + (1 << bits)) % (1 << bits) for v in np.ravel(wide)], np.uint64).astype(a.dtype).reshape(np.shape(wide))


def arithmetic(d):
    op, dtype = d.one(["Add", "Sub", "Mul", "Div", "Max", "Min", "Mod", "Fmod", "Pow", "Sum", "Mean", "Neg", "Abs", "Sign"]), d.one(NUMBERS)
    integer = np.dtype(dtype).kind in "iu"
    if op in ("Neg", "Abs", "Sign"):
        if op == "Neg" and np.dtype(dtype).kind == "u":
            dtype = np.int32
        x = d.array(d.deep_shape(), dtype, special=True)
        f = {"Neg": np.negative, "Abs": np.abs, "Sign": np.sign}[op]
        return Call("the lowest integer wraps to itself; the sign of NaN is NaN", op, [x], want=f)
    if op in ("Sum", "Mean"):
        dtype = d.one(FLOATS)
        xs = [d.array(s, dtype) for s in d.broadcast(d.int(1, 4))]

        def total(*arrays):
            wide = sum(np.asarray(a, np.float64) for a in arrays)
            return np.asarray(wide / (len(arrays) if op == "Mean" else 1), dtype)
        return Call("any number of inputs, broadcast", op, xs, want=total)
    a, b = pair(d, dtype)
    if op in ("Max", "Min"):
        xs = [a, b][:d.int(1, 2)]
        f = np.maximum if op == "Max" else np.minimum
        return Call("NaN wins; shapes broadcast", op, xs, want=lambda *x: x[0] if len(x) == 1 else f(*x))
    if op == "Pow":
        dtype = d.one([np.float32, np.float64])
        a, b = (d.array(s, dtype, low=0.1, high=3) for s in d.broadcast(2))
        return Call("the type of the result is that of the base", op, [a, b], want=lambda x, y: np.power(x, y).astype(x.dtype), tolerance=(1e-5, 1e-6))
    if op in ("Mod", "Fmod"):
        dtype = d.one(INTS + UINTS) if op == "Mod" else d.one([np.float32, np.float64])
        shapes = d.broadcast(2)
        a, b = d.array(shapes[0], dtype, -50, 50), d.array(shapes[1], dtype, 1, 7)
        if np.dtype(dtype).kind != "u" and d.maybe():
            b = -b
        f = np.mod if op == "Mod" else np.fmod
        return Call("sign of the divisor; with fmod of the dividend", "Mod", [a, b], {"fmod": int(op == "Fmod")}, want=f, tolerance=(1e-5, 1e-5))
    if op == "Div" and integer:
        b = np.where(b == 0, np.asarray(1, dtype), b).astype(dtype)
        return Call("integers divide toward zero, INT_MIN by -1 wraps", op, [a, b], want=trunc_div)
    f = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide}[op]
    return Call("integers wrap, floats follow IEEE 754; shapes broadcast", op, [a, b], want=f, tolerance=(1e-6, 0) if not integer else None)


def arithmetic_wrong(d):
    op = d.one(["Add", "Sub", "Mul", "Div", "Max", "Min", "Pow", "Mod"])
    kind = d.int(0, 2)
    if kind == 0:
        n = d.int(2, 5)
        return Call("shapes that do not broadcast", op, [d.array([2, n]), d.array([n + 1])])
    if kind == 1 and op not in ("Pow",):
        return Call("types that differ", op, [d.array([2], np.float32), d.array([2], np.int32)])
    return Call("texts are no numbers", op, [np.array(["a", "b"], object)] * 2)


def compare(d):
    op = d.one(["Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual"])
    a, b = pair(d, d.one(NUMBERS))
    if d.maybe():
        b = np.where(d.rng.random(np.broadcast_shapes(a.shape, b.shape)) < 0.5, np.broadcast_to(a, np.broadcast_shapes(a.shape, b.shape)), b)
    f = {"Equal": np.equal, "Less": np.less, "Greater": np.greater, "LessOrEqual": np.less_equal, "GreaterOrEqual": np.greater_equal}[op]
    return Call("NaN is equal to nothing and in no order", op, [a, b], want=f)


def compare_wrong(d):
    op = d.one(["Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual", "Where"])
    if op == "Where":
        return Call("the condition is a bool", op, [d.array([2]), d.array([2]), d.array([2])])
    if d.maybe():
        return Call("types that differ", op, [d.array([3], np.float32), d.array([3], np.int64)])
    return Call("shapes that do not broadcast", op, [d.array([3, 2]), d.array([3])])


def logical(d):
    op = d.one(["And", "Or", "Xor", "Not", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot", "BitShift", "Where", "IsNaN", "IsInf"])
    if op in ("And", "Or", "Xor"):
        return Call("shapes broadcast", op, list(pair(d, bool)), want={"And": np.logical_and, "Or": np.logical_or, "Xor": np.logical_xor}[op])
    if op == "Not":
        return Call("every element", op, [d.array(d.deep_shape(), bool)], want=np.logical_not)
    if op == "IsNaN":
        return Call("NaN and nothing else", op, [d.array(d.deep_shape(), d.one(FLOATS), special=True)], want=np.isnan)
    if op == "IsInf":
        plus, minus = d.int(0, 1), d.int(0, 1)
        return Call("either infinity, as asked", op, [d.array(d.deep_shape(), d.one([np.float32, np.float64]), special=True)],
                    {"detect_positive": plus, "detect_negative": minus},
                    want=lambda x: (np.isposinf(x) & bool(plus)) | (np.isneginf(x) & bool(minus)), opset=20)
    dtype = d.one(UINTS + ([] if op == "BitShift" else INTS))
    if op == "BitwiseNot":
        return Call("every bit", op, [d.array(d.deep_shape(), dtype, special=True)], want=np.invert)
    if op == "BitShift":
        shapes = d.broadcast(2)
        left = d.maybe()
        x, by = d.array(shapes[0], dtype, special=True), d.array(shapes[1], dtype, 0, np.dtype(dtype).itemsize * 8 - 1)
        return Call("bits that leave are lost", op, [x, by], {"direction": "LEFT" if left else "RIGHT"}, want=np.left_shift if left else np.right_shift)
    if op == "Where":
        c, a, b = d.broadcast(3)
        dtype = d.one(NUMBERS + [bool])
        return Call("three shapes broadcast", op, [d.array(c, bool), d.array(a, dtype, special=True), d.array(b, dtype, special=True)], want=np.where)
    return Call("two's complement", op, list(pair(d, dtype)), want={"BitwiseAnd": np.bitwise_and, "BitwiseOr": np.bitwise_or, "BitwiseXor": np.bitwise_xor}[op])


def logical_wrong(d):
    op = d.one(["And", "Or", "Xor", "BitwiseAnd", "BitwiseOr", "BitShift"])
    if op == "BitShift":
        return Call("a direction there is not", op, [d.array([2], np.uint8), d.array([2], np.uint8, 0, 3)], {"direction": "UP"})
    if d.maybe() and op in ("And", "Or", "Xor"):
        return Call("shapes that do not broadcast", op, [d.array([3, 4], bool), d.array([3, 5], bool)])
    return Call("texts have no bits to combine", op, [np.array(["a", "b"], object)] * 2)


MATH = {"Sqrt": (np.sqrt, 0, 9), "Exp": (np.exp, -9, 9), "Log": (np.log, 0.01, 9), "Sin": (np.sin, -9, 9), "Cos": (np.cos, -9, 9), "Tan": (np.tan, -1.4, 1.4),
        "Asin": (np.arcsin, -1, 1), "Acos": (np.arccos, -1, 1), "Atan": (np.arctan, -9, 9), "Sinh": (np.sinh, -5, 5), "Cosh": (np.cosh, -5, 5),
        "Tanh": (np.tanh, -9, 9), "Asinh": (np.arcsinh, -9, 9), "Acosh": (np.arccosh, 1, 9), "Atanh": (np.arctanh, -0.99, 0.99),
        "Floor": (np.floor, -9, 9), "Ceil": (np.ceil, -9, 9), "Round": (np.rint, -9, 9), "Reciprocal": (np.reciprocal, 0.1, 9)}


def math(d):
    op = d.one(list(MATH))
    f, low, high = MATH[op]
    dtype = d.one(FLOATS)
    x = d.array(d.deep_shape(), dtype, low, high)
    if op == "Round" and d.maybe():
        x = (np.round(x) + np.asarray(0.5, dtype)).astype(dtype)
    if d.maybe(0.3) and x.size and op not in ("Sin", "Cos", "Tan"):
        x = x.copy()
        x.flat[0] = d.one([np.nan, np.inf, -np.inf, 0.0, -0.0])
    return Call("numpy's value; halves round to even; outside the domain NaN", op, [x], want=lambda v: f(v.astype(np.float64)).astype(v.dtype),
                tolerance={"float16": (2e-3, 1e-3), "float32": (4e-6, 1e-6), "float64": (1e-12, 1e-13)}[str(x.dtype)])


def math_wrong(d):
    op = d.one([name for name in MATH if name != "Round"])  # GE's Round takes integers
    if d.maybe():
        return Call("not for integers", op, [d.array([3], np.int32)])
    return Call("an attribute it does not have", op, [d.array([3])], {"alpha": 1.0})


FAMILIES = {"arithmetic": (arithmetic, arithmetic_wrong), "comparison": (compare, compare_wrong), "logical": (logical, logical_wrong),
            "math": (math, math_wrong)}
