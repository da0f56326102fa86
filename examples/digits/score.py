#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares probabilities with the recorded results; needs nothing but Python.

    python3 score.py PROBABILITIES.npy      what `ge run` wrote for images.npy
    python3 score.py --count N              a number of images recognised, counted elsewhere

Exit 0 when accuracy, each prediction and the reference probabilities agree with expected.json, else 1.
"""
import ast
import json
import pathlib
import struct
import sys

HERE = pathlib.Path(__file__).resolve().parent


def read_npy(path):
    """Shape and elements of a little-endian f32 or i64 array in C order, format 1.0."""
    data = pathlib.Path(path).read_bytes()
    if data[:8] != b"\x93NUMPY\x01\x00":
        sys.exit(f"{path}: no .npy file of format 1.0")
    (header_size,) = struct.unpack_from("<H", data, 8)
    header = ast.literal_eval(data[10:10 + header_size].decode("latin-1"))
    code, size = {"<f4": ("f", 4), "<i8": ("q", 8)}[header["descr"]]
    if header["fortran_order"]:
        sys.exit(f"{path}: Fortran order")
    count = (len(data) - 10 - header_size) // size
    return header["shape"], struct.unpack_from(f"<{count}{code}", data, 10 + header_size)


def say_accuracy(n_correct, expected):
    total, wanted = expected["n_images"], expected["n_correct"]
    print(f"accuracy: {n_correct} of {total} = {n_correct / total:.2%}; recorded by training: {wanted} = {wanted / total:.2%}")
    return n_correct == wanted


def score_probabilities(path, expected):
    shape, probs = read_npy(path)
    if list(shape) != [expected["n_images"], 10]:
        sys.exit(f"{path}: shape {shape}")
    rows = [probs[i:i + 10] for i in range(0, len(probs), 10)]
    predictions = [max(range(10), key=row.__getitem__) for row in rows]
    _, labels = read_npy(HERE / "labels.npy")
    good = say_accuracy(sum(p == y for p, y in zip(predictions, labels)), expected)
    if predictions != expected["predictions"]:
        different = [i for i, (p, y) in enumerate(zip(predictions, expected["predictions"])) if p != y]
        print(f"predictions differ from those recorded, first at image {different[0]}")
        good = False
    reference = expected["reference"]
    _, wanted = read_npy(HERE / reference["probabilities"])
    worst = max(abs(a - b) for a, b in zip(probs, wanted))
    print(f"largest difference from {reference['runtime']}: {worst:.1e} (allowed {reference['tolerance']:.0e})")
    return good and worst <= reference["tolerance"]


def main():
    expected = json.loads((HERE / "expected.json").read_text())
    if len(sys.argv) == 3 and sys.argv[1] == "--count":
        good = say_accuracy(int(sys.argv[2]), expected)
    elif len(sys.argv) == 2 and not sys.argv[1].startswith("-"):
        good = score_probabilities(sys.argv[1], expected)
    else:
        sys.exit(__doc__)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
