/* SPDX-License-Identifier: Apache-2.0 */
/* StringNormalizer: texts without the stop words, then in lower or upper case.  x is [n] or [1, n]; when nothing is left, one empty text.
 * The locale changes nothing: Latin (ASCII and Latin-1), Greek and Cyrillic letters have two cases, whose UTF-8 is equally long. */
#include <string.h>

#include "ops/checks.h"
#include "ops/import.h"
#include "ops/texts.h"

typedef enum letter_case { CASE_NONE, CASE_LOWER, CASE_UPPER } letter_case;

static ge_status read_case(const gei_node *node, letter_case *out, gei_diag *diag) {
    const char *text = gei_node_text(node, "case_change_action", "NONE");
    *out = strcmp(text, "LOWER") == 0 ? CASE_LOWER : strcmp(text, "UPPER") == 0 ? CASE_UPPER : CASE_NONE;
    if (*out != CASE_NONE || strcmp(text, "NONE") == 0) return GE_OK;
    return gei_node_fail(node, diag, GE_ERR_BAD_ATTR, "case_change_action", "'%s' is neither NONE, LOWER nor UPPER", text);
}

static ge_status infer_normalize(gei_infer *i) {
    const gei_shape *x = &i->in[0]->shape;
    letter_case to;
    GEI_TRY(read_case(i->node, &to, i->diag));
    if (i->in[0]->dtype != GEI_STRING && i->in[0]->dtype != GEI_UNDEFINED)
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, gei_infer_port(i, 0), "data type %s is not supported", gei_dtype_name(i->in[0]->dtype));
    GEI_TRY(gei_infer_rank(i, 0, 1, 2));
    if (x->rank == 2) GEI_TRY(gei_check_dim(i, 0, 0, 1, "one row there can be"));
    i->out[0].dtype = GEI_STRING;
    if (x->rank == 1) i->out[0].shape = gei_shape_of(1, (gei_dim[]){ GEI_DIM_UNKNOWN });
    if (x->rank == 2) i->out[0].shape = gei_shape_of(2, (gei_dim[]){ 1, GEI_DIM_UNKNOWN });
    return GE_OK;
}

/* Pairs of upper and lower case: [first, last] of upper case, distance to lower case. */
static const struct pairs {
    uint32_t first, last, apart;
} pairs[] = { { 'A', 'Z', 32 }, { 0xc0, 0xd6, 32 }, { 0xd8, 0xde, 32 }, { 0x391, 0x3a1, 32 }, { 0x3a3, 0x3ab, 32 }, { 0x400, 0x40f, 80 }, { 0x410, 0x42f, 32 } };

static uint32_t change(uint32_t c, letter_case to) {
    for (size_t k = 0; k < GEI_COUNT(pairs); k++) {
        const struct pairs *p = &pairs[k];
        if (to == CASE_LOWER && c >= p->first && c <= p->last) return c + p->apart;
        if (to == CASE_UPPER && c >= p->first + p->apart && c <= p->last + p->apart) return c - p->apart;
    }
    return c;
}

/* One letter of one or two bytes, or a byte of a longer one; returns bytes taken. */
static size_t change_next(gei_text from, size_t at, letter_case to, char *out) {
    uint8_t a = (uint8_t)from.data[at], b = at + 1 < from.size ? (uint8_t)from.data[at + 1] : 0;
    if (a < 0x80) {
        out[0] = (char)change(a, to);
        return 1;
    }
    if (a < 0xc2 || a > 0xdf || (b & 0xc0) != 0x80) {
        out[0] = (char)a;
        return 1;
    }
    uint32_t c = change((uint32_t)(a & 31) << 6 | (b & 63), to);
    out[0] = (char)(0xc0 | c >> 6);
    out[1] = (char)(0x80 | (c & 63));
    return 2;
}

static bool equal(gei_text a, gei_text b, letter_case in) {
    char x[2], y[2];
    if (a.size != b.size) return false;
    for (size_t at = 0, n; at < a.size; at += n) {
        n = change_next(a, at, in, x);
        if (change_next(b, at, in, y) != n || memcmp(x, y, n) != 0) return false;
    }
    return true;
}

static bool is_stop(const gei_run *run, gei_text text) {
    const gei_attr *words = gei_node_attr(run->node, "stopwords");
    letter_case in = gei_node_bool(run->node, "is_case_sensitive", false) ? CASE_NONE : CASE_LOWER;
    if (!words || words->kind != GEI_ATTR_STRINGS) return false;
    for (uint32_t k = 0; k < words->count; k++)
        if (equal(words->v.strings[k], text, in)) return true;
    return false;
}

static ge_status run_normalize(const gei_run *run, uint32_t part) {
    const gei_view *x = run->in[0];
    int64_t n = 0;
    size_t bytes = 0;
    uint64_t at = 0;
    letter_case to;
    void *data;
    (void)part;
    GEI_TRY(read_case(run->node, &to, run->diag));
    for (int64_t k = 0; k < x->n_elems; k++) {
        gei_text text = gei_text_at(x, k);
        if (is_stop(run, text)) continue;
        bytes += text.size;
        n++;
    }
    int64_t count = n > 0 ? n : 1;
    size_t head = ((size_t)count + 1) * sizeof at;
    GEI_TRY(gei_run_set_output(run, 0, x->rank, x->rank == 2 ? (int64_t[]){ 1, count } : (int64_t[]){ count, 0 }, head + bytes, &data));
    char *offset = data, *out = (char *)data + head;
    memset(data, 0, head); /* for the one empty text */
    for (int64_t k = 0; k < x->n_elems && n > 0; k++) {
        gei_text text = gei_text_at(x, k);
        if (is_stop(run, text)) continue;
        for (size_t b = 0; b < text.size;) b += change_next(text, b, to, out + at + b);
        at += text.size;
        offset += sizeof at;
        memcpy(offset, &at, sizeof at);
    }
    return GE_OK;
}

static const gei_kernel normalize_kernels[] = { { .name = "ref", .run = run_normalize }, { 0 } };

static ge_status map_normalize(gei_import *im, gei_diag *diag) {
    const gei_attr *words = gei_import_attr(im, "stopwords");
    gei_node *node;
    GEI_TRY(gei_import_node(im, "StringNormalizer", im->inputs, im->n_inputs, &node, diag));
    if (words) GEI_TRY(gei_node_set(node, "stopwords", words, diag));
    GEI_TRY(gei_import_set_bool(node, "is_case_sensitive", gei_import_int(im, "is_case_sensitive", 0) != 0, diag));
    GEI_TRY(gei_import_set_text(node, "case_change_action", gei_import_text(im, "case_change_action", "NONE"), diag));
    GEI_TRY(gei_import_set_text(node, "locale", gei_import_text(im, "locale", "C"), diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

static const gei_source normalize_sources[] = { { GEI_FROM_ONNX, "StringNormalizer", 10, map_normalize, NULL }, { 0 } };

GEI_OP(StringNormalizer) = { .name = "StringNormalizer", .infer = infer_normalize, .kernels = normalize_kernels, .sources = normalize_sources,
                             .traits = GEI_OP_PURE };
