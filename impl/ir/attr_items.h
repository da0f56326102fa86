/* SPDX-License-Identifier: Apache-2.0 */
/* attr_items: an attribute as a flat row of items, the form in which interfaces and files carry it.
 * A single value is one item.  Integers carry INT, BOOL (0, 1) and DTYPE, single or list; of lists of lists each row lies behind its
 * length.  Statuses: GE_ERR_WRONG_KIND, GE_ERR_OUT_OF_RANGE (a number or count that the kind cannot hold), GE_ERR_LIMIT. */
#ifndef GEI_IR_ATTR_ITEMS_H
#define GEI_IR_ATTR_ITEMS_H

#include "ir/attr.h"

gei_attr gei_attr_empty(gei_attr_kind kind); /* 0, "", no tensor, no items */
/* Items the flat form has: texts and tensors count too, row lengths as well; a tensor attribute without its tensor has none. */
uint64_t gei_attr_item_count(const gei_attr *a);
bool gei_attr_has_ints(gei_attr_kind kind);
bool gei_attr_has_floats(gei_attr_kind kind);
bool gei_attr_has_texts(gei_attr_kind kind); /* strings or bytes */
bool gei_attr_has_tensors(gei_attr_kind kind);

/* Values of the wanted kind from items; what they point at lies in the arena or in `values`. */
ge_status gei_attr_from_ints(gei_attr_kind kind, const int64_t *values, size_t count, gei_arena *arena, gei_attr *out, gei_diag *diag);
ge_status gei_attr_from_floats(gei_attr_kind kind, const float *values, size_t count, gei_arena *arena, gei_attr *out, gei_diag *diag);
ge_status gei_attr_from_text(gei_attr_kind kind, const char *text, size_t size, gei_attr *out, gei_diag *diag); /* single kinds */

/* The items of a kind that has them; room for gei_attr_item_count. */
void gei_attr_to_ints(const gei_attr *a, int64_t *out);
void gei_attr_to_floats(const gei_attr *a, float *out);
bool gei_attr_text_at(const gei_attr *a, size_t index, gei_text *out); /* false: no such item */
gei_tensor *gei_attr_tensor_at(const gei_attr *a, size_t index);       /* borrowed; NULL: no such item */

/* Replaces one item of an attribute in a set of that arena, or adds the one behind the last; constant time but for growth. */
ge_status gei_attr_put_text(gei_attr *a, gei_arena *arena, size_t index, const char *text, size_t size, gei_diag *diag);
ge_status gei_attr_put_tensor(gei_attr *a, gei_arena *arena, size_t index, gei_tensor *tensor, gei_diag *diag); /* retains */

#endif
