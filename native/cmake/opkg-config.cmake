# find_package(opkg): for Python distributions that carry operators. opkg.paths.cmake_dir() says where this file is.
#
# opkg_add_package(<target> PROJECT <dir> DESTINATION <dir> [MARCH <level>])
#   PROJECT      an operator project, relative to the current source directory
#   DESTINATION  where in the installation the folder `package` comes
#   MARCH        instruction set of kernels, as `opkg build --march` takes it
# builds the project whenever the target is built (what has not changed is not compiled again) and installs the package.
if(NOT DEFINED Python_EXECUTABLE)
  find_package(Python REQUIRED COMPONENTS Interpreter)
endif()

function(opkg_add_package target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PROJECT;DESTINATION;MARCH" "")
  foreach(needed PROJECT DESTINATION)
    if(NOT arg_${needed})
      message(FATAL_ERROR "opkg_add_package(${target}): ${needed} is missing")
    endif()
  endforeach()
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "opkg_add_package(${target}): unknown arguments ${arg_UNPARSED_ARGUMENTS}")
  endif()
  get_filename_component(project "${arg_PROJECT}" ABSOLUTE)
  set(out "${CMAKE_CURRENT_BINARY_DIR}/${target}")
  set(options)
  if(arg_MARCH)
    set(options --march "${arg_MARCH}")
  endif()
  add_custom_target(
    ${target} ALL
    COMMAND "${Python_EXECUTABLE}" -m opkg build "${project}" --out "${out}" ${options}
    VERBATIM)
  install(DIRECTORY "${out}/package" DESTINATION "${arg_DESTINATION}")
endfunction()
