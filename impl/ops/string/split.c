/* SPDX-License-Identifier: Apache-2.0 */
/* GeStringSplit (ours, ONNX StringSplit): the pieces of each text in one more dim, short rows filled with empty texts, and how many there are.
 * Without a delimiter runs of white space part the pieces and those at both ends go away.  After maxsplit cuts (-1: no limit) the rest is one piece. */
#include <string.h>

#include "ops/checks.h"
#include "ops/import.h"
#include "ops/texts.h"

enum { OUT_Y, OUT_COUNTS };

typedef struct cutter { /* a text being cut */
    gei_text rest, delimiter;
    int64_t cuts;  /* still allowed, negative: any number */
    bool ended;
} cutter;

static bool is_white(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static void skip(cutter *c, size_t n) {
    c->rest.data += n;
    c->rest.size -= n;
}

static bool at_delimiter(const cutter *c, size_t at) {
    if (c->delimiter.size == 0) return is_white(c->rest.data[at]);
    return c->rest.size - at >= c->delimiter.size && memcmp(c->rest.data + at, c->delimiter.data, c->delimiter.size) == 0;
}

/* The next piece; false: there is none. */
static bool next_piece(cutter *c, gei_text *out) {
    size_t n = 0;
    if (c->delimiter.size == 0)
        while (c->rest.size > 0 && is_white(c->rest.data[0])) skip(c, 1);
    if (c->ended || (c->delimiter.size == 0 && c->rest.size == 0)) return false;
    while (n < c->rest.size && (c->cuts == 0 || !at_delimiter(c, n))) n++;
    *out = (gei_text){ c->rest.data, n };
    c->ended = n == c->rest.size;
    skip(c, n);
    if (!c->ended) skip(c, c->delimiter.size);
    if (c->cuts > 0) c->cuts--;
    return true;
}

static cutter begin(const gei_run *run, int64_t index) {
    const char *delimiter = gei_node_text(run->node, "delimiter", "");
    return (cutter){ gei_text_at(run->in[0], index), { delimiter, strlen(delimiter) }, gei_node_int(run->node, "maxsplit", -1), false };
}

static ge_status infer_split(gei_infer *i) {
    const gei_shape *x = &i->in[0]->shape;
    int64_t most;
    if (i->in[0]->dtype != GEI_STRING && i->in[0]->dtype != GEI_UNDEFINED)
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "x", "data type %s is not supported", gei_dtype_name(i->in[0]->dtype));
    GEI_TRY(gei_check_int(i, "maxsplit", -1, -1, INT64_MAX, &most));
    GEI_TRY(gei_infer_rank(i, 0, 0, GEI_MAX_RANK - 1));
    i->out[OUT_Y].dtype = GEI_STRING;
    i->out[OUT_COUNTS].dtype = GEI_INT64;
    i->out[OUT_COUNTS].shape = *x;
    if (x->rank < 0) return GE_OK;
    i->out[OUT_Y].shape = *x;
    i->out[OUT_Y].shape.rank = x->rank + 1;
    i->out[OUT_Y].shape.dims[x->rank] = GEI_DIM_UNKNOWN;
    return GE_OK;
}

static ge_status count_pieces(const gei_run *run, int64_t *out_most, size_t *out_bytes) {
    int64_t *counts = run->out[OUT_COUNTS]->data;
    gei_text piece;
    *out_most = 0;
    *out_bytes = 0;
    for (int64_t k = 0; k < run->in[0]->n_elems; k++) {
        cutter c = begin(run, k);
        for (counts[k] = 0; next_piece(&c, &piece); counts[k]++)
            if (!gei_add(*out_bytes, piece.size, out_bytes)) return gei_out_of_memory(run->diag, SIZE_MAX);
        if (counts[k] > *out_most) *out_most = counts[k];
    }
    return GE_OK;
}

static ge_status run_split(const gei_run *run, uint32_t part) {
    const gei_view *x = run->in[0];
    int64_t dims[GEI_MAX_RANK], most;
    size_t bytes, n, head;
    uint64_t at = 0;
    void *data;
    (void)part;
    GEI_TRY(count_pieces(run, &most, &bytes));
    memcpy(dims, x->dims, sizeof dims);
    dims[x->rank] = most;
    if (!gei_mul((size_t)x->n_elems, (size_t)most, &n) || !gei_add(n, 1, &head) || !gei_mul(head, sizeof at, &head) || !gei_add(bytes, head, &bytes))
        return gei_out_of_memory(run->diag, SIZE_MAX);
    GEI_TRY(gei_run_set_output(run, OUT_Y, x->rank + 1, dims, bytes, &data));
    char *offset = data, *to = (char *)data + head;
    for (int64_t k = 0; k < x->n_elems; k++) {
        cutter c = begin(run, k);
        for (int64_t j = 0; j < most; j++) {
            gei_text piece = { "", 0 };
            memcpy(offset, &at, sizeof at);
            offset += sizeof at;
            if (next_piece(&c, &piece) && piece.size > 0) memcpy(to + at, piece.data, piece.size);
            at += piece.size;
        }
    }
    memcpy(offset, &at, sizeof at);
    return GE_OK;
}

static const gei_kernel split_kernels[] = { { .name = "ref", .run = run_split }, { 0 } };
static const gei_attr_map split_attrs[] = { { "delimiter", "delimiter", NULL }, { "maxsplit", "maxsplit", NULL }, { NULL, NULL, NULL } };
static const gei_source split_sources[] = { { GEI_FROM_ONNX, "StringSplit", 20, NULL, split_attrs }, { 0 } };

GEI_OP(GeStringSplit) = { .name = "GeStringSplit", .infer = infer_split, .kernels = split_kernels, .sources = split_sources, .traits = GEI_OP_PURE };
