"""Reading models: one table of frontends, opkg's own and then those of plugins."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from opkg.errors import ConvertError, OpkgError
from opkg.plugins.types import Frontend

if TYPE_CHECKING:
    import onnx


def read_onnx(path: Path) -> onnx.ModelProto:
    """An ONNX model with its external data.

    Raises:
        ConvertError: the file or its external data is missing or damaged, or it is not an ONNX model.
    """
    import onnx
    from google.protobuf.message import DecodeError

    try:
        model = onnx.load(path, load_external_data=False)
    except DecodeError as error:
        raise ConvertError(f"{path} is not an ONNX model, or is damaged", "export the model again") from error
    if not model.ir_version or (not model.graph.node and not model.graph.output):
        raise ConvertError(f"{path} is not an ONNX model", "the file parses, but has no version and no graph")
    try:
        onnx.load_external_data_for_model(model, str(path.parent))
    except (OSError, ValueError, RuntimeError, onnx.checker.ValidationError) as error:
        raise ConvertError(f"{path} has external data that cannot be read: {error}", "copy its files too") from error
    return model


ONNX = Frontend("onnx", (".onnx",), read_onnx)


def frontends() -> list[Frontend]:
    """All frontends, opkg's own first."""
    from opkg import plugins

    return [ONNX, *(frontend for _, frontend in plugins.collect("opkg_frontends"))]


def read_model(path: Path) -> Any:
    """The model in a file, by the frontend that its name asks for; without a known ending it is taken for ONNX.

    Raises:
        ConvertError: the file is missing, or the frontend cannot read it.
    """
    if not path.is_file():
        what = "is a directory" if path.is_dir() else "does not exist"
        raise ConvertError(f"the model {path} {what}", "check the path")
    frontend = _frontend_of(path.name.lower())
    try:
        return frontend.read(path)
    except OSError as error:
        raise ConvertError(f"{path} cannot be read: {error.strerror}", "check the path") from error
    except (OpkgError, KeyboardInterrupt, MemoryError):
        raise
    except Exception as error:
        raise ConvertError(f"the frontend '{frontend.name}' failed on {path}: {error!r}") from error


def _frontend_of(name: str) -> Frontend:
    # Without asking plugins, whose imports may take longer than the conversion.
    if name.endswith(ONNX.suffixes):
        return ONNX
    return next((f for f in frontends() if name.endswith(f.suffixes)), ONNX)
