/* SPDX-License-Identifier: Apache-2.0 */
/* ReverseSequence: of each batch entry the first seq_lengths[entry] slices of the sequence axis in reverse order. */
#include <string.h>

#include "ops/import.h"
#include "ops/moves.h"

enum { SLOT_X, SLOT_LENGTHS };

static ge_status read_axes(const gei_infer *i, int32_t rank, int32_t *sequence, int32_t *batch) {
    GEI_TRY(gei_infer_axis(i, "seq_dim", gei_node_int(i->node, "seq_dim", 0), rank, sequence));
    GEI_TRY(gei_infer_axis(i, "batch_dim", gei_node_int(i->node, "batch_dim", 0), rank, batch));
    if (*sequence != *batch) return GE_OK;
    return gei_infer_fail(i, GE_ERR_BAD_ATTR, "seq_dim", "%d is the batch axis too", (int)*sequence);
}

static ge_status infer_reverse(gei_infer *i) {
    const gei_shape *x = &i->in[SLOT_X]->shape;
    int32_t sequence, batch;
    int64_t n;
    i->out[0].dtype = i->in[SLOT_X]->dtype;
    i->out[0].shape = *x;
    GEI_TRY(gei_infer_rank(i, SLOT_LENGTHS, 1, 1));
    if (x->rank < 0) return GE_OK;
    GEI_TRY(gei_infer_rank(i, SLOT_X, 2, GEI_MAX_RANK));
    GEI_TRY(read_axes(i, x->rank, &sequence, &batch));
    if (gei_shape_elems(&i->in[SLOT_LENGTHS]->shape, &n) && gei_dim_known(x->dims[batch]) && n != x->dims[batch])
        return gei_infer_fail(i, GE_ERR_SHAPE, "seq_lengths", "%lld lengths for a batch of %lld", (long long)n, (long long)x->dims[batch]);
    return GE_OK;
}

/* x as [outer, first axis, between, second axis, inner]. */
typedef struct reverse {
    int64_t first, between, second, rows, sequence;
    int64_t inner;
    bool batch_first;
    size_t elem_bytes;
} reverse;

static ge_status size_reverse(gei_sizing *s, gei_diag *diag) {
    const gei_shape *x = &s->in[SLOT_X]->shape;
    gei_infer i = { .node = s->node, .in = s->in, .n_in = s->n_in, .diag = diag };
    int32_t sequence, batch;
    reverse *r = gei_arena_new(s->arena, reverse);
    if (!r) return gei_out_of_memory(diag, sizeof *r);
    GEI_TRY(read_axes(&i, x->rank, &sequence, &batch));
    int32_t low = sequence < batch ? sequence : batch, high = sequence < batch ? batch : sequence;
    *r = (reverse){ .first = x->dims[low], .between = gei_dim_product(x, low + 1, high), .second = x->dims[high], .sequence = x->dims[sequence],
                    .rows = gei_dim_product(x, 0, high + 1), .inner = gei_dim_product(x, high + 1, x->rank), .batch_first = batch < sequence,
                    .elem_bytes = gei_moved_bytes(s->in[SLOT_X]->dtype) };
    s->sized = r;
    s->n_parts = gei_parts(r->rows, r->inner < 16384 ? 16384 / (r->inner + 1) + 1 : 1);
    s->cost = (double)r->rows * (double)r->inner;
    return GE_OK;
}

static ge_status run_rows(const gei_run *run, uint32_t part) {
    const reverse *r = (const reverse *)run->sized;
    const gei_view *lengths = run->in[SLOT_LENGTHS];
    size_t bytes = (size_t)r->inner * r->elem_bytes;
    int64_t begin, end, step = r->batch_first ? 1 : r->between * r->second; /* rows between neighbours of the sequence */
    for (int64_t k = 0; k < lengths->n_elems; k++) {
        int64_t length = gei_view_i64(lengths, k);
        if (length < 0 || length > r->sequence)
            return gei_run_fail(run, part, "seq_lengths", "%lld is no length within %lld", (long long)length, (long long)r->sequence);
    }
    gei_part_range(r->rows, run->n_parts, part, &begin, &end);
    for (int64_t row = begin; row < end && bytes > 0; row++) {
        int64_t second = row % r->second, first = row / r->second / r->between % r->first;
        int64_t at = r->batch_first ? second : first, length = gei_view_i64(lengths, r->batch_first ? first : second);
        int64_t from = at < length ? row + (length - 1 - 2 * at) * step : row;
        memcpy((char *)run->out[0]->data + (size_t)row * bytes, (const char *)run->in[SLOT_X]->data + (size_t)from * bytes, bytes);
    }
    return GE_OK;
}

static ge_status run_ref(const gei_run *run, uint32_t part) { return gei_run_moved(run, part, 1u << SLOT_X, run_rows); }

static const gei_kernel reverse_kernels[] = { { .name = "ref", .size = size_reverse, .run = run_ref }, { 0 } };
static const gei_attr_map reverse_attrs[] = { { "time_axis", "seq_dim", "0" }, { "batch_axis", "batch_dim", "1" }, { NULL, NULL, NULL } };
static const gei_source reverse_sources[] = { { GEI_FROM_ONNX, "ReverseSequence", 10, NULL, reverse_attrs }, { 0 } };

GEI_OP(ReverseSequence) = { .name = "ReverseSequence", .infer = infer_reverse, .kernels = reverse_kernels, .sources = reverse_sources,
                            .traits = GEI_OP_PURE | GEI_OP_MOVES, .moved = 1u << SLOT_X };
GEI_WIDEN(ReverseSequence, "x y", "any");
