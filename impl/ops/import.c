/* SPDX-License-Identifier: Apache-2.0 */
/* What mapping functions call, and the plain mapping that needs none. */
#include "ops/import.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ir/builtin.h"
#include "ir/half.h"

/* ---- reading ---- */

bool gei_import_has_input(const gei_import *im, uint32_t index) { return index < im->n_inputs && im->inputs[index].node; }

gei_value gei_import_input(const gei_import *im, uint32_t index) {
    return index < im->n_inputs ? im->inputs[index] : (gei_value){ NULL, 0 };
}

gei_tensor *gei_import_const(const gei_import *im, uint32_t index) {
    gei_value v = gei_import_input(im, index);
    return v.node ? gei_node_const(v.node) : NULL;
}

bool gei_import_const_ints(const gei_import *im, uint32_t index, int64_t *out, size_t cap, size_t *out_count) {
    const gei_tensor *t = gei_import_const(im, index);
    const gei_dtype_info *info = t ? gei_dtype_get(t->dtype) : NULL;
    if (!info || (info->kind != GEI_KIND_INT && info->kind != GEI_KIND_UINT) || (uint64_t)t->n_elems > cap) return false;
    for (int64_t k = 0; k < t->n_elems; k++) out[k] = gei_tensor_i64(t, k);
    *out_count = (size_t)t->n_elems;
    return true;
}

static const gei_attr *find_attr(const gei_import *im, const char *name) { return gei_attrs_find(im->attrs, name); }

const gei_attr *gei_import_attr(const gei_import *im, const char *name) { return find_attr(im, name); }

bool gei_import_has_attr(const gei_import *im, const char *name) { return find_attr(im, name) != NULL; }

/* Nothing, and what was wrong is kept for the end of the mapping. */
static void misread(const gei_import *im, const char *name, const gei_attr *a, const char *wanted) {
    if (a && im->misread && !im->misread->attr) *im->misread = (gei_import_misread){ name, wanted, a->kind };
}

int64_t gei_import_int(const gei_import *im, const char *name, int64_t absent) {
    const gei_attr *a = find_attr(im, name);
    if (a && a->kind == GEI_ATTR_INT) return a->v.i;
    if (a && a->kind == GEI_ATTR_BOOL) return a->v.b;
    misread(im, name, a, gei_attr_kind_name(GEI_ATTR_INT));
    return absent;
}

double gei_import_float(const gei_import *im, const char *name, double absent) {
    const gei_attr *a = find_attr(im, name);
    if (a && a->kind == GEI_ATTR_FLOAT) return a->v.f;
    if (a && a->kind == GEI_ATTR_INT) return (double)a->v.i;
    misread(im, name, a, gei_attr_kind_name(GEI_ATTR_FLOAT));
    return absent;
}

const char *gei_import_text(const gei_import *im, const char *name, const char *absent) {
    const gei_attr *a = find_attr(im, name);
    if (a && a->kind == GEI_ATTR_STRING) return a->v.s.data;
    misread(im, name, a, gei_attr_kind_name(GEI_ATTR_STRING));
    return absent;
}

gei_int_list gei_import_ints(const gei_import *im, const char *name) {
    const gei_attr *a = find_attr(im, name);
    if (a && a->kind == GEI_ATTR_INTS) return (gei_int_list){ a->v.ints, a->count };
    if (a && a->kind == GEI_ATTR_INT) return (gei_int_list){ &a->v.i, 1 };
    misread(im, name, a, gei_attr_kind_name(GEI_ATTR_INTS));
    return (gei_int_list){ NULL, 0 };
}

ge_status gei_import_fail(const gei_import *im, ge_status status, gei_diag *diag, const char *format, ...) {
    char text[GEI_DIAG_MESSAGE_BYTES];
    const char *framework = im->framework == GEI_FROM_TF ? "TensorFlow" : "ONNX";
    const char *domain = im->domain ? im->domain : "";
    va_list args;
    va_start(args, format);
    (void)gei_format_text(text, sizeof text, format, args);
    va_end(args);
    (void)gei_fail(diag, status, "%s %s%s%s '%s' (opset %d): %s", framework, domain, *domain ? ":" : "", im->type,
                   im->name ? im->name : "", (int)im->opset, text);
    gei_diag_node(diag, im->name ? im->name : "");
    return status;
}

/* ---- building ---- */

/* "name", else "name/Type", else "name/Type_<number of the graph>".  NULL lets the graph make one up. */
static const char *free_name(const gei_import *im, const char *type, char *buffer, size_t cap) {
    if (!im->name || !*im->name) return NULL;
    if (!gei_graph_find_node(im->graph, im->name, strlen(im->name))) return im->name;
    int size = snprintf(buffer, cap, "%s/%s", im->name, type);
    while (size >= 0 && (size_t)size < cap) {
        if (!gei_graph_find_node(im->graph, buffer, (size_t)size)) return buffer;
        size = snprintf(buffer, cap, "%s/%s_%llu", im->name, type, (unsigned long long)im->graph->next_name++);
    }
    return NULL;
}

static ge_status set_origin(const gei_import *im, gei_node *node, gei_diag *diag) {
    char text[256];
    int size = snprintf(text, sizeof text, "%s node '%s'", im->framework == GEI_FROM_TF ? "tensorflow" : "onnx", im->name ? im->name : "");
    if (size < 0) return GE_OK;
    node->origin = gei_arena_text(&im->graph->arena, text, (size_t)size < sizeof text ? (size_t)size : sizeof text - 1);
    return node->origin ? GE_OK : gei_out_of_memory(diag, (size_t)size);
}

static ge_status connect(const gei_import *im, gei_node *node, const gei_value *inputs, uint32_t n_inputs, gei_diag *diag) {
    if (n_inputs > node->n_ins)
        return gei_import_fail(im, GE_ERR_BAD_GRAPH, diag, "%u inputs, %s takes at most %u", n_inputs, node->def->name, node->n_ins);
    for (uint32_t k = 0; k < n_inputs; k++)
        if (inputs[k].node) gei_slot_set(&node->ins[k], inputs[k]);
    return GE_OK;
}

ge_status gei_import_node_dynamic(gei_import *im, const char *type, const gei_value *inputs, uint32_t n_inputs,
                                  const uint32_t *n_dynamic_ins, const uint32_t *n_dynamic_outs, gei_node **out, gei_diag *diag) {
    char buffer[512];
    const gei_op_def *def = gei_catalogue_find(type, strlen(type));
    if (!def)
        return gei_import_fail(im, GE_ERR_UNSUPPORTED_OPERATOR, diag,
                               "its mapping wants operator %s, which the catalogue lacks", type);
    GEI_TRY(gei_graph_add_node(im->graph, def, free_name(im, type, buffer, sizeof buffer), n_dynamic_ins, n_dynamic_outs, out, diag));
    GEI_TRY(set_origin(im, *out, diag));
    return connect(im, *out, inputs, n_inputs, diag);
}

ge_status gei_import_node(gei_import *im, const char *type, const gei_value *inputs, uint32_t n_inputs, gei_node **out, gei_diag *diag) {
    return gei_import_node_dynamic(im, type, inputs, n_inputs, NULL, NULL, out, diag);
}

ge_status gei_import_const_tensor(gei_import *im, gei_tensor *tensor, gei_value *out, gei_diag *diag) {
    gei_node *node;
    gei_attr value = gei_attr_tensor(tensor);
    char buffer[512], name[512];
    int size = im->name && *im->name ? snprintf(name, sizeof name, "%s/const", im->name) : -1;
    gei_import under = *im;
    under.name = size > 0 && (size_t)size < sizeof name ? name : NULL;
    GEI_TRY(gei_graph_add_node(im->graph, &gei_def_const, free_name(&under, "c", buffer, sizeof buffer), NULL, NULL, &node, diag));
    GEI_TRY(set_origin(im, node, diag));
    GEI_TRY(gei_node_set(node, "value", &value, diag));
    gei_shape shape = gei_tensor_shape(tensor);
    node->outs[0].dtype = tensor->dtype;
    GEI_TRY(gei_out_set_shape(gei_value_of(node, 0), &shape, diag));
    *out = gei_value_of(node, 0);
    return GE_OK;
}

/* Takes the tensor. */
static ge_status add_const(gei_import *im, gei_tensor *tensor, gei_value *out, gei_diag *diag) {
    ge_status status = gei_import_const_tensor(im, tensor, out, diag);
    gei_tensor_release(tensor);
    return status;
}

static ge_status create_vector(gei_import *im, int32_t dtype, size_t count, bool scalar, gei_tensor **out, gei_diag *diag) {
    int64_t dims[1] = { (int64_t)count };
    return gei_tensor_create(im->graph->from, dtype, scalar ? 0 : 1, dims, out, diag);
}

ge_status gei_import_const_i64(gei_import *im, const int64_t *values, size_t count, bool scalar, gei_value *out, gei_diag *diag) {
    gei_tensor *t;
    GEI_TRY(create_vector(im, GEI_INT64, count, scalar, &t, diag));
    if (count > 0) memcpy(t->data, values, count * sizeof *values);
    return add_const(im, t, out, diag);
}

ge_status gei_import_const_i32(gei_import *im, const int64_t *values, size_t count, bool scalar, gei_value *out, gei_diag *diag) {
    gei_tensor *t;
    for (size_t k = 0; k < count; k++)
        if (values[k] < INT32_MIN || values[k] > INT32_MAX)
            return gei_import_fail(im, GE_ERR_OUT_OF_RANGE, diag, "%lld does not fit 32 bits", (long long)values[k]);
    GEI_TRY(create_vector(im, GEI_INT32, count, scalar, &t, diag));
    for (size_t k = 0; k < count; k++) ((int32_t *)t->data)[k] = (int32_t)values[k];
    return add_const(im, t, out, diag);
}

static bool store_number(gei_tensor *t, double value) {
    const gei_dtype_info *info = gei_dtype_get(t->dtype);
    float f = gei_f64_to_f32_odd(value);
    uint16_t half;
    switch (t->dtype) {
    case GEI_FLOAT64: memcpy(t->data, &value, sizeof value); return true;
    case GEI_FLOAT32: f = (float)value; memcpy(t->data, &f, sizeof f); return true;
    case GEI_FLOAT16: half = gei_f32_to_f16(f); memcpy(t->data, &half, sizeof half); return true;
    case GEI_BFLOAT16: half = gei_f32_to_bf16(f); memcpy(t->data, &half, sizeof half); return true;
    default: break;
    }
    if (info->bits % 8 != 0 || info->kind == GEI_KIND_FLOAT || info->kind == GEI_KIND_COMPLEX) return false;
    if (!(value > -0x1p63 && value < 0x1p63)) return false;
    int64_t whole = (int64_t)value; /* little-endian machine: the low bytes come first */
    memcpy(t->data, &whole, info->bits / 8);
    return true;
}

ge_status gei_import_const_like(gei_import *im, double value, int32_t dtype, gei_value *out, gei_diag *diag) {
    gei_tensor *t;
    GEI_TRY(create_vector(im, dtype, 1, true, &t, diag));
    if (store_number(t, value)) return add_const(im, t, out, diag);
    gei_tensor_release(t);
    return gei_import_fail(im, GE_ERR_UNSUPPORTED_DTYPE, diag, "a constant of type %s cannot be made here", gei_dtype_name(dtype));
}

ge_status gei_import_set_int(gei_node *node, const char *name, int64_t value, gei_diag *diag) {
    gei_attr a = gei_attr_int(value);
    return gei_node_set(node, name, &a, diag);
}

ge_status gei_import_set_float(gei_node *node, const char *name, double value, gei_diag *diag) {
    gei_attr a = gei_attr_float((float)value);
    return gei_node_set(node, name, &a, diag);
}

ge_status gei_import_set_bool(gei_node *node, const char *name, bool value, gei_diag *diag) {
    gei_attr a = gei_attr_bool(value);
    return gei_node_set(node, name, &a, diag);
}

ge_status gei_import_set_text(gei_node *node, const char *name, const char *text, gei_diag *diag) {
    gei_attr a = gei_attr_text(text, strlen(text));
    return gei_node_set(node, name, &a, diag);
}

ge_status gei_import_set_ints(gei_node *node, const char *name, const int64_t *values, size_t count, gei_diag *diag) {
    gei_attr a = gei_attr_ints(values, count);
    return gei_node_set(node, name, &a, diag);
}

ge_status gei_import_dtype(const gei_import *im, const char *from, int32_t absent, gei_node *node, const char *to, gei_diag *diag) {
    int64_t number = gei_import_int(im, from, 0);
    gei_attr dtype = gei_attr_dtype(absent);
    bool in_range = number >= 0 && number <= INT32_MAX;
    if (gei_import_has_attr(im, from)) dtype.v.dtype = in_range ? gei_dtype_from_onnx((int32_t)number) : GEI_UNDEFINED;
    if (gei_import_has_attr(im, from) && dtype.v.dtype == GEI_UNDEFINED)
        return gei_import_fail(im, GE_ERR_UNSUPPORTED_DTYPE, diag, "attribute %s: unknown data type %lld", from, (long long)number);
    return gei_node_set(node, to, &dtype, diag);
}

void gei_import_set_output(gei_import *im, uint32_t index, gei_value value) {
    if (index >= im->n_outputs) return;
    im->outputs[index] = value;
    const char *name = im->output_names ? im->output_names[index] : NULL;
    if (!value.node || !name || !*name) return;
    /* No memory for the name: the value works without. */
    const char *copy = gei_arena_text(&im->graph->arena, name, strlen(name));
    if (copy) gei_value_out(value)->name = copy;
}

/* ---- the plain mapping ---- */

static bool parse_ints(const char *text, int64_t *out, uint32_t cap, uint32_t *out_count) {
    size_t at = 0, size = strlen(text);
    *out_count = 0;
    while (at < size) {
        if (text[at] == '[' || text[at] == ']' || text[at] == ',' || text[at] == ' ') {
            at++;
            continue;
        }
        size_t used = gei_parse_i64(text + at, size - at, &out[*out_count < cap ? *out_count : 0]);
        if (used == 0 || *out_count == cap) return false;
        *out_count += 1;
        at += used;
    }
    return true;
}

/* `text` as a value of `kind`; ints is storage for lists. */
static bool parse_value(gei_attr_kind kind, const char *text, int64_t *ints, uint32_t cap, gei_attr *out) {
    double number = 0;
    uint32_t count;
    bool is_number = gei_parse_f64(text, strlen(text), &number) == strlen(text);
    switch (kind) {
    case GEI_ATTR_INT: *out = gei_attr_int((int64_t)number); return is_number;
    case GEI_ATTR_FLOAT: *out = gei_attr_float((float)number); return is_number;
    case GEI_ATTR_BOOL: *out = gei_attr_bool(number != 0); return is_number;
    case GEI_ATTR_STRING: *out = gei_attr_text(text, strlen(text)); return true;
    case GEI_ATTR_INTS:
        if (!parse_ints(text, ints, cap, &count)) return false;
        *out = gei_attr_ints(ints, count);
        return true;
    default: return false;
    }
}

/* A foreign value as the kind the definition wants. */
static bool convert(const gei_attr *from, gei_attr_kind kind, gei_attr *out) {
    *out = *from;
    if (from->kind == kind) return true;
    if (kind == GEI_ATTR_BOOL && from->kind == GEI_ATTR_INT) *out = gei_attr_bool(from->v.i != 0);
    else if (kind == GEI_ATTR_FLOAT && from->kind == GEI_ATTR_INT) *out = gei_attr_float((float)from->v.i);
    else if (kind == GEI_ATTR_INT && from->kind == GEI_ATTR_FLOAT && from->v.f >= -0x1p31f && from->v.f < 0x1p31f &&
             (float)(int64_t)from->v.f == from->v.f)
        *out = gei_attr_int((int64_t)from->v.f);
    else if (kind == GEI_ATTR_INTS && from->kind == GEI_ATTR_INT) *out = gei_attr_ints(&from->v.i, 1);
    else return false;
    return true;
}

static gei_attr_kind kind_of(const gei_op_def *def, const char *name) {
    for (uint32_t k = 0; k < def->n_attrs; k++)
        if (strcmp(def->attrs[k].name, name) == 0) return def->attrs[k].kind;
    return GEI_ATTR_NONE;
}

static ge_status map_attr(gei_import *im, gei_node *node, const gei_attr_map *map, gei_diag *diag) {
    gei_attr_kind kind = kind_of(node->def, map->to);
    const gei_attr *from = map->from ? find_attr(im, map->from) : NULL;
    int64_t ints[16];
    gei_attr value;
    if (from && !convert(from, kind, &value))
        return gei_import_fail(im, GE_ERR_BAD_ATTR, diag, "attribute %s is of kind %s, wanted %s", map->from,
                               gei_attr_kind_name(from->kind), gei_attr_kind_name(kind));
    if (!from && !map->absent) return GE_OK;
    if (!from && !parse_value(kind, map->absent, ints, GEI_COUNT(ints), &value))
        return gei_import_fail(im, GE_ERR_INTERNAL, diag, "attribute table of %s: \"%s\" is no value for %s", node->def->name,
                               map->absent, map->to);
    return gei_node_set(node, map->to, &value, diag);
}

/* Slots for a definition's one dynamic input: all that the others do not need. */
static ge_status count_dynamic(const gei_import *im, const gei_port_def *ports, uint32_t n_ports, uint32_t given,
                               uint32_t *out_count, gei_diag *diag) {
    uint32_t fixed = 0, dynamic = 0;
    for (uint32_t k = 0; k < n_ports; k++) {
        if (ports[k].kind == GEI_PORT_DYNAMIC) dynamic++;
        else fixed++;
    }
    if (dynamic > 1) return gei_import_fail(im, GE_ERR_INTERNAL, diag, "an operator with several dynamic ports needs a mapping function");
    *out_count = given > fixed ? given - fixed : 0;
    return GE_OK;
}

static ge_status map_plain(gei_import *im, const gei_source *source, gei_diag *diag) {
    gei_node *node;
    uint32_t n_ins, n_outs;
    const gei_op_def *def = gei_catalogue_find(im->op->name, strlen(im->op->name));
    GEI_TRY(count_dynamic(im, def->inputs, def->n_inputs, im->n_inputs, &n_ins, diag));
    GEI_TRY(count_dynamic(im, def->outputs, def->n_outputs, im->n_outputs, &n_outs, diag));
    GEI_TRY(gei_import_node_dynamic(im, def->name, im->inputs, im->n_inputs, &n_ins, &n_outs, &node, diag));
    for (const gei_attr_map *map = source->attrs; map && map->to; map++) GEI_TRY(map_attr(im, node, map, diag));
    for (uint32_t k = 0; k < im->n_outputs && k < node->n_outs; k++) gei_import_set_output(im, k, gei_value_of(node, k));
    return GE_OK;
}

/* A value somebody reads must exist. */
static ge_status check_outputs(const gei_import *im, gei_diag *diag) {
    for (uint32_t k = 0; k < im->n_outputs; k++) {
        bool wanted = !im->output_names || (im->output_names[k] && *im->output_names[k]);
        if (wanted && !im->outputs[k].node)
            return gei_import_fail(im, GE_ERR_UNSUPPORTED_OPERATOR, diag, "output %u ('%s') is not supported", k,
                                   im->output_names ? im->output_names[k] : "");
    }
    return GE_OK;
}

/* A required input that the file leaves out. */
static ge_status check_inputs(const gei_import *im, gei_diag *diag) {
    for (uint32_t k = 0; k < im->n_outputs; k++) {
        const gei_node *node = im->outputs[k].node;
        for (uint32_t s = 0; node && s < node->n_ins && !gei_node_is_input(node); s++) {
            const gei_port_def *port = &node->def->inputs[node->ins[s].port];
            if (port->kind == GEI_PORT_REQUIRED && !node->ins[s].from.node)
                return gei_import_fail(im, GE_ERR_BAD_GRAPH, diag, "input %s of %s is missing", port->name, node->def->name);
        }
    }
    return GE_OK;
}

static ge_status check_attrs(const gei_import *im, gei_diag *diag) {
    const gei_import_misread *m = im->misread;
    return m->attr ? gei_import_fail(im, GE_ERR_BAD_ATTR, diag, "attribute '%s' is of kind %s, wanted %s", m->attr,
                                     gei_attr_kind_name(m->found), m->wanted)
                   : GE_OK;
}

ge_status gei_import_run(gei_import *im, const gei_source *source, gei_diag *diag) {
    gei_import_misread wrong = { .attr = NULL };
    im->misread = &wrong;
    ge_status status = source->map ? source->map(im, diag) : map_plain(im, source, diag);
    if (status == GE_OK) status = check_attrs(im, diag);
    im->misread = NULL;
    GEI_TRY(status);
    GEI_TRY(check_outputs(im, diag));
    return check_inputs(im, diag);
}
