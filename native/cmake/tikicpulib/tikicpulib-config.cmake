# find_package(tikicpulib): a target for each chip, such as tikicpulib::Ascend910B1, for kernels and programs that are
# compiled by the C++ compiler itself and launch with ICPU_RUN_KF.
get_filename_component(_tikicpulib_here "${CMAKE_CURRENT_LIST_DIR}" REALPATH) # a toolkit has links to this folder
get_filename_component(_tikicpulib_root "${_tikicpulib_here}/../../.." ABSOLUTE)
if(EXISTS "${_tikicpulib_root}/lib64")
  set(_tikicpulib_lib "${_tikicpulib_root}/lib64")
else()
  set(_tikicpulib_lib "${_tikicpulib_root}/lib")
endif()

file(STRINGS "${_tikicpulib_root}/include/opkg/soc_table.h" _tikicpulib_rows REGEX "^ *{\"Ascend")
foreach(_tikicpulib_row IN LISTS _tikicpulib_rows)
  string(REGEX MATCH "{\"([^\"]+)\", \"([^\"]+)\", \"[^\"]+\", ([0-9]+), ([0-9]+)" _ "${_tikicpulib_row}")
  # The family's name stands for its first chip.
  foreach(_tikicpulib_chip IN ITEMS "${CMAKE_MATCH_1}" "${CMAKE_MATCH_2}")
    if(TARGET tikicpulib::${_tikicpulib_chip})
      continue()
    endif()
    add_library(tikicpulib::${_tikicpulib_chip} INTERFACE IMPORTED)
    set(_tikicpulib_definitions ASCENDC_CPU_DEBUG=1 __CCE_KT_TEST__=1 __NPU_ARCH__=${CMAKE_MATCH_3} __CCE_AICORE__=${CMAKE_MATCH_4})
    set(_tikicpulib_options -ffp-contract=off -fno-strict-aliasing)
    if(CMAKE_MATCH_3 EQUAL 2201)
      list(APPEND _tikicpulib_definitions __DAV_C220__=1)
    endif()
    if(CMAKE_ASC_CHECK)
      list(APPEND _tikicpulib_definitions OPKG_TWIN_CHECK=1)
      # Findings name lines, and the calls that led there. Of version 5 many an addr2line takes the first header for the file.
      list(APPEND _tikicpulib_options -g -gdwarf-4 -fno-omit-frame-pointer -fno-optimize-sibling-calls)
    endif()
    set(_tikicpulib_includes)
    foreach(_tikicpulib_folder IN ITEMS include/ascendc include/host include)
      if(EXISTS "${_tikicpulib_root}/${_tikicpulib_folder}/")
        list(APPEND _tikicpulib_includes "${_tikicpulib_root}/${_tikicpulib_folder}")
      endif()
    endforeach()
    if(EXISTS "${_tikicpulib_root}/include/kernel_operator.h")
      set(_tikicpulib_includes "${_tikicpulib_root}/include")
    endif()
    set_target_properties(
      tikicpulib::${_tikicpulib_chip}
      PROPERTIES INTERFACE_COMPILE_DEFINITIONS "${_tikicpulib_definitions}"
                 INTERFACE_COMPILE_OPTIONS "${_tikicpulib_options}"
                 INTERFACE_INCLUDE_DIRECTORIES "${_tikicpulib_includes}"
                 INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${_tikicpulib_includes}"
                 INTERFACE_LINK_DIRECTORIES "${_tikicpulib_lib}"
                 INTERFACE_LINK_LIBRARIES "${_tikicpulib_lib}/libopkg_twin.so;${_tikicpulib_lib}/libascendcl.so")
  endforeach()
endforeach()
set(tikicpulib_FOUND TRUE)
