"""Files around a DuckDB run: check that they can be read, whether they have changed, and put one in
another's place."""

from __future__ import annotations

import ctypes
import os
import stat
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from anonsql.errors import BusyError, PolicyError
from anonsql.system import text_files

_AT_ONCE = 1 << 20
_SQLITE = b"SQLite format 3\0"


@dataclass(frozen=True)
class Signature:
    """A file's identity, size and time of change: if one of them differs, the content is taken to
    have changed."""

    path: Path
    inode: int
    size: int
    modified_ns: int


def signature(path: Path) -> Signature:
    """Return the signature of a file as it is now."""
    status = path.stat()
    return Signature(path, status.st_ino, status.st_size, status.st_mtime_ns)


def changed(before: Signature) -> bool:
    """Return whether a file has gone or changed since its signature was taken."""
    try:
        return signature(before.path) != before
    except OSError:
        return True


def require_readable(
    path: Path, where: str, remedy: str = "Check the path; it is relative to the policy's folder."
) -> None:
    """Raise PolicyError unless ``path`` is a file that can be read."""
    text_files.require_path(path, where)
    if not path.exists():
        raise PolicyError.at(where, f"{path} does not exist.", remedy)
    if not path.is_file():
        raise PolicyError.at(where, f"{path} is not a file.", "Name a file.")
    try:
        path.open("rb").close()
    except OSError as error:
        raise PolicyError.at(
            where, f"{path} cannot be read: {error.strerror}.", "Mend its permissions."
        ) from None


def is_database(path: Path) -> bool:
    """Return whether a file is a DuckDB database, by its magic bytes. One that cannot be read is
    none."""
    try:
        with path.open("rb") as file:
            return file.read(12)[8:] == b"DUCK"
    except OSError:
        return False


def is_sqlite(path: Path) -> bool:
    """Return whether a file is a SQLite database, by its magic bytes; an empty file is one, too."""
    try:
        with path.open("rb") as file:
            begins = file.read(len(_SQLITE))
    except OSError:
        return False
    return begins in (b"", _SQLITE)


def same_bytes(one: Path, other: Path, aside: Sequence[slice] = ()) -> bool:
    """Return whether two files have the same bytes, but for some within the first MB."""
    with one.open("rb") as first, other.open("rb") as second:
        while True:
            left, right = bytearray(first.read(_AT_ONCE)), bytearray(second.read(_AT_ONCE))
            for part in aside:
                left[part] = right[part]
            if left != right:
                return False
            if not left:
                return True
            aside = ()


def require_distinct(names: Sequence[str]) -> None:
    """Raise PolicyError when two columns share a name, in whatever case, or one has none: they
    could not be told apart."""
    seen = Counter(name.lower() for name in names)
    twice = sorted({name for name in names if seen[name.lower()] > 1})
    if twice:
        raise PolicyError.at(
            "source.file",
            f"columns share a name: {', '.join(twice)}.",
            "Rename them; case does not count.",
        )
    if any(not name.strip() for name in names):
        raise PolicyError.at(
            "source.file",
            "a column has no name.",
            "Give the file a header line that names every column.",
        )


def require_replaceable(target: Path, where: str = "release.database") -> None:
    """Raise an error unless ``target`` does not exist, or is a file that no process is writing."""
    if target.exists() and not target.is_file():
        raise PolicyError.at(where, f"{target} is not a file.", "Name a file, e.g. release.duckdb.")
    if Path(f"{target}.wal").exists():
        raise BusyError(
            f"{target} is open for writing somewhere, or holds changes not yet checkpointed. Close"
            " it first."
        )


def replace_durably(built: Path, target: Path, mode: int) -> None:
    """Move ``built`` over ``target`` atomically and sync it to disk; it keeps the old file's mode,
    or gets ``mode``."""
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else mode
    descriptor = os.open(built, os.O_RDONLY)
    try:
        os.fchmod(descriptor, mode)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    require_replaceable(target)
    built.replace(target)
    _sync(target.parent)


def replace_folder(built: Path, target: Path, mode: int) -> None:
    """Put the folder ``built`` in the place of ``target`` in one step and sync it to disk;
    ``built`` is the old folder then. Raise PolicyError where the system cannot exchange folders."""
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
            f"two folders cannot be exchanged in one step in {target.parent}.",
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
