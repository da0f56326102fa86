/* SPDX-License-Identifier: Apache-2.0 */
/* state: contents of variables between runs.
 *
 *   state      variables by name; one run at a time, readers and changers from other threads wait for it
 *   state use  a state and a model: variable number of the model -> place in the state; the addresses of the run going on
 *
 * First contents are the graph's tensors until something writes: then the state makes memory of its own, whose address stays. */
#ifndef GEI_EXEC_STATE_H
#define GEI_EXEC_STATE_H

#include "exec/exec.h"

typedef struct gei_state gei_state;
typedef struct gei_state_use gei_state_use;

typedef struct gei_variable {
    const char *name;
    int32_t dtype, format;
    gei_shape shape;     /* known */
    gei_tensor *initial; /* NULL: none */
    gei_tensor *tensor;  /* content, or memory that awaits it; NULL: neither */
    bool is_own;         /* tensor is the state's alone */
    bool has_content;
} gei_variable;

/* account: of the bytes of contents the state owns, nullable; it and `from` outlive the state. */
ge_status gei_state_create(const gei_allocator *from, gei_usage *account, gei_state **out, gei_diag *diag);
gei_state *gei_state_retain(gei_state *state);
void gei_state_release(gei_state *state); /* NULL is fine */
/* Adds the variables of a model that are not there yet.  All or nothing.  GE_ERR_SHAPE, GE_ERR_DTYPE where they disagree. */
ge_status gei_state_add_model(gei_state *state, const gei_model *model, gei_diag *diag);
ge_status gei_state_copy(gei_state *state, gei_state **out, gei_diag *diag);
ge_status gei_state_reset(gei_state *state, gei_diag *diag);

uint32_t gei_state_count(gei_state *state);
const gei_variable *gei_state_variable(gei_state *state, uint32_t index); /* name, type and shape only; lives as long as the state */
bool gei_state_find(gei_state *state, const char *name, size_t name_size, uint32_t *out_index);
/* A copy with one reference.  GE_ERR_NOT_FOUND: no content yet. */
ge_status gei_state_value(gei_state *state, uint32_t index, const gei_allocator *from, gei_tensor **out, gei_diag *diag);
ge_status gei_state_set_value(gei_state *state, uint32_t index, const gei_tensor *value, gei_diag *diag);

/* state_file.c */
ge_status gei_state_export(gei_state *state, gei_sink *to, gei_diag *diag);
/* All or nothing. */
ge_status gei_state_import(gei_state *state, const void *data, size_t size, gei_diag *diag);

/* ---- runs ---- */
/* GE_ERR_NOT_FOUND when the state lacks a variable of the model. */
ge_status gei_state_use_create(gei_state *state, const gei_model *model, gei_state_use **out, gei_diag *diag);
void gei_state_use_destroy(gei_state_use *use); /* NULL is fine */
/* Waits for the state, up to the deadline or until cancelled, and prepares addresses; then end must follow. */
ge_status gei_state_use_begin(gei_state_use *use, const gei_run_options *options, void *const **out_addresses, gei_diag *diag);
void gei_state_use_end(gei_state_use *use, bool succeeded);
/* A state of one run. */
ge_status gei_state_use_create_fresh(const gei_model *model, gei_state_use **out, gei_diag *diag);

/* ---- for the files of this module ---- */
ge_status gei_state_take(gei_state *state, const gei_run_options *options, gei_diag *diag); /* options nullable: waits for ever */
void gei_state_give(gei_state *state);
/* Memory of the state's own, for content that is to be written; the state is taken.  Old content is kept unless `fresh`. */
ge_status gei_state_own(gei_state *state, gei_variable *v, bool fresh, gei_diag *diag);
gei_variable *gei_state_at(gei_state *state, uint32_t index);

#endif
