/* SPDX-License-Identifier: Apache-2.0 */
#include "exec/model.h"

static void sift_down(gei_range *r, size_t root, size_t n) {
    for (size_t child; (child = 2 * root + 1) < n; root = child) {
        if (child + 1 < n && r[child + 1].begin > r[child].begin) child++;
        if (r[root].begin >= r[child].begin) return;
        gei_range swap = r[root];
        r[root] = r[child];
        r[child] = swap;
    }
}

static void sort_by_begin(gei_range *r, size_t n) {
    for (size_t i = n / 2; i-- > 0;) sift_down(r, i, n);
    for (size_t i = n; i-- > 1;) {
        gei_range swap = r[0];
        r[0] = r[i];
        r[i] = swap;
        sift_down(r, 0, i);
    }
}

static size_t add_ranges(gei_range *ranges, size_t at, gei_tensor *const *tensors, uint32_t count, bool is_output) {
    for (uint32_t i = 0; i < count; i++) {
        if (!tensors[i] || tensors[i]->size_bytes == 0) continue;
        uintptr_t begin = (uintptr_t)tensors[i]->data;
        ranges[at++] = (gei_range){ begin, begin + tensors[i]->size_bytes, i, is_output };
    }
    return at;
}

static ge_status fail(const gei_plan *plan, const gei_range *a, const gei_range *b, gei_diag *diag) {
    bool both = a->is_output && b->is_output;
    const gei_range *out = both ? (a->index < b->index ? a : b) : a->is_output ? a : b, *other = out == a ? b : a;
    const char *name = plan->outputs[out->index].name;
    gei_diag_argument(diag, name, -1);
    if (both)
        return gei_fail(diag, GE_ERR_OVERLAP, "the memory of output '%s' overlaps that of output '%s'", name, plan->outputs[other->index].name);
    return gei_fail(diag, GE_ERR_OVERLAP, "the memory of output '%s' overlaps that of input '%s'", name, plan->inputs[other->index].name);
}

ge_status gei_check_overlap(const gei_plan *plan, gei_tensor *const *inputs, gei_tensor *const *outputs, gei_range *ranges, gei_diag *diag) {
    size_t n_out = add_ranges(ranges, 0, outputs, plan->n_outputs, true);
    if (n_out == 0) return GE_OK;
    size_t n = add_ranges(ranges, n_out, inputs, plan->n_inputs, false);
    sort_by_begin(ranges, n);
    /* Inputs may overlap each other, so what reaches furthest is kept for outputs alone too. */
    const gei_range *furthest = NULL, *furthest_out = NULL;
    for (size_t i = 0; i < n; i++) {
        const gei_range *r = &ranges[i], *before = r->is_output ? furthest : furthest_out;
        if (before && before->end > r->begin) return fail(plan, before, r, diag);
        if (!furthest || r->end > furthest->end) furthest = r;
        if (r->is_output && (!furthest_out || r->end > furthest_out->end)) furthest_out = r;
    }
    return GE_OK;
}

ge_status gei_check_overlap_of(const gei_plan *plan, gei_tensor *const *inputs, gei_tensor *const *outputs, uint32_t io, gei_diag *diag) {
    bool is_output = io >= plan->n_inputs;
    gei_range one, other;
    if (add_ranges(&one, 0, is_output ? &outputs[io - plan->n_inputs] : &inputs[io], 1, is_output) == 0) return GE_OK;
    one.index = is_output ? io - plan->n_inputs : io;
    for (uint32_t i = 0; i < plan->n_outputs; i++) {
        if ((is_output && i == one.index) || add_ranges(&other, 0, &outputs[i], 1, true) == 0) continue;
        other.index = i;
        if (one.begin < other.end && other.begin < one.end) return fail(plan, &one, &other, diag);
    }
    for (uint32_t i = 0; i < plan->n_inputs && is_output; i++) {
        if (add_ranges(&other, 0, &inputs[i], 1, false) == 0) continue;
        other.index = i;
        if (one.begin < other.end && other.begin < one.end) return fail(plan, &one, &other, diag);
    }
    return GE_OK;
}
