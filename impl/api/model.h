/* SPDX-License-Identifier: Apache-2.0 */
/* model: what the files of the model section share. */
#ifndef GEI_API_MODEL_H
#define GEI_API_MODEL_H

#include "api/object.h"

/* What ge_io_info points at; one for each input, then one for each output. */
typedef struct gei_api_io {
    const char *name;
    int32_t dtype, format, rank;
    bool has_symbols;
    int64_t dims[GEI_MAX_RANK];
    const char *symbols[GEI_MAX_RANK];
    uint64_t data_size;
} gei_api_io;

/* Takes the inner model and the passes' text, also on failure. */
ge_status gei_model_handle(gei_api_context *c, gei_model *model, uint64_t source_nodes, uint64_t compile_ns, gei_sink *passes_text,
                           ge_model **out, gei_diag *diag);

/* Sets the floating-point modes kernels expect on the caller's thread and gives back what was there.  For whatever may run a kernel:
 * runs, but also compiling and inferring, which fold constants. */
uint32_t gei_fp_enter(void);
void gei_fp_leave(uint32_t saved);

/* Reads caller run options into inner ones. */
ge_status gei_run_options_in(const ge_run_options *from, gei_run_options *out, gei_diag *diag);

#endif
