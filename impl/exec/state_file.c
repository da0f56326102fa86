/* SPDX-License-Identifier: Apache-2.0 */
/* state_file: a state as bytes, little-endian.
 *
 *   magic "GESTATE\0", u32 version 1, u32 count
 *   each variable: u32 name size, name; i32 dtype, i32 rank, i64 dims[rank]; u64 size, contents
 *
 * Variables without content are left out.  Reading trusts nothing: every size is checked against what is left. */
#include <string.h>

#include "base/bytes.h"
#include "exec/state.h"

#define MAGIC "GESTATE"
#define VERSION 1u

typedef struct reader {
    const char *data;
    size_t left;
} reader;

static void put(gei_sink *to, const void *data, size_t size) { gei_sink_bytes(to, data, size); }

static void put_variable(const gei_variable *v, gei_sink *to) {
    uint32_t name_size = (uint32_t)strlen(v->name);
    uint64_t size = v->tensor->size_bytes;
    put(to, &name_size, sizeof name_size);
    put(to, v->name, name_size);
    put(to, &v->dtype, sizeof v->dtype);
    put(to, &v->shape.rank, sizeof v->shape.rank);
    put(to, v->shape.dims, (size_t)v->shape.rank * sizeof *v->shape.dims);
    put(to, &size, sizeof size);
    if (size > 0) put(to, v->tensor->data, size);
}

ge_status gei_state_export(gei_state *s, gei_sink *to, gei_diag *diag) {
    uint32_t head[2] = { VERSION, 0 };
    GEI_TRY(gei_state_take(s, NULL, diag));
    uint32_t n = gei_state_count(s);
    for (uint32_t i = 0; i < n; i++) head[1] += gei_state_at(s, i)->has_content;
    put(to, MAGIC, sizeof MAGIC);
    put(to, head, sizeof head);
    for (uint32_t i = 0; i < n; i++)
        if (gei_state_at(s, i)->has_content) put_variable(gei_state_at(s, i), to);
    gei_state_give(s);
    return to->failed ? gei_out_of_memory(diag, to->size) : GE_OK;
}

/* ---- reading ---- */

static ge_status get(reader *r, void *to, size_t size, gei_diag *diag) {
    if (size > r->left) return gei_fail(diag, GE_ERR_TRUNCATED, "the state ends %zu bytes too early", size - r->left);
    memcpy(to, r->data, size);
    r->data += size;
    r->left -= size;
    return GE_OK;
}

static ge_status skip(reader *r, size_t size, const char **out, gei_diag *diag) {
    if (size > r->left) return gei_fail(diag, GE_ERR_TRUNCATED, "the state ends %zu bytes too early", size - r->left);
    *out = r->data;
    r->data += size;
    r->left -= size;
    return GE_OK;
}

/* One variable: where its contents lie.  Refuses what the state does not have in exactly this form. */
static ge_status read_variable(reader *r, gei_state *s, gei_variable **out, const char **out_contents, gei_diag *diag) {
    uint32_t name_size = 0, index;
    const char *name = NULL;
    int32_t dtype = 0, rank = 0;
    int64_t dims[GEI_MAX_RANK], n_elems;
    uint64_t size = 0;
    size_t wanted;
    GEI_TRY(get(r, &name_size, sizeof name_size, diag));
    GEI_TRY(skip(r, name_size, &name, diag));
    GEI_TRY(get(r, &dtype, sizeof dtype, diag));
    GEI_TRY(get(r, &rank, sizeof rank, diag));
    if (rank < 0 || rank > GEI_MAX_RANK) return gei_fail(diag, GE_ERR_MALFORMED, "a variable of rank %d", rank);
    GEI_TRY(get(r, dims, (size_t)rank * sizeof *dims, diag));
    GEI_TRY(get(r, &size, sizeof size, diag));
    if (!gei_dtype_get(dtype)) return gei_fail(diag, GE_ERR_MALFORMED, "a variable of type %d", dtype);
    for (int32_t i = 0; i < rank; i++)
        if (dims[i] < 0) return gei_fail(diag, GE_ERR_MALFORMED, "a dim of %lld", (long long)dims[i]);
    gei_shape shape = gei_shape_of(rank, dims);
    bool is_sized = gei_shape_elems(&shape, &n_elems) && gei_dtype_bytes(dtype, (uint64_t)n_elems, &wanted) && wanted == size;
    if (!is_sized) return gei_fail(diag, GE_ERR_MALFORMED, "%llu bytes do not fit the shape of a variable", (unsigned long long)size);
    GEI_TRY(skip(r, size, out_contents, diag));
    if (!gei_state_find(s, name, name_size, &index))
        return gei_fail(diag, GE_ERR_NOT_FOUND, "the state has no variable '%.*s'", (int)(name_size < 100 ? name_size : 100), name);
    *out = gei_state_at(s, index);
    if ((*out)->dtype != dtype) return gei_fail(diag, GE_ERR_DTYPE, "variable '%s' is %s, not %s", (*out)->name, gei_dtype_name((*out)->dtype), gei_dtype_name(dtype));
    if (!gei_shape_same(&(*out)->shape, &shape)) return gei_fail(diag, GE_ERR_SHAPE, "variable '%s' has another shape", (*out)->name);
    return GE_OK;
}

static ge_status read_head(reader *r, uint32_t *out_count, gei_diag *diag) {
    char magic[sizeof MAGIC];
    uint32_t head[2];
    GEI_TRY(get(r, magic, sizeof magic, diag));
    GEI_TRY(get(r, head, sizeof head, diag));
    if (memcmp(magic, MAGIC, sizeof magic) != 0) return gei_fail(diag, GE_ERR_MALFORMED, "these bytes are no state");
    if (head[0] != VERSION) return gei_fail(diag, GE_ERR_MALFORMED, "state format %u is not known, %u is", head[0], VERSION);
    *out_count = head[1];
    return GE_OK;
}

/* Pass 0 checks everything and takes the memory, so that pass 1 cannot fail. */
static ge_status walk(gei_state *s, reader r, bool is_writing, gei_diag *diag) {
    uint32_t count = 0;
    GEI_TRY(read_head(&r, &count, diag));
    for (uint32_t i = 0; i < count; i++) {
        gei_variable *v = NULL;
        const char *contents = NULL;
        GEI_TRY(read_variable(&r, s, &v, &contents, diag));
        GEI_TRY(gei_state_own(s, v, false, diag));
        if (!is_writing) continue;
        if (v->tensor->size_bytes > 0) memcpy(v->tensor->data, contents, v->tensor->size_bytes);
        v->has_content = true;
    }
    return r.left == 0 ? GE_OK : gei_fail(diag, GE_ERR_MALFORMED, "%zu bytes too many behind the state", r.left);
}

ge_status gei_state_import(gei_state *s, const void *data, size_t size, gei_diag *diag) {
    reader r = { data, size };
    GEI_TRY(gei_state_take(s, NULL, diag));
    ge_status st = walk(s, r, false, diag);
    if (st == GE_OK) st = walk(s, r, true, diag);
    gei_state_give(s);
    return st;
}
