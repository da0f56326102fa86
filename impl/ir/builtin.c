/* SPDX-License-Identifier: Apache-2.0 */
#include "ir/builtin.h"

#include <string.h>

/* Ports take any type here: Ascend IR lists those of its devices, the engine carries the others (strings, float8, uint4) too. */
static const gei_port_def any_x[] = { { .name = "x", .kind = GEI_PORT_REQUIRED } };
static const gei_port_def any_y[] = { { .name = "y", .kind = GEI_PORT_REQUIRED } };
static const gei_port_def many_x[] = { { .name = "x", .kind = GEI_PORT_DYNAMIC } };
static const gei_attr_def index_attr[] = { { .name = "index", .kind = GEI_ATTR_INT, .def = { .kind = GEI_ATTR_INT } } };
static const gei_attr_def value_attr[] = { { .name = "value", .kind = GEI_ATTR_TENSOR } };

#define DATA_LIKE(type) \
    { .name = (type), .family = "data_io", .inputs = any_x, .outputs = any_y, .attrs = index_attr, .n_inputs = 1, .n_outputs = 1, .n_attrs = 1 }
#define CONST_LIKE(type) \
    { .name = (type), .family = "data_io", .outputs = any_y, .attrs = value_attr, .n_outputs = 1, .n_attrs = 1 }

const gei_op_def gei_def_data = DATA_LIKE("Data");
const gei_op_def gei_def_ref_data = DATA_LIKE("RefData");
const gei_op_def gei_def_const = CONST_LIKE("Const");
const gei_op_def gei_def_constant = CONST_LIKE("Constant");
const gei_op_def gei_def_net_output = { .name = "NetOutput", .family = "data_io", .inputs = many_x, .n_inputs = 1 };

const gei_op_def *gei_builtin_find(const char *name, size_t name_size) {
    static const gei_op_def *const all[] = { &gei_def_data, &gei_def_ref_data, &gei_def_const, &gei_def_constant, &gei_def_net_output };
    for (size_t i = 0; i < GEI_COUNT(all); i++)
        if (strlen(all[i]->name) == name_size && memcmp(all[i]->name, name, name_size) == 0) return all[i];
    return NULL;
}
