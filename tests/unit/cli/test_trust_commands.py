"""`opkg key`, `sign`, `verify FILE`, `diff` and the options of `install` about signatures, as typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from made_bundles import make_bundle

from opkg.cli import main
from opkg.store import Disk

pytest.importorskip("cryptography")


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("ASCEND_OPP_PATH", str(tmp_path / "opp"))
    for name in ("sync", "sync_all"):
        monkeypatch.setattr(Disk, name, lambda self, path: None)


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    code = main([str(word) for word in words])
    return code, *capsys.readouterr()


def test_from_a_key_to_a_root_that_takes_only_what_it_signed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bundle = make_bundle(tmp_path / "x.run")
    keys = tmp_path / "config" / "opkg" / "keys"
    code, out, _ = run(capsys, "key", "new", "acme")
    assert code == 0
    assert out.splitlines()[1:] == [
        f"  {keys / 'acme.key'}  signs; keep it to yourself",
        f"  {keys / 'acme.pub'}  give this to those who install",
    ]
    id_ = out.splitlines()[0].split()[-1]
    assert run(capsys, "key", "trust", "acme")[1] == f"{tmp_path / 'opp'} trusts acme ({id_})\n"
    assert run(capsys, "key", "policy", "signed")[1].endswith("takes only packages signed by a trusted key\n")
    code, _, err = run(capsys, "install", bundle)
    assert code == 1
    assert err.splitlines() == [
        f"opkg: {bundle} is not signed",
        "  'opkg sign FILE --key K' signs a bundle",
        "  [OPKG-5200]",
    ]
    assert run(capsys, "sign", bundle, "--key", "acme") == (0, f"signed {bundle} with the key {id_}\n", "")
    code, out, _ = run(capsys, "install", bundle)
    assert code == 0
    assert "signed by acme\n" in out


def test_list_shows_own_and_trusted_keys(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "key", "list")[1] == f"{tmp_path / 'opp'} takes any package\n"
    run(capsys, "key", "new", "acme")
    run(capsys, "key", "trust", "acme", "--name", "theirs")
    found = json.loads(run(capsys, "key", "list", "--json")[1])
    assert [(key["kind"], key["name"]) for key in found["keys"]] == [("own", "acme"), ("trusted", "theirs")]
    assert found["require_signed"] is False
    assert run(capsys, "key", "untrust", "theirs")[0] == 0
    assert len(json.loads(run(capsys, "key", "list", "--json")[1])["keys"]) == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["key", "new"], "opkg key new takes a NAME"),
        (["key", "list", "x"], "opkg key list takes nothing else"),
        (["key", "policy", "maybe"], "'maybe' is not a policy"),
        (["key", "trust", "nobody"], "there is no key 'nobody'"),
        (["verify", "nothing.run"], "nothing.run is not a bundle"),
        (["verify", "--key", "x"], "--key and --require-signed are for a .run file"),
        (["build", "--sign", "x"], "--sign signs a bundle"),
    ],
)
def test_wrong_words_are_usage_errors(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = run(capsys, *words)
    assert code == 2
    assert err.startswith(f"opkg: {message}")


def test_verify_says_who_signed_a_file_and_whether_they_are_trusted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bundle = make_bundle(tmp_path / "x.run")
    assert run(capsys, "verify", bundle) == (0, f"{bundle} is intact, not signed\n", "")
    assert run(capsys, "verify", bundle, "--require-signed")[0] == 1
    for name in ("acme", "other"):
        run(capsys, "key", "new", name)
    assert run(capsys, "verify", bundle, "--key", "acme")[0] == 1
    run(capsys, "sign", bundle, "--key", "acme")
    code, out, _ = run(capsys, "verify", bundle)
    assert code == 0
    assert out.endswith(f", which {tmp_path / 'opp'} does not trust\n")
    assert run(capsys, "verify", bundle, "--key", "acme")[0] == 0
    code, _, err = run(capsys, "verify", bundle, "--key", "other")
    assert code == 1
    assert "is signed by another key than other" in err
    assert run(capsys, "verify", bundle, "--require-signed")[0] == 1
    run(capsys, "key", "trust", "acme")
    assert " is intact, signed by acme (" in run(capsys, "verify", bundle, "--require-signed")[1]
    assert json.loads(run(capsys, "verify", bundle, "--json")[1])[0]["trusted"] == "acme"


def test_verify_of_a_damaged_file_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bundle = make_bundle(tmp_path / "x.run")
    data = bytearray(bundle.read_bytes())
    data[-100] ^= 1
    bundle.write_bytes(data)
    code, _, err = run(capsys, "verify", bundle)
    assert code == 1
    assert "[OPKG-5000]" in err


def test_diff_of_two_versions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, other = (make_bundle(tmp_path / f"{v}.run", version=v) for v in ("1.0.0", "2.0.0"))
    assert run(capsys, "diff", one, one) == (0, "the two bundles are the same\n", "")
    code, out, _ = run(capsys, "diff", one, other)
    assert code == 1
    assert out.splitlines()[0] == "changed  version: 1.0.0 -> 2.0.0"
    assert sum(line.startswith("changed  file ") for line in out.splitlines()) == 3
    found = json.loads(run(capsys, "diff", one, other, "--json")[1])
    assert found["same"] is False
    assert found["differences"][0] == {
        "kind": "field", "change": "changed", "what": "version", "before": "1.0.0", "after": "2.0.0", "details": [],
    }  # fmt: skip


def test_diff_sees_a_signature(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, other = (make_bundle(tmp_path / f"{v}.run") for v in "ab")
    assert run(capsys, "diff", one, other)[0] == 0
    run(capsys, "key", "new", "acme")
    run(capsys, "sign", other, "--key", "acme")
    code, out, _ = run(capsys, "diff", one, other)
    assert code == 1
    assert out.startswith("added    signature: ")


def test_inspect_says_who_signed_and_from_which_commit(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commit = "0123456789" * 4
    bundle = make_bundle(tmp_path / "x.run", source={"commit": commit, "dirty": True})
    assert "  signed: no\n" in run(capsys, "inspect", bundle)[1]
    run(capsys, "key", "new", "acme")
    id_ = run(capsys, "sign", bundle, "--key", "acme")[1].split()[-1]
    out = run(capsys, "inspect", bundle)[1]
    assert f"  signed: yes, with the key {id_}; 'opkg verify' checks it\n" in out
    assert f"  commit:   {commit}, with changes\n" in out
    assert json.loads(run(capsys, "inspect", bundle, "--json")[1])["key"] == id_
