/* SPDX-License-Identifier: Apache-2.0 */
#include "base/bytes.h"

const uint8_t *gei_cursor_take(gei_cursor *c, size_t size) {
    if (c->bad || size > gei_cursor_left(c)) {
        c->bad = true;
        return NULL;
    }
    const uint8_t *at = c->at;
    c->at += size;
    return at;
}

/* Byte by byte: input has no alignment and the host's byte order does not matter; compilers make one load of it. */
static uint64_t little_endian(const uint8_t *p, unsigned n_bytes) {
    uint64_t v = 0;
    for (unsigned i = 0; i < n_bytes; i++) v |= (uint64_t)p[i] << (8 * i);
    return v;
}

uint8_t gei_cursor_u8(gei_cursor *c) {
    const uint8_t *p = gei_cursor_take(c, 1);
    return p ? *p : 0;
}

uint32_t gei_cursor_u32(gei_cursor *c) {
    const uint8_t *p = gei_cursor_take(c, 4);
    return p ? (uint32_t)little_endian(p, 4) : 0;
}

uint64_t gei_cursor_u64(gei_cursor *c) {
    const uint8_t *p = gei_cursor_take(c, 8);
    return p ? little_endian(p, 8) : 0;
}
