"""docs/writing-an-operator.md has every key that opkg.toml may have."""

import re
from pathlib import Path

from opkg.project import settings

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "writing-an-operator.md").read_text("utf-8")


def test_every_key_of_opkg_toml_is_in_the_table():
    rows = re.findall(r"^\| `\[(\w+)[^]]*\]` ((?:`\w+`(?:, )?)+) \|", PAGE, flags=re.MULTILINE)
    listed = {(table, key) for table, keys in rows for key in re.findall(r"`(\w+)`", keys)}
    known = {(table, key) for table, keys in settings._SCHEMA.items() for key in keys}
    assert listed == known | {("operators", key) for key in settings._OPERATOR}
