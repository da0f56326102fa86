/* SPDX-License-Identifier: Apache-2.0 */
/* stateful_model: what the random test believes of each object, and how it checks a call.  A belief that does not hold ends the
 * process with the seed and the number of the call, so that it can be played again. */
#ifndef GE_STATEFUL_MODEL_H
#define GE_STATEFUL_MODEL_H

#define GE_NO_NULLABILITY
#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ge_c_api.h"

enum { CONTEXT, OPTIONS, TENSOR, VALUE, GRAPH, BUILDER, MODEL, BINDING, ERROR, N_KINDS };
#define PER_KIND 24 /* live objects of a kind that a thread has at most */
#define GRAVES 256  /* handles destroyed last */

/* Facts shared by objects over the same bytes: element i is first + i. */
typedef struct bytes_facts {
    float first;
    uint32_t n;
    bool read_only;
} bytes_facts;

typedef struct context_facts {
    int64_t threads; /* 0: as many as processors */
    int64_t objects; /* live handles, its own included */
} context_facts;

typedef struct object {
    void *handle;
    context_facts *ctx;  /* NULL: the process default */
    bytes_facts *bytes;  /* tensors, values, the input of a binding */
    int64_t number;      /* options: ge.threads; graphs, builders: nodes; errors: counts beyond the first */
    ge_value_id last;    /* builders: a value to read, 0: none */
    ge_node_id node;     /* graphs: a node, 0: none */
    uint8_t state;       /* builders: OP_*; bindings: 1 after a run; graphs: 1 with the attribute */
    int64_t attr;        /* graphs: what the attribute holds */
    ge_status status;    /* errors */
    bool shown;          /* bindings: an output handle was given out */
} object;
enum { OP_NONE, OP_OPEN, OP_FED, BUILT };

typedef struct grave {
    void *handle;
    int kind;
} grave;

typedef struct player {
    uint64_t random, seed;
    uint64_t calls;
    uint32_t index;
    object live[N_KINDS][PER_KIND];
    uint32_t n[N_KINDS];
    grave graves[GRAVES];
    uint32_t n_graves;
    uint64_t by_status[3];   /* calls that succeeded, failed as foreseen, met another thread's destroy */
    ge_graph *prototype;     /* x -> Relu -> y, to compile */
    void **kept;             /* facts, freed at the end */
    size_t n_kept, room_kept;
} player;

static inline uint32_t below(player *p, uint32_t n) {
    p->random ^= p->random << 13;
    p->random ^= p->random >> 7;
    p->random ^= p->random << 17;
    return (uint32_t)((p->random >> 16) % n);
}

static inline _Noreturn void wrong(const player *p, int line, const char *what) {
    ge_error *error;
    ge_error_take(&error);
    fprintf(stderr, "stateful: line %d: %s (player %u, call %" PRIu64 ", seed %" PRIu64 "; last record: %s)\n", line, what, p->index, p->calls,
            p->seed, ge_error_get_message(error));
    abort();
}
#define MUST(p, condition)                                      \
    do {                                                        \
        if (!(condition)) wrong((p), __LINE__, #condition);     \
    } while (0)

/* The call succeeds. */
#define GOOD(p, call)                                \
    do {                                             \
        (p)->calls++;                                \
        if ((call) != GE_OK) wrong((p), __LINE__, #call); \
        (p)->by_status[0]++;                         \
    } while (0)

/* The call fails with this status and leaves a whole record that names the function and, unless NULL, the argument. */
static inline void check_record(player *p, ge_status st, ge_status wanted, const char *call, const char *argument, int line) {
    ge_error *error;
    ge_error_info info;
    p->calls++;
    p->by_status[1]++;
    if (st != wanted) {
        fprintf(stderr, "stateful: %s returned %s, wanted %s\n", call, ge_status_name(st), ge_status_name(wanted));
        wrong(p, line, call);
    }
    ge_error_take(&error);
    if (!error) wrong(p, line, "no record");
    if (ge_error_get_info(error, &info, sizeof info) != GE_OK) wrong(p, line, "no info");
    size_t name_size = strcspn(call, "(");
    if (info.status != wanted || !info.message[0]) wrong(p, line, "the record has another status or no message");
    if (strncmp(call, info.function_name, name_size) != 0 || info.function_name[name_size]) wrong(p, line, "the record names another function");
    if (argument && strcmp(argument, info.argument) != 0) wrong(p, line, "the record names another argument");
    p->calls += 2;
    /* Now and then an error is kept, to be used later. */
    if (below(p, 16) == 0 && p->n[ERROR] < PER_KIND) p->live[ERROR][p->n[ERROR]++] = (object){ .handle = error, .status = wanted };
    else if (ge_error_release(error) != GE_OK) wrong(p, line, "an error could not be released");
}
#define BAD(p, call, status, argument) check_record((p), (call), (status), #call, (argument), __LINE__)

static inline void *keep(player *p, size_t size) {
    if (p->n_kept == p->room_kept) {
        p->room_kept = p->room_kept ? 2 * p->room_kept : 256;
        p->kept = realloc(p->kept, p->room_kept * sizeof *p->kept);
    }
    void *facts = calloc(1, size);
    MUST(p, p->kept && facts);
    p->kept[p->n_kept++] = facts;
    return facts;
}

static inline object *any(player *p, int kind) { return p->n[kind] ? &p->live[kind][below(p, p->n[kind])] : NULL; }

static inline object *add(player *p, int kind, context_facts *ctx, void *handle) {
    MUST(p, handle != NULL && p->n[kind] < PER_KIND);
    object *o = &p->live[kind][p->n[kind]++];
    *o = (object){ .handle = handle, .ctx = ctx };
    if (ctx) ctx->objects++;
    return o;
}

static inline void bury(player *p, int kind, object *o) {
    if (o->ctx) o->ctx->objects--;
    p->graves[p->n_graves++ % GRAVES] = (grave){ o->handle, kind };
    *o = p->live[kind][--p->n[kind]];
}

/* A handle that must not serve as `kind`, and why. */
static inline void *bad_handle(player *p, int kind, ge_status *why) {
    static int not_a_handle[4];
    switch (below(p, 6)) {
        case 0: *why = GE_ERR_HANDLE_FOREIGN; return &not_a_handle[below(p, 4)];
        case 1: *why = GE_ERR_HANDLE_FOREIGN; return (void *)(uintptr_t)(1 + below(p, 4096));
        case 2: /* as old as the graveyard reaches */
            if (p->n_graves == 0) break;
            *why = GE_ERR_HANDLE_STALE;
            return p->graves[below(p, p->n_graves < GRAVES ? p->n_graves : GRAVES)].handle;
        case 3: { /* next to a live one: another generation of its slot */
            object *o = any(p, (int)below(p, N_KINDS));
            if (!o) break;
            *why = GE_ERR_HANDLE_STALE;
            return (char *)o->handle + 1 + below(p, 3);
        }
        case 4: {
            int other = (int)below(p, N_KINDS);
            object *o = any(p, other);
            if (!o || other == kind) break;
            *why = GE_ERR_HANDLE_WRONG_KIND;
            return o->handle;
        }
        default: break;
    }
    *why = GE_ERR_HANDLE_NULL;
    return NULL;
}

#endif
