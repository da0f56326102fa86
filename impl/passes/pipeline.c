/* SPDX-License-Identifier: Apache-2.0 */
/* pipeline: the table of passes and the driver that runs it. */
#include "passes/pipeline.h"

#include <string.h>

#define CLEAN_ROUNDS 8u /* the clean-up passes feed each other; more rounds than this never changed a model */
#define FOLD_LIMIT_BYTES (UINT64_C(64) << 20)
#define FOLD_TOTAL_BYTES (UINT64_C(256) << 20)
#define FOLD_TOTAL_PER_BYTE 8u /* of the constants a graph comes with */

/* Order matters inside a stage: identities first so that equal expressions look equal, folding before dead code so that what fed a
 * folded node goes in the same round. */
static const gei_pass table[] = {
    /* name        run                     needs                             breaks                            stage */
    { "identity", gei_pass_identity, GEI_FACT_ORDER | GEI_FACT_SHAPES, GEI_FACT_ORDER, GEI_STAGE_CLEAN },
    { "fold", gei_pass_fold, GEI_FACT_ORDER | GEI_FACT_SHAPES, GEI_FACT_ORDER | GEI_FACT_SHAPES, GEI_STAGE_CLEAN },
    { "cse", gei_pass_cse, GEI_FACT_ORDER, GEI_FACT_ORDER, GEI_STAGE_CLEAN },
    { "dead", gei_pass_dead, 0, GEI_FACT_ORDER, GEI_STAGE_CLEAN },
    { "recognise", gei_pass_recognise, GEI_FACT_ORDER | GEI_FACT_SHAPES, GEI_FACT_ORDER | GEI_FACT_SHAPES, GEI_STAGE_FUSE },
    { "fold_affine", gei_pass_fold_affine, GEI_FACT_ORDER | GEI_FACT_SHAPES, GEI_FACT_ORDER | GEI_FACT_SHAPES, GEI_STAGE_FUSE },
    { "fuse_bias", gei_pass_fuse_bias, GEI_FACT_ORDER | GEI_FACT_SHAPES, GEI_FACT_ORDER, GEI_STAGE_LOWER },
    { "layout", gei_pass_layout, GEI_FACT_ORDER | GEI_FACT_SHAPES, GEI_FACT_ORDER | GEI_FACT_SHAPES, GEI_STAGE_LOWER },
    { "fuse_residual", gei_pass_fuse_residual, GEI_FACT_ORDER | GEI_FACT_SHAPES, GEI_FACT_ORDER, GEI_STAGE_LOWER },
    { "fuse_clip", gei_pass_fuse_clip, GEI_FACT_ORDER | GEI_FACT_SHAPES, GEI_FACT_ORDER, GEI_STAGE_LOWER },
    { "fuse_curve", gei_pass_fuse_curve, GEI_FACT_ORDER | GEI_FACT_SHAPES, GEI_FACT_ORDER, GEI_STAGE_LOWER },
    { "fuse_elementwise", gei_pass_fuse_elementwise, GEI_FACT_ORDER | GEI_FACT_SHAPES, GEI_FACT_ORDER | GEI_FACT_SHAPES, GEI_STAGE_LOWER },
    { "sweep", gei_pass_dead, 0, GEI_FACT_ORDER, GEI_STAGE_LOWER }, /* what fusing left without a reader */
};

const gei_pass *gei_pass_at(size_t index) { return index < GEI_COUNT(table) ? &table[index] : NULL; }

typedef struct driver {
    const gei_pipeline_options *options;
    const gei_allocator *from;
    gei_pass_context context;
    gei_facts known;
    uint64_t inferred_at; /* n_changes when the infos were made */
    gei_arena pass_arena;
    uint32_t facts;       /* GEI_FACT_* that hold for context.graph now */
    uint32_t done, total; /* passes run, for progress */
} driver;

static void forget_shapes(driver *d) {
    if (!(d->facts & GEI_FACT_SHAPES)) return;
    gei_facts_drop_infos(&d->known);
    d->context.infos = NULL;
    d->facts &= ~(uint32_t)GEI_FACT_SHAPES;
}

static ge_status refresh(driver *d, uint32_t needs, gei_diag *diag) {
    gei_pass_context *c = &d->context;
    if ((needs & (GEI_FACT_ORDER | GEI_FACT_SHAPES)) && !(d->facts & GEI_FACT_ORDER)) {
        gei_arena_reset(&d->known.order_arena);
        GEI_TRY(gei_graph_order(c->graph, &d->known.order_arena, &c->order, &c->n_order, diag));
        d->facts |= GEI_FACT_ORDER;
    }
    if ((needs & GEI_FACT_SHAPES) && !(d->facts & GEI_FACT_SHAPES)) {
        ge_status st = gei_infer_graph(c->order, c->n_order, c->graph->nodes.count, NULL, 0, &d->known.infos_arena, d->from, &d->known.infos, diag);
        if (st != GE_OK) {
            gei_facts_drop_infos(&d->known);
            return st;
        }
        c->infos = &d->known.infos;
        d->inferred_at = c->n_changes;
        d->facts |= GEI_FACT_SHAPES;
    }
    return GE_OK;
}

static bool is_off(const gei_pipeline_options *options, const char *name) {
    if (options->none) return true;
    for (size_t i = 0; i < options->n_off; i++)
        if (strcmp(options->off[i], name) == 0) return true;
    return false;
}

static ge_status run_pass(driver *d, const gei_pass *pass, gei_diag *diag) {
    gei_pass_context *c = &d->context;
    const gei_pipeline_options *o = d->options;
    if (is_off(o, pass->name)) {
        d->done++;
        return GE_OK;
    }
    if (o->progress && !o->progress(o->progress_user, pass->name, d->done, d->total))
        return gei_fail(diag, GE_ERR_CANCELLED, "compile was cancelled before pass '%s'", pass->name);
    GEI_TRY(refresh(d, pass->needs, diag));
    uint64_t before = c->n_changes;
    ge_status st = pass->run(c, diag);
    gei_arena_reset(&d->pass_arena);
    GEI_TRY(st);
    if (c->n_changes != before) {
        gei_log_line(o->log, GEI_LOG_DEBUG, "pass %s: %llu changes in graph '%s'", pass->name,
                     (unsigned long long)(c->n_changes - before), c->graph->name);
        d->facts &= ~(pass->breaks & GEI_FACT_ORDER);
        if (pass->breaks & GEI_FACT_SHAPES) forget_shapes(d);
        if (o->check_each) GEI_TRY(gei_graph_check(c->graph, diag));
    }
    d->done++;
    return GE_OK;
}

static uint32_t passes_of(gei_stage stage) {
    uint32_t n = 0;
    for (size_t i = 0; i < GEI_COUNT(table); i++) n += table[i].stage == stage;
    return n;
}

/* One stage of the table; the clean-up stage runs until nothing changes. */
static ge_status run_stage(driver *d, gei_stage stage, gei_diag *diag) {
    uint32_t rounds = stage == GEI_STAGE_CLEAN ? CLEAN_ROUNDS : 1;
    for (uint32_t round = 0; round < rounds; round++) {
        uint64_t before = d->context.n_changes;
        if (round > 0) d->total += passes_of(stage);
        for (size_t i = 0; i < GEI_COUNT(table); i++)
            if (table[i].stage == stage) GEI_TRY(run_pass(d, &table[i], diag));
        if (d->context.n_changes == before) break;
    }
    return GE_OK;
}

static ge_status run_graph(driver *d, gei_graph *g, gei_diag *diag) {
    d->context.graph = g;
    for (int stage = GEI_STAGE_BEFORE_INFER; stage <= GEI_STAGE_LOWER; stage++) GEI_TRY(run_stage(d, (gei_stage)stage, diag));
    GEI_TRY(refresh(d, GEI_FACT_ORDER | GEI_FACT_SHAPES, diag));
    for (size_t i = 0; i < d->context.n_order; i++) /* bodies come behind the graph they are in */
        if (d->context.order[i]->n_subgraphs) GEI_TRY(gei_bodies_describe(d->context.order[i], &d->known.infos, &d->pass_arena, diag));
    gei_arena_deinit(&d->pass_arena);
    return gei_infos_store(&d->known.infos, d->context.order, d->context.n_order, diag);
}

static void forget_graph(driver *d) {
    forget_shapes(d);
    gei_facts_release(&d->known);
    d->facts = 0;
}

/* Infos of a graph that was changed since, or that has bodies which will be, may say less than the finished graph does. */
static void hand_over(driver *d, gei_facts *to) {
    if (!to || d->context.graph->subgraphs.count > 0 || d->inferred_at != d->context.n_changes) return;
    d->known.order = d->context.order;
    d->known.n_order = d->context.n_order;
    gei_facts_move(to, &d->known);
    d->context.infos = NULL;
    d->facts = 0;
}

static uint64_t constant_bytes(const gei_graph *g) {
    uint64_t bytes = 0;
    for (size_t i = 0; g && i < g->nodes.count; i++) {
        const gei_tensor *t = g->nodes.items[i] ? gei_node_const(g->nodes.items[i]) : NULL;
        if (t) bytes += t->size_bytes;
    }
    return bytes;
}

static uint64_t fold_total(const gei_graph *root) {
    uint64_t bytes = constant_bytes(root);
    for (size_t i = 0; i < root->subgraphs.count; i++) bytes += constant_bytes(root->subgraphs.items[i]);
    return FOLD_TOTAL_BYTES + bytes * FOLD_TOTAL_PER_BYTE;
}

ge_status gei_passes_run(gei_graph *g, const gei_allocator *from, const gei_pipeline_options *options, gei_facts *facts, gei_diag *diag) {
    driver d = { .options = options, .from = from };
    gei_facts_init(&d.known, from);
    gei_arena_init(&d.pass_arena, from);
    d.context.arena = &d.pass_arena;
    d.context.log = options->log;
    d.context.notes = options->notes;
    d.context.from = from;
    d.context.fold_limit_bytes = options->fold_limit_bytes ? options->fold_limit_bytes : FOLD_LIMIT_BYTES;
    d.context.fold_left_bytes = options->fold_total_bytes ? options->fold_total_bytes : fold_total(g);
    d.total = (uint32_t)(GEI_COUNT(table) * (1 + g->subgraphs.count));

    /* A graph's removed nodes take their subgraphs with them, so the list is read again each time. */
    ge_status st = run_graph(&d, g, diag);
    if (st == GE_OK) hand_over(&d, facts);
    forget_graph(&d);
    for (size_t i = 0; st == GE_OK && i < g->subgraphs.count; i++) {
        if (!g->subgraphs.items[i]) continue;
        d.total = d.done + (uint32_t)(GEI_COUNT(table) * (g->subgraphs.count - i));
        st = run_graph(&d, g->subgraphs.items[i], diag);
        forget_graph(&d);
    }
    gei_arena_deinit(&d.pass_arena);
    return st;
}

void gei_pass_note(gei_pass_context *c, const char *pass, const gei_node *node, const char *text) {
    if (c->notes) gei_sink_format(c->notes, "%s: %s '%s': %s\n", pass, node->def->name, node->name, text);
}
