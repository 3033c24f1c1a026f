import platform

import pytest

from opkg.build.packing import bundle_name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('NAME="Debian"\nID=debian\n', "debian"),
        ('ID="openEuler"\n', "openEuler"),
        ("VERSION_ID=1\nID='a-b'\n", "a-b"),
        ("NAME=x\n", "linux"),
    ],
)
def test_the_bundles_name_has_the_systems_id(tmp_path, text, name):
    (tmp_path / "os-release").write_text(text)
    assert bundle_name((tmp_path / "os-release",)) == f"custom_opp_{name}_{platform.machine()}.run"


def test_the_second_place_counts_where_the_first_is_missing(tmp_path):
    (tmp_path / "b").write_text("ID=x\n")
    assert bundle_name((tmp_path / "a", tmp_path / "b")) == f"custom_opp_x_{platform.machine()}.run"
    assert bundle_name((tmp_path / "a",)) == f"custom_opp_linux_{platform.machine()}.run"
