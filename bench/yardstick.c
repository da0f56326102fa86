/* SPDX-License-Identifier: Apache-2.0 */
/* yardstick: an empty function in a shared library of its own, called through the linkage table as every function of libge is. */
#include <stdint.h>

int32_t yardstick(void *argument);
int32_t yardstick(void *argument) { return argument != 0; }
