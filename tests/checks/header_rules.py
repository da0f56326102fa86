# SPDX-License-Identifier: Apache-2.0
"""Checks the public headers against the written rules of their design: names, types, marks, comments, structs.

Rule numbers are those of the ABI guide: H header, S structs, T strings, B generators.

    python header_rules.py [FOLDER]     of the headers; abi/ of the repository unless given.  header_rules_selftest.py plants violations.
"""

import re
import sys
from pathlib import Path

from _header import Function, Header, read
from _repo import ROOT, report

FOLDER = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "abi"
HEADERS = ["ge_c_api.h", "planned.h"]

# H8: ge_<noun>_<verb>[_<detail>].
NOUNS = set("""allocator async_options binding boundary builder compile_options context device_kernel dtype error event format
 graph import_options launch mapping mapping_def memory model operation operator operator_def options pass pass_def pattern
 queue registration run_options session state stream tensor tensor_desc value""".split())
VERBS = set("""acquire add allocate begin build cancel check compile copy create declare decompose destroy dump end enqueue export
 find get import infer init load pop push query record register release remove replace report reset rewrite run set share sync
 take trim wait""".split())
NO_NOUN = {"ge_get_version", "ge_get_abi_version", "ge_get_build_info", "ge_has_feature", "ge_get_proc", "ge_check_header",
           "ge_status_name"}

# B3: words that are reserved in a language an SDK is made for, or that a generator renames.
RESERVED = set("""
 False None True and as assert async await break class continue def del elif else except finally for from global if import
 in is lambda nonlocal not or pass print raise return try while with yield exec self
 case chan const default defer fallthrough func go goto interface map package range select struct switch type var
 abstract become box crate do dyn enum extern final fn gen impl let loop macro match mod move mut override priv pub ref
 static super trait typeof unsafe unsized use virtual where
 boolean byte char double extends float implements instanceof int long native new null private protected public short
 strictfp synchronized this throw throws transient void volatile record sealed permits
 alignas alignof asm auto bool catch compl concept delete explicit export friend inline mutable namespace noexcept
 nullptr operator register reinterpret_cast requires signed sizeof template thread_local typedef typeid typename union
 unsigned using restrict cap len nil
""".split()) - {"record"}

BASIC = {"int32_t", "uint32_t", "int64_t", "uint64_t", "float", "double", "size_t", "uint8_t", "char"}
OWNERSHIP = ["owned", "shared", "borrowed", "copied", "kept until", "static"]
THREADS = {"free", "const", "exclusive"}

problems: list[str] = []


def say(header: Header, line: int, text: str) -> None:
    problems.append("%s:%d: %s" % (header.path.name, line, text))


class Names:
    """What all headers read so far define: planned.h uses the types of ge_c_api.h."""

    def __init__(self) -> None:
        self.scalars: set[str] = set()
        self.handles: set[str] = set()
        self.structs: set[str] = set()
        self.callbacks: set[str] = set()
        self.all: dict[str, str] = {}

    def add(self, header: Header) -> None:
        self.scalars |= {name for name, _, _ in header.typedefs}
        self.handles |= header.handles()
        self.structs |= header.struct_names()
        self.callbacks |= header.callback_names()
        for name, line in names_of(header):
            where = "%s:%d" % (header.path.name, line)
            if name in self.all and self.all[name].split(":")[0] != where.split(":")[0] and not name.startswith("GE_"):
                say(header, line, "%s is also declared at %s" % (name, self.all[name]))
            self.all.setdefault(name, where)


def names_of(header: Header) -> list[tuple[str, int]]:
    return ([(f.name, f.line) for f in header.functions + header.callbacks] + [(s.name, s.line) for s in header.structs] +
            [(name, line) for name, _, line in header.typedefs + header.opaque] +
            [(name, line) for name, _, line in header.constants])


def base(kind: str) -> str:
    return kind.replace("const", " ").replace("*", " ").strip()


def is_pointer(kind: str, known: Names) -> bool:
    return "*" in kind or kind in known.callbacks


def check_names(header: Header) -> None:
    guard = header.path.name.replace(".", "_").upper()
    guard = guard if guard.startswith("GE_") else "GE_" + guard
    if "#ifndef %s\n#define %s\n" % (guard, guard) not in header.text:
        say(header, 1, "H7: include guard is not %s" % guard)
    for name, line in header.includes:
        if name not in ("<stdint.h>", "<stddef.h>", '"ge_c_api.h"'):
            say(header, line, "H1: includes %s" % name)
    for name, line in names_of(header):
        if name.startswith("enum "):
            say(header, line, "H4: named %s" % name)
        elif not name.startswith(("ge_", "GE_")):
            say(header, line, "H7: %s lacks the prefix" % name)
    for name, _, line in header.macros:
        if not name.startswith("GE_"):
            say(header, line, "H7: macro %s lacks the prefix" % name)
        if "(" in name:
            say(header, line, "H12: function-like macro %s" % name)
    for name, value, line in header.constants:
        if re.search(r"_(MAX|COUNT|LAST)$", name):
            say(header, line, "H6: constant %s changes its value with additions" % name)
        if not re.fullmatch(r"-?\d+|0x[0-9A-F]+", value):
            say(header, line, "H4: constant %s has no explicit number" % name)
        elif not -(1 << 31) <= int(value, 0) < 1 << 31:
            say(header, line, "H4: constant %s does not fit int" % name)
    for word in ("inline", "_Bool", "bool", "wchar_t", "long", "unsigned", "va_list", "union", "time_t", "FILE"):
        for found in re.finditer(r"\b%s\b" % word, re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m.group()),
                                                          header.text, flags=re.S)):
            say(header, header.text.count("\n", 0, found.start()) + 1, "H3: %s in code" % word)


def check_constants_once(headers: list[Header]) -> None:
    """H5: in one family (GE_<FAMILY>_), over all headers, no value twice."""
    taken: dict[tuple[str, int], str] = {}
    for header in headers:
        for name, value, line in header.constants:
            family = "_".join(name.split("_")[:2])
            if name.startswith("enum ") or not re.fullmatch(r"-?\d+|0x[0-9A-F]+", value):
                continue
            other = taken.setdefault((family, int(value, 0)), name)
            if other != name:
                say(header, line, "H5: %s and %s are both %s" % (other, name, value))


def check_type(header: Header, where: str, line: int, kind: str, known: Names, user_data: bool) -> None:
    name = base(kind)
    if name == "void":
        if not user_data:
            say(header, line, "H3: %s: void* that is no user_data" % where)
    elif name not in BASIC | known.scalars | known.handles | known.structs | known.callbacks | {"ge_proc"}:
        say(header, line, "H3: %s: type %s does not cross the boundary" % (where, kind))
    elif name in known.handles | known.structs and "*" not in kind:
        say(header, line, "H3: %s: %s by value" % (where, kind))


def check_grammar(header: Header, f: Function) -> None:
    if f.name in NO_NOUN:
        return
    words = f.name.split("_")[1:]
    nouns = [k for k in range(1, len(words)) if "_".join(words[:k]) in NOUNS]
    if not any(words[k] in VERBS for k in nouns):
        say(header, f.line, "H8: %s is not ge_<noun>_<verb>; nouns and verbs are listed in this check" % f.name)


def doc_fields(comment: str) -> tuple[str, dict[str, str], dict[str, str], list[str]]:
    """Purpose, documented parameters, other fields, order of parameters."""
    body = re.sub(r"^[ \t]*\*", "", comment.strip()[3:-2], flags=re.M)
    parts = re.split(r"@(param|return|thread|blocks|calls_back|errors|since|deprecated)\b", body)
    params: dict[str, str] = {}
    order: list[str] = []
    fields: dict[str, str] = {}
    for key, value in zip(parts[1::2], parts[2::2]):
        value = " ".join(value.split())
        if key == "param":
            name, _, rest = value.partition(" ")
            params[name] = rest
            order.append(name)
        else:
            fields[key] = value
    return parts[0].strip(), params, fields, order


def check_comment(header: Header, f: Function, known: Names) -> None:
    if not f.comment.startswith("/**"):
        say(header, f.line, "H14: %s has no comment block" % f.name)
        return
    purpose, params, fields, order = doc_fields(f.comment)
    if not purpose:
        say(header, f.line, "H14: %s has no purpose" % f.name)
    if order != [p.name for p in f.params]:
        say(header, f.line, "H14: %s documents %s, declares %s" % (f.name, order, [p.name for p in f.params]))
    for key in ("thread", "blocks", "calls_back", "errors", "since", "deprecated"):
        if not fields.get(key):
            say(header, f.line, "H14: %s lacks @%s" % (f.name, key))
    if f.returns not in ("ge_status", "void") and "return" not in fields:
        say(header, f.line, "H14: %s lacks @return" % f.name)
    if "*" in f.returns and not any(w in fields.get("return", "") for w in OWNERSHIP):
        say(header, f.line, "H14: %s: no ownership word for what it returns" % f.name)
    thread = fields.get("thread", "").split(" ")[0].rstrip(",.:;")
    if thread not in THREADS:
        say(header, f.line, "R1: %s: thread rule '%s'" % (f.name, thread))
    if not re.fullmatch(r"\d+\.\d+", fields.get("since", "")):
        say(header, f.line, "H14: %s: since '%s'" % (f.name, fields.get("since")))
    for p in f.params:
        text = params.get(p.name)
        if text is None:
            continue
        head = text.partition(":")[0]
        direction = head.split(",")[0].split(" ")[0].strip()
        if direction not in ("in", "out"):
            say(header, f.line, "H14: %s: %s has no direction" % (f.name, p.name))
        words = [w for w in OWNERSHIP if re.search(r"\b%s\b" % w, head)]
        if is_pointer(p.kind, known):
            if len(words) != 1:
                say(header, f.line, "section 5: %s: %s has ownership words %s, wants one" % (f.name, p.name, words))
            if ("nullable" in head) != (p.marks[-1:] == ["GE_NULLABLE"]):
                say(header, f.line, "H10: %s: %s: comment and mark differ on nullable" % (f.name, p.name))
        elif words or "nullable" in head:
            say(header, f.line, "section 5: %s: %s is no pointer" % (f.name, p.name))
        if direction == "out" and "*" not in p.kind:
            say(header, f.line, "H14: %s: out %s is no pointer" % (f.name, p.name))
        if direction == "in" and p.kind.endswith("*") and not p.kind.startswith("const") and \
                base(p.kind) not in known.handles and base(p.kind) != "void" and not f.callback:
            say(header, f.line, "H9: %s: in %s is not const" % (f.name, p.name))
        if direction == "in" and re.fullmatch(r"const \w+\*", p.kind) and base(p.kind) in known.handles and \
                ("exclusive" == thread and re.search(r": (changed|done|ends here)\b", text)):
            say(header, f.line, "H9: %s: %s is changed but const" % (f.name, p.name))


def check_function(header: Header, f: Function, known: Names) -> None:
    if f.name == "ge_proc":
        return
    if len(f.params) > 6:
        say(header, f.line, "H13: %s has %d parameters" % (f.name, len(f.params)))
    if "..." in "".join(p.text for p in f.params):
        say(header, f.line, "H12: %s is variadic" % f.name)
    if f.returns != "void":
        check_type(header, f.name, f.line, f.returns, known, user_data=False)
    if not f.callback:
        check_grammar(header, f)
        if "GE_NOEXCEPT" not in f.tail:
            say(header, f.line, "H11: %s lacks GE_NOEXCEPT" % f.name)
        ends = re.search(r"_(destroy|release)$", f.name)  # cleanup cannot fail in a way the caller must handle (E9)
        if (f.returns == "ge_status" and not ends) != ("GE_NODISCARD" in f.head):
            say(header, f.line, "H11: %s: GE_NODISCARD is wrong" % f.name)
    out_seen = ""
    for k, p in enumerate(f.params):
        follow = f.params[k + 1].name if k + 1 < len(f.params) else ""
        if not p.name:
            say(header, f.line, "H14: %s has a parameter without name: %s" % (f.name, p.text))
            continue
        if p.name in RESERVED:
            say(header, f.line, "B3: %s: parameter name %s" % (f.name, p.name))
        check_type(header, "%s: %s" % (f.name, p.name), f.line, p.kind, known, p.name.endswith("user_data"))
        if is_pointer(p.kind, known) and not p.marks:
            say(header, f.line, "H10: %s: %s has no nullability mark" % (f.name, p.name))
        if p.name.startswith("out_"):
            out_seen = p.name
        elif out_seen and not re.search(r"_(size|count)$", p.name):
            say(header, f.line, "T6: %s: %s behind %s" % (f.name, p.name, out_seen))
        check_pair(header, f, p.name, p.kind, follow, known)
    check_comment(header, f, known)


def check_pair(header: Header, f: Function, name: str, kind: str, follow: str, known: Names) -> None:
    """B4, T2, T3: arrays and buffers are followed by their count or size."""
    if "*" not in kind or name.endswith("user_data"):
        return
    what = base(kind)
    if name.startswith("out_"):
        if what in known.structs and kind.count("*") == 1 and follow != name + "_size":
            say(header, f.line, "S4: %s: %s is not followed by %s_size" % (f.name, name, name))
        return
    if kind.count("*") == 2:
        wanted = name + "_count"
    elif what in ("char", "uint8_t"):
        wanted = name + "_size"
    elif what in known.handles or (what in known.structs and (kind.startswith("const") or follow != name + "_count")):
        if f.name.endswith("_init") and follow != name + "_size":
            say(header, f.line, "S8: %s: %s is not followed by %s_size" % (f.name, name, name))
        return
    else:
        wanted = name + "_count"
    if follow != wanted:
        say(header, f.line, "B4: %s: %s is not followed by %s" % (f.name, name, wanted))


def check_struct(header: Header, s, known: Names, inputs: set[str], init_macros: set[str], functions: set[str]) -> None:
    if s.tag != s.name:
        say(header, s.line, "H7: struct %s has tag %s" % (s.name, s.tag))
    if not s.comment:
        say(header, s.line, "H14: struct %s has no comment" % s.name)
    heads = [(p.kind, p.name) for p in s.fields[:2]]
    if heads != [("uint32_t", "struct_size"), ("uint32_t", "reserved_flags")]:
        say(header, s.line, "S1: struct %s does not start with struct_size and reserved_flags" % s.name)
    for p, line in zip(s.fields, s.lines):
        where = "%s.%s" % (s.name, p.name)
        if p.name in RESERVED:
            say(header, line, "B3: field name %s" % where)
        if "[" in p.text or ":" in p.text:
            say(header, line, "H3: %s is an array or bit-field" % where)
        if p.kind == "size_t":
            say(header, line, "T4: %s: size_t in a struct, use uint64_t" % where)
        check_type(header, where, line, p.kind, known, p.name.endswith("user_data"))
        if is_pointer(p.kind, known) and not p.marks:
            say(header, line, "H10: %s has no nullability mark" % where)
    if s.name in inputs:
        if s.name.upper() + "_INIT" not in init_macros:
            say(header, s.line, "S8: no macro %s_INIT" % s.name.upper())
        if s.name + "_init" not in functions:
            say(header, s.line, "S8: no function %s_init" % s.name)


def main() -> None:
    known, headers = Names(), []
    for path in HEADERS:
        if not (FOLDER / path).exists():
            problems.append("%s: missing" % path)
            continue
        headers.append(read(FOLDER / path))
        known.add(headers[-1])
    functions = {f.name for h in headers for f in h.functions}
    macros = {name for h in headers for name, _, _ in h.macros}
    inputs = {base(p.kind) for h in headers for f in h.functions for p in f.params
              if p.kind.startswith("const") and base(p.kind) in known.structs}
    for header in headers:
        check_names(header)
        for f in header.functions + header.callbacks:
            check_function(header, f, known)
        for s in header.structs:
            check_struct(header, s, known, inputs, macros, functions)
    check_constants_once(headers)
    report(problems, "header rules: %d functions, %d callbacks, %d structs, %d constants keep them" % (
        sum(len(h.functions) for h in headers), sum(len(h.callbacks) for h in headers),
        sum(len(h.structs) for h in headers), sum(len(h.constants) for h in headers)))


main()
