"""The command line: one file a command.

`main` knows the names of the commands from a table and imports only the module of the one that was typed, so that
`opkg --help` costs little more than Python itself. Errors are printed here and nowhere else.
"""

from __future__ import annotations

import io
import os
import sys

from opkg.errors import OpkgError, PluginError, UsageError, hint_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence
    from typing import Protocol

    class CommandModule(Protocol):
        """What a module of a command has, and what a plugin's `Command` has."""

        def add_arguments(self, parser: argparse.ArgumentParser) -> None:
            """Declare the arguments of the command."""

        def run(self, args: argparse.Namespace) -> int:
            """Do the work; the exit code."""


COMMANDS: dict[str, tuple[str, str]] = {
    "new": ("opkg.cli.new", "make a project that builds and whose tests pass as it is"),
    "update": ("opkg.cli.update", "bring a project to a newer template, with what you changed"),
    "build": ("opkg.cli.build", "build a project; with --pkg also its .run bundle"),
    "test": ("opkg.cli.test", "run a project's operators on the twin and compare them with their golden"),
    "toolkit": ("opkg.cli.toolkit", "make a toolkit with which programs that launch kernels build and run"),
    "ci": ("opkg.cli.ci", "build, run and check every program and operator project in a folder"),
    "install": ("opkg.cli.install", "install a bundle into an install root"),
    "uninstall": ("opkg.cli.uninstall", "remove a vendor's packages, or one of them"),
    "upgrade": ("opkg.cli.upgrade", "put the newest versions of packages to use"),
    "rollback": ("opkg.cli.rollback", "go back to what was in use before"),
    "history": ("opkg.cli.history", "show every change of an install root"),
    "gc": ("opkg.cli.gc", "delete versions that are not in use"),
    "lock": ("opkg.cli.lock", "write down exactly which packages are in use, or needed"),
    "sync": ("opkg.cli.sync", "make an install root equal to a lock"),
    "freeze": ("opkg.cli.freeze", "list all components and versions in use"),
    "verify": ("opkg.cli.verify", "compare what is installed, or a bundle, with its manifests and signature"),
    "key": ("opkg.cli.key", "make keys for signatures, and say which an install root trusts"),
    "sign": ("opkg.cli.sign", "sign bundles"),
    "diff": ("opkg.cli.diff", "say in what two bundles differ"),
    "list": ("opkg.cli.list_", "show the packages that provide operators"),
    "info": ("opkg.cli.info", "describe a package or an operator"),
    "which": ("opkg.cli.which", "show which package an operator comes from, and why"),
    "env": ("opkg.cli.env", "print the environment that other programs need"),
    "doctor": ("opkg.cli.doctor", "look for what would go wrong, and say what to type"),
    "plugins": ("opkg.cli.plugins", "show the plugins and whether they work"),
    "convert": ("opkg.cli.convert", "convert a model to an offline model (.om)"),
    "run": ("opkg.cli.run", "run an offline model"),
    "inspect": ("opkg.cli.inspect", "show what is in a .run, an .om or an installed vendor"),
    "completion": ("opkg.cli.completion", "print a script with which a shell completes opkg's command lines"),
}
"""Name -> (module, one line of help), in the order in which people meet them."""

_HIDDEN = {"__complete": ("opkg.cli.complete", "words for completion scripts")}

_DESCRIPTION = "Package manager and build system for custom operators of neural networks."
_GLOBAL_OPTIONS = {
    "-h, --help": "show this help",
    "--version": "show opkg's version",
    "--debug": "show the traceback of an error",
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line.

    Returns:
        0 done, 1 the work failed, 2 the command line is wrong, 130 interrupted.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    # File names are bytes, and those that are no UTF-8 are to be printed as they are.
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="surrogateescape")
    try:
        return _dispatch(words)
    except OpkgError as error:
        return _report(error, words)
    except KeyboardInterrupt:
        print("opkg: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader of our output went away (`opkg list | head`); the interpreter must not try to flush to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except OSError as error:
        return _report(_from_os_error(error), words)
    except Exception as error:  # the outermost frame: a user sees one line, never a traceback
        return _report(_from_bug(error), words)


def _dispatch(words: list[str]) -> int:
    # By hand: argparse would want the parsers of all commands, and so their modules.
    rest = list(words)
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        if option in ("-h", "--help"):
            print(_help(), end="")
            return 0
        if option == "--version":
            from opkg import __version__

            print(f"opkg {__version__}")
            return 0
        if option != "--debug":
            raise UsageError(f"unknown option '{option}' before the command", "see 'opkg --help'")
    if rest[:1] == ["help"] and len(rest) > 1:
        return _run(rest[1], ["--help"])
    if not rest or rest[0] == "help":
        print(_help(), end="")
        return 0 if rest else 2
    return _run(rest[0], rest[1:])


def _run(name: str, arguments: list[str]) -> int:
    from opkg.cli.arguments import Parser

    command, summary, origin = _find(name)
    parser = Parser(prog=f"opkg {name}", description=f"{summary[:1].upper()}{summary[1:]}.")
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")
    try:
        command.add_arguments(parser)
        code = _run_shown(command, parser.parse_args(arguments))
    except (OpkgError, OSError):
        raise
    except Exception as error:
        if not origin:
            raise
        from opkg.plugins.trouble import one_line

        raise PluginError(
            f"plugin {origin} (command {name}): {one_line(error)}", "--debug shows where; tell those who made it"
        ) from error
    sys.stdout.flush()
    return code


def _run_shown(command: CommandModule, args: argparse.Namespace) -> int:
    """Run a command, with its progress on a terminal."""
    if getattr(args, "quiet", False) or os.environ.get("TERM") == "dumb" or not sys.stderr.isatty():
        return command.run(args)
    from opkg.cli.progress import status_line

    with status_line():
        return command.run(args)


def _find(name: str) -> tuple[CommandModule, str, str]:
    """A command, its line of help, and the distribution that it comes from; empty for opkg's own."""
    import importlib

    if name in COMMANDS or name in _HIDDEN:
        module, summary = COMMANDS.get(name) or _HIDDEN[name]
        return importlib.import_module(module), summary, ""
    from opkg.plugins import collect

    commands = {command.name: (command, command.help, origin) for origin, command in collect("opkg_commands")}
    if name in commands:
        return commands[name]
    import difflib

    near = difflib.get_close_matches(name, [*COMMANDS, *commands], 1)
    hint = f"did you mean '{near[0]}'?" if near else "see 'opkg --help' for the commands"
    raise UsageError(f"there is no command '{name}'", hint)


def _help() -> str:
    from opkg.plugins import command_summaries

    own = [(name, summary) for name, (_, summary) in COMMANDS.items()]
    plugins = []
    for name, summary, origin in command_summaries():
        if name in COMMANDS:
            from opkg.plugins.trouble import complain

            complain(origin, "opkg_commands", f"'{name}' is left out: opkg itself has a command of that name")
        else:
            plugins.append((name, f"{summary} ({origin})"))
    parts = ["usage: opkg [--debug] COMMAND [ARGUMENTS]", _DESCRIPTION, _section("commands", own)]
    if plugins:
        parts.append(_section("commands of plugins", plugins))
    parts += [_section("options", list(_GLOBAL_OPTIONS.items())), "'opkg COMMAND --help' explains a command."]
    return "\n\n".join(parts) + "\n"


def _section(title: str, rows: list[tuple[str, str]]) -> str:
    width = max(11, *(len(name) for name, _ in rows))
    return "\n".join([f"{title}:", *(f"  {name:<{width}}  {text}" for name, text in rows)])


def _report(error: OpkgError, words: list[str]) -> int:
    if "--debug" in words:
        import traceback

        traceback.print_exception(error)
    if "--json" in words:
        from opkg.cli.output import print_json

        print_json({"error": error.to_dict()})
    lines = [f"opkg: {error.message}", *([f"  {error.hint}"] if error.hint else []), f"  [{error.code}]"]
    print("\n".join(lines), file=sys.stderr)
    return 2 if isinstance(error, UsageError) else 1


def _from_os_error(error: OSError) -> OpkgError:
    where = f"{os.fspath(error.filename)}: " if isinstance(error.filename, (str, os.PathLike)) else ""
    found = OpkgError(f"{where}{error.strerror or error}", hint_of(error), code="OPKG-0002")
    found.__cause__ = error
    return found


def _from_bug(error: Exception) -> OpkgError:
    hint = "this is a fault of opkg; run the command again with --debug and report what it prints"
    found = OpkgError(f"{type(error).__name__}: {error}", hint, code="OPKG-0001")
    found.__cause__ = error
    return found
