"""What the registry answers with."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from opkg.opinfo import OpInfo

ONNX_DOMAIN = "ai.onnx"
"""How ONNX's own domain is called here; in a model it is the empty string."""


def parse_key(text: str) -> tuple[str, str | None, int | None]:
    """Operator type, domain and opset version of `domain::opset::Type`, `domain::Type` or `Type`; None: not said.

    >>> parse_key("ai.onnx::11::LeakyRelu")
    ('LeakyRelu', 'ai.onnx', 11)
    >>> parse_key("Square")
    ('Square', None, None)
    """
    *domain, op_type = text.split("::")
    version = int(domain.pop()) if len(domain) > 1 and domain[-1].isdecimal() else None
    return op_type, "::".join(domain) if domain else None, version


@dataclass(frozen=True)
class Package:
    """One package that some source has.

    Attributes:
        vendor: its vendor.
        name: its name.
        version: its version.
        domain: the domain of its operators in a model.
        root: its folder.
        source: where it was found, as people read it.
        operators: how many operators it has.
        lacks: why nothing of it can be used, whatever the machine; empty where it is whole.
        target: what its kernels are compiled for.
        soc: the SoCs it was made for.
        os: operating system of its libraries; empty: any.
        arch: machine (`x86_64`) of its libraries; empty: any.
        isa: instruction-set level its kernels need (`x86-64-v3`); empty: any.
        abi: version of the package interface it was built for.
        glibc: the C library it needs at least; empty: any.
        host_library: its host library.
        digest: sha256 of its manifest.
    """

    vendor: str
    name: str
    version: str
    domain: str
    root: Path
    source: str
    operators: int = 0
    lacks: str = ""
    target: str = ""
    soc: tuple[str, ...] = ()
    os: str = ""
    arch: str = ""
    isa: str = ""
    abi: int = 0
    glibc: str = ""
    host_library: Path = Path()
    digest: str = ""

    @property
    def glibcxx(self) -> str:
        """Not kept: a process may well have loaded a newer libstdc++ than the system's, so the loader must say."""
        return ""

    @property
    def label(self) -> str:
        """`vendor/name version`."""
        return f"{self.vendor}/{self.name} {self.version}".rstrip()


@dataclass(frozen=True)
class Candidate:
    """One operator of one package, under its own name or under an alias.

    Attributes:
        op_type: the type by which it was looked up.
        domain: the domain that goes with that name.
        since: the opset version of the domain from which on it may stand for that name; 0 for any.
        package: the package it is in.
        op_info_text: its op info as JSON.
        columns: kernel library of each dtype/format column, below the package's folder.
    """

    op_type: str
    domain: str
    since: int
    package: Package
    op_info_text: str = field(repr=False)
    columns: tuple[str, ...] = field(default=(), repr=False)

    @cached_property
    def op_info(self) -> OpInfo:
        """The operator; under its own name, also where it was found by an alias."""
        from opkg.opinfo import OpInfo

        return OpInfo.from_dict(json.loads(self.op_info_text))

    @property
    def vendor(self) -> str:
        """The package's vendor."""
        return self.package.vendor

    @property
    def name(self) -> str:
        """The package's name."""
        return self.package.name

    @property
    def version(self) -> str:
        """The package's version."""
        return self.package.version

    @property
    def package_root(self) -> Path:
        """The package's folder."""
        return self.package.root

    @property
    def host_library(self) -> Path:
        """The package's host library."""
        return self.package.host_library

    @property
    def digest(self) -> str:
        """Sha256 of the package's manifest."""
        return self.package.digest

    @property
    def source(self) -> str:
        """Where the package was found."""
        return self.package.source

    @property
    def key(self) -> str:
        """`domain::Type`, with the opset version between them where it matters."""
        return "::".join(filter(None, (self.domain, str(self.since or ""), self.op_type)))


@dataclass(frozen=True)
class Resolution:
    """Which candidate serves an operator, and why each other one does not.

    Attributes:
        chosen: the one that serves it; None if none does.
        rejected: the others, each with one sentence.
        looked_at: every place that was searched, with what was there.
    """

    chosen: Candidate | None
    rejected: tuple[tuple[Candidate, str], ...]
    looked_at: tuple[str, ...]
