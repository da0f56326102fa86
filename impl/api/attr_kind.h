/* SPDX-License-Identifier: Apache-2.0 */
/* attr_kind: the one table between the public numbers of attribute kinds, which are GE's, and our own. */
#ifndef GEI_API_ATTR_KIND_H
#define GEI_API_ATTR_KIND_H

#include "ge_c_api.h"
#include "ir/attr_items.h"

#define GEI_ATTR_KIND_TABLE(X)                   \
    X(GE_ATTR_STRING, GEI_ATTR_STRING)           \
    X(GE_ATTR_FLOAT, GEI_ATTR_FLOAT)             \
    X(GE_ATTR_BOOL, GEI_ATTR_BOOL)               \
    X(GE_ATTR_INT, GEI_ATTR_INT)                 \
    X(GE_ATTR_TENSOR, GEI_ATTR_TENSOR)           \
    X(GE_ATTR_BYTES, GEI_ATTR_BYTES)             \
    X(GE_ATTR_LIST_LIST_INT, GEI_ATTR_INT_LISTS) \
    X(GE_ATTR_DATA_TYPE, GEI_ATTR_DTYPE)         \
    X(GE_ATTR_LIST_LIST_FLOAT, GEI_ATTR_FLOAT_LISTS) \
    X(GE_ATTR_LIST_STRING, GEI_ATTR_STRINGS)     \
    X(GE_ATTR_LIST_FLOAT, GEI_ATTR_FLOATS)       \
    X(GE_ATTR_LIST_BOOL, GEI_ATTR_BOOLS)         \
    X(GE_ATTR_LIST_INT, GEI_ATTR_INTS)           \
    X(GE_ATTR_LIST_TENSOR, GEI_ATTR_TENSORS)     \
    X(GE_ATTR_LIST_BYTES, GEI_ATTR_BYTES_LIST)   \
    X(GE_ATTR_LIST_DATA_TYPE, GEI_ATTR_DTYPES)

/* GEI_ATTR_NONE for GE_ATTR_NONE and unknown numbers. */
static inline gei_attr_kind gei_attr_kind_in(ge_attr_kind kind) {
    switch (kind) {
#define X(outer, inner) \
    case outer: return inner;
        GEI_ATTR_KIND_TABLE(X)
#undef X
    default: return GEI_ATTR_NONE;
    }
}

/* GE_ATTR_NONE for kinds the interface does not know. */
static inline ge_attr_kind gei_attr_kind_out(gei_attr_kind kind) {
    switch (kind) {
#define X(outer, inner) \
    case inner: return outer;
        GEI_ATTR_KIND_TABLE(X)
#undef X
    default: return GE_ATTR_NONE;
    }
}

#endif
