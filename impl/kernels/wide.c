/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/wide.h"

#include <string.h>

const gei_wide *gei_wide_find_sized(const gei_wide *table, const char *name, size_t name_size) {
    for (; table->name; table++)
        if (strlen(table->name) == name_size && memcmp(table->name, name, name_size) == 0) return table;
    return NULL;
}

const gei_wide *gei_wide_find(const gei_wide *table, const char *name) { return gei_wide_find_sized(table, name, strlen(name)); }
