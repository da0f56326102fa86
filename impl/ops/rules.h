/* SPDX-License-Identifier: Apache-2.0 */
/* rules: what shape rules and reference kernels of rows are written with, beyond op.h.  Rows include this one. */
#ifndef GEI_OPS_RULES_H
#define GEI_OPS_RULES_H

#include "ops/op.h"

#define GEI_MAX_BROADCAST 32 /* inputs of one broadcasting node */

/* ---- known contents of small integer tensors ---- */
gei_elem gei_elem_number(int64_t number);
gei_elem gei_elem_dim(gei_dim dim);
/* Element count when the info can carry elements: integer or bool, shape known, at most GEI_MAX_ELEMS.  info may be NULL. */
bool gei_info_elem_count(const gei_info *info, size_t *out_count);
gei_elem gei_info_elem(const gei_info *info, size_t index); /* index below the count; not known when neither tensor nor elems */
/* Fresh elements for output `out` (cleared to "not known"), attached to it; NULL when out of memory. */
gei_elem *gei_infer_new_elems(gei_infer *i, uint32_t out, size_t count);

/* ---- inputs ---- */
const gei_info *gei_infer_in(const gei_infer *i, uint32_t slot);   /* NULL when absent or out of range */
int32_t gei_infer_slot(const gei_infer *i, const char *port);      /* first slot of a port; -1 when nothing is there */
const char *gei_infer_port(const gei_infer *i, uint32_t slot);     /* name of its port */

/* ---- checks: fail naming the node and the values ---- */
ge_status gei_node_fail(const gei_node *node, gei_diag *diag, ge_status status, const char *port, const char *format, ...)
    __attribute__((format(printf, 5, 6))); /* gei_infer_fail for where there is no gei_infer */
ge_status gei_infer_axis(const gei_infer *i, const char *what, int64_t axis, int32_t rank, int32_t *out_axis);
/* Distinct axes as a bit mask. */
ge_status gei_infer_axes(const gei_infer *i, const char *what, const int64_t *axes, size_t count, int32_t rank, uint32_t *out_mask);
ge_status gei_infer_rank(const gei_infer *i, uint32_t slot, int32_t least, int32_t most); /* unknown rank passes */
/* Slots [first, first + count) have one dtype; undefined ones are passed over. */
ge_status gei_infer_same_dtype(const gei_infer *i, uint32_t first, uint32_t count, int32_t *out_dtype);

/* Part 0 gives the message, the others only the status. */
ge_status gei_run_fail(const gei_run *run, uint32_t part, const char *port, const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Elements of an integer input whose contents the shape depends on (needs_value), while sizing.  More than cap: an error. */
ge_status gei_sizing_ints(const gei_sizing *s, uint32_t slot, int64_t *out, size_t cap, size_t *out_count, gei_diag *diag);

/* ---- words for messages, which know no lists ---- */
typedef struct gei_words {
    char text[160];
} gei_words;
const char *gei_shape_words(const gei_shape *s, gei_words *to);
const char *gei_ints_words(const int64_t *values, size_t count, gei_words *to);

/* ---- dims that may be unknown or symbols ---- */
gei_dim gei_dim_times(gei_dim a, gei_dim b); /* also unknown when it does not fit int64 */
gei_dim gei_dim_plus(gei_dim a, gei_dim b);
gei_dim gei_dim_product(const gei_shape *s, int32_t begin, int32_t end); /* of dims [begin, end); 1 when there are none */

/* ---- running: small inputs as numbers, whatever their type ---- */
double gei_view_f64(const gei_view *v, int64_t index);
int64_t gei_view_i64(const gei_view *v, int64_t index);
void gei_view_numbers(const gei_view *v, double *out); /* all elements */

#endif
