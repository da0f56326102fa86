/* SPDX-License-Identifier: Apache-2.0 */
/* External data: payloads in files beside the model.  Each file is opened once and mapped, or with `copy` read piece by piece.
 * What may be opened is decided in frontend/below. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "frontend/below.h"
#include "frontend/onnx/reader.h"

typedef struct location {
    gei_span path;
    uint64_t offset, length;
    bool has_length;
} location;

/* ---- the entries ---- */

static ge_status read_number(gei_onnx_reader *r, const char *key, gei_span text, uint64_t *out) {
    int64_t number = -1;
    size_t used = text.size ? gei_parse_i64(text.data, text.size, &number) : 0;
    if (used == 0 || used != text.size || number < 0)
        return gei_fail(&r->diag, GE_ERR_EXTERNAL_DATA, "%s: %s of external data is '%.*s', wanted a number of bytes", r->place, key,
                        GEI_ONNX_FMT(text));
    *out = (uint64_t)number;
    return GE_OK;
}

static ge_status read_entry(gei_onnx_reader *r, gei_span message, location *l) {
    gei_wire w = gei_wire_at(r->file.data, message);
    gei_field f;
    gei_span key = { NULL, 0 }, value = { NULL, 0 };
    while (gei_wire_next(&w, &f)) {
        if (f.number == ONNX_ENTRY_KEY) gei_wire_text(&w, &f, &key);
        if (f.number == ONNX_ENTRY_VALUE) gei_wire_text(&w, &f, &value);
    }
    GEI_TRY(gei_onnx_wire_end(r, &w, "StringStringEntryProto"));
    if (gei_span_is(key, "location")) l->path = value;
    if (gei_span_is(key, "offset")) return read_number(r, "offset", value, &l->offset);
    if (!gei_span_is(key, "length")) return GE_OK; /* checksum, and whatever comes later */
    l->has_length = true;
    return read_number(r, "length", value, &l->length);
}

static ge_status read_location(gei_onnx_reader *r, const gei_onnx_tensor *t, location *out) {
    *out = (location){ .path = { NULL, 0 } };
    gei_wire w = gei_wire_at(r->file.data, t->bytes);
    gei_field f;
    while (gei_wire_next(&w, &f)) {
        gei_span entry;
        if (f.number != ONNX_TENSOR_EXTERNAL_DATA || !gei_wire_text(&w, &f, &entry)) continue;
        GEI_TRY(read_entry(r, entry, out));
    }
    GEI_TRY(gei_onnx_wire_end(r, &w, "TensorProto"));
    if (t->dtype == GEI_STRING) return gei_fail(&r->diag, GE_ERR_MALFORMED, "%s holds strings as external data", r->place);
    if (t->has_raw && t->raw.size > 0) return gei_fail(&r->diag, GE_ERR_MALFORMED, "%s has its data inside and outside of the model", r->place);
    if (!out->path.data) return gei_fail(&r->diag, GE_ERR_EXTERNAL_DATA, "%s: external data has no location", r->place);
    if (!out->has_length || out->length == t->size_bytes) return GE_OK;
    (void)gei_fail(&r->diag, GE_ERR_EXTERNAL_DATA, "%s: external data has %llu bytes, its shape needs %zu", r->place,
                   (unsigned long long)out->length, t->size_bytes);
    gei_diag_found(&r->diag, "%llu bytes", (unsigned long long)out->length);
    gei_diag_wanted(&r->diag, "%zu bytes", t->size_bytes);
    return GE_ERR_EXTERNAL_DATA;
}

/* ---- files ---- */

static ge_status open_location(gei_onnx_reader *r, const location *l, int *out_fd, uint64_t *out_size) {
    if (!r->options->directory)
        return gei_fail(&r->diag, GE_ERR_EXTERNAL_DATA, "%s: external data '%.*s' is refused, no folder for it was given", r->place,
                        GEI_ONNX_FMT(l->path));
    if (r->folder_fd < 0) GEI_TRY(gei_below_folder(r->options->directory, &r->folder_fd, &r->diag));
    return gei_below_open(r->folder_fd, l->path, r->options->follows_links, r->place, out_fd, out_size, &r->diag);
}

/* A file adds to the budget once: copies out of it may take a few times its size. */
static ge_status remember(gei_onnx_reader *r, const location *l, const gei_onnx_external *external) {
    uint64_t more;
    if (__builtin_mul_overflow(external->size, (uint64_t)r->limits.budget_per_byte, &more)) more = UINT64_MAX;
    if (__builtin_add_overflow(r->budget_bytes, more, &r->budget_bytes)) r->budget_bytes = UINT64_MAX;
    if (!gei_vec_push(r->from, &r->externals, *external)) return gei_onnx_out_of_memory(r);
    if (gei_strmap_put(&r->external_names, l->path.data, l->path.size, r->externals.count - 1)) return GE_OK;
    r->externals.count--;
    return gei_onnx_out_of_memory(r);
}

static ge_status map_file(gei_onnx_reader *r, const location *l, int fd, uint64_t size, gei_onnx_external *out) {
    *out = (gei_onnx_external){ .size = size };
    if (!r->options->copy) {
        if (size > SIZE_MAX) return gei_fail(&r->diag, GE_ERR_EXTERNAL_DATA, "%s: external data is too large", r->place);
        ge_status status = gei_mapped_open_fd(r->from, fd, (size_t)size, &out->mapped, &r->diag);
        if (status != GE_OK) return gei_onnx_tensor_status(r, status);
    }
    ge_status status = remember(r, l, out);
    if (status != GE_OK) gei_mapped_release(out->mapped);
    return status;
}

/* *out_fd is open only with `copy`; the caller closes it. */
static ge_status find_file(gei_onnx_reader *r, const location *l, gei_onnx_external *out, int *out_fd) {
    uint64_t index, size;
    bool is_known = gei_strmap_find(&r->external_names, l->path.data, l->path.size, &index);
    *out_fd = -1;
    if (is_known) *out = r->externals.items[index];
    if (is_known && !r->options->copy) return GE_OK;
    if (!is_known && r->externals.count >= r->limits.external_files)
        return gei_fail(&r->diag, GE_ERR_LIMIT, "%s: more than %u files of external data", r->place, r->limits.external_files);
    int fd;
    GEI_TRY(open_location(r, l, &fd, &size));
    ge_status status = is_known ? GE_OK : map_file(r, l, fd, size, out);
    out->size = size;
    if (status == GE_OK && r->options->copy) *out_fd = fd;
    else (void)close(fd);
    return status;
}

static ge_status check_range(gei_onnx_reader *r, const gei_onnx_tensor *t, const location *l, uint64_t file_bytes) {
    if (l->offset <= file_bytes && t->size_bytes <= file_bytes - l->offset) return GE_OK;
    return gei_fail(&r->diag, GE_ERR_EXTERNAL_DATA, "%s: external data '%.*s' has %llu bytes, wanted %zu from byte %llu", r->place,
                    GEI_ONNX_FMT(l->path), (unsigned long long)file_bytes, t->size_bytes, (unsigned long long)l->offset);
}

static ge_status read_at(gei_onnx_reader *r, int fd, uint64_t offset, uint8_t *to, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t n = pread(fd, to + done, size - done, (off_t)(offset + done));
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return gei_fail(&r->diag, GE_ERR_EXTERNAL_DATA, "%s: external data could not be read", r->place);
        done += (size_t)n;
    }
    return GE_OK;
}

static ge_status read_copy(gei_onnx_reader *r, const gei_onnx_tensor *t, const location *l, int fd, gei_tensor **out) {
    GEI_TRY(gei_onnx_charge(r, t->size_bytes));
    GEI_TRY(gei_tensor_create(r->from, t->dtype, t->rank, t->dims, out, &r->diag));
    if (t->size_bytes == 0) return GE_OK;
    ge_status status = read_at(r, fd, l->offset, (*out)->data, t->size_bytes);
    if (status == GE_OK) {
        gei_onnx_normalise(t, (*out)->data);
        return GE_OK;
    }
    gei_tensor_release(*out);
    *out = NULL;
    return status;
}

ge_status gei_onnx_read_external(gei_onnx_reader *r, const gei_onnx_tensor *t, gei_tensor **out) {
    location l;
    gei_onnx_external file = { NULL, 0 };
    int fd;
    GEI_TRY(read_location(r, t, &l));
    GEI_TRY(find_file(r, &l, &file, &fd));
    ge_status status = check_range(r, t, &l, file.size);
    if (status == GE_OK && file.mapped) {
        const gei_onnx_owner owner = { gei_mapped_retain, gei_mapped_release, file.mapped };
        const uint8_t *data = file.mapped->file.data;
        status = gei_onnx_adopt(r, t, t->size_bytes > 0 ? data + l.offset : NULL, &owner, out);
    } else if (status == GE_OK) {
        status = read_copy(r, t, &l, fd, out);
    }
    if (fd >= 0) (void)close(fd);
    return status;
}
