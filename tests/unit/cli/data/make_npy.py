#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the .npy files of this folder with NumPy and ml_dtypes, an independent writer of the format.

Each file holds the numbers 0, 1, 2, ... in C order unless its name says otherwise.  Run by hand; the files are kept.
"""
import pathlib

import ml_dtypes
import numpy as np
from numpy.lib import format as npy

HERE = pathlib.Path(__file__).resolve().parent


def write(name, array, version=None):
    with open(HERE / f"{name}.npy", "wb") as file:
        npy.write_array(file, array, version=version, allow_pickle=True)


def ramp(dtype, shape=(2, 3)):
    return np.arange(int(np.prod(shape))).astype(dtype).reshape(shape)


for kind in ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"]:
    write(np.dtype(kind).name, ramp(kind))
for own in ["bfloat16", "float8_e5m2", "float8_e4m3fn"]:
    write(own, ramp(getattr(ml_dtypes, own)))
for kind in ["i2", "i4", "f8", "c8"]:
    write(f"big_{np.dtype(kind).name}", ramp(">" + kind))
write("fortran_f4", np.asfortranarray(ramp("f4", (2, 3, 4))))
write("fortran_big_i2", np.asfortranarray(ramp(">i2", (3, 2))))
write("version_2", ramp("f4"), (2, 0))
write("version_3", ramp("f4"), (3, 0))
write("scalar", np.array(7, "f8"))
write("vector", ramp("i4", (5,)))
write("empty", ramp("f4", (0, 3)))
write("rank_8", ramp("u1", (1, 2, 1, 1, 3, 1, 1, 1)))
write("rank_9", ramp("u1", (1, 2, 1, 1, 3, 1, 1, 1, 1)))
write("text", np.array(["a", "", "Grüße", "日本", "\U0001F600"]))
write("big_text", np.array(["a", "Grüße"]).astype(">U5"))
write("bytes", np.array([b"ab", b"", b"\xff\x00x"]))
write("objects", np.array([{}, []], dtype=object))
write("dates", np.array(["2020-01-01"], dtype="M8[D]"))
write("structures", np.zeros(2, dtype=[("a", "i4"), ("b", "f4")]))
write("long_double", ramp("g"))
