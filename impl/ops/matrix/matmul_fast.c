/* SPDX-License-Identifier: Apache-2.0 */
/* A constant right operand is packed once per model.  Another one is packed by each part for the panels it computes, so parts are cut
 * along panels first: then nothing is packed twice. */
#include "ops/matrix/matmul_fast.h"

#include <string.h>

#include "kernels/broadcast.h"
#include "ops/sgemm_isa.h"

enum { SLOT_X1, SLOT_X2, SLOT_BIAS };

#define PART_FLOPS 1e6      /* one part: enough to pay for its start */
#define MOST_PARTS 32

typedef struct fast_prepared {
    const gei_sgemm_isa *isa;
    const gei_allocator *from;
    float *packed;          /* constant operand in panels; NULL: packed while running */
    size_t packed_bytes;
    gei_act act;            /* clip of the node */
    float low, high;
} fast_prepared;

typedef struct fast_sized {
    int64_t m, n, k;
    int64_t a_row, a_col, b_row, b_col;
    gei_broadcast batch;    /* one element for each matrix */
    int64_t a_elems, b_elems, y_elems;
    int64_t panels;
    uint32_t panel_parts, row_parts; /* of one matrix; n_parts = matrices * panel_parts * row_parts */
    size_t pack_a_offset;   /* in a part's scratch, floats: transposed left operand */
} fast_sized;

static void sizes_of(const gei_matmul_operands *o, fast_sized *f) {
    int32_t ra = o->a.rank, rb = o->b.rank;
    f->m = o->a.dims[ra - (o->transpose_a ? 1 : 2)];
    f->k = o->a.dims[ra - (o->transpose_a ? 2 : 1)];
    f->n = o->b.dims[rb - (o->transpose_b ? 2 : 1)];
    f->a_row = o->transpose_a ? 1 : f->k;
    f->a_col = o->transpose_a ? f->m : 1;
    f->b_row = o->transpose_b ? 1 : f->n;
    f->b_col = o->transpose_b ? f->k : 1;
}

bool gei_matmul_fast_accepts(const gei_choice *c, gei_reason *why) {
    if (c->in[SLOT_X1]->dtype != GEI_FLOAT32) return gei_refuse(why, "data type is %s", gei_dtype_name(c->in[SLOT_X1]->dtype));
    if (c->n_in > SLOT_BIAS && c->in[SLOT_BIAS] && c->in[SLOT_BIAS]->dtype != GEI_FLOAT32) return gei_refuse(why, "bias is not float32");
    return true;
}

static bool is_one_matrix(const gei_matmul_operands *o) {
    for (int32_t i = 0; i < o->b.rank - 2; i++)
        if (o->b.dims[i] != 1) return false;
    return true;
}

ge_status gei_matmul_fast_prepare(gei_prepare *p, gei_diag *diag) {
    const gei_info *x1 = p->choice->in[SLOT_X1], *x2 = p->choice->in[SLOT_X2];
    fast_prepared *f = gei_arena_new(p->arena, fast_prepared);
    if (!f) return gei_out_of_memory(diag, sizeof *f);
    f->isa = gei_sgemm_isa_for(p->choice->isa);
    f->from = p->from;
    f->act = gei_node_clip(p->choice->node, &f->low, &f->high) ? GEI_ACT_CLIP : GEI_ACT_NONE;
    p->prepared = f;
    if (!x2->tensor || x1->shape.rank < 1) return GE_OK;
    gei_matmul_operands o;
    fast_sized sizes;
    gei_matmul_read(p->choice->node, &x1->shape, &x2->shape, &o);
    if (!is_one_matrix(&o)) return GE_OK;
    sizes_of(&o, &sizes);
    int64_t k = o.b.dims[o.b.rank - (o.transpose_b ? 1 : 2)];
    size_t floats = gei_sgemm_packed_floats(f->isa, k, sizes.n);
    if (floats == 0) return GE_OK;
    f->packed_bytes = floats * sizeof(float);
    f->packed = gei_alloc(p->from, f->packed_bytes, GEI_ALIGN_BYTES);
    if (!f->packed) return gei_out_of_memory(diag, f->packed_bytes);
    int64_t row = o.transpose_b ? 1 : sizes.n, col = o.transpose_b ? k : 1;
    gei_sgemm_pack(f->isa, x2->tensor->data, row, col, k, sizes.n, 0, gei_sgemm_panels(f->isa, sizes.n), f->packed);
    p->drops_input = UINT64_C(1) << SLOT_X2;
    p->packed_bytes = f->packed_bytes;
    return GE_OK;
}

void gei_matmul_fast_destroy(void *prepared) {
    fast_prepared *f = prepared;
    if (f && f->packed) gei_free(f->from, f->packed, f->packed_bytes, GEI_ALIGN_BYTES);
}

/* Cuts one matrix into panel_parts x row_parts. */
static void cut(fast_sized *f, const gei_sgemm_isa *isa, int64_t n_matrices) {
    double flops = 2.0 * (double)f->m * (double)f->n * (double)f->k, wanted = flops / PART_FLOPS;
    int64_t most = n_matrices > 0 && n_matrices < MOST_PARTS ? MOST_PARTS / n_matrices : 1;
    int64_t parts = wanted > (double)most ? most : (int64_t)wanted;
    int64_t tiles = (f->m + isa->mr - 1) / isa->mr;
    f->panel_parts = (uint32_t)(parts < 1 ? 1 : parts < f->panels ? parts : f->panels > 0 ? f->panels : 1);
    int64_t rows = parts / f->panel_parts;
    f->row_parts = (uint32_t)(rows < 1 ? 1 : rows < tiles ? rows : tiles > 0 ? tiles : 1);
}

ge_status gei_matmul_fast_size(gei_sizing *s, gei_diag *diag) {
    const fast_prepared *p = s->prepared;
    gei_matmul_operands o;
    fast_sized *f = gei_arena_new(s->arena, fast_sized);
    if (!f) return gei_out_of_memory(diag, sizeof *f);
    gei_matmul_read(s->node, &s->in[SLOT_X1]->shape, &s->in[SLOT_X2]->shape, &o);
    sizes_of(&o, f);
    int32_t rank = s->out[0].shape.rank - !o.vector_a - !o.vector_b;
    gei_broadcast_plan(&f->batch, rank, s->out[0].shape.dims);
    gei_broadcast_add(&f->batch, rank, s->out[0].shape.dims, o.a.rank - 2, o.a.dims);
    gei_broadcast_add(&f->batch, rank, s->out[0].shape.dims, o.b.rank - 2, o.b.dims);
    gei_broadcast_merge(&f->batch);
    /* Matrices that all meet the same packed operand are one tall matrix. */
    if (p->packed && !o.transpose_a && f->batch.n_elems > 1 && gei_broadcast_step(&f->batch, 0) == 1 && f->batch.rank == 1) {
        f->m *= f->batch.n_elems;
        gei_broadcast_plan(&f->batch, 0, NULL);
        gei_broadcast_add(&f->batch, 0, NULL, 0, NULL);
        gei_broadcast_add(&f->batch, 0, NULL, 0, NULL);
        gei_broadcast_merge(&f->batch);
    }
    f->a_elems = f->m * f->k;
    f->b_elems = f->k * f->n;
    f->y_elems = f->m * f->n;
    f->panels = gei_sgemm_panels(p->isa, f->n);
    cut(f, p->isa, f->batch.n_elems);
    size_t panel_floats = p->packed ? 0 : (size_t)((f->panels + f->panel_parts - 1) / f->panel_parts * p->isa->nr) * (size_t)f->k;
    f->pack_a_offset = gei_round_up(panel_floats, 16);
    int64_t rows = (f->m + f->row_parts - 1) / f->row_parts;
    s->part_scratch_bytes = (f->pack_a_offset + (f->a_col != 1 ? (size_t)(rows * f->k) : 0)) * sizeof(float);
    int64_t n_parts = f->batch.n_elems * f->panel_parts * f->row_parts;
    s->n_parts = n_parts < 1 ? 1 : gei_parts(n_parts, 1);
    s->sized = f;
    s->cost = 2.0 * (double)f->m * (double)f->n * (double)f->k * (double)f->batch.n_elems;
    return GE_OK;
}

/* One cell: some rows and panels of one matrix, as a product of its own that begins there. */
static void run_cell(const gei_run *run, const fast_sized *f, const fast_prepared *p, int64_t cell, float *scratch) {
    int64_t per_matrix = (int64_t)f->panel_parts * f->row_parts, matrix = cell / per_matrix;
    int64_t panel_begin, panel_end, row_begin, row_end;
    gei_part_range(f->panels, f->panel_parts, (uint32_t)(cell % per_matrix % f->panel_parts), &panel_begin, &panel_end);
    gei_part_range(f->m, f->row_parts, (uint32_t)(cell % per_matrix / f->panel_parts), &row_begin, &row_end);
    if (panel_begin >= panel_end || row_begin >= row_end) return;
    gei_broadcast_walk w;
    (void)gei_broadcast_first(&w, &f->batch, matrix, matrix + 1);
    int64_t panels = panel_end - panel_begin, rows = row_end - row_begin, first = panel_begin * p->isa->nr;
    const float *a = f->k > 0 ? (const float *)run->in[SLOT_X1]->data + w.offset[0] * f->a_elems + row_begin * f->a_row : NULL;
    const gei_view *bias = run->n_in > SLOT_BIAS ? run->in[SLOT_BIAS] : NULL;
    gei_sgemm g = { .m = rows, .n = f->n - first, .k = f->k, .a = a, .a_row = f->a_row,
                    .bias = bias ? (const float *)bias->data + first : NULL,
                    .c = (float *)run->out[0]->data + matrix * f->y_elems + row_begin * f->n + first, .c_row = f->n,
                    .act = p->act, .lo = p->low, .hi = p->high };
    if (f->k == 0) {
        g.b = NULL; /* nothing to add up: bias and activation remain */
    } else if (p->packed) {
        g.b = p->packed + first * f->k;
    } else {
        const float *b = (const float *)run->in[SLOT_X2]->data + w.offset[1] * f->b_elems + first * f->b_col;
        gei_sgemm_pack(p->isa, b, f->b_row, f->b_col, f->k, g.n, 0, panels, scratch);
        g.b = scratch;
    }
    if (f->a_col != 1 && f->k > 0) {
        float *lines = scratch + f->pack_a_offset;
        for (int64_t i = 0; i < rows; i++)
            for (int64_t q = 0; q < f->k; q++) lines[i * f->k + q] = a[i * f->a_row + q * f->a_col];
        g.a = lines;
        g.a_row = f->k;
    }
    p->isa->run(&g, 0, rows, 0, panels);
}

ge_status gei_matmul_fast_run(const gei_run *run, uint32_t part) {
    const fast_sized *f = run->sized;
    const fast_prepared *p = run->prepared;
    float *scratch = (float *)run->scratch;
    int64_t begin, end;
    gei_part_range(f->batch.n_elems * f->panel_parts * f->row_parts, run->n_parts, part, &begin, &end);
    for (int64_t cell = begin; cell < end; cell++) run_cell(run, f, p, cell, scratch);
    return GE_OK;
}
