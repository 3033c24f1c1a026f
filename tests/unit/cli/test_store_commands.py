"""The commands that change or check an install root, as typed."""

from __future__ import annotations

import hashlib
import json
import os
import platform
import shlex
from pathlib import Path

import pytest
from made_bundles import OPS_INFO, make_bundle, write_tree
from made_plugins import distribution
from made_roots import package, write

import opkg
from opkg.bundle import MANIFEST_NAME
from opkg.cli import main
from opkg.opinfo import OpInfo, Param
from opkg.project import new_project
from opkg.registry import open_registry
from opkg.runtime.om import GRAPH, OPERATORS, OPTIONS, SIGNATURE, WEIGHTS, write_om
from opkg.runtime.operators import OperatorSpec, operators_json
from opkg.store import Disk, Root, read_lock
from opkg.store.lock import exclusive


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


# ---- versions


@pytest.fixture
def two(tmp_path: Path, at: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    """A root in which version 2.0.0 took the place of 1.0.0."""
    for version in ("1.0.0", "2.0.0"):
        bundle = make_bundle(tmp_path / f"{version}.run", version=version)
        assert run(capsys, "install", bundle, "-q", "--install-path", at)[0] == 0
    return at


def test_upgrade_rollback_and_history(two: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = ("--install-path", two)
    assert run(capsys, "upgrade", *where) == (0, f"everything is the newest that is there in {two}\n", "")
    assert run(capsys, "rollback", *where) == (0, f"customize/square 2.0.0 -> 1.0.0 in {two}\n", "")
    assert run(capsys, "upgrade", "customize", "-q", *where) == (0, "", "")
    expected = f"customize/square 2.0.0 -> 1.0.0 in {two}\n"
    assert run(capsys, "rollback", "customize/square", "--to", "1.0.0", *where) == (0, expected, "")
    expected = f"customize/square 1.0.0 is in use in {two}\n"
    assert run(capsys, "rollback", "customize/square", "--to", "1.0.0", *where) == (0, expected, "")
    code, out, _ = run(capsys, "rollback", "customize/square", "--json", *where)
    (change,) = json.loads(out)["changes"]
    assert (code, change["from"]["version"], change["to"]["version"]) == (0, "1.0.0", "2.0.0")
    assert run(capsys, "rollback", "customize", "--to", "1.0.0", *where)[0] == 2
    code, out, _ = run(capsys, "history", *where)
    assert [line.split()[0] for line in out.splitlines()] == ["WHEN", "6", "5", "4", "3", "2", "1"]
    assert out.splitlines()[1].endswith("customize/square 1.0.0 -> 2.0.0")
    assert " rollback of 5 " in out.splitlines()[1]
    code, out, _ = run(capsys, "history", "customize/square", "--json", *where)
    assert [entry["command"] for entry in json.loads(out)] == [
        "rollback", "rollback", "upgrade", "rollback", "install", "install",
    ]  # fmt: skip
    assert run(capsys, "history", "acme", *where) == (0, f"no changes of acme in {two}\n", "")


def test_install_by_name_and_version(two: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "install", "customize/square<2", "--install-path", two)
    assert out.splitlines()[0] == f"installed customize/square 1.0.0 (Square) in {two} in place of 2.0.0"
    assert code == 0
    code, _, err = run(capsys, "install", "customize/square==3", "--install-path", two)
    assert (code, err.splitlines()[0]) == (1, f"opkg: customize/square==3 is not in {two}")
    code, out, _ = run(
        capsys, "install", "customize/square", "--from", tmp_path, "-q", "--install-path", tmp_path / "r"
    )
    assert code == 0
    assert [p.manifest.version for p in Root(tmp_path / "r").packages()] == ["2.0.0"]


def test_gc_says_what_goes(two: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    where = ("--install-path", two)
    assert run(capsys, "gc", *where) == (0, f"nothing to delete in {two}\n", "")
    lock = tmp_path / "opkg.lock"
    run(capsys, "rollback", *where)
    assert run(capsys, "lock", "-o", lock, *where) == (0, f"wrote {lock}: 1 package of {two}\n", "")
    run(capsys, "upgrade", *where)
    code, out, _ = run(capsys, "gc", "--keep", 0, "--dry-run", *where)
    assert "package     customize/square 1.0.0" in out
    assert out.endswith(f" would be deleted from {two}\n")
    code, out, _ = run(capsys, "gc", "--keep", 0, "--lock", lock, "--json", *where)
    found = json.loads(out)
    assert (code, found["deleted"], {one["kind"] for one in found["unused"]}) == (0, True, {"generation"})
    assert len(Root(two).packages(kept=True)) == 2
    assert run(capsys, "gc", "--keep", "-1", *where)[0] == 2


def test_lock_and_sync(two: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lock = tmp_path / "opkg.lock"
    code, out, _ = run(capsys, "lock", "-o", lock, "--from", tmp_path, "--json", "--install-path", two)
    (package,) = json.loads(out)["packages"]
    assert (code, package["version"], len(package["bundle"])) == (0, "2.0.0", 64)
    new = tmp_path / "new"
    code, _, err = run(capsys, "sync", lock, "--install-path", new)
    assert (code, "name a folder with the bundles: --from DIR" in err) == (1, True)
    expected = f"installed customize/square 2.0.0 in {new}\n"
    assert run(capsys, "sync", lock, "--from", tmp_path, "--install-path", new) == (0, expected, "")
    expected = f"everything is as {lock} says in {new}\n"
    assert run(capsys, "sync", lock, "--install-path", new) == (0, expected, "")


def test_freeze_names_everything_with_digests(two: Path, capsys: pytest.CaptureFixture[str]) -> None:
    digest = Root(two).packages()[0].digest
    code, out, _ = run(capsys, "freeze", "--install-path", two)
    assert code == 0
    assert out.startswith(f"opkg=={opkg.__version__}\npython=={platform.python_version()}\n")
    assert out.splitlines()[-1] == f"customize/square==2.0.0  sha256:{digest}"
    code, out, _ = run(capsys, "freeze", "--json", "--install-path", two)
    found = json.loads(out)
    assert found["libraries"]["numpy"]
    assert [package["digest"] for package in found["packages"]] == [digest]


@pytest.mark.parametrize("seconds", ["-1", "x", "inf", "nan"])
def test_waiting_takes_seconds(capsys: pytest.CaptureFixture[str], seconds: str) -> None:
    code, _, err = run(capsys, "upgrade", f"--wait={seconds}")
    assert (code, f"'{seconds}' is no number of seconds" in err) == (2, True)


def test_waiting_ends_with_a_sentence(two: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with exclusive(two / ".opkg" / "lock", 0, "opkg sync"):
        code, _, err = run(capsys, "rollback", "--wait", "0", "--install-path", two)
    assert code == 1
    assert err.startswith(f"opkg: process {os.getpid()} (opkg sync), since ")
    assert "--wait SECONDS" in err


def test_a_lock_of_a_project_has_what_it_requires(
    two: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    x, y = (Param(name, "required", ("float32",), ("ND",)) for name in "xy")
    new_project(tmp_path / "Cube", [OpInfo("Cube", (x,), (y,))])
    settings = tmp_path / "Cube" / "opkg.toml"
    text = settings.read_text().replace("[package]\n", '[package]\nrequires = ["customize/square>=1", "opkg>=0.1"]\n')
    settings.write_text(text)
    lock = tmp_path / "opkg.lock"
    assert run(capsys, "lock", tmp_path / "Cube", "-o", lock, "--install-path", two)[0] == 0
    assert [(one.name, one.version) for one in read_lock(lock).packages] == [("square", "2.0.0")]


def test_a_lock_of_a_model_has_the_very_packages_of_its_conversion(
    two: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    x, y = (Param(name, "required", ("float32",), ("ND",)) for name in "xy")
    old = next(package for package in Root(two).packages(kept=True) if not package.active)
    spec = OperatorSpec("customize", OpInfo("Square", (x,), (y,)), "customize", "square", "1.0.0", old.digest)
    sections = dict.fromkeys((GRAPH, WEIGHTS, SIGNATURE, OPTIONS), b"{}") | {OPERATORS: operators_json([spec])}
    model = write_om(tmp_path / "model.om", sections)
    lock = tmp_path / "opkg.lock"
    assert run(capsys, "lock", model, "-o", lock, "--install-path", two)[0] == 0
    assert [(one.version, one.digest) for one in read_lock(lock).packages] == [("1.0.0", old.digest)]
    expected = f"customize/square 2.0.0 -> 1.0.0 in {two}\n"
    assert run(capsys, "sync", lock, "--install-path", two) == (0, expected, "")


def test_a_lock_names_no_other_root(
    two: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest = write(tmp_path / "other/vendors/some", package("maths", "Log", vendor="some")) / MANIFEST_NAME
    monkeypatch.setenv("ASCEND_CUSTOM_OPP_PATH", str(manifest.parent))
    digest = hashlib.sha256(manifest.read_bytes()).hexdigest()
    assert digest in [one.digest for one in open_registry(two).packages()]
    x, y = (Param(name, "required", ("float32",), ("ND",)) for name in "xy")
    spec = OperatorSpec("some", OpInfo("Log", (x,), (y,)), "some", "maths", "1.0.0", digest)
    sections = dict.fromkeys((GRAPH, WEIGHTS, SIGNATURE, OPTIONS), b"{}") | {OPERATORS: operators_json([spec])}
    model = write_om(tmp_path / "model.om", sections)
    code, out, err = run(capsys, "lock", model, "-o", tmp_path / "opkg.lock", "--install-path", two)
    assert (code, out) == (1, "")
    assert f"some/maths with digest {digest[:12]} is not in {two}" in err


def test_a_lock_of_a_model_names_what_a_plugin_brings(
    two: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPKG_NO_PLUGINS")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(tmp_path / "site")
    distribution(tmp_path / "site", "some-ops", {"opkg.ops": {"x": "some_ops:package"}}, {"some_ops/__init__.py": ""})
    manifest = write(tmp_path / "site/some_ops/package", package("maths", "Log", vendor="some")) / MANIFEST_NAME
    digest = hashlib.sha256(manifest.read_bytes()).hexdigest()
    x, y = (Param(name, "required", ("float32",), ("ND",)) for name in "xy")
    spec = OperatorSpec("some", OpInfo("Log", (x,), (y,)), "some", "maths", "1.0.0", digest)
    sections = dict.fromkeys((GRAPH, WEIGHTS, SIGNATURE, OPTIONS), b"{}") | {OPERATORS: operators_json([spec])}
    model, lock = write_om(tmp_path / "model.om", sections), tmp_path / "opkg.lock"
    assert run(capsys, "lock", model, "-o", lock, "--install-path", two)[0] == 0
    (locked,) = read_lock(lock).packages
    assert (locked.digest, locked.source) == (digest, "plugin some-ops==1.5")
    code, out, err = run(capsys, "sync", lock, "--keep-others", "--install-path", two)
    assert (code, out, err) == (0, f"everything is as {lock} says in {two}\n", "")
    manifest.write_text(package("maths", "Log", vendor="some", version="1.0.1").to_json(), "utf-8")
    code, out, err = run(capsys, "sync", lock, "--keep-others", "--install-path", two)
    assert (code, out) == (1, "")
    assert f"some/maths 1.0.0 ({digest[:12]}) of plugin some-ops==1.5" in err
