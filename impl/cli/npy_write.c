/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/npy.h"
#include "cli/npy_header.h"
#include "cli/text.h"

#define HEADER_BYTES 512 /* eight dims of 20 digits and a text width fit twice */

/* NumPy's spelling of a data type; NULL: it has none. */
static const char *descr_of(ge_dtype dtype) {
    switch (dtype) {
        case GE_DTYPE_BOOL: return "|b1";
        case GE_DTYPE_INT8: case GE_DTYPE_QINT8: return "|i1";
        case GE_DTYPE_INT16: case GE_DTYPE_QINT16: return "<i2";
        case GE_DTYPE_INT32: case GE_DTYPE_QINT32: return "<i4";
        case GE_DTYPE_INT64: return "<i8";
        case GE_DTYPE_UINT8: case GE_DTYPE_QUINT8: return "|u1";
        case GE_DTYPE_UINT16: case GE_DTYPE_QUINT16: return "<u2";
        case GE_DTYPE_UINT32: return "<u4";
        case GE_DTYPE_UINT64: return "<u8";
        case GE_DTYPE_FLOAT16: return "<f2";
        case GE_DTYPE_FLOAT32: return "<f4";
        case GE_DTYPE_FLOAT64: return "<f8";
        case GE_DTYPE_COMPLEX64: return "<c8";
        case GE_DTYPE_COMPLEX128: return "<c16";
        case GE_DTYPE_BFLOAT16: return "<V2";
        case GE_DTYPE_COMPLEX32: return "<V4";
        case GE_DTYPE_FLOAT8_E5M2: return "<f1";
        case GE_DTYPE_FLOAT8_E4M3FN: case GE_DTYPE_FLOAT8_E4M3FNUZ: case GE_DTYPE_FLOAT8_E5M2FNUZ:
        case GE_DTYPE_FLOAT8_E8M0: case GE_DTYPE_HIFLOAT8: return "<V1";
        default: return NULL;
    }
}

static int write_header(FILE *to, const npy_array *array, const char *descr) {
    char text[HEADER_BYTES];
    int used = snprintf(text, sizeof text, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
    for (int32_t i = 0; i < array->rank; i++) {
        used += snprintf(text + used, sizeof text - (size_t)used, i ? ", %" PRId64 : "%" PRId64, array->dims[i]);
    }
    used += snprintf(text + used, sizeof text - (size_t)used, "%s), }", array->rank == 1 ? "," : "");
    int header_bytes = (10 + used + 1 + 63) / 64 * 64 - 10;
    memset(text + used, ' ', (size_t)(header_bytes - used));
    text[header_bytes - 1] = '\n';
    fwrite("\x93NUMPY\x01\x00", 1, 8, to);
    putc(header_bytes & 255, to);
    putc(header_bytes >> 8, to);
    return fwrite(text, 1, (size_t)header_bytes, to) == (size_t)header_bytes ? 0 : -1;
}

/* ---- strings ------------------------------------------------------------------------------------------------------- */

/* Code points of a string; -1: it is no UTF-8. */
static int64_t count_chars(const char *text, size_t size) {
    int64_t count = 0;
    for (size_t at = 0; at < size; count++) {
        size_t n = text_utf8_size(text + at, size - at);
        if (n == 0) return -1;
        at += n;
    }
    return count;
}

static void put_char(FILE *to, const char *text, size_t n) {
    uint32_t code = (unsigned char)text[0];
    if (n > 1) code &= 0xFFu >> (n + 1);
    for (size_t i = 1; i < n; i++) code = code << 6 | ((unsigned char)text[i] & 0x3F);
    for (int shift = 0; shift < 32; shift += 8) putc((int)(code >> shift & 255), to);
}

/* Text as '<U', wide enough for the longest; bytes that are no text as '|S'. */
static int write_strings(FILE *to, const npy_array *array, char *why) {
    size_t widest = 1, widest_bytes = 1;
    bool is_text = true;
    for (uint64_t i = 0; i < array->n_elems; i++) {
        size_t size = (size_t)(array->offsets[i + 1] - array->offsets[i]);
        int64_t count = count_chars((const char *)array->data + array->offsets[i], size);
        if (count < 0) is_text = false;
        if (count > 0 && (size_t)count > widest) widest = (size_t)count;
        if (size > widest_bytes) widest_bytes = size;
    }
    char descr[32];
    snprintf(descr, sizeof descr, "%s%zu", is_text ? "<U" : "|S", is_text ? widest : widest_bytes);
    if (write_header(to, array, descr) != 0) return npy_fail(why, "writing failed: %s", strerror(errno));
    for (uint64_t i = 0; i < array->n_elems; i++) {
        const char *text = (const char *)array->data + array->offsets[i];
        size_t size = (size_t)(array->offsets[i + 1] - array->offsets[i]), n_out = 0;
        for (size_t at = 0; is_text && at < size; n_out++) {
            size_t n = text_utf8_size(text + at, size - at);
            put_char(to, text + at, n);
            at += n;
        }
        if (!is_text) fwrite(text, 1, size, to);
        size_t blank = is_text ? 4 * (widest - n_out) : widest_bytes - size;
        while (blank-- > 0) putc(0, to);
    }
    return 0;
}

/* ---- files --------------------------------------------------------------------------------------------------------- */

int npy_write(FILE *to, const npy_array *array, char *why) {
    if (array->dtype == GE_DTYPE_STRING) {
        if (write_strings(to, array, why) != 0) return -1;
    } else {
        const char *descr = descr_of(array->dtype);
        if (!descr) return npy_fail(why, ".npy has no data type for %s", ge_dtype_get_name(array->dtype));
        if (write_header(to, array, descr) == 0) fwrite(array->data, 1, array->size_bytes, to);
    }
    return ferror(to) ? npy_fail(why, "writing failed: %s", strerror(errno)) : 0;
}

int npy_write_file(const char *path, const npy_array *array, char *why) {
    size_t size = strlen(path) + 32;
    char *beside = malloc(size);
    if (!beside) return npy_fail(why, "out of memory");
    snprintf(beside, size, "%s.%ld.part", path, (long)getpid());
    FILE *file = fopen(beside, "wb");
    if (!file) {
        npy_fail(why, "it cannot be created: %s", strerror(errno));
        free(beside);
        return -1;
    }
    int result = npy_write(file, array, why);
    if (fclose(file) != 0 && result == 0) result = npy_fail(why, "writing failed: %s", strerror(errno));
    if (result == 0 && rename(beside, path) != 0) result = npy_fail(why, "it cannot be created: %s", strerror(errno));
    if (result != 0) remove(beside);
    free(beside);
    return result;
}
