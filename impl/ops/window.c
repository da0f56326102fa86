/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/window.h"

#include <string.h>

ge_status gei_read_layout(const gei_node *node, const char *absent, int32_t n_spatial, gei_layout *out, gei_diag *diag) {
    const char *text = gei_node_text(node, "data_format", absent);
    size_t size = strlen(text);
    bool first = strcmp(text, "ND") == 0 || (size >= 2 && text[0] == 'N' && text[1] == 'C');
    bool last = size >= 2 && text[0] == 'N' && text[size - 1] == 'C';
    if (!first && !last)
        return gei_node_fail(node, diag, GE_ERR_BAD_ATTR, "data_format", "'%s' is neither channels first nor channels last", text);
    *out = (gei_layout){ n_spatial, first ? 1 : n_spatial + 1, first ? 2 : 1 };
    return GE_OK;
}

ge_status gei_read_spatial(const gei_node *node, const char *name, const gei_layout *layout, int64_t *out, gei_diag *diag) {
    gei_int_list list = gei_node_ints(node, name);
    gei_words words;
    size_t from = list.count == (size_t)layout->n + 2 ? (size_t)layout->spatial : 0;
    for (int32_t d = 0; d < layout->n; d++) out[d] = 1;
    if (list.count == 0) return GE_OK;
    if (list.count != 1 && list.count != (size_t)layout->n && list.count != (size_t)layout->n + 2)
        return gei_node_fail(node, diag, GE_ERR_BAD_ATTR, name, "%s has %zu entries, wanted %d or %d",
                             gei_ints_words(list.data, list.count, &words), list.count, (int)layout->n, (int)layout->n + 2);
    for (int32_t d = 0; d < layout->n; d++) {
        out[d] = list.data[list.count == 1 ? 0 : from + (size_t)d];
        if (out[d] < 1 || out[d] > INT32_MAX)
            return gei_node_fail(node, diag, GE_ERR_BAD_ATTR, name, "%s: %lld is not within 1 and %d",
                                 gei_ints_words(list.data, list.count, &words), (long long)out[d], INT32_MAX);
    }
    return GE_OK;
}

ge_status gei_read_pads(const gei_node *node, const char *name, const gei_layout *layout, gei_window_attrs *w, gei_diag *diag) {
    gei_int_list list = gei_node_ints(node, name);
    gei_words words;
    if (list.count != 0 && list.count != (size_t)layout->n * 2 && list.count != 1)
        return gei_node_fail(node, diag, GE_ERR_BAD_ATTR, name, "%s has %zu entries, wanted %d",
                             gei_ints_words(list.data, list.count, &words), list.count, (int)layout->n * 2);
    for (size_t k = 0; k < (size_t)layout->n * 2; k++) {
        int64_t pad = list.count == 0 ? 0 : list.data[list.count == 1 ? 0 : k];
        if (pad < 0 || pad > INT32_MAX)
            return gei_node_fail(node, diag, GE_ERR_BAD_ATTR, name, "%s: %lld is not within 0 and %d",
                                 gei_ints_words(list.data, list.count, &words), (long long)pad, INT32_MAX);
        (k % 2 ? w->pad_end : w->pad_begin)[k / 2] = pad;
    }
    return GE_OK;
}

ge_status gei_read_auto_pad(const gei_node *node, const char *name, gei_auto_pad *out, gei_diag *diag) {
    static const struct {
        const char *text;
        gei_auto_pad pad;
    } all[] = { { "NOTSET", GEI_PAD_GIVEN },    { "SPECIFIC", GEI_PAD_GIVEN },        { "CALCULATED", GEI_PAD_GIVEN },
                { "EXPLICIT", GEI_PAD_GIVEN },  { "", GEI_PAD_GIVEN },                { "VALID", GEI_PAD_VALID },
                { "SAME", GEI_PAD_SAME_UPPER }, { "SAME_UPPER", GEI_PAD_SAME_UPPER }, { "SAME_LOWER", GEI_PAD_SAME_LOWER } };
    const char *text = gei_node_text(node, name, "");
    for (size_t k = 0; k < GEI_COUNT(all); k++) {
        if (strcmp(text, all[k].text) != 0) continue;
        *out = all[k].pad;
        return GE_OK;
    }
    return gei_node_fail(node, diag, GE_ERR_BAD_ATTR, name, "unknown value '%s'", text);
}

/* Reach of a kernel of n taps; the factors are below 2^31. */
static int64_t reach(const gei_window_attrs *w, int32_t d) { return (w->kernel[d] - 1) * w->dilation[d] + 1; }

static bool is_same(const gei_window_attrs *w) { return w->auto_pad == GEI_PAD_SAME_UPPER || w->auto_pad == GEI_PAD_SAME_LOWER; }

static void pads_of(const gei_window_attrs *w, int32_t d, int64_t in, int64_t out, int64_t *begin, int64_t *end) {
    *begin = w->auto_pad == GEI_PAD_GIVEN ? w->pad_begin[d] : 0;
    *end = w->auto_pad == GEI_PAD_GIVEN ? w->pad_end[d] : 0;
    if (!is_same(w) || out == 0) return;
    int64_t total = (out - 1) * w->stride[d] + reach(w, d) - in; /* (out - 1) * stride is less than in */
    if (total < 0) total = 0;
    *begin = w->auto_pad == GEI_PAD_SAME_UPPER ? total / 2 : total - total / 2;
    *end = total - *begin;
}

/* A window that moves by one over an unknown size and loses nothing keeps the size, whatever it is. */
static bool keeps_size(const gei_window_attrs *w, int32_t d) {
    int64_t begin, end;
    if (w->stride[d] != 1) return false;
    if (is_same(w)) return true;
    pads_of(w, d, 0, 0, &begin, &end);
    return begin + end + 1 == reach(w, d);
}

ge_status gei_window_out_dim(const gei_node *node, const gei_window_attrs *w, int32_t d, gei_dim in, gei_dim *out, gei_diag *diag) {
    int64_t begin, end, room, stride = w->stride[d];
    if (!gei_dim_known(in)) {
        *out = keeps_size(w, d) ? in : GEI_DIM_UNKNOWN;
        return GE_OK;
    }
    if (is_same(w)) {
        *out = in / stride + (in % stride != 0);
        return GE_OK;
    }
    pads_of(w, d, in, 0, &begin, &end);
    if (!gei_add_i64(in, begin + end, &room))
        return gei_node_fail(node, diag, GE_ERR_SHAPE, NULL, "size %lld with pads %lld and %lld does not fit 64 bits", (long long)in,
                             (long long)begin, (long long)end);
    room -= reach(w, d);
    if (room < 0)
        return gei_node_fail(node, diag, GE_ERR_SHAPE, NULL,
                             "kernel %lld with dilation %lld does not fit into size %lld with pads %lld and %lld",
                             (long long)w->kernel[d], (long long)w->dilation[d], (long long)in, (long long)begin, (long long)end);
    *out = room / stride + 1;
    if (w->ceil && room % stride != 0 && *out * stride < in + begin) *out += 1;
    return GE_OK;
}

void gei_window_fill(const gei_window_attrs *w, const int64_t *in, const int64_t *out, gei_window *to) {
    int32_t lead = GEI_WINDOW_DIMS - w->n;
    for (int32_t d = 0; d < GEI_WINDOW_DIMS; d++) {
        int32_t from = d - lead;
        to->in[d] = from < 0 ? 1 : in[from];
        to->out[d] = from < 0 ? 1 : out[from];
        to->kernel[d] = from < 0 ? 1 : w->kernel[from];
        to->stride[d] = from < 0 ? 1 : w->stride[from];
        to->dilation[d] = from < 0 ? 1 : w->dilation[from];
        to->pad_begin[d] = to->pad_end[d] = 0;
        if (from >= 0) pads_of(w, from, in[from], out[from], &to->pad_begin[d], &to->pad_end[d]);
    }
}

void gei_layout_strides(const gei_layout *layout, const int64_t *dims, int64_t *batch, int64_t *channel, int64_t *spatial) {
    int64_t stride = 1;
    for (int32_t d = 0; d < GEI_WINDOW_DIMS; d++) spatial[d] = 0;
    for (int32_t axis = layout->n + 1; axis >= 0; axis--) {
        if (axis == 0) *batch = stride;
        else if (axis == layout->channel) *channel = stride;
        else spatial[GEI_WINDOW_DIMS - layout->n + axis - layout->spatial] = stride;
        stride *= dims[axis];
    }
}
