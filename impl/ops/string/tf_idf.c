/* SPDX-License-Identifier: Apache-2.0 */
/* GeTfIdf (ours, ONNX TfIdfVectorizer): how often each n-gram of a pool is found in x [n] or in each row of x [rows, n].
 * The pool has all 1-grams, then all 2-grams, ...: those of k elements begin at ngram_counts[k - 1].  N-gram i counts for y[ngram_indexes[i]].
 * An n-gram of min_gram_length to max_gram_length elements may leave out up to max_skip_count between any two, the same number each time.
 * mode TF: counts; IDF: weight where there is any; TFIDF: weight times count. */
#include <string.h>

#include "ops/checks.h"
#include "ops/import.h"
#include "ops/texts.h"

#define MOST_LENGTH 1024 /* of n-grams */

static ge_status check_pool(const gei_infer *i, int64_t pool) {
    gei_int_list starts = gei_node_ints(i->node, "ngram_counts"), indexes = gei_node_ints(i->node, "ngram_indexes");
    const gei_attr *weights = gei_node_attr(i->node, "weights");
    int64_t grams = 0;
    for (size_t k = 0; k < starts.count; k++) {
        int64_t end = k + 1 < starts.count ? starts.data[k + 1] : pool, length = (int64_t)k + 1;
        if (starts.data[k] < 0 || starts.data[k] > end || end > pool || (end - starts.data[k]) % length != 0)
            return gei_infer_fail(i, GE_ERR_BAD_ATTR, "ngram_counts", "entry %zu is %lld, which fits no pool of %lld elements", k,
                                  (long long)starts.data[k], (long long)pool);
        grams += (end - starts.data[k]) / length;
    }
    if (grams != (int64_t)indexes.count)
        return gei_infer_fail(i, GE_ERR_BAD_ATTR, "ngram_indexes", "%zu entries for %lld n-grams", indexes.count, (long long)grams);
    if (!weights || weights->kind != GEI_ATTR_FLOATS || weights->count == 0 || weights->count == indexes.count) return GE_OK;
    return gei_infer_fail(i, GE_ERR_BAD_ATTR, "weights", "%u entries for %lld n-grams", weights->count, (long long)grams);
}

static ge_status check_numbers(const gei_infer *i, int64_t *out_size) {
    const char *mode = gei_node_text(i->node, "mode", "");
    gei_int_list indexes = gei_node_ints(i->node, "ngram_indexes");
    int64_t least, ignored;
    GEI_TRY(gei_check_int(i, "min_gram_length", 0, 1, MOST_LENGTH, &least));
    GEI_TRY(gei_check_int(i, "max_gram_length", 0, least, MOST_LENGTH, &ignored));
    GEI_TRY(gei_check_int(i, "max_skip_count", 0, 0, INT32_MAX, &ignored));
    if (strcmp(mode, "TF") != 0 && strcmp(mode, "IDF") != 0 && strcmp(mode, "TFIDF") != 0)
        return gei_infer_fail(i, GE_ERR_BAD_ATTR, "mode", "'%s' is neither TF, IDF nor TFIDF", mode);
    *out_size = 0;
    for (size_t k = 0; k < indexes.count; k++) {
        if (indexes.data[k] < 0 || indexes.data[k] >= INT32_MAX)
            return gei_infer_fail(i, GE_ERR_BAD_ATTR, "ngram_indexes", "%lld is not within 0 and %d", (long long)indexes.data[k], INT32_MAX);
        if (indexes.data[k] >= *out_size) *out_size = indexes.data[k] + 1;
    }
    return GE_OK;
}

static ge_status infer_tf_idf(gei_infer *i) {
    const gei_attr *texts = gei_node_attr(i->node, "pool_strings");
    const gei_shape *x = &i->in[0]->shape;
    size_t numbers = gei_node_ints(i->node, "pool_int64s").count, n_texts = texts && texts->kind == GEI_ATTR_STRINGS ? texts->count : 0;
    int32_t dtype = i->in[0]->dtype;
    int64_t size = 0;
    if ((numbers > 0) == (n_texts > 0)) return gei_infer_fail(i, GE_ERR_BAD_ATTR, "pool_int64s", "either this or pool_strings, not both, has the n-grams");
    if (dtype != GEI_UNDEFINED && (n_texts > 0 ? dtype != GEI_STRING : dtype != GEI_INT32 && dtype != GEI_INT64))
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "x", "data type %s does not fit the pool", gei_dtype_name(dtype));
    GEI_TRY(check_numbers(i, &size));
    GEI_TRY(check_pool(i, (int64_t)(numbers + n_texts)));
    GEI_TRY(gei_infer_rank(i, 0, 1, 2));
    i->out[0].dtype = GEI_FLOAT32;
    if (x->rank == 1) i->out[0].shape = gei_shape_of(1, (gei_dim[]){ size });
    if (x->rank == 2) i->out[0].shape = gei_shape_of(2, (gei_dim[]){ x->dims[0], size });
    return GE_OK;
}

static ge_status size_tf_idf(gei_sizing *s, gei_diag *diag) {
    const gei_shape *x = &s->in[0]->shape;
    (void)diag;
    s->n_parts = gei_parts(x->rank == 2 ? x->dims[0] : 1, 1);
    s->cost = (double)gei_dim_product(x, 0, x->rank) * (double)gei_node_ints(s->node, "ngram_indexes").count;
    return GE_OK;
}

static bool same_element(const gei_run *run, int64_t at, int64_t in_pool) {
    const gei_view *x = run->in[0];
    if (x->dtype != GEI_STRING) return gei_view_i64(x, at) == gei_node_ints(run->node, "pool_int64s").data[in_pool];
    gei_text a = gei_text_at(x, at), b = gei_node_attr(run->node, "pool_strings")->v.strings[in_pool];
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* Times the n-gram at `pool` is found in elements [begin, end) of x. */
static int64_t count_gram(const gei_run *run, int64_t begin, int64_t end, int64_t pool, int64_t length) {
    int64_t skips = length == 1 ? 0 : gei_node_int(run->node, "max_skip_count", 0), found = 0;
    for (int64_t step = 1; step <= skips + 1 && (length - 1) * step < end - begin; step++)
        for (int64_t at = begin; at + (length - 1) * step < end; at++) {
            int64_t k = 0;
            while (k < length && same_element(run, at + k * step, pool + k)) k++;
            found += k == length;
        }
    return found;
}

static void run_line(const gei_run *run, int64_t begin, int64_t end, float *y) {
    gei_int_list starts = gei_node_ints(run->node, "ngram_counts"), indexes = gei_node_ints(run->node, "ngram_indexes");
    const gei_attr *weights = gei_node_attr(run->node, "weights");
    const char *mode = gei_node_text(run->node, "mode", "TF");
    int64_t least = gei_node_int(run->node, "min_gram_length", 1), most = gei_node_int(run->node, "max_gram_length", 1), gram = 0;
    bool weighs = strcmp(mode, "TF") != 0 && weights && weights->kind == GEI_ATTR_FLOATS && weights->count > 0;
    for (int64_t length = 1; length <= (int64_t)starts.count; length++) {
        int64_t at = starts.data[length - 1], grams_end = (int64_t)indexes.count;
        if (length < (int64_t)starts.count) grams_end = gram + (starts.data[length] - at) / length;
        for (; gram < grams_end; gram++, at += length) {
            if (length < least || length > most) continue;
            int64_t count = count_gram(run, begin, end, at, length);
            if (strcmp(mode, "IDF") == 0 && count > 1) count = 1;
            y[indexes.data[gram]] += (float)count * (weighs ? weights->v.floats[gram] : 1);
        }
    }
}

static ge_status run_tf_idf(const gei_run *run, uint32_t part) {
    const gei_view *x = run->in[0], *y = run->out[0];
    int64_t length = x->dims[x->rank - 1], size = y->dims[y->rank - 1], begin, end;
    gei_part_range(x->rank == 2 ? x->dims[0] : 1, run->n_parts, part, &begin, &end);
    for (int64_t row = begin; row < end; row++) {
        float *to = (float *)y->data + row * size;
        memset(to, 0, (size_t)size * sizeof *to);
        run_line(run, row * length, (row + 1) * length, to);
    }
    return GE_OK;
}

static const gei_kernel tf_idf_kernels[] = { { .name = "ref", .size = size_tf_idf, .run = run_tf_idf }, { 0 } };
static const gei_attr_map tf_idf_attrs[] = {
    { "max_gram_length", "max_gram_length", NULL }, { "min_gram_length", "min_gram_length", NULL }, { "max_skip_count", "max_skip_count", NULL },
    { "mode", "mode", NULL }, { "ngram_counts", "ngram_counts", NULL }, { "ngram_indexes", "ngram_indexes", NULL },
    { "pool_int64s", "pool_int64s", NULL }, { "pool_strings", "pool_strings", NULL }, { "weights", "weights", NULL }, { NULL, NULL, NULL } };
static const gei_source tf_idf_sources[] = { { GEI_FROM_ONNX, "TfIdfVectorizer", 9, NULL, tf_idf_attrs }, { 0 } };

GEI_OP(GeTfIdf) = { .name = "GeTfIdf", .infer = infer_tf_idf, .kernels = tf_idf_kernels, .sources = tf_idf_sources, .traits = GEI_OP_PURE };
