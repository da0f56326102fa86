/* SPDX-License-Identifier: Apache-2.0 */
#include "api/builder.h"

#include <string.h>

#include "api/graph_desc.h"

#define ARENA_KEEP_BYTES ((size_t)64 << 10) /* the arena of attributes is emptied when it holds more */

/* ---- life ---- */

static void builder_destroy(void *object) {
    gei_api_builder *b = object;
    gei_api_graph *owner = b->view.owner;
    gei_api_context *ctx = owner->ctx;
    gei_context_retain(ctx); /* for the count below, should the owner be the last to hold it */
    gei_attrs_release(&b->attrs);
    gei_arena_deinit(&b->arena);
    gei_vec_free(&ctx->from, &b->ins);
    gei_vec_free(&ctx->from, &b->dynamic_ins);
    gei_vec_free(&ctx->from, &b->dynamic_outs);
    gei_vec_free(&ctx->from, &b->name);
    gei_free(&ctx->from, b, sizeof *b, 0);
    gei_api_graph_release(owner);
    gei_object_gone(ctx);
}

static ge_status create_over(gei_api_graph *owner, gei_graph *graph, ge_builder **out, gei_diag *diag) {
    gei_api_builder *b = gei_alloc_zero(&owner->ctx->from, sizeof *b, 0);
    if (!b) return gei_out_of_memory(diag, sizeof *b);
    gei_api_graph_retain(owner);
    b->view = (gei_api_graph_view){ owner, graph, graph->serial, graph->sub_index };
    gei_arena_init(&b->arena, &owner->ctx->from);
    return gei_object_handle(owner->ctx, GEI_HANDLE_BUILDER, b, builder_destroy, (void **)out, diag);
}

ge_status ge_builder_create(const ge_context *context, const char *name, size_t name_size, ge_builder **out_builder) {
    GEI_CALL;
    gei_api_context *c;
    gei_api_graph *owner;
    GEI_OUT(out_builder);
    GEI_NEED(name, 1);
    GEI_NEED(out_builder, 3);
    GEI_CHECK(gei_text_in(name, &name_size, "name", 1, &diag));
    ge_status st = gei_context_of(context, __func__, &c);
    if (st != GE_OK) return st;
    st = gei_api_graph_create(c, name, name_size, &owner, &diag);
    if (st == GE_OK) {
        st = create_over(owner, owner->root, out_builder, &diag);
        gei_api_graph_release(owner); /* the builder holds it */
    }
    gei_context_release(c);
    return GEI_RETURN(st);
}

ge_status ge_builder_create_over(ge_graph *graph, ge_builder **out_builder) {
    GEI_CALL;
    GEI_OUT(out_builder);
    GEI_NEED(out_builder, 1);
    GEI_GRAPH(g, graph);
    return GEI_RETURN(create_over(g_view->owner, g, out_builder, &diag));
}

ge_status ge_builder_destroy(ge_builder *builder) {
    ge_status st = gei_handle_close(builder, GEI_HANDLE_BUILDER);
    return st == GE_OK ? GE_OK : gei_call_bad_handle(__func__, st, "builder", 0, builder, GEI_HANDLE_BUILDER);
}

ge_status ge_builder_create_view(ge_builder *builder, ge_graph **out_graph) {
    GEI_CALL;
    GEI_OUT(out_graph);
    GEI_NEED(out_graph, 1);
    GEI_BUILDER(b, g, builder);
    return GEI_RETURN(gei_graph_view_handle(b->view.owner, g, out_graph, &diag));
}

/* ---- states ---- */

static ge_status kept_failure(const gei_api_builder *b, gei_diag *diag) {
    *diag = b->failure;
    return b->failure.status;
}

ge_status gei_builder_open(const gei_api_builder *b, gei_diag *diag) {
    if (b->state == GEI_BUILDER_OPEN) return GE_OK;
    if (b->state == GEI_BUILDER_FAILED) return kept_failure(b, diag);
    return gei_argument_fail(diag, "builder", 0, GE_ERR_WRONG_STATE,
                             b->state == GEI_BUILDER_DONE ? "the builder has handed over its graph" : "no operator is open");
}

ge_status gei_builder_step(gei_api_builder *b, ge_status st, gei_diag *diag) {
    if (st == GE_OK) return GE_OK;
    diag->status = st;
    b->failure = *diag;
    b->state = GEI_BUILDER_FAILED;
    b->failed_at_begin = false;
    return st;
}

void gei_builder_drop(gei_api_builder *b) {
    gei_attrs_release(&b->attrs);
    if (b->arena.total_bytes > ARENA_KEEP_BYTES) {
        gei_arena_deinit(&b->arena);
        b->attrs = (gei_attrs){ 0 };
    }
    b->ins.count = b->dynamic_ins.count = b->dynamic_outs.count = b->name.count = 0;
    b->state = GEI_BUILDER_IDLE;
}

ge_status gei_builder_idle(gei_api_builder *b, gei_diag *diag) {
    switch (b->state) {
    case GEI_BUILDER_IDLE: return GE_OK;
    case GEI_BUILDER_OPEN:
        if (b->name.count) gei_diag_node(diag, b->name.items);
        return gei_builder_step(b, gei_argument_fail(diag, "builder", 0, GE_ERR_WRONG_STATE, "operator %s is open; ge_builder_end_op ends it", b->def->name),
                                diag);
    case GEI_BUILDER_FAILED:
        if (!b->failed_at_begin) return kept_failure(b, diag);
        gei_builder_drop(b);
        return GE_OK;
    default: return gei_builder_open(b, diag);
    }
}

/* ---- names ---- */

void gei_name_number(char *to, const char *prefix, size_t prefix_size, uint64_t number) {
    char digits[20];
    size_t n = 0;
    if (prefix_size > GEI_NAME_BYTES - 24) prefix_size = GEI_NAME_BYTES - 24;
    do digits[n++] = (char)('0' + number % 10);
    while ((number /= 10) != 0);
    memcpy(to, prefix, prefix_size);
    to[prefix_size] = '_';
    for (size_t i = 0; i < n; i++) to[prefix_size + 1 + i] = digits[n - 1 - i];
    to[prefix_size + 1 + n] = 0;
}

ge_status gei_net_output_give_way(gei_graph *g, gei_diag *diag) {
    char other[GEI_NAME_BYTES];
    uint64_t n = 0;
    do gei_name_number(other, GEI_NET_OUTPUT_NAME, strlen(GEI_NET_OUTPUT_NAME), n++);
    while (gei_graph_find_node(g, other, strlen(other)));
    return gei_graph_rename_node(g->net_output, other, diag);
}

ge_status gei_builder_take_name(gei_api_builder *b, gei_graph *g, const char *name, size_t size, int32_t index, gei_diag *diag) {
    b->name.count = 0;
    if (g->nodes.count >= GEI_ID_INDEX_LIMIT) return gei_fail(diag, GE_ERR_LIMIT, "graph '%s' cannot hold more nodes", g->name);
    if (!name) return GE_OK;
    GEI_TRY(gei_text_in(name, &size, "name", index, diag));
    if (size == 0) return GE_OK;
    if (memchr(name, 0, size)) return gei_argument_fail(diag, "name", index, GE_ERR_INVALID_UTF8, "name contains a zero byte");
    gei_node *taken = gei_graph_find_node(g, name, size);
    if (taken && taken == g->net_output) {
        GEI_TRY(gei_net_output_give_way(g, diag));
    } else if (taken) {
        gei_diag_node(diag, taken->name);
        return gei_argument_fail(diag, "name", index, GE_ERR_ALREADY_EXISTS, "graph '%s' has a node '%.200s' already", g->name, taken->name);
    }
    if (size == SIZE_MAX || !gei_vec_reserve(g->from, &b->name, size + 1)) return gei_out_of_memory(diag, size);
    memcpy(b->name.items, name, size);
    b->name.items[size] = 0;
    b->name.count = size + 1;
    return GE_OK;
}

/* ---- inputs and constants ---- */

static ge_status add_graph_input(gei_api_builder *b, gei_graph *g, const char *name, size_t name_size, uint32_t index,
                                 const ge_tensor_desc *desc, ge_value_id *out, gei_diag *diag) {
    gei_desc d;
    gei_shape shape;
    gei_node *node;
    char made_up[GEI_NAME_BYTES];
    GEI_TRY(gei_builder_idle(b, diag));
    GEI_TRY(gei_desc_in(desc, false, "desc", 4, &d, diag));
    if (!name) {
        gei_name_number(made_up, "input", 5, index);
        name = made_up;
        name_size = strlen(made_up);
    }
    GEI_TRY(gei_builder_take_name(b, g, name, name_size, 1, diag));
    GEI_TRY(gei_desc_shape(g, &d, "desc", 4, &shape, diag));
    GEI_TRY(gei_graph_add_data(g, b->name.count ? b->name.items : NULL, index, d.dtype, &shape, &node, diag));
    node->outs[0].format = d.format;
    *out = gei_value_id_of(gei_value_of(node, 0));
    return GE_OK;
}

ge_status ge_builder_add_graph_input(ge_builder *builder, const char *name, size_t name_size, uint32_t index, const ge_tensor_desc *desc,
                                     ge_value_id *out_value) {
    GEI_CALL;
    GEI_OUT(out_value);
    GEI_NEED(desc, 4);
    GEI_NEED(out_value, 5);
    GEI_BUILDER(b, g, builder);
    return GEI_RETURN(add_graph_input(b, g, name, name_size, index, desc, out_value, &diag));
}

/* Adds a Const node by the name taken. */
static ge_status add_const(gei_api_builder *b, gei_graph *g, gei_tensor *tensor, ge_value_id *out, gei_diag *diag) {
    gei_node *node;
    GEI_TRY(gei_graph_add_const(g, b->name.count ? b->name.items : NULL, tensor, &node, diag));
    gei_tensor_freeze(tensor);
    *out = gei_value_id_of(gei_value_of(node, 0));
    return GE_OK;
}

ge_status ge_builder_add_constant(ge_builder *builder, const char *name, size_t name_size, const ge_tensor *tensor, ge_value_id *out_value) {
    GEI_CALL;
    gei_tensor *inner;
    GEI_OUT(out_value);
    GEI_NEED(out_value, 4);
    GEI_BUILDER(b, g, builder);
    GEI_CHECK(gei_builder_idle(b, &diag));
    GEI_CHECK(gei_tensor_of(tensor, b->view.owner->ctx, "tensor", 3, &inner, &diag));
    GEI_CHECK(gei_builder_take_name(b, g, name, name_size, 1, &diag));
    return GEI_RETURN(add_const(b, g, inner, out_value, &diag));
}

static ge_status add_variable(gei_api_builder *b, gei_graph *g, const char *name, size_t name_size, const gei_desc *d, gei_tensor *initial,
                              ge_value_id *out, gei_diag *diag) {
    const gei_op_def *def = gei_catalogue_find("Variable", strlen("Variable"));
    gei_node *node;
    gei_shape given = initial ? gei_tensor_shape(initial) : d->shape;
    if (initial && initial->dtype != d->dtype)
        return gei_argument_fail(diag, "initial", 4, GE_ERR_DTYPE, "the first content is %s, the variable %s", gei_dtype_name(initial->dtype),
                                 gei_dtype_name(d->dtype));
    if (!gei_shape_same(&d->shape, &given)) return gei_argument_fail(diag, "initial", 4, GE_ERR_SHAPE, "the first content has another shape than the variable");
    GEI_TRY(gei_builder_take_name(b, g, name, name_size, 1, diag));
    if (!b->name.count) return gei_argument_fail(diag, "name", 1, GE_ERR_INVALID_ARGUMENT, "a variable needs a name");
    GEI_TRY(gei_graph_add_node(g, def, b->name.items, NULL, NULL, &node, diag));
    node->outs[0].dtype = d->dtype;
    node->outs[0].format = d->format;
    gei_attr value = { .kind = GEI_ATTR_TENSOR, .v = { .tensor = initial } };
    ge_status st = gei_out_set_shape(gei_value_of(node, 0), &d->shape, diag);
    if (st == GE_OK && initial) st = gei_node_set(node, "value", &value, diag);
    if (st != GE_OK) {
        gei_graph_remove_node(node);
        return st;
    }
    gei_tensor_freeze(initial);
    *out = gei_value_id_of(gei_value_of(node, 0));
    return GE_OK;
}

ge_status ge_builder_add_variable(ge_builder *builder, const char *name, size_t name_size, const ge_tensor_desc *desc, const ge_tensor *initial,
                                  ge_value_id *out_value) {
    GEI_CALL;
    gei_desc d;
    gei_tensor *inner = NULL;
    if (out_value) *out_value = 0;
    GEI_NEED(name, 1);
    GEI_NEED(desc, 3);
    GEI_NEED(out_value, 5);
    GEI_BUILDER(b, g, builder);
    GEI_CHECK(gei_builder_idle(b, &diag));
    GEI_CHECK(gei_desc_in(desc, true, "desc", 3, &d, &diag));
    if (initial) GEI_CHECK(gei_tensor_of(initial, b->view.owner->ctx, "initial", 4, &inner, &diag));
    return GEI_RETURN(add_variable(b, g, name, name_size, &d, inner, out_value, &diag));
}

/* A zeroed tensor for the elements of add_ints and add_floats. */
static ge_status make_elements(gei_graph *g, int32_t dtype, size_t count, int32_t is_vector, gei_tensor **out, gei_diag *diag) {
    int64_t dim = (int64_t)count;
    *out = NULL;
    if (is_vector != 0 && is_vector != 1)
        return gei_argument_fail(diag, "is_vector", 4, GE_ERR_INVALID_ARGUMENT, "is_vector is %d, wanted 0 or 1", is_vector);
    if (!is_vector && count != 1) {
        gei_diag_found(diag, "%zu", count);
        gei_diag_wanted(diag, "1");
        return gei_argument_fail(diag, "values_count", 3, GE_ERR_SHAPE, "a scalar has one element, %zu are given", count);
    }
    if (count > INT64_MAX) return gei_argument_fail(diag, "values_count", 3, GE_ERR_OUT_OF_RANGE, "%zu elements do not fit", count);
    GEI_TRY(gei_tensor_create(g->from, dtype, is_vector, &dim, out, diag));
    if ((*out)->size_bytes) memset((*out)->data, 0, (*out)->size_bytes);
    return GE_OK;
}

/* Ends the reference to the tensor. */
static ge_status add_elements(gei_api_builder *b, gei_graph *g, ge_status st, gei_tensor *tensor, ge_value_id *out, gei_diag *diag) {
    if (st == GE_OK) st = gei_builder_take_name(b, g, NULL, 0, -1, diag);
    if (st == GE_OK) st = add_const(b, g, tensor, out, diag);
    gei_tensor_release(tensor);
    return st;
}

static bool int_fits(const gei_dtype_info *type, int64_t v) {
    if (type->kind == GEI_KIND_BOOL) return v == 0 || v == 1;
    if (type->bits >= 64) return true;
    if (type->kind == GEI_KIND_UINT) return v >= 0 && v < INT64_C(1) << type->bits;
    return v >= -(INT64_C(1) << (type->bits - 1)) && v < INT64_C(1) << (type->bits - 1);
}

static ge_status put_ints(gei_tensor *t, const int64_t *values, size_t count, gei_diag *diag) {
    const gei_dtype_info *type = gei_dtype_get(t->dtype);
    for (size_t i = 0; i < count; i++) {
        if (!int_fits(type, values[i])) {
            gei_diag_found(diag, "%lld", (long long)values[i]);
            return gei_argument_fail(diag, "values", 2, GE_ERR_OUT_OF_RANGE, "element %zu is %lld, which does not fit %s", i, (long long)values[i],
                                     type->name);
        }
        gei_tensor_put_i64(t, (int64_t)i, values[i]);
    }
    return GE_OK;
}

static ge_status wrong_dtype(ge_dtype dtype, const char *wanted, gei_diag *diag) {
    gei_diag_found(diag, "%s", gei_dtype_name(dtype));
    gei_diag_wanted(diag, "%s", wanted);
    return gei_argument_fail(diag, "dtype", 1, GE_ERR_DTYPE, "%s (%d) is not %s", gei_dtype_name(dtype), dtype, wanted);
}

ge_status ge_builder_add_ints(ge_builder *builder, ge_dtype dtype, const int64_t *values, size_t values_count, int32_t is_vector,
                              ge_value_id *out_value) {
    GEI_CALL;
    gei_tensor *tensor;
    GEI_OUT(out_value);
    GEI_NEED(out_value, 5);
    if (!values && values_count) return gei_call_null(__func__, "values", 2);
    GEI_BUILDER(b, g, builder);
    GEI_CHECK(gei_builder_idle(b, &diag));
    const gei_dtype_info *type = gei_dtype_get(dtype);
    if (!type || (type->kind != GEI_KIND_INT && type->kind != GEI_KIND_UINT && type->kind != GEI_KIND_BOOL))
        return GEI_RETURN(wrong_dtype(dtype, "an integer type or bool", &diag));
    GEI_CHECK(make_elements(g, dtype, values_count, is_vector, &tensor, &diag));
    return GEI_RETURN(add_elements(b, g, put_ints(tensor, values, values_count, &diag), tensor, out_value, &diag));
}

ge_status ge_builder_add_floats(ge_builder *builder, ge_dtype dtype, const double *values, size_t values_count, int32_t is_vector,
                                ge_value_id *out_value) {
    GEI_CALL;
    gei_tensor *tensor;
    GEI_OUT(out_value);
    GEI_NEED(out_value, 5);
    if (!values && values_count) return gei_call_null(__func__, "values", 2);
    GEI_BUILDER(b, g, builder);
    GEI_CHECK(gei_builder_idle(b, &diag));
    const gei_dtype_info *type = gei_dtype_get(dtype);
    if (!type || type->kind != GEI_KIND_FLOAT || !gei_dtype_is_real(dtype)) return GEI_RETURN(wrong_dtype(dtype, "a floating-point type", &diag));
    GEI_CHECK(make_elements(g, dtype, values_count, is_vector, &tensor, &diag));
    for (size_t i = 0; i < values_count; i++) gei_tensor_put_f64(tensor, (int64_t)i, values[i]);
    return GEI_RETURN(add_elements(b, g, GE_OK, tensor, out_value, &diag));
}
