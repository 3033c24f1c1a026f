"""What became of a program: a state for each part of its work, and the first line that says what went wrong."""

from __future__ import annotations

import enum
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from opkg.errors import short
from opkg.testing.programs.execute import Ended
from opkg.testing.programs.find import Program
from opkg.testing.programs.recipe import Part, Recipe, Step
from opkg.testing.programs.said import first_bad, says_good, without_build

_BUILD_FAILED = re.compile(r"CMake Error|\berror: |undefined reference|make(\[\d+\])?: \*\*\*|ninja: build stopped")
_BUILD_STOPPED = re.compile(r"^(CMake Error|make(\[\d+\])?: \*\*\*|ninja: build stopped)", re.MULTILINE)
"""Said by nothing but a build, unlike `error: `, which programs print that go on to pass."""
_MISSING = re.compile(r"ModuleNotFoundError: No module named '([\w.]+)'|ImportError: No module named '?([\w.]+)'?")
_ERROR = re.compile(r"\b(error|fatal|exception|traceback|refused|cannot|failed|assert\w*)\b", re.IGNORECASE)
_CORE = re.compile(r"^\[AI[CV] Block \d+/\d+\] ")  # which core has printed a line
_FINDING = re.compile(r"^(?:.*/)?([^/\n]+:\d+: [a-z-]+: .+ \[OPKG-C\d{3}\])$", re.MULTILINE)
"""What the twin's checks print of a kernel, with the file's bare name."""
_TERMINAL = re.compile(r"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)?)")
"""Colours, and titles of windows."""
_LEAST_SHOWN = 4
_KEPT = 20_000


class State(enum.Enum):
    """How a part of a program's work went; the value is what tables show."""

    DONE = "ok"
    FAILED = "FAILED"
    UNSAID = "unsaid"
    NEEDS = "needs"
    NONE = "-"


@dataclass(frozen=True)
class Row:
    """What became of one program.

    Attributes:
        program: the program.
        build, run, verify: how these went; `UNSAID`: it ran, and nothing said that the result is right.
        seconds: how long everything took.
        reason: the first line that says what went wrong, or which Python package is missing; without control
            characters, and the end of a very long one is left out.
        steps: the commands with how each ended, and the last 20,000 characters that it printed.
    """

    program: Program
    build: State
    run: State
    verify: State
    seconds: float
    reason: str = ""
    steps: tuple[tuple[Step, Ended], ...] = field(default=(), repr=False)

    @property
    def verified(self) -> bool:
        """Whether a checker, or the program itself, said that the result is right."""
        return self.verify is State.DONE

    @property
    def failed(self) -> bool:
        """Whether anything failed; a missing Python package of a script is no failure."""
        return State.FAILED in (self.build, self.run, self.verify)


def judge(program: Program, steps: Sequence[tuple[Step, Ended]], recipe: Recipe) -> Row:
    """The row of a program from its steps, of which only the last can have ended badly."""
    seconds = sum(ended.seconds for _, ended in steps)
    last, ended = steps[-1]
    # A race that happened to end well today is a failure all the same.
    found = next((match for _, done in steps if (match := _FINDING.search(done.output))), None)
    if found is not None:
        build, run, verify, reason = State.DONE, State.FAILED, State.NONE, found.group(1)
    elif ended.code != 0:
        build, run, verify, reason = _unfinished(last, ended)
    else:
        build, run, verify, reason = _finished(steps, recipe)
    # Hundreds of rows are kept to the end, and a program may print megabytes.
    kept = tuple((step, replace(done, output=done.output[-_KEPT:])) for step, done in steps)
    return Row(program, build, run, verify, seconds, short(_TERMINAL.sub("", reason)), kept)


def _unfinished(step: Step, ended: Ended) -> tuple[State, State, State, str]:
    part = _failed_part(ended) if step.part is Part.ALL else step.part
    # A machine without torch says nothing about the kernel, so this is told apart from every failure.
    missing = missing_module(ended.output)
    state = State.NEEDS if missing else State.FAILED
    reason = f"needs the Python package {missing}" if missing else first_error(ended)
    if part is Part.BUILD:
        return state, State.NONE, State.NONE, reason
    if part is Part.VERIFY:
        return State.DONE, State.DONE, state, reason
    return State.DONE, state, State.NONE, reason


def _failed_part(ended: Ended) -> Part:
    """In which part of its work a script that does everything failed."""
    if _BUILD_FAILED.search(ended.output):
        return Part.BUILD
    return Part.VERIFY if re.search(r"error ratio|data index:|result error", ended.output) else Part.RUN


def _finished(steps: Sequence[tuple[Step, Ended]], recipe: Recipe) -> tuple[State, State, State, str]:
    if not any(step.part in (Part.RUN, Part.ALL) for step, _ in steps):
        return State.DONE, State.NONE, State.NONE, ""
    # Where there is a checker it alone is heard: programs call their own output a success before it is compared.
    checks = [ended for step, ended in steps if step.part is Part.VERIFY]
    speakers = checks or [ended for step, ended in steps if step.part in (Part.RUN, Part.ALL)]
    if not checks and (stopped := _stopped(speakers)):
        return stopped
    lines = [line for ended in speakers for line in without_build(ended.output)]
    if bad := first_bad(lines):
        return State.DONE, State.DONE, State.FAILED, bad
    if says_good(lines) or _as_shown(lines, recipe.shown) or (recipe.checked and not checks):
        return State.DONE, State.DONE, State.DONE, ""
    return State.DONE, State.DONE, State.UNSAID, "nothing that it printed says that the result is right"


def _stopped(scripts: Sequence[Ended]) -> tuple[State, State, State, str] | None:
    """What failed inside a script that went on after it and ended with 0: a build, or the import of a package."""
    for ended in scripts:
        if _BUILD_STOPPED.search(ended.output):
            return State.FAILED, State.NONE, State.NONE, first_error(ended)
        if missing := missing_module(ended.output):
            return State.DONE, State.NEEDS, State.NONE, f"needs the Python package {missing}"
    return None


def _as_shown(lines: Sequence[str], shown: tuple[str, ...]) -> bool:
    """Whether the last line of what the README shows as the program's output was printed."""
    printed = {form for line in lines for form in (line.strip(), _CORE.sub("", line.strip()))}
    for line in shown:
        start = line.removesuffix("...").rstrip()
        whole = start == line
        if len(start) >= _LEAST_SHOWN and any(one == line if whole else one.startswith(start) for one in printed):
            return True
    return False


def missing_module(output: str) -> str:
    """The Python package without which a script ended; empty if it was something else."""
    match = _MISSING.search(output)
    return "" if match is None else (match.group(1) or match.group(2)).split(".")[0]


def first_error(ended: Ended) -> str:
    """The first line of the output that says what is wrong, and how the command ended if no line does."""
    lines = [line.strip() for line in ended.output.splitlines() if line.strip()]
    compiler = (line for line in lines if re.search(r"(error|fatal error): |CMake Error|undefined reference", line))
    line = next(compiler, None) or next((line for line in lines if _ERROR.search(line)), None)
    if line is not None and line.startswith("CMake Error"):
        line = " ".join(lines[lines.index(line) : lines.index(line) + 2])
    if ended.code is None or ended.code < 0:
        return ended.how() if line is None else f"{ended.how()}: {line}"
    return line or (lines[-1] if lines else ended.how())
