/* SPDX-License-Identifier: Apache-2.0 */
/* proc: public functions by name, sorted; the table is generated from the symbol map. */
#ifndef GEI_API_PROC_H
#define GEI_API_PROC_H

#include "ge_c_api.h"

typedef struct gei_proc {
    const char *name;
    ge_proc address;
} gei_proc;

extern const gei_proc gei_procs[];
extern const size_t gei_proc_count;

#endif
