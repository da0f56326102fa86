/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/conv.h"

#include <stddef.h>

/* One output place: its taps inside the input, in each dim. */
typedef struct place {
    int64_t origin[GEI_WINDOW_DIMS], begin[GEI_WINDOW_DIMS], end[GEI_WINDOW_DIMS];
} place;

/* Sum over input channels and taps; x and w stand at the group's first channel and the filter of the output channel. */
#define SUM(c, p, x, w, ACC, LOAD, sum)                                                                                             \
    for (int64_t ch = 0; ch < (c)->in_channels; ch++)                                                                               \
        for (int64_t i = (p).begin[0]; i < (p).end[0]; i++)                                                                         \
            for (int64_t j = (p).begin[1]; j < (p).end[1]; j++)                                                                     \
                for (int64_t k = (p).begin[2]; k < (p).end[2]; k++) {                                                               \
                    int64_t from = ch * (c)->x_channel + ((p).origin[0] + i * (c)->window.dilation[0]) * (c)->x_at[0] +             \
                                   ((p).origin[1] + j * (c)->window.dilation[1]) * (c)->x_at[1] +                                   \
                                   ((p).origin[2] + k * (c)->window.dilation[2]) * (c)->x_at[2];                                    \
                    int64_t tap = ch * (c)->w_in + i * (c)->w_at[0] + j * (c)->w_at[1] + k * (c)->w_at[2];                          \
                    (sum) += (ACC)LOAD((x)[from]) * (ACC)LOAD((w)[tap]);                                                            \
                }

/* One output plane: all places of one channel of one image. */
#define PLANES(suffix, T, R, ACC, LOAD, FINISH)                                                                                     \
    static void plane_##suffix(const gei_conv *c, const T *x, const T *w, double bias, R *y) {                                      \
        const gei_window *win = &c->window;                                                                                         \
        place p;                                                                                                                    \
        for (int64_t a = 0; a < win->out[0]; a++) {                                                                                 \
            gei_window_taps(win, 0, a, &p.origin[0], &p.begin[0], &p.end[0]);                                                       \
            for (int64_t b = 0; b < win->out[1]; b++) {                                                                             \
                gei_window_taps(win, 1, b, &p.origin[1], &p.begin[1], &p.end[1]);                                                   \
                for (int64_t d = 0; d < win->out[2]; d++) {                                                                         \
                    gei_window_taps(win, 2, d, &p.origin[2], &p.begin[2], &p.end[2]);                                               \
                    ACC sum = 0;                                                                                                    \
                    SUM(c, p, x, w, ACC, LOAD, sum)                                                                                 \
                    y[a * c->y_at[0] + b * c->y_at[1] + d * c->y_at[2]] = FINISH(sum, bias);                                        \
                }                                                                                                                   \
            }                                                                                                                       \
        }                                                                                                                           \
    }                                                                                                                               \
    void gei_conv_ref_##suffix(const gei_conv *c, const void *x, const void *w, const double *bias, void *y, int64_t begin,         \
                               int64_t end) {                                                                                       \
        int64_t channels = c->groups * c->out_channels;                                                                             \
        for (int64_t at = begin; at < end; at++) {                                                                                  \
            int64_t image = at / channels, out = at % channels, group = out / c->out_channels;                                      \
            plane_##suffix(c, (const T *)x + image * c->x_batch + group * c->in_channels * c->x_channel,                            \
                           (const T *)w + out * c->w_out, bias ? bias[out] : 0, (R *)y + image * c->y_batch + out * c->y_channel);  \
        }                                                                                                                           \
    }

#define FINISH_F32(sum, bias) ((float)((sum) + (bias)))
#define FINISH_F64(sum, bias) ((sum) + (bias))
#define FINISH_F16(sum, bias) gei_f64_to_f16((sum) + (bias))
#define FINISH_BF16(sum, bias) gei_f64_to_bf16((sum) + (bias))
#define FINISH_I32(sum, bias) ((int32_t)((sum) + (uint64_t)(int64_t)(bias)))

PLANES(f32, float, float, double, GEI_PLAIN, FINISH_F32)
PLANES(f64, double, double, double, GEI_PLAIN, FINISH_F64)
PLANES(f16, uint16_t, uint16_t, double, gei_f16_to_f32, FINISH_F16)
PLANES(bf16, uint16_t, uint16_t, double, gei_bf16_to_f32, FINISH_BF16)
PLANES(i8_i32, int8_t, int32_t, uint64_t, GEI_PLAIN, FINISH_I32)
