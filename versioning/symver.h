/* SPDX-License-Identifier: Apache-2.0 */
/* symver: several versions of one exported function, each with an implementation of its own in one source file.
 *
 *   GE_SYMVER_OLD(ge_thing_get_1_0, ge_thing_get, GE_1.0)      what clients linked against 1.0 keep
 *   GE_SYMVER_DEFAULT(ge_thing_get_1_2, ge_thing_get, GE_1.2)  what new ones get
 *
 * Written in front of the declaration of the implementation.  GCC has an attribute, which also holds with link-time optimisation;
 * clang ignores that attribute but takes the assembler form.  Only for a changed behaviour under the same signature: another
 * signature is another name, for whoever looks functions up by name always gets the default version. */
#ifndef GE_SYMVER_H
#define GE_SYMVER_H

#if defined(__clang__)
#define GE_SYMVER_TEXT(implementation, name, at, node) __asm__(".symver " #implementation ", " #name at #node);
#define GE_SYMVER_OLD(implementation, name, node) GE_SYMVER_TEXT(implementation, name, "@", node)
#define GE_SYMVER_DEFAULT(implementation, name, node) GE_SYMVER_TEXT(implementation, name, "@@", node)
#else
#define GE_SYMVER_OLD(implementation, name, node) __attribute__((symver(#name "@" #node)))
#define GE_SYMVER_DEFAULT(implementation, name, node) __attribute__((symver(#name "@@" #node)))
#endif

#endif
