/* SPDX-License-Identifier: Apache-2.0 */
/* mapped: the bytes of a file, counted, so that tensors may point into them after the reader is gone.
 * A mapped file that is cut while in use faults; files are replaced by rename, or read with `copy`. */
#ifndef GEI_FRONTEND_MAPPED_H
#define GEI_FRONTEND_MAPPED_H

#include <stdatomic.h>

#include "base/bytes.h"

typedef struct gei_mapped {
    atomic_uint refs;
    gei_file file;
    const gei_allocator *from; /* outlives it */
} gei_mapped;

/* Gives one reference. */
ge_status gei_mapped_open(const gei_allocator *from, const char *path, bool copy, gei_mapped **out, gei_diag *diag);
/* The same for an open regular file of `size` bytes; fd stays the caller's and may be closed at once. */
ge_status gei_mapped_open_fd(const gei_allocator *from, int fd, size_t size, gei_mapped **out, gei_diag *diag);
void gei_mapped_retain(void *mapped);  /* any thread */
void gei_mapped_release(void *mapped); /* any thread; NULL is fine */

#endif
