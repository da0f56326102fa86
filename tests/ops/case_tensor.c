/* SPDX-License-Identifier: Apache-2.0 */
/* Tensors of case files: parsing, filling, comparing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/bundle.h"
#include "ir/half.h"
#include "case.h"

/* ---- elements; a complex number is two components ---- */

static int32_t component_dtype(int32_t dtype) {
    switch (dtype) {
    case GEI_COMPLEX64: return GEI_FLOAT32;
    case GEI_COMPLEX128: return GEI_FLOAT64;
    default: return dtype;
    }
}

static int64_t n_components(const gei_tensor *t) { return t->n_elems * (component_dtype(t->dtype) == t->dtype ? 1 : 2); }

static gei_tensor components(const gei_tensor *t) {
    gei_tensor c = { .dtype = component_dtype(t->dtype), .n_elems = n_components(t), .data = t->data, .size_bytes = t->size_bytes };
    return c;
}

static void store_bits(gei_tensor *t, int64_t index, uint64_t bits, uint32_t width) {
    uint8_t *data = t->data;
    if (width % 8 == 0) {
        memcpy(data + (size_t)index * (width / 8), &bits, width / 8);
        return;
    }
    uint64_t at = (uint64_t)index * width;
    for (uint32_t b = 0; b < width; b++, at++) {
        data[at / 8] = (uint8_t)(data[at / 8] & ~(1u << at % 8));
        data[at / 8] = (uint8_t)(data[at / 8] | (bits >> b & 1) << at % 8);
    }
}

static void store_number(gei_tensor *t, int64_t index, double v, int64_t whole) {
    int32_t dtype = component_dtype(t->dtype);
    const gei_dtype_info *info = gei_dtype_get(dtype);
    float f = (float)v;
    uint64_t bits = 0;
    switch (dtype) {
    case GEI_FLOAT64: memcpy(&bits, &v, 8); break;
    case GEI_FLOAT32: memcpy(&bits, &f, 4); break;
    case GEI_FLOAT16: bits = gei_f32_to_f16(gei_f64_to_f32_odd(v)); break;
    case GEI_BFLOAT16: bits = gei_f32_to_bf16(gei_f64_to_f32_odd(v)); break;
    default:
        if (info->kind == GEI_KIND_FLOAT) bits = gei_f32_to_small(dtype, gei_f64_to_f32_odd(v), false);
        else memcpy(&bits, &whole, 8);
    }
    store_bits(t, index, bits, info->bits);
}

static bool parse_number(const char *word, double *v, int64_t *whole) {
    char *end;
    if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0) {
        *whole = word[0] == 't';
        *v = (double)*whole;
        return true;
    }
    *v = strtod(word, &end);
    if (end == word || *end) return false;
    *whole = word[0] == '-' ? strtoll(word, NULL, 10) : (int64_t)strtoull(word, NULL, 10);
    return true;
}

/* ---- filling: tests/ops/expect.py makes the same numbers ---- */

static double next_uniform(uint64_t *state) { /* splitmix64; 24 bits, so that float32 holds it */
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return (double)((z ^ z >> 31) >> 40) * 0x1p-24;
}

/* fill random SEED LOW HIGH | fill range START STEP | fill all VALUE */
static bool fill(gei_tensor *t, char **words, size_t n_words, size_t *used) {
    double a[3];
    const char *kind = n_words < 2 ? "" : words[1];
    size_t wanted = strcmp(kind, "random") == 0 ? 3 : strcmp(kind, "range") == 0 ? 2 : strcmp(kind, "all") == 0 ? 1 : 0;
    if (wanted == 0 || n_words < 2 + wanted) return false;
    int64_t unused;
    for (size_t k = 0; k < wanted; k++)
        if (!parse_number(words[2 + k], &a[k], &unused)) return false;
    uint64_t state = wanted == 3 ? (uint64_t)a[0] : 0;
    for (int64_t k = 0; k < n_components(t); k++) {
        double v = wanted == 3 ? a[1] + (a[2] - a[1]) * next_uniform(&state) : wanted == 2 ? a[0] + (double)k * a[1] : a[0];
        store_number(t, k, v, (int64_t)floor(v));
    }
    *used = 2 + wanted;
    return true;
}

static bool load_file(gei_tensor *t, const char *folder, const char *name) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "rb");
    if (!f) return false;
    bool ok = fread(t->data, 1, t->size_bytes, f) == t->size_bytes && fgetc(f) == EOF;
    fclose(f);
    return ok;
}

/* ---- parsing ---- */

static bool parse_type(const char *word, int32_t *dtype, int32_t *rank, int64_t *dims) {
    const char *open = strchr(word, '[');
    *rank = 0;
    *dtype = gei_dtype_from_name(word, open ? (size_t)(open - word) : strlen(word));
    if (*dtype == GEI_UNDEFINED) return false;
    if (!open || open[1] == ']') return true;
    for (const char *at = open + 1;; at++) {
        char *end;
        if (*rank == GEI_MAX_RANK) return false;
        dims[(*rank)++] = strtoll(at, &end, 10);
        if (end == at || dims[*rank - 1] < 0) return false;
        at = end;
        if (*at == ']') return at[1] == 0;
        if (*at != ',') return false;
    }
}

static gei_tensor *parse_strings(char **words, size_t n_words, int32_t rank, const int64_t *dims, size_t *used, const char **problem) {
    gei_tensor *t;
    int64_t n = 1;
    size_t sizes[1024];
    for (int32_t d = 0; d < rank; d++) n *= dims[d];
    if (n > 1024 || (size_t)n > n_words) {
        *problem = "too few values";
        return NULL;
    }
    for (int64_t k = 0; k < n; k++) sizes[k] = strlen(words[k]);
    *used = (size_t)n;
    if (gei_tensor_strings(&gei_heap, rank, dims, (const char *const *)words, sizes, &t, NULL) == GE_OK) return t;
    *problem = "no tensor of these strings";
    return NULL;
}

#define MOST_ITEMS 16

static gei_tensor *make_bundle(int32_t dtype, gei_tensor *const *items, size_t n) {
    gei_bundle_item list[MOST_ITEMS];
    gei_tensor *t = NULL;
    size_t bytes;
    for (size_t k = 0; k < n; k++) {
        list[k] = (gei_bundle_item){ .dtype = items[k]->dtype, .rank = items[k]->rank, .n_elems = items[k]->n_elems, .size_bytes = items[k]->size_bytes };
        memcpy(list[k].dims, items[k]->dims, sizeof list[k].dims);
    }
    if (!gei_bundle_measure(list, n, &bytes) || gei_tensor_create_bytes(&gei_heap, dtype, 0, NULL, bytes, &t, NULL) != GE_OK) return NULL;
    memset(t->data, 0, bytes);
    gei_bundle_start(t->data, list, n);
    for (size_t k = 0; k < n; k++) memcpy(gei_bundle_data(t->data, k), items[k]->data, items[k]->size_bytes);
    return t;
}

/* { TENSOR TENSOR ... } */
static gei_tensor *parse_bundle(int32_t dtype, char **words, size_t n_words, const char *folder, size_t *used, const char **problem) {
    gei_tensor *items[MOST_ITEMS], *t = NULL;
    size_t n = 0, at = 1, taken;
    *problem = "wanted { then tensors then }";
    bool ok = n_words > 1 && strcmp(words[0], "{") == 0;
    while (ok && at < n_words && strcmp(words[at], "}") != 0) {
        ok = n < MOST_ITEMS && (items[n] = parse_tensor(words + at, n_words - at, folder, &taken, problem)) != NULL;
        if (ok) n++;
        if (ok) at += taken;
    }
    if (ok && at < n_words) t = make_bundle(dtype, items, n);
    for (size_t k = 0; k < n; k++) gei_tensor_release(items[k]);
    *used = at + 1;
    return t;
}

gei_tensor *parse_tensor(char **words, size_t n_words, const char *folder, size_t *used, const char **problem) {
    int32_t dtype, rank;
    int64_t dims[GEI_MAX_RANK], whole;
    double v;
    size_t taken = 0;
    *problem = "wanted a type like f32[2,3]";
    if (n_words == 0 || !parse_type(words[0], &dtype, &rank, dims)) return NULL;
    if (dtype == GEI_STRING) {
        gei_tensor *strings = parse_strings(words + 1, n_words - 1, rank, dims, &taken, problem);
        *used = taken + 1;
        return strings;
    }
    if (gei_dtype_is_bundle(dtype)) {
        gei_tensor *bundle = parse_bundle(dtype, words + 1, n_words - 1, folder, &taken, problem);
        *used = taken + 1;
        return bundle;
    }
    gei_tensor *t;
    *problem = "no such tensor";
    if (gei_tensor_create(&gei_heap, dtype, rank, dims, &t, NULL) != GE_OK) return NULL;
    if (t->size_bytes) memset(t->data, 0, t->size_bytes);
    words++;
    n_words--;
    bool ok = true;
    if (n_words > 0 && strcmp(words[0], "fill") == 0) ok = fill(t, words, n_words, &taken);
    else if (n_words > 1 && strcmp(words[0], "file") == 0) ok = load_file(t, folder, words[1]), taken = 2;
    else
        for (int64_t k = 0; ok && k < n_components(t); k++, taken++) {
            ok = taken < n_words && parse_number(words[taken], &v, &whole);
            if (ok) store_number(t, k, v, whole);
        }
    *used = taken + 1;
    if (ok) return t;
    *problem = "too few values, a word that is no number, or a file that does not fit";
    gei_tensor_release(t);
    return NULL;
}

/* ---- comparing ---- */

static char text[4096];

static double default_tol(int32_t dtype) {
    switch (component_dtype(dtype)) {
    case GEI_FLOAT64: return 1e-12;
    case GEI_FLOAT32: return 2e-6;
    case GEI_FLOAT16: return 1e-3;
    case GEI_BFLOAT16: return 8e-3;
    default: return 0;
    }
}

static const char *compare_strings(const gei_tensor *got, const gei_tensor *want) {
    for (int64_t k = 0; k < want->n_elems; k++) {
        const char *a, *b;
        size_t n_a, n_b;
        if (!gei_tensor_string_at(got, k, &a, &n_a) || !gei_tensor_string_at(want, k, &b, &n_b) || n_a != n_b || memcmp(a, b, n_a) != 0) {
            snprintf(text, sizeof text, "element %lld differs", (long long)k);
            return text;
        }
    }
    return NULL;
}

static const char *compare_bundles(const gei_tensor *got, const gei_tensor *want, double tol) {
    size_t n = gei_bundle_count(want->data);
    if (gei_bundle_count(got->data) != n) return "another number of items";
    for (size_t k = 0; k < n; k++) {
        gei_tensor pair[2];
        const gei_tensor *whole[2] = { got, want };
        for (size_t s = 0; s < 2; s++) {
            const gei_bundle_item *item = gei_bundle_at(whole[s]->data, k);
            pair[s] = (gei_tensor){ .dtype = item->dtype, .rank = item->rank, .n_elems = item->n_elems, .size_bytes = (size_t)item->size_bytes,
                                    .data = gei_bundle_data(whole[s]->data, k) };
            memcpy(pair[s].dims, item->dims, sizeof item->dims);
        }
        const char *problem = compare_tensors(&pair[0], &pair[1], tol);
        if (problem) return problem;
    }
    return NULL;
}

/* The first elements of both, for the message. */
static void put_elems(const gei_tensor *t) {
    gei_tensor c = components(t);
    const gei_dtype_info *info = gei_dtype_get(c.dtype);
    for (int64_t k = 0; k < c.n_elems && k < 24; k++) {
        size_t at = strlen(text);
        if (info->kind == GEI_KIND_FLOAT) snprintf(text + at, sizeof text - at, " %.9g", gei_tensor_f64(&c, k));
        else snprintf(text + at, sizeof text - at, " %lld", (long long)gei_tensor_i64(&c, k));
    }
}

static bool same_number(const gei_tensor *got, const gei_tensor *want, int64_t k, double tol) {
    if (gei_dtype_get(want->dtype)->kind != GEI_KIND_FLOAT) return gei_tensor_i64(got, k) == gei_tensor_i64(want, k);
    double a = gei_tensor_f64(got, k), b = gei_tensor_f64(want, k);
    if (isnan(a) || isnan(b)) return isnan(a) && isnan(b);
    if (a == b) return true;
    return fabs(a - b) <= tol * (fabs(b) > 1 ? fabs(b) : 1);
}

const char *compare_tensors(const gei_tensor *got, const gei_tensor *want, double tol) {
    gei_words a, b;
    gei_shape s = gei_tensor_shape(got), w = gei_tensor_shape(want);
    if (got->dtype != want->dtype || !gei_shape_same(&s, &w)) {
        snprintf(text, sizeof text, "got %s%s, wanted %s%s", gei_dtype_short(got->dtype), gei_shape_words(&s, &a),
                 gei_dtype_short(want->dtype), gei_shape_words(&w, &b));
        return text;
    }
    if (want->dtype == GEI_STRING) return compare_strings(got, want);
    if (gei_dtype_is_bundle(want->dtype)) return compare_bundles(got, want, tol);
    gei_tensor x = components(got), y = components(want);
    if (tol < 0) tol = default_tol(want->dtype);
    for (int64_t k = 0; k < y.n_elems; k++) {
        if (same_number(&x, &y, k, tol)) continue;
        snprintf(text, sizeof text, "component %lld is %.9g, wanted %.9g\n#   got   ", (long long)k, gei_tensor_f64(&x, k),
                 gei_tensor_f64(&y, k));
        put_elems(got);
        strncat(text, "\n#   wanted", sizeof text - strlen(text) - 1);
        put_elems(want);
        return text;
    }
    return NULL;
}

/* ---- names ---- */

int32_t status_of_name(const char *name) {
    static const struct {
        const char *name;
        int32_t status;
    } all[] = {
#define S(s) { #s, s }
        S(GE_ERR_INVALID_ARGUMENT), S(GE_ERR_OUT_OF_RANGE), S(GE_ERR_SHAPE), S(GE_ERR_RANK), S(GE_ERR_DTYPE), S(GE_ERR_SIZE),
        S(GE_ERR_UNSUPPORTED_OPERATOR), S(GE_ERR_UNSUPPORTED_ATTR), S(GE_ERR_UNSUPPORTED_DTYPE), S(GE_ERR_UNSUPPORTED), S(GE_ERR_BAD_GRAPH),
        S(GE_ERR_BAD_ATTR), S(GE_ERR_INFER), S(GE_ERR_NO_KERNEL), S(GE_ERR_EXECUTION), S(GE_ERR_LIMIT),
#undef S
    };
    for (size_t k = 0; k < GEI_COUNT(all); k++)
        if (strcmp(all[k].name, name) == 0) return all[k].status;
    return 0;
}

int32_t format_of_name(const char *name) {
    static const struct {
        const char *name;
        int32_t format;
    } all[] = { { "ND", GE_FORMAT_ND },       { "NCHW", GE_FORMAT_NCHW },   { "NHWC", GE_FORMAT_NHWC },  { "HWCN", GE_FORMAT_HWCN },
                { "NCDHW", GE_FORMAT_NCDHW }, { "NDHWC", GE_FORMAT_NDHWC }, { "DHWCN", GE_FORMAT_DHWCN } };
    for (size_t k = 0; k < GEI_COUNT(all); k++)
        if (strcmp(all[k].name, name) == 0) return all[k].format;
    return -1;
}
