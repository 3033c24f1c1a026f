"""Launches become calls: which text is one, where its kernel begins, and what stays as it is."""

from __future__ import annotations

import pytest
from made_programs import rewritten, squeezed


def call(kernel: str, blocks: str = "1", dynamic: str = "0", stream: str = "s", *arguments: str) -> str:
    """The call that a launch becomes, squeezed."""
    head = f"::opkg::asc::launch(({blocks}),({dynamic}),({stream}),[=](auto... opkg_a){{ {kernel}(opkg_a...); }}"
    if stream == "nullptr":
        head = head.replace("(nullptr)", "nullptr")
    return squeezed(", ".join([head, *arguments]) + ")")


KERNELS = [
    ("k<<<1, 0, s>>>()", "k"),
    ("::k<<<1, 0, s>>>()", "::k"),
    ("a::b::k<<<1, 0, s>>>()", "a::b::k"),
    ("::a::k<<<1, 0, s>>>()", "::a::k"),
    ("k<int, 2><<<1, 0, s>>>()", "k<int, 2>"),
    ("k<A<B<int>>><<<1, 0, s>>>()", "k<A<B<int>>>"),
    ("k<A<B<C<int>>>><<<1, 0, s>>>()", "k<A<B<C<int>>>>"),
    ("k<(4 >> 1)><<<1, 0, s>>>()", "k<(4 >> 1)>"),
    ("k<1 << 2><<<1, 0, s>>>()", "k<1 << 2>"),
    ("k<sizeof(int[3])><<<1, 0, s>>>()", "k<sizeof(int[3])>"),
    ("S<int>::k<<<1, 0, s>>>()", "S<int>::k"),
    ("S<int>::template k<3><<<1, 0, s>>>()", "S<int>::template k<3>"),
    ("T::template k<3><<<1, 0, s>>>()", "T::template k<3>"),
    ("table[i + 1]<<<1, 0, s>>>()", "table[i + 1]"),
    ("table[f(x)][2]<<<1, 0, s>>>()", "table[f(x)][2]"),
    ("(*pointer)<<<1, 0, s>>>()", "(*pointer)"),
    ("(c ? k : l)<<<1, 0, s>>>()", "(c ? k : l)"),
    ("get()<<<1, 0, s>>>()", "get()"),
    ("get<int>(1)<<<1, 0, s>>>()", "get<int>(1)"),
    ("o.member<<<1, 0, s>>>()", "o.member"),
    ("this->pick(2).k<<<1, 0, s>>>()", "this->pick(2).k"),
    ("p->table[0]<<<1, 0, s>>>()", "p->table[0]"),
    ("decltype(o)::k<<<1, 0, s>>>()", "decltype(o)::k"),
]


@pytest.mark.parametrize(("launch", "kernel"), KERNELS)
def test_the_kernel_of_a_launch_is_the_whole_postfix_expression(made, launch, kernel):
    assert made[f"void f() {{ {launch}; }}"] == squeezed(f"void f() {{ {call(kernel)}; }}")


SURROUNDINGS = [
    ("return ", ""),
    ("if (x) ", " else y();"),
    ("if (x) y(); else ", ""),
    ("do ", "; while (0);"),
    ("(void)", ""),
    ("auto r = ", ""),
    ("case 1: ", ""),
    ("x = y, ", ""),
    ("a > b ? z : ", ""),
    ("return ::", ""),
]


@pytest.mark.parametrize(("before", "after"), SURROUNDINGS)
def test_what_stands_before_a_launch_is_no_part_of_it(made, before, after):
    scope = "::" if before.endswith("::") else ""
    expected = f"void f() {{ {before.removesuffix('::')}{call(scope + 'k')};{after} }}"
    assert made[f"void f() {{ {before}k<<<1, 0, s>>>();{after} }}"] == squeezed(expected)


CONFIGURATIONS = [
    ("8, nullptr, s", ("8", "nullptr", "s")),
    ("n + 1, 0, q.stream()", ("n + 1", "0", "q.stream()")),
    ("1 << 3, n >> 1, s", ("1 << 3", "n >> 1", "s")),
    ("1, n << 3, s", ("1", "n << 3", "s")),
    ("1, 0, a < b ? s : t", ("1", "0", "a < b ? s : t")),
    ("n < 8 ? n : 8, 0, s", ("n < 8 ? n : 8", "0", "s")),
    ("n > 8 ? 8 : n, 0, s", ("n > 8 ? 8 : n", "0", "s")),
    ("a < b, c > d, s", ("a < b", "c > d", "s")),
    ("min(a, b), max<int>(c, d), s", ("min(a, b)", "max<int>(c, d)", "s")),
    ("f<A<B<C>>>(x), 0, s", ("f<A<B<C>>>(x)", "0", "s")),
    ("1, f<A<B<C>>>(x), s", ("1", "f<A<B<C>>>(x)", "s")),
    ("t[i, j], 0, s", ("t[i, j]", "0", "s")),
    ("[&] { return a, b; }(), 0, s", ("[&] { return a, b; }()", "0", "s")),
    ("p->n, 0, s", ("p->n", "0", "s")),
    ("8, 0", ("8", "0", "nullptr")),
]


@pytest.mark.parametrize(("configuration", "values"), CONFIGURATIONS)
def test_the_configuration_ends_where_the_launch_says(made, configuration, values):
    expected = squeezed(f"void f() {{ {call('k', *values)}; }}")
    assert made[f"void f() {{ k<<<{configuration}>>>(); }}"] == expected


ARGUMENTS = [
    "x",
    "x, y, 3",
    "f(a, b), (c)",
    "A<B<C>>{}",
    "x >> 1, y << 2",
    "[=] { return 1; }",
    "rest...",
    '"k<<<1, 0>>>()"',
]


@pytest.mark.parametrize("arguments", ARGUMENTS)
def test_arguments_stay_as_they_are(made, arguments):
    assert made[f"void f() {{ k<<<1, 0, s>>>({arguments}); }}"] == squeezed(
        f"void f() {{ {call('k', '1', '0', 's', arguments)}; }}"
    )


def test_a_launch_may_stand_in_the_arguments_and_in_the_configuration_of_another(rewrite):
    inner = call("b", "2", "0", "t")
    assert rewrite("void f() { a<<<1, 0, s>>>([=] { b<<<2, 0, t>>>(); }); }") == squeezed(
        f"void f() {{ {call('a', '1', '0', 's', f'[=] {{ {inner}; }}')}; }}"
    )
    assert rewrite("void f() { a<<<[] { b<<<2, 0, t>>>(); return 1; }(), 0, s>>>(); }") == squeezed(
        f"void f() {{ {call('a', f'[] {{ {inner}; return 1; }}()')}; }}"
    )


def test_a_null_pointer_stays_one(rewrite):
    text = rewrite("#define NULL __null\nvoid f() { k<<<1, 0, s>>>(NULL, f(NULL), x, NULL); }")
    assert text == squeezed(f"void f() {{ {call('k', '1', '0', 's', 'nullptr, f(__null), x, nullptr')}; }}")


ZEROS = [
    ("0", "Z"),
    ("0, x, 0", "Z, x, Z"),
    ("f(1, 0, 2), 0", "f(1, 0, 2), Z"),
    ("T{1, 0, 2}, -0, 0 + x, 0", "T{1, 0, 2}, -0, 0 + x, Z"),
    ("A<1, 0, 2>{}, x, 0", "A<1, 0, 2>{}, x, Z"),
    ("x >> 1, 0, x << 1", "x >> 1, Z, x << 1"),
    ("p->x, 0", "p->x, Z"),
]


@pytest.mark.parametrize(("arguments", "expected"), ZEROS)
def test_a_literal_0_may_be_a_null_pointer(made, arguments, expected):
    head = "::opkg::asc::launch_zeros((1),(0),(s),[=](auto... opkg_a) -> decltype(void(k(opkg_a...))) {}, "
    expected = f"{head}[=](auto... opkg_a) {{ k(opkg_a...); }}, {expected.replace('Z', '::opkg::asc::Zero()')})"
    assert made[f"void f() {{ k<<<1, 0, s>>>({arguments}); }}"] == squeezed(f"void f() {{ {expected}; }}")


def test_zeros_in_brackets_make_no_other_launch(made):
    assert made["void f() { k<<<1, 0, s>>>(f(1, 0, 2), A<1, 0, 2>{}, 00, 0u); }"] == squeezed(
        f"void f() {{ {call('k', '1', '0', 's', 'f(1, 0, 2), A<1, 0, 2>{}, 00, 0u')}; }}"
    )


def test_several_launches_on_one_line(rewrite):
    assert rewrite("void f() { a<<<1, 0, s>>>(); b<<<2, 0, t>>>(x); }") == squeezed(
        f"void f() {{ {call('a')}; {call('b', '2', '0', 't', 'x')}; }}"
    )


def test_a_launch_behind_digits_with_separators(rewrite):
    assert rewrite("void f() { int n = 1'000; k<<<1, 0, s>>>('a', n); }") == squeezed(
        f"void f() {{ int n = 1'000; {call('k', '1', '0', 's', chr(39) + 'a' + chr(39), 'n')}; }}"
    )


NO_LAUNCHES = [
    'auto s = "k<<<1, 0, s>>>()";',
    r'auto s = "\"k<<<1, 0, s>>>()\\";',
    'auto s = R"(k<<<1, 0, s>>>() ")";',
    'auto s = R"x(k<<<1, 0, s>>>() )" )x";',
    'auto s = u8R"(a\nk<<<1, 0, s>>>()\n#7 <<<\n)";',
    "auto c = '\"', d = '\\'';  auto s = \"<<<\";",
    "int n = 1'000'000, m = 0x1'Fp+3;",
    "auto &f = operator<<<int>;",
    "auto &f = operator<< <int>;",
    "int n = a << (b < c);",
    "bool b = x < y >> 1;",
    "A<B<C<int>>> v;",
]


@pytest.mark.parametrize("text", NO_LAUNCHES)
def test_what_is_no_launch_stays_as_it_is(made, text):
    assert made[text] == squeezed(text)


@pytest.mark.parametrize("comment", ["// k<<<1, 0, s>>>()\n", "/* k<<<1, 0,\n s>>>() */", "/* \" */ // '\n"])
def test_comments_are_kept_out_even_where_the_preprocessor_keeps_them(rewrite, comment):
    expected = squeezed(f"int a; {comment} void f() {{ {call('k')}; }}")
    assert rewrite(f"int a; {comment} void f() {{ k<<<1, 0, s>>>(); }}", "-C") == expected


@pytest.mark.parametrize(
    "macro",
    [
        "#define GO k<<<1, 0, s>>>()\n",
        "#define GO NAME<<<1, 0, s>>>()\n#define NAME k\n",
        "#define SHAPE <<<1, 0, s>>>\n#define GO k SHAPE ()\n",
        "#define OPEN <<<\n#define CLOSE >>>\n#define GO k OPEN 1, 0, s CLOSE ()\n",
        "#define LAUNCH(kernel, ...) kernel<<<__VA_ARGS__>>>()\n#define GO LAUNCH(k, 1, 0, s)\n",
        "#define LAUNCH(k, ...) \\\n    k \\\n    <<<__VA_ARGS__>>> \\\n    ()\n#define GO LAUNCH(k, 1, 0, s)\n",
    ],
)
def test_macros_may_make_any_part_of_a_launch(rewrite, macro):
    assert rewrite(f"{macro}void f() {{ GO; }}") == squeezed(f"void f() {{ {call('k')}; }}")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Source -> what it becomes, for every row of the tables above."""
    sources = [
        *(f"void f() {{ {launch}; }}" for launch, _ in KERNELS),
        *(f"void f() {{ {before}k<<<1, 0, s>>>();{after} }}" for before, after in SURROUNDINGS),
        *(f"void f() {{ k<<<{configuration}>>>(); }}" for configuration, _ in CONFIGURATIONS),
        *(f"void f() {{ k<<<1, 0, s>>>({arguments}); }}" for arguments in ARGUMENTS),
        *(f"void f() {{ k<<<1, 0, s>>>({arguments}); }}" for arguments, _ in ZEROS),
        "void f() { k<<<1, 0, s>>>(f(1, 0, 2), A<1, 0, 2>{}, 00, 0u); }",
        *NO_LAUNCHES,
    ]
    return dict(zip(sources, rewritten(tmp_path_factory.mktemp("made"), *sources), strict=True))
