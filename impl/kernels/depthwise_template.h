/* SPDX-License-Identifier: Apache-2.0 */
/* depthwise_template: compiled once for each instruction set.  The including file defines DEPTHWISE and MULTIPLY_ADD(a, b, c). */
#include <stddef.h>

/* Output places whose tap lies inside the input row: [*begin, *end). */
static void inside(const gei_window *w, int64_t tap, int64_t *begin, int64_t *end) {
    int64_t from = tap * w->dilation[2] - w->pad_begin[2], step = w->stride[2];
    *begin = from < 0 ? (-from + step - 1) / step : 0;
    *end = w->in[2] - from <= 0 ? 0 : (w->in[2] - from + step - 1) / step;
    if (*end > w->out[2]) *end = w->out[2];
    if (*begin > *end) *begin = *end;
}

/* Adds one tap to an output row. */
static void add_tap(const gei_window *w, const float *restrict row, int64_t tap, float weight, float *restrict out) {
    int64_t begin, end, step = w->stride[2];
    inside(w, tap, &begin, &end);
    const float *from = row + begin * step + tap * w->dilation[2] - w->pad_begin[2];
    float *to = out + begin;
    int64_t n = end - begin;
    if (step == 1) {
        for (int64_t i = 0; i < n; i++) to[i] = MULTIPLY_ADD(weight, from[i], to[i]);
    } else if (step == 2) {
        for (int64_t i = 0; i < n; i++) to[i] = MULTIPLY_ADD(weight, from[2 * i], to[i]);
    } else {
        for (int64_t i = 0; i < n; i++) to[i] = MULTIPLY_ADD(weight, from[i * step], to[i]);
    }
}

static void output_row(const gei_depthwise *d, const float *plane, const float *filter, float bias, int64_t z, int64_t y, float *out) {
    const gei_window *w = &d->conv->window;
    int64_t from_z, begin_z, end_z, from_y, begin_y, end_y;
    gei_window_taps(w, 0, z, &from_z, &begin_z, &end_z);
    gei_window_taps(w, 1, y, &from_y, &begin_y, &end_y);
    for (int64_t i = 0; i < w->out[2]; i++) out[i] = bias;
    for (int64_t tz = begin_z; tz < end_z; tz++) {
        for (int64_t ty = begin_y; ty < end_y; ty++) {
            const float *row = plane + ((from_z + tz * w->dilation[0]) * w->in[1] + from_y + ty * w->dilation[1]) * w->in[2];
            const float *weights = filter + (tz * w->kernel[1] + ty) * w->kernel[2];
            for (int64_t tx = 0; tx < w->kernel[2]; tx++) add_tap(w, row, tx, weights[tx], out);
        }
    }
    if (d->act != GEI_ACT_CLIP) return;
    for (int64_t i = 0; i < w->out[2]; i++) {
        float v = out[i] > d->hi ? d->hi : out[i];
        out[i] = v < d->lo ? d->lo : v;
    }
}

void DEPTHWISE(const gei_depthwise *d, int64_t begin, int64_t end) {
    const gei_conv *c = d->conv;
    const gei_window *w = &c->window;
    int64_t channels = c->groups * c->out_channels, taps = w->kernel[0] * w->kernel[1] * w->kernel[2];
    for (int64_t at = begin; at < end; at++) {
        int64_t image = at / channels, channel = at % channels;
        const float *plane = d->x + image * c->x_batch + channel / c->out_channels * c->x_channel;
        float *out = d->y + image * c->y_batch + channel * c->y_channel;
        for (int64_t row = 0; row < w->out[0] * w->out[1]; row++)
            output_row(d, plane, d->filter + channel * taps, d->bias ? d->bias[channel] : 0, row / w->out[1], row % w->out[1], out + row * w->out[2]);
    }
}
