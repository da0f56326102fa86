/* SPDX-License-Identifier: Apache-2.0 */
/* What is told though the graph can be read.  Only for those who listen: it takes an inference of all shapes. */
#include <string.h>

#include "frontend/onnx/reader.h"

/* ---- from IR nodes back to the file ---- */

ge_status gei_onnx_remember(gei_onnx_reader *r, const gei_onnx_scope *s, const gei_onnx_node *node, size_t n_nodes_before, bool is_told) {
    if (!r->options->check || s->graph != r->graph || s->graph->nodes.count == n_nodes_before) return GE_OK;
    gei_onnx_origin origin = { (uint32_t)n_nodes_before, gei_onnx_opset_of(r, s, node->domain), is_told, node->type, node->domain,
                               node->bytes.data };
    return gei_vec_push(r->from, &r->origins, origin) ? GE_OK : gei_onnx_out_of_memory(r);
}

static const gei_onnx_origin *find_origin(const gei_onnx_reader *r, const gei_node *node) {
    size_t low = 0, high = r->origins.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (r->origins.items[middle].index <= node->index) low = middle + 1;
        else high = middle;
    }
    return low > 0 ? &r->origins.items[low - 1] : NULL;
}

/* ---- versions ---- */

ge_status gei_onnx_warn_opsets(gei_onnx_reader *r) {
    if (!r->options->check) return GE_OK;
    for (uint32_t i = 0; i < r->opsets.count; i++) {
        const gei_onnx_opset *set = &r->opsets.items[i];
        if (set->domain.size > 0 || set->version <= gei_onnx_newest_opset) continue;
        (void)gei_fail(&r->diag, GE_OK, "operator set %d of ai.onnx is newer than %d, the newest known here: its operators are read as of that one",
                       (int)set->version, (int)gei_onnx_newest_opset);
        gei_diag_found(&r->diag, "%d", (int)set->version);
        gei_diag_wanted(&r->diag, "at most %d", (int)gei_onnx_newest_opset);
        GEI_TRY(gei_onnx_tell(r, GE_OK, NULL, NULL));
    }
    if (r->ir_version <= GEI_ONNX_NEWEST_IR) return GE_OK;
    (void)gei_fail(&r->diag, GE_OK, "IR version %lld is newer than %d, the newest known here: fields it adds are passed over",
                   (long long)r->ir_version, GEI_ONNX_NEWEST_IR);
    return gei_onnx_tell(r, GE_OK, NULL, NULL);
}

/* ---- shapes ---- */

typedef struct check {
    gei_onnx_reader *r;
    const gei_onnx_scope *root;
} check;

/* "BatchMatMulV2 'm'" becomes "MatMul 'm'": the file's word for the operator. */
static void say_type(gei_diag *diag, const gei_node *node, const gei_onnx_origin *origin) {
    size_t size = strlen(node->def->name);
    char said[GEI_DIAG_MESSAGE_BYTES];
    if (!origin || strncmp(diag->message, node->def->name, size) != 0 || diag->message[size] != ' ') return;
    memcpy(said, diag->message, sizeof said);
    (void)gei_diag_set(diag, diag->status, diag->file, diag->line, "%.*s%s", GEI_ONNX_FMT(origin->type), said + size);
}

static ge_status tell_node(void *user, const gei_node *node, ge_status status) {
    gei_onnx_reader *r = ((check *)user)->r;
    const gei_onnx_origin *origin = find_origin(r, node);
    if (origin && origin->is_told) return GE_OK;
    say_type(&r->diag, node, origin);
    gei_diag_node(&r->diag, node->name);
    return gei_onnx_tell(r, status, origin, NULL);
}

static bool dtypes_clash(int32_t a, int32_t b) { return a != GEI_UNDEFINED && b != GEI_UNDEFINED && a != b; }

static bool shapes_clash(const gei_shape *a, const gei_shape *b) {
    if (a->rank == GEI_RANK_UNKNOWN || b->rank == GEI_RANK_UNKNOWN) return false;
    if (a->rank != b->rank) return true;
    for (int32_t i = 0; i < a->rank; i++)
        if (a->dims[i] >= 0 && b->dims[i] >= 0 && a->dims[i] != b->dims[i]) return true;
    return false;
}

static ge_status check_output(check *c, uint32_t i, const gei_import_type *inferred) {
    gei_onnx_reader *r = c->r;
    const gei_onnx_graph *g = c->root->src;
    const gei_onnx_value *v = &g->values.items[g->outputs[i]];
    gei_onnx_type declared;
    char found[96], wanted[96];
    gei_onnx_set_place(r, "output '%.*s'", GEI_ONNX_FMT(v->name));
    GEI_TRY(gei_onnx_read_type(r, g->output_types[i], GEI_ONNX_DIMS_NUMBERS, &declared));
    bool clash = dtypes_clash(declared.dtype, inferred->dtype);
    if (!clash && !shapes_clash(&declared.shape, &inferred->shape)) return GE_OK;
    gei_shape_text(&declared.shape, NULL, wanted, sizeof wanted);
    gei_shape_text(&inferred->shape, r->graph->symbols ? r->graph->symbols->names.items : NULL, found, sizeof found);
    const gei_node *node = c->root->values[g->outputs[i]].node;
    const gei_onnx_origin *origin = find_origin(r, node);
    gei_span type = origin ? origin->type : (gei_span){ node->def->name, strlen(node->def->name) };
    (void)gei_fail(&r->diag, clash ? GE_ERR_DTYPE : GE_ERR_SHAPE, "%s of %.*s '%s' is %s%s and declared as %s%s", r->place,
                   GEI_ONNX_FMT(type), node->name,
                   gei_dtype_name(inferred->dtype), found, gei_dtype_name(declared.dtype), wanted);
    char argument[64];
    gei_copy_text(argument, sizeof argument, v->name.data, v->name.size);
    gei_diag_argument(&r->diag, argument, -1);
    gei_diag_found(&r->diag, "%s%s", gei_dtype_name(inferred->dtype), found);
    gei_diag_wanted(&r->diag, "%s%s", gei_dtype_name(declared.dtype), wanted);
    gei_diag_node(&r->diag, node->name);
    return gei_onnx_tell(r, r->diag.status, origin, g->output_types[i].data);
}

static ge_status take_outputs(void *user, const gei_import_type *types, uint32_t count) {
    check *c = user;
    for (uint32_t i = 0; i < count && i < c->root->src->n_outputs; i++) GEI_TRY(check_output(c, i, &types[i]));
    return GE_OK;
}

ge_status gei_onnx_check_shapes(gei_onnx_reader *r, const gei_onnx_scope *root, bool is_whole) {
    if (!r->options->check) return GE_OK;
    check c = { r, root };
    return gei_import_check(r->graph, tell_node, is_whole ? take_outputs : NULL, &c, &r->diag);
}
