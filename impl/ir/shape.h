/* SPDX-License-Identifier: Apache-2.0 */
/* shape: rank and dims, known or not.  A dim is >= 0 when known, GEI_DIM_UNKNOWN, or a symbol: two dims with the same symbol are
 * equal in every run.  Symbols are numbered per graph (gei_symbols, names from the model file or made up). */
#ifndef GEI_IR_SHAPE_H
#define GEI_IR_SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

#define GEI_MAX_RANK 8
#define GEI_RANK_UNKNOWN (-1)

typedef int64_t gei_dim;
#define GEI_DIM_UNKNOWN ((gei_dim)-1)

static inline bool gei_dim_known(gei_dim d) { return d >= 0; }
static inline bool gei_dim_is_symbol(gei_dim d) { return d <= -2; }
static inline gei_dim gei_dim_symbol(uint32_t symbol) { return -2 - (gei_dim)symbol; }
static inline uint32_t gei_dim_symbol_index(gei_dim d) { return (uint32_t)(-2 - d); }
/* Certainly equal: same number or same symbol. */
static inline bool gei_dim_same(gei_dim a, gei_dim b) { return a == b && a != GEI_DIM_UNKNOWN; }

typedef struct gei_shape {
    int32_t rank; /* GEI_RANK_UNKNOWN, or 0 (scalar) .. GEI_MAX_RANK */
    int32_t reserved;
    gei_dim dims[GEI_MAX_RANK];
} gei_shape;

gei_shape gei_shape_unknown(void);
gei_shape gei_shape_scalar(void);
gei_shape gei_shape_of(int32_t rank, const gei_dim *dims); /* rank within limits */
bool gei_shape_known(const gei_shape *s);                  /* rank and every dim */
bool gei_shape_same(const gei_shape *a, const gei_shape *b); /* certainly equal */
bool gei_shape_fits(const gei_shape *a, const gei_shape *b); /* may be equal: known parts agree */
/* Product of known dims; false when not known or it overflows int64. */
bool gei_shape_elems(const gei_shape *s, int64_t *out_elems);
/* Normalises a negative axis; false when out of [-rank, rank). */
bool gei_axis(int64_t axis, int32_t rank, int32_t *out_axis);
/* Writes "[2,?,n]" (symbol names through `names`, NULL: s0 s1 ...) and returns the length; cut at cap. */
size_t gei_shape_text(const gei_shape *s, const char *const *names, char *to, size_t cap);

#endif
