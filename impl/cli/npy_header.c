/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/npy_header.h"

#include <stdarg.h>
#include <string.h>

#include "cli/args.h"
#include "cli/text.h"

#define EMPTY_ELEMS_MAX (UINT64_C(1) << 20)

typedef struct cursor {
    const char *at, *end;
} cursor;

int npy_fail(char *why, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(why, NPY_WHY_BYTES, format, args);
    va_end(args);
    return -1;
}

/* ---- Python's spelling --------------------------------------------------------------------------------------------- */

static void skip_blanks(cursor *c) {
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\n' || *c->at == '\r')) c->at++;
}

static bool take(cursor *c, const char *word) {
    size_t n = strlen(word);
    skip_blanks(c);
    if ((size_t)(c->end - c->at) < n || memcmp(c->at, word, n) != 0) return false;
    c->at += n;
    return true;
}

/* A quoted string without escapes. */
static bool take_string(cursor *c, const char **out, size_t *out_size) {
    skip_blanks(c);
    if (c->at >= c->end || (*c->at != '\'' && *c->at != '"')) return false;
    char quote = *c->at++;
    const char *start = c->at;
    while (c->at < c->end && *c->at != quote && *c->at != '\\') c->at++;
    if (c->at >= c->end || *c->at != quote) return false;
    *out = start;
    *out_size = (size_t)(c->at++ - start);
    return true;
}

static bool take_dim(cursor *c, int64_t *out) {
    uint64_t n;
    skip_blanks(c);
    const char *start = c->at;
    while (c->at < c->end && *c->at >= '0' && *c->at <= '9') c->at++;
    if (!args_read_u64(start, (size_t)(c->at - start), &n) || n > INT64_MAX) return false;
    if (c->at < c->end && *c->at == 'L') c->at++; /* Python 2 wrote long integers so */
    *out = (int64_t)n;
    return true;
}

/* ---- the three entries --------------------------------------------------------------------------------------------- */

static int read_descr(cursor *c, npy_header *out, char *why) {
    const char *text;
    size_t size;
    skip_blanks(c);
    if (c->at < c->end && *c->at == '[') return npy_fail(why, "it holds structures; a plain array is wanted");
    if (!take_string(c, &text, &size)) return npy_fail(why, "'descr' in the header is no string");
    char shown[48];
    text_copy_safe(shown, sizeof shown, text, size);
    if (size >= 2 && text[1] == 'O') return npy_fail(why, "it holds pickled Python objects ('%s'), which are never read", shown);
    if (size >= 2 && (text[1] == 'M' || text[1] == 'm')) return npy_fail(why, "it holds dates or times ('%s')", shown);
    if (size < 3 || !strchr("<>|=", text[0]) || !strchr("biufcSUV", text[1]) ||
        !args_read_u64(text + 2, size - 2, &out->item_bytes) || out->item_bytes > INT32_MAX) {
        return npy_fail(why, "unknown data type '%s'", shown);
    }
    out->kind = text[1];
    out->is_big_endian = text[0] == '>';
    if (out->kind == 'U' && __builtin_mul_overflow(out->item_bytes, UINT64_C(4), &out->item_bytes)) {
        return npy_fail(why, "unknown data type '%s'", shown);
    }
    return 0;
}

static int read_shape(cursor *c, npy_header *out, char *why) {
    if (!take(c, "(")) return npy_fail(why, "'shape' in the header is no tuple");
    while (!take(c, ")")) {
        if (out->rank == NPY_MAX_RANK) return npy_fail(why, "it has more than %d dimensions", NPY_MAX_RANK);
        if (!take_dim(c, &out->dims[out->rank])) return npy_fail(why, "a dimension in 'shape' is no whole number that fits");
        out->rank++;
        if (take(c, ",")) continue;
        if (!take(c, ")")) return npy_fail(why, "'shape' in the header does not end");
        break;
    }
    return 0;
}

static int read_order(cursor *c, npy_header *out, char *why) {
    if (take(c, "True")) {
        out->is_fortran = true;
    } else if (!take(c, "False")) {
        return npy_fail(why, "'fortran_order' in the header is neither True nor False");
    }
    return 0;
}

static int read_dict(cursor *c, npy_header *out, char *why) {
    static const char *const keys[3] = { "descr", "fortran_order", "shape" };
    static int (*const readers[3])(cursor *, npy_header *, char *) = { read_descr, read_order, read_shape };
    bool seen[3] = { false, false, false };
    if (!take(c, "{")) return npy_fail(why, "the header is no dictionary");
    while (!take(c, "}")) {
        const char *key;
        size_t size, k = 0;
        if (!take_string(c, &key, &size) || !take(c, ":")) return npy_fail(why, "the header is no dictionary");
        while (k < 3 && (strlen(keys[k]) != size || memcmp(keys[k], key, size) != 0)) k++;
        if (k == 3) return npy_fail(why, "the header has a key other than descr, fortran_order and shape");
        if (seen[k]) return npy_fail(why, "the header has '%s' twice", keys[k]);
        seen[k] = true;
        if (readers[k](c, out, why) != 0) return -1;
        if (take(c, ",")) continue;
        if (!take(c, "}")) return npy_fail(why, "the header is no dictionary");
        break;
    }
    for (size_t k = 0; k < 3; k++) {
        if (!seen[k]) return npy_fail(why, "the header lacks '%s'", keys[k]);
    }
    skip_blanks(c);
    return c->at == c->end ? 0 : npy_fail(why, "the header has something behind its dictionary");
}

/* ---- sizes --------------------------------------------------------------------------------------------------------- */

static int check_sizes(npy_header *h, size_t left_bytes, char *why) {
    uint64_t n = 1, bytes;
    bool has_zero = false;
    for (int32_t i = 0; i < h->rank; i++) has_zero |= h->dims[i] == 0;
    for (int32_t i = 0; i < h->rank && !has_zero; i++) {
        if (__builtin_mul_overflow(n, (uint64_t)h->dims[i], &n)) return npy_fail(why, "its shape has too many elements");
    }
    h->n_elems = has_zero ? 0 : n;
    /* Elements of no bytes ('<U0') would let a tiny file claim any number of them. */
    if (h->item_bytes == 0 && h->n_elems > EMPTY_ELEMS_MAX) return npy_fail(why, "its shape has too many elements");
    if (__builtin_mul_overflow(h->n_elems, h->item_bytes, &bytes) || bytes > left_bytes) {
        return npy_fail(why, "it ends early: %llu elements of %llu bytes wanted, %zu bytes left",
                        (unsigned long long)h->n_elems, (unsigned long long)h->item_bytes, left_bytes);
    }
    if (bytes < left_bytes) {
        return npy_fail(why, "%llu bytes follow its last element", (unsigned long long)(left_bytes - bytes));
    }
    h->data_bytes = (size_t)bytes;
    return 0;
}

int npy_header_read(const uint8_t *bytes, size_t size, npy_header *out, char *why) {
    *out = (npy_header){ .rank = 0 };
    if (size < 10 || memcmp(bytes, "\x93NUMPY", 6) != 0) return npy_fail(why, "it is no .npy file");
    if (bytes[6] < 1 || bytes[6] > 3 || bytes[7] != 0) {
        return npy_fail(why, "its format is %u.%u; 1.0, 2.0 and 3.0 are known", bytes[6], bytes[7]);
    }
    size_t start = bytes[6] == 1 ? 10 : 12;
    if (size < start) return npy_fail(why, "it ends inside its header");
    size_t header_bytes = (size_t)bytes[8] | (size_t)bytes[9] << 8;
    if (bytes[6] > 1) header_bytes |= (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    if (header_bytes > size - start) return npy_fail(why, "it ends inside its header");
    cursor c = { (const char *)bytes + start, (const char *)bytes + start + header_bytes };
    if (read_dict(&c, out, why) != 0) return -1;
    out->data_offset = start + header_bytes;
    return check_sizes(out, size - out->data_offset, why);
}
