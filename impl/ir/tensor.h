/* SPDX-License-Identifier: Apache-2.0 */
/* tensor: dtype, concrete shape and bytes in row-major order, reference counted.  Immutable once shared, except through its one
 * writer.  The memory is ours (from the allocator), or the caller's with a release function, or part of a mapped file. */
#ifndef GEI_IR_TENSOR_H
#define GEI_IR_TENSOR_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/diag.h"
#include "ir/dtype.h"
#include "ir/shape.h"

typedef struct gei_tensor {
    atomic_uint refs;
    int32_t dtype, format, placement;
    int32_t rank;
    int64_t dims[GEI_MAX_RANK];
    int64_t n_elems;
    void *data;          /* NULL only when size_bytes is 0 */
    size_t size_bytes;
    bool owned;          /* allocated by gei_tensor_create */
    atomic_bool read_only;
    void (*release)(void *user); /* nullable; runs once, any thread, after the last reference */
    void *release_user;
    const gei_allocator *from;   /* of this struct and of owned data; outlives the tensor */
    size_t alloc_bytes, alloc_align;
} gei_tensor;

/* Gives a tensor with one reference, data not cleared.  String tensors: use gei_tensor_strings. */
ge_status gei_tensor_create(const gei_allocator *from, int32_t dtype, int32_t rank, const int64_t *dims, gei_tensor **out, gei_diag *diag);
/* Over memory of the caller, kept until release.  On failure release has NOT run.  size_bytes must be what the shape needs. */
ge_status gei_tensor_wrap(const gei_allocator *from, int32_t dtype, int32_t rank, const int64_t *dims, void *data, size_t size_bytes,
                          bool read_only, void (*release)(void *user), void *user, gei_tensor **out, gei_diag *diag);
/* Copies the texts: layout of GEI_KIND_STRING.  texts and sizes NULL: all empty. */
ge_status gei_tensor_strings(const gei_allocator *from, int32_t rank, const int64_t *dims, const char *const *texts, const size_t *sizes,
                             gei_tensor **out, gei_diag *diag);
/* Of a type whose bytes its contents tell (strings, bundles); they are for the caller to write before anybody reads. */
ge_status gei_tensor_create_bytes(const gei_allocator *from, int32_t dtype, int32_t rank, const int64_t *dims, size_t size_bytes,
                                  gei_tensor **out, gei_diag *diag);
/* Bytes of n elements at `data`; of strings and bundles as they tell themselves, NULL has none.  0: no such size. */
size_t gei_data_bytes(int32_t dtype, int64_t n_elems, const void *data);
bool gei_tensor_string_at(const gei_tensor *t, int64_t index, const char **out_text, size_t *out_size); /* checked */
ge_status gei_tensor_clone(const gei_allocator *from, const gei_tensor *t, gei_tensor **out, gei_diag *diag); /* copies the bytes */
gei_tensor *gei_tensor_retain(gei_tensor *t); /* NULL is fine */
void gei_tensor_release(gei_tensor *t);       /* NULL is fine */
void gei_tensor_freeze(gei_tensor *t);        /* read-only from now on, for every holder; any thread; NULL is fine */
bool gei_tensor_equal(const gei_tensor *a, const gei_tensor *b); /* dtype, shape and bytes */
gei_shape gei_tensor_shape(const gei_tensor *t);
/* Checked element count and bytes of a concrete shape: GE_ERR_... names rank, negative dim, overflow. */
ge_status gei_tensor_measure(int32_t dtype, int32_t rank, const int64_t *dims, int64_t *out_elems, size_t *out_bytes, gei_diag *diag);
/* Element `index` converted from any numeric type; 0 outside the tensor and for types that are not numbers.  To int64: truncated,
 * saturated, NaN to 0; a uint64 keeps its bits.  Of a complex number the real part. */
int64_t gei_tensor_i64(const gei_tensor *t, int64_t index);
double gei_tensor_f64(const gei_tensor *t, int64_t index);
/* Writes element `index` of a tensor with one owner, rounded to nearest even (small floats saturate); integers keep their low
 * bits.  False: outside the tensor, read-only, or a type that is not a real number. */
bool gei_tensor_put_i64(gei_tensor *t, int64_t index, int64_t v);
bool gei_tensor_put_f64(gei_tensor *t, int64_t index, double v);

#endif
