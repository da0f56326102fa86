/* SPDX-License-Identifier: Apache-2.0 */
/* Number to the shortest text that reads back as the same number, and of those the one nearest to it.  Exact integer arithmetic:
 * digits are made until what is left lies within half the distance to the neighbours. */
#include <string.h>

#include "base/bigint.h"
#include "base/bytes.h"

#define MAX_DIGITS 17 /* enough to tell any two doubles apart */
#define MAX_POSITIONAL_EXPONENT 15 /* 1e16 and above, and below 1e-4, are written with an exponent */
#define MIN_POSITIONAL_EXPONENT (-4)

/* value = mantissa * 2^exponent, finite and above 0. */
typedef struct binary {
    uint64_t mantissa;
    int32_t exponent;
    bool is_lower_gap_half; /* at a power of two the neighbour below is nearer */
} binary;

typedef struct digits {
    char text[MAX_DIGITS + 1];
    uint32_t count;
    int32_t exponent; /* of the first digit: d.ddd * 10^exponent */
} digits;

/* Numerators over the common denominator `unit`: what is left of the value, and half the gaps to the neighbours. */
typedef struct remainder_state {
    gei_bigint rest, half_gap_below, half_gap_above, unit;
    bool is_bound_included; /* an even mantissa wins ties when read back */
} remainder_state;

static void start(remainder_state *st, const binary *value) {
    uint32_t extra = value->is_lower_gap_half ? 2 : 1;
    uint32_t up = value->exponent > 0 ? (uint32_t)value->exponent : 0;
    uint32_t down = value->exponent < 0 ? (uint32_t)-value->exponent : 0;
    gei_bigint_set(&st->rest, value->mantissa);
    gei_bigint_shift_left(&st->rest, up + extra);
    gei_bigint_set(&st->half_gap_below, 1);
    gei_bigint_shift_left(&st->half_gap_below, up);
    gei_bigint_set(&st->half_gap_above, 1);
    gei_bigint_shift_left(&st->half_gap_above, up + extra - 1);
    gei_bigint_set(&st->unit, 1);
    gei_bigint_shift_left(&st->unit, down + extra);
    st->is_bound_included = value->mantissa % 2 == 0;
}

static void scale_by_ten(remainder_state *st) {
    gei_bigint_mul_add(&st->rest, 10, 0);
    gei_bigint_mul_add(&st->half_gap_below, 10, 0);
    gei_bigint_mul_add(&st->half_gap_above, 10, 0);
}

/* True when rest + half_gap_above reaches the unit: the digits so far plus one read back as the value. */
static bool reaches_unit(const remainder_state *st) {
    gei_bigint sum;
    gei_bigint_copy(&sum, &st->rest);
    gei_bigint_add(&sum, &st->half_gap_above);
    int order = gei_bigint_compare(&sum, &st->unit);
    return order > 0 || (order == 0 && st->is_bound_included);
}

/* floor(log10(2^x)), or one less. */
static int32_t log10_of_pow2(int32_t x) {
    const int64_t log10_2 = 1292913986; /* in units of 2^-32, rounded down; the subtraction below keeps it low for negative x too */
    return (int32_t)(((int64_t)x * log10_2 - 65536) >> 32);
}

/* Scales so that rest / unit is below 10, and would stay so at the upper end of the gap.  Returns the exponent of the first digit. */
static int32_t scale_to_first_digit(remainder_state *st, const binary *value) {
    int32_t n_bits = 64 - __builtin_clzll(value->mantissa);
    int32_t exponent = log10_of_pow2(value->exponent + n_bits - 1);
    if (exponent >= 0) {
        gei_bigint_mul_pow5(&st->unit, (uint32_t)exponent);
        gei_bigint_shift_left(&st->unit, (uint32_t)exponent);
    } else {
        gei_bigint *const scaled[] = { &st->rest, &st->half_gap_below, &st->half_gap_above };
        for (size_t i = 0; i < GEI_COUNT(scaled); i++) {
            gei_bigint_mul_pow5(scaled[i], (uint32_t)-exponent);
            gei_bigint_shift_left(scaled[i], (uint32_t)-exponent);
        }
    }
    gei_bigint_mul_add(&st->unit, 10, 0);
    if (reaches_unit(st)) return exponent + 1;
    scale_by_ten(st);
    return exponent;
}

/* Takes whole units out of the rest; 0 to 9. */
static uint32_t take_digit(remainder_state *st) {
    uint32_t digit = 0;
    for (; gei_bigint_compare(&st->rest, &st->unit) >= 0; digit++) gei_bigint_sub(&st->rest, &st->unit);
    return digit;
}

/* Both the digit and the one above it read back: the nearer one, the even one when they are equally near. */
static bool is_upper_nearer(remainder_state *st, uint32_t digit) {
    gei_bigint_shift_left(&st->rest, 1);
    int order = gei_bigint_compare(&st->rest, &st->unit);
    return order > 0 || (order == 0 && digit % 2 == 1);
}

static void make_digits(const binary *value, digits *out) {
    remainder_state st;
    start(&st, value);
    out->count = 0;
    out->exponent = scale_to_first_digit(&st, value);
    for (;;) {
        uint32_t digit = take_digit(&st);
        int below = gei_bigint_compare(&st.rest, &st.half_gap_below);
        bool lower_is_close = below < 0 || (below == 0 && st.is_bound_included);
        bool upper_is_close = reaches_unit(&st);
        if (lower_is_close || upper_is_close) {
            /* Never 9 + 1: the digits before would have been close enough already. */
            if (upper_is_close && (!lower_is_close || is_upper_nearer(&st, digit))) digit++;
            out->text[out->count++] = (char)('0' + digit);
            return;
        }
        out->text[out->count++] = (char)('0' + digit);
        scale_by_ten(&st);
    }
}

static void write_zeros(gei_sink *sink, int32_t n) {
    gei_sink_bytes(sink, "0000000000000000", (size_t)n);
}

static void write_digits(gei_sink *sink, const digits *d) {
    uint32_t count = d->count;
    int32_t exponent = d->exponent;
    if (exponent < MIN_POSITIONAL_EXPONENT || exponent > MAX_POSITIONAL_EXPONENT) {
        gei_sink_bytes(sink, d->text, 1);
        if (count > 1) gei_sink_text(sink, ".");
        gei_sink_bytes(sink, d->text + 1, count - 1);
        gei_sink_format(sink, "e%d", exponent);
    } else if (exponent < 0) {
        gei_sink_text(sink, "0.");
        write_zeros(sink, -exponent - 1);
        gei_sink_bytes(sink, d->text, count);
    } else if (count <= (uint32_t)exponent + 1) {
        gei_sink_bytes(sink, d->text, count);
        write_zeros(sink, exponent + 1 - (int32_t)count);
    } else {
        gei_sink_bytes(sink, d->text, (size_t)exponent + 1);
        gei_sink_text(sink, ".");
        gei_sink_bytes(sink, d->text + exponent + 1, count - (uint32_t)exponent - 1);
    }
}

/* Whole numbers below 2^mantissa_bits need no search: all their digits are significant. */
static bool write_small_integer(gei_sink *sink, const binary *value) {
    if (value->exponent > 0 || value->exponent <= -64) return false;
    uint64_t whole = value->mantissa >> -value->exponent;
    if (whole << -value->exponent != value->mantissa) return false;
    gei_sink_format(sink, "%llu", (unsigned long long)whole);
    return true;
}

/* `bits` without the sign; the fields as IEEE 754 lays them out. */
static void write_float(gei_sink *sink, bool is_negative, uint64_t bits, uint32_t mantissa_bits, uint32_t special_exponent) {
    uint64_t hidden = UINT64_C(1) << (mantissa_bits - 1);
    uint64_t fraction = bits & (hidden - 1);
    uint32_t biased = (uint32_t)(bits >> (mantissa_bits - 1));
    if (biased == special_exponent && fraction != 0) {
        gei_sink_text(sink, "nan");
        return;
    }
    if (is_negative) gei_sink_text(sink, "-");
    if (biased == special_exponent) {
        gei_sink_text(sink, "inf");
        return;
    }
    if (bits == 0) {
        gei_sink_text(sink, "0");
        return;
    }
    int32_t min_exponent = 2 - (int32_t)(special_exponent / 2 + mantissa_bits); /* of the last bit of a subnormal */
    binary value = { .mantissa = fraction, .exponent = min_exponent };
    if (biased > 0) {
        value.mantissa |= hidden;
        value.exponent += (int32_t)biased - 1;
        value.is_lower_gap_half = fraction == 0 && biased > 1;
    }
    if (write_small_integer(sink, &value)) return;
    digits d;
    make_digits(&value, &d);
    write_digits(sink, &d);
}

void gei_sink_f64(gei_sink *sink, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    write_float(sink, bits >> 63, bits & (UINT64_MAX >> 1), 53, 2047);
}

void gei_sink_f32(gei_sink *sink, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    write_float(sink, bits >> 31, bits & (UINT32_MAX >> 1), 24, 255);
}
