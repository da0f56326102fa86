# SPDX-License-Identifier: Apache-2.0
"""Reads the operator catalogue (ops.json and extension.json), the dtype table and the rows; what the generators share.

extension.json has the same schema.  An entry whose name ops.json has too widens it: its ports add data types to the ports of
those names, its attributes are added, or replace those of the same name.
"""

import json
import re
import sys
from pathlib import Path

# Definitions that are objects of ir/builtin.h.
BUILTIN = {"Data": "gei_def_data", "RefData": "gei_def_ref_data", "Const": "gei_def_const", "Constant": "gei_def_constant",
           "NetOutput": "gei_def_net_output"}
KINDS = {
    "Int": "INT", "Float": "FLOAT", "Bool": "BOOL", "String": "STRING", "Type": "DTYPE", "Tensor": "TENSOR",
    "NamedAttrs": "NAMED", "Bytes": "BYTES", "ListInt": "INTS", "ListFloat": "FLOATS", "ListBool": "BOOLS",
    "ListString": "STRINGS", "ListType": "DTYPES", "ListTensor": "TENSORS", "ListListInt": "INT_LISTS",
    "ListNamedAttrs": "NAMED",
}
# A row: a line that starts so.  The first argument is the operator's name.
ROW = re.compile(r"^GEI_OP(?:_[A-Z0-9_]+)?\((\w+)", re.M)
DTYPE = re.compile(r'X\((\w+), (\d+), "(\w+)", (\d+),')


def fail(message):
    sys.exit("error: " + message)


def read_dtypes(header):
    """Names in table order, and name -> number."""
    rows = DTYPE.findall(Path(header).read_text())
    if not rows:
        fail("%s: no dtype table found" % header)
    return [name for _, _, name, _ in rows], {name: int(number) for _, number, name, _ in rows}


def merge_ports(op, kind, extra):
    have = {port["name"]: port for port in op[kind]}
    for port in extra[kind]:
        if port["name"] not in have:
            fail("extension.json: %s has no port '%s' to widen" % (op["name"], port["name"]))
        known = have[port["name"]]["dtypes"]
        known += [d for d in port["dtypes"] if d not in known]


def merge_attrs(op, extra):
    for attr in extra["attrs"]:
        at = [i for i, a in enumerate(op["attrs"]) if a["name"] == attr["name"]]
        if at:
            op["attrs"][at[0]] = attr
        else:
            op["attrs"].append(attr)


def read_ops(catalogue, extension):
    """All operators, sorted by name."""
    ops = {op["name"]: op for op in json.loads(Path(catalogue).read_text())["ops"]}
    for extra in json.loads(Path(extension).read_text())["ops"]:
        op = ops.setdefault(extra["name"], extra)
        if op is not extra:
            merge_ports(op, "inputs", extra)
            merge_ports(op, "outputs", extra)
            merge_attrs(op, extra)
    return [ops[name] for name in sorted(ops)]


def read_rows(sources):
    """Row name -> file, over the sources that define rows."""
    rows = {}
    for path in sources:
        for name in ROW.findall(Path(path).read_text()):
            if name in rows:
                fail("%s: row %s is already in %s" % (path, name, rows[name]))
            rows[name] = path
    return {name: rows[name] for name in sorted(rows)}


def check_rows(rows, ops):
    known = {op["name"] for op in ops}
    for name, path in rows.items():
        if name not in known:
            fail("%s: row %s names an operator that the catalogue (impl/ops/catalogue) lacks" % (path, name))


def write_if_changed(path, text):
    """Leaves the file and its time alone when nothing changed, so that nothing is rebuilt."""
    path = Path(path)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def c_string(text):
    return '"' + "".join(c if 32 <= ord(c) < 127 and c not in '"\\' else "\\%03o" % ord(c) for c in text) + '"'
