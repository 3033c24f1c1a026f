"""The command line itself: help, errors, exit codes, and what it does not load."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from made_plugins import tool

import opkg
from opkg.cli import COMMANDS, main
from opkg.cli.arguments import add_install_path, add_json
from opkg.errors import StoreError, UsageError
from opkg.plugins import manager, scan


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[Namespace], int]], None]:
    """Add a command `try` to opkg that does what a function does."""

    def add(run: Callable[[Namespace], int]) -> None:
        module = ModuleType("tried_command")

        def add_arguments(parser: ArgumentParser) -> None:
            parser.add_argument("--number", type=int)
            add_json(parser)
            add_install_path(parser)

        module.run, module.add_arguments = run, add_arguments  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "tried_command", module)
        monkeypatch.setitem(COMMANDS, "try", ("tried_command", "do what a test wants"))

    return add


def fails_with(error: BaseException) -> Callable[[Namespace], int]:
    def run(_: Namespace) -> int:
        raise error

    return run


def test_help_names_every_command_and_what_it_does(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (["--help"], ["-h"], ["help"]):
        assert main(words) == 0
        out = capsys.readouterr().out
        for name, (_, summary) in COMMANDS.items():
            assert f"  {name:<11}  {summary}\n" in out
    assert main([]) == 2


def test_the_table_is_true_of_every_command() -> None:
    import importlib

    for name, (module, summary) in COMMANDS.items():
        loaded = importlib.import_module(module)
        assert (name, summary) == (getattr(loaded, "NAME", name), getattr(loaded, "HELP", summary))
        assert callable(loaded.add_arguments)
        assert callable(loaded.run)


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"opkg {opkg.__version__}\n"


def test_a_command_has_its_own_help(command: Callable[..., None], capsys: pytest.CaptureFixture[str]) -> None:
    command(lambda _: 0)
    for words in (["try", "--help"], ["try", "-h"], ["help", "try"]):
        with pytest.raises(SystemExit) as left:
            main(words)
        assert left.value.code == 0
        out = capsys.readouterr().out
        assert out.startswith("usage: opkg try")
        assert "Do what a test wants." in out
        assert "--install-path DIR" in out


@pytest.mark.parametrize(
    ("words", "message", "hint"),
    [
        (["instal", "x"], "there is no command 'instal'", "did you mean 'install'?"),
        (["zzz"], "there is no command 'zzz'", "see 'opkg --help' for the commands"),
        (["--jsno"], "unknown option '--jsno' before the command", "see 'opkg --help'"),
        (["try", "--jsno"], "unrecognized arguments: --jsno", "did you mean '--json'?"),
        (["try", "--install-pth=/x"], "unrecognized arguments: --install-pth=/x", "did you mean '--install-path'?"),
        (["try", "--inst", "/x"], "unrecognized arguments: --inst /x", "did you mean '--install-path'?"),
        (["try", "more"], "unrecognized arguments: more", "see 'opkg try --help'"),
        (["try", "--number", "x"], "argument --number: invalid int value: 'x'", "see 'opkg try --help'"),
        (
            ["try", "--install-path="],
            "argument --install-path: an empty path is not an install root",
            "see 'opkg try --help'",
        ),
    ],
)
def test_a_wrong_command_line_is_two_lines_a_code_and_exit_code_2(
    command: Callable[..., None], capsys: pytest.CaptureFixture[str], words: list[str], message: str, hint: str
) -> None:
    command(lambda _: 0)
    assert main(words) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines() == [f"opkg: {message}", f"  {hint}", "  [OPKG-1000]"]


def test_what_a_command_returns_is_the_exit_code(command: Callable[..., None]) -> None:
    command(lambda args: 0 if args.number is None else int(args.number))
    assert (main(["try"]), main(["try", "--number", "1"])) == (0, 1)


PERMISSION = """opkg: /x y: Permission denied
  name another place, or change the permissions of this one
  [OPKG-0002]
"""


@pytest.mark.parametrize(
    ("error", "code", "err"),
    [
        (StoreError("no room", "make room"), 1, "opkg: no room\n  make room\n  [OPKG-6000]\n"),
        (StoreError("no room"), 1, "opkg: no room\n  [OPKG-6000]\n"),
        (UsageError("wrong", "right", code="E10016"), 2, "opkg: wrong\n  right\n  [E10016]\n"),
        (PermissionError(13, "Permission denied", "/x y"), 1, PERMISSION),
        (OSError(5, "Input/output error", "/x y"), 1, "opkg: /x y: Input/output error\n  [OPKG-0002]\n"),
        (OSError("odd"), 1, "opkg: odd\n  [OPKG-0002]\n"),
        (
            ZeroDivisionError("division by zero"),
            1,
            "opkg: ZeroDivisionError: division by zero\n"
            "  this is a fault of opkg; run the command again with --debug and report what it prints\n  [OPKG-0001]\n",
        ),
        (KeyboardInterrupt(), 130, "opkg: interrupted\n"),
    ],
)
def test_an_error_is_printed_once_and_without_a_traceback(
    command: Callable[..., None],
    capsys: pytest.CaptureFixture[str],
    error: BaseException,
    code: int,
    err: str,
) -> None:
    command(fails_with(error))
    assert main(["try"]) == code
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", err)


@pytest.mark.parametrize("words", [["try", "--debug"], ["--debug", "try"]])
def test_debug_shows_the_traceback(
    command: Callable[..., None], capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    command(fails_with(StoreError("no room")))
    assert main(words) == 1
    err = capsys.readouterr().err
    assert "Traceback (most recent call last)" in err
    assert "in run" in err
    assert err.endswith("opkg: no room\n  [OPKG-6000]\n")


def test_an_error_is_json_too_where_json_was_asked_for(
    command: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    command(fails_with(StoreError("no room", "make room")))
    assert main(["try", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found == {"error": {"code": "OPKG-6000", "message": "no room", "hint": "make room"}}


def test_install_path_is_a_path(command: Callable[..., None], monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Path | None] = []
    command(lambda args: seen.append(args.install_path) or 0)
    monkeypatch.setenv("HOME", "/home/somebody")
    main(["try"])
    main(["try", "--install-path", "~/a b"])
    assert seen == [None, Path("/home/somebody/a b")]


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    program = "import sys; from opkg import cli; cli._help = lambda: 'x' * 10**6; sys.exit(cli.main(['--help']))"
    done = subprocess.run(
        f'"{sys.executable}" -c "{program}" | head -c 10', shell=True, capture_output=True, text=True, env=child_env()
    )
    assert (done.stdout, done.stderr) == ("x" * 10, "")


def test_help_loads_nothing_heavy() -> None:
    program = (
        "import sys; from opkg.cli import main; main(['--help']); main(['--help']);"
        "heavy = {'numpy', 'onnx', 'jinja2', 'pluggy', 'argparse', 'dataclasses', 'sqlite3', 'pathlib', 'subprocess',"
        " 'opkg.opinfo', 'opkg.bundle', 'opkg.registry'};"
        "print('heavy:', sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], env=child_env(), capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "heavy: []"


def test_python_m_opkg_is_opkg() -> None:
    done = subprocess.run([sys.executable, "-m", "opkg", "nosuch"], env=child_env(), capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("opkg: there is no command 'nosuch'\n")


def child_env() -> dict[str, str]:
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


@pytest.fixture
def greeting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plugin with a command, and one that wants to replace `list`."""
    monkeypatch.delenv("OPKG_NO_PLUGINS")
    monkeypatch.syspath_prepend(tmp_path / "site")
    manager._loaded.cache_clear()
    source = """
    def add_arguments(parser):
        parser.add_argument("--name", default="world")

    def run(args):
        print(f"hello, {args.name}")
        return 3 if args.name else 1 / 0

    @hookimpl
    def opkg_commands():
        return [Command("greet", "say hello", add_arguments, run), Command("list", "not this", add_arguments, run)]
    """
    tool(tmp_path / "site", "greeting-plugin", source)


def test_a_command_of_a_plugin_works_and_is_in_the_help(greeting: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["greet", "--name", "you"]) == 3
    assert capsys.readouterr().out == "hello, you\n"
    for _ in range(2):
        assert main(["--help"]) == 0
        out = capsys.readouterr().out
        assert "commands of plugins:\n  greet        say hello (greeting-plugin)\n" in out
        assert "not this" not in out


def test_a_built_in_command_cannot_be_replaced(
    greeting: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["list", "--install-path", str(tmp_path)]) == 0
    assert "no packages" in capsys.readouterr().out


def test_a_command_of_a_plugin_that_fails_names_the_plugin(greeting: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["greet", "--name", ""]) == 1
    assert capsys.readouterr().err == (
        "opkg: plugin greeting-plugin (command greet): ZeroDivisionError: division by zero\n"
        "  --debug shows where; tell those who made it\n  [OPKG-7500]\n"
    )


def test_a_typo_of_a_plugins_command_is_seen(greeting: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gret"]) == 2
    assert "did you mean 'greet'?" in capsys.readouterr().err


def test_plugins_are_listed(greeting: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plugins", "--json"]) == 0
    [found] = [p for p in json.loads(capsys.readouterr().out) if p["distribution"] == "greeting-plugin"]
    assert (found["state"], found["provides"], found["version"]) == ("ok", ["opkg_commands"], "1.5")
    assert main(["plugins"]) == 0
    assert "greeting-plugin 1.5" in capsys.readouterr().out
    assert main(["plugins", "--hooks"]) == 0
    assert "opkg_graph_passes" in capsys.readouterr().out


def test_a_broken_plugin_fails_the_command_that_looks_at_plugins(
    greeting: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tool(tmp_path / "site", "broken", "1 / 0")
    scan.forget()
    manager._loaded.cache_clear()
    assert main(["plugins"]) == 1
    captured = capsys.readouterr()
    assert "ZeroDivisionError: division by zero" in captured.out
