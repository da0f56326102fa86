# SPDX-License-Identifier: Apache-2.0
"""Writes the test of the usual errors: every public function x every bad value of every parameter, read from the header.

    python tests/abi/usual_gen.py OUT.c     tests/CMakeLists.txt does
    python tests/abi/usual_gen.py --list    lines `function error argument`; tests/checks/coverage.py reads them

Each case calls one function with sound arguments from usual_scene.h but for one, and prefilled outputs.  Wanted: the status the
header promises, a whole record that names the argument, outputs zeroed, lists left alone, nothing left behind.

A new function needs nothing here unless it brings a new type: then usual_scene.h wants a sound value of that type, and this
file says so by name.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/checks"))
from _header import Function, Param, read  # noqa: E402

HEADER, SCENE = ROOT / "abi/ge_c_api.h", ROOT / "tests/abi/usual_scene.h"

# Sound values of integer parameters, where 0 is none; by name, else by type.
NUMBERS = {"direction": "GE_DIRECTION_IN", "is_vector": "1", "values_count": "1", "header_abi": "GE_HEADER_ABI",
           "header_major": "GE_HEADER_MAJOR", "pointer_size": "(uint32_t)sizeof(void *)"}
IDS = {"node": "s->node", "source": "s->node", "target": "s->node", "port": "s->port", "value": "s->x", "replacement": "s->x",
       "attr": "s->attr", "subgraph": "1", "owner": "s->node"}
TEXTS = {"key": "ge.threads", "value": "1", "op_type": "Relu", "name": "r", "path": "/nowhere", "output": "y"}
CONSTANTS = {"ge_attr_kind": "GE_ATTR_INT", "ge_dump_format": "GE_DUMP_IR", "ge_file_format": "GE_FILE_ONNX", "ge_order": "GE_ORDER_CREATION",
             "ge_direction": "GE_DIRECTION_IN", "ge_backend": "GE_BACKEND_ANY", "ge_dtype": "GE_DTYPE_INT64"}

# What a parameter's other type than the usual means: status of a value outside the constants.
UNKNOWN = {"ge_dtype": "GE_ERR_DTYPE"}

# Functions without a status, or whose status is no failure of theirs.
EXEMPT = {"ge_error_get_status", "ge_error_set_in_callback", "ge_check_header"}


def handles_of_scene() -> dict[str, str]:
    """Field of the scene by handle type."""
    return dict(re.findall(r"^\s+(ge_\w+) \*(\w+);", SCENE.read_text(), re.M))


def bare(kind: str) -> str:
    return kind.replace("const", " ").replace("*", " ").strip()


class Writer:
    def __init__(self) -> None:
        self.header = read(HEADER)
        self.structs = self.header.struct_names()
        self.handles = self.header.handles()
        self.ids = {name for name, base, _ in self.header.typedefs if base == "uint64_t" and name.endswith("_id")}
        self.enums = {name for name, base, _ in self.header.typedefs if base == "int32_t"} - {"ge_status"}
        self.scene = handles_of_scene()
        self.cases: list[tuple[str, str, str, str]] = []  # function, argument, what, status
        self.code: list[str] = []

    def directions(self, f: Function) -> dict[str, str]:
        """in or out, by parameter, as the comment says."""
        return {m.group(1): m.group(2) for m in re.finditer(r"@param\s+(\w+)\s+(in|out)\b", f.comment)}

    def handle(self, f: Function, kind: str) -> str:
        base = bare(kind)
        if base not in self.scene:
            sys.exit("usual_gen: %s takes a %s, and tests/abi/usual_scene.h has none: add a field '%s *...;', make it in scene_open, end it in "
                     "scene_close" % (f.name, base, base))
        return "s->" + self.scene[base]

    def arguments(self, f: Function) -> tuple[list[str], list[str], list[str]]:
        """Declarations, arguments and what is checked after the failure."""
        out_by = self.directions(f)
        lists = any(p.name == "out_count" for p in f.params)
        lines, args, after = [], [], []
        sizes: dict[str, str] = {}
        for p in f.params:
            base, stars = bare(p.kind), p.kind.count("*")
            name, out = p.name, out_by.get(p.name) == "out"
            if p.name in sizes:
                args.append(sizes[p.name])
            elif out and stars and not p.name.startswith("out_") and p.name not in ("options", "desc", "memory") and not self.is_init(f):
                element = p.kind[:-1]
                lines.append("    %s %s[4];\n    fill(%s, sizeof %s);" % (element, name, name, name))
                sizes[name + "_count"] = sizes[name + "_size"] = "4"
                args.append(name)
                if base == "char" and stars == 1:
                    after.append("want_text(%s);" % name)
                elif base in self.structs or (lists and base not in self.handles):
                    after.append("want_kept(%s, sizeof %s);" % (name, name))
                else:
                    after.append("want_zero(%s, sizeof %s);" % (name, name))
                if base in self.structs:
                    sizes[name.rstrip("s") + "_size"] = "sizeof *%s" % name
            elif out and stars:
                lines.append("    %s %s;\n    fill(&%s, sizeof %s);" % (p.kind[:-1], name, name, name))
                args.append("&" + name)
                after.append("want_no_descriptor(&%s);" % name if name == "out_descriptor" else "want_zero(&%s, sizeof %s);" % (name, name))
                sizes[name + "_size"] = "sizeof " + name if base in self.structs else sizes.get(name + "_size", "")
                if not sizes[name + "_size"]:
                    del sizes[name + "_size"]
            elif base in self.structs:
                lines.append("    %s %s = sound_%s();" % (base, name, base))
                args.append("&" + name)
            elif base in self.handles and stars == 1:
                args.append(self.handle(f, p.kind))
            elif base in self.handles:
                lines.append("    const %s *%s[] = { %s };" % (base, name, self.handle(f, p.kind)))
                sizes[name + "_count"] = "1"
                args.append(name)
            elif stars and base == "char" and stars == 1:
                args.append('"%s"' % TEXTS.get(name, "text"))
                sizes[name + "_size"] = "GE_NTS"
            elif stars and base == "char":
                lines.append('    const char *%s[] = { "text" };' % name)
                sizes[name + "_count"] = "1"
                args.append(name)
            elif base == "void":
                args.append("NULL")
            elif stars:
                value = IDS.get(name.rstrip("s"), "s->x") if base in self.ids else "0"
                lines.append("    const %s %s[4] = { %s };" % (base, name, value))
                sizes[name + "_count"] = "1"
                sizes[name + "_size"] = "sizeof " + name
                args.append(name)
            elif base in self.header.callback_names():
                args.append("on_%s" % base[3:-3] if base == "ge_write_fn" else "NULL")
            elif base in self.ids:
                args.append("s->float_attr" if name == "attr" and f.name.endswith("_floats") else IDS.get(name) or sys.exit("usual_gen: %s: no sound id for parameter %s: add it to IDS" % (f.name, name)))
            elif base == "ge_attr_kind" and f.name.endswith("_text"):
                args.append("GE_ATTR_STRING")
            else:
                args.append(NUMBERS.get(name) or CONSTANTS.get(base, "0"))
        return lines, args, after

    def is_init(self, f: Function) -> bool:
        return f.name.endswith("_init")

    def case(self, f: Function, p: Param, what: str, status: str, setup: str = "", value: str | None = None, size: tuple[str, str] | None = None,
             argument: str | None = None) -> None:
        lines, args, after = self.arguments(f)
        index = f.params.index(p)
        if value is not None:
            # The outputs that are not passed are not checked.
            after = [a for a in after if not (value == "NULL" and re.search(r"[(&]%s\b" % p.name, a))]
            args[index] = value
        if size:
            for k, q in enumerate(f.params):
                if q.name == size[0]:
                    args[k] = size[1]
                    after = [a for a in after if p.name not in a]
            if size[1] == "7" and bare(p.kind) in self.structs:
                after += ["want_zero(&%s, 7);" % p.name, "want_kept((char *)&%s + 7, sizeof %s - 7);" % (p.name, p.name)]
        used = " ".join(args + after + [setup])
        lines = [line for line in lines if re.search(r"\b%s\b" % re.search(r"(\w+)(?:\[\d*\])?(?: =.*)?;", line, re.S).group(1), used)]
        n = len(self.cases)
        self.cases.append((f.name, argument or p.name, what, status))
        self.code.append("static ge_status case_%d(scene *s) {\n    (void)s;\n%s%s    ge_status status = %s(%s);\n%s    return status;\n}\n" % (
            n, "".join(line + "\n" for line in lines), "    %s\n" % setup if setup else "", f.name, ", ".join(args),
            "".join("    %s\n" % a for a in after)))

    def handle_cases(self, f: Function, p: Param) -> None:
        base = bare(p.kind)
        cast = "(%s *)" % base
        if p.marks[-1:] != ["GE_NULLABLE"]:
            self.case(f, p, "null handle", "GE_ERR_HANDLE_NULL", value="NULL")
        self.case(f, p, "foreign handle", "GE_ERR_HANDLE_FOREIGN", value=cast + "FOREIGN_HANDLE")
        self.case(f, p, "stale handle", "GE_ERR_HANDLE_STALE", value=cast + "s->stale")
        other = "s->other_kind" if base != "ge_options" else "s->graph"
        self.case(f, p, "handle of another kind", "GE_ERR_HANDLE_WRONG_KIND", value="%s(void *)%s" % (cast, other))

    def parameter(self, f: Function, p: Param, out: bool) -> None:
        base, stars = bare(p.kind), p.kind.count("*")
        nullable = p.marks[-1:] == ["GE_NULLABLE"]
        names = [q.name for q in f.params]
        if base in self.handles and stars == 1 and base not in ("ge_dlpack", "ge_dlpack_legacy"):
            self.handle_cases(f, p)
            return
        if stars or base in self.header.callback_names():
            if not nullable:
                self.case(f, p, "NULL", "GE_ERR_NULL_ARGUMENT", value="NULL")
            elif p.name + "_count" in names and not out:
                self.case(f, p, "NULL with a count", "GE_ERR_NULL_ARGUMENT", value="NULL", size=(p.name + "_count", "3"))
            elif p.name + "_count" in names or (base == "char" and p.name + "_size" in names and out):
                suffix = "_count" if p.name + "_count" in names else "_size"
                self.case(f, p, "NULL with a count", "GE_ERR_NULL_ARGUMENT", value="NULL", size=(p.name + suffix, "3"))
        if base == "char" and stars == 1 and not out and p.name != "path":
            self.case(f, p, "invalid UTF-8", "GE_ERR_INVALID_UTF8", value='"a\\xff"')
        if base in self.structs and not out:
            for what, status, change in (("struct_size 0", "GE_ERR_INVALID_STRUCT_SIZE", "struct_size = 0"),
                                         ("struct_size too large", "GE_ERR_INVALID_STRUCT_SIZE", "struct_size = 4097"),
                                         ("reserved_flags set", "GE_ERR_INVALID_FLAG", "reserved_flags = 1")):
                self.case(f, p, what, status, setup="%s.%s;" % (p.name, change))
        if base in self.structs and out and p.name + "_size" in names:
            self.case(f, p, "size 0", "GE_ERR_INVALID_STRUCT_SIZE", size=(p.name + "_size", "0"))
            self.case(f, p, "size 7", "GE_ERR_INVALID_STRUCT_SIZE", size=(p.name + "_size", "7"))
            self.case(f, p, "size too large", "GE_ERR_INVALID_STRUCT_SIZE", size=(p.name + "_size", "4097"))
        if not stars and base in self.ids:
            self.case(f, p, "id of nothing", "GE_ERR_BAD_ID", value="UINT64_C(0x1000)")
            self.case(f, p, "id of another graph", "GE_ERR_BAD_ID", value="s->foreign_id")
        if not stars and base in self.enums and base not in ("ge_format", "ge_log_level"):
            self.case(f, p, "unknown constant", UNKNOWN.get(base, "GE_ERR_INVALID_ARGUMENT"), value="7777")

    def all(self) -> None:
        for f in self.header.functions:
            if f.returns != "ge_status" or f.name in EXEMPT:
                continue
            out_by = self.directions(f)
            for p in f.params:
                self.parameter(f, p, out_by.get(p.name) == "out")

    def source(self) -> str:
        rows = ['    { "%s", "%s", "%s", %s, case_%d },\n' % (name, argument, what, status, n)
                for n, (name, argument, what, status) in enumerate(self.cases)]
        return "".join(['/* SPDX-License-Identifier: Apache-2.0 */\n/* Written by tests/abi/usual_gen.py from the header. */\n#include "abi/usual_scene.h"\n\n']
                       + self.code + ["\nconst usual_case usual_cases[] = {\n"] + rows
                       + ["};\nconst size_t usual_cases_count = %d;\n" % len(rows)])


def main() -> None:
    w = Writer()
    w.all()
    if sys.argv[1] == "--list":
        for name, argument, what, status in w.cases:
            print(name, status, argument, what.replace(" ", "_"))
        return
    Path(sys.argv[1]).write_text(w.source())


main()
