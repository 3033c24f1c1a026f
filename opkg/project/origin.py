"""What a project was made from: template, answers, and every file as it was rendered, in `.opkg/template.json`.

`opkg update` needs the files as they were to tell what the user changed from what the template changed, and the answers
to render the same project from a newer template. It is part of the project and belongs under version control.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from opkg.errors import ProjectError

ORIGIN_NAME = ".opkg/template.json"
_FORMAT = 1


@dataclass(frozen=True)
class Origin:
    """A template, its version, what it was given, and what it made of that."""

    template: str
    version: str
    answers: Mapping[str, Any]
    files: Mapping[str, str]

    def to_text(self) -> str:
        """The content of the file."""
        data = {
            "format": _FORMAT,
            "template": self.template,
            "version": self.version,
            "answers": self.answers,
            # By lines, so that version control shows what a newer template changed.
            "files": {name: text.splitlines(keepends=True) for name, text in sorted(self.files.items())},
        }
        return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def read_origin(root: Path) -> Origin:
    """What the project in the folder `root` was made from.

    Raises:
        ProjectError: there is no record of it, or it cannot be read.
    """
    file = root / ORIGIN_NAME
    if not file.is_file():
        if (root.parent / ORIGIN_NAME).is_file():
            raise ProjectError(f"{root} is part of the project {root.parent}", f"type 'opkg update {root.parent}'")
        raise ProjectError(
            f"{root} has no {ORIGIN_NAME}, so what you changed cannot be told from what the template changed",
            "projects made by 'opkg new' have it; make a new one with the same signature and copy your changes over",
        )
    try:
        data = json.loads(file.read_bytes())
        if data["format"] != _FORMAT:
            raise ProjectError(f"{file} has format {data['format']}, this opkg reads {_FORMAT}", "use a newer opkg")
        # The record comes with a project from anywhere, and its names are written to.
        files = {_inside(name): "".join(lines) for name, lines in data["files"].items()}
        return Origin(str(data["template"]), str(data["version"]), dict(data["answers"]), files)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        hint = "restore it from version control"
        raise ProjectError(f"{file} is damaged: {type(error).__name__}: {error}", hint) from error


def _inside(name: str) -> str:
    path = PurePosixPath(name)
    if path.is_absolute() or not path.parts or ".." in path.parts:
        raise ValueError(f"'{name}' leads out of the project")
    return name
