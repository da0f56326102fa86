/* SPDX-License-Identifier: Apache-2.0 */
/* handle_cost: what checking a handle and holding a lease add to a public call.  Functions that do nothing, check, and lease are
 * called in turn through one pointer, so that they differ in nothing else; the cost of a check is the second less the first.  Links
 * the inner library.  Printed as JSON: medians over rounds, in nanoseconds and as multiples of an empty call in C through the
 * linkage table, measured in the same rounds. */
#include "clock.h"

#include "api/handle.h"

int32_t yardstick(void *argument);

enum { ROUNDS = 101, CALLS = 50000, N_BODIES = 3 };

typedef int32_t (*body)(void *handle);

static int32_t nothing(void *handle) { return handle != NULL; }
static int32_t checks(void *handle) {
    ge_status why;
    return gei_handle_get(handle, GEI_HANDLE_TENSOR, &why) != NULL;
}
static int32_t leases(void *handle) {
    ge_status why;
    if (!gei_handle_lease(handle, GEI_HANDLE_TENSOR, &why)) return 0;
    gei_handle_unlease(handle);
    return 1;
}

static double each_ns(body fn, void *handle) {
    int32_t n = 0;
    double begin = now_ns();
    for (int i = 0; i < CALLS; i++) n += fn(handle);
    double ns = (now_ns() - begin) / CALLS;
    if (n != CALLS) exit(1);
    return ns;
}

/* As each_ns, by name: the compiler emits a call through the linkage table. */
static double yardstick_ns(void *handle) {
    int32_t n = 0;
    double begin = now_ns();
    for (int i = 0; i < CALLS; i++) n += yardstick(handle);
    double ns = (now_ns() - begin) / CALLS;
    if (n != CALLS) exit(1);
    return ns;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}
static double median(double *values) {
    qsort(values, ROUNDS, sizeof *values, by_size);
    return values[ROUNDS / 2];
}

static void ignore(void *object) { (void)object; }

int main(void) {
    static const volatile body bodies[N_BODIES] = { nothing, checks, leases };
    static double check[ROUNDS], lease[ROUNDS], empty[ROUNDS];
    static int object;
    const char *why;
    void *handle = gei_handle_new(GEI_HANDLE_TENSOR, &object, ignore, &why);
    if (!handle) return 1;
    for (int round = 0; round < ROUNDS; round++) {
        double base = each_ns(bodies[0], handle);
        check[round] = each_ns(bodies[1], handle) - base;
        lease[round] = each_ns(bodies[2], handle) - base;
        empty[round] = yardstick_ns(handle);
    }
    double call = median(empty), c = median(check), l = median(lease);
    printf("{\"empty_call_ns\": %.2f, \"check_ns\": %.2f, \"check_calls\": %.2f, \"lease_ns\": %.2f, \"lease_calls\": %.2f}\n", call, c, c / call,
           l, l / call);
    return 0;
}
