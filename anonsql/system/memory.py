"""The most memory that this process held, as far as the system tells it for a stretch of time
(Linux does)."""

from __future__ import annotations

import re
from pathlib import Path

_RESET = "5"  # proc(5): set the peak resident set size to what it is now
_OWN = Path("/proc/self")


def forget_peak() -> bool:
    """Begin to measure anew; False where the system cannot."""
    try:
        (_OWN / "clear_refs").write_text(_RESET)
    except OSError:
        return False
    return True


def peak() -> int | None:
    """Return the most bytes that lay in memory since :func:`forget_peak`."""
    try:
        found = re.search(r"^VmHWM:\s+(\d+) kB", (_OWN / "status").read_text(), re.M)
    except OSError:
        return None
    return int(found[1]) * 1024 if found else None
