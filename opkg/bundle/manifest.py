"""The manifest of a package: what it is, what it holds, what it needs. Parse, hold, print."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from opkg.errors import MALFORMED, BundleError, fault
from opkg.opinfo import OpInfo

MANIFEST_NAME = "opkg-package.json"
"""File name of the manifest at the top of a package's directory."""

FORMAT = 1
"""Version of this format; a reader refuses a higher one."""


@dataclass(frozen=True)
class FileEntry:
    """One regular file of a package: path with `/` below the package's directory, size in bytes, sha256 in hex."""

    path: str
    size: int
    sha256: str
    executable: bool = False


@dataclass(frozen=True)
class ColumnEntry:
    """One built dtype/format column of an operator.

    Attributes:
        library: path of the kernel library below the package's directory.
        task_type: the kind of cores the kernel states (`KERNEL_TYPE_AIV_ONLY`, ...), empty where it states none.
    """

    library: str
    task_type: str = ""


@dataclass(frozen=True)
class OperatorEntry:
    """One operator of a package.

    Attributes:
        op_info: the operator.
        columns: one entry per column of `op_info`.
        aliases: other names under which models use it, `domain::opset::Type` (`ai.onnx::11::LeakyRelu`).
        tiling_hash: digest over the layout of the classic tiling struct that host and kernel agree on, as the host
            library states it; empty without one.
    """

    op_info: OpInfo
    columns: tuple[ColumnEntry, ...] = ()
    aliases: tuple[str, ...] = ()
    tiling_hash: str = ""


@dataclass(frozen=True)
class Manifest:
    """Everything a reader may want to know about a package without opening its libraries."""

    name: str
    vendor: str
    version: str
    operators: tuple[OperatorEntry, ...]
    domain: str = ""
    target: str = "cpu"
    soc: tuple[str, ...] = ("ascend910b",)
    os: str = "linux"
    arch: str = ""
    isa: str = ""
    abi: int = 1
    glibc: str = ""
    glibcxx: str = ""
    host_library: str = ""
    requires: tuple[str, ...] = ()
    tools: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)
    source: Mapping[str, Any] = field(default_factory=dict)
    files: tuple[FileEntry, ...] = ()

    @property
    def key(self) -> str:
        """`vendor/name`, under which a package is known inside an install root."""
        return f"{self.vendor}/{self.name}"

    def to_json(self) -> str:
        """The manifest as text: sorted keys, a final newline, the same bytes for the same value."""
        return json.dumps(self.to_dict(), indent=1, sort_keys=True, ensure_ascii=False) + "\n"

    def to_dict(self) -> dict[str, Any]:
        """The manifest as plain JSON values."""
        return {
            "format": FORMAT,
            "name": self.name,
            "vendor": self.vendor,
            "version": self.version,
            "domain": self.domain or self.vendor,
            "target": self.target,
            "soc": list(self.soc),
            "os": self.os,
            "arch": self.arch,
            "isa": self.isa,
            "abi": self.abi,
            "glibc": self.glibc,
            "glibcxx": self.glibcxx,
            "host_library": self.host_library,
            "requires": list(self.requires),
            "tools": dict(self.tools),
            "options": dict(self.options),
            "source": dict(self.source),
            "operators": [
                {
                    "op_info": o.op_info.to_dict(),
                    "columns": [{"library": c.library, "task_type": c.task_type} for c in o.columns],
                    "aliases": list(o.aliases),
                    "tiling_hash": o.tiling_hash,
                }
                for o in self.operators
            ],
            "files": [
                {"path": f.path, "size": f.size, "sha256": f.sha256} | ({"executable": True} if f.executable else {})
                for f in self.files
            ],
        }

    @classmethod
    def from_json(cls, text: str) -> Manifest:
        """Parse `to_json`'s text.

        Raises:
            BundleError: not a manifest, or of a newer format.
        """
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise BundleError(f"the package's manifest cannot be read: {fault(error)}") from error
        return cls.from_dict(data)

    @classmethod
    def from_dict(cls, data: Any) -> Manifest:
        """The inverse of `to_dict`.

        Raises:
            BundleError: not a manifest, or of a newer format.
        """
        try:
            if data["format"] > FORMAT:
                raise BundleError(
                    f"the package's manifest has format {data['format']}; this opkg reads up to {FORMAT}",
                    "install a newer opkg",
                )
            return cls._from_dict(data)
        except MALFORMED as error:
            raise BundleError(f"the package's manifest cannot be read: {fault(error)}") from error

    @classmethod
    def _from_dict(cls, data: Mapping[str, Any]) -> Manifest:
        return cls(
            name=data["name"],
            vendor=data["vendor"],
            version=data["version"],
            operators=tuple(
                OperatorEntry(
                    OpInfo.from_dict(o["op_info"]),
                    tuple(ColumnEntry(c["library"], c["task_type"]) for c in o["columns"]),
                    tuple(o["aliases"]),
                    o["tiling_hash"],
                )
                for o in data["operators"]
            ),
            domain=data["domain"],
            target=data["target"],
            soc=tuple(data["soc"]),
            os=data["os"],
            arch=data["arch"],
            isa=data["isa"],
            abi=int(data["abi"]),
            glibc=data["glibc"],
            glibcxx=data["glibcxx"],
            host_library=data["host_library"],
            requires=tuple(data["requires"]),
            tools=dict(data["tools"]),
            options=dict(data.get("options", {})),
            source=dict(data.get("source", {})),
            files=tuple(
                FileEntry(f["path"], int(f["size"]), f["sha256"], bool(f.get("executable", False)))
                for f in data["files"]
            ),
        )
