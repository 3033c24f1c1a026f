"""docs/command-line.md says of every command what `opkg COMMAND --help` says: a table in each command's section."""

import argparse
import importlib
import re
from pathlib import Path

import pytest

from opkg.cli import COMMANDS
from opkg.cli.arguments import Parser

PAGE = Path(__file__).resolve().parents[2] / "docs" / "command-line.md"


def actions(command: str) -> list[argparse.Action]:
    parser = Parser(prog=f"opkg {command}", description="")
    importlib.import_module(COMMANDS[command][0]).add_arguments(parser)
    return [action for action in parser._actions if "--help" not in action.option_strings]


def row(action: argparse.Action) -> str:
    """A line of the table: how the argument is written, and its help."""
    value = action.metavar or ("" if action.nargs == 0 else (action.dest or "").upper())
    value = "{" + ",".join(action.choices) + "}" if action.choices else value
    options = [f"`{option}`" for option in action.option_strings]
    options[-1:] = [f"`{f'{action.option_strings[-1]} {value}'.strip()}`"] if options else [f"`{value}`"]
    return f"| {', '.join(options)} | {action.help} |"


def table(command: str) -> str:
    rows = [row(action) for action in actions(command)]
    return "\n".join(["| argument | meaning |", "|---|---|", *rows])


def sections() -> dict[str, str]:
    parts = re.split(r"^## opkg (\S+)\n", PAGE.read_text("utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_the_page_has_a_section_for_each_command_in_order():
    assert list(sections()) == list(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_section_begins_with_the_help_and_has_every_argument(command):
    section = sections()[command]
    summary = COMMANDS[command][1]
    assert section.lstrip().startswith(f"{summary[:1].upper()}{summary[1:]}.")
    assert table(command) in section, f"the section must have this table:\n{table(command)}"


def test_every_error_class_is_in_the_table_of_codes():
    from opkg import errors

    classes = [c for c in vars(errors).values() if isinstance(c, type) and issubclass(c, errors.OpkgError)]
    listed = set(re.findall(r"^\| `(OPKG-\d000|OPKG-\d+)` \|", PAGE.read_text("utf-8"), flags=re.MULTILINE))
    assert {c.code for c in classes if c is not errors.OpkgError} <= listed
