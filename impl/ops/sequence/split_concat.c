/* SPDX-License-Identifier: Apache-2.0 */
/* SplitToSequence and ConcatFromSequence: pieces of a tensor along an axis, and back. */
#include <string.h>

#include "ops/bundles.h"
#include "ops/import.h"
#include "ops/rules.h"
#include "ops/texts.h"

#define MOST_PIECES (1 << 24)

static ge_status check_dtype(const gei_infer *i, const char *port, int32_t dtype) {
    const gei_dtype_info *info = gei_dtype_get(dtype);
    bool can_move = dtype == GEI_UNDEFINED || dtype == GEI_STRING || (info && info->bits > 0 && info->bits % 8 == 0);
    return can_move ? GE_OK : gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, port, "data type %s is not supported", gei_dtype_name(dtype));
}

static int64_t product(const int64_t *dims, int32_t begin, int32_t end) {
    int64_t p = 1;
    for (int32_t d = begin; d < end; d++) p *= dims[d];
    return p;
}

/* ---- SplitToSequence ---- */

static ge_status infer_split(gei_infer *i) {
    const gei_info *x = i->in[0], *split = i->n_in > 1 ? i->in[1] : NULL;
    int32_t axis;
    GEI_TRY(check_dtype(i, gei_infer_port(i, 0), x->dtype));
    if (x->shape.rank >= 0) GEI_TRY(gei_infer_axis(i, "axis", gei_node_int(i->node, "axis", 0), x->shape.rank, &axis));
    if (split && split->dtype != GEI_INT32 && split->dtype != GEI_INT64 && split->dtype != GEI_UNDEFINED)
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, gei_infer_port(i, 1), "it is %s, wanted int32 or int64", gei_dtype_name(split->dtype));
    if (split) GEI_TRY(gei_infer_rank(i, 1, 0, 1));
    i->out[0].dtype = gei_dtype_sequence(x->dtype);
    i->out[0].shape = gei_shape_scalar();
    return GE_OK;
}

typedef struct splitting {
    const gei_view *x, *split;
    int32_t axis;
    bool keeps_dim;
    int64_t outer, dim, inner, n_pieces, chunk; /* chunk: size of all pieces but the last, -1: told by split */
} splitting;

static ge_status check_sizes(const gei_run *run, const splitting *s) {
    int64_t sum = 0;
    for (int64_t k = 0; k < s->n_pieces; k++) {
        int64_t size = gei_view_i64(s->split, k);
        if (size < 0 || !gei_add_i64(sum, size, &sum)) return gei_run_fail(run, 0, "split", "a piece of %lld", (long long)size);
    }
    return sum == s->dim ? GE_OK : gei_run_fail(run, 0, "split", "its pieces add up to %lld, the dim is %lld", (long long)sum, (long long)s->dim);
}

static ge_status read_splitting(const gei_run *run, splitting *s) {
    *s = (splitting){ .x = run->in[0], .split = run->n_in > 1 ? run->in[1] : NULL, .chunk = 1 };
    if (!gei_axis(gei_node_int(run->node, "axis", 0), s->x->rank, &s->axis)) return gei_run_fail(run, 0, "axis", "it is out of range");
    s->outer = product(s->x->dims, 0, s->axis);
    s->dim = s->x->dims[s->axis];
    s->inner = product(s->x->dims, s->axis + 1, s->x->rank);
    s->keeps_dim = s->split || gei_node_bool(run->node, "keepdims", true);
    if (s->split && s->split->rank == 1) {
        s->chunk = -1;
        s->n_pieces = s->split->n_elems;
        return check_sizes(run, s);
    }
    if (s->split) s->chunk = gei_view_i64(s->split, 0);
    if (s->chunk <= 0) return gei_run_fail(run, 0, "split", "pieces of %lld", (long long)s->chunk);
    s->n_pieces = s->dim / s->chunk + (s->dim % s->chunk != 0);
    if (s->n_pieces > MOST_PIECES) return gei_run_fail(run, 0, "split", "%lld pieces, at most %d", (long long)s->n_pieces, MOST_PIECES);
    return GE_OK;
}

static int64_t piece_size(const splitting *s, int64_t k) {
    if (s->chunk < 0) return gei_view_i64(s->split, k);
    int64_t left = s->dim - k * s->chunk;
    return left < s->chunk ? left : s->chunk;
}

/* Element of x that element `index` of the piece at [begin, begin + size) is. */
static int64_t source_of(const splitting *s, int64_t begin, int64_t size, int64_t index) {
    int64_t row = size * s->inner;
    return index / row * s->dim * s->inner + begin * s->inner + index % row;
}

static gei_bundle_item describe_piece(const splitting *s, int64_t begin, int64_t size) {
    gei_bundle_item item = { .dtype = s->x->dtype, .rank = s->keeps_dim ? s->x->rank : s->x->rank - 1, .n_elems = s->outer * size * s->inner };
    size_t bytes = 0;
    for (int32_t d = 0, to = 0; d < s->x->rank; d++)
        if (d != s->axis || s->keeps_dim) item.dims[to++] = d == s->axis ? size : s->x->dims[d];
    if (s->x->dtype != GEI_STRING) {
        (void)gei_dtype_bytes(item.dtype, (uint64_t)item.n_elems, &bytes); /* no more than x has */
    } else {
        bytes = ((size_t)item.n_elems + 1) * sizeof(uint64_t);
        for (int64_t e = 0; e < item.n_elems; e++) bytes += gei_text_at(s->x, source_of(s, begin, size, e)).size;
    }
    item.size_bytes = bytes;
    return item;
}

static void write_texts(const splitting *s, int64_t begin, int64_t size, int64_t n_elems, char *to) {
    uint64_t at = 0;
    char *bytes = to + ((size_t)n_elems + 1) * sizeof at;
    for (int64_t e = 0; e < n_elems; e++) {
        gei_text text = gei_text_at(s->x, source_of(s, begin, size, e));
        memcpy(to + (size_t)e * sizeof at, &at, sizeof at);
        if (text.size > 0) memcpy(bytes + at, text.data, text.size);
        at += text.size;
    }
    memcpy(to + (size_t)n_elems * sizeof at, &at, sizeof at);
}

static void write_piece(const splitting *s, int64_t begin, int64_t size, int64_t n_elems, char *to) {
    if (s->x->dtype == GEI_STRING) {
        write_texts(s, begin, size, n_elems, to);
        return;
    }
    size_t elem_bytes = gei_dtype_get(s->x->dtype)->bits / 8, bytes = (size_t)(size * s->inner) * elem_bytes;
    const char *from = (const char *)s->x->data + (size_t)(begin * s->inner) * elem_bytes;
    for (int64_t o = 0; bytes > 0 && o < s->outer; o++)
        memcpy(to + (size_t)o * bytes, from + (size_t)(o * s->dim * s->inner) * elem_bytes, bytes);
}

static ge_status run_split(const gei_run *run, uint32_t part) {
    splitting s;
    size_t list_bytes;
    void *bundle;
    (void)part;
    GEI_TRY(read_splitting(run, &s));
    if (!gei_mul((size_t)s.n_pieces + 1, sizeof(gei_bundle_item), &list_bytes)) return gei_out_of_memory(run->diag, SIZE_MAX);
    gei_bundle_item *list = (gei_bundle_item *)gei_alloc(run->heap, list_bytes, _Alignof(gei_bundle_item));
    if (!list) return gei_out_of_memory(run->diag, list_bytes);
    for (int64_t k = 0, at = 0; k < s.n_pieces; at += piece_size(&s, k), k++) list[k] = describe_piece(&s, at, piece_size(&s, k));
    ge_status status = gei_run_start_bundle(run, 0, list, (size_t)s.n_pieces, &bundle);
    for (int64_t k = 0, at = 0; status == GE_OK && k < s.n_pieces; at += piece_size(&s, k), k++)
        write_piece(&s, at, piece_size(&s, k), list[k].n_elems, (char *)gei_bundle_data(bundle, (size_t)k));
    gei_free(run->heap, list, list_bytes, _Alignof(gei_bundle_item));
    return status;
}

/* ---- ConcatFromSequence ---- */

static ge_status infer_concat(gei_infer *i) {
    int32_t item;
    int64_t is_new = gei_node_int(i->node, "new_axis", 0);
    GEI_TRY(gei_check_sequence(i, 0, &item));
    GEI_TRY(check_dtype(i, gei_infer_port(i, 0), item));
    if (is_new != 0 && is_new != 1) return gei_infer_fail(i, GE_ERR_BAD_ATTR, "new_axis", "it is %lld, neither 0 nor 1", (long long)is_new);
    i->out[0].dtype = item;
    return GE_OK;
}

typedef struct joining {
    const gei_view *from;
    int64_t outer, dim, inner; /* of the result */
} joining;

static ge_status shape_of(const gei_run *run, bool is_new, int32_t *out_axis, gei_view *y) {
    size_t n = gei_bundle_count(run->in[0]->data);
    if (n == 0) return gei_run_fail(run, 0, "handle", "it is empty");
    const gei_bundle_item *first = gei_bundle_at(run->in[0]->data, 0);
    int32_t rank = first->rank + is_new, axis;
    if (rank > GEI_MAX_RANK || !gei_axis(gei_node_int(run->node, "axis", 0), rank, &axis))
        return gei_run_fail(run, 0, "axis", "%lld is out of range for rank %d", (long long)gei_node_int(run->node, "axis", 0), (int)rank);
    y->rank = rank;
    y->dims[axis] = is_new ? (int64_t)n : 0;
    for (size_t k = 0; k < n; k++) {
        const gei_bundle_item *item = gei_bundle_at(run->in[0]->data, k);
        bool fits = item->rank == first->rank && item->dtype == first->dtype;
        for (int32_t d = 0; fits && d < item->rank; d++) fits = item->dims[d] == first->dims[d] || (!is_new && d == axis);
        if (!fits) return gei_run_fail(run, 0, "handle", "item %zu does not fit the first one", k);
        if (!is_new && !gei_add_i64(y->dims[axis], item->dims[axis], &y->dims[axis])) return gei_out_of_memory(run->diag, SIZE_MAX);
    }
    for (int32_t d = 0; d < rank; d++)
        if (d != axis) y->dims[d] = first->dims[d - (is_new && d > axis)];
    *out_axis = axis;
    gei_shape shape = gei_shape_of(rank, y->dims);
    return gei_shape_elems(&shape, &y->n_elems) ? GE_OK : gei_out_of_memory(run->diag, SIZE_MAX);
}

/* Text `index` of the result. */
static gei_text joined_text(const void *user, int64_t index) {
    const joining *j = (const joining *)user;
    int64_t in_row = index % (j->dim * j->inner), outer = index / (j->dim * j->inner), at = in_row / j->inner;
    for (size_t k = 0;; k++) {
        gei_view item = gei_bundle_view(j->from, k);
        int64_t dim = item.n_elems / (j->outer * j->inner);
        if (at < dim) return gei_text_at(&item, (outer * dim + at) * j->inner + in_row % j->inner);
        at -= dim;
    }
}

static void write_items(const joining *j, size_t elem_bytes, char *to) {
    size_t row = (size_t)(j->dim * j->inner) * elem_bytes, at = 0;
    for (size_t k = 0; k < gei_bundle_count(j->from->data); k++) {
        const gei_bundle_item *item = gei_bundle_at(j->from->data, k);
        size_t bytes = (size_t)(item->n_elems / j->outer) * elem_bytes;
        for (int64_t o = 0; bytes > 0 && o < j->outer; o++)
            memcpy(to + (size_t)o * row + at, (const char *)gei_bundle_data(j->from->data, k) + (size_t)o * bytes, bytes);
        at += bytes;
    }
}

static ge_status run_concat(const gei_run *run, uint32_t part) {
    gei_view *y = run->out[0];
    int32_t axis = 0;
    size_t bytes;
    void *to;
    (void)part;
    GEI_TRY(shape_of(run, gei_node_int(run->node, "new_axis", 0) == 1, &axis, y));
    joining j = { run->in[0], product(y->dims, 0, axis), y->dims[axis], product(y->dims, axis + 1, y->rank) };
    int32_t dtype = gei_bundle_at(run->in[0]->data, 0)->dtype;
    if (dtype == GEI_STRING) return gei_run_set_texts(run, 0, joined_text, &j);
    if (!gei_dtype_bytes(dtype, (uint64_t)y->n_elems, &bytes)) return gei_out_of_memory(run->diag, SIZE_MAX);
    int64_t dims[GEI_MAX_RANK];
    memcpy(dims, y->dims, sizeof dims);
    GEI_TRY(gei_run_set_output(run, 0, y->rank, dims, bytes, &to));
    if (bytes > 0) write_items(&j, bytes / (size_t)y->n_elems, (char *)to);
    return GE_OK;
}

static const gei_kernel split_kernels[] = { { .name = "ref", .run = run_split }, { 0 } };
static const gei_kernel concat_kernels[] = { { .name = "ref", .run = run_concat }, { 0 } };

static const gei_attr_map split_attrs[] = { { "axis", "axis", NULL }, { "keepdims", "keepdims", NULL }, { 0 } };
static const gei_attr_map concat_attrs[] = { { "axis", "axis", NULL }, { "new_axis", "new_axis", NULL }, { 0 } };
static const gei_source split_sources[] = { { GEI_FROM_ONNX, "SplitToSequence", 11, NULL, split_attrs }, { 0 } };
static const gei_source concat_sources[] = { { GEI_FROM_ONNX, "ConcatFromSequence", 11, NULL, concat_attrs }, { 0 } };

#define TRAITS (GEI_OP_PURE | GEI_OP_TAKES_BUNDLES)

GEI_OP(SplitToSequence) = { .name = "SplitToSequence", .infer = infer_split, .kernels = split_kernels, .sources = split_sources, .traits = TRAITS };
GEI_OP(ConcatFromSequence) = { .name = "ConcatFromSequence", .infer = infer_concat, .kernels = concat_kernels, .sources = concat_sources, .traits = TRAITS };

GEI_WIDEN(SplitToSequence, "x", "any");
GEI_WIDEN(ConcatFromSequence, "y", "any");
