/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "api/call.h"
#include "api/proc.h"
#include "base/build_info.h"
#include "ops/op.h"

void ge_get_version(uint32_t *out_major, uint32_t *out_minor, uint32_t *out_patch) {
    if (out_major) *out_major = GE_HEADER_MAJOR;
    if (out_minor) *out_minor = GE_HEADER_MINOR;
    if (out_patch) *out_patch = GE_HEADER_PATCH;
}

uint32_t ge_get_abi_version(void) { return GE_HEADER_ABI; }

const char *ge_get_build_info(void) { return gei_build_info(); }

int32_t ge_has_feature(const char *name, size_t name_size) {
    static const char *const always[] = { "onnx", "dlpack" };
    if (!name) return 0;
    if (name_size == GE_NTS) name_size = strlen(name);
    for (size_t i = 0; i < GEI_COUNT(always); i++)
        if (strlen(always[i]) == name_size && memcmp(always[i], name, name_size) == 0) return 1;
    if (name_size == 4 && memcmp(name, "avx2", 4) == 0) return (gei_isa() & GEI_ISA_AVX2) != 0;
    if (name_size == 6 && memcmp(name, "avx512", 6) == 0) return (gei_isa() & GEI_ISA_AVX512) != 0;
    return 0;
}

ge_status ge_check_header(uint32_t header_abi, uint32_t header_major, uint32_t pointer_size) {
    GEI_CALL;
    if (header_major == GE_HEADER_MAJOR && header_abi <= GE_HEADER_ABI && pointer_size == sizeof(void *)) return GE_OK;
    gei_diag_found(&diag, "major %u, ABI %u, %u-byte pointers", header_major, header_abi, pointer_size);
    gei_diag_wanted(&diag, "major %u, ABI up to %u, %zu-byte pointers", GE_HEADER_MAJOR, GE_HEADER_ABI, sizeof(void *));
    return GEI_RETURN(gei_argument_fail(&diag, "header_abi", 0, GE_ERR_UNSUPPORTED_VERSION,
                                        "the client was made for libge %u with ABI %u, this library is %u.%u.%u with ABI %u", header_major,
                                        header_abi, GE_HEADER_MAJOR, GE_HEADER_MINOR, GE_HEADER_PATCH, GE_HEADER_ABI));
}

ge_proc ge_get_proc(const char *name, size_t name_size) {
    if (!name) return NULL;
    if (name_size == GE_NTS) name_size = strlen(name);
    for (size_t low = 0, high = gei_proc_count; low < high;) {
        size_t middle = low + (high - low) / 2;
        int order = strncmp(name, gei_procs[middle].name, name_size);
        if (order == 0 && gei_procs[middle].name[name_size] == 0) return gei_procs[middle].address;
        if (order > 0) low = middle + 1;
        else high = middle;
    }
    return NULL;
}
