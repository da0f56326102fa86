# SPDX-License-Identifier: Apache-2.0
"""Checks that every #include follows the arrows of ARCHITECTURE.md: data flows left to right and never back.

Each folder may include itself, base/ and the public header.  What else it may include stands in ARROWS: a folder,
or a single header of one.
"""

import re

from _repo import ROOT, files, report, text

PUBLIC = {"ge_c_api.h", "ge_experimental.h", "ge_ops.h"}
# What ops/ shows to others.  op.h: rows and traits; eval.h: shape rules and single operators over a graph;
# import.h: what a foreign node looks like to a mapping; program.h: several elementwise operators as one.
OP, EVAL, IMPORT, PROGRAM = "ops/op.h", "ops/eval.h", "ops/import.h", "ops/program.h"
ENGINE = {"base", "ir", "ops", "kernels", "frontend", "passes", "plan", "exec", "backend", "om", "dump", "api"}
ARROWS = {
    "base": set(),
    "ir": set(),
    "kernels": {"ir/half.h"},  # number formats are shared with tensors
    "ops": {"ir", "kernels"},
    "frontend": {"ir", OP, IMPORT},
    "passes": {"ir", OP, EVAL, PROGRAM},
    "plan": {"ir", OP, EVAL, "kernels"},
    "backend": {"kernels", OP},
    "exec": {"plan", OP},
    "om": {"ir", "plan"},
    "dump": {"ir", "plan"},
    "api": ENGINE,
}
CLIENTS = ("impl/cli/", "sdk/", "examples/", "tests/abi/")  # see the public headers only

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.M)


def engine_problem(folder: str, target: str) -> str | None:
    """Why impl/<folder> may not include `target`, or None."""
    if target in PUBLIC:
        return None
    if "/" not in target:
        return "write the folder: \"%s/...\"" % folder
    to = target.split("/")[0]
    if to in (folder, "base") or to in ARROWS[folder] or target in ARROWS[folder]:
        return None
    if to not in ENGINE:
        return "no such folder of impl/"
    return "%s may include: itself, base%s" % (folder, "".join(", " + a for a in sorted(ARROWS[folder])))


def client_problem(path, target: str) -> str | None:
    """Why a client may not include `target`, or None: its own files and the public headers are all it sees."""
    if target in PUBLIC or (ROOT / path.parent / target).is_file():
        return None
    if str(path).startswith("impl/cli/") and target.startswith("cli/"):
        return None
    if str(path).startswith("tests/abi/") and target.startswith(("abi/", "harness/")):
        return None
    if to_generated(target):
        return None
    return "clients include the public headers of abi/ only"


def to_generated(target: str) -> bool:
    """SDK shims are generated at build time and so are not in the tree; their names say whose they are."""
    return target.startswith("ge_shim")


def main() -> None:
    problems, count = [], 0
    for path in files():
        if path.suffix not in (".c", ".h", ".inc", ".i", ".cc", ".cpp"):
            continue
        name = str(path)
        is_client = name.startswith(CLIENTS)
        if not is_client and not name.startswith(("impl/", "abi/")):
            continue
        source = text(path)
        for match in INCLUDE.finditer(source):
            count += 1
            target = match.group(1)
            if is_client:
                why = client_problem(path, target)
            elif name.startswith("abi/"):
                why = None if target in PUBLIC else "public headers include <stdint.h>, <stddef.h> and each other"
            elif path.parts[1] in ARROWS:
                why = engine_problem(path.parts[1], target)
            else:
                why = "impl/%s is in no rule of include_arrows.py" % path.parts[1]
            if why:
                line = source.count("\n", 0, match.start()) + 1
                problems.append('%s:%d: "%s": %s' % (name, line, target, why))
    report(problems, "include arrows: %d includes follow the arrows" % count)


main()
