/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

#define SHOWN_BYTES 300 /* room for a name or a port in a message */

/* What is known of one input before its value is made. */
typedef struct plan {
    const char *path;   /* data comes from this file, or */
    fill how;           /* from here; FILL_NONE with no path: left out */
    bool has_array;
    npy_array array;    /* owned until a tensor takes it over */
    bool has_dims;
    int32_t rank;
    int64_t dims[NPY_MAX_RANK];
} plan;

typedef struct maker {
    const model *m;
    plan *plans; /* owned, one per input */
    fill otherwise;
    int64_t unknown_dim;
} maker;

/* ---- the command line ---------------------------------------------------------------------------------------------- */

bool inputs_parse_dims(const char *text, int64_t *dims, int32_t *out_rank) {
    int32_t rank = 0;
    if (text[0] == 0) {
        *out_rank = 0;
        return true;
    }
    for (;;) {
        size_t size = strcspn(text, "xX,");
        uint64_t n;
        if (rank == NPY_MAX_RANK || !args_read_u64(text, size, &n) || n > INT64_MAX) return false;
        dims[rank++] = (int64_t)n;
        if (text[size] == 0) break;
        text += size + 1;
    }
    *out_rank = rank;
    return true;
}

/* The input whose name and '=' start `text`: names may themselves hold '='.  SIZE_MAX: none. */
static size_t named_input(const model *m, const char *text, const char **out_rest) {
    for (size_t i = 0; i < m->inputs.count; i++) {
        const char *name = m->inputs.infos[i].name;
        size_t size = name ? strlen(name) : 0;
        if (name && strncmp(text, name, size) == 0 && text[size] == '=') {
            *out_rest = text + size + 1;
            return i;
        }
    }
    return SIZE_MAX;
}

static int no_such_input(const model *m, const char *option, const char *text) {
    char word[SHOWN_BYTES], list[2 * SHOWN_BYTES] = "";
    const char **names = calloc(m->inputs.count + 1, sizeof *names);
    snprintf(word, sizeof word, "%.*s", (int)strcspn(text, "="), text);
    for (size_t i = 0; names && i < m->inputs.count; i++) {
        names[i] = m->inputs.infos[i].name;
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
    }
    const char *near = names ? args_nearest(word, names, m->inputs.count) : NULL;
    int code = near ? cli_fail(CLI_BAD_INPUT, "--%s: the model has no input '%s'; did you mean '%s'?", option, word, near)
                    : cli_fail(CLI_BAD_INPUT, "--%s: the model has no input '%s'; it has: %s", option, word, list);
    free(names);
    return code;
}

static int take_source(maker *mk, const char *text) {
    const char *source;
    fill how;
    size_t i = named_input(mk->m, text, &source);
    if (i == SIZE_MAX && fill_parse(text, &how)) {
        mk->otherwise = how;
        return CLI_OK;
    }
    if (i == SIZE_MAX && !strchr(text, '=') && mk->m->inputs.count == 1) {
        i = 0;
        source = text;
    }
    if (i == SIZE_MAX) return no_such_input(mk->m, "input", text);
    plan *p = &mk->plans[i];
    if (p->path || p->how.kind != FILL_NONE) {
        return cli_fail(CLI_USAGE, "--input: '%s' is given twice", mk->m->inputs.infos[i].name);
    }
    if (!fill_parse(source, &p->how)) p->path = source;
    if (p->path && strncmp(source, "random:", 7) == 0) {
        return cli_fail(CLI_USAGE, "--input: the seed in '%s' is no whole number below 2^64", source);
    }
    return CLI_OK;
}

static int take_shape(maker *mk, const char *text) {
    const char *dims;
    size_t i = named_input(mk->m, text, &dims);
    if (i == SIZE_MAX && !strchr(text, '=') && mk->m->inputs.count == 1) {
        i = 0;
        dims = text;
    }
    if (i == SIZE_MAX) return no_such_input(mk->m, "shape", text);
    plan *p = &mk->plans[i];
    if (p->has_dims) return cli_fail(CLI_USAGE, "--shape: '%s' is given twice", mk->m->inputs.infos[i].name);
    if (!inputs_parse_dims(dims, p->dims, &p->rank)) {
        return cli_fail(CLI_USAGE, "--shape: '%s' is no list of at most %d sizes, such as 1x3x224x224", dims, NPY_MAX_RANK);
    }
    p->has_dims = true;
    return CLI_OK;
}

static int take_options(maker *mk, const arg_values *args) {
    for (size_t i = 0; i < args->n_given; i++) {
        const char *option = args->given[i].option->name;
        int code = CLI_OK;
        if (strcmp(option, "input") == 0) code = take_source(mk, args->given[i].value);
        if (strcmp(option, "shape") == 0) code = take_shape(mk, args->given[i].value);
        if (code != CLI_OK) return code;
    }
    for (size_t i = 0; i < mk->m->inputs.count; i++) {
        plan *p = &mk->plans[i];
        if (!p->path && p->how.kind == FILL_NONE && !mk->m->inputs.infos[i].is_optional) p->how = mk->otherwise;
    }
    return CLI_OK;
}

/* ---- shapes -------------------------------------------------------------------------------------------------------- */

static void dims_text(int32_t rank, const int64_t *dims, char *to, size_t cap) {
    ge_io_info info = { .rank = rank, .dims = dims };
    model_dims_text(&info, to, cap);
}

/* The shape must be one the input takes; `origin` says where it came from. */
static int check_dims(const ge_io_info *info, int32_t rank, const int64_t *dims, const char *origin) {
    bool fits = info->rank < 0 || info->rank == rank;
    for (int32_t d = 0; fits && info->rank >= 0 && d < rank; d++) fits = info->dims[d] < 0 || info->dims[d] == dims[d];
    if (fits) return CLI_OK;
    char wanted[SHOWN_BYTES], found[SHOWN_BYTES];
    model_dims_text(info, wanted, sizeof wanted);
    dims_text(rank, dims, found, sizeof found);
    return cli_fail(CLI_BAD_INPUT, "input '%s' wants shape %s, %s has %s", info->name, wanted, origin, found);
}

/* The size another input, whose shape is settled, has for the same symbol; -1: nothing tells. */
static int64_t dim_of_symbol(const maker *mk, const char *symbol) {
    for (size_t i = 0; symbol && i < mk->m->inputs.count; i++) {
        const ge_io_info *info = &mk->m->inputs.infos[i];
        if (!mk->plans[i].has_dims || !info->dim_names || info->rank != mk->plans[i].rank) continue;
        for (int32_t d = 0; d < info->rank; d++) {
            if (info->dim_names[d] && strcmp(info->dim_names[d], symbol) == 0) return mk->plans[i].dims[d];
        }
    }
    return -1;
}

static int unknown_shape(const ge_io_info *info) {
    char port[SHOWN_BYTES], example[SHOWN_BYTES] = "";
    model_dims_text(info, port, sizeof port);
    for (int32_t d = 0; d < info->rank; d++) {
        size_t used = strlen(example);
        snprintf(example + used, sizeof example - used, "%s%lld", d ? "x" : "", info->dims[d] < 0 ? 1LL : (long long)info->dims[d]);
    }
    if (info->rank < 0) snprintf(example, sizeof example, "1x1");
    return cli_fail(CLI_BAD_INPUT, "input '%s' has shape %s, so made-up data needs one: --shape %s=%s", info->name, port, info->name,
                    example);
}

static int settle_dims(maker *mk, size_t i) {
    const ge_io_info *info = &mk->m->inputs.infos[i];
    plan *p = &mk->plans[i];
    if (p->has_dims) return CLI_OK;
    if (info->rank < 0 || info->rank > NPY_MAX_RANK) return unknown_shape(info);
    for (int32_t d = 0; d < info->rank; d++) {
        int64_t dim = info->dims[d];
        if (dim < 0) dim = dim_of_symbol(mk, info->dim_names ? info->dim_names[d] : NULL);
        if (dim < 0) dim = mk->unknown_dim > 0 ? mk->unknown_dim : -1;
        if (dim < 0) return unknown_shape(info);
        p->dims[d] = dim;
    }
    p->rank = info->rank;
    p->has_dims = true;
    return CLI_OK;
}

/* ---- data ---------------------------------------------------------------------------------------------------------- */

static int read_input(maker *mk, size_t i) {
    const ge_io_info *info = &mk->m->inputs.infos[i];
    plan *p = &mk->plans[i];
    char why[NPY_WHY_BYTES], origin[SHOWN_BYTES];
    if (npy_read_file(p->path, info->dtype, &p->array, why) != 0) {
        return cli_fail(CLI_BAD_INPUT, "input '%s': %s: %s", info->name, p->path, why);
    }
    p->has_array = true;
    if (p->array.dtype != info->dtype) {
        return cli_fail(CLI_BAD_INPUT, "input '%s' wants %s, %s holds %s", info->name, ge_dtype_get_name(info->dtype), p->path,
                        ge_dtype_get_name(p->array.dtype));
    }
    snprintf(origin, sizeof origin, "%s", p->path);
    if (p->has_dims && (p->rank != p->array.rank || memcmp(p->dims, p->array.dims, sizeof(int64_t) * (size_t)p->rank) != 0)) {
        return cli_fail(CLI_BAD_INPUT, "input '%s': --shape says otherwise than %s; files have their own shape", info->name, p->path);
    }
    p->rank = p->array.rank;
    memcpy(p->dims, p->array.dims, sizeof p->dims);
    p->has_dims = true;
    return check_dims(info, p->rank, p->dims, origin);
}

static int make_input(maker *mk, size_t i) {
    const ge_io_info *info = &mk->m->inputs.infos[i];
    plan *p = &mk->plans[i];
    char why[NPY_WHY_BYTES];
    int code = settle_dims(mk, i);
    if (code == CLI_OK) code = check_dims(info, p->rank, p->dims, "--shape");
    if (code != CLI_OK) return code;
    if (fill_make(p->how, i, info->dtype, p->rank, p->dims, &p->array, why) != 0) {
        return cli_fail(CLI_BAD_INPUT, "input '%s': %s", info->name, why);
    }
    p->has_array = true;
    return CLI_OK;
}

static void release_array(void *user_data, uint8_t *data, size_t data_size) {
    (void)data;
    (void)data_size;
    free(user_data);
}

/* A tensor over the array's memory, which it takes over; strings are copied. */
static ge_status make_tensor(const model *m, npy_array *array, ge_tensor **out) {
    ge_tensor_desc desc = GE_TENSOR_DESC_INIT;
    desc.dtype = array->dtype;
    desc.rank = array->rank;
    desc.dims = array->rank > 0 ? array->dims : NULL;
    if (array->dtype == GE_DTYPE_STRING) {
        ge_status status = ge_tensor_create(m->context, &desc, out);
        if (status != GE_OK) return status;
        return ge_tensor_set_strings(*out, array->data, array->size_bytes, array->offsets, (size_t)array->n_elems + 1);
    }
    ge_memory memory = GE_MEMORY_INIT;
    memory.data = array->data;
    memory.data_size = array->size_bytes;
    memory.release = release_array;
    memory.user_data = array->owner;
    array->owner = NULL; /* released by the library, also when the call fails */
    return ge_tensor_create_over(m->context, &desc, &memory, out);
}

static int make_value(const maker *mk, size_t i, ge_value **out) {
    const ge_io_info *info = &mk->m->inputs.infos[i];
    plan *p = &mk->plans[i];
    ge_tensor *tensor = NULL;
    int code = CLI_OK;
    if (!p->has_array) return CLI_OK;
    if (make_tensor(mk->m, &p->array, &tensor) != GE_OK || ge_value_create_from_tensor(tensor, out) != GE_OK) {
        char subject[SHOWN_BYTES];
        snprintf(subject, sizeof subject, "input '%s'", info->name);
        code = model_fail(CLI_BAD_INPUT, subject);
    }
    ge_tensor_destroy(tensor);
    return code;
}

/* Files first: their shapes may settle symbols that made-up data needs. */
static int make_all(maker *mk, inputs *out) {
    int code = CLI_OK;
    for (size_t i = 0; code == CLI_OK && i < out->count; i++) {
        const ge_io_info *info = &mk->m->inputs.infos[i];
        const plan *p = &mk->plans[i];
        bool is_given = p->path || p->how.kind != FILL_NONE;
        if (!is_given && !info->is_optional) {
            code = cli_fail(CLI_BAD_INPUT, "input '%s' has no data: --input %s=FILE.npy, or zeros, ones, random", info->name, info->name);
        } else if (is_given && info->kind != GE_VALUE_TENSOR) {
            code = cli_fail(CLI_BAD_INPUT, "input '%s' is no tensor; only the library's functions can fill it", info->name);
        } else if (p->path) {
            code = read_input(mk, i);
        }
    }
    for (size_t i = 0; code == CLI_OK && i < out->count; i++) {
        if (mk->plans[i].how.kind != FILL_NONE) code = make_input(mk, i);
    }
    for (size_t i = 0; code == CLI_OK && i < out->count; i++) code = make_value(mk, i, &out->values[i]);
    return code;
}

int inputs_make(const arg_values *args, const model *m, fill otherwise, int64_t unknown_dim, inputs *out) {
    maker mk = { .m = m, .otherwise = otherwise, .unknown_dim = unknown_dim };
    *out = (inputs){ calloc(m->inputs.count + 1, sizeof(ge_value *)), m->inputs.count };
    mk.plans = calloc(m->inputs.count + 1, sizeof *mk.plans);
    int code = out->values && mk.plans ? take_options(&mk, args) : cli_fail(CLI_FAILED, "out of memory");
    if (code == CLI_OK) code = make_all(&mk, out);
    for (size_t i = 0; mk.plans && i < m->inputs.count; i++) npy_deinit(&mk.plans[i].array);
    free(mk.plans);
    return code;
}

void inputs_deinit(inputs *in) {
    for (size_t i = 0; in->values && i < in->count; i++) ge_value_destroy(in->values[i]);
    free(in->values);
    *in = (inputs){ 0 };
}
