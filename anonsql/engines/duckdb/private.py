"""A DuckDB file outside a run's private folder that is its owner's alone from its first byte on.

DuckDB makes files as the process's umask has it, and a umask is all threads' of a process: whoever
runs anonsql in one thread would have his other threads' files changed by a narrower one. So an
empty database, made in a private folder, is put there with the mode 0600, and so is the file of the
write-ahead log before anything is written.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from functools import cache
from pathlib import Path

from anonsql.engines.duckdb.session import Session
from anonsql.system.journal import Journal

_NO_CHECKPOINT = {
    "checkpoint_threshold": "1TB"
}  # one removes the log, and the next would be DuckDB's own


def open_private(path: Path, journal: Journal) -> Session:
    """Open a DuckDB file for its owner alone; make it where there is none."""
    if not path.exists():
        _make(path)
    session = Session.open(path, journal, "control", _NO_CHECKPOINT)
    with contextlib.suppress(OSError):  # there is one; or DuckDB may write here no more than we
        os.close(os.open(_log(path), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    return session


def close_private(session: Session, path: Path) -> None:
    """Close it. A log that nothing was written to is removed while the file is still locked."""
    with contextlib.suppress(FileNotFoundError):
        if not _log(path).stat().st_size:
            _log(path).unlink()
    session.close()


def _log(path: Path) -> Path:
    return path.with_name(f"{path.name}.wal")


def _make(path: Path) -> None:
    """Put an empty database where no file is; another process's that was quicker stays. It is there
    as a whole or not at all where the system knows files without a name. A folder that cannot be
    written is DuckDB's to tell."""
    with contextlib.suppress(OSError, AttributeError):
        nameless = os.open(path.parent, os.O_TMPFILE | os.O_WRONLY, 0o600)
        try:
            os.write(nameless, _empty())
            os.link(f"/proc/self/fd/{nameless}", path, follow_symlinks=True)
            return
        finally:
            os.close(nameless)
    with contextlib.suppress(OSError):
        named = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        try:
            os.write(named, _empty())
        finally:
            os.close(named)


@cache
def _empty() -> bytes:
    """Return a database without tables."""
    with tempfile.TemporaryDirectory(prefix=".anonsql-") as folder:
        path = Path(folder) / "empty.duckdb"
        Session.open(path, Journal(), "control").close()
        return path.read_bytes()
