/* SPDX-License-Identifier: Apache-2.0 */
/* blocked: float32 convolution and pooling over images whose channels stand in blocks of 16, [batch][block][height][width][16].
 *
 * A vector holds channels of one pixel, so that no row edge cuts it.  Lanes past the last channel hold whatever is convenient: they are
 * written, and never read for a result.  Dense convolutions are products: a tile of neighbouring output pixels times a panel of output
 * channels, summed over *steps* of at most 16 input values; weights of a panel lie in the order of the steps. */
#ifndef GEI_KERNELS_BLOCKED_H
#define GEI_KERNELS_BLOCKED_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/loops.h"
#include "kernels/sgemm.h"
#include "kernels/window.h"

#define GEI_LANES_OF_BLOCK 16
#define GEI_BLOCKED_MOST_ROWS 12 /* pixels of a tile */
#define GEI_BLOCKED_MOST_PANEL 4 /* blocks of a panel */

static inline int64_t gei_channel_blocks(int64_t channels) { return (channels + GEI_LANES_OF_BLOCK - 1) / GEI_LANES_OF_BLOCK; }

typedef enum gei_blocked_way {
    GEI_BLOCKED_POINT = 0, /* 1x1, no stride, no padding: pixels of a tile are neighbours in x; a step is a block */
    GEI_BLOCKED_TAPS,      /* any window; a step is a block under one tap */
    GEI_BLOCKED_PLAIN,     /* x is [channel][height][width] with few channels; a step is a row of taps */
    GEI_BLOCKED_DEPTHWISE
} gei_blocked_way;

/* One image; the window slides in dims 1 and 2. */
typedef struct gei_blocked_conv {
    gei_window window;
    gei_blocked_way way;
    int64_t in_channels, out_channels;
    const float *x, *filter;   /* filter: as gei_blocked_pack has it */
    const float *bias;         /* whole blocks */
    const float *residual;     /* like y, added to the sum; may be y itself; NULL: none */
    float *y;
    gei_act act;
    float lo, hi;
    gei_unary_loop curve;      /* nullable: what becomes of results instead of a clip */
    const double *curve_params;
} gei_blocked_conv;

typedef struct gei_blocked_tile {
    const gei_blocked_conv *conv;
    const float *w, *bias;     /* of the panel, from the first step on */
    const float *band;         /* GEI_BLOCKED_PLAIN: a copy of rows of x with their padding */
    int64_t band_row, band_plane, band_first; /* floats; input row the band begins with */
    int64_t pixel, block, step_begin, step_end; /* first pixel, first block of the panel */
    bool first, last;          /* steps */
} gei_blocked_tile;

typedef struct gei_blocked_pool {
    gei_window window;
    bool mean, count_pads;     /* mean: the divisor counts taps in the padding */
    const float *x;
    float *y;
} gei_blocked_pool;

typedef struct gei_blocked_isa {
    const char *name;
    int panel_blocks;          /* of the widest panel */
    int rows[2][GEI_BLOCKED_MOST_PANEL]; /* pixels of a whole tile: of GEI_BLOCKED_POINT, of others; by blocks of the panel less one */
    void (*tile)(const gei_blocked_tile *t, int rows, int blocks);
    /* Output rows [begin, end) of all blocks one after the other. */
    void (*depthwise)(const gei_blocked_conv *c, int64_t begin, int64_t end);
    void (*pool)(const gei_blocked_pool *p, int64_t begin, int64_t end);
    /* Of gei_blocked_winograd_run: tiles [first, first + count) to points, points of a panel to results. */
    void (*points)(const gei_blocked_conv *c, int64_t first, int64_t count, float *v);
    void (*results)(const gei_blocked_conv *c, const float *plain_filter, int64_t first, int64_t count, int64_t block, int64_t blocks, const float *m);
} gei_blocked_isa;

extern const gei_blocked_isa gei_blocked_portable;
extern const gei_blocked_isa gei_blocked_avx2; /* only run where the CPU has it */
extern const gei_blocked_isa gei_blocked_avx512;

/* ---- dense convolutions ---- */
int64_t gei_blocked_panels(const gei_blocked_isa *isa, int64_t out_channels);
int64_t gei_blocked_panel_block(const gei_blocked_isa *isa, int64_t out_channels, int64_t panel); /* its first; widths differ by one at most */
size_t gei_blocked_filter_floats(const gei_blocked_conv *c); /* 0 on overflow; depthwise too */
/* filter: [out][in][height][width]. */
void gei_blocked_pack(const gei_blocked_isa *isa, const gei_blocked_conv *c, const float *filter, float *to);
int64_t gei_blocked_pixels_at_once(const gei_blocked_conv *c); /* between parts: neighbours in an image share what they read */
size_t gei_blocked_scratch_floats(const gei_blocked_conv *c);  /* 0: none */
/* Pixels [pixel_begin, pixel_end) of panels [panel_begin, panel_end). */
void gei_blocked_run(const gei_blocked_isa *isa, const gei_blocked_conv *c, int64_t pixel_begin, int64_t pixel_end, int64_t panel_begin,
                     int64_t panel_end, float *scratch);

/* ---- 3x3 windows without stride or dilation, by F(2x2, 3x3) (blocked_winograd.c) ----
 *   tiles of 4x4 inputs become 16 points; at each point, results = inputs * filter over channels; 16 points become 2x2 outputs
 * Results that are not finite are summed again without points, so that they are those of the window. */
#define GEI_BLOCKED_POINTS 16
int64_t gei_blocked_tiles(const gei_window *w);
size_t gei_blocked_winograd_filter_floats(int64_t in_channels, int64_t out_channels); /* 0 on overflow */
/* work: as many floats as the filter would have with 16 taps. */
void gei_blocked_winograd_pack(const gei_blocked_isa *isa, int64_t in_channels, int64_t out_channels, const float *filter, float *work, float *to);
int64_t gei_blocked_tiles_at_once(const gei_blocked_conv *c); /* whole rows */
size_t gei_blocked_winograd_scratch_floats(const gei_blocked_isa *isa, const gei_blocked_conv *c);
/* Sum and bias of one output pixel of one block, without points. */
void gei_blocked_sum_window(const gei_blocked_conv *c, const float *plain_filter, int64_t block, int64_t y, int64_t x, float *out);
/* c->filter: packed; plain_filter: [out][in][3][3].  Panels [panel_begin, panel_end) of tiles
 * [begin, end): whole rows of them, at most as many as at once. */
void gei_blocked_winograd_run(const gei_blocked_isa *isa, const gei_blocked_conv *c, const float *plain_filter, int64_t begin, int64_t end,
                              int64_t panel_begin, int64_t panel_end, float *scratch);

/* ---- between the layouts: blocks [begin, end) of one image ---- */
void gei_to_blocks(const float *x, int64_t channels, int64_t pixels, float *y, int64_t begin, int64_t end);
void gei_from_blocks(const float *x, int64_t channels, int64_t pixels, float *y, int64_t begin, int64_t end);

#endif
