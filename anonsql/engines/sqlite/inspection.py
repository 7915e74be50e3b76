"""What a SQLite file of a release holds besides its tables.

Its rows are written once more to a fresh file, as a run writes them, and the two must have the same
bytes, but for the counters in the header. So nothing lies in free pages, in the rest of a page, in
a record behind its last column, or behind the last page, no row number tells a row from others, and
the tables have no default, check, comment or option. What is found is named where that is known.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from anonsql.engines import contents
from anonsql.engines.base import Context
from anonsql.engines.contents import Item
from anonsql.engines.sqlite.engine import DECLARED, SQLiteEngine
from anonsql.policy.locations import Location
from anonsql.system import database_files

_WHERE = "release.database"
_HEADER = 100
_FIELDS = {
    "reading and writing by a log": (18, 20, b"\1\1"),
    "reserved bytes in each page": (20, 21, b"\0"),
    "free pages": (32, 40, bytes(8)),
    "a cache size": (48, 52, bytes(4)),
    "pages to be freed": (52, 56, bytes(4)),
    "an encoding other than UTF-8": (56, 60, b"\0\0\0\1"),
    "a user_version": (60, 64, bytes(4)),
    "freeing of pages step by step": (64, 68, bytes(4)),
    "an application_id": (68, 72, bytes(4)),
    "bytes in the header": (72, 92, bytes(20)),
}
"""What the header can tell besides the pages' size and number, by what it would be: where it
stands, and the bytes that a run writes there (https://www.sqlite.org/fileformat2.html)."""
_COUNTERS = (slice(24, 28), slice(40, 44), slice(92, 100))
"""Where the header counts changes of the file and of its tables, and names the version of SQLite
that made the last one."""
_MOST_CHANGES, _MOST_TABLES = 16, 10_000
"""The times that a run may change a file, which it does once, and the tables that it may make."""


def beside(path: Path) -> tuple[str, ...]:
    """Return in words the logs that lie beside a SQLite file: they hold pages of it."""
    logs = (Path(f"{path}{end}") for end in ("-wal", "-shm", "-journal"))
    return tuple(f"file {log.name}" for log in logs if log.exists())


def strangers(path: Path, context: Context) -> tuple[str, ...]:
    """Return in words what the SQLite file at ``path`` holds besides the tables and views that it
    has. All of it is read, and written once more to the run's private folder."""
    if texts := (*beside(path), *(f"{words} in {path.name}" for words in _of_header(path))):
        return texts
    again = context.workspace / f"again-{secrets.token_hex(4)}.sqlite"
    try:
        with closing(SQLiteEngine(Location("sqlite", path), context)) as engine:
            engine.attach(path, "held", _WHERE)
            engine.attach(again, "again", _WHERE, writable=True)
            texts = _written_again(engine)
        same = database_files.same_bytes(path, again, _COUNTERS)
    finally:
        again.unlink(missing_ok=True)
    words = f"bytes that its rows do not have in {path.name}"
    return texts or ((words,) * (not same))


def _of_header(path: Path) -> list[str]:
    """Return what the header tells that no run writes, and whether there are more bytes than
    pages."""
    with path.open("rb") as file:
        head = file.read(_HEADER)
    texts = [words for words, (start, end, bytes_) in _FIELDS.items() if head[start:end] != bytes_]
    page, pages, changes, counted, version = (
        int.from_bytes(head[start : start + width], "big")
        for start, width in ((16, 2), (28, 4), (24, 4), (92, 4), (96, 4))
    )
    size = (65536 if page == 1 else page) * pages
    if extra := path.stat().st_size - size:
        texts.append(f"{extra:,} bytes behind the last page")
    tables = int.from_bytes(head[40:44], "big")
    if changes != counted or changes > _MOST_CHANGES or tables > _MOST_TABLES:
        texts.append("counters that no run makes")
    if not re.fullmatch(r"30\d\d0[0-2]\d", str(version)):
        texts.append("a version of SQLite that there is not")
    return texts


def _written_again(engine: SQLiteEngine) -> tuple[str, ...]:
    """Write the tables and views of the file to the fresh one; return in words what a run would
    have made otherwise."""
    objects = engine.query("engines/sqlite/definitions", database="held")
    rows: Sequence[Item] = ()
    for kind, name, _ in objects:
        if kind == "table":
            columns = engine.query("engines/sqlite/declared", table=("held", name))
            if any(declared not in DECLARED for _, declared in columns):
                return (f"a type that no run declares of table {name}",)
            engine.create(("again", name), columns)
            names = [column for column, _ in columns]
            both = {"table": ("again", name), "original": ("held", name), "names": names}
            engine.query("engines/sqlite/copied", **both)
            least, most, count = engine.query("engines/sqlite/row_numbers", table=("held", name))[0]
            if count and (least, most) != (1, count):
                rows = (*rows, Item("row numbers other than 1, 2, 3 … of table", name))
        else:
            engine.copy_view("held", "again", name)
    made = engine.query("engines/sqlite/definitions", database="again")
    held = [Item(f"definition of {kind}", name, detail=str(sql)) for kind, name, sql in objects]
    own = {Item(f"definition of {kind}", name, detail=str(sql)) for kind, name, sql in made}
    return contents.strangers([*held, *rows], own)
