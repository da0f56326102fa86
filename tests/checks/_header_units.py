# SPDX-License-Identifier: Apache-2.0
"""Writes the sources header_matrix.sh compiles, from what the headers declare.

    python _header_units.py DIR    uses.c: every init macro, struct size and function; uses.go: every type and function for cgo;
                                   counts: lines "functions N", "structs N" for comparison with what other tools read
"""

import sys
from pathlib import Path

from _header import read
from _repo import ROOT

HEADERS = ["abi/ge_c_api.h", "abi/planned.h"]


def c_source(headers) -> str:
    lines = ["/* Made from the headers: compiles as C99 to C23 and as C++. */", '#include "planned.h"', ""]
    for h in headers:
        for name, _, _ in h.macros:
            if name.endswith("_INIT"):
                lines.append("%s use_%s(void);" % (name[:-5].lower(), name.lower()))
                lines.append("%s use_%s(void) { %s v = %s; return v; }" % (
                    name[:-5].lower(), name.lower(), name[:-5].lower(), name))
        for s in h.structs:
            lines.append("typedef char use_size_%s[sizeof(%s) %% 8 == 0 && sizeof(%s) <= 4096 ? 1 : -1];" % (s.name, s.name, s.name))
    names = [f.name for h in headers for f in h.functions]
    lines += ["const ge_proc* use_functions(void);", "const ge_proc* use_functions(void) {", "    static const ge_proc table[] = {"]
    lines += ["        (ge_proc)%s," % name for name in names]
    lines += ["    };", "    return table;", "}", ""]
    return "\n".join(lines)


def go_source(headers) -> str:
    lines = ["package main", "", "/*", "#cgo CFLAGS: -I%s" % (ROOT / "abi"), '#include "planned.h"', "*/", 'import "C"', "",
             'import "unsafe"', "", "var pointers = []unsafe.Pointer{"]
    lines += ["\tunsafe.Pointer(C.%s)," % f.name for h in headers for f in h.functions]
    lines += ["}", ""]
    for h in headers:
        for s in h.structs:
            lines.append("var _ C.%s" % s.name)
        for c in h.callbacks:
            lines.append("var _ C.%s" % c.name)
        for _, name, _ in h.opaque:
            lines.append("var _ *C.%s" % name)
        for name, _, _ in h.constants:
            lines.append("const _ = C.%s" % name)
    lines += ["", "func main() { _ = pointers }", ""]
    return "\n".join(lines)


def main() -> None:
    out = Path(sys.argv[1])
    headers = [read(ROOT / h) for h in HEADERS]
    (out / "uses.c").write_text(c_source(headers))
    (out / "uses.go").write_text(go_source(headers))
    (out / "counts").write_text("functions %d\nstructs %d\n" % (
        sum(len(h.functions) for h in headers), sum(len(h.structs) for h in headers)))


main()
