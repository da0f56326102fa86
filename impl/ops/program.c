/* SPDX-License-Identifier: Apache-2.0 */
/* The text form of programs of elementwise steps. */
#include "ops/program.h"

#include <string.h>

#include "ops/elementwise.h"

_Static_assert(GEI_PROGRAM_PARAMS == GEI_MAX_PARAMS && GEI_PROGRAM_SHAPES <= GEI_BROADCAST_INPUTS, "limits of programs");

/* ---- writing ---- */

static uint32_t count_steps(const char *text) {
    uint32_t n = 1;
    for (; *text; text++) n += *text == ';';
    return n;
}

uint32_t gei_program_steps_of(const gei_node *node) {
    const gei_op *op = gei_op_of(node);
    if (!gei_op_has(op, GEI_OP_ELEMENTWISE)) return 0;
    if (op->steps) return count_steps(op->steps);
    const gei_wide *loop = gei_wide_find(gei_wide_portable, op->name);
    return loop && node->n_ins == (loop->unary ? 1 : 2) ? 1 : 0;
}

static void write_ref(gei_sink *text, gei_program_ref ref) { gei_sink_format(text, "%c%u", ref.is_step ? 't' : 'x', ref.index); }

static void write_params(gei_sink *text, const double *params) {
    uint32_t n = GEI_MAX_PARAMS;
    while (n > 0 && params[n - 1] == 0) n--;
    for (uint32_t i = 0; i < n; i++) {
        gei_sink_text(text, i == 0 ? "[" : ",");
        gei_sink_f64(text, params[i]);
    }
    if (n > 0) gei_sink_text(text, "]");
}

/* The row's own steps, with the inputs and results they are now: "x1" is args[1], "t0" the first of these steps. */
static void append_steps(gei_program_text *to, const char *steps, const gei_program_ref *args) {
    uint32_t first = to->n_steps;
    for (const char *at = steps; *at; at++) {
        bool is_ref = (*at == 'x' || *at == 't') && at > steps && (at[-1] == '(' || at[-1] == ',');
        if (!is_ref) {
            gei_sink_bytes(to->text, at, 1);
            continue;
        }
        uint32_t index = (uint32_t)(at[1] - '0');
        write_ref(to->text, *at == 'x' ? args[index] : (gei_program_ref){ true, first + index });
        at++;
    }
    to->n_steps += count_steps(steps);
}

void gei_program_append(gei_program_text *to, const gei_node *node, const gei_program_ref *args, gei_program_ref *out) {
    const gei_op *op = gei_op_of(node);
    double params[GEI_MAX_PARAMS] = { 0 };
    if (to->n_steps > 0) gei_sink_text(to->text, ";");
    if (op->steps) {
        append_steps(to, op->steps, args);
    } else {
        gei_sink_format(to->text, "%s(", op->name);
        for (uint32_t i = 0; i < node->n_ins; i++) {
            if (i > 0) gei_sink_text(to->text, ",");
            write_ref(to->text, args[i]);
        }
        gei_sink_text(to->text, ")");
        gei_params_fn fill = op->unary ? op->unary->params : op->binary ? op->binary->params : NULL;
        if (fill) fill(node, params);
        write_params(to->text, params);
        to->n_steps++;
    }
    *out = (gei_program_ref){ true, to->n_steps - 1 };
}

/* ---- reading ---- */

typedef struct reader {
    const char *text, *at;
    uint32_t n_inputs, n_steps;
    gei_diag *diag;
} reader;

static ge_status refuse(const reader *r, const char *why) {
    return gei_fail(r->diag, GE_ERR_BAD_ATTR, "program of elementwise steps, character %zu: %s", (size_t)(r->at - r->text), why);
}

static bool take(reader *r, char c) {
    if (*r->at != c) return false;
    r->at++;
    return true;
}

static ge_status read_ref(reader *r, gei_program_ref *out) {
    int64_t index;
    out->is_step = *r->at == 't';
    if (*r->at != 't' && *r->at != 'x') return refuse(r, "an input (x0) or result (t0) is wanted");
    size_t n = gei_parse_i64(r->at + 1, strlen(r->at + 1), &index);
    if (n == 0 || index < 0 || index >= (int64_t)(out->is_step ? r->n_steps : r->n_inputs)) return refuse(r, "there is no such input or earlier result");
    out->index = (uint32_t)index;
    r->at += 1 + n;
    return GE_OK;
}

static ge_status read_params(reader *r, double *params) {
    if (!take(r, '[')) return GE_OK;
    for (uint32_t i = 0;; i++) {
        size_t n = i < GEI_MAX_PARAMS ? gei_parse_f64(r->at, strlen(r->at), &params[i]) : 0;
        if (n == 0) return refuse(r, "a number is wanted, or there are too many");
        r->at += n;
        if (take(r, ']')) return GE_OK;
        if (!take(r, ',')) return refuse(r, "',' or ']' is wanted");
    }
}

static ge_status read_step(reader *r, gei_program_step *s) {
    memset(s, 0, sizeof *s);
    s->name = r->at;
    while (*r->at && *r->at != '(' && *r->at != ';') r->at++;
    s->name_size = (size_t)(r->at - s->name);
    const gei_wide *loop = gei_wide_find_sized(gei_wide_portable, s->name, s->name_size);
    if (!loop) return refuse(r, "no step has the name before it");
    if (!take(r, '(')) return refuse(r, "'(' is wanted");
    s->n_args = loop->unary ? 1 : 2;
    for (uint32_t i = 0; i < s->n_args; i++) {
        if (i > 0 && !take(r, ',')) return refuse(r, "',' is wanted");
        GEI_TRY(read_ref(r, &s->args[i]));
    }
    return take(r, ')') ? read_params(r, s->params) : refuse(r, "')' is wanted");
}

ge_status gei_program_read(const char *text, uint32_t n_inputs, gei_program_step *steps, uint32_t *out_count, gei_diag *diag) {
    reader r = { text, text, n_inputs, 0, diag };
    if (n_inputs > GEI_PROGRAM_INPUTS) return gei_fail(diag, GE_ERR_LIMIT, "a program of elementwise steps has at most %d inputs", GEI_PROGRAM_INPUTS);
    do {
        if (r.n_steps == GEI_PROGRAM_STEPS) return refuse(&r, "there are too many steps");
        GEI_TRY(read_step(&r, &steps[r.n_steps]));
        r.n_steps++;
    } while (take(&r, ';'));
    if (*r.at) return refuse(&r, "';' or the end is wanted");
    *out_count = r.n_steps;
    return GE_OK;
}
