/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/shape.h"

#include <assert.h>
#include <string.h>

#include "base/alloc.h"

gei_shape gei_shape_unknown(void) { return (gei_shape){ .rank = GEI_RANK_UNKNOWN }; }

gei_shape gei_shape_scalar(void) { return (gei_shape){ .rank = 0 }; }

gei_shape gei_shape_of(int32_t rank, const gei_dim *dims) {
    gei_shape s = { .rank = rank };
    assert(rank >= GEI_RANK_UNKNOWN && rank <= GEI_MAX_RANK);
    if (rank > 0) memcpy(s.dims, dims, (size_t)rank * sizeof *dims);
    return s;
}

bool gei_shape_known(const gei_shape *s) {
    if (s->rank < 0) return false;
    for (int32_t i = 0; i < s->rank; i++)
        if (!gei_dim_known(s->dims[i])) return false;
    return true;
}

bool gei_shape_same(const gei_shape *a, const gei_shape *b) {
    if (a->rank < 0 || a->rank != b->rank) return false;
    for (int32_t i = 0; i < a->rank; i++)
        if (!gei_dim_same(a->dims[i], b->dims[i])) return false;
    return true;
}

bool gei_shape_fits(const gei_shape *a, const gei_shape *b) {
    if (a->rank < 0 || b->rank < 0) return true;
    if (a->rank != b->rank) return false;
    for (int32_t i = 0; i < a->rank; i++)
        if (gei_dim_known(a->dims[i]) && gei_dim_known(b->dims[i]) && a->dims[i] != b->dims[i]) return false;
    return true;
}

/* The product of the dims other than zero must fit as well, so that strides of an empty tensor cannot overflow. */
bool gei_shape_elems(const gei_shape *s, int64_t *out_elems) {
    int64_t product = 1;
    bool has_zero = false;
    if (!gei_shape_known(s)) return false;
    for (int32_t i = 0; i < s->rank; i++) {
        if (s->dims[i] == 0) has_zero = true;
        else if (!gei_mul_i64(product, s->dims[i], &product)) return false;
    }
    *out_elems = has_zero ? 0 : product;
    return true;
}

bool gei_axis(int64_t axis, int32_t rank, int32_t *out_axis) {
    if (axis < -(int64_t)rank || axis >= rank) return false;
    *out_axis = (int32_t)(axis < 0 ? axis + rank : axis);
    return true;
}

/* Text that stops at the end of the caller's buffer. */
typedef struct line {
    char *to;
    size_t size, cap;
} line;

static void put(line *l, const char *text, size_t size) {
    size_t room = l->cap > l->size ? l->cap - l->size - 1 : 0;
    if (size > room) size = room;
    if (size == 0) return;
    memcpy(l->to + l->size, text, size);
    l->size += size;
}

static void put_number(line *l, uint64_t n) {
    char digits[20];
    size_t at = sizeof digits;
    do digits[--at] = (char)('0' + n % 10);
    while ((n /= 10) != 0);
    put(l, digits + at, sizeof digits - at);
}

size_t gei_shape_text(const gei_shape *s, const char *const *names, char *to, size_t cap) {
    line l = { to, 0, cap };
    if (s->rank < 0) put(&l, "[*]", 3);
    else put(&l, "[", 1);
    for (int32_t i = 0; i < s->rank; i++) {
        gei_dim d = s->dims[i];
        if (i > 0) put(&l, ",", 1);
        if (gei_dim_known(d)) put_number(&l, (uint64_t)d);
        else if (d == GEI_DIM_UNKNOWN) put(&l, "?", 1);
        else if (names) put(&l, names[gei_dim_symbol_index(d)], strlen(names[gei_dim_symbol_index(d)]));
        else {
            put(&l, "s", 1);
            put_number(&l, gei_dim_symbol_index(d));
        }
    }
    if (s->rank >= 0) put(&l, "]", 1);
    if (cap > 0) to[l.size] = 0;
    return l.size;
}
