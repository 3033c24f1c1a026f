"""HardSwish for opkg. All there is to it is the built package in the folder `package` beside this file."""
