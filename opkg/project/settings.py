"""`opkg.toml`: parse, check, hold."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from opkg.bundle.names import NAME, VERSION
from opkg.errors import ProjectError, short
from opkg.opinfo.names import is_identifier
from opkg.opinfo.socs import COMPUTE_UNITS, compute_unit
from opkg.opinfo.source import decode, meant

SETTINGS_NAME = "opkg.toml"

_ALIAS = re.compile(r"[A-Za-z0-9_.-]*::\d+::[A-Za-z_]\w*\Z")
_SCHEMA: dict[str, dict[str, str]] = {
    "package": {"name": "text", "version": "text", "vendor": "text", "domain": "text", "requires": "list"},
    "operators": {},
    "build": {"soc": "text or list", "options": "list or table"},
    "template": {"name": "text", "version": "text", "answers": "table"},
}
_OPERATOR = {"aliases": "list"}
_FITS = {
    "text": lambda value: isinstance(value, str),
    "list": lambda value: isinstance(value, list) and all(isinstance(item, str) for item in value),
    "table": lambda value: isinstance(value, dict),
}


@dataclass(frozen=True)
class Settings:
    """The content of an `opkg.toml`; None or empty where it says nothing."""

    name: str | None = None
    version: str | None = None
    vendor: str | None = None
    domain: str | None = None
    requires: tuple[str, ...] = ()
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    socs: tuple[str, ...] = ()
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    template: Mapping[str, Any] | None = None


def read_settings(path: Path) -> Settings:
    """Reads an `opkg.toml`.

    Raises:
        ProjectError: not TOML, an unknown key (says the nearest one), or a value of the wrong kind.
    """
    try:
        data = tomllib.loads(decode(path.read_bytes(), str(path)))
    except tomllib.TOMLDecodeError as error:
        raise ProjectError(f"{path}: not TOML: {error}") from None
    return _Checker(path).settings(data)


def package_name(text: str, what: str, where: str) -> str:
    """`text`, if it can be a directory name everywhere.

    Raises:
        ProjectError: it cannot.
    """
    # The rule of bundles, said before anything is built.
    if not NAME.match(text):
        raise ProjectError(
            f"{where}: '{short(text, 80)}' is no {what}: "
            "it may hold up to 64 letters, digits, '_', '.' and '-', and no '.' or '-' first"
        )
    return text


def package_version(text: str, where: str) -> str:
    """`text`, if it is a version (PEP 440).

    Raises:
        ProjectError: it is not.
    """
    from packaging.version import InvalidVersion, Version

    try:
        Version(text)
        # PEP 440 takes blanks around it, and any length.
        fits = VERSION.match(text) is not None
    except InvalidVersion:
        fits = False
    if not fits:
        raise ProjectError(f"{where}: '{text}' is not a version", "write it as 1.2.3 or 1.2.3rc1")
    return text


class _Checker:
    """Checks the tables of one file and names its places as `[table] key`."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def settings(self, data: Mapping[str, Any]) -> Settings:
        self._known("", data, _SCHEMA)
        for table, keys in _SCHEMA.items():
            if table != "operators":
                self._table(table, data.get(table, {}), keys)
        package, build = data.get("package", {}), data.get("build", {})
        return Settings(
            name=self._name(package, "name"),
            version=self._version(package),
            vendor=self._name(package, "vendor"),
            domain=self._name(package, "domain"),
            requires=tuple(package.get("requires", ())),
            aliases=self._aliases(data.get("operators", {})),
            socs=self._socs(build.get("soc", [])),
            options=self._options(build.get("options", [])),
            template=data.get("template"),
        )

    def _fail(self, table: str, key: str, message: str, hint: str = "") -> ProjectError:
        place = " ".join(part for part in (f"[{table}]" if table else "", key) if part)
        return ProjectError(f"{self._path}: {place}: {message}", hint)

    def _known(self, table: str, data: Mapping[str, Any], keys: Mapping[str, Any]) -> None:
        for key in data:
            if key not in keys:
                raise self._fail(
                    table, key, f"unknown {'key' if table else 'table'}{meant(key, keys)}", f"known: {', '.join(keys)}"
                )

    def _table(self, table: str, data: Any, keys: Mapping[str, str]) -> None:
        if not isinstance(data, dict):
            raise self._fail(table, "", "expected a table")
        self._known(table, data, keys)
        for key, value in data.items():
            if not any(_FITS[kind](value) for kind in keys[key].split(" or ")):
                raise self._fail(table, key, f"expected {keys[key].replace('list', 'a list of text')}")

    def _name(self, package: Mapping[str, Any], key: str) -> str | None:
        return package_name(package[key], key, f"{self._path}: [package]") if key in package else None

    def _version(self, package: Mapping[str, Any]) -> str | None:
        return package_version(package["version"], f"{self._path}: [package] version") if "version" in package else None

    def _aliases(self, operators: Any) -> dict[str, tuple[str, ...]]:
        if not isinstance(operators, dict):
            raise self._fail("operators", "", "expected one table an operator, such as [operators.Square]")
        found = {}
        for op, data in operators.items():
            table = f"operators.{op}"
            if not is_identifier(op):
                raise self._fail(table, "", f"'{op}' is not the name of an operator")
            self._table(table, data, _OPERATOR)
            for alias in data.get("aliases", []):
                if not _ALIAS.match(alias):
                    raise self._fail(
                        table, "aliases", f"'{alias}' is not domain::opset::Type", "as ai.onnx::11::LeakyRelu"
                    )
            found[op] = tuple(data.get("aliases", ()))
        return found

    def _socs(self, value: str | list[str]) -> tuple[str, ...]:
        found = []
        for soc in [value] if isinstance(value, str) else value:
            unit = compute_unit(soc)
            if unit is None:
                raise self._fail("build", "soc", f"unknown SoC '{soc}'{meant(soc, COMPUTE_UNITS)}")
            found.append(unit)
        return tuple(dict.fromkeys(found))

    def _options(self, value: list[str] | dict[str, Any]) -> dict[str, tuple[str, ...]]:
        if isinstance(value, list):
            return {"ALL": tuple(value)} if value else {}
        for op, options in value.items():
            if not _FITS["list"](options):
                raise self._fail("build", f"options.{op}", "expected a list of text")
        return {op: tuple(options) for op, options in value.items()}
