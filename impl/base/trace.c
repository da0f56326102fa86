/* SPDX-License-Identifier: Apache-2.0 */
#include "base/trace.h"

#include <string.h>
#include <unistd.h>

#include "base/wait.h"

#define NAME_BYTES 72
#define WORD_BYTES 32
#define RECORDS_PER_CHUNK 512
#define WRITE_FROM_BYTES ((size_t)64 << 10) /* text is handed on in parts of about this size */

typedef struct record {
    const char *kind;
    int64_t begin_ns, end_ns;
    uint64_t bytes;
    uint32_t thread;
    char name[NAME_BYTES], op_type[WORD_BYTES], kernel[WORD_BYTES];
} record;

typedef struct gei_trace_chunk {
    struct gei_trace_chunk *older;
    size_t n;
    record records[RECORDS_PER_CHUNK];
} gei_trace_chunk;

void gei_trace_init(gei_trace *t, const gei_allocator *from) {
    memset(t, 0, sizeof *t);
    t->from = from;
    pthread_mutex_init(&t->lock, NULL);
}

void gei_record_log_deinit(gei_record_log *log, const gei_allocator *from) {
    while (log->chunks) {
        gei_trace_chunk *chunk = log->chunks;
        log->chunks = chunk->older;
        gei_free(from, chunk, sizeof *chunk, 0);
    }
}

void gei_trace_deinit(gei_trace *t) {
    gei_record_log_deinit(&t->log, t->from);
    pthread_mutex_destroy(&t->lock);
}

bool gei_trace_begin(gei_trace *t) {
    pthread_mutex_lock(&t->lock);
    bool was_on = atomic_exchange(&t->is_on, true);
    if (!was_on) t->log.begin_ns = gei_now_ns();
    pthread_mutex_unlock(&t->lock);
    return !was_on;
}

bool gei_trace_end(gei_trace *t, gei_record_log *out) {
    pthread_mutex_lock(&t->lock);
    bool was_on = atomic_exchange(&t->is_on, false);
    *out = was_on ? t->log : (gei_record_log){ 0 };
    if (was_on) t->log = (gei_record_log){ 0 };
    pthread_mutex_unlock(&t->lock);
    return was_on;
}

static void copy_word(char *to, size_t cap, const char *from) {
    if (from) gei_copy_text(to, cap, from, strlen(from));
    else to[0] = '\0';
}

static bool has_room(const gei_trace *t) { return t->log.chunks && t->log.chunks->n < RECORDS_PER_CHUNK; }

static gei_trace_chunk *make_chunk(gei_trace *t) {
    gei_trace_chunk *chunk = gei_alloc(t->from, sizeof *chunk, 0);
    if (chunk) chunk->n = 0;
    return chunk;
}

static void fill_record(record *r, const gei_span *span, uint32_t thread) {
    r->kind = span->kind;
    r->begin_ns = span->begin_ns;
    r->end_ns = span->end_ns;
    r->bytes = span->bytes;
    r->thread = thread;
    copy_word(r->name, sizeof r->name, span->name);
    copy_word(r->op_type, sizeof r->op_type, span->op_type);
    copy_word(r->kernel, sizeof r->kernel, span->kernel);
}

/* Under the lock: gives a spare chunk back when there is room without it, or the trace ended meanwhile. */
static gei_trace_chunk *add_chunk(gei_trace *t, gei_trace_chunk *chunk) {
    if (!chunk || has_room(t) || !t->is_on) return chunk;
    chunk->older = t->log.chunks;
    t->log.chunks = chunk;
    return NULL;
}

void gei_trace_add(gei_trace *t, const gei_span *span) {
    uint32_t thread = (uint32_t)gettid();
    gei_trace_chunk *spare = NULL;
    pthread_mutex_lock(&t->lock);
    if (t->is_on && !has_room(t)) {
        pthread_mutex_unlock(&t->lock);
        spare = make_chunk(t);
        pthread_mutex_lock(&t->lock);
        spare = add_chunk(t, spare);
    }
    if (t->is_on && has_room(t)) fill_record(&t->log.chunks->records[t->log.chunks->n++], span, thread);
    else t->log.n_lost += t->is_on;
    pthread_mutex_unlock(&t->lock);
    gei_free(t->from, spare, spare ? sizeof *spare : 0, 0);
}

/* ---- JSON ---- */

static void put_text(gei_sink *to, const char *key, const char *text) {
    gei_sink_format(to, "\"%s\":", key);
    gei_sink_quoted(to, text, strlen(text));
}

/* Microseconds with their thousandths; a span begun before the trace is cut. */
static void put_us(gei_sink *to, const char *key, int64_t ns) {
    uint64_t n = ns > 0 ? (uint64_t)ns : 0;
    gei_sink_format(to, ",\"%s\":%llu.%03u", key, (unsigned long long)(n / 1000), (unsigned)(n % 1000));
}

static void put_record(const gei_record_log *t, gei_sink *to, const record *r) {
    int64_t begin = r->begin_ns > t->begin_ns ? r->begin_ns : t->begin_ns;
    gei_sink_text(to, ",\n{");
    put_text(to, "name", r->name);
    gei_sink_format(to, ",\"cat\":\"%s\",\"ph\":\"X\",\"pid\":1,\"tid\":%u", r->kind, r->thread);
    put_us(to, "ts", begin - t->begin_ns);
    put_us(to, "dur", r->end_ns - begin);
    gei_sink_text(to, ",\"args\":{");
    put_text(to, "kind", r->kind);
    if (r->op_type[0]) gei_sink_text(to, ","), put_text(to, "op", r->op_type);
    if (r->kernel[0]) gei_sink_text(to, ","), put_text(to, "kernel", r->kernel);
    if (r->bytes) gei_sink_format(to, ",\"bytes\":%llu", (unsigned long long)r->bytes);
    gei_sink_text(to, "}}");
}

/* Hands on what has gathered. */
static ge_status flush(gei_sink *text, ge_status (*write)(void *user, const char *text, size_t size), void *user, gei_diag *diag) {
    if (text->failed) return gei_out_of_memory(diag, text->size);
    ge_status st = text->size > 0 ? write(user, text->data, text->size) : GE_OK;
    text->size = 0;
    return st;
}

/* Chunks were put in front of each other; they are written from the oldest. */
static gei_trace_chunk *reversed(gei_trace_chunk *chunk) {
    gei_trace_chunk *first = NULL;
    while (chunk) {
        gei_trace_chunk *older = chunk->older;
        chunk->older = first;
        first = chunk;
        chunk = older;
    }
    return first;
}

ge_status gei_record_log_write(gei_record_log *log, const gei_allocator *from, ge_status (*write)(void *user, const char *text, size_t size),
                               void *user, gei_diag *diag) {
    gei_sink text;
    ge_status st = GE_OK;
    gei_sink_init(&text, from);
    log->chunks = reversed(log->chunks);
    gei_sink_format(&text, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"lost\":%llu},\"traceEvents\":[\n", (unsigned long long)log->n_lost);
    gei_sink_text(&text, "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"args\":{\"name\":\"libge\"}}");
    for (const gei_trace_chunk *c = log->chunks; c && st == GE_OK; c = c->older) {
        for (size_t i = 0; i < c->n && st == GE_OK; i++) {
            put_record(log, &text, &c->records[i]);
            if (text.failed || text.size >= WRITE_FROM_BYTES) st = flush(&text, write, user, diag);
        }
    }
    gei_sink_text(&text, "\n]}\n");
    if (st == GE_OK) st = flush(&text, write, user, diag);
    gei_sink_deinit(&text);
    return st;
}
