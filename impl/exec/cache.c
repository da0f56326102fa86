/* SPDX-License-Identifier: Apache-2.0 */
/* cache: instances by input shapes, bounded; their idle frames; memory for frames in use. */
#include <string.h>

#include "exec/model.h"

/* ---- signatures ---- */

gei_signature gei_signature_of_tensors(gei_tensor *const *tensors, uint32_t count) {
    return (gei_signature){ (const void *const *)tensors, offsetof(gei_tensor, rank), offsetof(gei_tensor, dims), count };
}
gei_signature gei_signature_of_views(const gei_view *const *views, uint32_t count) {
    return (gei_signature){ (const void *const *)views, offsetof(gei_view, rank), offsetof(gei_view, dims), count };
}

static int32_t rank_at(const gei_signature *s, uint32_t i) { return *(const int32_t *)(const void *)((const char *)s->items[i] + s->rank_offset); }
static const int64_t *dims_at(const gei_signature *s, uint32_t i) {
    return (const int64_t *)(const void *)((const char *)s->items[i] + s->dims_offset);
}

bool gei_signature_is(const gei_signature *s, const gei_shape *shapes) {
    for (uint32_t i = 0; i < s->count; i++) {
        int32_t rank = rank_at(s, i);
        if (rank != shapes[i].rank) return false;
        const int64_t *dims = dims_at(s, i);
        for (int32_t k = 0; k < rank; k++)
            if (dims[k] != shapes[i].dims[k]) return false;
    }
    return true;
}

static uint64_t hash_of(const gei_signature *s) {
    uint64_t hash = UINT64_C(0x2545F4914F6CDD1D);
    for (uint32_t i = 0; i < s->count; i++) {
        int32_t rank = rank_at(s, i);
        const int64_t *dims = dims_at(s, i);
        hash = (hash ^ (uint64_t)(uint32_t)rank) * UINT64_C(0x9E3779B97F4A7C15);
        for (int32_t k = 0; k < rank; k++) {
            hash = (hash ^ (uint64_t)dims[k]) * UINT64_C(0x9E3779B97F4A7C15);
            hash ^= hash >> 29;
        }
    }
    return hash ^ hash >> 32;
}

static void read_shapes(const gei_signature *s, gei_shape *shapes) {
    for (uint32_t i = 0; i < s->count; i++) shapes[i] = gei_shape_of(rank_at(s, i), dims_at(s, i));
}

/* ---- freeing, outside the lock ---- */

typedef struct garbage {
    gei_frame *frames;  /* through next_idle */
    gei_entry *entries; /* through next */
    gei_block *blocks;  /* through next */
} garbage;

static void free_entry(gei_model *m, gei_entry *e) {
    gei_instance_destroy(e->instance);
    gei_free(&m->run_heap, e, sizeof *e, _Alignof(gei_entry));
}

static void free_garbage(gei_model *m, garbage *g) {
    while (g->frames) {
        gei_frame *f = g->frames;
        g->frames = f->next_idle;
        gei_frame_destroy(f);
    }
    while (g->entries) {
        gei_entry *e = g->entries;
        g->entries = e->next;
        free_entry(m, e);
    }
    while (g->blocks) {
        gei_block *b = g->blocks;
        g->blocks = b->next;
        gei_free(&m->feature_heap, b, b->size_bytes, GEI_ALIGN_BYTES);
    }
}

/* ---- lists, under the lock ---- */

static void link_frame(gei_model *m, gei_frame *f) {
    f->prev = NULL;
    f->next = m->frames;
    if (f->next) f->next->prev = f;
    m->frames = f;
    m->stats.frames_made++;
}

static void discard_frame(gei_model *m, gei_frame *f, garbage *g) {
    uint64_t runs = atomic_load_explicit(&f->n_runs, memory_order_relaxed);
    m->stats.runs += runs;
    m->stats.output_copies += runs * f->n_copies;
    if (f->next) f->next->prev = f->prev;
    if (f->prev) f->prev->next = f->next;
    else m->frames = f->next;
    f->next_idle = g->frames;
    g->frames = f;
}

static void discard_idle(gei_model *m, gei_entry *e, garbage *g) {
    while (e->idle) {
        gei_frame *f = e->idle;
        e->idle = f->next_idle;
        discard_frame(m, f, g);
    }
}

static void discard_if_unused(gei_model *m, gei_entry *e, garbage *g) {
    if (e->is_cached || e->n_users > 0) return;
    for (gei_entry **at = &m->uncached; *at; at = &(*at)->next) {
        if (*at != e) continue;
        *at = e->next;
        break;
    }
    e->next = g->entries;
    g->entries = e;
}

static gei_entry *find(gei_model *m, const gei_signature *s, uint64_t hash) {
    for (uint32_t i = 0; i < m->n_cached; i++)
        if (m->hashes[i] == hash && gei_signature_is(s, m->cached[i]->instance->input_shapes)) return m->cached[i];
    return NULL;
}

static void use(gei_model *m, gei_entry *e) {
    e->n_users++;
    e->last_used = ++m->clock;
    if (e->is_cached) m->recent = e;
}

/* The entry that went longest without being taken; one that nobody uses goes first. */
static uint32_t oldest(const gei_model *m) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < m->n_cached; i++) {
        const gei_entry *a = m->cached[i], *b = m->cached[best];
        bool idle_a = a->n_users == 0, idle_b = b->n_users == 0;
        if (idle_a != idle_b ? idle_a : a->last_used < b->last_used) best = i;
    }
    return best;
}

static void evict(gei_model *m, uint32_t index, garbage *g) {
    gei_entry *e = m->cached[index];
    m->cached[index] = m->cached[--m->n_cached];
    m->hashes[index] = m->hashes[m->n_cached];
    if (m->recent == e) m->recent = NULL;
    m->stats.instances_evicted++;
    e->is_cached = false;
    e->next = m->uncached;
    m->uncached = e;
    discard_idle(m, e, g);
    discard_if_unused(m, e, g);
}

static void insert(gei_model *m, gei_entry *e, garbage *g) {
    if (m->n_cached == m->options.max_instances) evict(m, oldest(m), g);
    e->is_cached = true;
    m->cached[m->n_cached] = e;
    m->hashes[m->n_cached++] = e->hash;
    m->stats.instances_made++;
    const gei_instance *inst = e->instance;
    if (inst->arena_bytes > m->stats.arena_bytes) m->stats.arena_bytes = inst->arena_bytes;
    if (inst->lower_bound_bytes > m->stats.lower_bound_bytes) m->stats.lower_bound_bytes = inst->lower_bound_bytes;
    if (inst->most_lanes > m->stats.most_lanes) m->stats.most_lanes = inst->most_lanes;
    uint64_t scratch = gei_frame_scratch_bytes(inst, m->options.max_threads);
    if (scratch > m->stats.scratch_bytes) m->stats.scratch_bytes = scratch;
}

/* ---- entries ---- */

static ge_status make_entry(gei_model *m, const gei_signature *s, uint64_t hash, gei_entry **out, gei_diag *diag) {
    size_t shapes_bytes = s->count * sizeof(gei_shape);
    gei_shape *shapes = gei_alloc(&m->run_heap, shapes_bytes, _Alignof(gei_shape));
    gei_entry *e = gei_alloc_zero(&m->run_heap, sizeof *e, _Alignof(gei_entry));
    ge_status st = shapes && e ? GE_OK : gei_out_of_memory(diag, shapes_bytes);
    if (st == GE_OK) {
        read_shapes(s, shapes);
        st = gei_instance_create_from(m->plan, shapes, &m->run_heap, &e->instance, diag);
    }
    gei_free(&m->run_heap, shapes, shapes_bytes, _Alignof(gei_shape));
    if (st != GE_OK) {
        gei_free(&m->run_heap, e, sizeof *e, _Alignof(gei_entry));
        return st;
    }
    e->hash = hash;
    *out = e;
    return GE_OK;
}

/* Finds or makes the entry, counts a user, and takes one of its idle frames when there is one (out_idle nullable). */
static ge_status take_entry(gei_model *m, const gei_signature *s, gei_entry **out, gei_frame **out_idle, gei_diag *diag) {
    garbage g = { NULL, NULL, NULL };
    gei_entry *made = NULL, *just_made = NULL;
    pthread_mutex_lock(&m->lock);
    gei_entry *e = m->recent && gei_signature_is(s, m->recent->instance->input_shapes) ? m->recent : NULL;
    if (!e) {
        uint64_t hash = hash_of(s);
        e = find(m, s, hash);
        if (!e) {
            pthread_mutex_unlock(&m->lock);
            GEI_TRY(make_entry(m, s, hash, &made, diag));
            pthread_mutex_lock(&m->lock);
            e = find(m, s, hash); /* another thread may have been faster */
            if (!e) {
                insert(m, made, &g);
                e = just_made = made;
                made = NULL;
            }
        }
    }
    m->stats.instances_found += e != just_made;
    use(m, e);
    if (out_idle && e->idle) {
        *out_idle = e->idle;
        e->idle = (*out_idle)->next_idle;
    }
    pthread_mutex_unlock(&m->lock);
    if (made) free_entry(m, made);
    free_garbage(m, &g);
    *out = e;
    return GE_OK;
}

static void give_entry(gei_model *m, gei_entry *e) {
    garbage g = { NULL, NULL, NULL };
    pthread_mutex_lock(&m->lock);
    e->n_users--;
    discard_if_unused(m, e, &g);
    pthread_mutex_unlock(&m->lock);
    free_garbage(m, &g);
}

/* ---- blocks ---- */

static char *block_data(gei_block *b) { return (char *)b + GEI_ALIGN_BYTES; }

/* Takes the block at *at out of the list of idle ones. */
static gei_block *unlink_block(gei_model *m, gei_block **at) {
    gei_block *b = *at;
    *at = b->next;
    m->stats.idle_bytes -= b->size_bytes;
    return b;
}

static void discard_block(gei_model *m, gei_block **at, garbage *g) {
    gei_block *b = unlink_block(m, at);
    b->next = g->blocks;
    g->blocks = b;
}

/* The block the frame had, else the smallest that is large enough, else NULL; then the largest of the others makes way for the one to be
 * made, so that shapes that grow do not leave blocks behind. */
static gei_block *find_block(gei_model *m, const gei_frame *f, size_t size_bytes, garbage *g) {
    gei_block **best = NULL, **largest = NULL;
    for (gei_block **at = &m->blocks; *at; at = &(*at)->next) {
        if ((*at)->size_bytes >= size_bytes) {
            if (!best || (*at)->size_bytes < (*best)->size_bytes || block_data(*at) == f->memory) best = at;
            if (block_data(*at) == f->memory) break;
        } else if (!largest || (*at)->size_bytes > (*largest)->size_bytes) {
            largest = at;
        }
    }
    if (best) return unlink_block(m, best);
    if (largest) discard_block(m, largest, g);
    return NULL;
}

/* Room to grow a little: an eighth, for shapes that change. */
static bool block_size(const gei_model *m, const gei_frame *f, bool with_slack, size_t *out) {
    size_t slack = with_slack && !m->plan->is_static ? f->memory_bytes / 8 / GEI_ALIGN_BYTES * GEI_ALIGN_BYTES : 0;
    return gei_add(f->memory_bytes, GEI_ALIGN_BYTES, out) && gei_add(*out, slack, out);
}

static ge_status give_memory(gei_model *m, gei_frame *f, gei_diag *diag) {
    garbage g = { NULL, NULL, NULL };
    size_t least, size_bytes;
    if (f->memory_bytes == 0) return GE_OK;
    if (!block_size(m, f, false, &least) || !block_size(m, f, true, &size_bytes)) return gei_out_of_memory(diag, SIZE_MAX);
    pthread_mutex_lock(&m->lock);
    f->block = find_block(m, f, least, &g);
    pthread_mutex_unlock(&m->lock);
    free_garbage(m, &g);
    if (!f->block) {
        f->block = gei_alloc(&m->feature_heap, size_bytes, GEI_ALIGN_BYTES);
        if (!f->block) return gei_out_of_memory(diag, size_bytes);
        f->block->size_bytes = size_bytes;
    }
    gei_frame_set_memory(f, block_data(f->block));
    return GE_OK;
}

/* Under the lock.  At least one block stays, whatever its size. */
static void take_memory(gei_model *m, gei_frame *f, garbage *g) {
    if (!f->block) return;
    f->block->next = m->blocks;
    m->blocks = f->block;
    m->stats.idle_bytes += f->block->size_bytes;
    f->block = NULL;
    while (m->stats.idle_bytes > m->options.max_idle_bytes && m->blocks->next) discard_block(m, &m->blocks->next, g);
}

/* ---- frames ---- */

static ge_status make_frame(gei_model *m, gei_entry *e, gei_frame **out, gei_diag *diag) {
    GEI_TRY(gei_frame_create(m, e->instance, out, diag));
    (*out)->entry = e;
    pthread_mutex_lock(&m->lock);
    link_frame(m, *out);
    pthread_mutex_unlock(&m->lock);
    return GE_OK;
}

ge_status gei_model_take_frame(gei_model *m, const gei_signature *s, gei_frame **out, gei_diag *diag) {
    gei_entry *e;
    gei_frame *f = NULL;
    *out = NULL;
    GEI_TRY(take_entry(m, s, &e, &f, diag));
    ge_status st = f ? GE_OK : make_frame(m, e, &f, diag);
    if (st != GE_OK) {
        give_entry(m, e);
        return st;
    }
    st = give_memory(m, f, diag);
    if (st == GE_OK) *out = f;
    else gei_model_give_frame(f);
    return st;
}

void gei_model_give_frame(gei_frame *f) {
    gei_model *m = f->model;
    gei_entry *e = f->entry;
    garbage g = { NULL, NULL, NULL };
    pthread_mutex_lock(&m->lock);
    take_memory(m, f, &g);
    e->n_users--;
    if (e->is_cached) {
        f->next_idle = e->idle;
        e->idle = f;
    } else {
        discard_frame(m, f, &g);
    }
    discard_if_unused(m, e, &g);
    pthread_mutex_unlock(&m->lock);
    free_garbage(m, &g);
}

void gei_model_trim(gei_model *m, uint64_t keep_bytes) {
    garbage g = { NULL, NULL, NULL };
    pthread_mutex_lock(&m->lock);
    for (uint32_t i = 0; i < m->n_cached; i++) discard_idle(m, m->cached[i], &g);
    while (m->blocks && m->stats.idle_bytes > keep_bytes) discard_block(m, &m->blocks, &g);
    uint64_t kept = m->stats.idle_bytes;
    pthread_mutex_unlock(&m->lock);
    free_garbage(m, &g);
    for (uint32_t i = 0; i < m->plan->n_bodies; i++)
        if (m->bodies[i]) gei_model_trim(m->bodies[i], keep_bytes - kept);
}

/* ---- borrowed instances ---- */

ge_status gei_model_instance(gei_model *m, const gei_shape *input_shapes, const gei_instance **out, gei_diag *diag) {
    uint32_t n = m->plan->n_inputs;
    gei_shape *shapes = NULL; /* of a static model, which may be asked without */
    *out = NULL;
    size_t bytes = n * (sizeof(void *) + sizeof(gei_shape));
    const void **items = gei_alloc(m->from, bytes, _Alignof(gei_shape));
    if (!items) return gei_out_of_memory(diag, bytes);
    shapes = (gei_shape *)(void *)(items + n);
    for (uint32_t i = 0; i < n; i++) {
        shapes[i] = input_shapes ? input_shapes[i] : m->plan->inputs[i].shape;
        items[i] = &shapes[i];
    }
    gei_signature s = { items, offsetof(gei_shape, rank), offsetof(gei_shape, dims), n };
    gei_entry *e;
    ge_status st = take_entry(m, &s, &e, NULL, diag);
    gei_free(m->from, items, bytes, _Alignof(gei_shape));
    if (st == GE_OK) *out = e->instance;
    return st;
}

void gei_model_instance_release(gei_model *m, const gei_instance *instance) {
    gei_entry *found = NULL;
    if (!instance) return;
    pthread_mutex_lock(&m->lock);
    for (uint32_t i = 0; i < m->n_cached && !found; i++)
        if (m->cached[i]->instance == instance) found = m->cached[i];
    for (gei_entry *e = m->uncached; e && !found; e = e->next)
        if (e->instance == instance) found = e;
    pthread_mutex_unlock(&m->lock);
    if (found) give_entry(m, found); /* still there: the caller is one of its users */
}

/* ---- life ---- */

ge_status gei_cache_init(gei_model *m, gei_diag *diag) {
    uint32_t n = m->options.max_instances;
    m->cached = gei_alloc_zero(m->from, n * sizeof *m->cached, 0);
    m->hashes = gei_alloc_zero(m->from, n * sizeof *m->hashes, 0);
    return m->cached && m->hashes ? GE_OK : gei_out_of_memory(diag, n * sizeof *m->cached);
}

void gei_cache_deinit(gei_model *m) {
    garbage g = { NULL, NULL, NULL };
    while (m->n_cached > 0) evict(m, m->n_cached - 1, &g);
    while (m->blocks) discard_block(m, &m->blocks, &g);
    free_garbage(m, &g);
    gei_free(m->from, m->cached, m->options.max_instances * sizeof *m->cached, 0);
    gei_free(m->from, m->hashes, m->options.max_instances * sizeof *m->hashes, 0);
}
