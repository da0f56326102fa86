/* SPDX-License-Identifier: Apache-2.0 */
#include "api/graph_desc.h"

#include <string.h>

#include "api/id.h"

/* ---- in ---- */

static bool origin_differs(const gei_desc *d) {
    if (!d->has_origin) return false;
    if (d->origin_format != d->format || d->origin_rank != d->shape.rank) return true;
    return d->origin_rank > 0 && memcmp(d->origin_dims, d->shape.dims, (size_t)d->origin_rank * sizeof(int64_t)) != 0;
}

static ge_status check_symbols(const gei_desc *d, const char *argument, int32_t index, gei_diag *diag) {
    for (int32_t i = 0; i < d->shape.rank; i++) {
        const char *name = d->dim_names[i];
        if (!name) continue;
        if (!name[0]) return gei_argument_fail(diag, argument, index, GE_ERR_INVALID_ARGUMENT, "the symbol of dim %d is an empty text", i);
        if (d->shape.dims[i] == GEI_DIM_UNKNOWN) continue;
        gei_diag_found(diag, "%lld", (long long)d->shape.dims[i]);
        return gei_argument_fail(diag, argument, index, GE_ERR_SHAPE, "dim %d is %lld and has the symbol '%.100s'; symbols are for unknown dims", i,
                                 (long long)d->shape.dims[i], name);
    }
    return GE_OK;
}

ge_status gei_desc_shape(gei_graph *g, const gei_desc *d, const char *argument, int32_t index, gei_shape *out, gei_diag *diag) {
    if (d->has_strides) return gei_argument_fail(diag, argument, index, GE_ERR_SHAPE, "the desc of a port has no strides");
    if (d->placement != GE_PLACEMENT_HOST)
        return gei_argument_fail(diag, argument, index, GE_ERR_UNSUPPORTED, "the desc of a port with a placement other than host is not supported");
    if (origin_differs(d))
        return gei_argument_fail(diag, argument, index, GE_ERR_UNSUPPORTED, "the desc of a port with another origin shape is not supported");
    GEI_TRY(check_symbols(d, argument, index, diag));
    *out = d->shape;
    for (int32_t i = 0; i < d->shape.rank; i++)
        if (d->dim_names[i]) GEI_TRY(gei_graph_symbol(g, d->dim_names[i], strlen(d->dim_names[i]), &out->dims[i], diag));
    return GE_OK;
}

static ge_status set_in_desc(gei_slot *slot, const gei_desc *d, const gei_shape *shape, gei_diag *diag) {
    gei_in_desc *desc;
    GEI_TRY(gei_slot_desc(slot, &desc, diag));
    desc->dtype = d->dtype;
    desc->format = d->format;
    desc->shape = *shape;
    return GE_OK;
}

static ge_status set_out_desc(gei_value value, const gei_desc *d, const gei_shape *shape, gei_diag *diag) {
    GEI_TRY(gei_out_set_shape(value, shape, diag));
    gei_value_out(value)->dtype = d->dtype;
    gei_value_out(value)->format = d->format;
    return GE_OK;
}

ge_status ge_graph_set_desc(ge_graph *graph, ge_port_id port, const ge_tensor_desc *desc) {
    GEI_CALL;
    gei_desc d;
    gei_shape shape;
    gei_node *node;
    uint32_t kind, index;
    GEI_NEED(desc, 2);
    GEI_GRAPH(g, graph);
    GEI_CHECK(gei_id_port_of(g, port, "port", 1, &node, &kind, &index, &diag));
    GEI_CHECK(gei_desc_in(desc, false, "desc", 2, &d, &diag));
    GEI_CHECK(gei_desc_shape(g, &d, "desc", 2, &shape, &diag));
    if (kind == GEI_ID_IN) return GEI_RETURN(set_in_desc(&node->ins[index], &d, &shape, &diag));
    return GEI_RETURN(set_out_desc(gei_value_of(node, index), &d, &shape, &diag));
}

/* ---- out ---- */

/* What a desc shows of dims with symbols.  Kept with the graph's owner, one for each list of dims, so that many readers may share it. */
typedef struct shape_text {
    gei_dim key[GEI_MAX_RANK];
    int64_t dims[GEI_MAX_RANK];
    const char *names[GEI_MAX_RANK];
} shape_text;

static shape_text *make_text(gei_api_graph *owner, const gei_dim *dims, int32_t rank) {
    shape_text *t = gei_arena_new(&owner->shapes_arena, shape_text);
    if (!t) return NULL;
    memcpy(t->key, dims, (size_t)rank * sizeof *dims);
    for (int32_t i = 0; i < rank; i++) {
        t->dims[i] = dims[i] < 0 ? -1 : dims[i];
        t->names[i] = gei_dim_is_symbol(dims[i]) ? owner->root->symbols->names.items[gei_dim_symbol_index(dims[i])] : NULL;
    }
    return gei_strmap_put(&owner->shapes, (const char *)t->key, (size_t)rank * sizeof *dims, (uint64_t)(uintptr_t)t) ? t : NULL;
}

static const shape_text *find_text(gei_api_graph *owner, const gei_dim *dims, int32_t rank) {
    uint64_t found;
    pthread_mutex_lock(&owner->shapes_lock);
    const shape_text *t = gei_strmap_find(&owner->shapes, (const char *)dims, (size_t)rank * sizeof *dims, &found)
                              ? (const shape_text *)(uintptr_t)found
                              : make_text(owner, dims, rank);
    pthread_mutex_unlock(&owner->shapes_lock);
    return t;
}

static ge_status show_dims(gei_api_graph *owner, const gei_dim *dims, int32_t rank, ge_tensor_desc *out, gei_diag *diag) {
    bool has_symbols = false;
    out->rank = rank;
    if (rank <= 0) return GE_OK;
    for (int32_t i = 0; i < rank; i++) has_symbols |= gei_dim_is_symbol(dims[i]);
    out->dims = dims; /* a gei_dim without a symbol is the public number */
    if (!has_symbols) return GE_OK;
    const shape_text *t = find_text(owner, dims, rank);
    if (!t) return gei_out_of_memory(diag, sizeof *t);
    out->dims = t->dims;
    out->dim_names = t->names;
    return GE_OK;
}

/* An input's own desc counts when somebody set it; attributes alone make an empty one. */
static const gei_in_desc *own_desc(const gei_node *node, uint32_t index) {
    const gei_in_desc *desc = node->in_descs ? node->in_descs[index] : NULL;
    return desc && (desc->dtype != GEI_UNDEFINED || desc->shape.rank != GEI_RANK_UNKNOWN) ? desc : NULL;
}

static ge_status show_desc(gei_api_graph *owner, const gei_node *node, bool is_in, uint32_t index, ge_tensor_desc *out, gei_diag *diag) {
    const gei_in_desc *own = is_in ? own_desc(node, index) : NULL;
    gei_value value = is_in ? node->ins[index].from : (gei_value){ (gei_node *)(uintptr_t)node, index };
    out->dtype = own ? own->dtype : GEI_UNDEFINED;
    out->format = own ? own->format : GE_FORMAT_ND;
    out->rank = GEI_RANK_UNKNOWN;
    if (!own && value.node) {
        out->dtype = gei_value_out(value)->dtype;
        out->format = gei_value_out(value)->format;
        GEI_TRY(show_dims(owner, gei_value_out(value)->dims, gei_value_out(value)->rank, out, diag));
    }
    if (own) GEI_TRY(show_dims(owner, own->shape.dims, own->shape.rank, out, diag));
    out->origin_format = out->format;
    return GE_OK;
}

ge_status ge_graph_get_desc(const ge_graph *graph, ge_port_id port, ge_tensor_desc *out_desc, size_t out_desc_size) {
    GEI_CALL;
    gei_node *node;
    uint32_t kind, index;
    ge_tensor_desc d = GE_TENSOR_DESC_INIT;
    GEI_OUT_STRUCT(out_desc, out_desc_size);
    GEI_NEED(out_desc, 2);
    GEI_GRAPH(g, graph);
    GEI_CHECK(gei_id_port_of(g, port, "port", 1, &node, &kind, &index, &diag));
    GEI_CHECK(show_desc(g_view->owner, node, kind == GEI_ID_IN, index, &d, &diag));
    return GEI_RETURN(gei_desc_out(&d, out_desc, out_desc_size, &diag));
}
