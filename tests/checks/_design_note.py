# SPDX-License-Identifier: Apache-2.0
"""Reads abi/DESIGN_NOTE.md for header_matrix.sh.

    python _design_note.py DIR    writes its C listings as DIR/listing_<n>.c and fails when the note names something no header has
"""

import re
import sys
from pathlib import Path

from _header import read
from _repo import ROOT


def main() -> None:
    note = (ROOT / "abi/DESIGN_NOTE.md").read_text()
    listings = re.findall(r"^```c\n(.*?)^```", note, re.M | re.S)
    for k, text in enumerate(listings, 1):
        (Path(sys.argv[1]) / ("listing_%d.c" % k)).write_text(text)
    headers = [read(ROOT / "abi" / name) for name in ("ge_c_api.h", "planned.h")]
    known = {"ge_c_api"}
    members = {}
    for h in headers:
        known |= {f.name for f in h.functions + h.callbacks} | {s.name for s in h.structs} | h.handles()
        known |= {n for n, _, _ in h.typedefs} | {n for n, _, _ in h.constants} | {n for n, _, _ in h.macros}
        members.update({s.name: {p.name for p in s.fields} for s in h.structs})
    known |= {"GE_API", "GE_NODISCARD", "GE_NONNULL", "GE_NULLABLE"}
    bad = set()
    outside = re.sub(r"^```.*?^```", "", note, flags=re.M | re.S)
    for span in re.findall(r"`([^`]+)`", outside):
        for name, star, member in re.findall(r"(?<![\w.])((?:ge|GE)_\w+)(\*?)(?:\.(\w+))?", span):
            if star or name.endswith("_"):
                if not any(k.startswith(name) for k in known):
                    bad.add(name + "*")
            elif name not in known and name not in ("ge_initialize", "ge_finalize", "ge_global", "ge_x_"):
                bad.add(name)
            elif member and member not in members.get(name, {member}) and member not in ("h", "py"):
                bad.add("%s.%s" % (name, member))
    bad -= {"ge_x_*"}
    if bad or len(listings) < 3:
        sys.exit("abi/DESIGN_NOTE.md: %d listings, unknown names: %s" % (len(listings), ", ".join(sorted(bad)) or "none"))


main()
