/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/broadcast.h"

#include <string.h>

void gei_broadcast_plan(gei_broadcast *b, int32_t rank, const int64_t *dims) {
    memset(b, 0, sizeof *b);
    b->rank = rank;
    b->n_elems = 1;
    for (int32_t d = 0; d < rank; d++) {
        b->dims[d] = dims[d];
        b->n_elems *= dims[d];
    }
}

void gei_broadcast_add(gei_broadcast *b, int32_t out_rank, const int64_t *out_dims, int32_t rank, const int64_t *dims) {
    int64_t *strides = b->strides[b->n_in++], stride = 1;
    int32_t lead = out_rank - rank;
    for (int32_t d = out_rank - 1; d >= lead; d--) {
        bool repeats = dims[d - lead] == 1 && out_dims[d] != 1;
        strides[d] = repeats ? 0 : stride;
        stride *= dims[d - lead];
    }
}

static bool can_merge(const gei_broadcast *b, int32_t outer, int32_t inner) {
    for (int32_t k = 0; k < b->n_in; k++)
        if (b->strides[k][outer] != b->strides[k][inner] * b->dims[inner]) return false;
    return true;
}

void gei_broadcast_merge(gei_broadcast *b) {
    int32_t last = -1; /* merged dims so far, from the outermost */
    for (int32_t d = 0; d < b->rank; d++) {
        if (b->dims[d] == 1) continue;
        bool merged = last >= 0 && can_merge(b, last, d);
        if (!merged) last++;
        b->dims[last] = merged ? b->dims[last] * b->dims[d] : b->dims[d];
        for (int32_t k = 0; k < b->n_in; k++) b->strides[k][last] = b->strides[k][d];
    }
    if (last < 0) { /* one element */
        last = 0;
        b->dims[0] = 1;
        for (int32_t k = 0; k < b->n_in; k++) b->strides[k][0] = 1;
    }
    b->rank = last + 1;
}

static void set_run(gei_broadcast_walk *w) {
    int64_t left = w->plan->dims[w->plan->rank - 1] - w->index[w->plan->rank - 1];
    w->run = w->end - w->at < left ? w->end - w->at : left;
}

bool gei_broadcast_first(gei_broadcast_walk *w, const gei_broadcast *plan, int64_t begin, int64_t end) {
    *w = (gei_broadcast_walk){ .plan = plan, .at = begin, .end = end };
    if (begin >= end) return false;
    int64_t rest = begin;
    for (int32_t d = plan->rank - 1; d >= 0; d--) {
        w->index[d] = rest % plan->dims[d];
        rest /= plan->dims[d];
        for (int32_t k = 0; k < plan->n_in; k++) w->offset[k] += w->index[d] * plan->strides[k][d];
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
    for (int32_t k = 0; k < p->n_in; k++) w->offset[k] -= w->index[inner] * p->strides[k][inner];
    w->index[inner] = 0;
    for (int32_t d = inner - 1; d >= 0; d--) {
        w->index[d]++;
        for (int32_t k = 0; k < p->n_in; k++) w->offset[k] += p->strides[k][d];
        if (w->index[d] < p->dims[d]) break;
        for (int32_t k = 0; k < p->n_in; k++) w->offset[k] -= w->index[d] * p->strides[k][d];
        w->index[d] = 0;
    }
    set_run(w);
    return true;
}
