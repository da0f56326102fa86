/* SPDX-License-Identifier: Apache-2.0 */
/* build_info: what this copy of the library was built from, as one line for logs and bug reports. */
#ifndef GEI_BASE_BUILD_INFO_H
#define GEI_BASE_BUILD_INFO_H

#include <stdint.h>

/* "ge 0.1.0 commit 1a2b3c4 compiler GNU 12.2.0 type Release sanitize [] processor x86_64"; static. */
const char *gei_build_info(void);

void gei_build_version(uint32_t *out_major, uint32_t *out_minor, uint32_t *out_patch);

#endif
