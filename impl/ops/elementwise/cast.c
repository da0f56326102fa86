/* SPDX-License-Identifier: Apache-2.0 */
/* Cast and CastLike: any numeric type to any other, and to and from strings.
 * Floats become integers toward zero and stay within the type's range (NaN: 0), but in fewer than 8 bits
 * they lose their upper bits, as integers that do not fit do in all types.
 * Attributes of ours: saturate (types of 8 bits and fewer), round_mode (float8_e8m0). */
#include <math.h>
#include <string.h>

#include "ir/half.h"
#include "ops/elementwise.h"
#include "ops/import.h"
#include "ops/view.h"

#define TILE 256
#define GRAIN 16384

/* A tile of elements between the two types: what is exact for the source. */
typedef struct tile {
    bool is_float, is_unsigned;
    int64_t n;
    double f[TILE];
    int64_t i[TILE]; /* uint64 bits when is_unsigned */
} tile;

typedef struct cast_options {
    bool saturate;
    int round; /* 1 up, -1 down, 0 nearest: away from and toward zero */
} cast_options;

static bool is_packed(int32_t dtype) { return gei_dtype_get(dtype)->bits % 8 != 0; }

/* Elements of one byte or less that `lane` does not know, and complex ones by their real part. */
static bool is_rare(int32_t dtype) { return gei_lane_of(dtype) == GEI_LANE_NONE || gei_lane_of(dtype) >= GEI_LANE_C64; }

/* ---- loading ---- */

static void load_rare(const gei_view *x, int64_t at, tile *t) {
    for (int64_t k = 0; k < t->n; k++) {
        if (t->is_float) t->f[k] = gei_view_f64(x, at + k);
        else t->i[k] = gei_view_i64(x, at + k);
    }
}

#define LOAD(T, field)                                                              \
    for (int64_t k = 0; k < t->n; k++) t->field[k] = ((const T *)x->data)[at + k]

static void load(const gei_view *x, int64_t at, tile *t) {
    gei_dkind kind = gei_dtype_get(x->dtype)->kind;
    t->is_float = kind == GEI_KIND_FLOAT || kind == GEI_KIND_COMPLEX;
    t->is_unsigned = x->dtype == GEI_UINT64;
    const uint16_t *halves = (const uint16_t *)x->data;
    if (is_rare(x->dtype)) {
        load_rare(x, at, t);
        return;
    }
    if (x->dtype == GEI_FLOAT16) {
        for (int64_t k = 0; k < t->n; k++) t->f[k] = gei_f16_to_f32(halves[at + k]);
        return;
    }
    if (x->dtype == GEI_BFLOAT16) {
        for (int64_t k = 0; k < t->n; k++) t->f[k] = gei_bf16_to_f32(halves[at + k]);
        return;
    }
    switch (gei_lane_of(x->dtype)) {
    case GEI_LANE_F32: LOAD(float, f); break;
    case GEI_LANE_F64: LOAD(double, f); break;
    case GEI_LANE_I8: LOAD(int8_t, i); break;
    case GEI_LANE_I16: LOAD(int16_t, i); break;
    case GEI_LANE_I32: LOAD(int32_t, i); break;
    case GEI_LANE_I64: LOAD(int64_t, i); break;
    case GEI_LANE_U16: LOAD(uint16_t, i); break;
    case GEI_LANE_U32: LOAD(uint32_t, i); break;
    case GEI_LANE_U64: for (int64_t k = 0; k < t->n; k++) t->i[k] = (int64_t)((const uint64_t *)x->data)[at + k]; break;
    default: LOAD(uint8_t, i); break; /* uint8, bool */
    }
}

/* ---- the number in between ---- */

/* Rounded to odd beyond 53 bits: a second rounding to a narrower type then is the only one. */
static double int_to_f64(int64_t v, bool is_unsigned) {
    uint64_t magnitude = v < 0 && !is_unsigned ? UINT64_C(0) - (uint64_t)v : (uint64_t)v;
    uint64_t lost = magnitude >> 53 ? magnitude & 0x7FF : 0;
    double d = (double)(lost ? (magnitude & ~UINT64_C(0x7FF)) | 0x800 : magnitude);
    return v < 0 && !is_unsigned ? -d : d;
}

static int64_t f64_to_int(double v, double low, double high) { /* [low, high]: range of the type, exact as doubles or one beyond */
    if (isnan(v)) return 0;
    v = trunc(v);
    if (v <= low) return low <= -0x1p63 ? INT64_MIN : (int64_t)low;
    if (v >= high) return high >= 0x1p64 ? -1 : high >= 0x1p63 ? INT64_MAX : (int64_t)high;
    return v >= 0x1p63 ? (int64_t)(uint64_t)v : (int64_t)v;
}

static void range_of(const gei_dtype_info *info, double *low, double *high) {
    bool is_signed = info->kind == GEI_KIND_INT;
    *low = is_signed ? -ldexp(1, (int)info->bits - 1) : 0;
    *high = ldexp(1, (int)info->bits - (is_signed ? 1 : 0)) - (info->bits < 64 ? 1 : 0);
}

static void to_doubles(tile *t) {
    for (int64_t k = 0; !t->is_float && k < t->n; k++) t->f[k] = int_to_f64(t->i[k], t->is_unsigned);
}

static void to_ints(tile *t, const gei_dtype_info *info) {
    double low, high;
    range_of(gei_dtype_get(info->bits < 8 ? GEI_INT64 : info->dtype), &low, &high);
    for (int64_t k = 0; t->is_float && k < t->n; k++) t->i[k] = f64_to_int(t->f[k], low, high);
}

/* ---- storing ---- */

static uint8_t to_e8m0(double v, const cast_options *o) {
    int exp;
    if (isnan(v) || v < 0) return 0xff;
    if (isinf(v)) return o->saturate ? 0xfe : 0xff;
    if (v == 0) return o->saturate ? 0 : 0xff;
    double m = frexp(v, &exp); /* v = m * 2^exp, m in [0.5, 1) */
    int code = exp - 1 + 127;
    if (o->round > 0 ? m > 0.5 : o->round == 0 && m >= 0.75) code++;
    if (code < 0) return o->saturate ? 0 : 0xff;
    if (code > 0xfe) return o->saturate ? 0xfe : 0xff;
    return (uint8_t)code;
}

static uint8_t small_code(int32_t dtype, double v, const cast_options *o) {
    return dtype == GEI_FLOAT8_E8M0 ? to_e8m0(v, o) : gei_f32_to_small(dtype, gei_f64_to_f32_odd(v), o->saturate);
}

static void store_bits(const gei_view *y, int64_t index, uint64_t code, uint32_t bits) {
    uint8_t *to = (uint8_t *)y->data;
    if (bits == 8) {
        to[index] = (uint8_t)code;
        return;
    }
    for (uint32_t b = 0; b < bits; b++) {
        uint64_t at = (uint64_t)index * bits + b;
        to[at / 8] = (uint8_t)((to[at / 8] & ~(1u << at % 8)) | (code >> b & 1) << at % 8);
    }
}

#define STORE(T, value)                                                              \
    for (int64_t k = 0; k < t->n; k++) ((T *)y->data)[at + k] = (T)(value)

static void store_floats(const gei_view *y, int64_t at, tile *t, const cast_options *o) {
    uint32_t bits = gei_dtype_get(y->dtype)->bits;
    /* float32 from integers is rounded once by the conversion itself. */
    if (y->dtype == GEI_FLOAT32 && !t->is_float) {
        if (t->is_unsigned) STORE(float, (uint64_t)t->i[k]);
        else STORE(float, t->i[k]);
        return;
    }
    if (y->dtype == GEI_FLOAT64 && !t->is_float) {
        if (t->is_unsigned) STORE(double, (uint64_t)t->i[k]);
        else STORE(double, t->i[k]);
        return;
    }
    to_doubles(t);
    switch (y->dtype) {
    case GEI_FLOAT32: STORE(float, t->f[k]); break;
    case GEI_FLOAT64: STORE(double, t->f[k]); break;
    case GEI_FLOAT16: STORE(uint16_t, gei_f32_to_f16(gei_f64_to_f32_odd(t->f[k]))); break;
    case GEI_BFLOAT16: STORE(uint16_t, gei_f32_to_bf16(gei_f64_to_f32_odd(t->f[k]))); break;
    case GEI_COMPLEX64: STORE(float _Complex, t->f[k]); break;
    case GEI_COMPLEX128: STORE(double _Complex, t->f[k]); break;
    default:
        for (int64_t k = 0; k < t->n; k++) store_bits(y, at + k, small_code(y->dtype, t->f[k], o), bits);
    }
}

static void store_ints(const gei_view *y, int64_t at, tile *t) {
    const gei_dtype_info *info = gei_dtype_get(y->dtype);
    to_ints(t, info);
    switch (info->bits) {
    case 64: STORE(int64_t, t->i[k]); break;
    case 32: STORE(uint32_t, (uint64_t)t->i[k]); break;
    case 16: STORE(uint16_t, (uint64_t)t->i[k]); break;
    default:
        for (int64_t k = 0; k < t->n; k++) store_bits(y, at + k, (uint64_t)t->i[k], info->bits);
    }
}

static void store_bools(const gei_view *y, int64_t at, tile *t) { STORE(uint8_t, t->is_float ? t->f[k] != 0 : t->i[k] != 0); }

/* ---- complex to complex ---- */

static void run_complex(const gei_view *x, const gei_view *y, int64_t begin, int64_t end) {
    for (int64_t k = begin; k < end; k++) {
        if (x->dtype == GEI_COMPLEX64) ((double _Complex *)y->data)[k] = ((const float _Complex *)x->data)[k];
        else ((float _Complex *)y->data)[k] = (float _Complex)((const double _Complex *)x->data)[k];
    }
}

/* ---- strings ---- */

/* Words that are no plain number: infinities and NaN, in any case. */
static bool parse_special(const char *text, size_t size, double *out) {
    bool negative = size > 0 && text[0] == '-';
    size_t skip = size > 0 && (text[0] == '-' || text[0] == '+');
    if (size - skip != 3) return false;
    char low[3];
    for (int k = 0; k < 3; k++) low[k] = (char)(text[skip + (size_t)k] | 0x20);
    if (memcmp(low, "inf", 3) == 0) *out = negative ? -INFINITY : INFINITY;
    else if (memcmp(low, "nan", 3) == 0) *out = NAN;
    else return false;
    return true;
}

static bool parse_all(const char *text, size_t size, double *out) { return size > 0 && gei_parse_f64(text, size, out) == size; }

static ge_status from_strings(const gei_run *run, const cast_options *o) {
    const gei_view *x = run->in[0], *y = run->out[0];
    const uint64_t *offsets = (const uint64_t *)x->data;
    const char *texts = (const char *)(offsets + x->n_elems + 1);
    gei_dkind kind = gei_dtype_get(y->dtype)->kind;
    bool wants_int = kind == GEI_KIND_INT || kind == GEI_KIND_UINT;
    tile t = { .n = 1 };
    for (int64_t k = 0; k < x->n_elems; k++) {
        const char *text = texts + offsets[k];
        size_t size = (size_t)(offsets[k + 1] - offsets[k]);
        size_t plus = size > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+';
        t.is_float = !(wants_int && size > plus && gei_parse_i64(text + plus, size - plus, &t.i[0]) == size - plus);
        if (t.is_float && !parse_special(text, size, &t.f[0]) && !parse_all(text + plus, size - plus, &t.f[0]))
            return gei_run_fail(run, 0, "x", "element %lld \"%.*s\" is no number", (long long)k, (int)(size < 64 ? size : 64), text);
        if (kind == GEI_KIND_BOOL) store_bools(y, k, &t);
        else if (wants_int) store_ints(y, k, &t);
        else store_floats(y, k, &t, o);
    }
    return GE_OK;
}

static void put_number(gei_sink *sink, const gei_view *x, const tile *t, int64_t k) {
    if (x->dtype == GEI_BOOL) gei_sink_text(sink, t->i[k] ? "True" : "False");
    else if (t->is_unsigned) gei_sink_format(sink, "%llu", (unsigned long long)t->i[k]);
    else if (!t->is_float) gei_sink_format(sink, "%lld", (long long)t->i[k]);
    else if (x->dtype == GEI_FLOAT64) gei_sink_f64(sink, t->f[k]);
    else gei_sink_f32(sink, (float)t->f[k]);
}

static ge_status to_strings(const gei_run *run) {
    const gei_view *x = run->in[0], *y = run->out[0];
    size_t table = ((size_t)x->n_elems + 1) * sizeof(uint64_t);
    uint64_t *offsets = (uint64_t *)gei_alloc(run->heap, table, 0);
    gei_sink sink;
    tile t;
    void *data;
    if (!offsets) return gei_out_of_memory(run->diag, table);
    gei_sink_init(&sink, run->heap);
    for (int64_t at = 0; at < x->n_elems; at += TILE) {
        t.n = x->n_elems - at < TILE ? x->n_elems - at : TILE;
        load(x, at, &t);
        for (int64_t k = 0; k < t.n; k++) {
            offsets[at + k] = sink.size;
            put_number(&sink, x, &t, k);
        }
    }
    offsets[x->n_elems] = sink.size;
    ge_status status = sink.failed ? gei_out_of_memory(run->diag, sink.size)
        : gei_run_set_output(run, 0, y->rank, y->dims, table + sink.size, &data);
    if (status == GE_OK) {
        memcpy(data, offsets, table);
        if (sink.size > 0) memcpy((char *)data + table, sink.data, sink.size);
    }
    gei_free(run->heap, offsets, table, 0);
    gei_sink_deinit(&sink);
    return status;
}

/* ---- the row ---- */

static cast_options read_options(const gei_node *node) {
    const char *round = gei_node_text(node, "round_mode", "up");
    return (cast_options){ gei_node_bool(node, "saturate", true), strcmp(round, "up") == 0 ? 1 : strcmp(round, "down") == 0 ? -1 : 0 };
}

static ge_status run_cast(const gei_run *run, uint32_t part) {
    const gei_view *x = run->in[0], *y = run->out[0];
    cast_options o = read_options(run->node);
    gei_dkind from = gei_dtype_get(x->dtype)->kind, to = gei_dtype_get(y->dtype)->kind;
    int64_t begin, end;
    tile t;
    if (from == GEI_KIND_STRING && to != GEI_KIND_STRING) return part == 0 ? from_strings(run, &o) : GE_OK;
    if (to == GEI_KIND_STRING) return part == 0 ? to_strings(run) : GE_OK;
    gei_part_range(y->n_elems, run->n_parts, part, &begin, &end);
    if (from == GEI_KIND_COMPLEX && to == GEI_KIND_COMPLEX) {
        run_complex(x, y, begin, end);
        return GE_OK;
    }
    for (int64_t at = begin; at < end; at += TILE) {
        t.n = end - at < TILE ? end - at : TILE;
        load(x, at, &t);
        if (to == GEI_KIND_BOOL) store_bools(y, at, &t);
        else if (to == GEI_KIND_INT || to == GEI_KIND_UINT) store_ints(y, at, &t);
        else store_floats(y, at, &t, &o);
    }
    return GE_OK;
}

static ge_status run_ref(const gei_run *run, uint32_t part) {
    const gei_view *x = run->in[0], *y = run->out[0];
    size_t bytes;
    if (x->dtype != y->dtype || x->dtype == GEI_STRING) {
        if (x->dtype == y->dtype) return part == 0 ? gei_copy_kernels[0].run(run, 0) : GE_OK;
        return run_cast(run, part);
    }
    bool has_bytes = gei_dtype_bytes(x->dtype, (uint64_t)x->n_elems, &bytes) && bytes > 0;
    if (part == 0 && has_bytes && x->data != y->data) memcpy(y->data, x->data, bytes);
    return GE_OK;
}

static ge_status size_cast(gei_sizing *s, gei_diag *diag) {
    GEI_TRY(gei_size_unary(s, diag));
    if (s->out[0].dtype == GEI_STRING || is_packed(s->out[0].dtype)) s->n_parts = 1; /* neighbours share bytes */
    return GE_OK;
}

static bool can_cast(int32_t dtype) {
    const gei_dtype_info *info = gei_dtype_get(dtype);
    return info && info->kind != GEI_KIND_NONE && dtype != GEI_COMPLEX32 && dtype != GEI_HIFLOAT8;
}

static ge_status infer_to(gei_infer *i, int64_t to) {
    int32_t from = i->in[0]->dtype;
    const char *round = gei_node_text(i->node, "round_mode", "up");
    i->out[0].shape = i->in[0]->shape;
    if (to < INT32_MIN || to > INT32_MAX || !can_cast((int32_t)to))
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "dst_type", "data type %lld is not supported", (long long)to);
    bool from_complex = can_cast(from) && gei_dtype_get(from)->kind == GEI_KIND_COMPLEX;
    bool loses_part = from_complex && gei_dtype_get((int32_t)to)->kind != GEI_KIND_COMPLEX;
    if (from != GEI_UNDEFINED && (!can_cast(from) || loses_part))
        return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, "x", "%s cannot become %s", gei_dtype_name(from), gei_dtype_name((int32_t)to));
    if (strcmp(round, "up") != 0 && strcmp(round, "down") != 0 && strcmp(round, "nearest") != 0)
        return gei_infer_fail(i, GE_ERR_BAD_ATTR, "round_mode", "unknown value '%s'", round);
    i->out[0].dtype = (int32_t)to;
    return GE_OK;
}

static ge_status infer_cast(gei_infer *i) { return infer_to(i, gei_node_int(i->node, "dst_type", GEI_UNDEFINED)); }

/* Symbols pass between the types that shapes are kept in. */
static ge_status elems_cast(gei_infer *i) {
    size_t count;
    int32_t to = i->out[0].dtype;
    if ((to != GEI_INT64 && to != GEI_INT32) || !i->in[0]->elems || !gei_info_elem_count(i->in[0], &count)) return GE_OK;
    gei_elem *elems = gei_infer_new_elems(i, 0, count);
    if (!elems) return gei_out_of_memory(i->diag, 0);
    for (size_t k = 0; k < count; k++) {
        gei_elem e = gei_info_elem(i->in[0], k);
        if (!e.known || to == GEI_INT64 || (e.number >= INT32_MIN && e.number <= INT32_MAX)) elems[k] = e;
    }
    return GE_OK;
}

static const gei_kernel cast_kernels[] = { { .name = "ref", .size = size_cast, .run = run_ref }, { 0 } };

static ge_status map_options(const gei_import *im, gei_node *node, gei_diag *diag) {
    if (gei_import_int(im, "saturate", 1) == 0) GEI_TRY(gei_import_set_bool(node, "saturate", false, diag));
    if (gei_import_has_attr(im, "round_mode"))
        GEI_TRY(gei_import_set_text(node, "round_mode", gei_import_text(im, "round_mode", "up"), diag));
    return GE_OK;
}

static ge_status map_cast(gei_import *im, gei_diag *diag) {
    gei_value x = gei_import_input(im, 0);
    int64_t to = gei_import_int(im, "to", 0);
    int32_t dtype = to < 0 || to > INT32_MAX ? GEI_UNDEFINED : gei_dtype_from_onnx((int32_t)to);
    gei_node *node;
    if (dtype == GEI_UNDEFINED)
        return gei_import_fail(im, GE_ERR_UNSUPPORTED_DTYPE, diag, "attribute to: unknown data type %lld", (long long)to);
    GEI_TRY(gei_import_node(im, "Cast", &x, 1, &node, diag));
    GEI_TRY(gei_import_set_int(node, "dst_type", dtype, diag));
    GEI_TRY(map_options(im, node, diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

static const gei_source cast_sources[] = { { GEI_FROM_ONNX, "Cast", 6, map_cast, NULL }, { 0 } };

GEI_OP(Cast) = { .name = "Cast", .infer = infer_cast, .elems = elems_cast, .kernels = cast_kernels, .sources = cast_sources,
                 .traits = GEI_OP_PURE | GEI_OP_ELEMENTWISE };
GEI_WIDEN(Cast, "*", "any");

/* ---- CastLike: to the type of another input ---- */

static ge_status infer_cast_like(gei_infer *i) {
    if (i->in[1]->dtype != GEI_UNDEFINED) return infer_to(i, i->in[1]->dtype);
    i->out[0].shape = i->in[0]->shape;
    return GE_OK;
}

static ge_status map_cast_like(gei_import *im, gei_diag *diag) {
    gei_node *node;
    GEI_TRY(gei_import_node(im, "CastLike", im->inputs, im->n_inputs, &node, diag));
    GEI_TRY(map_options(im, node, diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

static const gei_source cast_like_sources[] = { { GEI_FROM_ONNX, "CastLike", 15, map_cast_like, NULL }, { 0 } };

GEI_OP(CastLike) = { .name = "CastLike", .infer = infer_cast_like, .elems = elems_cast, .kernels = cast_kernels,
                     .sources = cast_like_sources, .traits = GEI_OP_PURE };
GEI_WIDEN(CastLike, "*", "any");
