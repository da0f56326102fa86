/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "unit/ge_test.h"

static char folder[300];
static char path[400];

static int enter_folder(void **state) {
    (void)state;
    const char *base = getenv("GE_TEST_TMP");
    snprintf(folder, sizeof folder, "%s/file.XXXXXX", base ? base : "/tmp");
    return mkdtemp(folder) ? 0 : -1;
}

static int leave_folder(void **state) {
    (void)state;
    return rmdir(folder); /* fails when a test left a temporary file */
}

static const char *in_folder(const char *name) {
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void written_file_reads_back(void **state) {
    (void)state;
    ge_test_heap heap;
    ge_test_heap_init(&heap);
    gei_diag diag;
    gei_diag_clear(&diag);
    char bytes[10000];
    for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (char)(i * 31);
    assert_ok(gei_file_write(in_folder("a"), bytes, sizeof bytes, &diag), &diag);
    for (int copy = 0; copy <= 1; copy++) {
        gei_file file;
        assert_ok(gei_file_open(&file, path, copy != 0, &heap.from, &diag), &diag);
        assert_int_equal(file.size, sizeof bytes);
        assert_memory_equal(file.data, bytes, sizeof bytes);
        assert_int_equal(file.mapped, !copy);
        assert_int_equal(atomic_load(&heap.live_count), copy);
        gei_file_close(&file);
        assert_null(file.data);
        gei_file_close(&file);
    }
    ge_test_heap_check(&heap);
    unlink(path);
}

static void empty_file_has_no_data(void **state) {
    (void)state;
    gei_diag diag;
    gei_diag_clear(&diag);
    gei_file file;
    assert_ok(gei_file_write(in_folder("empty"), NULL, 0, &diag), &diag);
    assert_ok(gei_file_open(&file, path, false, &gei_heap, &diag), &diag);
    assert_null(file.data);
    assert_int_equal(file.size, 0);
    gei_file_close(&file);
    unlink(path);
}

static void replaced_file_stays_readable_where_it_is_mapped(void **state) {
    (void)state;
    gei_diag diag;
    gei_diag_clear(&diag);
    gei_file file;
    assert_ok(gei_file_write(in_folder("r"), "old", 3, &diag), &diag);
    assert_int_equal(chmod(path, 0640), 0);
    assert_ok(gei_file_open(&file, path, false, &gei_heap, &diag), &diag);
    assert_ok(gei_file_write(path, "newer", 5, &diag), &diag);
    assert_memory_equal(file.data, "old", 3);
    gei_file_close(&file);
    assert_ok(gei_file_open(&file, path, false, &gei_heap, &diag), &diag);
    assert_memory_equal(file.data, "newer", 5);
    gei_file_close(&file);
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    unlink(path);
}

static void what_is_no_file_is_refused_by_name(void **state) {
    (void)state;
    gei_diag diag;
    gei_diag_clear(&diag);
    gei_file file;
    assert_fails_with(gei_file_open(&file, in_folder("none"), false, &gei_heap, &diag), &diag, "no such file or directory");
    assert_non_null(strstr(diag.message, path));
    assert_fails_with(gei_file_open(&file, folder, false, &gei_heap, &diag), &diag, "is a directory");
    assert_fails_with(gei_file_open(&file, "/dev/null", false, &gei_heap, &diag), &diag, "not a regular file");
    assert_fails_with(gei_file_open(&file, "", false, &gei_heap, &diag), &diag, "no such file");
    assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
    assert_fails_with(gei_file_open(&file, path, false, &gei_heap, &diag), &diag, "not a regular file"); /* does not wait */
    unlink(path);
    assert_null(file.data);
    gei_file_close(&file);
}

static void write_refuses_directories_devices_and_missing_folders(void **state) {
    (void)state;
    gei_diag diag;
    gei_diag_clear(&diag);
    assert_fails_with(gei_file_write(folder, "x", 1, &diag), &diag, "is a directory");
    assert_fails_with(gei_file_write("/dev/null", "x", 1, &diag), &diag, "not a regular file");
    assert_fails_with(gei_file_write(in_folder("no/such"), "x", 1, &diag), &diag, "no such file or directory");
    assert_fails_with(gei_file_write("", "x", 1, &diag), &diag, "cannot write ''");
    static char too_long[9000];
    memset(too_long, 'a', sizeof too_long - 1);
    assert_fails_with(gei_file_write(too_long, "x", 1, &diag), &diag, "aaa': name too long");
}

static void name_of_full_length_can_be_written(void **state) {
    (void)state;
    char name[256];
    memset(name, 'n', 255);
    name[255] = '\0';
    char long_path[700];
    snprintf(long_path, sizeof long_path, "%s/%s", folder, name);
    gei_diag diag;
    gei_diag_clear(&diag);
    assert_ok(gei_file_write(long_path, "x", 1, &diag), &diag);
    unlink(long_path);
}

static void failed_write_leaves_the_old_file_and_nothing_else(void **state) {
    (void)state;
    gei_diag diag;
    gei_diag_clear(&diag);
    assert_ok(gei_file_write(in_folder("keep"), "old", 3, &diag), &diag);
    /* A source that cannot be read makes write() fail. */
    assert_fails_with(gei_file_write(path, (const void *)(uintptr_t)1, 100, &diag), &diag, "cannot write");
    gei_file file;
    assert_ok(gei_file_open(&file, path, true, &gei_heap, &diag), &diag);
    assert_int_equal(file.size, 3);
    gei_file_close(&file);
    unlink(path);
}

static ge_status open_copy(const gei_allocator *from, void *arg) {
    gei_file file;
    ge_status status = gei_file_open(&file, arg, true, from, NULL);
    gei_file_close(&file);
    return status;
}

static void each_failing_allocation_is_reported(void **state) {
    (void)state;
    assert_int_equal(gei_file_write(in_folder("m"), "text", 4, NULL), GE_OK);
    ge_test_each_allocation_fails(open_copy, path);
    unlink(path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(written_file_reads_back),
        cmocka_unit_test(empty_file_has_no_data),
        cmocka_unit_test(replaced_file_stays_readable_where_it_is_mapped),
        cmocka_unit_test(what_is_no_file_is_refused_by_name),
        cmocka_unit_test(write_refuses_directories_devices_and_missing_folders),
        cmocka_unit_test(name_of_full_length_can_be_written),
        cmocka_unit_test(failed_write_leaves_the_old_file_and_nothing_else),
        cmocka_unit_test(each_failing_allocation_is_reported),
    };
    return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
