/* SPDX-License-Identifier: Apache-2.0 */
/* Tile (input multiples): each axis repeated as a whole. */
#include <string.h>

#include "ops/import.h"
#include "ops/moves.h"

enum { SLOT_X, SLOT_MULTIPLES };

static ge_status check_multiples(const gei_infer *i, const int64_t *multiples, size_t count) {
    const gei_shape *x = &i->in[SLOT_X]->shape;
    gei_words words;
    if (x->rank >= 0 && count != (size_t)x->rank)
        return gei_infer_fail(i, GE_ERR_SHAPE, "multiples", "%s has %zu entries for rank %d", gei_ints_words(multiples, count, &words), count, (int)x->rank);
    for (size_t k = 0; k < count; k++)
        if (multiples[k] < 0)
            return gei_infer_fail(i, GE_ERR_SHAPE, "multiples", "%s: %lld is no count", gei_ints_words(multiples, count, &words), (long long)multiples[k]);
    return GE_OK;
}

static ge_status infer_tile(gei_infer *i) {
    const gei_shape *x = &i->in[SLOT_X]->shape, *multiples = &i->in[SLOT_MULTIPLES]->shape;
    gei_dim times[GEI_MAX_RANK];
    int64_t numbers[GEI_MAX_RANK];
    size_t count, minus_one;
    i->out[0].dtype = i->in[SLOT_X]->dtype;
    GEI_TRY(gei_infer_rank(i, SLOT_MULTIPLES, 1, 1));
    if (gei_infer_ints(i, SLOT_MULTIPLES, numbers, GEI_MAX_RANK, &count)) GEI_TRY(check_multiples(i, numbers, count));
    if (x->rank < 0) return GE_OK;
    if (multiples->rank == 1 && gei_dim_known(multiples->dims[0]) && multiples->dims[0] != x->rank)
        return gei_infer_fail(i, GE_ERR_SHAPE, "multiples", "%lld entries for rank %d", (long long)multiples->dims[0], (int)x->rank);
    bool known = gei_infer_dims(i, SLOT_MULTIPLES, times, GEI_MAX_RANK, &count, &minus_one);
    gei_shape y = *x;
    for (int32_t d = 0; d < y.rank; d++) {
        bool fits = known && gei_dim_known(y.dims[d]) && gei_dim_known(times[d]);
        y.dims[d] = known ? gei_dim_times(y.dims[d], times[d]) : GEI_DIM_UNKNOWN;
        if (fits && !gei_dim_known(y.dims[d]))
            return gei_infer_fail(i, GE_ERR_SHAPE, "multiples", "axis %d: %lld times %lld does not fit 64 bits", (int)d, (long long)x->dims[d],
                                  (long long)times[d]);
    }
    i->out[0].shape = y;
    return GE_OK;
}

/* ---- reference kernel ---- */

typedef struct tile {
    int32_t rank;                   /* dims before the run */
    int64_t rows;                   /* runs of y */
    int64_t dims[GEI_MAX_RANK], y_dims[GEI_MAX_RANK], strides[GEI_MAX_RANK];
    int64_t run, times;             /* elements of x that lie together and how often they follow each other in y */
    size_t elem_bytes;
} tile;

static ge_status size_tile(gei_sizing *s, gei_diag *diag) {
    const gei_shape *x = &s->in[SLOT_X]->shape, *y = &s->out[0].shape;
    int64_t multiples[GEI_MAX_RANK];
    size_t count;
    tile *t = gei_arena_new(s->arena, tile);
    if (!t) return gei_out_of_memory(diag, sizeof *t);
    GEI_TRY(gei_sizing_ints(s, SLOT_MULTIPLES, multiples, GEI_MAX_RANK, &count, diag));
    int32_t last = x->rank - 1; /* the innermost axis that is repeated */
    while (last > 0 && multiples[last] == 1) last--;
    *t = (tile){ .rank = last > 0 ? last : 0, .rows = 1, .run = 1, .times = x->rank > 0 ? multiples[last] : 1, .elem_bytes = gei_moved_bytes(s->out[0].dtype) };
    t->run = gei_dim_product(x, t->rank, x->rank);
    int64_t stride = t->run;
    for (int32_t d = t->rank - 1; d >= 0; d--) {
        t->dims[d] = x->dims[d];
        t->y_dims[d] = y->dims[d];
        t->strides[d] = stride;
        stride *= x->dims[d];
        t->rows *= y->dims[d];
    }
    s->sized = t;
    int64_t each = t->run * t->times;
    s->n_parts = gei_parts(t->rows, each < 16384 ? 16384 / (each + 1) + 1 : 1);
    s->cost = (double)t->rows * (double)each;
    return GE_OK;
}

/* `bytes` at `to`, `times` of them in all: doubles what is there. */
static void repeat(char *to, size_t bytes, int64_t times) {
    size_t total = bytes * (size_t)times;
    for (size_t done = bytes; done < total;) {
        size_t n = done < total - done ? done : total - done;
        memcpy(to + done, to, n);
        done += n;
    }
}

static ge_status run_rows(const gei_run *run, uint32_t part) {
    const tile *t = (const tile *)run->sized;
    size_t bytes = (size_t)t->run * t->elem_bytes;
    int64_t begin, end;
    if (bytes == 0 || t->times == 0) return GE_OK;
    gei_part_range(t->rows, run->n_parts, part, &begin, &end);
    for (int64_t row = begin; row < end; row++) {
        int64_t from = 0, rest = row;
        for (int32_t d = t->rank - 1; d >= 0; d--) {
            from += rest % t->y_dims[d] % t->dims[d] * t->strides[d];
            rest /= t->y_dims[d];
        }
        char *to = (char *)run->out[0]->data + (size_t)row * bytes * (size_t)t->times;
        memcpy(to, (const char *)run->in[SLOT_X]->data + (size_t)from * t->elem_bytes, bytes);
        repeat(to, bytes, t->times);
    }
    return GE_OK;
}

static ge_status run_ref(const gei_run *run, uint32_t part) { return gei_run_moved(run, part, 1u << SLOT_X, run_rows); }

static const gei_kernel tile_kernels[] = { { .name = "ref", .size = size_tile, .run = run_ref }, { 0 } };
static const gei_source tile_sources[] = { { GEI_FROM_ONNX, "Tile", 6, NULL, NULL }, { 0 } };

GEI_OP(Tile) = { .name = "Tile", .infer = infer_tile, .kernels = tile_kernels, .sources = tile_sources, .traits = GEI_OP_PURE | GEI_OP_MOVES,
                 .moved = 1u << SLOT_X, .needs_value = 1u << SLOT_MULTIPLES };
GEI_WIDEN(Tile, "x y", "any");
