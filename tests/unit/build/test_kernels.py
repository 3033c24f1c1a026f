import pytest

from opkg.build.kernels import (
    defined_kernels,
    kernel_function,
    kernel_options,
    kernel_source,
    no_function,
    usable_options,
)
from opkg.errors import BuildError
from opkg.opinfo import KernelRef, OpInfo, Param
from opkg.project import Project

X = Param("x", "required", ("float32",), ("ND",))
KERNEL = 'extern "C" __global__ __aicore__ void {}(GM_ADDR x, GM_ADDR y)\n{{\n}}\n'


def op(name="AddCustom", kernel=None):
    return OpInfo(name, (X,), (X,), kernel=kernel)


@pytest.fixture
def project(tmp_path):
    def make(options=None, **files):
        folder = tmp_path / "op_kernel"
        folder.mkdir(exist_ok=True)
        for stem, text in files.items():
            (folder / f"{stem}.cpp").write_text(text)
        sources = {stem: folder / f"{stem}.cpp" for stem in files}
        return Project(
            tmp_path, "p", "v", "1", "v", ("ascend910b",), kernel_sources=sources, compile_options=options or {}
        )

    return make


def test_the_file_of_the_operators_name(project):
    found = kernel_source(project(add_custom="", other=KERNEL.format("add_custom")), op())
    assert found.name == "add_custom.cpp"


def test_the_module_that_the_ini_names(project):
    ini = op(kernel=KernelRef("impl", "run"))
    assert kernel_source(project(impl="", other=""), ini).name == "impl.cpp"
    assert kernel_function(ini) == "run"
    assert kernel_function(op()) == "add_custom"


def test_the_only_other_file_that_defines_the_function(project):
    found = kernel_source(project(all=KERNEL.format("add_custom"), other=KERNEL.format("mul")), op())
    assert found.name == "all.cpp"


def test_several_files_that_define_it(project):
    text = KERNEL.format("add_custom")
    with pytest.raises(BuildError, match=r"several files: op_kernel/a\.cpp, op_kernel/b\.cpp"):
        kernel_source(project(a=text, b=text), op())


def test_no_file_says_what_was_looked_at(project):
    with pytest.raises(BuildError, match=r"AddCustom has no kernel: there is no op_kernel/add_custom\.cpp") as caught:
        kernel_source(project(a=KERNEL.format("mul"), b=""), op())
    assert caught.value.hint == "looked at op_kernel/a.cpp (mul), op_kernel/b.cpp (no kernel)"
    assert caught.value.code == "OPKG-4022"


def test_no_kernel_file_at_all(project):
    with pytest.raises(BuildError) as caught:
        kernel_source(project(), op())
    assert caught.value.hint == "op_kernel/ has no .cpp file"


def test_kernels_in_comments_and_texts_do_not_count(project):
    text = '// __global__ void a(\n/* __global__ void b( */\nconst char *s = "__global__ void c(";\n' + KERNEL.format(
        "d"
    )
    text += "template <int N>\n__global__ __aicore__\nvoid e(GM_ADDR x) {}\n"
    made = project(a=text)
    assert defined_kernels(made.kernel_sources["a"]) == ["d", "e"]


def test_a_file_without_its_kernel_says_what_it_defines(project, tmp_path):
    made = project(add_custom=KERNEL.format("add_costum"))
    error = no_function(made.kernel_sources["add_custom"], "add_custom", tmp_path)
    assert error.message == "op_kernel/add_custom.cpp defines no kernel function `add_custom`; it defines `add_costum`"


def test_options_for_all_come_before_an_operators_own(project):
    made = project({"ALL": ("-DA",), "AddCustom": ("-DB", "--cce-auto-sync"), "Mul": ("-DC",)})
    assert kernel_options(made, "AddCustom") == ("-DA", "-DB", "--cce-auto-sync")


def test_options_that_only_the_vendors_compiler_knows_are_told_apart():
    kept, dropped = usable_options(["-DX=1", "-O2", "--tiling_key=1,2", "-g", "--cce-auto-sync=on", "-Iinc"])
    assert kept == ("-DX=1", "-O2", "-g", "-Iinc")
    assert dropped == ("--tiling_key=1,2", "--cce-auto-sync=on")
