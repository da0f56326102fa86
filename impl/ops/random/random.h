/* SPDX-License-Identifier: Apache-2.0 */
/* random: the generator that random rows share, and their ONNX attributes. */
#ifndef GEI_OPS_RANDOM_RANDOM_H
#define GEI_OPS_RANDOM_RANDOM_H

#include "ops/import.h"
#include "ops/rules.h"

double gei_random_uniform(uint64_t seed, uint64_t k); /* number k of a stream, in [0, 1) */
uint64_t gei_random_seed(const gei_node *node);       /* of attributes seed and seed2; both 0: another one each time */
ge_status gei_import_seed(const gei_import *im, gei_node *node, gei_diag *diag);

#endif
