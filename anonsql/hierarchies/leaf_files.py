"""Read a hierarchy file once: copied to the run's private folder, then read by DuckDB.

DuckDB's reader differs from the grammar of hierarchy files in small things (blanks beside quotes,
a quote that never ends). A file in which such things stand, or whose lines are wrong, is read line
by line instead, in bounded memory, so that messages name lines and nothing is read otherwise than
it is written.
"""

from __future__ import annotations

import csv
import hashlib
import os
import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from anonsql.engines.base import Engine
from anonsql.errors import ResourceError, SqlError
from anonsql.hierarchies import files
from anonsql.policy.hierarchy import MAX_LEVELS
from anonsql.system import text_files

_AT_ONCE = 20_000  # rows of an unusual file that Python has at a time
_UNUSUAL = (b'" ', b' "', b'"\t', b'\t"', b"\0", b"\1")
"""What DuckDB reads otherwise than the grammar has it, or takes for NULL."""


@dataclass(frozen=True)
class LeafFile:
    """A private copy (``path``) of a hierarchy ``file``, which stands ``where`` in the policy: its
    ``digest`` (SHA-256) and ``size`` in bytes, how many ``levels`` its first line has, whether
    lines end in \\r\\n (``returns``), and whether DuckDB reads it by the grammar (``usual``)."""

    path: Path
    file: Path
    where: str
    digest: str
    size: int
    returns: bool
    usual: bool
    delimiter: str
    levels: int

    def lines(self) -> Iterator[list[str]]:
        """Yield its rows; raise PolicyError where some are wrong."""
        with self.path.open(encoding="utf-8-sig") as text:
            yield from files.lines(text, self.delimiter, self.file, self.where)


def read(engine: Engine, table: str, file: Path, where: str, folder: Path) -> LeafFile:
    """Make a ``table`` of the lines of a hierarchy file (v0 …, place) in DuckDB; return what the
    file was like. Raise PolicyError where it cannot be read, or lines of it are wrong. A file with
    too many levels is left unread."""
    path = folder / f"{table}.csv"
    try:
        copy = _copied(path, file, where)
        if copy.levels <= MAX_LEVELS + 1 and not _read_at_once(engine, table, copy):
            _read_slowly(engine, table, copy)
    finally:
        path.unlink(missing_ok=True)
    return copy


def _copied(path: Path, file: Path, where: str) -> LeafFile:
    """Copy a hierarchy file for its owner alone, and see what it is like."""
    size = returns = returns_alone = 0
    usual, last, digest = True, b"", hashlib.sha256()
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(descriptor, "wb") as copy:
            for content in text_files.chunks(file, where, text_files.MAX_HIERARCHY):
                copy.write(content)
                digest.update(content)
                joined = last + content  # what is looked for has two characters at most
                usual = usual and not any(mark in joined for mark in _UNUSUAL)
                returns += joined.count(b"\r\n")
                returns_alone += content.count(b"\r")
                size, last = size + len(content), content[-1:]
    except OSError as error:
        reason = f"{file} cannot be copied to the run's private folder: {error.strerror}"
        raise ResourceError(where, reason) from None
    delimiter, levels = _first(path, file, where)
    usual = usual and returns == returns_alone and levels > 1
    content_digest = digest.hexdigest()
    return LeafFile(path, file, where, content_digest, size, returns > 0, usual, delimiter, levels)


def _first(path: Path, file: Path, where: str) -> tuple[str, int]:
    """Return the delimiter of a file and how many fields its first row has, 0 where that cannot be
    told."""
    try:
        with path.open(encoding="utf-8-sig") as text:
            line = text.readline()
            delimiter = files.delimiter_of(line.splitlines()[0] if line else "")
            text.seek(0)
            reader = csv.reader(text, delimiter=delimiter, strict=True)
            return delimiter, len(next((row for row in reader if row), ()))
    except UnicodeDecodeError:
        raise text_files.not_utf8(file, where) from None
    except csv.Error:
        return delimiter, 0


def _read_at_once(engine: Engine, table: str, copy: LeafFile) -> bool:
    """Read a file by DuckDB; return whether it is a usual one, and all is well with its lines. A
    line behind the last shows that the last one ended."""
    if not copy.usual:
        return False
    mark, shape = secrets.token_hex(8), {"table": table, "levels": copy.levels}
    end = "\r\n" if copy.returns else "\n"
    with copy.path.open("a", encoding="utf-8", newline="") as text:
        text.write(f"{end}{copy.delimiter.join([mark] * copy.levels)}{end}")
    try:
        engine.run(
            "engines/duckdb/leaves_file",
            path=str(copy.path),
            delimiter=copy.delimiter,
            returns=copy.returns,
            **shape,
        )
        marks = engine.query("engines/duckdb/leaves_end", mark=mark, **shape)[0][0]
        return marks == 1 and not engine.query("engines/duckdb/leaves_odd", **shape)[0][0]
    except ResourceError:
        raise
    except SqlError:
        return False
    finally:
        os.truncate(copy.path, copy.size)


def _read_slowly(engine: Engine, table: str, copy: LeafFile) -> None:
    """Read a file line by line, some thousands at a time."""
    rows, part, first = copy.lines(), f"{table}_part", 0
    while some := list(islice(rows, _AT_ONCE)):
        columns = [(f"v{level}", "VARCHAR") for level in range(len(some[0]))]
        placed = [(*row, position) for position, row in enumerate(some, start=first)]
        engine.load(part if first else table, [*columns, ("place", "INTEGER")], placed)
        if first:
            engine.run("engines/duckdb/leaves_more", table=table, part=part)
        first += len(some)
    engine.drop(part)
