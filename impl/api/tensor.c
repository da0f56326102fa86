/* SPDX-License-Identifier: Apache-2.0 */
#include "api/tensor.h"

#include <string.h>

static void tensor_destroy(void *object) {
    gei_api_tensor *t = object;
    gei_api_context *ctx = t->ctx;
    gei_tensor_release(t->tensor);
    gei_free(&ctx->from, t, sizeof *t, 0);
    gei_object_gone(ctx);
}

/* Takes the reference of `tensor` and retains the context. */
static ge_status wrap(gei_api_context *c, gei_tensor *tensor, ge_ownership ownership, gei_api_tensor **out, gei_diag *diag) {
    gei_api_tensor *t = gei_alloc_zero(&c->from, sizeof *t, 0);
    *out = t;
    if (!t) {
        gei_tensor_release(tensor);
        return gei_out_of_memory(diag, sizeof *t);
    }
    gei_context_retain(c);
    t->ctx = c;
    t->tensor = tensor;
    t->rank = tensor->rank;
    memcpy(t->dims, tensor->dims, sizeof t->dims);
    t->is_dense = true;
    t->format = tensor->format;
    t->placement = tensor->placement;
    t->origin_format = tensor->format;
    t->ownership = ownership;
    return GE_OK;
}

static ge_status publish(gei_api_tensor *t, ge_tensor **out, gei_diag *diag) {
    return gei_object_handle(t->ctx, GEI_HANDLE_TENSOR, t, tensor_destroy, (void **)out, diag);
}

ge_status gei_tensor_handle(gei_api_context *c, gei_tensor *tensor, ge_ownership ownership, ge_tensor **out, gei_diag *diag) {
    gei_api_tensor *t;
    GEI_TRY(wrap(c, tensor, ownership, &t, diag));
    return publish(t, out, diag);
}

static void apply_desc(gei_api_tensor *t, const gei_desc *d) {
    t->tensor->format = t->format = d->format;
    t->tensor->placement = t->placement = d->placement;
    t->origin_format = d->has_origin ? d->origin_format : d->format;
    t->origin_rank = d->origin_rank;
    memcpy(t->origin_dims, d->origin_dims, sizeof t->origin_dims);
}

ge_status gei_tensor_handle_described(gei_api_context *c, gei_tensor *tensor, ge_ownership ownership, const gei_desc *d, ge_tensor **out,
                                      gei_diag *diag) {
    gei_api_tensor *t;
    GEI_TRY(wrap(c, tensor, ownership, &t, diag));
    apply_desc(t, d);
    if (d->has_strides && !gei_strides_dense(d->shape.rank, d->shape.dims, d->strides)) {
        t->rank = d->shape.rank; /* the inner tensor wraps the bytes as a flat row */
        memcpy(t->dims, d->shape.dims, sizeof t->dims);
        memcpy(t->strides, d->strides, sizeof t->strides);
        t->is_dense = false;
    }
    return publish(t, out, diag);
}

ge_status gei_tensor_of(const ge_tensor *handle, const gei_api_context *c, const char *argument, int32_t index, gei_tensor **out, gei_diag *diag) {
    ge_status why = GE_OK;
    gei_api_tensor *t = gei_handle_get(handle, GEI_HANDLE_TENSOR, &why);
    if (t && c && t->ctx != c) why = GE_ERR_HANDLE_OTHER_CONTEXT;
    if (why != GE_OK) return gei_handle_fault(why, argument, index, handle, GEI_HANDLE_TENSOR, diag);
    if (t->placement != GE_PLACEMENT_HOST) return gei_argument_fail(diag, argument, index, GE_ERR_WRONG_KIND, "%s is in device memory", argument);
    if (!t->is_dense) return gei_argument_fail(diag, argument, index, GE_ERR_SHAPE, "%s has strides; ge_tensor_copy makes it dense", argument);
    *out = t->tensor;
    return GE_OK;
}

/* Of a tensor with memory of its own. */
static ge_status check_own(const gei_desc *d, gei_diag *diag) {
    if (d->placement != GE_PLACEMENT_HOST) return gei_argument_fail(diag, "desc", 1, GE_ERR_NO_DEVICE, "there is no device to take memory from");
    if (!d->has_strides || gei_strides_dense(d->shape.rank, d->shape.dims, d->strides)) return GE_OK;
    return gei_argument_fail(diag, "desc", 1, GE_ERR_SHAPE, "a tensor with memory of its own has no strides");
}

/* Faults of the shape that the IR found. */
static ge_status fault_of_desc(ge_status st, gei_diag *diag) {
    if (st >> 16 == GE_CLASS_ARGUMENT && !diag->argument[0]) gei_diag_argument(diag, "desc", 1);
    return st;
}

/* Dense tensor of the library, zeroed; strings empty. */
static ge_status make_own(gei_api_context *c, const gei_desc *d, gei_tensor **out, gei_diag *diag) {
    if (d->dtype == GEI_STRING) return gei_tensor_strings(&c->from, d->shape.rank, d->shape.dims, NULL, NULL, out, diag);
    GEI_TRY(gei_tensor_create(&c->from, d->dtype, d->shape.rank, d->shape.dims, out, diag));
    if ((*out)->size_bytes) memset((*out)->data, 0, (*out)->size_bytes);
    return GE_OK;
}

ge_status ge_tensor_create(const ge_context *context, const ge_tensor_desc *desc, ge_tensor **out_tensor) {
    GEI_CALL;
    gei_desc d;
    gei_tensor *tensor;
    gei_api_context *c;
    GEI_OUT(out_tensor);
    GEI_NEED(desc, 1);
    GEI_NEED(out_tensor, 2);
    GEI_CHECK(gei_desc_in(desc, true, "desc", 1, &d, &diag));
    GEI_CHECK(check_own(&d, &diag));
    ge_status st = gei_context_of(context, __func__, &c);
    if (st != GE_OK) return st;
    st = make_own(c, &d, &tensor, &diag);
    if (st == GE_OK) st = gei_tensor_handle_described(c, tensor, GE_OWNERSHIP_LIBRARY, &d, out_tensor, &diag);
    gei_context_release(c);
    return GEI_RETURN(fault_of_desc(st, &diag));
}

static ge_status create_from_data(gei_api_context *c, const gei_desc *d, const uint8_t *data, size_t data_size, ge_tensor **out, gei_diag *diag) {
    int64_t n;
    size_t wanted;
    gei_tensor *tensor;
    if (d->dtype == GEI_STRING) return gei_argument_fail(diag, "desc", 1, GE_ERR_DTYPE, "strings are set with ge_tensor_set_strings");
    GEI_TRY(gei_tensor_measure(d->dtype, d->shape.rank, d->shape.dims, &n, &wanted, diag));
    if (wanted != data_size) {
        gei_diag_found(diag, "%zu", data_size);
        gei_diag_wanted(diag, "%zu", wanted);
        return gei_argument_fail(diag, "data_size", 3, GE_ERR_SIZE, "data has %zu bytes, its desc needs %zu", data_size, wanted);
    }
    GEI_TRY(gei_tensor_create(&c->from, d->dtype, d->shape.rank, d->shape.dims, &tensor, diag));
    if (wanted) memcpy(tensor->data, data, wanted);
    gei_context_copied(c, wanted);
    return gei_tensor_handle_described(c, tensor, GE_OWNERSHIP_LIBRARY, d, out, diag);
}

ge_status ge_tensor_create_from_data(const ge_context *context, const ge_tensor_desc *desc, const uint8_t *data, size_t data_size,
                                     ge_tensor **out_tensor) {
    GEI_CALL;
    gei_desc d;
    gei_api_context *c;
    GEI_OUT(out_tensor);
    GEI_NEED(desc, 1);
    GEI_NEED(out_tensor, 4);
    if (!data && data_size) return gei_call_null(__func__, "data", 2);
    GEI_CHECK(gei_desc_in(desc, true, "desc", 1, &d, &diag));
    GEI_CHECK(check_own(&d, &diag));
    ge_status st = gei_context_of(context, __func__, &c);
    if (st != GE_OK) return st;
    st = create_from_data(c, &d, data, data_size, out_tensor, &diag);
    gei_context_release(c);
    return GEI_RETURN(fault_of_desc(st, &diag));
}

/* ---- over caller memory ---- */

typedef struct caller_memory { /* ends the use of caller memory: freed by end_memory */
    ge_release_fn release;
    ge_destroy_fn destroy;
    void *user;
    uint8_t *data;
    size_t size;
} caller_memory;

static void end_memory(void *user) {
    caller_memory m = *(caller_memory *)user;
    gei_free(&gei_heap, user, sizeof m, 0);
    if (m.release) m.release(m.user, m.data, m.size);
    if (m.destroy) m.destroy(m.user);
}

ge_status gei_strided_bytes(const gei_desc *d, const char *argument, int32_t index, size_t *out_bytes, gei_diag *diag) {
    size_t elem_bytes;
    int64_t last = 0, n;
    *out_bytes = 0;
    if (!gei_dtype_bytes(d->dtype, 1, &elem_bytes) || gei_dtype_get(d->dtype)->bits < 8)
        return gei_argument_fail(diag, argument, index, GE_ERR_DTYPE, "%s elements cannot have strides", gei_dtype_name(d->dtype));
    if (!gei_shape_elems(&d->shape, &n)) /* strides of 0 make any number of elements of a few bytes */
        return gei_argument_fail(diag, argument, index, GE_ERR_SIZE, "the element count does not fit 63 bits");
    for (int32_t i = 0; i < d->shape.rank; i++) {
        int64_t step, reach = d->shape.dims[i] - 1;
        if (d->shape.dims[i] == 0) return GE_OK;
        if (d->strides[i] < 0)
            return gei_argument_fail(diag, argument, index, GE_ERR_SIZE, "stride %d is %lld; negative strides are not supported", i, (long long)d->strides[i]);
        if (!gei_mul_i64(reach, d->strides[i], &step) || !gei_add_i64(last, step, &last))
            return gei_argument_fail(diag, argument, index, GE_ERR_SIZE, "shape and strides overflow");
    }
    if (!gei_mul((size_t)last + 1, elem_bytes, out_bytes)) return gei_argument_fail(diag, argument, index, GE_ERR_SIZE, "shape and strides overflow");
    return GE_OK;
}

/* Wraps `m` into a tensor, which then ends the memory: *keep is NULL from there on, also when the handle fails. */
static ge_status create_over(gei_api_context *c, const gei_desc *d, const ge_memory *m, caller_memory **keep, ge_tensor **out, gei_diag *diag) {
    gei_tensor *tensor;
    size_t elem_bytes, wanted;
    int64_t n;
    const gei_dtype_info *type = gei_dtype_get(d->dtype);
    bool strided = d->has_strides && !gei_strides_dense(d->shape.rank, d->shape.dims, d->strides);
    if (type->kind == GEI_KIND_STRING || type->bits == 0)
        return gei_argument_fail(diag, "desc", 1, GE_ERR_DTYPE, "%s has no bytes of a fixed size", type->name);
    if (strided) GEI_TRY(gei_strided_bytes(d, "desc", 1, &wanted, diag));
    else GEI_TRY(gei_tensor_measure(d->dtype, d->shape.rank, d->shape.dims, &n, &wanted, diag));
    if (strided ? wanted > m->data_size : wanted != m->data_size) {
        gei_diag_found(diag, "%llu", (unsigned long long)m->data_size);
        gei_diag_wanted(diag, "%zu", wanted);
        return gei_argument_fail(diag, "memory", 2, GE_ERR_SIZE, "memory has %llu bytes, its desc needs %zu", (unsigned long long)m->data_size, wanted);
    }
    if (wanted && !m->data) return gei_argument_fail(diag, "memory", 2, GE_ERR_NULL_ARGUMENT, "data is NULL but %zu bytes are needed", wanted);
    elem_bytes = type->bits / 8;
    if (elem_bytes > 8) elem_bytes = 8; /* complex128 is two doubles */
    if (elem_bytes > 1 && (uintptr_t)m->data % elem_bytes)
        return gei_argument_fail(diag, "memory", 2, GE_ERR_ALIGNMENT, "data is not aligned to %zu bytes", elem_bytes);
    int64_t flat = (int64_t)(wanted / (type->bits / 8 ? type->bits / 8 : 1));
    GEI_TRY(gei_tensor_wrap(&c->from, d->dtype, strided ? 1 : d->shape.rank, strided ? &flat : d->shape.dims, m->data, wanted,
                            m->flags & GE_MEMORY_READ_ONLY, end_memory, *keep, &tensor, diag));
    *keep = NULL;
    return gei_tensor_handle_described(c, tensor, GE_OWNERSHIP_CALLER, d, out, diag);
}

ge_status ge_tensor_create_over(const ge_context *context, const ge_tensor_desc *desc, const ge_memory *memory, ge_tensor **out_tensor) {
    GEI_CALL;
    gei_desc d;
    gei_api_context *c = NULL;
    ge_memory m = GE_MEMORY_INIT;
    GEI_OUT(out_tensor);
    GEI_NEED(memory, 2);
    GEI_CHECK(gei_struct_in(memory, &m, sizeof m, GEI_FIRST_MEMORY, "memory", 2, &diag));
    ge_status st = GE_OK;
    if (!desc) st = gei_argument_fail(&diag, "desc", 1, GE_ERR_NULL_ARGUMENT, "desc is NULL");
    else if (!out_tensor) st = gei_argument_fail(&diag, "out_tensor", 3, GE_ERR_NULL_ARGUMENT, "out_tensor is NULL");
    else if (m.flags & ~(ge_memory_flags)GE_MEMORY_READ_ONLY) st = gei_argument_fail(&diag, "memory", 2, GE_ERR_INVALID_FLAG, "flags has unknown bits");
    if (st == GE_OK) st = gei_desc_in(desc, true, "desc", 1, &d, &diag);
    if (st == GE_OK) st = gei_context_find(context, &c, &diag);
    caller_memory *keep = gei_alloc_zero(&gei_heap, sizeof *keep, 0);
    if (st == GE_OK && !keep) st = gei_out_of_memory(&diag, sizeof *keep);
    if (keep) *keep = (caller_memory){ m.release, m.destroy, m.user_data, m.data, (size_t)m.data_size };
    if (st == GE_OK) {
        st = create_over(c, &d, &m, &keep, out_tensor, &diag);
    } else if (!keep) { /* no room even for the note: end the use here */
        if (m.release) m.release(m.user_data, m.data, (size_t)m.data_size);
        if (m.destroy) m.destroy(m.user_data);
    }
    if (keep) end_memory(keep);
    if (c) gei_context_release(c);
    return GEI_RETURN(fault_of_desc(st, &diag));
}

ge_status ge_memory_init(ge_memory *memory, size_t memory_size) {
    GEI_CALL;
    GEI_OUT_STRUCT(memory, memory_size);
    GEI_NEED(memory, 0);
    ge_memory m = GE_MEMORY_INIT;
    return GEI_RETURN(gei_struct_out(memory, memory_size, &m, sizeof m, GEI_FIRST_MEMORY, "memory", 0, &diag));
}

ge_status ge_tensor_destroy(ge_tensor *tensor) {
    ge_status st = gei_handle_close(tensor, GEI_HANDLE_TENSOR);
    return st == GE_OK ? GE_OK : gei_call_bad_handle(__func__, st, "tensor", 0, tensor, GEI_HANDLE_TENSOR);
}
