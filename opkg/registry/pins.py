"""Pins: which package must serve an operator, said by the user in so many words."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import NamedTuple

from opkg.errors import UsageError
from opkg.opinfo.names import is_identifier
from opkg.registry.model import Package

VARIABLE = "OPKG_PIN"


class Pin(NamedTuple):
    """`vendor[/name[@version]]`; an empty part fits any."""

    vendor: str
    name: str = ""
    version: str = ""

    def fits(self, package: Package) -> bool:
        """Whether a package is the one that is meant."""
        meant = (self.vendor, self.name or package.name, self.version or package.version)
        return meant == (package.vendor, package.name, package.version)

    def __str__(self) -> str:
        return self.vendor + (f"/{self.name}" if self.name else "") + (f"@{self.version}" if self.version else "")


def pins_of(explicit: Mapping[str, str] | None) -> dict[str, Pin]:
    """The pins of `OPKG_PIN="Square=acme/ops@1.2,Relu=other"`, overridden by `explicit`.

    Raises:
        UsageError: one of them cannot be read.
    """
    pairs = [word.strip().partition("=")[::2] for word in os.environ.get(VARIABLE, "").split(",") if word.strip()]
    return {op_type: _pin(op_type, text) for op_type, text in [*pairs, *(explicit or {}).items()]}


def _pin(op_type: str, text: str) -> Pin:
    package, _, version = text.strip().partition("@")
    vendor, _, name = package.partition("/")
    if not is_identifier(op_type) or not vendor or (version and not name):
        raise UsageError(
            f"the pin '{op_type}={text}' cannot be read", "write Type=vendor/name@version, or less from the end"
        )
    return Pin(vendor, name, version)
