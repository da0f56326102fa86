/* SPDX-License-Identifier: Apache-2.0 */
/* Compiled only, as several languages: see tests/ops/CMakeLists.txt. */
#include "ge_ops.h"

int main(void) { return ge_op_Conv2D_attrs_init().groups == 1 ? 0 : 1; }
