"""`python -m opkg`."""

import sys

from opkg.cli import main

if __name__ == "__main__":
    sys.exit(main())
