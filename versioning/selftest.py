# SPDX-License-Identifier: Apache-2.0
"""The gate's self-test: plants breaks in copies of the real header, map and library, and wants each caught by its stage.

A planted library is the release build's own objects, with the sources that matter compiled anew against the planted header.
"""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import rehearsal
import stages
from stages import HERE, ROOT, SONAME, run

HEADER, MAP = ROOT / "abi/ge_c_api.h", HERE / "ge.map"


class Bench:
    """What all plants start from: the release build, and baselines made of it just now."""

    def __init__(self, build: Path, tmp: Path):
        self.tmp, self.commands = tmp, {}
        for entry in json.loads((build / "compile_commands.json").read_text()):
            if "ge_core.dir" in entry["command"]:
                self.commands[entry["file"]] = entry
        self.objects = {f: Path(e["directory"]) / re.search(r"-o (\S+)", e["command"]).group(1) for f, e in self.commands.items()}
        self.headers = tmp / "abi"
        self.headers.mkdir()
        shutil.copy(HEADER, self.headers)
        self.library = self.link(tmp / "sound", MAP.read_text(), {})
        self.symbols, self.layout = stages.exports(self.library), stages.layout(self.headers)
        self.abi = tmp / "sound.abi"
        self.abi.write_text(stages.baseline(self.library, self.headers))
        self.n = 0

    def folder(self) -> Path:
        self.n += 1
        folder = self.tmp / ("plant%d" % self.n)
        folder.mkdir()
        return folder

    def link(self, folder: Path, map_text: str, changed: dict[str, Path], *more, soname: str = SONAME) -> Path:
        """The library of all objects, those of `changed` sources replaced, with `more` objects or options."""
        folder.mkdir(exist_ok=True)
        (folder / "ge.map").write_text(map_text)
        objects = [changed.get(f, o) for f, o in self.objects.items()]
        library = folder / SONAME
        run("gcc", "-shared", "-o", library, *objects, *more, "-Wl,-soname," + soname, "-Wl,--version-script=%s" % (folder / "ge.map"),
            "-Wl,-z,now,-z,nodelete,-Bsymbolic-functions", "-lm", "-ldl", "-lpthread")
        return library

    def compile(self, source: str, folder: Path, text: str | None = None, *flags: str) -> Path:
        """One source of the library against folder/abi, with `text` in place of its own."""
        entry = self.commands[str(ROOT / source)]
        words = shlex.split(entry["command"])
        out = folder / (Path(source).stem + ".o")
        words[words.index("-o") + 1] = str(out)
        if text is not None:
            copy = folder / Path(source).name
            copy.write_text(text)
            words[words.index("-c") + 1] = str(copy)
        words[1:1] = ["-I%s" % (folder / "abi")]
        words += ["-w", *flags]
        run(*words, cwd=entry["directory"])
        return out

    def planted(self, header: str | None = None, sources: dict[str, str | None] | None = None, map_text: str | None = None, more=(),
                soname: str = SONAME) -> tuple[Path, Path]:
        """Header folder and library of a plant."""
        folder = self.folder()
        (folder / "abi").mkdir()
        (folder / "abi/ge_c_api.h").write_text(header if header is not None else HEADER.read_text())
        changed = {str(ROOT / s): self.compile(s, folder, text) for s, text in (sources or {}).items()}
        extra = []
        for i, code in enumerate(more):
            unit = folder / ("more%d.c" % i)
            unit.write_text(code)
            run("gcc", "-w", "-g", "-fPIC", "-c", unit, "-o", unit.with_suffix(".o"))
            extra.append(unit.with_suffix(".o"))
        return folder / "abi", self.link(folder, map_text if map_text is not None else MAP.read_text(), changed, *extra, soname=soname)


def swap(text: str, old: str, new: str, count: int = 1) -> str:
    """`text` with `old` replaced; a plant whose place has moved must not pass for planted."""
    if old not in text:
        sys.exit("gate: self-test: there is no '%s' to break any more; plant it elsewhere" % old[:60])
    return text.replace(old, new, count)


def source(path: str) -> str:
    return (ROOT / path).read_text()


OPTIONS_END = "ends with GE_ERR_DEADLINE; 0: none */\n"


def plants(b: Bench):
    """Rows: what is broken, the stage that must see it, and that stage run on it."""
    header, map_text = HEADER.read_text(), MAP.read_text()
    types, version, call = source("impl/api/types.c"), source("impl/api/version.c"), source("impl/api/call.c")

    def exports_of(**how):
        return lambda: stages.check_exports(b.planted(**how)[1], b.symbols)

    def abidiff_of(**how):
        def check():
            headers, library = b.planted(**how)
            return stages.check_abidiff(b.abi, library, headers)
        return check

    def header_only(text):
        folder = b.folder()
        (folder / "ge_c_api.h").write_text(text)
        return folder

    def layout_of(text):
        return lambda: stages.check_layout(header_only(text), b.layout)

    def growth_of(text):
        return lambda: stages.check_growth(b.layout, stages.layout(header_only(text)))

    def sizes_of(text):
        return lambda: stages.check_struct_sizes(*b.planted(sources={"impl/api/call.c": text}))

    bits = "uint32_t ge_dtype_get_bits(ge_dtype dtype)"
    wide = "uint32_t ge_dtype_get_bits(int64_t dtype)"
    long_result = "uint64_t ge_dtype_get_bits(ge_dtype dtype)"
    feature = "int32_t ge_has_feature(const char* GE_NONNULL name, size_t name_size)"
    swapped = "int32_t ge_has_feature(size_t name_size, const char* GE_NONNULL name)"
    feature_c, swapped_c = "ge_has_feature(const char *name, size_t name_size)", "ge_has_feature(size_t name_size, const char *name)"
    run_c = {"impl/api/run.c": None}
    new_field = OPTIONS_END + "    int64_t priority;\n"
    inserted = swap(header, "    int64_t deadline_ns;", "    int64_t priority;\n    int64_t deadline_ns;")
    widened = swap(header, "    int32_t is_dense;        /* 1: no gaps and last dim fastest */\n    uint32_t reserved_0;",
                   "    int64_t is_dense;")
    appended = swap(header, OPTIONS_END, new_field)
    no_bits = swap(map_text, "        ge_dtype_get_bits;\n", "")

    yield "function removed", "exports", exports_of(map_text=no_bits)
    yield "function renamed", "exports", exports_of(
        header=swap(header, "ge_dtype_get_bits(", "ge_dtype_get_width("), map_text=swap(map_text, "ge_dtype_get_bits", "ge_dtype_get_width"),
        sources={"impl/api/types.c": swap(types, "ge_dtype_get_bits", "ge_dtype_get_width")})
    yield "map entry forgotten", "link", lambda: stages.check_link(b.headers, b.planted(map_text=no_bits)[1])
    yield "function moved to another node", "exports", exports_of(map_text=no_bits + "GE_1.1 { global: ge_dtype_get_bits; } GE_1.0;\n")
    yield "default version switched", "exports", lambda: stages.check_exports(
        rehearsal.build_library(b.folder(), 2, map_text=swap((rehearsal.SAMPLE / "sample_1_2.map").read_text(), "ge_dtype_get_class;",
                                                            "ge_dtype_get_class; ge_get_abi_version;").replace("        ge_get_abi_version;\n", "", 1)),
        "\n".join(rehearsal.EXPORTS[2].split()) + "\n")
    yield "data symbol exported", "exports", exports_of(map_text=swap(map_text, "ge_get_version;", "ge_get_version; ge_counter;"),
                                                        more=["int ge_counter = 1;\n"])
    yield "internal symbol leaked", "exports", exports_of(map_text=swap(map_text, "ge_get_version;", "ge_get_version; gei_leaked;"),
                                                          more=["int gei_leaked(void) { return 1; }\n"])
    yield "name added to a released node", "frozen nodes", lambda: stages.check_frozen(
        swap(map_text, "ge_get_version;", "ge_get_version; ge_get_more;"), "GE_1.0 %s\n" % stages.node_checksum(stages.map_nodes(map_text)["GE_1.0"]))
    yield "soname changed", "dynamic section", lambda: stages.check_dynamic(b.planted(soname="libge.so.2")[1])
    yield "parameter width changed", "abidiff", abidiff_of(header=swap(header, bits, wide), sources={"impl/api/types.c": swap(types, bits, wide)})
    yield "return type changed", "abidiff", abidiff_of(header=swap(header, bits, long_result),
                                                       sources={"impl/api/types.c": swap(types, bits, long_result)})
    yield "parameters swapped", "abidiff", abidiff_of(header=swap(header, feature, swapped),
                                                      sources={"impl/api/version.c": swap(version, feature_c, swapped_c)})
    yield "const dropped from a pointer", "abidiff", abidiff_of(
        header=swap(header, feature, feature.replace("const ", "")), sources={"impl/api/version.c": swap(version, feature_c, feature_c.replace("const ", ""))})
    yield "field inserted, as abidiff sees it", "abidiff", abidiff_of(header=inserted, sources=run_c)
    yield "functions whose types abidw does not see", "abidiff", lambda: half_blind(b)
    yield "debug information stripped", "abidiff", lambda: stages.check_abidiff(b.abi, strip(b), b.headers)
    yield "field appended without a new golden file", "layout", layout_of(appended)
    yield "field inserted", "growth", growth_of(inserted)
    yield "field widened", "growth", growth_of(widened)
    yield "field removed", "growth", growth_of(re.sub(r"    uint64_t scratch_bytes;.*\n", "", header))
    yield "constant renumbered", "growth", growth_of(swap(header, "GE_FORMAT_NHWC = 1,", "GE_FORMAT_NHWC = 52,"))
    yield "constant removed", "growth", growth_of(swap(header, "    GE_DTYPE_HIFLOAT4 = 42,\n", ""))
    yield "macro changed", "layout", layout_of(swap(header, "#define GE_NTS SIZE_MAX", "#define GE_NTS UINT32_MAX"))
    yield "default in an init macro changed", "growth", growth_of(swap(header, "#define GE_RUN_OPTIONS_INIT {sizeof(ge_run_options), 0, 0}",
                                                                      "#define GE_RUN_OPTIONS_INIT {sizeof(ge_run_options), 0, 1}"))
    yield "struct sizes compared for equality", "struct sizes", sizes_of(swap(call, "if (size < first_size || size > GEI_STRUCT_SIZE_LIMIT)",
                                                                             "if (size != known_size)"))
    yield "struct read behind its end", "struct sizes", sizes_of(swap(call, "memcpy(to, from, size < known_size ? size : known_size);",
                                                                     "memcpy(to, from, known_size + 8);"))
    yield "unknown fields ignored", "struct sizes", sizes_of(swap(call, "if (bytes[i] == 0) continue;", "continue;"))
    yield "struct written behind its end", "struct sizes", sizes_of(swap(call, "    memcpy(to, filled, n);", "    memset(to, 0, 96); memcpy(to, filled, n);"))
    yield "old behaviour lost", "old clients", lambda: sample_broken(b, 1)
    yield "old struct size refused by equality", "old clients", lambda: sample_broken(b, 2)
    yield "least struct size grown along", "old clients", lambda: sample_broken(b, 3)
    yield "function added to a released node", "new clients", lambda: late_death(b)
    yield "tool missing", "tools", lambda: without("abidiff", b)


def half_blind(b: Bench) -> list[str]:
    """One source without debug information: of its functions abidw knows names only.  (Bare declarations elsewhere have the same effect
    on abidw 2.2 in some libraries and none in others, so they make no plant.)"""
    folder = b.folder()
    types = b.compile("impl/api/types.c", folder, None, "-g0")
    library = b.link(folder, MAP.read_text(), {str(ROOT / "impl/api/types.c"): types})
    return stages.check_abidiff(b.abi, library, b.headers)


def strip(b: Bench) -> Path:
    library = b.folder() / SONAME
    shutil.copy(b.library, library)
    run("strip", "--strip-debug", library)
    return library


def sample_broken(b: Bench, fault: int) -> list[str]:
    folder = b.folder()
    homes = {m: folder / str(m) for m in rehearsal.MINORS}
    for minor, home in homes.items():
        rehearsal.build_library(home, minor, "gcc", *(["-DSAMPLE_BREAK=%d" % fault] if minor == 2 else []))
    clients = {m: rehearsal.build_client(folder, m, homes[m] / SONAME) for m in (0, 1)}
    return rehearsal.check_old_clients(clients, homes, "planted")


def late_death(b: Bench) -> list[str]:
    """1.1's function put into node 1.0: its client starts on library 1.0 and dies later, where it should be refused at load."""
    folder = b.folder()
    homes = {m: folder / str(m) for m in (0, 1)}
    sample = (rehearsal.SAMPLE / "sample_1_0.map").read_text()
    rehearsal.build_library(homes[0], 0)
    rehearsal.build_library(homes[1], 1, map_text=swap(sample, "ge_run;", "ge_run; ge_dtype_get_class;"))
    client = rehearsal.build_client(folder, 1, homes[1] / SONAME)
    return [p for p in rehearsal.check_new_clients({1: client}, homes, client) if "client 1.1 on library 1.0" in p]


def without(tool: str, b: Bench) -> list[str]:
    """The gate with a PATH that lacks one tool."""
    folder = b.folder()
    for t in set(stages.TOOLS) - {tool}:
        os.symlink(shutil.which(t), folder / t)
    done = subprocess.run([sys.executable, HERE / "gate.py", "--fast"], capture_output=True, text=True, env=dict(os.environ, PATH=str(folder)))
    return ["%s is missing" % tool] if done.returncode and "%s is missing" % tool in done.stdout + done.stderr else []


def selftest(build: Path, say) -> list[str]:
    problems, n = [], 0
    with tempfile.TemporaryDirectory() as name:
        b = Bench(build, Path(name))
        # What is sound must pass, or a plant would prove nothing.
        for what, found in (("exports", stages.check_exports(b.library, b.symbols)), ("layout", stages.check_layout(b.headers, b.layout)),
                            ("growth", stages.check_growth(b.layout, b.layout)), ("abidiff", stages.check_abidiff(b.abi, b.library, b.headers)),
                            ("link", stages.check_link(b.headers, b.library)), ("dynamic section", stages.check_dynamic(b.library)),
                            ("struct sizes", stages.check_struct_sizes(b.headers, b.library)), ("old clients", sample_broken(b, 0))):
            problems += ["self-test: stage %s refuses what is sound: %s" % (what, p) for p in found]
        for what, stage, check in plants(b):
            n += 1
            caught = check()
            say("self-test: %-42s %s by %s" % (what, "caught" if caught else "NOT CAUGHT", stage))
            if not caught:
                problems.append("self-test: '%s' is not caught by stage %s" % (what, stage))
    say("self-test: %d kinds of breaks planted, %d missed" % (n, len(problems)))
    return problems
