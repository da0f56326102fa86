/* SPDX-License-Identifier: Apache-2.0 */
/* text_reader: the words of the graph text (grammar: graph_text.h).  Every failure carries line and column.
 * What is read lives in `arena` until the whole text is done; tensors hold one reference until gei_reader_drop_tensors. */
#ifndef GEI_IR_TEXT_READER_H
#define GEI_IR_TEXT_READER_H

#include "ir/graph.h"

#define GEI_TEXT_MAX_ATTRS 4096 /* in one [...]: each is searched for among the others */

typedef struct gei_text_reader {
    const char *text;
    size_t size, at;
    gei_arena *arena;
    gei_graph *graph; /* whose symbols dims name */
    GEI_VEC(gei_tensor *) tensors;
    gei_diag *diag;
} gei_text_reader;

/* GE_ERR_MALFORMED "line 3, column 7: ..."; `at` is the offset of the fault. */
ge_status gei_reader_fail(gei_text_reader *r, size_t at, const char *format, ...) __attribute__((format(printf, 3, 4), cold));
/* Puts the place in front of the message of a failure from below; memory failures and GE_OK pass unchanged. */
ge_status gei_reader_place(gei_text_reader *r, size_t at, ge_status status);
ge_status gei_reader_wanted(gei_text_reader *r, const char *what); /* fails, telling what stands there instead */
void gei_reader_drop_tensors(gei_text_reader *r);

/* All skip white space and comments first. */
size_t gei_read_offset(gei_text_reader *r);               /* of the next word */
bool gei_read_is(gei_text_reader *r, const char *mark);   /* punctuation ahead; not consumed */
bool gei_read_mark(gei_text_reader *r, const char *mark); /* consumed when it is there */
bool gei_read_keyword(gei_text_reader *r, const char *word); /* a whole word, consumed when it is there */
bool gei_read_ahead_word(gei_text_reader *r, gei_text *out); /* the word ahead, not consumed and not zero-terminated */
ge_status gei_read_expect(gei_text_reader *r, const char *mark);
ge_status gei_read_string(gei_text_reader *r, gei_text *out);
ge_status gei_read_key(gei_text_reader *r, const char **out);  /* word or string */
ge_status gei_read_name(gei_text_reader *r, const char **out); /* name or string */
ge_status gei_read_count(gei_text_reader *r, int64_t most, int64_t *out);

/* ---- values (attr_parse.c) ---- */

typedef struct gei_text_desc {
    int32_t dtype, format;
    gei_shape shape;
    const char *name; /* NULL: none */
    gei_attrs attrs;  /* in the arena; tensors not retained */
} gei_text_desc;

/* `hint` is the kind the definition wants, GEI_ATTR_NONE when it has none.  The value's tensors are those of the reader. */
ge_status gei_read_attr(gei_text_reader *r, gei_attr_kind hint, gei_attr *out);
/* key = attr pairs up to the closing mark, the opening one being consumed; gives a GEI_ATTR_NAMED. */
ge_status gei_read_named(gei_text_reader *r, const char *closing, gei_attr *out);
ge_status gei_read_desc(gei_text_reader *r, gei_text_desc *out);

#endif
