# Operator projects are built by `opkg build`, which reads their sources and needs no CMakeLists.txt.
foreach(_asc_function IN ITEMS npu_op_code_gen npu_op_device_tiling_library npu_op_kernel_library npu_op_kernel_options
                               npu_op_kernel_sources npu_op_library npu_op_package npu_op_package_add)
  if(NOT COMMAND ${_asc_function})
    # A macro per name: CMake has no other way to define a command whose name is in a variable.
    file(WRITE "${CMAKE_BINARY_DIR}/CMakeFiles/opkg/${_asc_function}.cmake"
         "macro(${_asc_function})\n  message(FATAL_ERROR \"${_asc_function}: type 'opkg build ${CMAKE_SOURCE_DIR}'; it builds operator projects and their packages\")\nendmacro()\n")
    include("${CMAKE_BINARY_DIR}/CMakeFiles/opkg/${_asc_function}.cmake")
  endif()
endforeach()
