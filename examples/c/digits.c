/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the digit classifier on held-out images and shows what it sees: a complete client of libge in C.
 *   cc digits.c -o digits $(pkg-config --cflags --libs ge-1)
 *   ./digits digits.onnx images.npy labels.npy */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ge_c_api.h"

#define SIDE 8
#define PIXELS (SIDE * SIDE)
#define CLASSES 10
#define SHOWN 8    /* images in the terminal */
#define PER_ROW 4

static void say(const char* label, const char* text) {
    if (text && text[0]) fprintf(stderr, "  %s: %s\n", label, text);
}

/* Ends the program with everything the library knows about the failure. */
static void must(ge_status status, const char* what) {
    if (status == GE_OK) return;
    ge_error* error;
    ge_error_info info;
    ge_error_take(&error);
    fprintf(stderr, "%s: %s [%s]\n", what, ge_error_get_message(error), ge_status_name(status));
    if (error && ge_error_get_info(error, &info, sizeof info) == GE_OK) {
        say("function", info.function_name);
        say("argument", info.argument);
        say("node", info.node);
        say("found", info.found);
        say("wanted", info.wanted);
    }
    ge_error_release(error);
    exit(1);
}

static void* fail(const char* path, const char* why) {
    fprintf(stderr, "%s: %s\n", path, why);
    exit(1);
}

/* The elements of a .npy file as this demo's training script writes them: format 1.0, C order, type and item size as given.
 * The caller frees them. */
static void* read_npy(const char* path, const char* type, size_t item_bytes, size_t* out_count) {
    unsigned char start[10];
    char header[1024] = "";
    FILE* file = fopen(path, "rb");
    if (!file) return fail(path, "cannot be opened");
    if (fread(start, 1, 10, file) != 10 || memcmp(start, "\x93NUMPY\x01", 7) != 0) return fail(path, "is no .npy file of format 1.0");
    size_t header_bytes = start[8] | (size_t)start[9] << 8;
    if (header_bytes >= sizeof header || fread(header, 1, header_bytes, file) != header_bytes) return fail(path, "has no header");
    if (!strstr(header, type) || !strstr(header, "'fortran_order': False")) return fail(path, "has another type or order");
    long from = ftell(file);
    if (from < 0 || fseek(file, 0, SEEK_END) != 0) return fail(path, "cannot be read");
    size_t size = (size_t)(ftell(file) - from);
    void* data = malloc(size + 1);
    if (!data || fseek(file, from, SEEK_SET) != 0 || fread(data, 1, size, file) != size) return fail(path, "cannot be read");
    fclose(file);
    *out_count = size / item_bytes;
    return data;
}

static ge_model* load(const char* path) {
    ge_graph* graph;
    ge_model* model;
    must(ge_graph_import_file(NULL, GE_FILE_AUTO, path, GE_NTS, NULL, &graph), path);
    must(ge_graph_compile(graph, NULL, &model), path);
    ge_graph_destroy(graph);
    return model;
}

/* Runs the model once on all images; `probabilities` holds CLASSES numbers an image. */
static void classify(const ge_model* model, float* images, int64_t count, float* probabilities) {
    int64_t dims[] = {count, 1, SIDE, SIDE};
    ge_tensor_desc desc = GE_TENSOR_DESC_INIT; /* float32 on the host */
    desc.rank = 4;
    desc.dims = dims;
    ge_memory memory = GE_MEMORY_INIT; /* the library reads the images where they are */
    memory.data = (uint8_t*)images;
    memory.data_size = (uint64_t)count * PIXELS * sizeof(float);

    ge_tensor *input_tensor, *output_tensor;
    ge_value *input, *output = NULL;
    must(ge_tensor_create_over(NULL, &desc, &memory, &input_tensor), "the images as a tensor");
    must(ge_value_create_from_tensor(input_tensor, &input), "the images as an input");
    const ge_value* inputs[] = {input};
    must(ge_model_run(model, NULL, inputs, 1, &output, 1), "running");

    const uint8_t* data;
    size_t size;
    must(ge_tensor_create_from_value(output, &output_tensor), "the output");
    must(ge_tensor_get_data(output_tensor, &data, &size), "the output");
    if (size != (size_t)count * CLASSES * sizeof(float)) fail("output", "has another size than ten numbers an image");
    memcpy(probabilities, data, size);
    ge_tensor_destroy(output_tensor);
    ge_value_destroy(output);
    ge_value_destroy(input);
    ge_tensor_destroy(input_tensor);
}

static int best_class(const float* probabilities) {
    int best = 0;
    for (int i = 1; i < CLASSES; i++) {
        if (probabilities[i] > probabilities[best]) best = i;
    }
    return best;
}

static const char* shade(float ink) {
    static const char* const shades[] = {"  ", "\u2591\u2591", "\u2592\u2592", "\u2593\u2593", "\u2588\u2588"};
    int level = (int)(ink * 4.0f + 0.5f);
    return shades[level < 0 ? 0 : level > 4 ? 4 : level];
}

/* Images side by side, below each what was seen, how surely, and the truth where that differs. */
static void show_row(const size_t* which, size_t n, const float* images, const float* probabilities, const int64_t* labels) {
    for (int y = 0; y < SIDE; y++) {
        for (size_t k = 0; k < n; k++) {
            for (int x = 0; x < SIDE; x++) fputs(shade(images[which[k] * PIXELS + (size_t)(y * SIDE + x)]), stdout);
            fputs(k + 1 < n ? "    " : "\n", stdout);
        }
    }
    for (size_t k = 0; k < n; k++) {
        const float* p = probabilities + which[k] * CLASSES;
        int seen = best_class(p), percent = (int)(p[seen] * 100.0f + 0.5f);
        char caption[64];
        if (seen == labels[which[k]]) {
            snprintf(caption, sizeof caption, "%d (%d %%)", seen, percent);
        } else {
            snprintf(caption, sizeof caption, "%d (%d %%), is %d", seen, percent, (int)labels[which[k]]);
        }
        printf(k + 1 < n ? "%-20s" : "%s\n\n", caption);
    }
}

/* The first images and, among them, some that are taken for another digit. */
static void show(size_t count, const float* images, const float* probabilities, const int64_t* labels) {
    size_t which[SHOWN], n = 0;
    for (size_t i = 0; i < count && n < SHOWN - 2; i++) which[n++] = i;
    for (size_t i = n; i < count && n < SHOWN; i++) {
        if (best_class(probabilities + i * CLASSES) != labels[i]) which[n++] = i;
    }
    for (size_t i = 0; i < n; i += PER_ROW) {
        show_row(which + i, n - i < PER_ROW ? n - i : PER_ROW, images, probabilities, labels);
    }
}

int main(int argc, char** argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: %s MODEL.onnx IMAGES.npy LABELS.npy\n", argv[0]);
        return 2;
    }
    size_t n_floats, count;
    float* images = read_npy(argv[2], "'<f4'", sizeof(float), &n_floats);
    int64_t* labels = read_npy(argv[3], "'<i8'", sizeof(int64_t), &count);
    if (count == 0 || n_floats != count * PIXELS) fail(argv[2], "does not hold one image per label");
    float* probabilities = calloc(count, CLASSES * sizeof(float));
    if (!probabilities) fail("digits", "out of memory");

    ge_model* model = load(argv[1]);
    classify(model, images, (int64_t)count, probabilities);
    ge_model_destroy(model);

    size_t n_correct = 0;
    for (size_t i = 0; i < count; i++) n_correct += best_class(probabilities + i * CLASSES) == labels[i];
    show(count, images, probabilities, labels);
    printf("%zu of %zu images recognised\n", n_correct, count);
    free(probabilities);
    free(labels);
    free(images);
    return 0;
}
