"""A DuckDB file outside a run's private folder that is its owner's alone from its first byte on.

DuckDB creates files by the umask of the process, which all its threads share: a narrower umask
would change the files of a program's other threads. So an empty database, made in a private folder,
is put there with the mode 0600, and so is the file of the write-ahead log before anything is
written.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from functools import cache
from pathlib import Path

from anonsql.engines.duckdb.session import DuckDBSession
from anonsql.engines.errors import no_room
from anonsql.errors import ResourceError
from anonsql.system.journal import Journal
from anonsql.system.text_files import NO_SPACE

_NO_CHECKPOINT = {
    "checkpoint_threshold": "1TB"
}  # a checkpoint removes our log; DuckDB would make the next


class PrivateSession(DuckDBSession):
    """A session of a DuckDB file for its owner alone, made where there is none."""

    def __init__(self, path: Path, journal: Journal) -> None:
        if not path.exists():
            _make(path)
        super().__init__(path, journal, "control", _NO_CHECKPOINT)
        self._log = path.with_name(f"{path.name}.wal")
        with contextlib.suppress(OSError):  # the file exists, or the folder cannot be written
            os.close(os.open(self._log, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))

    def close(self) -> None:
        """Close the file. An empty log is removed while the file is still locked."""
        with contextlib.suppress(FileNotFoundError):
            if not self._log.stat().st_size:
                self._log.unlink()
        super().close()


def _make(path: Path) -> None:
    """Put an empty database where there is no file; a file that another process made meanwhile
    stays. Where the system knows files without a name, it appears complete or not at all. For a
    folder that cannot be written, DuckDB's own error is raised. Raise ResourceError where the disk
    is full: nothing is left of it."""
    try:
        with contextlib.suppress(OSError, AttributeError):
            nameless = os.open(path.parent, os.O_TMPFILE | os.O_WRONLY, 0o600)
            with os.fdopen(nameless, "wb") as file:
                file.write(_empty())
                file.flush()
                os.link(f"/proc/self/fd/{nameless}", path, follow_symlinks=True)
                return
        named = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        try:
            with os.fdopen(named, "wb") as file:
                file.write(_empty())
        except OSError:
            path.unlink()
            raise
    except OSError as error:
        if error.errno in NO_SPACE:
            raise ResourceError("catalog", no_room(path)) from None


@cache
def _empty() -> bytes:
    with tempfile.TemporaryDirectory(prefix=".anonsql-") as folder:
        path = Path(folder) / "empty.duckdb"
        DuckDBSession(path, Journal(), "control").close()
        return path.read_bytes()
