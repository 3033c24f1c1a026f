from opkg.build.columns import columns_of
from opkg.opinfo import OpInfo, Param


def op(inputs, outputs):
    return OpInfo("AddCustom", tuple(inputs), tuple(outputs))


def test_macros_of_each_column():
    x = Param("x", "required", ("float16", "float32"), ("ND", "NCHW"))
    y = Param("y", "required", ("float16", "int32"), ("ND", "ND"))
    first, second = columns_of(op([x], [y]))
    assert first.macros == (
        ("DTYPE_X", "half"),
        ("ORIG_DTYPE_X", "DT_FLOAT16"),
        ("FORMAT_X", "FORMAT_ND"),
        ("DTYPE_Y", "half"),
        ("ORIG_DTYPE_Y", "DT_FLOAT16"),
        ("FORMAT_Y", "FORMAT_ND"),
    )
    assert dict(second.macros)["DTYPE_X"] == "float"
    assert dict(second.macros)["FORMAT_X"] == "FORMAT_NCHW"
    assert dict(second.macros)["ORIG_DTYPE_Y"] == "DT_INT32"
    assert (first.stem, second.stem) == ("AddCustom_0", "AddCustom_1")


def test_an_output_that_is_named_as_an_input_is_ref():
    x = Param("x", "required", ("bfloat16",), ("ND",))
    (column,) = columns_of(op([x], [x]))
    assert [name for name, _ in column.macros if name.startswith("DTYPE")] == ["DTYPE_X", "DTYPE_X_REF"]


def test_a_dtype_without_a_kernel_type_has_no_c_name():
    x = Param("x", "required", ("string",), ("ND",))
    (column,) = columns_of(op([x], []))
    assert column.macros == (("ORIG_DTYPE_X", "DT_STRING"), ("FORMAT_X", "FORMAT_ND"))


def test_titles_name_dtypes_and_formats_that_are_not_nd():
    x = Param("x", "required", ("float16",), ("NC1HWC0",))
    y = Param("y", "required", ("float32",), ("ND",))
    (column,) = columns_of(op([x], [y]))
    assert column.title == "AddCustom column 0 (x float16 NC1HWC0, y float32)"
