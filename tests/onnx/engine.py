# SPDX-License-Identifier: Apache-2.0
"""libge through ctypes, as much of it as the ONNX suites need: a model's bytes and numpy arrays in, numpy arrays out.

Independent of the SDKs, so that a fault there cannot hide one in the engine.  Sub-byte types are packed here (low bits first)."""

import ctypes as c

import ml_dtypes
import numpy as np

DTYPES = {  # libge's number: numpy type, bits of one element
    0: (np.float32, 32), 1: (np.float16, 16), 2: (np.int8, 8), 3: (np.int32, 32), 4: (np.uint8, 8), 6: (np.int16, 16), 7: (np.uint16, 16),
    8: (np.uint32, 32), 9: (np.int64, 64), 10: (np.uint64, 64), 11: (np.float64, 64), 12: (np.bool_, 8), 16: (np.complex64, 64),
    17: (np.complex128, 128), 27: (ml_dtypes.bfloat16, 16), 29: (ml_dtypes.int4, 4), 31: (ml_dtypes.int2, 2), 32: (ml_dtypes.uint2, 2),
    35: (ml_dtypes.float8_e5m2, 8), 36: (ml_dtypes.float8_e4m3fn, 8), 37: (ml_dtypes.float8_e8m0fnu, 8), 40: (ml_dtypes.float4_e2m1fn, 4),
    256: (ml_dtypes.float8_e4m3fnuz, 8), 257: (ml_dtypes.float8_e5m2fnuz, 8), 258: (ml_dtypes.uint4, 4),
}
NUMBERS = {np.dtype(t): n for n, (t, _) in DTYPES.items()}
STRING = 13


TENSOR, SEQUENCE, MAP, OPTIONAL = 1, 2, 3, 4  # kinds of values


class EngineError(Exception):
    """A failed call: status name and message."""


class Desc(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("reserved_flags", c.c_uint32), ("dtype", c.c_int32), ("format", c.c_int32),
                ("placement", c.c_int32), ("rank", c.c_int32), ("dims", c.POINTER(c.c_int64)), ("strides", c.POINTER(c.c_int64)),
                ("dim_names", c.c_void_p), ("origin_dims", c.POINTER(c.c_int64)), ("origin_format", c.c_int32), ("origin_rank", c.c_int32)]


class IoInfo(c.Structure):
    _fields_ = [("struct_size", c.c_uint32), ("reserved_flags", c.c_uint32), ("name", c.c_char_p), ("kind", c.c_int32),
                ("is_optional", c.c_int32), ("dtype", c.c_int32), ("format", c.c_int32), ("rank", c.c_int32), ("reserved_0", c.c_uint32),
                ("dims", c.POINTER(c.c_int64)), ("dim_names", c.c_void_p), ("data_size", c.c_uint64)]


def pack(array, bits):
    """Bytes of an array of sub-byte elements."""
    raw = array.reshape(-1).view(np.uint8) & ((1 << bits) - 1)
    per = 8 // bits
    raw = np.concatenate([raw, np.zeros(-len(raw) % per, np.uint8)]).reshape(-1, per)
    return np.bitwise_or.reduce(raw << (np.arange(per, dtype=np.uint8) * bits), axis=1).astype(np.uint8).tobytes()


def unpack(data, count, numpy_type, bits):
    raw = np.frombuffer(data, np.uint8)[:, None] >> (np.arange(8 // bits, dtype=np.uint8) * bits) & ((1 << bits) - 1)
    raw = raw.reshape(-1)[:count].astype(np.uint8)
    if numpy_type in (ml_dtypes.int4, ml_dtypes.int2):  # the sign lives in the high bit of the element
        raw = raw.astype(np.int8)
        return np.where(raw >= 1 << (bits - 1), raw - (1 << bits), raw).astype(numpy_type)
    if numpy_type in (ml_dtypes.uint4, ml_dtypes.uint2):
        return raw.astype(numpy_type)
    return raw.view(numpy_type)


class Engine:
    def __init__(self, path, threads=1):
        self.lib = c.CDLL(path)
        for name in ("ge_get_build_info", "ge_status_name", "ge_error_get_message"):
            getattr(self.lib, name).restype = c.c_char_p
        self.lib.ge_error_get_message.argtypes = [c.c_void_p]
        options = self.new("ge_options_create")
        self.call("ge_options_set_int", options, b"ge.threads", c.c_size_t(10), c.c_int64(threads))
        self.context = self.new("ge_context_create", options)
        self.lib.ge_options_destroy(options)

    def call(self, name, *args):
        status = getattr(self.lib, name)(*args)
        if status:
            error = c.c_void_p()
            self.lib.ge_error_take(c.byref(error))
            message = self.lib.ge_error_get_message(error).decode()
            self.lib.ge_error_release(error)
            raise EngineError(f"{self.lib.ge_status_name(status).decode()}: {message}")

    def new(self, name, *args):
        out = c.c_void_p()
        self.call(name, *args, c.byref(out))
        return out

    def tensor(self, array):
        array = np.asarray(array)
        dims = (c.c_int64 * array.ndim)(*array.shape)
        desc = Desc(struct_size=c.sizeof(Desc), format=2, origin_format=2, rank=array.ndim, dims=dims)
        if array.dtype.kind in "OUS":
            texts = [t if isinstance(t, bytes) else str(t).encode() for t in array.reshape(-1)]
            desc.dtype = STRING
            tensor = self.new("ge_tensor_create", self.context, c.byref(desc))
            offsets = (c.c_uint64 * (len(texts) + 1))(*np.cumsum([0] + [len(t) for t in texts]).tolist())
            data = b"".join(texts)
            self.call("ge_tensor_set_strings", tensor, data, c.c_size_t(len(data)), offsets, c.c_size_t(len(texts) + 1))
            return tensor
        desc.dtype = NUMBERS[array.dtype]
        bits = DTYPES[desc.dtype][1]
        data = pack(array, bits) if bits < 8 else np.ascontiguousarray(array).tobytes()
        return self.new("ge_tensor_create_from_data", self.context, c.byref(desc), data or None, c.c_size_t(len(data)))

    def array(self, tensor):
        desc, data, size = Desc(), c.c_void_p(), c.c_size_t()
        self.call("ge_tensor_get_desc", tensor, c.byref(desc), c.c_size_t(c.sizeof(Desc)))
        shape = [desc.dims[i] for i in range(desc.rank)]
        count = int(np.prod(shape, dtype=np.int64))
        if desc.dtype == STRING:
            offsets, n, m = c.POINTER(c.c_uint64)(), c.c_size_t(), c.c_size_t()
            self.call("ge_tensor_get_strings", tensor, c.byref(data), c.byref(n), c.byref(offsets), c.byref(m))
            text = c.string_at(data, n.value) if n.value else b""
            items = [text[offsets[i]:offsets[i + 1]].decode() for i in range(count)]
            return np.array(items, dtype=object).reshape(shape)
        self.call("ge_tensor_get_data", tensor, c.byref(data), c.byref(size))
        raw = c.string_at(data, size.value) if size.value else b""
        numpy_type, bits = DTYPES[desc.dtype]
        flat = unpack(raw, count, numpy_type, bits) if bits < 8 else np.frombuffer(raw, numpy_type)
        return flat.reshape(shape)

    def value(self, content, kind):
        """A value of that kind: an array, a list, a dict, or None for an empty optional."""
        if kind == OPTIONAL:
            if content is None:
                return self.new("ge_value_create_optional", self.context, None)
            inner = self.value(content, SEQUENCE if isinstance(content, list) else TENSOR)
            return self.owning([inner], lambda: self.new("ge_value_create_optional", self.context, inner))
        if kind == SEQUENCE:
            items = [self.value(x, MAP if isinstance(x, dict) else TENSOR) for x in content]
            array = (c.c_void_p * len(items))(*items)
            return self.owning(items, lambda: self.new("ge_value_create_sequence", self.context, array, c.c_size_t(len(items))))
        if kind == MAP:
            keys = self.tensor(np.array(list(content), dtype=object if isinstance(next(iter(content), ""), str) else np.int64))
            items = [self.value(x, TENSOR) for x in content.values()]
            array = (c.c_void_p * len(items))(*items)
            try:
                return self.owning(items, lambda: self.new("ge_value_create_map", keys, array, c.c_size_t(len(items))))
            finally:
                self.lib.ge_tensor_destroy(keys)
        tensor = self.tensor(content)
        try:
            return self.new("ge_value_create_from_tensor", tensor)
        finally:
            self.lib.ge_tensor_destroy(tensor)

    def owning(self, values, make):
        """What make() gives; the values are done with then."""
        try:
            return make()
        finally:
            for value in values:
                self.lib.ge_value_destroy(value)

    def content(self, value):
        """What a value holds, as `value` takes it; destroys the handle."""
        try:
            kind, n = c.c_int32(), c.c_size_t()
            self.call("ge_value_get_kind", value, c.byref(kind))
            if kind.value == TENSOR:
                tensor = self.new("ge_tensor_create_from_value", value)
                try:
                    return self.array(tensor)
                finally:
                    self.lib.ge_tensor_destroy(tensor)
            self.call("ge_value_get_items_count", value, c.byref(n))
            items = [self.content(self.new("ge_value_create_from_item", value, c.c_size_t(i))) for i in range(n.value)]
            if kind.value == MAP:
                keys = self.new("ge_tensor_create_from_keys", value)
                try:
                    return dict(zip(self.array(keys).tolist(), items))
                finally:
                    self.lib.ge_tensor_destroy(keys)
            return items if kind.value == SEQUENCE else items[0] if items else None
        finally:
            self.lib.ge_value_destroy(value)

    def compile(self, model):
        """A model handle of a serialized model; ge_model_destroy is the caller's."""
        graph = self.new("ge_graph_import", self.context, c.c_int32(1), model, c.c_size_t(len(model)), None)
        try:
            return self.new("ge_graph_compile", graph, None)
        finally:
            self.lib.ge_graph_destroy(graph)

    def io(self, compiled, direction):
        n = c.c_size_t()
        self.call("ge_model_get_io_infos", compiled, c.c_int32(direction), None, c.c_size_t(0), c.c_size_t(0), c.byref(n))
        infos = (IoInfo * n.value)()
        for info in infos:
            info.struct_size = c.sizeof(IoInfo)
        self.call("ge_model_get_io_infos", compiled, c.c_int32(direction), infos, n, c.c_size_t(c.sizeof(IoInfo)), c.byref(n))
        return infos

    def run_compiled(self, compiled, inputs):
        """Outputs for these inputs, both in the model's order."""
        infos = self.io(compiled, 1)
        n = len(self.io(compiled, 2))
        values = []
        try:
            for i, content in enumerate(inputs):
                values.append(self.value(content, infos[i].kind if i < len(infos) else TENSOR))
            outputs = (c.c_void_p * n)()
            self.call("ge_model_run", compiled, None, (c.c_void_p * len(values))(*values), c.c_size_t(len(values)), outputs, c.c_size_t(n))
            return [self.content(c.c_void_p(v)) for v in outputs]
        finally:
            for value in values:
                self.lib.ge_value_destroy(value)

    def run(self, model, inputs):
        """Compiles and runs a serialized model."""
        compiled = self.compile(model)
        try:
            return self.run_compiled(compiled, inputs)
        finally:
            self.lib.ge_model_destroy(compiled)
