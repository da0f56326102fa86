/* SPDX-License-Identifier: Apache-2.0 */
/* GeNonMaxSuppression: of each batch entry and class the best boxes, best first, each overlapping none of those before it by more than
 * the threshold.  Rows of the result: batch entry, class, box.  Boxes are two opposite corners (y, x), or with center_point_box centre
 * and size (x, y, width, height). */
#include <math.h>
#include <string.h>

#include "ops/blocks.h"
#include "ops/import.h"
#include "ops/rules.h"

enum { SLOT_BOXES, SLOT_SCORES, SLOT_MOST, SLOT_OVERLAP, SLOT_SCORE };

static ge_status check_one(const gei_infer *i, uint32_t slot) {
    const gei_info *in = gei_infer_in(i, slot);
    int64_t n;
    if (!in || !gei_shape_elems(&in->shape, &n) || n == 1) return GE_OK;
    return gei_infer_fail(i, GE_ERR_SHAPE, gei_infer_port(i, slot), "%lld values, wanted one", (long long)n);
}

static ge_status infer_nms(gei_infer *i) {
    const gei_shape *boxes = &i->in[SLOT_BOXES]->shape, *scores = &i->in[SLOT_SCORES]->shape;
    gei_words a, b;
    for (uint32_t k = 0; k < 2; k++) {
        const gei_dtype_info *info = gei_dtype_get(i->in[k]->dtype);
        if (i->in[k]->dtype != GEI_UNDEFINED && (!info || info->kind != GEI_KIND_FLOAT || info->bits < 16))
            return gei_infer_fail(i, GE_ERR_UNSUPPORTED_DTYPE, gei_infer_port(i, k), "data type %s is not supported", gei_dtype_name(i->in[k]->dtype));
        GEI_TRY(gei_infer_rank(i, k, 3, 3));
    }
    for (uint32_t k = SLOT_MOST; k < i->n_in; k++) GEI_TRY(check_one(i, k));
    i->out[0].dtype = GEI_INT64;
    i->out[0].shape = gei_shape_of(2, (gei_dim[]){ GEI_DIM_UNKNOWN, 3 });
    if (boxes->rank < 0 || scores->rank < 0) return GE_OK;
    gei_shape wanted = gei_shape_of(3, (gei_dim[]){ scores->dims[0], scores->dims[2], 4 });
    if (gei_shape_fits(&wanted, boxes)) return GE_OK;
    return gei_infer_fail(i, GE_ERR_SHAPE, "boxes", "shape %s does not fit scores of shape %s", gei_shape_words(boxes, &a), gei_shape_words(scores, &b));
}

/* ---- reference kernel ---- */

typedef struct box {
    double top, left, bottom, right, area;
} box;

typedef struct work { /* in scratch, n boxes */
    box *boxes;
    double *scores;
    int64_t *order, *spare;
    int64_t *chosen;      /* [batch * classes][n] at most; those of one class lie together, the classes one behind the other */
} work;

static ge_status size_nms(gei_sizing *s, gei_diag *diag) {
    const gei_shape *scores = &s->in[SLOT_SCORES]->shape;
    size_t n = (size_t)scores->dims[2], all, bytes;
    if (!gei_mul((size_t)gei_dim_product(scores, 0, 3), 3 * sizeof(int64_t), &all) || !gei_mul(n, sizeof(box) + sizeof(double) + 2 * sizeof(int64_t), &bytes) ||
        !gei_add(all, bytes, &bytes))
        return gei_out_of_memory(diag, SIZE_MAX);
    s->part_scratch_bytes = bytes;
    s->cost = 100.0 * (double)all;
    return GE_OK;
}

static void place_work(char *scratch, int64_t n, work *w) {
    w->boxes = (box *)(void *)scratch;
    w->scores = (double *)(void *)(w->boxes + n);
    w->order = (int64_t *)(void *)(w->scores + n);
    w->spare = w->order + n;
    w->chosen = w->spare + n;
}

static void load_boxes(const gei_view *v, int64_t batch, int64_t n, bool centers, box *out) {
    for (int64_t k = 0; k < n; k++) {
        double c[4];
        gei_load_f64(v->dtype, v->data, (batch * n + k) * 4, 4, c);
        if (centers) {
            out[k] = (box){ c[1] - c[3] / 2, c[0] - c[2] / 2, c[1] + c[3] / 2, c[0] + c[2] / 2, 0 };
        } else {
            out[k] = (box){ fmin(c[0], c[2]), fmin(c[1], c[3]), fmax(c[0], c[2]), fmax(c[1], c[3]), 0 };
        }
        out[k].area = (out[k].bottom - out[k].top) * (out[k].right - out[k].left);
    }
}

static double overlap(const box *a, const box *b) {
    double height = fmin(a->bottom, b->bottom) - fmax(a->top, b->top), width = fmin(a->right, b->right) - fmax(a->left, b->left);
    if (!(height > 0) || !(width > 0)) return 0;
    double both = height * width, either = a->area + b->area - both;
    return either > 0 ? both / either : 0;
}

/* Merge sort from the bottom up: highest score first, of equal ones the first box. */
static void sort_boxes(work *w, int64_t n) {
    for (int64_t width = 1; width < n; width *= 2) {
        for (int64_t begin = 0; begin < n; begin += 2 * width) {
            int64_t middle = begin + width < n ? begin + width : n, end = begin + 2 * width < n ? begin + 2 * width : n;
            for (int64_t a = begin, b = middle, to = begin; to < end; to++) {
                bool left = b >= end || (a < middle && !(w->scores[w->order[b]] > w->scores[w->order[a]]));
                w->spare[to] = left ? w->order[a++] : w->order[b++];
            }
        }
        int64_t *sorted = w->spare;
        w->spare = w->order;
        w->order = sorted;
    }
}

typedef struct limits {
    int64_t most;
    double overlap, score;
} limits;

/* Boxes of one class, best first, into `to`; gives their number. */
static int64_t choose(work *w, int64_t n, const limits *l, int64_t *to) {
    int64_t candidates = 0, chosen = 0;
    for (int64_t k = 0; k < n; k++)
        if (w->scores[k] > l->score) w->order[candidates++] = k;
    sort_boxes(w, candidates);
    for (int64_t k = 0; k < candidates && chosen < l->most; k++) {
        bool apart = true;
        for (int64_t j = 0; apart && j < chosen; j++) apart = !(overlap(&w->boxes[w->order[k]], &w->boxes[to[j]]) > l->overlap);
        if (apart) to[chosen++] = w->order[k];
    }
    return chosen;
}

static limits read_limits(const gei_run *run) {
    const gei_view *most = run->n_in > SLOT_MOST ? run->in[SLOT_MOST] : NULL, *over = run->n_in > SLOT_OVERLAP ? run->in[SLOT_OVERLAP] : NULL,
                   *score = run->n_in > SLOT_SCORE ? run->in[SLOT_SCORE] : NULL;
    return (limits){ most ? gei_view_i64(most, 0) : 0, over ? gei_view_f64(over, 0) : 0, score ? gei_view_f64(score, 0) : -INFINITY };
}

static ge_status give_rows(const gei_run *run, const int64_t *rows, int64_t n) {
    void *data;
    GEI_TRY(gei_run_set_output(run, 0, 2, (int64_t[]){ n, 3 }, (size_t)n * 3 * sizeof *rows, &data));
    if (n > 0) memcpy(data, rows, (size_t)n * 3 * sizeof *rows);
    return GE_OK;
}

static ge_status run_nms(const gei_run *run, uint32_t part) {
    const gei_view *scores = run->in[SLOT_SCORES];
    int64_t batches = scores->dims[0], classes = scores->dims[1], n = scores->dims[2], rows = 0;
    bool centers = gei_node_int(run->node, "center_point_box", 0) != 0;
    limits l = read_limits(run);
    work w;
    (void)part;
    if (scores->n_elems == 0) return give_rows(run, NULL, 0);
    place_work(run->scratch, n, &w);
    for (int64_t b = 0; b < batches; b++) {
        load_boxes(run->in[SLOT_BOXES], b, n, centers, w.boxes);
        for (int64_t c = 0; c < classes; c++) {
            gei_load_f64(scores->dtype, scores->data, (b * classes + c) * n, n, w.scores);
            int64_t *to = w.chosen + rows * 3, chosen = choose(&w, n, &l, to);
            for (int64_t k = chosen - 1; k >= 0; k--) { /* from plain numbers to rows, from behind */
                int64_t index = to[k];
                to[3 * k] = b;
                to[3 * k + 1] = c;
                to[3 * k + 2] = index;
            }
            rows += chosen;
        }
    }
    return give_rows(run, w.chosen, rows);
}

static const gei_kernel nms_kernels[] = { { .name = "ref", .size = size_nms, .run = run_nms }, { 0 } };
static const gei_attr_map nms_attrs[] = { { "center_point_box", "center_point_box", "0" }, { NULL, NULL, NULL } };
static const gei_source nms_sources[] = { { GEI_FROM_ONNX, "NonMaxSuppression", 10, NULL, nms_attrs }, { 0 } };

GEI_OP(GeNonMaxSuppression) = { .name = "GeNonMaxSuppression", .infer = infer_nms, .kernels = nms_kernels, .sources = nms_sources, .traits = GEI_OP_PURE };
