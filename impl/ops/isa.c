/* SPDX-License-Identifier: Apache-2.0 */
/* Which vector instructions this CPU has and the operating system saves. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "ops/op.h"

#if defined(__x86_64__)
/* clang 14 has no name for it; the registers it needs are those of AVX. */
static bool has_f16c(void) {
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}
#endif

static uint32_t detect(void) {
    uint32_t isa = 0;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c()) isa |= GEI_ISA_AVX2;
    if (isa && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        isa |= GEI_ISA_AVX512;
    if ((isa & GEI_ISA_AVX512) && __builtin_cpu_supports("avx512vnni")) isa |= GEI_ISA_VNNI;
#endif
    return isa;
}

static uint32_t allowed(void) {
    const char *limit = getenv("GE_ISA");
    if (!limit || !*limit || strcmp(limit, "avx512") == 0) return UINT32_MAX;
    if (strcmp(limit, "avx2") == 0) return GEI_ISA_AVX2;
    if (strcmp(limit, "portable") == 0) return 0;
    return UINT32_MAX;
}

uint32_t gei_isa(void) {
    static _Atomic uint32_t known; /* bit 31: found out; the same answer whoever stores it */
    uint32_t isa = atomic_load_explicit(&known, memory_order_relaxed);
    if (isa == 0) {
        isa = (detect() & allowed()) | UINT32_C(1) << 31;
        atomic_store_explicit(&known, isa, memory_order_relaxed);
    }
    return isa & ~(UINT32_C(1) << 31);
}
