/* SPDX-License-Identifier: Apache-2.0 */
/* usual_scene: one sound object of every kind, for the cases usual_gen.py writes; made once, for no case may change or end one. */
#ifndef GE_USUAL_SCENE_H
#define GE_USUAL_SCENE_H

#include "abi/builder_test.h"

/* One field per kind of handle, found by its type. */
typedef struct scene {
    ge_context *context;
    ge_options *options;
    ge_tensor *tensor;   /* float32 [2] */
    ge_value *value;
    ge_graph *graph;     /* x -> Relu "r", whose output has an attribute */
    ge_builder *builder; /* with an operator begun */
    ge_model *model;
    ge_binding *binding;
    ge_error *error;
    ge_operation *operation; /* done */
    ge_queue *queue;
    ge_stream *stream;
    ge_event *event;
    ge_state *state;     /* of the model: it has no variables */
    ge_dlpack *dlpack;
    ge_dlpack_legacy *dlpack_legacy;
    void *stale;      /* was a tensor */
    void *other_kind; /* options under another name */
    ge_node_id node;
    ge_port_id port;
    ge_value_id x;
    ge_attr_id attr, float_attr;
    uint64_t foreign_id; /* of another graph */
} scene;

typedef struct usual_case {
    const char *function, *argument, *what;
    ge_status wanted;
    ge_status (*call)(scene *s);
} usual_case;
extern const usual_case usual_cases[];
extern const size_t usual_cases_count;

#define PREFILLED 0xA5

static inline void fill(void *at, size_t size) { memset(at, PREFILLED, size); }
void want_zero(const void *at, size_t size);
void want_kept(const void *at, size_t size);
void want_no_descriptor(const int32_t *descriptor);
void want_text(const char *buffer);
ge_status on_write(void *user_data, const uint8_t *bytes, size_t bytes_size);

/* Structs a caller fills. */
static inline ge_tensor_desc sound_ge_tensor_desc(void) { return desc_of(GE_DTYPE_FLOAT32, 1, two); }
static inline ge_memory sound_ge_memory(void) {
    static float room[2];
    ge_memory memory = GE_MEMORY_INIT;
    memory.data = (uint8_t *)room;
    memory.data_size = sizeof room;
    return memory;
}
static inline ge_import_options sound_ge_import_options(void) { return (ge_import_options)GE_IMPORT_OPTIONS_INIT; }
static inline ge_allocator sound_ge_allocator(void) { return (ge_allocator)GE_ALLOCATOR_INIT; }
static inline ge_compile_options sound_ge_compile_options(void) { return (ge_compile_options)GE_COMPILE_OPTIONS_INIT; }
static inline ge_run_options sound_ge_run_options(void) { return (ge_run_options)GE_RUN_OPTIONS_INIT; }
static inline ge_async_options sound_ge_async_options(void) { return (ge_async_options)GE_ASYNC_OPTIONS_INIT; }

#endif
