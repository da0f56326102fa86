/* SPDX-License-Identifier: Apache-2.0 */
/* options: settings by key, checked against option_table.h. */
#ifndef GEI_API_OPTIONS_H
#define GEI_API_OPTIONS_H

#include "api/object.h"

/* The value set or the key's default; `absent` when neither is a number.  Keys are those of option_table.h. */
int64_t gei_options_int(const gei_api_options *o, const char *key, int64_t absent);
/* Zero-terminated, borrowed until the options change; never NULL. */
const char *gei_options_text(const gei_api_options *o, const char *key);
gei_api_allocator *gei_options_allocator(const gei_api_options *o); /* borrowed; NULL: memory of the process */

#endif
