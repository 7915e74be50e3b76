"""Where tests put their files: in memory, where the system offers room for it.

A small job syncs some twenty files; on a disk that is a fifth of its time, and no test is about a disk. $PYTEST_DEBUG_TEMPROOT
set by hand is left as it is.
"""

from __future__ import annotations

import os
import shutil
from functools import cache
from pathlib import Path

_MEMORY = Path("/dev/shm")
_ROOM = 4 * 2**30
_VARIABLE = "PYTEST_DEBUG_TEMPROOT"


@cache
def root():
    """A folder for files that need not outlive the tests."""
    there = _MEMORY.is_dir() and os.access(_MEMORY, os.W_OK)
    return _MEMORY if there and shutil.disk_usage(_MEMORY).free >= _ROOM else Path("/tmp")


def begin():
    """Let pytest make its folders there."""
    os.environ.setdefault(_VARIABLE, str(root()))
