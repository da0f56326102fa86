/* SPDX-License-Identifier: Apache-2.0 */
/* moves: kernels of operators that only move elements are written for elements of 1, 2, 4, 8 or 16 bytes; this runs them on strings
 * and on packed types too, by moving numbers that stand for the elements.
 *
 *   static ge_status run_ref(const gei_run *run, uint32_t part) { return gei_run_moved(run, part, 1u << SLOT_X, run_bytes); }
 *
 * Everything that .size keeps about element sizes must come from gei_moved_bytes. */
#ifndef GEI_OPS_MOVES_H
#define GEI_OPS_MOVES_H

#include "ops/rules.h"

size_t gei_moved_bytes(int32_t dtype); /* of one element as the kernel sees it: 8 for strings and packed types */
/* `moved`: bits by input slot; slots from 31 on count as bit 31.  Output 0 is the moved one. */
ge_status gei_run_moved(const gei_run *run, uint32_t part, uint32_t moved, gei_kernel_fn fn);

#endif
