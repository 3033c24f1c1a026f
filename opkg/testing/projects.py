"""A project built as it is now, and its operators as functions."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from opkg.build import BuildResult, build_project
from opkg.opinfo import OpInfo
from opkg.registry.registry import Registry
from opkg.registry.sources import Source

if TYPE_CHECKING:
    import numpy as np

    from opkg.runtime.ops import Operator


def load_project(path: Path | str) -> BuiltProject:
    """Builds the project in the folder `path`, where anything changed, and loads what came out.

    Raises:
        ProjectError, OpInfoError: the project cannot be read.
        BuildError: it cannot be built.
    """
    return BuiltProject(build_project(Path(path), log=lambda line: print(line, file=sys.stderr)))


class BuiltPackage:
    """The operators of a package that need not be installed."""

    def __init__(self, package: Path) -> None:
        self._registry = Registry((Source("packages", f"build {package}", str(package)),), {})
        self._operators: dict[str, Operator] = {}
        self.package = package

    def raw_operator(self, op_type: str) -> Operator:
        """One of its operators, loaded once.

        Raises:
            NotFoundError: it has no such operator.
        """
        from opkg.runtime.ops import Operator

        if op_type not in self._operators:
            self._operators[op_type] = Operator(self._registry.require(op_type))
        return self._operators[op_type]


class BuiltProject(BuiltPackage):
    """The package that a build made, without installing it."""

    def __init__(self, result: BuildResult) -> None:
        super().__init__(result.package)

    def operator(self, op_type: str) -> BuiltOperator:
        """One of its operators.

        Raises:
            NotFoundError: it has no such operator.
        """
        return BuiltOperator(self.raw_operator(op_type))


class BuiltOperator:
    """An operator as a function that always returns a tuple, one array for each output."""

    def __init__(self, operator: Operator) -> None:
        self._operator = operator
        self.op_info: OpInfo = operator.op_info

    def __call__(self, *inputs: np.ndarray | None, **attributes: Any) -> tuple[np.ndarray, ...]:
        """Runs it; None stands for an optional input that is absent.

        Raises:
            RunError: the arguments do not fit, or the operator reports a failure.
        """
        found = self._operator(*inputs, **attributes)
        return found if isinstance(found, tuple) else (found,)
