/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/broadcast.h"

#include <string.h>

void gei_broadcast_plan(gei_broadcast *b, int32_t rank, const int64_t *dims) {
    memset(b, 0, sizeof *b);
    b->rank = rank;
    b->n_elems = 1;
    for (int32_t d = 0; d < rank; d++) {
        b->axes[d].dim = dims[d];
        b->n_elems *= dims[d];
    }
}

void gei_broadcast_add(gei_broadcast *b, int32_t out_rank, const int64_t *out_dims, int32_t rank, const int64_t *dims) {
    int64_t stride = 1;
    int32_t k = b->n_in++, lead = out_rank - rank;
    for (int32_t d = out_rank - 1; d >= lead; d--) {
        bool repeats = dims[d - lead] == 1 && out_dims[d] != 1;
        b->axes[d].strides[k] = repeats ? 0 : stride;
        stride *= dims[d - lead];
    }
}

static bool can_merge(const gei_broadcast *b, int32_t outer, int32_t inner) {
    for (int32_t k = 0; k < b->n_in; k++)
        if (b->axes[outer].strides[k] != b->axes[inner].strides[k] * b->axes[inner].dim) return false;
    return true;
}

void gei_broadcast_merge(gei_broadcast *b) {
    int32_t last = -1; /* merged dims so far, from the outermost */
    for (int32_t d = 0; d < b->rank; d++) {
        if (b->axes[d].dim == 1) continue;
        bool merged = last >= 0 && can_merge(b, last, d);
        if (!merged) last++;
        b->axes[last].dim = merged ? b->axes[last].dim * b->axes[d].dim : b->axes[d].dim;
        for (int32_t k = 0; k < b->n_in; k++) b->axes[last].strides[k] = b->axes[d].strides[k];
    }
    if (last < 0) { /* one element */
        last = 0;
        b->axes[0].dim = 1;
        for (int32_t k = 0; k < b->n_in; k++) b->axes[0].strides[k] = 1;
    }
    b->rank = last + 1;
}

static void set_run(gei_broadcast_walk *w) {
    int32_t inner = w->plan->rank - 1;
    int64_t left = w->plan->axes[inner].dim - w->index[inner];
    w->run = w->end - w->at < left ? w->end - w->at : left;
}

bool gei_broadcast_first(gei_broadcast_walk *w, const gei_broadcast *plan, int64_t begin, int64_t end) {
    w->plan = plan;
    w->at = begin;
    w->end = end;
    if (begin >= end) return false;
    for (int32_t k = 0; k < plan->n_in; k++) w->offset[k] = 0;
    for (int32_t d = 0; d < plan->rank; d++) w->index[d] = 0;
    int64_t rest = begin;
    for (int32_t d = plan->rank - 1; d >= 0 && rest > 0; d--) {
        w->index[d] = rest % plan->axes[d].dim;
        rest /= plan->axes[d].dim;
        for (int32_t k = 0; k < plan->n_in; k++) w->offset[k] += w->index[d] * plan->axes[d].strides[k];
    }
    set_run(w);
    return true;
}

/* Counts the outer dims up like an odometer. */
bool gei_broadcast_next(gei_broadcast_walk *w) {
    const gei_broadcast *p = w->plan;
    int32_t inner = p->rank - 1;
    w->at += w->run;
    if (w->at >= w->end) return false;
    for (int32_t k = 0; k < p->n_in; k++) w->offset[k] -= w->index[inner] * p->axes[inner].strides[k];
    w->index[inner] = 0;
    for (int32_t d = inner - 1; d >= 0; d--) {
        w->index[d]++;
        for (int32_t k = 0; k < p->n_in; k++) w->offset[k] += p->axes[d].strides[k];
        if (w->index[d] < p->axes[d].dim) break;
        for (int32_t k = 0; k < p->n_in; k++) w->offset[k] -= w->index[d] * p->axes[d].strides[k];
        w->index[d] = 0;
    }
    set_run(w);
    return true;
}
