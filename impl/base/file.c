/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"

#define MAX_PATH_BYTES 4096 /* what Linux takes */
#define SHOWN_PATH_BYTES 300 /* a message keeps room for the reason; of longer paths the end tells more */

/* strerror speaks the host's language and is not safe for threads; messages are the same everywhere. */
static const struct {
    int number;
    const char *text;
} error_texts[] = {
    { EACCES, "permission denied" },
    { EBUSY, "in use" },
    { EDQUOT, "disk quota exceeded" },
    { EEXIST, "exists already" },
    { EFBIG, "file too large" },
    { EINVAL, "invalid argument" },
    { EIO, "input/output error" },
    { EISDIR, "is a directory" },
    { ELOOP, "too many symbolic links" },
    { EMFILE, "too many open files in this process" },
    { ENAMETOOLONG, "name too long" },
    { ENFILE, "too many open files in the system" },
    { ENODEV, "no such device" },
    { ENOENT, "no such file or directory" },
    { ENOMEM, "out of memory" },
    { ENOSPC, "no space left on device" },
    { ENOTDIR, "a part of the path is not a directory" },
    { ENXIO, "no such device" },
    { EOVERFLOW, "file too large" },
    { EPERM, "operation not permitted" },
    { EROFS, "read-only file system" },
    { ESTALE, "stale file handle" },
    { ETXTBSY, "file is being executed" },
};

const char *gei_errno_text(int number) {
    for (size_t i = 0; i < GEI_COUNT(error_texts); i++)
        if (error_texts[i].number == number) return error_texts[i].text;
    return "error";
}

static ge_status fail_errno(gei_diag *diag, const char *action, const char *path, int number) {
    ge_status status = number == ENOMEM ? GE_ERR_OUT_OF_MEMORY : GE_ERR_FILE;
    size_t path_bytes = strlen(path);
    bool is_long = path_bytes > SHOWN_PATH_BYTES;
    if (is_long) path += path_bytes - SHOWN_PATH_BYTES;
    return gei_fail(diag, status, "cannot %s '%s%s': %s (errno %d)", action, is_long ? "..." : "", path, gei_errno_text(number), number);
}

static int open_retrying(const char *path, int flags, mode_t mode) {
    int fd;
    do {
        fd = open(path, flags | O_CLOEXEC, mode);
    } while (fd < 0 && errno == EINTR);
    return fd;
}

/* Reads `size` bytes; fewer is an error, because sizes in the file were checked against fstat's. */
static ge_status read_all(int fd, uint8_t *to, size_t size, const char *path, gei_diag *diag) {
    for (size_t done = 0; done < size;) {
        ssize_t n = read(fd, to + done, size - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return fail_errno(diag, "read", path, errno);
        if (n == 0) {
            return gei_fail(diag, GE_ERR_FILE, "cannot read '%s': it ended after %zu of %zu bytes", path, done, size);
        }
        done += (size_t)n;
    }
    return GE_OK;
}

static ge_status load(gei_file *file, int fd, const char *path, bool copy, gei_diag *diag) {
    if (!copy) {
        void *mapped = mmap(NULL, file->size, PROT_READ, MAP_PRIVATE, fd, 0);
        if (mapped != MAP_FAILED) {
            file->data = mapped;
            file->mapped = true;
            return GE_OK;
        }
        if (errno == ENOMEM) return fail_errno(diag, "map", path, ENOMEM);
        /* Some file systems cannot map: read instead. */
    }
    uint8_t *bytes = gei_alloc(file->from, file->size, GEI_ALIGN_BYTES);
    if (!bytes) return gei_out_of_memory(diag, file->size);
    ge_status status = read_all(fd, bytes, file->size, path, diag);
    if (status != GE_OK) {
        gei_free(file->from, bytes, file->size, GEI_ALIGN_BYTES);
        return status;
    }
    file->data = bytes;
    return GE_OK;
}

ge_status gei_file_open(gei_file *file, const char *path, bool copy, const gei_allocator *from, gei_diag *diag) {
    *file = (gei_file){ .from = from };
    /* O_NONBLOCK: opening a pipe would wait for its writer; regular files ignore it. */
    int fd = open_retrying(path, O_RDONLY | O_NOCTTY | O_NONBLOCK, 0);
    if (fd < 0) return fail_errno(diag, "open", path, errno);

    struct stat info;
    ge_status status = GE_OK;
    if (fstat(fd, &info) != 0) status = fail_errno(diag, "open", path, errno);
    else if (S_ISDIR(info.st_mode)) status = fail_errno(diag, "open", path, EISDIR);
    else if (!S_ISREG(info.st_mode)) status = gei_fail(diag, GE_ERR_FILE, "cannot open '%s': not a regular file", path);
    else if (info.st_size < 0 || (uint64_t)info.st_size > PTRDIFF_MAX) status = fail_errno(diag, "open", path, EFBIG);
    if (status == GE_OK && info.st_size > 0) {
        file->size = (size_t)info.st_size;
        status = load(file, fd, path, copy, diag);
    }
    (void)close(fd); /* a mapping keeps the file */
    if (status != GE_OK) *file = (gei_file){ .from = from };
    return status;
}

void gei_file_close(gei_file *file) {
    if (file->mapped) (void)munmap((void *)(uintptr_t)file->data, file->size);
    else gei_free(file->from, (void *)(uintptr_t)file->data, file->size, GEI_ALIGN_BYTES);
    *file = (gei_file){ .from = file->from };
}

/* Creates a file in the same directory as `path`, so that the rename stays on one file system.  Its name does not grow with the
 * target's, which may be as long as names can be.  -1 with errno on failure. */
static int create_sibling(const char *path, mode_t mode, char *out_sibling, size_t cap) {
    static _Atomic uint32_t counter;
    const char *slash = strrchr(path, '/');
    size_t dir_bytes = slash ? (size_t)(slash - path) + 1 : 0;
    for (int attempt = 0; attempt < 100; attempt++) { /* names may be taken by another host's process on a shared disk */
        unsigned n = atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);
        int size = snprintf(out_sibling, cap, "%.*s.ge-%ld-%u.tmp", (int)dir_bytes, path, (long)getpid(), n);
        if (size < 0 || (size_t)size >= cap) {
            errno = ENAMETOOLONG;
            return -1;
        }
        int fd = open_retrying(out_sibling, O_WRONLY | O_CREAT | O_EXCL | O_NOCTTY, mode);
        if (fd >= 0 || errno != EEXIST) return fd;
    }
    return -1;
}

static int write_all(int fd, const uint8_t *bytes, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t n = write(fd, bytes + done, size - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return -1;
        done += (size_t)n;
    }
    return 0;
}

ge_status gei_file_write(const char *path, const void *bytes, size_t size, gei_diag *diag) {
    struct stat old;
    bool is_there = stat(path, &old) == 0;
    if (is_there && S_ISDIR(old.st_mode)) return fail_errno(diag, "write", path, EISDIR);
    if (is_there && !S_ISREG(old.st_mode)) { /* the rename would put a file in the place of a device */
        return gei_fail(diag, GE_ERR_FILE, "cannot write '%s': not a regular file", path);
    }
    char sibling[MAX_PATH_BYTES];
    if (strlen(path) >= MAX_PATH_BYTES) return fail_errno(diag, "write", path, ENAMETOOLONG);
    int fd = create_sibling(path, 0666, sibling, sizeof sibling);
    if (fd < 0) return fail_errno(diag, "write", path, errno);

    if (is_there) (void)fchmod(fd, old.st_mode & 0777); /* a replaced file keeps who may read it, where that is ours to set */
    int failure = write_all(fd, bytes, size) == 0 && fsync(fd) == 0 ? 0 : errno;
    if (close(fd) != 0 && failure == 0) failure = errno;
    if (failure == 0 && rename(sibling, path) != 0) failure = errno;
    if (failure == 0) return GE_OK;
    (void)unlink(sibling);
    return fail_errno(diag, "write", path, failure);
}
