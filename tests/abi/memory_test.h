/* SPDX-License-Identifier: Apache-2.0 */
/* memory_test: memory of the caller whose end is counted. */
#ifndef GE_MEMORY_TEST_H
#define GE_MEMORY_TEST_H

#include "abi_test.h"

typedef struct ends {
    int released, destroyed;
    uint8_t *data;
    size_t size;
} ends;
static inline void on_release(void *user, uint8_t *data, size_t size) {
    ends *e = user;
    assert_int_equal(e->destroyed, 0);
    e->released++;
    e->data = data;
    e->size = size;
}
static inline void on_destroy(void *user) {
    ends *e = user;
    e->destroyed++;
    if (ge_tensor_destroy(FOREIGN_HANDLE) == GE_OK) fail(); /* must not replace the record of the call that ends the memory */
}
static inline ge_memory memory_over(void *data, size_t size, ends *e) {
    ge_memory memory = GE_MEMORY_INIT;
    memory.data = data;
    memory.data_size = size;
    memory.release = on_release;
    memory.user_data = e;
    memory.destroy = on_destroy;
    memset(e, 0, sizeof *e);
    return memory;
}
#define check_ended(e, n)                  \
    do {                                   \
        assert_int_equal((e).released, n); \
        assert_int_equal((e).destroyed, n); \
    } while (0)

#endif
