/* SPDX-License-Identifier: Apache-2.0 */
/* Finding definitions, rows and foreign operators; how kernels cut their work. */
#include "ops/op.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "ops/op_table.h"

/* ---- definitions and rows ---- */

static int compare_name(const char *a, size_t a_size, const char *b) {
    int order = strncmp(a, b, a_size);
    return order != 0 ? order : (b[a_size] == '\0' ? 0 : -1);
}

const gei_op_def *gei_catalogue_find(const char *name, size_t name_size) {
    size_t low = 0, high = gei_catalogue_count;
    if (memchr(name, '\0', name_size)) return NULL;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        int order = compare_name(name, name_size, gei_catalogue[mid]->name);
        if (order == 0) return gei_catalogue[mid];
        if (order < 0) high = mid;
        else low = mid + 1;
    }
    return NULL;
}

const gei_op_def *gei_catalogue_at(size_t index) { return index < gei_catalogue_count ? gei_catalogue[index] : NULL; }

static const gei_op *row_of(const gei_op_def *def) {
    uint32_t row = def->row;
    if (def->own_row) return def->own_row;
    for (size_t i = 0; row == 0 && i < gei_builtin_row_count; i++)
        if (gei_builtin_rows[i].def == def) row = gei_builtin_rows[i].row;
    return row == 0 ? NULL : gei_op_table[row - 1];
}

const gei_op *gei_op_of(const gei_node *node) { return row_of(node->def); }

const gei_op *gei_op_row(const char *name, size_t name_size) {
    const gei_op_def *def = gei_catalogue_find(name, name_size);
    return def ? row_of(def) : NULL;
}

size_t gei_op_row_count(void) { return gei_op_table_count; }
const gei_op *gei_op_row_at(size_t index) { return index < gei_op_table_count ? gei_op_table[index] : NULL; }

/* ---- foreign operators ---- */

typedef struct source_entry {
    const gei_source *source;
    const gei_op *op;
    const char *type;   /* without the domain */
    size_t domain_size; /* characters of source->type before ':', 0: the default domain */
} source_entry;

typedef struct source_key {
    int32_t framework;
    const char *domain, *type;
    size_t domain_size;
} source_key;

typedef struct source_index { /* sorted by framework, domain, type, since */
    size_t count;
    source_entry entries[];
} source_index;

/* Made at the first search and kept: the rows it tells about are constants. */
static _Atomic(source_index *) shared_index;

static source_entry entry_of(const gei_source *source, const gei_op *op) {
    const char *colon = strchr(source->type, ':');
    if (!colon) return (source_entry){ source, op, source->type, 0 };
    return (source_entry){ source, op, colon + 1, (size_t)(colon - source->type) };
}

static int compare_key(const source_key *key, const source_entry *e) {
    if (key->framework != e->source->framework) return key->framework < e->source->framework ? -1 : 1;
    if (key->domain_size != e->domain_size) return key->domain_size < e->domain_size ? -1 : 1;
    int order = key->domain_size ? memcmp(key->domain, e->source->type, key->domain_size) : 0;
    return order != 0 ? order : strcmp(key->type, e->type);
}

static int compare_entries(const void *a, const void *b) {
    const source_entry *x = (const source_entry *)a, *y = (const source_entry *)b;
    source_key key = { x->source->framework, x->source->type, x->type, x->domain_size };
    int order = compare_key(&key, y);
    if (order != 0) return order;
    return x->source->since < y->source->since ? -1 : x->source->since > y->source->since;
}

static size_t count_sources(void) {
    size_t count = 0;
    for (size_t i = 0; i < gei_op_table_count; i++)
        for (const gei_source *s = gei_op_table[i]->sources; s && s->type; s++) count++;
    return count;
}

/* NULL when out of memory. */
static const source_index *get_index(void) {
    source_index *index = atomic_load_explicit(&shared_index, memory_order_acquire);
    if (index) return index;
    size_t count = count_sources(), bytes = sizeof(source_index) + count * sizeof(source_entry);
    index = (source_index *)gei_alloc(&gei_heap, bytes, _Alignof(source_index));
    if (!index) return NULL;
    index->count = 0;
    for (size_t i = 0; i < gei_op_table_count; i++)
        for (const gei_source *s = gei_op_table[i]->sources; s && s->type; s++)
            index->entries[index->count++] = entry_of(s, gei_op_table[i]);
    qsort(index->entries, index->count, sizeof(source_entry), compare_entries);
    source_index *before = NULL;
    if (atomic_compare_exchange_strong_explicit(&shared_index, &before, index, memory_order_acq_rel, memory_order_acquire))
        return index;
    gei_free(&gei_heap, index, bytes, _Alignof(source_index)); /* another thread was faster */
    return before;
}

/* Entry of the key with the largest since <= opset, by binary search for the first entry behind it. */
static const source_entry *search_index(const source_index *index, const source_key *key, int32_t opset) {
    size_t low = 0, high = index->count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        int order = compare_key(key, &index->entries[mid]);
        if (order < 0 || (order == 0 && index->entries[mid].source->since > opset)) high = mid;
        else low = mid + 1;
    }
    return low > 0 && compare_key(key, &index->entries[low - 1]) == 0 ? &index->entries[low - 1] : NULL;
}

/* What search_index finds, without memory. */
static bool search_rows(const source_key *key, int32_t opset, source_entry *out) {
    bool found = false;
    for (size_t i = 0; i < gei_op_table_count; i++) {
        for (const gei_source *s = gei_op_table[i]->sources; s && s->type; s++) {
            source_entry e = entry_of(s, gei_op_table[i]);
            if (s->since > opset || compare_key(key, &e) != 0) continue;
            if (!found || s->since > out->source->since) *out = e;
            found = true;
        }
    }
    return found;
}

const gei_source *gei_source_find(int32_t framework, const char *domain, const char *type, int32_t opset, const gei_op **out_op) {
    bool is_default = !domain || !*domain || strcmp(domain, "ai.onnx") == 0;
    source_key key = { framework, is_default ? "" : domain, type, is_default ? 0 : strlen(domain) };
    const source_index *index = get_index();
    source_entry found = { 0 };
    if (index) {
        const source_entry *e = search_index(index, &key, opset);
        if (e) found = *e;
    } else {
        (void)search_rows(&key, opset, &found);
    }
    if (out_op) *out_op = found.op;
    return found.source;
}

/* ---- kernels ---- */

bool gei_refuse(gei_reason *why, const char *format, ...) {
    if (!why) return false;
    va_list args;
    va_start(args, format);
    (void)gei_format_text(why->text, sizeof why->text, format, args);
    va_end(args);
    return false;
}

uint32_t gei_parts_forced;

uint32_t gei_parts(int64_t work, int64_t grain) {
    const int64_t most = 64;
    if (work <= 1) return 1;
    if (gei_parts_forced) return (uint32_t)(work < gei_parts_forced ? work : gei_parts_forced);
    int64_t parts = work / (grain > 0 ? grain : 1);
    return (uint32_t)(parts < 1 ? 1 : parts > most ? most : parts);
}

void gei_part_range(int64_t n, uint32_t n_parts, uint32_t part, int64_t *begin, int64_t *end) {
    int64_t each = n / n_parts, rest = n % n_parts;
    *begin = part * each + (part < rest ? part : rest);
    *end = *begin + each + (part < rest);
}

ge_status gei_run_set_output(const gei_run *run, uint32_t out, int32_t rank, const int64_t *dims, size_t size_bytes, void **out_data) {
    gei_view *view = run->out[out];
    gei_shape shape = gei_shape_of(rank, dims);
    int64_t n_elems;
    if (!gei_shape_elems(&shape, &n_elems)) return gei_fail(run->diag, GE_ERR_SHAPE, "output %u: its size does not fit 64 bits", out);
    void *data = gei_alloc(run->heap, size_bytes, GEI_ALIGN_BYTES);
    if (!data) return gei_out_of_memory(run->diag, size_bytes);
    view->data = data;
    view->n_elems = n_elems;
    view->rank = rank;
    if (rank > 0) memcpy(view->dims, dims, (size_t)rank * sizeof *dims);
    *out_data = data;
    return GE_OK;
}

bool gei_node_clip(const gei_node *node, float *out_low, float *out_high) {
    const gei_attr *clip = gei_attrs_find(&node->attrs, GEI_ATTR_CLIP);
    if (!clip || clip->kind != GEI_ATTR_FLOATS || clip->count != 2) return false;
    *out_low = clip->v.floats[0];
    *out_high = clip->v.floats[1];
    return true;
}

void gei_clip_floats(float *values, int64_t count, float low, float high) {
    for (int64_t i = 0; i < count; i++) {
        float v = values[i] > high ? high : values[i];
        values[i] = v < low ? low : v;
    }
}
