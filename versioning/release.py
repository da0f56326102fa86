# SPDX-License-Identifier: Apache-2.0
"""Releases: what is kept of each minor, the script that adds one, and the stage that plays them against today's library.

    python versioning/release.py add           keep the minor that versioning/VERSION names, from the release build in $GE_RELEASE

A release is a folder releases/<minor>/: for each architecture libge.so.1 (stripped of debug information), client (linked against
it, stripped) and its baseline; for all of them layout.txt, symbols.txt and client.txt, what the client prints.  The node's
checksum goes to frozen.txt.  Nothing of it is ever changed afterwards, but for a newer patch of the same minor.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import stages
from stages import ARCH, HERE, ROOT, SONAME, run

RELEASES = HERE / "releases"
CLIENT = HERE / "client.c"


def build_client(headers: Path, library: Path, out: Path) -> None:
    run("gcc", "-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-DGE_NO_NULLABILITY", "-I", headers, CLIENT, library, "-o", out, "-Wl,-z,now")
    run("strip", out)


def play(client: Path, library: Path) -> tuple[int, str, str]:
    """Exit code and output of a client with one library beside it."""
    with tempfile.TemporaryDirectory() as tmp:
        shutil.copy(library, Path(tmp, SONAME))
        done = subprocess.run([client], capture_output=True, text=True, env=dict(os.environ, LD_LIBRARY_PATH=tmp, LC_ALL="C"))
    return done.returncode, done.stdout, done.stderr.strip()


def add(folder: Path, library: Path, headers: Path, map_text: str, frozen: Path, minor: str) -> None:
    """Writes the folder of a minor and freezes its node."""
    here = folder / ARCH
    here.mkdir(parents=True, exist_ok=True)
    (here / "ge.abi").write_text(stages.baseline(library, headers))
    run("strip", "--strip-debug", library, "-o", here / SONAME)
    build_client(headers, library, here / "client")
    code, out, err = play(here / "client", here / SONAME)
    if code:
        raise stages.Failed("the client fails on the library of its own release: %s%s" % (out, err))
    (folder / "client.txt").write_text(out)
    (folder / "layout.txt").write_text(stages.layout(headers))
    (folder / "symbols.txt").write_text(stages.exports(library))
    node = "GE_" + minor
    names = stages.map_nodes(map_text).get(node)
    if names is None:
        raise stages.Failed("versioning/ge.map has no node %s" % node)
    lines = frozen.read_text().splitlines() if frozen.exists() else []
    lines = [line for line in lines if not line.startswith(node + " ")] + ["%s %s" % (node, stages.node_checksum(names))]
    frozen.write_text("\n".join(lines) + "\n")


def check_folder(folder: Path, library: Path, headers: Path, newer: bool = True) -> list[str]:
    """Today's library against what a release kept; `newer`: today's is of a later minor, so its own client must be refused."""
    minor, here, problems = folder.name, folder / ARCH, []
    if not (here / SONAME).exists():
        return ["release %s keeps nothing for %s" % (minor, ARCH)]
    problems += stages.check_growth((folder / "layout.txt").read_text(), stages.layout(headers))
    kept = set((folder / "symbols.txt").read_text().split("\n"))
    now = set(stages.exports(library).split("\n")) | {line.replace("@@", "@") for line in stages.exports(library).split("\n")}
    problems += ["symbol gone since %s: %s" % (minor, s) for s in sorted(kept) if s.replace("@@", "@") not in now]
    wanted = (0, (folder / "client.txt").read_text(), "")
    if (got := play(here / "client", library)) != wanted:
        problems.append("client of %s on today's library: %s instead of %s" % (minor, got, wanted))
    if newer:
        with tempfile.TemporaryDirectory() as tmp:
            client = Path(tmp, "client")
            build_client(headers, library, client)
            code, out, err = play(client, here / SONAME)
        if code == 0 or not re.search(r"version `GE_\d+\.\d+' not found \(required by .*client\)", err):
            if out != (folder / "client.txt").read_text():
                problems.append("today's client on library %s: exit %d: %s%s" % (minor, code, out, err))
    return problems


def check_released(library: Path, headers: Path, say) -> list[str]:
    """Every release kept; and, as long as there is none, the way of keeping one, tried on today's library."""
    folders = sorted(f for f in RELEASES.glob("*") if f.is_dir()) if RELEASES.exists() else []
    problems = [p for f in folders for p in check_folder(f, library, headers)]
    with tempfile.TemporaryDirectory() as tmp:
        folder, frozen = Path(tmp, "1.0"), Path(tmp, "frozen.txt")
        map_text = (HERE / "ge.map").read_text()
        add(folder, library, headers, map_text, frozen, "1.0")
        problems += check_folder(folder, library, headers, newer=False)
        problems += stages.check_frozen(map_text, frozen.read_text())
        lines = (folder / "client.txt").read_text().count("\n")
    say("released minors: %d kept; a trial release of today's library: a client of %d lines" % (len(folders), lines))
    return problems


def main() -> None:
    if sys.argv[1:] != ["add"]:
        sys.exit(__doc__)
    version = (HERE / "VERSION").read_text().split()[0]
    minor = ".".join(version.split(".")[:2])
    if minor.startswith("0."):
        sys.exit("release: %s is a draft; the first minor that is kept is 1.0" % version)
    build = Path(os.environ["GE_RELEASE"])
    add(RELEASES / minor, (build / "lib/libge.so").resolve(), ROOT / "abi", (HERE / "ge.map").read_text(), HERE / "frozen.txt", minor)
    print("release: kept %s for %s; run it on the other architecture too, then open node GE_%s.%d in ge.map"
          % (version, ARCH, minor.split(".")[0], int(minor.split(".")[1]) + 1))


if __name__ == "__main__":
    main()
