/* SPDX-License-Identifier: Apache-2.0 */
/* reduce: a dense tensor seen as kept dims and reduced dims, and loops over it.
 * Neighbours of one kind are merged, so that the usual cases are one run. */
#ifndef GEI_KERNELS_REDUCE_H
#define GEI_KERNELS_REDUCE_H

#include "kernels/types.h"

#define GEI_AXES_RANK 8

typedef struct gei_axes { /* some dims of a tensor, in their order */
    int32_t rank;         /* at least 1 */
    int64_t n;            /* product of dims */
    int64_t dims[GEI_AXES_RANK], strides[GEI_AXES_RANK]; /* strides in elements of the whole tensor */
} gei_axes;

typedef struct gei_split {
    gei_axes kept, reduced;
} gei_split;

void gei_split_axes(gei_split *s, int32_t rank, const int64_t *dims, uint32_t reduced_mask);
int64_t gei_axes_offset(const gei_axes *a, int64_t index); /* of the index-th element of these dims */

/* Body for each reduced element; `at` is its offset when `base` is that of the kept element. */
#define GEI_FOR_REDUCED(s, base, at)                                                                                     \
    for (int64_t inner_ = (s)->reduced.dims[(s)->reduced.rank - 1], step_ = (s)->reduced.strides[(s)->reduced.rank - 1], \
                 row_ = 0;                                                                                               \
         row_ < (s)->reduced.n; row_ += inner_)                                                                          \
        for (int64_t at = (base) + gei_axes_offset(&(s)->reduced, row_), end_ = at + inner_ * step_; at < end_; at += step_)

/* Kept elements that lie together are reduced side by side: this many, while their last dim is the last of the tensor. */
#define GEI_REDUCE_BLOCK 32
static inline int64_t gei_reduce_block(const gei_split *s, int64_t at, int64_t end) {
    int64_t dim = s->kept.dims[s->kept.rank - 1], n = dim - at % dim;
    if (s->kept.strides[s->kept.rank - 1] != 1) return 1;
    if (n > end - at) n = end - at;
    return n < GEI_REDUCE_BLOCK ? n : GEI_REDUCE_BLOCK;
}

/* Kept elements [begin, end): y = STORE(FINISH) after acc = INIT and STEP for each v = LOAD(x).  Expressions see acc, v and n. */
typedef void (*gei_reduce_loop)(const gei_split *s, const void *x, void *y, int64_t begin, int64_t end);
#define GEI_REDUCE_LOOP(name, T, ACC, LOAD, STORE, INIT, STEP, FINISH)                                     \
    static void name##_block(const gei_split *s, const T *from_, T *to_, int64_t block_) {                 \
        const ACC n = (ACC)s->reduced.n;                                                                   \
        ACC accs_[GEI_REDUCE_BLOCK];                                                                       \
        (void)n;                                                                                           \
        for (int64_t k_ = 0; k_ < block_; k_++) accs_[k_] = (INIT);                                        \
        GEI_FOR_REDUCED(s, 0, at_) {                                                                       \
            for (int64_t k_ = 0; k_ < block_; k_++) {                                                      \
                ACC acc = accs_[k_];                                                                       \
                const ACC v = (ACC)LOAD(from_[at_ + k_]);                                                  \
                STEP;                                                                                      \
                accs_[k_] = acc;                                                                           \
            }                                                                                              \
        }                                                                                                  \
        for (int64_t k_ = 0; k_ < block_; k_++) {                                                          \
            const ACC acc = accs_[k_];                                                                     \
            to_[k_] = (T)STORE(FINISH);                                                                    \
        }                                                                                                  \
    }                                                                                                      \
    static void name(const gei_split *s, const void *x_, void *y_, int64_t begin, int64_t end) {           \
        const ACC n = (ACC)s->reduced.n;                                                                   \
        (void)n;                                                                                           \
        for (int64_t to_ = begin, block_; to_ < end; to_ += block_) {                                      \
            const T *from_ = (const T *)x_ + gei_axes_offset(&s->kept, to_);                               \
            block_ = gei_reduce_block(s, to_, end);                                                        \
            if (block_ > 1) {                                                                              \
                name##_block(s, from_, (T *)y_ + to_, block_);                                             \
                continue;                                                                                  \
            }                                                                                              \
            ACC acc = (INIT);                                                                              \
            GEI_FOR_REDUCED(s, 0, at_) {                                                                   \
                const ACC v = (ACC)LOAD(from_[at_]);                                                       \
                STEP;                                                                                      \
            }                                                                                              \
            ((T *)y_)[to_] = (T)STORE(FINISH);                                                             \
        }                                                                                                  \
    }

/* Softmax over the reduced dims of each kept element in [begin, end).  log: its logarithm. */
typedef void (*gei_softmax_fn)(const gei_split *s, const void *x, void *y, int log, int64_t begin, int64_t end);
#define X(suffix, T, LOAD, STORE) void gei_softmax_ref_##suffix(const gei_split *s, const void *x, void *y, int log, int64_t begin, int64_t end);
GEI_FLOAT_TYPES(X)
#undef X
void gei_softmax_ref_f16_f32(const gei_split *s, const void *x, void *y, int log, int64_t begin, int64_t end);

#endif
