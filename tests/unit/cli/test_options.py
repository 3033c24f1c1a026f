"""What the options of a command become: each reaches what does the work, under its name and with its value."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from opkg.cli import main
from opkg.errors import StoreError
from opkg.store.lockfile import Lock

Seen = dict[str, Any]


def asked(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], place: str, *argv: str) -> Seen:
    """The arguments that a command gives the function at `place`, which does nothing."""
    seen: list[tuple[tuple[Any, ...], Seen]] = []

    def work(*given: Any, **named: Any) -> None:
        seen.append((given, named))
        raise StoreError("that was all")

    monkeypatch.setattr(place, work)
    assert main(argv) == 1
    assert capsys.readouterr().err.startswith("opkg: that was all")
    [(given, named)] = seen
    return {**named, "given": given}


def test_build(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    seen = asked(monkeypatch, capsys, "opkg.build.build_project", "build")
    log = seen.pop("log")
    assert callable(log)
    plain = {"given": (Path(),), "out": None, "pkg": False, "jobs": None, "target": "cpu", "clean": False}
    assert seen == plain | {"march": None, "check": False, "verbose": False}
    for words, changed in (
        (["p"], {"given": (Path("p"),)}),
        (["--out", "o"], {"out": Path("o")}),
        (["--pkg"], {"pkg": True}),
        (["--target", "ascend910b"], {"target": "ascend910b"}),
        (["--march", "x86-64-v2"], {"march": "x86-64-v2"}),
        (["--check"], {"check": True}),
        (["--jobs", "3"], {"jobs": 3}),
        (["-j5"], {"jobs": 5}),
        (["--clean"], {"clean": True}),
        (["--verbose"], {"verbose": True}),
        (["-v"], {"verbose": True}),
    ):
        found = asked(monkeypatch, capsys, "opkg.build.build_project", "build", *words)
        del found["log"]
        assert found == seen | changed, words


def test_convert(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    seen = asked(monkeypatch, capsys, "opkg.convert.convert", "convert", "m.onnx")
    assert seen == {
        "given": (Path("m.onnx"), Path("m.om")), "input_shapes": {}, "prefer": [], "install_path": None, "label": "",
    }  # fmt: skip
    for words, changed in (
        (["-o", "x.om"], {"given": (Path("m.onnx"), Path("x.om"))}),
        (["--output", "x.om"], {"given": (Path("m.onnx"), Path("x.om"))}),
        (["--input-shape", "x:1,2;y:3", "--input-shape", "z=4"], {"input_shapes": {"x": (1, 2), "y": (3,), "z": (4,)}}),
        (["--prefer", "Relu", "--prefer", "Add"], {"prefer": ["Relu", "Add"]}),
        (["--label", "v1"], {"label": "v1"}),
        (["--install-path", "R"], {"install_path": Path("R")}),
    ):
        assert asked(monkeypatch, capsys, "opkg.convert.convert", "convert", "m.onnx", *words) == seen | changed, words


ROOT = "opkg.store.Root."
INSTALL = {"force": False, "adopt": False, "wins": "", "require_signed": False, "allow_downgrade": False}
ACTIVATE = {"source": None, **{key: value for key, value in INSTALL.items() if key != "adopt"}}
SYNC = {"source": None, "force": False, "keep_others": False, "allow_downgrade": False}


@pytest.mark.parametrize(
    ("place", "argv", "plain", "options"),
    [
        (
            "install",
            ["install", "a.run"],
            INSTALL,
            [
                (["--force"], {"force": True}),
                (["--adopt"], {"adopt": True}),
                (["--priority"], {"wins": "new"}),
                (["--allow-shadow"], {"wins": "present"}),
                (["--require-signed"], {"require_signed": True}),
                (["--allow-downgrade"], {"allow_downgrade": True}),
            ],
        ),
        (
            "activate",
            ["install", "acme/ops==1.0"],
            ACTIVATE,
            [
                (["--from", "D"], {"source": Path("D")}),
                (["--force"], {"force": True}),
                (["--priority"], {"wins": "new"}),
                (["--allow-shadow"], {"wins": "present"}),
                (["--require-signed"], {"require_signed": True}),
                (["--allow-downgrade"], {"allow_downgrade": True}),
            ],
        ),
        (
            "uninstall",
            ["uninstall", "acme/ops"],
            {"purge": False, "force": False},
            [(["--purge"], {"purge": True}), (["--force"], {"force": True})],
        ),
        (
            "sync",
            ["sync"],
            SYNC,
            [
                (["--from", "D"], {"source": Path("D")}),
                (["--force"], {"force": True}),
                (["--keep-others"], {"keep_others": True}),
                (["--allow-downgrade"], {"allow_downgrade": True}),
            ],
        ),
    ],
)
def test_changes_of_a_root(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    place: str,
    argv: list[str],
    plain: Seen,
    options: list[tuple[list[str], Seen]],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("opkg.lock").write_text(Lock(()).to_toml(), "utf-8")
    base = [*argv, "--install-path", str(tmp_path / "R")]
    for words, changed in ([], {}), *options, (["--quiet"], {}), (["--json"], {}), (["--wait", "3"], {}):
        seen = asked(monkeypatch, capsys, ROOT + place, *base, *words)
        del seen["given"]
        assert seen == plain | changed, words


@pytest.mark.parametrize(
    "argv",
    [["install", "a.run"], ["uninstall", "acme"], ["sync"], ["gc"], ["upgrade"], ["rollback"]],
)
@pytest.mark.parametrize(("words", "wait"), [([], 60.0), (["--wait", "3"], 3.0)])
def test_a_root_is_waited_for_as_long_as_is_said(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    argv: list[str],
    words: list[str],
    wait: float,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("opkg.lock").write_text(Lock(()).to_toml(), "utf-8")
    seen = asked(monkeypatch, capsys, "opkg.store.Root", *argv, "--install-path", str(tmp_path / "R"), *words)
    assert seen == {"given": (tmp_path / "R",), "wait": wait}
