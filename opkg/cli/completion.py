"""`opkg completion`: a script with which a shell completes opkg's command lines."""

from __future__ import annotations

import argparse
import importlib
from dataclasses import dataclass
from pathlib import Path

from opkg.cli import COMMANDS

_KINDS = {
    "OPERATOR": "operators",
    "VENDOR": "packages",
    "VENDOR[/NAME]": "packages",
    "DIR": "folders",
    "FILE": "files",
    "MODEL": "files",
    "BUNDLE": "files",
    "LOCK": "files",
    "WHAT": "files",
    "K": "files",
    "KEY": "files",
    "A": "files",
    "B": "files",
}
_KINDS_OF = {("info", "NAME"): "names", ("plugins", "NAME"): "plugins"}


@dataclass(frozen=True)
class Argument:
    """One argument of a command.

    Attributes:
        flags: how it is written; empty for one that has a place.
        help: one line.
        takes_value: whether a word follows the flag.
        repeats: whether a place takes any number of words.
        choices: the words that it can be.
        kind: what else it can be: `files`, `folders`, or something that `opkg __complete` knows; empty: nothing known.
    """

    flags: tuple[str, ...]
    help: str
    takes_value: bool
    repeats: bool
    choices: tuple[str, ...]
    kind: str


@dataclass(frozen=True)
class Line:
    """A command with its arguments."""

    name: str
    help: str
    arguments: tuple[Argument, ...]

    @property
    def options(self) -> tuple[Argument, ...]:
        """The arguments with a flag."""
        return tuple(argument for argument in self.arguments if argument.flags)

    @property
    def places(self) -> tuple[Argument, ...]:
        """The arguments with a place."""
        return tuple(argument for argument in self.arguments if not argument.flags)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("shell", choices=("bash", "zsh", "fish"), help="whose language to print")


def run(args: argparse.Namespace) -> int:
    """Print the script."""
    from opkg.cli import shells

    print({"bash": shells.bash, "zsh": shells.zsh, "fish": shells.fish}[args.shell](lines()), end="")
    return 0


def lines() -> list[Line]:
    """Every command, opkg's own with what their parsers declare, those of plugins by their names."""
    from opkg.plugins import command_summaries

    found = [Line(name, summary, _arguments(name)) for name, (_, summary) in COMMANDS.items()]
    found += [Line(s.name, s.help, ()) for s in command_summaries() if s.name not in COMMANDS]
    commands = Argument((), "a command", False, False, tuple(line.name for line in found), "")
    return [*found, Line("help", "explain a command", (commands,))]


def _arguments(command: str) -> tuple[Argument, ...]:
    from opkg.cli.arguments import Parser

    parser = Parser(prog=f"opkg {command}", description="")
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")
    importlib.import_module(COMMANDS[command][0]).add_arguments(parser)
    return tuple(_argument(command, action) for action in parser._actions)


def _argument(command: str, action: argparse.Action) -> Argument:
    metavar = action.metavar if isinstance(action.metavar, str) else ""
    kind = _KINDS_OF.get((command, metavar)) or _KINDS.get(metavar) or ("files" if action.type is Path else "")
    return Argument(
        flags=tuple(action.option_strings),
        help=(action.help or "").partition("\n")[0],
        takes_value=bool(action.option_strings) and action.nargs != 0,
        repeats=action.nargs in ("*", "+"),
        choices=tuple(map(str, action.choices or ())),
        kind=kind,
    )
