/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/moves.h"

#include <string.h>

#define INDEX_BITS 40 /* of a token: element index; the rest is the input slot */

static bool has_bytes(int32_t dtype) {
    const gei_dtype_info *info = gei_dtype_get(dtype);
    return info && info->bits > 0 && info->bits % 8 == 0;
}

size_t gei_moved_bytes(int32_t dtype) { return has_bytes(dtype) ? gei_dtype_get(dtype)->bits / 8 : 8; }

static bool is_moved(uint32_t moved, uint32_t slot) { return moved >> (slot < 31 ? slot : 31) & 1; }

typedef struct tokens {
    const gei_run *run;
    gei_arena arena;
    const gei_view **in; /* moved ones replaced */
    gei_view out;
} tokens;

static ge_status make_tokens(tokens *t, uint32_t moved) {
    const gei_run *run = t->run;
    t->in = gei_arena_array(&t->arena, const gei_view *, run->n_in + 1);
    if (!t->in) return gei_out_of_memory(run->diag, 0);
    for (uint32_t k = 0; k < run->n_in; k++) {
        t->in[k] = run->in[k];
        if (!run->in[k] || !is_moved(moved, k)) continue;
        gei_view *v = gei_arena_copy(&t->arena, run->in[k], sizeof *v, _Alignof(gei_view));
        int64_t *numbers = gei_arena_array(&t->arena, int64_t, (size_t)run->in[k]->n_elems + 1);
        if (!v || !numbers) return gei_out_of_memory(run->diag, 0);
        for (int64_t n = 0; n < v->n_elems; n++) numbers[n] = (int64_t)k << INDEX_BITS | n;
        v->dtype = GEI_INT64;
        v->data = numbers;
        t->in[k] = v;
    }
    t->out = *run->out[0];
    t->out.dtype = GEI_INT64;
    t->out.data = gei_arena_array(&t->arena, int64_t, (size_t)t->out.n_elems + 1);
    return t->out.data ? GE_OK : gei_out_of_memory(run->diag, 0);
}

static const gei_view *source_of(const tokens *t, int64_t n, int64_t *out_index) {
    int64_t token = ((const int64_t *)t->out.data)[n];
    *out_index = token & ((INT64_C(1) << INDEX_BITS) - 1);
    return t->run->in[token >> INDEX_BITS];
}

static uint64_t offset_at(const gei_view *v, int64_t index) {
    uint64_t offset;
    memcpy(&offset, (const char *)v->data + (size_t)index * sizeof offset, sizeof offset);
    return offset;
}

static ge_status move_strings(const tokens *t) {
    const gei_view *y = t->run->out[0];
    uint64_t text_bytes = 0, at = 0;
    int64_t index;
    void *data;
    size_t table = ((size_t)y->n_elems + 1) * sizeof(uint64_t), total;
    for (int64_t n = 0; n < y->n_elems; n++) {
        const gei_view *from = source_of(t, n, &index);
        uint64_t size = offset_at(from, index + 1) - offset_at(from, index);
        if (!gei_add(text_bytes, size, &text_bytes)) return gei_out_of_memory(t->run->diag, SIZE_MAX);
    }
    if (!gei_add(table, text_bytes, &total)) return gei_out_of_memory(t->run->diag, SIZE_MAX);
    int64_t n_elems = y->n_elems;
    GEI_TRY(gei_run_set_output(t->run, 0, y->rank, y->dims, total, &data));
    for (int64_t n = 0; n < n_elems; n++) {
        const gei_view *from = source_of(t, n, &index);
        uint64_t begin = offset_at(from, index), size = offset_at(from, index + 1) - begin;
        memcpy((char *)data + (size_t)n * sizeof at, &at, sizeof at);
        if (size > 0) memcpy((char *)data + table + at, (const char *)from->data + ((size_t)from->n_elems + 1) * sizeof at + begin, size);
        at += size;
    }
    memcpy((char *)data + (size_t)n_elems * sizeof at, &at, sizeof at);
    return GE_OK;
}

static void move_bits(const tokens *t, uint32_t bits) {
    const gei_view *y = t->run->out[0];
    uint8_t *to = (uint8_t *)y->data;
    int64_t index;
    memset(to, 0, ((size_t)y->n_elems * bits + 7) / 8);
    for (int64_t n = 0; n < y->n_elems; n++) {
        const uint8_t *from = (const uint8_t *)source_of(t, n, &index)->data;
        for (uint32_t b = 0; b < bits; b++) {
            uint64_t at = (uint64_t)index * bits + b, put = (uint64_t)n * bits + b;
            to[put / 8] = (uint8_t)(to[put / 8] | (from[at / 8] >> at % 8 & 1) << put % 8);
        }
    }
}

ge_status gei_run_moved(const gei_run *run, uint32_t part, uint32_t moved, gei_kernel_fn fn) {
    int32_t dtype = run->out[0]->dtype;
    if (has_bytes(dtype)) return fn(run, part);
    if (part != 0) return GE_OK;
    tokens t = { .run = run };
    gei_arena_init(&t.arena, run->heap);
    ge_status status = make_tokens(&t, moved);
    if (status == GE_OK) {
        gei_view *out = &t.out;
        gei_run inner = *run;
        inner.in = t.in;
        inner.out = &out;
        inner.n_parts = 1;
        status = fn(&inner, 0);
    }
    if (status == GE_OK && dtype == GEI_STRING) status = move_strings(&t);
    else if (status == GE_OK) move_bits(&t, gei_dtype_get(dtype)->bits);
    gei_arena_deinit(&t.arena);
    return status;
}
