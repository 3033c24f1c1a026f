from pathlib import PurePosixPath

from opkg.build.diagnostics import Diagnostic, diagnostics


def read(text):
    def own(path):
        return path.startswith("/p/")

    def show(path):
        return str(PurePosixPath(path).relative_to("/p")) if own(path) else path

    return diagnostics(text, show, own)


def test_errors_of_the_users_files_come_first_and_once():
    text = """\
In file included from /g/Square_0.cpp:9:
/usr/include/vector:5:1: error: bad vector
/p/op_kernel/square.cpp: In function 'void square()':
/p/op_kernel/square.cpp:30:5: error: 'Foo' was not declared in this scope
   30 |     Foo();
      |     ^~~
/p/op_kernel/square.cpp:12:7: error: expected ';' before 'x'
/p/op_kernel/square.cpp:30:5: error: 'Foo' was not declared in this scope
/p/op_kernel/square.cpp:31:5: warning: unused variable 'y'
"""
    assert [str(d) for d in read(text)] == [
        "op_kernel/square.cpp:12:7: error: expected ';' before 'x'",
        "op_kernel/square.cpp:30:5: error: 'Foo' was not declared in this scope",
        "/usr/include/vector:5:1: error: bad vector",
    ]


def test_a_missing_header_is_an_error():
    (found,) = read(
        "/p/op_host/a.cpp:3:10: fatal error: no_such.h: No such file or directory\ncompilation terminated.\n"
    )
    assert str(found) == "op_host/a.cpp:3:10: error: no_such.h: No such file or directory"


def test_an_error_inside_a_template_of_opkg_is_laid_to_the_users_line():
    text = """\
/o/twin/binary.h: In instantiation of 'void AscendC::Add(...)':
/p/op_kernel/square.cpp:41:15:   required from here
/o/twin/binary.h:88:9: error: static assertion failed: Add takes no int8_t
"""
    (found,) = read(text)
    assert found == Diagnostic(
        False, "op_kernel/square.cpp", 41, 15, "static assertion failed: Add takes no int8_t", "/o/twin/binary.h:88"
    )
    assert str(found).endswith("[in /o/twin/binary.h:88]")


def test_of_the_users_lines_that_lead_to_an_error_the_innermost_counts():
    text = """\
/o/twin/unary.h: In instantiation of 'void AscendC::Abs(...)':
/p/op_kernel/square.cpp:12:9:   required from 'void Other<T>::Compute(...)'
/p/op_kernel/square.cpp:40:15:   required from here
/o/twin/unary.h:20:9: warning: unused
/o/twin/unary.h: In instantiation of 'void AscendC::Exp(...)':
/o/twin/pipe.h:7:9:   required from 'void each(...)'
/p/op_kernel/square.cpp:79:21:   required from 'void Kernel<T>::Compute(...)'
/p/op_kernel/square.cpp:100:19:   required from here
/o/twin/unary.h:44:9: error: static assertion failed: Exp takes no int32_t
"""
    assert [(d.file, d.line) for d in read(text)] == [("op_kernel/square.cpp", 79)]


def test_clang_says_afterwards_who_asked_for_a_template():
    text = """\
/o/twin/binary.h:88:9: error: static assertion failed: Add takes no int8_t
/p/op_kernel/square.cpp:41:15: note: in instantiation of function template specialization 'Add<int8_t>' requested here
"""
    assert [(d.file, d.line) for d in read(text)] == [("op_kernel/square.cpp", 41)]


def test_undefined_symbols():
    text = """\
/usr/bin/ld: CMakeFiles/host.dir/p/op_host/a.cpp.o: in function `optiling::Tiling(gert::TilingContext*)':
a.cpp:(.text+0x15): undefined reference to `helper(int)'
collect2: error: ld returned 1 exit status
"""
    assert [str(d) for d in read(text)] == ["a.cpp: error: undefined reference to 'helper(int)'"]


def test_other_errors_of_the_linker():
    assert [str(d) for d in read("/usr/bin/ld: cannot find -lnope\ncollect2: error: ld returned 1 exit status\n")] == [
        "error: cannot find -lnope"
    ]


def test_output_without_an_error():
    assert read("g++: internal compiler error: Killed\n") == ()
