#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains the demo's digit classifier and writes every file of this folder.

Data: the 1,797 handwritten 8x8 digits that scikit-learn ships.  Training is plain NumPy with fixed seeds, so the
only packages needed are numpy, scikit-learn, onnx and onnxruntime (the latter writes the reference outputs).

    python train.py [--out DIR] [--check]

--check trains nothing: it verifies that the committed files agree with each other.
"""
import argparse
import hashlib
import json
import pathlib
import sys

import numpy as np

SEED = 20240517
N_HELD_OUT = 360
N_REFERENCE = 16
EPOCHS = 40
BATCH = 32
CONV1, CONV2, HIDDEN = 8, 16, 32
TOLERANCE = 1e-5
MODEL, IMAGES, LABELS = "digits.onnx", "images.npy", "labels.npy"
REF_IMAGES, REF_PROBS, EXPECTED = "reference_images.npy", "reference_probs.npy", "expected.json"


def load_split():
    """Images as float32 NCHW in 0..1; the held-out part has the same share of each class as the whole."""
    from sklearn.datasets import load_digits
    from sklearn.model_selection import train_test_split

    data = load_digits()
    images = (data.images[:, None, :, :] / 16.0).astype(np.float32)
    labels = data.target.astype(np.int64)
    return train_test_split(images, labels, test_size=N_HELD_OUT, random_state=SEED, stratify=labels)


# ---- layers: each forward returns (output, what its backward needs) ------------------------------------------------

def patches3x3(x):
    """[n,c,h,w] -> [n,h,w,c*9], zero padding of one on each side."""
    n, c, h, w = x.shape
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(2, 3))
    return np.ascontiguousarray(windows.transpose(0, 2, 3, 1, 4, 5)).reshape(n, h, w, c * 9)


def conv(x, weight, bias):
    cols = patches3x3(x)
    y = cols @ weight.reshape(weight.shape[0], -1).T + bias
    return np.ascontiguousarray(y.transpose(0, 3, 1, 2)), cols


def conv_backward(dy, cols, weight, in_shape):
    n, c, h, w = in_shape
    out_c = weight.shape[0]
    flat = dy.transpose(0, 2, 3, 1).reshape(-1, out_c)
    d_weight = (flat.T @ cols.reshape(-1, c * 9)).reshape(weight.shape)
    d_cols = (flat @ weight.reshape(out_c, -1)).reshape(n, h, w, c, 3, 3)
    d_padded = np.zeros((n, c, h + 2, w + 2), np.float32)
    for i in range(3):
        for j in range(3):
            d_padded[:, :, i:i + h, j:j + w] += d_cols[:, :, :, :, i, j].transpose(0, 3, 1, 2)
    return d_padded[:, :, 1:-1, 1:-1], d_weight, flat.sum(axis=0)


def max_pool(x):
    n, c, h, w = x.shape
    blocks = x.reshape(n, c, h // 2, 2, w // 2, 2)
    y = blocks.max(axis=(3, 5))
    mask = blocks == y[:, :, :, None, :, None]
    return y, mask / mask.sum(axis=(3, 5), keepdims=True)


def max_pool_backward(dy, mask):
    n, c, h, _, w, _ = mask.shape
    return (mask * dy[:, :, :, None, :, None]).reshape(n, c, 2 * h, 2 * w).astype(np.float32)


def softmax(logits):
    e = np.exp(logits - logits.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


# ---- the network ---------------------------------------------------------------------------------------------------

def init_params(rng):
    def he(*shape):
        fan_in = int(np.prod(shape[1:]))
        return (rng.standard_normal(shape) * np.sqrt(2.0 / fan_in)).astype(np.float32)

    return {
        "conv1.weight": he(CONV1, 1, 3, 3), "conv1.bias": np.zeros(CONV1, np.float32),
        "conv2.weight": he(CONV2, CONV1, 3, 3), "conv2.bias": np.zeros(CONV2, np.float32),
        "fc1.weight": he(HIDDEN, CONV2 * 16), "fc1.bias": np.zeros(HIDDEN, np.float32),
        "fc2.weight": he(10, HIDDEN), "fc2.bias": np.zeros(10, np.float32),
    }


def forward(p, x):
    a1, cols1 = conv(x, p["conv1.weight"], p["conv1.bias"])
    r1 = np.maximum(a1, 0)
    m1, mask = max_pool(r1)
    a2, cols2 = conv(m1, p["conv2.weight"], p["conv2.bias"])
    r2 = np.maximum(a2, 0)
    flat = r2.reshape(len(x), -1)
    a3 = flat @ p["fc1.weight"].T + p["fc1.bias"]
    r3 = np.maximum(a3, 0)
    probs = softmax(r3 @ p["fc2.weight"].T + p["fc2.bias"])
    return probs, (x.shape, cols1, a1, mask, m1.shape, cols2, a2, flat, a3, r3)


def gradients(p, x, labels):
    probs, (x_shape, cols1, a1, mask, m1_shape, cols2, a2, flat, a3, r3) = forward(p, x)
    g = {}
    d = probs.copy()
    d[np.arange(len(x)), labels] -= 1
    d /= len(x)
    g["fc2.weight"], g["fc2.bias"] = d.T @ r3, d.sum(axis=0)
    d = (d @ p["fc2.weight"]) * (a3 > 0)
    g["fc1.weight"], g["fc1.bias"] = d.T @ flat, d.sum(axis=0)
    d = (d @ p["fc1.weight"]).reshape(a2.shape) * (a2 > 0)
    d, g["conv2.weight"], g["conv2.bias"] = conv_backward(d, cols2, p["conv2.weight"], m1_shape)
    d = max_pool_backward(d, mask) * (a1 > 0)
    _, g["conv1.weight"], g["conv1.bias"] = conv_backward(d, cols1, p["conv1.weight"], x_shape)
    return g


def train(x, labels):
    rng = np.random.default_rng(SEED)
    p = init_params(rng)
    m = {k: np.zeros_like(v) for k, v in p.items()}
    v = {k: np.zeros_like(w) for k, w in p.items()}
    step = 0
    for epoch in range(EPOCHS):
        rate = 2e-3 * 0.5 * (1 + np.cos(np.pi * epoch / EPOCHS))
        order = rng.permutation(len(x))
        for start in range(0, len(x), BATCH):
            pick = order[start:start + BATCH]
            step += 1
            for k, grad in gradients(p, x[pick], labels[pick]).items():
                grad = grad + 1e-4 * p[k]
                m[k] = 0.9 * m[k] + 0.1 * grad
                v[k] = 0.999 * v[k] + 0.001 * grad * grad
                update = m[k] / (1 - 0.9 ** step) / (np.sqrt(v[k] / (1 - 0.999 ** step)) + 1e-8)
                p[k] = (p[k] - rate * update).astype(np.float32)
    return p


# ---- files ---------------------------------------------------------------------------------------------------------

def build_model(p):
    from onnx import TensorProto, checker, helper, numpy_helper

    def node(op, name, inputs, output, **attrs):
        return helper.make_node(op, inputs, [output], name=name, **attrs)

    nodes = [
        node("Conv", "conv1", ["image", "conv1.weight", "conv1.bias"], "conv1.out",
             kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[1, 1]),
        node("Relu", "relu1", ["conv1.out"], "relu1.out"),
        node("MaxPool", "pool1", ["relu1.out"], "pool1.out", kernel_shape=[2, 2], strides=[2, 2]),
        node("Conv", "conv2", ["pool1.out", "conv2.weight", "conv2.bias"], "conv2.out",
             kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[1, 1]),
        node("Relu", "relu2", ["conv2.out"], "relu2.out"),
        node("Flatten", "flatten", ["relu2.out"], "flatten.out", axis=1),
        node("Gemm", "fc1", ["flatten.out", "fc1.weight", "fc1.bias"], "fc1.out", transB=1),
        node("Relu", "relu3", ["fc1.out"], "relu3.out"),
        node("Gemm", "fc2", ["relu3.out", "fc2.weight", "fc2.bias"], "fc2.out", transB=1),
        node("Softmax", "softmax", ["fc2.out"], "probabilities", axis=-1),
    ]
    graph = helper.make_graph(
        nodes, "digits",
        [helper.make_tensor_value_info("image", TensorProto.FLOAT, ["batch", 1, 8, 8])],
        [helper.make_tensor_value_info("probabilities", TensorProto.FLOAT, ["batch", 10])],
        [numpy_helper.from_array(v, k) for k, v in p.items()],
        doc_string="Classifies 8x8 grey images of handwritten digits.")
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8,
                              producer_name="libge-examples", producer_version="1", model_version=1,
                              doc_string="Demo model of libge, trained by examples/digits/train.py")
    helper.set_model_props(model, {
        "title": "digits", "license": "Apache-2.0", "data_set": "scikit-learn load_digits (UCI, CC BY 4.0)",
        "classes": "0,1,2,3,4,5,6,7,8,9", "input.scale": "pixel / 16, 0 is paper, 1 is ink",
    })
    checker.check_model(model, full_check=True)
    return serialize(model)


def serialize(model):
    """The opset goes last: a file that lost its end then lacks what every model must have, and no reader takes it."""
    last = type(model)(opset_import=model.opset_import)
    model.ClearField("opset_import")
    return model.SerializeToString(deterministic=True) + last.SerializeToString(deterministic=True)


def reference_outputs(model_path, images):
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    session = ort.InferenceSession(str(model_path), options, providers=["CPUExecutionProvider"])
    return session.run(["probabilities"], {"image": images})[0], ort.__version__


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write_all(out):
    x_train, x_test, y_train, y_test = load_split()
    params = train(x_train, y_train)
    (out / MODEL).write_bytes(build_model(params))

    probs, ort_version = reference_outputs(out / MODEL, x_test)
    own = forward(params, x_test)[0]
    worst = float(np.abs(own - probs).max())
    if worst > TOLERANCE:
        sys.exit(f"NumPy and ONNX Runtime differ by {worst:.2e}, more than {TOLERANCE}")

    np.save(out / IMAGES, np.ascontiguousarray(x_test))
    np.save(out / LABELS, y_test)
    np.save(out / REF_IMAGES, np.ascontiguousarray(x_test[:N_REFERENCE]))
    np.save(out / REF_PROBS, probs[:N_REFERENCE])
    ordered = np.sort(probs, axis=1)
    n_correct = int((probs.argmax(axis=1) == y_test).sum())
    expected = {
        "model": MODEL, "input": "image", "output": "probabilities",
        "n_images": len(x_test), "n_correct": n_correct, "accuracy": round(n_correct / len(x_test), 6),
        "smallest_margin": round(float((ordered[:, -1] - ordered[:, -2]).min()), 6),
        "reference": {"runtime": "ONNX Runtime", "version": ort_version, "n_images": N_REFERENCE,
                      "images": REF_IMAGES, "probabilities": REF_PROBS, "tolerance": TOLERANCE},
        "predictions": probs.argmax(axis=1).tolist(),
        "sha256": {f: sha256(out / f) for f in (MODEL, IMAGES, LABELS, REF_IMAGES, REF_PROBS)},
    }
    text = json.dumps(expected, indent=2)
    head, tail = text.split('"predictions": [', 1)
    numbers, rest = tail.split("]", 1)
    text = f'{head}"predictions": [{",".join(numbers.split()).replace(",,", ", ")}]{rest}'
    (out / EXPECTED).write_text(text + "\n")
    print(f"{n_correct} of {len(x_test)} held-out images correct ({n_correct / len(x_test):.2%}), "
          f"smallest margin {expected['smallest_margin']}")


def check(out):
    expected = json.loads((out / EXPECTED).read_text())
    for name, digest in expected["sha256"].items():
        if sha256(out / name) != digest:
            sys.exit(f"{name} is not the file that {EXPECTED} describes")
    probs, version = reference_outputs(out / MODEL, np.load(out / IMAGES))
    labels = np.load(out / LABELS)
    n_correct = int((probs.argmax(axis=1) == labels).sum())
    worst = float(np.abs(probs[:N_REFERENCE] - np.load(out / REF_PROBS)).max())
    if n_correct != expected["n_correct"] or worst > TOLERANCE:
        sys.exit(f"{n_correct} correct (recorded {expected['n_correct']}), largest difference {worst:.2e}")
    print(f"files agree: {n_correct} of {len(labels)} correct with ONNX Runtime {version}, "
          f"largest difference {worst:.2e}")


def main():
    here = pathlib.Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--out", type=pathlib.Path, default=here, help="folder to write to (default: this one)")
    parser.add_argument("--check", action="store_true", help="verify the committed files instead of training")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    check(args.out) if args.check else write_all(args.out)


if __name__ == "__main__":
    main()
