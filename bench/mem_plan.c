/* SPDX-License-Identifier: Apache-2.0 */
/* mem_plan FILE.csv [EFFORT]: places the blocks of a file with the memory planner of the library and prints, as JSON, the height of
 * the arena, its lower bound (the largest sum of sizes alive at one step) and the time of one placement.  The first line names the
 * columns: id, lower, upper and size in any order, others are skipped; a block is alive in [lower, upper).  The placement is
 * checked pair by pair before anything is printed.  Sizes are rounded up to the planner's alignment.  EFFORT bounds the search, 2000
 * by default (seconds, when the bound cannot be reached); what compiling a graph spends is shown beside, and no search at all.  Links
 * the inner library. */
#include "clock.h"

#include <errno.h>
#include <string.h>

#include "plan/mem_plan.h"
#include "plan/plan.h"

enum { LINE_BYTES = 4096, MOST_COLUMNS = 32, EFFORT = 2000 };
enum column { ID, LOWER, UPPER, SIZE, N_COLUMNS };

typedef struct table {
    gei_live *blocks;
    size_t n, room;
} table;

static const char *file_name;
static unsigned long line_number;

static void refuse(const char *why) {
    fprintf(stderr, "mem_plan: %s, line %lu: %s\n", file_name, line_number, why);
    exit(2);
}

/* Splits a line in place. */
static int split(char *line, char **cells) {
    int n = 0;
    line[strcspn(line, "\r\n")] = 0;
    for (char *at = line; at; n++) {
        if (n == MOST_COLUMNS) refuse("too many columns");
        cells[n] = at;
        at = strchr(at, ',');
        if (at) *at++ = 0;
        cells[n] += strspn(cells[n], " ");
    }
    return n;
}

static void read_header(char *line, int *where) {
    static const char *const names[N_COLUMNS] = { "id", "lower", "upper", "size" };
    char *cells[MOST_COLUMNS];
    int n = split(line, cells);
    for (int c = 0; c < N_COLUMNS; c++) {
        where[c] = -1;
        for (int i = 0; i < n; i++)
            if (strcmp(cells[i], names[c]) == 0) where[c] = i;
        if (where[c] < 0) refuse("the first line must name the columns id, lower, upper and size");
    }
}

static uint64_t number(const char *text, uint64_t most) {
    char *end;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    if (end == text || *end || *text == '-' || errno || value > most) refuse("a number is missing or too large");
    return value;
}

static void read_block(char *line, const int *where, table *t) {
    char *cells[MOST_COLUMNS];
    int n = split(line, cells);
    for (int c = 0; c < N_COLUMNS; c++)
        if (where[c] >= n) refuse("columns are missing");
    if (t->n == t->room) {
        t->room = t->room ? 2 * t->room : 1024;
        t->blocks = realloc(t->blocks, t->room * sizeof *t->blocks);
        if (!t->blocks) refuse("out of memory");
    }
    gei_live *b = &t->blocks[t->n++];
    b->first = (uint32_t)number(cells[where[LOWER]], UINT32_MAX);
    b->end = (uint32_t)number(cells[where[UPPER]], UINT32_MAX);
    b->size_bytes = number(cells[where[SIZE]], UINT64_MAX >> 20);
    b->offset_bytes = 0;
    if (b->end <= b->first) refuse("upper is not above lower");
}

static table read_file(void) {
    char line[LINE_BYTES];
    int where[N_COLUMNS];
    table t = { NULL, 0, 0 };
    FILE *in = fopen(file_name, "r");
    if (!in) refuse(strerror(errno));
    while (fgets(line, sizeof line, in)) {
        line_number++;
        if (!strchr(line, '\n') && !feof(in)) refuse("the line is too long");
        if (line_number == 1) read_header(line, where);
        else if (line[strspn(line, " \r\n")]) read_block(line, where, &t);
    }
    fclose(in);
    if (t.n == 0) refuse("there are no blocks");
    return t;
}

static void must_not_meet(const gei_live *a, const gei_live *b) {
    bool apart_in_time = a->end <= b->first || b->end <= a->first;
    bool apart = a->offset_bytes + a->size_bytes <= b->offset_bytes || b->offset_bytes + b->size_bytes <= a->offset_bytes;
    if (apart_in_time || apart) return;
    fprintf(stderr, "mem_plan: two blocks share memory at the same time\n");
    exit(1);
}

static double place(const table *t, uint32_t effort, uint64_t *height, uint64_t *bound) {
    gei_arena scratch;
    gei_diag diag;
    gei_arena_init(&scratch, &gei_heap);
    gei_diag_clear(&diag);
    double begin = now_ns();
    ge_status status = gei_mem_plan(t->blocks, t->n, effort, &scratch, height, bound, &diag);
    double ns = now_ns() - begin;
    gei_arena_deinit(&scratch);
    if (status == GE_OK) return ns;
    fprintf(stderr, "mem_plan: %s\n", diag.message);
    exit(1);
}

int main(int argc, char **argv) {
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: mem_plan FILE.csv [EFFORT]\n");
        return 2;
    }
    file_name = argv[1];
    table t = read_file();
    uint32_t effort = argc > 2 ? (uint32_t)number(argv[2], UINT32_MAX) : EFFORT;
    uint64_t first, compiled, height, bound;
    double first_ns = place(&t, 0, &first, &bound), compiled_ns = place(&t, GEI_MEM_EFFORT, &compiled, &bound);
    double ns = place(&t, effort, &height, &bound);
    for (size_t i = 0; i < t.n; i++)
        for (size_t k = 0; k < i; k++) must_not_meet(&t.blocks[i], &t.blocks[k]);
    printf("{\"blocks\": %zu, \"height\": %llu, \"lower_bound\": %llu, \"ratio\": %.4f, \"ms\": %.3f, "
           "\"as_compiled\": {\"height\": %llu, \"ms\": %.3f}, \"without_search\": {\"height\": %llu, \"ms\": %.3f}}\n",
           t.n, (unsigned long long)height, (unsigned long long)bound, (double)height / (bound ? (double)bound : 1), ns / 1e6,
           (unsigned long long)compiled, compiled_ns / 1e6, (unsigned long long)first, first_ns / 1e6);
    free(t.blocks);
    return 0;
}
