/* SPDX-License-Identifier: Apache-2.0 */
/* TensorProto and SparseTensorProto.  Every size is checked before memory is taken, so a small file cannot ask for much. */
#include <string.h>

#include "frontend/onnx/reader.h"

#define MIN_SHARED_BYTES 4096 /* below this a copy is cheaper than holding on to the file */

/* ---- the head: everything but the payload ---- */

static ge_status read_dims(gei_onnx_reader *r, gei_wire *w, const gei_field *f, gei_onnx_tensor *t) {
    gei_repeat dims = gei_wire_repeat(w, f, GEI_WIRE_VARINT);
    uint64_t dim;
    while (gei_repeat_next(&dims, &dim)) {
        if (t->rank < GEI_MAX_RANK) t->dims[t->rank] = (int64_t)dim;
        if (t->rank < INT32_MAX) t->rank++;
    }
    return gei_onnx_wire_end(r, &dims.in, "TensorProto.dims");
}

static gei_wire_type list_wire_type(uint32_t field) {
    switch (field) {
    case ONNX_TENSOR_FLOAT_DATA: return GEI_WIRE_FIXED32;
    case ONNX_TENSOR_DOUBLE_DATA: return GEI_WIRE_FIXED64;
    case ONNX_TENSOR_STRING_DATA: return GEI_WIRE_LEN;
    default: return GEI_WIRE_VARINT;
    }
}

static void count_list(gei_wire *w, const gei_field *f, gei_onnx_tensor *t) {
    size_t count;
    if (f->number == ONNX_TENSOR_STRING_DATA) {
        gei_span text;
        if (gei_wire_text(w, f, &text)) t->n_values[f->number]++;
    } else if (gei_wire_count(w, f, list_wire_type(f->number), &count)) {
        t->n_values[f->number] += count;
    }
}

static ge_status read_head_field(gei_onnx_reader *r, gei_wire *w, const gei_field *f, gei_onnx_tensor *t) {
    int64_t number = 0;
    switch (f->number) {
    case ONNX_TENSOR_DIMS: return read_dims(r, w, f, t);
    case ONNX_TENSOR_DATA_TYPE:
        if (gei_wire_int(w, f, &number)) t->onnx_dtype = (int32_t)number;
        break;
    case ONNX_TENSOR_SEGMENT: t->has_segment = true; break;
    case ONNX_TENSOR_NAME: gei_wire_text(w, f, &t->name); break;
    case ONNX_TENSOR_RAW_DATA: t->has_raw = gei_wire_text(w, f, &t->raw); break;
    case ONNX_TENSOR_EXTERNAL_DATA: t->n_entries++; break;
    case ONNX_TENSOR_DATA_LOCATION: gei_wire_int(w, f, &t->location); break;
    case ONNX_TENSOR_FLOAT_DATA:
    case ONNX_TENSOR_INT32_DATA:
    case ONNX_TENSOR_STRING_DATA:
    case ONNX_TENSOR_INT64_DATA:
    case ONNX_TENSOR_DOUBLE_DATA:
    case ONNX_TENSOR_UINT64_DATA: count_list(w, f, t); break;
    default: break;
    }
    return GE_OK;
}

static ge_status check_head(gei_onnx_reader *r, gei_onnx_tensor *t) {
    if (t->rank > GEI_MAX_RANK)
        return gei_fail(&r->diag, GE_ERR_RANK, "%s has %d dims, at most %d are supported", r->place, (int)t->rank, GEI_MAX_RANK);
    t->dtype = gei_dtype_from_onnx(t->onnx_dtype);
    if (t->dtype == GEI_UNDEFINED)
        return gei_fail(&r->diag, GE_ERR_UNSUPPORTED_DTYPE, "%s has the unknown element type %d", r->place, (int)t->onnx_dtype);
    if (t->has_segment) return gei_fail(&r->diag, GE_ERR_UNSUPPORTED, "%s is one segment of a tensor; only whole ones are read", r->place);
    if (t->location != ONNX_LOCATION_DEFAULT && t->location != ONNX_LOCATION_EXTERNAL)
        return gei_fail(&r->diag, GE_ERR_MALFORMED, "%s has the unknown data location %lld", r->place, (long long)t->location);
    if (t->dtype != GEI_STRING)
        return gei_onnx_tensor_status(r, gei_tensor_measure(t->dtype, t->rank, t->dims, &t->n_elems, &t->size_bytes, &r->diag));
    const gei_shape shape = gei_shape_of(t->rank, t->dims);
    for (int32_t i = 0; i < t->rank; i++)
        if (t->dims[i] < 0) return gei_fail(&r->diag, GE_ERR_MALFORMED, "%s has a dim of %lld", r->place, (long long)t->dims[i]);
    if (!gei_shape_elems(&shape, &t->n_elems)) return gei_fail(&r->diag, GE_ERR_MALFORMED, "%s has more elements than 63 bits count", r->place);
    return GE_OK;
}

static ge_status read_head(gei_onnx_reader *r, gei_span message, gei_onnx_tensor *out) {
    *out = (gei_onnx_tensor){ .bytes = message, .location = ONNX_LOCATION_DEFAULT };
    gei_wire w = gei_wire_at(r->file.data, message);
    gei_field f;
    while (gei_wire_next(&w, &f)) GEI_TRY(read_head_field(r, &w, &f, out));
    GEI_TRY(gei_onnx_wire_end(r, &w, "TensorProto"));
    return check_head(r, out);
}

ge_status gei_onnx_tensor_name(gei_onnx_reader *r, gei_span message, bool is_sparse, gei_span *out) {
    *out = (gei_span){ NULL, 0 };
    gei_wire w = gei_wire_at(r->file.data, message);
    gei_field f;
    gei_span values = { NULL, 0 };
    uint32_t wanted = is_sparse ? ONNX_SPARSE_VALUES : ONNX_TENSOR_NAME;
    while (gei_wire_next(&w, &f))
        if (f.number == wanted) gei_wire_text(&w, &f, is_sparse ? &values : out);
    GEI_TRY(gei_onnx_wire_end(r, &w, is_sparse ? "SparseTensorProto" : "TensorProto"));
    /* A sparse tensor goes by the name of its values. */
    return values.data ? gei_onnx_tensor_name(r, values, false, out) : GE_OK;
}

/* ---- raw payloads ---- */

static ge_status fail_payload(gei_onnx_reader *r, const gei_onnx_tensor *t, size_t found_bytes) {
    char shape_text[96];
    gei_shape shape = gei_shape_of(t->rank, t->dims);
    gei_shape_text(&shape, NULL, shape_text, sizeof shape_text);
    (void)gei_fail(&r->diag, GE_ERR_MALFORMED, "%s has %zu bytes of data, %s%s needs %zu", r->place, found_bytes, gei_dtype_name(t->dtype),
                   shape_text, t->size_bytes);
    gei_diag_found(&r->diag, "%zu bytes", found_bytes);
    gei_diag_wanted(&r->diag, "%zu bytes", t->size_bytes);
    return GE_ERR_MALFORMED;
}

static size_t natural_align(const gei_onnx_tensor *t) {
    const gei_dtype_info *info = gei_dtype_get(t->dtype);
    size_t bytes = info->bits / 8 / (info->kind == GEI_KIND_COMPLEX ? 2 : 1);
    return bytes ? bytes : 1;
}

/* The engine's bools are 0 or 1. */
static bool are_bools(const uint8_t *data, size_t size) {
    uint8_t all = 0;
    for (size_t i = 0; i < size; i++) all |= data[i];
    return all <= 1;
}

void gei_onnx_normalise(const gei_onnx_tensor *t, uint8_t *data) {
    uint32_t bits = gei_dtype_get(t->dtype)->bits;
    if (t->dtype == GEI_BOOL)
        for (size_t i = 0; i < t->size_bytes; i++) data[i] = data[i] != 0;
    uint32_t used = (uint32_t)((uint64_t)t->n_elems * bits % 8); /* of the last byte of packed types */
    if (bits < 8 && used != 0) data[t->size_bytes - 1] &= (uint8_t)((1u << used) - 1);
}

static ge_status copy_payload(gei_onnx_reader *r, const gei_onnx_tensor *t, const void *data, gei_tensor **out) {
    GEI_TRY(gei_onnx_charge(r, t->size_bytes));
    GEI_TRY(gei_tensor_create(r->from, t->dtype, t->rank, t->dims, out, &r->diag));
    if (t->size_bytes == 0) return GE_OK;
    memcpy((*out)->data, data, t->size_bytes);
    gei_onnx_normalise(t, (*out)->data);
    return GE_OK;
}

ge_status gei_onnx_adopt(gei_onnx_reader *r, const gei_onnx_tensor *t, const void *data, const gei_onnx_owner *owner, gei_tensor **out) {
    bool may_share = !r->options->copy && owner->retain && t->size_bytes >= MIN_SHARED_BYTES && (uintptr_t)data % natural_align(t) == 0;
    if (!may_share || (t->dtype == GEI_BOOL && !are_bools(data, t->size_bytes))) return copy_payload(r, t, data, out);
    GEI_TRY(gei_tensor_wrap(r->from, t->dtype, t->rank, t->dims, (void *)(uintptr_t)data, t->size_bytes, true, owner->release, owner->user,
                            out, &r->diag));
    owner->retain(owner->user);
    return GE_OK;
}

static bool has_list(const gei_onnx_tensor *t) {
    for (size_t i = 0; i < GEI_COUNT(t->n_values); i++)
        if (t->n_values[i] > 0) return true;
    return false;
}

static ge_status read_payload(gei_onnx_reader *r, const gei_onnx_tensor *t, gei_tensor **out) {
    if (t->location == ONNX_LOCATION_EXTERNAL) return gei_onnx_read_external(r, t, out);
    /* Some writers leave an empty raw_data beside the list they filled. */
    bool is_raw = t->has_raw && (t->raw.size > 0 || !has_list(t));
    if (!is_raw) return gei_onnx_read_values(r, t, out);
    if (t->dtype == GEI_STRING) return gei_fail(&r->diag, GE_ERR_MALFORMED, "%s holds strings as raw data", r->place);
    if (t->raw.size != t->size_bytes) return fail_payload(r, t, t->raw.size);
    return gei_onnx_adopt(r, t, t->raw.data, &r->owner, out);
}

ge_status gei_onnx_read_tensor(gei_onnx_reader *r, gei_span message, gei_tensor **out) {
    gei_onnx_tensor t;
    *out = NULL;
    GEI_TRY(read_head(r, message, &t));
    return read_payload(r, &t, out);
}

/* ---- sparse ---- */

typedef struct sparse {
    gei_span values_bytes, indices_bytes;
    gei_onnx_tensor shape; /* of the dense tensor */
    gei_tensor *values, *indices;
} sparse;

static ge_status read_sparse_head(gei_onnx_reader *r, gei_span message, sparse *s) {
    gei_wire w = gei_wire_at(r->file.data, message);
    gei_field f;
    while (gei_wire_next(&w, &f)) {
        if (f.number == ONNX_SPARSE_VALUES) gei_wire_text(&w, &f, &s->values_bytes);
        if (f.number == ONNX_SPARSE_INDICES) gei_wire_text(&w, &f, &s->indices_bytes);
        if (f.number == ONNX_SPARSE_DIMS) GEI_TRY(read_dims(r, &w, &f, &s->shape));
    }
    GEI_TRY(gei_onnx_wire_end(r, &w, "SparseTensorProto"));
    if (!s->values_bytes.data || !s->indices_bytes.data)
        return gei_fail(&r->diag, GE_ERR_MALFORMED, "%s is sparse and lacks its %s", r->place, s->values_bytes.data ? "indices" : "values");
    return GE_OK;
}

static ge_status check_sparse(gei_onnx_reader *r, sparse *s) {
    gei_onnx_tensor *t = &s->shape;
    const gei_tensor *values = s->values, *indices = s->indices;
    if (t->rank > GEI_MAX_RANK)
        return gei_fail(&r->diag, GE_ERR_RANK, "%s has %d dims, at most %d are supported", r->place, (int)t->rank, GEI_MAX_RANK);
    if (values->dtype == GEI_STRING || gei_dtype_get(values->dtype)->bits % 8 != 0)
        return gei_fail(&r->diag, GE_ERR_UNSUPPORTED_DTYPE, "%s: sparse tensors of type %s are not supported", r->place, gei_dtype_name(values->dtype));
    t->dtype = values->dtype;
    GEI_TRY(gei_onnx_tensor_status(r, gei_tensor_measure(t->dtype, t->rank, t->dims, &t->n_elems, &t->size_bytes, &r->diag)));
    bool is_linear = indices->rank == 1 && indices->dims[0] == values->n_elems;
    bool is_by_axis = indices->rank == 2 && indices->dims[0] == values->n_elems && indices->dims[1] == t->rank;
    if (values->rank == 1 && indices->dtype == GEI_INT64 && (is_linear || is_by_axis)) return GE_OK;
    return gei_fail(&r->diag, GE_ERR_MALFORMED, "%s: the indices of a sparse tensor do not fit its values", r->place);
}

/* Place of value `i` in the dense tensor, -1 when it lies outside. */
static int64_t sparse_place(const sparse *s, int64_t i) {
    const int64_t *at = (const int64_t *)s->indices->data;
    if (s->indices->rank == 1) return at[i] >= 0 && at[i] < s->shape.n_elems ? at[i] : -1;
    int64_t place = 0;
    for (int32_t k = 0; k < s->shape.rank; k++) {
        int64_t index = at[i * s->shape.rank + k];
        if (index < 0 || index >= s->shape.dims[k]) return -1;
        place = place * s->shape.dims[k] + index;
    }
    return place;
}

static ge_status scatter(gei_onnx_reader *r, const sparse *s, gei_tensor *dense) {
    size_t elem_bytes = gei_dtype_get(dense->dtype)->bits / 8;
    int64_t last = -1;
    if (dense->size_bytes > 0) memset(dense->data, 0, dense->size_bytes);
    for (int64_t i = 0; i < s->values->n_elems; i++) {
        int64_t place = sparse_place(s, i);
        if (place <= last)
            return gei_fail(&r->diag, GE_ERR_MALFORMED, "%s: index %lld of a sparse tensor is %s", r->place, (long long)i,
                            place < 0 ? "outside of it" : "not above the one before");
        memcpy((char *)dense->data + (size_t)place * elem_bytes, (const char *)s->values->data + (size_t)i * elem_bytes, elem_bytes);
        last = place;
    }
    return GE_OK;
}

static ge_status densify(gei_onnx_reader *r, gei_span message, sparse *s, gei_tensor **out) {
    GEI_TRY(read_sparse_head(r, message, s));
    GEI_TRY(gei_onnx_read_tensor(r, s->values_bytes, &s->values));
    GEI_TRY(gei_onnx_read_tensor(r, s->indices_bytes, &s->indices));
    GEI_TRY(check_sparse(r, s));
    GEI_TRY(gei_onnx_charge(r, s->shape.size_bytes));
    GEI_TRY(gei_tensor_create(r->from, s->shape.dtype, s->shape.rank, s->shape.dims, out, &r->diag));
    return scatter(r, s, *out);
}

ge_status gei_onnx_read_sparse(gei_onnx_reader *r, gei_span message, gei_tensor **out) {
    sparse s = { .values = NULL };
    *out = NULL;
    ge_status status = densify(r, message, &s, out);
    gei_tensor_release(s.values);
    gei_tensor_release(s.indices);
    if (status == GE_OK) return GE_OK;
    gei_tensor_release(*out);
    *out = NULL;
    return status;
}
