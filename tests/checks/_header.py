# SPDX-License-Identifier: Apache-2.0
"""Reads a public header: functions, callback types, structs, constants, macros, with their comments and line numbers.

The headers keep to a small part of C (the rules of header_rules.py), so a few patterns are enough.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Param:
    text: str   # as written
    name: str   # "" when none is written
    kind: str   # the type without names and nullability marks, e.g. "const char*"
    marks: list[str] = field(default_factory=list)  # nullability marks, outermost last


@dataclass
class Function:
    name: str
    line: int
    returns: str
    params: list[Param]
    head: str      # everything before the parameters
    tail: str      # everything behind them
    comment: str
    callback: bool = False


@dataclass
class Struct:
    name: str
    tag: str
    line: int
    fields: list[Param]
    lines: list[int]
    comment: str


@dataclass
class Header:
    path: Path
    text: str
    functions: list[Function] = field(default_factory=list)
    callbacks: list[Function] = field(default_factory=list)
    structs: list[Struct] = field(default_factory=list)
    typedefs: list[tuple[str, str, int]] = field(default_factory=list)   # name, definition, line
    constants: list[tuple[str, str, int]] = field(default_factory=list)  # name, value as written, line
    macros: list[tuple[str, str, int]] = field(default_factory=list)     # name with parameters, body, line
    opaque: list[tuple[str, str, int]] = field(default_factory=list)     # tag, name, line
    includes: list[tuple[str, int]] = field(default_factory=list)

    def struct_names(self) -> set[str]:
        return {s.name for s in self.structs}

    def handles(self) -> set[str]:
        return {name for _, name, _ in self.opaque}

    def callback_names(self) -> set[str]:
        return {c.name for c in self.callbacks}


MARK = re.compile(r"\bGE_(?:NONNULL|NULLABLE)\b")


def param(text: str) -> Param:
    text = " ".join(text.split())
    marks = MARK.findall(text)
    bare = MARK.sub(" ", text)
    found = re.fullmatch(r"(.*?[\s*])([A-Za-z_]\w*)", bare.strip())
    kind, name = (found.group(1), found.group(2)) if found else (bare, "")
    if not name or (kind.strip() in ("const", "unsigned", "struct", "")):
        kind, name = bare, ""
    kind = re.sub(r"\s*\*\s*", "*", " ".join(kind.split())).replace("*const", "* const").strip()
    return Param(text, name, kind, marks)


def blank(text: str, pattern: str) -> str:
    """Replaces matches by spaces, newlines kept, so that offsets and line numbers stay."""
    return re.sub(pattern, lambda m: re.sub(r"[^\n]", " ", m.group()), text, flags=re.S)


def read(path: Path) -> Header:
    text = path.read_text(encoding="utf-8")
    header = Header(path, text)
    code = blank(text, r"/\*.*?\*/")

    def line_of(offset: int) -> int:
        return text.count("\n", 0, offset) + 1

    def comment_before(offset: int) -> str:
        """The comment that ends right above a declaration."""
        above = text[:offset].rstrip()
        if not above.endswith("*/"):
            return ""
        begin = above.rindex("/*")
        return above[begin:] if text[begin + len(above[begin:]):offset].count("\n") <= 1 else ""

    for found in re.finditer(r"^[ \t]*#[ \t]*include[ \t]+(\S+)", code, re.M):
        header.includes.append((found.group(1), line_of(found.start())))
    for found in re.finditer(r"^[ \t]*#[ \t]*define[ \t]+(\w+(?:\([^)]*\))?)((?:[^\n]|\\\n)*)", code, re.M):
        header.macros.append((found.group(1), found.group(2).replace("\\\n", " ").strip(), line_of(found.start())))
    code = re.sub(r"^[ \t]*#(?:[^\n]|\\\n)*", lambda m: re.sub(r"[^\n]", " ", m.group()), code, flags=re.M)

    for found in re.finditer(r"\bGE_API\b([^;(]*?)\b(\w+)\s*\(([^;]*)\)\s*([^;)]*);", code):
        inner = found.group(3).strip()
        params = [] if inner in ("", "void") else [param(p) for p in inner.split(",")]
        header.functions.append(Function(
            found.group(2), line_of(found.start()), param(found.group(1).replace("GE_NODISCARD", "") + " x").kind, params,
            "GE_API" + found.group(1), found.group(4).strip(), comment_before(found.start())))
    for found in re.finditer(r"\btypedef\b([^;(){}]*)\(\s*\*\s*(\w+)\s*\)\s*\(([^;]*?)\)\s*;", code):
        inner = found.group(3).strip()
        params = [] if inner in ("", "void") else [param(p) for p in inner.split(",")]
        header.callbacks.append(Function(
            found.group(2), line_of(found.start()), param(found.group(1) + " x").kind, params, found.group(1), "",
            comment_before(found.start()), callback=True))
    for found in re.finditer(r"\btypedef\s+struct\s+(\w+)\s*\{([^}]*)\}\s*(\w+)\s*;", code):
        fields, lines, offset = [], [], found.start(2)
        for part in found.group(2).split(";"):
            if part.strip():
                fields.append(param(part))
                lines.append(line_of(offset + len(part) - len(part.lstrip())))
            offset += len(part) + 1
        header.structs.append(Struct(found.group(3), found.group(1), line_of(found.start()), fields, lines,
                                     comment_before(found.start())))
    for found in re.finditer(r"\btypedef\s+struct\s+(\w+)\s+(\w+)\s*;", code):
        header.opaque.append((found.group(1), found.group(2), line_of(found.start())))
    for found in re.finditer(r"\btypedef\s+(u?int\d+_t)\s+(\w+)\s*;", code):
        header.typedefs.append((found.group(2), found.group(1), line_of(found.start())))
    for found in re.finditer(r"\benum\b([^{;]*)\{([^}]*)\}", code):
        if found.group(1).strip():
            header.constants.append(("enum " + found.group(1).strip(), "", line_of(found.start())))
        offset = found.start(2)
        for part in found.group(2).split(","):
            if part.strip():
                name, _, value = part.strip().partition("=")
                header.constants.append((name.strip(), value.strip(), line_of(offset + len(part) - len(part.lstrip()))))
            offset += len(part) + 1
    return header
