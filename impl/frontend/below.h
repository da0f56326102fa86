/* SPDX-License-Identifier: Apache-2.0 */
/* below: opens regular files under one folder on behalf of a model file, which may name anything.
 * Refused without being opened: absolute paths, drive letters, "..", backslashes, zero bytes, and whatever is no regular file.
 * Symbolic links are refused on every step unless the caller trusts them.  Paths are walked one component at a time from the open
 * folder, so that nothing can be exchanged between check and use. */
#ifndef GEI_FRONTEND_BELOW_H
#define GEI_FRONTEND_BELOW_H

#include "frontend/wire.h"

/* The folder itself is the caller's and may be a link.  Closed by close(). */
ge_status gei_below_folder(const char *path, int *out_fd, gei_diag *diag);
/* `owner` starts the message of an error: "initializer 'w'".  On success the caller closes *out_fd. */
ge_status gei_below_open(int folder_fd, gei_span path, bool follows_links, const char *owner, int *out_fd, uint64_t *out_size, gei_diag *diag);

#endif
