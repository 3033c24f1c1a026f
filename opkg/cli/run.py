"""`opkg run`: run an offline model on arrays in files."""

from __future__ import annotations

import argparse
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opkg.cli.arguments import add_install_path, add_json
from opkg.cli.output import print_fields, print_json
from opkg.errors import RunError, UsageError, hint_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from opkg.runtime import Model


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("model", type=Path, metavar="MODEL", help="an offline model (.om)")
    parser.add_argument(
        "--input",
        action="append",
        default=[],
        metavar="NAME=FILE",
        help="array for an input: a .npy file, or raw bytes in any other file; may be repeated",
    )
    parser.add_argument(
        "--output-dir", type=Path, metavar="DIR", help="write each output there as <name>.npy; made where it is missing"
    )
    add_json(parser)
    add_install_path(parser)


def run(args: argparse.Namespace) -> int:
    """Run the model once, and print what came out."""
    import opkg

    given = _given(args.input)
    model = opkg.load(args.model, install_path=args.install_path)
    arrays = {name: _read(name, file, model) for name, file in given.items()}
    with _ended_by_interrupts():
        outputs = model.run(arrays)
    files = {} if args.output_dir is None else _write(outputs, args.output_dir)
    if args.json:
        print_json({"outputs": [_described(name, array, files) for name, array in outputs.items()]})
    else:
        print_fields((name, _line(array, files.get(name))) for name, array in outputs.items())
    return 0


def _given(texts: Sequence[str]) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for text in texts:
        name, equals, file = text.partition("=")
        if not name or not equals or not file:
            raise UsageError(f"--input takes NAME=FILE, not '{text}'", f"write it as --input x={file or text}")
        if name in found:
            raise UsageError(f"--input gives '{name}' twice")
        found[name] = Path(file).expanduser()
    return found


@contextmanager
def _ended_by_interrupts() -> Iterator[None]:
    """Python notices an interrupt when a kernel returns, which one that loops never does; nothing is written yet."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _read(name: str, file: Path, model: Model) -> NDArray[Any]:
    import numpy as np

    try:
        if file.suffix == ".npy":
            return np.asarray(np.load(file, allow_pickle=False))
        if file.suffix == ".npz":
            raise RunError(f"{file} is an archive of arrays", "give each input a .npy file, made with numpy.save")
        return _raw(name, file.read_bytes(), model)
    except OSError as error:
        raise RunError(f"{file} cannot be read: {error.strerror}", "check the path") from error
    except (ValueError, EOFError) as error:
        raise RunError(f"{file} does not hold an array for input '{name}': {error}") from error


def _raw(name: str, data: bytes, model: Model) -> NDArray[Any]:
    """Raw bytes have the input's dtype and shape; one open dimension follows from the size."""
    import numpy as np

    from opkg.runtime.numpy_types import numpy_dtype

    info = next((info for info in model.inputs if info.name == name), None)
    if info is None:
        raise RunError(f"the model has no input '{name}'", f"it takes {', '.join(map(str, model.inputs))}")
    dtype = numpy_dtype(info.dtype)
    if len(data) % dtype.itemsize:
        raise ValueError(f"{len(data)} raw bytes are no whole number of {info.dtype}")
    return np.frombuffer(data, dtype).reshape(info.shape or ())


def _write(outputs: Mapping[str, NDArray[Any]], folder: Path) -> dict[str, Path]:
    import numpy as np

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        hint = hint_of(error, " with --output-dir")
        raise RunError(f"the folder {folder} cannot be made: {error.strerror}", hint) from error
    files: dict[str, Path] = {}
    for name, array in outputs.items():
        safe = "".join(c if c.isalnum() or c in "._-" else "_" for c in name).lstrip(".") or "output"
        # Two names may become one when what a file name cannot have is replaced.
        while folder / f"{safe}.npy" in files.values():
            safe += "_"
        files[name] = folder / f"{safe}.npy"
        np.save(files[name], array, allow_pickle=False)
    return files


def _described(name: str, array: NDArray[Any], files: Mapping[str, Path]) -> dict[str, Any]:
    described = {"name": name, "dtype": array.dtype.name, "shape": list(array.shape)}
    return described | ({"file": str(files[name])} if name in files else {})


def _line(array: NDArray[Any], file: Path | None) -> str:
    shape = ",".join(map(str, array.shape))
    return f"{array.dtype.name}[{shape}]" + (f" in {file}" if file else "")
