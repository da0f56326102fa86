/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "base/bytes.h"

#define MAX_DECIMALS 9u

/* |value| * 10^decimals as an integer, rounded half to even.  value < 2^53, so 53 + 30 bits suffice. */
static unsigned __int128 scaled(double value, uint32_t decimals) {
    int exponent;
    uint64_t mantissa = (uint64_t)ldexp(frexp(value, &exponent), 53);
    unsigned __int128 n = mantissa;
    for (uint32_t i = 0; i < decimals; i++) n *= 10;
    int shift = 53 - exponent; /* value = mantissa / 2^shift, shift >= 0 */
    if (shift == 0) return n;
    if (shift >= 127) return 0;
    unsigned __int128 whole = n >> shift, rest = n - (whole << shift), half = (unsigned __int128)1 << (shift - 1);
    return whole + (rest > half || (rest == half && (whole & 1)));
}

void gei_sink_fixed(gei_sink *sink, double value, uint32_t decimals) {
    if (decimals > MAX_DECIMALS) decimals = MAX_DECIMALS;
    if (isnan(value) || isinf(value)) {
        gei_sink_f64(sink, value);
        return;
    }
    if (signbit(value)) gei_sink_text(sink, "-");
    double magnitude = fabs(value);
    if (magnitude >= 9007199254740992.0) { /* 2^53: an integer, whose text has no decimal point to depend on the locale */
        char digits[340];
        snprintf(digits, sizeof digits, "%.0f", magnitude);
        gei_sink_text(sink, digits);
        if (decimals) gei_sink_format(sink, ".%0*d", (int)decimals, 0);
        return;
    }
    unsigned __int128 n = magnitude == 0 ? 0 : scaled(magnitude, decimals);
    uint64_t unit = 1;
    for (uint32_t i = 0; i < decimals; i++) unit *= 10;
    gei_sink_format(sink, "%llu", (unsigned long long)(uint64_t)(n / unit));
    if (decimals) gei_sink_format(sink, ".%0*llu", (int)decimals, (unsigned long long)(uint64_t)(n % unit));
}
