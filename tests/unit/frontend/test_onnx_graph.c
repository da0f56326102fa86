/* SPDX-License-Identifier: Apache-2.0 */
/* Structure of one graph: order, names, inputs, types, versions, metadata; and what is wrong in it. */
#include "unit/frontend/onnx_check.h"

/* x -> Relu -> y with more nodes before it.  Takes graph. */
static pb finish(pb *graph) {
    onnx_input(graph, "x", ONNX_F32, "n,3");
    onnx_output(graph, "y", ONNX_F32, NULL);
    return onnx_model(8, 17, graph);
}

static pb chain_in_order(const char *order) {
    pb graph = { 0 };
    for (; *order; order++) {
        if (*order == 'a') onnx_node(&graph, "Relu", "a", "x", "t");
        if (*order == 'b') onnx_node(&graph, "Relu", "b", "t", "u");
        if (*order == 'c') onnx_node(&graph, "Relu", "c", "u", "y");
    }
    return finish(&graph);
}

static void nodes_come_in_any_order(void **state) {
    (void)state;
    static const char *const orders[] = { "acb", "bac", "bca", "cab", "cba" };
    pb model = chain_in_order("abc");
    onnx_read t;
    onnx_read_ok(&t, &model);
    char *wanted = onnx_text(t.graph);
    onnx_read_deinit(&t);
    for (size_t i = 0; i < GEI_COUNT(orders); i++) {
        model = chain_in_order(orders[i]);
        onnx_read_ok(&t, &model);
        char *found = onnx_text(t.graph);
        assert_string_equal(found, wanted);
        free(found);
        onnx_read_deinit(&t);
    }
    free(wanted);
}

static void nodes_without_names_get_one(void **state) {
    (void)state;
    pb graph = { 0 };
    onnx_node(&graph, "Relu", "", "x", "t");
    onnx_node(&graph, "Relu", "", "t", "y");
    pb model = finish(&graph);
    onnx_read t;
    onnx_read_ok(&t, &model);
    (void)onnx_find(t.graph, "Relu_0");
    (void)onnx_find(t.graph, "Relu_1");
    onnx_read_deinit(&t);
}

static void names_used_twice_are_told_apart(void **state) {
    (void)state;
    pb graph = { 0 };
    onnx_node(&graph, "Relu", "n", "x", "t");
    onnx_node(&graph, "Relu", "n", "t", "u");
    onnx_node(&graph, "Relu", "x", "u", "v"); /* a node spelled like an input */
    onnx_node(&graph, "Add", "w", "v,w", "y"); /* and like an initializer */
    onnx_initializer(&graph, "w", ONNX_F32, "1", "\0\0\0\0", 4);
    pb model = finish(&graph);
    onnx_read t;
    onnx_read_ok(&t, &model);
    assert_string_equal(onnx_find(t.graph, "n")->def->name, "Relu");
    assert_string_equal(onnx_find(t.graph, "n_1")->def->name, "Relu");
    assert_string_equal(onnx_find(t.graph, "x")->def->name, "Data");
    assert_string_equal(onnx_find(t.graph, "x_1")->def->name, "Relu");
    assert_string_equal(onnx_find(t.graph, "w")->def->name, "Const");
    assert_string_equal(onnx_find(t.graph, "w_1")->def->name, "Add");
    assert_string_equal(gei_value_out(gei_value_of(onnx_find(t.graph, "n_1"), 0))->name, "u");
    onnx_read_deinit(&t);
}

static void values_keep_their_names(void **state) {
    (void)state;
    pb graph = { 0 };
    onnx_node(&graph, "Identity", "i", "x", "t");
    onnx_node(&graph, "Relu", "r", "t", "y");
    pb model = finish(&graph);
    onnx_read t;
    onnx_read_ok(&t, &model);
    assert_string_equal(onnx_find(t.graph, "x")->outs[0].name, "x");
    assert_string_equal(onnx_find(t.graph, "r")->outs[0].name, "y");
    assert_string_equal(gei_graph_output_name(t.graph, 0), "y");
    assert_string_equal(onnx_find(t.graph, "r")->origin, "onnx node 'r'");
    onnx_read_deinit(&t);
}

static void an_initializer_or_input_may_be_an_output(void **state) {
    (void)state;
    pb graph = { 0 };
    onnx_input(&graph, "x", ONNX_F32, "2");
    onnx_initializer(&graph, "w", ONNX_F32, "1", "\0\0\0\0", 4);
    onnx_output(&graph, "w", ONNX_F32, "1");
    onnx_output(&graph, "x", ONNX_F32, NULL);
    pb model = onnx_model(8, 17, &graph);
    onnx_read t;
    onnx_read_ok(&t, &model);
    assert_ptr_equal(t.graph->net_output->ins[0].from.node, onnx_find(t.graph, "w"));
    assert_ptr_equal(t.graph->net_output->ins[1].from.node, onnx_find(t.graph, "x"));
    onnx_read_deinit(&t);
}

/* ---- inputs and initializers ---- */

static pb with_default(int64_t ir_version) {
    pb graph = { 0 };
    onnx_input(&graph, "w", ONNX_F32, "1");
    onnx_initializer(&graph, "w", ONNX_F32, "1", "\0\0\x80\x3F", 4);
    onnx_input(&graph, "x", ONNX_F32, "n,3");
    onnx_node(&graph, "Add", "a", "x,w", "y");
    onnx_output(&graph, "y", ONNX_F32, NULL);
    return onnx_model(ir_version, 17, &graph);
}

static void inputs_with_an_initializer_are_constants(void **state) {
    (void)state;
    for (int64_t version = 3; version <= 4; version++) {
        pb model = with_default(version);
        onnx_read t;
        onnx_read_ok(&t, &model);
        assert_true(gei_node_is_const(onnx_find(t.graph, "w")));
        assert_int_equal(gei_node_int(onnx_find(t.graph, "x"), "index", -1), 0);
        assert_string_equal(onnx_metadata(t.graph, "onnx.fixed_inputs"), "w");
        onnx_read_deinit(&t);
    }
}

static void overridable_inputs_stay_from_ir_version_4_on(void **state) {
    (void)state;
    for (int64_t version = 3; version <= 4; version++) {
        pb model = with_default(version);
        onnx_read t;
        onnx_read_init(&t);
        t.options.overridable = true;
        assert_ok(onnx_read_run(&t, &model), &t.diag);
        gei_node *w = onnx_find(t.graph, "w");
        assert_int_equal(gei_node_is_const(w), version < 4);
        if (version >= 4) {
            assert_int_equal(gei_node_int(w, "index", -1), 0);
            assert_int_equal(gei_node_int(onnx_find(t.graph, "x"), "index", -1), 1);
            assert_true(gei_tensor_f64(gei_attrs_find(&w->attrs, "_default")->v.tensor, 0) == 1.0);
            assert_null(onnx_metadata(t.graph, "onnx.fixed_inputs"));
        }
        onnx_read_deinit(&t);
        pb_free(&model);
    }
}

static void a_default_must_fit_its_input(void **state) {
    (void)state;
    pb graph = { 0 };
    onnx_input(&graph, "w", ONNX_F32, "2");
    onnx_initializer(&graph, "w", ONNX_F32, "1", "\0\0\x80\x3F", 4);
    onnx_output(&graph, "w", ONNX_F32, NULL);
    pb model = onnx_model(8, 17, &graph);
    onnx_read t;
    onnx_read_init(&t);
    t.options.overridable = true;
    assert_fails_with(onnx_read_run(&t, &model), &t.diag, "initializer 'w' is float32[1] and declared as float32[2]");
    onnx_read_deinit(&t);
    pb_free(&model);
}

static void a_declared_type_must_be_that_of_the_initializer(void **state) {
    (void)state;
    pb graph = { 0 };
    onnx_value(&graph, "w", ONNX_I64, NULL);
    onnx_initializer(&graph, "w", ONNX_F32, "1", "\0\0\x80\x3F", 4);
    onnx_output(&graph, "w", -1, NULL);
    pb model = onnx_model(8, 17, &graph);
    assert_refused(&model, GE_ERR_BAD_GRAPH, "initializer 'w' is float32[1] and declared as int64");
}

/* ---- types ---- */

static void dims_become_numbers_symbols_or_fresh_symbols(void **state) {
    (void)state;
    pb graph = { 0 };
    onnx_input(&graph, "x", ONNX_F32, "batch,3,?,,-1,batch");
    onnx_input(&graph, "u", ONNX_F16, NULL);
    onnx_input(&graph, "s", ONNX_I64, "");
    onnx_output(&graph, "x", ONNX_F32, NULL);
    pb model = onnx_model(8, 17, &graph);
    onnx_read t;
    onnx_read_ok(&t, &model);
    gei_shape x = gei_out_shape(&onnx_find(t.graph, "x")->outs[0]);
    assert_int_equal(x.rank, 6);
    assert_true(gei_dim_is_symbol(x.dims[0]) && gei_dim_same(x.dims[0], x.dims[5]));
    assert_string_equal(t.graph->symbols->names.items[gei_dim_symbol_index(x.dims[0])], "batch");
    assert_int_equal(x.dims[1], 3);
    for (int i = 2; i < 5; i++) assert_true(gei_dim_is_symbol(x.dims[i]) && !gei_dim_same(x.dims[i], x.dims[0]));
    assert_false(gei_dim_same(x.dims[2], x.dims[3]));
    assert_int_equal(onnx_find(t.graph, "u")->outs[0].rank, GEI_RANK_UNKNOWN);
    assert_int_equal(onnx_find(t.graph, "u")->outs[0].dtype, GEI_FLOAT16);
    assert_int_equal(onnx_find(t.graph, "s")->outs[0].rank, 0);
    onnx_read_deinit(&t);
}

/* An operator of the catalogue that nobody has written a row for. */
static ge_status map_without_rule(gei_import *im, gei_diag *diag) {
    const gei_op_def *def;
    gei_node *node;
    for (size_t i = 0; (def = gei_catalogue_at(i)) != NULL; i++)
        if (def->n_inputs == 1 && def->n_outputs == 1 && def->outputs[0].kind == GEI_PORT_REQUIRED && !gei_op_row(def->name, strlen(def->name))) break;
    assert_non_null(def);
    GEI_TRY(gei_import_node(im, def->name, im->inputs, 1, &node, diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

static const gei_source *find_without_rule(void *user, const char *domain, const char *type, int32_t opset, const gei_op **out_op) {
    static const gei_source source = { .framework = GEI_FROM_ONNX, .type = "Odd", .since = 1, .map = map_without_rule };
    (void)user, (void)domain, (void)opset;
    *out_op = gei_op_row("Identity", 8);
    return strcmp(type, "Odd") == 0 ? &source : NULL;
}

static void value_info_counts_where_no_rule_knows(void **state) {
    (void)state;
    pb graph = { 0 };
    onnx_input(&graph, "x", ONNX_F32, "batch,2");
    onnx_node(&graph, "Odd", "odd", "x", "y");
    onnx_node(&graph, "Relu", "r", "x", "z");
    onnx_value(&graph, "y", ONNX_F32, "batch,other,7");
    onnx_value(&graph, "z", ONNX_F32, "99");
    onnx_output(&graph, "y", -1, NULL);
    pb model = onnx_model(8, 17, &graph);
    onnx_read t;
    onnx_read_init(&t);
    t.options.find = find_without_rule;
    assert_ok(onnx_read_run(&t, &model), &t.diag);
    gei_shape x = gei_out_shape(&onnx_find(t.graph, "x")->outs[0]), y = gei_out_shape(&onnx_find(t.graph, "odd")->outs[0]);
    assert_int_equal(y.rank, 3); /* names only that an input knows */
    assert_true(gei_dim_same(y.dims[0], x.dims[0]) && y.dims[1] == GEI_DIM_UNKNOWN && y.dims[2] == 7);
    assert_int_equal(onnx_find(t.graph, "odd")->outs[0].dtype, GEI_FLOAT32);
    assert_int_equal(onnx_find(t.graph, "r")->outs[0].rank, GEI_RANK_UNKNOWN);
    onnx_read_deinit(&t);
    pb_free(&model);
}

static void refuse_input(const char *dims, int elem, ge_status status, const char *part) {
    pb graph = { 0 };
    onnx_input(&graph, "x", elem, dims);
    onnx_output(&graph, "x", -1, NULL);
    pb model = onnx_model(8, 17, &graph);
    assert_refused(&model, status, part);
}

static void bad_types_are_refused(void **state) {
    (void)state;
    refuse_input("-2", ONNX_F32, GE_ERR_BAD_GRAPH, "input 'x' has a dim of -2");
    refuse_input("1,1,1,1,1,1,1,1,1", ONNX_F32, GE_ERR_RANK, "input 'x' has 9 dims, at most 8");
    refuse_input("1", 99, GE_ERR_UNSUPPORTED_DTYPE, "input 'x' has the unknown element type 99");
    refuse_input("1", -1, GE_ERR_BAD_GRAPH, "input 'x' has no type");
    refuse_input("1", 0, GE_ERR_BAD_GRAPH, "input 'x' has no type");
}

static void kinds_of_values_that_do_not_exist_give_one_clear_error(void **state) {
    (void)state;
    struct {
        uint32_t outer, outer_inner, inner, inner_inner;
        const char *part;
    } cases[] = {
        { ONNX_TYPE_SEQUENCE, ONNX_ELEM_TYPE, ONNX_TYPE_SEQUENCE, ONNX_ELEM_TYPE, "'x' is of type sequence of sequence of float32; values of that kind are not supported" },
        { ONNX_TYPE_OPTIONAL, ONNX_ELEM_TYPE, ONNX_TYPE_OPTIONAL, ONNX_ELEM_TYPE, "'x' is of type optional optional float32" },
        { ONNX_TYPE_MAP, ONNX_MAP_VALUE, 0, 0, "'x' is of type map to float32" }, /* says no type of keys */
        { ONNX_TYPE_SEQUENCE, ONNX_ELEM_TYPE, ONNX_TYPE_MAP, ONNX_MAP_VALUE, "'x' is of type sequence of map to float32" },
    };
    for (size_t i = 0; i < GEI_COUNT(cases); i++) {
        pb graph = { 0 }, type = onnx_tensor_type(ONNX_F32, NULL);
        if (cases[i].inner) type = onnx_type_around(&type, cases[i].inner, cases[i].inner_inner);
        type = onnx_type_around(&type, cases[i].outer, cases[i].outer_inner);
        pb info = onnx_info("x", &type);
        pb_bytes(&graph, ONNX_GRAPH_OUTPUT, info.data, info.size);
        pb_message(&graph, ONNX_GRAPH_INPUT, &info);
        pb model = onnx_model(8, 17, &graph);
        assert_refused(&model, GE_ERR_UNSUPPORTED, cases[i].part);
    }
    pb graph = { 0 }, type = { 0 };
    pb_text(&type, ONNX_TYPE_SPARSE_TENSOR, "");
    pb info = onnx_info("x", &type);
    pb_message(&graph, ONNX_GRAPH_INPUT, &info);
    onnx_output(&graph, "x", -1, NULL);
    pb model = onnx_model(8, 17, &graph);
    assert_refused(&model, GE_ERR_UNSUPPORTED, "is of type sparse tensor");
}

/* Takes the type. */
static void check_type(pb type, int32_t dtype) {
    pb graph = { 0 }, info = onnx_info("x", &type);
    pb_bytes(&graph, ONNX_GRAPH_OUTPUT, info.data, info.size);
    pb_message(&graph, ONNX_GRAPH_INPUT, &info);
    pb model = onnx_model(8, 17, &graph);
    onnx_read t;
    onnx_read_init(&t);
    assert_ok(onnx_read_run(&t, &model), &t.diag);
    const gei_out *out = &onnx_find(t.graph, "x")->outs[0];
    assert_int_equal(out->dtype, dtype);
    assert_int_equal(out->rank, 0); /* one value, whatever the shapes inside */
    onnx_read_deinit(&t);
    pb_free(&model);
}

static pb type_around(pb inner, uint32_t field) { return onnx_type_around(&inner, field, ONNX_ELEM_TYPE); }

static pb map_type(int64_t key) {
    pb tensor = onnx_tensor_type(ONNX_F32, NULL), map = { 0 }, type = { 0 };
    pb_int(&map, ONNX_MAP_KEY, key);
    pb_message(&map, ONNX_MAP_VALUE, &tensor);
    pb_message(&type, ONNX_TYPE_MAP, &map);
    return type;
}

static void values_that_are_no_tensors_have_types_of_their_own(void **state) {
    (void)state;
    check_type(type_around(onnx_tensor_type(ONNX_F32, "2,3"), ONNX_TYPE_SEQUENCE), gei_dtype_of(GEI_FORM_SEQUENCE, GEI_FLOAT32));
    check_type(type_around(onnx_tensor_type(ONNX_STR, NULL), ONNX_TYPE_OPTIONAL), gei_dtype_of(GEI_FORM_OPTIONAL, GEI_STRING));
    check_type(type_around(type_around(onnx_tensor_type(ONNX_I64, NULL), ONNX_TYPE_SEQUENCE), ONNX_TYPE_OPTIONAL),
               gei_dtype_of(GEI_FORM_OPTIONAL_SEQUENCE, GEI_INT64));
    check_type(map_type(ONNX_I64), gei_dtype_of(GEI_FORM_INT_MAP, GEI_FLOAT32));
    check_type(map_type(ONNX_STR), gei_dtype_of(GEI_FORM_TEXT_MAP, GEI_FLOAT32));
    check_type(type_around(map_type(ONNX_STR), ONNX_TYPE_SEQUENCE), gei_dtype_of(GEI_FORM_TEXT_MAPS, GEI_FLOAT32));
}

static void types_nested_without_end_are_refused(void **state) {
    (void)state;
    pb graph = { 0 }, type = onnx_tensor_type(ONNX_F32, NULL);
    for (int i = 0; i < 40; i++) type = onnx_type_around(&type, ONNX_TYPE_SEQUENCE, ONNX_ELEM_TYPE);
    pb info = onnx_info("x", &type);
    pb_message(&graph, ONNX_GRAPH_INPUT, &info);
    onnx_output(&graph, "x", -1, NULL);
    pb model = onnx_model(8, 17, &graph);
    assert_refused(&model, GE_ERR_LIMIT, "input 'x' has a type nested deeper than 32");
}

static void an_output_of_another_type_than_declared_is_refused(void **state) {
    (void)state;
    pb graph = { 0 };
    onnx_input(&graph, "x", ONNX_F32, "2");
    onnx_output(&graph, "x", ONNX_I64, NULL);
    onnx_initializer(&graph, "w", ONNX_F32, "1", "\0\0\0\0", 4);
    onnx_output(&graph, "w", ONNX_U8, NULL);
    pb model = onnx_model(8, 17, &graph), again = { 0 };
    pb_raw(&again, model.data, model.size);
    assert_refused(&again, GE_ERR_BAD_GRAPH, "output 'w' is of type float32 and declared as uint8");
    assert_refused(&model, GE_ERR_BAD_GRAPH, "output 'x' is of type float32 and declared as int64");
}

/* ---- versions, domains, metadata ---- */

static void metadata_comes_along(void **state) {
    (void)state;
    pb graph = { 0 };
    pb_text(&graph, ONNX_GRAPH_NAME, "net");
    onnx_node(&graph, "Relu", "r", "x", "y");
    pb model = finish(&graph);
    pb_text(&model, ONNX_MODEL_PRODUCER_VERSION, "1.2");
    pb_text(&model, ONNX_MODEL_DOMAIN, "org.example");
    pb_text(&model, ONNX_MODEL_DOC, "some words");
    pb_int(&model, ONNX_MODEL_VERSION, 42);
    onnx_opset(&model, ONNX_MODEL_OPSET, "com.example", 3);
    onnx_entry(&model, ONNX_MODEL_METADATA, "labels", "cat,dog");
    onnx_read t;
    onnx_read_ok(&t, &model);
    assert_string_equal(t.graph->name, "net");
    assert_string_equal(onnx_metadata(t.graph, "onnx.ir_version"), "8");
    assert_string_equal(onnx_metadata(t.graph, "onnx.producer_name"), "test");
    assert_string_equal(onnx_metadata(t.graph, "onnx.producer_version"), "1.2");
    assert_string_equal(onnx_metadata(t.graph, "onnx.domain"), "org.example");
    assert_string_equal(onnx_metadata(t.graph, "onnx.doc_string"), "some words");
    assert_string_equal(onnx_metadata(t.graph, "onnx.model_version"), "42");
    assert_string_equal(onnx_metadata(t.graph, "onnx.opset.ai.onnx"), "17");
    assert_string_equal(onnx_metadata(t.graph, "onnx.opset.com.example"), "3");
    assert_string_equal(onnx_metadata(t.graph, "labels"), "cat,dog");
    onnx_read_deinit(&t);
}

static void both_spellings_of_the_default_domain_are_one(void **state) {
    (void)state;
    pb graph = { 0 };
    pb node = onnx_node_begin("Relu", "r", "x", "y");
    pb_text(&node, ONNX_NODE_DOMAIN, "ai.onnx");
    pb_message(&graph, ONNX_GRAPH_NODE, &node);
    pb model = finish(&graph);
    onnx_read t;
    onnx_read_ok(&t, &model);
    onnx_read_deinit(&t);
}

static void versions_are_checked(void **state) {
    (void)state;
    pb graph = { 0 };
    onnx_node(&graph, "Relu", "r", "x", "y");
    pb model = finish(&graph);
    pb without = { 0 };
    pb_raw(&without, model.data + 2, model.size - 2);
    assert_refused(&without, GE_ERR_MALFORMED, "ModelProto.ir_version is missing; the file ends at byte ");
    onnx_opset(&model, ONNX_MODEL_OPSET, "", 18);
    assert_refused(&model, GE_ERR_BAD_GRAPH, "domain 'ai.onnx' is imported in versions 17 and 18");

    onnx_node(&graph, "Identity", "r", "x", "y");
    onnx_input(&graph, "x", ONNX_F32, NULL);
    onnx_output(&graph, "y", ONNX_F32, NULL);
    model = onnx_model(8, 0, &graph);
    pb old = { 0 };
    pb_int(&old, ONNX_MODEL_IR_VERSION, 2);
    pb_raw(&old, model.data + 2, model.size - 2);
    pb bad = { 0 };
    pb_raw(&bad, model.data, model.size);
    onnx_opset(&bad, ONNX_MODEL_OPSET, "", -3);
    assert_refused(&bad, GE_ERR_UNSUPPORTED_VERSION, "operator set -3 of domain 'ai.onnx'");
    assert_refused(&model, GE_ERR_MALFORMED, "ModelProto.opset_import is missing; the file ends at byte ");
    onnx_node(&graph, "Identity", "r", "x", "y");
    model = onnx_model(8, 0, &graph);
    onnx_opset(&model, ONNX_MODEL_OPSET, "other", 1);
    assert_refused(&model, GE_ERR_BAD_GRAPH, "Identity 'r': the model imports no operator set of domain 'ai.onnx'");
    pb_int(&model, ONNX_MODEL_IR_VERSION, -1);
    assert_refused(&model, GE_ERR_MALFORMED, "ModelProto.ir_version is -1 at byte 0");
    onnx_read t;
    onnx_read_ok(&t, &old);
    assert_string_equal(onnx_metadata(t.graph, "onnx.opset.ai.onnx"), "1");
    onnx_read_deinit(&t);
}

static void newer_files_are_read_as_far_as_they_are_understood(void **state) {
    (void)state;
    pb graph = { 0 };
    onnx_node(&graph, "Relu", "r", "x", "y");
    pb_text(&graph, 500, "field of the future");
    onnx_input(&graph, "x", ONNX_F32, NULL);
    onnx_output(&graph, "y", ONNX_F32, NULL);
    pb model = onnx_model(99, 99, &graph);
    pb_double(&model, 501, 1);
    onnx_read t;
    onnx_read_ok(&t, &model);
    onnx_read_deinit(&t);
}

/* ---- what is wrong ---- */

static void all_problems_are_told_at_once(void **state) {
    (void)state;
    pb graph = { 0 };
    onnx_node(&graph, "Nonesuch", "n1", "x", "a");
    onnx_node(&graph, "Relu", "r", "a", "b"); /* depends on what is wrong: no words about it */
    onnx_node(&graph, "Nonesuch", "n2", "b", "c");
    pb node = onnx_node_begin("Other", "o", "c", "d");
    pb_text(&node, ONNX_NODE_DOMAIN, "com.example");
    pb_message(&graph, ONNX_GRAPH_NODE, &node);
    onnx_node(&graph, "Relu", "m", "missing", "e");
    onnx_node(&graph, "Relu", "m2", "missing", "f");
    onnx_node(&graph, "Add", "last", "d,e", "y");
    pb model = finish(&graph);
    onnx_opset(&model, ONNX_MODEL_OPSET, "com.example", 2);
    onnx_read t;
    onnx_read_init(&t);
    onnx_read_run(&t, &model);
    assert_int_equal(t.status, GE_ERR_UNSUPPORTED_OPERATOR);
    assert_int_equal(t.n_problems, 4);
    assert_non_null(strstr(t.problems, "Nonesuch|n1|operator Nonesuch (opset 17) is not supported; node 'n1'\n"));
    assert_non_null(strstr(t.problems, "Nonesuch|n2|"));
    assert_non_null(strstr(t.problems, "Other|o|operator com.example:Other (opset 2) is not supported; node 'o'\n"));
    assert_non_null(strstr(t.problems, "Relu|m|node 'm' reads 'missing', which no node, initializer or input gives\n"));
    assert_non_null(strstr(t.diag.message, "4 problems; unsupported operators (2): Nonesuch, com.example:Other; the first: operator Nonesuch"));
    assert_string_equal(t.diag.node, "n1");
    onnx_read_deinit(&t);
    pb_free(&model);
}

static void problems_say_where(void **state) {
    (void)state;
    pb graph = { 0 };
    pb node = onnx_node_begin("Nonesuch", "n", "x", "y");
    pb_text(&node, ONNX_NODE_DOMAIN, "com.example");
    pb_message(&graph, ONNX_GRAPH_NODE, &node);
    pb model = finish(&graph);
    onnx_opset(&model, ONNX_MODEL_OPSET, "com.example", 5);
    onnx_read t;
    onnx_read_init(&t);
    onnx_read_run(&t, &model);
    assert_string_equal(t.last_type, "Nonesuch");
    assert_string_equal(t.last_domain, "com.example");
    assert_string_equal(t.last_node, "n");
    assert_int_equal(t.last.opset, 5);
    assert_memory_equal(model.data + t.last.offset, "\x0A\x01x", 3); /* the first field of the node */
    onnx_read_deinit(&t);
    pb_free(&model);
}

static ge_status stop_at_second(void *user, const gei_onnx_problem *p) {
    (void)p;
    return ++*(int *)user == 2 ? (GE_ERR_CALLBACK | 7) : GE_OK;
}

static void the_callback_can_end_it(void **state) {
    (void)state;
    pb graph = { 0 };
    for (int i = 0; i < 5; i++) onnx_node(&graph, "Nonesuch", "", "x", "");
    pb model = finish(&graph);
    onnx_read t;
    int calls = 0;
    onnx_read_init(&t);
    t.options.problem = stop_at_second;
    t.options.problem_user = &calls;
    assert_int_equal(gei_onnx_read(model.data, model.size, &t.options, &t.graph, &t.diag), GE_ERR_CALLBACK | 7);
    assert_int_equal(calls, 2);
    assert_null(t.graph);
    onnx_read_deinit(&t);
    pb_free(&model);
}

static void refuse_nodes(pb *graph, const char *part) {
    pb model = finish(graph);
    assert_refused(&model, GE_ERR_BAD_GRAPH, part);
}

static void bad_structure_is_named(void **state) {
    (void)state;
    pb g = { 0 };
    onnx_node(&g, "Relu", "r", "x", "t");
    refuse_nodes(&g, "output 'y' of '' is given by no node, initializer or input");
    onnx_node(&g, "Relu", "r1", "x", "y");
    onnx_node(&g, "Relu", "r2", "x", "y");
    refuse_nodes(&g, "value 'y' is written twice: by node 'r1' and by node 'r2'");
    onnx_node(&g, "Relu", "r1", "x", "x");
    onnx_node(&g, "Relu", "r2", "x", "y");
    refuse_nodes(&g, "node 'r1' writes 'x', which is an input of the graph");
    onnx_node(&g, "Relu", "r1", "x", "w");
    onnx_node(&g, "Relu", "r2", "x", "y");
    onnx_initializer(&g, "w", ONNX_F32, "1", "\0\0\0\0", 4);
    refuse_nodes(&g, "node 'r1' writes 'w', which is an initializer of the graph");
    onnx_node(&g, "Relu", "r", "x", "y");
    onnx_input(&g, "x", ONNX_F32, NULL);
    refuse_nodes(&g, "graph '' has two inputs 'x'");
    onnx_node(&g, "Relu", "r", "x", "y");
    onnx_output(&g, "y", ONNX_F32, NULL);
    refuse_nodes(&g, "graph '' has two outputs 'y'");
    onnx_node(&g, "Relu", "r", "x", "y");
    onnx_initializer(&g, "w", ONNX_F32, "1", "\0\0\0\0", 4);
    onnx_initializer(&g, "w", ONNX_F32, "1", "\0\0\0\0", 4);
    refuse_nodes(&g, "two initializers 'w'");
    onnx_node(&g, "Relu", "r", "x", "y");
    onnx_initializer(&g, "", ONNX_F32, "1", "\0\0\0\0", 4);
    refuse_nodes(&g, "initializer 0 of graph '' has no name");
    onnx_node(&g, "Relu", "r", "x", "y");
    onnx_input(&g, "", ONNX_F32, NULL);
    refuse_nodes(&g, "input 0 of graph '' has no name");
    onnx_node(&g, "Relu", "r", "x", "y");
    onnx_node(&g, "", "nameless", "x", "t");
    refuse_nodes(&g, "node 1 ('nameless') at byte ");
    onnx_node(&g, "Relu", "r", "x", "y");
    onnx_node(&g, "Relu", "lonely", "", "");
    refuse_nodes(&g, "has neither inputs nor outputs");
}

static void a_model_without_graph_or_outputs_is_refused(void **state) {
    (void)state;
    pb graph = { 0 };
    pb model = onnx_model(8, 17, &graph);
    assert_refused(&model, GE_ERR_BAD_GRAPH, "graph '' has no outputs");
    pb_int(&model, ONNX_MODEL_IR_VERSION, 8);
    assert_refused(&model, GE_ERR_MALFORMED, "ModelProto.graph is missing; the file ends at byte 2");
    model = onnx_model(8, 17, &graph);
    pb_text(&model, ONNX_MODEL_GRAPH, "");
    assert_refused(&model, GE_ERR_MALFORMED, "the model has 2 graphs, the last at byte ");
    pb empty = { 0 };
    assert_refused(&empty, GE_ERR_TRUNCATED, "not an ONNX model: it has no bytes at all");
}

static void refuse_bytes(const void *bytes, size_t size, const char *part) {
    pb file = { 0 };
    pb_raw(&file, bytes, size);
    assert_refused(&file, GE_ERR_MALFORMED, part);
}

/* What does not stop the reading: the graph is there, and these were told. */
static void told(pb *model, const char *wanted, ge_status status) {
    onnx_read t;
    onnx_read_init(&t);
    t.options.check = true;
    onnx_read_run(&t, model);
    assert_ok(t.status, &t.diag);
    if (!strstr(t.problems, wanted) || t.last_status != status) fail_msg("%s told, status %#x, wanted %s", t.problems, (unsigned)t.last_status, wanted);
    onnx_read_deinit(&t);
    pb_free(model);
}

static void what_contradicts_is_told(void **state) {
    (void)state;
    pb graph = { 0 };
    onnx_node(&graph, "Relu", "r", "x", "y");
    onnx_input(&graph, "x", ONNX_F32, "2,3");
    onnx_output(&graph, "y", ONNX_F32, "2,4");
    pb model = onnx_model(8, 17, &graph);
    told(&model, "Relu|r|output 'y' of Relu 'r' is float32[2,3] and declared as float32[2,4]", GE_ERR_SHAPE);
    onnx_node(&graph, "Relu", "r", "x", "y");
    onnx_input(&graph, "x", ONNX_F32, "n,3");
    onnx_output(&graph, "y", ONNX_I64, "n,3");
    model = onnx_model(8, 17, &graph);
    told(&model, "output 'y' of Relu 'r' is float32[n,3] and declared as int64", GE_ERR_DTYPE);
    onnx_node(&graph, "MatMul", "m", "x,x", "a");
    onnx_node(&graph, "MatMul", "m", "x,x", "b");
    onnx_node(&graph, "Add", "behind", "a,b", "y");
    onnx_input(&graph, "x", ONNX_F32, "2,3");
    onnx_output(&graph, "y", ONNX_F32, "2,2");
    model = onnx_model(8, 17, &graph);
    told(&model, "MatMul|m|MatMul 'm': cannot multiply [2,3] by [2,3]: inner sizes 3 and 2\nMatMul|m_1|MatMul 'm_1': cannot", GE_ERR_SHAPE);
    onnx_node(&graph, "Relu", "r", "x", "y");
    model = finish(&graph);
    pb_free(&graph);
    onnx_opset(&model, ONNX_MODEL_OPSET, "", 17);
    onnx_read t;
    onnx_read_init(&t);
    t.options.check = true;
    onnx_read_run(&t, &model);
    assert_int_equal(t.n_problems, 0);
    onnx_read_deinit(&t);
    pb_free(&model);
    onnx_node(&graph, "Relu", "r", "x", "y");
    onnx_input(&graph, "x", ONNX_F32, "2,3");
    onnx_output(&graph, "y", ONNX_F32, "2,3");
    model = onnx_model(8, 99, &graph);
    told(&model, "operator set 99 of ai.onnx is newer than ", GE_OK);
}

static void attributes_that_an_operator_does_not_have_are_refused(void **state) {
    (void)state;
    pb graph = { 0 }, node = onnx_node_begin("Softmax", "s", "x", "y");
    onnx_attr_i(&node, "axes", 1);
    pb_message(&graph, ONNX_GRAPH_NODE, &node);
    pb model = finish(&graph);
    assert_refused(&model, GE_ERR_BAD_ATTR, "Softmax 's': the operator has no attribute 'axes'; did you mean 'axis'?");
    node = onnx_node_begin("Softmax", "s", "x", "y");
    onnx_attr_i(&node, "colour", 1);
    pb_message(&graph, ONNX_GRAPH_NODE, &node);
    model = finish(&graph);
    assert_refused(&model, GE_ERR_BAD_ATTR, "the operator has no attribute 'colour'\n");
    node = onnx_node_begin("Softmax", "s", "x", "y");
    onnx_attr_i(&node, "__of_a_tool", 1);
    pb_message(&graph, ONNX_GRAPH_NODE, &node);
    model = finish(&graph);
    onnx_read t;
    onnx_read_ok(&t, &model);
    onnx_read_deinit(&t);
}

/* Messages and graph call a node the same, named or not, twice or not. */
static void nodes_are_called_one_way(void **state) {
    (void)state;
    pb graph = { 0 };
    onnx_node(&graph, "Relu", "x", "x", "a"); /* as the input */
    onnx_node(&graph, "Relu", "n", "a", "b");
    onnx_node(&graph, "Relu", "n", "b", "y");
    onnx_node(&graph, "Relu", "", "b", "c");
    onnx_node(&graph, "Relu", "n", "b", "c");
    pb model = finish(&graph);
    assert_refused(&model, GE_ERR_BAD_GRAPH, "value 'c' is written twice: by node 'Relu_3' and by node 'n_2'");
    onnx_node(&graph, "Relu", "x", "x", "a");
    onnx_node(&graph, "Relu", "n", "a", "b");
    onnx_node(&graph, "Relu", "n", "b", "y");
    onnx_node(&graph, "Relu", "", "b", "c");
    model = finish(&graph);
    onnx_read t;
    onnx_read_ok(&t, &model);
    (void)onnx_find(t.graph, "x_1");
    (void)onnx_find(t.graph, "n");
    (void)onnx_find(t.graph, "n_1");
    (void)onnx_find(t.graph, "Relu_3");
    onnx_read_deinit(&t);
}

static void files_of_other_kinds_are_told(void **state) {
    (void)state;
    refuse_bytes("\x1F\x8B\x08\0", 4, "not an ONNX model: it looks like gzip data; unpack it first");
    refuse_bytes("PK\x03\x04rest", 8, "a zip archive");
    refuse_bytes("version https://git-lfs.github.com/spec/v1\n", 43, "git lfs pull");
    refuse_bytes("<!DOCTYPE html><html>", 21, "an HTML page; a download may have failed");
    refuse_bytes("Hello, this is text.\n", 21, "it looks like text");
    refuse_bytes("{\"a\": 1}", 8, "a JSON file");
    refuse_bytes("IMOD\0\0\0\1", 8, "an offline model (.om)");
    refuse_bytes("\x0A\1g\x10\1\x1A\0", 7, "an .air model");
    refuse_bytes("\x0A\5\x0A\1n\x12\0\x22\0", 9, "a TensorFlow graph");
    refuse_bytes("\x08\1\x12\2\x0A\0", 6, "a TensorFlow saved model");
    refuse_bytes("\xFF\xFE\0\0", 4, "at byte 0 is no field of one (found 0xff)");
}

static void cycles_are_named(void **state) {
    (void)state;
    pb g = { 0 };
    onnx_node(&g, "Add", "a", "x,u", "t");
    onnx_node(&g, "Relu", "b", "t", "u");
    onnx_node(&g, "Relu", "c", "u", "y");
    refuse_nodes(&g, "a cycle: node 'a' writes 't' and depends on it, through 'b'");
    onnx_node(&g, "Add", "self", "x,y", "y");
    refuse_nodes(&g, "a cycle: node 'self' writes 'y' and depends on it, through 'self'");
}

static void names_are_text(void **state) {
    (void)state;
    pb g = { 0 };
    pb node = { 0 };
    pb_bytes(&node, ONNX_NODE_INPUT, "a\0b", 3);
    pb_text(&node, ONNX_NODE_TYPE, "Relu");
    pb_message(&g, ONNX_GRAPH_NODE, &node);
    pb model = finish(&g);
    assert_refused(&model, GE_ERR_MALFORMED, "a name with a zero byte at byte ");
    onnx_node(&g, "Relu", "caf\xE9", "x", "y");
    model = finish(&g);
    assert_refused(&model, GE_ERR_MALFORMED, "a name that is not UTF-8 at byte ");
    char *name = malloc(70001);
    memset(name, 'n', 70000);
    name[70000] = '\0';
    onnx_node(&g, "Relu", name, "x", "y");
    free(name);
    model = finish(&g);
    assert_refused(&model, GE_ERR_LIMIT, "a name of 70000 bytes at byte ");
}

/* ---- outputs that nobody reads, and the guess ---- */

static ge_status give_first_only(gei_import *im, gei_diag *diag) {
    gei_node *node;
    GEI_TRY(gei_import_node(im, "Identity", im->inputs, 1, &node, diag));
    gei_import_set_output(im, 0, gei_value_of(node, 0));
    return GE_OK;
}

static const gei_source *find_first_only(void *user, const char *domain, const char *type, int32_t opset, const gei_op **out_op) {
    static const gei_source source = { .framework = GEI_FROM_ONNX, .type = "Two", .since = 1, .map = give_first_only };
    (void)user, (void)domain, (void)opset;
    *out_op = gei_op_row("Identity", 8);
    return strcmp(type, "Two") == 0 ? &source : NULL;
}

static void an_output_need_not_exist_when_nobody_reads_it(void **state) {
    (void)state;
    for (int is_read = 0; is_read <= 1; is_read++) {
        pb graph = { 0 };
        onnx_node(&graph, "Two", "two", "x", "y,mask");
        if (is_read) onnx_node(&graph, "Relu", "r", "mask", "z");
        pb model = finish(&graph);
        onnx_read t;
        onnx_read_init(&t);
        t.options.find = find_first_only;
        onnx_read_run(&t, &model);
        if (!is_read) assert_ok(t.status, &t.diag);
        else assert_fails_with(t.status, &t.diag, "output 1 ('mask') is not supported");
        onnx_read_deinit(&t);
        pb_free(&model);
    }
}

static void the_guess_is_right(void **state) {
    (void)state;
    pb graph = { 0 };
    onnx_node(&graph, "Relu", "r", "x", "y");
    pb model = finish(&graph);
    assert_true(gei_onnx_is_model(model.data, model.size));
    assert_true(gei_onnx_is_model(model.data, 12)); /* the beginning is enough */
    pb_free(&model);
    assert_false(gei_onnx_is_model(NULL, 0));
    assert_false(gei_onnx_is_model((const uint8_t *)"graph \"x\" {", 11));
    assert_false(gei_onnx_is_model((const uint8_t *)"\x0A\x05model", 7)); /* field 1 is text: another proto */
    assert_false(gei_onnx_is_model((const uint8_t *)"IMOD\0\0\0\0\0\0\0\0", 12));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_come_in_any_order),
        cmocka_unit_test(nodes_without_names_get_one),
        cmocka_unit_test(names_used_twice_are_told_apart),
        cmocka_unit_test(values_keep_their_names),
        cmocka_unit_test(an_initializer_or_input_may_be_an_output),
        cmocka_unit_test(inputs_with_an_initializer_are_constants),
        cmocka_unit_test(overridable_inputs_stay_from_ir_version_4_on),
        cmocka_unit_test(a_default_must_fit_its_input),
        cmocka_unit_test(a_declared_type_must_be_that_of_the_initializer),
        cmocka_unit_test(dims_become_numbers_symbols_or_fresh_symbols),
        cmocka_unit_test(value_info_counts_where_no_rule_knows),
        cmocka_unit_test(bad_types_are_refused),
        cmocka_unit_test(values_that_are_no_tensors_have_types_of_their_own),
        cmocka_unit_test(kinds_of_values_that_do_not_exist_give_one_clear_error),
        cmocka_unit_test(types_nested_without_end_are_refused),
        cmocka_unit_test(an_output_of_another_type_than_declared_is_refused),
        cmocka_unit_test(metadata_comes_along),
        cmocka_unit_test(both_spellings_of_the_default_domain_are_one),
        cmocka_unit_test(versions_are_checked),
        cmocka_unit_test(newer_files_are_read_as_far_as_they_are_understood),
        cmocka_unit_test(all_problems_are_told_at_once),
        cmocka_unit_test(problems_say_where),
        cmocka_unit_test(the_callback_can_end_it),
        cmocka_unit_test(bad_structure_is_named),
        cmocka_unit_test(a_model_without_graph_or_outputs_is_refused),
        cmocka_unit_test(what_contradicts_is_told),
        cmocka_unit_test(attributes_that_an_operator_does_not_have_are_refused),
        cmocka_unit_test(nodes_are_called_one_way),
        cmocka_unit_test(files_of_other_kinds_are_told),
        cmocka_unit_test(cycles_are_named),
        cmocka_unit_test(names_are_text),
        cmocka_unit_test(an_output_need_not_exist_when_nobody_reads_it),
        cmocka_unit_test(the_guess_is_right),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
