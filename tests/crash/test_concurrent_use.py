"""Processes that install, remove, collect, list and verify on one root at once."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from crash.stopping import Bundles

from opkg.store import Root

BUNDLES = ("square_1", "square_2", "cube_1", "tri_1", "other_1")


def test_nothing_is_lost_and_no_reader_sees_half_a_change(tmp_path: Path, cases: list[str]) -> None:
    bundles = Bundles(tmp_path)
    files = [str(getattr(bundles, name)) for name in BUNDLES]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(Path(__file__).with_name("worker.py")), str(Path(folder) / "root")]
        roles = ["writer"] * 4 + ["reader"] * 4
        workers = [
            subprocess.Popen(
                [*command, role, str(seed), *files], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
            for seed, role in enumerate(roles)
        ]
        for worker in workers:
            out, err = worker.communicate(timeout=120)
            assert worker.returncode == 0, err
            cases += ["tried"] * int(out)
        root = Root(Path(folder) / "root")
        assert root.verify() == []
        assert not list(root.path.glob(".opkg/staging*"))
        for file in files:
            root.install(file)
        keys = sorted(f"{package.manifest.key} {package.manifest.version}" for package in root.packages())
        assert keys == [
            "customize/cube 1.0.0",
            "customize/square 2.0.0",
            "customize/tri 1.0.0",
            "elsewhere/other 1.0.0",
        ]
