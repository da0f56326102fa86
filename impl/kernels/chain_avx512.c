/* SPDX-License-Identifier: Apache-2.0 */
#define CHAIN_NAME gei_chain_avx512
#define CHAIN_BYTES 64
#include "kernels/chain_template.h"
