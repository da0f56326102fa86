/* SPDX-License-Identifier: Apache-2.0 */
#define CHAIN_NAME gei_chain_portable
#define CHAIN_BYTES 16
#include "kernels/chain_template.h"
