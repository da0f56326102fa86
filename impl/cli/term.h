/* SPDX-License-Identifier: Apache-2.0 */
/* term: what a person sees: aligned tables on stdout, a progress line on stderr. */
#ifndef GE_CLI_TERM_H
#define GE_CLI_TERM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define TABLE_MAX_COLUMNS 8

typedef struct table {
    uint32_t n_columns;
    uint32_t right;   /* bit i: column i is aligned to the right */
    char **cells;     /* owned, row by row */
    size_t n_cells, cap;
    bool is_short;    /* memory ran out: later cells are dropped */
} table;

void table_init(table *t, uint32_t n_columns, uint32_t right);
void table_add(table *t, const char *text); /* the next cell; copied, control characters escaped */
void table_print(const table *t, FILE *to, uint32_t n_indent);
void table_deinit(table *t);

/* A line that comes and goes: only on a terminal, only for work that takes over a second. */
typedef struct progress {
    bool is_terminal, is_shown;
    uint64_t start_ns, last_ns;
} progress;

void progress_start(progress *p);
void progress_show(progress *p, const char *what, uint64_t done, uint64_t total); /* cheap; total 0: unknown */
void progress_end(progress *p);                                                  /* takes the line away */

uint64_t clock_ns(void); /* monotonic */

#endif
