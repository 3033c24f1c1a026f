"""Keys, and signatures in bundles."""

from __future__ import annotations

import builtins
import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
from made_bundles import make_bundle

from opkg.bundle import check_signature, open_bundle, sign_bundle
from opkg.bundle.header import HEADER_SIZE
from opkg.bundle.keys import PrivateKey, find_key, new_key, read_private_key, read_public_key
from opkg.errors import BundleError, SignatureError, UsageError

pytest.importorskip("cryptography")


@pytest.fixture
def key(tmp_path: Path) -> PrivateKey:
    return read_private_key(new_key("acme", tmp_path / "keys")[0])


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    return make_bundle(tmp_path / "x.run")


# ---- keys


def test_a_private_key_is_its_owners_alone_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        private, public = new_key("acme", tmp_path / "keys")
    finally:
        os.umask(before)
    assert stat.S_IMODE(private.stat().st_mode) == 0o600
    assert stat.S_IMODE(public.stat().st_mode) == 0o644
    assert stat.S_IMODE(private.parent.stat().st_mode) == 0o700
    assert read_private_key(private).public == read_public_key(public)


@pytest.mark.parametrize("existing", ["acme.key", "acme.pub"])
def test_a_key_is_never_overwritten(tmp_path: Path, existing: str) -> None:
    (tmp_path / existing).write_text("mine")
    with pytest.raises(UsageError, match="exists"):
        new_key("acme", tmp_path)
    assert [p.name for p in tmp_path.iterdir()] == [existing]
    assert (tmp_path / existing).read_text() == "mine"


@pytest.mark.parametrize("name", ["", "a/b", "..", ".hidden", "a b", "a\n", "x" * 65, "-x"])
def test_a_name_that_is_no_file_name_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match="may not be named"):
        new_key(name, tmp_path)


@pytest.mark.parametrize(
    "content", [b"", b"no key", b"\xff\xfe", b"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"]
)
def test_a_file_that_is_no_key_is_said_to_be_none(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "x"
    file.write_bytes(content)
    with pytest.raises(SignatureError, match="is not a public key"):
        read_public_key(file)
    with pytest.raises(SignatureError, match="is not a private key"):
        read_private_key(file)


def test_keys_of_other_kinds_are_refused(tmp_path: Path) -> None:
    from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

    other = X25519PrivateKey.generate()
    (tmp_path / "x.key").write_bytes(other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    spki = other.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    (tmp_path / "x.pub").write_bytes(spki)
    with pytest.raises(SignatureError, match="Ed25519"):
        read_private_key(tmp_path / "x.key")
    with pytest.raises(SignatureError, match="is not a public key"):
        read_public_key(tmp_path / "x.pub")


@pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl")
def test_openssl_reads_both_files(tmp_path: Path) -> None:
    private, public = new_key("acme", tmp_path)
    for options in (["-in", private], ["-pubin", "-in", public]):
        said = subprocess.run(
            ["openssl", "pkey", "-noout", "-text", *options], capture_output=True, text=True, check=True
        )
        assert "ED25519" in said.stdout


def test_a_key_is_found_by_file_and_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    private, public = new_key("acme", tmp_path / "opkg" / "keys")
    assert find_key("acme", ".key") == private
    assert find_key(str(public), ".pub") == public
    with pytest.raises(UsageError, match="there is no key 'other'"):
        find_key("other", ".key")


# ---- signatures


def test_a_signed_bundle_is_read_as_before_and_names_its_key(bundle: Path, key: PrivateKey) -> None:
    with open_bundle(bundle) as opened:
        before = opened.digest, opened.header.seal
        assert opened.signature is None
    sign_bundle(bundle, key)
    with open_bundle(bundle) as opened:
        opened.verify()
        assert (opened.digest, opened.header.seal) == before
        assert check_signature(opened) == key.public
    assert stat.S_IMODE(bundle.stat().st_mode) == 0o755
    assert subprocess.run(["sh", bundle, "--check"], capture_output=True, text=True).stdout.startswith(
        f"{bundle} is intact\n"
    )


def test_signing_is_deterministic_and_replaces_what_was_there(bundle: Path, key: PrivateKey, tmp_path: Path) -> None:
    sign_bundle(bundle, key)
    once = bundle.read_bytes()
    sign_bundle(bundle, key)
    assert bundle.read_bytes() == once
    other = read_private_key(new_key("other", tmp_path)[0])
    sign_bundle(bundle, other)
    with open_bundle(bundle) as opened:
        assert check_signature(opened) == other.public
    sign_bundle(bundle, key)
    assert bundle.read_bytes() == once
    assert not list(tmp_path.glob(".*"))


def test_a_bundle_that_is_cut_while_it_is_signed_is_not_replaced_by_a_part(
    bundle: Path, key: PrivateKey, tmp_path: Path
) -> None:
    class Cutting:
        public = key.public

        def sign(self, message: bytes) -> bytes:
            os.truncate(bundle, 5000)
            return key.sign(message)

    with pytest.raises(BundleError, match="changed while it was signed"):
        sign_bundle(bundle, Cutting())  # type: ignore[arg-type]
    assert bundle.stat().st_size == 5000
    assert not list(tmp_path.glob(".*"))


def test_a_link_to_a_bundle_stays_a_link(bundle: Path, key: PrivateKey, tmp_path: Path) -> None:
    link = tmp_path / "link.run"
    link.symlink_to(bundle)
    sign_bundle(link, key)
    assert link.is_symlink()
    with open_bundle(bundle) as opened:
        assert opened.signature is not None


def test_a_damaged_bundle_is_not_signed(bundle: Path, key: PrivateKey) -> None:
    data = bytearray(bundle.read_bytes())
    data[-600] ^= 1
    bundle.write_bytes(data)
    with pytest.raises(BundleError, match="damaged"):
        sign_bundle(bundle, key)
    assert bundle.read_bytes() == data


def test_a_signature_does_not_fit_another_bundle(bundle: Path, key: PrivateKey, tmp_path: Path) -> None:
    sign_bundle(bundle, key)
    other = make_bundle(tmp_path / "other.run", version="2.0.0")
    sign_bundle(other, key)
    with open_bundle(bundle) as opened:
        size = opened.header.signature
    other.write_bytes(other.read_bytes()[:-size] + bundle.read_bytes()[-size:])
    with open_bundle(other) as opened, pytest.raises(SignatureError, match="does not match"):
        check_signature(opened)


def test_every_changed_byte_of_a_signature_is_noticed(bundle: Path, key: PrivateKey) -> None:
    sign_bundle(bundle, key)
    data = bundle.read_bytes()
    with open_bundle(bundle) as opened:
        size = opened.header.signature
    for at in range(len(data) - size, len(data)):
        changed = bytearray(data)
        changed[at] ^= 1
        bundle.write_bytes(changed)
        with pytest.raises(BundleError), open_bundle(bundle) as opened:
            # The key itself may be changed to another valid one: then the signature is not that one's.
            check_signature(opened)


def test_an_unsigned_bundle_is_said_to_be_so(bundle: Path) -> None:
    with open_bundle(bundle) as opened, pytest.raises(SignatureError, match=r"x\.run is not signed"):
        check_signature(opened)


@pytest.mark.parametrize("block", [b"x", b"opkg signature 2\nfoo\n", b"\0" * 4096])
def test_what_stands_where_a_signature_should_is_refused(bundle: Path, block: bytes) -> None:
    from dataclasses import replace

    with open_bundle(bundle) as opened:
        header = replace(opened.header, signature=len(block))
    bundle.write_bytes(header.encode() + bundle.read_bytes()[HEADER_SIZE:] + block)
    with pytest.raises(BundleError, match="signature is damaged"):
        open_bundle(bundle)


def test_a_signature_of_impossible_size_is_refused(bundle: Path) -> None:
    from dataclasses import replace

    with open_bundle(bundle) as opened:
        header = replace(opened.header, signature=4097)
    bundle.write_bytes(header.encode() + bundle.read_bytes()[HEADER_SIZE:] + b"x" * 4097)
    with pytest.raises(BundleError, match="impossible sizes"):
        open_bundle(bundle)


def test_without_cryptography_the_extra_is_named(
    bundle: Path, key: PrivateKey, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sign_bundle(bundle, key)
    real = builtins.__import__

    def absent(name: str, *rest: object, **more: object) -> object:
        if name.startswith("cryptography"):
            raise ImportError(name)
        return real(name, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(builtins, "__import__", absent)
    with open_bundle(bundle) as opened, pytest.raises(SignatureError) as caught:
        check_signature(opened)
    assert caught.value.hint == "pip install 'opkg[sign]'"
    assert caught.value.code == "OPKG-5290"
    with pytest.raises(SignatureError, match="cryptography"):
        new_key("b", tmp_path)
    assert read_public_key(tmp_path / "keys" / "acme.pub") == key.public
