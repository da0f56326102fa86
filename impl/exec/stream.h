/* SPDX-License-Identifier: Apache-2.0 */
/* stream: what streams and events know of each other. */
#ifndef GEI_EXEC_STREAM_H
#define GEI_EXEC_STREAM_H

#include <pthread.h>

#include "exec/async.h"

/* Puts a record of the mark or a wait for it on the stream.  Takes the mark's count, also on failure. */
ge_status gei_stream_put_mark(gei_stream *s, gei_mark *mark, bool is_wait, gei_diag *diag);

/* The mark happens.  Gives the waits that stood at it, which are the caller's now. */
gei_item *gei_mark_pass(gei_mark *mark);
/* True when the mark did not happen yet: the item is then given back by gei_mark_pass. */
bool gei_mark_stop_at(gei_mark *mark, gei_item *item);

#endif
