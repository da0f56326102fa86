/* SPDX-License-Identifier: Apache-2.0 */
/* text: numbers and names for people and scripts; the host's locale has no say. */
#ifndef GE_CLI_TEXT_H
#define GE_CLI_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define TEXT_NUMBER_BYTES 40

/* All give `buffer` back; it holds TEXT_NUMBER_BYTES. */
const char *text_f64(char *buffer, double value, uint32_t n_digits); /* significant digits, 1 to 17, zeros at the end dropped */
const char *text_bytes(char *buffer, uint64_t size_bytes);           /* "1.42 MiB" */
const char *text_time(char *buffer, uint64_t time_ns);               /* "12.3 us" */
const char *text_count(char *buffer, uint64_t n);                    /* "9,802" */

/* Bytes of the UTF-8 character at `text`; 0: not a valid one.  size > 0. */
size_t text_utf8_size(const char *text, size_t size);

/* Writes text of a model or file to a terminal: control characters and invalid bytes become \xNN. */
void text_put_safe(FILE *to, const char *text, size_t size);
/* The same into a buffer, cut where it is full; always zero-terminated. */
void text_copy_safe(char *to, size_t cap, const char *text, size_t size);

#endif
