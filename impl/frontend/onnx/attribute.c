/* SPDX-License-Identifier: Apache-2.0 */
/* AttributeProto to IR attributes; graphs are set aside for import.c.  In a function's body an attribute may stand for one of the
 * call: gei_onnx_attr keeps the file's bytes and where they belong, so that this works through calls inside calls. */
#include <string.h>

#include "frontend/onnx/reader.h"

#define BYTES_PER_BYTE 8 /* a packed number of one byte takes eight in IR; tensors are charged on their own */

typedef struct reading {
    gei_onnx_reader *r;
    gei_onnx_work *work;
    const gei_onnx_attr *attr; /* its bytes: the value */
    const char *name;          /* as the node calls it */
} reading;

typedef ge_status (*value_fn)(reading *g, gei_attr *out);

static ge_status read_int(reading *g, gei_attr *out);
static ge_status read_float(reading *g, gei_attr *out);
static ge_status read_string(reading *g, gei_attr *out);
static ge_status read_ints(reading *g, gei_attr *out);
static ge_status read_floats(reading *g, gei_attr *out);
static ge_status read_strings(reading *g, gei_attr *out);
static ge_status read_tensors(reading *g, gei_attr *out);
static ge_status read_dtype(reading *g, gei_attr *out);

/* Every kind: the field its value is in, and who reads it. */
static const struct kind {
    int32_t kind;
    uint32_t field;
    const char *name;
    value_fn read;       /* NULL: graphs, and what is not supported */
    bool may_be_missing; /* writers leave out zeros, empty text and empty lists */
} kinds[] = {
    { ONNX_KIND_FLOAT, ONNX_ATTR_F, "FLOAT", read_float, true },
    { ONNX_KIND_INT, ONNX_ATTR_I, "INT", read_int, true },
    { ONNX_KIND_STRING, ONNX_ATTR_S, "STRING", read_string, true },
    { ONNX_KIND_TENSOR, ONNX_ATTR_T, "TENSOR", read_tensors, false },
    { ONNX_KIND_GRAPH, ONNX_ATTR_G, "GRAPH", NULL, false },
    { ONNX_KIND_FLOATS, ONNX_ATTR_FLOATS, "FLOATS", read_floats, true },
    { ONNX_KIND_INTS, ONNX_ATTR_INTS, "INTS", read_ints, true },
    { ONNX_KIND_STRINGS, ONNX_ATTR_STRINGS, "STRINGS", read_strings, true },
    { ONNX_KIND_TENSORS, ONNX_ATTR_TENSORS, "TENSORS", read_tensors, true },
    { ONNX_KIND_GRAPHS, ONNX_ATTR_GRAPHS, "GRAPHS", NULL, true },
    { ONNX_KIND_SPARSE_TENSOR, ONNX_ATTR_SPARSE_TENSOR, "SPARSE_TENSOR", read_tensors, false },
    { ONNX_KIND_SPARSE_TENSORS, ONNX_ATTR_SPARSE_TENSORS, "SPARSE_TENSORS", read_tensors, true },
    { ONNX_KIND_TYPE_PROTO, ONNX_ATTR_TP, "TYPE_PROTO", read_dtype, false },
    { ONNX_KIND_TYPE_PROTOS, ONNX_ATTR_TYPE_PROTOS, "TYPE_PROTOS", NULL, true },
};

static const struct kind *find_kind(int32_t kind) {
    for (size_t i = 0; i < GEI_COUNT(kinds); i++)
        if (kinds[i].kind == kind) return &kinds[i];
    return NULL;
}

static const struct kind *kind_of_field(uint32_t field) {
    for (size_t i = 0; i < GEI_COUNT(kinds); i++)
        if (kinds[i].field == field) return &kinds[i];
    return NULL;
}

/* ---- the head ---- */

/* Which kinds of value are there, as bits over `kinds`. */
static ge_status scan(gei_onnx_reader *r, gei_span message, gei_onnx_attr *out, uint32_t *out_present) {
    *out = (gei_onnx_attr){ .bytes = message, .kind = ONNX_KIND_UNDEFINED };
    *out_present = 0;
    gei_wire w = gei_wire_at(r->file.data, message);
    gei_field f;
    int64_t kind = ONNX_KIND_UNDEFINED;
    while (gei_wire_next(&w, &f)) {
        const struct kind *k = kind_of_field(f.number);
        if (k) *out_present |= UINT32_C(1) << (k - kinds);
        else if (f.number == ONNX_ATTR_NAME) gei_wire_text(&w, &f, &out->name);
        else if (f.number == ONNX_ATTR_REF_NAME) gei_wire_text(&w, &f, &out->ref);
        else if (f.number == ONNX_ATTR_TYPE) gei_wire_int(&w, &f, &kind);
    }
    GEI_TRY(gei_onnx_wire_end(r, &w, "AttributeProto"));
    out->kind = kind < 0 || kind > INT32_MAX ? INT32_MAX : (int32_t)kind;
    return gei_onnx_check_name(r, out->name, "attribute");
}

static ge_status check_kind(gei_onnx_reader *r, gei_onnx_attr *a, uint32_t present) {
    bool is_single = present != 0 && (present & (present - 1)) == 0;
    const struct kind *held = present ? &kinds[__builtin_ctz(present)] : NULL;
    if (a->kind == ONNX_KIND_UNDEFINED && is_single) a->kind = held->kind; /* files of IR version 1 say nothing */
    const struct kind *k = find_kind(a->kind);
    if (!k) return gei_fail(&r->diag, GE_ERR_BAD_ATTR, "attribute '%.*s' is of unknown kind %d", GEI_ONNX_FMT(a->name), (int)a->kind);
    if (present == 0 && !k->may_be_missing)
        return gei_fail(&r->diag, GE_ERR_BAD_ATTR, "attribute '%.*s' of kind %s holds nothing", GEI_ONNX_FMT(a->name), k->name);
    if (present == 0 || (is_single && held == k)) return GE_OK;
    if (held == k) held = &kinds[31 - __builtin_clz(present)];
    (void)gei_fail(&r->diag, GE_ERR_BAD_ATTR, "attribute '%.*s' is of kind %s and holds a value of kind %s", GEI_ONNX_FMT(a->name), k->name, held->name);
    gei_diag_found(&r->diag, "%s", held->name);
    gei_diag_wanted(&r->diag, "%s", k->name);
    return GE_ERR_BAD_ATTR;
}

static ge_status scan_attr(gei_onnx_reader *r, gei_span message, gei_onnx_attr *out) {
    uint32_t present;
    GEI_TRY(scan(r, message, out, &present));
    if (out->name.size == 0) return gei_fail(&r->diag, GE_ERR_BAD_ATTR, "an attribute has no name");
    /* A reference has its kind, if any, from the attribute it stands for. */
    return out->ref.size > 0 ? GE_OK : check_kind(r, out, present);
}

static ge_status follow_ref(gei_onnx_reader *r, const gei_onnx_scope *scope, gei_onnx_attr *a) {
    const gei_onnx_scope *s = scope;
    const gei_onnx_attr *found = NULL;
    while (s && !s->function) s = s->outer;
    if (!s)
        return gei_fail(&r->diag, GE_ERR_BAD_ATTR, "attribute '%.*s' refers to '%.*s' of a function, and there is none around it",
                        GEI_ONNX_FMT(a->name), GEI_ONNX_FMT(a->ref));
    for (uint32_t i = 0; i < s->n_attrs && !found; i++)
        if (gei_span_equal(s->attrs[i].name, a->ref)) found = &s->attrs[i];
    if (found && a->kind != ONNX_KIND_UNDEFINED && a->kind != found->kind)
        return gei_fail(&r->diag, GE_ERR_BAD_ATTR, "attribute '%.*s' is of kind %d, the function's '%.*s' of kind %d", GEI_ONNX_FMT(a->name),
                        (int)a->kind, GEI_ONNX_FMT(a->ref), (int)found->kind);
    a->kind = found ? found->kind : ONNX_KIND_UNDEFINED;
    if (found) a->bytes = found->bytes;
    if (found) a->home = found->home;
    return GE_OK;
}

ge_status gei_onnx_find_attr(gei_onnx_reader *r, gei_onnx_scope *scope, gei_span message, gei_onnx_attr *out) {
    GEI_TRY(scan_attr(r, message, out));
    out->home = scope;
    return out->ref.size > 0 ? follow_ref(r, scope, out) : GE_OK;
}

/* ---- values ---- */

static gei_wire value_wire(const reading *g) { return gei_wire_at(g->r->file.data, g->attr->bytes); }

static ge_status value_end(const reading *g, const gei_wire *w) { return gei_onnx_wire_end(g->r, w, "AttributeProto"); }

static ge_status read_int(reading *g, gei_attr *out) {
    gei_wire w = value_wire(g);
    gei_field f;
    int64_t value = 0;
    while (gei_wire_next(&w, &f))
        if (f.number == ONNX_ATTR_I) gei_wire_int(&w, &f, &value);
    *out = gei_attr_int(value);
    return value_end(g, &w);
}

static ge_status read_float(reading *g, gei_attr *out) {
    gei_wire w = value_wire(g);
    gei_field f;
    float value = 0;
    while (gei_wire_next(&w, &f))
        if (f.number == ONNX_ATTR_F) gei_wire_float(&w, &f, &value);
    *out = gei_attr_float(value);
    return value_end(g, &w);
}

static ge_status read_string(reading *g, gei_attr *out) {
    gei_wire w = value_wire(g);
    gei_field f;
    gei_span value = { "", 0 };
    while (gei_wire_next(&w, &f))
        if (f.number == ONNX_ATTR_S) gei_wire_text(&w, &f, &value);
    *out = gei_attr_text(value.data, value.size);
    return value_end(g, &w);
}

static ge_status count_numbers(reading *g, uint32_t field, gei_wire_type elem, size_t *out) {
    gei_wire w = value_wire(g);
    gei_field f;
    size_t count;
    *out = 0;
    while (gei_wire_next(&w, &f))
        if (f.number == field && gei_wire_count(&w, &f, elem, &count)) *out += count;
    GEI_TRY(value_end(g, &w));
    return *out <= UINT32_MAX ? GE_OK : gei_fail(&g->r->diag, GE_ERR_LIMIT, "attribute '%s' has %zu elements", g->name, *out);
}

static ge_status read_ints(reading *g, gei_attr *out) {
    size_t count, n = 0;
    GEI_TRY(count_numbers(g, ONNX_ATTR_INTS, GEI_WIRE_VARINT, &count));
    int64_t *values = gei_arena_array(&g->work->arena, int64_t, count);
    if (!values) return gei_onnx_out_of_memory(g->r);
    gei_wire w = value_wire(g);
    gei_field f;
    while (gei_wire_next(&w, &f)) {
        if (f.number != ONNX_ATTR_INTS) continue;
        gei_repeat list = gei_wire_repeat(&w, &f, GEI_WIRE_VARINT);
        uint64_t bits;
        while (n < count && gei_repeat_next(&list, &bits)) values[n++] = (int64_t)bits;
        GEI_TRY(value_end(g, &list.in));
    }
    *out = gei_attr_ints(values, n);
    return value_end(g, &w);
}

static ge_status read_floats(reading *g, gei_attr *out) {
    size_t count, n = 0;
    GEI_TRY(count_numbers(g, ONNX_ATTR_FLOATS, GEI_WIRE_FIXED32, &count));
    float *values = gei_arena_array(&g->work->arena, float, count);
    if (!values) return gei_onnx_out_of_memory(g->r);
    gei_wire w = value_wire(g);
    gei_field f;
    while (gei_wire_next(&w, &f)) {
        if (f.number != ONNX_ATTR_FLOATS) continue;
        gei_repeat list = gei_wire_repeat(&w, &f, GEI_WIRE_FIXED32);
        uint64_t bits;
        for (uint32_t low; n < count && gei_repeat_next(&list, &bits); n++) {
            low = (uint32_t)bits;
            memcpy(&values[n], &low, sizeof low);
        }
    }
    *out = gei_attr_floats(values, n);
    return value_end(g, &w);
}

/* Occurrences of a length-delimited field, in the work's arena. */
static ge_status collect(reading *g, uint32_t field, gei_span **out, uint32_t *out_count) {
    gei_wire w = value_wire(g);
    gei_field f;
    size_t count = 0, n = 0;
    while (gei_wire_next(&w, &f)) count += f.number == field;
    GEI_TRY(value_end(g, &w));
    if (count > UINT32_MAX) return gei_fail(&g->r->diag, GE_ERR_LIMIT, "attribute '%s' has %zu elements", g->name, count);
    *out = gei_arena_array(&g->work->arena, gei_span, count);
    if (!*out) return gei_onnx_out_of_memory(g->r);
    w = value_wire(g);
    while (gei_wire_next(&w, &f))
        if (f.number == field && gei_wire_text(&w, &f, &(*out)[n])) n++;
    *out_count = (uint32_t)n;
    return value_end(g, &w);
}

static ge_status read_strings(reading *g, gei_attr *out) {
    gei_span *spans;
    uint32_t count;
    GEI_TRY(collect(g, ONNX_ATTR_STRINGS, &spans, &count));
    gei_text *texts = gei_arena_array(&g->work->arena, gei_text, count);
    if (!texts) return gei_onnx_out_of_memory(g->r);
    for (uint32_t i = 0; i < count; i++) texts[i] = (gei_text){ spans[i].data, spans[i].size };
    *out = (gei_attr){ .kind = GEI_ATTR_STRINGS, .count = count, .v.strings = texts };
    return GE_OK;
}

static void release_tensors(const gei_attr *a) {
    if (a->kind == GEI_ATTR_TENSOR) gei_tensor_release(a->v.tensor);
    for (uint32_t i = 0; a->kind == GEI_ATTR_TENSORS && i < a->count; i++) gei_tensor_release(a->v.tensors[i]);
}

/* One or several, dense or sparse.  *out owns a reference to each. */
static ge_status read_tensors(reading *g, gei_attr *out) {
    int32_t kind = g->attr->kind;
    bool is_sparse = kind == ONNX_KIND_SPARSE_TENSOR || kind == ONNX_KIND_SPARSE_TENSORS;
    bool is_list = kind == ONNX_KIND_TENSORS || kind == ONNX_KIND_SPARSE_TENSORS;
    gei_span *spans;
    uint32_t count;
    GEI_TRY(collect(g, find_kind(kind)->field, &spans, &count));
    gei_tensor **tensors = gei_arena_array(&g->work->arena, gei_tensor *, count);
    if (!tensors) return gei_onnx_out_of_memory(g->r);
    *out = (gei_attr){ .kind = GEI_ATTR_TENSORS, .v.tensors = tensors };
    uint32_t first = is_list || count == 0 ? 0 : count - 1; /* of a singular field the last one counts */
    for (uint32_t i = first; i < count; i++) {
        ge_status status = is_sparse ? gei_onnx_read_sparse(g->r, spans[i], &tensors[out->count]) : gei_onnx_read_tensor(g->r, spans[i], &tensors[out->count]);
        if (status != GE_OK) {
            release_tensors(out);
            return status;
        }
        out->count++;
    }
    if (!is_list) *out = gei_attr_tensor(tensors[0]);
    return GE_OK;
}

static ge_status read_dtype(reading *g, gei_attr *out) {
    gei_span *spans;
    uint32_t count;
    gei_onnx_type type;
    GEI_TRY(collect(g, ONNX_ATTR_TP, &spans, &count));
    GEI_TRY(gei_onnx_read_type(g->r, spans[count - 1], GEI_ONNX_DIMS_NUMBERS, &type));
    if (type.unsupported[0])
        return gei_fail(&g->r->diag, GE_ERR_UNSUPPORTED, "attribute '%s' is the type %s; values of that kind are not supported", g->name, type.unsupported);
    *out = gei_attr_dtype(type.dtype);
    return GE_OK;
}

/* ---- graphs ---- */

static ge_status set_graphs_aside(reading *g, const gei_onnx_scope *scope) {
    gei_span *spans;
    uint32_t count;
    const struct kind *k = find_kind(g->attr->kind);
    /* Names inside are looked up where the attribute was written, which must be in the same IR graph. */
    if (g->attr->home->graph != scope->graph)
        return gei_fail(&g->r->diag, GE_ERR_UNSUPPORTED, "attribute '%s' passes a graph into a graph inside of a function", g->name);
    GEI_TRY(collect(g, k->field, &spans, &count));
    for (uint32_t i = k->kind == ONNX_KIND_GRAPH ? count - 1 : 0; i < count; i++) {
        gei_onnx_attr graph = { .name = g->attr->name, .bytes = spans[i], .kind = ONNX_KIND_GRAPH, .home = g->attr->home };
        if (!gei_vec_push(g->r->from, &g->work->graphs, graph)) return gei_onnx_out_of_memory(g->r);
    }
    return GE_OK;
}

static bool has_graph(const gei_onnx_work *work, gei_span name) {
    for (size_t i = 0; i < work->graphs.count; i++)
        if (gei_span_equal(work->graphs.items[i].name, name)) return true;
    return false;
}

/* ---- a node's attributes ---- */

static ge_status set_value(reading *g) {
    gei_attr value;
    const struct kind *k = find_kind(g->attr->kind);
    if (!k->read) return gei_fail(&g->r->diag, GE_ERR_UNSUPPORTED_ATTR, "attribute '%s' is of kind %s, which is not supported", g->name, k->name);
    if (k->read != read_tensors) GEI_TRY(gei_onnx_charge(g->r, (uint64_t)g->attr->bytes.size * BYTES_PER_BYTE));
    GEI_TRY(k->read(g, &value));
    ge_status status = gei_attrs_set(&g->work->attrs, &g->work->arena, g->name, &value, &g->r->diag);
    release_tensors(&value);
    return status;
}

static ge_status check_known(gei_onnx_reader *r, const gei_onnx_node *node, const gei_onnx_attr *attr) {
    gei_span near;
    if (node->domain.size > 0 || gei_onnx_knows_attr(node->type, attr->name, &near)) return GE_OK;
    (void)gei_fail(&r->diag, GE_ERR_BAD_ATTR, "the operator has no attribute '%.*s'%s%.*s%s", GEI_ONNX_FMT(attr->name),
                   near.data ? "; did you mean '" : "", GEI_ONNX_FMT(near), near.data ? "'?" : "");
    gei_diag_argument(&r->diag, "attribute", -1);
    gei_diag_found(&r->diag, "%.*s", GEI_ONNX_FMT(attr->name));
    if (near.data) gei_diag_wanted(&r->diag, "%.*s", GEI_ONNX_FMT(near));
    return GE_ERR_BAD_ATTR;
}

static ge_status add_attr(gei_onnx_reader *r, gei_onnx_scope *scope, const gei_onnx_node *node, gei_span message, gei_onnx_work *work) {
    gei_onnx_attr attr;
    char label[96];
    GEI_TRY(gei_onnx_find_attr(r, scope, message, &attr));
    if (attr.kind == ONNX_KIND_UNDEFINED) return GE_OK;
    const char *name = gei_arena_text(&work->arena, attr.name.data, attr.name.size);
    if (!name) return gei_onnx_out_of_memory(r);
    if (gei_attrs_find(&work->attrs, name) || has_graph(work, attr.name))
        return gei_fail(&r->diag, GE_ERR_BAD_ATTR, "attribute '%s' is there twice", name);
    reading g = { r, work, &attr, name };
    gei_onnx_set_place(r, "attribute '%.48s' of node '%s'", name, gei_onnx_label(scope, node, label, sizeof label));
    bool is_graph = attr.kind == ONNX_KIND_GRAPH || attr.kind == ONNX_KIND_GRAPHS;
    GEI_TRY(is_graph ? set_graphs_aside(&g, scope) : set_value(&g));
    return check_known(r, node, &attr);
}

ge_status gei_onnx_read_attrs(gei_onnx_reader *r, gei_onnx_scope *scope, const gei_onnx_node *node, gei_onnx_work *work) {
    if (node->n_attrs > r->limits.attrs) {
        (void)gei_fail(&r->diag, GE_ERR_LIMIT, "a node has %u attributes, at most %u are read", node->n_attrs, r->limits.attrs);
        work->is_broken = true;
        return gei_onnx_note(r, GE_ERR_LIMIT, scope, node, NULL);
    }
    gei_wire w = gei_wire_at(r->file.data, node->bytes);
    gei_field f;
    while (gei_wire_next(&w, &f)) {
        gei_span message;
        if (f.number != ONNX_NODE_ATTRIBUTE || !gei_wire_text(&w, &f, &message)) continue;
        ge_status status = add_attr(r, scope, node, message, work);
        if (status == GE_OK) continue;
        work->is_broken = true;
        GEI_TRY(gei_onnx_note(r, status, scope, node, message.data));
    }
    return gei_onnx_wire_end(r, &w, "NodeProto");
}
