/* SPDX-License-Identifier: Apache-2.0 */
#include "frontend/onnx/onnx.h"

#include <string.h>
#include <unistd.h>

#include "frontend/onnx/reader.h"

/* ---- the reader ---- */

static void init_reader(gei_onnx_reader *r, const uint8_t *bytes, size_t size, const gei_onnx_options *options) {
    const gei_allocator *from = options->from ? options->from : &gei_heap;
    uint64_t per_file;
    *r = (gei_onnx_reader){ .options = options, .from = from, .owner = options->owner, .folder_fd = -1 };
    r->limits = options->limits ? *options->limits : gei_limits_default();
    r->file = (gei_span){ bytes ? (const char *)bytes : "", bytes ? size : 0 };
    if (__builtin_mul_overflow((uint64_t)r->limits.budget_per_byte, (uint64_t)size, &per_file) ||
        __builtin_add_overflow(r->limits.budget_bytes, per_file, &r->budget_bytes))
        r->budget_bytes = UINT64_MAX;
    gei_arena_init(&r->arena, from);
    gei_strmap_init(&r->function_names, from);
    gei_strmap_init(&r->used_names, from);
    gei_strmap_init(&r->external_names, from);
    gei_strmap_init(&r->unsupported, from);
    gei_sink_init(&r->text, from);
    gei_sink_init(&r->fixed_inputs, from);
    gei_sink_init(&r->unsupported_list, from);
    gei_diag_clear(&r->diag);
}

static void deinit_reader(gei_onnx_reader *r) {
    for (uint32_t i = 0; i < r->n_functions; i++)
        if (r->functions[i].body) gei_onnx_graph_free(r->functions[i].body);
    for (size_t i = 0; i < r->externals.count; i++) gei_mapped_release(r->externals.items[i].mapped);
    gei_vec_free(r->from, &r->externals);
    gei_vec_free(r->from, &r->origins);
    gei_sink_deinit(&r->unsupported_list);
    gei_sink_deinit(&r->fixed_inputs);
    gei_sink_deinit(&r->text);
    gei_strmap_deinit(&r->unsupported);
    gei_strmap_deinit(&r->external_names);
    gei_strmap_deinit(&r->used_names);
    gei_strmap_deinit(&r->function_names);
    gei_arena_deinit(&r->arena);
    if (r->folder_fd >= 0) (void)close(r->folder_fd);
}

ge_status gei_onnx_read(const uint8_t *bytes, size_t size, const gei_onnx_options *options, gei_graph **out, gei_diag *diag) {
    static const gei_onnx_options defaults;
    if (!options) options = &defaults;
    const gei_allocator *from = options->from ? options->from : &gei_heap;
    *out = NULL;
    /* Too large for small stacks. */
    gei_onnx_reader *r = (gei_onnx_reader *)gei_alloc(from, sizeof *r, _Alignof(gei_onnx_reader));
    if (!r) return gei_out_of_memory(diag, sizeof *r);
    init_reader(r, bytes, size, options);
    ge_status status = gei_onnx_read_model(r);
    status = gei_onnx_verdict(r, status, diag);
    if (status == GE_OK) *out = r->graph;
    else gei_graph_destroy(r->graph);
    deinit_reader(r);
    gei_free(from, r, sizeof *r, _Alignof(gei_onnx_reader));
    return status;
}

/* ---- files ---- */

/* The part of the path before the last slash, "." when there is none. */
static char *folder_of(const gei_allocator *from, const char *path, size_t *out_bytes) {
    const char *slash = strrchr(path, '/');
    size_t size = !slash ? 1 : slash == path ? 1 : (size_t)(slash - path);
    char *folder = gei_alloc(from, size + 1, 1);
    if (!folder) return NULL;
    memcpy(folder, slash ? path : ".", size);
    folder[size] = '\0';
    *out_bytes = size + 1;
    return folder;
}

static ge_status read_mapped(gei_mapped *file, const char *path, const gei_onnx_options *options, gei_graph **out, gei_diag *diag) {
    gei_onnx_options mine = *options;
    char *folder = NULL;
    size_t folder_bytes = 0;
    if (!mine.directory) {
        folder = folder_of(file->from, path, &folder_bytes);
        if (!folder) return gei_out_of_memory(diag, folder_bytes);
        mine.directory = folder;
    }
    mine.owner = (gei_onnx_owner){ gei_mapped_retain, gei_mapped_release, file };
    ge_status status = gei_onnx_read(file->file.data, file->file.size, &mine, out, diag);
    gei_free(file->from, folder, folder_bytes, 1);
    return status;
}

ge_status gei_onnx_read_file(const char *path, const gei_onnx_options *options, gei_graph **out, gei_diag *diag) {
    static const gei_onnx_options defaults;
    if (!options) options = &defaults;
    gei_mapped *file;
    *out = NULL;
    GEI_TRY(gei_mapped_open(options->from ? options->from : &gei_heap, path, options->copy, &file, diag));
    ge_status status = read_mapped(file, path, options, out, diag);
    gei_mapped_release(file);
    return status;
}

/* ---- the guess ---- */

bool gei_onnx_is_model_field(const gei_field *f) {
    switch (f->number) {
    case ONNX_MODEL_IR_VERSION:
    case ONNX_MODEL_VERSION: return f->type == GEI_WIRE_VARINT;
    case ONNX_MODEL_PRODUCER_NAME:
    case ONNX_MODEL_PRODUCER_VERSION:
    case ONNX_MODEL_DOMAIN:
    case ONNX_MODEL_DOC:
    case ONNX_MODEL_GRAPH:
    case ONNX_MODEL_OPSET:
    case ONNX_MODEL_METADATA:
    case ONNX_MODEL_TRAINING:
    case ONNX_MODEL_FUNCTION:
    case ONNX_MODEL_CONFIGURATION: return f->type == GEI_WIRE_LEN;
    default: return false;
    }
}

bool gei_onnx_is_model(const uint8_t *bytes, size_t size) {
    gei_wire w = gei_wire_over(bytes, size);
    gei_field f;
    bool has_version = false;
    for (int i = 0; i < 32 && gei_wire_next(&w, &f); i++) {
        if (!gei_onnx_is_model_field(&f)) return false;
        if (f.number == ONNX_MODEL_IR_VERSION) has_version = f.value >= 1 && f.value <= 1000;
    }
    return has_version;
}
