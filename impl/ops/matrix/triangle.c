/* SPDX-License-Identifier: Apache-2.0 */
/* Trilu, Tril, Triu: of every matrix of the last two dims the part on and above, or on and below, diagonal k; the rest is zero (an
 * empty text).  Diagonal k > 0 lies above the main one. */
#include <string.h>

#include "ops/rules.h"
#include "ops/texts.h"

enum { SLOT_X, SLOT_K };

typedef struct triangle {
    int64_t rows, columns, k;
    bool upper;
} triangle;

static ge_status infer_triangle(gei_infer *i) {
    const gei_dtype_info *dtype = gei_dtype_get(i->in[SLOT_X]->dtype);
    if (dtype && dtype->dtype != GEI_UNDEFINED && dtype->dtype != GEI_STRING && (dtype->bits == 0 || dtype->bits % 8 != 0))
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "x", "data type %s is not supported", dtype->name);
    GEI_TRY(gei_infer_rank(i, SLOT_X, 2, GEI_MAX_RANK));
    return gei_infer_like_x(i);
}

static ge_status infer_trilu(gei_infer *i) {
    const gei_info *k = gei_infer_in(i, SLOT_K);
    gei_words words;
    gei_dim n = k && k->shape.rank >= 0 ? gei_dim_product(&k->shape, 0, k->shape.rank) : 1;
    if (gei_dim_known(n) && n != 1) return gei_infer_fail(i, GE_ERR_SHAPE, "k", "shape %s, wanted one number", gei_shape_words(&k->shape, &words));
    return infer_triangle(i);
}

/* Columns [*begin, *end) of row r are kept.  k is brought near the matrix first, so that sums cannot overflow. */
static void kept_columns(const triangle *t, int64_t r, int64_t *begin, int64_t *end) {
    int64_t k = t->k < -t->rows ? -t->rows : t->k > t->columns ? t->columns : t->k;
    int64_t edge = t->upper ? r + k : r + k + 1;
    edge = edge < 0 ? 0 : edge > t->columns ? t->columns : edge;
    *begin = t->upper ? edge : 0;
    *end = t->upper ? t->columns : edge;
}

static triangle triangle_of(const gei_view *x, int64_t k, bool upper) {
    return (triangle){ x->dims[x->rank - 2], x->dims[x->rank - 1], k, upper };
}

typedef struct texts {
    const gei_view *x;
    triangle t;
} texts;

static gei_text kept_text(const void *user, int64_t index) {
    const texts *s = (const texts *)user;
    int64_t begin, end, column = index % s->t.columns;
    kept_columns(&s->t, index / s->t.columns % s->t.rows, &begin, &end);
    return column >= begin && column < end ? gei_text_at(s->x, index) : (gei_text){ "", 0 };
}

static ge_status run_triangle(const gei_run *run, uint32_t part, int64_t k, bool upper) {
    const gei_view *x = run->in[SLOT_X];
    triangle t = triangle_of(x, k, upper);
    int64_t first, last, begin, end;
    if (x->dtype == GEI_STRING) return part == 0 ? gei_run_set_texts(run, 0, kept_text, &(texts){ x, t }) : GE_OK;
    if (x->n_elems == 0) return GE_OK;
    size_t bytes = gei_dtype_get(x->dtype)->bits / 8, row_bytes = (size_t)t.columns * bytes;
    gei_part_range(x->n_elems / t.columns, run->n_parts, part, &first, &last);
    for (int64_t r = first; r < last; r++) {
        const char *from = (const char *)x->data + (size_t)r * row_bytes;
        char *to = (char *)run->out[0]->data + (size_t)r * row_bytes;
        kept_columns(&t, r % t.rows, &begin, &end);
        memset(to, 0, (size_t)begin * bytes);
        if (to != from && end > begin) memcpy(to + (size_t)begin * bytes, from + (size_t)begin * bytes, (size_t)(end - begin) * bytes);
        memset(to + (size_t)end * bytes, 0, (size_t)(t.columns - end) * bytes);
    }
    return GE_OK;
}

static ge_status run_trilu(const gei_run *run, uint32_t part) {
    int64_t k = run->n_in > SLOT_K && run->in[SLOT_K] ? gei_view_i64(run->in[SLOT_K], 0) : 0;
    return run_triangle(run, part, k, gei_node_int(run->node, "upper", 0) != 0);
}

static ge_status run_tril(const gei_run *run, uint32_t part) { return run_triangle(run, part, gei_node_int(run->node, "diagonal", 0), false); }
static ge_status run_triu(const gei_run *run, uint32_t part) { return run_triangle(run, part, gei_node_int(run->node, "diagonal", 0), true); }

static ge_status size_triangle(gei_sizing *s, gei_diag *diag) {
    int64_t n = 0;
    (void)diag;
    (void)gei_shape_elems(&s->out[0].shape, &n);
    s->n_parts = gei_parts(n, 16384);
    s->cost = (double)n;
    return GE_OK;
}

static const gei_attr_map trilu_attrs[] = { { "upper", "upper", "1" }, { NULL, NULL, NULL } };
static const gei_source trilu_sources[] = { { GEI_FROM_ONNX, "Trilu", 14, NULL, trilu_attrs }, { 0 } };

#define KERNELS(fn) { { .name = "ref", .size = size_triangle, .run = fn, .in_place = 1 }, { 0 } }
static const gei_kernel trilu_kernels[] = KERNELS(run_trilu);
static const gei_kernel tril_kernels[] = KERNELS(run_tril);
static const gei_kernel triu_kernels[] = KERNELS(run_triu);

GEI_OP(Trilu) = { .name = "Trilu", .infer = infer_trilu, .kernels = trilu_kernels, .sources = trilu_sources, .traits = GEI_OP_PURE };
GEI_OP(Tril) = { .name = "Tril", .infer = infer_triangle, .kernels = tril_kernels, .traits = GEI_OP_PURE };
GEI_OP(Triu) = { .name = "Triu", .infer = infer_triangle, .kernels = triu_kernels, .traits = GEI_OP_PURE };
GEI_WIDEN(Trilu, "x y", "number bool string");
GEI_WIDEN(Tril, "*", "number bool string");
GEI_WIDEN(Triu, "*", "number bool string");
