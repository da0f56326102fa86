/* SPDX-License-Identifier: Apache-2.0 */
#include "base/bytes.h"

#define MOST_BYTES 127

size_t gei_edit_distance(const char *a, size_t a_size, const char *b, size_t b_size) {
    size_t line[MOST_BYTES + 1];
    if (b_size > MOST_BYTES || a_size > 2 * MOST_BYTES) return SIZE_MAX;
    for (size_t j = 0; j <= b_size; j++) line[j] = j;
    for (size_t i = 1; i <= a_size; i++) {
        size_t diagonal = line[0];
        line[0] = i;
        for (size_t j = 1; j <= b_size; j++) {
            size_t change = diagonal + (a[i - 1] != b[j - 1]), least = line[j] < line[j - 1] ? line[j] : line[j - 1];
            diagonal = line[j];
            line[j] = change < least + 1 ? change : least + 1;
        }
    }
    return line[b_size];
}
