"""What a package needs beside itself: `vendor/name>=1.0,<2`, `opkg>=0.1`. Versions and specifiers are those of Python
packages (PEP 440); a version that is none is only equal to itself."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from opkg.errors import BundleError

if TYPE_CHECKING:
    from packaging.version import Version

OPKG = "opkg"
"""The requirement on opkg itself, which has no vendor."""

_TEXT = re.compile(
    r"\s*(?:(?P<vendor>\w[\w.-]*)/)?(?P<name>\w(?:[\w.-]*\w)?)\s*(?P<specifier>[=<>!~].*?)?\s*\Z", re.ASCII
)


@dataclass(frozen=True)
class Requirement:
    """A package, or opkg itself where `vendor` is empty, in one of several versions.

    Attributes:
        vendor: of the package.
        name: of the package.
        specifier: which versions; empty for any.
    """

    vendor: str
    name: str
    specifier: str = ""

    @property
    def key(self) -> str:
        """`vendor/name`, or `opkg`."""
        return f"{self.vendor}/{self.name}" if self.vendor else self.name

    def accepts(self, version: str) -> bool:
        """Whether a version of the package will do; pre-releases will, where they are new enough."""
        from packaging.specifiers import SpecifierSet
        from packaging.version import InvalidVersion

        if not self.specifier:
            return True
        try:
            return SpecifierSet(self.specifier).contains(version, prereleases=True)
        except InvalidVersion:
            return self.specifier.lstrip("= ") == version and self.specifier.startswith("==")

    def __str__(self) -> str:
        return self.key + self.specifier


def parse_requirement(text: str) -> Requirement:
    """Parse one requirement.

    Raises:
        BundleError: it is malformed; says how one is written.
    """
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    match = _TEXT.match(text)
    if match and (match["vendor"] or match["name"] == OPKG):
        specifier = re.sub(r"\s", "", match["specifier"] or "")
        try:
            SpecifierSet(specifier)
            return Requirement(match["vendor"] or "", match["name"], specifier)
        except InvalidSpecifier:
            pass
    raise BundleError(f"'{text}' is no requirement", "write vendor/name>=1.0,<2 or opkg>=0.1")


def version_order(text: str) -> tuple[bool, Version | None, list[tuple[bool, int, str]]]:
    """A key that sorts versions, the newest last; what PEP 440 does not know comes first, by its numbers and words."""
    from packaging.version import InvalidVersion, Version

    words = [(word.isdigit(), int(word) if word.isdigit() else 0, word) for word in re.findall(r"\d+|[^\W\d]+", text)]
    try:
        return True, Version(text), words
    except InvalidVersion:
        return False, None, words


def is_final(text: str) -> bool:
    """Whether a version is no pre-release."""
    from packaging.version import InvalidVersion, Version

    try:
        return not Version(text).is_prerelease
    except InvalidVersion:
        return True
