/* SPDX-License-Identifier: Apache-2.0 */
/* arena: memory that is freed all at once.  Bump allocation in growing blocks; nothing is freed singly.
 * One owner, no locking.  With GEI_ARENA_MALLOC defined (sanitizer builds) each piece is its own allocation, so that overruns show. */
#ifndef GEI_BASE_ARENA_H
#define GEI_BASE_ARENA_H

#include <stddef.h>

#include "base/alloc.h"

typedef struct gei_arena {
    const gei_allocator *from; /* borrowed, outlives the arena */
    struct gei_arena_block *blocks, *kept; /* kept: of before a reset, not in use */
    char *next, *end;
    size_t block_bytes;        /* size of the next block, doubles up to 32 MiB */
    size_t total_bytes;        /* taken from `from` */
} gei_arena;

void gei_arena_init(gei_arena *arena, const gei_allocator *from);
void gei_arena_deinit(gei_arena *arena); /* frees everything; the arena may be used again */
void gei_arena_reset(gei_arena *arena);  /* empties it; its memory is used again before more is taken */
void *gei_arena_alloc(gei_arena *arena, size_t size_bytes, size_t align_bytes); /* NULL when out of memory; not cleared */
void *gei_arena_zero(gei_arena *arena, size_t size_bytes, size_t align_bytes);
void *gei_arena_copy(gei_arena *arena, const void *from, size_t size_bytes, size_t align_bytes);
char *gei_arena_text(gei_arena *arena, const char *text, size_t size_bytes); /* zero-terminated copy */

#define gei_arena_new(arena, type) ((type *)gei_arena_zero((arena), sizeof(type), _Alignof(type)))
#define gei_arena_array(arena, type, n) ((type *)gei_arena_array_((arena), (n), sizeof(type), _Alignof(type)))
void *gei_arena_array_(gei_arena *arena, size_t n, size_t elem_bytes, size_t align_bytes); /* cleared; overflow-checked */
/* The same, not cleared: for large tables that are written whole, which clearing them first would take from memory twice. */
#define gei_arena_table(arena, type, n) ((type *)gei_arena_table_((arena), (n), sizeof(type), _Alignof(type)))
void *gei_arena_table_(gei_arena *arena, size_t n, size_t elem_bytes, size_t align_bytes);

#endif
