"""Hook specifications, the dataclasses hooks return, and the plugin manager."""
