/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/outputs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

#define FILE_NAME_BYTES 128

/* ---- elements ------------------------------------------------------------------------------------------------------ */

static double half_value(uint16_t bits) {
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    double size;
    if (exponent == 31) {
        size = fraction ? NAN : INFINITY;
    } else {
        size = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    }
    return bits >> 15 ? -size : size;
}

static double bfloat_value(uint16_t bits) {
    uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, sizeof value);
    return value;
}

#define READ(type)                                                            \
    {                                                                         \
        type elem;                                                            \
        memcpy(&elem, array->data + index * sizeof elem, sizeof elem);        \
        *out = (double)elem;                                                  \
        return true;                                                          \
    }

bool outputs_elem(const npy_array *array, uint64_t index, double *out) {
    uint16_t bits;
    switch (array->dtype) {
        case GE_DTYPE_FLOAT32: READ(float)
        case GE_DTYPE_FLOAT64: READ(double)
        case GE_DTYPE_INT8: case GE_DTYPE_QINT8: READ(int8_t)
        case GE_DTYPE_INT16: case GE_DTYPE_QINT16: READ(int16_t)
        case GE_DTYPE_INT32: case GE_DTYPE_QINT32: READ(int32_t)
        case GE_DTYPE_INT64: READ(int64_t)
        case GE_DTYPE_BOOL: case GE_DTYPE_UINT8: case GE_DTYPE_QUINT8: READ(uint8_t)
        case GE_DTYPE_UINT16: case GE_DTYPE_QUINT16: READ(uint16_t)
        case GE_DTYPE_UINT32: READ(uint32_t)
        case GE_DTYPE_UINT64: READ(uint64_t)
        case GE_DTYPE_FLOAT16: case GE_DTYPE_BFLOAT16:
            memcpy(&bits, array->data + index * sizeof bits, sizeof bits);
            *out = array->dtype == GE_DTYPE_FLOAT16 ? half_value(bits) : bfloat_value(bits);
            return true;
        default: return false;
    }
}

#undef READ

void outputs_measure(const npy_array *array, output_figures *out) {
    double sum = 0, value;
    uint64_t n = 0;
    *out = (output_figures){ .lowest = INFINITY, .highest = -INFINITY };
    for (uint64_t i = 0; i < array->n_elems && outputs_elem(array, i, &value); i++) {
        if (!isfinite(value)) {
            out->n_not_finite++;
            continue;
        }
        if (value < out->lowest) out->lowest = value;
        if (value > out->highest) out->highest = value;
        sum += value;
        n++;
    }
    out->is_known = n > 0;
    out->mean = n > 0 ? sum / (double)n : 0;
}

/* ---- tensors ------------------------------------------------------------------------------------------------------- */

int outputs_take_tensor(const ge_value *value, const char *name, ge_tensor **out) {
    ge_value_kind kind;
    ge_tensor_info info;
    *out = NULL;
    if (ge_value_get_kind(value, &kind) != GE_OK) return model_fail(CLI_FAILED, name);
    if (kind != GE_VALUE_TENSOR) return cli_fail(CLI_FAILED, "output '%s' is no tensor; only the library's functions can read it", name);
    if (ge_tensor_create_from_value(value, out) != GE_OK || ge_tensor_get_info(*out, &info, sizeof info) != GE_OK) {
        ge_tensor_destroy(*out);
        *out = NULL;
        return model_fail(CLI_FAILED, name);
    }
    if (info.is_dense) return CLI_OK;
    ge_tensor *dense = NULL;
    ge_status status = ge_tensor_copy(*out, &dense);
    ge_tensor_destroy(*out);
    *out = dense;
    return status == GE_OK ? CLI_OK : model_fail(CLI_FAILED, name);
}

int outputs_view(const ge_tensor *tensor, const char *name, npy_array *out) {
    ge_tensor_desc desc;
    ge_tensor_info info;
    const uint8_t *data = NULL;
    const uint64_t *offsets = NULL;
    size_t size = 0, n_offsets = 0;
    *out = (npy_array){ 0 };
    if (ge_tensor_get_desc(tensor, &desc, sizeof desc) != GE_OK) return model_fail(CLI_FAILED, name);
    if (ge_tensor_get_info(tensor, &info, sizeof info) != GE_OK) return model_fail(CLI_FAILED, name);
    if (desc.rank < 0 || desc.rank > NPY_MAX_RANK) return cli_fail(CLI_FAILED, "output '%s' has rank %d", name, desc.rank);
    ge_status status = desc.dtype == GE_DTYPE_STRING ? ge_tensor_get_strings(tensor, &data, &size, &offsets, &n_offsets)
                                                     : ge_tensor_get_data(tensor, &data, &size);
    if (status != GE_OK) return model_fail(CLI_FAILED, name);
    out->dtype = desc.dtype;
    out->rank = desc.rank;
    for (int32_t i = 0; i < desc.rank; i++) out->dims[i] = desc.dims[i];
    out->n_elems = info.elements_count;
    out->data = (uint8_t *)(uintptr_t)data; /* only read through */
    out->size_bytes = size;
    out->offsets = (uint64_t *)(uintptr_t)offsets;
    return CLI_OK;
}

/* ---- files --------------------------------------------------------------------------------------------------------- */

static void file_name(const char *name, char *to) {
    size_t n = 0;
    for (; name && name[n] && n < FILE_NAME_BYTES - 1; n++) {
        unsigned char c = (unsigned char)name[n];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        bool is_plain = is_letter || (strchr("_-+.", c) && !(n == 0 && c == '.'));
        to[n] = is_plain ? (char)c : '_';
    }
    to[n] = 0;
    if (n == 0) snprintf(to, FILE_NAME_BYTES, "output");
}

/* How many outputs before this one get the same file name. */
static size_t count_before(const model *m, size_t index, const char *name) {
    char other[FILE_NAME_BYTES];
    size_t count = 0;
    for (size_t i = 0; i < index; i++) {
        file_name(m->outputs.infos[i].name, other);
        count += strcmp(other, name) == 0;
    }
    return count;
}

int outputs_write(const char *dir, const model *m, size_t index, const npy_array *array, char *path, size_t path_cap) {
    char name[FILE_NAME_BYTES], why[NPY_WHY_BYTES];
    file_name(m->outputs.infos[index].name, name);
    size_t before = count_before(m, index, name);
    int used = before ? snprintf(path, path_cap, "%s/%s.%zu.npy", dir, name, before + 1) : snprintf(path, path_cap, "%s/%s.npy", dir, name);
    if (used < 0 || (size_t)used >= path_cap) return cli_fail(CLI_FAILED, "the path '%s' is too long", dir);
    return npy_write_file(path, array, why) == 0 ? CLI_OK : cli_fail(CLI_FAILED, "%s: %s", path, why);
}
