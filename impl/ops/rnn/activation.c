/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/rnn/activation.h"

#include <math.h>
#include <string.h>

typedef struct function {
    const char *name;
    double (*of)(double x, double alpha, double beta);
    bool has_alpha, has_beta;
    double alpha, beta; /* when the node says none */
} function;

#define F(name, expr)                                             \
    static double name(double x, double alpha, double beta) {     \
        (void)alpha;                                              \
        (void)beta;                                               \
        return expr;                                              \
    }
F(relu, x < 0 ? 0 : x)
F(hyperbolic, tanh(x))
F(sigmoid, 1 / (1 + exp(-x)))
F(affine, alpha * x + beta)
F(leaky_relu, x < 0 ? alpha * x : x)
F(thresholded_relu, x < alpha ? 0 : x)
F(scaled_tanh, alpha * tanh(beta * x))
F(hard_sigmoid, fmin(fmax(alpha * x + beta, 0), 1))
F(elu, x < 0 ? alpha * expm1(x) : x)
F(softsign, x / (1 + fabs(x)))
F(softplus, fmax(x, 0) + log1p(exp(-fabs(x))))
#undef F

static const function functions[] = {
    { "Relu", relu, false, false, 0, 0 },
    { "Tanh", hyperbolic, false, false, 0, 0 },
    { "Sigmoid", sigmoid, false, false, 0, 0 },
    { "Affine", affine, true, true, 1, 0 },
    { "LeakyRelu", leaky_relu, true, false, 0.01, 0 },
    { "ThresholdedRelu", thresholded_relu, true, false, 1, 0 },
    { "ScaledTanh", scaled_tanh, true, true, 1, 1 },
    { "HardSigmoid", hard_sigmoid, true, true, 0.2, 0.5 },
    { "Elu", elu, true, false, 1, 0 },
    { "Softsign", softsign, false, false, 0, 0 },
    { "Softplus", softplus, false, false, 0, 0 },
};

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

/* Models write the names in either case. */
static const function *find(const char *name, size_t size) {
    for (size_t k = 0; k < GEI_COUNT(functions); k++) {
        size_t n = 0;
        if (strlen(functions[k].name) != size) continue;
        while (n < size && lower(name[n]) == lower(functions[k].name[n])) n++;
        if (n == size) return &functions[k];
    }
    return NULL;
}

static double next(const gei_attr *list, uint32_t *at, double absent) {
    if (!list || list->kind != GEI_ATTR_FLOATS || *at >= list->count) return absent;
    return (double)list->v.floats[(*at)++];
}

ge_status gei_read_activations(const gei_node *node, const char *const *absent, size_t n_absent, size_t count, gei_activation *out, gei_diag *diag) {
    const gei_attr *names = gei_node_attr(node, "activations"), *alphas = gei_node_attr(node, "activation_alpha"), *betas = gei_node_attr(node, "activation_beta");
    bool given = names && names->kind == GEI_ATTR_STRINGS && names->count > 0;
    uint32_t alpha = 0, beta = 0;
    if (given && names->count < count)
        return gei_node_fail(node, diag, GE_ERR_BAD_ATTR, "activations", "%u names, wanted %zu", names->count, count);
    for (size_t k = 0; k < count; k++) {
        const char *text = given ? names->v.strings[k].data : absent[k % n_absent];
        const function *f = find(text, given ? names->v.strings[k].size : strlen(text));
        if (!f) return gei_node_fail(node, diag, GE_ERR_BAD_ATTR, "activations", "'%s' is no activation", text);
        out[k] = (gei_activation){ f->of, f->has_alpha ? next(alphas, &alpha, f->alpha) : 0, f->has_beta ? next(betas, &beta, f->beta) : 0 };
    }
    return GE_OK;
}
