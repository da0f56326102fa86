/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor memory and Python: a base type with the buffer protocol, tensors over Python buffers, DLPack capsules. */
#ifndef GE_PYTHON_TENSOR_BUFFER_H
#define GE_PYTHON_TENSOR_BUFFER_H

/* ---- buffer protocol out: class Buffer, the base of ge.Tensor ---- */

typedef struct buffer_object {
    PyObject_HEAD
    ge_tensor *tensor; /* borrowed from the subclass's handle; NULL when closed */
} buffer_object;

/* What one exported view holds: a tensor handle of its own, so that the bytes outlive close(). */
typedef struct exported {
    ge_tensor *tensor;
    char format[4];
    Py_ssize_t shape[8], strides[8];
} exported;

typedef struct buffer_format {
    ge_dtype dtype;
    const char *format;
} buffer_format;

static const buffer_format buffer_formats[] = {
    {GE_DTYPE_FLOAT32, "f"}, {GE_DTYPE_FLOAT64, "d"}, {GE_DTYPE_FLOAT16, "e"}, {GE_DTYPE_INT8, "b"},
    {GE_DTYPE_UINT8, "B"},   {GE_DTYPE_INT16, "h"},   {GE_DTYPE_UINT16, "H"},  {GE_DTYPE_INT32, "i"},
    {GE_DTYPE_UINT32, "I"},  {GE_DTYPE_INT64, "q"},   {GE_DTYPE_UINT64, "Q"},  {GE_DTYPE_BOOL, "?"},
    {GE_DTYPE_COMPLEX64, "Zf"}, {GE_DTYPE_COMPLEX128, "Zd"},
    {GE_DTYPE_INT64, "l"},   {GE_DTYPE_UINT64, "L"}, /* C's names for the same on this platform; only read */
};

static const char *format_of(ge_dtype dtype) {
    for (size_t i = 0; i < sizeof buffer_formats / sizeof *buffer_formats; i++)
        if (buffer_formats[i].dtype == dtype) return buffer_formats[i].format;
    return NULL;
}

/* Native byte order only: an explicit little-endian mark is ours, a big-endian one is not. */
static ge_dtype dtype_of(const char *format) {
    if (!format) return GE_DTYPE_UINT8;
    const char *name = *format == '@' || *format == '=' || *format == '<' || *format == '|' ? format + 1 : format;
    for (size_t i = 0; i < sizeof buffer_formats / sizeof *buffer_formats; i++)
        if (!strcmp(buffer_formats[i].format, name)) return buffer_formats[i].dtype;
    return GE_DTYPE_UNDEFINED;
}

static int refuse_buffer(Py_buffer *view, exported *e, const char *why) {
    if (why) PyErr_SetString(PyExc_BufferError, why);
    else raise_taken();
    if (e) {
        ge_tensor_destroy(e->tensor);
        PyMem_Free(e);
    }
    view->obj = NULL;
    return -1;
}

static int buffer_get(PyObject *self, Py_buffer *view, int flags) {
    ge_tensor *tensor = ((buffer_object *)self)->tensor;
    ge_tensor_desc desc = GE_TENSOR_DESC_INIT;
    ge_tensor_info info = {.struct_size = sizeof info};
    const uint8_t *data;
    size_t size;

    if (!tensor) return refuse_buffer(view, NULL, "the tensor is closed");
    exported *e = PyMem_Calloc(1, sizeof *e);
    if (!e) return refuse_buffer(view, NULL, "out of memory");
    if (ge_tensor_get_desc(tensor, &desc, sizeof desc) != GE_OK ||
        ge_tensor_get_info(tensor, &info, sizeof info) != GE_OK ||
        ge_tensor_create_view(tensor, &desc, &e->tensor) != GE_OK ||
        ge_tensor_get_data(e->tensor, &data, &size) != GE_OK)
        return refuse_buffer(view, e, NULL);
    const char *format = format_of(desc.dtype);
    if (!format) return refuse_buffer(view, e, "Python's buffers have no such element type; use __dlpack__");
    if (info.is_read_only && (flags & PyBUF_WRITABLE)) return refuse_buffer(view, e, "the tensor is read-only");
    if (!info.is_dense && (flags & PyBUF_STRIDES) != PyBUF_STRIDES) return refuse_buffer(view, e, "the tensor has strides");

    Py_ssize_t item = (Py_ssize_t)ge_dtype_get_bits(desc.dtype) / 8, step = item;
    strcpy(e->format, format);
    for (int32_t i = desc.rank - 1; i >= 0; i--) {
        e->shape[i] = desc.dims[i];
        e->strides[i] = desc.strides ? (Py_ssize_t)desc.strides[i] * item : step;
        step *= desc.dims[i];
    }
    *view = (Py_buffer){.buf = (void *)(data ? (uintptr_t)data : (uintptr_t)e), .obj = self, .len = (Py_ssize_t)info.elements_count * item,
                        .itemsize = item, .readonly = info.is_read_only, .ndim = desc.rank, .internal = e,
                        .format = flags & PyBUF_FORMAT ? e->format : NULL,
                        .shape = (flags & PyBUF_ND) == PyBUF_ND ? e->shape : NULL,
                        .strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? e->strides : NULL};
    Py_INCREF(self);
    return 0;
}

static void buffer_release(PyObject *self, Py_buffer *view) {
    exported *e = view->internal;
    (void)self;
    ge_tensor_destroy(e->tensor);
    PyMem_Free(e);
}

/* Buffer._set(handle or None): which tensor the views are of. */
static PyObject *buffer_set(PyObject *self, PyObject *handle) {
    void *tensor = NULL;
    if (handle != Py_None && !SWIG_IsOK(SWIG_ConvertPtr(handle, &tensor, SWIGTYPE_p_ge_tensor, 0))) {
        PyErr_SetString(PyExc_TypeError, "a tensor handle is wanted");
        return NULL;
    }
    ((buffer_object *)self)->tensor = tensor;
    Py_RETURN_NONE;
}

static PyMethodDef buffer_methods[] = {
    {"_set", buffer_set, METH_O, "Sets the tensor handle the buffer protocol shows."},
    {NULL, NULL, 0, NULL},
};

static PyObject *make_buffer_type(void) {
    PyType_Slot slots[] = {
        {Py_bf_getbuffer, (void *)buffer_get},
        {Py_bf_releasebuffer, (void *)buffer_release},
        {Py_tp_methods, buffer_methods},
        {Py_tp_doc, (void *)"Shows the bytes of a tensor through the buffer protocol."},
        {0, NULL},
    };
    PyType_Spec spec = {.name = "ge._raw.Buffer", .basicsize = sizeof(buffer_object),
                        .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, .slots = slots};
    return PyType_FromSpec(&spec);
}

/* ---- buffer protocol in ---- */

static void release_python_buffer(void *user_data) {
    Py_buffer *view = user_data;
    if (!Py_IsInitialized()) return; /* the interpreter is gone and the object with it */
    PyGILState_STATE state = PyGILState_Ensure();
    PyBuffer_Release(view);
    PyMem_Free(view);
    PyGILState_Release(state);
}

/* A tensor over the memory of a C-contiguous buffer, which stays acquired until the tensor's last user is done.
 * dtype GE_DTYPE_UNDEFINED: from the buffer's format. */
static PyObject *tensor_over_buffer(const ge_context *context, PyObject *object, int32_t dtype) {
    ge_tensor_desc desc = GE_TENSOR_DESC_INIT;
    ge_memory memory = GE_MEMORY_INIT;
    ge_tensor *tensor = NULL;
    int64_t dims[8];
    ge_status status;

    Py_buffer *view = PyMem_Calloc(1, sizeof *view);
    if (!view) return PyErr_NoMemory();
    if (PyObject_GetBuffer(object, view, PyBUF_ND | PyBUF_FORMAT)) {
        PyMem_Free(view);
        return NULL;
    }
    desc.dtype = dtype == GE_DTYPE_UNDEFINED ? dtype_of(view->format) : dtype;
    if (desc.dtype == GE_DTYPE_UNDEFINED || view->ndim > 8) {
        if (view->ndim > 8) PyErr_Format(PyExc_ValueError, "a tensor has at most 8 dims, the buffer has %d", view->ndim);
        else PyErr_Format(PyExc_TypeError, "no tensor data type for buffer format '%s'", view->format);
        PyBuffer_Release(view);
        PyMem_Free(view);
        return NULL;
    }
    for (int i = 0; i < view->ndim; i++) dims[i] = view->shape[i];
    desc.rank = view->ndim;
    desc.dims = dims;
    memory.flags = view->readonly ? GE_MEMORY_READ_ONLY : 0;
    memory.data = view->buf;
    memory.data_size = (uint64_t)view->len;
    memory.user_data = view;
    memory.destroy = release_python_buffer; /* runs also when the call fails */
    Py_BEGIN_ALLOW_THREADS
    status = ge_tensor_create_over(context, &desc, &memory, &tensor);
    Py_END_ALLOW_THREADS
    if (status != GE_OK) {
        raise_taken();
        return NULL;
    }
    return SWIG_NewPointerObj(tensor, SWIGTYPE_p_ge_tensor, 0);
}

/* ---- DLPack ---- */

/* The parts of DLPack's two structs that we touch ourselves; layout by its specification. */
typedef struct dlpack_versioned {
    uint32_t major, minor;
    void *manager;
    void (*deleter)(struct dlpack_versioned *self);
} dlpack_versioned;

typedef struct dlpack_legacy {
    uint8_t tensor[48];
    void *manager;
    void (*deleter)(struct dlpack_legacy *self);
} dlpack_legacy;

/* A consumer renames the capsule; only one that nobody consumed is deleted here. */
static void drop_versioned(PyObject *capsule) {
    if (!PyCapsule_IsValid(capsule, "dltensor_versioned")) return;
    dlpack_versioned *p = PyCapsule_GetPointer(capsule, "dltensor_versioned");
    if (p->deleter) p->deleter(p);
}

static void drop_legacy(PyObject *capsule) {
    if (!PyCapsule_IsValid(capsule, "dltensor")) return;
    dlpack_legacy *p = PyCapsule_GetPointer(capsule, "dltensor");
    if (p->deleter) p->deleter(p);
}

static PyObject *tensor_to_capsule(const ge_tensor *tensor, int versioned) {
    ge_dlpack *now = NULL;
    ge_dlpack_legacy *before = NULL;
    ge_status status = versioned ? ge_tensor_export_dlpack(tensor, &now) : ge_tensor_export_dlpack_legacy(tensor, &before);
    if (status != GE_OK) {
        raise_taken();
        return NULL;
    }
    return versioned ? PyCapsule_New(now, "dltensor_versioned", drop_versioned)
                     : PyCapsule_New(before, "dltensor", drop_legacy);
}

static PyObject *tensor_from_capsule(const ge_context *context, PyObject *capsule) {
    ge_tensor *tensor = NULL;
    int versioned = PyCapsule_IsValid(capsule, "dltensor_versioned");
    void *p = PyCapsule_GetPointer(capsule, versioned ? "dltensor_versioned" : "dltensor");
    /* Once renamed the capsule's destructor does nothing, and the library runs the deleter, also when it fails. */
    if (!p || PyCapsule_SetName(capsule, versioned ? "used_dltensor_versioned" : "used_dltensor")) return NULL;
    ge_status status;
    Py_BEGIN_ALLOW_THREADS
    status = versioned ? ge_tensor_import_dlpack(context, p, &tensor) : ge_tensor_import_dlpack_legacy(context, p, &tensor);
    Py_END_ALLOW_THREADS
    if (status != GE_OK) {
        raise_taken();
        return NULL;
    }
    return SWIG_NewPointerObj(tensor, SWIGTYPE_p_ge_tensor, 0);
}

#endif
