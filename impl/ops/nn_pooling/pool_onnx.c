/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/nn_pooling/pool_onnx.h"

#include <string.h>

ge_status gei_read_ge_pool(const gei_node *node, int32_t rank, gei_pool_attrs *a, gei_diag *diag) {
    gei_int_list ksize = gei_node_ints(node, "ksize");
    gei_words words;
    if (rank < 0) rank = (int32_t)ksize.count + 2;
    if (ksize.count != (size_t)rank - 2)
        return gei_node_fail(node, diag, GE_ERR_BAD_ATTR, "ksize", "%s has %zu entries, wanted %d: one for each spatial dim",
                             gei_ints_words(ksize.data, ksize.count, &words), ksize.count, (int)rank - 2);
    a->layout = (gei_layout){ rank - 2, 1, 2 };
    a->window.n = rank - 2;
    a->window.ceil = gei_node_bool(node, "ceil_mode", false);
    GEI_TRY(gei_read_spatial(node, "ksize", &a->layout, a->window.kernel, diag));
    GEI_TRY(gei_read_spatial(node, "strides", &a->layout, a->window.stride, diag));
    GEI_TRY(gei_read_spatial(node, "dilations", &a->layout, a->window.dilation, diag));
    GEI_TRY(gei_read_pads(node, "pads", &a->layout, &a->window, diag));
    return gei_read_auto_pad(node, "auto_pad", &a->window.auto_pad, diag);
}

typedef struct foreign {
    gei_int_list kernel, strides, dilations, pads;
    const char *auto_pad;
    bool dilated, indices;
} foreign;

static ge_status read_foreign(const gei_import *im, foreign *f, gei_diag *diag) {
    *f = (foreign){ gei_import_ints(im, "kernel_shape"), gei_import_ints(im, "strides"), gei_import_ints(im, "dilations"),
                    gei_import_ints(im, "pads"), gei_import_text(im, "auto_pad", "NOTSET"), false, false };
    size_t n = f->kernel.count;
    if (n < 1 || n > GEI_WINDOW_DIMS)
        return gei_import_fail(im, GE_ERR_UNSUPPORTED, diag, "kernel_shape has %zu entries, 1 to %d are supported", n, GEI_WINDOW_DIMS);
    if ((f->strides.count && f->strides.count != n) || (f->dilations.count && f->dilations.count != n) ||
        (f->pads.count && f->pads.count != 2 * n))
        return gei_import_fail(im, GE_ERR_BAD_ATTR, diag, "kernel_shape has %zu entries, strides %zu, dilations %zu, pads %zu", n,
                               f->strides.count, f->dilations.count, f->pads.count);
    for (size_t d = 0; d < f->dilations.count; d++) f->dilated = f->dilated || f->dilations.data[d] != 1;
    f->indices = im->n_outputs > 1 && im->output_names && im->output_names[1] && *im->output_names[1];
    return GE_OK;
}

static ge_status set_list(gei_node *node, const char *name, gei_int_list list, size_t n, size_t n_ones, gei_diag *diag) {
    int64_t values[GEI_WINDOW_DIMS + 2];
    size_t count = 0;
    while (count < n_ones) values[count++] = 1;
    for (size_t d = 0; d < n; d++) values[count++] = list.count ? list.data[d] : 1;
    return gei_import_set_ints(node, name, values, count, diag);
}

static ge_status set_pads(gei_node *node, const foreign *f, gei_diag *diag) {
    size_t n = f->kernel.count;
    int64_t values[GEI_WINDOW_DIMS * 2] = { 0 };
    for (size_t d = 0; d < n && f->pads.count; d++) {
        values[2 * d] = f->pads.data[d];
        values[2 * d + 1] = f->pads.data[n + d];
    }
    return gei_import_set_ints(node, "pads", values, 2 * n, diag);
}

static ge_status set_plain(const gei_import *im, gei_node *node, const foreign *f, bool is_mean, gei_diag *diag) {
    const char *mode = strcmp(f->auto_pad, "SAME_UPPER") == 0 ? "SAME" : strcmp(f->auto_pad, "VALID") == 0 ? "VALID" : "CALCULATED";
    GEI_TRY(set_list(node, "ksize", f->kernel, 2, 2, diag));
    GEI_TRY(set_list(node, "strides", f->strides, 2, 2, diag));
    GEI_TRY(gei_import_set_text(node, "padding_mode", mode, diag));
    GEI_TRY(gei_import_set_text(node, "data_format", "NCHW", diag));
    return is_mean ? gei_import_set_bool(node, "exclusive", gei_import_int(im, "count_include_pad", 0) == 0, diag) : GE_OK;
}

static ge_status set_full(const gei_import *im, gei_node *node, const foreign *f, bool is_mean, gei_diag *diag) {
    GEI_TRY(set_list(node, "ksize", f->kernel, f->kernel.count, 0, diag));
    GEI_TRY(set_list(node, "strides", f->strides, f->kernel.count, 0, diag));
    GEI_TRY(set_list(node, "dilations", f->dilations, f->kernel.count, 0, diag));
    GEI_TRY(gei_import_set_text(node, "auto_pad", f->auto_pad, diag));
    if (is_mean) return gei_import_set_bool(node, "count_include_pad", gei_import_int(im, "count_include_pad", 0) != 0, diag);
    if (!gei_def_attr(node->def, "storage_order")) return GE_OK;
    return gei_import_set_int(node, "storage_order", gei_import_int(im, "storage_order", 0), diag);
}

ge_status gei_map_pool(gei_import *im, const char *plain, const char *full, gei_diag *diag) {
    bool is_mean = strcmp(im->type, "AveragePool") == 0;
    foreign f;
    gei_node *node;
    gei_value x = gei_import_input(im, 0);
    GEI_TRY(read_foreign(im, &f, diag));
    bool is_plain = plain && f.kernel.count == 2 && !f.dilated && !f.indices && strcmp(f.auto_pad, "SAME_LOWER") != 0;
    GEI_TRY(gei_import_node(im, is_plain ? plain : full, &x, 1, &node, diag));
    GEI_TRY(is_plain ? set_plain(im, node, &f, is_mean, diag) : set_full(im, node, &f, is_mean, diag));
    GEI_TRY(set_pads(node, &f, diag));
    GEI_TRY(gei_import_set_bool(node, "ceil_mode", gei_import_int(im, "ceil_mode", 0) != 0, diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    if (f.indices) gei_import_set_output(im, 1, gei_value_of(node, 1));
    return GE_OK;
}
