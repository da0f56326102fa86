/* SPDX-License-Identifier: Apache-2.0 */
/* chain_template: compiled once for each instruction set.  The including file defines CHAIN_NAME and CHAIN_BYTES, the size of a vector. */
#include "kernels/chain.h"

#include <string.h>

typedef float vec __attribute__((vector_size(CHAIN_BYTES)));
typedef int32_t mask __attribute__((vector_size(CHAIN_BYTES)));

enum { WIDTH = CHAIN_BYTES / 4, VECTORS = 8 };
_Static_assert(GEI_CHAIN_BLOCK % (WIDTH * VECTORS) == 0, "blocks are whole rounds");

static inline vec load(const float *from) {
    vec v;
    memcpy(&v, from, sizeof v);
    return v;
}

static inline vec splat(float x) { return x - (vec){ 0 }; }

static inline vec pick(mask which, vec a, vec b) { return (vec)((which & (mask)a) | (~which & (mask)b)); }
static inline vec larger(vec a, vec b) { return pick((a > b) | (a != a), a, b); }
static inline vec smaller(vec a, vec b) { return pick((a < b) | (a != a), a, b); }

#define EACH _Pragma("GCC unroll 8") for (int v = 0; v < VECTORS; v++)

/* One operand: a[v] becomes expr. */
#define ONE(KIND, expr)                        \
    case KIND:                                 \
        EACH {                                 \
            const vec a = acc[v];              \
            acc[v] = (expr);                   \
        }                                      \
        break;

/* Two: the second is a number for all or moves. */
#define TWO(KIND, expr)                                    \
    case KIND:                                             \
        if (l->step) {                                     \
            EACH {                                         \
                const vec a = acc[v], b = load(l->b + i + v * WIDTH); \
                acc[v] = (expr);                           \
            }                                              \
        } else {                                           \
            const vec b = splat(*l->b);                    \
            EACH {                                         \
                const vec a = acc[v];                      \
                acc[v] = (expr);                           \
            }                                              \
        }                                                  \
        break;

void CHAIN_NAME(const gei_link *links, size_t count, const float *x, float *y, int64_t n) {
    for (int64_t i = 0; i < n; i += WIDTH * VECTORS) {
        vec acc[VECTORS];
        EACH acc[v] = load(x + i + v * WIDTH);
        for (const gei_link *l = links; l < links + count; l++)
            switch (l->kind) {
                TWO(GEI_LINK_ADD, a + b)
                TWO(GEI_LINK_SUB, a - b)
                TWO(GEI_LINK_RSUB, b - a)
                TWO(GEI_LINK_MUL, a * b)
                TWO(GEI_LINK_DIV, a / b)
                TWO(GEI_LINK_RDIV, b / a)
                TWO(GEI_LINK_MAX, larger(a, b))
                TWO(GEI_LINK_RMAX, larger(b, a))
                TWO(GEI_LINK_MIN, smaller(a, b))
                TWO(GEI_LINK_RMIN, smaller(b, a))
                ONE(GEI_LINK_RELU, pick(a < splat(0), splat(0), a))
                ONE(GEI_LINK_ABS, (vec)((mask)a & INT32_MAX))
                ONE(GEI_LINK_NEG, -a)
                ONE(GEI_LINK_SQUARE, a * a)
            case GEI_LINK_NONE: break;
            }
        EACH memcpy(y + i + v * WIDTH, &acc[v], sizeof(vec));
    }
}
