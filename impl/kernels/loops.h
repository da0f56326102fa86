/* SPDX-License-Identifier: Apache-2.0 */
/* loops: one expression over arrays, for each element type it is instantiated with.
 *
 *   GEI_UNARY_LOOP(relu_f32, float, float, float, x < 0 ? 0 : x)
 *   GEI_BINARY_LOOP(add_i32, int32_t, uint32_t, int32_t, a + b)       wraps, computed in the unsigned type
 *
 * T is the element read, W the type the expression computes in, R the element written.  Expressions may call tgmath functions:
 * those of W are used.  `p` holds what a row reads from attributes (nullable when it reads none). */
#ifndef GEI_KERNELS_LOOPS_H
#define GEI_KERNELS_LOOPS_H

#include <stdint.h>

typedef void (*gei_unary_loop)(const void *x, void *y, int64_t n, const double *p);
/* Steps are 0 or 1 elements. */
typedef void (*gei_binary_loop)(const void *a, int64_t a_step, const void *b, int64_t b_step, void *y, int64_t n, const double *p);

#define GEI_UNARY_LOOP(name, T, W, R, expr)                                       \
    static void name(const void *x_, void *y_, int64_t n_, const double *p) {     \
        const T *in_ = (const T *)x_;                                             \
        R *out_ = (R *)y_;                                                        \
        (void)p;                                                                  \
        for (int64_t i_ = 0; i_ < n_; i_++) {                                     \
            const W x = (W)in_[i_];                                               \
            out_[i_] = (R)(expr);                                                 \
        }                                                                         \
    }

#define GEI_BINARY_LOOP(name, T, W, R, expr)                                                                                       \
    static void name(const void *a_, int64_t a_step_, const void *b_, int64_t b_step_, void *y_, int64_t n_, const double *p) {    \
        const T *in_a_ = (const T *)a_, *in_b_ = (const T *)b_;                                                                    \
        R *out_ = (R *)y_;                                                                                                         \
        (void)p;                                                                                                                   \
        if (a_step_ && b_step_) {                                                                                                  \
            for (int64_t i_ = 0; i_ < n_; i_++) {                                                                                  \
                const W a = (W)in_a_[i_], b = (W)in_b_[i_];                                                                        \
                out_[i_] = (R)(expr);                                                                                              \
            }                                                                                                                      \
        } else if (a_step_) {                                                                                                      \
            const W b = (W)*in_b_;                                                                                                 \
            for (int64_t i_ = 0; i_ < n_; i_++) {                                                                                  \
                const W a = (W)in_a_[i_];                                                                                          \
                out_[i_] = (R)(expr);                                                                                              \
            }                                                                                                                      \
        } else {                                                                                                                   \
            const W a = (W)*in_a_;                                                                                                 \
            for (int64_t i_ = 0; i_ < n_; i_++) {                                                                                  \
                const W b = (W)in_b_[i_ * b_step_];                                                                                \
                out_[i_] = (R)(expr);                                                                                              \
            }                                                                                                                      \
        }                                                                                                                          \
    }

#endif
