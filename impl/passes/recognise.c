/* SPDX-License-Identifier: Apache-2.0 */
/* recognise: several nodes that together compute what one operator does become that operator.  The forms stand in the rows (gei_form).
 *
 *   x -> Sigmoid -> Mul(x)        Swish(x)
 *
 * A form is taken when nothing outside reads what is inside, all is float32 and shapes are those of x; the longest is tried first. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "passes/pipeline.h"

enum { MOST_NODES = 24, MOST_NAMES = 6, MOST_ARGS = 4, NAME_SIZE = 32 };

typedef enum part_kind { PART_OP, PART_VALUE, PART_VECTOR, PART_ATTR, PART_NUMBER, PART_LAST } part_kind;

typedef struct part { /* of a parsed form */
    part_kind kind;
    char name[NAME_SIZE], attr[NAME_SIZE]; /* operator or name; condition of an operator, "": none */
    const gei_op_def *def;                 /* of an operator */
    int64_t attr_value;
    double number;
    uint32_t n_args;
    struct part *args[MOST_ARGS];
} part;

typedef struct form {
    const gei_op *op;
    const gei_form *source;
    part *root;
    size_t n_ops;
} form;

typedef struct match {
    const gei_pass_context *c;
    gei_node *inside[MOST_NODES];
    size_t n_inside;
    struct { const char *name; gei_value value; } values[MOST_NAMES];
    size_t n_values;
    struct { const char *name; float number; } attrs[MOST_NAMES];
    size_t n_attrs;
} match;

/* ---- reading forms; they are ours, so what is wrong with them is an assert ---- */

typedef struct reader {
    const char *at;
    gei_arena *arena;
    size_t n_ops;
} reader;

static void skip_space(reader *r) { while (*r->at == ' ') r->at++; }

static bool take(reader *r, char c) {
    skip_space(r);
    if (*r->at != c) return false;
    r->at++;
    return true;
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static void read_name(reader *r, char *to) {
    size_t n = 0;
    while (is_letter(*r->at) || is_digit(*r->at) || *r->at == '_') {
        assert(n + 1 < NAME_SIZE);
        to[n++] = *r->at++;
    }
    assert(n > 0);
    to[n] = 0;
}

static part *read_part(reader *r);

static bool read_args(reader *r, part *p) {
    while (!take(r, ')')) {
        assert(p->n_args < MOST_ARGS);
        part *arg = read_part(r);
        if (!arg) return false;
        p->args[p->n_args++] = arg;
        (void)take(r, ',');
    }
    if (!take(r, '{')) return true;
    read_name(r, p->attr);
    bool ok = take(r, '=');
    size_t n = gei_parse_i64(r->at, strlen(r->at), &p->attr_value);
    assert(ok && n > 0);
    r->at += n;
    ok = take(r, '}');
    assert(ok);
    (void)ok;
    return true;
}

/* NULL: out of memory. */
static part *read_part(reader *r) {
    part *p = gei_arena_new(r->arena, part);
    if (!p) return NULL;
    skip_space(r);
    if (take(r, '@') || take(r, '$')) {
        p->kind = r->at[-1] == '@' ? PART_VECTOR : PART_ATTR;
        read_name(r, p->name);
        return p;
    }
    if (is_digit(*r->at) || *r->at == '-') {
        size_t n = gei_parse_f64(r->at, strlen(r->at), &p->number);
        assert(n > 0);
        r->at += n;
        p->kind = PART_NUMBER;
        return p;
    }
    read_name(r, p->name);
    p->kind = strcmp(p->name, "last") == 0 ? PART_LAST : PART_VALUE;
    if (!take(r, '(')) return p;
    p->kind = PART_OP;
    p->def = gei_catalogue_find(p->name, strlen(p->name));
    assert(p->def);
    r->n_ops++;
    return read_args(r, p) ? p : NULL;
}

static int more_ops_first(const void *a, const void *b) {
    const form *x = a, *y = b;
    if (x->n_ops != y->n_ops) return x->n_ops > y->n_ops ? -1 : 1;
    return strcmp(x->source->text, y->source->text);
}

static ge_status read_forms(gei_pass_context *c, form **out, size_t *out_count, gei_diag *diag) {
    size_t n = 0;
    for (size_t i = 0; i < gei_op_row_count(); i++)
        for (const gei_form *f = gei_op_row_at(i)->forms; f && f->text; f++) n++;
    form *forms = gei_arena_array(c->arena, form, n);
    if (!forms) return gei_out_of_memory(diag, n * sizeof *forms);
    n = 0;
    for (size_t i = 0; i < gei_op_row_count(); i++)
        for (const gei_form *f = gei_op_row_at(i)->forms; f && f->text; f++) {
            reader r = { f->text, c->arena, 0 };
            part *root = read_part(&r);
            if (!root) return gei_out_of_memory(diag, sizeof *root);
            assert(root->kind == PART_OP && r.n_ops <= MOST_NODES);
            forms[n++] = (form){ gei_op_row_at(i), f, root, r.n_ops };
        }
    qsort(forms, n, sizeof *forms, more_ops_first);
    *out = forms;
    *out_count = n;
    return GE_OK;
}

/* ---- matching ---- */

static const gei_info *info_of(const match *m, gei_value v) { return gei_infos_of(m->c->infos, v); }

static bool is_number(gei_value v, double *out) {
    const gei_tensor *t = v.node ? gei_node_const(v.node) : NULL;
    if (!t || t->n_elems != 1 || t->dtype != GEI_FLOAT32) return false;
    *out = (double)*(const float *)t->data;
    return true;
}

/* A constant list of one axis that is the last of `of`. */
static bool is_last_axis(const match *m, gei_value v, gei_value of) {
    const gei_tensor *t = v.node ? gei_node_const(v.node) : NULL;
    int32_t rank = info_of(m, of)->shape.rank;
    if (!t || t->n_elems != 1 || rank < 1 || (t->dtype != GEI_INT64 && t->dtype != GEI_INT32)) return false;
    int64_t axis = t->dtype == GEI_INT64 ? *(const int64_t *)t->data : *(const int32_t *)t->data;
    return axis == -1 || axis == rank - 1;
}

static bool is_vector(gei_value v) {
    const gei_tensor *t = v.node ? gei_node_const(v.node) : NULL;
    return t && t->rank == 1 && t->dtype == GEI_FLOAT32;
}

static bool bind(match *m, const char *name, gei_value v) {
    for (size_t i = 0; i < m->n_values; i++)
        if (strcmp(m->values[i].name, name) == 0) return m->values[i].value.node == v.node && m->values[i].value.out == v.out;
    if (!v.node || m->n_values == MOST_NAMES) return false;
    m->values[m->n_values].name = name;
    m->values[m->n_values++].value = v;
    return true;
}

static bool fits_op(match *m, const part *p, gei_value v);

static bool fits(match *m, const part *p, gei_value v, gei_value first) {
    double number;
    switch (p->kind) {
    case PART_OP: return fits_op(m, p, v);
    case PART_VALUE: return bind(m, p->name, v);
    case PART_VECTOR: return is_vector(v) && bind(m, p->name, v);
    case PART_LAST: return is_last_axis(m, v, first);
    case PART_NUMBER: return is_number(v, &number) && fabs(number - p->number) <= 1e-6 * fabs(p->number);
    case PART_ATTR:
        if (!is_number(v, &number) || m->n_attrs == MOST_NAMES) return false;
        m->attrs[m->n_attrs].name = p->name;
        m->attrs[m->n_attrs++].number = (float)number;
        return true;
    }
    return false;
}

/* Cheap, and what turns most nodes down: operators where the form has operators. */
static bool types_fit(const part *p, const gei_node *node, bool swapped) {
    for (uint32_t i = 0; i < p->n_args; i++) {
        const gei_node *from = node->ins[swapped ? 1 - i : i].from.node;
        if (p->args[i]->kind == PART_OP && (!from || from->def != p->args[i]->def)) return false;
    }
    return true;
}

static bool fits_args(match *m, const part *p, const gei_node *node, bool swapped) {
    if (!types_fit(p, node, swapped)) return false;
    match before = *m;
    for (uint32_t i = 0; i < p->n_args; i++)
        if (!fits(m, p->args[i], node->ins[swapped ? 1 - i : i].from, node->ins[0].from)) {
            *m = before;
            return false;
        }
    return true;
}

static bool fits_op(match *m, const part *p, gei_value v) {
    gei_node *node = v.node;
    if (!node || v.out != 0 || node->def != p->def || node->n_ins != p->n_args) return false;
    if (node->ctrl_ins.count || node->ctrl_outs.count || info_of(m, v)->dtype != GEI_FLOAT32) return false;
    if (*p->attr && (int64_t)gei_node_bool(node, p->attr, false) != p->attr_value && gei_node_int(node, p->attr, -1) != p->attr_value) return false;
    bool ok = fits_args(m, p, node, false) ||
              (p->n_args == 2 && gei_op_has(gei_op_of(node), GEI_OP_COMMUTATIVE) && fits_args(m, p, node, true));
    for (size_t i = 0; ok && i < m->n_inside; i++)
        if (m->inside[i] == node) return true; /* two parts read it */
    if (!ok || m->n_inside == MOST_NODES) return false;
    m->inside[m->n_inside++] = node;
    return true;
}

/* Nothing but nodes inside reads a node inside, the root (the last one) apart. */
static bool is_closed(const match *m) {
    for (size_t i = 0; i + 1 < m->n_inside; i++) {
        uint32_t uses = 0;
        for (size_t k = 0; k < m->n_inside; k++)
            for (uint32_t s = 0; s < m->inside[k]->n_ins; s++) uses += m->inside[k]->ins[s].from.node == m->inside[i];
        if (uses != gei_value_use_count(gei_value_of(m->inside[i], 0))) return false;
        for (uint32_t o = 1; o < m->inside[i]->n_outs; o++)
            if (gei_value_use_count(gei_value_of(m->inside[i], o))) return false;
    }
    return true;
}

static bool shapes_agree(const match *m, gei_value root) {
    const gei_shape *y = &info_of(m, root)->shape;
    for (size_t i = 0; i < m->n_values; i++) {
        const gei_info *v = info_of(m, m->values[i].value);
        bool vector = is_vector(m->values[i].value) && strcmp(m->values[i].name, "x") != 0;
        if (v->dtype != GEI_FLOAT32 || y->rank < 1) return false;
        if (vector ? v->shape.dims[0] != y->dims[y->rank - 1] : !gei_shape_same(&v->shape, y)) return false;
    }
    return true;
}

/* ---- rewriting ---- */

static ge_status set_constant_attr(gei_node *node, const char *text, gei_diag *diag) {
    char name[NAME_SIZE];
    const char *equals = strchr(text, '=');
    size_t n = (size_t)(equals - text);
    int64_t number = 0;
    assert(equals && n < sizeof name);
    memcpy(name, text, n);
    name[n] = 0;
    size_t n_value = strlen(equals + 1);
    bool is_number = gei_parse_i64(equals + 1, n_value, &number) == n_value;
    gei_attr value = is_number ? gei_attr_int(number) : gei_attr_text(equals + 1, n_value);
    return gei_node_set(node, name, &value, diag);
}

static ge_status replace(gei_pass_context *c, const form *f, const match *m, gei_node *root, gei_diag *diag) {
    gei_node *node;
    const gei_op_def *def = gei_catalogue_find(f->op->name, strlen(f->op->name));
    assert(def);
    GEI_TRY(gei_graph_add_node(c->graph, def, NULL, NULL, NULL, &node, diag));
    for (size_t i = 0; i < m->n_values; i++) {
        gei_slot *slot = gei_node_slot_named(node, m->values[i].name);
        assert(slot);
        gei_slot_set(slot, m->values[i].value);
    }
    for (size_t i = 0; i < m->n_attrs; i++) {
        gei_attr value = gei_attr_float(m->attrs[i].number);
        GEI_TRY(gei_node_set(node, m->attrs[i].name, &value, diag));
    }
    if (f->source->attrs) GEI_TRY(set_constant_attr(node, f->source->attrs, diag));
    gei_pass_note(c, "recognise", root, f->op->name);
    gei_value_replace_uses(gei_value_of(root, 0), gei_value_of(node, 0));
    const char *name = root->name;
    for (size_t i = m->n_inside; i-- > 0;)
        if (m->inside[i] != root) gei_graph_remove_node(m->inside[i]);
    gei_graph_remove_node(root);
    c->n_changes++;
    return gei_graph_find_node(c->graph, name, strlen(name)) ? GE_OK : gei_graph_rename_node(node, name, diag);
}

static ge_status try_node(gei_pass_context *c, const form *forms, size_t n_forms, gei_node *node, gei_diag *diag) {
    for (size_t i = 0; i < n_forms; i++) {
        const part *root = forms[i].root;
        if (root->def != node->def || root->n_args != node->n_ins) continue;
        if (!types_fit(root, node, false) && !(node->n_ins == 2 && types_fit(root, node, true))) continue;
        match m = { .c = c };
        if (!fits_op(&m, root, gei_value_of(node, 0))) continue;
        if (!is_closed(&m)) {
            gei_pass_note(c, "recognise", node, "looks like another operator, but its inner values are read elsewhere");
            continue;
        }
        if (!shapes_agree(&m, gei_value_of(node, 0))) {
            gei_pass_note(c, "recognise", node, "looks like another operator, but shapes differ");
            continue;
        }
        return replace(c, &forms[i], &m, node, diag);
    }
    return GE_OK;
}

/* From the end of the graph to its begin: what stands inside a longer form is not taken first. */
ge_status gei_pass_recognise(gei_pass_context *c, gei_diag *diag) {
    form *forms = NULL;
    size_t n_forms = 0;
    GEI_TRY(read_forms(c, &forms, &n_forms, diag));
    bool *is_root = gei_arena_array(c->arena, bool, gei_op_row_count() + 1); /* by row of a definition, which counts from 1 */
    if (!is_root) return gei_out_of_memory(diag, gei_op_row_count() + 1);
    for (size_t i = 0; i < n_forms; i++) is_root[forms[i].root->def->row] = true;
    for (size_t i = c->n_order; i-- > 0;) {
        if (!is_root[c->order[i]->def->row]) continue;
        if (gei_graph_node_at(c->graph, c->order[i]->index) != c->order[i]) continue; /* went with a form */
        GEI_TRY(try_node(c, forms, n_forms, c->order[i], diag));
    }
    return GE_OK;
}
