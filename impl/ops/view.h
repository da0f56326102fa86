/* SPDX-License-Identifier: Apache-2.0 */
/* view: operators whose output is the bytes of input 0 under another shape. */
#ifndef GEI_OPS_VIEW_H
#define GEI_OPS_VIEW_H

#include "ops/rules.h"

extern const gei_kernel gei_copy_kernels[]; /* for where a view cannot be had */

#endif
