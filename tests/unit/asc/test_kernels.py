"""Kernels begin with an answer to the question which cores they need."""

from __future__ import annotations

import pytest
from made_programs import ascc, own_lines, rewritten, squeezed

VECTOR = "::opkg::asc::vector_cores()"
CUBE = "::opkg::asc::cube_cores()"
AUTO = "::opkg::asc::automatic(false)"
AUTO_CUBE = "::opkg::asc::automatic(true)"


def answer(name: str, cores: str, result: str = "") -> str:
    return f'if(::opkg::asc::asked()){{::opkg::asc::answer("{name}",{cores});return{result};}}'


def typed(kind: str, key: str = "") -> str:
    return f"::opkg::asc::task_type({f'static_cast<uint64_t>({key}), ' if key else ''}static_cast<int>({kind}))"


DEFINITIONS = [
    ("__global__ void k()", "void k()", "k", AUTO),
    ("__global__ __aicore__ void k()", "void k()", "k", AUTO),
    ("__global__ __vector__ void k(int a)", "void k(int a)", "k", VECTOR),
    ("__vector__ __global__ __aicore__ void k()", "void k()", "k", VECTOR),
    ("__global__ __cube__ void k()", "void k()", "k", CUBE),
    ("__cube__ __global__ void k()", "void k()", "k", CUBE),
    ("__global__ __mix__(1, 2) void k()", "void k()", "k", "::opkg::asc::mixed(1, 2)"),
    ("__mix__(1, 1) __global__ void k()", "void k()", "k", "::opkg::asc::mixed(1, 1)"),
    ("__global__ __aicpu__ void k(A a)", "void k(A a)", "k", "::opkg::asc::ai_cpu()"),
    ("__aicpu__ __global__ void k()", "void k()", "k", "::opkg::asc::ai_cpu()"),
    ('extern "C" __global__ __aicore__ void k()', 'extern "C" void k()', "k", AUTO),
    ('extern "C" __vector__ __global__ void k()', 'extern "C" void k()', "k", VECTOR),
    ("inline __global__ __vector__ void k()", "inline void k()", "k", VECTOR),
    ("static __global__ void __attribute__((noinline)) k()", "static void __attribute__((noinline)) k()", "k", AUTO),
    ("[[gnu::noinline]] __global__ __vector__ void k()", "[[gnu::noinline]] void k()", "k", VECTOR),
    ("__global__ [aicore] void k()", "void k()", "k", AUTO),
    ("template <typename T> __global__ __vector__ void k(T a)", "template <typename T> void k(T a)", "k", VECTOR),
    ("template <> __global__ __vector__ void k<A<B<int>>>(int a)", "template <> void k<A<B<int>>>(int a)", "k", VECTOR),
    ("template <int N = (3 > 2)> __global__ void k()", "template <int N = (3 > 2)> void k()", "k", AUTO),
    ("__global__ __vector__ void k(int a) noexcept", "void k(int a) noexcept", "k", VECTOR),
    ("__global__ auto k() -> void", "auto k() -> void", "k", AUTO),
    ("__global__ void inline k()", "void inline k()", "k", AUTO),
    ("__global__ void *k()", "void *k()", "k", AUTO),
]


@pytest.mark.parametrize(("head", "kept", "name", "cores"), DEFINITIONS)
def test_a_definition_gets_the_answer_that_its_words_say(made, head, kept, name, cores):
    result = "{}" if "auto" in head or "*" in head else ""
    assert made[f"{head} {{ body(); }}"] == squeezed(f"{kept} {{ {answer(name, cores, result)} body(); }}")


def test_a_kernel_with_a_result_returns_an_empty_one(rewrite):
    assert rewrite("__global__ uint32_t k(void *p) { return 1; }") == squeezed(
        f"uint32_t k(void *p) {{ {answer('k', AUTO, '{}')} return 1; }}"
    )


DECLARATIONS = [
    "__global__ __vector__ void k(int a);",
    'extern "C" __global__ __aicore__ void k(int a);',
    "template <typename T> __global__ void k(T a);",
    "friend __global__ void k();",
]


@pytest.mark.parametrize("text", DECLARATIONS)
def test_a_declaration_only_loses_the_words(made, text):
    plain = text.replace("__global__ ", "").replace("__aicore__ ", "").replace("__vector__ ", "")
    assert made[text] == squeezed(plain)


def test_functions_that_are_no_kernels_stay_as_they_are(rewrite):
    assert rewrite("__aicore__ inline void f(__gm__ float *x) { g(); }") == squeezed("inline void f(float *x) { g(); }")


def test_kernels_in_namespaces_classes_and_linkage_blocks(rewrite):
    body = f"{{ {answer('k', VECTOR)} }}"
    member = "namespace a {{ struct S {{ template <int N> static {0}void k(int a = f(1, 2)) {1} }}; }}"
    source = member + ' extern "C" {{ {0}void k() {1} }}'
    assert rewrite(source.format("__global__ __vector__ ", "{ }")) == squeezed(source.format("", body))


TASK_TYPES = [
    ("KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);", typed("KERNEL_TYPE_MIX_AIC_1_2")),
    ("if (a) { KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY); }", typed("KERNEL_TYPE_AIC_ONLY")),
    ("KERNEL_TASK_TYPE_DEFAULT(A); KERNEL_TASK_TYPE_DEFAULT(B);", typed("A")),
    ("KERNEL_TASK_TYPE(1, KERNEL_TYPE_AIV_ONLY);", f"{AUTO}, {typed('KERNEL_TYPE_AIV_ONLY', '1')}"),
    (
        "KERNEL_TASK_TYPE(f(1, 2), A); KERNEL_TASK_TYPE_DEFAULT(B); KERNEL_TASK_TYPE(3, C);",
        f"{typed('B')}, {typed('A', 'f(1, 2)')}, {typed('C', '3')}",
    ),
]


@pytest.mark.parametrize(("statement", "cores"), TASK_TYPES)
def test_task_types_in_the_body_are_the_answer(made, statement, cores):
    text = made[f"__global__ __aicore__ void k(int a) {{ {statement} }}"]
    assert text.startswith(squeezed(f"void k(int a) {{ {answer('k', cores)}"))
    assert "task_type__" not in text


def test_a_word_before_the_kernel_is_stronger_than_its_body(rewrite):
    source = "__global__ __vector__ void k() { KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY); }"
    text = rewrite('#include "kernel_operator.h"\n' + source)
    assert squeezed(answer("k", VECTOR)) in text


@pytest.mark.parametrize(
    "use", ["Matmul<A, B> mm;", "AscendC::Mmad(c, a, b, p);", "LoadData(a, b, p);", "Fixpipe(a, b);"]
)
def test_a_file_that_uses_the_cube_has_mixed_kernels(rewrite, use):
    assert squeezed(answer("k", AUTO_CUBE)) in rewrite(f"void f() {{ {use} }} __global__ void k() {{ }}")


def test_other_uses_of_those_words_mean_nothing(rewrite):
    use = 'auto s = "Matmul"; int my_Matmul; // Mmad\n'
    assert squeezed(answer("k", AUTO)) in rewrite(f"{use} __global__ void k() {{ }}")


@pytest.mark.parametrize(("option", "cores"), [("-I", AUTO_CUBE), ("-isystem", AUTO)])
def test_what_a_header_of_the_system_uses_means_nothing(rewrite, tmp_path, option, cores):
    (tmp_path / "v3.h").write_text("void Mmad();\n", "utf-8")
    text = rewrite("#include <v3.h>\n__global__ void k() { }", option, str(tmp_path))
    assert squeezed(answer("k", cores)) in text


def test_a_header_of_the_system_may_have_words_that_the_twin_lacks(rewrite, tmp_path):
    (tmp_path / "words.h").write_text("void __simd_vf__();\n", "utf-8")
    assert rewrite("#include <words.h>\nint x;", "-isystem", str(tmp_path)) == "int x;"
    with pytest.raises(AssertionError, match="__simd_vf__"):
        rewrite("#include <words.h>\nint x;", "-I", str(tmp_path))


def test_words_that_go_leave_the_lines_as_they_were(tmp_path):
    file = tmp_path / "lines.asc"
    file.write_text("__global__ __mix__(1,\n2) void k();\nint after;\n", "utf-8")
    rows = own_lines(ascc("--show-rewritten", "-c", file).out, str(file))
    assert [(line, squeezed(row)) for line, row in rows] == [(2, "void k();"), (3, "int after;")]


def test_a_file_for_cube_cores_only_has_cube_kernels(rewrite):
    text = rewrite("struct opkg_asc_cube_only; Matmul<A, B> mm; __global__ void k() { }")
    assert squeezed(answer("k", CUBE)) in text


def test_a_kernel_named_by_a_macro(rewrite):
    text = rewrite(
        "#define KERNEL(n) n##_custom\n#define AT __global__ __vector__\nAT void KERNEL(add)(int a) { b(); }"
    )
    assert text == squeezed(f"void add_custom(int a) {{ {answer('add_custom', VECTOR)} b(); }}")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Source -> what it becomes, for every row of the tables above."""
    sources = [
        *(f"{head} {{ body(); }}" for head, *_ in DEFINITIONS),
        *DECLARATIONS,
        *(f"__global__ __aicore__ void k(int a) {{ {statement} }}" for statement, _ in TASK_TYPES),
    ]
    first, *rest = sources
    texts = rewritten(tmp_path_factory.mktemp("made"), f'#include "kernel_operator.h"\n#line 1 "case0"\n{first}', *rest)
    return dict(zip(sources, texts, strict=True))
