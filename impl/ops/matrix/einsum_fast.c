/* SPDX-License-Identifier: Apache-2.0 */
/* One label of each input's own makes the rows and columns of matrices, the summed one their inner dim; every other label of the result
 * counts matrices.  Operands are packed or copied while running, results that are not rows copied to their places. */
#include "ops/matrix/einsum_fast.h"

#include "ops/rules.h"
#include "ops/sgemm_isa.h"

#define PART_FLOPS 1e6 /* one part: enough to pay for its start */

typedef struct operand {
    uint32_t slot;
    int64_t own, inner;                 /* strides of its own label and of the summed one */
    int64_t batch[GEI_MAX_RANK];        /* strides of the other labels */
} operand;

typedef struct product {
    int32_t rank;                       /* other labels */
    int64_t matrices, m, n, k;
    int64_t dims[GEI_MAX_RANK], y_batch[GEI_MAX_RANK], y_row, y_col;
    operand a, b;
    size_t a_offset, y_offset;          /* in a part's scratch, floats; the packed operand comes first */
} product;

bool gei_einsum_fast_accepts(const gei_choice *c, gei_reason *why) {
    if (c->in[0]->dtype != GEI_FLOAT32) return gei_refuse(why, "data type is %s", gei_dtype_name(c->in[0]->dtype));
    return gei_einsum_is_product(c->node, c->n_in) || gei_refuse(why, "no product of matrices");
}

ge_status gei_einsum_fast_prepare(gei_prepare *p, gei_diag *diag) {
    const gei_sgemm_isa **isa = gei_arena_new(p->arena, const gei_sgemm_isa *);
    if (!isa) return gei_out_of_memory(diag, sizeof *isa);
    *isa = gei_sgemm_isa_for(p->choice->isa);
    p->prepared = isa;
    return GE_OK;
}

/* Last label of the result that only `slot` has.  A label of size 1 may look like one of neither input: it counts matrices. */
static int32_t own_label(const gei_einsum_plan *p, uint32_t slot) {
    for (int32_t d = p->n_out - 1; d >= 0; d--)
        if (p->strides[slot][d] != 0 && p->strides[1 - slot][d] == 0) return d;
    return -1;
}

static operand operand_of(const gei_einsum_plan *p, uint32_t slot, int32_t own) {
    return (operand){ .slot = slot, .own = own < 0 ? 0 : p->strides[slot][own], .inner = p->strides[slot][p->n_out] };
}

static void make_product(const gei_einsum_plan *p, product *out) {
    int32_t label[2] = { own_label(p, 0), own_label(p, 1) };
    uint32_t b = label[1] >= label[0] ? 1 : 0, a = 1 - b; /* columns are the later label: it is the one that may lie together */
    int64_t stride = 1;
    *out = (product){ .matrices = 1, .m = label[a] < 0 ? 1 : p->dims[label[a]], .n = label[b] < 0 ? 1 : p->dims[label[b]], .k = p->dims[p->n_out],
                      .y_row = 1, .y_col = 1, .a = operand_of(p, a, label[a]), .b = operand_of(p, b, label[b]) };
    for (int32_t d = p->n_out - 1; d >= 0; d--) {
        if (d == label[a]) out->y_row = stride;
        if (d == label[b]) out->y_col = stride;
        if (d != label[a] && d != label[b]) {
            int32_t at = out->rank++;
            out->dims[at] = p->dims[d];
            out->y_batch[at] = stride;
            out->a.batch[at] = p->strides[a][d];
            out->b.batch[at] = p->strides[b][d];
            out->matrices *= p->dims[d];
        }
        stride *= p->dims[d];
    }
}

ge_status gei_einsum_fast_size(gei_sizing *s, gei_diag *diag) {
    const gei_sgemm_isa *isa = *(const gei_sgemm_isa *const *)s->prepared;
    gei_einsum_plan *p = gei_arena_new(s->arena, gei_einsum_plan);
    product *f = gei_arena_new(s->arena, product);
    if (!p || !f) return gei_out_of_memory(diag, sizeof *p);
    GEI_TRY(gei_einsum_plan_make(s, p, diag));
    make_product(p, f);
    f->a_offset = gei_round_up((size_t)(gei_sgemm_panels(isa, f->n) * isa->nr) * (size_t)f->k, 16);
    f->y_offset = f->a_offset + gei_round_up(f->a.inner != 1 ? (size_t)(f->m * f->k) : 0, 16);
    s->part_scratch_bytes = (f->y_offset + (f->y_col != 1 ? (size_t)(f->m * f->n) : 0)) * sizeof(float);
    double flops = 2.0 * (double)f->m * (double)f->n * (double)f->k;
    s->sized = f;
    s->n_parts = gei_parts(f->matrices, flops > 0 && flops < PART_FLOPS ? (int64_t)(PART_FLOPS / flops) + 1 : 1);
    s->cost = flops * (double)f->matrices;
    return GE_OK;
}

typedef struct offsets {
    int64_t a, b, y;
} offsets;

static offsets matrix_at(const product *f, int64_t index) {
    offsets o = { 0, 0, 0 };
    for (int32_t d = 0; d < f->rank; d++) {
        int64_t at = index % f->dims[d];
        index /= f->dims[d];
        o.a += at * f->a.batch[d];
        o.b += at * f->b.batch[d];
        o.y += at * f->y_batch[d];
    }
    return o;
}

static void run_matrix(const product *f, const gei_sgemm_isa *isa, const float *a, float *y, float *scratch) {
    gei_sgemm g = { .m = f->m, .n = f->n, .k = f->k, .a = a, .a_row = f->a.own, .b = scratch, .c = y, .c_row = f->y_row };
    if (f->a.inner != 1 && f->k > 0) {
        float *rows = scratch + f->a_offset;
        for (int64_t i = 0; i < f->m; i++)
            for (int64_t q = 0; q < f->k; q++) rows[i * f->k + q] = a[i * f->a.own + q * f->a.inner];
        g.a = rows;
        g.a_row = f->k;
    }
    if (f->y_col != 1) {
        g.c = scratch + f->y_offset;
        g.c_row = f->n;
    }
    isa->run(&g, 0, f->m, 0, gei_sgemm_panels(isa, f->n));
    for (int64_t i = 0; f->y_col != 1 && i < f->m; i++)
        for (int64_t j = 0; j < f->n; j++) y[i * f->y_row + j * f->y_col] = g.c[i * f->n + j];
}

ge_status gei_einsum_fast_run(const gei_run *run, uint32_t part) {
    const product *f = (const product *)run->sized;
    const gei_sgemm_isa *isa = *(const gei_sgemm_isa *const *)run->prepared;
    const float *a = (const float *)run->in[f->a.slot]->data, *b = (const float *)run->in[f->b.slot]->data;
    float *y = (float *)run->out[0]->data, *scratch = (float *)run->scratch;
    int64_t begin, end, packed = -1; /* offset of the packed operand */
    if (f->m == 0 || f->n == 0) return GE_OK;
    gei_part_range(f->matrices, run->n_parts, part, &begin, &end);
    for (int64_t k = begin; k < end; k++) {
        offsets at = matrix_at(f, k);
        if (at.b != packed && f->k > 0) gei_sgemm_pack(isa, b + at.b, f->b.inner, f->b.own, f->k, f->n, 0, gei_sgemm_panels(isa, f->n), scratch);
        packed = at.b;
        run_matrix(f, isa, f->k > 0 ? a + at.a : scratch, y + at.y, scratch);
    }
    return GE_OK;
}
