/* SPDX-License-Identifier: Apache-2.0 */
/* attr: the value of an attribute of a node, a graph or a port.  Lives in the arena of its graph; tensors are retained. */
#ifndef GEI_IR_ATTR_H
#define GEI_IR_ATTR_H

#include "base/arena.h"
#include "ir/tensor.h"

#define GEI_ATTR_MAX_DEPTH 32 /* of GEI_ATTR_NAMED inside GEI_ATTR_NAMED */

typedef enum gei_attr_kind { /* numbers of our own; api/attr_kind.h has the public ones */
    GEI_ATTR_NONE = 0,
    GEI_ATTR_INT = 1,
    GEI_ATTR_FLOAT = 2, /* 32 bits wide in IR; kept as float */
    GEI_ATTR_BOOL = 3,
    GEI_ATTR_STRING = 4,
    GEI_ATTR_DTYPE = 5,
    GEI_ATTR_TENSOR = 6,
    GEI_ATTR_BYTES = 7,
    GEI_ATTR_INTS = 8,
    GEI_ATTR_FLOATS = 9,
    GEI_ATTR_BOOLS = 10,
    GEI_ATTR_STRINGS = 11,
    GEI_ATTR_DTYPES = 12,
    GEI_ATTR_TENSORS = 13,
    GEI_ATTR_INT_LISTS = 14, /* list of list of int */
    GEI_ATTR_NAMED = 15,     /* nested list of named attributes */
    GEI_ATTR_FLOAT_LISTS = 16,
    GEI_ATTR_BYTES_LIST = 17
} gei_attr_kind;

typedef struct gei_text {
    const char *data; /* zero-terminated as well */
    size_t size;
} gei_text;

typedef struct gei_int_list {
    const int64_t *data;
    size_t count;
} gei_int_list;

typedef struct gei_float_list {
    const float *data;
    size_t count;
} gei_float_list;

typedef struct gei_attr {
    gei_attr_kind kind;
    uint32_t count; /* of lists; bytes of GEI_ATTR_BYTES */
    union {
        int64_t i;
        float f;
        bool b;
        int32_t dtype;
        gei_text s;
        gei_tensor *tensor;
        const void *bytes; /* in a set: zero-terminated as well */
        const int64_t *ints;
        const float *floats;
        const uint8_t *bools;
        const gei_text *strings; /* GEI_ATTR_BYTES_LIST too */
        const int32_t *dtypes;
        gei_tensor *const *tensors;
        const gei_int_list *lists;
        const gei_float_list *float_lists;
        const struct gei_named_attr *named;
    } v;
} gei_attr;

typedef struct gei_named_attr {
    const char *name; /* in the same arena, or static */
    gei_attr value;
} gei_named_attr;

/* A small ordered set of named attributes. */
typedef struct gei_attrs {
    gei_named_attr *items;
    uint32_t count, cap;
} gei_attrs;

gei_attr gei_attr_int(int64_t v);
gei_attr gei_attr_float(float v);
gei_attr gei_attr_bool(bool v);
gei_attr gei_attr_dtype(int32_t v);
gei_attr gei_attr_tensor(gei_tensor *v);                           /* borrows; set retains */
gei_attr gei_attr_text(const char *data, size_t size);             /* borrows; set copies */
gei_attr gei_attr_ints(const int64_t *data, size_t count);         /* borrows; set copies */
gei_attr gei_attr_floats(const float *data, size_t count);

const gei_attr *gei_attrs_find(const gei_attrs *attrs, const char *name); /* NULL when absent */
/* Copies name and value into the arena, retains tensors, replaces a former value. */
ge_status gei_attrs_set(gei_attrs *attrs, gei_arena *arena, const char *name, const gei_attr *value, gei_diag *diag);
bool gei_attrs_remove(gei_attrs *attrs, const char *name); /* releases its tensors */
void gei_attrs_release(gei_attrs *attrs);                  /* releases all tensors; memory goes with the arena */
bool gei_attr_equal(const gei_attr *a, const gei_attr *b); /* floats by their bits */
/* The same for one value: copies into the arena and retains; release drops the references of such a copy. */
ge_status gei_attr_copy(gei_arena *arena, const gei_attr *value, gei_attr *out, gei_diag *diag);
void gei_attr_release(const gei_attr *value);
const char *gei_attr_kind_name(gei_attr_kind kind);
static inline bool gei_attr_kind_is_list(gei_attr_kind kind) {
    return (kind >= GEI_ATTR_INTS && kind <= GEI_ATTR_INT_LISTS) || kind == GEI_ATTR_FLOAT_LISTS || kind == GEI_ATTR_BYTES_LIST;
}

#endif
