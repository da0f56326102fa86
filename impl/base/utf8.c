/* SPDX-License-Identifier: Apache-2.0 */
#include "base/bytes.h"

/* What may follow a first byte: the range of the second byte rules out overlong forms, surrogates and values above U+10FFFF;
 * all later bytes are 80..BF. */
typedef struct utf8_form {
    uint8_t first_min, first_max;
    uint8_t second_min, second_max;
    uint8_t n_bytes;
} utf8_form;

static const utf8_form forms[] = {
    { 0xC2, 0xDF, 0x80, 0xBF, 2 },
    { 0xE0, 0xE0, 0xA0, 0xBF, 3 }, /* below A0: overlong */
    { 0xE1, 0xEC, 0x80, 0xBF, 3 },
    { 0xED, 0xED, 0x80, 0x9F, 3 }, /* above 9F: surrogates */
    { 0xEE, 0xEF, 0x80, 0xBF, 3 },
    { 0xF0, 0xF0, 0x90, 0xBF, 4 }, /* below 90: overlong */
    { 0xF1, 0xF3, 0x80, 0xBF, 4 },
    { 0xF4, 0xF4, 0x80, 0x8F, 4 }, /* above 8F: beyond U+10FFFF */
};

size_t gei_utf8_char(const char *text, size_t size) {
    if (size == 0) return 0;
    const uint8_t *p = (const uint8_t *)text;
    if (p[0] < 0x80) return 1;
    for (size_t i = 0; i < GEI_COUNT(forms); i++) {
        const utf8_form *form = &forms[i];
        if (p[0] < form->first_min || p[0] > form->first_max) continue;
        if (size < form->n_bytes || p[1] < form->second_min || p[1] > form->second_max) return 0;
        for (size_t k = 2; k < form->n_bytes; k++) {
            if ((p[k] & 0xC0) != 0x80) return 0;
        }
        return form->n_bytes;
    }
    return 0;
}

bool gei_utf8_valid(const char *text, size_t size) {
    for (size_t i = 0; i < size;) {
        size_t n = gei_utf8_char(text + i, size - i);
        if (n == 0) return false;
        i += n;
    }
    return true;
}
