"""The native half: extension modules, and the headers and libraries that packages are built against."""
