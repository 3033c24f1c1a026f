"""From a model of another framework to an offline model. `opkg.convert(...)` is `opkg.convert.convert(...)`."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from opkg.convert.api import ConvertResult, convert
from opkg.convert.bind import MissingOperator, MissingOperatorsError

__all__ = ["ConvertResult", "MissingOperator", "MissingOperatorsError", "convert"]


class _CallableModule(ModuleType):
    """This module has the name of its main function, so it can be called like it."""

    def __call__(self, *args: Any, **options: Any) -> ConvertResult:
        return convert(*args, **options)


sys.modules[__name__].__class__ = _CallableModule
