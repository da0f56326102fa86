# SPDX-License-Identifier: Apache-2.0
"""Reads and writes small .npy files with the standard library only."""
import ast
import pathlib
import struct

CODES = {"<f4": "<f", ">f4": ">f", "<f8": "<d", "<i8": "<q", "<i4": "<i", "|u1": "B", "|b1": "?"}


def write(path, descr, shape, elements, fortran=False):
    header = str({"descr": descr, "fortran_order": fortran, "shape": tuple(shape)}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    code = CODES[descr]
    data = b"".join(struct.pack(code, e) for e in elements)
    pathlib.Path(path).write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data)


def read(path):
    """(descr, shape, elements)"""
    data = pathlib.Path(path).read_bytes()
    assert data[:8] == b"\x93NUMPY\x01\x00", path
    (size,) = struct.unpack_from("<H", data, 8)
    header = ast.literal_eval(data[10:10 + size].decode("latin-1"))
    assert (10 + size) % 64 == 0 and not header["fortran_order"]
    code = CODES[header["descr"]]
    elements = [e for (e,) in struct.iter_unpack(code, data[10 + size:])]
    return header["descr"], header["shape"], elements
