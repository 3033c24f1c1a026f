"""Operator projects: reading every public layout, and making new ones."""

from opkg.project.model import Project
from opkg.project.reader import read_project

__all__ = ["Project", "read_project"]
