/* SPDX-License-Identifier: Apache-2.0 */
/* graph_text: the graph as text, for tests, dumps and bug reports.  gei_graph_print and gei_graph_parse (graph.h) are the two
 * ends; the pieces here are shared with other printers.
 *
 * A text is the root graph and behind it its subgraphs, each in its own block.  Nodes are printed producers first (the order of
 * gei_graph_order; by index when there is a cycle) and may be read in any order: that becomes the order of indices.  White space separates and means nothing else;
 * `//` starts a comment up to the end of the line.  What stands in quotes below is literal, { } repeats, [ ] may be left out.
 *
 *   text      = graph { graph }
 *   graph     = "graph" string [ "[" items "]" ] [ "metadata" named ] "{" { node } [ return ] { node } "}"
 *   node      = "%" name { "," result } "=" word [ "<" count { "," count } ">" ]
 *               [ "(" inputs ")" ] clauses [ ":" type { "," type } ] [ "from" string ]
 *   return    = "return" ( "()" | value [ "as" string ] { "," value [ "as" string ] } ) clauses [ "named" "%" name ] [ "from" string ]
 *   clauses   = [ "[" items "]" ] [ "after" "(" value { "," value } ")" ] [ "in" "(" count ":" type { "," count ":" type } ")" ]
 *   result    = "%" name [ ":" count ]          the k-th further output: name of the node and k, or any name of its own
 *   value     = "_" | "%" name [ ":" count ]    a node and which of its outputs (0 when left out); "_" is an empty slot
 *   inputs    = [ word "=" ports { "," word "=" ports } ]
 *   ports     = value | "[" [ value { "," value } ] "]"                       the list is for dynamic ports
 *   items     = [ item { "," item } ]
 *   item      = key "=" attr | key "=" "@" name                               the second attaches a subgraph
 *   type      = dtype [ "[" dims "]" ] [ "@" count ] [ string ] [ named ]     format number, tensor name, attributes
 *   dtype     = word | "dtype(" int ")" | "?"                                 no dims: rank unknown; [] is a scalar
 *   dims      = [ dim { "," dim } ]     dim = count | "?" | key               a key is a symbol
 *   attr      = int | float | "true" | "false" | string | dtype | tensor | "null" | "none" | "#" hex | named | list
 *   list      = "[" [ attr { "," attr } ] "]"     one kind in a list; an empty one is ints, or says what it is:
 *               "floats[]" "bools[]" "strings[]" "dtypes[]" "tensors[]" "lists[]" "float_lists[]" "bytes[]"
 *   named     = "{" [ key "=" attr { "," key "=" attr } ] "}"
 *   tensor    = dtype "[" dims "]" [ "@" count ] ( "{" { number | string } "}" | "#" hex )    hex: the bytes as they are in memory
 *   key       = word | string
 *   name      = a run of letters, digits and _ . / -, or a string
 *   word      = letter or _, then letters, digits, _ and .
 *   string    = '"' text '"' with \" \\ \n \t and \u00XX (the byte XX) or \uXXXX (that character in UTF-8)
 *
 * A float attribute has a point, an exponent or is nan, inf; nan with other bits than the usual ones is "nan(7fa00000)".
 * An int (or empty list) is taken for a float, bool or dtype where the operator's definition says so.
 * Output counts "<...>" are needed only when the results do not tell them: several dynamic outputs, or none at all.
 * Printed `brief`, payloads of more than GEI_TEXT_INLINE_ELEMS elements are "{...}" and `from` is left out; brief text with a
 * payload left out cannot be read back. */
#ifndef GEI_IR_GRAPH_TEXT_H
#define GEI_IR_GRAPH_TEXT_H

#include "ir/graph.h"

#define GEI_TEXT_INLINE_ELEMS 16

void gei_text_name(gei_sink *to, const char *name); /* bare where the grammar lets it, else quoted */
void gei_text_key(gei_sink *to, const char *key);
void gei_text_dims(gei_sink *to, int32_t rank, const gei_dim *dims, const gei_symbols *symbols); /* "[2,?,n]", "" without a rank */
void gei_text_attr(gei_sink *to, const gei_attr *value, bool brief);
void gei_text_tensor(gei_sink *to, const gei_tensor *t, bool brief);

#endif
