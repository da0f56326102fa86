/* SPDX-License-Identifier: Apache-2.0 */
/* Random calls through the public interface: valid and invalid handles, any order, several threads, checked against a model of
 * what must hold (stateful_model.h).
 *
 *   abi.stateful [CALLS [SEED [THREADS]]]     200,000 calls, seed 1, 4 threads
 *
 * Each thread has objects of its own, of which it knows everything.  Some objects all threads share: models, which some run while
 * others destroy them, and victims, which many destroy and exactly one succeeds. */
#include "stateful_model.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

#define N_SHARED 8

/* ---- shared by all threads ---- */

typedef struct victim {
    void *handle;
    atomic_uint n_destroyed;
    struct victim *before; /* those replaced, freed at the end */
} victim;

static struct {
    _Atomic(void *) models[N_SHARED];
    _Atomic(victim *) victims[N_SHARED];
    _Atomic(victim *) old;
} shared;

static const float plain[2] = { -1, 2 };

static ge_value *plain_value(player *p, const ge_context *context) {
    const int64_t dims[] = { 2 };
    ge_tensor_desc desc = GE_TENSOR_DESC_INIT;
    desc.rank = 1;
    desc.dims = dims;
    ge_tensor *tensor;
    ge_value *value;
    GOOD(p, ge_tensor_create_from_data(context, &desc, (const uint8_t *)plain, sizeof plain, &tensor));
    GOOD(p, ge_value_create_from_tensor(tensor, &value));
    GOOD(p, ge_tensor_destroy(tensor));
    return value;
}

static void check_relu(player *p, const ge_value *value, float first, float second) {
    ge_tensor *tensor;
    const uint8_t *data;
    size_t size;
    float got[2];
    GOOD(p, ge_tensor_create_from_value(value, &tensor));
    GOOD(p, ge_tensor_get_data(tensor, &data, &size));
    MUST(p, size == sizeof got);
    memcpy(got, data, sizeof got);
    MUST(p, got[0] == (first > 0 ? first : 0) && got[1] == (second > 0 ? second : 0));
    GOOD(p, ge_tensor_destroy(tensor));
}

static ge_graph *make_prototype(player *p) {
    const int64_t dims[] = { 2 };
    ge_tensor_desc desc = GE_TENSOR_DESC_INIT;
    desc.rank = 1;
    desc.dims = dims;
    ge_builder *b;
    ge_graph *graph;
    ge_value_id x, y;
    GOOD(p, ge_builder_create(NULL, "p", 1, &b));
    GOOD(p, ge_builder_add_graph_input(b, "x", 1, 0, &desc, &x));
    GOOD(p, ge_builder_begin_op(b, "Relu", 4, NULL, 0));
    GOOD(p, ge_builder_add_input(b, x));
    GOOD(p, ge_builder_end_op(b, &y, 1, NULL));
    GOOD(p, ge_builder_build(b, &y, 1, &graph));
    GOOD(p, ge_builder_destroy(b));
    return graph;
}

static ge_model *make_model(player *p) {
    ge_model *model;
    GOOD(p, ge_graph_compile(p->prototype, NULL, &model));
    return model;
}

static victim *make_victim(player *p) {
    victim *v = calloc(1, sizeof *v);
    ge_options *options;
    MUST(p, v != NULL);
    GOOD(p, ge_options_create(&options));
    v->handle = options;
    return v;
}

static void run_shared(player *p) {
    ge_model *model = atomic_load(&shared.models[below(p, N_SHARED)]);
    ge_value *in = plain_value(p, NULL), *out = (ge_value *)&shared;
    const ge_value *ins[] = { in };
    ge_model_summary summary;
    if (below(p, 2)) sched_yield(); /* let others destroy it first */
    ge_status st = below(p, 2) ? ge_model_run(model, NULL, ins, 1, &out, 1) : ge_model_get_summary(model, &summary, sizeof summary);
    p->calls++;
    if (st == GE_OK && out != (ge_value *)&shared) {
        check_relu(p, out, plain[0], plain[1]);
        GOOD(p, ge_value_destroy(out));
    } else if (st != GE_OK) { /* another thread was faster */
        MUST(p, st == GE_ERR_HANDLE_STALE || st == GE_ERR_HANDLE_CLOSED);
        MUST(p, out == NULL || out == (ge_value *)&shared);
        p->by_status[2]++;
    }
    GOOD(p, ge_value_destroy(in));
}

static void replace_shared(player *p) {
    void *old = atomic_exchange(&shared.models[below(p, N_SHARED)], make_model(p));
    GOOD(p, ge_model_destroy(old)); /* whoever took it out is the only one to destroy it */
}

static void hunt(player *p) {
    _Atomic(victim *) *place = &shared.victims[below(p, N_SHARED)];
    victim *v = atomic_load(place);
    if (below(p, 2)) sched_yield();
    ge_status st = ge_options_destroy(v->handle);
    p->calls++;
    if (st != GE_OK) {
        MUST(p, st == GE_ERR_HANDLE_STALE || st == GE_ERR_HANDLE_CLOSED);
        p->by_status[2]++;
        return;
    }
    MUST(p, atomic_fetch_add(&v->n_destroyed, 1) == 0);
    victim *next = make_victim(p);
    MUST(p, atomic_exchange(place, next) == v);
    victim *old = atomic_load(&shared.old);
    do v->before = old; while (!atomic_compare_exchange_weak(&shared.old, &old, v));
}

/* ---- objects of one thread ---- */

static void play_options(player *p) {
    object *o = any(p, OPTIONS);
    ge_options *options;
    char text[24], wanted[24];
    size_t size;
    switch (o ? below(p, 4) : 0) {
        case 0:
            if (p->n[OPTIONS] == PER_KIND) return;
            GOOD(p, ge_options_create(&options));
            add(p, OPTIONS, NULL, options);
            return;
        case 1:
            o->number = 1 + below(p, 64);
            GOOD(p, ge_options_set_int(o->handle, "ge.threads", GE_NTS, o->number));
            return;
        case 2:
            GOOD(p, ge_options_get_text(o->handle, "ge.threads", 10, text, sizeof text, &size));
            snprintf(wanted, sizeof wanted, "%" PRId64, o->number);
            MUST(p, strcmp(text, wanted) == 0 && size == strlen(wanted));
            return;
        default: BAD(p, ge_options_set_int(o->handle, "ge.thread", GE_NTS, 1), GE_ERR_UNKNOWN_OPTION, "key");
    }
}

static void play_context(player *p) {
    object *o = any(p, CONTEXT), *options = any(p, OPTIONS);
    ge_context *context;
    ge_context_info info;
    if (!o || (below(p, 3) == 0 && p->n[CONTEXT] < PER_KIND)) {
        context_facts *facts = keep(p, sizeof *facts);
        GOOD(p, ge_context_create(options ? options->handle : NULL, &context));
        facts->threads = options ? options->number : 0;
        add(p, CONTEXT, facts, context);
        return;
    }
    GOOD(p, ge_context_get_info(o->handle, &info, sizeof info));
    MUST(p, info.objects_count == (uint64_t)o->ctx->objects);
    MUST(p, o->ctx->threads ? info.threads == (uint32_t)o->ctx->threads : info.threads >= 1);
}

static void new_tensor(player *p) {
    object *c = below(p, 2) ? any(p, CONTEXT) : NULL;
    int64_t dims[3] = { 1 + below(p, 3), 1 + below(p, 3), 1 + below(p, 3) };
    float values[27];
    ge_tensor_desc desc = GE_TENSOR_DESC_INIT;
    ge_tensor *tensor;
    bytes_facts *bytes = keep(p, sizeof *bytes);
    desc.rank = (int32_t)below(p, 4);
    desc.dims = dims;
    bytes->n = 1;
    for (int32_t i = 0; i < desc.rank; i++) bytes->n *= (uint32_t)dims[i];
    bytes->first = (float)below(p, 1000);
    for (uint32_t i = 0; i < bytes->n; i++) values[i] = bytes->first + (float)i;
    GOOD(p, ge_tensor_create_from_data(c ? c->handle : NULL, &desc, (const uint8_t *)values, bytes->n * sizeof *values, &tensor));
    add(p, TENSOR, c ? c->ctx : NULL, tensor)->bytes = bytes;
    BAD(p, ge_tensor_create_from_data(NULL, &desc, (const uint8_t *)values, bytes->n * sizeof *values + 1, &tensor), GE_ERR_SIZE, NULL);
    MUST(p, tensor == NULL);
}

static void read_tensor(player *p, const object *o) {
    const uint8_t *data;
    size_t size;
    float got;
    GOOD(p, ge_tensor_get_data(o->handle, &data, &size));
    MUST(p, size == o->bytes->n * sizeof got);
    uint32_t i = below(p, o->bytes->n);
    memcpy(&got, data + i * sizeof got, sizeof got);
    MUST(p, got == o->bytes->first + (float)i);
}

static void play_tensor(player *p) {
    object *o = any(p, TENSOR);
    bool room = p->n[TENSOR] < PER_KIND;
    ge_tensor *tensor;
    ge_tensor_info info;
    ge_tensor_desc desc = GE_TENSOR_DESC_INIT;
    uint8_t *data;
    size_t size;
    if (!o) {
        new_tensor(p);
        return;
    }
    switch (below(p, 8)) {
        case 0:
            if (room) new_tensor(p);
            return;
        case 1: /* written through one, seen through all over the same bytes */
            GOOD(p, ge_tensor_get_mutable_data(o->handle, &data, &size));
            o->bytes->first = (float)below(p, 1000);
            for (uint32_t i = 0; i < o->bytes->n; i++) {
                float value = o->bytes->first + (float)i;
                memcpy(data + i * sizeof value, &value, sizeof value);
            }
            return;
        case 2: {
            if (!room) return;
            bytes_facts *bytes = keep(p, sizeof *bytes);
            *bytes = *o->bytes;
            GOOD(p, ge_tensor_copy(o->handle, &tensor));
            add(p, TENSOR, o->ctx, tensor)->bytes = bytes;
            return;
        }
        case 3: {
            if (!room) return;
            const int64_t all[] = { o->bytes->n };
            desc.rank = 1;
            desc.dims = all;
            bytes_facts *bytes = o->bytes;
            GOOD(p, ge_tensor_create_view(o->handle, &desc, &tensor));
            add(p, TENSOR, o->ctx, tensor)->bytes = bytes;
            const int64_t more[] = { o->bytes->n + 1 };
            desc.dims = more;
            BAD(p, ge_tensor_create_view(o->handle, &desc, &tensor), GE_ERR_SIZE, NULL);
            return;
        }
        case 4:
            GOOD(p, ge_tensor_get_info(o->handle, &info, sizeof info));
            MUST(p, info.elements_count == o->bytes->n && info.data_size == o->bytes->n * sizeof(float) && info.is_dense);
            return;
        case 5:
            GOOD(p, ge_tensor_get_desc(o->handle, &desc, sizeof desc));
            MUST(p, desc.dtype == GE_DTYPE_FLOAT32 && desc.rank >= 0 && desc.rank <= 3);
            return;
        default: read_tensor(p, o);
    }
}

static void play_value(player *p) {
    object *o = any(p, VALUE), *t = any(p, TENSOR);
    ge_value *value;
    ge_tensor *tensor;
    ge_value_kind kind;
    switch (o ? below(p, 3) : 0) {
        case 0:
            if (!t || p->n[VALUE] == PER_KIND) return;
            GOOD(p, ge_value_create_from_tensor(t->handle, &value));
            add(p, VALUE, t->ctx, value)->bytes = t->bytes;
            return;
        case 1:
            if (p->n[TENSOR] == PER_KIND) return;
            GOOD(p, ge_tensor_create_from_value(o->handle, &tensor));
            add(p, TENSOR, o->ctx, tensor)->bytes = o->bytes;
            return;
        default:
            GOOD(p, ge_value_get_kind(o->handle, &kind));
            MUST(p, kind == GE_VALUE_TENSOR);
    }
}

static void play_builder(player *p) {
    object *o = any(p, BUILDER), *c = below(p, 2) ? any(p, CONTEXT) : NULL;
    const double number = 1.5;
    ge_builder *builder;
    ge_graph *graph = (ge_graph *)&shared;
    ge_node_id node;
    if (!o || (below(p, 12) == 0 && p->n[BUILDER] < PER_KIND)) {
        GOOD(p, ge_builder_create(c ? c->handle : NULL, "b", 1, &builder));
        add(p, BUILDER, c ? c->ctx : NULL, builder);
        return;
    }
    if (o->state == BUILT) {
        BAD(p, ge_builder_begin_op(o->handle, "Relu", 4, NULL, 0), GE_ERR_WRONG_STATE, "builder");
    } else if (o->state == OP_OPEN) {
        if (below(p, 4) == 0) { /* the failure stays with the operator, which end_op drops */
            BAD(p, ge_builder_add_input(o->handle, below(p, 2) ? 1 : UINT64_MAX), GE_ERR_BAD_ID, "value");
            BAD(p, ge_builder_end_op(o->handle, NULL, 0, &node), GE_ERR_BAD_ID, NULL);
            MUST(p, node == 0);
            o->state = OP_NONE;
        } else {
            GOOD(p, ge_builder_add_input(o->handle, o->last));
            o->state = OP_FED;
        }
    } else if (o->state == OP_FED) {
        GOOD(p, ge_builder_end_op(o->handle, &o->last, 1, &node));
        MUST(p, node != 0);
        o->node = node;
        o->number++;
        o->state = OP_NONE;
    } else if (!o->last || below(p, 4) == 0) {
        GOOD(p, ge_builder_add_floats(o->handle, GE_DTYPE_FLOAT32, &number, 1, 0, &o->last));
        o->number++;
    } else if (below(p, 6) == 0 && p->n[GRAPH] < PER_KIND) {
        GOOD(p, ge_builder_build(o->handle, &o->last, 1, &graph));
        object *g = add(p, GRAPH, o->ctx, graph);
        g->number = o->number;
        g->node = o->node;
        o->state = BUILT;
    } else if (o->number < 50) {
        GOOD(p, ge_builder_begin_op(o->handle, "Relu", 4, NULL, 0));
        o->state = OP_OPEN;
    }
}

static void play_graph(player *p) {
    object *o = any(p, GRAPH);
    ge_graph *graph;
    ge_graph_info info;
    ge_node_info node;
    ge_node_id nodes[64];
    ge_attr_id attr;
    int64_t number;
    size_t count;
    if (!o) return;
    switch (below(p, 7)) {
        case 0:
            GOOD(p, ge_graph_get_info(o->handle, &info, sizeof info));
            MUST(p, info.nodes_count == (uint64_t)o->number && info.outputs_count == 1);
            return;
        case 1:
            GOOD(p, ge_graph_get_nodes(o->handle, GE_ORDER_TOPOLOGICAL, nodes, 64, &count));
            MUST(p, count == (size_t)o->number);
            GOOD(p, ge_graph_get_node_infos(o->handle, nodes, 1, &node, 1, sizeof node));
            MUST(p, node.node == nodes[0] && node.inputs_count == 0 && node.outputs_count == 1);
            return;
        case 2: {
            if (p->n[GRAPH] == PER_KIND) return;
            object before = *o;
            GOOD(p, ge_graph_copy(o->handle, &graph));
            object *copy = add(p, GRAPH, o->ctx, graph);
            copy->number = before.number;
            copy->state = before.state;
            copy->attr = before.attr;
            return;
        }
        case 3:
            GOOD(p, ge_graph_add_attr(o->handle, 0, "k", 1, GE_ATTR_INT, &attr));
            o->attr = below(p, 1000);
            GOOD(p, ge_graph_set_attr_ints(o->handle, attr, &o->attr, 1));
            o->state = 1;
            return;
        case 4:
            if (!o->state) {
                BAD(p, ge_graph_find_attr(o->handle, 0, "k", 1, &attr), GE_ERR_NOT_FOUND, "name");
                MUST(p, attr == 0);
                return;
            }
            GOOD(p, ge_graph_find_attr(o->handle, 0, "k", 1, &attr));
            GOOD(p, ge_graph_get_attr_ints(o->handle, attr, &number, 1, &count));
            MUST(p, count == 1 && number == o->attr);
            return;
        case 5: GOOD(p, ge_graph_check(o->handle)); return;
        default: /* an id of no node, and of another graph */
            BAD(p, ge_graph_remove_node(o->handle, below(p, 2) ? 0 : UINT64_C(0x2000000000000000)), GE_ERR_BAD_ID, "node");
    }
}

static void play_model(player *p) {
    object *o = any(p, MODEL);
    if (!o || (below(p, 40) == 0 && p->n[MODEL] < PER_KIND)) {
        add(p, MODEL, NULL, make_model(p));
        return;
    }
    ge_value *in = plain_value(p, NULL), *out = NULL;
    const ge_value *ins[] = { in };
    size_t index;
    GOOD(p, ge_model_run(o->handle, NULL, ins, 1, &out, 1));
    check_relu(p, out, plain[0], plain[1]);
    GOOD(p, ge_value_destroy(out));
    GOOD(p, ge_value_destroy(in));
    out = (ge_value *)&shared;
    BAD(p, ge_model_run(o->handle, NULL, ins, 0, &out, 1), GE_ERR_OUT_OF_RANGE, "inputs_count");
    MUST(p, out == NULL);
    GOOD(p, ge_model_find_io(o->handle, GE_DIRECTION_IN, "x", 1, &index));
    MUST(p, index == 0);
}

static void play_binding(player *p) {
    object *o = any(p, BINDING), *m = any(p, MODEL);
    ge_binding *binding;
    ge_value *value;
    if (!o || (below(p, 12) == 0 && p->n[BINDING] < PER_KIND)) {
        if (!m) return;
        GOOD(p, ge_binding_create(m->handle, &binding));
        add(p, BINDING, NULL, binding);
        return;
    }
    switch (below(p, 4)) {
        case 0:
            if (o->number) {
                GOOD(p, ge_binding_set_input(o->handle, 0, NULL));
            } else {
                value = plain_value(p, NULL);
                GOOD(p, ge_binding_set_input(o->handle, 0, value));
                GOOD(p, ge_value_destroy(value)); /* the binding keeps it alive */
            }
            o->number = !o->number;
            return;
        case 1:
            if (!o->state) {
                BAD(p, ge_binding_get_output(o->handle, 0, &value), GE_ERR_WRONG_STATE, "binding");
                MUST(p, value == NULL);
                return;
            }
            GOOD(p, ge_binding_get_output(o->handle, 0, &value));
            check_relu(p, value, plain[0], plain[1]);
            return;
        default:
            if (!o->number) {
                BAD(p, ge_binding_run(o->handle, NULL), GE_ERR_NOT_BOUND, NULL);
                return;
            }
            GOOD(p, ge_binding_run(o->handle, NULL));
            o->state = 1;
    }
}

static void play_error(player *p) {
    object *o = any(p, ERROR);
    ge_error_info info;
    if (!o) return;
    switch (below(p, 3)) {
        case 0:
            if (o->number == 3) return;
            GOOD(p, ge_error_acquire(o->handle));
            o->number++;
            return;
        case 1:
            p->calls++;
            MUST(p, ge_error_get_status(o->handle) == o->status);
            GOOD(p, ge_error_get_info(o->handle, &info, sizeof info));
            MUST(p, info.status == o->status && info.message[0]);
            return;
        default:
            GOOD(p, ge_error_release(o->handle));
            if (o->number-- == 0) bury(p, ERROR, o);
    }
}

static void destroy_one(player *p, int kind) {
    object *o = any(p, kind);
    if (!o) return;
    switch (kind) {
        case CONTEXT: GOOD(p, ge_context_destroy(o->handle)); break;
        case OPTIONS: GOOD(p, ge_options_destroy(o->handle)); break;
        case TENSOR: GOOD(p, ge_tensor_destroy(o->handle)); break;
        case VALUE: GOOD(p, ge_value_destroy(o->handle)); break;
        case GRAPH: GOOD(p, ge_graph_destroy(o->handle)); break;
        case BUILDER: GOOD(p, ge_builder_destroy(o->handle)); break;
        case MODEL: GOOD(p, ge_model_destroy(o->handle)); break;
        case BINDING: GOOD(p, ge_binding_destroy(o->handle)); break;
        default:
            while (o->number-- > 0) GOOD(p, ge_error_release(o->handle));
            GOOD(p, ge_error_release(o->handle));
    }
    bury(p, kind, o);
}

/* Any call with a handle that will not do. */
static void play_bad(player *p) {
    int kind = (int)below(p, N_KINDS);
    ge_status why;
    void *bad = bad_handle(p, kind, &why);
    void *out = &shared;
    size_t size = 7;
    const uint8_t *data = (const uint8_t *)&shared;
    ge_model_summary summary;
    ge_error_info info;
    ge_context_info context_info;
    ge_graph_info graph_info;
    bool destroys = below(p, 2) && bad; /* destroying NULL is no failure */
    switch (kind) {
        case CONTEXT:
            if (destroys) BAD(p, ge_context_destroy(bad), why, "context");
            else if (bad) BAD(p, ge_context_get_info(bad, &context_info, sizeof context_info), why, "context");
            break;
        case OPTIONS:
            if (destroys) BAD(p, ge_options_destroy(bad), why, "options");
            else BAD(p, ge_options_set_int(bad, "ge.threads", GE_NTS, 1), why, "options");
            break;
        case TENSOR:
            if (destroys) BAD(p, ge_tensor_destroy(bad), why, "tensor");
            else BAD(p, ge_tensor_get_data(bad, &data, &size), why, "tensor");
            MUST(p, destroys || (!data && !size));
            break;
        case VALUE:
            if (destroys) BAD(p, ge_value_destroy(bad), why, "value");
            else BAD(p, ge_tensor_create_from_value(bad, (ge_tensor **)&out), why, "value");
            MUST(p, destroys || !out);
            break;
        case GRAPH:
            if (destroys) BAD(p, ge_graph_destroy(bad), why, "graph");
            else if (below(p, 2)) BAD(p, ge_graph_copy(bad, (ge_graph **)&out), why, "graph");
            else BAD(p, ge_graph_get_info(bad, &graph_info, sizeof graph_info), why, "graph");
            break;
        case BUILDER:
            if (destroys) BAD(p, ge_builder_destroy(bad), why, "builder");
            else BAD(p, ge_builder_begin_op(bad, "Relu", 4, NULL, 0), why, "builder");
            break;
        case MODEL:
            if (destroys) BAD(p, ge_model_destroy(bad), why, "model");
            else if (below(p, 2)) BAD(p, ge_model_run(bad, NULL, NULL, 0, NULL, 0), why, "model");
            else BAD(p, ge_model_get_summary(bad, &summary, sizeof summary), why, "model");
            break;
        case BINDING:
            if (destroys) BAD(p, ge_binding_destroy(bad), why, "binding");
            else BAD(p, ge_binding_run(bad, NULL), why, "binding");
            break;
        default:
            if (destroys) BAD(p, ge_error_release(bad), why, "error");
            else BAD(p, ge_error_get_info(bad, &info, sizeof info), why, "error");
    }
}

/* ---- the game ---- */

static uint64_t calls_each;

static void *play(void *arg) {
    player *p = arg;
    p->prototype = make_prototype(p);
    while (p->calls < calls_each) {
        uint32_t turn = below(p, 200);
        if (turn < 20) play_options(p);
        else if (turn < 35) play_context(p);
        else if (turn < 65) play_tensor(p);
        else if (turn < 80) play_value(p);
        else if (turn < 105) play_builder(p);
        else if (turn < 120) play_graph(p);
        else if (turn < 126) play_model(p);
        else if (turn < 134) play_binding(p);
        else if (turn < 140) play_error(p);
        else if (turn < 142) run_shared(p);
        else if (turn < 143) replace_shared(p);
        else if (turn < 146) hunt(p);
        else if (turn < 176) play_bad(p);
        else destroy_one(p, (int)below(p, N_KINDS));
    }
    for (int kind = 0; kind < N_KINDS; kind++)
        while (p->n[kind]) destroy_one(p, kind);
    GOOD(p, ge_graph_destroy(p->prototype));
    for (size_t i = 0; i < p->n_kept; i++) free(p->kept[i]);
    free(p->kept);
    return NULL;
}

static uint64_t live_objects(player *p) {
    ge_context_info info;
    GOOD(p, ge_context_get_info(NULL, &info, sizeof info));
    return info.objects_count;
}

int main(int argc, char **argv) {
    uint64_t calls = argc > 1 ? strtoull(argv[1], NULL, 10) : 200000;
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    uint32_t n = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 4;
    if (n == 0 || n > 64 || calls == 0) {
        fprintf(stderr, "usage: %s [CALLS [SEED [THREADS]]]\n", argv[0]);
        return 2;
    }
    calls_each = calls / n + 1;
    player *players = calloc(n + 1, sizeof *players), *host = &players[n];
    pthread_t threads[64];
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (uint32_t i = 0; i <= n; i++) {
        players[i].index = i;
        players[i].seed = seed;
        players[i].random = (seed * 1000003 + i + 1) * UINT64_C(0x9E3779B97F4A7C15) | 1;
    }
    uint64_t before = live_objects(host);
    host->prototype = make_prototype(host);
    for (uint32_t i = 0; i < N_SHARED; i++) {
        atomic_store(&shared.models[i], make_model(host));
        atomic_store(&shared.victims[i], make_victim(host));
    }
    for (uint32_t i = 0; i < n; i++)
        if (pthread_create(&threads[i], NULL, play, &players[i]) != 0) wrong(host, __LINE__, "no thread");
    for (uint32_t i = 0; i < n; i++) pthread_join(threads[i], NULL);
    for (uint32_t i = 0; i < N_SHARED; i++) {
        victim *v = atomic_load(&shared.victims[i]);
        GOOD(host, ge_model_destroy(atomic_load(&shared.models[i])));
        GOOD(host, ge_options_destroy(v->handle));
        free(v);
    }
    for (victim *v = atomic_load(&shared.old), *next; v; v = next) {
        next = v->before;
        free(v);
    }
    GOOD(host, ge_graph_destroy(host->prototype));
    MUST(host, live_objects(host) == before);
    clock_gettime(CLOCK_MONOTONIC, &end);
    uint64_t total = 0, by[3] = { 0 };
    for (uint32_t i = 0; i <= n; i++) {
        total += players[i].calls;
        for (int k = 0; k < 3; k++) by[k] += players[i].by_status[k];
    }
    printf("stateful: %" PRIu64 " calls in %u threads, seed %" PRIu64 ": %" PRIu64 " succeeded, %" PRIu64 " failed as foreseen, %" PRIu64
           " met a destroy; %.1f s\n",
           total, n, seed, by[0], by[1], by[2],
           (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec));
    free(players);
    return 0;
}
