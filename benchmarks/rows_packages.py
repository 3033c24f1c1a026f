"""Building what is built, and installing what is large."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import projects
from harness import Row, alternate, command

FILES = 1000


def rows() -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as scratch:
        yield nothing_to_do(Path(scratch))
        yield install(Path(scratch))


def nothing_to_do(folder: Path) -> Row:
    """`opkg build` of an up-to-date project, against ninja on the same build folders."""
    from opkg.build.tools import find_tool

    project = projects.scaffold("Square", folder)
    projects.opkg("build", cwd=project)
    builds = sorted(p.parent for p in project.rglob("build.ninja"))
    assert builds, "opkg build leaves no ninja build behind"
    # The same ninja as opkg's: another version would throw the build's log away and build anew.
    ninja = find_tool("ninja")

    def theirs() -> None:
        for build in builds:
            subprocess.run([ninja, "-C", str(build)], check=True, stdout=subprocess.DEVNULL)

    ours, other = alternate(command([*projects.OPKG, "build"], cwd=project), theirs, rounds=11)
    return Row("opkg build, nothing to do", "ninja, nothing to do", ours, other, 150, added=True)


def install(folder: Path) -> Row:
    """Install of a bundle of 1,000 files, verified and fsynced, against unpacking the same payload with tar."""
    from opkg.bundle import Manifest, write_bundle
    from opkg.store import Root

    tree, draw = folder / "tree", random.Random(1)
    for i in range(FILES):
        target = tree / f"op_impl/ai_core/tbe/many_impl/dynamic/d{i % 20}/f{i}.cpp"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(draw.randbytes(10_000) + bytes(10_000))
    bundle = write_bundle(tree, Manifest("many", "many", "1.0.0", (), arch=os.uname().machine), folder / "many.run")
    subprocess.run(["tar", "czf", folder / "many.tgz", "-C", tree, "."], check=True)

    def ours() -> None:
        Root(fresh(folder / "root")).install(bundle)

    def theirs() -> None:
        subprocess.run(["tar", "xzf", folder / "many.tgz", "-C", fresh(folder / "plain")], check=True)

    mine, other = alternate(ours, theirs, rounds=9)
    return Row(f"install of {FILES} files, verified and fsynced", "tar xzf of the same payload", mine, other, 4.0)


def fresh(folder: Path) -> Path:
    """The folder, made empty."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder
