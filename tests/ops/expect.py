# SPDX-License-Identifier: Apache-2.0
"""Computes the wanted outputs of .case files with numpy, independently of the library.

usage: expect.py FILE...            fills lines `want OUTPUT compute [TYPE] [tol T]`
       expect.py --refresh FILE...  computes the lines marked `computed` again as well
       expect.py --check [FILE...]  computes them and compares; changes nothing.  Without files: every case file

How to compute stands in the case file: `numpy OUTPUT = EXPRESSION`, before the first case for all cases of the file, inside a case for
that case.  An expression sees numpy as np, inputs by name (ONNX cases: in0, in1, ...; absent ones are None; a repeated name is a list),
all inputs as `inputs`, attributes as dict `a`, the opset as `opset`, and the functions of reference.py in the file's folder.
Floating-point inputs are float64, so that the result is rounded once, to the type of the output.
"""

import importlib.util
import re
import sys
from pathlib import Path

try:
    import numpy as np
except ImportError:
    sys.exit("expect.py needs numpy: ./dev setup installs it into build/venv")

HERE = Path(__file__).resolve().parent
MOST_INLINE = 600  # larger outputs go to a file beside the case file
TYPES = {
    "f32": np.float32, "f64": np.float64, "f16": np.float16, "bf16": "bf16", "i8": np.int8, "i16": np.int16, "i32": np.int32,
    "i64": np.int64, "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64, "bool": np.bool_,
    "c64": np.complex64, "c128": np.complex128, "str": np.str_,
}
RELATIVE = {"f32": 1e-6, "f64": 1e-12, "f16": 1e-3, "bf16": 8e-3, "c64": 1e-6, "c128": 1e-12}


class Problem(Exception):
    pass


def to_bf16(values):
    """float32 numbers, rounded to what bfloat16 holds (ties to even)."""
    bits = np.asarray(values, np.float32).view(np.uint32).astype(np.uint64)
    rounded = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000
    nan = np.isnan(np.asarray(values, np.float32))
    return np.where(nan, np.float32(np.nan), rounded.astype(np.uint32).view(np.float32)).astype(np.float32)


def cast(values, name):
    with np.errstate(over="ignore", invalid="ignore"):
        if TYPES[name] == "bf16":
            return to_bf16(np.asarray(values, np.float64).astype(np.float32))
        return np.asarray(values).astype(TYPES[name])


def splitmix(seed, n):
    """The numbers of `fill random` in case_tensor.c."""
    out, state, mask = np.empty(n), int(seed), 2**64 - 1
    for k in range(n):
        state = (state + 0x9E3779B97F4A7C15) & mask
        z = state
        z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ z >> 27) * 0x94D049BB133111EB) & mask
        out[k] = ((z ^ z >> 31) >> 40) / 2**24
    return out


def words_of(line):
    return [m.group(1) if m.group(1) is not None else m.group(0) for m in re.finditer(r'"([^"]*)"|[^\s#"][^\s]*|(#.*)', line)
            if not m.group(0).startswith("#")]


def parse_type(word):
    m = re.fullmatch(r"(\w+)(?:\[([\d,]*)\])?", word)
    if not m or m.group(1) not in TYPES:
        raise Problem("no type this script knows: %s" % word)
    dims = [int(d) for d in m.group(2).split(",")] if m.group(2) else []
    return m.group(1), dims


def number(word):
    if word in ("true", "false"):
        return word == "true"
    return int(word) if re.fullmatch(r"[+-]?\d+", word) else float(word)


def parse_tensor(words, folder):
    """(array, type name, words taken)."""
    name, dims = parse_type(words[0])
    count = int(np.prod(dims, dtype=np.int64))
    parts = 2 if name in ("c64", "c128") else 1
    if name == "str":
        return np.array(words[1:1 + count], np.str_).reshape(dims), name, 1 + count
    if words[1:2] == ["fill"]:
        n, kind = count * parts, words[2]
        args = [float(w) for w in words[3:3 + {"random": 3, "range": 2, "all": 1}[kind]]]
        values = {"random": lambda: args[1] + (args[2] - args[1]) * splitmix(args[0], n), "range": lambda: args[0] + np.arange(n) * args[1],
                  "all": lambda: np.full(n, args[0])}[kind]()
        taken = 3 + len(args)
        if np.dtype(TYPES[name] if name != "bf16" else np.float32).kind in "iub":
            values = np.floor(values)
    elif words[1:2] == ["file"]:
        raw = (folder / words[2]).read_bytes()
        if name == "bf16":
            return (np.frombuffer(raw, np.uint16).astype(np.uint32) << 16).view(np.float32).reshape(dims), name, 3
        return np.frombuffer(raw, TYPES[name]).reshape(dims), name, 3
    else:
        texts = words[1:1 + count * parts]
        if len(texts) < count * parts:
            raise Problem("too few values")
        integral = name[0] in "iu"
        values = np.array([number(w) for w in texts], TYPES[name] if integral else np.float64)
        taken = 1 + count * parts
    if parts == 2:
        values = values[0::2] + 1j * values[1::2]
    return cast(values, name).reshape(dims), name, taken


def exact(array, name):
    """What expressions see."""
    if name in ("f32", "f64", "f16", "bf16"):
        return array.astype(np.float64)
    return array.astype(np.complex128) if name in ("c64", "c128") else array


def parse_attr(words, folder):
    if re.fullmatch(r"\w+\[[\d,]*\]", words[0]):
        if words[0].split("[")[0] not in TYPES:
            return None
        array, name, _ = parse_tensor(words, folder)
        return exact(array, name)
    if words[0].startswith("["):
        items = [w for w in re.split(r"[\[\], ]+", " ".join(words)) if w]
        return [number(w) if re.match(r"[+-]?[\d.]|true$|false$|[+-]?inf$|nan$", w) else w for w in items]
    word = words[0]
    return number(word) if re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|true|false|[+-]?inf|nan", word) else word


def show(value, name):
    if name == "bool":
        return "1" if value else "0"
    if name == "str":
        return '"%s"' % value
    if name in ("c64", "c128"):
        part = np.float32 if name == "c64" else np.float64
        return "%s %s" % (show(part(value.real), "f32"), show(part(value.imag), "f32"))
    if name[0] in "iu":
        return str(int(value))
    with np.errstate(over="ignore"):
        small = 1e-4 <= abs(value) < 1e7 or value == 0
    return np.format_float_positional(value, unique=True, trim="-") if small else str(value)


class Case:
    def __init__(self, name):
        self.name, self.onnx, self.opset = name, None, 0
        self.inputs, self.attrs, self.expressions = [], {}, {}


class CaseFile:
    def __init__(self, path):
        self.path = Path(path)
        self.lines = self.path.read_text().splitlines()
        self.expressions = {}
        self.names = {"np": np}
        reference = self.path.parent / "reference.py"
        if reference.exists():
            spec = importlib.util.spec_from_file_location("reference", reference)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            self.names.update(vars(module))

    def where(self, k, problem):
        return Problem("%s:%d: %s" % (self.path, k + 1, problem))

    def visit(self, on_want):
        """Calls on_want(line index, case, words) for each want of an output, after the inputs of its case."""
        case, inputs_of = None, self.input_names()
        for k, line in enumerate(self.lines):
            try:
                m = re.match(r"\s*numpy\s+(\w+)\s*=\s*(.*)", line)
                if m:
                    (case.expressions if case else self.expressions)[m.group(1)] = m.group(2)
                    continue
                words = words_of(line)
                if not words or words[0] == "op":
                    continue
                if words[0] == "case":
                    case = Case(words[1])
                elif words[0] == "onnx":
                    case.onnx, case.opset = words[1], int(words[2])
                elif words[0] == "want":
                    if words[1] not in ("error", "nothing"):
                        on_want(k, case, words)
                elif (words[0] == "in") if case.onnx else (words[0] in inputs_of):
                    case.inputs.append((words[0], self.read_input(words[1:])))
                else:
                    case.attrs[words[0]] = parse_attr(words[1:], self.path.parent)
            except (Problem, ValueError, KeyError, IndexError) as e:
                raise self.where(k, e if isinstance(e, Problem) else repr(e)) from e

    def read_input(self, words):
        if words[0] == "-":
            return None
        words = words[1:] if words[0] == "const" else words
        if words[0].split("[")[0] not in TYPES:
            return None  # fine while nothing is computed from it
        array, name, _ = parse_tensor(words, self.path.parent)
        return array, name

    def input_names(self):
        """A line is an input when a type follows its name; the value of a constant is an attribute."""
        names, op = set(), next((w[1] for w in map(words_of, self.lines) if w[:1] == ["op"]), "")
        skip = ("want", "in", "value") if op in ("Const", "Constant") else ("want", "in")
        for line in self.lines:
            words = words_of(line)
            if len(words) >= 2 and re.fullmatch(r"\w+\[[\d,]*\]", words[1]) and words[0] not in skip:
                names.add(words[0])
        return names

    def compute(self, case, output):
        expression = case.expressions.get(output) or self.expressions.get(output)
        if not expression:
            raise Problem("no line `numpy %s = ...` says how to compute it" % output)
        env = dict(self.names, a=case.attrs, opset=case.opset, types=[v[1] if v else None for _, v in case.inputs])
        values = [exact(*v) if v else None for _, v in case.inputs]
        env["inputs"] = values
        for k, ((name, _), value) in enumerate(zip(case.inputs, values)):
            key = "in%d" % k if case.onnx else name
            env[key] = ([*env[key], value] if isinstance(env[key], list) else [env[key], value]) if key in env and not case.onnx else value
        if case.onnx:
            env.update({"in%d" % k: None for k in range(len(values), 10)})
        with np.errstate(all="ignore"):
            return eval(expression, env)  # the expression is part of this repository


def render(f, k, case, words):
    """The line of a want whose output is computed."""
    output, indent = words[1], re.match(r"\s*", f.lines[k]).group(0)
    tol = words[words.index("tol") + 1] if "tol" in words else None
    if words[2] == "compute":
        name = words[3] if len(words) > 3 and words[3] in TYPES else next(v[1] for _, v in case.inputs if v)
    else:
        name, _ = parse_type(words[2])
    result = cast(f.compute(case, output), name)
    head = "%swant %s %s[%s]" % (indent, output, name, ",".join(str(d) for d in result.shape))
    tail = (" tol %s" % tol if tol else "") + " computed"
    if result.size > MOST_INLINE:
        data = "%s.%s.%s.bin" % (f.path.stem, case.name, output)
        raw = (result.view(np.uint32) >> 16).astype(np.uint16) if name == "bf16" else result
        (f.path.parent / data).write_bytes(raw.tobytes())
        return "%s file %s%s" % (head, data, tail)
    return head + "".join(" " + show(v, name) for v in result.reshape(-1)) + tail


def fill(path, refresh):
    f, new = CaseFile(path), {}

    def on_want(k, case, words):
        if words[2] == "compute" or (refresh and "computed" in words):
            new[k] = render(f, k, case, words)

    f.visit(on_want)
    lines = [new.get(k, line) for k, line in enumerate(f.lines)]
    if lines != f.lines:
        f.path.write_text("\n".join(lines) + "\n")
    print("%s: %d outputs computed" % (path, len(new)))


def same(got, want, name):
    if got.shape != want.shape:
        return False
    if name not in RELATIVE:
        return np.array_equal(got, want)
    return np.allclose(got.astype(np.complex128), want.astype(np.complex128), rtol=RELATIVE[name], atol=RELATIVE[name], equal_nan=True)


def check(path, problems):
    f, count = CaseFile(path), [0, 0]

    def on_want(k, case, words):
        if words[2] == "compute":
            raise Problem("not computed yet: run expect.py on this file")
        count[1] += 1
        if "computed" not in words:
            return
        count[0] += 1
        want, name, _ = parse_tensor(words[2:], f.path.parent)
        got = cast(f.compute(case, words[1]), name)
        if not same(got, want, name):
            problems.append("%s:%d: case %s: output %s is no longer what numpy gives" % (path, k + 1, case.name, words[1]))

    f.visit(on_want)
    return count


def main(args):
    problems, computed, wanted = [], 0, 0
    if args[:1] == ["--check"]:
        paths = args[1:] or sorted(HERE.rglob("*.case"))
        for path in paths:
            try:
                n = check(path, problems)
                computed, wanted = computed + n[0], wanted + n[1]
            except Problem as e:
                problems.append(str(e))
        for p in problems:
            print(p)
        print("%d case files, %d wanted outputs, %d of them computed, %d problems" % (len(paths), wanted, computed, len(problems)))
        return 1 if problems else 0
    refresh = args[:1] == ["--refresh"]
    paths = args[1:] if refresh else args
    if not paths:
        sys.exit(__doc__)
    for path in paths:
        fill(path, refresh)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except Problem as e:
        sys.exit("error: %s" % e)
