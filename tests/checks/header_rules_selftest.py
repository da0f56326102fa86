# SPDX-License-Identifier: Apache-2.0
"""Plants violations in copies of the public header; header_rules.py must name the rule of each."""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from _repo import ROOT, report

# Rule, what is wrong, text of the header, what takes its place.
BITS = "GE_API uint32_t ge_dtype_get_bits(ge_dtype dtype) GE_NOEXCEPT;"
FIND = "ge_dtype_find(const char* GE_NONNULL name, size_t name_size,\n    ge_dtype* GE_NONNULL out_dtype)"
PLANTS = [
    ("H1", "an include too many", "#include <stdint.h>", "#include <stdint.h>\n#include <stdio.h>"),
    ("H3", "a type that may not cross", BITS, BITS.replace("uint32_t", "long")),
    ("H3", "a struct by value", "ge_tensor_desc* GE_NONNULL desc, size_t desc_size", "ge_tensor_desc desc, size_t desc_size"),
    ("H3", "a bit-field", "    int64_t deadline_ns;", "    int64_t deadline_ns : 5;"),
    ("H4", "a named enum", "enum {\n    GE_OK = 0,", "enum ge_all {\n    GE_OK = 0,"),
    ("H4", "a constant without a number", "    GE_CLASS_STATE = 3,", "    GE_CLASS_STATE,"),
    ("H5", "a number used twice", "    GE_CLASS_STATE = 3,", "    GE_CLASS_STATE = 2,"),
    ("H6", "a constant that changes with additions", "    GE_CLASS_STATE = 3,", "    GE_CLASS_MAX = 3,"),
    ("H7", "a name without the prefix", "typedef struct ge_model ge_model;", "typedef struct model model;"),
    ("H8", "a name out of the grammar", "ge_dtype_get_bits(", "ge_bits_of_dtype("),
    ("H9", "an input that is not const", FIND, FIND.replace("const char*", "char*")),
    ("H10", "a pointer without a mark", FIND, FIND.replace("const char* GE_NONNULL", "const char*")),
    ("H11", "GE_NOEXCEPT forgotten", BITS, BITS.replace(" GE_NOEXCEPT", "")),
    ("H11", "GE_NODISCARD forgotten", "GE_API GE_NODISCARD ge_status ge_dtype_find", "GE_API ge_status ge_dtype_find"),
    ("H12", "a variadic function", BITS, BITS.replace("ge_dtype dtype", "ge_dtype dtype, ...")),
    ("H12", "a macro with parameters", "#define GE_NTS SIZE_MAX", "#define GE_NTS SIZE_MAX\n#define GE_TWICE(x) ((x) + (x))"),
    ("H13", "seven parameters", FIND, FIND.replace("(", "(int32_t a, int32_t b, int32_t c, int32_t d, ")),
    ("H14", "a comment without errors", " * @errors none\n * @since 1.0  @deprecated no\n */\n" + BITS, " * @since 1.0  @deprecated no\n */\n" + BITS),
    ("H14", "a comment without version", " * @errors none\n * @since 1.0  @deprecated no\n */\n" + BITS, " * @errors none\n * @deprecated no\n */\n" + BITS),
    ("H14", "no comment", " */\n" + BITS, " */\n\nstruct ge_gap;\n\n\n" + BITS),
    ("H14", "a parameter the comment does not know", BITS, BITS.replace("dtype dtype", "dtype other")),
    ("section 5", "an ownership word too many", "out_model  out, owned: ge_model_destroy", "out_model  out, owned, copied: ge_model_destroy"),
    ("R1", "an unknown thread rule", " * @thread const  @blocks while compiling", " * @thread sometimes  @blocks while compiling"),
    ("S1", "a struct without its size", "typedef struct ge_run_options {\n    uint32_t struct_size;", "typedef struct ge_run_options {\n    uint32_t size;"),
    ("S4", "an output struct without its size", "ge_tensor_info* GE_NONNULL out_info,\n    size_t out_info_size", "ge_tensor_info* GE_NONNULL out_info"),
    ("S8", "no init macro", "#define GE_RUN_OPTIONS_INIT", "#define GE_RUN_OPTIONS_NONE"),
    ("T4", "size_t in a struct", "    uint64_t scratch_bytes;", "    size_t scratch_bytes;"),
    ("T6", "an input behind an output", FIND, FIND.replace("out_dtype)", "out_dtype, int32_t late)")),
    ("B3", "a parameter with a reserved name", BITS, BITS.replace("ge_dtype dtype", "ge_dtype type")),
    ("B4", "an array without its count", FIND, FIND.replace("size_t name_size", "size_t length")),
]


def said(folder: Path) -> str:
    return subprocess.run([sys.executable, ROOT / "tests/checks/header_rules.py", folder], capture_output=True, text=True).stdout


def main() -> None:
    problems, header = [], (ROOT / "abi/ge_c_api.h").read_text()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(ROOT / "abi/planned.h", folder)
        shutil.copy(ROOT / "abi/ge_c_api.h", folder)
        sound = said(folder)
        if "keep them" not in sound:
            problems.append("the sound header is refused: " + sound[:300])
        for rule, what, old, new in PLANTS:
            if old not in header:
                problems.append("'%s': the header has no '%s' to change any more; plant it elsewhere" % (what, old[:60]))
                continue
            (folder / "ge_c_api.h").write_text(header.replace(old, new, 1))
            if rule + ":" not in said(folder):
                problems.append("%s: %s goes unseen" % (rule, what))
    report(problems, "header rules, self-test: %d violations planted, all named by their rule" % len(PLANTS))


main()
