"""What a bundle's own script says to damaged and lying files, under each shell: refused, with nothing written.

Whoever runs a stranger's script runs a stranger's script; here the script is the honest one, and the rest is not.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hostile.test_hostile_bundles import BIG
from made_hostile import END, Parts, member, take_apart

from opkg.bundle.header import HEADER_SIZE, Header

pytestmark = pytest.mark.slow

SHELLS = {"dash": ["dash"], "bash": ["bash"], "busybox": ["busybox", "ash"]}
_HERE = [shell for shell, words in SHELLS.items() if shutil.which(words[0])]


class Stub:
    """Runs files by a shell, and counts them."""

    def __init__(self, shell: str, folder: Path) -> None:
        self.tried = 0
        self._words = SHELLS[shell]
        self._folder = folder
        (folder / "pen" / "home").mkdir(parents=True)
        (folder / "honest").mkdir()
        self.parts: Parts = take_apart(folder / "honest", BIG)
        self.good = self.parts.with_tar(self.parts.tar)

    def run(self, data: bytes, *options: str) -> subprocess.CompletedProcess[str]:
        file = self._folder / "evil.run"
        file.write_bytes(data)
        pen = self._folder / "pen"
        self.tried += 1
        # Without opkg on PATH, so that the script is on its own.
        env = {"PATH": "/usr/bin:/bin", "HOME": str(pen / "home"), "ASCEND_OPP_PATH": str(pen / "root")}
        command = [*self._words, str(file), *options]
        return subprocess.run(command, env=env, cwd=pen, capture_output=True, text=True, errors="replace", timeout=60)

    def written(self) -> list[str]:
        pen = self._folder / "pen"
        return [str(p.relative_to(pen)) for p in pen.rglob("*") if p.name != "home"]

    def refuses(self, name: str, data: bytes, *options: str) -> None:
        done = self.run(data, *options)
        assert done.returncode != 0, (name, done)
        assert done.stderr, name
        assert self.written() == [], name


@pytest.fixture(params=_HERE)
def stub(
    request: pytest.FixtureRequest, tmp_path: Path, record_property: Callable[[str, object], None]
) -> Iterator[Stub]:
    made = Stub(request.param, tmp_path)
    yield made
    record_property("cases", made.tried)


def test_the_honest_file_is_intact(stub: Stub) -> None:
    done = stub.run(stub.good, "--check")
    assert (done.returncode, done.stderr) == (0, "")


def test_a_header_edit_at_any_byte(stub: Stub) -> None:
    for place in range(len("#!/bin/sh\n"), HEADER_SIZE):
        edited = stub.good[:place] + bytes([stub.good[place] ^ 1]) + stub.good[place + 1 :]
        stub.refuses(f"byte {place}", edited, "--force")


def test_a_file_cut_at_every_4_kib_behind_the_script(stub: Stub) -> None:
    script = Header.decode(stub.good[:HEADER_SIZE]).stub
    for place in [*range(-(-script // 4096) * 4096, len(stub.good), 4096), script, script + 1, len(stub.good) - 1]:
        stub.refuses(f"cut at {place}", stub.good[:place], "--force")


def test_a_script_that_was_cut_installs_nothing(stub: Stub) -> None:
    """Half a script may end well or not; whatever it does, it must not write."""
    script = Header.decode(stub.good[:HEADER_SIZE]).stub
    for place in range(0, script, 997):
        stub.run(stub.good[:place], "--force")
        assert stub.written() == [], place


def test_a_longer_file_and_changed_parts(stub: Stub) -> None:
    header = Header.decode(stub.good[:HEADER_SIZE])
    for more in (1, 512, 1 << 16):
        stub.refuses(f"{more} bytes more", stub.good + b"\0" * more, "--force")
    for place in (header.stub - 1, header.stub, header.stub + header.manifest, len(stub.good) - 1):
        changed = stub.good[:place] + bytes([stub.good[place] ^ 1]) + stub.good[place + 1 :]
        stub.refuses(f"byte {place} changed", changed, "--force")


def test_sizes_that_lie(stub: Stub) -> None:
    honest = Header.decode(stub.good[:HEADER_SIZE])
    for field in ("stub", "manifest", "payload", "signature"):
        for value in (0, 1, 10**12 - 1, getattr(honest, field) + 1):
            if value != getattr(honest, field):
                lie = replace(honest, **{field: value}).encode() + stub.good[HEADER_SIZE:]
                stub.refuses(f"{field} = {value}", lie, "--force")


@pytest.mark.parametrize("name", ["../escaped", "../../escaped", "a/../../escaped", "{outside}/escaped"])
def test_names_that_lead_out_write_nothing_outside(stub: Stub, tmp_path: Path, name: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    name = name.format(outside=outside)
    evil = stub.parts.with_tar(member(b"ok", b"x") + member(name.encode(), b"evil") + END)
    dest = tmp_path / "pen" / "dest"
    stub.run(evil, "--force", f"--extract={dest}")
    stray = [p for p in tmp_path.rglob("escaped") if dest not in p.parents]
    assert stray == [] and list(outside.iterdir()) == []
