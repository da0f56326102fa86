# SPDX-License-Identifier: Apache-2.0
"""Checks that the symbol map exports exactly what the public header declares, and that both agree with VERSION.

    python tests/checks/map_matches_header.py            compare
    python tests/checks/map_matches_header.py --write    rewrite the draft node: every function of the header
    python tests/checks/map_matches_header.py --write FILE...   only functions defined in these C files (while some are missing)

Nodes of released versions are never written. Every name is spelled out; everything else stays local.
"""

import re
import sys
from pathlib import Path

from _header import read
from _repo import ROOT, report

HEADER, MAP, VERSION = ROOT / "abi/ge_c_api.h", ROOT / "versioning/ge.map", ROOT / "versioning/VERSION"
DRAFT = "GE_1.0"  # the node of the open minor release


def nodes(text: str) -> dict[str, list[str]]:
    """Names by node, in the order of the map."""
    code = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    found = {}
    for node, body in re.findall(r"\b(GE_[\w.]+)\s*\{([^}]*)\}", code):
        exported = body.split("local:")[0].replace("global:", " ")
        found[node] = [name.strip() for name in exported.split(";") if name.strip()]
    return found


def write(names: list[str]) -> None:
    body = "".join("        %s;\n" % name for name in names)
    glob = "    global:\n" + body if names else ""
    text = re.sub(r"(^%s \{\n)[^}]*(\})" % re.escape(DRAFT), lambda m: m.group(1) + glob + "    local:\n        *;\n" + m.group(2),
                  MAP.read_text(), flags=re.M)
    MAP.write_text(text)


def defined_in(paths: list[str]) -> set[str]:
    """Public functions that C files define: a line that names one and opens a body."""
    found = set()
    for path in paths:
        found |= set(re.findall(r"^[a-z][\w \*]*?\b(ge_\w+)\([^;{]*\)\s*\{", Path(path).read_text(), re.M))
    return found


def main() -> None:
    header = read(HEADER)
    declared = [f.name for f in header.functions]
    if sys.argv[1:2] == ["--write"]:
        only = defined_in(sys.argv[2:])
        write([name for name in declared if not sys.argv[2:] or name in only])
    problems = []
    by_node = nodes(MAP.read_text())
    exported = [name for names in by_node.values() for name in names if not name.startswith("gex_")]
    for name in exported:
        if not re.fullmatch(r"ge_\w+", name):
            problems.append("versioning/ge.map: '%s' is not one name spelled out" % name)
        elif exported.count(name) > 1:
            problems.append("versioning/ge.map: %s appears more than once" % name)
        elif name not in declared:
            problems.append("versioning/ge.map: %s is not declared in abi/ge_c_api.h" % name)
    for f in header.functions:
        if f.name not in exported:
            problems.append("abi/ge_c_api.h:%d: %s is not in versioning/ge.map" % (f.line, f.name))
    if not re.search(r"local:\s*\*;", MAP.read_text()):
        problems.append("versioning/ge.map: no 'local:' with '*'")
    macros = {name: value for name, value, _ in header.macros}
    in_header = ".".join(macros.get("GE_HEADER_" + part, "?") for part in ("MAJOR", "MINOR", "PATCH"))
    if in_header != VERSION.read_text().split()[0]:
        problems.append("abi/ge_c_api.h says version %s, versioning/VERSION says %s" % (in_header, VERSION.read_text().split()[0]))
    report(sorted(set(problems)), "symbol map: %d functions, all declared, none missing; version %s" % (len(declared), in_header))


main()
