/* SPDX-License-Identifier: Apache-2.0 */
/* Reads attribute values, tensors and types of the graph text. */
#include <math.h>
#include <string.h>

#include "ir/half.h"
#include "ir/text_reader.h"

#define MOST_NESTED (GEI_ATTR_MAX_DEPTH + 4) /* lists count as well; setting the attribute has the exact limit */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_word(gei_text w, const char *text) { return w.size == strlen(text) && memcmp(w.data, text, w.size) == 0; }

/* ---- types ---- */

/* Dtype words; false when the word ahead is none. */
static bool ahead_dtype(gei_text_reader *r, int32_t *out, gei_text *word) {
    if (!gei_read_ahead_word(r, word)) return false;
    *out = gei_dtype_from_name(word->data, word->size);
    return *out != GEI_UNDEFINED || is_word(*word, "undefined") || is_word(*word, "dtype");
}

static ge_status read_dtype(gei_text_reader *r, int32_t *out) {
    gei_text word;
    int64_t number;
    *out = GEI_UNDEFINED;
    if (gei_read_mark(r, "?")) return GE_OK;
    if (!ahead_dtype(r, out, &word)) return gei_reader_wanted(r, "a data type");
    r->at += word.size;
    if (!is_word(word, "dtype")) return GE_OK;
    GEI_TRY(gei_read_expect(r, "("));
    bool negative = gei_read_mark(r, "-");
    GEI_TRY(gei_read_count(r, INT32_MAX, &number));
    *out = (int32_t)(negative ? -number : number);
    return gei_read_expect(r, ")");
}

static ge_status read_dim(gei_text_reader *r, gei_dim *out) {
    size_t at = gei_read_offset(r);
    const char *symbol;
    if (gei_read_mark(r, "?")) {
        *out = GEI_DIM_UNKNOWN;
        return GE_OK;
    }
    if (at < r->size && is_digit(r->text[at])) return gei_read_count(r, INT64_MAX, out);
    GEI_TRY(gei_read_key(r, &symbol));
    return gei_reader_place(r, at, gei_graph_symbol(r->graph, symbol, strlen(symbol), out, r->diag));
}

/* "[...]" with the opening mark still ahead. */
static ge_status read_dims(gei_text_reader *r, gei_shape *out) {
    *out = gei_shape_scalar();
    GEI_TRY(gei_read_expect(r, "["));
    if (gei_read_mark(r, "]")) return GE_OK;
    do {
        if (out->rank == GEI_MAX_RANK) return gei_reader_fail(r, gei_read_offset(r), "more than %d dims", GEI_MAX_RANK);
        GEI_TRY(read_dim(r, &out->dims[out->rank++]));
    } while (gei_read_mark(r, ","));
    return gei_read_expect(r, "]");
}

static ge_status read_format(gei_text_reader *r, int32_t *out) {
    int64_t number;
    *out = GE_FORMAT_ND;
    if (!gei_read_mark(r, "@")) return GE_OK;
    GEI_TRY(gei_read_count(r, INT32_MAX, &number));
    *out = (int32_t)number;
    return GE_OK;
}

ge_status gei_read_desc(gei_text_reader *r, gei_text_desc *out) {
    memset(out, 0, sizeof *out);
    out->shape = gei_shape_unknown();
    GEI_TRY(read_dtype(r, &out->dtype));
    if (gei_read_is(r, "[")) GEI_TRY(read_dims(r, &out->shape));
    GEI_TRY(read_format(r, &out->format));
    if (gei_read_is(r, "\"")) GEI_TRY(gei_read_key(r, &out->name));
    if (!gei_read_mark(r, "{")) return GE_OK;
    gei_attr named;
    GEI_TRY(gei_read_named(r, "}", &named));
    out->attrs.items = (gei_named_attr *)named.v.named; /* made by gei_read_named in the arena */
    out->attrs.count = named.count;
    return GE_OK;
}

/* ---- tensors ---- */

static ge_status keep_tensor(gei_text_reader *r, gei_tensor *t) {
    if (gei_vec_push(r->graph->from, &r->tensors, t)) return GE_OK;
    gei_tensor_release(t);
    return gei_out_of_memory(r->diag, 0);
}

static int hex_digit(char c) {
    if (is_digit(c)) return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static size_t count_hex(const gei_text_reader *r) {
    size_t n = 0;
    while (r->at + n < r->size && hex_digit(r->text[r->at + n]) >= 0) n++;
    return n;
}

static void decode_hex(gei_text_reader *r, uint8_t *to, size_t size) {
    const char *at = r->text + r->at;
    for (size_t i = 0; i < size; i++) to[i] = (uint8_t)(hex_digit(at[2 * i]) << 4 | hex_digit(at[2 * i + 1]));
    r->at += 2 * size;
}

static ge_status read_u64(gei_text_reader *r, uint64_t *out) {
    size_t at = gei_read_offset(r), end = at;
    uint64_t v = 0;
    for (; end < r->size && is_digit(r->text[end]); end++)
        if (__builtin_mul_overflow(v, UINT64_C(10), &v) || __builtin_add_overflow(v, (uint64_t)(r->text[end] - '0'), &v))
            return gei_reader_fail(r, at, "the number does not fit uint64");
    if (end == at) return gei_reader_wanted(r, "a number");
    r->at = end;
    *out = v;
    return GE_OK;
}

static ge_status read_float_elem(gei_text_reader *r, gei_tensor *t, int64_t i) {
    size_t at = gei_read_offset(r), n;
    double v = 0;
    if (t->dtype == GEI_FLOAT32) {
        float f = 0;
        n = gei_parse_f32(r->text + at, r->size - at, &f);
        v = (double)f;
    } else {
        n = gei_parse_f64(r->text + at, r->size - at, &v);
    }
    if (n == 0) return gei_reader_wanted(r, "a number of the tensor");
    r->at += n;
    (void)gei_tensor_put_f64(t, i, isnan(v) ? (double)NAN : v);
    return GE_OK;
}

static ge_status read_int_elem(gei_text_reader *r, gei_tensor *t, const gei_dtype_info *info, int64_t i) {
    size_t at = gei_read_offset(r), n;
    int64_t v;
    if (info->kind == GEI_KIND_BOOL && (gei_read_keyword(r, "true") || gei_read_keyword(r, "false"))) {
        (void)gei_tensor_put_i64(t, i, r->text[at] == 't');
        return GE_OK;
    }
    if (t->dtype == GEI_UINT64) {
        uint64_t u = 0;
        GEI_TRY(read_u64(r, &u));
        (void)gei_tensor_put_i64(t, i, (int64_t)u);
        return GE_OK;
    }
    if ((n = gei_parse_i64(r->text + at, r->size - at, &v)) == 0) return gei_reader_wanted(r, "an integer of the tensor");
    r->at += n;
    (void)gei_tensor_put_i64(t, i, v);
    if (gei_tensor_i64(t, i) == v) return GE_OK;
    return gei_reader_fail(r, at, "%lld does not fit %s", (long long)v, info->name);
}

/* Numbers up to the closing mark, which is ahead. */
static ge_status read_elems(gei_text_reader *r, gei_tensor *t) {
    const gei_dtype_info *info = gei_dtype_get(t->dtype);
    for (int64_t i = 0; i < t->n_elems; i++) {
        if (gei_read_is(r, "}"))
            return gei_reader_fail(r, gei_read_offset(r), "the tensor has %lld elements, its shape wants %lld", (long long)i,
                                   (long long)t->n_elems);
        if (info->kind == GEI_KIND_FLOAT) GEI_TRY(read_float_elem(r, t, i));
        else GEI_TRY(read_int_elem(r, t, info, i));
    }
    if (gei_read_mark(r, "}")) return GE_OK;
    return gei_reader_wanted(r, "'}' behind the last element of the tensor");
}

static ge_status read_strings(gei_text_reader *r, const gei_shape *shape, int64_t n_elems, gei_tensor **out) {
    const char **texts = gei_arena_array(r->arena, const char *, (size_t)n_elems);
    size_t *sizes = gei_arena_array(r->arena, size_t, (size_t)n_elems);
    if (!texts || !sizes) return gei_out_of_memory(r->diag, 0);
    for (int64_t i = 0; i < n_elems; i++) {
        gei_text text;
        GEI_TRY(gei_read_string(r, &text));
        texts[i] = text.data;
        sizes[i] = text.size;
    }
    GEI_TRY(gei_read_expect(r, "}"));
    return gei_tensor_strings(r->graph->from, shape->rank, shape->dims, texts, sizes, out, r->diag);
}

/* Memory is taken only when as much text is there: an element needs a character, a byte two hex digits. */
static ge_status read_payload(gei_text_reader *r, size_t at, int32_t dtype, const gei_shape *shape, gei_tensor **out) {
    int64_t n_elems;
    size_t bytes, left = r->size - r->at;
    const gei_allocator *from = r->graph->from;
    bool braces = gei_read_mark(r, "{");
    if (braces && gei_read_is(r, "...")) return gei_reader_fail(r, gei_read_offset(r), "the payload was left out (brief text)");
    if (!braces) GEI_TRY(gei_read_expect(r, "#"));
    if (braces && dtype == GEI_STRING) {
        if (!gei_shape_elems(shape, &n_elems) || (uint64_t)n_elems > left)
            return gei_reader_fail(r, at, "the text has fewer elements than the shape wants");
        return read_strings(r, shape, n_elems, out);
    }
    GEI_TRY(gei_reader_place(r, at, gei_tensor_measure(dtype, shape->rank, shape->dims, &n_elems, &bytes, r->diag)));
    if (braces && !gei_dtype_is_real(dtype)) return gei_reader_fail(r, at, "elements of %s are written as #hex", gei_dtype_name(dtype));
    if (braces && (uint64_t)n_elems > left) return gei_reader_fail(r, at, "the text has fewer elements than the shape wants");
    if (!braces && (bytes > left / 2 || count_hex(r) != 2 * bytes))
        return gei_reader_fail(r, r->at, "%zu hex digits, the shape wants %zu bytes", count_hex(r), bytes);
    GEI_TRY(gei_tensor_create(from, dtype, shape->rank, shape->dims, out, r->diag));
    if (!braces) {
        decode_hex(r, (uint8_t *)(*out)->data, bytes);
        return GE_OK;
    }
    if (bytes > 0) memset((*out)->data, 0, bytes); /* packed types have padding */
    return read_elems(r, *out);
}

/* The type word is consumed; dims are ahead. */
static ge_status read_tensor(gei_text_reader *r, size_t at, int32_t dtype, gei_attr *out) {
    gei_shape shape;
    gei_tensor *t = NULL;
    int32_t format;
    GEI_TRY(read_dims(r, &shape));
    if (!gei_shape_known(&shape)) return gei_reader_fail(r, at, "the tensor's shape must be numbers");
    GEI_TRY(read_format(r, &format));
    ge_status st = read_payload(r, at, dtype, &shape, &t);
    if (st != GE_OK) {
        gei_tensor_release(t);
        return st;
    }
    t->format = format;
    GEI_TRY(keep_tensor(r, t));
    *out = gei_attr_tensor(t);
    return GE_OK;
}

/* ---- single values ---- */

static ge_status read_bytes(gei_text_reader *r, gei_attr *out) {
    size_t n = count_hex(r);
    if (n % 2 != 0 || n / 2 > UINT32_MAX) return gei_reader_fail(r, r->at, "%zu hex digits make no whole bytes", n);
    uint8_t *bytes = (uint8_t *)gei_arena_alloc(r->arena, n / 2, 1);
    if (!bytes) return gei_out_of_memory(r->diag, n / 2);
    decode_hex(r, bytes, n / 2);
    *out = (gei_attr){ .kind = GEI_ATTR_BYTES, .count = (uint32_t)(n / 2), .v.bytes = bytes };
    return GE_OK;
}

/* "nan(7fa00000)": the bits of a NaN that is not the usual one. */
static ge_status read_nan(gei_text_reader *r, gei_attr *out) {
    uint32_t bits = 0;
    *out = gei_attr_float(NAN);
    if (!gei_read_mark(r, "(")) return GE_OK;
    size_t at = gei_read_offset(r), n = count_hex(r);
    if (n == 0 || n > 8) return gei_reader_fail(r, at, "wanted the bits of a nan as hex digits");
    for (size_t i = 0; i < n; i++) bits = bits << 4 | (uint32_t)hex_digit(r->text[r->at++]);
    out->v.f = gei_f32_of_bits(bits);
    if (!isnan(out->v.f)) return gei_reader_fail(r, at, "these are not the bits of a nan");
    return gei_read_expect(r, ")");
}

static ge_status read_number(gei_text_reader *r, gei_attr_kind hint, gei_attr *out) {
    const char *text = r->text + r->at;
    size_t left = r->size - r->at, n_float, n_int;
    float f;
    int64_t i;
    n_float = gei_parse_f32(text, left, &f);
    n_int = gei_parse_i64(text, left, &i);
    if (n_float == 0 && n_int == 0) return gei_reader_wanted(r, "a number that fits");
    if (n_int >= n_float) {
        *out = gei_attr_int(i);
        r->at += n_int;
        return GE_OK;
    }
    bool is_whole = memchr(text, '.', n_float) == NULL && memchr(text, 'e', n_float) == NULL && memchr(text, 'E', n_float) == NULL;
    if (is_whole && isfinite(f) && hint != GEI_ATTR_FLOAT && hint != GEI_ATTR_FLOATS)
        return gei_reader_fail(r, r->at, "the integer %.*s does not fit 64 bits", (int)(n_float < 32 ? n_float : 32), text);
    *out = gei_attr_float(f);
    r->at += n_float;
    return GE_OK;
}

/* Lists that are empty still say what they would hold. */
static gei_attr_kind list_word(gei_text w) {
    static const struct {
        const char *word;
        gei_attr_kind kind;
    } words[] = { { "floats", GEI_ATTR_FLOATS },   { "bools", GEI_ATTR_BOOLS },     { "strings", GEI_ATTR_STRINGS },
                  { "dtypes", GEI_ATTR_DTYPES },   { "tensors", GEI_ATTR_TENSORS }, { "lists", GEI_ATTR_INT_LISTS },
                  { "bytes", GEI_ATTR_BYTES_LIST }, { "float_lists", GEI_ATTR_FLOAT_LISTS } };
    for (size_t i = 0; i < GEI_COUNT(words); i++)
        if (is_word(w, words[i].word)) return words[i].kind;
    return GEI_ATTR_NONE;
}

static ge_status read_word(gei_text_reader *r, gei_attr *out) {
    size_t at = gei_read_offset(r);
    int32_t dtype;
    gei_text w;
    if (gei_read_keyword(r, "true")) *out = gei_attr_bool(true);
    else if (gei_read_keyword(r, "false")) *out = gei_attr_bool(false);
    else if (gei_read_keyword(r, "null")) *out = gei_attr_tensor(NULL);
    else if (gei_read_keyword(r, "none")) *out = (gei_attr){ .kind = GEI_ATTR_NONE };
    else if (gei_read_keyword(r, "inf")) *out = gei_attr_float(INFINITY);
    else if (gei_read_keyword(r, "nan")) return read_nan(r, out);
    else if (ahead_dtype(r, &dtype, &w)) {
        GEI_TRY(read_dtype(r, &dtype));
        if (gei_read_is(r, "[")) return read_tensor(r, at, dtype, out);
        *out = gei_attr_dtype(dtype);
    } else if (gei_read_ahead_word(r, &w) && list_word(w) != GEI_ATTR_NONE) {
        r->at += w.size;
        *out = (gei_attr){ .kind = list_word(w) };
        GEI_TRY(gei_read_expect(r, "["));
        return gei_read_expect(r, "]");
    } else {
        return gei_reader_wanted(r, "an attribute value");
    }
    return GE_OK;
}

static ge_status read_value(gei_text_reader *r, gei_attr_kind hint, uint32_t depth, gei_attr *out);

/* ---- lists ---- */

typedef GEI_VEC(gei_attr) attr_vec;

static gei_attr_kind list_of(gei_attr_kind kind) {
    switch (kind) {
    case GEI_ATTR_INT: return GEI_ATTR_INTS;
    case GEI_ATTR_FLOAT: return GEI_ATTR_FLOATS;
    case GEI_ATTR_BOOL: return GEI_ATTR_BOOLS;
    case GEI_ATTR_STRING: return GEI_ATTR_STRINGS;
    case GEI_ATTR_DTYPE: return GEI_ATTR_DTYPES;
    case GEI_ATTR_TENSOR: return GEI_ATTR_TENSORS;
    case GEI_ATTR_INTS: return GEI_ATTR_INT_LISTS;
    case GEI_ATTR_FLOATS: return GEI_ATTR_FLOAT_LISTS;
    case GEI_ATTR_BYTES: return GEI_ATTR_BYTES_LIST;
    default: return GEI_ATTR_NONE;
    }
}

static gei_attr_kind element_of(gei_attr_kind list) {
    switch (list) {
    case GEI_ATTR_FLOATS: return GEI_ATTR_FLOAT;
    case GEI_ATTR_BOOLS: return GEI_ATTR_BOOL;
    case GEI_ATTR_DTYPES: return GEI_ATTR_DTYPE;
    case GEI_ATTR_FLOAT_LISTS: return GEI_ATTR_FLOATS;
    default: return GEI_ATTR_NONE;
    }
}

/* An int where the definition wants something an int can be. */
static void adapt(gei_attr *a, gei_attr_kind wanted) {
    if (a->kind != GEI_ATTR_INT) return;
    if (wanted == GEI_ATTR_FLOAT) *a = gei_attr_float((float)a->v.i);
    else if (wanted == GEI_ATTR_BOOL && (a->v.i == 0 || a->v.i == 1)) *a = gei_attr_bool(a->v.i == 1);
    else if (wanted == GEI_ATTR_DTYPE && a->v.i >= INT32_MIN && a->v.i <= INT32_MAX) *a = gei_attr_dtype((int32_t)a->v.i);
}

#define PACK(type, field, expr)                                             \
    do {                                                                    \
        type *packed = gei_arena_array(r->arena, type, items->count);       \
        if (!packed) return gei_out_of_memory(r->diag, 0);                  \
        for (size_t i = 0; i < items->count; i++) packed[i] = (expr);       \
        out->v.field = packed;                                              \
    } while (0)

static ge_status pack_list(gei_text_reader *r, const attr_vec *items, gei_attr_kind list, gei_attr *out) {
    const gei_attr *v = items->items;
    *out = (gei_attr){ .kind = list, .count = (uint32_t)items->count };
    switch (list) {
    case GEI_ATTR_INTS: PACK(int64_t, ints, v[i].v.i); break;
    case GEI_ATTR_FLOATS: PACK(float, floats, v[i].v.f); break;
    case GEI_ATTR_BOOLS: PACK(uint8_t, bools, v[i].v.b); break;
    case GEI_ATTR_STRINGS: PACK(gei_text, strings, v[i].v.s); break;
    case GEI_ATTR_DTYPES: PACK(int32_t, dtypes, v[i].v.dtype); break;
    case GEI_ATTR_TENSORS: PACK(gei_tensor *, tensors, v[i].v.tensor); break;
    case GEI_ATTR_BYTES_LIST: PACK(gei_text, strings, ((gei_text){ v[i].v.bytes, v[i].count })); break;
    case GEI_ATTR_FLOAT_LISTS: PACK(gei_float_list, float_lists, ((gei_float_list){ v[i].v.floats, v[i].count })); break;
    default: PACK(gei_int_list, lists, ((gei_int_list){ v[i].v.ints, v[i].count })); break;
    }
    return GE_OK;
}

/* Kind of the list from its elements; ints among floats are floats. */
static ge_status settle_kind(gei_text_reader *r, size_t at, attr_vec *items, gei_attr_kind hint, gei_attr_kind *out) {
    gei_attr_kind wanted = element_of(hint);
    if (items->count == 0) {
        *out = gei_attr_kind_is_list(hint) ? hint : GEI_ATTR_INTS;
        return GE_OK;
    }
    for (size_t i = 0; i < items->count && wanted == GEI_ATTR_NONE; i++)
        if (items->items[i].kind == GEI_ATTR_FLOAT) wanted = GEI_ATTR_FLOAT;
    for (size_t i = 0; i < items->count; i++) {
        adapt(&items->items[i], wanted);
        if (items->items[i].kind != items->items[0].kind)
            return gei_reader_fail(r, at, "element %zu of the list is of kind %s, the first of kind %s", i,
                                   gei_attr_kind_name(items->items[i].kind), gei_attr_kind_name(items->items[0].kind));
    }
    *out = list_of(items->items[0].kind);
    if (*out != GEI_ATTR_NONE) return GE_OK;
    return gei_reader_fail(r, at, "there are no lists of kind %s", gei_attr_kind_name(items->items[0].kind));
}

static ge_status read_items(gei_text_reader *r, gei_attr_kind hint, uint32_t depth, attr_vec *items) {
    if (gei_read_mark(r, "]")) return GE_OK;
    do {
        gei_attr item;
        GEI_TRY(read_value(r, hint, depth + 1, &item));
        if (items->count >= UINT32_MAX) return gei_reader_fail(r, r->at, "the list is too long");
        if (!gei_vec_push(r->graph->from, items, item)) return gei_out_of_memory(r->diag, 0);
    } while (gei_read_mark(r, ","));
    return gei_read_expect(r, "]");
}

/* The opening mark is consumed. */
static ge_status read_list(gei_text_reader *r, size_t at, gei_attr_kind hint, uint32_t depth, gei_attr *out) {
    attr_vec items = { 0 };
    gei_attr_kind list;
    ge_status st = read_items(r, element_of(hint), depth, &items);
    if (st == GE_OK) st = settle_kind(r, at, &items, hint, &list);
    if (st == GE_OK) st = pack_list(r, &items, list, out);
    gei_vec_free(r->graph->from, &items);
    return st;
}

/* ---- named ---- */

typedef GEI_VEC(gei_named_attr) named_vec;

static ge_status read_pairs(gei_text_reader *r, const char *closing, uint32_t depth, named_vec *pairs) {
    if (gei_read_mark(r, closing)) return GE_OK;
    do {
        gei_named_attr pair;
        GEI_TRY(gei_read_key(r, &pair.name));
        GEI_TRY(gei_read_expect(r, "="));
        GEI_TRY(read_value(r, GEI_ATTR_NONE, depth + 1, &pair.value));
        if (pairs->count >= UINT32_MAX) return gei_reader_fail(r, r->at, "the list is too long");
        if (!gei_vec_push(r->graph->from, pairs, pair)) return gei_out_of_memory(r->diag, 0);
    } while (gei_read_mark(r, ","));
    return gei_read_expect(r, closing);
}

static ge_status read_named(gei_text_reader *r, const char *closing, uint32_t depth, gei_attr *out) {
    named_vec pairs = { 0 };
    ge_status st = read_pairs(r, closing, depth, &pairs);
    if (st == GE_OK) {
        gei_named_attr *packed = gei_arena_array(r->arena, gei_named_attr, pairs.count);
        if (packed && pairs.count > 0) memcpy(packed, pairs.items, pairs.count * sizeof *packed);
        *out = (gei_attr){ .kind = GEI_ATTR_NAMED, .count = (uint32_t)pairs.count, .v.named = packed };
        if (!packed) st = gei_out_of_memory(r->diag, 0);
    }
    gei_vec_free(r->graph->from, &pairs);
    return st;
}

ge_status gei_read_named(gei_text_reader *r, const char *closing, gei_attr *out) { return read_named(r, closing, 0, out); }

/* ---- any value ---- */

static ge_status read_value(gei_text_reader *r, gei_attr_kind hint, uint32_t depth, gei_attr *out) {
    size_t at = gei_read_offset(r);
    if (depth > MOST_NESTED) return gei_reader_fail(r, at, "values are nested deeper than %d", MOST_NESTED);
    if (at >= r->size) return gei_reader_wanted(r, "an attribute value");
    char c = r->text[at];
    if (c == '"') {
        out->kind = GEI_ATTR_STRING;
        out->count = 0;
        return gei_read_string(r, &out->v.s);
    }
    if (gei_read_mark(r, "#")) return read_bytes(r, out);
    if (gei_read_mark(r, "{")) return read_named(r, "}", depth, out);
    if (gei_read_mark(r, "[")) return read_list(r, at, hint, depth, out);
    if (is_digit(c) || c == '-' || c == '+') GEI_TRY(read_number(r, hint, out));
    else GEI_TRY(read_word(r, out));
    adapt(out, hint);
    return GE_OK;
}

ge_status gei_read_attr(gei_text_reader *r, gei_attr_kind hint, gei_attr *out) { return read_value(r, hint, 0, out); }
