/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/format.h"

#include <string.h>

/* By number; the texts GE writes. */
static const char *const names[] = {
    [0] = "NCHW",
    [1] = "NHWC",
    [2] = "ND",
    [3] = "NC1HWC0",
    [4] = "FRACTAL_Z",
    [5] = "NC1C0HWPAD",
    [6] = "NHWC1C0",
    [7] = "FSR_NCHW",
    [8] = "FRACTAL_DECONV",
    [9] = "C1HWNC0",
    [10] = "FRACTAL_DECONV_TRANSPOSE",
    [11] = "FRACTAL_DECONV_SP_STRIDE_TRANS",
    [12] = "NC1HWC0_C04",
    [13] = "FRACTAL_Z_C04",
    [14] = "CHWN",
    [15] = "DECONV_SP_STRIDE8_TRANS",
    [16] = "HWCN",
    [17] = "NC1KHKWHWC0",
    [18] = "BN_WEIGHT",
    [19] = "FILTER_HWCK",
    [20] = "LOOKUP_LOOKUPS",
    [21] = "LOOKUP_KEYS",
    [22] = "LOOKUP_VALUE",
    [23] = "LOOKUP_OUTPUT",
    [24] = "LOOKUP_HITS",
    [25] = "C1HWNCoC0",
    [26] = "MD",
    [27] = "NDHWC",
    [28] = "FRACTAL_ZZ",
    [29] = "FRACTAL_NZ",
    [30] = "NCDHW",
    [31] = "DHWCN",
    [32] = "NDC1HWC0",
    [33] = "FRACTAL_Z_3D",
    [34] = "CN",
    [35] = "NC",
    [36] = "DHWNC",
    [37] = "FRACTAL_Z_3D_TRANSPOSE",
    [38] = "FRACTAL_ZN_LSTM",
    [39] = "FRACTAL_Z_G",
    [40] = "RESERVED",
    [41] = "ALL",
    [42] = "NULL",
    [43] = "ND_RNN_BIAS",
    [44] = "FRACTAL_ZN_RNN",
    [45] = "NYUV",
    [46] = "NYUV_A",
    [47] = "NCL",
    [48] = "FRACTAL_Z_WINO",
    [49] = "C1HWC0",
    [50] = "FRACTAL_NZ_C0_16",
    [51] = "FRACTAL_NZ_C0_32",
};

#define COUNT (sizeof names / sizeof names[0])

const char *gei_format_name(int32_t format) {
    uint32_t base = (uint32_t)format & 0xff;
    return base < COUNT ? names[base] : "unknown";
}

bool gei_format_find(const char *name, size_t name_size, int32_t *out_format) {
    for (uint32_t i = 0; i < COUNT; i++) {
        if (strlen(names[i]) != name_size || memcmp(names[i], name, name_size) != 0) continue;
        *out_format = (int32_t)i;
        return true;
    }
    return false;
}
