# SPDX-License-Identifier: Apache-2.0
"""Reads the public header once and writes what the raw layers of the SDKs need.

    python sdk/shimgen.py go-shim     OUT   C shims: the call and, when it fails, the error record, in one crossing
    python sdk/shimgen.py java-native OUT   the JNI functions and checks of every struct layout
    python sdk/shimgen.py java-raw    OUT   Raw.java: native methods, constants, struct layouts
    python sdk/shimgen.py python      OUT   SWIG directives: which pattern each parameter follows
    python sdk/shimgen.py rust        OUT   constants with the type of their typedef

The header keeps to a narrow form (no unions, no nested structs, one declaration per name), so this is no C parser.
Where it meets something it does not know it stops rather than guesses.
"""

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

HEADER = Path(__file__).resolve().parents[1] / "abi" / "ge_c_api.h"

SIZES = {"char": 1, "uint8_t": 1, "int32_t": 4, "uint32_t": 4, "float": 4,
         "int64_t": 8, "uint64_t": 8, "double": 8, "size_t": 8}


# ---- the model of a header -------------------------------------------------------------------------------------------

@dataclass
class Type:
    base: str             # "char", "ge_graph", "ge_status" ...
    pointers: int = 0
    is_const: bool = False  # of the innermost type
    text: str = ""        # as C

    @property
    def is_void(self) -> bool:
        return self.base == "void" and not self.pointers


@dataclass
class Param:
    name: str
    type: Type


@dataclass
class Function:
    name: str
    result: Type
    params: list[Param]


@dataclass
class Header:
    integers: dict[str, str] = field(default_factory=dict)      # typedef -> C integer type
    handles: list[str] = field(default_factory=list)
    callbacks: dict[str, Function] = field(default_factory=dict)
    structs: dict[str, list[Param]] = field(default_factory=dict)
    constants: list[tuple[str, int, str]] = field(default_factory=list)  # name, value, typedef
    functions: list[Function] = field(default_factory=list)

    def scalar(self, base: str) -> str | None:
        """The C integer or floating-point type behind `base`, or None."""
        base = self.integers.get(base, base)
        return base if base in SIZES else None


def fail(what: str) -> None:
    sys.exit("shimgen: " + what)


def strip(source: str) -> str:
    source = re.sub(r"/\*.*?\*/", " ", source, flags=re.S)
    source = source.replace("\\\n", " ")
    constants = re.findall(r"^[ \t]*#[ \t]*define[ \t]+(GE_HEADER_\w+)[ \t]+(\d+)[ \t]*$", source, re.M)
    source = re.sub(r"^[ \t]*#.*$", "", source, flags=re.M)
    source = re.sub(r'extern\s+"C"\s*\{', "", source)
    source = re.sub(r"\bGE_(API|NODISCARD|NONNULL|NULLABLE|NOEXCEPT)\b", " ", source)
    enum = "enum { %s };" % ", ".join("%s = %s" % c for c in constants)
    return enum + re.sub(r"\s+", " ", source)


def declarations(source: str) -> list[str]:
    """Top-level declarations, without their semicolons."""
    out, depth, start = [], 0, 0
    for i, c in enumerate(source):
        depth += (c == "{") - (c == "}")
        if c == ";" and depth == 0:
            out.append(source[start:i].strip())
            start = i + 1
    return [d for d in out if d]


def parse_type(text: str) -> Type:
    words = re.findall(r"\w+|\*", text)
    names = [w for w in words if w not in ("*", "const")]
    if len(names) != 1:
        fail("cannot read the type '%s'" % text)
    first_star = words.index("*") if "*" in words else len(words)
    return Type(names[0], words.count("*"), "const" in words[:first_star], " ".join(words))


def parse_param(text: str) -> Param:
    match = re.fullmatch(r"(.*?[\s*])(\w+)", text.strip())
    if not match:
        fail("cannot read the parameter '%s'" % text)
    return Param(match.group(2), parse_type(match.group(1)))


def parse_params(text: str) -> list[Param]:
    return [] if text.strip() in ("", "void") else [parse_param(p) for p in text.split(",")]


def parse(path: Path) -> Header:
    header, last_integer = Header(), "int32_t"
    for d in declarations(strip(path.read_text())):
        if m := re.fullmatch(r"enum \{(.*)\}", d):
            value = -1
            for item in (i.strip() for i in m.group(1).split(",") if i.strip()):
                name, _, number = (s.strip() for s in item.partition("="))
                value = int(number, 0) if number else fail("%s has no explicit value" % name)
                header.constants.append((name, value, last_integer))
        elif m := re.fullmatch(r"typedef struct (\w+) \{(.*)\} \1", d):
            header.structs[m.group(1)] = [parse_param(f) for f in m.group(2).split(";") if f.strip()]
        elif m := re.fullmatch(r"typedef struct (\w+) \1", d):
            header.handles.append(m.group(1))
        elif m := re.fullmatch(r"typedef (.*?) ?\( ?\* ?(\w+) ?\) ?\((.*)\)", d):
            header.callbacks[m.group(2)] = Function(m.group(2), parse_type(m.group(1)), parse_params(m.group(3)))
        elif m := re.fullmatch(r"typedef (\w+) (\w+)", d):
            last_integer = m.group(2)
            header.integers[m.group(2)] = m.group(1)
        elif m := re.fullmatch(r"(.*?[\s*])(ge_\w+) ?\((.*)\)", d):
            header.functions.append(Function(m.group(2), parse_type(m.group(1)), parse_params(m.group(3))))
        elif d != "}":
            fail("cannot read the declaration '%s'" % d[:80])
    return header


def layout(header: Header, struct: str) -> tuple[int, list[tuple[str, int]]]:
    """Size and field offsets under natural alignment; the C side asserts both."""
    offset, fields = 0, []
    for f in header.structs[struct]:
        scalar = header.scalar(f.type.base)
        size = 8 if f.type.pointers or f.type.base in header.callbacks else SIZES[scalar]
        offset = (offset + size - 1) // size * size
        fields.append((f.name, offset))
        offset += size
    return (offset + 7) // 8 * 8, fields


def banner(comment: str, what: str) -> str:
    lines = ["Generated by sdk/shimgen.py from abi/ge_c_api.h; do not edit.", "SPDX-License-Identifier: Apache-2.0", what]
    if comment == "/*":
        return "/* " + "\n * ".join(lines) + " */\n"
    return "".join("%s %s\n" % (comment, line) for line in lines)


TAKEN = """
/* The record of a failed call, taken on the thread that made it; NULL for success.  A failure without a record cannot
 * happen; if it did, the address of a byte that is no handle comes out, which every ge_error function refuses. */
static inline ge_error *ge_shim_taken(ge_status status) {
    static char no_record;
    ge_error *error = NULL;
    if (status == GE_OK) return NULL;
    ge_error_take(&error);
    return error ? error : (ge_error *)(void *)&no_record;
}
"""


def returns_status(f: Function) -> bool:
    """Whether its result is a status to turn into an error, not a value asked for."""
    return f.result.base == "ge_status" and f.name not in ("ge_error_get_status", "ge_error_set_in_callback")


# ---- Go ------------------------------------------------------------------------------------------------------------------

def go_shim(header: Header) -> str:
    out = [banner("/*", "For each function that returns a status: the call and its error record in one crossing."),
           "#ifndef GE_SHIM_H\n#define GE_SHIM_H\n\n#include <ge_c_api.h>\n", TAKEN]
    for f in header.functions:
        if returns_status(f):
            params = ", ".join("%s %s" % (p.type.text, p.name) for p in f.params) or "void"
            out.append("static inline ge_error *ge_shim_%s(%s) {\n    return ge_shim_taken(%s(%s));\n}\n"
                       % (f.name[3:], params, f.name, ", ".join(p.name for p in f.params)))
    out.append("\n#endif\n")
    return "".join(out)


# ---- Java ----------------------------------------------------------------------------------------------------------------

JAVA = {"char": "byte", "uint8_t": "byte", "int32_t": "int", "uint32_t": "int", "int64_t": "long", "uint64_t": "long",
        "size_t": "long", "float": "float", "double": "double"}


def java_type(header: Header, t: Type) -> str:
    if t.is_void:
        return "void"
    if t.pointers or t.base in header.callbacks:
        return "long"
    return JAVA[header.scalar(t.base) or fail("no Java type for " + t.text)]


def java_names(f: Function) -> list[str]:
    return [re.sub(r"_(\w)", lambda m: m.group(1).upper(), p.name) for p in f.params]


def java_constants(header: Header) -> list[tuple[str, str, str]]:
    rows = [("long" if t.endswith("_flags") else "int", name, str(value)) for name, value, t in header.constants]
    return rows + [("long", "GE_NTS", "-1L")]


def java_raw(header: Header) -> str:
    out = [banner("//", "Every function, constant and struct layout of the C ABI.  Pointers are addresses; a method whose C function\n"
                  "// returns a status gives 0 or the address of an error that the caller releases."),
           "package libge;\n\n", "final class Raw {\n    static {\n        NativeLibrary.load();\n    }\n\n", "    private Raw() {}\n\n"]
    for t, name, value in java_constants(header):
        out.append("    static final %s %s = %s;\n" % (t, name, value))
    for struct in header.structs:
        size, fields = layout(header, struct)
        prefix = struct[3:].upper()
        out.append("\n    static final int %s_SIZE = %d;\n" % (prefix, size))
        out += ["    static final int %s_%s = %d;\n" % (prefix, n.upper(), o) for n, o in fields]
    for f in header.functions:
        if f.name == "ge_get_proc":
            continue
        result = "long" if returns_status(f) else java_type(header, f.result)
        params = ", ".join("%s %s" % (java_type(header, p.type), n) for p, n in zip(f.params, java_names(f)))
        out.append("\n    static native %s %s(%s);\n" % (result, f.name, params))
    out.append("}\n")
    return "".join(out)


def java_native(header: Header) -> str:
    out = [banner("/*", "JNI side of Raw.java."),
           "#include <jni.h>\n\n#include <ge_c_api.h>\n\n"]
    for struct in header.structs:
        size, fields = layout(header, struct)
        out.append("_Static_assert(sizeof(%s) == %d, \"layout\");\n" % (struct, size))
        out += ["_Static_assert(offsetof(%s, %s) == %d, \"layout\");\n" % (struct, n, o) for n, o in fields]
    out.append(TAKEN)
    for f in header.functions:
        if f.name == "ge_get_proc":
            continue
        args = []
        for p in f.params:
            if p.type.pointers:
                args.append("(%s)(intptr_t)%s" % (p.type.text, p.name))
            elif p.type.base in header.callbacks:
                args.append("(%s)(intptr_t)%s" % (p.type.base, p.name))
            else:
                args.append("(%s)%s" % (p.type.text, p.name))
        call = "%s(%s)" % (f.name, ", ".join(args))
        if returns_status(f):
            result, body = "jlong", "return (jlong)(intptr_t)ge_shim_taken(%s);" % call
        elif f.result.is_void:
            result, body = "void", call + ";"
        elif f.result.pointers:
            result, body = "jlong", "return (jlong)(intptr_t)%s;" % call
        else:
            result = "j" + java_type(header, f.result)
            body = "return (%s)%s;" % (result, call)
        params = "".join(", j%s %s" % (java_type(header, p.type), p.name) for p in f.params)
        out.append("\nJNIEXPORT %s JNICALL Java_libge_Raw_%s(JNIEnv *env, jclass self%s) {\n    (void)env, (void)self;\n    %s\n}\n"
                   % (result, f.name.replace("_", "_1"), params, body))
    return "".join(out)


# ---- Rust ----------------------------------------------------------------------------------------------------------------

def rust(header: Header) -> str:
    out = [banner("//", "Constants with the type of their typedef; bindgen alone would make them unsigned."), "use crate::*;\n\n"]
    for name, value, typedef in header.constants:
        t = "u32" if name.startswith("GE_HEADER_") else typedef
        out.append("pub const %s: %s = %d;\n" % (name, t, value))
    out.append("pub const GE_NTS: usize = usize::MAX;\n")
    return "".join(out)


# ---- Python --------------------------------------------------------------------------------------------------------------

# Arrays inside structs: field -> the field that counts them.
ARRAYS = {"dims": "rank", "strides": "rank", "dim_names": "rank", "origin_dims": "origin_rank"}
ITEM_FORMAT = {"int64_t": "q", "uint64_t": "Q", "int32_t": "i", "uint32_t": "I", "float": "f", "double": "d"}


def python_to_dict(header: Header, struct: str) -> str:
    """C function that turns a struct into a dict."""
    out = ["static PyObject *dict_of_%s(const %s *s) {\n    PyObject *dict = PyDict_New();\n    int ok = dict != NULL;\n" % (struct, struct)]
    for f in header.structs[struct]:
        if f.name in ("struct_size", "reserved_flags") or f.name.startswith("reserved_"):
            continue
        t, scalar = f.type, header.scalar(f.type.base)
        if f.name in ARRAYS and t.pointers:
            count = "s->%s" % ARRAYS[f.name]
            value = ("dims_object(s->%s, %s)" if t.pointers == 1 else "names_object(s->%s, %s)") % (f.name, count)
        elif t.pointers == 1 and t.base == "char":
            value = "text_object(s->%s)" % f.name
        elif not t.pointers and scalar:
            value = "PyLong_FromLongLong(s->%s)" % f.name if not scalar.startswith("u") else "PyLong_FromUnsignedLongLong(s->%s)" % f.name
        else:
            continue  # callbacks and handles: only in structs the caller fills
        out.append("    ok = ok && put(dict, \"%s\", %s);\n" % (f.name, value))
    out.append("    if (!ok) Py_CLEAR(dict);\n    return dict;\n}\n\n")
    return "".join(out)


def python_from_dict(header: Header, struct: str) -> str:
    """C function that fills a struct from a dict; the dict keeps alive what the struct points to.  Callbacks stay NULL."""
    out = ["static int %s_from_dict(PyObject *dict, %s *s) {\n    int ok = %s_init(s, sizeof *s) == GE_OK;\n" % (struct, struct, struct)]
    for f in header.structs[struct]:
        if f.name in ("struct_size", "reserved_flags") or f.name.startswith("reserved_"):
            continue
        t, scalar = f.type, header.scalar(f.type.base)
        if t.base in header.callbacks or t.base == "void":
            continue
        if f.name in ARRAYS and t.pointers == 1:
            call = "take_dims(dict, \"%s\", &s->%s, &s->%s)" % (f.name, f.name, ARRAYS[f.name])
        elif f.name in ARRAYS:
            continue
        elif t.pointers == 1 and t.base == "char":
            call = "take_text(dict, \"%s\", &s->%s, &s->%s_size)" % (f.name, f.name, f.name)
        elif t.pointers == 1 and t.base in header.handles:
            call = "take_handle(dict, \"%s\", (void **)&s->%s, SWIGTYPE_p_%s)" % (f.name, f.name, t.base)
        elif not t.pointers and scalar == "int32_t":
            call = "take_int32(dict, \"%s\", &s->%s)" % (f.name, f.name)
        elif not t.pointers and scalar == "int64_t":
            call = "take_int64(dict, \"%s\", &s->%s)" % (f.name, f.name)
        elif not t.pointers and scalar == "uint64_t" and not f.name.endswith("_size"):
            call = "take_uint64(dict, \"%s\", &s->%s)" % (f.name, f.name)
        elif f.name.endswith("_size"):
            continue  # goes with its text
        else:
            fail("no Python form for field %s of %s" % (f.name, struct))
        out.append("    ok = ok && %s;\n" % call)
    out.append("    return ok;\n}\n\n")
    return "".join(out)


# Structs that ge.i fills itself: they carry caller memory and callbacks.
PYTHON_BY_HAND = ["ge_memory"]


def python(header: Header) -> str:
    out = [banner("//", "Which typemap of ge.i each parameter follows."), "%{\n"]
    callbacks = header.callbacks
    used = {(p.type.base, p.type.is_const) for f in header.functions for p in f.params
            if p.type.base in header.structs and not f.name.endswith("_init")}
    outs = [s for s in header.structs if (s, False) in used]
    ins = [s for s in header.structs if (s, True) in used and s not in PYTHON_BY_HAND]
    out += [python_to_dict(header, s) for s in outs] + [python_from_dict(header, s) for s in ins]
    out.append("%}\n\n")
    out += ["%%ignore %s;\n" % s for s in header.structs]
    out += ["OUT_STRUCT(%s)\n" % s for s in outs] + ["IN_STRUCT(%s)\n" % s for s in ins]
    for h in header.handles:
        out.append("HANDLE(%s)\n" % h)
    seen, ignored = set(), ["ge_get_proc", "ge_error_take", "ge_error_set_in_callback"]

    def apply(pattern: str, text: str) -> None:
        if text not in seen:
            seen.add(text)
            out.append("%%apply (%s) { (%s) };\n" % (pattern, text))

    for f in header.functions:
        if (f.name.endswith("_init") or any(p.type.base in callbacks for p in f.params)
                or any(p.type.base in PYTHON_BY_HAND for p in f.params)):
            ignored.append(f.name)
            continue
        params = f.params
        for i, p in enumerate(params):
            following = [q.name for q in params[i + 1:i + 3]]
            declared = lambda n: ", ".join("%s %s" % (q.type.text, q.name) for q in params[i:i + n])
            if p.type.pointers and following[:1] in ([p.name + "_size"], [p.name + "_count"]):
                kind = p.type.base
                if kind in header.structs:
                    if p.name.startswith("out_"):
                        apply("%s *STRUCT_OUT, size_t STRUCT_OUT_SIZE" % kind, declared(2))
                    elif len(following) > 1 and following[1].endswith("_size"):
                        apply("%s *STRUCTS_OUT, size_t STRUCTS_OUT_COUNT, size_t STRUCT_SIZE" % kind, declared(3))
                elif kind in header.handles and p.type.pointers == 2:
                    apply("const %s *const *HANDLES, size_t HANDLES_COUNT" % kind if p.type.is_const else
                          "%s **HANDLES_OUT, size_t HANDLES_OUT_COUNT" % kind, declared(2))
                elif p.name.startswith("out_") and p.type.pointers == 2:
                    # Bytes come out as address and size, by the patterns of single parameters; text as one str.
                    if kind == "char":
                        apply("const char **SIZED_TEXT_OUT, size_t *SIZED_TEXT_OUT_SIZE", declared(2))
                elif kind == "char" and p.type.pointers == 2:
                    is_in = p.type.text.startswith("const char * const")
                    apply("const char *const *TEXTS, size_t TEXTS_COUNT" if is_in else
                          "const char **TEXTS_OUT, size_t TEXTS_OUT_COUNT", declared(2))
                elif kind == "char":
                    apply("const char *TEXT, size_t TEXT_SIZE" if p.type.is_const else "char *BUFFER, size_t BUFFER_SIZE", declared(2))
                else:
                    item = header.scalar(kind) or fail("no Python form for %s of %s" % (p.name, f.name))
                    apply("const %s *ITEMS, size_t ITEMS_COUNT" % item if p.type.is_const else
                          "%s *ITEMS_OUT, size_t ITEMS_OUT_COUNT" % item, declared(2))
            if p.name.startswith("out_"):
                kind, scalar = p.type.base, header.scalar(p.type.base)
                if kind in header.handles and p.type.pointers == 2:
                    apply("%s **HANDLE_OUT" % kind, declared(1))
                elif kind == "char" and p.type.pointers == 2:
                    apply("const char **TEXT_OUT", declared(1))
                elif p.type.pointers == 2:
                    apply("void **ADDRESS_OUT", declared(1))
                elif scalar and p.type.pointers == 1:
                    apply("%s *NUMBER_OUT" % scalar, declared(1))
    for name in ignored:
        out.append("%%ignore %s;\n" % name)
    # Only calls that may wait let other Python threads run meanwhile.
    text = HEADER.read_text()
    for f in header.functions:
        comment = text[:re.search(r"\b%s\(" % f.name, text[text.index("GE_API"):]).start() + text.index("GE_API")]
        blocks = re.findall(r"@blocks (\w+)", comment)
        if f.name not in ignored and blocks and blocks[-1] != "no":
            out.append("%%thread %s;\n" % f.name)
    return "".join(out)


WRITERS = {"go-shim": go_shim, "java-native": java_native, "java-raw": java_raw, "python": python, "rust": rust}


def main() -> None:
    if len(sys.argv) != 3 or sys.argv[1] not in WRITERS:
        sys.exit(__doc__)
    Path(sys.argv[2]).write_text(WRITERS[sys.argv[1]](parse(HEADER)))


if __name__ == "__main__":
    main()
