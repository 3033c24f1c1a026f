# Which program compiles ASC, and which C++ compiler it uses. CMake includes this once for each build folder.
get_filename_component(_asc_root "${CMAKE_CURRENT_LIST_DIR}/../../../.." REALPATH)

if(NOT CMAKE_ASC_COMPILER)
  if(NOT "$ENV{ASC}" STREQUAL "")
    set(CMAKE_ASC_COMPILER "$ENV{ASC}")
  else()
    set(CMAKE_ASC_COMPILER "${_asc_root}/bin/opkg-ascc")
  endif()
endif()
if(NOT EXISTS "${CMAKE_ASC_COMPILER}")
  message(FATAL_ERROR "The compiler of Ascend C, CMAKE_ASC_COMPILER, is not there: ${CMAKE_ASC_COMPILER}")
endif()

if(NOT CMAKE_ASC_HOST_COMPILER)
  if(CMAKE_CXX_COMPILER)
    set(CMAKE_ASC_HOST_COMPILER "${CMAKE_CXX_COMPILER}")
  elseif(NOT "$ENV{CXX}" STREQUAL "")
    set(CMAKE_ASC_HOST_COMPILER "$ENV{CXX}")
  else()
    find_program(_asc_host_compiler NAMES g++ clang++ c++)
    set(CMAKE_ASC_HOST_COMPILER "${_asc_host_compiler}")
    unset(_asc_host_compiler CACHE)
  endif()
endif()
if(NOT CMAKE_ASC_HOST_COMPILER)
  message(FATAL_ERROR "Ascend C needs a C++ compiler: install g++ 11 or clang 14, or newer, or set CXX")
endif()

execute_process(
  COMMAND "${CMAKE_ASC_COMPILER}" --version
  RESULT_VARIABLE _asc_result
  OUTPUT_VARIABLE _asc_version
  ERROR_VARIABLE _asc_error
  OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT _asc_result EQUAL 0)
  message(FATAL_ERROR "The compiler of Ascend C does not run: ${CMAKE_ASC_COMPILER}\n${_asc_result} ${_asc_error}")
endif()
string(REGEX REPLACE "^.* " "" CMAKE_ASC_COMPILER_VERSION "${_asc_version}")
set(CMAKE_ASC_COMPILER_ID "opkg")
message(STATUS "The ASC compiler is opkg ${CMAKE_ASC_COMPILER_VERSION}: ${CMAKE_ASC_COMPILER}, over ${CMAKE_ASC_HOST_COMPILER}")

find_program(CMAKE_AR NAMES ar)
find_program(CMAKE_RANLIB NAMES ranlib)
mark_as_advanced(CMAKE_AR CMAKE_RANLIB)
set(CMAKE_ASC_COMPILER_ENV_VAR "ASC")
configure_file("${CMAKE_CURRENT_LIST_DIR}/CMakeASCCompiler.cmake.in" "${CMAKE_PLATFORM_INFO_DIR}/CMakeASCCompiler.cmake" @ONLY)
