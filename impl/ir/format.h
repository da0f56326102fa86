/* SPDX-License-Identifier: Apache-2.0 */
/* format: names of tensor layouts.  Numbers are GE's; bits 0-7 count, the rest is a sub-format. */
#ifndef GEI_IR_FORMAT_H
#define GEI_IR_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

const char *gei_format_name(int32_t format); /* "NCHW"; "unknown" for others; static */
bool gei_format_find(const char *name, size_t name_size, int32_t *out_format);

#endif
