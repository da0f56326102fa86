/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/fill.h"

#include <stdlib.h>
#include <string.h>

#include "cli/args.h"
#include "cli/npy_header.h"

/* How one element is made: 1 of the type, and for floats how many fraction bits a value below 1 keeps exactly. */
typedef struct elem_form {
    ge_dtype dtype;
    uint8_t parts;         /* 2: complex */
    uint8_t part_bytes;
    uint8_t exponent_bits; /* 0: no float */
    uint8_t fraction_bits;
    uint8_t bias;
} elem_form;

static const elem_form forms[] = {
    { GE_DTYPE_BOOL, 1, 1, 0, 0, 0 },      { GE_DTYPE_INT8, 1, 1, 0, 0, 0 },       { GE_DTYPE_UINT8, 1, 1, 0, 0, 0 },
    { GE_DTYPE_QINT8, 1, 1, 0, 0, 0 },     { GE_DTYPE_QUINT8, 1, 1, 0, 0, 0 },     { GE_DTYPE_INT16, 1, 2, 0, 0, 0 },
    { GE_DTYPE_UINT16, 1, 2, 0, 0, 0 },    { GE_DTYPE_QINT16, 1, 2, 0, 0, 0 },     { GE_DTYPE_QUINT16, 1, 2, 0, 0, 0 },
    { GE_DTYPE_INT32, 1, 4, 0, 0, 0 },     { GE_DTYPE_UINT32, 1, 4, 0, 0, 0 },     { GE_DTYPE_QINT32, 1, 4, 0, 0, 0 },
    { GE_DTYPE_INT64, 1, 8, 0, 0, 0 },     { GE_DTYPE_UINT64, 1, 8, 0, 0, 0 },     { GE_DTYPE_FLOAT16, 1, 2, 5, 10, 15 },
    { GE_DTYPE_BFLOAT16, 1, 2, 8, 7, 127 }, { GE_DTYPE_FLOAT32, 1, 4, 8, 23, 127 }, { GE_DTYPE_FLOAT64, 1, 8, 11, 52, 0 },
    { GE_DTYPE_COMPLEX64, 2, 4, 8, 23, 127 }, { GE_DTYPE_COMPLEX128, 2, 8, 11, 52, 0 }, { GE_DTYPE_COMPLEX32, 2, 2, 5, 10, 15 },
    { GE_DTYPE_FLOAT8_E5M2, 1, 1, 5, 2, 15 }, { GE_DTYPE_FLOAT8_E4M3FN, 1, 1, 4, 3, 7 },
    { GE_DTYPE_FLOAT8_E4M3FNUZ, 1, 1, 4, 3, 8 }, { GE_DTYPE_FLOAT8_E5M2FNUZ, 1, 1, 5, 2, 16 },
};

bool fill_parse(const char *text, fill *out) {
    *out = (fill){ FILL_NONE, 0 };
    if (strcmp(text, "zeros") == 0) {
        out->kind = FILL_ZEROS;
    } else if (strcmp(text, "ones") == 0) {
        out->kind = FILL_ONES;
    } else if (strcmp(text, "random") == 0) {
        out->kind = FILL_RANDOM;
    } else if (strncmp(text, "random:", 7) == 0 && args_read_u64(text + 7, strlen(text + 7), &out->seed)) {
        out->kind = FILL_RANDOM;
    }
    return out->kind != FILL_NONE;
}

/* SplitMix64: each output is a hash of a counter, so streams need no warm-up. */
static uint64_t next_random(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

/* Bits of k / 2^fraction_bits, exact: |k| is at most 2^fraction_bits and so has a place for each of its digits. */
static uint64_t float_bits(const elem_form *form, int64_t k) {
    uint64_t size = (uint64_t)(k < 0 ? -k : k), sign = k < 0;
    uint32_t fraction_bits = form->fraction_bits, bias = form->exponent_bits == 11 ? 1023 : form->bias;
    sign <<= form->exponent_bits + fraction_bits;
    if (size == 0) return 0;
    uint32_t top = 63 - (uint32_t)__builtin_clzll(size);
    uint64_t exponent = (uint64_t)bias + top - fraction_bits; /* above 0 for every form: never subnormal */
    uint64_t fraction = (size << (fraction_bits - top)) & ((UINT64_C(1) << fraction_bits) - 1);
    return sign | exponent << fraction_bits | fraction;
}

static uint64_t one_part(const elem_form *form, fill how, uint64_t *state) {
    if (how.kind == FILL_ZEROS) return 0;
    if (how.kind == FILL_ONES) return form->exponent_bits ? float_bits(form, INT64_C(1) << form->fraction_bits) : 1;
    uint64_t r = next_random(state);
    if (form->exponent_bits == 0) return r >> 63;
    int64_t half = INT64_C(1) << form->fraction_bits;
    return float_bits(form, (int64_t)(r >> (63 - form->fraction_bits)) - half);
}

static void fill_elements(const elem_form *form, fill how, uint64_t state, npy_array *out) {
    uint64_t n_parts = out->size_bytes / form->part_bytes;
    for (uint64_t i = 0; i < n_parts; i++) {
        /* the imaginary part of a one is nought */
        bool is_blank = how.kind == FILL_ONES && form->parts == 2 && i % 2 == 1;
        uint64_t bits = is_blank ? 0 : one_part(form, how, &state);
        memcpy(out->data + i * form->part_bytes, &bits, form->part_bytes); /* little-endian hosts only */
    }
}

/* Empty strings, "1", or "0" and "1" at random. */
static int fill_strings(fill how, uint64_t state, npy_array *out, char *why) {
    size_t text_bytes = how.kind == FILL_ZEROS ? 0 : 1;
    out->offsets = calloc((size_t)out->n_elems + 1, sizeof *out->offsets);
    out->owner = out->data = malloc((size_t)out->n_elems + 1);
    if (!out->offsets || !out->data) {
        npy_deinit(out);
        return npy_fail(why, "out of memory");
    }
    for (uint64_t i = 0; i < out->n_elems; i++) {
        out->data[i] = how.kind == FILL_ONES || next_random(&state) >> 63 ? '1' : '0';
        out->offsets[i + 1] = out->offsets[i] + text_bytes;
    }
    out->size_bytes = (size_t)out->n_elems * text_bytes;
    return 0;
}

static const elem_form *find_form(ge_dtype dtype) {
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (forms[i].dtype == dtype) return &forms[i];
    }
    return NULL;
}

int fill_make(fill how, uint64_t stream, ge_dtype dtype, int32_t rank, const int64_t *dims, npy_array *out, char *why) {
    uint64_t n = 1, size, state = how.seed ^ (stream * UINT64_C(0xD1342543DE82EF95));
    const elem_form *form = find_form(dtype);
    *out = (npy_array){ .dtype = dtype, .rank = rank };
    if (!form && dtype != GE_DTYPE_STRING) return npy_fail(why, "no data can be made up for %s", ge_dtype_get_name(dtype));
    if (rank > NPY_MAX_RANK) return npy_fail(why, "more than %d dimensions", NPY_MAX_RANK);
    for (int32_t i = 0; i < rank; i++) {
        out->dims[i] = dims[i];
        if (__builtin_mul_overflow(n, (uint64_t)dims[i], &n)) return npy_fail(why, "the shape has too many elements");
    }
    out->n_elems = n;
    if (!form) return n > SIZE_MAX / 16 ? npy_fail(why, "the shape has too many elements") : fill_strings(how, state, out, why);
    if (__builtin_mul_overflow(n, (uint64_t)form->parts * form->part_bytes, &size) || size > SIZE_MAX / 2) {
        return npy_fail(why, "the shape has too many elements");
    }
    out->size_bytes = (size_t)size;
    out->owner = out->data = malloc(size ? (size_t)size : 1);
    if (!out->data) return npy_fail(why, "out of memory for %llu bytes", (unsigned long long)size);
    fill_elements(form, how, state, out);
    return 0;
}
