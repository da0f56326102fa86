/* SPDX-License-Identifier: Apache-2.0 */
/* One operator on given inputs: its shape rule with more and less known, and each kernel with one and with several parts. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case.h"

typedef struct fixture {
    const test_case *c;
    gei_graph *graph;
    gei_node *node;
    const gei_op *op;
    gei_tensor **in; /* by slot */
    gei_tensor **out;
    gei_arena arena;
    gei_infos keep;
    int failed, *checks;
} fixture;

/* ---- building the node ---- */

static bool is_number(const char *word) {
    char *end;
    (void)strtod(word, &end);
    return end != word && *end == 0;
}

static int64_t int_of(const char *word) {
    if (strcmp(word, "true") == 0) return 1;
    int32_t dtype = is_number(word) ? GEI_UNDEFINED : gei_dtype_from_name(word, strlen(word));
    return dtype != GEI_UNDEFINED ? dtype : strtoll(word, NULL, 10);
}

static gei_attr_kind kind_of(const gei_op_def *def, const char *name) {
    for (uint32_t k = 0; k < def->n_attrs; k++)
        if (strcmp(def->attrs[k].name, name) == 0) return def->attrs[k].kind;
    return GEI_ATTR_NONE;
}

bool set_attr(gei_node *node, const case_attr *a, gei_diag *diag) {
    int64_t ints[256];
    float floats[256];
    gei_text texts[256];
    gei_attr value;
    for (size_t k = 0; k < a->n_values && k < 256; k++) {
        texts[k] = (gei_text){ a->values[k], strlen(a->values[k]) };
        ints[k] = int_of(a->values[k]);
        floats[k] = (float)strtod(a->values[k], NULL);
    }
    if (a->tensor) {
        value = gei_attr_tensor(a->tensor);
        return gei_node_set(node, a->name, &value, diag) == GE_OK;
    }
    switch (kind_of(node->def, a->name)) {
    case GEI_ATTR_INT: value = gei_attr_int(ints[0]); break;
    case GEI_ATTR_FLOAT: value = gei_attr_float(floats[0]); break;
    case GEI_ATTR_BOOL: value = gei_attr_bool(ints[0] != 0); break;
    case GEI_ATTR_STRING: value = gei_attr_text(a->values[0], strlen(a->values[0])); break;
    case GEI_ATTR_DTYPE: value = gei_attr_dtype((int32_t)ints[0]); break;
    case GEI_ATTR_INTS: value = gei_attr_ints(ints, a->n_values); break;
    case GEI_ATTR_FLOATS: value = gei_attr_floats(floats, a->n_values); break;
    case GEI_ATTR_STRINGS: value = (gei_attr){ .kind = GEI_ATTR_STRINGS, .count = (uint32_t)a->n_values, .v.strings = texts }; break;
    default: return false;
    }
    return gei_node_set(node, a->name, &value, diag) == GE_OK;
}

static size_t count_inputs(const test_case *c, const char *port) {
    size_t n = 0;
    for (size_t k = 0; k < c->n_inputs; k++) n += strcmp(c->inputs[k].name, port) == 0;
    return n;
}

static size_t count_wants(const test_case *c, const char *port) {
    size_t n = 0;
    for (size_t k = 0; k < c->n_wants; k++) n += strcmp(c->wants[k].name, port) == 0;
    return n;
}

static bool make_node(fixture *x, const case_file *f, gei_diag *diag) {
    const gei_op_def *def = gei_catalogue_find(f->op, strlen(f->op));
    uint32_t n_ins[MAX_ITEMS], n_outs[MAX_ITEMS], d_ins = 0, d_outs = 0;
    for (uint32_t p = 0; p < def->n_inputs; p++)
        if (def->inputs[p].kind == GEI_PORT_DYNAMIC) n_ins[d_ins++] = (uint32_t)count_inputs(x->c, def->inputs[p].name);
    for (uint32_t p = 0; p < def->n_outputs; p++)
        if (def->outputs[p].kind == GEI_PORT_DYNAMIC) n_outs[d_outs++] = (uint32_t)count_wants(x->c, def->outputs[p].name);
    if (gei_graph_create(&gei_heap, "g", &x->graph, diag) != GE_OK) return false;
    if (gei_graph_add_node(x->graph, def, "n", n_ins, n_outs, &x->node, diag) != GE_OK) return false;
    for (size_t k = 0; k < x->c->n_attrs; k++) {
        if (set_attr(x->node, &x->c->attrs[k], diag)) continue;
        check_failed(x->c, "attribute %s cannot be set", x->c->attrs[k].name);
        return false;
    }
    x->in = calloc(x->node->n_ins + 1, sizeof *x->in);
    x->out = calloc(x->node->n_outs + 1, sizeof *x->out);
    return x->in && x->out;
}

static const case_input *nth_input(const test_case *c, const char *port, uint32_t nth) {
    for (size_t k = 0; k < c->n_inputs; k++)
        if (strcmp(c->inputs[k].name, port) == 0 && nth-- == 0) return &c->inputs[k];
    return NULL;
}

/* What a rule is told: 3 contents, 2 shapes, 1 ranks, 0 data types only. */
static void fill_infos(const fixture *x, int known, gei_info *infos, const gei_info **pointers) {
    for (uint32_t k = 0; k < x->node->n_ins; k++) {
        const gei_slot *slot = &x->node->ins[k];
        const case_input *in = nth_input(x->c, x->node->def->inputs[slot->port].name, slot->nth);
        pointers[k] = NULL;
        if (!in || !in->tensor) continue;
        infos[k] = (gei_info){ .dtype = in->tensor->dtype, .format = in->format, .shape = gei_tensor_shape(in->tensor) };
        if (known >= 3) infos[k].tensor = in->tensor;
        if (known == 0) infos[k].shape = gei_shape_unknown();
        for (int32_t d = 0; known == 1 && d < infos[k].shape.rank; d++) infos[k].shape.dims[d] = GEI_DIM_UNKNOWN;
        pointers[k] = &infos[k];
        x->in[k] = in->tensor;
    }
}

static ge_status infer(fixture *x, int known, gei_info *out, gei_diag *diag) {
    gei_info *infos = calloc(x->node->n_ins + 1, sizeof *infos);
    const gei_info **pointers = calloc(x->node->n_ins + 1, sizeof *pointers);
    if (!infos || !pointers) exit(2);
    fill_infos(x, known, infos, pointers);
    ge_status status = gei_infer_node(x->node, pointers, out, &x->keep, diag);
    free(infos);
    free(pointers);
    return status;
}

/* ---- checks ---- */

static const case_want *want_of(const fixture *x, uint32_t out) {
    const gei_out *o = &x->node->outs[out];
    uint32_t nth = o->nth;
    for (size_t k = 0; k < x->c->n_wants; k++)
        if (strcmp(x->c->wants[k].name, x->node->def->outputs[o->port].name) == 0 && nth-- == 0) return &x->c->wants[k];
    return NULL;
}

static void check_info(fixture *x, int known, const gei_info *info, uint32_t out) {
    static const char *const level[] = { "data types", "ranks", "shapes", "contents" };
    const case_want *w = want_of(x, out);
    gei_words got, wanted;
    if (!w) return;
    *x->checks += 1;
    gei_shape shape = gei_tensor_shape(w->tensor);
    bool ok = info->dtype == w->tensor->dtype && gei_shape_fits(&info->shape, &shape);
    if (!ok) {
        check_failed(x->c, "rule with known %s: output %u is %s%s, wanted %s%s", level[known], out, gei_dtype_short(info->dtype),
                     gei_shape_words(&info->shape, &got), gei_dtype_short(w->tensor->dtype), gei_shape_words(&shape, &wanted));
        x->failed++;
    }
    if (known == 3 && !gei_shape_known(&info->shape) && !(x->op->traits & GEI_OP_STATEFUL) && info->dtype != GEI_STRING)
        printf("# %s: the size of output %u depends on data\n", x->c->name, out);
    const char *problem = info->tensor ? compare_tensors(info->tensor, w->tensor, w->tol) : NULL;
    if (!problem) return;
    check_failed(x->c, "contents found while inferring: output %u: %s", out, problem);
    x->failed++;
}

static void check_rule(fixture *x) {
    gei_info *out = calloc(x->node->n_outs + 1, sizeof *out);
    if (!out) exit(2);
    for (int known = 3; known >= 0; known--) {
        gei_diag diag = { 0 };
        ge_status status = infer(x, known, out, &diag);
        if (status != GE_OK) {
            check_failed(x->c, "the rule fails: %s", diag.message);
            x->failed++;
            continue;
        }
        for (uint32_t k = 0; k < x->node->n_outs; k++) check_info(x, known, &out[k], k);
    }
    free(out);
}

static void check_outputs(fixture *x, const gei_kernel *kernel, uint32_t parts, const char *how) {
    for (uint32_t k = 0; k < x->node->n_outs; k++) {
        const case_want *w = want_of(x, k);
        const char *problem = w ? compare_tensors(x->out[k], w->tensor, w->tol) : NULL;
        *x->checks += w != NULL;
        if (problem) {
            check_failed(x->c, "kernel %s, parts %u%s: output %u: %s", kernel ? kernel->name : "none", parts, how, k, problem);
            x->failed++;
        }
        gei_tensor_release(x->out[k]);
        x->out[k] = NULL;
    }
}

static bool accepted(fixture *x, const gei_kernel *kernel, const gei_info *out) {
    gei_info infos[MAX_ITEMS];
    const gei_info *pointers[MAX_ITEMS];
    gei_reason why = { "" };
    if (!kernel->accepts) return true;
    fill_infos(x, 3, infos, pointers);
    gei_choice choice = { x->node, pointers, out, x->node->n_ins, x->node->n_outs, gei_isa() };
    bool ok = kernel->accepts(&choice, &why);
    if (!ok) printf("# %s: kernel %s refuses: %s\n", x->c->name, kernel->name, why.text);
    return ok;
}

/* Output 0 over the bytes of input `slot`. */
static void check_in_place(fixture *x, const gei_kernel *kernel, uint32_t slot, gei_info *out) {
    gei_info infos[MAX_ITEMS];
    const gei_info *pointers[MAX_ITEMS];
    gei_diag diag = { 0 };
    fill_infos(x, 3, infos, pointers);
    if (slot >= x->node->n_ins || !pointers[slot] || x->in[slot]->size_bytes == 0) return;
    for (uint32_t k = 0; k < x->node->n_outs; k++)
        if (!gei_shape_known(&out[k].shape) || out[k].dtype == GEI_STRING) return;
    gei_eval_call call = { x->node, x->op, kernel, x->in, pointers, out, &gei_heap, slot + 1 };
    ge_status status = gei_eval_call_run(&call, x->out, &diag);
    if (status == GE_OK) {
        check_outputs(x, kernel, gei_parts_forced, ", in place");
        return;
    }
    if (status == GE_ERR_WRONG_STATE) return; /* sizes differ */
    check_failed(x->c, "kernel %s, in place over input %u: %s", kernel->name, slot, diag.message);
    x->failed++;
}

static void check_kernels(fixture *x) {
    const uint32_t parts[] = { 1, 3, 7 };
    gei_info *out = calloc(x->node->n_outs + 1, sizeof *out);
    if (!out) exit(2);
    (void)infer(x, 3, out, NULL);
    for (const gei_kernel *k = x->op->kernels; k && k->name; k++) {
        if (!accepted(x, k, out)) continue;
        for (size_t p = 0; p < GEI_COUNT(parts); p++) {
            gei_diag diag = { 0 };
            gei_parts_forced = parts[p];
            ge_status status = gei_eval_node(x->node, x->in, x->out, k, &gei_heap, &diag);
            if (status != GE_OK) {
                check_failed(x->c, "kernel %s, parts %u: %s", k->name, parts[p], diag.message);
                x->failed++;
                break;
            }
            check_outputs(x, k, parts[p], "");
            for (uint32_t slot = 0; slot < 32; slot++)
                if (k->in_place >> slot & 1) check_in_place(x, k, slot, out);
        }
    }
    gei_parts_forced = 0;
    free(out);
}

/* ---- moved elements: every second one known ---- */

static bool is_moved(const fixture *x, uint32_t slot) { return x->in[slot] && (x->op->moved >> x->node->ins[slot].port & 1); }

/* Moved inputs as int64 numbers that say where they stand; true when the case is small enough. */
static bool number_inputs(const fixture *x, gei_tensor **numbers, gei_info *infos, const gei_info **pointers, gei_arena *arena) {
    fill_infos(x, 3, infos, pointers);
    for (uint32_t k = 0; k < x->node->n_ins; k++) {
        numbers[k] = gei_tensor_retain(x->in[k]);
        if (!is_moved(x, k)) continue;
        gei_tensor *t;
        if (x->in[k]->n_elems > GEI_MAX_ELEMS || gei_tensor_create(&gei_heap, GEI_INT64, x->in[k]->rank, x->in[k]->dims, &t, NULL) != GE_OK)
            return false;
        gei_tensor_release(numbers[k]);
        numbers[k] = t;
        gei_elem *elems = gei_arena_array(arena, gei_elem, (size_t)t->n_elems + 1);
        for (int64_t n = 0; n < t->n_elems; n++) {
            ((int64_t *)t->data)[n] = 10000 * (int64_t)k + n;
            elems[n] = n % 2 == 0 ? gei_elem_number(10000 * (int64_t)k + n) : (gei_elem){ .symbol = -1 };
        }
        infos[k].dtype = GEI_INT64;
        infos[k].tensor = NULL;
        infos[k].elems = elems;
        infos[k].n_elems = (uint32_t)t->n_elems;
    }
    return true;
}

/* Elements the rule knows are those the kernel puts there, and it knows as many as it can. */
static void compare_elems(fixture *x, const gei_info *info, const gei_tensor *got) {
    for (int64_t n = 0; n < got->n_elems && n < GEI_MAX_ELEMS; n++) {
        int64_t number = ((const int64_t *)got->data)[n];
        gei_elem e = gei_info_elem(info, (size_t)n);
        *x->checks += 1;
        if (number % 2 == 0 ? e.known && e.number == number : !e.known) continue;
        check_failed(x->c, "moved contents: element %lld is %s %lld, the kernel gives %lld", (long long)n, e.known ? "known as" : "not known",
                     (long long)e.number, (long long)number);
        x->failed++;
        return;
    }
}

static void check_moves(fixture *x) {
    gei_tensor *numbers[MAX_ITEMS] = { 0 };
    gei_info infos[MAX_ITEMS], out = { 0 };
    const gei_info *pointers[MAX_ITEMS];
    bool fits = x->node->n_outs == 1 && x->node->n_ins <= MAX_ITEMS && number_inputs(x, numbers, infos, pointers, &x->arena);
    bool ran = fits && gei_eval_node(x->node, numbers, x->out, NULL, &gei_heap, NULL) == GE_OK;
    if (ran && x->out[0]->dtype == GEI_INT64 && x->out[0]->n_elems <= GEI_MAX_ELEMS &&
        gei_infer_node(x->node, pointers, &out, &x->keep, NULL) == GE_OK)
        compare_elems(x, &out, x->out[0]);
    if (ran) gei_tensor_release(x->out[0]);
    x->out[0] = NULL;
    for (uint32_t k = 0; k < x->node->n_ins && k < MAX_ITEMS; k++) gei_tensor_release(numbers[k]);
}

#define MOST_FAULTS 300

/* Every allocation of rule and reference kernel refused in turn, alone and with all later ones: an error or success, nothing lost. */
static void check_faults(fixture *x) {
    gei_info *out = calloc(x->node->n_outs + 1, sizeof *out);
    if (!out) exit(2);
    for (int k = 0; k < 2 * MOST_FAULTS; k++) {
        uint64_t n = (uint64_t)(k / 2 + 1);
        gei_diag diag = { 0 };
        fixture one = *x;
        gei_arena_init(&one.arena, &gei_heap);
        one.keep = (gei_infos){ .arena = &one.arena, .from = &gei_heap };
        uint64_t before = gei_heap_alloc_count();
        gei_heap_fail_after(n, k % 2 != 0);
        ge_status status = infer(&one, 3, out, &diag);
        if (status == GE_OK) status = gei_eval_node(x->node, x->in, x->out, NULL, &gei_heap, &diag);
        gei_heap_fail_after(0, false);
        bool reached = gei_heap_alloc_count() - before >= n;
        for (uint32_t o = 0; status == GE_OK && o < x->node->n_outs; o++) gei_tensor_release(x->out[o]);
        gei_infos_release(&one.keep);
        gei_arena_deinit(&one.arena);
        *x->checks += 1;
        if (status != GE_OK && status != GE_ERR_OUT_OF_MEMORY) {
            check_failed(x->c, "allocation %llu refused: status %#x: %s", (unsigned long long)n, (unsigned)status, diag.message);
            x->failed++;
            break;
        }
        if (!reached) break;
    }
    free(out);
}

/* Constants and views without kernels still give their output. */
static void check_without_kernel(fixture *x) {
    gei_diag diag = { 0 };
    ge_status status = gei_eval_node(x->node, x->in, x->out, NULL, &gei_heap, &diag);
    if (status == GE_OK) check_outputs(x, NULL, 1, "");
    else {
        check_failed(x->c, "%s", diag.message);
        x->failed++;
    }
}

/* Graph inputs declare what they are. */
static void check_input(fixture *x) {
    const case_want *w = want_of(x, 0);
    gei_diag diag = { 0 };
    gei_info out;
    gei_shape shape = gei_tensor_shape(w->tensor);
    x->node->outs[0].dtype = w->tensor->dtype;
    ge_status status = gei_out_set_shape(gei_value_of(x->node, 0), &shape, &diag);
    if (status == GE_OK) status = infer(x, 0, &out, &diag);
    *x->checks += 1;
    if (status == GE_OK && out.dtype == w->tensor->dtype && gei_shape_same(&out.shape, &shape)) return;
    check_failed(x->c, "not what was declared: %s", diag.message);
    x->failed++;
}

/* The rule or a run must fail as wanted. */
static void check_error(fixture *x) {
    gei_diag diag = { 0 };
    gei_info *out = calloc(x->node->n_outs + 1, sizeof *out);
    if (!out) exit(2);
    ge_status status = infer(x, 3, out, &diag);
    if (status == GE_OK) {
        memset(&diag, 0, sizeof diag);
        status = gei_eval_node(x->node, x->in, x->out, NULL, &gei_heap, &diag);
    }
    *x->checks += 1;
    if (!error_is_wanted(x->c, status, &diag)) x->failed++;
    if (status == GE_OK)
        for (uint32_t k = 0; k < x->node->n_outs; k++) gei_tensor_release(x->out[k]);
    free(out);
}

/* Every input and output of the case is one of the node. */
static bool all_used(const fixture *x) {
    for (size_t k = 0; k < x->c->n_wants; k++) {
        bool found = false;
        for (uint32_t o = 0; o < x->node->n_outs; o++) found = found || want_of(x, o) == &x->c->wants[k];
        if (found) continue;
        check_failed(x->c, "the operator has no output %s", x->c->wants[k].name);
        return false;
    }
    if (x->c->error[0] || x->c->nothing || x->c->n_wants > 0) return true;
    check_failed(x->c, "the case wants nothing");
    return false;
}

int run_op_case(const case_file *f, const test_case *c, int *checks) {
    fixture x = { .c = c, .checks = checks };
    gei_diag diag = { 0 };
    gei_arena_init(&x.arena, &gei_heap);
    x.keep = (gei_infos){ .arena = &x.arena, .from = &gei_heap };
    if (!make_node(&x, f, &diag)) {
        check_failed(c, "no node: %s", diag.message);
        x.failed++;
    } else if (!(x.op = gei_op_of(x.node))) {
        check_failed(c, "the operator has no row");
        x.failed++;
    } else if (!all_used(&x)) {
        x.failed++;
    } else if (c->error[0]) {
        check_error(&x);
    } else if (x.op->traits & GEI_OP_INPUT) {
        check_input(&x);
    } else {
        check_rule(&x);
        if (x.failed == 0 && x.op->kernels) check_kernels(&x);
        else if (x.failed == 0 && x.node->n_outs > 0) check_without_kernel(&x);
        if (x.failed == 0 && (x.op->traits & GEI_OP_MOVES)) check_moves(&x);
        if (x.failed == 0 && x.node->n_outs > 0) check_faults(&x);
    }
    gei_infos_release(&x.keep);
    gei_arena_deinit(&x.arena);
    gei_graph_destroy(x.graph);
    free(x.in);
    free(x.out);
    return x.failed;
}
