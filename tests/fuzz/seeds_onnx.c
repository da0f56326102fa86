/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the seeds of fuzz_onnx: cc -I impl -I abi -I tests tests/fuzz/seeds_onnx.c, linked like a fuzz target; argument: the folder,
 * tests/fuzz/seeds/onnx. */
#include <stdio.h>

#include "base/bytes.h"
#include "unit/frontend/onnx_sample.h"

/* Takes model. */
static int write_seed(const char *folder, const char *name, pb *model) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.onnx", folder, name);
    ge_status status = gei_file_write(path, model->data, model->size, NULL);
    pb_free(model);
    return status == GE_OK ? 0 : 1;
}

static pb one_of_each_attribute(void) {
    pb graph = { 0 }, node = onnx_node_begin("Any", "any", "x", "y"), value;
    static const uint32_t texts[] = { ONNX_ATTR_S, ONNX_ATTR_STRINGS };
    static const int kinds[] = { ONNX_KIND_STRING, ONNX_KIND_STRINGS };
    for (int i = 0; i < 2; i++) {
        pb attr = onnx_attr_begin(i ? "texts" : "text", kinds[i]);
        pb_text(&attr, texts[i], "words");
        pb_message(&node, ONNX_NODE_ATTRIBUTE, &attr);
    }
    pb attr = onnx_attr_begin("floats", ONNX_KIND_FLOATS);
    pb_bytes(&attr, ONNX_ATTR_FLOATS, "\0\0\x80\x3F", 4);
    pb_message(&node, ONNX_NODE_ATTRIBUTE, &attr);
    value = onnx_tensor_raw("", ONNX_I32, "1", "\1\0\0\0", 4);
    onnx_attr_message(&node, "tensors", ONNX_KIND_TENSORS, ONNX_ATTR_TENSORS, &value);
    value = onnx_tensor_type(ONNX_I64, "2");
    onnx_attr_message(&node, "type", ONNX_KIND_TYPE_PROTO, ONNX_ATTR_TP, &value);
    pb_message(&graph, ONNX_GRAPH_NODE, &node);
    onnx_input(&graph, "x", ONNX_F32, "n,3");
    onnx_output(&graph, "y", ONNX_F32, NULL);
    return onnx_model(13, 24, &graph);
}

static pb old_style(void) {
    pb graph = { 0 };
    onnx_input(&graph, "x", ONNX_F32, "1,3");
    onnx_input(&graph, "w", ONNX_F32, "3");
    onnx_initializer(&graph, "w", ONNX_F32, "3", "\0\0\x80\x3F\0\0\x80\x3F\0\0\x80\x3F", 12);
    onnx_node(&graph, "Add", "", "x,w", "y");
    onnx_node(&graph, "Dropout", "", "y", "z,mask");
    onnx_output(&graph, "z", ONNX_F32, "1,3");
    return onnx_model(3, 7, &graph);
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    pb sample = onnx_sample(false), attributes = one_of_each_attribute(), old = old_style();
    return write_seed(argv[1], "sample", &sample) + write_seed(argv[1], "attributes", &attributes) + write_seed(argv[1], "old_style", &old);
}
