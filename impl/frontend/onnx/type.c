/* SPDX-License-Identifier: Apache-2.0 */
/* TypeProto: element type and dims of tensors; of sequences, optionals and maps what is inside (ir/dtype.h); what else there may be is
 * described in words. */
#include <string.h>

#include "frontend/onnx/reader.h"

/* Writers that do not know a dim put one of these into dim_param.  As symbols they would claim that unrelated dims are equal. */
static bool means_unknown(gei_span param) {
    return param.size == 0 || gei_span_is(param, "?") || gei_span_is(param, "-1") || gei_span_is(param, "None") || gei_span_is(param, "*");
}

static ge_status named_dim(gei_onnx_reader *r, gei_span param, int dims, gei_dim *out) {
    const gei_symbols *symbols = r->graph->symbols;
    uint64_t index;
    bool is_new = !gei_strmap_find(&symbols->by_name, param.data, param.size, &index);
    *out = GEI_DIM_UNKNOWN;
    if (!is_new) *out = gei_dim_symbol((uint32_t)index);
    if (!is_new || dims == GEI_ONNX_DIMS_FIND || symbols->names.count >= r->limits.symbols) return GE_OK;
    GEI_TRY(gei_onnx_check_name(r, param, "dim"));
    return gei_graph_symbol(r->graph, param.data, param.size, out, &r->diag);
}

static ge_status read_dim(gei_onnx_reader *r, gei_span message, int dims, gei_dim *out) {
    gei_wire w = gei_wire_at(r->file.data, message);
    gei_field f;
    int64_t value = -1;
    gei_span param = { NULL, 0 };
    while (gei_wire_next(&w, &f)) {
        if (f.number == ONNX_DIM_VALUE) gei_wire_int(&w, &f, &value);
        if (f.number == ONNX_DIM_PARAM) gei_wire_text(&w, &f, &param);
    }
    GEI_TRY(gei_onnx_wire_end(r, &w, "TensorShapeProto.Dimension"));
    *out = GEI_DIM_UNKNOWN;
    /* Paddle's and older Keras exporters write -1 for a dim that is not known. */
    if (value < -1) return gei_fail(&r->diag, GE_ERR_BAD_GRAPH, "%s has a dim of %lld", r->place, (long long)value);
    if (value >= 0) {
        *out = value;
        return GE_OK;
    }
    if (dims == GEI_ONNX_DIMS_NUMBERS) return GE_OK;
    if (!means_unknown(param)) return named_dim(r, param, dims, out);
    if (dims == GEI_ONNX_DIMS_FIND || r->graph->symbols->names.count >= r->limits.symbols) return GE_OK;
    return gei_graph_symbol(r->graph, NULL, 0, out, &r->diag);
}

static ge_status read_shape(gei_onnx_reader *r, gei_span message, int dims, gei_shape *out) {
    gei_wire w = gei_wire_at(r->file.data, message);
    gei_field f;
    uint32_t rank = 0;
    while (gei_wire_next(&w, &f)) {
        gei_span dim;
        if (f.number != ONNX_SHAPE_DIM || !gei_wire_text(&w, &f, &dim)) continue;
        if (rank < GEI_MAX_RANK) GEI_TRY(read_dim(r, dim, dims, &out->dims[rank]));
        rank++;
    }
    GEI_TRY(gei_onnx_wire_end(r, &w, "TensorShapeProto"));
    if (rank > GEI_MAX_RANK) return gei_fail(&r->diag, GE_ERR_RANK, "%s has %u dims, at most %d are supported", r->place, rank, GEI_MAX_RANK);
    out->rank = (int32_t)rank;
    return GE_OK;
}

static ge_status read_tensor_type(gei_onnx_reader *r, gei_span message, int dims, gei_onnx_type *out) {
    gei_wire w = gei_wire_at(r->file.data, message);
    gei_field f;
    int64_t elem = 0;
    gei_span shape = { NULL, 0 };
    while (gei_wire_next(&w, &f)) {
        if (f.number == ONNX_TENSOR_TYPE_ELEM) gei_wire_int(&w, &f, &elem);
        if (f.number == ONNX_TENSOR_TYPE_SHAPE) gei_wire_text(&w, &f, &shape);
    }
    GEI_TRY(gei_onnx_wire_end(r, &w, "TypeProto.Tensor"));
    out->dtype = elem > 0 && elem <= INT32_MAX ? gei_dtype_from_onnx((int32_t)elem) : GEI_UNDEFINED;
    if (elem != 0 && out->dtype == GEI_UNDEFINED)
        return gei_fail(&r->diag, GE_ERR_UNSUPPORTED_DTYPE, "%s has the unknown element type %lld", r->place, (long long)elem);
    return shape.data ? read_shape(r, shape, dims, &out->shape) : GE_OK;
}

/* The last of the alternatives, as in any oneof. */
static ge_status read_alternative(gei_onnx_reader *r, gei_span message, uint32_t *out_number, gei_span *out_inner) {
    gei_wire w = gei_wire_at(r->file.data, message);
    gei_field f;
    *out_number = 0;
    while (gei_wire_next(&w, &f)) {
        switch (f.number) {
        case ONNX_TYPE_TENSOR:
        case ONNX_TYPE_SEQUENCE:
        case ONNX_TYPE_MAP:
        case ONNX_TYPE_OPAQUE:
        case ONNX_TYPE_SPARSE_TENSOR:
        case ONNX_TYPE_OPTIONAL:
            if (gei_wire_text(&w, &f, out_inner)) *out_number = f.number;
            break;
        default: break;
        }
    }
    return gei_onnx_wire_end(r, &w, "TypeProto");
}

static ge_status read_elem_type(gei_onnx_reader *r, gei_span message, uint32_t field, gei_span *out) {
    gei_wire w = gei_wire_at(r->file.data, message);
    gei_field f;
    *out = (gei_span){ NULL, 0 };
    while (gei_wire_next(&w, &f))
        if (f.number == field) gei_wire_text(&w, &f, out);
    return gei_onnx_wire_end(r, &w, "TypeProto");
}

/* What is no dense tensor, and the field of what it holds. */
static const struct {
    uint32_t number;
    const char *word;
    uint32_t inner_field; /* 0: ends here */
} kinds[] = {
    { ONNX_TYPE_SEQUENCE, "sequence of ", ONNX_ELEM_TYPE },
    { ONNX_TYPE_OPTIONAL, "optional ", ONNX_ELEM_TYPE },
    { ONNX_TYPE_MAP, "map to ", ONNX_MAP_VALUE },
    { ONNX_TYPE_SPARSE_TENSOR, "sparse tensor", 0 },
    { ONNX_TYPE_OPAQUE, "opaque value", 0 },
};

static void append_word(gei_onnx_type *out, const char *word) {
    size_t used = strlen(out->unsupported);
    gei_copy_text(out->unsupported + used, sizeof out->unsupported - used, word, strlen(word));
}

#define MOST_LEVELS 4 /* more of them is no type we have */

typedef struct level {
    uint32_t number;
    int64_t key; /* of a map: the ONNX type of its keys */
} level;

static ge_status read_key(gei_onnx_reader *r, gei_span message, int64_t *out) {
    gei_wire w = gei_wire_at(r->file.data, message);
    gei_field f;
    *out = 0;
    while (gei_wire_next(&w, &f))
        if (f.number == ONNX_MAP_KEY) gei_wire_int(&w, &f, out);
    return gei_onnx_wire_end(r, &w, "TypeProto.Map");
}

/* Describes one level; *message becomes the level inside, data NULL at the end. */
static ge_status describe(gei_onnx_reader *r, uint32_t number, gei_span inner, gei_span *message, level *at, gei_onnx_type *out) {
    *message = (gei_span){ NULL, 0 };
    *at = (level){ number, 0 };
    if (number == ONNX_TYPE_MAP) GEI_TRY(read_key(r, inner, &at->key));
    for (size_t i = 0; i < GEI_COUNT(kinds); i++) {
        if (kinds[i].number != number) continue;
        append_word(out, kinds[i].word);
        return kinds[i].inner_field ? read_elem_type(r, inner, kinds[i].inner_field, message) : GE_OK;
    }
    return GE_OK; /* nothing said, or a kind of value newer than this reader */
}

static int32_t wrap(const level *l, int32_t inside) {
    int32_t key = l->key > 0 && l->key <= INT32_MAX ? gei_dtype_from_onnx((int32_t)l->key) : GEI_UNDEFINED;
    switch (l->number) {
    case ONNX_TYPE_SEQUENCE: return gei_dtype_sequence(inside);
    case ONNX_TYPE_OPTIONAL: return gei_dtype_optional(inside);
    default: break;
    }
    if (l->number != ONNX_TYPE_MAP || gei_dtype_is_bundle(inside) || (key != GEI_INT64 && key != GEI_STRING)) return GEI_UNDEFINED;
    return gei_dtype_of(key == GEI_INT64 ? GEI_FORM_INT_MAP : GEI_FORM_TEXT_MAP, inside);
}

/* A tensor was found inside of `depth` levels. */
static void compose(const level *levels, uint32_t depth, gei_onnx_type *out) {
    int32_t dtype = out->dtype;
    append_word(out, gei_dtype_name(dtype));
    if (depth > MOST_LEVELS) return;
    for (uint32_t k = depth; k-- > 0;) {
        dtype = wrap(&levels[k], dtype);
        if (!gei_dtype_is_bundle(dtype)) return;
    }
    *out = (gei_onnx_type){ .dtype = dtype, .shape = gei_shape_scalar() };
}

ge_status gei_onnx_read_type(gei_onnx_reader *r, gei_span message, int dims, gei_onnx_type *out) {
    level levels[MOST_LEVELS + 1], unused;
    *out = (gei_onnx_type){ .dtype = GEI_UNDEFINED, .shape = gei_shape_unknown() };
    for (uint32_t depth = 0; message.data; depth++) {
        uint32_t number;
        gei_span inner = { NULL, 0 };
        if (depth > r->limits.type_depth)
            return gei_fail(&r->diag, GE_ERR_LIMIT, "%s has a type nested deeper than %u", r->place, r->limits.type_depth);
        GEI_TRY(read_alternative(r, message, &number, &inner));
        if (number != ONNX_TYPE_TENSOR) {
            GEI_TRY(describe(r, number, inner, &message, depth <= MOST_LEVELS ? &levels[depth] : &unused, out));
            continue;
        }
        GEI_TRY(read_tensor_type(r, inner, depth == 0 ? dims : GEI_ONNX_DIMS_NUMBERS, out));
        if (depth > 0) compose(levels, depth, out);
        return GE_OK;
    }
    return GE_OK;
}
