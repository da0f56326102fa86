/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/term.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/text.h"

#define SHOW_AFTER_NS UINT64_C(1000000000)
#define SHOW_EVERY_NS UINT64_C(100000000)
#define CELL_BYTES 400 /* longer text is cut */

/* ---- table --------------------------------------------------------------------------------------------------------- */

void table_init(table *t, uint32_t n_columns, uint32_t right) {
    *t = (table){ .n_columns = n_columns, .right = right };
}

void table_add(table *t, const char *text) {
    char safe[CELL_BYTES];
    if (t->n_cells == t->cap && !t->is_short) {
        size_t cap = t->cap ? 2 * t->cap : 32;
        char **cells = realloc(t->cells, cap * sizeof *cells);
        t->is_short = !cells;
        if (cells) {
            t->cells = cells;
            t->cap = cap;
        }
    }
    if (t->is_short) return;
    text_copy_safe(safe, sizeof safe, text, strlen(text));
    t->cells[t->n_cells] = strdup(safe);
    t->is_short = !t->cells[t->n_cells];
    if (!t->is_short) t->n_cells++;
}

/* Columns on screen, taking each character as one: wide scripts come out ragged, nothing worse. */
static uint32_t width_of(const char *text) {
    uint32_t width = 0;
    for (; *text; text++) width += ((unsigned char)*text & 0xC0) != 0x80;
    return width;
}

/* Whether cell i and the rest of its row are empty: no blanks at the end of a line. */
static bool rest_is_empty(const table *t, size_t i) {
    for (; i < t->n_cells && t->cells[i][0] == 0; i++) {
        if ((i + 1) % t->n_columns == 0) return true;
    }
    return i == t->n_cells;
}

void table_print(const table *t, FILE *to, uint32_t n_indent) {
    uint32_t widths[TABLE_MAX_COLUMNS] = { 0 };
    for (size_t i = 0; i < t->n_cells; i++) {
        uint32_t width = width_of(t->cells[i]), column = (uint32_t)(i % t->n_columns);
        if (width > widths[column]) widths[column] = width;
    }
    for (size_t i = 0; i < t->n_cells; i++) {
        uint32_t column = (uint32_t)(i % t->n_columns);
        bool is_last = column + 1 == t->n_columns || rest_is_empty(t, i + 1), is_right = t->right >> column & 1;
        if (column > 0 && rest_is_empty(t, i)) continue;
        int blank = (int)(widths[column] - width_of(t->cells[i]));
        if (column == 0) fprintf(to, "%*s", (int)n_indent, "");
        fprintf(to, "%*s%s", is_right ? blank : 0, "", t->cells[i]);
        if (is_last) {
            putc('\n', to);
        } else {
            fprintf(to, "%*s", (is_right ? 0 : blank) + 2, "");
        }
    }
}

void table_deinit(table *t) {
    for (size_t i = 0; i < t->n_cells; i++) free(t->cells[i]);
    free(t->cells);
    *t = (table){ 0 };
}

/* ---- progress ------------------------------------------------------------------------------------------------------ */

uint64_t clock_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

void progress_start(progress *p) {
    const char *kind = getenv("TERM");
    *p = (progress){ .is_terminal = isatty(STDERR_FILENO) && kind && strcmp(kind, "dumb") != 0 };
    p->start_ns = clock_ns();
}

void progress_show(progress *p, const char *what, uint64_t done, uint64_t total) {
    if (!p->is_terminal) return;
    uint64_t now = clock_ns();
    if (now - p->start_ns < SHOW_AFTER_NS || now - p->last_ns < SHOW_EVERY_NS) return;
    char safe[48];
    text_copy_safe(safe, sizeof safe, what, strlen(what));
    p->last_ns = now;
    p->is_shown = true;
    uint64_t seconds = (now - p->start_ns) / UINT64_C(1000000000);
    if (total > 0 && done <= total) {
        double share = (double)done / (double)total;
        fprintf(stderr, "\r\033[K%s  %d %%  %llu s", safe, (int)(share * 100), (unsigned long long)seconds);
    } else {
        fprintf(stderr, "\r\033[K%s  %llu s", safe, (unsigned long long)seconds);
    }
    fflush(stderr);
}

void progress_end(progress *p) {
    if (p->is_shown) fputs("\r\033[K", stderr);
    fflush(stderr);
    p->is_shown = false;
}
