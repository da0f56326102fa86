/* SPDX-License-Identifier: Apache-2.0 */
#include "base/arena.h"

#include <string.h>

#define FIRST_BLOCK_BYTES ((size_t)4 << 10)
#define LAST_BLOCK_BYTES ((size_t)32 << 20)

/* Stands at the front of each piece of memory taken from the allocator. */
typedef struct gei_arena_block {
    struct gei_arena_block *older;
    size_t size_bytes; /* of the whole piece, as given back to the allocator */
    size_t align_bytes;
} gei_arena_block;

void gei_arena_init(gei_arena *arena, const gei_allocator *from) {
    *arena = (gei_arena){ .from = from, .block_bytes = FIRST_BLOCK_BYTES };
}

static void free_blocks(const gei_allocator *from, gei_arena_block *block) {
    while (block) {
        gei_arena_block *older = block->older;
        gei_free(from, block, block->size_bytes, block->align_bytes);
        block = older;
    }
}

void gei_arena_deinit(gei_arena *arena) {
    free_blocks(arena->from, arena->blocks);
    free_blocks(arena->from, arena->kept);
    gei_arena_init(arena, arena->from);
}

void gei_arena_reset(gei_arena *arena) {
#ifdef GEI_ARENA_MALLOC
    gei_arena_deinit(arena); /* what is used after a reset shows */
#else
    gei_arena_block *oldest = arena->blocks;
    while (oldest && oldest->older) oldest = oldest->older;
    if (oldest) {
        oldest->older = arena->kept;
        arena->kept = arena->blocks;
    }
    arena->blocks = NULL;
    arena->next = arena->end = NULL;
    arena->block_bytes = FIRST_BLOCK_BYTES; /* the same sizes again */
#endif
}

/* A kept block of at least that size, but not of more than twice: large ones wait for large pieces. */
static gei_arena_block *take_kept(gei_arena *arena, size_t size_bytes, size_t align_bytes) {
    for (gei_arena_block **at = &arena->kept; *at; at = &(*at)->older) {
        gei_arena_block *block = *at;
        if (block->size_bytes < size_bytes || block->size_bytes / 2 > size_bytes || block->align_bytes < align_bytes) continue;
        *at = block->older;
        return block;
    }
    return NULL;
}

static gei_arena_block *add_block(gei_arena *arena, size_t size_bytes, size_t align_bytes) {
    gei_arena_block *block = take_kept(arena, size_bytes, align_bytes);
    if (!block) {
        block = gei_alloc(arena->from, size_bytes, align_bytes);
        if (!block) return NULL;
        *block = (gei_arena_block){ NULL, size_bytes, align_bytes };
        arena->total_bytes += size_bytes;
    }
    block->older = arena->blocks;
    arena->blocks = block;
    return block;
}

/* A piece of its own; the block that is being filled stays in use. */
static void *alloc_alone(gei_arena *arena, size_t size_bytes, size_t align_bytes) {
    size_t align = align_bytes > _Alignof(gei_arena_block) ? align_bytes : _Alignof(gei_arena_block);
    size_t head_bytes = gei_round_up(sizeof(gei_arena_block), align);
    size_t whole_bytes;
    if (!gei_add(size_bytes, head_bytes, &whole_bytes)) return NULL;
    gei_arena_block *block = add_block(arena, whole_bytes, align);
    return block ? (char *)block + head_bytes : NULL;
}

#ifndef GEI_ARENA_MALLOC
/* NULL when the current block has no room. */
static void *bump(gei_arena *arena, size_t size_bytes, size_t align_bytes) {
    size_t skip = (size_t)(-(uintptr_t)arena->next & (align_bytes - 1));
    size_t left = (size_t)(arena->end - arena->next);
    if (!arena->next || skip > left || size_bytes > left - skip) return NULL;
    char *ptr = arena->next + skip;
    arena->next = ptr + size_bytes;
    return ptr;
}
#endif

void *gei_arena_alloc(gei_arena *arena, size_t size_bytes, size_t align_bytes) {
    if (align_bytes == 0) align_bytes = 16;
    if (size_bytes == 0) size_bytes = 1;
#ifdef GEI_ARENA_MALLOC
    return alloc_alone(arena, size_bytes, align_bytes);
#else
    void *ptr = bump(arena, size_bytes, align_bytes);
    if (ptr) return ptr;
    size_t fits_bytes = arena->block_bytes - gei_round_up(sizeof(gei_arena_block), GEI_ALIGN_BYTES);
    if (align_bytes > GEI_ALIGN_BYTES || size_bytes > fits_bytes) return alloc_alone(arena, size_bytes, align_bytes);

    gei_arena_block *block = add_block(arena, arena->block_bytes, GEI_ALIGN_BYTES);
    if (!block) return NULL;
    arena->next = (char *)(block + 1);
    arena->end = (char *)block + block->size_bytes;
    if (arena->block_bytes < LAST_BLOCK_BYTES) arena->block_bytes *= 2;
    return bump(arena, size_bytes, align_bytes);
#endif
}

void *gei_arena_zero(gei_arena *arena, size_t size_bytes, size_t align_bytes) {
    void *ptr = gei_arena_alloc(arena, size_bytes, align_bytes);
    if (ptr) memset(ptr, 0, size_bytes);
    return ptr;
}

void *gei_arena_copy(gei_arena *arena, const void *from, size_t size_bytes, size_t align_bytes) {
    void *ptr = gei_arena_alloc(arena, size_bytes, align_bytes);
    if (ptr && size_bytes > 0) memcpy(ptr, from, size_bytes);
    return ptr;
}

char *gei_arena_text(gei_arena *arena, const char *text, size_t size_bytes) {
    size_t with_zero;
    if (!gei_add(size_bytes, 1, &with_zero)) return NULL;
    char *copy = gei_arena_alloc(arena, with_zero, 1);
    if (!copy) return NULL;
    if (size_bytes > 0) memcpy(copy, text, size_bytes);
    copy[size_bytes] = '\0';
    return copy;
}

void *gei_arena_array_(gei_arena *arena, size_t n, size_t elem_bytes, size_t align_bytes) {
    size_t size_bytes;
    return gei_mul(n, elem_bytes, &size_bytes) ? gei_arena_zero(arena, size_bytes, align_bytes) : NULL;
}

void *gei_arena_table_(gei_arena *arena, size_t n, size_t elem_bytes, size_t align_bytes) {
    size_t size_bytes;
    return gei_mul(n, elem_bytes, &size_bytes) ? gei_arena_alloc(arena, size_bytes, align_bytes) : NULL;
}
