"""`opkg install`, `uninstall` and `verify` as typed."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from made_bundles import OPS_INFO, make_bundle, write_tree

from opkg.cli import main
from opkg.store import Disk, Root


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPKG_NO_PLUGINS", "1")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("ASCEND_OPP_PATH", str(tmp_path / "opp"))
    for name in ("sync", "sync_all"):
        monkeypatch.setattr(Disk, name, lambda self, path: None)


@pytest.fixture
def at(tmp_path: Path) -> Path:
    return tmp_path / "a root"


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    code = main([str(word) for word in words])
    return code, *capsys.readouterr()


def test_install_says_what_it_did_and_how_programs_find_it(
    tmp_path: Path, at: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old, new = (make_bundle(tmp_path / f"{v}.run", version=v) for v in ("1.0.0", "2.0.0"))
    script = f"  source {shlex.quote(str(at / 'vendors/customize/bin/set_env.bash'))}\n"
    after = f"programs find it after:\n{script}"
    expected = f"installed customize/square 1.0.0 (Square) in {at}\n{after}"
    assert run(capsys, "install", old, "--install-path", at) == (0, expected, "")
    expected = f"customize/square 1.0.0 (Square) was already installed in {at}\n{after}"
    assert run(capsys, "install", old, "--install-path", at) == (0, expected, "")
    expected = f"installed customize/square 2.0.0 (Square) in {at} in place of 1.0.0\n{after}"
    assert run(capsys, "install", new, "--install-path", at) == (0, expected, "")
    assert run(capsys, "install", old, "-q", "--install-path", at) == (0, "", "")


def test_a_root_that_is_found_anyway_needs_no_hint(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    expected = f"installed customize/square 1.0.0 (Square) in {tmp_path / 'opp'}\n"
    assert run(capsys, "install", make_bundle(tmp_path / "x.run")) == (0, expected, "")
    assert (tmp_path / "opp" / "vendors" / "customize").is_symlink()


def test_several_bundles_at_once_as_json(tmp_path: Path, at: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bundles = make_bundle(tmp_path / "x.run", "square", "Square"), make_bundle(tmp_path / "y.run", "cube", "Cube")
    code, out, _ = run(capsys, "install", *bundles, "--json", "--install-path", at)
    found = json.loads(out)
    assert code == 0
    assert [(r["vendor"], r["name"], r["operators"], r["changed"], r["replaced"]) for r in found] == [
        ("customize", "square", ["Square"], True, ""),
        ("customize", "cube", ["Cube"], True, ""),
    ]
    assert all(Path(r["path"]).is_dir() and r["root"] == str(at) for r in found)


def test_adopting_is_said(tmp_path: Path, at: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_tree(at / "vendors" / "customize", {OPS_INFO: '{"Gelu": {}}'})
    bundle = make_bundle(tmp_path / "x.run")
    code, out, err = run(capsys, "install", bundle, "--install-path", at)
    assert (code, out) == (1, "")
    assert err.startswith(f"opkg: {at / 'vendors/customize'} was made by another installer\n  --adopt ")
    assert err.endswith("\n  [OPKG-6110]\n")
    code, out, _ = run(capsys, "install", bundle, "--adopt", "--install-path", at)
    assert code == 0
    assert f"made a package of what was in {at / 'vendors/customize'}: customize/adopted 0.0.0+" in out


def test_verify_says_whether_everything_is_whole(tmp_path: Path, at: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "install", make_bundle(tmp_path / "x.run"), "--install-path", at)
    expected = f"1 package in {at}: every file is as it was installed\n"
    assert run(capsys, "verify", "--install-path", at) == (0, expected, "")
    damaged = Root(at).packages()[0].path / "version.info"
    damaged.write_text("x")
    code, out, _ = run(capsys, "verify", "customize/square", "--install-path", at)
    assert code == 1
    assert out.startswith(f"changed  {damaged}\n1 difference")
    code, out, _ = run(capsys, "verify", "--json", "--install-path", at)
    assert code == 1
    assert json.loads(out) == {
        "root": str(at),
        "problems": [{"vendor": "customize", "name": "square", "kind": "changed", "path": str(damaged)}],
    }
    assert run(capsys, "verify", "acme", "--install-path", at)[0] == 1


def test_uninstall_removes_a_package_or_a_vendor(tmp_path: Path, at: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("square", "cube", "root"):
        run(capsys, "install", make_bundle(tmp_path / f"{name}.run", name, name.capitalize()), "--install-path", at)
    expected = f"removed customize/cube 1.0.0 from {at}\n"
    assert run(capsys, "uninstall", "customize/cube", "--install-path", at) == (0, expected, "")
    code, out, _ = run(capsys, "uninstall", "customize", "--json", "--purge", "--install-path", at)
    assert code == 0
    assert sorted(r["name"] for r in json.loads(out)) == ["root", "square"]
    assert Root(at).packages(kept=True) == []
    code, _, err = run(capsys, "uninstall", "customize", "--install-path", at)
    assert (code, err.split("\n")[0]) == (1, f"opkg: customize is not installed in {at}")


def test_a_wrong_command_line_is_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "install")[0] == 2
    assert run(capsys, "uninstall")[0] == 2
    assert run(capsys, "install", "x.run", "--instal-path", "/x")[0] == 2


def test_a_file_that_is_no_bundle_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.run").write_text("hello")
    code, _, err = run(capsys, "install", tmp_path / "x.run")
    assert code == 1
    said = f"opkg: {tmp_path / 'x.run'}: the file is not a bundle of opkg"
    assert err == f"{said}\n  a bundle is made by: opkg build --pkg\n  [OPKG-5000]\n"
