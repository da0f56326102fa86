/* SPDX-License-Identifier: Apache-2.0 */
/* activation: the functions inside the cells of recurrent networks, named as ONNX names them. */
#ifndef GEI_OPS_RNN_ACTIVATION_H
#define GEI_OPS_RNN_ACTIVATION_H

#include "ops/rules.h"

typedef struct gei_activation {
    double (*of)(double x, double alpha, double beta);
    double alpha, beta;
} gei_activation;

/* `count` functions: attribute activations, else `absent` again and again (n_absent names); activation_alpha and activation_beta go to
 * those that take one, in order.  Names beyond `count` are passed over. */
ge_status gei_read_activations(const gei_node *node, const char *const *absent, size_t n_absent, size_t count, gei_activation *out, gei_diag *diag);

#endif
