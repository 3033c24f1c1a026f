"""Building projects into packages and bundles."""

from opkg.build.driver import build_project
from opkg.build.result import BuildResult

__all__ = ["BuildResult", "build_project"]
