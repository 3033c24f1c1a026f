"""Operator projects: reading every public layout, and making new ones."""

from opkg.project.model import Project
from opkg.project.reader import read_project
from opkg.project.scaffold import new_project
from opkg.project.signature import parse_signature

__all__ = ["Project", "new_project", "parse_signature", "read_project"]
