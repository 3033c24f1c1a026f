"""Whole programs and projects of strangers: find them in a folder, build them, run them, and hear their checkers.

`opkg ci` is the command. Everything runs in a temporary copy, and a crash or a hang of one program is one row.
"""

from opkg.testing.programs.find import Form, Program, find_programs
from opkg.testing.programs.report import to_dict, totals
from opkg.testing.programs.run import Settings, run_programs
from opkg.testing.programs.verdict import Row, State

__all__ = ["Form", "Program", "Row", "Settings", "State", "find_programs", "run_programs", "to_dict", "totals"]
