"""What is wrong with a value that a plugin returned: hooks return dataclasses, whose fields Python does not check."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any


def nonsense(value: Any) -> str:
    """Why the rest of opkg could not work with a dataclass of `opkg.plugins.types`, one clause; empty if it can."""
    for field in dataclasses.fields(value):
        held = getattr(value, field.name, None)
        wanted = next((text for kind, text, fits in _KINDS if str(field.type).startswith(kind) and not fits(held)), "")
        if wanted:
            return f"{type(value).__name__}.{field.name} is {held!r:.60}, not {wanted}"
    name = getattr(value, "name", "-")
    if type(value).__name__ == "Command" and not _is_word(name):
        return f"'{name}' cannot be the name of a command"
    return ""


def _is_texts(value: object) -> bool:
    return isinstance(value, tuple) and all(isinstance(one, str) for one in value)


def _is_word(name: str) -> bool:
    return name.replace("-", "").replace("_", "").isalnum() and not name.startswith("-")


_KINDS: tuple[tuple[str, str, Callable[[Any], bool]], ...] = (
    ("str", "a text", lambda value: isinstance(value, str)),
    ("Path", "a pathlib.Path", lambda value: isinstance(value, Path)),
    ("tuple[str", "a tuple of texts", _is_texts),
    ("Callable", "a function", callable),
)
"""Beginning of a field's annotation, what it asks for in words, and whether a value is that."""
