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

VERSION = 1  # in file names: a change of what is built makes new files
OPSET = 17


class Writer:
    """Collects nodes and weights; methods take and give names of values."""

    def __init__(self, name: str, seed: int):
        self.name, self.random = name, numpy.random.default_rng(seed)
        self.nodes, self.weights, self.inputs, self.outputs, self.count = [], [], [], [], 0

    def fresh(self, kind: str) -> str:
        self.count += 1
        return f"{kind}_{self.count}"

    def input(self, name: str, shape: list[int], kind: int = TensorProto.FLOAT) -> str:
        self.inputs.append(helper.make_tensor_value_info(name, kind, shape))
        return name

    def output(self, value: str, rank: int) -> None:
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
        x = self.op("Reshape", x, self.const([1, length, heads, width // heads], numpy.int64))
        return self.op("Transpose", x, perm=perm)

    def attention(self, x: str, length: int, width: int, heads: int, mask: str | None) -> str:
        q = self.heads(self.linear(x, width, width), length, width, heads, [0, 2, 1, 3])
        k = self.heads(self.linear(x, width, width), length, width, heads, [0, 2, 3, 1])
        v = self.heads(self.linear(x, width, width), length, width, heads, [0, 2, 1, 3])
        scores = self.op("Div", self.op("MatMul", q, k), self.const(math.sqrt(width // heads)))
        if mask:
            scores = self.op("Add", scores, mask)
        y = self.op("Transpose", self.op("MatMul", self.op("Softmax", scores, axis=-1), v), perm=[0, 2, 1, 3])
        return self.linear(self.op("Reshape", y, self.const([1, length, width], numpy.int64)), width, width)

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


MODELS: dict[str, Callable[[Writer], None]] = {
    f.__name__: f for f in (resnet50, mobilenet_v2, efficientnet_b0, unet, vit_b16, bert_base, bert_4, gpt2, mlp, tiny_chain,
                            tiny_elementwise, debris)
}


def build(name: str, folder: Path) -> Path:
    """The file, made when it is not there."""
    path = folder / f"{name}.v{VERSION}.onnx"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        writer = Writer(name, seed=1 + sorted(MODELS).index(name))
        MODELS[name](writer)
        writer.save(path.with_suffix(".part"))
        path.with_suffix(".part").rename(path)
    return path


def feed(path: Path) -> dict[str, numpy.ndarray]:
    """Inputs for a file: from a fixed seed, of the sizes it names."""
    random, arrays = numpy.random.default_rng(0), {}
    for value in onnx.load(path, load_external_data=False).graph.input:
        shape = [d.dim_value for d in value.type.tensor_type.shape.dim]
        if value.type.tensor_type.elem_type == TensorProto.INT64:
            arrays[value.name] = random.integers(0, 4096, shape)
        elif value.name == "mask":
            arrays[value.name] = numpy.ones(shape, numpy.float32)
        else:
            arrays[value.name] = random.standard_normal(shape, numpy.float32)
    return arrays
