/* SPDX-License-Identifier: Apache-2.0 */
#include "base/build_info.h"

#include "base/build_info_values.h"

#if defined(__x86_64__)
#define PROCESSOR "x86_64"
#elif defined(__aarch64__)
#define PROCESSOR "aarch64"
#else
#define PROCESSOR "other"
#endif

const char *gei_build_info(void) {
    return "ge " GEI_VERSION_TEXT " commit " GEI_BUILD_COMMIT " compiler " GEI_BUILD_COMPILER
           " type " GEI_BUILD_TYPE " sanitize [" GEI_BUILD_SANITIZE "] processor " PROCESSOR;
}

void gei_build_version(uint32_t *out_major, uint32_t *out_minor, uint32_t *out_patch) {
    *out_major = GEI_VERSION_MAJOR;
    *out_minor = GEI_VERSION_MINOR;
    *out_patch = GEI_VERSION_PATCH;
}
