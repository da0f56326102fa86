/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/texts.h"

#include <string.h>

/* offsets[n + 1], then the bytes */
gei_text gei_text_at(const gei_view *v, int64_t index) {
    const char *data = (const char *)v->data, *bytes = data + ((size_t)v->n_elems + 1) * sizeof(uint64_t);
    uint64_t at[2];
    memcpy(at, data + (size_t)index * sizeof *at, sizeof at);
    return (gei_text){ bytes + at[0], (size_t)(at[1] - at[0]) };
}

ge_status gei_run_set_texts(const gei_run *run, uint32_t out, gei_text_fn text_of, const void *user) {
    const gei_view *y = run->out[out];
    size_t bytes, n = (size_t)y->n_elems;
    uint64_t at = 0;
    void *data;
    if (!gei_mul(n + 1, sizeof at, &bytes)) return gei_out_of_memory(run->diag, SIZE_MAX);
    for (size_t k = 0; k < n; k++)
        if (!gei_add(bytes, text_of(user, (int64_t)k).size, &bytes)) return gei_out_of_memory(run->diag, SIZE_MAX);
    GEI_TRY(gei_run_set_output(run, out, y->rank, y->dims, bytes, &data));
    char *to = (char *)data + (n + 1) * sizeof at;
    for (size_t k = 0; k < n; k++) {
        gei_text text = text_of(user, (int64_t)k);
        memcpy((char *)data + k * sizeof at, &at, sizeof at);
        if (text.size > 0) memcpy(to + at, text.data, text.size);
        at += text.size;
    }
    memcpy((char *)data + n * sizeof at, &at, sizeof at);
    return GE_OK;
}
