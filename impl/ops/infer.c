/* SPDX-License-Identifier: Apache-2.0 */
/* What shape rules are written with, and the rules that many rows share. */
#include <stdarg.h>
#include <string.h>

#include "ops/rules.h"

/* ---- known contents ---- */

static bool is_integer(int32_t dtype) {
    const gei_dtype_info *info = gei_dtype_get(dtype);
    return info && (info->kind == GEI_KIND_INT || info->kind == GEI_KIND_UINT || info->kind == GEI_KIND_BOOL);
}

gei_elem gei_elem_number(int64_t number) { return (gei_elem){ .number = number, .symbol = -1, .known = 1 }; }

gei_elem gei_elem_dim(gei_dim dim) {
    if (gei_dim_known(dim)) return gei_elem_number(dim);
    return (gei_elem){ .symbol = gei_dim_is_symbol(dim) ? (int32_t)gei_dim_symbol_index(dim) : -1 };
}

bool gei_info_elem_count(const gei_info *info, size_t *out_count) {
    int64_t n;
    if (!info || !is_integer(info->dtype) || !gei_shape_elems(&info->shape, &n) || n > GEI_MAX_ELEMS) return false;
    if (info->tensor ? info->tensor->n_elems != n : info->elems && info->n_elems != (uint64_t)n) return false;
    *out_count = (size_t)n;
    return true;
}

gei_elem gei_info_elem(const gei_info *info, size_t index) {
    if (info->tensor) return gei_elem_number(gei_tensor_i64(info->tensor, (int64_t)index));
    return info->elems ? info->elems[index] : (gei_elem){ .symbol = -1 };
}

gei_elem *gei_infer_new_elems(gei_infer *i, uint32_t out, size_t count) {
    gei_elem *elems = gei_arena_array(i->arena, gei_elem, count + 1);
    if (!elems) return NULL;
    for (size_t k = 0; k < count; k++) elems[k].symbol = -1;
    i->out[out].elems = elems;
    i->out[out].n_elems = (uint32_t)count;
    return elems;
}

const gei_info *gei_infer_in(const gei_infer *i, uint32_t slot) { return slot < i->n_in ? i->in[slot] : NULL; }

bool gei_infer_ints(const gei_infer *i, uint32_t slot, int64_t *out, size_t cap, size_t *out_count) {
    const gei_info *in = gei_infer_in(i, slot);
    size_t count;
    if (!gei_info_elem_count(in, &count) || count > cap) return false;
    for (size_t k = 0; k < count; k++) {
        gei_elem e = gei_info_elem(in, k);
        if (!e.known) return false;
        out[k] = e.number;
    }
    *out_count = count;
    return true;
}

bool gei_infer_dims(const gei_infer *i, uint32_t slot, gei_dim *out, size_t cap, size_t *out_count, size_t *out_minus_one) {
    const gei_info *in = gei_infer_in(i, slot);
    size_t count;
    *out_minus_one = SIZE_MAX;
    if (!gei_info_elem_count(in, &count) || count > cap) return false;
    for (size_t k = 0; k < count; k++) {
        gei_elem e = gei_info_elem(in, k);
        if (e.known && e.number == -1) *out_minus_one = k;
        if (e.known) out[k] = e.number < 0 ? GEI_DIM_UNKNOWN : e.number;
        else out[k] = e.symbol >= 0 ? gei_dim_symbol((uint32_t)e.symbol) : GEI_DIM_UNKNOWN;
    }
    *out_count = count;
    return true;
}

bool gei_infer_f64(const gei_infer *i, uint32_t slot, double *out, size_t cap, size_t *out_count) {
    const gei_info *in = gei_infer_in(i, slot);
    if (!in || !in->tensor || in->tensor->dtype == GEI_STRING || (uint64_t)in->tensor->n_elems > cap) return false;
    for (int64_t k = 0; k < in->tensor->n_elems; k++) out[k] = gei_tensor_f64(in->tensor, k);
    *out_count = (size_t)in->tensor->n_elems;
    return true;
}

/* ---- errors ---- */

static ge_status fail_words(const gei_node *node, gei_diag *diag, ge_status status, const char *port, const char *format, va_list args) {
    char text[GEI_DIAG_MESSAGE_BYTES];
    (void)gei_format_text(text, sizeof text, format, args);
    (void)gei_fail(diag, status, "%s '%s': %s%s%s", node->def->name, node->name, port ? port : "", port ? ": " : "", text);
    gei_diag_node(diag, node->name);
    if (port && diag && !diag->argument[0]) gei_diag_argument(diag, port, -1);
    return status;
}

ge_status gei_infer_fail(const gei_infer *i, ge_status status, const char *port, const char *format, ...) {
    va_list args;
    va_start(args, format);
    (void)fail_words(i->node, i->diag, status, port, format, args);
    va_end(args);
    return status;
}

ge_status gei_node_fail(const gei_node *node, gei_diag *diag, ge_status status, const char *port, const char *format, ...) {
    va_list args;
    va_start(args, format);
    (void)fail_words(node, diag, status, port, format, args);
    va_end(args);
    return status;
}

ge_status gei_run_fail(const gei_run *run, uint32_t part, const char *port, const char *format, ...) {
    va_list args;
    va_start(args, format);
    if (part == 0) (void)fail_words(run->node, run->diag, GE_ERR_EXECUTION, port, format, args);
    va_end(args);
    return GE_ERR_EXECUTION;
}

ge_status gei_sizing_ints(const gei_sizing *s, uint32_t slot, int64_t *out, size_t cap, size_t *out_count, gei_diag *diag) {
    gei_infer i = { .node = s->node, .in = s->in, .n_in = s->n_in, .diag = diag };
    if (gei_infer_ints(&i, slot, out, cap, out_count)) return GE_OK;
    return gei_infer_fail(&i, GE_ERR_PLAN, gei_infer_port(&i, slot), "the contents are not known when the kernel is sized");
}

const char *gei_shape_words(const gei_shape *s, gei_words *to) {
    (void)gei_shape_text(s, NULL, to->text, sizeof to->text);
    return to->text;
}

const char *gei_ints_words(const int64_t *values, size_t count, gei_words *to) {
    size_t at = 0;
    to->text[at++] = '[';
    for (size_t k = 0; k < count && at < sizeof to->text - 24; k++) {
        if (k) to->text[at++] = ',';
        char digits[24];
        size_t n = 0;
        uint64_t v = values[k] < 0 ? UINT64_C(0) - (uint64_t)values[k] : (uint64_t)values[k];
        do digits[n++] = (char)('0' + v % 10);
        while ((v /= 10) != 0);
        if (values[k] < 0) digits[n++] = '-';
        while (n) to->text[at++] = digits[--n];
    }
    to->text[at++] = ']';
    to->text[at] = '\0';
    return to->text;
}

/* ---- checks ---- */

ge_status gei_infer_axis(const gei_infer *i, const char *what, int64_t axis, int32_t rank, int32_t *out_axis) {
    if (gei_axis(axis, rank, out_axis)) return GE_OK;
    gei_diag_found(i->diag, "%lld", (long long)axis);
    return gei_infer_fail(i, GE_ERR_SHAPE, what, "%lld is out of range for rank %d", (long long)axis, (int)rank);
}

ge_status gei_infer_axes(const gei_infer *i, const char *what, const int64_t *axes, size_t count, int32_t rank, uint32_t *out_mask) {
    *out_mask = 0;
    for (size_t k = 0; k < count; k++) {
        int32_t axis;
        GEI_TRY(gei_infer_axis(i, what, axes[k], rank, &axis));
        if (*out_mask >> axis & 1) {
            gei_words words;
            return gei_infer_fail(i, GE_ERR_SHAPE, what, "%s names axis %d twice", gei_ints_words(axes, count, &words), (int)axis);
        }
        *out_mask |= UINT32_C(1) << axis;
    }
    return GE_OK;
}

ge_status gei_infer_rank(const gei_infer *i, uint32_t slot, int32_t least, int32_t most) {
    const gei_info *in = gei_infer_in(i, slot);
    gei_words words;
    if (!in || in->shape.rank < 0 || (in->shape.rank >= least && in->shape.rank <= most)) return GE_OK;
    const char *port = gei_infer_port(i, slot);
    if (least == most)
        return gei_infer_fail(i, GE_ERR_RANK, port, "shape %s, wanted rank %d", gei_shape_words(&in->shape, &words), (int)least);
    return gei_infer_fail(i, GE_ERR_RANK, port, "shape %s, wanted rank %d to %d", gei_shape_words(&in->shape, &words),
                          (int)least, (int)most);
}

const char *gei_infer_port(const gei_infer *i, uint32_t slot) {
    return slot < i->node->n_ins ? i->node->def->inputs[i->node->ins[slot].port].name : NULL;
}

int32_t gei_infer_slot(const gei_infer *i, const char *port) {
    const gei_slot *slot = gei_node_slot_named(i->node, port);
    if (!slot) return -1;
    ptrdiff_t index = slot - i->node->ins;
    return (uint32_t)index < i->n_in && i->in[index] ? (int32_t)index : -1;
}

ge_status gei_infer_same_dtype(const gei_infer *i, uint32_t first, uint32_t count, int32_t *out_dtype) {
    *out_dtype = GEI_UNDEFINED;
    for (uint32_t k = first; k < first + count && k < i->n_in; k++) {
        if (!i->in[k] || i->in[k]->dtype == GEI_UNDEFINED) continue;
        if (*out_dtype == GEI_UNDEFINED) *out_dtype = i->in[k]->dtype;
        else if (i->in[k]->dtype != *out_dtype)
            return gei_infer_fail(i, GE_ERR_DTYPE, gei_infer_port(i, k), "%s, but an input before it is %s",
                                  gei_dtype_name(i->in[k]->dtype), gei_dtype_name(*out_dtype));
    }
    return GE_OK;
}

/* ---- dims ---- */

gei_dim gei_dim_times(gei_dim a, gei_dim b) {
    int64_t product;
    if (a == 1) return b;
    if (b == 1) return a;
    if (a == 0 || b == 0) return 0;
    return gei_dim_known(a) && gei_dim_known(b) && gei_mul_i64(a, b, &product) ? product : GEI_DIM_UNKNOWN;
}

gei_dim gei_dim_product(const gei_shape *s, int32_t begin, int32_t end) {
    gei_dim product = 1;
    for (int32_t k = begin; k < end; k++) product = gei_dim_times(product, s->dims[k]);
    return product;
}

gei_dim gei_dim_plus(gei_dim a, gei_dim b) {
    int64_t sum;
    if (a == 0) return b;
    if (b == 0) return a;
    return gei_dim_known(a) && gei_dim_known(b) && gei_add_i64(a, b, &sum) ? sum : GEI_DIM_UNKNOWN;
}

/* ---- broadcasting ---- */

/* False when the two cannot be broadcast.  A known dim other than 1 wins over one that is not known: it must be 1 or equal in the run. */
static bool broadcast_dim(gei_dim a, gei_dim b, gei_dim *out) {
    if (gei_dim_same(a, b) || b == 1) *out = a;
    else if (a == 1) *out = b;
    else if (gei_dim_known(a) && gei_dim_known(b)) return false;
    else if (gei_dim_known(a)) *out = a;
    else if (gei_dim_known(b)) *out = b;
    else *out = GEI_DIM_UNKNOWN;
    return true;
}

ge_status gei_infer_broadcast(const gei_infer *i, const gei_shape *const *shapes, size_t count, gei_shape *out) {
    gei_shape r = gei_shape_scalar();
    *out = gei_shape_unknown();
    for (size_t k = 0; k < count; k++) {
        if (shapes[k]->rank < 0) return GE_OK;
        if (shapes[k]->rank > r.rank) r.rank = shapes[k]->rank;
    }
    for (int32_t d = 0; d < r.rank; d++) r.dims[d] = 1;
    for (size_t k = 0; k < count; k++) {
        int32_t lead = r.rank - shapes[k]->rank;
        for (int32_t d = 0; d < shapes[k]->rank; d++) {
            gei_dim have = r.dims[lead + d], more = shapes[k]->dims[d];
            if (broadcast_dim(have, more, &r.dims[lead + d])) continue;
            gei_words a, b;
            return gei_infer_fail(i, GE_ERR_SHAPE, NULL, "cannot broadcast %s with %s: %lld and %lld in axis %d from the end",
                                  gei_shape_words(shapes[0], &a), gei_shape_words(shapes[k], &b), (long long)have, (long long)more,
                                  (int)(shapes[k]->rank - d));
        }
    }
    *out = r;
    return GE_OK;
}

/* ---- rules ---- */

ge_status gei_infer_like_x(gei_infer *i) {
    for (uint32_t k = 0; k < i->n_out; k++) {
        i->out[k].dtype = i->in[0]->dtype;
        i->out[k].shape = i->in[0]->shape;
    }
    return GE_OK;
}

ge_status gei_infer_broadcast_all(gei_infer *i) {
    const gei_shape *shapes[GEI_MAX_BROADCAST];
    size_t count = 0;
    GEI_TRY(gei_infer_same_dtype(i, 0, i->n_in, &i->out[0].dtype));
    if (i->n_in > GEI_MAX_BROADCAST)
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED, NULL, "%u inputs, at most %d can be broadcast", i->n_in, GEI_MAX_BROADCAST);
    for (uint32_t k = 0; k < i->n_in; k++)
        if (i->in[k]) shapes[count++] = &i->in[k]->shape;
    return gei_infer_broadcast(i, shapes, count, &i->out[0].shape);
}

ge_status gei_infer_broadcast_bool(gei_infer *i) {
    GEI_TRY(gei_infer_broadcast_all(i));
    i->out[0].dtype = GEI_BOOL;
    return GE_OK;
}
