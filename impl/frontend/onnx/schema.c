/* SPDX-License-Identifier: Apache-2.0 */
/* Which attributes the operators of ai.onnx have, so that a misspelt one is not passed over: its default would be used. */
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "frontend/onnx/reader.h"

typedef struct schema {
    const char *type, *attrs; /* of all versions, a blank between them; sorted by type */
} schema;

#include "frontend/onnx/schema_attrs.inc"

const int32_t gei_onnx_newest_opset = NEWEST_OPSET;

static int compare(const void *key, const void *item) {
    const gei_span *type = key;
    const char *name = ((const schema *)item)->type;
    int order = strncmp(type->data, name, type->size);
    return order ? order : name[type->size] ? -1 : 0;
}

static gei_span next_word(const char **at) {
    gei_span word = { *at, strcspn(*at, " ") };
    *at += word.size;
    if (**at) (*at)++;
    return word;
}

bool gei_onnx_knows_attr(gei_span type, gei_span attr, gei_span *out_nearest) {
    const schema *s = type.size ? bsearch(&type, schemas, GEI_COUNT(schemas), sizeof *schemas, compare) : NULL;
    size_t least = SIZE_MAX;
    *out_nearest = (gei_span){ NULL, 0 };
    if (!s || attr.size == 0 || (attr.size >= 2 && memcmp(attr.data, "__", 2) == 0)) return true; /* "__" is for tools' own use */
    for (const char *at = s->attrs; *at;) {
        gei_span word = next_word(&at);
        if (gei_span_equal(word, attr)) return true;
        size_t d = gei_edit_distance(attr.data, attr.size, word.data, word.size);
        if (d >= least || d > 2 + attr.size / 4) continue;
        least = d;
        *out_nearest = word;
    }
    return false;
}
