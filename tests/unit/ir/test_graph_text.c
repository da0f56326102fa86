/* SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdio.h>

#include "unit/ir/ir_test.h"

/* Parsing the text and printing the graph gives the text again. */
static void same(const char *text) {
    gei_graph *g = ir_parse(&gei_heap, text);
    ir_check_text(g, text);
    gei_graph_destroy(g);
}

/* Parsing `text` gives the graph that prints as `wanted`. */
static void reads_as(const char *text, const char *wanted) {
    gei_graph *g = ir_parse(&gei_heap, text);
    ir_check_text(g, wanted);
    gei_graph_destroy(g);
}

static void fails(const char *text, const char *part) {
    gei_diag diag = { 0 };
    gei_graph *g = NULL;
    assert_fails_with(gei_graph_parse(&gei_heap, text, strlen(text), ir_find, NULL, &g, &diag), &diag, part);
    assert_null(g);
    assert_non_null(strstr(diag.message, "line "));
}

static void the_example_of_the_header_round_trips(void **state) {
    (void)state;
    same("graph \"mlp\" {\n"
         "  %x = Data[index=0] : f32[batch,64]\n"
         "  %w = Const[value=f32[2,2]{1 2.5 -3 0.1}] : f32[2,2]\n"
         "  %h = Add(x1=%x, x2=%w) [transpose=true] : f32[batch,10]\n"
         "  %r = Relu(x=%h) after(%w) : f32[batch,10]\n"
         "  return %r as \"prob\"\n"
         "}\n");
}

static void ports_of_every_kind_round_trip(void **state) {
    (void)state;
    same("graph \"g\" {\n"
         "  %x = Data[index=0]\n"
         "  %s, %s:1, %s:2 = Split(x=%x)\n"
         "  %none = Split<0>(x=%s:2)\n"
         "  %two, %two:1, %two:2 = Two<2,1>(x=%s:1)\n"
         "  %empty = Two<0,0>(x=%x)\n"
         "  %p, %p:1 = Pair(x=%x)\n"
         "  %c = Concat(x=[%s, _, %two:2, %p:1]) [axis=1]\n"
         "  %d = Concat[axis=0]\n"
         "  %pick = Pick(mask=%x)\n"
         "  %end = Sink(x=%c)\n"
         "  return %c, _, %s:1\n"
         "}\n");
}

static void forward_references_are_read_and_sorted(void **state) {
    (void)state;
    reads_as("graph \"g\" {\n"
             "  return %r named %out from \"here\"\n"
             "  %r = Relu(x=%x) after(%p)\n"
             "  %p = Relu(x=%x)\n"
             "  %x = Data\n"
             "}\n",
             "graph \"g\" {\n"
             "  %x = Data\n"
             "  %p = Relu(x=%x)\n"
             "  %r = Relu(x=%x) after(%p)\n"
             "  return %r named %out from \"here\"\n"
             "}\n");
    same("graph \"g\" {\n  return ()\n  %x = Data[index=0]\n}\n");
    same("graph \"g\" {\n  %x = Data[index=0]\n  return () [a=1] after(%x) named %NetOutput_7\n}\n");
}

static void a_cycle_is_printed_by_index(void **state) {
    (void)state;
    same("graph \"g\" {\n  %b = Relu(x=%a)\n  %a = Relu(x=%b)\n}\n");
}

static void names_that_are_no_words_are_quoted(void **state) {
    (void)state;
    same("graph \"a \\\"b\\\"\" [\"two words\"=1, plain=2] metadata{author=\"me\", \"a b\"=\"\"} {\n"
         "  %/layer.1/conv-2 = Data[index=0] : f32[n,\"batch size\",\"3\"]\n"
         "  %\"a b:0\" = Relu(x=%/layer.1/conv-2)\n"
         "  %\"\xC3\xA4\\u00ff\" = Relu(x=%\"a b:0\")\n"
         "  return %\"\xC3\xA4\\u00ff\" as \"tensor \\\\ name\"\n"
         "}\n");
}

static void descriptions_round_trip(void **state) {
    (void)state;
    same("graph \"g\" {\n"
         "  %x = Data[index=0] : f32[1,?,s0]@0 \"x:0\" {origin=\"nchw\"}\n"
         "  %s, %s:1, %s:2, %s:3 = Split(x=%x) in(0: f16[]@29 {a=1, b=[]}) : ?, f32, ?[2,?], dtype(999)[]\n"
         "  %u = Relu(x=%s) : ? \"only a name\" from \"onnx node 'Relu_0'\"\n"
         "}\n");
}

static void attributes_of_every_kind_round_trip(void **state) {
    (void)state;
    same("graph \"g\" {\n"
         "  %m = Many[i=-9223372036854775808, f=1.0, b=true, s=\"a\\u0000\\n\", d=bf16, t=i64[2]{1 -2}, bytes=#00ff, "
         "ints=[1,2], floats=[1.0,-0.0,nan,inf,-inf,1e30], bools=[true,false], texts=[\"\",\"b\"], dtypes=[f32,dtype(77),undefined], "
         "ts=[f32[]{1},null], lists=[[],[1,2]], named={a=1, \"b c\"={c=[[1]]}, d={}}]\n"
         "  %e = Many[f=nan(7fa00001), s=\"\", d=undefined, t=null, bytes=#, ints=[], floats=floats[], bools=bools[], "
         "texts=strings[], dtypes=dtypes[], ts=tensors[], lists=lists[], named={}]\n"
         "  %private = Relu(x=%m) [_x=none, _y=1.5, _z=[nan(ffc00000),2.0], _w=[f64,bool], _v=[bool[1]{1}], "
         "_u=[[1.0,inf],floats[]], _t=[#00ff,#], _s=float_lists[], _r=bytes[]]\n"
         "}\n");
}

static void tensors_round_trip(void **state) {
    (void)state;
    same("graph \"g\" [a=f32[0,3]{}, b=str[2]{\"x y\" \"\"}, c=u64[2]{18446744073709551615 0}, d=i4[3]{-8 7 -1}, e=bool[2]{0 1}, "
         "f=f16[3]{65504 5.9604645e-8 nan}, g=bf16[2]{3.3895314e38 -0}, h=float8_e4m3fn[2]{448 -0.001953125}, i=c64[1]#0000803f00000040, "
         "j=f64[2]{0.1 5e-324}, k=f32[2]{3.4028235e38 inf}, l=f32[1]#0100c07f, m=bool[1]#02, n=hifloat8[2]#0102, o=u1[3]{1 0 1}, "
         "p=f32[1]@0{1}, q=float4_e2m1[3]{0.5 -6 3}, r=i4[1]#f7, s=i8[17]#0102030405060708090a0b0c0d0e0f1011, "
         "t=float8_e8m0[2]{2 1.7014118e38}] {\n}\n");
}

static void brief_text_leaves_out_long_payloads(void **state) {
    (void)state;
    const char *text = "graph \"g\" {\n  %c = Const[value=i8[17]#0102030405060708090a0b0c0d0e0f1011] from \"x\"\n}\n";
    gei_graph *g = ir_parse(&gei_heap, text);
    gei_sink sink;
    assert_string_equal(ir_text(g, true, &sink), "graph \"g\" {\n  %c = Const[value=i8[17]{...}]\n}\n");
    fails(sink.data, "left out");
    gei_sink_deinit(&sink);
    gei_graph_destroy(g);
}

static void subgraphs_round_trip(void **state) {
    (void)state;
    const char *text = "graph \"g\" {\n"
                       "  %c = Data[index=0]\n"
                       "  %x = Data[index=1]\n"
                       "  %if = If(cond=%c, input=[%x]) [a=1, then_branch=@t, else_branch=@\"e 1\"] : f32[2]\n"
                       "  %case = Case(cond=%c, input=[%x]) [branches=@b, branches=@a] : f32[2]\n"
                       "  return %if, %case\n"
                       "}\n"
                       "graph \"t\" {\n  %x = Data[index=0]\n  return %x\n}\n"
                       "graph \"b\" {\n  %x = Data[index=0] : f32[n]\n  return %x\n}\n"
                       "graph \"e 1\" {\n  %x = Data[index=0] : f32[n]\n  return %x\n}\n"
                       "graph \"a\" {\n  return ()\n}\n"
                       "graph \"detached\" {\n}\n";
    same(text);
    gei_graph *g = ir_parse(&gei_heap, text);
    gei_graph *b = gei_graph_find_subgraph(g, "b", 1);
    assert_string_equal(b->parent->name, "case");
    ir_check_text(b, "graph \"b\" {\n  %x = Data[index=0] : f32[n]\n  return %x\n}\n");
    gei_graph_destroy(g);
}

static void handwritten_text_is_brought_to_the_printed_form(void **state) {
    (void)state;
    reads_as("// a comment\ngraph \"g\"{%x=Data//index\n: float32[2] %a,%b=Pair(x=%x):DT_FLOAT16,?%c=Concat(x=%b)[axis=0]return %a,%c}",
             "graph \"g\" {\n"
             "  %x = Data : f32[2]\n"
             "  %a, %a:1 = Pair(x=%x) : f16, ?\n"
             "  %c = Concat(x=[%a:1]) [axis=0]\n"
             "  return %a, %c\n"
             "}\n");
}

static void ints_become_what_the_definition_wants(void **state) {
    (void)state;
    reads_as("graph \"g\" { %m = Many() [f=1, b=1, d=3, floats=[1,2], bools=[0,1], dtypes=[0,1], texts=[], lists=[]] "
             "%r = Relu() [_f=[1, 2.5]] }",
             "graph \"g\" {\n  %m = Many[f=1.0, b=true, d=i32, floats=[1.0,2.0], bools=[false,true], dtypes=[f32,f16], "
             "texts=strings[], lists=lists[]]\n  %r = Relu[_f=[1.0,2.5]]\n}\n");
}

static void faults_are_told_with_their_place(void **state) {
    (void)state;
    gei_diag diag = { 0 };
    gei_graph *g;
    const char *text = "graph \"g\" {\n  %x = Data\n  %y = Relu(z=%x)\n}\n";
    assert_fails_with(gei_graph_parse(&gei_heap, text, strlen(text), ir_find, NULL, &g, &diag), &diag, "line 3, column 13: Relu has no input 'z'");
    fails("", "wanted 'graph', found the end of the text");
    fails("graph \"g\" {", "end of the text");
    fails("graph \"g\" { %x = Data ] }", "found ']'");
    fails("graph g {}", "in quotes");
    fails("graph \"g\" {} x", "wanted 'graph', found 'x'");
    fails("graph \"g {}", "no closing quote");
    fails("graph \"a\\q\" {}", "unknown escape '\\q'");
    fails("graph \"a\\u0000\" {}", "zero byte");
    fails("graph \"g\" { %x = Nope }", "no operator is called 'Nope'");
    fails("graph \"g\" { %x = Data %x = Data }", "has a node 'x' already");
    fails("graph \"g\" { return () return () }", "NetOutput node");
    fails("graph \"g\" { %NetOutput = Data return %NetOutput }", "has a node 'NetOutput' already");
    fails("graph \"g\" { %r = Relu(x=%q) }", "no value '%q'");
    fails("graph \"g\" { %x = Data %r = Relu(x=%x:1) }", "has 1 outputs, wanted output 1");
    fails("graph \"g\" { %x = Data %r = Relu(x=%x, x=%x) }", "given twice");
    fails("graph \"g\" { %x = Data %r = Relu(x=[%x]) }", "wanted a value");
    fails("graph \"g\" { %x = Data[index=1, index=2] }", "given twice");
    fails("graph \"g\" { %x = Data[index=\"a\"] }", "is of kind string, wanted int");
    fails("graph \"g\" { %x = Data : f32, f32 }", "more types");
    fails("graph \"g\" { %x = Pair() : f32 }", "1 types are given");
    fails("graph \"g\" { %x = Data : f33 }", "wanted a data type, found 'f33'");
    fails("graph \"g\" { %x = Data : f32[1,1,1,1,1,1,1,1,1] }", "more than 8 dims");
    fails("graph \"g\" { %x = Data : f32[99999999999999999999] }", "above");
    fails("graph \"g\" { %x = Data : f32[-1] }", "wanted a name");
    fails("graph \"g\" { %a, %a:2 = Pair() }", "result 1 is written '%a:2'");
    fails("graph \"g\" { %a, %b = Relu() }", "1 outputs here, but 2 results");
    fails("graph \"g\" { %a, %b = Pair() %b = Data }", "defined twice");
    fails("graph \"g\" { %b = Data %a, %b = Pair() }", "defined twice");
    fails("graph \"g\" { %a = Two() }", "wanted their counts");
    fails("graph \"g\" { %a = Split<1000000>() }", "above");
    fails("graph \"g\" { %a = Split<60000>() }", "60000 outputs here, but 1 results");
    fails("graph \"g\" { %a = Split<1,1>() }", "wanted as many counts");
    fails("graph \"g\" { %a = Data after(%a) }", "after itself");
    fails("graph \"g\" { %b = Data %a = Data after(%b, %b) }", "given twice");
    fails("graph \"g\" { %a = Relu in(1: f32) }", "above 0");
    fails("graph \"g\" { %a = Relu in(0: f32, 0: f32) }", "described twice");
    fails("graph \"g\" { %a = Call()[f=@h] }", "no subgraph 'h'");
    fails("graph \"g\" { %a = Call()[g=@h] } graph \"h\" {}", "no subgraph port 'g'");
    fails("graph \"g\" { %a = Call()[f=@h, f=@h] } graph \"h\" {}", "hangs on node 'a' already");
    fails("graph \"g\" { } graph \"h\" { %a = Call()[f=@h] }", "nested in itself");
    fails("graph \"g\" {} graph \"h\" {} graph \"h\" {}", "has a subgraph 'h' already");
}

static void faulty_values_are_refused(void **state) {
    (void)state;
    fails("graph \"g\" [a=99999999999999999999] {}", "does not fit 64 bits");
    fails("graph \"g\" [a=] {}", "attribute value");
    fails("graph \"g\" [a=[1,\"b\"]] {}", "element 1 of the list is of kind string");
    fails("graph \"g\" [a=[[[1]]]] {}", "no lists of kind int lists");
    fails("graph \"g\" [a=#123] {}", "no whole bytes");
    fails("graph \"g\" [a=nan(3f800000)] {}", "not the bits of a nan");
    fails("graph \"g\" [a=f32[2]{1}] {}", "1 elements, its shape wants 2");
    fails("graph \"g\" [a=f32[2]{1 2 3}] {}", "behind the last element");
    fails("graph \"g\" [a=f32[2]#00] {}", "2 hex digits, the shape wants 8 bytes");
    fails("graph \"g\" [a=f32[1000000000000]{1}] {}", "fewer elements");
    fails("graph \"g\" [a=str[1000000000000]{\"\"}] {}", "fewer elements");
    fails("graph \"g\" [a=f32[4611686018427387904,4611686018427387904]{1}] {}", "does not fit 64 bits");
    fails("graph \"g\" [a=f32[n]{1}] {}", "must be numbers");
    fails("graph \"g\" [a=i8[1]{128}] {}", "128 does not fit int8");
    fails("graph \"g\" [a=u8[1]{-1}] {}", "-1 does not fit uint8");
    fails("graph \"g\" [a=u64[1]{18446744073709551616}] {}", "does not fit uint64");
    fails("graph \"g\" [a=c64[1]{1}] {}", "written as #hex");
    fails("graph \"g\" [a=resource[1]#00] {}", "no fixed element size");
}

/* ---- size and depth ---- */

static char *repeat(const char *head, const char *piece, size_t n, const char *tail) {
    size_t piece_size = strlen(piece);
    char *text = malloc(strlen(head) + n * piece_size + strlen(tail) + 1);
    assert_non_null(text);
    char *at = text + sprintf(text, "%s", head);
    for (size_t i = 0; i < n; i++, at += piece_size) memcpy(at, piece, piece_size);
    strcpy(at, tail);
    return text;
}

static void *parse_deep_values(void *arg) {
    (void)arg;
    char *lists = repeat("graph \"g\" [a=", "[", 100000, "");
    fails(lists, "nested deeper");
    free(lists);
    char *named = repeat("graph \"g\" [a=", "{a=", 100000, "");
    fails(named, "nested deeper");
    free(named);
    char *at_limit = repeat("graph \"g\" [a=", "{a=", GEI_ATTR_MAX_DEPTH, "1");
    char *closed = repeat(at_limit, "}", GEI_ATTR_MAX_DEPTH, "] {\n}\n");
    same(closed);
    free(at_limit);
    free(closed);
    char *above = repeat("graph \"g\" [a=", "{a=", GEI_ATTR_MAX_DEPTH + 1, "1");
    closed = repeat(above, "}", GEI_ATTR_MAX_DEPTH + 1, "] {\n}\n");
    fails(closed, "nested deeper");
    free(above);
    free(closed);
    return NULL;
}

static gei_graph *nested_graphs(size_t depth) {
    gei_sink sink;
    gei_sink_init(&sink, &gei_heap);
    gei_sink_text(&sink, "graph \"g\" {\n  %a = Call[f=@s0]\n}\n");
    for (size_t i = 0; i + 1 < depth; i++) gei_sink_format(&sink, "graph \"s%zu\" {\n  %%a = Call[f=@s%zu]\n}\n", i, i + 1);
    gei_sink_format(&sink, "graph \"s%zu\" {\n}\n", depth - 1);
    gei_graph *g = ir_parse(&gei_heap, sink.data);
    gei_sink_deinit(&sink);
    return g;
}

static void *nest_ten_thousand(void *arg) {
    (void)arg;
    gei_diag diag = { 0 };
    gei_graph *g = nested_graphs(10000), *copy = NULL;
    assert_ok(gei_graph_check(g, &diag), &diag);
    assert_ok(gei_graph_clone(g, &copy, &diag), &diag);
    assert_int_equal(copy->subgraphs.count, 10000);
    gei_graph_remove_node(copy->nodes.items[0]);
    assert_int_equal(copy->subgraphs.count, 0);
    gei_graph_destroy(copy);
    gei_sink sink;
    (void)ir_text(g, false, &sink);
    gei_sink_deinit(&sink);
    gei_graph_destroy(g);
    return NULL;
}

static void on_small_stack(void *(*fn)(void *)) {
    pthread_attr_t attr;
    pthread_t thread;
    assert_int_equal(pthread_attr_init(&attr), 0);
#if GE_TEST_ASAN
    assert_int_equal(pthread_attr_setstacksize(&attr, 512 << 10), 0); /* frames are padded there */
#else
    assert_int_equal(pthread_attr_setstacksize(&attr, 64 << 10), 0);
#endif
    assert_int_equal(pthread_create(&thread, &attr, fn, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attr);
}

static void deep_values_are_refused_on_a_small_stack(void **state) {
    (void)state;
    on_small_stack(parse_deep_values);
}

static void deep_nesting_works_on_a_small_stack(void **state) {
    (void)state;
    on_small_stack(nest_ten_thousand);
}

static void long_texts_are_read_in_linear_time(void **state) {
    (void)state;
    char *list = repeat("graph \"g\" [a=[", "1,", 300000, "1]] {\n}\n");
    same(list);
    free(list);
    char *after = repeat("graph \"g\" { %b = Data %a = Concat(x=[", "%b,", 300000, "%b]) [axis=0] after(%b) }");
    gei_graph *g = ir_parse(&gei_heap, after);
    assert_int_equal(gei_value_use_count(gei_value_of(g->nodes.items[0], 0)), 300001);
    gei_graph_destroy(g);
    free(after);
}

/* ---- hostile: every cut and every changed byte of a text with everything in it ends in a graph or an error ---- */

static const char everything[] =
    "graph \"g\" [a=f32[2]{1 nan}, b=str[2]{\"x\" \"\"}] metadata{k=\"v\"} {\n"
    "  %x = Data[index=0] : f32[n,2]@0 \"x:0\" {o=1}\n"
    "  %s, %s:1 = Split(x=%x) in(0: f16[] {a=[1,2]}) : ?, f32 from \"o\"\n"
    "  %p, %q = Pair(x=%s)\n"
    "  %two, %two:1 = Two<1,1>(x=%s:1)\n"
    "  %c = Concat(x=[%s, _, %q]) [axis=1, _l=[[1],[]], _b=#0aff, _n={a=1.5}] after(%x, %p)\n"
    "  %i = If(cond=%x, input=[%c]) [then_branch=@t, else_branch=@e]\n"
    "  return %i as \"out\", %c named %o\n"
    "}\n"
    "graph \"t\" {\n  %x = Data\n  return %x\n}\n"
    "graph \"e\" {\n  %x = Data\n  return ()\n}\n";

static void try_text(const char *text, size_t size) {
    gei_diag diag = { 0 };
    gei_graph *g = NULL;
    ge_status st = gei_graph_parse(&gei_heap, text, size, ir_find, NULL, &g, &diag);
    if (st != GE_OK) {
        assert_null(g);
        assert_true(diag.message[0] != 0);
        return;
    }
    gei_sink first, second;
    gei_sink_init(&second, &gei_heap);
    (void)ir_text(g, false, &first);
    gei_graph *again = NULL;
    assert_ok(gei_graph_parse(&gei_heap, first.data, first.size, ir_find, NULL, &again, &diag), &diag);
    assert_ok(gei_graph_print(again, false, &second, &diag), &diag);
    assert_string_equal(first.data, second.data);
    gei_graph_destroy(again);
    gei_graph_destroy(g);
    gei_sink_deinit(&first);
    gei_sink_deinit(&second);
}

static void any_cut_gives_a_graph_or_an_error(void **state) {
    (void)state;
    for (size_t size = 0; size < sizeof everything; size++) {
        char *exact = malloc(size + 1); /* a read past the end shows */
        memcpy(exact, everything, size);
        try_text(exact, size);
        free(exact);
    }
}

static void any_changed_byte_gives_a_graph_or_an_error(void **state) {
    (void)state;
    static const char bytes[] = "\"%@{}[]()<>=:,#0_a\n/\\\xff";
    char text[sizeof everything];
    for (size_t at = 0; at + 1 < sizeof everything; at++) {
        for (size_t b = 0; b < sizeof bytes; b++) {
            memcpy(text, everything, sizeof text);
            text[at] = bytes[b];
            try_text(text, sizeof text - 1);
        }
    }
}

static ge_status parse_print_check(const gei_allocator *from, void *arg) {
    (void)arg;
    gei_diag diag = { 0 };
    gei_graph *g = NULL;
    gei_sink sink;
    gei_sink_init(&sink, from);
    ge_status st = gei_graph_parse(from, everything, sizeof everything - 1, ir_find, NULL, &g, &diag);
    if (st == GE_OK) st = gei_graph_print(g, false, &sink, &diag);
    gei_sink_deinit(&sink);
    gei_graph_destroy(g);
    return st;
}

static void each_failed_allocation_gives_an_error_and_no_leak(void **state) {
    (void)state;
    ge_test_each_allocation_fails(parse_print_check, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_of_the_header_round_trips),
        cmocka_unit_test(ports_of_every_kind_round_trip),
        cmocka_unit_test(forward_references_are_read_and_sorted),
        cmocka_unit_test(a_cycle_is_printed_by_index),
        cmocka_unit_test(names_that_are_no_words_are_quoted),
        cmocka_unit_test(descriptions_round_trip),
        cmocka_unit_test(attributes_of_every_kind_round_trip),
        cmocka_unit_test(tensors_round_trip),
        cmocka_unit_test(brief_text_leaves_out_long_payloads),
        cmocka_unit_test(subgraphs_round_trip),
        cmocka_unit_test(handwritten_text_is_brought_to_the_printed_form),
        cmocka_unit_test(ints_become_what_the_definition_wants),
        cmocka_unit_test(faults_are_told_with_their_place),
        cmocka_unit_test(faulty_values_are_refused),
        cmocka_unit_test(deep_values_are_refused_on_a_small_stack),
        cmocka_unit_test(deep_nesting_works_on_a_small_stack),
        cmocka_unit_test(long_texts_are_read_in_linear_time),
        cmocka_unit_test(any_cut_gives_a_graph_or_an_error),
        cmocka_unit_test(any_changed_byte_gives_a_graph_or_an_error),
        cmocka_unit_test(each_failed_allocation_gives_an_error_and_no_leak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
