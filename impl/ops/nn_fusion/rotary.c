/* SPDX-License-Identifier: Apache-2.0 */
/* GeRotaryEmbedding (ours, ONNX RotaryEmbedding): the first rotary_embedding_dim (0: all) elements of each head turn in pairs,
 *   y1 = cos * x1 - sin * x2,   y2 = sin * x1 + cos * x2,
 * pairs being the two halves, or neighbours when interleaved.  x is [batch, heads, rows, size] or packed [batch, rows, heads * size]; the
 * caches are [positions, pairs] looked up with position_ids [batch, rows], or [batch, rows, pairs]. */
#include "ops/blocks.h"
#include "ops/checks.h"
#include "ops/import.h"

enum { SLOT_X, SLOT_COS, SLOT_SIN, SLOT_IDS };

typedef struct rotary { /* sized; head stride and row stride of x in elements */
    int64_t batch, heads, rows, size, turned, positions;
    int64_t head_at, row_at;
    bool interleaved;
} rotary;

/* Size of a head; unknown when not known. */
static ge_status head_size(const gei_infer *i, gei_dim *out) {
    const gei_shape *x = &i->in[SLOT_X]->shape;
    int64_t heads;
    *out = x->rank == 4 ? x->dims[3] : GEI_DIM_UNKNOWN;
    if (x->rank != 3) return GE_OK;
    GEI_TRY(gei_check_int(i, "num_heads", 0, 1, INT32_MAX, &heads));
    if (!gei_dim_known(x->dims[2])) return GE_OK;
    if (x->dims[2] % heads != 0)
        return gei_infer_fail(i, GE_ERR_SHAPE, "x", "%lld columns cannot be cut into %lld heads", (long long)x->dims[2], (long long)heads);
    *out = x->dims[2] / heads;
    return GE_OK;
}

static ge_status check_turned(const gei_infer *i, gei_dim size, gei_dim *out_pairs) {
    int64_t turned;
    *out_pairs = GEI_DIM_UNKNOWN;
    GEI_TRY(gei_check_int(i, "rotary_embedding_dim", 0, 0, INT32_MAX, &turned));
    if (gei_dim_known(size) && turned > size)
        return gei_infer_fail(i, GE_ERR_SHAPE, "rotary_embedding_dim", "%lld is more than the %lld elements of a head", (long long)turned, (long long)size);
    if (turned == 0) turned = size;
    if (!gei_dim_known(turned)) return GE_OK;
    if (turned % 2 != 0) return gei_infer_fail(i, GE_ERR_SHAPE, "x", "%lld elements of a head make no pairs", (long long)turned);
    *out_pairs = turned / 2;
    return GE_OK;
}

static ge_status infer_rotary(gei_infer *i) {
    const gei_shape *x = &i->in[SLOT_X]->shape;
    int32_t rows = x->rank == 4 ? 2 : 1;
    bool ids = gei_infer_in(i, SLOT_IDS);
    int32_t dtype;
    gei_dim size, pairs;
    GEI_TRY(gei_infer_same_dtype(i, SLOT_X, 3, &dtype));
    GEI_TRY(gei_check_float(i, SLOT_X));
    GEI_TRY(gei_infer_like_x(i));
    GEI_TRY(gei_infer_rank(i, SLOT_X, 3, 4));
    GEI_TRY(head_size(i, &size));
    GEI_TRY(check_turned(i, size, &pairs));
    GEI_TRY(gei_infer_rank(i, SLOT_IDS, 2, 2));
    for (uint32_t slot = SLOT_COS; slot <= SLOT_SIN; slot++) {
        GEI_TRY(gei_infer_rank(i, slot, ids ? 2 : 3, ids ? 2 : 3));
        GEI_TRY(gei_check_dim(i, slot, ids ? 1 : 2, pairs, "count of pairs"));
    }
    GEI_TRY(gei_check_dim(i, SLOT_SIN, 0, gei_check_dim_of(i, SLOT_COS, 0), "size of cos_cache"));
    for (uint32_t slot = ids ? SLOT_IDS : SLOT_COS; slot <= (ids ? SLOT_IDS : SLOT_SIN); slot++) {
        GEI_TRY(gei_check_dim(i, slot, 0, gei_check_dim_of(i, SLOT_X, 0), "batch of x"));
        if (x->rank >= 0) GEI_TRY(gei_check_dim(i, slot, 1, x->dims[rows], "count of rows of x"));
    }
    return GE_OK;
}

static ge_status size_rotary(gei_sizing *s, gei_diag *diag) {
    gei_infer i = { .node = s->node, .in = s->in, .n_in = s->n_in, .diag = diag };
    const gei_shape *x = &s->in[SLOT_X]->shape;
    rotary *r = gei_arena_new(s->arena, rotary);
    gei_dim pairs;
    int64_t n = 0;
    if (!r) return gei_out_of_memory(diag, sizeof *r);
    *r = (rotary){ .batch = x->dims[0], .rows = x->dims[x->rank == 4 ? 2 : 1], .interleaved = gei_node_bool(s->node, "interleaved", false) };
    GEI_TRY(head_size(&i, &r->size));
    GEI_TRY(check_turned(&i, r->size, &pairs));
    r->turned = pairs * 2;
    r->heads = x->rank == 4 ? x->dims[1] : gei_node_int(s->node, "num_heads", 1);
    r->head_at = x->rank == 4 ? r->rows * r->size : r->size;
    r->row_at = x->rank == 4 ? r->size : r->heads * r->size;
    r->positions = s->in[SLOT_COS]->shape.dims[0];
    s->sized = r;
    (void)gei_shape_elems(x, &n);
    s->n_parts = gei_parts(r->size > 0 ? n / r->size : 0, r->size < 4096 ? 4096 / (r->size + 1) + 1 : 1);
    s->part_scratch_bytes = (size_t)(r->size + r->turned) * sizeof(double);
    s->cost = 3 * (double)n;
    return GE_OK;
}

static void turn(const rotary *r, const double *cos, const double *sin, double *x) {
    int64_t pairs = r->turned / 2, step = r->interleaved ? 2 : 1, apart = r->interleaved ? 1 : pairs;
    for (int64_t k = 0; k < pairs; k++) {
        double a = x[k * step], b = x[k * step + apart];
        x[k * step] = cos[k] * a - sin[k] * b;
        x[k * step + apart] = sin[k] * a + cos[k] * b;
    }
}

static ge_status check_ids(const gei_run *run, const rotary *r, uint32_t part) {
    for (int64_t k = 0; k < run->in[SLOT_IDS]->n_elems; k++) {
        int64_t id = gei_view_i64(run->in[SLOT_IDS], k);
        if (id < -r->positions || id >= r->positions)
            return gei_run_fail(run, part, "position_ids", "%lld is out of range for %lld positions", (long long)id, (long long)r->positions);
    }
    return GE_OK;
}

static ge_status run_rotary(const gei_run *run, uint32_t part) {
    const rotary *r = run->sized;
    const gei_view *x = run->in[SLOT_X], *ids = run->n_in > SLOT_IDS ? run->in[SLOT_IDS] : NULL;
    double *head = (double *)run->scratch, *cos = head + r->size, *sin = cos + r->turned / 2;
    int64_t begin, end;
    if (ids) GEI_TRY(check_ids(run, r, part));
    gei_part_range(r->size > 0 ? x->n_elems / r->size : 0, run->n_parts, part, &begin, &end);
    for (int64_t k = begin; k < end; k++) { /* heads in the order batch, row, head */
        int64_t at_row = k / r->heads, from = (at_row / r->rows) * r->rows * r->heads * r->size + (at_row % r->rows) * r->row_at + (k % r->heads) * r->head_at;
        int64_t angles = ids ? gei_view_i64(ids, at_row) : at_row;
        if (angles < 0) angles += r->positions;
        gei_load_f64(x->dtype, x->data, from, r->size, head);
        gei_load_f64(x->dtype, run->in[SLOT_COS]->data, angles * (r->turned / 2), r->turned / 2, cos);
        gei_load_f64(x->dtype, run->in[SLOT_SIN]->data, angles * (r->turned / 2), r->turned / 2, sin);
        turn(r, cos, sin, head);
        gei_store_f64(x->dtype, head, run->out[0]->data, from, r->size);
    }
    return GE_OK;
}

static const gei_kernel rotary_kernels[] = { { .name = "ref", .size = size_rotary, .run = run_rotary }, { 0 } };

static ge_status map_rotary(gei_import *im, gei_diag *diag) {
    gei_node *node;
    GEI_TRY(gei_import_node(im, "GeRotaryEmbedding", im->inputs, im->n_inputs, &node, diag));
    GEI_TRY(gei_import_set_int(node, "num_heads", gei_import_int(im, "num_heads", 0), diag));
    GEI_TRY(gei_import_set_int(node, "rotary_embedding_dim", gei_import_int(im, "rotary_embedding_dim", 0), diag));
    GEI_TRY(gei_import_set_bool(node, "interleaved", gei_import_int(im, "interleaved", 0) != 0, diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

static const gei_source rotary_sources[] = { { GEI_FROM_ONNX, "RotaryEmbedding", 23, map_rotary, NULL }, { 0 } };

GEI_OP(GeRotaryEmbedding) = { .name = "GeRotaryEmbedding", .infer = infer_rotary, .kernels = rotary_kernels, .sources = rotary_sources,
                              .traits = GEI_OP_PURE };
