/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/wide.h"

#include <string.h>

const gei_wide *gei_wide_find(const gei_wide *table, const char *name) {
    for (; table->name; table++)
        if (strcmp(table->name, name) == 0) return table;
    return NULL;
}
