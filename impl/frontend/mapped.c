/* SPDX-License-Identifier: Apache-2.0 */
#include "frontend/mapped.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

static gei_mapped *create(const gei_allocator *from) {
    gei_mapped *m = (gei_mapped *)gei_alloc_zero(from, sizeof *m, _Alignof(gei_mapped));
    if (!m) return NULL;
    atomic_init(&m->refs, 1);
    m->from = from;
    return m;
}

static void destroy(gei_mapped *m) { gei_free(m->from, m, sizeof *m, _Alignof(gei_mapped)); }

ge_status gei_mapped_open(const gei_allocator *from, const char *path, bool copy, gei_mapped **out, gei_diag *diag) {
    *out = NULL;
    gei_mapped *m = create(from);
    if (!m) return gei_out_of_memory(diag, sizeof *m);
    ge_status status = gei_file_open(&m->file, path, copy, from, diag);
    if (status != GE_OK) {
        destroy(m);
        return status;
    }
    *out = m;
    return GE_OK;
}

/* For file systems that cannot map. */
static ge_status read_whole(gei_file *file, int fd, gei_diag *diag) {
    uint8_t *bytes = gei_alloc(file->from, file->size, GEI_ALIGN_BYTES);
    if (!bytes) return gei_out_of_memory(diag, file->size);
    file->data = bytes;
    for (size_t done = 0; done < file->size;) {
        ssize_t n = pread(fd, bytes + done, file->size - done, (off_t)done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return gei_fail(diag, GE_ERR_FILE, "a file ended after %zu of %zu bytes", done, file->size);
        done += (size_t)n;
    }
    return GE_OK;
}

ge_status gei_mapped_open_fd(const gei_allocator *from, int fd, size_t size, gei_mapped **out, gei_diag *diag) {
    *out = NULL;
    gei_mapped *m = create(from);
    if (!m) return gei_out_of_memory(diag, sizeof *m);
    m->file = (gei_file){ .size = size, .from = from };
    if (size > 0) {
        void *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
        m->file.mapped = data != MAP_FAILED;
        if (m->file.mapped) m->file.data = data;
    }
    ge_status status = size > 0 && !m->file.mapped ? read_whole(&m->file, fd, diag) : GE_OK;
    if (status == GE_OK) *out = m;
    else gei_mapped_release(m);
    return status;
}

void gei_mapped_retain(void *mapped) {
    gei_mapped *m = mapped;
    atomic_fetch_add_explicit(&m->refs, 1, memory_order_relaxed);
}

void gei_mapped_release(void *mapped) {
    gei_mapped *m = mapped;
    if (!m || atomic_fetch_sub_explicit(&m->refs, 1, memory_order_acq_rel) != 1) return;
    gei_file_close(&m->file);
    destroy(m);
}
