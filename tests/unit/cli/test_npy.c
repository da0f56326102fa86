/* SPDX-License-Identifier: Apache-2.0 */
/* .npy: files of data/ come from NumPy itself (make_npy.py); hostile ones are written here. */
#include "unit/ge_test.h"

#include <stdio.h>
#include <unistd.h>

#include "cli/npy.h"
#include "cli/npy_header.h"

static char why[NPY_WHY_BYTES];

static int read_data(const char *name, ge_dtype raw_as, npy_array *out) {
    char path[256];
    snprintf(path, sizeof path, "unit/cli/data/%s.npy", name);
    return npy_read_file(path, raw_as, out, why);
}

static void read_good(const char *name, npy_array *out) {
    if (read_data(name, GE_DTYPE_UNDEFINED, out) != 0) fail_msg("%s: %s", name, why);
}

/* The i-th number of a ramp, in the bytes of its type. */
static void put_ramp(ge_dtype dtype, uint64_t i, uint8_t *to) {
    static const uint16_t halves[] = { 0, 0x3C00, 0x4000, 0x4200, 0x4400, 0x4500 };
    static const uint8_t e5m2[] = { 0, 0x3C, 0x40, 0x42, 0x44, 0x45 }, e4m3[] = { 0, 0x38, 0x40, 0x44, 0x48, 0x4A };
    float f = (float)i, complex64[2] = { (float)i, 0 };
    double d = (double)i, complex128[2] = { (double)i, 0 };
    switch (dtype) {
        case GE_DTYPE_FLOAT32: memcpy(to, &f, 4); break;
        case GE_DTYPE_FLOAT64: memcpy(to, &d, 8); break;
        case GE_DTYPE_COMPLEX64: memcpy(to, complex64, 8); break;
        case GE_DTYPE_COMPLEX128: memcpy(to, complex128, 16); break;
        case GE_DTYPE_FLOAT16: memcpy(to, &halves[i], 2); break;
        case GE_DTYPE_BFLOAT16: memcpy(to, (const uint8_t *)&f + 2, 2); break;
        case GE_DTYPE_FLOAT8_E5M2: *to = e5m2[i]; break;
        case GE_DTYPE_FLOAT8_E4M3FN: *to = e4m3[i]; break;
        case GE_DTYPE_BOOL: *to = i != 0; break;
        default: memcpy(to, &i, ge_dtype_get_bits(dtype) / 8); break;
    }
}

static void check_ramp(const char *name, const npy_array *a, ge_dtype dtype) {
    size_t item = ge_dtype_get_bits(dtype) / 8;
    uint8_t wanted[16];
    assert_int_equal(a->dtype, dtype);
    assert_int_equal(a->size_bytes, a->n_elems * item);
    for (uint64_t i = 0; i < a->n_elems; i++) {
        put_ramp(dtype, i, wanted);
        if (memcmp(wanted, a->data + i * item, item) != 0) fail_msg("%s: element %llu differs", name, (unsigned long long)i);
    }
}

static void every_dtype_of_numpy_is_read(void **state) {
    static const struct {
        const char *name;
        ge_dtype dtype;
    } rows[] = {
        { "bool", GE_DTYPE_BOOL },       { "int8", GE_DTYPE_INT8 },       { "int16", GE_DTYPE_INT16 },
        { "int32", GE_DTYPE_INT32 },     { "int64", GE_DTYPE_INT64 },     { "uint8", GE_DTYPE_UINT8 },
        { "uint16", GE_DTYPE_UINT16 },   { "uint32", GE_DTYPE_UINT32 },   { "uint64", GE_DTYPE_UINT64 },
        { "float16", GE_DTYPE_FLOAT16 }, { "float32", GE_DTYPE_FLOAT32 }, { "float64", GE_DTYPE_FLOAT64 },
        { "complex64", GE_DTYPE_COMPLEX64 }, { "complex128", GE_DTYPE_COMPLEX128 }, { "bfloat16", GE_DTYPE_BFLOAT16 },
        { "float8_e5m2", GE_DTYPE_FLOAT8_E5M2 }, { "big_int16", GE_DTYPE_INT16 }, { "big_int32", GE_DTYPE_INT32 },
        { "big_float64", GE_DTYPE_FLOAT64 }, { "big_complex64", GE_DTYPE_COMPLEX64 }, { "version_2", GE_DTYPE_FLOAT32 },
        { "version_3", GE_DTYPE_FLOAT32 },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        npy_array a;
        read_good(rows[i].name, &a);
        assert_int_equal(a.rank, 2);
        assert_int_equal(a.dims[0], 2);
        assert_int_equal(a.dims[1], 3);
        check_ramp(rows[i].name, &a, rows[i].dtype);
        npy_deinit(&a);
    }
}

static void fortran_order_is_turned(void **state) {
    npy_array a;
    (void)state;
    read_good("fortran_f4", &a);
    assert_int_equal(a.dims[2], 4);
    check_ramp("fortran_f4", &a, GE_DTYPE_FLOAT32);
    npy_deinit(&a);
    read_good("fortran_big_i2", &a);
    check_ramp("fortran_big_i2", &a, GE_DTYPE_INT16);
    npy_deinit(&a);
}

static void shapes_of_all_ranks_are_read(void **state) {
    npy_array a;
    double seven = 7;
    (void)state;
    read_good("scalar", &a);
    assert_int_equal(a.rank, 0);
    assert_memory_equal(a.data, &seven, 8);
    npy_deinit(&a);
    read_good("vector", &a);
    assert_int_equal(a.rank, 1);
    assert_int_equal(a.dims[0], 5);
    npy_deinit(&a);
    read_good("empty", &a);
    assert_int_equal(a.n_elems, 0);
    assert_int_equal(a.dims[1], 3);
    npy_deinit(&a);
    read_good("rank_8", &a);
    assert_int_equal(a.rank, 8);
    npy_deinit(&a);
    assert_int_equal(read_data("rank_9", GE_DTYPE_UNDEFINED, &a), -1);
    assert_non_null(strstr(why, "more than 8 dimensions"));
}

static void raw_elements_take_the_type_asked_for(void **state) {
    npy_array a;
    (void)state;
    assert_int_equal(read_data("float8_e4m3fn", GE_DTYPE_FLOAT8_E4M3FN, &a), 0);
    check_ramp("float8_e4m3fn", &a, GE_DTYPE_FLOAT8_E4M3FN);
    npy_deinit(&a);
    assert_int_equal(read_data("float8_e4m3fn", GE_DTYPE_UNDEFINED, &a), -1);
    assert_non_null(strstr(why, "raw elements of 1 bytes"));
    assert_int_equal(read_data("bfloat16", GE_DTYPE_FLOAT32, &a), 0);
    assert_int_equal(a.dtype, GE_DTYPE_BFLOAT16);
    npy_deinit(&a);
}

static void check_string(const npy_array *a, uint64_t i, const char *wanted, size_t size) {
    assert_int_equal(a->offsets[i + 1] - a->offsets[i], size);
    assert_memory_equal(a->data + a->offsets[i], wanted, size);
}

static void text_becomes_utf8(void **state) {
    static const char *const wanted[] = { "a", "", "Gr\xC3\xBC\xC3\x9F\x65", "\xE6\x97\xA5\xE6\x9C\xAC", "\xF0\x9F\x98\x80" };
    npy_array a;
    (void)state;
    read_good("text", &a);
    assert_int_equal(a.dtype, GE_DTYPE_STRING);
    assert_int_equal(a.n_elems, 5);
    for (uint64_t i = 0; i < 5; i++) check_string(&a, i, wanted[i], strlen(wanted[i]));
    npy_deinit(&a);
    read_good("big_text", &a);
    check_string(&a, 1, wanted[2], strlen(wanted[2]));
    npy_deinit(&a);
    read_good("bytes", &a);
    check_string(&a, 0, "ab", 2);
    check_string(&a, 2, "\xFF\0x", 3);
    npy_deinit(&a);
}

static void what_has_no_dtype_here_is_refused_by_name(void **state) {
    static const char *const rows[][2] = {
        { "objects", "pickled Python objects" }, { "dates", "dates or times" }, { "structures", "structures" },
        { "long_double", "f16" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        npy_array a;
        assert_int_equal(read_data(rows[i][0], GE_DTYPE_UNDEFINED, &a), -1);
        if (!strstr(why, rows[i][1])) fail_msg("%s: %s", rows[i][0], why);
        assert_null(a.owner);
    }
    npy_array a;
    assert_int_equal(read_data("not_there", GE_DTYPE_UNDEFINED, &a), -1);
    assert_non_null(strstr(why, "cannot be opened"));
    assert_int_equal(npy_read_file("unit", GE_DTYPE_UNDEFINED, &a, why), -1);
}

/* ---- headers written here ------------------------------------------------------------------------------------------ */

/* A version 1.0 file with this header and `n_data` zero bytes. */
static size_t make_file(uint8_t *to, const char *header, size_t n_data) {
    size_t n = strlen(header);
    memcpy(to, "\x93NUMPY\x01\x00", 8);
    to[8] = (uint8_t)(n & 255);
    to[9] = (uint8_t)(n >> 8);
    memcpy(to + 10, header, n);
    memset(to + 10 + n, 0, n_data);
    return 10 + n + n_data;
}

static int read_made(const char *header, size_t n_data, npy_array *out) {
    static uint8_t file[4096];
    size_t size = make_file(file, header, n_data);
    return npy_read_memory(file, size, GE_DTYPE_UNDEFINED, out, why);
}

static void loose_spelling_is_read(void **state) {
    static const char *const headers[] = {
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }",
        "{\"shape\":(2,),\"descr\":\"<f4\",\"fortran_order\":False}\n",
        "{ 'fortran_order' : True , 'shape' : ( 2L , ) , 'descr' : '<f4' , } \t\n",
        "{'descr': '=f4', 'fortran_order': False, 'shape': (1, 2)}",
    };
    (void)state;
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        npy_array a;
        if (read_made(headers[i], 8, &a) != 0) fail_msg("%s: %s", headers[i], why);
        assert_int_equal(a.n_elems, 2);
        assert_int_equal((uintptr_t)a.data % 8, 0);
        npy_deinit(&a);
    }
}

static void hostile_headers_are_refused(void **state) {
    static const struct {
        const char *header;
        size_t n_data;
        const char *part;
    } rows[] = {
        { "", 0, "no dictionary" },
        { "{", 0, "no dictionary" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), ", 8, "no dictionary" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (2,", 8, "no whole number" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (2", 8, "does not end" },
        { "{'descr': '<f4', 'fortran_order': False}", 8, "lacks 'shape'" },
        { "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': ()}", 4, "twice" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (), 'x': 1}", 4, "key other than" },
        { "{'descr': '<f4', 'fortran_order': 1, 'shape': ()}", 4, "neither True nor False" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': 3}", 4, "no tuple" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", 4, "no whole number" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (1.5,)}", 4, "does not end" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", 4, "no whole number" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807,9223372036854775807)}", 4, "too many" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904,4)}", 4, "too many" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387905,)}", 4, "ends early" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", 7, "ends early" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", 9, "1 bytes follow" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': ()} x", 4, "behind its dictionary" },
        { "{'descr': '<f3', 'fortran_order': False, 'shape': ()}", 3, "no counterpart" },
        { "{'descr': '|V0', 'fortran_order': False, 'shape': ()}", 0, "raw elements of 0 bytes" },
        { "{'descr': 'f4', 'fortran_order': False, 'shape': ()}", 4, "unknown data type" },
        { "{'descr': '<f', 'fortran_order': False, 'shape': ()}", 4, "unknown data type" },
        { "{'descr': '<U18446744073709551615', 'fortran_order': False, 'shape': ()}", 4, "unknown data type" },
        { "{'descr': '<U0', 'fortran_order': False, 'shape': (9999999999,)}", 0, "too many" },
        { "{'descr': '\x1b[31m', 'fortran_order': False, 'shape': ()}", 0, "'\\x1b[31m'" },
        { "{'descr': 3, 'fortran_order': False, 'shape': ()}", 0, "no string" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        npy_array a;
        if (read_made(rows[i].header, rows[i].n_data, &a) == 0) fail_msg("accepted: %s", rows[i].header);
        if (!strstr(why, rows[i].part)) fail_msg("%s: '%s', wanted '%s'", rows[i].header, why, rows[i].part);
        assert_null(a.owner);
        assert_null(a.offsets);
    }
}

static void a_zero_dim_beside_a_huge_one_is_empty(void **state) {
    npy_array a;
    (void)state;
    assert_int_equal(read_made("{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 9223372036854775807, 0)}", 0, &a), 0);
    assert_int_equal(a.n_elems, 0);
    npy_deinit(&a);
}

static void every_truncation_is_refused(void **state) {
    FILE *file = fopen("unit/cli/data/fortran_f4.npy", "rb");
    uint8_t bytes[1024];
    (void)state;
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    for (size_t n = 0; n < size; n++) {
        npy_array a;
        why[0] = 0;
        assert_int_equal(npy_read_memory(bytes, n, GE_DTYPE_UNDEFINED, &a, why), -1);
        assert_true(why[0] != 0);
    }
    bytes[6] = 4;
    npy_array a;
    assert_int_equal(npy_read_memory(bytes, size, GE_DTYPE_UNDEFINED, &a, why), -1);
    assert_non_null(strstr(why, "format is 4.0"));
}

static void text_that_is_no_unicode_is_refused(void **state) {
    uint8_t file[256];
    npy_array a;
    (void)state;
    size_t size = make_file(file, "{'descr': '<U1', 'fortran_order': False, 'shape': (1,)}", 4);
    file[size - 3] = 0xD8; /* U+D800 */
    assert_int_equal(npy_read_memory(file, size, GE_DTYPE_UNDEFINED, &a, why), -1);
    assert_non_null(strstr(why, "no valid Unicode"));
    assert_null(a.offsets);
}

/* ---- writing ------------------------------------------------------------------------------------------------------- */

static void same_array(const npy_array *a, const npy_array *b) {
    assert_int_equal(a->dtype, b->dtype);
    assert_int_equal(a->rank, b->rank);
    assert_memory_equal(a->dims, b->dims, sizeof a->dims);
    assert_int_equal(a->size_bytes, b->size_bytes);
    assert_memory_equal(a->data, b->data, a->size_bytes);
    if (a->dtype == GE_DTYPE_STRING) assert_memory_equal(a->offsets, b->offsets, (a->n_elems + 1) * 8);
}

static void what_was_written_reads_back(void **state) {
    static const char *const names[] = { "bool", "int8", "int64", "uint16", "float16", "float32", "complex128", "bfloat16", "float8_e5m2",
                                         "scalar", "vector", "empty", "rank_8", "text", "bytes", "fortran_f4" };
    char path[256];
    (void)state;
    snprintf(path, sizeof path, "%s/npy_round_trip.npy", getenv("GE_TEST_TMP") ? getenv("GE_TEST_TMP") : "/tmp");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        npy_array a, b;
        read_good(names[i], &a);
        if (npy_write_file(path, &a, why) != 0) fail_msg("%s: %s", names[i], why);
        if (npy_read_file(path, GE_DTYPE_UNDEFINED, &b, why) != 0) fail_msg("%s: %s", names[i], why);
        same_array(&a, &b);
        npy_deinit(&a);
        npy_deinit(&b);
    }
    unlink(path);
}

/* NumPy's own bytes, for the same array: header padding included. */
static void files_are_those_numpy_writes(void **state) {
    static const char *const names[] = { "bool", "int32", "float64", "complex64", "bfloat16", "float8_e5m2", "scalar", "vector", "rank_8", "text", "bytes" };
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[256], ours[2048], theirs[2048];
        npy_array a;
        read_good(names[i], &a);
        FILE *memory = fmemopen(ours, sizeof ours, "wb");
        assert_int_equal(npy_write(memory, &a, why), 0);
        size_t n_ours = (size_t)ftell(memory);
        fclose(memory);
        snprintf(path, sizeof path, "unit/cli/data/%s.npy", names[i]);
        FILE *file = fopen(path, "rb");
        size_t n_theirs = fread(theirs, 1, sizeof theirs, file);
        fclose(file);
        if (n_ours != n_theirs || memcmp(ours, theirs, n_ours) != 0) fail_msg("%s: bytes differ from NumPy's", names[i]);
        npy_deinit(&a);
    }
}

static void packed_types_are_not_written(void **state) {
    uint8_t byte = 0;
    npy_array a = { .dtype = GE_DTYPE_INT4, .rank = 1, .dims = { 2 }, .n_elems = 2, .data = &byte, .size_bytes = 1 };
    (void)state;
    assert_int_equal(npy_write(stdout, &a, why), -1);
    assert_non_null(strstr(why, "int4"));
    assert_int_equal(npy_write_file("/not/there/x.npy", &a, why), -1);
    assert_non_null(strstr(why, "cannot be created"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_dtype_of_numpy_is_read),
        cmocka_unit_test(fortran_order_is_turned),
        cmocka_unit_test(shapes_of_all_ranks_are_read),
        cmocka_unit_test(raw_elements_take_the_type_asked_for),
        cmocka_unit_test(text_becomes_utf8),
        cmocka_unit_test(what_has_no_dtype_here_is_refused_by_name),
        cmocka_unit_test(loose_spelling_is_read),
        cmocka_unit_test(hostile_headers_are_refused),
        cmocka_unit_test(a_zero_dim_beside_a_huge_one_is_empty),
        cmocka_unit_test(every_truncation_is_refused),
        cmocka_unit_test(text_that_is_no_unicode_is_refused),
        cmocka_unit_test(what_was_written_reads_back),
        cmocka_unit_test(files_are_those_numpy_writes),
        cmocka_unit_test(packed_types_are_not_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
