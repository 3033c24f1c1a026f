"""A package whose libraries cannot be loaded, or do not belong together, is refused before anything changes."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from made_bundles import HOST_LIBRARY, UnsyncedDisk, make_manifest, write_tree

from opkg.bundle import ColumnEntry, Manifest, write_bundle
from opkg.errors import StoreError
from opkg.paths import native_dir
from opkg.store import Root
from opkg.store.probe import faults

SOURCE = Path(__file__).with_name("made_package.c")
KERNEL = "op_impl/ai_core/tbe/kernel/cpu/square/Square_0.so"

Libraries = dict[str, bytes]
Compile = Callable[..., bytes]


@pytest.fixture(autouse=True)
def _no_plugins(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPKG_NO_PLUGINS", "1")


@pytest.fixture(scope="module")
def compile_library(tmp_path_factory: pytest.TempPathFactory) -> Compile:
    """The bytes of a library; each variant is compiled once."""
    folder = tmp_path_factory.mktemp("libraries")
    made: dict[tuple[str, ...], bytes] = {}

    def compile_one(*defines: str) -> bytes:
        if defines not in made:
            out = folder / f"{len(made)}.so"
            command = ["cc", "-O1", "-fPIC", "-shared", f"-I{native_dir() / 'include'}", "-o", str(out)]
            subprocess.run([*command, *(f"-D{d}" for d in defines), str(SOURCE)], check=True)
            made[defines] = out.read_bytes()
        return made[defines]

    return compile_one


def host(
    compile_library: Compile, *defines: str, op: str = "Square", structs: tuple[tuple[str, int], ...] = ()
) -> bytes:
    described = {
        "abi": 1,
        "operators": [{"op": op}],
        "tiling_structs": [{"op_type": "Square", "hash": name, "size": size} for name, size in structs],
    }
    return compile_library("HOST", f"DESCRIPTION={json.dumps(json.dumps(described))}", *defines)


def kernel(compile_library: Compile, *defines: str, column: int = 0, tiling: int = 0) -> bytes:
    return compile_library(f"COLUMN={column}", f"TILING={tiling}", *defines)


def bundle(folder: Path, host_library: bytes, *kernels: bytes, tiling_hash: str = "") -> Path:
    columns = tuple(KERNEL.replace("_0", f"_{number}") for number in range(len(kernels)))
    files = {HOST_LIBRARY: host_library, **dict(zip(columns, kernels, strict=True))}
    manifest = make_manifest("square", "Square")
    operator = replace(manifest.operators[0], columns=tuple(map(ColumnEntry, columns)), tiling_hash=tiling_hash)
    return write_bundle(write_tree(folder / "tree", files), replace(manifest, operators=(operator,)), folder / "x.run")


def refusal(root: Root, path: Path) -> str:
    """The sentence with which a bundle is refused, after a look that the root is as it was, byte for byte."""
    root.path.joinpath("vendors").mkdir(parents=True)
    root.path.joinpath("vendors", "config.ini").write_text("load_priority=other\n")
    root.recover()
    before = snapshot(root.path)
    with pytest.raises(StoreError) as caught:
        root.install(path)
    assert {name: value for name, value in snapshot(root.path).items() if not name.startswith(".opkg")} == before
    assert [name for name in snapshot(root.path) if name.startswith(".opkg/")] == [".opkg/lock"]
    assert caught.value.code == "OPKG-6310"
    assert "--force" in caught.value.hint
    prefix = "customize/square 1.0.0 cannot be used on this machine: "
    assert caught.value.message.startswith(prefix)
    return caught.value.message.removeprefix(prefix)


def snapshot(folder: Path) -> dict[str, bytes | str]:
    found: dict[str, bytes | str] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        found[name] = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else "folder"  # noqa: PTH115
    return found


@pytest.fixture
def root(tmp_path: Path) -> Root:
    return Root(tmp_path / "a root", disk=UnsyncedDisk())


def test_libraries_that_load_and_agree_are_installed(tmp_path: Path, root: Root, compile_library: Compile) -> None:
    kernels = [kernel(compile_library, column=number, tiling=16) for number in range(2)]
    made = bundle(tmp_path, host(compile_library, structs=(("abc", 16),)), *kernels, tiling_hash="abc")
    assert root.install(made).changed


@pytest.mark.parametrize("broken", ["host", "kernel"])
def test_a_symbol_that_nothing_has_is_named(tmp_path: Path, root: Root, compile_library: Compile, broken: str) -> None:
    libraries = [host(compile_library), kernel(compile_library)]
    make, place = (host, 0) if broken == "host" else (kernel, 1)
    libraries[place] = make(compile_library, "NEEDS=no_such_function")
    library = (HOST_LIBRARY, KERNEL)[place]
    assert refusal(root, bundle(tmp_path, *libraries)) == f"{library}: undefined symbol: no_such_function"


def test_force_installs_it_anyway(tmp_path: Path, root: Root, compile_library: Compile) -> None:
    made = bundle(tmp_path, host(compile_library), kernel(compile_library, "NEEDS=no_such_function"))
    assert root.install(made, force=True).changed


@pytest.mark.parametrize(
    ("loading", "sentence"),
    [
        ("abort()", f"loading {KERNEL} ended the process with signal 6"),
        ("_exit(3)", f"loading {KERNEL} ended the process with exit status 3"),
    ],
)
def test_a_library_that_takes_its_process_along_is_named(
    tmp_path: Path, root: Root, compile_library: Compile, loading: str, sentence: str
) -> None:
    assert (
        refusal(root, bundle(tmp_path, host(compile_library), kernel(compile_library, f"LOADING={loading}")))
        == sentence
    )


def test_a_library_that_hangs_is_named(tmp_path: Path, compile_library: Compile) -> None:
    libraries = {HOST_LIBRARY: host(compile_library), KERNEL: kernel(compile_library, "LOADING=pause()")}
    tree = write_tree(tmp_path, libraries)
    assert faults(make_manifest("square", "Square"), tree, seconds=0.5) == [
        f"{KERNEL} was not loaded within 0.5 seconds"
    ]


def test_the_interface_version_of_the_libraries_counts_whatever_the_manifest_says(
    tmp_path: Path, root: Root, compile_library: Compile
) -> None:
    sentence = "it was built for version 9 of the kernel interface and this opkg reads 1"
    assert (
        refusal(root, bundle(tmp_path, host(compile_library), kernel(compile_library, "ABI=9")))
        == f"{KERNEL}: {sentence}"
    )


def test_a_host_library_of_another_interface_version(tmp_path: Path, root: Root, compile_library: Compile) -> None:
    sentence = "it was built for version 9 of the package interface and this opkg reads 1"
    assert refusal(root, bundle(tmp_path, host(compile_library, "ABI=9"))) == f"{HOST_LIBRARY}: {sentence}"


def test_a_library_without_its_table(tmp_path: Path, root: Root, compile_library: Compile) -> None:
    made = bundle(tmp_path, host(compile_library), compile_library("EMPTY"))
    assert refusal(root, made) == f"{KERNEL}: it exports no opkg_kernel_v1"


def test_what_is_no_library_at_all(tmp_path: Path, root: Root, compile_library: Compile) -> None:
    assert (
        refusal(root, bundle(tmp_path, host(compile_library), b"#!/bin/sh\n" * 20)) == f"{KERNEL}: invalid ELF header"
    )


def test_another_tiling_struct_than_the_packages(tmp_path: Path, root: Root, compile_library: Compile) -> None:
    made = bundle(tmp_path, host(compile_library, structs=(("new", 16),)), tiling_hash="old")
    sentence = "its tiling struct of Square is not the one that the package was built with"
    assert refusal(root, made) == f"{HOST_LIBRARY}: {sentence}"


def test_a_kernel_with_another_tiling_struct_than_the_host_library(
    tmp_path: Path, root: Root, compile_library: Compile
) -> None:
    library = host(compile_library, structs=(("abc", 16),))
    made = bundle(tmp_path, library, kernel(compile_library, tiling=24), tiling_hash="abc")
    assert refusal(root, made) == f"{KERNEL}: its tiling struct has 24 bytes, that of the host library 16"


def test_a_kernel_of_another_column(tmp_path: Path, root: Root, compile_library: Compile) -> None:
    made = bundle(tmp_path, host(compile_library), kernel(compile_library, column=1))
    assert refusal(root, made) == f"{KERNEL}: it is column 1 of Square, not column 0 of Square"


def test_a_host_library_without_the_operator(tmp_path: Path, root: Root, compile_library: Compile) -> None:
    assert (
        refusal(root, bundle(tmp_path, host(compile_library, op="Cube")))
        == f"{HOST_LIBRARY}: it has no operator Square"
    )


def test_what_a_library_prints_while_it_is_loaded_does_not_matter(
    tmp_path: Path, root: Root, compile_library: Compile
) -> None:
    noise = 'LOADING=write(1,"bad\\tx\\ty\\n\\ndescribe",18)'
    assert root.install(bundle(tmp_path, host(compile_library), kernel(compile_library, noise))).changed


def test_a_probe_that_does_not_run_is_not_laid_to_the_package(
    tmp_path: Path, compile_library: Compile, monkeypatch: pytest.MonkeyPatch
) -> None:
    tool = tmp_path / "bin" / "opkg_probe"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\necho opkg_probe: libopkg_host.so.1: file too short >&2\nexit 127\n")
    tool.chmod(0o755)
    monkeypatch.setattr("opkg.store.probe.native_dir", lambda: tmp_path)
    tree = write_tree(tmp_path / "tree", {HOST_LIBRARY: host(compile_library)})
    [reason] = faults(make_manifest("square", "Square"), tree)
    assert reason.startswith("opkg cannot try its libraries ('opkg doctor' says more): ")
    assert reason.endswith("libopkg_host.so.1: file too short")


def test_without_the_probe_nothing_is_taken_untried(
    tmp_path: Path, compile_library: Compile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("opkg.store.probe.native_dir", lambda: tmp_path)
    tree = write_tree(tmp_path / "tree", {HOST_LIBRARY: host(compile_library)})
    [reason] = faults(make_manifest("square", "Square"), tree)
    assert reason.endswith("bin/opkg_probe is missing")


def test_packages_for_other_targets_are_not_tried(tmp_path: Path, compile_library: Compile) -> None:
    tree = write_tree(tmp_path, {HOST_LIBRARY: host(compile_library, "NEEDS=no_such_function")})
    manifest = make_manifest("square", "Square", target="ascend")
    assert faults(manifest, tree) == []
    assert faults(replace(manifest, target="cpu"), tree) != []


def test_a_package_without_libraries_has_none_to_try(tmp_path: Path) -> None:
    assert faults(Manifest("data", "customize", "1.0.0", ()), tmp_path) == []
