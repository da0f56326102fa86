/* SPDX-License-Identifier: Apache-2.0 */
/* The flat module ge._raw: every function of the header under its own name.
 *
 *   pointer and size          one argument: str, bytes or a buffer
 *   caller buffer             a writable buffer, or None to ask for the size
 *   out-parameters            results, in order; more than one come as a tuple
 *   structs                   dicts
 *   status                    an exception made by set_error_factory's callable, from the record of the same call
 *
 * ge_patterns.i, generated from the header, says which parameter follows which pattern. */
%module(threads="1") _proxies
%nothread;

%{
#include <string.h>
#include <ge_c_api.h>
#include "support.h"
%}

%include <stdint.i>

/* A failed call raises; a successful one gives what its out-parameters give. */
%typemap(out) ge_status {
  if ($1 != GE_OK) {
    raise_taken();
    SWIG_fail;
  }
  $result = SWIG_Py_Void();
}
/* These two return a status as their value. */
%typemap(out) ge_status ge_error_get_status "$result = PyLong_FromLong($1);"

/* ---- text ---- */
%typemap(in) (const char *TEXT, size_t TEXT_SIZE) {
  if (!text_of($input, (const char **)&$1, &$2)) SWIG_fail;
}
%typemap(in) (const char *const *TEXTS, size_t TEXTS_COUNT) (const char **items = NULL) {
  Py_ssize_t n = $input == Py_None ? 0 : PySequence_Size($input);
  if (n < 0 || !(items = PyMem_Calloc((size_t)n + 1, sizeof *items))) SWIG_fail;
  for (Py_ssize_t i = 0; i < n; i++) {
    size_t size;
    PyObject *item = PySequence_GetItem($input, i);
    int ok = item && text_of(item, &items[i], &size);
    Py_XDECREF(item); /* the sequence keeps it */
    if (!ok) SWIG_fail;
  }
  $1 = ($1_ltype)items;
  $2 = (size_t)n;
}
%typemap(freearg) (const char *const *TEXTS, size_t TEXTS_COUNT) "PyMem_Free(items$argnum);"
%typemap(in, numinputs=0) const char **TEXT_OUT (const char *text = NULL) "$1 = ($1_ltype)&text;"
%typemap(argout) const char **TEXT_OUT {
  if (!($result = append($result, text_object(*$1)))) SWIG_fail;
}
%typemap(in, numinputs=0) (const char **SIZED_TEXT_OUT, size_t *SIZED_TEXT_OUT_SIZE) (const char *text = NULL, size_t size = 0) {
  $1 = ($1_ltype)&text;
  $2 = &size;
}
%typemap(argout) (const char **SIZED_TEXT_OUT, size_t *SIZED_TEXT_OUT_SIZE) {
  if (!($result = append($result, PyUnicode_DecodeUTF8(*$1 ? *$1 : "", (Py_ssize_t)*$2, "surrogateescape")))) SWIG_fail;
}
%typemap(in) (const char **TEXTS_OUT, size_t TEXTS_OUT_COUNT) (const char **items = NULL) {
  Py_ssize_t n = PyLong_AsSsize_t($input);
  if (n < 0 || !(items = PyMem_Calloc((size_t)n + 1, sizeof *items))) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "a count is wanted");
    SWIG_fail;
  }
  $1 = ($1_ltype)(n ? items : NULL);
  $2 = (size_t)n;
}
%typemap(argout) (const char **TEXTS_OUT, size_t TEXTS_OUT_COUNT) {
  PyObject *list = PyList_New(0);
  for (size_t i = 0; list && i < $2; i++) {
    PyObject *item = text_object(items$argnum[i]);
    if (!item || PyList_Append(list, item)) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  if (!($result = append($result, list))) SWIG_fail;
}
%typemap(freearg) (const char **TEXTS_OUT, size_t TEXTS_OUT_COUNT) "PyMem_Free(items$argnum);"

/* ---- arrays and buffers ---- */
%define ARRAYS(CTYPE)
%typemap(in) (const CTYPE *ITEMS, size_t ITEMS_COUNT) (Py_buffer view = {0}) {
  void *p;
  if (!buffer_of($input, 0, sizeof(CTYPE), &view, &p, &$2)) SWIG_fail;
  $1 = p;
}
%typemap(freearg) (const CTYPE *ITEMS, size_t ITEMS_COUNT) "PyBuffer_Release(&view$argnum);"
%typemap(in) (CTYPE *ITEMS_OUT, size_t ITEMS_OUT_COUNT) (Py_buffer view = {0}) {
  void *p;
  if (!buffer_of($input, 1, sizeof(CTYPE), &view, &p, &$2)) SWIG_fail;
  $1 = p;
}
%typemap(freearg) (CTYPE *ITEMS_OUT, size_t ITEMS_OUT_COUNT) "PyBuffer_Release(&view$argnum);"
%enddef
ARRAYS(uint8_t)
ARRAYS(int32_t)
ARRAYS(int64_t)
ARRAYS(uint64_t)
ARRAYS(float)
ARRAYS(double)
%typemap(in) (char *BUFFER, size_t BUFFER_SIZE) (Py_buffer view = {0}) {
  void *p;
  if (!buffer_of($input, 1, 1, &view, &p, &$2)) SWIG_fail;
  $1 = p;
}
%typemap(freearg) (char *BUFFER, size_t BUFFER_SIZE) "PyBuffer_Release(&view$argnum);"

/* ---- numbers and addresses out ---- */
%define OUT_NUMBER(CTYPE, FROM)
%typemap(in, numinputs=0) CTYPE *NUMBER_OUT (CTYPE number = 0) "$1 = &number;"
%typemap(argout) CTYPE *NUMBER_OUT {
  if (!($result = append($result, FROM(*$1)))) SWIG_fail;
}
%enddef
OUT_NUMBER(int32_t, PyLong_FromLong)
OUT_NUMBER(uint32_t, PyLong_FromUnsignedLong)
OUT_NUMBER(int64_t, PyLong_FromLongLong)
OUT_NUMBER(uint64_t, PyLong_FromUnsignedLongLong)
OUT_NUMBER(size_t, PyLong_FromSize_t)
%typemap(in, numinputs=0) void **ADDRESS_OUT (void *address = NULL) "$1 = ($1_ltype)&address;"
%typemap(argout) void **ADDRESS_OUT {
  if (!($result = append($result, PyLong_FromVoidPtr((void *)*$1)))) SWIG_fail;
}

/* ---- handles ---- */
%define HANDLE(KIND)
%typemap(in, numinputs=0) KIND **HANDLE_OUT (KIND *handle = NULL) "$1 = &handle;"
%typemap(argout) KIND **HANDLE_OUT {
  if (!($result = append($result, SWIG_NewPointerObj(*$1, SWIGTYPE_p_##KIND, 0)))) SWIG_fail;
}
%typemap(in) (const KIND *const *HANDLES, size_t HANDLES_COUNT) (const KIND **items = NULL) {
  Py_ssize_t n = PySequence_Size($input);
  if (n < 0 || !(items = PyMem_Calloc((size_t)n + 1, sizeof *items))) SWIG_fail;
  for (Py_ssize_t i = 0; i < n; i++) {
    PyObject *item = PySequence_GetItem($input, i);
    int code = item ? SWIG_ConvertPtr(item, (void **)&items[i], SWIGTYPE_p_##KIND, 0) : SWIG_ERROR;
    Py_XDECREF(item);
    if (!SWIG_IsOK(code)) {
      if (!PyErr_Occurred()) PyErr_Format(PyExc_TypeError, "entry %zd is not a " #KIND, i);
      SWIG_fail;
    }
  }
  $1 = ($1_ltype)items;
  $2 = (size_t)n;
}
%typemap(freearg) (const KIND *const *HANDLES, size_t HANDLES_COUNT) "PyMem_Free(items$argnum);"
%typemap(in) (KIND **HANDLES_OUT, size_t HANDLES_OUT_COUNT) (KIND **items = NULL) {
  Py_ssize_t n = PyLong_AsSsize_t($input);
  if (n < 0 || !(items = PyMem_Calloc((size_t)n + 1, sizeof *items))) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "a count is wanted");
    SWIG_fail;
  }
  $1 = ($1_ltype)items;
  $2 = (size_t)n;
}
%typemap(argout) (KIND **HANDLES_OUT, size_t HANDLES_OUT_COUNT) {
  PyObject *list = PyList_New(0);
  for (size_t i = 0; list && i < $2; i++) {
    PyObject *item = SWIG_NewPointerObj(items$argnum[i], SWIGTYPE_p_##KIND, 0);
    if (!item || PyList_Append(list, item)) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  if (!($result = append($result, list))) SWIG_fail;
}
%typemap(freearg) (KIND **HANDLES_OUT, size_t HANDLES_OUT_COUNT) "PyMem_Free(items$argnum);"
%enddef

/* ---- structs ---- */
%define OUT_STRUCT(KIND)
%typemap(in, numinputs=0) (KIND *STRUCT_OUT, size_t STRUCT_OUT_SIZE) (KIND filled = {0}) {
  filled.struct_size = sizeof filled;
  $1 = &filled;
  $2 = sizeof filled;
}
%typemap(argout) (KIND *STRUCT_OUT, size_t STRUCT_OUT_SIZE) {
  if (!($result = append($result, dict_of_##KIND($1)))) SWIG_fail;
}
%typemap(in) (KIND *STRUCTS_OUT, size_t STRUCTS_OUT_COUNT, size_t STRUCT_SIZE) (KIND *items = NULL) {
  Py_ssize_t n = PyLong_AsSsize_t($input);
  if (n < 0 || !(items = PyMem_Calloc((size_t)n + 1, sizeof *items))) {
    if (!PyErr_Occurred()) PyErr_SetString(PyExc_ValueError, "a count is wanted");
    SWIG_fail;
  }
  for (Py_ssize_t i = 0; i < n; i++) items[i].struct_size = sizeof *items;
  $1 = ($1_ltype)(n ? items : NULL);
  $2 = (size_t)n;
  $3 = sizeof *items;
}
%typemap(argout) (KIND *STRUCTS_OUT, size_t STRUCTS_OUT_COUNT, size_t STRUCT_SIZE) {
  PyObject *list = PyList_New(0);
  for (size_t i = 0; list && i < $2; i++) {
    PyObject *item = dict_of_##KIND(&items$argnum[i]);
    if (!item || PyList_Append(list, item)) Py_CLEAR(list);
    Py_XDECREF(item);
  }
  if (!($result = append($result, list))) SWIG_fail;
}
%typemap(freearg) (KIND *STRUCTS_OUT, size_t STRUCTS_OUT_COUNT, size_t STRUCT_SIZE) "PyMem_Free(items$argnum);"
%enddef
%define IN_STRUCT(KIND)
%typemap(in) const KIND * (KIND filled) {
  $1 = NULL;
  if ($input != Py_None) {
    if (!PyDict_Check($input)) PyErr_SetString(PyExc_TypeError, "a dict of " #KIND " fields is wanted");
    if (PyErr_Occurred() || !KIND##_from_dict($input, &filled)) SWIG_fail;
    $1 = &filled;
  }
}
%enddef

%include "ge_patterns.i"

%{
#include "tensor_buffer.h"
%}
%init %{
  SWIG_Python_SetConstant(d, "Buffer", make_buffer_type());
%}
%typemap(in) PyObject * "$1 = $input;"
%typemap(out) PyObject * "$result = $1;"
%include "ge_c_api.h"

void set_error_factory(PyObject *factory);
int32_t dtype_of(const char *format);
PyObject *tensor_over_buffer(const ge_context *context, PyObject *object, int32_t dtype);
PyObject *tensor_to_capsule(const ge_tensor *tensor, int versioned);
PyObject *tensor_from_capsule(const ge_context *context, PyObject *capsule);
