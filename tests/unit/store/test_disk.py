"""What the store writes is all there, or an error."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

_PROGRAM = """
import resource, signal, sys
from pathlib import Path
from opkg.store.disk import Disk

signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (1_500_000, 1_500_000))
try:
    Disk().write_file(Path(sys.argv[1]), [bytes(1 << 20), bytes(1 << 20)])
except OSError as error:
    print(error.strerror)
"""


def test_a_file_that_room_is_left_for_a_part_of_is_an_error(tmp_path: Path) -> None:
    """The last write takes what fits, as on a full disk; only the next one would fail."""
    words = [sys.executable, "-c", _PROGRAM, str(tmp_path / "file")]
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout == "File too large\n"
