"""The harness that tests operators.

`opkg test` is its command. `load_project` gives a project's operators as functions, `load_suite` its cases; pytest gets
both as fixtures from `opkg.testing.fixtures`.
"""

from opkg.testing.case import Case
from opkg.testing.outcome import Outcome
from opkg.testing.projects import BuiltOperator, BuiltProject, load_project
from opkg.testing.suite import Selection, Suite, load_suite

__all__ = ["BuiltOperator", "BuiltProject", "Case", "Outcome", "Selection", "Suite", "load_project", "load_suite"]
