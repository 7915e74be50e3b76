"""Read a hierarchy file once: copied to the run's private folder, then read by DuckDB.

DuckDB's reader differs from the grammar of hierarchy files in small things (blanks around cells,
rows of unequal depth, a quote that never ends). A file in which such things stand, or whose lines
are wrong, is read line by line instead, in bounded memory, so that messages name lines.
"""

from __future__ import annotations

import csv
import hashlib
import os
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import BinaryIO, TextIO

from anonsql.engines.base import Engine
from anonsql.engines.errors import no_room
from anonsql.errors import ResourceError, SqlError
from anonsql.hierarchies import files
from anonsql.policy.hierarchy import MAX_LEVELS
from anonsql.system import encodings, text_files

_AT_ONCE = 20_000  # rows of an unusual file that Python has at a time
_UNUSUAL = (b'" ', b' "', b'"\t', b'\t"', b"\0", b"\1")
"""What DuckDB reads otherwise than the grammar has it, or takes for NULL."""


@dataclass(frozen=True)
class LeafFile:
    """A private copy (``path``) of a hierarchy ``file``, which stands ``where`` in the policy: its
    ``digest`` (SHA-256) and ``size`` in bytes, how many ``levels`` its first line has, whether
    lines end in \\r\\n (``returns``), how many there are (``ends``), whether DuckDB reads it by the
    grammar (``usual``), and whether its table knows the lines, not only the rows (``numbered``)."""

    path: Path
    file: Path
    where: str
    digest: str
    size: int
    returns: bool
    usual: bool
    delimiter: str
    levels: int
    ends: int
    numbered: bool = False

    def lines(self) -> Iterator[tuple[int, list[str]]]:
        """Yield its rows with their lines; raise PolicyError where some are wrong."""
        with _opened(self.path) as text:
            yield from files.lines(text, self.delimiter, self.file, self.where)


def read(engine: Engine, table: str, file: Path, where: str, folder: Path) -> LeafFile:
    """Make a ``table`` of the lines of a hierarchy file (v0 …, place, line) in DuckDB; return the
    file's properties. Raise PolicyError where it cannot be read, or lines of it are wrong. A file
    with too many levels is left unread."""
    original = folder / f"{table}.bytes"
    try:
        with _made(original) as written:
            digest = hashlib.sha256()
            for content in text_files.chunks(file, where, text_files.MAX_HIERARCHY):
                written.write(content)
                digest.update(content)
        encoding = encodings.encoding_of(encodings.blocks(original), file, where)
        utf8 = original.with_suffix(".csv")
        with encodings.as_utf8(original, encoding, utf8, where, file) as path:
            return _read(engine, table, _looked_at(path, file, where, digest.hexdigest()))
    except OSError as error:
        reason = f"{file} cannot be copied to the run's private folder: {error.strerror}"
        if error.errno in text_files.NO_SPACE:
            reason = no_room(original)
        raise ResourceError(where, reason) from None
    finally:
        original.unlink(missing_ok=True)


def _read(engine: Engine, table: str, copy: LeafFile) -> LeafFile:
    if copy.levels > MAX_LEVELS + 1:
        return copy
    rows = _read_at_once(engine, table, copy) if copy.usual else None
    if rows is None:  # problems are reported before anything is stored
        copy = replace(copy, levels=max(len(row) for _, row in copy.lines()))
        if copy.levels > MAX_LEVELS + 1:
            return copy
        _read_slowly(engine, table, copy)
    return replace(copy, numbered=rows in (None, copy.ends))


def _looked_at(path: Path, file: Path, where: str, digest: str) -> LeafFile:
    """Return the properties of a copy in UTF-8."""
    size = ends = returns = returns_alone = 0
    usual, last = True, b""
    for content in encodings.blocks(path):
        joined = last + content  # what is looked for has two characters at most
        usual = usual and not any(mark in joined for mark in _UNUSUAL)
        returns += joined.count(b"\r\n")
        returns_alone += content.count(b"\r")
        ends += content.count(b"\n")
        size, last = size + len(content), content[-1:]
    delimiter, levels = _first(path)
    usual = usual and returns == returns_alone and levels > 1
    ends += last not in (b"", b"\n")
    shape = (returns > 0, usual, delimiter, levels, ends)
    return LeafFile(path, file, where, digest, size, *shape)


def _made(path: Path) -> BinaryIO:
    """Open a new file that the user alone may read."""
    return os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb")


def _opened(path: Path) -> TextIO:
    """Open a copy to read its text."""
    return path.open(encoding="utf-8-sig")


def _first(path: Path) -> tuple[str, int]:
    """Return a file's delimiter and the fields of its first row: 0 where unknown."""
    with _opened(path) as text:
        delimiter = files.delimiter_of(text)
        text.seek(0)
        reader = csv.reader(text, delimiter=delimiter, strict=True, skipinitialspace=True)
        try:
            return delimiter, len(next((row for row in reader if row), ()))
        except csv.Error:
            return delimiter, 0


def _read_at_once(engine: Engine, table: str, copy: LeafFile) -> int | None:
    """Read a file by DuckDB; return how many rows it has where all is well with its lines. A line
    behind the last shows that the last one ended."""
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
        odd, rows = engine.query("engines/duckdb/leaves_odd", **shape)[0]
        return rows if marks == 1 and not odd else None
    except ResourceError:
        raise
    except SqlError:
        return None
    finally:
        os.truncate(copy.path, copy.size)


def _read_slowly(engine: Engine, table: str, copy: LeafFile) -> None:
    rows, part, first = copy.lines(), f"{table}_part", 0
    while some := list(islice(rows, _AT_ONCE)):
        columns = [(f"v{level}", "VARCHAR") for level in range(copy.levels)]
        columns += [("place", "INTEGER"), ("line", "INTEGER")]
        placed = [
            (*files.padded(row, copy.levels), place, line)
            for place, (line, row) in enumerate(some, start=first)
        ]
        engine.load(part if first else table, columns, placed)
        if first:
            engine.run("engines/duckdb/leaves_more", table=table, part=part)
        first += len(some)
    engine.drop(part)
