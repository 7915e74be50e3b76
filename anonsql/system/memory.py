"""Measure the peak memory of this process over a period of time, where the system can (Linux)."""

from __future__ import annotations

import re
from pathlib import Path

_RESET = "5"  # proc(5): set the peak resident set size to what it is now
_OWN = Path("/proc/self")


def forget_peak() -> bool:
    """Begin a new measurement; return False where the system cannot."""
    try:
        (_OWN / "clear_refs").write_text(_RESET)
    except OSError:
        return False
    return True


def peak() -> int | None:
    """Return the most bytes in memory since :func:`forget_peak`; None where unknown."""
    try:
        match = re.search(r"^VmHWM:\s+(\d+) kB", (_OWN / "status").read_text(), re.M)
    except OSError:
        return None
    return int(match[1]) * 1024 if match else None
