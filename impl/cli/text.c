/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

const char *text_f64(char *buffer, double value, uint32_t n_digits) {
    if (isnan(value)) return strcpy(buffer, "nan");
    if (isinf(value)) return strcpy(buffer, value < 0 ? "-inf" : "inf");
    snprintf(buffer, TEXT_NUMBER_BYTES, "%.*g", (int)n_digits, value);
    /* The decimal point is the only thing a locale can change in %g, and it may take several bytes. */
    char *to = buffer;
    for (const char *from = buffer; *from;) {
        if (strchr("0123456789+-e", *from)) {
            *to++ = *from++;
        } else {
            *to++ = '.';
            while (*from && !strchr("0123456789", *from)) from++;
        }
    }
    *to = 0;
    return buffer;
}

/* "0.123", "1.23", "12.3", "123": three digits of value = n / 1000. */
static void three_digits(char *buffer, uint64_t thousandths, const char *unit) {
    uint64_t whole = thousandths / 1000, rest = thousandths % 1000;
    if (whole >= 100) {
        snprintf(buffer, TEXT_NUMBER_BYTES, "%" PRIu64 " %s", whole, unit);
    } else if (whole >= 10) {
        snprintf(buffer, TEXT_NUMBER_BYTES, "%" PRIu64 ".%" PRIu64 " %s", whole, rest / 100, unit);
    } else {
        snprintf(buffer, TEXT_NUMBER_BYTES, "%" PRIu64 ".%02" PRIu64 " %s", whole, rest / 10, unit);
    }
}

const char *text_bytes(char *buffer, uint64_t size_bytes) {
    static const char *const units[] = { "KiB", "MiB", "GiB", "TiB" };
    if (size_bytes < 1024) {
        snprintf(buffer, TEXT_NUMBER_BYTES, "%" PRIu64 " B", size_bytes);
        return buffer;
    }
    uint32_t unit = 0;
    while (unit < 3 && size_bytes >> (10 * (unit + 2))) unit++;
    uint64_t whole = size_bytes >> (10 * (unit + 1));
    uint64_t rest = (size_bytes >> (10 * unit)) & 1023;
    three_digits(buffer, whole * 1000 + rest * 1000 / 1024, units[unit]);
    return buffer;
}

const char *text_time(char *buffer, uint64_t time_ns) {
    if (time_ns < 1000) {
        snprintf(buffer, TEXT_NUMBER_BYTES, "%" PRIu64 " ns", time_ns);
    } else if (time_ns < UINT64_C(1000000)) {
        three_digits(buffer, time_ns, "us");
    } else if (time_ns < UINT64_C(1000000000)) {
        three_digits(buffer, time_ns / 1000, "ms");
    } else {
        three_digits(buffer, time_ns / 1000000, "s");
    }
    return buffer;
}

const char *text_count(char *buffer, uint64_t n) {
    char digits[24];
    int size = snprintf(digits, sizeof digits, "%" PRIu64, n);
    char *to = buffer;
    for (int i = 0; i < size; i++) {
        if (i > 0 && (size - i) % 3 == 0) *to++ = ',';
        *to++ = digits[i];
    }
    *to = 0;
    return buffer;
}

size_t text_utf8_size(const char *text, size_t size) {
    const unsigned char *s = (const unsigned char *)text;
    if (s[0] < 0x80) return 1;
    size_t n = s[0] >= 0xF0 ? 4 : s[0] >= 0xE0 ? 3 : 2;
    if (s[0] < 0xC2 || s[0] > 0xF4 || n > size) return 0;
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xC0) != 0x80) return 0;
    }
    /* overlong forms, surrogates, beyond U+10FFFF */
    if ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F)) return 0;
    if ((s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] > 0x8F)) return 0;
    return n;
}

/* C0 and C1 controls and DEL: a name in a file must not steer a terminal. */
static int is_control(const char *text, size_t n) {
    unsigned char c = (unsigned char)text[0];
    return n == 1 ? c < 0x20 || c == 0x7F : c == 0xC2 && (unsigned char)text[1] < 0xA0;
}

/* One character or, escaped, one byte of `text` into `out` (5 bytes); steps `at` over it. */
static size_t next_safe(const char *text, size_t size, size_t *at, char *out) {
    size_t n = text_utf8_size(text + *at, size - *at);
    if (n == 0 || is_control(text + *at, n)) {
        int used = snprintf(out, 5, "\\x%02x", (unsigned char)text[*at]);
        *at += 1;
        return (size_t)used;
    }
    memcpy(out, text + *at, n);
    *at += n;
    return n;
}

void text_put_safe(FILE *to, const char *text, size_t size) {
    char piece[5];
    for (size_t at = 0; at < size;) {
        size_t n = next_safe(text, size, &at, piece);
        fwrite(piece, 1, n, to);
    }
}

void text_copy_safe(char *to, size_t cap, const char *text, size_t size) {
    char piece[5];
    size_t used = 0;
    for (size_t at = 0; at < size;) {
        size_t n = next_safe(text, size, &at, piece);
        if (used + n >= cap) break;
        memcpy(to + used, piece, n);
        used += n;
    }
    if (cap > 0) to[used] = 0;
}
