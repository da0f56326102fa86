# SPDX-License-Identifier: Apache-2.0
"""Small ONNX models written field by field, so that these tests need no package and can write wrong ones too."""


def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def number(field, n):
    return varint(field << 3) + varint(n)


def chunk(field, data):
    data = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | 2) + varint(len(data)) + data


FLOAT, INT64 = 1, 7


def value_info(name, elem_type, dims):
    """A dim is a number or, when unknown, its symbol."""
    shape = b"".join(chunk(1, chunk(2, d) if isinstance(d, str) else number(1, d)) for d in dims)
    return chunk(1, name) + chunk(2, chunk(1, number(1, elem_type) + chunk(2, shape)))


def node(op_type, inputs, outputs, name="", domain="", attributes=b""):
    return (b"".join(chunk(1, i) for i in inputs) + b"".join(chunk(2, o) for o in outputs) + chunk(3, name)
            + chunk(4, op_type) + attributes + (chunk(7, domain) if domain else b""))


def attribute_int(name, n):
    return chunk(5, chunk(1, name) + number(3, n) + number(20, 2))


def model(nodes, inputs, outputs, opset=17):
    graph = (b"".join(chunk(1, n) for n in nodes) + chunk(2, "g") + b"".join(chunk(11, i) for i in inputs)
             + b"".join(chunk(12, o) for o in outputs))
    return number(1, 8) + chunk(7, graph) + chunk(8, chunk(1, "") + number(2, opset))


def add_model(elem_type=FLOAT, a_dims=("n", 3), b_dims=("n", 3)):
    """sum = a + b"""
    return model([node("Add", ["a", "b"], ["sum"], "add")],
                 [value_info("a", elem_type, a_dims), value_info("b", elem_type, b_dims)],
                 [value_info("sum", elem_type, ("n", 3))])
