# find_package(AICPU): kernels for the device's own CPU, which opkg does not build.
set(AICPU_FOUND FALSE)
set(AICPU_NOT_FOUND_MESSAGE "opkg has no AI CPU kernels; their sources (*.aicpu) need the vendor's toolkit")
