/* SPDX-License-Identifier: Apache-2.0 */
/* chain: a foreign node of n inputs as n - 1 nodes of an operator with two, from the left; of one input as Identity. */
#ifndef GEI_OPS_ELEMENTWISE_CHAIN_H
#define GEI_OPS_ELEMENTWISE_CHAIN_H

#include "ops/import.h"

ge_status gei_import_chain(gei_import *im, const char *type, gei_diag *diag);

#endif
