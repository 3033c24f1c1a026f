"""How long a user waits for the command line itself."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from harness import Row, alternate, command

OPKG = [sys.executable, "-m", "opkg"]


def rows() -> Iterator[Row]:
    bare = command([sys.executable, "-c", "pass"])
    ours, theirs = alternate(command([*OPKG, "--help"]), bare, rounds=21)
    yield Row("opkg --help", "python -c pass", ours, theirs, 45, added=True)
    with tempfile.TemporaryDirectory() as scratch:
        many, few = Path(scratch, "many"), Path(scratch, "few")
        fill(many, packages=100, operators=100)
        fill(few, packages=1, operators=10)
        env = os.environ | {"XDG_CACHE_HOME": f"{scratch}/cache"}
        ours, theirs = alternate(
            command([*OPKG, "list", "--install-path", str(many)], env=env),
            command([*OPKG, "list", "--install-path", str(few)], env=env),
            rounds=15,
        )
        yield Row("opkg list, 10,000 operators in 100 packages", "the same with 10", ours, theirs, 30, added=True)


def fill(root: Path, *, packages: int, operators: int) -> None:
    """An install root with that many packages of that many operators each, installed as any other."""
    from opkg.bundle import Manifest, OperatorEntry, write_bundle
    from opkg.opinfo import OpInfo, Param
    from opkg.store import Root

    x, y = Param("x", "required", ("float32",), ("ND",)), Param("y", "required", ("float32",), ("ND",))
    root.mkdir()
    for p in range(packages):
        found = tuple(OperatorEntry(OpInfo(f"Op{p}N{i}", (x,), (y,))) for i in range(operators))
        manifest = Manifest(f"many{p}", f"vendor{p}", "1.0.0", found, arch=os.uname().machine)
        tree = root.parent / f"tree{p}"
        tree.mkdir(exist_ok=True)
        (tree / "version.info").write_text("custom_opp_compiler_version=1\n", "utf-8")
        bundle = write_bundle(tree, manifest, root.parent / f"{root.name}{p}.run")
        Root(root).install(bundle)
