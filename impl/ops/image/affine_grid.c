/* SPDX-License-Identifier: Apache-2.0 */
/* AffineGrid: theta [N, n, n + 1] applied to the coordinates (-1 to 1, the last axis first) of a tensor of output_size [N, C, places...];
 * n is 2 or 3.  align_corners: -1 and 1 are the middles of the outer places, not their edges. */
#include "ops/blocks.h"
#include "ops/import.h"
#include "ops/rules.h"

enum { SLOT_THETA, SLOT_SIZE };

static ge_status infer_grid(gei_infer *i) {
    const gei_shape *theta = &i->in[SLOT_THETA]->shape, *size = &i->in[SLOT_SIZE]->shape;
    int64_t numbers[5];
    gei_dim dims[5];
    size_t count, minus_one;
    gei_words words, other;
    const gei_dtype_info *info = gei_dtype_get(i->in[SLOT_THETA]->dtype);
    i->out[0].dtype = i->in[SLOT_THETA]->dtype;
    if (i->out[0].dtype != GEI_UNDEFINED && (!info || info->kind != GEI_KIND_FLOAT || info->bits < 16))
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "theta", "data type %s is not supported", gei_dtype_name(i->out[0].dtype));
    GEI_TRY(gei_infer_rank(i, SLOT_THETA, 3, 3));
    GEI_TRY(gei_infer_rank(i, SLOT_SIZE, 1, 1));
    gei_dim entries = size->rank == 1 ? size->dims[0] : GEI_DIM_UNKNOWN;
    if (gei_dim_known(entries) && entries != 4 && entries != 5)
        return gei_infer_fail(i, GE_ERR_SHAPE, "output_size", "%lld entries, wanted 4 or 5", (long long)entries);
    if (!gei_dim_known(entries) && theta->rank == 3 && gei_dim_known(theta->dims[1])) entries = theta->dims[1] + 2;
    if (!gei_dim_known(entries)) return GE_OK;
    if (gei_infer_ints(i, SLOT_SIZE, numbers, 5, &count))
        for (size_t k = 0; k < count; k++)
            if (numbers[k] < 0)
                return gei_infer_fail(i, GE_ERR_SHAPE, "output_size", "%s: %lld is no size", gei_ints_words(numbers, count, &words), (long long)numbers[k]);
    bool some = gei_infer_dims(i, SLOT_SIZE, dims, 5, &count, &minus_one);
    gei_dim n = entries - 2;
    gei_shape wanted = gei_shape_of(3, (gei_dim[]){ some ? dims[0] : GEI_DIM_UNKNOWN, n, n + 1 });
    if (!gei_shape_fits(&wanted, theta))
        return gei_infer_fail(i, GE_ERR_SHAPE, "theta", "shape %s, wanted %s", gei_shape_words(theta, &words), gei_shape_words(&wanted, &other));
    if (n != 2 && n != 3) return gei_infer_fail(i, GE_ERR_SHAPE, "theta", "shape %s", gei_shape_words(theta, &words));
    gei_shape *y = &i->out[0].shape;
    y->rank = (int32_t)n + 2;
    y->dims[0] = some && dims[0] != GEI_DIM_UNKNOWN ? dims[0] : theta->rank == 3 ? theta->dims[0] : GEI_DIM_UNKNOWN;
    for (int32_t d = 0; d < (int32_t)n; d++) y->dims[d + 1] = some ? dims[d + 2] : GEI_DIM_UNKNOWN;
    y->dims[n + 1] = n;
    return GE_OK;
}

static ge_status size_grid(gei_sizing *s, gei_diag *diag) {
    const gei_shape *y = &s->out[0].shape;
    (void)diag;
    int64_t rows = gei_dim_product(y, 0, y->rank - 1);
    s->n_parts = gei_parts(rows, 1024);
    s->cost = 20.0 * (double)rows;
    return GE_OK;
}

static double coordinate(int64_t at, int64_t size, bool corners) {
    if (corners) return size > 1 ? -1 + 2 * (double)at / (double)(size - 1) : 0;
    return -1 + (2 * (double)at + 1) / (double)size;
}

static ge_status run_grid(const gei_run *run, uint32_t part) {
    const gei_view *theta = run->in[SLOT_THETA], *y = run->out[0];
    bool corners = gei_node_bool(run->node, "align_corners", false);
    int32_t n = y->rank - 2;
    int64_t begin, end;
    if (y->n_elems == 0) return GE_OK;
    gei_part_range(y->n_elems / n, run->n_parts, part, &begin, &end);
    for (int64_t row = begin; row < end; row++) {
        double at[4] = { 1, 1, 1, 1 }, matrix[12], result[3];
        int64_t rest = row;
        for (int32_t d = n; d >= 1; d--) {
            at[n - d] = coordinate(rest % y->dims[d], y->dims[d], corners);
            rest /= y->dims[d];
        }
        at[n] = 1;
        gei_load_f64(theta->dtype, theta->data, rest * n * (n + 1), n * (n + 1), matrix);
        for (int32_t r = 0; r < n; r++) {
            result[r] = 0;
            for (int32_t k = 0; k <= n; k++) result[r] += matrix[r * (n + 1) + k] * at[k];
        }
        gei_store_f64(y->dtype, result, y->data, row * n, n);
    }
    return GE_OK;
}

static const gei_kernel grid_kernels[] = { { .name = "ref", .size = size_grid, .run = run_grid }, { 0 } };
static const gei_attr_map grid_attrs[] = { { "align_corners", "align_corners", "0" }, { NULL, NULL, NULL } };
static const gei_source grid_sources[] = { { GEI_FROM_ONNX, "AffineGrid", 20, NULL, grid_attrs }, { 0 } };

GEI_OP(AffineGrid) = { .name = "AffineGrid", .infer = infer_grid, .kernels = grid_kernels, .sources = grid_sources, .traits = GEI_OP_PURE,
                       .needs_value = 1u << SLOT_SIZE };
GEI_WIDEN(AffineGrid, "theta y", "float");
GEI_WIDEN(AffineGrid, "output_size", "int64");
