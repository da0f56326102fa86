/* SPDX-License-Identifier: Apache-2.0 */
#ifndef GE_TEST_PLANTED_H
#define GE_TEST_PLANTED_H

/* Does the misdeed of that name; 'write' goes to fd. */
__attribute__((visibility("default"))) int planted_do(const char *what, int fd);

#endif
