"""What a built host library says of itself: its OpDefs and its tiling structs. Asked in a child process."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from opkg.build.process import Run
from opkg.errors import BuildError
from opkg.opinfo import OpInfo
from opkg.paths import native_dir


@dataclass(frozen=True)
class TilingField:
    """A field of a tiling struct: of a C++ type, or of another tiling struct.

    Attributes:
        count: elements of an array, 0 for a single value.
        size: bytes of a struct, 0 for other types.
    """

    name: str
    type: str
    offset: int
    count: int = 0
    is_struct: bool = False
    size: int = 0


@dataclass(frozen=True)
class TilingStruct:
    """A struct that BEGIN_TILING_DATA_DEF made, registered for `op_type`."""

    op_type: str
    name: str
    size: int
    hash: str
    fields: tuple[TilingField, ...]


@dataclass(frozen=True)
class DescribedOp:
    """An OpDef: its op info and what else it states."""

    op_info: OpInfo
    socs: tuple[str, ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Description:
    """All that a host library says."""

    abi: int
    operators: tuple[DescribedOp, ...]
    tiling_structs: tuple[TilingStruct, ...]

    def tiling_struct(self, op_type: str) -> TilingStruct | None:
        """The struct that is registered for an operator, if there is one."""
        return next((s for s in self.tiling_structs if s.op_type == op_type), None)


def describe_library(library: Path, run: Run) -> str:
    """The JSON that a host library describes itself with.

    Raises:
        BuildError: the library cannot be loaded, or crashed while it was asked.
    """
    tool = native_dir() / "bin" / "opkg_describe"
    finished = run([tool, library])
    if finished.code != 0:
        reason = finished.output.strip().splitlines()[-1:] or [_ended(finished.code)]
        raise BuildError(
            f"the host library cannot be asked for its operators: {reason[0]}",
            "a static object or an OpDef constructor of op_host/ may have failed",
            log=finished.output,
            code="OPKG-4021",
        )
    return finished.output


def _ended(code: int) -> str:
    return f"it was ended by signal {-code}" if code < 0 else f"exit status {code}"


def parse_description(text: str) -> Description:
    """Parse the JSON of `describe_library`.

    Raises:
        BuildError: it is not what this opkg understands.
    """
    try:
        data = json.loads(text)
        return Description(
            int(data["abi"]),
            tuple(_described(op) for op in data["operators"]),
            tuple(_struct(s) for s in data.get("tiling_structs", ())),
        )
    except (ValueError, KeyError, TypeError) as error:
        raise BuildError(
            f"the description of the host library cannot be read: {error!r}", log=text, code="OPKG-4021"
        ) from error


def _described(data: Mapping[str, Any]) -> DescribedOp:
    if data.get("error"):
        raise BuildError(
            f"the OpDef of {data['op']} is wrong: {data['error']}",
            "every input and output of an OpDef needs as many data types as formats"
            if "format" in data["error"]
            else "",
            code="OPKG-4024",
        )
    facts = {k: v for k, v in data.items() if k.startswith("has_") or k == "computes_shapes"}
    return DescribedOp(OpInfo.from_dict(data), tuple(data.get("soc", ())), facts)


def _struct(data: Mapping[str, Any]) -> TilingStruct:
    fields = tuple(
        TilingField(
            f["name"],
            f.get("struct") or f["type"],
            int(f["offset"]),
            int(f["count"]) if f.get("array") else 0,
            "struct" in f,
            int(f.get("size", 0)) if "struct" in f else 0,
        )
        for f in data["fields"]
    )
    return TilingStruct(data["op_type"], data["class"], int(data["size"]), data["hash"], fields)
