# OpenBLAS, from the wheel that NumPy's and SciPy's builds use. Its library is copied beside libopkg_twin, so that a
# toolkit tree or another machine needs nothing else; its wheel is no requirement at run time. Without it products are
# made by this library's own code, which is about half as fast.
find_package(Python COMPONENTS Interpreter)
if(Python_FOUND)
  execute_process(
    COMMAND ${Python_EXECUTABLE} -c "import importlib.util as u; print(u.find_spec('scipy_openblas32').submodule_search_locations[0], end='')"
    OUTPUT_VARIABLE OPKG_OPENBLAS_DIR ERROR_QUIET RESULT_VARIABLE OPKG_OPENBLAS_MISSING)
endif()
if(NOT Python_FOUND OR OPKG_OPENBLAS_MISSING)
  message(WARNING "scipy-openblas32 is not installed for ${Python_EXECUTABLE}: the twin's matrix products are made without a BLAS")
else()
  message(STATUS "OpenBLAS: ${OPKG_OPENBLAS_DIR}")
  install(FILES ${OPKG_OPENBLAS_DIR}/lib/libscipy_openblas.so DESTINATION ${OPKG_LIB_DIR})
  file(GLOB OPKG_OPENBLAS_LICENSE ${OPKG_OPENBLAS_DIR}/../scipy_openblas32-*.dist-info/licenses/LICENSE.txt)
  install(FILES ${OPKG_OPENBLAS_LICENSE} DESTINATION ${OPKG_NATIVE_DIR}/licenses RENAME openblas.txt)
endif()
