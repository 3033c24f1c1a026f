"""What hooks take and return. Frozen values; an operator's or a tool's own objects travel in their callables.

What opkg itself provides are tables of the same types, so a plugin can do all that a built-in does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import argparse


@dataclass(frozen=True)
class OpSource:
    """A folder with operators: a built package (it has `opkg-package.json`), or a folder of such folders.

    Attributes:
        path: the folder.
        name: how `opkg which` calls the source; empty: the distribution's name.
    """

    path: Path
    name: str = ""


@dataclass(frozen=True)
class OpQuery:
    """The operator that is looked for.

    Attributes:
        op_type: operator type.
        domain: domain in the model, `ai.onnx` for ONNX's own; None fits any.
        version: opset version of the domain in the model; None fits any.
    """

    op_type: str
    domain: str | None = None
    version: int | None = None


@dataclass(frozen=True)
class KernelOption:
    """One of several packages whose kernels could serve an operator here."""

    vendor: str
    name: str
    version: str
    isa: str
    package_root: Path
    source: str


@dataclass(frozen=True)
class NodeQuery:
    """A kind of node of a model that nothing provides: domain (empty for ONNX's own), operator type, opset version."""

    domain: str
    op_type: str
    opset: int


@dataclass(frozen=True)
class NodeConverter:
    """Turns a node into nodes that something provides.

    Attributes:
        name: what the converter's report calls it.
        convert: takes an `onnx.NodeProto`, returns the `onnx.NodeProto`s that replace it, with the same inputs and
            outputs.
    """

    name: str
    convert: Callable[[Any], Sequence[Any]]


@dataclass(frozen=True)
class GraphPass:
    """A rewrite of a whole model, run by the converter before it looks operators up.

    Attributes:
        name: unique among passes.
        run: takes an `onnx.ModelProto`, changes it in place, returns whether it changed anything.
        after: names of passes that run earlier, where they exist.
        before: names of passes that run later, where they exist.
    """

    name: str
    run: Callable[[Any], bool]
    after: tuple[str, ...] = ()
    before: tuple[str, ...] = ()


@dataclass(frozen=True)
class Frontend:
    """Reads models of one format.

    Attributes:
        name: unique among frontends.
        suffixes: lower-cased file name endings with their dot (`.onnx`).
        read: takes the path, returns an `onnx.ModelProto`.
    """

    name: str
    suffixes: tuple[str, ...]
    read: Callable[[Path], Any]


@dataclass(frozen=True)
class Engine:
    """Executes the standard operators of an offline model.

    Attributes:
        name: unique among engines.
        refusals: takes an `onnx.ModelProto` and the custom operators in it, returns why the engine cannot carry the
            model exactly, one sentence a reason; empty when it can.
        open: makes a session; the arguments and the session are those of `opkg.runtime`'s own engines.
    """

    name: str
    refusals: Callable[..., Sequence[str]]
    open: Callable[..., Any]


@dataclass(frozen=True)
class Toolchain:
    """Compiles kernels for a target.

    Attributes:
        name: unique among toolchains.
        targets: values of `opkg build --target` that it serves, lower-cased.
        build: takes the project's folder, the folder of the package to fill, and a function that shows a line; raises
            `opkg.errors.BuildError`.
    """

    name: str
    targets: tuple[str, ...]
    build: Callable[[Path, Path, Callable[[str], None]], None]


@dataclass(frozen=True)
class Template:
    """A kind of project that `opkg new --template NAME` makes.

    Attributes:
        name: unique among templates.
        help: one line.
        path: folder of Jinja2 files.
    """

    name: str
    help: str
    path: Path


@dataclass(frozen=True)
class Command:
    """A command of the command line.

    Attributes:
        name: what is typed after `opkg`; a built-in command of that name wins.
        help: one line without a full stop.
        add_arguments: declares the arguments.
        run: does the work and returns the exit code; raises `opkg.errors.OpkgError`.
    """

    name: str
    help: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    run: Callable[[argparse.Namespace], int]


@dataclass(frozen=True)
class Finding:
    """Something that `opkg doctor` found out.

    Attributes:
        subject: what was looked at, in a few words (`compiler`).
        state: `ok`, `note` (worth knowing, nothing is wrong) or `problem`.
        message: one sentence without a full stop.
        advice: what to type, or what else to do; empty where nothing is to be done.
    """

    subject: str
    state: str
    message: str
    advice: str = ""


@dataclass(frozen=True)
class Check:
    """A part of `opkg doctor`.

    Attributes:
        name: unique among checks.
        run: takes the install root that the user named, or None for the usual ones, and returns what it found out; an
            exception is a problem that names the check.
    """

    name: str
    run: Callable[[Path | None], Iterable[Finding]]


@dataclass(frozen=True)
class InstallPlan:
    """An installation that is verified and about to be made, or that has just been made.

    Attributes:
        root: the install root.
        vendor: vendor of the package.
        name: its name.
        version: its version.
        operators: the operator types it provides.
        package: where the package's files are: the staged ones before, the installed ones after.
        replaces: version of the package that it replaces; empty where there is none.
    """

    root: Path
    vendor: str
    name: str
    version: str
    operators: tuple[str, ...]
    package: Path
    replaces: str = ""


@dataclass(frozen=True)
class Veto:
    """A refusal to install, with the sentence that the user reads."""

    reason: str


@dataclass(frozen=True)
class PluginStatus:
    """One installed plugin, as `opkg plugins` shows it.

    Attributes:
        distribution: the distribution that has it.
        version: that distribution's version.
        name: the entry point's name.
        door: `static` or `dynamic`.
        value: the entry point's value.
        state: `ok`, `disabled` or `failed`.
        error: why it failed, or what turned it off; one line.
        provides: hooks that it implements, or operators of its packages.
    """

    distribution: str
    version: str
    name: str
    door: str
    value: str
    state: str
    error: str = ""
    provides: tuple[str, ...] = ()
