# SPDX-License-Identifier: Apache-2.0
"""The stages of the ABI gate, each a function of a header folder, a library or both that returns what is wrong with them.

The gate runs them on the library just built, the self-test on broken ones, so both use the same eyes.
"""

import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HERE = ROOT / "versioning"
sys.path.insert(0, str(ROOT / "sdk"))
import shimgen  # noqa: E402  the header's reader

TOOLS = ["gcc", "g++", "clang", "clang++", "ld.lld", "ld.bfd", "readelf", "strip", "cmake", "ninja", "abidw", "abidiff"]
ABIDW = ["--drop-private-types", "--no-corpus-path", "--no-comp-dir-path", "--type-id-style", "hash"]
SONAME = "libge.so.1"
ARCH = platform.machine()

# Compiler, linker, link-time optimisation.  Other pairs need linker plugins and do not link.
MATRIX = [("gcc", "bfd", False), ("gcc", "bfd", True), ("gcc", "lld", False), ("clang", "lld", False),
          ("clang", "lld", True), ("clang", "bfd", False)]


class Failed(Exception):
    """A command of a stage failed where it must not."""


def run(*command, accept=(0,), **how) -> str:
    try:
        done = subprocess.run([str(c) for c in command], capture_output=True, text=True, errors="replace", **how)
    except FileNotFoundError:
        raise Failed("%s is missing" % command[0])
    if done.returncode not in accept:
        raise Failed("%s failed with %d:\n%s%s" % (" ".join(str(c) for c in command[:3]), done.returncode, done.stdout[-3000:], done.stderr[-3000:]))
    return done.stdout


def missing_tools() -> list[str]:
    """The gate never skips: what it needs and does not find is a failure."""
    return ["%s is missing" % t for t in TOOLS if not shutil.which(t)]


def difference(golden: str, now: str, name: str) -> list[str]:
    """The lines of a diff, as one problem."""
    if golden == now:
        return []
    with tempfile.TemporaryDirectory() as tmp:
        a, b = Path(tmp, "a"), Path(tmp, "b")
        a.write_text(golden)
        b.write_text(now)
        text = run("diff", "-U1", "--label", name, "--label", "now", a, b, accept=(0, 1))
    return ["%s differs:\n%s" % (name, text[:4000])]


# ---- exports -------------------------------------------------------------------------------------------------------------

def exports(library: Path) -> str:
    """Sorted lines name@@version of what a library defines; data symbols carry a mark, so that none goes unseen."""
    lines = []
    for line in run("readelf", "--dyn-syms", "--wide", library).splitlines():
        parts = line.split()
        if len(parts) < 8 or not parts[0].rstrip(":").isdigit() or parts[6] in ("UND", "ABS") or parts[4] not in ("GLOBAL", "WEAK"):
            continue
        lines.append(parts[7] if parts[3] == "FUNC" else "%s %s" % (parts[7], parts[3]))
    return "".join(line + "\n" for line in sorted(lines))


def check_exports(library: Path, golden: str) -> list[str]:
    now = exports(library)
    rule = re.compile(r"(ge_\w+@@?GE_\d+\.\d+|gex_\w+@@GE_EXPERIMENTAL)")
    strays = [line for line in now.splitlines() if not rule.fullmatch(line)]
    return ["exported, but no function ge_* or gex_* with a node: %s" % s for s in strays] + difference(golden, now, "symbols.txt")


def check_dynamic(library: Path) -> list[str]:
    """The tags that every release keeps."""
    text = run("readelf", "--dynamic", "--wide", library)
    wanted = {"soname " + SONAME: r"\(SONAME\).*\[%s\]" % re.escape(SONAME), "bind now": r"BIND_NOW|\bNOW\b", "nodelete": r"NODELETE"}
    problems = ["the library lacks: " + what for what, pattern in wanted.items() if not re.search(pattern, text)]
    for needed in re.findall(r"\(NEEDED\).*\[(.*?)\]", text):
        if not re.match(r"(libc|libm|libpthread|libdl|ld-linux.*)\.so\.", needed):
            problems.append("the library needs %s" % needed)
    return problems + (["the library has text relocations"] if "TEXTREL" in text else [])


# ---- layout --------------------------------------------------------------------------------------------------------------

def layout(headers: Path) -> str:
    """What a C program says of every constant, macro, type, struct and function of the public header."""
    path = headers / "ge_c_api.h"
    header = shimgen.parse(path)
    source = ["#include <ge_c_api.h>", "#include <stddef.h>", "#include <stdio.h>", "#define MEMBER(type, field) ((type *)0)->field",
              "static void bytes(const char *name, const void *at, size_t n) {", 'printf("macro %s", name);',
              'for (size_t i = 0; i < n; i++) printf("%s%02x", i % 8 ? "" : " ", ((const unsigned char *)at)[i]); puts(""); }',
              "int main(void) {"]
    for name, _, _ in header.constants:
        if not name.startswith("GE_HEADER_"):
            source.append('printf("constant %s %%lld\\n", (long long)%s);' % (name, name))
    for name in re.findall(r"^#define (GE_\w+) SIZE_MAX|^#define (GE_\w+) \d+$", path.read_text(), re.M):
        if not any(n.startswith("GE_HEADER_") for n in name):
            source.append('printf("macro %s %%llu\\n", (unsigned long long)%s);' % (max(name), max(name)))
    if "#define GE_NTS " in path.read_text():
        source.append('printf("macro GE_NTS as size_t %zu of %zu bytes\\n", (size_t)GE_NTS, sizeof(GE_NTS));')
    for macro in re.findall(r"^#define (GE_\w+_INIT)\b", path.read_text(), re.M):
        source.append('{ %s v = %s; bytes("%s", &v, sizeof v); }' % (macro[:-5].lower(), macro, macro))
    for name, base in header.integers.items():
        source.append('printf("type %s %s %%zu\\n", sizeof(%s));' % (name, base, name))
    for struct, fields in header.structs.items():
        source.append('printf("struct %s %%zu\\n", sizeof(%s));' % (struct, struct))
        for f in fields:
            source.append('printf("  %s.%s %s at %%zu size %%zu\\n", offsetof(%s, %s), sizeof(MEMBER(%s, %s)));'
                          % (struct, f.name, f.type.text, struct, f.name, struct, f.name))
    for f in header.functions:
        params = ", ".join("%s %s" % (p.type.text, p.name) for p in f.params) or "void"
        source.append('printf("function %s %s(%s)\\n");' % (f.result.text, f.name, params))
    source.append("return 0; }")
    with tempfile.TemporaryDirectory() as tmp:
        c, program = Path(tmp, "layout.c"), Path(tmp, "layout")
        c.write_text("\n".join(source))
        run("gcc", "-std=c11", "-w", "-I", headers, c, "-o", program)
        return run(program)


def check_layout(headers: Path, golden: str) -> list[str]:
    return difference(golden, layout(headers), "layout.txt")


def check_growth(old: str, new: str) -> list[str]:
    """A released layout must live on: constants, macros, types and functions as they were, each old struct a prefix of the new."""
    problems, now = [], new.splitlines()
    lines = set(now)
    fields = {}
    for line in now:
        if line.startswith("  "):
            fields.setdefault(line.split(".")[0].strip(), []).append(line)
    place = {}
    for line in old.splitlines():
        if line.startswith("  "):
            struct = line.split(".")[0].strip()
            i = place[struct] = place.get(struct, -1) + 1
            if i >= len(fields.get(struct, [])) or fields[struct][i] != line:
                problems.append("no longer a prefix of the struct: " + line.strip())
        elif line.startswith("struct "):
            _, name, size = line.split()
            grown = [n for n in now if n.startswith("struct %s " % name)]
            if not grown or int(grown[0].split()[2]) < int(size) or int(grown[0].split()[2]) % 8:
                problems.append("gone, smaller, or no multiple of 8: " + line)
        elif line.startswith("macro ") and "_INIT " in line:
            name, _, value = line[6:].partition(" ")
            grown = [n for n in now if n.startswith("macro %s " % name)]
            # The first bytes hold struct_size, which grows with the struct.
            if not grown or not grown[0][6 + len(name) + 1:][8:].startswith(value[8:]):
                problems.append("default changed: " + name)
        elif line not in lines:
            problems.append("gone or changed: " + line)
    return problems


# ---- abidiff ---------------------------------------------------------------------------------------------------------------

def has_debug_info(library: Path) -> bool:
    return " .debug_info" in run("readelf", "--sections", "--wide", library)


def baseline(library: Path, headers: Path) -> str:
    if not has_debug_info(library):
        raise Failed("%s has no debug information" % library.name)
    text = run("abidw", "--headers-dir", headers, *ABIDW, library)
    if blind := unseen(text, library):
        raise Failed("abidw does not see the types of %d exported functions, %s among them" % (len(blind), blind[0]))
    return text


def unseen(abi: str, library: Path) -> list[str]:
    """Exported functions of whose types a baseline knows nothing, so that no change of them would show."""
    seen = set(re.findall(r"elf-symbol-id='([^']*)'", abi))
    return [s for s in exports(library).split() if s not in seen]


def check_abidiff(old: Path, library: Path, headers: Path) -> list[str]:
    """`old` is what baseline() wrote.  Any exit but 0 is a problem: the bits do not tell an append from a broken type."""
    if not has_debug_info(library):
        return ["%s has no debug information, so abidiff would see nothing" % library.name]
    try:
        baseline(library, headers)
    except Failed as e:
        return [str(e)]
    done = subprocess.run(["abidiff", "--harmless", "--no-added-syms", "--headers-dir1", headers, "--headers-dir2", headers, old, library],
                          capture_output=True, text=True)
    if done.returncode == 0:
        return []
    return ["abidiff against %s says %d:\n%s%s" % (old.name, done.returncode, done.stdout[:4000], done.stderr[:1000])]


# ---- link ------------------------------------------------------------------------------------------------------------------

def check_link(headers: Path, library: Path) -> list[str]:
    """Takes the address of every declared function with its declared type, in C and in C++, and links and runs that."""
    header = shimgen.parse(headers / "ge_c_api.h")
    source = ["#include <ge_c_api.h>"]
    for i, f in enumerate(header.functions):
        params = ", ".join(p.type.text for p in f.params) or "void"
        source.append("%s (*f%d)(%s) = %s;" % (f.result.text, i, params, f.name))
    source.append("int main(void) {\n    int n = 0;")
    source += ["    n += f%d != 0;" % i for i in range(len(header.functions))]
    source.append("    return n == %d ? 0 : 1;\n}" % len(header.functions))
    problems = []
    with tempfile.TemporaryDirectory() as tmp:
        for compiler, standard, suffix in (("gcc", "c99", "c"), ("clang", "c11", "c"), ("g++", "c++17", "cc"), ("clang++", "c++11", "cc")):
            unit, program = Path(tmp, "link." + suffix), Path(tmp, "link")
            unit.write_text("\n".join(source) + "\n")
            try:
                run(compiler, "-std=" + standard, "-Wall", "-Wextra", "-Werror", "-DGE_NO_NULLABILITY", "-I", headers, unit, "-o", program,
                    library, "-Wl,-z,now", "-Wl,-rpath," + str(library.parent))
                run(program, env=dict(os.environ, LD_LIBRARY_PATH=str(library.parent)))
            except Failed as e:
                problems.append("%s -std=%s: %s" % (compiler, standard, e))
    return problems


# ---- the map -------------------------------------------------------------------------------------------------------------------

def map_nodes(text: str) -> dict[str, list[str]]:
    """Names by node."""
    code = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return {node: re.findall(r"\w+", body.split("local:")[0].replace("global:", " "))
            for node, body in re.findall(r"\b(GE_[\w.]+)\s*\{([^}]*)\}", code)}


def node_checksum(names: list[str]) -> str:
    return hashlib.sha256("\n".join(sorted(names)).encode()).hexdigest()


def check_frozen(map_text: str, frozen: str) -> list[str]:
    """Released nodes hold the names they were released with: lines `node checksum`."""
    nodes, problems = map_nodes(map_text), []
    for line in frozen.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        node, checksum = line.split()
        if node not in nodes:
            problems.append("released node %s is gone from the map" % node)
        elif node_checksum(nodes[node]) != checksum:
            problems.append("released node %s does not hold the names it was released with" % node)
    return problems


# ---- struct sizes ----------------------------------------------------------------------------------------------------------------

def check_struct_sizes(headers: Path, library: Path) -> list[str]:
    """Every function that takes a struct, with sizes from 0 to twice what is known, against the end of a mapped page."""
    source = ROOT / "tests/abi/test_struct_size.c"
    text, problems = source.read_text(), []
    header = shimgen.parse(headers / "ge_c_api.h")
    for f in header.functions:
        if any(p.type.base in header.structs and p.type.pointers == 1 for p in f.params) and not re.search(r"\b%s\(" % f.name, text):
            problems.append("%s takes a struct and tests/abi/test_struct_size.c does not call it" % f.name)
    with tempfile.TemporaryDirectory() as tmp:
        program = Path(tmp, "sizes")
        run("gcc", "-std=c11", "-D_GNU_SOURCE", "-I", headers, "-I", ROOT / "tests", source, "-o", program, library, "-Wl,-rpath," + str(library.parent))
        done = subprocess.run([program], capture_output=True, text=True, env=dict(os.environ, LD_LIBRARY_PATH=str(library.parent)))
        if done.returncode:
            problems.append("struct sizes: exit %d: %s%s" % (done.returncode, done.stdout[-1500:], done.stderr[-500:]))
    return problems


# ---- linkers ---------------------------------------------------------------------------------------------------------------------

def check_linkers(want: str, say) -> list[str]:
    """Every pair of compiler and linker builds a library with the same exports."""
    problems = []
    for compiler, linker, lto in MATRIX:
        name = "%s-%s%s" % (compiler, linker, "-lto" if lto else "")
        build, link = ROOT / "build/gate" / name, "-fuse-ld=" + linker
        run("cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_C_COMPILER=" + compiler,
            "-DCMAKE_SHARED_LINKER_FLAGS=" + link, "-DCMAKE_EXE_LINKER_FLAGS=" + link,
            "-DGE_LTO=" + ("ON" if lto else "OFF"), "-DGE_BUILD_TESTS=OFF", "-DGE_BUILD_CLI=OFF")
        run("cmake", "--build", build, "--target", "ge", "-j", os.environ.get("GE_JOBS", "2"))
        same = exports(build / "lib/libge.so") == want
        say("%s exports %s" % (name, "the same" if same else "SOMETHING ELSE"))
        if not same:
            problems += difference(want, exports(build / "lib/libge.so"), name)
    return problems
