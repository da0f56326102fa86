/* SPDX-License-Identifier: Apache-2.0 */
/* json: writes one JSON document to a stream, indented, with commas and escapes where they belong.
 *   json_begin(j, NULL, '{');  json_text(j, "name", "x");  json_begin(j, "dims", '[');  json_i64(j, NULL, 3);  json_end(j);  json_end(j);
 * The key is NULL inside arrays and for the outermost value. */
#ifndef GE_CLI_JSON_H
#define GE_CLI_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_MAX_DEPTH 16

typedef struct json {
    FILE *to;
    uint32_t depth;
    char closers[JSON_MAX_DEPTH]; /* '}' or ']' per open level */
    bool has_items[JSON_MAX_DEPTH];
    bool is_flat[JSON_MAX_DEPTH]; /* array on one line */
} json;

void json_init(json *j, FILE *to);
void json_begin(json *j, const char *key, char opener);  /* '{' or '['; '<' opens an array written on one line */
void json_end(json *j);                                  /* the outermost one ends the line */
void json_text(json *j, const char *key, const char *text);
void json_bytes(json *j, const char *key, const char *text, size_t size); /* what is no UTF-8 becomes U+FFFD */
void json_i64(json *j, const char *key, int64_t value);
void json_u64(json *j, const char *key, uint64_t value);
void json_bool(json *j, const char *key, bool value);
void json_null(json *j, const char *key);
void json_f64(json *j, const char *key, double value, uint32_t n_digits); /* significant digits; null for nan and infinities */

#endif
