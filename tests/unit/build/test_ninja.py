from opkg.build import ninja

PLAN = """\
ninja explain: output CMakeFiles/host.dir/p/op_host/a.cpp.o older than most recent input /p/op_host/a.cpp (1 vs 2)
ninja explain: CMakeFiles/host.dir/p/op_host/a.cpp.o is dirty
ninja explain: command line changed for CMakeFiles/kernels0.dir/cmake_pch.hxx.gch
ninja explain: deps for 'CMakeFiles/kernel_Square_0.dir/src/Square_0.cpp.o' are missing
ninja explain: output kernels/square/Square_1.so doesn't exist
@@ 0/4 /usr/bin/g++ -c x -o CMakeFiles/host.dir/p/op_host/a.cpp.o
@@ 0/4 : && /usr/bin/g++ -shared -o kernels/square/Square_1.so CMakeFiles/kernel_Square_1.dir/src/Square_1.cpp.o
"""


def test_plan_names_targets_and_first_reasons():
    plan = ninja.parse_plan(PLAN)
    assert plan.targets == ("host", "kernel_Square_1")
    assert plan.reasons == (
        ninja.Reason("CMakeFiles/host.dir/p/op_host/a.cpp.o", "input", "/p/op_host/a.cpp"),
        ninja.Reason("CMakeFiles/kernels0.dir/cmake_pch.hxx.gch", "command"),
        ninja.Reason("CMakeFiles/kernel_Square_0.dir/src/Square_0.cpp.o", "missing"),
        ninja.Reason("kernels/square/Square_1.so", "missing"),
    )


FAILED = """\
@@ 0/3 Building CXX object CMakeFiles/kernel_Square_1.dir/src/Square_1.cpp.o
FAILED: [code=1] CMakeFiles/kernel_Square_1.dir/src/Square_1.cpp.o
/usr/bin/g++ -c Square_1.cpp
second error
@@ 0/3 Building CXX object CMakeFiles/kernel_Square_0.dir/src/Square_0.cpp.o
FAILED: CMakeFiles/kernel_Square_0.dir/src/Square_0.cpp.o
/usr/bin/g++ -c Square_0.cpp
first error
of two lines
ninja: build stopped: cannot make progress due to previous errors.
"""


def test_failures_carry_their_own_output_in_a_stable_order():
    found = ninja.failures(FAILED)
    assert [f.target for f in found] == ["kernel_Square_0", "kernel_Square_1"]
    assert found[0].text == "first error\nof two lines"
    assert found[1].text == "second error"


def test_progress_is_shown_without_our_mark():
    assert ninja.shown("@@ 3/7 g++ -c a.cpp") == "[3/7] g++ -c a.cpp"
    assert ninja.shown("@@ 3/7 ") == "[3/7] "
    assert ninja.shown("a.cpp:1:1: error: x") == "a.cpp:1:1: error: x"
