"""What the build writes: kernel sources, the package table, CMakeLists.txt, op_proto.h and the kernel indexes."""

import json
from pathlib import Path

from opkg.build.chips import Chip
from opkg.build.cmake_text import KernelGroup, KernelTarget, Recipe, cmake_lists
from opkg.build.columns import columns_of
from opkg.build.kernel_config import binary_info, operator_config, simplified_key
from opkg.build.op_proto import op_proto_header
from opkg.build.sources import kernel_unit, package_table
from opkg.opinfo import Attr, OpInfo, Param
from opkg.project import Project

SQUARE = OpInfo(
    "Square",
    (Param("x", "required", ("float16", "float32"), ("ND", "ND")),),
    (Param("y", "required", ("float16", "float32"), ("ND", "ND")),),
)
RICH = OpInfo(
    "GRUCell",
    (
        Param("x", "required", ("float16", "float16", "float32"), ("ND",) * 3),
        Param("bias", "optional", ("float16", "float32", "float32"), ("ND",) * 3),
        Param("states", "dynamic", ("int32",) * 3, ("ND",) * 3),
    ),
    (Param("y", "required", ("bool",) * 3, ("ND",) * 3),),
    (
        Attr("hidden", "int"),
        Attr("scale", "float", "optional", 1e-05),
        Attr("name", "string", "optional", 'a"b\\'),
        Attr("flag", "bool", "optional", False),
        Attr("axes", "list_int", "optional", [1, -1]),
        Attr("pads", "list_list_int", "optional", [[1, 2], []]),
    ),
)


def test_a_kernel_source_includes_the_users_own_file_after_the_macros():
    text = kernel_unit(columns_of(SQUARE)[1], "square", Path("/p/op_kernel/square.cpp"), "square_tiling_data.h")
    lines = text.splitlines()
    assert lines.index("#define DTYPE_X float") < lines.index('#include "kernel_operator.h"')
    assert lines[-4:] == [
        '#include "square_tiling_data.h"',
        '#include "/p/op_kernel/square.cpp"',
        '#include "opkg/kernel_entry.h"',
        'OPKG_KERNEL_ENTRY(square, "Square", 1)',
    ]


def test_package_table_names_the_package_and_its_kernels():
    project = Project(Path("/p"), "square", "customize", '1.0"x', "customize", ("ascend910b",))
    text = package_table(project, Chip("Ascend910B1", "ascend910b", 2201, 220), ["GRUCell"])
    assert 'OPKG_PACKAGE("customize", "square", "1.0\\"x", "Ascend910B1")' in text
    assert 'OPKG_PACKAGE_OPERATOR("GRUCell", "op_impl/ai_core/tbe/kernel/cpu/gru_cell/GRUCell_%u.so")' in text


def test_cmake_values_are_taken_literally():
    recipe = Recipe(
        script=Path("/o/OpkgPackage.cmake"),
        variables=(("OPKG_MARCH", ("",)), ("OPKG_CXX_FLAGS", ("-DA=]=]", "-DB=${X};y"))),
        host_sources=(Path("/p q/a.cpp"),),
        host_includes=(),
        kernel_includes=(Path("/p q"),),
        groups=(KernelGroup("kernels0", ("-DN=1",)),),
        kernels=(KernelTarget("kernel_Square_0", "kernels0", Path("/g/Square_0.cpp"), "Square_0", "kernels/square"),),
    )
    text = cmake_lists(recipe)
    assert "set(OPKG_MARCH [=[]=])" in text
    assert "set(OPKG_CXX_FLAGS [==[-DA=]=]]==] [=[-DB=${X};y]=])" in text
    assert "opkg_host_library(SOURCES [=[/p q/a.cpp]=])" in text
    assert (
        "opkg_kernel([=[kernel_Square_0]=] [=[kernels0]=] [=[/g/Square_0.cpp]=] [=[Square_0]=] [=[kernels/square]=])"
        in text
    )


def test_op_proto_declares_inputs_outputs_and_attributes():
    text = op_proto_header([RICH])
    assert text.splitlines()[9:21] == [
        "REG_OP(GRUCell)",
        "    .INPUT(x, TensorType({ge::DT_FLOAT16, ge::DT_FLOAT}))",
        "    .OPTIONAL_INPUT(bias, TensorType({ge::DT_FLOAT16, ge::DT_FLOAT}))",
        "    .DYNAMIC_INPUT(states, TensorType({ge::DT_INT32}))",
        "    .OUTPUT(y, TensorType({ge::DT_BOOL}))",
        "    .REQUIRED_ATTR(hidden, Int)",
        "    .ATTR(scale, Float, 1e-05)",
        '    .ATTR(name, String, "a\\"b\\\\")',
        "    .ATTR(flag, Bool, false)",
        "    .ATTR(axes, ListInt, {1, -1})",
        "    .ATTR(pads, ListListInt, {{1, 2}, {}})",
        "    .OP_END_FACTORY_REG(GRUCell)",
    ]


def test_simplified_key_has_the_numbers_of_ge():
    assert simplified_key(SQUARE, 0) == "Square/d=0,p=0/1,2/1,2"
    assert simplified_key(SQUARE, 1) == "Square/d=0,p=0/0,2/0,2"


def test_binary_info_lists_every_column():
    found = binary_info([(SQUARE, ["KERNEL_TYPE_AIV_ONLY", ""])])["Square"]
    assert [b["binPath"] for b in found["binaryList"]] == ["cpu/square/Square_0.so", "cpu/square/Square_1.so"]
    assert [b["coreType"] for b in found["binaryList"]] == [2, 0]
    assert "optionalInputMode" not in found
    assert binary_info([(RICH, ["", "", ""])])["GRUCell"]["optionalInputMode"] == "gen_placeholder"


def test_operator_config_describes_tensors_and_attributes():
    found = operator_config(RICH)["binList"]
    assert len(found) == 3
    assert found[1]["inputs"][1] == {
        "name": "bias",
        "index": 1,
        "dtype": "float32",
        "format": "ND",
        "paramType": "optional",
        "shape": [-2],
    }
    assert found[0]["attrs"][4] == {"name": "axes", "dtype": "listInt", "value": [1, -1]}
    json.dumps(found)
