"""The steps with which a program is built, run and checked: those of its README, else the customary ones."""

from __future__ import annotations

import enum
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from opkg.testing.programs.commands import Command, Document, find_readme, read_document
from opkg.testing.programs.find import Form, Program

_ARCHITECTURE = re.compile(r"dav-\d{4}")
_DATA_SCRIPT = re.compile(r"(^|/)(gen\w*data|gen_?data|generate)\w*\.py$")
_CHECK_SCRIPT = re.compile(r"(^|/)(verify|check|compare)\w*\.py$")
_RUNS = re.compile(r"^\s*(\./\S+|.*\s\./build/\S+).*$", re.MULTILINE)
_NO_BUILD = frozenset({"install", "--install", "clean", "-E", "-P"})
DEFAULT_SOC = "Ascend910B1"


class Part(enum.Enum):
    """What a step is for; the value is its column."""

    BUILD = "build"
    DATA = "data"
    RUN = "run"
    VERIFY = "verify"
    ALL = "all"


@dataclass(frozen=True)
class Step:
    """One command of a program.

    Attributes:
        part: what it is for.
        words: the command; a first word that starts with `./` is looked up below `folder`.
        folder: where it runs, relative to the program's root.
    """

    part: Part
    words: tuple[str, ...]
    folder: str = "."


@dataclass(frozen=True)
class Recipe:
    """The steps of a program and how to tell that it works.

    Attributes:
        steps: the commands.
        shown: the last lines of the outputs that it is said to print.
        checked: the script that does everything looks at what the program printed, and fails where it is not right.
    """

    steps: tuple[Step, ...]
    shown: tuple[str, ...] = ()
    checked: bool = False


def recipe_of(program: Program, *, options: Sequence[str] = (), soc: str = DEFAULT_SOC) -> Recipe:
    """The steps of a program.

    Args:
        options: more arguments for every CMake configuration.
        soc: the chip that a kernel-launch project is told to build for.
    """
    readme = find_readme(program.root)
    document = read_document(readme.read_text("utf-8", errors="replace")) if readme is not None else Document()
    if program.form is Form.OPERATOR:
        return Recipe((Step(Part.BUILD, ("opkg", "build", ".")),))
    script = program.root / "run.sh"
    if program.form is Form.LAUNCH and script.is_file():
        text = script.read_text("utf-8", errors="replace")
        return Recipe((Step(Part.ALL, _run_script(program.root, text, soc)),), document.shown, _checks(text))
    steps = _with_scripts(program.root, _with_build(list(_documented(program.root, document.commands))))
    return Recipe(tuple(_configured(steps, program, options)), document.shown)


def _configures(words: Sequence[str]) -> bool:
    return words[0] == "cmake" and "--build" not in words


def _build_folder(steps: Iterable[Step]) -> str:
    """Where the program is built, relative to its root: where CMake or make is told to, else where they run."""
    for step in steps:
        if step.part is Part.BUILD:
            options = dict(pairwise(step.words))
            named = options.get("-B") or options.get("--build") or options.get("-C") or "."
            return os.path.normpath(Path(step.folder) / named)
    return "build"


def _with_build(steps: list[Step]) -> list[Step]:
    """The same steps, with a configuration and a build where a README does not have them as plain commands."""
    folder = _build_folder(steps)
    if not any(_configures(step.words) for step in steps):
        steps = [Step(Part.BUILD, ("cmake", os.path.relpath(".", folder)), folder), *steps]
    if not any(step.words[0] in ("make", "ninja") or "--build" in step.words for step in steps):
        place = max(number for number, step in enumerate(steps) if step.part is Part.BUILD)
        steps.insert(place + 1, Step(Part.BUILD, ("cmake", "--build", "."), folder))
    return steps


def _checks(script: str) -> bool:
    """Whether a script can still fail by a decision of its own after it has run the program."""
    run = max((match.end() for match in _RUNS.finditer(script)), default=len(script))
    return re.search(r"^\s*exit\s+-?[1-9]", script[run:], re.MULTILINE) is not None


def _run_script(root: Path, text: str, soc: str) -> tuple[str, ...]:
    if "run-mode" not in text:
        return ("bash", "run.sh", "-v", soc)
    # Without a branch for a CPU a program takes the branch that launches on a stream, which runs on the twin as well.
    sources = (path.read_text("utf-8", errors="replace") for path in sorted(root.glob("*.cpp")))
    mode = "cpu" if any("ICPU_RUN_KF" in source for source in sources) else "npu"
    return ("bash", "run.sh", "-r", mode, "-v", soc)


def _documented(root: Path, commands: Iterable[Command]) -> Iterator[Step]:
    """The first way through the commands from a configuration to a check; what follows are variants of it."""
    folder, configured, ran = ".", False, False
    for command in commands:
        if command.head == "cd" and len(command.words) == 2:
            folder = _entered(root, folder, command.words[1])
            continue
        part = _part(command)
        if part is None or folder.startswith(".."):
            continue
        configures = _configures(command.words)
        if configures and ran:
            return
        # A second configuration before the program has run is another variant: the first one stands.
        if configures and (configured or _leaves(folder, command.words)):
            continue
        configured |= configures
        ran |= part in (Part.RUN, Part.VERIFY)
        yield Step(part, command.words, folder)


def _entered(root: Path, folder: str, word: str) -> str:
    """The folder that `cd` goes to, relative to the program's; `..` for any outside of it."""
    entered = os.path.normpath(Path(folder) / word)
    unknown = entered.startswith("/") or "$" in entered
    if Path(word).name == root.name and (unknown or not (root / entered).is_dir()):
        return "."  # said from where the reader is: the way from a home folder, or from the top of a clone
    return ".." if unknown else entered


def _leaves(folder: str, words: tuple[str, ...]) -> bool:
    """Whether a configuration reads sources outside of the program: it is shown for another place."""
    paths = (os.path.normpath(Path(folder) / word) for word in words[1:] if not word.startswith("-"))
    return any(path.startswith("..") for path in paths)


def _part(command: Command) -> Part | None:
    words = command.words
    if command.head in ("cmake", "make", "ninja"):
        always = command.head == "make" and "-B" in words  # `make -B` is shown for variants, after a build
        return None if always or _NO_BUILD & set(words) else Part.BUILD
    if command.head in ("python", "python3"):
        script = next((word for word in words[1:] if word.endswith(".py")), "")
        if _DATA_SCRIPT.search(script):
            return Part.DATA
        return Part.VERIFY if _CHECK_SCRIPT.search(script) else Part.RUN if script else None
    if command.head in ("bash", "sh"):
        return Part.RUN if len(words) > 1 and words[1].endswith(".sh") else None
    return Part.RUN if command.head.startswith("./") else None


def _with_scripts(root: Path, steps: list[Step]) -> list[Step]:
    """The same steps, with the program, its data generator and its checker where nobody wrote these down."""
    parts = {step.part for step in steps}
    folder = _build_folder(steps)
    if Part.RUN not in parts:
        place = max(number for number, step in enumerate(steps) if step.part in (Part.BUILD, Part.DATA)) + 1
        steps.insert(place, Step(Part.RUN, ("./*",), folder))
    scripts = [path.relative_to(root).as_posix() for path in sorted((root / "scripts").glob("*.py"))]
    up = os.path.relpath(".", folder)
    data = next((script for script in scripts if _DATA_SCRIPT.search(script)), None)
    if data is not None and Part.DATA not in parts:
        place = next(number for number, step in enumerate(steps) if step.part is Part.RUN)
        steps.insert(place, Step(Part.DATA, ("python3", f"{up}/{data}"), folder))
    check = next((script for script in scripts if _CHECK_SCRIPT.search(script)), None)
    if check is not None and Part.VERIFY not in parts:
        outputs = ("output/output.bin", "output/golden.bin")
        steps.append(Step(Part.VERIFY, ("python3", f"{up}/{check}", *outputs), folder))
    return steps


def _configured(steps: Iterable[Step], program: Program, options: Sequence[str]) -> Iterator[Step]:
    for step in steps:
        if _configures(step.words):
            yield replace(step, words=(*_without_mode(step.words), *_mode(program, step.words), *options))
        elif step.words[0] == "make":  # without its own -j: programs already run as many at once as there are CPUs
            yield replace(step, words=("make", *(word for word in step.words[1:] if not re.match(r"-j\d*$", word))))
        else:
            yield step


def _without_mode(words: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(word for word in words if not word.startswith("-DCMAKE_ASC_RUN_MODE="))


def _mode(program: Program, words: tuple[str, ...]) -> tuple[str, ...]:
    """CPU mode, and a real architecture where the README leaves a placeholder for one."""
    if program.form is Form.LAUNCH:
        return ("-DRUN_MODE=cpu",)
    named = [word for word in words if word.startswith("-DCMAKE_ASC_ARCHITECTURES=")]
    if named and not _ARCHITECTURE.search(named[-1]):
        listing = (program.root / "CMakeLists.txt").read_text("utf-8", errors="replace")
        default = _ARCHITECTURE.search(listing)
        return ("-DCMAKE_ASC_RUN_MODE=cpu", f"-DCMAKE_ASC_ARCHITECTURES={default.group() if default else 'dav-2201'}")
    return ("-DCMAKE_ASC_RUN_MODE=cpu",)
