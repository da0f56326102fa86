/* SPDX-License-Identifier: Apache-2.0 */
#include "frontend/below.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"

typedef struct walk {
    gei_span path;
    size_t at;           /* where the next component starts */
    int folder;          /* of the current component; the first one is borrowed */
    bool owns_folder, follows_links;
    const char *owner;
    gei_diag *diag;
} walk;

static ge_status refuse(const walk *w, const char *why) {
    int shown = w->path.size > 200 ? 200 : (int)w->path.size;
    return gei_fail(w->diag, GE_ERR_EXTERNAL_DATA, "%s: external data '%.*s' %s", w->owner, shown, w->path.size ? w->path.data : "", why);
}

static ge_status refuse_errno(const walk *w, const char *doing, int error) {
    char why[128];
    size_t used = gei_copy_text(why, sizeof why, doing, strlen(doing));
    const char *said = gei_errno_text(error);
    gei_copy_text(why + used, sizeof why - used, said, strlen(said));
    return refuse(w, why);
}

ge_status gei_below_folder(const char *path, int *out_fd, gei_diag *diag) {
    *out_fd = open(path[0] ? path : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (*out_fd >= 0) return GE_OK;
    return gei_fail(diag, GE_ERR_FILE, "the folder of external data '%s' cannot be opened: %s", path, gei_errno_text(errno));
}

/* ---- the text of the path ---- */

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static gei_span next_component(walk *w) {
    const char *data = w->path.data;
    while (w->at < w->path.size && data[w->at] == '/') w->at++;
    size_t from = w->at;
    while (w->at < w->path.size && data[w->at] != '/') w->at++;
    return (gei_span){ data + from, w->at - from };
}

static ge_status check_text(walk *w) {
    gei_span path = w->path;
    if (path.size == 0) return refuse(w, "names no file");
    if (memchr(path.data, '\0', path.size)) return refuse(w, "holds a zero byte");
    if (path.size >= PATH_MAX) return refuse(w, "is too long a path");
    if (path.data[0] == '/') return refuse(w, "is an absolute path; only files below the model's folder are read");
    if (memchr(path.data, '\\', path.size)) return refuse(w, "holds a backslash; folders are separated by '/'");
    if (path.size >= 2 && is_letter(path.data[0]) && path.data[1] == ':') return refuse(w, "names a drive; only files below the model's folder are read");
    gei_span part;
    while ((part = next_component(w)).size > 0)
        if (gei_span_is(part, "..")) return refuse(w, "leaves the model's folder");
    w->at = 0;
    return GE_OK;
}

/* ---- the walk ---- */

static ge_status check_kind(const walk *w, const struct stat *found, bool is_last) {
    if (S_ISLNK(found->st_mode)) return refuse(w, "goes through a symbolic link, which could lead anywhere");
    if (is_last && !S_ISREG(found->st_mode)) return refuse(w, S_ISDIR(found->st_mode) ? "is a folder" : "is no regular file");
    if (!is_last && !S_ISDIR(found->st_mode)) return refuse(w, "goes through something that is no folder");
    return GE_OK;
}

static void leave_folder(walk *w) {
    if (w->owns_folder) (void)close(w->folder);
    w->owns_folder = false;
}

/* Looks at the file before it opens it: opening a device or a pipe has effects of its own. */
static ge_status open_part(walk *w, const char *name, bool is_last, int *out_fd) {
    struct stat before, after;
    int no_follow = w->follows_links ? 0 : AT_SYMLINK_NOFOLLOW;
    if (fstatat(w->folder, name, &before, no_follow) != 0) return refuse_errno(w, "cannot be opened: ", errno);
    GEI_TRY(check_kind(w, &before, is_last));
    int flags = is_last ? O_RDONLY | O_NONBLOCK | O_NOCTTY : O_PATH | O_DIRECTORY;
    int fd = openat(w->folder, name, flags | O_CLOEXEC | (w->follows_links ? 0 : O_NOFOLLOW));
    if (fd < 0) return refuse_errno(w, "cannot be opened: ", errno);
    if (fstat(fd, &after) != 0 || after.st_ino != before.st_ino || after.st_dev != before.st_dev) {
        (void)close(fd);
        return refuse(w, "was exchanged while it was being opened");
    }
    *out_fd = fd;
    return GE_OK;
}

static bool is_at_end(const walk *w) {
    for (size_t i = w->at; i < w->path.size; i++)
        if (w->path.data[i] != '/') return false;
    return true;
}

static ge_status walk_down(walk *w, int *out_fd) {
    gei_span part;
    while ((part = next_component(w)).size > 0) {
        char name[NAME_MAX + 1];
        if (part.size > NAME_MAX) return refuse(w, "has too long a file name");
        memcpy(name, part.data, part.size);
        name[part.size] = '\0';
        int fd = -1;
        bool is_last = is_at_end(w);
        GEI_TRY(open_part(w, name, is_last, &fd));
        leave_folder(w);
        if (is_last) {
            *out_fd = fd;
            return GE_OK;
        }
        w->folder = fd;
        w->owns_folder = true;
    }
    return refuse(w, "names no file");
}

ge_status gei_below_open(int folder_fd, gei_span path, bool follows_links, const char *owner, int *out_fd, uint64_t *out_size, gei_diag *diag) {
    walk w = { .path = path, .folder = folder_fd, .follows_links = follows_links, .owner = owner, .diag = diag };
    struct stat found;
    *out_fd = -1;
    GEI_TRY(check_text(&w));
    ge_status status = walk_down(&w, out_fd);
    leave_folder(&w);
    if (status != GE_OK) return status;
    if (fstat(*out_fd, &found) != 0 || found.st_size < 0) {
        (void)close(*out_fd);
        return refuse(&w, "has no size");
    }
    *out_size = (uint64_t)found.st_size;
    return GE_OK;
}
