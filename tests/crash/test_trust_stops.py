"""Trust in keys, the policy, and installing under it: stopped at any call, they are as before or after."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from crash.stopping import WRITES, Stopped, StoppingDisk
from made_bundles import UnsyncedDisk, make_bundle

from opkg.bundle import sign_bundle
from opkg.bundle.keys import new_key, read_private_key
from opkg.errors import SignatureError
from opkg.store import Root, requires_signed, trusted_keys

pytest.importorskip("cryptography")
assert WRITES

CHANGES = ["trust", "untrust", "require", "require no longer", "first install", "upgrade"]


def _bundle(folder: Path, version: str) -> Path:
    """Without libraries, which would be tried in a process of their own."""
    return make_bundle(folder / f"{version}.run", version=version, files={"index.json": "{}", "version.info": version})


class Case:
    """A root that trusts acme and takes only signed packages, and what is done to it."""

    def __init__(self, folder: Path, name: str) -> None:
        self.acme, self.other = (read_private_key(new_key(n, folder)[0]) for n in ("acme", "other"))
        self.bundles = [_bundle(folder, v) for v in ("1.0", "2.0")]
        for bundle in self.bundles:
            sign_bundle(bundle, self.acme)
        self.unsigned = _bundle(folder, "3.0")
        self.template, self.path = folder / "template", folder / "root"
        root = Root(self.template, disk=UnsyncedDisk())
        root.trust("acme", self.acme.public)
        if name != "require":
            root.require_signed(True)
        if name == "upgrade":
            root.install(self.bundles[0])
        self.change: Callable[[Root], object] = {
            "trust": lambda r: r.trust("other", self.other.public),
            "untrust": lambda r: r.untrust("acme"),
            "require": lambda r: r.require_signed(True),
            "require no longer": lambda r: r.require_signed(False),
            "first install": lambda r: r.install(self.bundles[0]),
            "upgrade": lambda r: r.install(self.bundles[1]),
        }[name]

    def stopped(self, at: int, when: str) -> StoppingDisk:
        shutil.rmtree(self.path, ignore_errors=True)
        shutil.copytree(self.template, self.path, symlinks=True)
        disk = StoppingDisk(at, when)
        try:
            self.change(Root(self.path, disk=disk))
        except Stopped:
            assert disk.dead
        return disk

    def seen(self) -> tuple[object, ...]:
        root = Root(self.path)
        versions = tuple(p.manifest.version for p in root.packages())
        return tuple(k.name for k in trusted_keys(self.path)), requires_signed(self.path), versions


@pytest.mark.parametrize("name", CHANGES)
def test_a_change_of_trust_stopped_at_any_call(name: str, tmp_path: Path, cases: list[str], monkeypatch) -> None:
    monkeypatch.setenv("OPKG_NO_PLUGINS", "1")
    case = Case(tmp_path, name)
    calls = case.stopped(-1, "before").calls
    new = case.seen()
    case.stopped(0, "before")
    old = case.seen()
    assert old != new
    for at in range(len(calls)):
        for when in ("before", "amid", "after"):
            disk = case.stopped(at, when)
            cases.append(f"{name} {at} {when}")
            assert disk.dead
            assert case.seen() in (old, new), (at, when)
            if old[1] and new[1]:
                with pytest.raises(SignatureError):
                    Root(case.path, disk=UnsyncedDisk()).install(case.unsigned)
            if case.seen() != new:
                case.change(Root(case.path, disk=UnsyncedDisk()))
            assert case.seen() == new, (at, when)
