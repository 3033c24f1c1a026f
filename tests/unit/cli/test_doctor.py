"""`opkg doctor`: each thing that can be wrong is found, named, and comes with what to type."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import socket
from pathlib import Path
from typing import Any

import pytest
from made_bundles import UnsyncedDisk, make_bundle
from made_plugins import tool
from made_roots import foreign

from opkg.cli import main
from opkg.paths import repair_hint
from opkg.plugins import manager, scan, trouble
from opkg.registry import layout
from opkg.store import Root, journal
from opkg.store import change as changes

Findings = list[dict[str, Any]]


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for variable in ("ASCEND_CUSTOM_OPP_PATH", "ASCEND_OPP_PATH", "OPKG_PIN", "LD_LIBRARY_PATH", "OPKG_STRICT_PLUGINS"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("OPKG_NO_PLUGINS", "1")
    for name in ("CACHE", "DATA", "CONFIG"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))


@pytest.fixture
def root(tmp_path: Path) -> Root:
    made = Root(tmp_path / "a root", disk=UnsyncedDisk())
    made.install(make_bundle(tmp_path / "x.run"))
    return made


def doctor(capsys: pytest.CaptureFixture[str], root: Path, *options: str) -> tuple[int, Findings]:
    code = main(["doctor", "--json", "--install-path", str(root), *options])
    found: Findings = json.loads(capsys.readouterr().out)
    assert code == any(finding["state"] == "problem" for finding in found)
    assert all(finding["advice"] for finding in found if finding["state"] == "problem")
    return code, found


def wrong(capsys: pytest.CaptureFixture[str], root: Path) -> list[tuple[str, str, str]]:
    """Everything that is not `ok`, but for the compiler, which is this machine's."""
    _, found = doctor(capsys, root)
    return [(f["state"], f["message"], f["advice"]) for f in found if f["state"] != "ok" and f["subject"] != "compiler"]


def test_where_nothing_is_wrong_every_check_says_what_it_saw(root: Root, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = doctor(capsys, root.path)
    assert code == 0
    subjects = [finding["subject"] for finding in found]
    assert subjects == [
        *("compiler", "cmake", "ninja", "native half", "environment", "install root", "operators", "cache", "plugins")
    ]
    assert main(["doctor", "--install-path", str(root.path)]) == 0
    assert capsys.readouterr().out.endswith("nothing is wrong\n")
    assert main(["doctor", "--quiet", "--install-path", str(root.path)]) == 0
    assert capsys.readouterr().out == ""


def test_a_root_that_is_not_there_is_nothing_wrong(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert wrong(capsys, tmp_path / "nothing") == []


def test_no_compiler_and_an_unusable_one(
    root: Root, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler")
    _, found = doctor(capsys, root.path)
    assert found[0]["message"] == "CXX names 'no-such-compiler', which is not on PATH"
    assert found[0]["state"] == "problem"


def test_tools_that_are_missing_or_too_old(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from opkg.build import checks
    from opkg.errors import BuildError

    old = tmp_path / "cmake"
    old.write_text("#!/bin/sh\necho cmake version 3.16.3\n")
    old.chmod(0o755)

    def find(name: str) -> Path:
        if name == "cmake":
            return old
        raise BuildError("ninja is not installed", "pip install ninja")

    monkeypatch.setattr(checks, "find_tool", find)
    cmake, ninja = checks.check_tools(None)
    assert (cmake.state, cmake.advice) == ("problem", "pip install cmake")
    assert cmake.message == f"{old} is 3.16.3; 3.25 is the oldest that will do"
    assert (ninja.state, ninja.message, ninja.advice) == ("problem", "ninja is not installed", "pip install ninja")


def test_a_native_half_that_is_not_whole(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from opkg.build import checks

    whole = checks.native_dir()
    copy = tmp_path / "native"
    shutil.copytree(whole, copy, ignore=shutil.ignore_patterns("_openvino*", "_core*"))
    (copy / "lib" / "libopkg_twin.so.1").unlink()
    monkeypatch.setattr(checks, "native_dir", lambda: copy)
    [finding] = checks.check_native(None)
    assert finding.state == "problem"
    assert finding.message == f"lib/libopkg_twin.so.1, _core.so missing below {copy}"
    assert finding.advice == repair_hint()


@pytest.mark.parametrize(
    ("variable", "value", "message", "advice"),
    [
        ("ASCEND_OPP_PATH", "opp", "'opp' is relative", "export ASCEND_OPP_PATH=/"),
        ("ASCEND_CUSTOM_OPP_PATH", "/no/such:", "its entry /no/such is no folder", "unset ASCEND_CUSTOM_OPP_PATH"),
        ("ASCEND_CUSTOM_OPP_PATH", "/usr:/no/such", "/no/such is no folder", "export ASCEND_CUSTOM_OPP_PATH=/usr"),
        ("ASCEND_CUSTOM_OPP_PATH", "/usr", "is neither a vendor's folder nor an install root", "unset"),
        ("ASCEND_CUSTOM_OPP_PATH", ".", "its entry . is relative", "export ASCEND_CUSTOM_OPP_PATH=/"),
        ("LD_LIBRARY_PATH", "/usr/lib:", "it has an empty entry", "export LD_LIBRARY_PATH=/usr/lib"),
    ],
)  # fmt: skip
def test_variables_that_lead_nowhere(
    root: Root,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
    value: str,
    message: str,
    advice: str,
) -> None:
    monkeypatch.setenv(variable, value)
    _, found = doctor(capsys, root.path)
    problems = [f for f in found if f["subject"] == variable and f["state"] == "problem"]
    assert any(message in f["message"] and f["advice"].startswith(advice) for f in problems), problems


def test_libraries_that_would_come_from_elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from opkg.registry.checks import check_environment

    folder = tmp_path / "lib"
    folder.mkdir()
    for name in ("libopkg_host.so.1", "libstdc++.so.6"):
        (folder / name).touch()
    monkeypatch.setenv("LD_LIBRARY_PATH", str(folder))
    assert [(found.state, found.message) for found in check_environment(None)] == [
        ("note", f"{folder} has libopkg_host.so.1: other programs take opkg's libraries from there"),
        ("note", f"libstdc++ comes from {folder}, not from the system"),
    ]


@pytest.mark.parametrize(("after", "state"), [(1, "new"), (2, "old"), (0, "old")])
def test_an_interrupted_change_is_named_with_its_state_and_recovered(
    root: Root, capsys: pytest.CaptureFixture[str], after: int, state: str
) -> None:
    record = journal.Record((journal.NewView("customize", after),))
    journal.write(UnsyncedDisk(), changes.journal_path(root.path), record)
    [(kind, message, advice)] = wrong(capsys, root.path)
    assert kind == "problem"
    assert f"a change of customize in {root.path} was interrupted: the root is in the {state} state" in message
    assert advice.startswith(f"opkg doctor --recover --install-path '{root.path}'")
    assert doctor(capsys, root.path, "--recover")[0] == 0
    assert not changes.journal_path(root.path).exists()


def test_leftovers_of_a_change_that_never_began(root: Root, capsys: pytest.CaptureFixture[str]) -> None:
    (changes.private_dir(root.path) / "staging").mkdir()
    [(_, message, _)] = wrong(capsys, root.path)
    assert "was interrupted before it began: the root is in the old state" in message


def test_a_change_that_goes_on_is_no_problem(root: Root, capsys: pytest.CaptureFixture[str]) -> None:
    (changes.private_dir(root.path) / "staging").mkdir()
    handle = os.open(changes.lock_path(root.path), os.O_RDWR)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        os.ftruncate(handle, 0)
        told = {"pid": os.getpid(), "command": "opkg gc", "host": socket.gethostname(), "since": "today"}
        os.pwrite(handle, json.dumps(told).encode(), 0)
        who = f"process {os.getpid()} (opkg gc), since today,"
        assert wrong(capsys, root.path) == [("note", f"{who} is changing {root.path} just now", "")]
    finally:
        os.close(handle)


@pytest.mark.skipif(os.geteuid() == 0, reason="the superuser may write and read everything")
def test_permissions(root: Root, capsys: pytest.CaptureFixture[str]) -> None:
    root.path.chmod(0o555)
    try:
        assert ("problem", f"you may not write {root.path}") in [w[:2] for w in wrong(capsys, root.path)]
    finally:
        root.path.chmod(0o755)


def test_permissions_as_the_system_says_them(
    root: Root, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.access
    closed = root.path / ".opkg"
    monkeypatch.setattr(os, "access", lambda path, mode: str(path) != str(closed) and real(path, mode))
    advice = "install elsewhere with --install-path DIR, or as a user who may write there"
    assert wrong(capsys, root.path) == [("problem", f"you may not write {closed}", advice)]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"load_priority=gone,customize,lost\n", "load_priority in {} names gone, lost, which are not there"),
        (b"load_priority=\xff\n", "{} is not UTF-8"),
    ],
)
def test_config_ini(root: Root, capsys: pytest.CaptureFixture[str], content: bytes, message: str) -> None:
    config = layout.config_ini(root.path)
    config.write_bytes(content)
    [(state, found, advice)] = wrong(capsys, root.path)
    assert (state, found) == ("problem", message.format(config))
    assert "config.ini'" in advice


def test_a_stranger_s_vendor_is_a_note(root: Root, capsys: pytest.CaptureFixture[str]) -> None:
    folder = foreign(root.path / "vendors" / "other")
    [(state, message, advice)] = wrong(capsys, root.path)
    assert (state, message) == ("note", f"{folder} was made by another installer")
    assert "--adopt" in advice


def test_a_vendor_that_leads_nowhere(root: Root, capsys: pytest.CaptureFixture[str]) -> None:
    (root.path / "vendors" / "lost").symlink_to("../.opkg/generations/lost/1")
    assert [w[:2] for w in wrong(capsys, root.path)] == [("problem", f"{root.path}/vendors/lost leads nowhere")]


def test_a_package_with_missing_and_changed_files(root: Root, capsys: pytest.CaptureFixture[str]) -> None:
    [package] = root.packages()
    (package.path / "version.info").unlink()
    (package.path / "op_proto/inc/op_proto.h").write_text("x")
    [(state, message, advice)] = wrong(capsys, root.path)
    first = package.path / "op_proto/inc/op_proto.h"
    assert (state, message) == ("problem", f"customize/square 1.0.0 is damaged: {first} and 1 more")
    assert "opkg verify" in advice


def test_a_manifest_that_cannot_be_read(root: Root, capsys: pytest.CaptureFixture[str]) -> None:
    [package] = root.packages()
    (package.path / "opkg-package.json").write_text("{")
    assert any(w[0] == "problem" and "manifest" in w[1] for w in wrong(capsys, root.path))


def test_a_package_that_cannot_run_here(root: Root, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root.install(make_bundle(tmp_path / "far.run", "far", "Far", abi=9), force=True)
    [(state, message, advice)] = wrong(capsys, root.path)
    assert state == "problem"
    assert message.startswith("customize/far 1.0.0 in ")
    assert "cannot be used: it was built for version 9 of opkg's package interface" in message
    assert "opkg build --pkg" in advice


def test_shadowed_operators(root: Root, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    root.install(make_bundle(tmp_path / "y.run", vendor="acme", domain="customize"), wins="present")
    assert wrong(capsys, root.path) == [
        (
            "note",
            f"customize::Square of acme/square 1.0.0 stands behind customize/square 1.0.0, install root {root.path}",
            "opkg which customize::Square",
        )
    ]


def test_caches(root: Root, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "opkg"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "registry-00000000.sqlite.99999999-1").touch()
    (folder / f"registry-00000000.sqlite.{os.getpid()}-1").touch()
    assert wrong(capsys, root.path) == [("note", f"1 files of processes that died are in {folder}", f"rm -r {folder}")]
    shutil.rmtree(tmp_path / "cache")
    (tmp_path / "cache").touch()
    [(state, message, _)] = wrong(capsys, root.path)
    assert (state, message) == ("problem", f"{tmp_path}/cache cannot be written, so every command starts anew")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.delenv("OPKG_NO_PLUGINS")
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    manager._loaded.cache_clear()
    trouble._said.clear()
    scan.forget()
    yield folder
    manager._loaded.cache_clear()


def test_broken_plugins_and_checks_of_plugins(root: Root, site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tool(site, "broken-doc", "raise RuntimeError('no luck')")
    tool(
        site,
        "doc-checks",
        """
        def good(install_path):
            yield Finding("acme", "problem", f"looked at {install_path.name}", "acme repair")
        def bad(install_path):
            raise ValueError("two\\nlines")
        @hookimpl
        def opkg_checks():
            return [Check("good", good), Check("bad", bad), Check("odd", lambda path: [1])]
        """,
    )
    found = wrong(capsys, root.path)
    assert ("problem", "looked at a root", "acme repair") in found
    messages = [message for _, message, _ in found]
    assert "broken-doc 1.5 (broken_doc): RuntimeError: no luck" in messages
    assert "this check failed: ValueError: two lines" in messages
    assert "this check failed: it returned 1" in messages
