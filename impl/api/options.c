/* SPDX-License-Identifier: Apache-2.0 */
#include "api/options.h"

#include <assert.h>
#include <string.h>

#include "api/option_table.h"

typedef enum option_kind { TEXT, INT, SWITCH } option_kind;

typedef struct option_row {
    const char *key, *levels;
    option_kind kind;
    const char *def;
} option_row;

static const option_row rows[] = {
#define X(key, levels, kind, def) { key, levels, kind, def },
    GEI_OPTION_TABLE(X)
#undef X
};

typedef struct option_value {
    uint32_t row;
    char *text; /* zero-terminated, size bytes of text */
    size_t size;
} option_value;

struct gei_api_options {
    gei_api_context *ctx;
    GEI_VEC(option_value) values;
    gei_api_allocator *allocator; /* for contexts made with these; NULL: memory of the process */
};

#define NO_ROW UINT32_MAX

/* Keys that something here reads; all others are accepted and logged. */
static const char *const used_keys[] = {
    "ge.backend",     "ge.dynamicBatchSize", "ge.dynamicDims", "ge.dynamicImageSize", "ge.enableSingleStream", "ge.inputShape",
    "ge.map",         "ge.maxShapes",        "ge.oo.level",    "ge.passesOff",        "ge.pinThreads",         "ge.referenceKernels",
    "ge.threads",     "input_format",        "input_shape",    "input_shape_range",
};

static bool is_used(const char *key) {
    for (size_t i = 0; i < GEI_COUNT(used_keys); i++)
        if (strcmp(used_keys[i], key) == 0) return true;
    return false;
}

static uint32_t row_of(const char *key, size_t size) {
    for (uint32_t i = 0; i < GEI_COUNT(rows); i++)
        if (strlen(rows[i].key) == size && memcmp(rows[i].key, key, size) == 0) return i;
    return NO_ROW;
}

static ge_status unknown_key(const char *key, size_t size, gei_diag *diag) {
    uint32_t best = 0;
    size_t least = SIZE_MAX;
    for (uint32_t i = 0; i < GEI_COUNT(rows); i++) {
        size_t d = gei_edit_distance(key, size, rows[i].key, strlen(rows[i].key));
        if (d < least) {
            least = d;
            best = i;
        }
    }
    gei_diag_found(diag, "%.*s", (int)(size < 60 ? size : 60), key);
    if (least == SIZE_MAX)
        return gei_argument_fail(diag, "key", 1, GE_ERR_UNKNOWN_OPTION, "no option has a key of %zu bytes: '%.*s...'", size, 100, key);
    gei_diag_wanted(diag, "%s", rows[best].key);
    return gei_argument_fail(diag, "key", 1, GE_ERR_UNKNOWN_OPTION, "no option has the key '%.*s'; the nearest is '%s'",
                             (int)(size < 200 ? size : 200), key, rows[best].key);
}

static bool is_switch(const char *text, size_t size) {
    static const char *const words[] = { "0", "1", "true", "false", "True", "False" };
    for (size_t i = 0; i < GEI_COUNT(words); i++)
        if (strlen(words[i]) == size && memcmp(words[i], text, size) == 0) return true;
    return false;
}

/* Values our own consumers refuse. */
static bool value_fits(const option_row *row, const char *text, size_t size) {
    int64_t number;
    if (row->kind == SWITCH) return is_switch(text, size);
    if (row->kind == INT && (gei_parse_i64(text, size, &number) != size || size == 0)) return false;
    if (strcmp(row->key, "ge.threads") == 0) return number >= 0 && number <= 1024;
    if (strcmp(row->key, "ge.maxShapes") == 0) return number >= 0 && number <= 1000000;
    if (strcmp(row->key, "ge.backend") == 0) return strcmp(text, "auto") == 0 || strcmp(text, "cpu") == 0;
    return true;
}

static option_value *find_value(const gei_api_options *o, uint32_t row) {
    for (size_t i = 0; i < o->values.count; i++)
        if (o->values.items[i].row == row) return &o->values.items[i];
    return NULL;
}

static ge_status keep_text(gei_api_options *o, uint32_t row, const char *value, size_t value_size, gei_diag *diag) {
    char *text = gei_alloc(&gei_heap, value_size + 1, 1);
    if (!text) return gei_out_of_memory(diag, value_size + 1);
    if (value_size) memcpy(text, value, value_size);
    text[value_size] = 0;
    if ((value_size && memchr(text, 0, value_size)) || !value_fits(&rows[row], text, value_size)) {
        bool is_backend = strcmp(rows[row].key, "ge.backend") == 0;
        ge_status st = gei_argument_fail(diag, "value", 3, GE_ERR_OPTION_VALUE, "option '%s' does not accept '%.100s'%s", rows[row].key, text,
                                         is_backend ? ": this build has the backends 'cpu' and 'auto', the best there is" : "");
        gei_diag_found(diag, "%s", text);
        gei_free(&gei_heap, text, value_size + 1, 1);
        return st;
    }
    option_value *old = find_value(o, row);
    if (old) {
        gei_free(&gei_heap, old->text, old->size + 1, 1);
        old->text = text;
        old->size = value_size;
        return GE_OK;
    }
    if (gei_vec_push(&gei_heap, &o->values, ((option_value){ row, text, value_size }))) return GE_OK;
    gei_free(&gei_heap, text, value_size + 1, 1);
    return gei_out_of_memory(diag, sizeof(option_value));
}

static ge_status set_text(gei_api_options *o, const char *key, size_t key_size, const char *value, size_t value_size, gei_diag *diag) {
    uint32_t row = row_of(key, key_size);
    if (row == NO_ROW) return unknown_key(key, key_size, diag);
    GEI_TRY(keep_text(o, row, value, value_size, diag));
    if (!is_used(rows[row].key)) gei_log_line(&o->ctx->log, GEI_LOG_INFO, "option '%s' has no effect here", rows[row].key);
    return GE_OK;
}

static void options_destroy(void *object) {
    gei_api_options *o = object;
    gei_api_context *ctx = o->ctx;
    for (size_t i = 0; i < o->values.count; i++) gei_free(&gei_heap, o->values.items[i].text, o->values.items[i].size + 1, 1);
    gei_vec_free(&gei_heap, &o->values);
    gei_api_allocator_release(o->allocator);
    gei_free(&gei_heap, o, sizeof *o, 0);
    gei_object_gone(ctx);
}

static const char *text_of_row(const gei_api_options *o, uint32_t row) {
    const option_value *v = find_value(o, row);
    return v ? v->text : rows[row].def;
}

const char *gei_options_text(const gei_api_options *o, const char *key) {
    uint32_t row = row_of(key, strlen(key));
    assert(is_used(key) && row != NO_ROW);
    return text_of_row(o, row);
}

int64_t gei_options_int(const gei_api_options *o, const char *key, int64_t absent) {
    const char *text = gei_options_text(o, key);
    int64_t number;
    if (strcmp(text, "true") == 0 || strcmp(text, "True") == 0) return 1;
    if (strcmp(text, "false") == 0 || strcmp(text, "False") == 0) return 0;
    return text[0] && gei_parse_i64(text, strlen(text), &number) == strlen(text) ? number : absent;
}

ge_status ge_options_create(ge_options **out_options) {
    GEI_CALL;
    gei_api_context *ctx;
    GEI_OUT(out_options);
    GEI_NEED(out_options, 0);
    ge_status st = gei_context_of(NULL, __func__, &ctx);
    if (st != GE_OK) return st;
    gei_api_options *o = gei_alloc_zero(&gei_heap, sizeof *o, 0);
    if (!o) return GEI_RETURN(gei_out_of_memory(&diag, sizeof *o));
    o->ctx = ctx;
    return GEI_RETURN(gei_object_handle(ctx, GEI_HANDLE_OPTIONS, o, options_destroy, (void **)out_options, &diag));
}

gei_api_allocator *gei_options_allocator(const gei_api_options *o) { return o->allocator; }

ge_status ge_options_set_allocator(ge_options *options, const ge_allocator *allocator) {
    GEI_CALL;
    gei_api_allocator *made;
    ge_status why = GE_OK;
    gei_api_options *o = gei_handle_get(options, GEI_HANDLE_OPTIONS, &why);
    ge_status st = gei_api_allocator_in(allocator, "allocator", 1, &made, &diag);
    if (st == GE_OK && !o) {
        st = gei_handle_fault(why, "options", 0, options, GEI_HANDLE_OPTIONS, &diag);
        gei_api_allocator_release(made);
    }
    if (st == GE_OK) {
        gei_api_allocator *old = o->allocator;
        o->allocator = made;
        gei_api_allocator_release(old);
    }
    return GEI_RETURN(st);
}

ge_status ge_options_destroy(ge_options *options) {
    ge_status st = gei_handle_close(options, GEI_HANDLE_OPTIONS);
    return st == GE_OK ? GE_OK : gei_call_bad_handle(__func__, st, "options", 0, options, GEI_HANDLE_OPTIONS);
}

ge_status ge_options_set_text(ge_options *options, const char *key, size_t key_size, const char *value, size_t value_size) {
    GEI_CALL;
    GEI_NEED(key, 1);
    GEI_NEED(value, 3);
    GEI_GET(gei_api_options, o, options, OPTIONS, 0);
    GEI_CHECK(gei_text_in(key, &key_size, "key", 1, &diag));
    GEI_CHECK(gei_text_in(value, &value_size, "value", 3, &diag));
    return GEI_RETURN(set_text(o, key, key_size, value, value_size, &diag));
}

static ge_status set_sink(gei_api_options *o, const char *key, size_t key_size, gei_sink *value, gei_diag *diag) {
    ge_status st = value->failed ? gei_out_of_memory(diag, 32) : set_text(o, key, key_size, value->data, value->size, diag);
    gei_sink_deinit(value);
    return st;
}

ge_status ge_options_set_int(ge_options *options, const char *key, size_t key_size, int64_t value) {
    GEI_CALL;
    gei_sink text;
    GEI_NEED(key, 1);
    GEI_GET(gei_api_options, o, options, OPTIONS, 0);
    GEI_CHECK(gei_text_in(key, &key_size, "key", 1, &diag));
    gei_sink_init(&text, &gei_heap);
    gei_sink_format(&text, "%lld", (long long)value);
    return GEI_RETURN(set_sink(o, key, key_size, &text, &diag));
}

ge_status ge_options_set_float(ge_options *options, const char *key, size_t key_size, double value) {
    GEI_CALL;
    gei_sink text;
    GEI_NEED(key, 1);
    GEI_GET(gei_api_options, o, options, OPTIONS, 0);
    GEI_CHECK(gei_text_in(key, &key_size, "key", 1, &diag));
    gei_sink_init(&text, &gei_heap);
    gei_sink_f64(&text, value);
    return GEI_RETURN(set_sink(o, key, key_size, &text, &diag));
}

ge_status ge_options_get_text(const ge_options *options, const char *key, size_t key_size, char *buffer, size_t buffer_size, size_t *out_size) {
    GEI_CALL;
    GEI_OUT(out_size);
    GEI_OUT_TEXT(buffer, buffer_size);
    GEI_NEED(key, 1);
    GEI_NEED(out_size, 5);
    GEI_GET(gei_api_options, o, options, OPTIONS, 0);
    GEI_CHECK(gei_text_in(key, &key_size, "key", 1, &diag));
    uint32_t row = row_of(key, key_size);
    if (row == NO_ROW) return GEI_RETURN(unknown_key(key, key_size, &diag));
    const char *text = text_of_row(o, row);
    return GEI_RETURN(gei_text_out(text, strlen(text), buffer, buffer_size, out_size, 3, &diag));
}
