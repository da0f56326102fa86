/* SPDX-License-Identifier: Apache-2.0 */
/* compile: graph -> passes -> plan -> model. */
#ifndef GEI_EXEC_COMPILE_H
#define GEI_EXEC_COMPILE_H

#include "exec/exec.h"

/* Clones the graph; the caller's is never changed.  `passes` runs the pipeline (passes/pass.h), handed in by api so that exec
 * does not depend on passes; it may say in `facts` what it knows of the finished graph. */
typedef ge_status (*gei_passes_fn)(gei_graph *g, void *user, gei_facts *facts, gei_diag *diag);
ge_status gei_compile(const gei_graph *g, gei_passes_fn passes, void *passes_user, const gei_compile_options *options,
                      const gei_allocator *from, gei_model **out, gei_diag *diag);

#endif
