"""docs/installers.md names tests that exist."""

import ast
import re
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parents[2]
ROWS = [line for line in (TOP / "docs" / "installers.md").read_text("utf-8").splitlines() if line.startswith("| ")]
CLAIMS = [row for row in ROWS if not row.startswith("| what went wrong")]


def test_the_page_has_claims():
    assert len(CLAIMS) > 30


@pytest.mark.parametrize("row", CLAIMS)
def test_every_claim_names_a_test(row):
    match = re.search(r"\| `(tests/[\w/]+\.py)::(test_\w+)` \|$", row)
    assert match is not None, row
    tree = ast.parse((TOP / match[1]).read_text("utf-8"))
    assert match[2] in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
