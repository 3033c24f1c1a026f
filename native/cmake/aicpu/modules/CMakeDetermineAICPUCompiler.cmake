# AICPU is compiled by the compiler of Ascend C. CMake includes this once for each build folder.
get_filename_component(_aicpu_root "${CMAKE_CURRENT_LIST_DIR}/../../../.." REALPATH)
if(NOT CMAKE_AICPU_COMPILER)
  if(CMAKE_ASC_COMPILER)
    set(CMAKE_AICPU_COMPILER "${CMAKE_ASC_COMPILER}")
  else()
    set(CMAKE_AICPU_COMPILER "${_aicpu_root}/bin/opkg-ascc")
  endif()
endif()
if(NOT EXISTS "${CMAKE_AICPU_COMPILER}")
  message(FATAL_ERROR "The compiler of Ascend C, CMAKE_AICPU_COMPILER, is not there: ${CMAKE_AICPU_COMPILER}")
endif()
set(CMAKE_AICPU_COMPILER_ENV_VAR "AICPU")
configure_file("${CMAKE_CURRENT_LIST_DIR}/CMakeAICPUCompiler.cmake.in"
               "${CMAKE_PLATFORM_INFO_DIR}/CMakeAICPUCompiler.cmake" @ONLY)
# It is the compiler of Ascend C, which is not tried a second time.
set(CMAKE_AICPU_COMPILER_WORKS 1)
