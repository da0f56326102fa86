/* SPDX-License-Identifier: Apache-2.0 */
/* What the typemaps of ge.i call: Python objects in and out, errors.  Needs Python.h, the SWIG run time and ge_c_api.h. */
#ifndef GE_PYTHON_SUPPORT_H
#define GE_PYTHON_SUPPORT_H

/* ---- out ---- */

/* First output replaces None, further ones make a tuple.  Takes both references. */
static PyObject *append(PyObject *result, PyObject *item) {
    if (!item) {
        Py_XDECREF(result);
        return NULL;
    }
    if (result == Py_None) {
        Py_DECREF(result);
        return item;
    }
    PyObject *head = PyTuple_Check(result) ? result : PyTuple_Pack(1, result);
    PyObject *tail = PyTuple_Pack(1, item);
    PyObject *both = head && tail ? PySequence_Concat(head, tail) : NULL;
    if (head != result) Py_XDECREF(head);
    Py_XDECREF(tail);
    Py_DECREF(result);
    Py_DECREF(item);
    return both;
}

static int put(PyObject *dict, const char *key, PyObject *value) {
    int ok = value && PyDict_SetItemString(dict, key, value) == 0;
    Py_XDECREF(value);
    return ok;
}

static PyObject *text_object(const char *text) {
    if (!text) Py_RETURN_NONE;
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

/* None when the rank is unknown or there is no such array. */
static PyObject *dims_object(const int64_t *dims, int32_t rank) {
    if (rank < 0 || (!dims && rank > 0)) Py_RETURN_NONE;
    PyObject *list = PyList_New(rank);
    for (int32_t i = 0; list && i < rank; i++) {
        PyObject *item = PyLong_FromLongLong(dims[i]);
        if (!item || PyList_SetItem(list, i, item)) Py_CLEAR(list);
    }
    return list;
}

static PyObject *names_object(const char *const *names, int32_t rank) {
    if (rank < 0 || !names) Py_RETURN_NONE;
    PyObject *list = PyList_New(rank);
    for (int32_t i = 0; list && i < rank; i++) {
        PyObject *item = text_object(names[i]);
        if (!item || PyList_SetItem(list, i, item)) Py_CLEAR(list);
    }
    return list;
}

/* ---- in ---- */

/* str or bytes; None is NULL.  The pointer lives as long as the object. */
static int text_of(PyObject *object, const char **out, size_t *out_size) {
    Py_ssize_t size = 0;
    *out = NULL;
    *out_size = 0;
    if (object == Py_None) return 1;
    if (PyUnicode_Check(object)) {
        *out = PyUnicode_AsUTF8AndSize(object, &size);
    } else {
        char *bytes = NULL;
        if (PyBytes_AsStringAndSize(object, &bytes, &size) == 0) *out = bytes;
    }
    *out_size = (size_t)size;
    return *out != NULL;
}

/* A contiguous buffer of items of `item_size` bytes; None is none.  view->obj is NULL when there is nothing to release. */
static int buffer_of(PyObject *object, int writable, size_t item_size, Py_buffer *view, void **out, size_t *out_count) {
    memset(view, 0, sizeof *view);
    *out = NULL;
    *out_count = 0;
    if (object == Py_None) return 1;
    if (PyObject_GetBuffer(object, view, writable ? PyBUF_WRITABLE : PyBUF_SIMPLE)) return 0;
    if ((size_t)view->len % item_size) {
        PyErr_Format(PyExc_ValueError, "a buffer of %zd bytes does not hold items of %zu bytes", view->len, item_size);
        PyBuffer_Release(view);
        return 0;
    }
    *out = view->buf;
    *out_count = (size_t)view->len / item_size;
    return 1;
}

/* Fields of a dict that fills a struct.  Absent keys leave the default; unknown keys are the caller's own mistake. */
static PyObject *field_of(PyObject *dict, const char *key) {
    PyObject *name = PyUnicode_FromString(key);
    PyObject *value = name ? PyDict_GetItemWithError(dict, name) : NULL;
    Py_XDECREF(name);
    return value == Py_None ? NULL : value;
}

static int take_int64(PyObject *dict, const char *key, int64_t *out) {
    PyObject *value = field_of(dict, key);
    if (value) *out = PyLong_AsLongLong(value);
    return !PyErr_Occurred();
}

static int take_uint64(PyObject *dict, const char *key, uint64_t *out) {
    PyObject *value = field_of(dict, key);
    if (value) *out = PyLong_AsUnsignedLongLong(value);
    return !PyErr_Occurred();
}

static int take_int32(PyObject *dict, const char *key, int32_t *out) {
    int64_t wide = *out;
    if (!take_int64(dict, key, &wide)) return 0;
    *out = (int32_t)wide;
    if (*out != wide) PyErr_Format(PyExc_OverflowError, "%s does not fit in 32 bits", key);
    return *out == wide;
}

static int take_text(PyObject *dict, const char *key, const char **out, uint64_t *out_size) {
    PyObject *value = field_of(dict, key);
    size_t size = 0;
    if (value && !text_of(value, out, &size)) return 0;
    if (value) *out_size = size;
    return !PyErr_Occurred();
}

/* An array('q'); its items live as long as the dict. */
static int take_dims(PyObject *dict, const char *key, const int64_t **out, int32_t *out_rank) {
    PyObject *value = field_of(dict, key);
    Py_buffer view;
    void *items;
    size_t count;
    if (!value) return !PyErr_Occurred();
    if (!buffer_of(value, 0, sizeof **out, &view, &items, &count)) return 0;
    *out = items;
    *out_rank = count > INT32_MAX ? INT32_MAX : (int32_t)count;
    PyBuffer_Release(&view);
    return 1;
}

static int take_handle(PyObject *dict, const char *key, void **out, swig_type_info *type) {
    PyObject *value = field_of(dict, key);
    if (!value) return !PyErr_Occurred();
    if (SWIG_IsOK(SWIG_ConvertPtr(value, out, type, 0))) return 1;
    PyErr_Format(PyExc_TypeError, "%s is not the handle it should be", key);
    return 0;
}

/* ---- errors ---- */

static PyObject *error_factory; /* callable(dict) that gives the exception to raise; set by ge.error */

static void set_error_factory(PyObject *factory) {
    Py_INCREF(factory);
    Py_XDECREF(error_factory);
    error_factory = factory;
}

static PyObject *dict_of_ge_error_info(const ge_error_info *s);

static PyObject *record_of(const ge_error *error) {
    ge_error_info info;
    memset(&info, 0, sizeof info);
    if (ge_error_get_info(error, &info, sizeof info) != GE_OK) info.status = GE_ERR_INTERNAL;
    PyObject *dict = dict_of_ge_error_info(&info);
    PyObject *details = PyDict_New(), *causes = PyList_New(0);
    int ok = dict && details && causes && put(dict, "name", text_object(ge_status_name(info.status)));
    for (uint32_t i = 0; ok && i < info.details_count; i++) {
        const char *key, *value;
        if (ge_error_get_detail(error, i, &key, &value) == GE_OK) ok = put(details, key, text_object(value));
    }
    for (uint32_t i = 0; ok && i < info.causes_count; i++) {
        ge_status status;
        const char *message;
        if (ge_error_get_cause(error, i, &status, &message) != GE_OK) continue;
        PyObject *cause = Py_BuildValue("(iss)", (int)status, ge_status_name(status), message);
        ok = cause && PyList_Append(causes, cause) == 0;
        Py_XDECREF(cause);
    }
    ok = ok && PyDict_SetItemString(dict, "details", details) == 0 && PyDict_SetItemString(dict, "causes", causes) == 0;
    Py_XDECREF(details);
    Py_XDECREF(causes);
    if (!ok) Py_CLEAR(dict);
    return dict;
}

/* Raises the record of the call that just failed on this thread. */
static void raise_taken(void) {
    ge_error *error = NULL;
    ge_error_take(&error);
    PyObject *record = record_of(error);
    ge_error_release(error);
    PyObject *exception = record && error_factory ? PyObject_CallFunctionObjArgs(error_factory, record, NULL) : NULL;
    if (exception) PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
    else if (!PyErr_Occurred()) PyErr_SetString(PyExc_RuntimeError, "ge failed before its error class was there");
    Py_XDECREF(exception);
    Py_XDECREF(record);
}

#endif
