# find_package(ASC): the language ASC for project() and enable_language(). What follows is read when the language is
# enabled, so set it before, or with -D:
#
#   CMAKE_ASC_ARCHITECTURES   what programs are compiled for: dav-2201 (default), dav-3510, dav-2002, ...
#   CMAKE_ASC_RUN_MODE        cpu (default); npu and sim are accepted and mean the same
#   CMAKE_ASC_CHECK           ON: the twin's check build, which reports bounds, alignment, races, missing synchronisation
#   CMAKE_ASC_STANDARD        the C++ standard, 17 unless given
#   CMAKE_ASC_HOST_COMPILER   g++ or clang++; else the compiler of CXX
#   CMAKE_ASC_COMPILER_LAUNCHER, CMAKE_ASC_LINKER_LAUNCHER, CMAKE_ASC_FLAGS and its configurations, as for other languages
get_filename_component(ASC_ROOT "${CMAKE_CURRENT_LIST_DIR}/../../.." REALPATH)
if(EXISTS "${ASC_ROOT}/lib64")
  set(ASC_LIBRARY_DIR "${ASC_ROOT}/lib64")
else()
  set(ASC_LIBRARY_DIR "${ASC_ROOT}/lib")
endif()
if(NOT "${CMAKE_CURRENT_LIST_DIR}/modules" IN_LIST CMAKE_MODULE_PATH)
  list(APPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}/modules")
endif()
include("${CMAKE_CURRENT_LIST_DIR}/ASCOperators.cmake")
