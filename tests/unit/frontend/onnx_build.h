/* SPDX-License-Identifier: Apache-2.0 */
/* onnx_build: writes small ONNX models, good and bad, byte by byte.
 *
 *   pb graph = { 0 };
 *   onnx_input(&graph, "x", ONNX_F32, "n,3");
 *   onnx_node(&graph, "Relu", "", "x", "y");                     no attributes
 *   pb node = onnx_node_begin("Softmax", "s", "y", "z");
 *   onnx_attr_i(&node, "axis", -1);
 *   pb_message(&graph, ONNX_GRAPH_NODE, &node);                  takes the inner message
 *   onnx_output(&graph, "z", ONNX_F32, NULL);
 *   pb model = onnx_model(8, 17, &graph);
 *   ... model.data, model.size ...
 *   pb_free(&model);
 * Lists are texts with commas: "a,,b" has an empty entry, "" is the empty list. */
#ifndef GE_TEST_ONNX_BUILD_H
#define GE_TEST_ONNX_BUILD_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frontend/onnx/proto.h"

enum { ONNX_F32 = 1, ONNX_U8 = 2, ONNX_I32 = 6, ONNX_I64 = 7, ONNX_STR = 8, ONNX_BOOLEAN = 9, ONNX_F16 = 10 };

typedef struct pb {
    uint8_t *data;
    size_t size, cap;
} pb;

static inline void pb_raw(pb *to, const void *bytes, size_t size) {
    if (to->size + size > to->cap) {
        to->cap = (to->size + size) * 2 + 64;
        to->data = realloc(to->data, to->cap);
        if (!to->data) abort();
    }
    if (size > 0) memcpy(to->data + to->size, bytes, size);
    to->size += size;
}

static inline void pb_free(pb *b) {
    free(b->data);
    *b = (pb){ 0 };
}

static inline void pb_varint(pb *to, uint64_t v) {
    do {
        uint8_t byte = (uint8_t)(v & 0x7F) | (v > 0x7F ? 0x80 : 0);
        pb_raw(to, &byte, 1);
        v >>= 7;
    } while (v > 0);
}

static inline void pb_tag(pb *to, uint32_t field, uint32_t wire_type) { pb_varint(to, (uint64_t)field << 3 | wire_type); }

static inline void pb_int(pb *to, uint32_t field, int64_t v) {
    pb_tag(to, field, 0);
    pb_varint(to, (uint64_t)v);
}

static inline void pb_bytes(pb *to, uint32_t field, const void *bytes, size_t size) {
    pb_tag(to, field, 2);
    pb_varint(to, size);
    pb_raw(to, bytes, size);
}

static inline void pb_text(pb *to, uint32_t field, const char *text) { pb_bytes(to, field, text, strlen(text)); }

static inline void pb_float(pb *to, uint32_t field, float v) {
    pb_tag(to, field, 5);
    pb_raw(to, &v, sizeof v);
}

static inline void pb_double(pb *to, uint32_t field, double v) {
    pb_tag(to, field, 1);
    pb_raw(to, &v, sizeof v);
}

/* Takes inner. */
static inline void pb_message(pb *to, uint32_t field, pb *inner) {
    pb_bytes(to, field, inner->data, inner->size);
    pb_free(inner);
}

/* One field for each entry of the list. */
static inline void pb_list(pb *to, uint32_t field, const char *list) {
    while (*list) {
        size_t size = strcspn(list, ",");
        pb_bytes(to, field, list, size);
        list += size;
        if (*list == ',' && *++list == '\0') pb_bytes(to, field, "", 0);
    }
}

/* ---- types ---- */

/* NULL: no shape.  "": scalar.  Numbers are values, "" an unknown dim, anything else a name. */
static inline pb onnx_shape(const char *dims) {
    pb shape = { 0 };
    while (*dims) {
        size_t size = strcspn(dims, ",");
        pb dim = { 0 };
        char *end;
        long long value = strtoll(dims, &end, 10);
        if (size > 0 && end == dims + size) pb_int(&dim, ONNX_DIM_VALUE, value);
        else if (size > 0) pb_bytes(&dim, ONNX_DIM_PARAM, dims, size);
        pb_message(&shape, ONNX_SHAPE_DIM, &dim);
        dims += size + (dims[size] == ',');
    }
    return shape;
}

static inline pb onnx_tensor_type(int elem, const char *dims) {
    pb tensor = { 0 }, type = { 0 };
    if (elem) pb_int(&tensor, ONNX_TENSOR_TYPE_ELEM, elem);
    if (dims) {
        pb shape = onnx_shape(dims);
        pb_message(&tensor, ONNX_TENSOR_TYPE_SHAPE, &shape);
    }
    pb_message(&type, ONNX_TYPE_TENSOR, &tensor);
    return type;
}

/* A type that holds another: field of TypeProto, field of what stands there.  Takes inner. */
static inline pb onnx_type_around(pb *inner, uint32_t field, uint32_t inner_field) {
    pb holder = { 0 }, type = { 0 };
    pb_message(&holder, inner_field, inner);
    pb_message(&type, field, &holder);
    return type;
}

/* Takes type; NULL: a name alone. */
static inline pb onnx_info(const char *name, pb *type) {
    pb info = { 0 };
    pb_text(&info, ONNX_INFO_NAME, name);
    if (type) pb_message(&info, ONNX_INFO_TYPE, type);
    return info;
}

static inline void onnx_port(pb *graph, uint32_t field, const char *name, int elem, const char *dims) {
    pb type = onnx_tensor_type(elem, dims);
    pb info = onnx_info(name, elem < 0 ? NULL : &type);
    pb_free(&type);
    pb_message(graph, field, &info);
}

static inline void onnx_input(pb *graph, const char *name, int elem, const char *dims) { onnx_port(graph, ONNX_GRAPH_INPUT, name, elem, dims); }
static inline void onnx_output(pb *graph, const char *name, int elem, const char *dims) { onnx_port(graph, ONNX_GRAPH_OUTPUT, name, elem, dims); }
static inline void onnx_value(pb *graph, const char *name, int elem, const char *dims) { onnx_port(graph, ONNX_GRAPH_VALUE_INFO, name, elem, dims); }

/* ---- nodes ---- */

static inline pb onnx_node_begin(const char *type, const char *name, const char *ins, const char *outs) {
    pb node = { 0 };
    pb_list(&node, ONNX_NODE_INPUT, ins);
    pb_list(&node, ONNX_NODE_OUTPUT, outs);
    if (*name) pb_text(&node, ONNX_NODE_NAME, name);
    pb_text(&node, ONNX_NODE_TYPE, type);
    return node;
}

static inline void onnx_node(pb *graph, const char *type, const char *name, const char *ins, const char *outs) {
    pb node = onnx_node_begin(type, name, ins, outs);
    pb_message(graph, ONNX_GRAPH_NODE, &node);
}

/* ---- attributes ---- */

static inline pb onnx_attr_begin(const char *name, int kind) {
    pb attr = { 0 };
    pb_text(&attr, ONNX_ATTR_NAME, name);
    if (kind) pb_int(&attr, ONNX_ATTR_TYPE, kind);
    return attr;
}

static inline void onnx_attr_i(pb *node, const char *name, int64_t v) {
    pb attr = onnx_attr_begin(name, ONNX_KIND_INT);
    pb_int(&attr, ONNX_ATTR_I, v);
    pb_message(node, ONNX_NODE_ATTRIBUTE, &attr);
}

/* Takes value; kind and field belong together. */
static inline void onnx_attr_message(pb *node, const char *name, int kind, uint32_t field, pb *value) {
    pb attr = onnx_attr_begin(name, kind);
    pb_message(&attr, field, value);
    pb_message(node, ONNX_NODE_ATTRIBUTE, &attr);
}

static inline void onnx_attr_graph(pb *node, const char *name, pb *graph) { onnx_attr_message(node, name, ONNX_KIND_GRAPH, ONNX_ATTR_G, graph); }

static inline void onnx_attr_ref(pb *node, const char *name, int kind, const char *ref) {
    pb attr = onnx_attr_begin(name, kind);
    pb_text(&attr, ONNX_ATTR_REF_NAME, ref);
    pb_message(node, ONNX_NODE_ATTRIBUTE, &attr);
}

/* ---- tensors ---- */

static inline pb onnx_tensor_begin(const char *name, int elem, const char *dims) {
    pb t = { 0 };
    while (*dims) {
        char *end;
        pb_int(&t, ONNX_TENSOR_DIMS, strtoll(dims, &end, 10));
        dims = end + (*end == ',');
    }
    pb_int(&t, ONNX_TENSOR_DATA_TYPE, elem);
    if (*name) pb_text(&t, ONNX_TENSOR_NAME, name);
    return t;
}

static inline pb onnx_tensor_raw(const char *name, int elem, const char *dims, const void *data, size_t size) {
    pb t = onnx_tensor_begin(name, elem, dims);
    pb_bytes(&t, ONNX_TENSOR_RAW_DATA, data, size);
    return t;
}

static inline void onnx_initializer(pb *graph, const char *name, int elem, const char *dims, const void *data, size_t size) {
    pb t = onnx_tensor_raw(name, elem, dims, data, size);
    pb_message(graph, ONNX_GRAPH_INITIALIZER, &t);
}

static inline void onnx_entry(pb *to, uint32_t field, const char *key, const char *value) {
    pb entry = { 0 };
    pb_text(&entry, ONNX_ENTRY_KEY, key);
    pb_text(&entry, ONNX_ENTRY_VALUE, value);
    pb_message(to, field, &entry);
}

static inline pb onnx_tensor_external(const char *name, int elem, const char *dims, const char *location, const char *offset, const char *length) {
    pb t = onnx_tensor_begin(name, elem, dims);
    pb_int(&t, ONNX_TENSOR_DATA_LOCATION, ONNX_LOCATION_EXTERNAL);
    onnx_entry(&t, ONNX_TENSOR_EXTERNAL_DATA, "location", location);
    if (offset) onnx_entry(&t, ONNX_TENSOR_EXTERNAL_DATA, "offset", offset);
    if (length) onnx_entry(&t, ONNX_TENSOR_EXTERNAL_DATA, "length", length);
    return t;
}

/* ---- models ---- */

static inline void onnx_opset(pb *to, uint32_t field, const char *domain, int64_t version) {
    pb opset = { 0 };
    pb_text(&opset, ONNX_OPSET_DOMAIN, domain);
    pb_int(&opset, ONNX_OPSET_VERSION, version);
    pb_message(to, field, &opset);
}

/* Takes graph.  More may be appended to the model: fields have no order. */
static inline pb onnx_model(int64_t ir_version, int64_t opset, pb *graph) {
    pb model = { 0 };
    pb_int(&model, ONNX_MODEL_IR_VERSION, ir_version);
    pb_text(&model, ONNX_MODEL_PRODUCER_NAME, "test");
    pb_message(&model, ONNX_MODEL_GRAPH, graph);
    if (opset) onnx_opset(&model, ONNX_MODEL_OPSET, "", opset);
    return model;
}

static inline pb onnx_function_begin(const char *domain, const char *name, const char *ins, const char *outs) {
    pb fn = { 0 };
    pb_text(&fn, ONNX_FUNCTION_NAME, name);
    pb_text(&fn, ONNX_FUNCTION_DOMAIN, domain);
    pb_list(&fn, ONNX_FUNCTION_INPUT, ins);
    pb_list(&fn, ONNX_FUNCTION_OUTPUT, outs);
    onnx_opset(&fn, ONNX_FUNCTION_OPSET, "", 17);
    return fn;
}

static inline void onnx_function_node(pb *fn, const char *type, const char *name, const char *ins, const char *outs) {
    pb node = onnx_node_begin(type, name, ins, outs);
    pb_message(fn, ONNX_FUNCTION_NODE, &node);
}

#endif
