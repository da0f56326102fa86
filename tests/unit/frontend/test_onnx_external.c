/* SPDX-License-Identifier: Apache-2.0 */
/* External data: where it may lie, where not, and who keeps the file. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit/frontend/onnx_check.h"

#define DATA_BYTES 40000

static char folder[512]; /* holds model/ with the data, and secret.bin beside it */
static uint8_t data[DATA_BYTES];

static const char *at(const char *name) {
    static char paths[4][800];
    static int turn;
    char *path = paths[turn++ & 3];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const void *bytes, size_t size) {
    assert_int_equal(gei_file_write(at(name), bytes, size, NULL), GE_OK);
}

static int set_up(void **state) {
    (void)state;
    const char *tmp = getenv("GE_TEST_TMP");
    snprintf(folder, sizeof folder, "%s/onnx_external_XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(folder)) return -1;
    for (size_t i = 0; i < sizeof data; i++) data[i] = (uint8_t)(i * 31 + i / 256);
    if (mkdir(at("model"), 0777) != 0 || mkdir(at("model/sub"), 0777) != 0) return -1;
    write_file("secret.bin", data, 16);
    write_file("model/w.bin", data, sizeof data);
    write_file("model/sub/w.bin", data, sizeof data);
    if (symlink("w.bin", at("model/link.bin")) != 0) return -1;
    if (symlink("../secret.bin", at("model/out.bin")) != 0) return -1;
    if (symlink("..", at("model/up")) != 0) return -1;
    if (symlink("/dev/zero", at("model/zero")) != 0) return -1;
    return mkfifo(at("model/pipe"), 0666);
}

static int tear_down(void **state) {
    (void)state;
    static const char *const names[] = { "model/pipe", "model/zero", "model/up",        "model/out.bin", "model/link.bin", "model/sub/w.bin",
                                         "model/w.bin", "secret.bin", "model/net.onnx", "model/odd.bin", "model/sub",      "model" };
    for (size_t i = 0; i < GEI_COUNT(names); i++) (void)remove(at(names[i]));
    return rmdir(folder);
}

/* Takes tensor. */
static pb model_of(pb *tensor) {
    pb graph = { 0 };
    pb_message(&graph, ONNX_GRAPH_INITIALIZER, tensor);
    onnx_output(&graph, "w", -1, NULL);
    return onnx_model(8, 17, &graph);
}

static void start(onnx_read *t) {
    onnx_read_init(t);
    t->options.directory = at("model");
}

static void reads(const char *dims, const char *location, const char *offset, const char *length, size_t from, size_t size) {
    for (int copy = 0; copy <= 1; copy++) {
        pb tensor = onnx_tensor_external("w", ONNX_U8, dims, location, offset, length), model = model_of(&tensor);
        onnx_read t;
        start(&t);
        t.options.copy = copy != 0;
        assert_ok(onnx_read_run(&t, &model), &t.diag);
        gei_tensor *w = gei_node_const(onnx_find(t.graph, "w"));
        assert_int_equal(w->size_bytes, size);
        if (size > 0) assert_memory_equal(w->data, data + from, size);
        assert_int_equal(w->owned, copy || size < 4096);
        onnx_read_deinit(&t);
        pb_free(&model);
    }
}

static void offset_and_length_have_defaults(void **state) {
    (void)state;
    reads("40000", "w.bin", NULL, NULL, 0, 40000);
    reads("100", "w.bin", NULL, NULL, 0, 100);
    reads("100", "w.bin", "39900", NULL, 39900, 100);
    reads("5000", "w.bin", "4096", "5000", 4096, 5000);
    reads("5000", "./sub//w.bin", "1", "5000", 1, 5000);
    reads("0", "w.bin", "40000", "0", 0, 0);
}

static void refuses(const char *dims, int elem, const char *location, size_t location_size, const char *offset, const char *length, const char *part) {
    for (int copy = 0; copy <= 1; copy++) {
        pb tensor = onnx_tensor_begin("w", elem, dims), entry = { 0 };
        pb_int(&tensor, ONNX_TENSOR_DATA_LOCATION, ONNX_LOCATION_EXTERNAL);
        if (location) {
            pb_text(&entry, ONNX_ENTRY_KEY, "location");
            pb_bytes(&entry, ONNX_ENTRY_VALUE, location, location_size);
            pb_message(&tensor, ONNX_TENSOR_EXTERNAL_DATA, &entry);
        }
        if (offset) onnx_entry(&tensor, ONNX_TENSOR_EXTERNAL_DATA, "offset", offset);
        if (length) onnx_entry(&tensor, ONNX_TENSOR_EXTERNAL_DATA, "length", length);
        pb model = model_of(&tensor);
        onnx_read t;
        start(&t);
        t.options.copy = copy != 0;
        onnx_read_run(&t, &model);
        if (!strstr(t.problems, part) || !strstr(t.problems, "initializer 'w'")) fail_msg("got %swanted \"%s\"", t.problems, part);
        assert_true(t.status == GE_ERR_EXTERNAL_DATA || t.status == GE_ERR_MALFORMED);
        onnx_read_deinit(&t);
        pb_free(&model);
    }
}

#define REFUSES(location, part) refuses("16", ONNX_U8, (location), sizeof(location) - 1, NULL, NULL, (part))

static void paths_out_of_the_folder_are_refused(void **state) {
    (void)state;
    REFUSES("../secret.bin", "external data '../secret.bin' leaves the model's folder");
    REFUSES("sub/../../secret.bin", "leaves the model's folder");
    REFUSES("sub/../w.bin", "leaves the model's folder");
    REFUSES("..", "leaves the model's folder");
    REFUSES("/etc/passwd", "is an absolute path");
    REFUSES("//server/share/w.bin", "is an absolute path");
    REFUSES("C:/w.bin", "names a drive");
    REFUSES("c:w.bin", "names a drive");
    REFUSES("C:\\w.bin", "holds a backslash");
    REFUSES("..\\secret.bin", "holds a backslash");
    REFUSES("\\\\server\\share", "holds a backslash");
    REFUSES("w.bin\0.txt", "holds a zero byte");
    REFUSES("", "names no file");
}

static void what_is_no_regular_file_is_refused(void **state) {
    (void)state;
    REFUSES("link.bin", "goes through a symbolic link");
    REFUSES("out.bin", "goes through a symbolic link");
    REFUSES("up/secret.bin", "goes through a symbolic link");
    REFUSES("zero", "goes through a symbolic link");
    REFUSES("pipe", "is no regular file"); /* opening it would wait for a writer */
    REFUSES("sub", "is a folder");
    REFUSES(".", "is a folder");
    REFUSES("sub/", "is a folder");
    REFUSES("w.bin/x", "goes through something that is no folder");
    REFUSES("nothing.bin", "cannot be opened: no such file or directory");
    char name[300];
    memset(name, 'n', sizeof name);
    refuses("16", ONNX_U8, name, sizeof name, NULL, NULL, "has too long a file name");
    static char path[5000];
    memset(path, 'n', sizeof path);
    refuses("16", ONNX_U8, path, sizeof path, NULL, NULL, "is too long a path");
}

static void links_are_followed_only_when_the_caller_says_so(void **state) {
    (void)state;
    pb tensor = onnx_tensor_external("w", ONNX_U8, "5000", "link.bin", NULL, NULL), model = model_of(&tensor);
    onnx_read t;
    start(&t);
    t.options.follows_links = true;
    assert_ok(onnx_read_run(&t, &model), &t.diag);
    assert_memory_equal(gei_node_const(onnx_find(t.graph, "w"))->data, data, 5000);
    onnx_read_deinit(&t);
    pb_free(&model);
    tensor = onnx_tensor_external("w", ONNX_U8, "16", "zero", NULL, NULL);
    model = model_of(&tensor);
    start(&t);
    t.options.follows_links = true;
    assert_fails_with(onnx_read_run(&t, &model), &t.diag, "is no regular file");
    onnx_read_deinit(&t);
    pb_free(&model);
}

static void ranges_are_checked(void **state) {
    (void)state;
    refuses("40001", ONNX_U8, "w.bin", 5, NULL, NULL, "has 40000 bytes, wanted 40001 from byte 0");
    refuses("16", ONNX_U8, "w.bin", 5, "39985", NULL, "has 40000 bytes, wanted 16 from byte 39985");
    refuses("16", ONNX_U8, "w.bin", 5, "9223372036854775807", NULL, "wanted 16 from byte 9223372036854775807");
    refuses("16", ONNX_U8, "w.bin", 5, "9223372036854775808", NULL, "offset of external data is '9223372036854775808'");
    refuses("16", ONNX_U8, "w.bin", 5, "-1", NULL, "offset of external data is '-1'");
    refuses("16", ONNX_U8, "w.bin", 5, "1x", NULL, "offset of external data is '1x'");
    refuses("16", ONNX_U8, "w.bin", 5, NULL, "", "length of external data is ''");
    refuses("16", ONNX_U8, "w.bin", 5, NULL, "15", "external data has 15 bytes, its shape needs 16");
    refuses("16", ONNX_U8, NULL, 0, NULL, NULL, "external data has no location");
    refuses("16", ONNX_STR, "w.bin", 5, NULL, NULL, "holds strings as external data");
    refuses("1099511627776", ONNX_F32, "w.bin", 5, NULL, NULL, "wanted 4398046511104 from byte 0");
}

static void data_inside_and_outside_is_refused(void **state) {
    (void)state;
    pb tensor = onnx_tensor_external("w", ONNX_U8, "4", "w.bin", NULL, NULL);
    pb_text(&tensor, ONNX_TENSOR_RAW_DATA, "abcd");
    pb model = model_of(&tensor);
    onnx_read t;
    start(&t);
    assert_fails_with(onnx_read_run(&t, &model), &t.diag, "has its data inside and outside of the model");
    onnx_read_deinit(&t);
    pb_free(&model);
}

static void from_memory_without_a_folder_it_is_refused(void **state) {
    (void)state;
    pb tensor = onnx_tensor_external("w", ONNX_U8, "16", "w.bin", NULL, NULL), model = model_of(&tensor);
    assert_refused(&model, GE_ERR_EXTERNAL_DATA, "initializer 'w': external data 'w.bin' is refused, no folder for it was given");
}

static void a_missing_folder_is_named(void **state) {
    (void)state;
    pb tensor = onnx_tensor_external("w", ONNX_U8, "16", "w.bin", NULL, NULL), model = model_of(&tensor);
    onnx_read t;
    start(&t);
    t.options.directory = at("nowhere");
    onnx_read_run(&t, &model);
    assert_int_equal(t.status, GE_ERR_FILE);
    assert_non_null(strstr(t.diag.message, "nowhere' cannot be opened"));
    onnx_read_deinit(&t);
    pb_free(&model);
}

static void tensors_share_one_mapping_that_outlives_the_reader(void **state) {
    (void)state;
    pb graph = { 0 };
    for (int i = 0; i < 8; i++) {
        char name[16], offset[16];
        snprintf(name, sizeof name, "w%d", i);
        snprintf(offset, sizeof offset, "%d", i * 4096);
        pb tensor = onnx_tensor_external(name, ONNX_F32, "1024", "w.bin", offset, NULL);
        pb_message(&graph, ONNX_GRAPH_INITIALIZER, &tensor);
        onnx_output(&graph, name, -1, NULL);
    }
    pb model = onnx_model(8, 17, &graph);
    onnx_read t;
    start(&t);
    assert_ok(onnx_read_run(&t, &model), &t.diag);
    gei_tensor *first = gei_node_const(onnx_find(t.graph, "w0")), *last = gei_node_const(onnx_find(t.graph, "w7"));
    assert_ptr_equal((char *)first->data + 7 * 4096, last->data);
    assert_ptr_equal(first->release_user, last->release_user);
    gei_tensor_retain(last);
    gei_graph_destroy(t.graph);
    t.graph = NULL;
    assert_memory_equal(last->data, data + 7 * 4096, 4096);
    gei_tensor_release(last);
    onnx_read_deinit(&t);
    pb_free(&model);
}

static void only_so_many_files_are_opened(void **state) {
    (void)state;
    gei_limits limits = gei_limits_default();
    limits.external_files = 1;
    pb graph = { 0 }, a = onnx_tensor_external("a", ONNX_U8, "4", "w.bin", NULL, NULL), b = onnx_tensor_external("b", ONNX_U8, "4", "w.bin", "4", NULL);
    pb c = onnx_tensor_external("c", ONNX_U8, "4", "sub/w.bin", NULL, NULL);
    pb_message(&graph, ONNX_GRAPH_INITIALIZER, &a);
    pb_message(&graph, ONNX_GRAPH_INITIALIZER, &b);
    pb_message(&graph, ONNX_GRAPH_INITIALIZER, &c);
    onnx_output(&graph, "a", -1, NULL);
    pb model = onnx_model(8, 17, &graph);
    onnx_read t;
    start(&t);
    t.options.limits = &limits;
    assert_fails_with(onnx_read_run(&t, &model), &t.diag, "initializer 'c': more than 1 files of external data");
    onnx_read_deinit(&t);
    pb_free(&model);
}

static void the_same_bytes_cannot_be_copied_without_end(void **state) {
    (void)state;
    pb graph = { 0 };
    for (int i = 0; i < 3000; i++) { /* unaligned, so that each is a copy */
        char name[16];
        snprintf(name, sizeof name, "w%d", i);
        pb tensor = onnx_tensor_external(name, ONNX_F32, "9999", "w.bin", "1", NULL);
        pb_message(&graph, ONNX_GRAPH_INITIALIZER, &tensor);
    }
    onnx_output(&graph, "w0", -1, NULL);
    pb model = onnx_model(8, 17, &graph);
    onnx_read t;
    start(&t);
    assert_fails_with(onnx_read_run(&t, &model), &t.diag, "asks for more memory than its size allows");
    assert_true(t.heap.peak_bytes < 200 << 20);
    onnx_read_deinit(&t);
    pb_free(&model);
}

/* ---- large files: holes take no disk ---- */

#define TWO_GIGABYTES (INT64_C(1) << 31)

static bool write_with_hole(const char *name, const void *head, size_t head_size, int64_t hole, const void *tail, size_t tail_size) {
    int fd = open(at(name), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) return false;
    bool is_written = pwrite(fd, head, head_size, 0) == (ssize_t)head_size &&
                      pwrite(fd, tail, tail_size, (off_t)((int64_t)head_size + hole)) == (ssize_t)tail_size;
    return close(fd) == 0 && is_written;
}

static void offsets_reach_past_two_gigabytes(void **state) {
    (void)state;
    if (!write_with_hole("model/large.bin", "", 0, TWO_GIGABYTES + 4096, data, 8192)) skip();
    for (int copy = 0; copy <= 1; copy++) {
        pb tensor = onnx_tensor_external("w", ONNX_U8, "8192", "large.bin", "2147487744", NULL), model = model_of(&tensor);
        onnx_read t;
        start(&t);
        t.options.copy = copy != 0;
        assert_ok(onnx_read_run(&t, &model), &t.diag);
        assert_memory_equal(gei_node_const(onnx_find(t.graph, "w"))->data, data, 8192);
        onnx_read_deinit(&t);
        pb_free(&model);
    }
    (void)remove(at("model/large.bin"));
}

static void models_may_be_larger_than_two_gigabytes(void **state) {
    (void)state;
    pb head = { 0 }, tensor = onnx_tensor_raw("w", ONNX_U8, "8192", data, 8192), model = model_of(&tensor);
    pb_tag(&head, 500, 2); /* a field nobody knows */
    pb_varint(&head, (uint64_t)TWO_GIGABYTES + 5);
    bool is_written = write_with_hole("model/large.onnx", head.data, head.size, TWO_GIGABYTES + 5, model.data, model.size);
    pb_free(&head);
    pb_free(&model);
    if (!is_written) skip();
    onnx_read t;
    onnx_read_init(&t);
    assert_ok(gei_onnx_read_file(at("model/large.onnx"), &t.options, &t.graph, &t.diag), &t.diag);
    gei_tensor *w = gei_node_const(onnx_find(t.graph, "w"));
    assert_false(w->owned);
    assert_memory_equal(w->data, data, 8192);
    onnx_read_deinit(&t);
    (void)remove(at("model/large.onnx"));
}

/* ---- files ---- */

static void files_are_read_with_their_own_folder(void **state) {
    (void)state;
    pb graph = { 0 }, tensor = onnx_tensor_external("w", ONNX_U8, "5000", "w.bin", NULL, NULL);
    static uint8_t inside[8192];
    pb_message(&graph, ONNX_GRAPH_INITIALIZER, &tensor);
    onnx_initializer(&graph, "v", ONNX_U8, "8192", inside, sizeof inside);
    onnx_output(&graph, "w", -1, NULL);
    onnx_output(&graph, "v", -1, NULL);
    pb model = onnx_model(8, 17, &graph);
    write_file("model/net.onnx", model.data, model.size);
    pb_free(&model);
    for (int copy = 0; copy <= 1; copy++) {
        onnx_read t;
        onnx_read_init(&t);
        t.options.copy = copy != 0;
        assert_ok(gei_onnx_read_file(at("model/net.onnx"), &t.options, &t.graph, &t.diag), &t.diag);
        assert_int_equal(gei_node_const(onnx_find(t.graph, "v"))->owned, copy);
        assert_memory_equal(gei_node_const(onnx_find(t.graph, "w"))->data, data, 5000);
        onnx_read_deinit(&t);
    }
    onnx_read t;
    onnx_read_init(&t);
    t.options.directory = at("model/sub");
    assert_ok(gei_onnx_read_file(at("model/net.onnx"), &t.options, &t.graph, &t.diag), &t.diag);
    onnx_read_deinit(&t);
}

static void a_path_without_a_folder_means_the_current_one(void **state) {
    (void)state;
    int before = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(before >= 0);
    assert_int_equal(chdir(at("model")), 0);
    onnx_read t;
    onnx_read_init(&t);
    ge_status status = gei_onnx_read_file("net.onnx", &t.options, &t.graph, &t.diag);
    assert_int_equal(fchdir(before), 0);
    close(before);
    assert_ok(status, &t.diag);
    onnx_read_deinit(&t);
}

static void files_that_cannot_be_read_are_named(void **state) {
    (void)state;
    onnx_read t;
    onnx_read_init(&t);
    assert_fails_with(gei_onnx_read_file(at("model/none.onnx"), &t.options, &t.graph, &t.diag), &t.diag, "none.onnx");
    assert_fails_with(gei_onnx_read_file(at("model"), &t.options, &t.graph, &t.diag), &t.diag, "directory");
    write_file("model/odd.bin", "", 0);
    assert_fails_with(gei_onnx_read_file(at("model/odd.bin"), &t.options, &t.graph, &t.diag), &t.diag, "not an ONNX model");
    onnx_read_deinit(&t);
}

static ge_status load_scenario(const gei_allocator *from, void *arg) {
    (void)arg;
    gei_onnx_options options = { .from = from };
    gei_graph *graph;
    ge_status status = gei_onnx_read_file(at("model/net.onnx"), &options, &graph, NULL);
    gei_graph_destroy(graph);
    return status;
}

static void each_allocation_may_fail(void **state) {
    (void)state;
    ge_test_each_allocation_fails(load_scenario, NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(offset_and_length_have_defaults),
        cmocka_unit_test(paths_out_of_the_folder_are_refused),
        cmocka_unit_test(what_is_no_regular_file_is_refused),
        cmocka_unit_test(links_are_followed_only_when_the_caller_says_so),
        cmocka_unit_test(ranges_are_checked),
        cmocka_unit_test(data_inside_and_outside_is_refused),
        cmocka_unit_test(from_memory_without_a_folder_it_is_refused),
        cmocka_unit_test(a_missing_folder_is_named),
        cmocka_unit_test(tensors_share_one_mapping_that_outlives_the_reader),
        cmocka_unit_test(only_so_many_files_are_opened),
        cmocka_unit_test(the_same_bytes_cannot_be_copied_without_end),
        cmocka_unit_test(offsets_reach_past_two_gigabytes),
        cmocka_unit_test(models_may_be_larger_than_two_gigabytes),
        cmocka_unit_test(files_are_read_with_their_own_folder),
        cmocka_unit_test(a_path_without_a_folder_means_the_current_one),
        cmocka_unit_test(files_that_cannot_be_read_are_named),
        cmocka_unit_test(each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
