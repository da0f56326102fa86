/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/npy.h"
#include "cli/npy_header.h"

#define DATA_ALIGN 64
#define FIRST_READ_BYTES ((size_t)64 << 10)

/* ---- data types ---------------------------------------------------------------------------------------------------- */

static const struct {
    char kind;
    uint8_t item_bytes;
    ge_dtype dtype;
} plain_types[] = {
    { 'b', 1, GE_DTYPE_BOOL },    { 'i', 1, GE_DTYPE_INT8 },    { 'i', 2, GE_DTYPE_INT16 },      { 'i', 4, GE_DTYPE_INT32 },
    { 'i', 8, GE_DTYPE_INT64 },   { 'u', 1, GE_DTYPE_UINT8 },   { 'u', 2, GE_DTYPE_UINT16 },     { 'u', 4, GE_DTYPE_UINT32 },
    { 'u', 8, GE_DTYPE_UINT64 },  { 'f', 2, GE_DTYPE_FLOAT16 }, { 'f', 4, GE_DTYPE_FLOAT32 },    { 'f', 8, GE_DTYPE_FLOAT64 },
    { 'c', 8, GE_DTYPE_COMPLEX64 }, { 'c', 16, GE_DTYPE_COMPLEX128 }, { 'f', 1, GE_DTYPE_FLOAT8_E5M2 },
};

static int raw_type(const npy_header *h, ge_dtype raw_as, ge_dtype *out, char *why) {
    if (h->item_bytes > 0 && ge_dtype_get_bits(raw_as) == h->item_bytes * 8) {
        *out = raw_as;
    } else if (h->item_bytes == 2) {
        *out = GE_DTYPE_BFLOAT16;
    } else {
        return npy_fail(why, "it holds raw elements of %llu bytes, and nothing says what they are", (unsigned long long)h->item_bytes);
    }
    return 0;
}

static int choose_dtype(const npy_header *h, ge_dtype raw_as, ge_dtype *out, char *why) {
    if (h->kind == 'U' || h->kind == 'S') {
        *out = GE_DTYPE_STRING;
        return 0;
    }
    if (h->kind == 'V') return raw_type(h, raw_as, out, why);
    for (size_t i = 0; i < sizeof plain_types / sizeof plain_types[0]; i++) {
        if (plain_types[i].kind == h->kind && plain_types[i].item_bytes == h->item_bytes) {
            *out = plain_types[i].dtype;
            return 0;
        }
    }
    return npy_fail(why, "it holds elements of type %c%llu, which have no counterpart here", h->kind, (unsigned long long)h->item_bytes);
}

/* ---- order of bytes and elements ----------------------------------------------------------------------------------- */

static void swap_bytes(uint8_t *data, size_t size_bytes, size_t unit) {
    for (size_t at = 0; at + unit <= size_bytes; at += unit) {
        for (size_t i = 0; i < unit / 2; i++) {
            uint8_t byte = data[at + i];
            data[at + i] = data[at + unit - 1 - i];
            data[at + unit - 1 - i] = byte;
        }
    }
}

static size_t swap_unit(const npy_header *h) {
    if (h->kind == 'S' || h->kind == 'b') return 1;
    if (h->kind == 'U') return 4;
    return h->kind == 'c' ? (size_t)h->item_bytes / 2 : (size_t)h->item_bytes;
}

/* First dim fastest in, last dim fastest out. */
static void to_c_order(const npy_header *h, const uint8_t *from, uint8_t *to) {
    uint64_t index[NPY_MAX_RANK] = { 0 }, stride[NPY_MAX_RANK], source = 0;
    size_t item = (size_t)h->item_bytes;
    uint64_t step = 1;
    for (int32_t i = 0; i < h->rank; i++) {
        stride[i] = step;
        step *= (uint64_t)h->dims[i];
    }
    for (uint64_t n = 0; n < h->n_elems; n++) {
        memcpy(to + n * item, from + source * item, item);
        for (int32_t i = h->rank - 1; i >= 0; i--) {
            source += stride[i];
            if (++index[i] < (uint64_t)h->dims[i]) break;
            source -= index[i] * stride[i];
            index[i] = 0;
        }
    }
}

/* ---- strings ------------------------------------------------------------------------------------------------------- */

/* UTF-8 of one code point into `to` (4 bytes), 0 for what is none. */
static size_t utf8_put(uint32_t code, uint8_t *to) {
    if (code < 0x80) {
        to[0] = (uint8_t)code;
        return 1;
    }
    if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return 0;
    size_t n = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--) {
        to[i] = (uint8_t)(0x80 | (code & 0x3F));
        code >>= 6;
    }
    to[0] = (uint8_t)((0xF00 >> n) | code);
    return n;
}

static uint32_t read_u32(const uint8_t *p) {
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* Packs fixed-width text into `data` itself: UTF-8 is never longer than the four bytes a character takes in the file. */
static int pack_strings(npy_array *array, const npy_header *h, char *why) {
    size_t item = (size_t)h->item_bytes, unit = h->kind == 'U' ? 4 : 1, used = 0;
    array->offsets = calloc((size_t)h->n_elems + 1, sizeof *array->offsets);
    if (!array->offsets) return npy_fail(why, "out of memory");
    for (uint64_t n = 0; n < h->n_elems; n++) {
        const uint8_t *text = array->data + n * item;
        size_t size = item;
        while (size >= unit && (unit == 1 ? text[size - 1] == 0 : read_u32(text + size - 4) == 0)) size -= unit;
        for (size_t at = 0; at < size; at += unit) {
            uint8_t piece[4] = { text[at] };
            size_t piece_size = unit == 1 ? 1 : utf8_put(read_u32(text + at), piece);
            if (piece_size == 0) return npy_fail(why, "element %llu holds no valid Unicode", (unsigned long long)n);
            memcpy(array->data + used, piece, piece_size);
            used += piece_size;
        }
        array->offsets[n + 1] = used;
    }
    array->size_bytes = used;
    return 0;
}

/* ---- reading ------------------------------------------------------------------------------------------------------- */

/* Brings the elements to the front of `block`, or of a block of their own, in C order and host byte order. */
static int take_elements(npy_array *out, const npy_header *h, uint8_t *block, char *why) {
    uint8_t *from = block + h->data_offset;
    out->owner = block;
    out->data = from;
    out->size_bytes = h->data_bytes;
    if (h->is_fortran && h->rank > 1 && h->data_bytes > 0) {
        uint8_t *turned = malloc(h->data_bytes);
        if (!turned) return npy_fail(why, "out of memory");
        to_c_order(h, from, turned);
        free(block);
        out->owner = out->data = turned;
    } else if ((uintptr_t)from % 16 != 0) {
        memmove(block, from, h->data_bytes); /* headers of old files end anywhere */
        out->data = block;
    }
    size_t unit = swap_unit(h);
    if (h->is_big_endian && unit > 1) swap_bytes(out->data, out->size_bytes, unit);
    if (out->dtype == GE_DTYPE_BOOL) {
        for (size_t i = 0; i < out->size_bytes; i++) out->data[i] = out->data[i] != 0;
    }
    return out->dtype == GE_DTYPE_STRING ? pack_strings(out, h, why) : 0;
}

/* Takes over `block`. */
static int read_block(uint8_t *block, size_t size, ge_dtype raw_as, npy_array *out, char *why) {
    npy_header h;
    *out = (npy_array){ .owner = block };
    if (npy_header_read(block, size, &h, why) != 0 || choose_dtype(&h, raw_as, &out->dtype, why) != 0 ||
        take_elements(out, &h, block, why) != 0) {
        npy_deinit(out);
        return -1;
    }
    out->rank = h.rank;
    out->n_elems = h.n_elems;
    memcpy(out->dims, h.dims, sizeof h.dims);
    return 0;
}

int npy_read_memory(const void *bytes, size_t size, ge_dtype raw_as, npy_array *out, char *why) {
    *out = (npy_array){ 0 };
    uint8_t *block = malloc(size ? size : 1);
    if (!block) return npy_fail(why, "out of memory");
    if (size) memcpy(block, bytes, size);
    return read_block(block, size, raw_as, out, why);
}

/* The whole of a file or pipe.  A file's size is only a hint, so growing files and pipes work too. */
static uint8_t *read_all(FILE *from, size_t hint, size_t *out_size, char *why) {
    size_t cap = hint + 1 > FIRST_READ_BYTES ? hint + 1 : FIRST_READ_BYTES, size = 0;
    uint8_t *block = malloc(cap);
    while (block) {
        size += fread(block + size, 1, cap - size, from);
        if (size < cap) break;
        uint8_t *larger = cap > SIZE_MAX / 2 ? NULL : realloc(block, cap *= 2);
        if (!larger) free(block);
        block = larger;
    }
    if (!block) {
        npy_fail(why, "out of memory");
    } else if (ferror(from)) {
        npy_fail(why, "reading failed: %s", strerror(errno));
        free(block);
        block = NULL;
    }
    *out_size = size;
    return block;
}

int npy_read_file(const char *path, ge_dtype raw_as, npy_array *out, char *why) {
    *out = (npy_array){ 0 };
    FILE *file = fopen(path, "rb");
    if (!file) return npy_fail(why, "it cannot be opened: %s", strerror(errno));
    struct stat facts;
    size_t hint = fstat(fileno(file), &facts) == 0 && S_ISREG(facts.st_mode) ? (size_t)facts.st_size : 0, size;
    uint8_t *block = read_all(file, hint, &size, why);
    fclose(file);
    return block ? read_block(block, size, raw_as, out, why) : -1;
}

void npy_deinit(npy_array *array) {
    free(array->owner);
    free(array->offsets);
    *array = (npy_array){ 0 };
}
