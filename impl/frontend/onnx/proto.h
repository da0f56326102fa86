/* SPDX-License-Identifier: Apache-2.0 */
/* proto: the numbers of onnx.proto that the reader uses; the one place where they stand. */
#ifndef GEI_FRONTEND_ONNX_PROTO_H
#define GEI_FRONTEND_ONNX_PROTO_H

enum { /* ModelProto */
    ONNX_MODEL_IR_VERSION = 1,
    ONNX_MODEL_PRODUCER_NAME = 2,
    ONNX_MODEL_PRODUCER_VERSION = 3,
    ONNX_MODEL_DOMAIN = 4,
    ONNX_MODEL_VERSION = 5,
    ONNX_MODEL_DOC = 6,
    ONNX_MODEL_GRAPH = 7,
    ONNX_MODEL_OPSET = 8,
    ONNX_MODEL_METADATA = 14,
    ONNX_MODEL_TRAINING = 20,
    ONNX_MODEL_FUNCTION = 25,
    ONNX_MODEL_CONFIGURATION = 26,
};

enum { ONNX_OPSET_DOMAIN = 1, ONNX_OPSET_VERSION = 2 };   /* OperatorSetIdProto */
enum { ONNX_ENTRY_KEY = 1, ONNX_ENTRY_VALUE = 2 };        /* StringStringEntryProto */

enum { /* GraphProto */
    ONNX_GRAPH_NODE = 1,
    ONNX_GRAPH_NAME = 2,
    ONNX_GRAPH_INITIALIZER = 5,
    ONNX_GRAPH_INPUT = 11,
    ONNX_GRAPH_OUTPUT = 12,
    ONNX_GRAPH_VALUE_INFO = 13,
    ONNX_GRAPH_SPARSE_INITIALIZER = 15,
};

enum { /* FunctionProto */
    ONNX_FUNCTION_NAME = 1,
    ONNX_FUNCTION_INPUT = 4,
    ONNX_FUNCTION_OUTPUT = 5,
    ONNX_FUNCTION_ATTRIBUTE = 6,
    ONNX_FUNCTION_NODE = 7,
    ONNX_FUNCTION_OPSET = 9,
    ONNX_FUNCTION_DOMAIN = 10,
    ONNX_FUNCTION_ATTRIBUTE_PROTO = 11,
    ONNX_FUNCTION_VALUE_INFO = 12,
    ONNX_FUNCTION_OVERLOAD = 13,
};

enum { /* NodeProto */
    ONNX_NODE_INPUT = 1,
    ONNX_NODE_OUTPUT = 2,
    ONNX_NODE_NAME = 3,
    ONNX_NODE_TYPE = 4,
    ONNX_NODE_ATTRIBUTE = 5,
    ONNX_NODE_DOMAIN = 7,
    ONNX_NODE_OVERLOAD = 8,
};

enum { /* AttributeProto */
    ONNX_ATTR_NAME = 1,
    ONNX_ATTR_F = 2,
    ONNX_ATTR_I = 3,
    ONNX_ATTR_S = 4,
    ONNX_ATTR_T = 5,
    ONNX_ATTR_G = 6,
    ONNX_ATTR_FLOATS = 7,
    ONNX_ATTR_INTS = 8,
    ONNX_ATTR_STRINGS = 9,
    ONNX_ATTR_TENSORS = 10,
    ONNX_ATTR_GRAPHS = 11,
    ONNX_ATTR_TP = 14,
    ONNX_ATTR_TYPE_PROTOS = 15,
    ONNX_ATTR_TYPE = 20,
    ONNX_ATTR_REF_NAME = 21,
    ONNX_ATTR_SPARSE_TENSOR = 22,
    ONNX_ATTR_SPARSE_TENSORS = 23,
};

enum { /* AttributeProto.AttributeType */
    ONNX_KIND_UNDEFINED = 0,
    ONNX_KIND_FLOAT = 1,
    ONNX_KIND_INT = 2,
    ONNX_KIND_STRING = 3,
    ONNX_KIND_TENSOR = 4,
    ONNX_KIND_GRAPH = 5,
    ONNX_KIND_FLOATS = 6,
    ONNX_KIND_INTS = 7,
    ONNX_KIND_STRINGS = 8,
    ONNX_KIND_TENSORS = 9,
    ONNX_KIND_GRAPHS = 10,
    ONNX_KIND_SPARSE_TENSOR = 11,
    ONNX_KIND_SPARSE_TENSORS = 12,
    ONNX_KIND_TYPE_PROTO = 13,
    ONNX_KIND_TYPE_PROTOS = 14,
};

enum { /* TensorProto */
    ONNX_TENSOR_DIMS = 1,
    ONNX_TENSOR_DATA_TYPE = 2,
    ONNX_TENSOR_SEGMENT = 3,
    ONNX_TENSOR_FLOAT_DATA = 4,
    ONNX_TENSOR_INT32_DATA = 5,
    ONNX_TENSOR_STRING_DATA = 6,
    ONNX_TENSOR_INT64_DATA = 7,
    ONNX_TENSOR_NAME = 8,
    ONNX_TENSOR_RAW_DATA = 9,
    ONNX_TENSOR_DOUBLE_DATA = 10,
    ONNX_TENSOR_UINT64_DATA = 11,
    ONNX_TENSOR_EXTERNAL_DATA = 13,
    ONNX_TENSOR_DATA_LOCATION = 14,
};
enum { ONNX_LOCATION_DEFAULT = 0, ONNX_LOCATION_EXTERNAL = 1 };

enum { ONNX_SPARSE_VALUES = 1, ONNX_SPARSE_INDICES = 2, ONNX_SPARSE_DIMS = 3 }; /* SparseTensorProto */
enum { ONNX_INFO_NAME = 1, ONNX_INFO_TYPE = 2 };                                /* ValueInfoProto */

enum { /* TypeProto */
    ONNX_TYPE_TENSOR = 1,
    ONNX_TYPE_SEQUENCE = 4,
    ONNX_TYPE_MAP = 5,
    ONNX_TYPE_OPAQUE = 7,
    ONNX_TYPE_SPARSE_TENSOR = 8,
    ONNX_TYPE_OPTIONAL = 9,
};
enum { ONNX_TENSOR_TYPE_ELEM = 1, ONNX_TENSOR_TYPE_SHAPE = 2 }; /* TypeProto.Tensor, .SparseTensor */
enum { ONNX_ELEM_TYPE = 1 };                                    /* TypeProto.Sequence, .Optional */
enum { ONNX_MAP_KEY = 1, ONNX_MAP_VALUE = 2 };                  /* TypeProto.Map */
enum { ONNX_SHAPE_DIM = 1 };                                    /* TensorShapeProto */
enum { ONNX_DIM_VALUE = 1, ONNX_DIM_PARAM = 2 };                /* TensorShapeProto.Dimension */

#endif
