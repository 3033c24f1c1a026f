"""Install roots that take only what a trusted key signed."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from made_bundles import UnsyncedDisk, make_bundle

from opkg.bundle import sign_bundle
from opkg.bundle.keys import PrivateKey, new_key, read_private_key
from opkg.errors import BundleError, NotFoundError, SignatureError, StoreError
from opkg.store import Root, requires_signed, trusted_keys

pytest.importorskip("cryptography")

Maker = Callable[..., Path]


@pytest.fixture(autouse=True)
def _no_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPKG_NO_PLUGINS", "1")


@pytest.fixture
def root(tmp_path: Path) -> Root:
    return Root(tmp_path / "a root", disk=UnsyncedDisk())


@pytest.fixture
def acme(tmp_path: Path) -> PrivateKey:
    return read_private_key(new_key("acme", tmp_path / "keys")[0])


@pytest.fixture
def mallory(tmp_path: Path) -> PrivateKey:
    return read_private_key(new_key("mallory", tmp_path / "keys")[0])


@pytest.fixture
def strict(root: Root, acme: PrivateKey) -> Root:
    root.trust("acme", acme.public)
    root.require_signed(True)
    return root


def made(tmp_path: Path, key: PrivateKey | None, version: str = "1.0.0", name: str = "square") -> Path:
    bundle = make_bundle(tmp_path / f"{name}-{version}.run", name, name.title(), version=version)
    if key is not None:
        sign_bundle(bundle, key)
    return bundle


def content(folder: Path) -> dict[str, object]:
    return {
        str(p.relative_to(folder)): (
            p.lstat().st_mtime_ns,
            p.readlink() if p.is_symlink() else p.is_dir() or p.read_bytes(),
        )
        for p in sorted(folder.rglob("*"))
    }


def versions(root: Root) -> list[str]:
    return [p.manifest.version for p in root.packages()]


def test_a_root_without_a_policy_takes_anything(tmp_path: Path, root: Root, mallory: PrivateKey) -> None:
    assert root.install(made(tmp_path, None)).signed_by == ""
    assert root.install(made(tmp_path, mallory, "2.0.0")).signed_by == ""
    assert not requires_signed(root.path)


def test_a_trusted_signature_is_taken_and_named(tmp_path: Path, strict: Root, acme: PrivateKey) -> None:
    result = strict.install(made(tmp_path, acme))
    assert result.signed_by == "acme"
    assert result.to_dict()["signed_by"] == "acme"
    assert versions(strict) == ["1.0.0"]


@pytest.mark.parametrize("already", [False, True])
def test_unsigned_untrusted_and_changed_are_refused_before_anything_changes(
    tmp_path: Path, strict: Root, acme: PrivateKey, mallory: PrivateKey, already: bool
) -> None:
    if already:
        strict.install(made(tmp_path, acme, "0.9.0"))
    before = content(strict.path)
    changed = made(tmp_path, acme, "3.0.0")
    data = bytearray(changed.read_bytes())
    data[-2] = ord("0") if data[-2] != ord("0") else ord("1")
    changed.write_bytes(data)
    for bundle, what in (
        (made(tmp_path, None), "is not signed"),
        (made(tmp_path, mallory, "2.0.0"), "which .* does not trust"),
        (changed, "does not match what is in it"),
    ):
        with pytest.raises(SignatureError, match=what):
            strict.install(bundle, force=True)
        assert content(strict.path) == before


def test_one_installation_can_require_what_the_root_does_not(tmp_path: Path, root: Root, acme: PrivateKey) -> None:
    unsigned = made(tmp_path, None)
    with pytest.raises(SignatureError, match="trusts no key yet"):
        root.install(unsigned, require_signed=True)
    assert not root.path.exists()
    root.trust("acme", acme.public)
    with pytest.raises(SignatureError, match="is not signed"):
        root.install(unsigned, require_signed=True)
    assert root.install(made(tmp_path, acme, "1.1"), require_signed=True).signed_by == "acme"
    assert root.install(made(tmp_path, None, "1.2")).signed_by == ""


def test_files_that_are_not_those_that_were_signed_are_refused(tmp_path: Path, strict: Root, acme: PrivateKey) -> None:
    bundle = made(tmp_path, acme)
    data = bytearray(bundle.read_bytes())
    data[-700] ^= 1
    bundle.write_bytes(data)
    with pytest.raises(BundleError, match=r"damaged|match"):
        strict.install(bundle)
    assert versions(strict) == []


@pytest.mark.parametrize("purged", [False, True])
def test_an_older_version_is_refused_even_after_the_newer_is_gone(
    tmp_path: Path, strict: Root, acme: PrivateKey, purged: bool
) -> None:
    old, new = made(tmp_path, acme, "1.9"), made(tmp_path, acme, "1.10")
    strict.install(new)
    if purged:
        strict.uninstall("customize", purge=True)
    with pytest.raises(SignatureError, match=r"1\.9 is not newer than 1\.10") as caught:
        strict.install(old)
    assert caught.value.code == "OPKG-5220"
    assert strict.install(old, allow_downgrade=True).signed_by == "acme"
    assert versions(strict) == ["1.9"]
    # Going back does not make the root forget.
    with pytest.raises(SignatureError, match=r"than 1\.10"):
        strict.install(made(tmp_path, acme, "1.9.5"))
    assert strict.install(new).changed
    assert not strict.install(new).changed


def test_versions_that_cannot_be_compared_are_not_newer(tmp_path: Path, strict: Root, acme: PrivateKey) -> None:
    strict.install(made(tmp_path, acme, "spring"))
    with pytest.raises(SignatureError, match="is not newer"):
        strict.install(made(tmp_path, acme, "summer"))
    with pytest.raises(SignatureError, match="is not newer"):
        strict.install(made(tmp_path, acme, "2.0"))
    assert not strict.install(made(tmp_path, acme, "spring")).changed


def test_another_package_has_versions_of_its_own(tmp_path: Path, strict: Root, acme: PrivateKey) -> None:
    strict.install(made(tmp_path, acme, "2.0"))
    assert strict.install(made(tmp_path, acme, "1.0", name="cube")).signed_by == "acme"


def test_a_key_that_is_not_trusted_any_longer_signs_nothing(
    tmp_path: Path, strict: Root, acme: PrivateKey, mallory: PrivateKey
) -> None:
    strict.install(made(tmp_path, acme, "1.0"))
    strict.trust("other", mallory.public)
    strict.untrust("acme")
    assert [key.name for key in trusted_keys(strict.path)] == ["other"]
    with pytest.raises(SignatureError, match="does not trust"):
        strict.install(made(tmp_path, acme, "1.1"))
    assert versions(strict) == ["1.0"]
    with pytest.raises(NotFoundError, match="trusts no key named 'acme'"):
        strict.untrust("acme")


def test_a_name_cannot_quietly_become_another_key(strict: Root, acme: PrivateKey, mallory: PrivateKey) -> None:
    with pytest.raises(StoreError, match="another key named 'acme'"):
        strict.trust("acme", mallory.public)
    strict.trust("acme", acme.public)
    assert trusted_keys(strict.path)[0].key == acme.public


def test_the_policy_needs_a_key_and_can_be_taken_back(tmp_path: Path, root: Root, acme: PrivateKey) -> None:
    with pytest.raises(SignatureError, match="trusts no key yet"):
        root.require_signed(True)
    root.trust("acme", acme.public)
    root.require_signed(True)
    assert requires_signed(root.path)
    root.require_signed(False)
    assert root.install(made(tmp_path, None)).changed


def test_a_damaged_record_of_versions_lets_nothing_in(tmp_path: Path, strict: Root, acme: PrivateKey) -> None:
    strict.install(made(tmp_path, acme, "1.0"))
    (strict.path / ".opkg" / "keys" / "newest.json").write_text('{"versions": 3}')
    with pytest.raises(StoreError, match=r"newest\.json is damaged"):
        strict.install(made(tmp_path, acme, "1.1"))
    assert versions(strict) == ["1.0"]


def test_what_another_installer_left_is_not_adopted_where_signatures_are_required(
    tmp_path: Path, strict: Root, acme: PrivateKey
) -> None:
    foreign = strict.path / "vendors" / "customize"
    (foreign / "op_impl").mkdir(parents=True)
    (foreign / "op_impl" / "x").write_text("x")
    with pytest.raises(SignatureError, match="made by another installer and is not signed"):
        strict.install(made(tmp_path, acme), adopt=True)
    assert not foreign.is_symlink()


def test_the_installer_inside_a_bundle_leaves_such_a_root_to_opkg(
    tmp_path: Path, strict: Root, acme: PrivateKey
) -> None:
    before = content(strict.path)
    env = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
    command = ["sh", made(tmp_path, acme), f"--install-path={strict.path}", "--force"]
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    assert done.returncode == 1
    assert "takes only signed packages\n  checking a signature needs opkg" in done.stderr
    assert content(strict.path) == before


def test_an_upgrade_takes_only_what_is_signed_and_remembers_it(
    tmp_path: Path, strict: Root, acme: PrivateKey, mallory: PrivateKey
) -> None:
    strict.install(made(tmp_path, acme))
    new = tmp_path / "new"
    new.mkdir()
    for key in (None, mallory):
        made(new, key, "2.0.0")
        with pytest.raises(SignatureError):
            strict.upgrade(source=new)
        with pytest.raises(SignatureError):
            strict.activate("customize/square>=2", source=new)
    assert [package.manifest.version for package in strict.packages()] == ["1.0.0"]
    made(new, acme, "2.0.0")
    assert strict.upgrade(source=new)
    strict.rollback()
    strict.collect()
    with pytest.raises(SignatureError, match=r"1\.5\.0 is not newer than 2\.0\.0"):
        strict.install(made(tmp_path, acme, "1.5.0"))


def test_an_older_version_that_is_kept_needs_a_word_too_but_going_back_does_not(
    tmp_path: Path, strict: Root, acme: PrivateKey
) -> None:
    for version in ("1.0.0", "2.0.0"):
        strict.install(made(tmp_path, acme, version))
    with pytest.raises(SignatureError, match="is not newer than"):
        strict.activate("customize/square==1.0.0")
    strict.activate("customize/square==1.0.0", allow_downgrade=True)
    strict.rollback()
    assert [package.manifest.version for package in strict.packages()] == ["2.0.0"]
