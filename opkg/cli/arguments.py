"""The parser of a command, and the options that many commands share."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import NoReturn

from opkg.errors import UsageError


class Parser(argparse.ArgumentParser):
    """An argument parser that raises `UsageError` instead of printing its usage and leaving the process."""

    def __init__(self, prog: str, description: str) -> None:
        super().__init__(prog=prog, description=description, allow_abbrev=False, formatter_class=_Formatter)

    def error(self, message: str) -> NoReturn:
        """Turn argparse's complaint into one line and one hint."""
        raise UsageError(message, self._nearest(message) or f"see '{self.prog} --help'")

    def _nearest(self, message: str) -> str:
        label, _, words = message.partition(": ")
        if label != "unrecognized arguments":
            return ""
        options = [option for action in self._actions for option in action.option_strings]
        typed = words.split()[0].partition("=")[0]
        import difflib

        near = difflib.get_close_matches(typed, options, 1) if typed.startswith("-") else []
        return f"did you mean '{near[0]}'?" if near else ""


class _Formatter(argparse.HelpFormatter):
    """argparse's own; it asks `shutil` for the width, which with its compressors takes 5 ms of every command."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_columns() - 2)


def _columns() -> int:
    words = os.environ.get("COLUMNS", "")
    if words.isdecimal() and int(words):
        return int(words)
    try:
        return os.get_terminal_size(sys.__stdout__.fileno() if sys.__stdout__ else 1).columns or 80
    except (OSError, ValueError):
        return 80


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add `--json`, which every command that reports something takes."""
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")


def add_install_path(parser: argparse.ArgumentParser) -> None:
    """Add `--install-path`, the install root to use instead of the default one; `args.install_path` is Path or None."""
    parser.add_argument(
        "--install-path",
        metavar="DIR",
        type=_directory,
        help="install root to use; without it $ASCEND_OPP_PATH, else the default of this user",
    )


def add_wait(parser: argparse.ArgumentParser) -> None:
    """Add `--wait`, which every command that changes an install root takes."""
    parser.add_argument(
        "--wait", metavar="SECONDS", type=_seconds, default=60.0, help="how long another process may be at it (60)"
    )


def add_change(parser: argparse.ArgumentParser) -> None:
    """Add what every command that changes an install root takes: `--quiet`, `--install-path`, `--wait`, `--json`."""
    parser.add_argument("-q", "--quiet", action="store_true", help="print nothing unless it fails")
    add_install_path(parser)
    add_wait(parser)
    add_json(parser)


def add_allow_downgrade(parser: argparse.ArgumentParser) -> None:
    """Add `--allow-downgrade`, of commands that put a version of someone else's choosing in."""
    parser.add_argument(
        "--allow-downgrade",
        action="store_true",
        help="where signatures are required: also a version older than one that was installed",
    )


def add_from(parser: argparse.ArgumentParser) -> None:
    """Add `--from`, a folder with bundles; `args.source` is Path or None."""
    parser.add_argument(
        "--from", dest="source", metavar="DIR", type=Path, help="folder with .run files to look into as well"
    )


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0.0 <= seconds < float("inf"):
        raise argparse.ArgumentTypeError(f"'{text}' is no number of seconds")
    return seconds


def _directory(text: str) -> Path:
    if not text:
        raise argparse.ArgumentTypeError("an empty path is not an install root")
    return Path(text).expanduser()
