/* SPDX-License-Identifier: Apache-2.0 */
/* What looking up by name gives: lookup LIBRARY. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>

typedef uint32_t (*get_bits)(int32_t dtype);

int main(int argc, char **argv) {
    void *library = dlopen(argc > 1 ? argv[1] : "", RTLD_NOW);
    if (!library) return 1;
    get_bits plain = (get_bits)dlsym(library, "ge_dtype_get_bits");
    get_bits old = (get_bits)dlvsym(library, "ge_dtype_get_bits", "GE_1.0");
    get_bits new = (get_bits)dlvsym(library, "ge_dtype_get_bits", "GE_1.2");
    printf("dlsym %u, GE_1.0 %u, GE_1.2 %u\n", plain(77), old(77), new(77));
    return 0;
}
