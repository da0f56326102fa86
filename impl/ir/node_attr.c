/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of nodes: what was set, else the default of the definition. */
#include <string.h>

#include "ir/graph.h"

const gei_attr_def *gei_def_attr(const gei_op_def *def, const char *name) {
    for (uint32_t i = 0; i < def->n_attrs; i++)
        if (strcmp(def->attrs[i].name, name) == 0) return &def->attrs[i];
    return NULL;
}

const gei_attr *gei_node_attr(const gei_node *node, const char *name) {
    const gei_attr *set = gei_attrs_find(&node->attrs, name);
    if (set) return set;
    const gei_attr_def *def = gei_def_attr(node->def, name);
    return def && def->def.kind != GEI_ATTR_NONE ? &def->def : NULL;
}

int64_t gei_node_int(const gei_node *node, const char *name, int64_t absent) {
    const gei_attr *a = gei_node_attr(node, name);
    if (!a) return absent;
    switch (a->kind) {
    case GEI_ATTR_INT: return a->v.i;
    case GEI_ATTR_BOOL: return a->v.b;
    case GEI_ATTR_DTYPE: return a->v.dtype;
    default: return absent;
    }
}

double gei_node_float(const gei_node *node, const char *name, double absent) {
    const gei_attr *a = gei_node_attr(node, name);
    if (!a) return absent;
    switch (a->kind) {
    case GEI_ATTR_FLOAT: return (double)a->v.f;
    case GEI_ATTR_INT: return (double)a->v.i;
    default: return absent;
    }
}

bool gei_node_bool(const gei_node *node, const char *name, bool absent) {
    const gei_attr *a = gei_node_attr(node, name);
    if (!a) return absent;
    switch (a->kind) {
    case GEI_ATTR_BOOL: return a->v.b;
    case GEI_ATTR_INT: return a->v.i != 0;
    default: return absent;
    }
}

const char *gei_node_text(const gei_node *node, const char *name, const char *absent) {
    const gei_attr *a = gei_node_attr(node, name);
    if (!a || a->kind != GEI_ATTR_STRING) return absent;
    return a->v.s.data ? a->v.s.data : "";
}

gei_int_list gei_node_ints(const gei_node *node, const char *name) {
    const gei_attr *a = gei_node_attr(node, name);
    if (a && a->kind == GEI_ATTR_INTS) return (gei_int_list){ a->v.ints, a->count };
    if (a && a->kind == GEI_ATTR_INT) return (gei_int_list){ &a->v.i, 1 };
    return (gei_int_list){ NULL, 0 };
}

ge_status gei_node_set(gei_node *node, const char *name, const gei_attr *value, gei_diag *diag) {
    const gei_attr_def *def = gei_def_attr(node->def, name);
    if (def && def->kind != value->kind) {
        gei_diag_node(diag, node->name);
        gei_diag_found(diag, "%s", gei_attr_kind_name(value->kind));
        gei_diag_wanted(diag, "%s", gei_attr_kind_name(def->kind));
        return gei_fail(diag, GE_ERR_BAD_ATTR, "%s '%s': attribute '%s' is of kind %s, wanted %s", node->def->name, node->name, name,
                        gei_attr_kind_name(value->kind), gei_attr_kind_name(def->kind));
    }
    return gei_attrs_set(&node->attrs, &node->graph->arena, name, value, diag);
}
