/* SPDX-License-Identifier: Apache-2.0 */
/* The typed lists of TensorProto.  Which list a type uses, and how its elements are laid out there, is one table; the bytes are
 * decoded straight into the tensor. */
#include <string.h>

#include "frontend/onnx/reader.h"

typedef struct list_of {
    int32_t dtype;
    uint32_t field;
    uint32_t n_lists;   /* list entries for one element (complex: 2) */
    uint32_t bytes;     /* of one entry in the tensor; 0: six bits */
    int64_t low, high;  /* of an entry; bit patterns may be written signed or unsigned */
} list_of;

static const list_of lists[] = {
    { GEI_FLOAT32, ONNX_TENSOR_FLOAT_DATA, 1, 4, 0, 0 },
    { GEI_COMPLEX64, ONNX_TENSOR_FLOAT_DATA, 2, 4, 0, 0 },
    { GEI_FLOAT64, ONNX_TENSOR_DOUBLE_DATA, 1, 8, 0, 0 },
    { GEI_COMPLEX128, ONNX_TENSOR_DOUBLE_DATA, 2, 8, 0, 0 },
    { GEI_INT64, ONNX_TENSOR_INT64_DATA, 1, 8, INT64_MIN, INT64_MAX },
    { GEI_UINT64, ONNX_TENSOR_UINT64_DATA, 1, 8, INT64_MIN, INT64_MAX },
    { GEI_UINT32, ONNX_TENSOR_UINT64_DATA, 1, 4, 0, UINT32_MAX },
    { GEI_INT32, ONNX_TENSOR_INT32_DATA, 1, 4, INT32_MIN, INT32_MAX },
    { GEI_INT16, ONNX_TENSOR_INT32_DATA, 1, 2, INT16_MIN, INT16_MAX },
    { GEI_INT8, ONNX_TENSOR_INT32_DATA, 1, 1, INT8_MIN, INT8_MAX },
    { GEI_UINT16, ONNX_TENSOR_INT32_DATA, 1, 2, 0, UINT16_MAX },
    { GEI_UINT8, ONNX_TENSOR_INT32_DATA, 1, 1, 0, UINT8_MAX },
    { GEI_BOOL, ONNX_TENSOR_INT32_DATA, 1, 1, INT8_MIN, UINT8_MAX },
    { GEI_FLOAT16, ONNX_TENSOR_INT32_DATA, 1, 2, INT16_MIN, UINT16_MAX },
    { GEI_BFLOAT16, ONNX_TENSOR_INT32_DATA, 1, 2, INT16_MIN, UINT16_MAX },
    /* Six bits: one element an entry, though packed in the tensor.  */
    { GEI_FLOAT6_E3M2, ONNX_TENSOR_INT32_DATA, 1, 0, 0, 63 },
    { GEI_FLOAT6_E2M3, ONNX_TENSOR_INT32_DATA, 1, 0, 0, 63 },
    /* All others are bit patterns of at most a byte, the smaller ones packed as in the tensor. */
    { GEI_UNDEFINED, ONNX_TENSOR_INT32_DATA, 1, 1, INT8_MIN, UINT8_MAX },
};

static const list_of *list_for(int32_t dtype) {
    const list_of *l = lists;
    while (l->dtype != dtype && l->dtype != GEI_UNDEFINED) l++;
    return l;
}

static const char *list_name(uint32_t field) {
    switch (field) {
    case ONNX_TENSOR_FLOAT_DATA: return "float_data";
    case ONNX_TENSOR_INT32_DATA: return "int32_data";
    case ONNX_TENSOR_STRING_DATA: return "string_data";
    case ONNX_TENSOR_INT64_DATA: return "int64_data";
    case ONNX_TENSOR_DOUBLE_DATA: return "double_data";
    default: return "uint64_data";
    }
}

/* The list that belongs to the type holds `wanted` entries, and no other list any. */
static ge_status check_counts(gei_onnx_reader *r, const gei_onnx_tensor *t, uint32_t field, uint64_t wanted) {
    for (uint32_t i = 0; i < GEI_COUNT(t->n_values); i++) {
        if (i == field || t->n_values[i] == 0) continue;
        return gei_fail(&r->diag, GE_ERR_MALFORMED, "%s is of type %s and has its data in %s, wanted %s", r->place, gei_dtype_name(t->dtype),
                        list_name(i), list_name(field));
    }
    if (t->n_values[field] == wanted) return GE_OK;
    (void)gei_fail(&r->diag, GE_ERR_MALFORMED, "%s has %llu values in %s, its shape needs %llu", r->place,
                   (unsigned long long)t->n_values[field], list_name(field), (unsigned long long)wanted);
    gei_diag_found(&r->diag, "%llu values", (unsigned long long)t->n_values[field]);
    gei_diag_wanted(&r->diag, "%llu values", (unsigned long long)wanted);
    return GE_ERR_MALFORMED;
}

/* ---- numbers ---- */

typedef struct number_sink {
    gei_onnx_reader *r;
    const gei_onnx_tensor *t;
    const list_of *list;
    uint8_t *at, *end;
    uint32_t bit; /* with entries of six bits: the next one of *at */
} number_sink;

/* Low bits first, over into the next byte; the tensor was cleared. */
static void put_six_bits(number_sink *s, uint32_t bits) {
    uint32_t placed = bits << s->bit;
    if (s->at < s->end) *s->at |= (uint8_t)placed;
    s->bit += 6;
    if (s->bit < 8) return;
    s->bit -= 8;
    if (++s->at < s->end) *s->at |= (uint8_t)(placed >> 8);
}

static bool put(number_sink *s, uint64_t bits) {
    if ((size_t)(s->end - s->at) < s->list->bytes) return false;
    memcpy(s->at, &bits, s->list->bytes); /* little-endian machine: the low bytes come first */
    s->at += s->list->bytes;
    return true;
}

static ge_status put_varint(number_sink *s, uint64_t bits) {
    /* int32 fields are ten bytes when negative; like every protobuf reader take the low half. */
    int64_t value = s->list->field == ONNX_TENSOR_INT32_DATA ? (int32_t)(uint32_t)bits : (int64_t)bits;
    if (value < s->list->low || value > s->list->high)
        return gei_fail(&s->r->diag, GE_ERR_MALFORMED, "%s holds %lld, which does not fit type %s", s->r->place, (long long)value,
                        gei_dtype_name(s->t->dtype));
    if (s->list->bytes == 0) put_six_bits(s, (uint32_t)bits);
    else (void)put(s, bits);
    return GE_OK;
}

static ge_status put_list(number_sink *s, gei_wire *w, const gei_field *f, gei_wire_type elem) {
    bool is_bulk = elem != GEI_WIRE_VARINT && f->type == GEI_WIRE_LEN;
    if (is_bulk && f->bytes.size <= (size_t)(s->end - s->at)) {
        if (f->bytes.size > 0) memcpy(s->at, f->bytes.data, f->bytes.size);
        s->at += f->bytes.size;
        return GE_OK;
    }
    gei_repeat values = gei_wire_repeat(w, f, elem);
    uint64_t bits;
    while (gei_repeat_next(&values, &bits)) {
        if (elem == GEI_WIRE_VARINT) GEI_TRY(put_varint(s, bits));
        else (void)put(s, bits);
    }
    return gei_onnx_wire_end(s->r, &values.in, "TensorProto");
}

static ge_status fill(gei_onnx_reader *r, const gei_onnx_tensor *t, const list_of *list, gei_tensor *tensor) {
    number_sink s = { .r = r, .t = t, .list = list, .at = tensor->data };
    s.end = s.at + tensor->size_bytes;
    if (list->bytes == 0) memset(tensor->data, 0, tensor->size_bytes);
    gei_wire_type elem = list->field == ONNX_TENSOR_FLOAT_DATA    ? GEI_WIRE_FIXED32
                         : list->field == ONNX_TENSOR_DOUBLE_DATA ? GEI_WIRE_FIXED64
                                                                  : GEI_WIRE_VARINT;
    gei_wire w = gei_wire_at(r->file.data, t->bytes);
    gei_field f;
    while (gei_wire_next(&w, &f))
        if (f.number == list->field) GEI_TRY(put_list(&s, &w, &f, elem));
    return gei_onnx_wire_end(r, &w, "TensorProto");
}

static ge_status read_numbers(gei_onnx_reader *r, const gei_onnx_tensor *t, gei_tensor **out) {
    const list_of *list = list_for(t->dtype);
    bool is_packed = gei_dtype_get(t->dtype)->bits < 8 && list->bytes > 0;
    uint64_t wanted = is_packed ? t->size_bytes : (uint64_t)t->n_elems * list->n_lists;
    GEI_TRY(check_counts(r, t, list->field, wanted));
    GEI_TRY(gei_onnx_charge(r, t->size_bytes));
    GEI_TRY(gei_tensor_create(r->from, t->dtype, t->rank, t->dims, out, &r->diag));
    if (t->size_bytes == 0) return GE_OK;
    ge_status status = fill(r, t, list, *out);
    if (status == GE_OK) {
        gei_onnx_normalise(t, (*out)->data);
        return GE_OK;
    }
    gei_tensor_release(*out);
    *out = NULL;
    return status;
}

/* ---- strings ---- */

static ge_status read_strings(gei_onnx_reader *r, const gei_onnx_tensor *t, gei_tensor **out) {
    GEI_TRY(check_counts(r, t, ONNX_TENSOR_STRING_DATA, (uint64_t)t->n_elems));
    GEI_TRY(gei_onnx_charge(r, (uint64_t)t->n_elems * 16 + t->bytes.size));
    gei_arena scratch;
    gei_arena_init(&scratch, r->from);
    const char **texts = gei_arena_array(&scratch, const char *, (size_t)t->n_elems);
    size_t *sizes = gei_arena_array(&scratch, size_t, (size_t)t->n_elems);
    ge_status status = texts && sizes ? GE_OK : gei_onnx_out_of_memory(r);
    gei_wire w = gei_wire_at(r->file.data, t->bytes);
    gei_field f;
    for (size_t i = 0; status == GE_OK && gei_wire_next(&w, &f);) {
        gei_span text;
        if (f.number != ONNX_TENSOR_STRING_DATA || !gei_wire_text(&w, &f, &text)) continue;
        texts[i] = text.data;
        sizes[i++] = text.size;
    }
    if (status == GE_OK) status = gei_tensor_strings(r->from, t->rank, t->dims, texts, sizes, out, &r->diag);
    gei_arena_deinit(&scratch);
    return status;
}

ge_status gei_onnx_read_values(gei_onnx_reader *r, const gei_onnx_tensor *t, gei_tensor **out) {
    return t->dtype == GEI_STRING ? read_strings(r, t, out) : read_numbers(r, t, out);
}
