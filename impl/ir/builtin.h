/* SPDX-License-Identifier: Apache-2.0 */
/* builtin: definitions of the operators the IR itself gives a meaning to.  The generated catalogue refers to these objects, so a
 * node's kind is told by comparing pointers. */
#ifndef GEI_IR_BUILTIN_H
#define GEI_IR_BUILTIN_H

#include "ir/graph.h"

extern const gei_op_def gei_def_data;       /* graph input; attribute index; its own slot stays empty */
extern const gei_op_def gei_def_ref_data;   /* the same for an input that the graph also writes */
extern const gei_op_def gei_def_const;      /* attribute value: the tensor */
extern const gei_op_def gei_def_constant;   /* GE's second name of it */
extern const gei_op_def gei_def_net_output; /* the graph outputs are its slots */

static inline bool gei_node_is_input(const gei_node *node) { return node->def == &gei_def_data || node->def == &gei_def_ref_data; }
static inline bool gei_node_is_const(const gei_node *node) { return node->def == &gei_def_const || node->def == &gei_def_constant; }

/* Finds one of them by name; NULL for every other name. */
const gei_op_def *gei_builtin_find(const char *name, size_t name_size);

#endif
