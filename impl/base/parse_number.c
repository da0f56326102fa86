/* SPDX-License-Identifier: Apache-2.0 */
/* Text to number, correctly rounded to nearest even, by integer arithmetic only: neither the locale nor the rounding mode of the
 * calling thread can change a result. */
#include <string.h>

#include "base/bigint.h"
#include "base/bytes.h"

#define MAX_U64_DIGITS 19  /* digits that fit in 64 bits whatever they are */
#define MAX_SLOW_DIGITS 780 /* a double that lies halfway between two others has at most 767 digits; what follows only breaks ties */
#define MAX_SMALL_POW5 27  /* 5^27 < 2^63 */

/* A binary format: value = mantissa * 2^exponent. */
typedef struct float_format {
    uint32_t mantissa_bits; /* with the hidden one */
    int32_t min_exponent;   /* of the smallest subnormal */
    uint32_t special_exponent; /* biased, of inf and nan */
} float_format;

static const float_format f64_format = { 53, -1074, 2047 };
static const float_format f32_format = { 24, -149, 255 };

/* value = first * 10^exponent10, plus what the digits after the first 19 add. */
typedef struct decimal {
    const char *digits; /* the first non-zero digit; '.' may stand between */
    const char *digits_end;
    uint64_t first;
    uint32_t n_first;   /* digits in `first` */
    int64_t exponent10;
    bool is_negative;
    bool is_cut;        /* non-zero digits follow those in `first` */
} decimal;

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static void add_digit(decimal *dec, const char *at, bool is_fraction) {
    uint32_t digit = (uint32_t)(*at - '0');
    if (is_fraction) dec->exponent10--;
    if (dec->n_first == 0 && digit == 0) return;
    if (dec->n_first == 0) dec->digits = at;
    if (dec->n_first < MAX_U64_DIGITS) {
        dec->first = dec->first * 10 + digit;
        dec->n_first++;
        return;
    }
    dec->exponent10++;
    dec->is_cut |= digit != 0;
}

/* Reads "e+12" behind the digits; 0 when that is not an exponent. */
static size_t scan_exponent(const char *text, size_t size, int64_t *exponent10) {
    const int64_t enough = INT64_C(1) << 60; /* more than any text has digits */
    size_t i = 0;
    if (i == size || (text[i] | 0x20) != 'e') return 0;
    i++;
    bool is_negative = i < size && text[i] == '-';
    if (i < size && (text[i] == '-' || text[i] == '+')) i++;
    if (i == size || !is_digit(text[i])) return 0;
    int64_t value = 0;
    for (; i < size && is_digit(text[i]); i++) {
        if (value < enough / 10) value = value * 10 + (text[i] - '0');
        else value = enough;
    }
    *exponent10 += is_negative ? -value : value;
    return i;
}

/* [+-] digits [. digits] [e [+-] digits] with a digit before or after the point.  Returns characters used, 0 when there is none. */
static size_t scan_decimal(const char *text, size_t size, decimal *dec) {
    size_t i = 0;
    size_t n_digits = 0;
    *dec = (decimal){ 0 };
    if (i < size && (text[i] == '-' || text[i] == '+')) dec->is_negative = text[i++] == '-';
    for (; i < size && is_digit(text[i]); i++, n_digits++) add_digit(dec, text + i, false);
    if (i < size && text[i] == '.') {
        for (i++; i < size && is_digit(text[i]); i++, n_digits++) add_digit(dec, text + i, true);
    }
    if (n_digits == 0) return 0;
    dec->digits_end = text + i;
    return i + scan_exponent(text + i, size - i, &dec->exponent10);
}

/* Rounds top * 2^exponent (plus a little when has_more) to the format.  The highest bit of `top` is set.  False when too large. */
static bool round_to(const float_format *format, uint64_t top, bool has_more, int32_t exponent, uint64_t *out_bits) {
    int32_t n_dropped = 64 - (int32_t)format->mantissa_bits;
    if (n_dropped < format->min_exponent - exponent) n_dropped = format->min_exponent - exponent;
    if (n_dropped > 64) { /* below half of the smallest */
        *out_bits = 0;
        return true;
    }
    uint64_t mantissa = n_dropped < 64 ? top >> n_dropped : 0;
    uint64_t half = UINT64_C(1) << (n_dropped - 1);
    uint64_t dropped = n_dropped < 64 ? top & ((UINT64_C(1) << n_dropped) - 1) : top;
    if (dropped > half || (dropped == half && (has_more || (mantissa & 1)))) mantissa++;
    exponent += n_dropped;
    if (mantissa >> format->mantissa_bits) {
        mantissa >>= 1;
        exponent++;
    }
    uint64_t hidden = UINT64_C(1) << (format->mantissa_bits - 1);
    if (mantissa < hidden) { /* subnormal */
        *out_bits = mantissa;
        return true;
    }
    uint32_t biased = (uint32_t)(exponent - format->min_exponent + 1);
    if (biased >= format->special_exponent) return false;
    *out_bits = (uint64_t)biased << (format->mantissa_bits - 1) | (mantissa - hidden);
    return true;
}

/* Up to 19 digits and a small power of ten: 128 bits hold the exact product, or the quotient to more bits than are needed. */
static bool convert_small(const decimal *dec, const float_format *format, uint64_t *out_bits) {
    uint32_t exponent5 = (uint32_t)(dec->exponent10 < 0 ? -dec->exponent10 : dec->exponent10);
    int32_t exponent2 = (int32_t)dec->exponent10;
    uint64_t pow5 = 1;
    for (uint32_t i = 0; i < exponent5; i++) pow5 *= 5;

    unsigned __int128 value;
    bool has_more = false;
    if (dec->exponent10 >= 0) {
        value = (unsigned __int128)dec->first * pow5;
    } else {
        int shift = 64 + __builtin_clzll(dec->first);
        unsigned __int128 dividend = (unsigned __int128)dec->first << shift;
        value = dividend / pow5;
        has_more = value * pow5 != dividend;
        exponent2 -= shift;
    }
    uint64_t upper = (uint64_t)(value >> 64);
    int n_zeros = upper ? __builtin_clzll(upper) : 64 + __builtin_clzll((uint64_t)value);
    value <<= n_zeros;
    has_more |= (uint64_t)value != 0;
    return round_to(format, (uint64_t)(value >> 64), has_more, exponent2 + 64 - n_zeros, out_bits);
}

/* All digits, up to the number that can matter, as one integer.  Returns how many. */
static uint32_t read_digits(const decimal *dec, gei_bigint *out) {
    uint32_t n = 0;
    bool is_cut = false;
    gei_bigint_set(out, 0);
    for (const char *p = dec->digits; p < dec->digits_end; p++) {
        if (*p == '.') continue;
        if (n < MAX_SLOW_DIGITS) {
            gei_bigint_mul_add(out, 10, (uint32_t)(*p - '0'));
            n++;
        } else {
            is_cut |= *p != '0';
        }
    }
    if (is_cut) { /* any non-zero digit here breaks a tie the same way */
        gei_bigint_mul_add(out, 10, 1);
        n++;
    }
    return n;
}

/* dividend / divisor to 64 bits, highest set; *out_exponent is added to.  Both are changed. */
static uint64_t divide(gei_bigint *dividend, gei_bigint *divisor, bool *out_has_more, int32_t *exponent) {
    int32_t lead = (int32_t)gei_bigint_bits(dividend) - (int32_t)gei_bigint_bits(divisor);
    if (lead < 0) gei_bigint_shift_left(dividend, (uint32_t)-lead);
    else gei_bigint_shift_left(divisor, (uint32_t)lead);
    if (gei_bigint_compare(dividend, divisor) < 0) {
        gei_bigint_shift_left(dividend, 1);
        lead--;
    }
    uint64_t quotient = 0;
    for (int i = 0; i < 64; i++) {
        quotient <<= 1;
        if (gei_bigint_compare(dividend, divisor) >= 0) {
            gei_bigint_sub(dividend, divisor);
            quotient |= 1;
        }
        gei_bigint_shift_left(dividend, 1);
    }
    *out_has_more = dividend->n_limbs > 0;
    *exponent += lead - 63;
    return quotient;
}

static bool convert_any(const decimal *dec, const float_format *format, uint64_t *out_bits) {
    int64_t point = dec->exponent10 + dec->n_first; /* value is in [10^(point-1), 10^point) */
    if (point > 310) return false;
    if (point < -325) {
        *out_bits = 0;
        return true;
    }
    gei_bigint number;
    uint32_t n_digits = read_digits(dec, &number);
    int32_t exponent = (int32_t)point - (int32_t)n_digits;
    bool has_more;
    uint64_t top;
    if (exponent >= 0) {
        gei_bigint_mul_pow5(&number, (uint32_t)exponent);
        int32_t n_bits = (int32_t)gei_bigint_bits(&number);
        top = gei_bigint_top64(&number, &has_more);
        exponent += n_bits - 64;
    } else {
        gei_bigint divisor;
        gei_bigint_set(&divisor, 1);
        gei_bigint_mul_pow5(&divisor, (uint32_t)-exponent);
        top = divide(&number, &divisor, &has_more, &exponent);
    }
    return round_to(format, top, has_more, exponent, out_bits);
}

static bool has_word(const char *text, size_t size, const char *word) {
    for (size_t i = 0; word[i]; i++) {
        if (i >= size || (text[i] | 0x20) != word[i]) return false;
    }
    return true;
}

/* "inf", "infinity" and "nan" in any case, with a sign. */
static size_t parse_special(const char *text, size_t size, const float_format *format, uint64_t *out_bits, bool *out_is_negative) {
    size_t i = 0;
    *out_is_negative = false;
    if (i < size && (text[i] == '-' || text[i] == '+')) *out_is_negative = text[i++] == '-';
    uint64_t infinity = (uint64_t)format->special_exponent << (format->mantissa_bits - 1);
    if (has_word(text + i, size - i, "nan")) {
        *out_bits = infinity | UINT64_C(1) << (format->mantissa_bits - 2); /* quiet */
        return i + 3;
    }
    *out_bits = infinity;
    if (has_word(text + i, size - i, "infinity")) return i + 8;
    return has_word(text + i, size - i, "inf") ? i + 3 : 0;
}

static size_t parse_bits(const char *text, size_t size, const float_format *format, uint64_t *out_bits, bool *out_is_negative) {
    decimal dec;
    size_t n_used = scan_decimal(text, size, &dec);
    if (n_used == 0) return parse_special(text, size, format, out_bits, out_is_negative);
    *out_is_negative = dec.is_negative;
    *out_bits = 0;
    if (dec.n_first == 0) return n_used;
    bool is_small = !dec.is_cut && dec.exponent10 >= -MAX_SMALL_POW5 && dec.exponent10 <= MAX_SMALL_POW5;
    bool fits = is_small ? convert_small(&dec, format, out_bits) : convert_any(&dec, format, out_bits);
    return fits ? n_used : 0;
}

size_t gei_parse_f64(const char *text, size_t size, double *out) {
    uint64_t bits;
    bool is_negative;
    size_t n_used = parse_bits(text, size, &f64_format, &bits, &is_negative);
    if (n_used == 0) return 0;
    bits |= (uint64_t)is_negative << 63;
    memcpy(out, &bits, sizeof *out);
    return n_used;
}

size_t gei_parse_f32(const char *text, size_t size, float *out) {
    uint64_t bits;
    bool is_negative;
    size_t n_used = parse_bits(text, size, &f32_format, &bits, &is_negative);
    if (n_used == 0) return 0;
    uint32_t bits32 = (uint32_t)bits | (uint32_t)is_negative << 31;
    memcpy(out, &bits32, sizeof *out);
    return n_used;
}

size_t gei_parse_i64(const char *text, size_t size, int64_t *out) {
    size_t i = 0;
    bool is_negative = i < size && text[i] == '-';
    if (i < size && (text[i] == '-' || text[i] == '+')) i++;
    if (i == size || !is_digit(text[i])) return 0;
    int64_t value = 0; /* built on the negative side, which reaches one further */
    for (; i < size && is_digit(text[i]); i++) {
        if (!gei_mul_i64(value, 10, &value) || !gei_add_i64(value, -(text[i] - '0'), &value)) return 0;
    }
    if (!is_negative && !gei_mul_i64(value, -1, &value)) return 0;
    *out = value;
    return i;
}
