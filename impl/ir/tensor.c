/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/tensor.h"

#include <assert.h>
#include <string.h>

#include "ir/bundle.h"

#define DATA_OFFSET_BYTES ((sizeof(gei_tensor) + GEI_ALIGN_BYTES - 1) / GEI_ALIGN_BYTES * GEI_ALIGN_BYTES)

static ge_status count_elems(int32_t rank, const int64_t *dims, int64_t *out_elems, gei_diag *diag) {
    if (rank < 0 || rank > GEI_MAX_RANK) {
        gei_diag_found(diag, "%d", (int)rank);
        gei_diag_wanted(diag, "0 to %d", GEI_MAX_RANK);
        return gei_fail(diag, GE_ERR_RANK, "tensor rank %d is not within 0 and %d", (int)rank, GEI_MAX_RANK);
    }
    for (int32_t i = 0; i < rank; i++) {
        if (dims[i] >= 0) continue;
        gei_diag_found(diag, "%lld", (long long)dims[i]);
        return gei_fail(diag, GE_ERR_SHAPE, "tensor dim %d is %lld, wanted a concrete size", (int)i, (long long)dims[i]);
    }
    gei_shape shape = gei_shape_of(rank, dims);
    if (!gei_shape_elems(&shape, out_elems))
        return gei_fail(diag, GE_ERR_SIZE, "the element count of the tensor does not fit 64 bits");
    return GE_OK;
}

ge_status gei_tensor_measure(int32_t dtype, int32_t rank, const int64_t *dims, int64_t *out_elems, size_t *out_bytes, gei_diag *diag) {
    const gei_dtype_info *info = gei_dtype_get(dtype);
    int64_t elems;
    size_t bytes;
    if (!info) return gei_fail(diag, GE_ERR_DTYPE, "unknown data type number %d", (int)dtype);
    GEI_TRY(count_elems(rank, dims, &elems, diag));
    if (info->bits == 0)
        return gei_fail(diag, GE_ERR_DTYPE, "data type %s has no fixed element size", info->name);
    /* Strides in bytes are kept in int64. */
    if (!gei_dtype_bytes(dtype, (uint64_t)elems, &bytes) || bytes > INT64_MAX - GEI_ALIGN_BYTES)
        return gei_fail(diag, GE_ERR_SIZE, "the byte size of a %s tensor of %lld elements does not fit 63 bits", info->name,
                        (long long)elems);
    *out_elems = elems;
    *out_bytes = bytes;
    return GE_OK;
}

static void fill(gei_tensor *t, int32_t dtype, int32_t rank, const int64_t *dims, int64_t n_elems) {
    memset(t, 0, sizeof *t);
    atomic_init(&t->refs, 1);
    t->dtype = dtype;
    t->format = GE_FORMAT_ND;
    t->rank = rank;
    if (rank > 0) memcpy(t->dims, dims, (size_t)rank * sizeof *dims);
    t->n_elems = n_elems;
}

/* The struct and its bytes in one allocation. */
static ge_status create_sized(const gei_allocator *from, int32_t dtype, int32_t rank, const int64_t *dims, int64_t n_elems,
                              size_t size_bytes, gei_tensor **out, gei_diag *diag) {
    size_t total;
    if (!gei_add(DATA_OFFSET_BYTES, size_bytes, &total)) return gei_out_of_memory(diag, SIZE_MAX);
    gei_tensor *t = (gei_tensor *)gei_alloc(from, total, GEI_ALIGN_BYTES);
    if (!t) return gei_out_of_memory(diag, total);
    fill(t, dtype, rank, dims, n_elems);
    t->data = (char *)t + DATA_OFFSET_BYTES;
    t->size_bytes = size_bytes;
    t->owned = true;
    t->from = from;
    t->alloc_bytes = total;
    t->alloc_align = GEI_ALIGN_BYTES;
    *out = t;
    return GE_OK;
}

ge_status gei_tensor_create(const gei_allocator *from, int32_t dtype, int32_t rank, const int64_t *dims, gei_tensor **out, gei_diag *diag) {
    int64_t n_elems;
    size_t size_bytes;
    *out = NULL;
    GEI_TRY(gei_tensor_measure(dtype, rank, dims, &n_elems, &size_bytes, diag));
    return create_sized(from, dtype, rank, dims, n_elems, size_bytes, out, diag);
}

ge_status gei_tensor_create_bytes(const gei_allocator *from, int32_t dtype, int32_t rank, const int64_t *dims, size_t size_bytes,
                                  gei_tensor **out, gei_diag *diag) {
    int64_t n_elems;
    *out = NULL;
    GEI_TRY(count_elems(rank, dims, &n_elems, diag));
    return create_sized(from, dtype, rank, dims, n_elems, size_bytes, out, diag);
}

/* ---- strings ---- */

static uint64_t load_u64(const void *at, int64_t index) {
    uint64_t v; /* a wrapped file may be unaligned */
    memcpy(&v, (const char *)at + (size_t)index * sizeof v, sizeof v);
    return v;
}

/* Bytes of the offset table of n texts; false when n is absurd. */
static bool table_bytes(int64_t n_elems, size_t *out_bytes) {
    return gei_mul((size_t)n_elems + 1, sizeof(uint64_t), out_bytes);
}

static ge_status check_strings(const void *data, size_t size_bytes, int64_t n_elems, gei_diag *diag) {
    size_t table;
    uint64_t last = 0;
    if (!table_bytes(n_elems, &table) || table > size_bytes)
        return gei_fail(diag, GE_ERR_SIZE, "string tensor of %lld elements: %zu bytes do not hold its offsets",
                        (long long)n_elems, size_bytes);
    for (int64_t i = 0; i <= n_elems; i++) {
        uint64_t offset = load_u64(data, i);
        if (offset < last || offset > size_bytes - table || (i == 0 && offset != 0))
            return gei_fail(diag, GE_ERR_SIZE, "string tensor: offset %lld is %llu, outside its text bytes", (long long)i,
                            (unsigned long long)offset);
        last = offset;
    }
    if (last != size_bytes - table)
        return gei_fail(diag, GE_ERR_SIZE, "string tensor: offsets end at %llu, the text has %zu bytes",
                        (unsigned long long)last, size_bytes - table);
    return GE_OK;
}

ge_status gei_tensor_strings(const gei_allocator *from, int32_t rank, const int64_t *dims, const char *const *texts, const size_t *sizes,
                             gei_tensor **out, gei_diag *diag) {
    int64_t n;
    size_t total;
    *out = NULL;
    GEI_TRY(count_elems(rank, dims, &n, diag));
    bool fits = table_bytes(n, &total);
    for (int64_t i = 0; sizes && fits && i < n; i++) fits = gei_add(total, sizes[i], &total);
    if (!fits) return gei_out_of_memory(diag, SIZE_MAX);
    GEI_TRY(create_sized(from, GEI_STRING, rank, dims, n, total, out, diag));

    uint64_t *offsets = (uint64_t *)(*out)->data, at = 0;
    char *text = (char *)(offsets + n + 1);
    offsets[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        size_t size = sizes ? sizes[i] : 0;
        if (size > 0) memcpy(text + at, texts[i], size);
        at += size;
        offsets[i + 1] = at;
    }
    return GE_OK;
}

bool gei_tensor_string_at(const gei_tensor *t, int64_t index, const char **out_text, size_t *out_size) {
    size_t table;
    if (t->dtype != GEI_STRING || index < 0 || index >= t->n_elems) return false;
    if (!table_bytes(t->n_elems, &table) || table > t->size_bytes) return false;
    uint64_t from = load_u64(t->data, index), to = load_u64(t->data, index + 1);
    if (from > to || to > t->size_bytes - table) return false;
    *out_text = (const char *)t->data + table + from;
    *out_size = (size_t)(to - from);
    return true;
}

size_t gei_data_bytes(int32_t dtype, int64_t n_elems, const void *data) {
    size_t bytes = 0;
    if (gei_dtype_is_bundle(dtype)) return data ? gei_bundle_bytes(data) : 0;
    if (dtype != GEI_STRING) return gei_dtype_bytes(dtype, (uint64_t)n_elems, &bytes) ? bytes : 0;
    if (!data) return 0;
    return ((size_t)n_elems + 1) * sizeof(uint64_t) + (size_t)load_u64(data, n_elems); /* the last offset is where the text ends */
}

/* ---- other memory, life ---- */

ge_status gei_tensor_wrap(const gei_allocator *from, int32_t dtype, int32_t rank, const int64_t *dims, void *data, size_t size_bytes,
                          bool read_only, void (*release)(void *user), void *user, gei_tensor **out, gei_diag *diag) {
    int64_t n_elems;
    size_t wanted_bytes;
    *out = NULL;
    if (!data && size_bytes > 0) return gei_fail(diag, GE_ERR_INVALID_ARGUMENT, "tensor memory is NULL, wanted %zu bytes", size_bytes);
    if (dtype == GEI_STRING) {
        GEI_TRY(count_elems(rank, dims, &n_elems, diag));
        GEI_TRY(check_strings(data, size_bytes, n_elems, diag));
    } else if (gei_dtype_is_bundle(dtype)) {
        GEI_TRY(count_elems(rank, dims, &n_elems, diag));
        if (size_bytes < sizeof(gei_bundle) || gei_bundle_bytes(data) != size_bytes)
            return gei_fail(diag, GE_ERR_SIZE, "%s: %zu bytes are not what it says", gei_dtype_name(dtype), size_bytes);
    } else {
        GEI_TRY(gei_tensor_measure(dtype, rank, dims, &n_elems, &wanted_bytes, diag));
        if (size_bytes != wanted_bytes) {
            gei_diag_found(diag, "%zu bytes", size_bytes);
            gei_diag_wanted(diag, "%zu bytes", wanted_bytes);
            return gei_fail(diag, GE_ERR_SIZE, "tensor memory has %zu bytes, its shape needs %zu", size_bytes, wanted_bytes);
        }
    }
    gei_tensor *t = (gei_tensor *)gei_alloc(from, sizeof *t, _Alignof(gei_tensor));
    if (!t) return gei_out_of_memory(diag, sizeof *t);
    fill(t, dtype, rank, dims, n_elems);
    t->data = data;
    t->size_bytes = size_bytes;
    atomic_init(&t->read_only, read_only);
    t->release = release;
    t->release_user = user;
    t->from = from;
    t->alloc_bytes = sizeof *t;
    t->alloc_align = _Alignof(gei_tensor);
    *out = t;
    return GE_OK;
}

ge_status gei_tensor_clone(const gei_allocator *from, const gei_tensor *t, gei_tensor **out, gei_diag *diag) {
    *out = NULL;
    GEI_TRY(create_sized(from, t->dtype, t->rank, t->dims, t->n_elems, t->size_bytes, out, diag));
    (*out)->format = t->format;
    if (t->size_bytes > 0) memcpy((*out)->data, t->data, t->size_bytes);
    return GE_OK;
}

gei_tensor *gei_tensor_retain(gei_tensor *t) {
    if (t) atomic_fetch_add_explicit(&t->refs, 1, memory_order_relaxed);
    return t;
}

void gei_tensor_release(gei_tensor *t) {
    if (!t) return;
    unsigned before = atomic_fetch_sub_explicit(&t->refs, 1, memory_order_acq_rel);
    assert(before > 0);
    if (before != 1) return;
    if (t->release) t->release(t->release_user);
    gei_free(t->from, t, t->alloc_bytes, t->alloc_align);
}

void gei_tensor_freeze(gei_tensor *t) {
    if (t) atomic_store_explicit(&t->read_only, true, memory_order_relaxed);
}

bool gei_tensor_equal(const gei_tensor *a, const gei_tensor *b) {
    if (a == b) return true;
    if (!a || !b || a->dtype != b->dtype || a->rank != b->rank || a->size_bytes != b->size_bytes) return false;
    for (int32_t i = 0; i < a->rank; i++)
        if (a->dims[i] != b->dims[i]) return false;
    return a->size_bytes == 0 || memcmp(a->data, b->data, a->size_bytes) == 0;
}

gei_shape gei_tensor_shape(const gei_tensor *t) { return gei_shape_of(t->rank, t->dims); }
