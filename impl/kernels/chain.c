/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/chain.h"

#include <string.h>

static const struct {
    const char *row;
    gei_link_kind first, second;
} links[] = {
    { "Add", GEI_LINK_ADD, GEI_LINK_ADD },         { "Sub", GEI_LINK_SUB, GEI_LINK_RSUB },
    { "Mul", GEI_LINK_MUL, GEI_LINK_MUL },         { "Div", GEI_LINK_DIV, GEI_LINK_RDIV },
    { "RealDiv", GEI_LINK_DIV, GEI_LINK_RDIV },    { "Maximum", GEI_LINK_MAX, GEI_LINK_RMAX },
    { "Minimum", GEI_LINK_MIN, GEI_LINK_RMIN },    { "Relu", GEI_LINK_RELU, GEI_LINK_NONE },
    { "Abs", GEI_LINK_ABS, GEI_LINK_NONE },        { "Neg", GEI_LINK_NEG, GEI_LINK_NONE },
    { "Square", GEI_LINK_SQUARE, GEI_LINK_NONE },
};

gei_link_kind gei_link_find(const char *row, size_t row_size, bool is_second) {
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++)
        if (strlen(links[i].row) == row_size && memcmp(links[i].row, row, row_size) == 0)
            return is_second ? links[i].second : links[i].first;
    return GEI_LINK_NONE;
}
