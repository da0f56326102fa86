/* SPDX-License-Identifier: Apache-2.0 */
/* What a file is that is no ONNX model: asked only after reading has failed, so that a guess never refuses a good file. */
#include <string.h>

#include "frontend/onnx/reader.h"

#define TEXT_BYTES 256 /* of the beginning, to tell text from other bytes */

/* ---- by their first bytes ---- */

typedef struct magic {
    size_t at;
    const char *bytes;
    size_t size;
    const char *what, *advice; /* advice "" where there is none */
} magic;

#define MAGIC(at, bytes, what, advice) { at, bytes, sizeof(bytes) - 1, what, advice }

static const magic magics[] = {
    MAGIC(0, "version https://git-lfs", "a Git LFS pointer", "fetch the file itself with 'git lfs pull'"),
    MAGIC(0, "\x1F\x8B", "gzip data", "unpack it first"),
    MAGIC(0, "PK\x03\x04", "a zip archive, perhaps a PyTorch checkpoint", "unpack it, or export the model to ONNX"),
    MAGIC(0, "BZh", "bzip2 data", "unpack it first"),
    MAGIC(0, "\xFD" "7zXZ", "xz data", "unpack it first"),
    MAGIC(0, "\x28\xB5\x2F\xFD", "zstd data", "unpack it first"),
    MAGIC(257, "ustar", "a tar archive", "unpack it first"),
    MAGIC(0, "IMOD", "an offline model (.om)", "this version does not read it"),
    MAGIC(4, "ORTM", "an ORT format model", "keep the .onnx file it was made from"),
    MAGIC(4, "TFL3", "a TensorFlow Lite model", "export it to ONNX"),
    MAGIC(0, "GGUF", "a GGUF model", "export it to ONNX"),
    MAGIC(0, "\x89HDF", "an HDF5 file, perhaps a Keras model", "export it to ONNX"),
    MAGIC(0, "\x93NUMPY", "a NumPy array", "give it to --input, not as the model"),
    MAGIC(0, "\x80\x02", "a Python pickle, perhaps a PyTorch checkpoint", "export it to ONNX"),
    MAGIC(0, "\x7F" "ELF", "a program or library", ""),
    MAGIC(0, "\x89PNG", "a PNG image", ""),
    MAGIC(0, "\xFF\xD8\xFF", "a JPEG image", ""),
    MAGIC(0, "%PDF", "a PDF file", ""),
    MAGIC(0, "<!DOCTYPE", "an HTML page", "a download may have failed"),
    MAGIC(0, "<!doctype", "an HTML page", "a download may have failed"),
    MAGIC(0, "<html", "an HTML page", "a download may have failed"),
    MAGIC(0, "<?xml", "an XML file", ""),
    MAGIC(0, "ir_version:", "an ONNX model in protobuf text form", "save it in binary form"),
    MAGIC(0, "node {", "a TensorFlow graph in protobuf text form", "this version does not read it"),
    MAGIC(0, "{", "a JSON file", ""),
};

static const magic *find_magic(gei_span file) {
    for (size_t i = 0; i < GEI_COUNT(magics); i++) {
        const magic *m = &magics[i];
        if (file.size >= m->at + m->size && memcmp(file.data + m->at, m->bytes, m->size) == 0) return m;
    }
    return NULL;
}

static bool is_text(gei_span file) {
    size_t size = file.size < TEXT_BYTES ? file.size : TEXT_BYTES;
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)file.data[i];
        if (c == 0x7F || (c < 0x20 && c != '\n' && c != '\r' && c != '\t')) return false;
    }
    return size > 0;
}

/* ---- other messages ---- */

/* The first field of `bytes` is field `number` of that wire type. */
static bool starts_with(const gei_onnx_reader *r, gei_span bytes, uint32_t number, gei_wire_type type) {
    gei_wire w = gei_wire_at(r->file.data, bytes);
    gei_field f;
    return bytes.size > 0 && gei_wire_next(&w, &f) && f.number == number && f.type == type;
}

/* ModelDef of GE: name = 1, version = 2.  GraphDef and SavedModel of TensorFlow: node = 1; version = 1, meta graph = 2. */
static const magic *find_message(const gei_onnx_reader *r) {
    static const magic air = { .what = "an .air model", .advice = "this version does not read it" };
    static const magic graph_def = { .what = "a TensorFlow graph", .advice = "this version does not read it" };
    static const magic saved_model = { .what = "a TensorFlow saved model", .advice = "export it to ONNX" };
    gei_wire w = gei_wire_over(r->file.data, r->file.size);
    gei_field first, second;
    if (!gei_wire_next(&w, &first) || !gei_wire_next(&w, &second)) return NULL;
    if (first.number == 1 && first.type == GEI_WIRE_VARINT && second.number == 2 && second.type == GEI_WIRE_LEN)
        return starts_with(r, second.bytes, 1, GEI_WIRE_LEN) ? &saved_model : NULL;
    if (first.number != 1 || first.type != GEI_WIRE_LEN) return NULL;
    if (second.number == 2 && second.type == GEI_WIRE_VARINT) return &air;
    return starts_with(r, first.bytes, 1, GEI_WIRE_LEN) ? &graph_def : NULL;
}

/* ---- the words ---- */

/* Where the bytes stop being a ModelProto; NULL when they are one as far as they go. */
static const uint8_t *first_foreign(const gei_onnx_reader *r) {
    gei_wire w = gei_wire_over(r->file.data, r->file.size);
    gei_field f;
    while (gei_wire_next(&w, &f)) {
        if (f.number == ONNX_MODEL_IR_VERSION && f.type == GEI_WIRE_VARINT) return NULL;
        if (!gei_onnx_is_model_field(&f)) return f.start;
    }
    return w.error && !gei_wire_is_cut(&w) ? w.error_at : NULL;
}

static ge_status fail_foreign(gei_onnx_reader *r, const char *what, const char *advice) {
    return gei_onnx_stop_at(r, r->file.data, gei_fail(&r->diag, GE_ERR_MALFORMED, "not an ONNX model: it looks like %s%s%s", what,
                                                      advice[0] ? "; " : "", advice));
}

ge_status gei_onnx_explain(gei_onnx_reader *r, ge_status status) {
    if (status != GE_ERR_MALFORMED && status != GE_ERR_TRUNCATED) return status;
    if (r->file.size == 0)
        return gei_onnx_stop_at(r, r->file.data, gei_fail(&r->diag, GE_ERR_TRUNCATED, "not an ONNX model: it has no bytes at all"));
    const magic *known = find_magic(r->file);
    if (!known && !gei_onnx_is_model((const uint8_t *)r->file.data, r->file.size)) known = find_message(r);
    if (!known && r->main_graph.data == NULL) known = find_message(r);
    if (known) return fail_foreign(r, known->what, known->advice);
    const uint8_t *at = first_foreign(r);
    if (!at) return status;
    if (is_text(r->file)) return fail_foreign(r, "text", "");
    size_t offset = (size_t)((const char *)at - r->file.data);
    (void)gei_fail(&r->diag, GE_ERR_MALFORMED, "not an ONNX model: at byte %zu is no field of one (found 0x%x)", offset, (unsigned)*at);
    gei_diag_found(&r->diag, "0x%x", (unsigned)*at);
    gei_diag_wanted(&r->diag, "a field of ModelProto, such as 0x8 (ir_version)");
    return gei_onnx_stop_at(r, at, GE_ERR_MALFORMED);
}
