/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a .npy file: read or refused with a reason.  What is read must survive writing and reading again, unchanged.
 * Seeds: tests/unit/cli/data.  Needs impl/cli/npy_*.c, args.c, text.c, message.c and the library. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "fuzz_npy: %s\n", what);
    abort();
}

static void check_round_trip(const npy_array *first, ge_dtype raw_as) {
    char why[NPY_WHY_BYTES], *bytes = NULL;
    size_t n_bytes = 0;
    npy_array second;
    FILE *to = open_memstream(&bytes, &n_bytes);
    must(to != NULL, "open_memstream");
    int written = npy_write(to, first, why);
    fclose(to);
    must(written == 0, why);
    must(npy_read_memory(bytes, n_bytes, raw_as, &second, why) == 0, why);
    must(second.dtype == first->dtype && second.rank == first->rank && second.n_elems == first->n_elems, "another shape or type");
    must(memcmp(second.dims, first->dims, sizeof first->dims) == 0, "another shape");
    must(second.size_bytes == first->size_bytes && memcmp(second.data, first->data, first->size_bytes) == 0, "other data");
    npy_deinit(&second);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const ge_dtype raw[] = { GE_DTYPE_UNDEFINED, GE_DTYPE_FLOAT8_E4M3FN, GE_DTYPE_COMPLEX32 };
    char why[NPY_WHY_BYTES] = "";
    ge_dtype raw_as = raw[size % 3];
    npy_array array;
    if (npy_read_memory(data, size, raw_as, &array, why) != 0) {
        must(why[0] != 0 && array.owner == NULL && array.offsets == NULL, "refused without a reason, or with a leak");
        return 0;
    }
    /* wide text made of a few long strings may grow; a memory file takes it, but not for ever */
    if (array.n_elems < 4096) check_round_trip(&array, raw_as);
    npy_deinit(&array);
    return 0;
}
