# Libraries of kernels for projects whose program is plain C++ (kernel-launch projects):
#
#   ascendc_library(<target> SHARED|STATIC <source>...)
#   ascendc_fatbin_library(<target> <source>...)
#   ascendc_include_directories(<target> PRIVATE|PUBLIC|INTERFACE <dir>...)
#   ascendc_compile_options(<target> PRIVATE|PUBLIC|INTERFACE <option>...)
#   ascendc_compile_definitions(<target> PRIVATE|PUBLIC|INTERFACE <definition>...)
#
# A program that links such a library includes aclrtlaunch_<kernel>.h and calls ACLRT_LAUNCH_KERNEL(<kernel>)(...), or
# functions in which the library itself launches. It links host_intf_pub for AscendCL. SOC_VERSION names the chip.
include_guard(GLOBAL)
get_filename_component(ASCENDC_ROOT "${CMAKE_CURRENT_LIST_DIR}" REALPATH) # a toolkit has links to this folder
get_filename_component(ASCENDC_ROOT "${ASCENDC_ROOT}/../../.." ABSOLUTE)
find_package(ASC REQUIRED CONFIG PATHS "${ASCENDC_ROOT}/share/cmake/ASC" NO_DEFAULT_PATH)

# The program keeps its own compiler for linking.
set(OPKG_ASC_LINKER_PREFERENCE 1)
enable_language(ASC)

if(EXISTS "${ASCENDC_ROOT}/include/kernel_operator.h")
  set(ASCENDC_INCLUDE_DIRS "${ASCENDC_ROOT}/include")
else()
  set(ASCENDC_INCLUDE_DIRS)
  foreach(folder IN ITEMS include/ascendc include/host include)
    if(EXISTS "${ASCENDC_ROOT}/${folder}/")
      list(APPEND ASCENDC_INCLUDE_DIRS "${ASCENDC_ROOT}/${folder}")
    endif()
  endforeach()
endif()

add_library(host_intf_pub INTERFACE)
target_include_directories(host_intf_pub SYSTEM INTERFACE ${ASCENDC_INCLUDE_DIRS})
target_compile_definitions(host_intf_pub INTERFACE OPKG_NO_CPU_DEBUG=1)
target_link_directories(host_intf_pub INTERFACE "${ASC_LIBRARY_DIR}")
target_link_libraries(host_intf_pub INTERFACE "${ASC_LIBRARY_DIR}/libascendcl.so" "${ASC_LIBRARY_DIR}/libopkg_twin.so")

# What every kind of kernel library has: how its sources are compiled, and headers for those who launch its kernels.
function(_ascendc_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES")
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "${target}: a library of kernels needs sources")
  endif()
  set_source_files_properties(${arg_SOURCES} PROPERTIES LANGUAGE ASC)
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE ASC POSITION_INDEPENDENT_CODE ON)
  set(chip)
  if(SOC_VERSION)
    set(chip "--npu-soc=${SOC_VERSION}")
  endif()
  target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:ASC>:--no-cpu-debug;--launchers;${chip}>")
  target_link_libraries(${target} PUBLIC host_intf_pub)

  set(headers "${CMAKE_CURRENT_BINARY_DIR}/include/${target}")
  file(MAKE_DIRECTORY "${headers}")
  set(includes "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
  set(definitions "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
  set(stamps)
  set(index 0)
  foreach(source IN LISTS arg_SOURCES)
    get_filename_component(path "${source}" ABSOLUTE)
    math(EXPR index "${index} + 1")
    set(stamp "${headers}/.${index}.stamp")
    set(depfile)
    if(CMAKE_GENERATOR MATCHES "Ninja" OR NOT CMAKE_VERSION VERSION_LESS 3.21)
      set(depfile DEPFILE "${stamp}.d")
    endif()
    file(RELATIVE_PATH named "${CMAKE_BINARY_DIR}" "${stamp}")
    add_custom_command(
      OUTPUT "${stamp}"
      COMMAND
        "${CMAKE_ASC_COMPILER}" "--host-compiler=${CMAKE_ASC_HOST_COMPILER}" --no-cpu-debug ${chip}
        "--launch-headers=${headers}" "$<$<BOOL:${includes}>:-I$<JOIN:${includes},;-I>>"
        "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>" -MD -MF "${stamp}.d" -MT "${named}" -x asc "${path}"
      COMMAND "${CMAKE_COMMAND}" -E touch "${stamp}"
      DEPENDS "${path}" ${depfile}
      COMMENT "Headers for launching the kernels of ${source}"
      COMMAND_EXPAND_LISTS VERBATIM)
    list(APPEND stamps "${stamp}")
  endforeach()
  add_custom_target(${target}_launch_headers DEPENDS ${stamps})
  add_dependencies(${target} ${target}_launch_headers)
  target_include_directories(${target} INTERFACE "${headers}")
endfunction()

function(ascendc_library target kind)
  if(NOT kind MATCHES "^(SHARED|STATIC|OBJECT)$")
    message(FATAL_ERROR "ascendc_library(${target} ...): the second argument is SHARED or STATIC, not '${kind}'")
  endif()
  add_library(${target} ${kind} ${ARGN})
  _ascendc_kernels(${target} SOURCES ${ARGN})
  if(NOT kind STREQUAL "OBJECT")
    install(TARGETS ${target} LIBRARY DESTINATION lib ARCHIVE DESTINATION lib)
  endif()
endfunction()

# Kernels that a program loads by itself (aclrtBinaryLoadFromFile): a file <target>.o that can be loaded.
function(ascendc_fatbin_library target)
  add_library(${target} MODULE ${ARGN})
  _ascendc_kernels(${target} SOURCES ${ARGN})
  set_target_properties(${target} PROPERTIES PREFIX "" SUFFIX ".o")
  install(TARGETS ${target} LIBRARY DESTINATION fatbin/${target})
endfunction()

macro(ascendc_include_directories target)
  target_include_directories(${target} ${ARGN})
endmacro()

macro(ascendc_compile_options target)
  target_compile_options(${target} ${ARGN})
endmacro()

function(ascendc_compile_definitions target scope)
  set(definitions)
  foreach(definition IN LISTS ARGN)
    string(REGEX REPLACE "^-D" "" definition "${definition}")
    list(APPEND definitions "${definition}")
  endforeach()
  target_compile_definitions(${target} ${scope} ${definitions})
endfunction()
