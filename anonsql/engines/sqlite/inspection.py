"""What a SQLite file of a release holds besides its tables, by its definitions.

Its tables and views are made once more in a fresh file, as a run makes them, and both must have the
same definitions: so the tables have no default, check, comment or option.
"""

from __future__ import annotations

import secrets
from contextlib import closing
from pathlib import Path

from anonsql.engines import contents
from anonsql.engines.base import Context
from anonsql.engines.contents import Item
from anonsql.engines.sqlite.engine import DECLARED, SQLiteEngine
from anonsql.policy.locations import Location

_WHERE = "release.database"


def beside(path: Path) -> tuple[str, ...]:
    """Return in words the logs that lie beside a SQLite file: they hold pages of it."""
    logs = (Path(f"{path}{end}") for end in ("-wal", "-shm", "-journal"))
    return tuple(f"file {log.name}" for log in logs if log.exists())


def strangers(path: Path, context: Context) -> tuple[str, ...]:
    """Return in words what the definitions of the SQLite file at ``path`` have besides those of its
    tables and views as a run makes them."""
    if texts := beside(path):
        return texts
    again = context.workspace / f"again-{secrets.token_hex(4)}.sqlite"
    try:
        with closing(SQLiteEngine(Location("sqlite", path), context)) as engine:
            engine.attach(path, "held", _WHERE)
            engine.attach(again, "again", _WHERE, writable=True)
            return _defined_otherwise(engine)
    finally:
        again.unlink(missing_ok=True)


def _defined_otherwise(engine: SQLiteEngine) -> tuple[str, ...]:
    """Define the tables and views of the file in the fresh one; return in words what a run would
    have defined otherwise."""
    objects = engine.query("engines/sqlite/definitions", database="held")
    for kind, name, _ in objects:
        if kind == "table":
            columns = engine.query("engines/sqlite/declared", table=("held", name))
            if any(declared not in DECLARED for _, declared in columns):
                return (f"a type that no run declares of table {name}",)
            engine.create(("again", name), columns)
        else:
            engine.copy_view("held", "again", name)
    made = engine.query("engines/sqlite/definitions", database="again")
    held = [Item(f"definition of {kind}", name, detail=str(sql)) for kind, name, sql in objects]
    own = {Item(f"definition of {kind}", name, detail=str(sql)) for kind, name, sql in made}
    return contents.strangers(held, own)
