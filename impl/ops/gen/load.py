# SPDX-License-Identifier: Apache-2.0
"""Reads the operator catalogue (ops.json and extension.json), the dtype table and the rows; what the generators share.

extension.json has the same schema.  An entry whose name ops.json has too widens it: its ports add data types to the ports of
those names, its attributes are added, or replace those of the same name; a kind it gives replaces that of the port.

Rows widen data types where they stand, since Ascend IR lists those of its devices:
  GEI_WIDEN(Add, "x1 x2 y", "uint");             this operator; ports "*" are all of them
  GEI_WIDEN_FAMILY(ARITHMETIC, "*", "number");   every GEI_OP_ARITHMETIC(...) row; stands beside the macro
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
ROW = re.compile(r"^GEI_OP(?:_([A-Z0-9_]+))?\((\w+)", re.M)
WIDEN = re.compile(r'^GEI_WIDEN(_FAMILY)?\((\w+), "([^"]*)", "([^"]*)"\);', re.M)
CLASSES = {
    "float": ["float32", "float16", "bfloat16", "float64"],
    "int": ["int8", "int16", "int32", "int64"],
    "uint": ["uint8", "uint16", "uint32", "uint64"],
    "complex": ["complex64", "complex128"],
    "any": [],
}
CLASSES["real"] = CLASSES["float"] + CLASSES["int"] + CLASSES["uint"]
CLASSES["number"] = CLASSES["real"] + CLASSES["complex"]
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
        have[port["name"]]["kind"] = port.get("kind", have[port["name"]]["kind"])
        known = have[port["name"]]["dtypes"]
        known += [d for d in port["dtypes"] if d not in known]


def merge_attrs(op, extra):
    for attr in extra["attrs"]:
        at = [i for i, a in enumerate(op["attrs"]) if a["name"] == attr["name"]]
        if at:
            op["attrs"][at[0]] = attr
        else:
            op["attrs"].append(attr)


def read_texts(sources):
    return {path: Path(path).read_text() for path in sources}


def read_rows(texts):
    """Row name -> (file, family macro or ""), over the sources that define rows."""
    rows = {}
    for path, text in texts.items():
        for family, name in ROW.findall(text) if path.endswith(".c") else []:
            if name in rows:
                fail("%s: row %s is already in %s" % (path, name, rows[name][0]))
            rows[name] = (path, family)
    return {name: rows[name] for name in sorted(rows)}


def widen_op(where, op, ports, classes):
    """Adds the classes to the ports; "any" empties the list, which allows every type."""
    chosen = [p for p in op["inputs"] + op["outputs"] if ports == ["*"] or p["name"] in ports]
    if not chosen or (ports != ["*"] and len({p["name"] for p in chosen}) < len(set(ports))):
        fail("%s: operator %s lacks a port of: %s" % (where, op["name"], " ".join(ports)))
    for port in chosen:
        for name in classes:
            if name == "any":
                port["any"] = True
            port["dtypes"] = port["dtypes"] + [d for d in CLASSES.get(name, [name]) if d not in port["dtypes"]]


def widen(ops, texts, rows, dtypes):
    by_name = {op["name"]: op for op in ops}
    for path, text in texts.items():
        for family, name, ports, classes in WIDEN.findall(text):
            unknown = [c for c in classes.split() if c not in CLASSES and c not in dtypes]
            if unknown:
                fail("%s: GEI_WIDEN of %s: unknown data type %s" % (path, name, unknown[0]))
            targets = [n for n, (_, f) in rows.items() if f == name] if family else [name]
            for target in targets:
                if target not in by_name:
                    fail("%s: GEI_WIDEN names operator %s, which the catalogue lacks" % (path, target))
                widen_op(path, by_name[target], ports.split(), classes.split())


def check_extension(op):
    """The schema's main points, so that a slip is told in words."""
    name = op.get("name", "?")
    missing = [k for k in ("name", "family", "inputs", "outputs", "attrs", "graphs") if k not in op]
    if missing:
        fail("extension.json: %s lacks %s" % (name, ", ".join(missing)))
    for port in op["inputs"] + op["outputs"]:
        if port.get("kind") not in ("required", "optional", "dynamic") or not isinstance(port.get("dtypes"), list):
            fail("extension.json: %s: port %s needs a kind and a list of dtypes" % (name, port.get("name")))
    for attr in op["attrs"]:
        if attr.get("type") not in KINDS or not isinstance(attr.get("required"), bool) or "default" not in attr:
            fail("extension.json: %s: attribute %s needs a type of: %s; required; default" % (name, attr.get("name"), " ".join(KINDS)))


def read_ops(catalogue, extension):
    """All operators, sorted by name."""
    ops = {op["name"]: op for op in json.loads(Path(catalogue).read_text())["ops"]}
    for extra in json.loads(Path(extension).read_text())["ops"]:
        check_extension(extra)
        op = ops.setdefault(extra["name"], extra)
        if op is not extra:
            merge_ports(op, "inputs", extra)
            merge_ports(op, "outputs", extra)
            merge_attrs(op, extra)
    return [ops[name] for name in sorted(ops)]


def check_rows(rows, ops):
    known = {op["name"] for op in ops}
    for name, (path, _) in rows.items():
        if name not in known:
            fail("%s: row %s names an operator that the catalogue (impl/ops/catalogue) lacks" % (path, name))


def write_if_changed(path, text):
    """Leaves the file and its time alone when nothing changed, so that nothing is rebuilt."""
    path = Path(path)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def c_string(text):
    return '"' + "".join(c if 32 <= ord(c) < 127 and c not in '"\\' else "\\%03o" % ord(c) for c in text) + '"'
