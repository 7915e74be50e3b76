"""Files around a run: what they are, whether they can be read or replaced, and whether they have
changed."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from anonsql.errors import RELATIVE_PATH, BusyError, PolicyError
from anonsql.system import text_files

_SQLITE = b"SQLite format 3\0"


@dataclass(frozen=True)
class Signature:
    """A file's identity, size and time of change, by which a change of content is seen."""

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


def require_readable(path: Path, where: str, remedy: str = RELATIVE_PATH) -> None:
    """Raise PolicyError at ``where`` unless ``path`` is a file that can be read."""
    text_files.require_path(path, where)
    if not path.exists():
        raise PolicyError.at(where, f"{path} does not exist.", remedy)
    if not path.is_file():
        raise PolicyError.at(where, f"{path} is not a file.", "Name a file.")
    try:
        path.open("rb").close()
    except OSError as error:
        raise PolicyError.at(
            where, f"{path} cannot be read: {error.strerror}.", "Change its permissions."
        ) from None


def is_database(path: Path) -> bool:
    """Return whether a readable file is a DuckDB database, by its magic bytes."""
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


def holds_tables(path: Path) -> bool:
    """Return whether a path is a file that is a database of DuckDB or SQLite, with something in it;
    not where that cannot be read. A pipe is not read, as what is read of it is gone."""
    try:
        there = path.is_file() and path.stat().st_size > 0
        return there and (is_database(path) or is_sqlite(path))
    except OSError:
        return False


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def require_replaceable(target: Path, where: str) -> None:
    """Raise an error unless ``target`` does not exist, or is a file that no process is writing."""
    if target.exists() and not target.is_file():
        raise PolicyError.at(where, f"{target} is not a file.", "Name a file, e.g. release.duckdb.")
    if Path(f"{target}.wal").exists():
        raise BusyError(
            f"{target} is open for writing in another process, or contains changes not yet"
            " checkpointed. Close it first."
        )
