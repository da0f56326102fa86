/* SPDX-License-Identifier: Apache-2.0 */
/* dlpack: exchange of tensors with other libraries without a copy.
 * Layout of the structs: DLPack specification 1.0 (DLManagedTensorVersioned) and its form before 1.0 (DLManagedTensor). */
#include <string.h>

#include "api/tensor.h"

#define DLPACK_MAJOR 1u
#define DLPACK_MINOR 0u
#define FLAG_READ_ONLY 1u
#define DEVICE_CPU 1

enum { CODE_INT = 0, CODE_UINT = 1, CODE_FLOAT = 2, CODE_BFLOAT = 4, CODE_COMPLEX = 5, CODE_BOOL = 6 };

typedef struct dl_tensor {
    void *data;
    int32_t device_type, device_id;
    int32_t ndim;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape, *strides; /* strides NULL: dense */
    uint64_t byte_offset;
} dl_tensor;

typedef struct dl_managed { /* before 1.0 */
    dl_tensor tensor;
    void *manager;
    void (*deleter)(struct dl_managed *self);
} dl_managed;

typedef struct dl_versioned {
    uint32_t major, minor;
    void *manager;
    void (*deleter)(struct dl_versioned *self);
    uint64_t flags;
    dl_tensor tensor;
} dl_versioned;

static const struct {
    uint8_t code, bits;
    int32_t dtype;
} types[] = {
    { CODE_FLOAT, 32, GEI_FLOAT32 }, { CODE_FLOAT, 64, GEI_FLOAT64 },    { CODE_FLOAT, 16, GEI_FLOAT16 },     { CODE_BFLOAT, 16, GEI_BFLOAT16 },
    { CODE_INT, 8, GEI_INT8 },       { CODE_INT, 16, GEI_INT16 },        { CODE_INT, 32, GEI_INT32 },         { CODE_INT, 64, GEI_INT64 },
    { CODE_UINT, 8, GEI_UINT8 },     { CODE_UINT, 16, GEI_UINT16 },      { CODE_UINT, 32, GEI_UINT32 },       { CODE_UINT, 64, GEI_UINT64 },
    { CODE_BOOL, 8, GEI_BOOL },      { CODE_COMPLEX, 64, GEI_COMPLEX64 }, { CODE_COMPLEX, 128, GEI_COMPLEX128 },
};

/* ---- import ---- */

typedef struct import_keep {
    dl_managed *managed;
    dl_versioned *versioned;
} import_keep;

static void run_deleter(import_keep k) {
    if (k.managed && k.managed->deleter) k.managed->deleter(k.managed);
    if (k.versioned && k.versioned->deleter) k.versioned->deleter(k.versioned);
}

static void end_import(void *user) {
    import_keep k = *(import_keep *)user;
    gei_free(&gei_heap, user, sizeof k, 0);
    run_deleter(k);
}

static ge_status read_type(const dl_tensor *t, int32_t *out, gei_diag *diag) {
    for (size_t i = 0; i < GEI_COUNT(types); i++) {
        if (types[i].code != t->code || types[i].bits != t->bits || t->lanes != 1) continue;
        *out = types[i].dtype;
        return GE_OK;
    }
    return gei_argument_fail(diag, "dlpack", 1, GE_ERR_UNSUPPORTED_DTYPE, "DLPack type code %u with %u bits and %u lanes is not supported", t->code,
                             t->bits, t->lanes);
}

static ge_status read_desc(const dl_tensor *t, gei_desc *d, uint8_t **out_data, gei_diag *diag) {
    memset(d, 0, sizeof *d);
    if (t->device_type != DEVICE_CPU)
        return gei_argument_fail(diag, "dlpack", 1, GE_ERR_NO_DEVICE, "the tensor is on DLPack device type %d", t->device_type);
    if (t->ndim < 0 || t->ndim > GEI_MAX_RANK) return gei_argument_fail(diag, "dlpack", 1, GE_ERR_RANK, "rank %d is not allowed", t->ndim);
    if (t->ndim > 0 && !t->shape) return gei_argument_fail(diag, "dlpack", 1, GE_ERR_RANK, "shape is NULL but rank is %d", t->ndim);
    for (int32_t i = 0; i < t->ndim; i++)
        if (t->shape[i] < 0) return gei_argument_fail(diag, "dlpack", 1, GE_ERR_SIZE, "dim %d is %lld", i, (long long)t->shape[i]);
    GEI_TRY(read_type(t, &d->dtype, diag));
    d->format = GE_FORMAT_ND;
    d->shape = gei_shape_of(t->ndim, t->shape);
    d->has_strides = t->strides && t->ndim > 0;
    if (d->has_strides) memcpy(d->strides, t->strides, (size_t)t->ndim * sizeof(int64_t));
    *out_data = t->data ? (uint8_t *)t->data + t->byte_offset : NULL;
    return GE_OK;
}

/* Bytes the tensor reaches over: DLPack gives no size, so shape and strides are all there is. */
static ge_status reach(const gei_desc *d, bool strided, size_t *out_bytes, gei_diag *diag) {
    int64_t n;
    if (strided) return gei_strided_bytes(d, "dlpack", 1, out_bytes, diag);
    ge_status st = gei_tensor_measure(d->dtype, d->shape.rank, d->shape.dims, &n, out_bytes, diag);
    if (st != GE_OK) gei_diag_argument(diag, "dlpack", 1);
    return st;
}

/* Wraps the memory; *keep is NULL once the tensor ends it. */
static ge_status import_tensor(gei_api_context *c, const dl_tensor *t, bool read_only, import_keep **keep, ge_tensor **out, gei_diag *diag) {
    gei_desc d;
    uint8_t *data = NULL;
    size_t size;
    gei_tensor *tensor;
    GEI_TRY(read_desc(t, &d, &data, diag));
    bool strided = d.has_strides && !gei_strides_dense(d.shape.rank, d.shape.dims, d.strides);
    GEI_TRY(reach(&d, strided, &size, diag));
    size_t elem = gei_dtype_get(d.dtype)->bits / 8, align = elem > 8 ? 8 : elem;
    if (size && !data) return gei_argument_fail(diag, "dlpack", 1, GE_ERR_SIZE, "data is NULL but %zu bytes are needed", size);
    if ((uintptr_t)data % align) return gei_argument_fail(diag, "dlpack", 1, GE_ERR_ALIGNMENT, "data is not aligned to %zu bytes", align);
    int64_t flat = (int64_t)(size / elem);
    GEI_TRY(gei_tensor_wrap(&c->from, d.dtype, strided ? 1 : d.shape.rank, strided ? &flat : d.shape.dims, data, size, read_only, end_import,
                            *keep, &tensor, diag));
    *keep = NULL;
    return gei_tensor_handle_described(c, tensor, GE_OWNERSHIP_CALLER, &d, out, diag);
}

static ge_status import_any(const ge_context *context, import_keep which, const char *function, ge_tensor **out, gei_diag *diag) {
    gei_api_context *c = NULL;
    if (which.versioned && which.versioned->major != DLPACK_MAJOR) {
        ge_status st = gei_argument_fail(diag, "dlpack", 1, GE_ERR_UNSUPPORTED_VERSION, "DLPack version %u is not supported, %u is",
                                         which.versioned->major, DLPACK_MAJOR);
        run_deleter(which);
        return gei_call_end(function, st, diag);
    }
    ge_status st = gei_context_find(context, &c, diag);
    if (st != GE_OK) {
        run_deleter(which);
        return gei_call_end(function, st, diag);
    }
    import_keep *keep = gei_alloc(&gei_heap, sizeof *keep, 0);
    if (keep) {
        *keep = which;
        const dl_tensor *t = which.versioned ? &which.versioned->tensor : &which.managed->tensor;
        st = import_tensor(c, t, which.versioned && (which.versioned->flags & FLAG_READ_ONLY), &keep, out, diag);
        if (keep) end_import(keep);
    } else {
        st = gei_out_of_memory(diag, sizeof *keep);
        run_deleter(which);
    }
    gei_context_release(c);
    return gei_call_end(function, st, diag);
}

ge_status ge_tensor_import_dlpack(const ge_context *context, ge_dlpack *dlpack, ge_tensor **out_tensor) {
    GEI_CALL;
    GEI_OUT(out_tensor);
    GEI_NEED(dlpack, 1);
    import_keep which = { .versioned = (dl_versioned *)(void *)dlpack };
    if (!out_tensor) {
        run_deleter(which);
        return gei_call_null(__func__, "out_tensor", 2);
    }
    return import_any(context, which, __func__, out_tensor, &diag);
}

ge_status ge_tensor_import_dlpack_legacy(const ge_context *context, ge_dlpack_legacy *dlpack, ge_tensor **out_tensor) {
    GEI_CALL;
    GEI_OUT(out_tensor);
    GEI_NEED(dlpack, 1);
    import_keep which = { .managed = (dl_managed *)(void *)dlpack };
    if (!out_tensor) {
        run_deleter(which);
        return gei_call_null(__func__, "out_tensor", 2);
    }
    return import_any(context, which, __func__, out_tensor, &diag);
}

/* ---- export ---- */

typedef struct export_block { /* one allocation holds both forms, shape and strides */
    dl_managed managed;
    dl_versioned versioned;
    int64_t shape[GEI_MAX_RANK], strides[GEI_MAX_RANK];
    gei_tensor *tensor;       /* one reference */
    gei_api_context *ctx;     /* one count */
} export_block;

static void end_export(export_block *b) {
    gei_api_context *ctx = b->ctx;
    gei_tensor_release(b->tensor);
    gei_free(&ctx->from, b, sizeof *b, 0);
    gei_context_release(ctx);
}
static void delete_managed(dl_managed *self) { end_export(self->manager); }
static void delete_versioned(dl_versioned *self) { end_export(self->manager); }

static ge_status export_tensor(gei_api_tensor *t, export_block **out, gei_diag *diag) {
    size_t type = 0;
    if (t->placement != GE_PLACEMENT_HOST) return gei_argument_fail(diag, "tensor", 0, GE_ERR_WRONG_KIND, "the tensor is in device memory");
    while (type < GEI_COUNT(types) && types[type].dtype != t->tensor->dtype) type++;
    if (type == GEI_COUNT(types))
        return gei_argument_fail(diag, "tensor", 0, GE_ERR_UNSUPPORTED_DTYPE, "DLPack has no type for %s", gei_dtype_name(t->tensor->dtype));
    export_block *b = gei_alloc_zero(&t->ctx->from, sizeof *b, 0);
    if (!b) return gei_out_of_memory(diag, sizeof *b);
    memcpy(b->shape, t->dims, sizeof b->shape);
    int64_t step = 1;
    for (int32_t i = t->rank; i-- > 0; step *= t->dims[i]) b->strides[i] = t->is_dense ? step : t->strides[i];
    b->tensor = gei_tensor_retain(t->tensor);
    b->ctx = t->ctx;
    gei_context_retain(t->ctx);
    dl_tensor d = { .data = t->tensor->data, .device_type = DEVICE_CPU, .ndim = t->rank, .code = types[type].code, .bits = types[type].bits,
                    .lanes = 1, .shape = b->shape, .strides = b->strides };
    b->managed = (dl_managed){ d, b, delete_managed };
    b->versioned = (dl_versioned){ DLPACK_MAJOR, DLPACK_MINOR, b, delete_versioned, t->tensor->read_only ? FLAG_READ_ONLY : 0, d };
    *out = b;
    return GE_OK;
}

ge_status ge_tensor_export_dlpack(const ge_tensor *tensor, ge_dlpack **out_dlpack) {
    GEI_CALL;
    export_block *b;
    GEI_OUT(out_dlpack);
    GEI_NEED(out_dlpack, 1);
    GEI_GET(gei_api_tensor, t, tensor, TENSOR, 0);
    GEI_CHECK(export_tensor(t, &b, &diag));
    *out_dlpack = (ge_dlpack *)(void *)&b->versioned;
    return GE_OK;
}

ge_status ge_tensor_export_dlpack_legacy(const ge_tensor *tensor, ge_dlpack_legacy **out_dlpack) {
    GEI_CALL;
    export_block *b;
    GEI_OUT(out_dlpack);
    GEI_NEED(out_dlpack, 1);
    GEI_GET(gei_api_tensor, t, tensor, TENSOR, 0);
    if (t->tensor->read_only) return GEI_RETURN(gei_argument_fail(&diag, "tensor", 0, GE_ERR_READ_ONLY, "this form of DLPack cannot say read-only"));
    GEI_CHECK(export_tensor(t, &b, &diag));
    *out_dlpack = (ge_dlpack_legacy *)(void *)&b->managed;
    return GE_OK;
}
