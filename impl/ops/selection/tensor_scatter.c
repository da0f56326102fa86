/* SPDX-License-Identifier: Apache-2.0 */
/* GeTensorScatter: a copy of a cache in which update is written along `axis` from write_indices[batch] on (0 where absent);
 * mode circular starts over at the end, linear must fit. */
#include <string.h>

#include "ops/import.h"
#include "ops/moves.h"

enum { SLOT_CACHE, SLOT_UPDATE, SLOT_INDICES };

static ge_status read_axis(const gei_infer *i, int32_t rank, int32_t *out) {
    GEI_TRY(gei_infer_axis(i, "axis", gei_node_int(i->node, "axis", -2), rank, out));
    return *out > 0 ? GE_OK : gei_infer_fail(i, GE_ERR_BAD_ATTR, "axis", "the batch axis cannot be written along");
}

static ge_status infer_scatter(gei_infer *i) {
    const gei_shape *cache = &i->in[SLOT_CACHE]->shape, *update = &i->in[SLOT_UPDATE]->shape;
    const char *mode = gei_node_text(i->node, "mode", "linear");
    int32_t axis;
    gei_words a, b;
    GEI_TRY(gei_infer_same_dtype(i, 0, 2, &i->out[0].dtype));
    i->out[0].shape = *cache;
    if (strcmp(mode, "linear") != 0 && strcmp(mode, "circular") != 0) return gei_infer_fail(i, GE_ERR_BAD_ATTR, "mode", "unknown value '%s'", mode);
    GEI_TRY(gei_infer_rank(i, SLOT_INDICES, 1, 1));
    if (cache->rank < 0) return GE_OK;
    GEI_TRY(gei_infer_rank(i, SLOT_CACHE, 2, GEI_MAX_RANK));
    GEI_TRY(read_axis(i, cache->rank, &axis));
    if (update->rank < 0) return GE_OK;
    bool fits = update->rank == cache->rank;
    for (int32_t d = 0; fits && d < cache->rank; d++) {
        bool known = gei_dim_known(cache->dims[d]) && gei_dim_known(update->dims[d]);
        fits = !known || (d == axis ? update->dims[d] <= cache->dims[d] : update->dims[d] == cache->dims[d]);
    }
    if (fits) return GE_OK;
    return gei_infer_fail(i, GE_ERR_SHAPE, "update", "shape %s does not fit %s along axis %d", gei_shape_words(update, &a), gei_shape_words(cache, &b), (int)axis);
}

typedef struct scatter {
    int64_t batch, outer, size, n, inner; /* n slices of update go into size */
    bool circular;
    size_t elem_bytes;
} scatter;

static ge_status size_scatter(gei_sizing *s, gei_diag *diag) {
    const gei_shape *cache = &s->in[SLOT_CACHE]->shape;
    gei_infer i = { .node = s->node, .in = s->in, .n_in = s->n_in, .diag = diag };
    int32_t axis;
    scatter *c = gei_arena_new(s->arena, scatter);
    if (!c) return gei_out_of_memory(diag, sizeof *c);
    GEI_TRY(read_axis(&i, cache->rank, &axis));
    *c = (scatter){ cache->dims[0], gei_dim_product(cache, 1, axis), cache->dims[axis], s->in[SLOT_UPDATE]->shape.dims[axis],
                    gei_dim_product(cache, axis + 1, cache->rank), strcmp(gei_node_text(s->node, "mode", "linear"), "circular") == 0,
                    gei_moved_bytes(s->in[SLOT_CACHE]->dtype) };
    s->sized = c;
    int64_t rows = c->batch * c->outer, each = c->size * c->inner;
    s->n_parts = gei_parts(rows, each < 16384 ? 16384 / (each + 1) + 1 : 1);
    s->cost = (double)rows * (double)each;
    return GE_OK;
}

static void write_row(const gei_run *run, const scatter *c, int64_t row) {
    const gei_view *indices = SLOT_INDICES < run->n_in ? run->in[SLOT_INDICES] : NULL;
    size_t bytes = (size_t)c->inner * c->elem_bytes;
    int64_t first = indices ? gei_view_i64(indices, row / c->outer) : 0;
    char *y = (char *)run->out[0]->data + (size_t)(row * c->size) * bytes;
    const char *cache = (const char *)run->in[SLOT_CACHE]->data + (size_t)(row * c->size) * bytes;
    const char *update = (const char *)run->in[SLOT_UPDATE]->data + (size_t)(row * c->n) * bytes;
    if (c->circular && c->size > 0) first = (first % c->size + c->size) % c->size;
    if (y != cache && c->size > 0) memcpy(y, cache, (size_t)c->size * bytes);
    for (int64_t k = 0; k < c->n; k++) memcpy(y + (size_t)((first + k) % c->size) * bytes, update + (size_t)k * bytes, bytes);
}

static ge_status run_rows(const gei_run *run, uint32_t part) {
    const scatter *c = (const scatter *)run->sized;
    const gei_view *indices = SLOT_INDICES < run->n_in ? run->in[SLOT_INDICES] : NULL;
    int64_t begin, end;
    if (indices && indices->n_elems != c->batch)
        return gei_run_fail(run, part, "write_indices", "%lld of them for a batch of %lld", (long long)indices->n_elems, (long long)c->batch);
    for (int64_t b = 0; indices && !c->circular && b < c->batch; b++) {
        int64_t first = gei_view_i64(indices, b);
        if (first < 0 || first > c->size - c->n)
            return gei_run_fail(run, part, "write_indices", "%lld slices from %lld on do not fit into %lld", (long long)c->n, (long long)first, (long long)c->size);
    }
    gei_part_range(c->batch * c->outer, run->n_parts, part, &begin, &end);
    if (c->inner == 0) return GE_OK;
    for (int64_t row = begin; row < end; row++) write_row(run, c, row);
    return GE_OK;
}

static ge_status run_ref(const gei_run *run, uint32_t part) { return gei_run_moved(run, part, 1u << SLOT_CACHE | 1u << SLOT_UPDATE, run_rows); }

static const gei_kernel scatter_kernels[] = { { .name = "ref", .size = size_scatter, .run = run_ref, .in_place = 1u << SLOT_CACHE }, { 0 } };
static const gei_attr_map scatter_attrs[] = { { "axis", "axis", "-2" }, { "mode", "mode", "linear" }, { NULL, NULL, NULL } };
static const gei_source scatter_sources[] = { { GEI_FROM_ONNX, "TensorScatter", 24, NULL, scatter_attrs }, { 0 } };

GEI_OP(GeTensorScatter) = { .name = "GeTensorScatter", .infer = infer_scatter, .kernels = scatter_kernels, .sources = scatter_sources,
                            .traits = GEI_OP_PURE | GEI_OP_MOVES, .moved = 1u << SLOT_CACHE | 1u << SLOT_UPDATE };
