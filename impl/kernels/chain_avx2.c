/* SPDX-License-Identifier: Apache-2.0 */
#define CHAIN_NAME gei_chain_avx2
#define CHAIN_BYTES 32
#include "kernels/chain_template.h"
