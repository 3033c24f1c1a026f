"""`opkg freeze`: all components and versions in use."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from opkg.cli.arguments import add_install_path, add_json

_LIBRARIES = ("openvino", "onnxruntime", "onnx", "numpy", "jinja2", "packaging", "pluggy", "cmake", "ninja")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_json(parser)
    add_install_path(parser)


def run(args: argparse.Namespace) -> int:
    """Print one line a component; with `--install-path` only packages of that install root."""
    from opkg.cli.output import print_json

    found = components(args.install_path)
    if args.json:
        print_json(found)
        return 0
    for kind in ("programs", "libraries", "plugins"):
        for name, version in found[kind].items():
            print(f"{name}=={version}")
    for package in found["packages"]:
        print(f"{package['vendor']}/{package['name']}=={package['version']}  sha256:{package['digest'] or '-'}")
    return 0


def components(install_path: Path | None) -> dict[str, Any]:
    """Programs, libraries (engines among them), plugins, and packages with the digests of their manifests."""
    import platform

    import opkg
    from opkg.plugins import scan
    from opkg.registry import open_registry

    system = {"python": platform.python_version(), platform.system().lower(): platform.release()}
    libc, libc_version = platform.libc_ver()
    plugins = {plugin.distribution: plugin.version for plugin in scan.installed().plugins}
    fields = ("vendor", "name", "version", "digest", "source")
    registry = open_registry(install_path)
    packages = [{name: getattr(package, name) for name in fields} for package in registry.packages()]
    return {
        "programs": {"opkg": opkg.__version__, **system} | ({libc: libc_version} if libc else {}),
        "machine": platform.machine(),
        "libraries": dict(_libraries()),
        "plugins": dict(sorted(plugins.items())),
        "packages": packages,
    }


def _libraries() -> Iterator[tuple[str, str]]:
    from importlib.metadata import PackageNotFoundError, version

    for name in _LIBRARIES:
        try:
            yield name, version(name)
        except PackageNotFoundError:
            continue
