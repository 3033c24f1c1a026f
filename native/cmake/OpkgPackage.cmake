# How the libraries of an operator package are compiled. `opkg build` writes a CMakeLists.txt that sets the variables
# below, includes this file and calls its functions.
#
#   OPKG_INCLUDE_DIR    headers of opkg
#   OPKG_LIB_DIR        libraries of opkg
#   OPKG_MARCH          instruction set of kernels, as -march takes it; empty for the compiler's own
#   OPKG_CHIP           definitions that say which chip kernels are compiled for
#   OPKG_CHECK          ON: kernels with the twin's checks
#   OPKG_PREFIX_MAPS    from=to pairs that keep folders of this machine out of the libraries
#   OPKG_HEADERS_ID     digest of opkg's headers: on every command line, so that new headers recompile everything
#   OPKG_CXX_FLAGS      further flags for everything (CXXFLAGS)
#   OPKG_LINK_FLAGS     further flags for linking (LDFLAGS)
include_guard(GLOBAL)

set(CMAKE_BUILD_TYPE "")
set(CMAKE_CXX_FLAGS "")
set(CMAKE_MODULE_LINKER_FLAGS "")
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_SKIP_RPATH ON)
set(CMAKE_CXX_SCAN_FOR_MODULES OFF)

add_library(opkg_common INTERFACE)
target_compile_definitions(opkg_common INTERFACE NDEBUG OPKG_HEADERS_ID=0x${OPKG_HEADERS_ID})
target_compile_options(opkg_common INTERFACE ${OPKG_CXX_FLAGS})
foreach(map IN LISTS OPKG_PREFIX_MAPS)
  target_compile_options(opkg_common INTERFACE "-ffile-prefix-map=${map}")
endforeach()
# A symbol that nobody defines is found when the library is linked, not when it is loaded.
target_link_options(opkg_common INTERFACE ${OPKG_LINK_FLAGS} -Wl,-z,defs -Wl,--build-id=none)

add_library(opkg_host_flags INTERFACE)
target_compile_options(opkg_host_flags INTERFACE -O2)
target_include_directories(opkg_host_flags SYSTEM INTERFACE ${OPKG_INCLUDE_DIR}/host ${OPKG_INCLUDE_DIR})
target_link_libraries(opkg_host_flags INTERFACE opkg_common ${OPKG_LIB_DIR}/libopkg_host.so.1)

add_library(opkg_kernel_flags INTERFACE)
if(OPKG_CHECK)
  # Findings name lines, and the calls that led there. Of version 5 many an addr2line takes the first header for the file.
  target_compile_options(
    opkg_kernel_flags INTERFACE -O1 -g -gdwarf-4 -fno-omit-frame-pointer -fno-optimize-sibling-calls
  )
  target_compile_definitions(opkg_kernel_flags INTERFACE OPKG_TWIN_CHECK=1)
else()
  target_compile_options(opkg_kernel_flags INTERFACE -O3)
endif()
target_compile_definitions(opkg_kernel_flags INTERFACE ${OPKG_CHIP})
if(OPKG_MARCH)
  target_compile_options(opkg_kernel_flags INTERFACE -march=${OPKG_MARCH})
endif()
target_include_directories(opkg_kernel_flags SYSTEM INTERFACE ${OPKG_INCLUDE_DIR}/ascendc ${OPKG_INCLUDE_DIR})
target_link_libraries(opkg_kernel_flags INTERFACE opkg_common ${OPKG_LIB_DIR}/libopkg_twin.so.1)

add_custom_target(opkg_host)

# opkg_library(<target> <file name without .so> <output directory>): names that depend on nothing but the package.
function(opkg_library target name directory)
  set_target_properties(${target} PROPERTIES PREFIX "" SUFFIX ".so" OUTPUT_NAME ${name}
                                             LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/${directory})
endfunction()

# opkg_last_options(<target> <scope> <library> <options>): links the library, and adds options that stand behind the
# library's own on the command line, so that a project's -O0 is heeded. Options of a target itself would come first.
function(opkg_last_options target scope library options)
  add_library(${target}_options INTERFACE)
  target_compile_options(${target}_options INTERFACE ${options})
  target_link_libraries(${target} ${scope} ${library} ${target}_options)
endfunction()

# opkg_host_library(SOURCES <file>... [INCLUDES <dir>...] [OPTIONS <flag>...])
function(opkg_host_library)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "SOURCES;INCLUDES;OPTIONS")
  add_library(host MODULE ${arg_SOURCES})
  target_include_directories(host PRIVATE ${arg_INCLUDES})
  opkg_last_options(host PRIVATE opkg_host_flags "${arg_OPTIONS}")
  opkg_library(host libcust_opmaster_rt2.0 host)
  add_dependencies(opkg_host host)
endfunction()

# opkg_kernel_group(<group> HEADERS <header>... [INCLUDES <dir>...] [OPTIONS <flag>...])
# Kernels with the same options share the precompiled headers of their group.
function(opkg_kernel_group group)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "HEADERS;INCLUDES;OPTIONS")
  file(WRITE ${CMAKE_BINARY_DIR}/${group}.cpp.new "")
  file(COPY_FILE ${CMAKE_BINARY_DIR}/${group}.cpp.new ${CMAKE_BINARY_DIR}/${group}.cpp ONLY_IF_DIFFERENT)
  add_library(${group}_flags INTERFACE)
  target_include_directories(${group}_flags INTERFACE ${arg_INCLUDES})
  opkg_last_options(${group}_flags INTERFACE opkg_kernel_flags "${arg_OPTIONS}")
  add_library(${group} OBJECT ${CMAKE_BINARY_DIR}/${group}.cpp)
  target_link_libraries(${group} PRIVATE ${group}_flags)
  target_precompile_headers(${group} PRIVATE ${arg_HEADERS})
  add_dependencies(opkg_host ${group})
endfunction()

# opkg_kernel(<target> <group> <generated source> <file name without .so> <directory>)
function(opkg_kernel target group source name directory)
  set_source_files_properties(${source} PROPERTIES GENERATED TRUE)
  add_library(${target} MODULE ${source})
  target_link_libraries(${target} PRIVATE ${group}_flags)
  target_precompile_headers(${target} REUSE_FROM ${group})
  opkg_library(${target} ${name} ${directory})
endfunction()
