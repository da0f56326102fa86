# SPDX-License-Identifier: Apache-2.0
"""The rehearsal: a sample of the interface is released as 1.0, 1.1 and 1.2, and every old client must go on working.

Libraries and clients are built once, each client against the library of its own minor; from then on only the library beside a
client changes.  Both compilers build the libraries; the clients of one run on the libraries of the other.
"""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from stages import HERE, SONAME, Failed, baseline, check_abidiff, check_growth, exports, run

SAMPLE = HERE / "sample"
COMPILERS = {"gcc": [], "clang": ["-fuse-ld=lld"]}
MINORS = (0, 1, 2)

EXPORTS = {
    0: "ge_dtype_get_bits@@GE_1.0 ge_get_abi_version@@GE_1.0 ge_get_proc@@GE_1.0 ge_run@@GE_1.0 ge_run_options_init@@GE_1.0",
    1: "ge_dtype_get_bits@@GE_1.0 ge_dtype_get_class@@GE_1.1 ge_get_abi_version@@GE_1.0 ge_get_proc@@GE_1.0 ge_run@@GE_1.0 "
       "ge_run_options_init@@GE_1.0",
    2: "ge_dtype_get_bits@@GE_1.2 ge_dtype_get_bits@GE_1.0 ge_dtype_get_class@@GE_1.1 ge_get_abi_version@@GE_1.0 ge_get_proc@@GE_1.0 "
       "ge_run@@GE_1.0 ge_run_options_init@@GE_1.0",
}


def build_library(out: Path, minor: int, compiler: str = "gcc", *extra: str, map_text: str | None = None) -> Path:
    """out/libge.so.1; `extra` are more compiler options, `map_text` another symbol map."""
    out.mkdir(parents=True, exist_ok=True)
    version_script = out / "sample.map"
    version_script.write_text(map_text if map_text is not None else (SAMPLE / ("sample_1_%d.map" % minor)).read_text())
    library = out / SONAME
    run(compiler, "-std=c11", "-O1", "-g", "-fPIC", "-shared", "-Wall", "-Wextra", "-Werror", "-fvisibility=hidden", "-DGE_DISABLE_DEPRECATED",
        "-DSAMPLE_MINOR=%d" % minor, *extra, SAMPLE / "sample.c", "-o", library, "-Wl,-soname," + SONAME,
        "-Wl,--version-script=%s" % version_script, "-Wl,--no-undefined-version", "-Wl,-z,defs,-z,now,-z,nodelete", *COMPILERS[compiler])
    return library


def build_client(out: Path, minor: int, library: Path, portable: bool = False) -> Path:
    program = out / ("portable" if portable else "client_1_%d" % minor)
    run("gcc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-Wno-cast-function-type", "-DSAMPLE_MINOR=%d" % minor,
        *(["-DSAMPLE_PORTABLE"] if portable else []), SAMPLE / "client.c", library, "-o", program)
    run("strip", program)
    return program


def play(program: Path, folder: Path, *args) -> tuple[int, str, str]:
    done = subprocess.run([program, *args], capture_output=True, text=True, env=dict(os.environ, LD_LIBRARY_PATH=str(folder), LC_ALL="C"))
    return done.returncode, done.stdout, done.stderr.strip()


def wanted_refusal(program: Path, folder: Path, node: str) -> str:
    return "%s: %s/%s: version `%s' not found (required by %s)" % (program, folder, SONAME, node, program)


def sample_layout(minor: int, tmp: Path) -> str:
    """The two structs and the constants of a minor, in the form of layout.txt."""
    source = ["#include <stdio.h>", '#include "sample.h"', "#define F(s, f) printf(\"  \" #s \".\" #f \" at %zu size %zu\\n\", offsetof(s, f), sizeof(((s *)0)->f))",
              "int main(void) {"]
    fields = {"ge_run_options": ["struct_size", "reserved_flags", "deadline_ns"] + ["priority"] * (minor > 0),
              "ge_run_report": ["struct_size", "reserved_flags", "steps_count"] + ["waited_ns"] * (minor > 0)}
    for name in ["GE_DTYPE_FLOAT32", "GE_DTYPE_FLOAT16"] + ["GE_DTYPE_INT8"] * (minor > 0):
        source.append('printf("constant %s %%d\\n", %s);' % (name, name))
    for struct, names in fields.items():
        source.append('printf("struct %s %%zu\\n", sizeof(%s));' % (struct, struct))
        source += ["F(%s, %s);" % (struct, f) for f in names]
    unit, program = tmp / "sample_layout.c", tmp / "sample_layout"
    unit.write_text("\n".join(source + ["return 0; }"]) + "\n")
    run("gcc", "-w", "-I", SAMPLE, "-DGE_DISABLE_DEPRECATED", "-DSAMPLE_MINOR=%d" % minor, unit, "-o", program)
    return run(program)


def check_old_clients(clients: dict[int, Path], homes: dict[int, Path], what: str) -> list[str]:
    """Each client prints on every later library what it printed on its own, byte for byte."""
    problems = []
    for minor, client in clients.items():
        first = play(client, homes[minor])
        if first[0]:
            problems.append("client 1.%d does not run on its own library: %s" % (minor, first[2]))
        for later in [m for m in homes if m > minor]:
            if play(client, homes[later]) != first:
                problems.append("%s: client 1.%d on library 1.%d: %s instead of %s" % (what, minor, later, play(client, homes[later]), first))
    return problems


def check_new_clients(clients: dict[int, Path], homes: dict[int, Path], portable: Path) -> list[str]:
    """New on old: refused at load with the loader's own words, or, asking by name, fine."""
    problems = []
    for minor, client in clients.items():
        for older in [m for m in homes if m < minor]:
            code, out, err = play(client, homes[older])
            # The loader names the first node it misses; 1.2's clients need 1.1 and 1.2.
            wanted = [wanted_refusal(client, homes[older], "GE_1.%d" % n) for n in range(older + 1, minor + 1)]
            if code != 1 or out or not err or any(line not in wanted for line in err.splitlines()):
                problems.append("client 1.%d on library 1.%d: exit %d, said '%s', wanted '%s'" % (minor, older, code, err, wanted[0]))
    for minor in homes:
        code, out, err = play(portable, homes[minor])
        known = "class %s, report of %d bytes" % (("not there", 16) if minor == 0 else ("floating", 24))
        if code or known not in out:
            problems.append("the portable client on library 1.%d: exit %d, %s %s" % (minor, code, out, err))
    return problems


def rehearse(say) -> list[str]:
    problems = []
    with tempfile.TemporaryDirectory() as name:
        tmp = Path(name)
        homes = {c: {m: tmp / c / ("1.%d" % m) for m in MINORS} for c in COMPILERS}
        for compiler, folders in homes.items():
            for minor, folder in folders.items():
                library = build_library(folder, minor, compiler)
                if exports(library).split() != EXPORTS[minor].split():
                    problems.append("%s, 1.%d exports %s" % (compiler, minor, exports(library).split()))
        clients = {m: build_client(tmp, m, homes["gcc"][m] / SONAME) for m in MINORS}
        # Headers of 1.2, but what it links is in 1.0: the rest it asks for by name.
        portable_tmp = tmp / "p"
        portable_tmp.mkdir()
        run("gcc", "-std=c11", "-Wno-cast-function-type", "-DSAMPLE_MINOR=2", "-DSAMPLE_PORTABLE", SAMPLE / "client.c", homes["gcc"][0] / SONAME,
            "-o", portable_tmp / "portable")
        runs = 0
        for compiler, folders in homes.items():
            problems += check_old_clients(clients, {m: f for m, f in folders.items()}, compiler)
            problems += check_new_clients(clients, folders, portable_tmp / "portable")
            runs += 3 + 3 + 3 + 3
        lookup = tmp / "lookup"
        run("gcc", "-std=c11", "-D_GNU_SOURCE", SAMPLE / "lookup.c", "-o", lookup, "-ldl")
        for compiler, folders in homes.items():
            if (said := run(lookup, folders[2] / SONAME)) != "dlsym 0, GE_1.0 8, GE_1.2 0\n":
                problems.append("%s: looking up by name gives %s" % (compiler, said))
        problems += check_history(tmp, homes["gcc"])
        say("rehearsal: %d runs of clients 1.0, 1.1, 1.2 and one that asks by name, libraries of gcc and clang" % runs)
    return problems


def check_history(tmp: Path, homes: dict[int, Path]) -> list[str]:
    """Layouts only grow; abidiff says so of growth and of nothing else; deprecation warns."""
    problems = []
    layouts = {m: sample_layout(m, tmp) for m in MINORS}
    for older, newer in ((0, 1), (1, 2), (0, 2)):
        problems += check_growth(layouts[older], layouts[newer])
    if not check_growth(layouts[1], layouts[0]):
        problems.append("a struct that shrinks goes unseen")
    for minor in MINORS:
        abi = tmp / ("1.%d.abi" % minor)
        abi.write_text(baseline(homes[minor] / SONAME, SAMPLE))
    if check_abidiff(tmp / "1.1.abi", homes[1] / SONAME, SAMPLE):
        problems.append("abidiff of 1.1 against itself is not clean")
    if not check_abidiff(tmp / "1.0.abi", homes[1] / SONAME, SAMPLE):
        problems.append("abidiff does not see the structs grow from 1.0 to 1.1")
    unit = tmp / "old_call.c"
    unit.write_text('#include "sample.h"\nint main(void) { return (int)ge_get_abi_version(); }\n')
    for minor, options, accept in ((1, [], (0,)), (2, [], (1,)), (2, ["-DGE_DISABLE_DEPRECATED"], (0,))):
        try:
            run("gcc", "-Werror=deprecated-declarations", "-I", SAMPLE, "-DSAMPLE_MINOR=%d" % minor, *options, "-c", unit, "-o", tmp / "o.o", accept=accept)
        except Failed as e:
            problems.append("deprecation in 1.%d: %s" % (minor, e))
    shutil.rmtree(tmp / "p")
    return problems
