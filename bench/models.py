# SPDX-License-Identifier: Apache-2.0
"""Architectures written as ONNX files with weights from a fixed seed, for measuring: build("resnet50", folder).

Weights are scaled so that activations keep their size through the layers; batch norm is folded as exporters do.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

VERSION = 2  # in file names: a change of what is built makes new files
OPSET = 17


class Writer:
    """Collects nodes and weights; methods take and give names of values."""

    def __init__(self, name: str, seed: int):
        self.name, self.random = name, numpy.random.default_rng(seed)
        self.nodes, self.weights, self.inputs, self.outputs, self.count = [], [], [], [], 0

    def fresh(self, kind: str) -> str:
        self.count += 1
        return f"{kind}_{self.count}"

    def input(self, name: str, shape: list[int | str], kind: int = TensorProto.FLOAT) -> str:
        self.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def output(self, value: str, rank: int, name: str | None = None) -> None:
        if name:
            self.nodes.append(helper.make_node("Identity", [value], [name], name=name))
            value = name
        self.outputs.append(helper.make_tensor_value_info(value, TensorProto.FLOAT, [None] * rank))

    def const(self, array, dtype=numpy.float32) -> str:
        name = self.fresh("w")
        self.weights.append(numpy_helper.from_array(numpy.asarray(array, dtype), name))
        return name

    def normal(self, shape, scale: float) -> str:
        return self.const(self.random.standard_normal(shape, numpy.float32) * numpy.float32(scale))

    def op(self, kind: str, *inputs: str, **attributes) -> str:
        name = self.fresh(kind.lower())
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=name, **attributes))
        return name

    def op_n(self, kind: str, n: int, *inputs: str, **attributes) -> list[str]:
        names = [self.fresh(kind.lower()) for _ in range(n)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, name=names[0], **attributes))
        return names

    def save(self, path: Path) -> None:
        graph = helper.make_graph(self.nodes, self.name, self.inputs, self.outputs, self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=9)
        onnx.checker.check_model(model)
        onnx.save(model, path)

    # ---- parts of images ----

    def act(self, x: str, name: str | None) -> str:
        if name is None:
            return x
        if name == "relu6":
            return self.op("Clip", x, self.const(0), self.const(6))
        if name == "silu":
            return self.op("Mul", x, self.op("Sigmoid", x))
        return self.op({"relu": "Relu", "sigmoid": "Sigmoid"}[name], x)

    def conv(self, x: str, ins: int, outs: int, k: int = 1, stride: int = 1, groups: int = 1, act: str | None = None) -> str:
        w = self.normal((outs, ins // groups, k, k), math.sqrt((2 if act else 1) / (ins // groups * k * k)))
        bias = self.normal((outs,), 0.01)
        y = self.op("Conv", x, w, bias, kernel_shape=[k, k], strides=[stride] * 2, pads=[k // 2] * 4, group=groups)
        return self.act(y, act)

    def classifier(self, x: str, ins: int, classes: int = 1000) -> str:
        x = self.op("Flatten", self.op("GlobalAveragePool", x))
        return self.op("Gemm", x, self.normal((classes, ins), 0.02), self.normal((classes,), 0.01), transB=1)

    # ---- parts of text ----

    def linear(self, x: str, ins: int, outs: int) -> str:
        return self.op("Add", self.op("MatMul", x, self.normal((ins, outs), 1 / math.sqrt(ins))), self.normal((outs,), 0.01))

    def layer_norm(self, x: str, width: int) -> str:
        """As exporters wrote it before there was an operator for it."""
        middle = self.op("Sub", x, self.op("ReduceMean", x, axes=[-1]))
        spread = self.op("ReduceMean", self.op("Pow", middle, self.const(2)), axes=[-1])
        y = self.op("Div", middle, self.op("Sqrt", self.op("Add", spread, self.const(1e-5))))
        scale = self.const(1 + 0.1 * self.random.standard_normal(width))
        return self.op("Add", self.op("Mul", y, scale), self.normal((width,), 0.1))

    def gelu_erf(self, x: str) -> str:
        e = self.op("Add", self.op("Erf", self.op("Div", x, self.const(math.sqrt(2)))), self.const(1))
        return self.op("Mul", self.op("Mul", x, e), self.const(0.5))

    def gelu_tanh(self, x: str) -> str:
        cube = self.op("Mul", self.op("Pow", x, self.const(3)), self.const(0.044715))
        t = self.op("Tanh", self.op("Mul", self.op("Add", x, cube), self.const(math.sqrt(2 / math.pi))))
        return self.op("Mul", self.op("Mul", x, self.op("Add", t, self.const(1))), self.const(0.5))

    def heads(self, x: str, length: int, width: int, heads: int, perm: list[int]) -> str:
        """A length of 0: the one that x has, and its batch."""
        x = self.op("Reshape", x, self.const([min(1, length), length, heads, width // heads], numpy.int64))
        return self.op("Transpose", x, perm=perm)

    def attention(self, x: str, length: int, width: int, heads: int, mask: str | None) -> str:
        q = self.heads(self.linear(x, width, width), length, width, heads, [0, 2, 1, 3])
        k = self.heads(self.linear(x, width, width), length, width, heads, [0, 2, 3, 1])
        v = self.heads(self.linear(x, width, width), length, width, heads, [0, 2, 1, 3])
        scores = self.op("Div", self.op("MatMul", q, k), self.const(math.sqrt(width // heads)))
        if mask:
            scores = self.op("Add", scores, mask)
        return self.joined(self.op("MatMul", self.op("Softmax", scores, axis=-1), v), length, width)

    def joined(self, y: str, length: int, width: int) -> str:
        y = self.op("Reshape", self.op("Transpose", y, perm=[0, 2, 1, 3]), self.const([min(1, length), length, width], numpy.int64))
        return self.linear(y, width, width)

    def mlp(self, x: str, width: int, inner: int, gelu: Callable[[str], str]) -> str:
        return self.linear(gelu(self.linear(x, width, inner)), inner, width)


# ---- images ----


def resnet50(w: Writer) -> None:
    x = w.conv(w.input("image", [1, 3, 224, 224]), 3, 64, 7, 2, act="relu")
    x, ins = w.op("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4), 64
    for stage, (width, blocks) in enumerate([(64, 3), (128, 4), (256, 6), (512, 3)]):
        for block in range(blocks):
            stride = 2 if block == 0 and stage > 0 else 1
            y = w.conv(w.conv(x, ins, width, act="relu"), width, width, 3, stride, act="relu")
            y = w.conv(y, width, 4 * width)
            skip = w.conv(x, ins, 4 * width, 1, stride) if block == 0 else x
            x, ins = w.act(w.op("Add", y, skip), "relu"), 4 * width
    w.output(w.classifier(x, ins), 2)


def inverted(w: Writer, x: str, ins: int, outs: int, k: int, stride: int, ratio: int, act: str, squeeze: int) -> str:
    """Expand, depthwise, (squeeze and excite,) project, with a skip where shapes allow."""
    inner = ins * ratio
    y = w.conv(x, ins, inner, act=act) if ratio > 1 else x
    y = w.conv(y, inner, inner, k, stride, inner, act)
    if squeeze:
        s = w.conv(w.op("GlobalAveragePool", y), inner, squeeze, act=act)
        y = w.op("Mul", y, w.act(w.conv(s, squeeze, inner), "sigmoid"))
    y = w.conv(y, inner, outs)
    return w.op("Add", x, y) if stride == 1 and ins == outs else y


def mobilenet_v2(w: Writer) -> None:
    x, ins = w.conv(w.input("image", [1, 3, 224, 224]), 3, 32, 3, 2, act="relu6"), 32
    for ratio, outs, blocks, stride in [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]:
        for block in range(blocks):
            x, ins = inverted(w, x, ins, outs, 3, stride if block == 0 else 1, ratio, "relu6", 0), outs
    w.output(w.classifier(w.conv(x, ins, 1280, act="relu6"), 1280), 2)


def efficientnet_b0(w: Writer) -> None:
    x, ins = w.conv(w.input("image", [1, 3, 224, 224]), 3, 32, 3, 2, act="silu"), 32
    for ratio, outs, blocks, stride, k in [(1, 16, 1, 1, 3), (6, 24, 2, 2, 3), (6, 40, 2, 2, 5), (6, 80, 3, 2, 3), (6, 112, 3, 1, 5),
                                           (6, 192, 4, 2, 5), (6, 320, 1, 1, 3)]:
        for block in range(blocks):
            x, ins = inverted(w, x, ins, outs, k, stride if block == 0 else 1, ratio, "silu", max(1, ins // 4)), outs
    w.output(w.classifier(w.conv(x, ins, 1280, act="silu"), 1280), 2)


def unet(w: Writer) -> None:
    """Upsampling by depth to space, written as Reshape and Transpose."""
    x, ins, size, skips = w.input("image", [1, 3, 128, 128]), 3, 128, []
    for width in (32, 64, 128, 256):
        x = w.conv(w.conv(x, ins, width, 3, act="relu"), width, width, 3, act="relu")
        skips.append((x, width, size))
        x, ins, size = w.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2]), width, size // 2
    x = w.conv(x, ins, 256, 3, act="relu")
    for skip, width, size in reversed(skips):
        x = w.conv(x, 256 if width == 256 else 2 * width, 4 * width)
        x = w.op("Reshape", x, w.const([1, width, 2, 2, size // 2, size // 2], numpy.int64))
        x = w.op("Reshape", w.op("Transpose", x, perm=[0, 1, 4, 2, 5, 3]), w.const([1, width, size, size], numpy.int64))
        x = w.op("Concat", x, skip, axis=1)
        x = w.conv(w.conv(x, 2 * width, width, 3, act="relu"), width, width, 3, act="relu")
    w.output(w.act(w.conv(x, 32, 2), "sigmoid"), 4)


def vit_b16(w: Writer, depth: int = 12, length: int = 197, width: int = 768) -> None:
    kernel = w.normal((width, 3, 16, 16), 1 / math.sqrt(768))
    x = w.op("Conv", w.input("image", [1, 3, 224, 224]), kernel, w.normal((width,), 0.01), kernel_shape=[16, 16], strides=[16, 16])
    x = w.op("Transpose", w.op("Reshape", x, w.const([1, width, length - 1], numpy.int64)), perm=[0, 2, 1])
    x = w.op("Add", w.op("Concat", w.normal((1, 1, width), 0.5), x, axis=1), w.normal((1, length, width), 0.1))
    for _ in range(depth):
        x = w.op("Add", x, w.attention(w.layer_norm(x, width), length, width, 12, None))
        x = w.op("Add", x, w.mlp(w.layer_norm(x, width), width, 4 * width, w.gelu_erf))
    x = w.op("Gather", w.layer_norm(x, width), w.const(0, numpy.int64), axis=1)
    w.output(w.op("Gemm", x, w.normal((1000, width), 0.02), w.normal((1000,), 0.01), transB=1), 2)


def yolo(w: Writer, classes: int = 20) -> None:
    """A one-stage detector: split and joined bottlenecks, pyramid pooling, two upsamplings, three heads with distances as distributions."""

    def bottlenecks(x: str, ins: int, outs: int, count: int, skip: bool) -> str:
        half = outs // 2
        parts = w.op_n("Split", 2, w.conv(x, ins, outs, act="silu"), axis=1)
        for _ in range(count):
            y = w.conv(w.conv(parts[-1], half, half, 3, act="silu"), half, half, 3, act="silu")
            parts.append(w.op("Add", parts[-1], y) if skip else y)
        return w.conv(w.op("Concat", *parts, axis=1), half * len(parts), outs, act="silu")

    def twice(x: str) -> str:
        return w.op("Resize", x, "", w.const([1, 1, 2, 2]), mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")

    x, ins, kept = w.conv(w.input("image", [1, 3, 256, 256]), 3, 16, 3, 2, act="silu"), 16, []
    for outs, count in [(32, 1), (64, 2), (128, 2), (256, 1)]:
        x, ins = bottlenecks(w.conv(x, ins, outs, 3, 2, act="silu"), outs, outs, count, True), outs
        kept.append(x)
    pools = [w.conv(x, 256, 128, act="silu")]
    for _ in range(3):
        pools.append(w.op("MaxPool", pools[-1], kernel_shape=[5, 5], strides=[1, 1], pads=[2] * 4))
    deep = w.conv(w.op("Concat", *pools, axis=1), 512, 256, act="silu")
    middle = bottlenecks(w.op("Concat", twice(deep), kept[2], axis=1), 384, 128, 1, False)
    fine = bottlenecks(w.op("Concat", twice(middle), kept[1], axis=1), 192, 64, 1, False)
    middle = bottlenecks(w.op("Concat", w.conv(fine, 64, 64, 3, 2, act="silu"), middle, axis=1), 192, 128, 1, False)
    deep = bottlenecks(w.op("Concat", w.conv(middle, 128, 128, 3, 2, act="silu"), deep, axis=1), 384, 256, 1, False)
    levels, cells = [], 0
    for x, ins, size in [(fine, 64, 32), (middle, 128, 16), (deep, 256, 8)]:
        y = w.conv(w.conv(x, ins, 64, 3, act="silu"), 64, 64 + classes)
        levels.append(w.op("Reshape", y, w.const([1, 64 + classes, size * size], numpy.int64)))
        cells += size * size
    box, score = w.op_n("Split", 2, w.op("Concat", *levels, axis=2), w.const([64, classes], numpy.int64), axis=1)
    box = w.op("Transpose", w.op("Reshape", box, w.const([1, 4, 16, cells], numpy.int64)), perm=[0, 2, 1, 3])
    box = w.op("Conv", w.op("Softmax", box, axis=1), w.const(numpy.arange(16).reshape(1, 16, 1, 1)))
    box = w.op("Reshape", box, w.const([1, 4, cells], numpy.int64))
    w.output(w.op("Concat", box, w.act(score, "sigmoid"), axis=1), 3)


# ---- sound ----


def whisper_tiny(w: Writer, depth: int = 4, frames: int = 3000, width: int = 384) -> None:
    """The encoder."""
    x, ins = w.input("mel", [1, 80, frames]), 80
    for stride in (1, 2):
        kernel = w.normal((width, ins, 3), math.sqrt(2 / (3 * ins)))
        x = w.op("Conv", x, kernel, w.normal((width,), 0.01), kernel_shape=[3], strides=[stride], pads=[1, 1])
        x, ins = w.gelu_erf(x), width
    x = w.op("Add", w.op("Transpose", x, perm=[0, 2, 1]), w.normal((frames // 2, width), 0.1))
    for _ in range(depth):
        x = w.op("Add", x, w.attention(w.layer_norm(x, width), frames // 2, width, 6, None))
        x = w.op("Add", x, w.mlp(w.layer_norm(x, width), width, 4 * width, w.gelu_erf))
    w.output(w.layer_norm(x, width), 3)


# ---- text ----


def bert_base(w: Writer, depth: int = 12, length: int = 128, width: int = 768) -> None:
    ids = w.input("ids", [1, length], TensorProto.INT64)
    mask = w.op("Mul", w.op("Sub", w.const(1), w.input("mask", [1, 1, 1, length])), w.const(-10000))
    x = w.op("Add", w.op("Gather", w.normal((4096, width), 0.5), ids, axis=0), w.normal((1, length, width), 0.1))
    x = w.layer_norm(x, width)
    for _ in range(depth):
        x = w.layer_norm(w.op("Add", x, w.attention(x, length, width, 12, mask)), width)
        x = w.layer_norm(w.op("Add", x, w.mlp(x, width, 4 * width, w.gelu_erf)), width)
    w.output(x, 3)


def bert_4(w: Writer) -> None:
    bert_base(w, depth=4)


def gpt2(w: Writer, depth: int = 12, length: int = 128, width: int = 768) -> None:
    """Prefill of a decoder of this size; a small vocabulary."""
    x = w.op("Gather", w.normal((4096, width), 0.5), w.input("ids", [1, length], TensorProto.INT64), axis=0)
    x = w.op("Add", x, w.normal((1, length, width), 0.1))
    future = w.const(numpy.triu(numpy.full((1, 1, length, length), -10000.0), 1))
    for _ in range(depth):
        x = w.op("Add", x, w.attention(w.layer_norm(x, width), length, width, 12, future))
        x = w.op("Add", x, w.mlp(w.layer_norm(x, width), width, 4 * width, w.gelu_tanh))
    w.output(w.op("MatMul", w.layer_norm(x, width), w.normal((width, 4096), 0.02)), 3)


def size_of(w: Writer, x: str, axis: int) -> str:
    return w.op("Gather", w.op("Shape", x), w.const([axis], numpy.int64))


def gpt2_decode(w: Writer, depth: int = 12, width: int = 768) -> None:
    """One token behind a cache of any length; gives the cache with it."""
    heads, size = 12, width // 12
    x = w.op("Gather", w.normal((4096, width), 0.5), w.input("ids", [1, 1], TensorProto.INT64), axis=0)
    cache = [[w.input(f"past_{kind}_{k}", [1, heads, "past", size]) for kind in ("key", "value")] for k in range(depth)]
    x = w.op("Add", x, w.op("Gather", w.normal((1024, width), 0.1), size_of(w, cache[0][0], 2), axis=0))
    grown = []
    for past in cache:
        y = w.layer_norm(x, width)
        q, k, v = (w.heads(part, 1, width, heads, [0, 2, 1, 3]) for part in w.op_n("Split", 3, w.linear(y, width, 3 * width), axis=2))
        k, v = (w.op("Concat", old, new, axis=2) for old, new in zip(past, (k, v)))
        scores = w.op("Div", w.op("MatMul", q, w.op("Transpose", k, perm=[0, 1, 3, 2])), w.const(math.sqrt(size)))
        x = w.op("Add", x, w.joined(w.op("MatMul", w.op("Softmax", scores, axis=-1), v), 1, width))
        x = w.op("Add", x, w.mlp(w.layer_norm(x, width), width, 4 * width, w.gelu_tanh))
        grown.append((k, v))
    w.output(w.op("MatMul", w.layer_norm(x, width), w.normal((width, 4096), 0.02)), 3)
    for k, pair in enumerate(grown):
        for kind, value in zip(("key", "value"), pair):
            w.output(value, 4, f"present_{kind}_{k}")


def text(w: Writer, depth: int = 4, width: int = 256) -> None:
    """An encoder for any number of texts of any length, its sizes found from its inputs as exporters do."""
    ids = w.input("ids", ["batch", "length"], TensorProto.INT64)
    mask = w.op("Unsqueeze", w.input("mask", ["batch", "length"]), w.const([1, 2], numpy.int64))
    mask = w.op("Mul", w.op("Sub", w.const(1), mask), w.const(-10000))
    places = w.op("Slice", w.normal((512, width), 0.1), w.const([0], numpy.int64), size_of(w, ids, 1), w.const([0], numpy.int64))
    x = w.layer_norm(w.op("Add", w.op("Gather", w.normal((4096, width), 0.5), ids, axis=0), places), width)
    for _ in range(depth):
        x = w.layer_norm(w.op("Add", x, w.attention(x, 0, width, 4, mask)), width)
        x = w.layer_norm(w.op("Add", x, w.mlp(x, width, 4 * width, w.gelu_erf)), width)
    w.output(w.op("Tanh", w.linear(w.op("Gather", x, w.const(0, numpy.int64), axis=1), width, 64)), 2)


# ---- small ----


def mlp(w: Writer) -> None:
    x, ins = w.input("x", [8, 64]), 64
    for outs in (256, 256, 256, 16):
        x = w.op("Gemm", x, w.normal((ins, outs), math.sqrt(2 / ins)), w.normal((outs,), 0.01))
        x, ins = w.act(x, "relu") if outs > 16 else w.op("Softmax", x, axis=-1), outs
    w.output(x, 2)


def tiny_chain(w: Writer) -> None:
    """50 pairs of operators that do next to no work."""
    x = w.input("x", [1, 16])
    for _ in range(50):
        x = w.op("Tanh", w.op("MatMul", x, w.normal((16, 16), 0.25)))
    w.output(x, 2)


def tiny_elementwise(w: Writer) -> None:
    x = w.input("x", [1, 64])
    for step in range(10):
        x = w.act(w.op("Add", w.op("Mul", x, w.normal((64,), 1)), w.normal((64,), 1)), "relu" if step % 2 else "sigmoid")
    w.output(x, 2)


def debris(w: Writer) -> None:
    """Elementwise operators between convolutions, as exports leave them: hard-swish and channel scales in pieces."""
    x, ins = w.input("image", [1, 16, 160, 160]), 16
    for outs in (32, 32, 64, 64):
        x = w.conv(x, ins, outs, 3)
        x = w.op("Add", w.op("Mul", x, w.normal((1, outs, 1, 1), 1)), w.normal((1, outs, 1, 1), 0.1))
        gate = w.op("Clip", w.op("Add", x, w.const(3)), w.const(0), w.const(6))
        x, ins = w.op("Div", w.op("Mul", x, gate), w.const(6)), outs
    w.output(x, 4)


# ---- int8: quantize and dequantize nodes around what has integer kernels, ranges from two random inputs, as the usual tool writes them ----


def quantized(path: Path, source: Path) -> None:
    from onnxruntime import quantization as q

    class Samples(q.CalibrationDataReader):
        def __init__(self):
            self.left = [feed(source, seed) for seed in (1, 2)]

        def get_next(self):
            return self.left.pop() if self.left else None

    q.quantize_static(source, path, Samples(), quant_format=q.QuantFormat.QDQ, op_types_to_quantize=["Conv", "MatMul", "Gemm", "Add", "MaxPool"],
                      per_channel=True, reduce_range=False, activation_type=q.QuantType.QUInt8, weight_type=q.QuantType.QInt8)


WRITTEN: dict[str, Callable[[Writer], None]] = {
    f.__name__: f for f in (resnet50, mobilenet_v2, efficientnet_b0, unet, yolo, vit_b16, whisper_tiny, bert_base, bert_4, gpt2, gpt2_decode, text,
                            mlp, tiny_chain, tiny_elementwise, debris)
}
QUANTIZED = {"resnet50_int8": "resnet50", "bert_4_int8": "bert_4"}
MODELS = [*WRITTEN, *QUANTIZED]

# Sizes of free dims; the first is what is measured.
SIZES: dict[str, list[dict[str, int]]] = {
    "gpt2_decode": [{"past": 128}, {"past": 17}, {"past": 0}],
    "text": [{"batch": 1, "length": 64}, {"batch": 3, "length": 37}],
}


def build(name: str, folder: Path) -> Path:
    """The file, made when it is not there."""
    path = folder / f"{name}.v{VERSION}.onnx"
    if path.exists():
        return path
    folder.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part")
    if name in QUANTIZED:
        quantized(part, build(QUANTIZED[name], folder))
    else:
        writer = Writer(name, seed=1 + sum(name.encode()))
        WRITTEN[name](writer)
        writer.save(part)
    part.rename(path)
    return path


def feed(path: Path, seed: int = 0, sizes: dict[str, int] | None = None) -> dict[str, numpy.ndarray]:
    """Inputs for a file: from a fixed seed, of the sizes it names; free dims by `sizes`."""
    random, arrays = numpy.random.default_rng(seed), {}
    sizes = sizes or SIZES.get(path.name.split(".")[0], [{}])[0]
    for value in onnx.load(path, load_external_data=False).graph.input:
        shape = [sizes[d.dim_param] if d.dim_param else d.dim_value for d in value.type.tensor_type.shape.dim]
        if value.type.tensor_type.elem_type == TensorProto.INT64:
            arrays[value.name] = random.integers(0, 4096, shape)
        elif value.name == "mask":
            arrays[value.name] = (numpy.arange(shape[-1]) < max(1, shape[-1] - seed)).astype(numpy.float32) + numpy.zeros(shape, numpy.float32)
        else:
            arrays[value.name] = random.standard_normal(shape, numpy.float32)
    return arrays
