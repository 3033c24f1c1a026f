"""The vendor's toolchain and those of plugins, without a toolkit: the project's build.sh is a stand-in."""

import re

import pytest

from opkg.build import build_project
from opkg.build.toolchains import find_toolchain
from opkg.build.vendor import toolkit_home
from opkg.errors import BuildError, OpkgError, UsageError
from opkg.plugins.types import Toolchain

INI = """\
[Square]
input0.name=x
input0.dtype=float16
input0.format=ND
input0.paramType=required
output0.name=y
output0.dtype=float16
output0.format=ND
output0.paramType=required
"""
BUILD_SH = """\
set -e
echo "toolkit $ASCEND_HOME_PATH"
place=build_out/_CPack_Packages/Linux/External/custom_opp.run/packages/vendors/customize
mkdir -p "$place/op_impl"
cp op_kernel/square.cpp "$place/op_impl/"
touch made_by_build
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    root = tmp_path / "square"
    for name, text in (("op_info/square.ini", INI), ("op_kernel/square.cpp", "// kernel\n"), ("build.sh", BUILD_SH)):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    (tmp_path / "toolkit").mkdir()
    monkeypatch.setenv("ASCEND_HOME_PATH", str(tmp_path / "toolkit"))
    monkeypatch.setenv("OPKG_NO_PLUGINS", "1")
    return root


def test_the_projects_build_sh_fills_the_package(project, tmp_path):
    said = []
    result = build_project(project, target="ascend910b", log=said.append)
    assert (result.package / "op_impl/square.cpp").read_text() == "// kernel\n"
    assert f"toolkit {tmp_path / 'toolkit'}" in said
    assert result.manifest.target == "ascend910b"
    assert [o.op_info.op for o in result.manifest.operators] == ["Square"]
    assert not (project / "made_by_build").exists(), "build.sh ran in the project itself"


def test_a_bundle_of_it(project):
    result = build_project(project, target="Ascend910b", pkg=True)
    assert result.bundle is not None and result.bundle.name.endswith(".run")


def test_a_build_sh_that_fails(project):
    (project / "build.sh").write_text("echo compiling\necho 'something is wrong'\nexit 3\n")
    with pytest.raises(BuildError, match="the vendor's build failed: something is wrong") as caught:
        build_project(project, target="ascend910b")
    assert "compiling" in caught.value.log
    assert not (project / "build_out/package").exists()


def test_a_build_sh_that_leaves_nothing(project):
    (project / "build.sh").write_text("exit 0\n")
    with pytest.raises(BuildError, match="left 0 packages"):
        build_project(project, target="ascend910b")


def test_no_build_sh(project):
    (project / "build.sh").unlink()
    with pytest.raises(BuildError, match=r"no build\.sh"):
        build_project(project, target="ascend910b")


def test_a_chip_that_the_project_is_not_for(project):
    with pytest.raises(BuildError, match="the project is for ascend910b, not for ascend310p"):
        build_project(project, target="ascend310p")


def test_an_unknown_target(project):
    with pytest.raises(UsageError, match="no toolchain for the target 'gpu'") as caught:
        build_project(project, target="gpu")
    assert caught.value.hint.startswith("targets: cpu, ascend910, ascend910b,")


def test_no_toolkit_says_what_was_looked_at(tmp_path):
    with pytest.raises(BuildError, match="ASCEND_HOME_PATH and ASCEND_TOOLKIT_HOME are not set") as caught:
        toolkit_home({}, (str(tmp_path / "nowhere"),))
    assert str(tmp_path / "nowhere") in caught.value.message
    assert "--target cpu" in caught.value.hint


def test_toolkit_from_the_environment_or_the_usual_place(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    assert toolkit_home({"ASCEND_TOOLKIT_HOME": str(tmp_path / "a")}, ()) == tmp_path / "a"
    assert toolkit_home({}, (str(tmp_path / "no"), str(tmp_path / "b"))) == tmp_path / "b"
    with pytest.raises(BuildError, match="which is not a folder"):
        toolkit_home({"ASCEND_HOME_PATH": str(tmp_path / "no")}, (str(tmp_path / "b"),))


def test_a_plugins_toolchain_serves_its_target(project, monkeypatch):
    def build(root, package, log):
        (package / "kernel.bin").write_text(root.name)
        log("plugin at work")

    mine = Toolchain("mine", ("riscv",), build)
    monkeypatch.setattr("opkg.plugins.collect", lambda hook: [("dist", mine)] if hook == "opkg_toolchains" else [])
    assert find_toolchain("riscv") is mine
    said = []
    result = build_project(project, target="riscv", log=said.append)
    assert (result.package / "kernel.bin").read_text() == "square"
    assert said == ["building for riscv with the toolchain 'mine'", "plugin at work"]
    assert result.manifest.target == "riscv"


@pytest.mark.parametrize(
    ("index", "wrong"),
    [
        ("{", "the toolchain left a op_impl/ai_core/tbe/config/soc/aic-soc-ops-info.json that cannot be read"),
        ("[]", "the toolchain left a op_impl/ai_core/tbe/config/soc/aic-soc-ops-info.json that cannot be read"),
        ('{"Square": {"input0": 3}}', "aic-soc-ops-info.json: Square: expected objects of objects"),
    ],
)
def test_a_packages_index_that_cannot_be_read_is_said(project, monkeypatch, index, wrong):
    (project / "op_info/square.ini").unlink()

    def build(root, package, log):
        place = package / "op_impl/ai_core/tbe/config/soc"
        place.mkdir(parents=True)
        (place / "aic-soc-ops-info.json").write_text(index)

    mine = Toolchain("mine", ("riscv",), build)
    monkeypatch.setattr("opkg.plugins.collect", lambda hook: [("dist", mine)] if hook == "opkg_toolchains" else [])
    with pytest.raises(OpkgError, match=re.escape(wrong)):
        build_project(project, target="riscv")


def test_operators_come_from_the_packages_index_where_the_project_has_no_ini(project):
    (project / "op_info/square.ini").unlink()
    index = '{"Square": {"input0": {"name": "x", "dtype": "float16", "format": "ND", "paramType": "required"}, '
    index += '"output0": {"name": "y", "dtype": "float16", "format": "ND", "paramType": "required"}}}'
    config = "op_impl/ai_core/tbe/config/ascend910b"
    (project / "build.sh").write_text(
        BUILD_SH + f"mkdir -p $place/{config}\ncat > $place/{config}/aic-ascend910b-ops-info.json <<'E'\n{index}\nE\n"
    )
    result = build_project(project, target="ascend910b")
    assert [o.op_info.inputs[0].dtypes for o in result.manifest.operators] == [("float16",)]
