# find_package(AICPU): the language AICPU for project() and enable_language(), for functions of the device's own CPU
# (*.aicpu). They are compiled as Ascend C and run as functions of the program, on its streams.
if(NOT "${CMAKE_CURRENT_LIST_DIR}/modules" IN_LIST CMAKE_MODULE_PATH)
  list(APPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}/modules")
endif()
set(AICPU_FOUND TRUE)
