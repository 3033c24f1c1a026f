"""The harness that tests operators."""

from opkg.testing.projects import BuiltOperator, BuiltProject, load_project

__all__ = ["BuiltOperator", "BuiltProject", "load_project"]
