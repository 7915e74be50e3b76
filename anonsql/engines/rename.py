"""The rename that publishes a release in files: a finished file or folder takes the place of the
previous one in one step, and is on disk when that is done."""

from __future__ import annotations

import ctypes
import os
import stat
from pathlib import Path

from anonsql.errors import PolicyError
from anonsql.system.database_files import require_replaceable


def replace_file(built: Path, target: Path, mode: int) -> None:
    """Move ``built`` over ``target`` atomically and sync it to disk; it keeps the old file's mode,
    or gets ``mode``."""
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else mode
    descriptor = os.open(built, os.O_RDONLY)
    try:
        os.fchmod(descriptor, mode)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    require_replaceable(target, "release")
    built.replace(target)
    _sync(target.parent)


def replace_folder(built: Path, target: Path, mode: int) -> None:
    """Replace ``target`` by the folder ``built`` in one step and sync it to disk; ``built`` is the
    old folder then. Raise PolicyError where the system cannot exchange folders."""
    old = next(target.iterdir(), None) if target.exists() else None
    for file in built.iterdir():
        file.chmod(stat.S_IMODE(old.stat().st_mode) if old else mode)
        _sync(file)
    built.chmod(
        stat.S_IMODE(target.stat().st_mode) if target.exists() else mode | (mode & 0o444) >> 2
    )
    _sync(built)
    if not target.exists():
        built.rename(target)
    elif not _exchange(built, target):
        remedy = "Name a file that ends in .parquet, or another place."
        raise PolicyError.at(
            "release.file",
            f"two folders cannot be swapped in one step in {target.parent}.",
            remedy,
        )
    _sync(target.parent)


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two folders atomically: renameat2 on Linux, renamex_np on macOS."""
    library = ctypes.CDLL(None, use_errno=True)
    working_folder, exchange = -100, 2  # AT_FDCWD; RENAME_EXCHANGE and RENAME_SWAP are both 2
    first, second = os.fsencode(one), os.fsencode(other)
    if hasattr(library, "renameat2"):
        return bool(library.renameat2(working_folder, first, working_folder, second, exchange) == 0)
    if hasattr(library, "renamex_np"):
        return bool(library.renamex_np(first, second, exchange) == 0)
    return False


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
