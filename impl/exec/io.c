/* SPDX-License-Identifier: Apache-2.0 */
/* io: tensors at the edge of a run. */
#include <string.h>

#include "exec/model.h"

static ge_status wrong_dtype(const char *what, const gei_plan_io *io, int32_t found, gei_diag *diag) {
    bool is_kind = gei_dtype_form(found) != gei_dtype_form(io->dtype);
    gei_diag_found(diag, "%s", gei_dtype_name(found));
    gei_diag_wanted(diag, "%s", gei_dtype_name(io->dtype));
    return gei_fail(diag, is_kind ? GE_ERR_WRONG_KIND : GE_ERR_DTYPE, "%s '%s' is %s, not %s", what, io->name, gei_dtype_name(io->dtype), gei_dtype_name(found));
}

ge_status gei_check_input(const gei_plan *plan, uint32_t index, const gei_tensor *tensor, gei_diag *diag) {
    const gei_plan_io *io = &plan->inputs[index];
    if (!tensor) return gei_fail(diag, GE_ERR_NOT_BOUND, "input '%s' has no value", io->name);
    if (io->is_ref && tensor->read_only) return gei_fail(diag, GE_ERR_READ_ONLY, "input '%s' is changed by runs; its tensor may not be written", io->name);
    return gei_dtype_fits(tensor->dtype, io->dtype) ? GE_OK : wrong_dtype("input", io, tensor->dtype, diag);
}

ge_status gei_check_output(const gei_plan *plan, uint32_t index, const gei_tensor *tensor, gei_diag *diag) {
    const gei_plan_io *io = &plan->outputs[index];
    if (tensor->read_only) return gei_fail(diag, GE_ERR_READ_ONLY, "output '%s': its tensor may not be written", io->name);
    if (tensor->dtype != io->dtype && io->dtype != GEI_UNDEFINED) return wrong_dtype("output", io, tensor->dtype, diag);
    return GE_OK;
}

ge_status gei_check_fits(const gei_plan_io *io, const gei_plan *plan, const gei_tensor *tensor, gei_diag *diag) {
    gei_shape shape = gei_tensor_shape(tensor);
    if (gei_shape_fits(&io->shape, &shape)) return GE_OK;
    char found[GEI_DIAG_WORD_BYTES], wanted[GEI_DIAG_WORD_BYTES];
    gei_shape_text(&shape, NULL, found, sizeof found);
    gei_shape_text(&io->shape, plan->graph->symbols->names.items, wanted, sizeof wanted);
    gei_diag_found(diag, "%s", found);
    gei_diag_wanted(diag, "%s", wanted);
    return gei_fail(diag, io->shape.rank >= 0 && io->shape.rank != shape.rank ? GE_ERR_RANK : GE_ERR_SHAPE,
                    "'%s': shape %s does not fit %s", io->name, found, wanted);
}

static ge_status wrong_shape(const gei_plan_io *io, const gei_shape *shape, const gei_tensor *tensor, gei_diag *diag) {
    char found[GEI_DIAG_WORD_BYTES], wanted[GEI_DIAG_WORD_BYTES];
    gei_shape given = gei_tensor_shape(tensor);
    gei_shape_text(&given, NULL, found, sizeof found);
    gei_shape_text(shape, NULL, wanted, sizeof wanted);
    gei_diag_found(diag, "%s", found);
    gei_diag_wanted(diag, "%s", wanted);
    return gei_fail(diag, GE_ERR_SHAPE, "output '%s' is %s for these inputs, not %s", io->name, wanted, found);
}

ge_status gei_check_output_shape(const gei_instance *inst, uint32_t index, const gei_tensor *tensor, gei_diag *diag) {
    const gei_shape *shape = &inst->output_shapes[index];
    if (inst->out_kinds[index] == GEI_OUT_LATE) return GE_OK;
    bool fits = tensor->rank == shape->rank &&
                (shape->rank <= 0 || memcmp(tensor->dims, shape->dims, (size_t)shape->rank * sizeof *shape->dims) == 0);
    return fits ? GE_OK : wrong_shape(&inst->plan->outputs[index], shape, tensor, diag);
}

/* ---- late outputs ---- */

ge_status gei_store_late(gei_model *m, const gei_frame *frame, uint32_t index, gei_tensor **tensor, gei_diag *diag) {
    const gei_view *view = gei_frame_output(frame, index);
    const gei_plan_io *io = &m->plan->outputs[index];
    size_t bytes = gei_view_bytes(view);
    if (*tensor) {
        gei_shape shape = gei_shape_of(view->rank, view->dims);
        if (!gei_view_is_shape(view, (*tensor)->rank, (*tensor)->dims) || (*tensor)->size_bytes != bytes)
            return wrong_shape(io, &shape, *tensor, diag);
    } else {
        gei_model_count_alloc(m, 1);
        GEI_TRY(gei_tensor_create_bytes(m->from, view->dtype, view->rank, view->dims, bytes, tensor, diag));
    }
    if (bytes > 0) memcpy((*tensor)->data, view->data, bytes);
    return GE_OK;
}
