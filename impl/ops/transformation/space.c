/* SPDX-License-Identifier: Apache-2.0 */
/* DepthToSpace and SpaceToDepth: blocks of block_size x block_size places become channels and back.
 *   DCR  channels are [block row, block column, depth]      CRD  [depth, block row, block column]
 * A permutation of x seen with six dims. */
#include <string.h>

#include "kernels/strided.h"
#include "ops/import.h"
#include "ops/moves.h"

typedef struct space {
    int64_t block;
    bool channels_last, crd, to_depth;
} space;

static ge_status read_space(const gei_node *node, bool to_depth, space *out, gei_diag *diag) {
    const char *format = gei_node_text(node, "data_format", "NHWC"), *mode = gei_node_text(node, "mode", "DCR");
    *out = (space){ gei_node_int(node, "block_size", 0), strcmp(format, "NHWC") == 0, strcmp(mode, "CRD") == 0, to_depth };
    if (out->block < 1 || out->block > 1 << 15)
        return gei_node_fail(node, diag, GE_ERR_BAD_ATTR, "block_size", "%lld is not within 1 and %d", (long long)out->block, 1 << 15);
    if (!out->channels_last && strcmp(format, "NCHW") != 0) return gei_node_fail(node, diag, GE_ERR_BAD_ATTR, "data_format", "'%s', wanted NHWC or NCHW", format);
    if (!out->crd && strcmp(mode, "DCR") != 0) return gei_node_fail(node, diag, GE_ERR_BAD_ATTR, "mode", "'%s', wanted DCR or CRD", mode);
    return GE_OK;
}

static ge_status divide(const gei_infer *i, const char *what, gei_dim size, int64_t by, gei_dim *out) {
    *out = by == 1 ? size : gei_dim_known(size) ? size / by : GEI_DIM_UNKNOWN;
    if (!gei_dim_known(size) || size % by == 0) return GE_OK;
    return gei_infer_fail(i, GE_ERR_SHAPE, "x", "%s %lld cannot be divided by %lld", what, (long long)size, (long long)by);
}

static ge_status infer_space(gei_infer *i, bool to_depth) {
    const gei_shape *x = &i->in[0]->shape;
    space s;
    i->out[0].dtype = i->in[0]->dtype;
    GEI_TRY(read_space(i->node, to_depth, &s, i->diag));
    GEI_TRY(gei_infer_rank(i, 0, 4, 4));
    if (x->rank < 0) return GE_OK;
    int32_t c = s.channels_last ? 3 : 1, h = s.channels_last ? 1 : 2;
    gei_shape y = *x;
    if (to_depth) {
        y.dims[c] = gei_dim_times(x->dims[c], s.block * s.block);
        GEI_TRY(divide(i, "height", x->dims[h], s.block, &y.dims[h]));
        GEI_TRY(divide(i, "width", x->dims[h + 1], s.block, &y.dims[h + 1]));
    } else {
        GEI_TRY(divide(i, "depth", x->dims[c], s.block * s.block, &y.dims[c]));
        y.dims[h] = gei_dim_times(x->dims[h], s.block);
        y.dims[h + 1] = gei_dim_times(x->dims[h + 1], s.block);
    }
    i->out[0].shape = y;
    return GE_OK;
}

static ge_status infer_to_space(gei_infer *i) { return infer_space(i, false); }
static ge_status infer_to_depth(gei_infer *i) { return infer_space(i, true); }

/* ---- reference kernel ---- */

typedef struct side { /* one tensor: strides by batch, depth, row, block row, column, block column */
    int64_t stride[6];
} side;

enum { BATCH, DEPTH, ROW, BLOCK_ROW, COLUMN, BLOCK_COLUMN, DIMS };

static side side_of(const int *order, const int64_t *sizes) {
    side s;
    int64_t stride = 1;
    for (int k = DIMS - 1; k >= 0; k--) {
        s.stride[order[k]] = stride;
        stride *= sizes[order[k]];
    }
    return s;
}

static ge_status size_space(gei_sizing *s, bool to_depth, gei_diag *diag) {
    static const int deep_first_dcr[] = { BATCH, BLOCK_ROW, BLOCK_COLUMN, DEPTH, ROW, COLUMN }, deep_first_crd[] = { BATCH, DEPTH, BLOCK_ROW, BLOCK_COLUMN, ROW, COLUMN },
                     deep_last_dcr[] = { BATCH, ROW, COLUMN, BLOCK_ROW, BLOCK_COLUMN, DEPTH }, deep_last_crd[] = { BATCH, ROW, COLUMN, DEPTH, BLOCK_ROW, BLOCK_COLUMN },
                     wide_first[] = { BATCH, DEPTH, ROW, BLOCK_ROW, COLUMN, BLOCK_COLUMN }, wide_last[] = { BATCH, ROW, BLOCK_ROW, COLUMN, BLOCK_COLUMN, DEPTH };
    space sp;
    gei_strided *copy = gei_arena_new(s->arena, gei_strided);
    if (!copy) return gei_out_of_memory(diag, sizeof *copy);
    GEI_TRY(read_space(s->node, to_depth, &sp, diag));
    const gei_shape *deep = to_depth ? &s->out[0].shape : &s->in[0]->shape, *wide = to_depth ? &s->in[0]->shape : &s->out[0].shape;
    int32_t h = sp.channels_last ? 1 : 2;
    int64_t sizes[DIMS] = { deep->dims[0], wide->dims[sp.channels_last ? 3 : 1], deep->dims[h], sp.block, deep->dims[h + 1], sp.block };
    const int *deep_order = sp.channels_last ? (sp.crd ? deep_last_crd : deep_last_dcr) : sp.crd ? deep_first_crd : deep_first_dcr;
    const int *wide_order = sp.channels_last ? wide_last : wide_first;
    side from = side_of(to_depth ? wide_order : deep_order, sizes);
    const int *to = to_depth ? deep_order : wide_order;
    copy->n_elems = 1;
    copy->elem_bytes = gei_moved_bytes(s->in[0]->dtype);
    for (int k = 0; k < DIMS; k++) gei_strided_add(copy, sizes[to[k]], from.stride[to[k]]);
    gei_strided_merge(copy);
    s->sized = copy;
    s->n_parts = gei_parts(copy->n_elems, 16384);
    s->cost = (double)copy->n_elems;
    return GE_OK;
}

static ge_status size_to_space(gei_sizing *s, gei_diag *diag) { return size_space(s, false, diag); }
static ge_status size_to_depth(gei_sizing *s, gei_diag *diag) { return size_space(s, true, diag); }

static ge_status run_strided(const gei_run *run, uint32_t part) {
    const gei_strided *copy = (const gei_strided *)run->sized;
    int64_t begin, end;
    gei_part_range(copy->n_elems, run->n_parts, part, &begin, &end);
    gei_strided_copy(copy, run->in[0]->data, run->out[0]->data, begin, end);
    return GE_OK;
}

static ge_status run_ref(const gei_run *run, uint32_t part) { return gei_run_moved(run, part, 1, run_strided); }

static const gei_kernel to_space_kernels[] = { { .name = "ref", .size = size_to_space, .run = run_ref }, { 0 } };
static const gei_kernel to_depth_kernels[] = { { .name = "ref", .size = size_to_depth, .run = run_ref }, { 0 } };

/* ---- ONNX: always NCHW; mode from opset 11 on ---- */

static ge_status map_space(gei_import *im, gei_diag *diag) {
    gei_node *node;
    if (!gei_import_has_attr(im, "blocksize")) return gei_import_fail(im, GE_ERR_BAD_ATTR, diag, "attribute blocksize is missing");
    GEI_TRY(gei_import_node(im, im->op->name, im->inputs, im->n_inputs, &node, diag));
    GEI_TRY(gei_import_set_int(node, "block_size", gei_import_int(im, "blocksize", 1), diag));
    GEI_TRY(gei_import_set_text(node, "data_format", "NCHW", diag));
    if (im->opset >= 11 && gei_import_has_attr(im, "mode")) GEI_TRY(gei_import_set_text(node, "mode", gei_import_text(im, "mode", "DCR"), diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

static const gei_source to_space_sources[] = { { GEI_FROM_ONNX, "DepthToSpace", 1, map_space, NULL }, { 0 } };
static const gei_source to_depth_sources[] = { { GEI_FROM_ONNX, "SpaceToDepth", 1, map_space, NULL }, { 0 } };

GEI_OP(DepthToSpace) = { .name = "DepthToSpace", .infer = infer_to_space, .kernels = to_space_kernels, .sources = to_space_sources,
                         .traits = GEI_OP_PURE | GEI_OP_MOVES, .moved = 1 };
GEI_OP(SpaceToDepth) = { .name = "SpaceToDepth", .infer = infer_to_depth, .kernels = to_depth_kernels, .sources = to_depth_sources,
                         .traits = GEI_OP_PURE | GEI_OP_MOVES, .moved = 1 };
GEI_WIDEN(DepthToSpace, "*", "any");
GEI_WIDEN(SpaceToDepth, "*", "any");
