"""The README leads to every page."""

from pathlib import Path

TOP = Path(__file__).resolve().parents[2]


def test_every_page_is_in_the_readme():
    readme = (TOP / "README.md").read_text("utf-8")
    pages = sorted(path.relative_to(TOP).as_posix() for path in (TOP / "docs").glob("*.md"))
    assert pages
    assert [page for page in pages if f"]({page})" not in readme] == []
