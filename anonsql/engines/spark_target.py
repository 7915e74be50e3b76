"""A release as tables of a Spark catalog: written new beside the previous ones, shown through views that are switched.

Spark has no transaction over several tables: each of the three views is switched at once, one after the other.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from anonsql.engines.base import PARTS, Column, Context, Located, Part, Relation, is_release, part_name
from anonsql.engines.spark import SparkEngine
from anonsql.errors import PolicyError
from anonsql.policy import Policy


class SparkTarget:
    """The views ``schema.table``, ``schema.table__about`` and ``schema.table__columns``."""

    def __init__(self, engine: SparkEngine, policy: Policy, _context: Context) -> None:
        self._engine, self._policy = engine, policy
        *schema, table = policy.release.name.split(".")
        if not schema or not all((*schema, table)):
            remedy = "E.g. released.people: a schema of its own, so that its readers see nothing else."
            raise PolicyError.at("release.table", f"{policy.release.name!r} names no schema.", remedy)
        if not re.fullmatch(r"[A-Za-z0-9_]+", table):
            found = f"{table!r} is no name that every Spark catalog takes."
            raise PolicyError.at("release.table", found, "Use letters, digits and underscores.")
        self._schema, self._table = tuple(schema), table
        self._version = f"__v{secrets.token_hex(8)}"
        self._staged: list[str] = []

    def guard(self) -> None:
        """Raise PolicyError when the views would replace anything but a release of this table."""
        source = self._policy.source.table
        if self._engine.forgets and len(self._schema) == 1:
            text = "this Spark keeps its tables in memory, and the release would vanish with the run."
            remedy = "Set engine.spark: {spark.sql.catalogImplementation: hive}, or release to a file."
            raise PolicyError.at("release.database", text, remedy)
        if source and _schema_of(self._engine.find(source, "source.table")) == _schema_of((*self._schema, "")):
            text = "this is the source's schema: whoever may look into it would see the source's table too."
            raise PolicyError.at("release.table", text, "Name another schema, e.g. released.people; it is made when it is not there.")
        there = self._engine.names_in(self._schema) or []
        ours = {part_name(self._table, part).lower() for part in PARTS} & {name.lower() for name in there}
        views = all(self._engine.is_view((*self._schema, name)) for name in ours)
        if ours and not (views and self._is_release()):
            name = self._policy.release.name
            raise PolicyError.at("release.table", f"{name} is there already and is no release of ours.", "Name another table, or drop it.")

    def _is_release(self) -> bool:
        about = (*self._schema, part_name(self._table, "about"))
        there = [name.lower() for name in self._engine.names_in(self._schema) or []]
        return about[-1].lower() in there and is_release(self._engine, about)

    def stage(self, part: Part, template: str, columns: Sequence[Column], **parameters: Any) -> None:
        """Write the rows of a template as a new table of the release's schema."""
        if not self._staged:
            self._engine.query("spark/create_schema", schema=self._schema, location=None)
        table = part_name(self._table, part) + self._version
        self._staged.append(table)
        names = [each.name for each in columns]
        self._engine.run("release/staged", table=(*self._schema, table), select=template, names=names, **parameters)

    def build(self) -> tuple[Located, Relation]:
        """The new tables as they are."""
        located = self._located(self._version)
        return located, located.rows

    def _located(self, version: str) -> Located:
        rows, about, columns = ((*self._schema, part_name(self._table, part) + version) for part in PARTS)
        return Located(self._engine, rows, about, columns)

    def publish(self) -> None:
        """Switch the views to the new tables and remove the old ones."""
        self._engine.require_unchanged()
        self.guard()
        for part in PARTS:
            name = part_name(self._table, part)
            self._staged.remove(name + self._version)  # from here on it may be what the view shows
            self._engine.query("spark/swap", view=(*self._schema, name), table=(*self._schema, name + self._version))
        self._sweep()

    def _sweep(self) -> None:
        """Remove tables of earlier versions, published or left by a run that died."""
        pattern = re.compile(rf"{re.escape(self._table)}(__about|__columns)?__v[0-9a-f]{{16}}", re.I)
        for name in self._engine.names_in(self._schema) or []:
            if pattern.fullmatch(name) and not name.lower().endswith(self._version):
                self._engine.query("spark/drop", table=(*self._schema, name))

    @contextmanager
    def published(self) -> Iterator[Located]:
        """The release's views; raises PolicyError when they are not there."""
        self._engine.find(self._policy.release.name, "release.table")
        if not self._is_release():
            found = f"{self._policy.release.name} is no release of anonsql."
            raise PolicyError.at("release.table", found, "`anonsql run` makes one.")
        yield self._located("")

    def close(self) -> None:
        """Remove what was staged and not published."""
        for table in self._staged:
            self._engine.query("spark/drop", table=(*self._schema, table))


def _schema_of(relation: Relation) -> list[str]:
    """A relation's schema as Spark compares it: case does not count, nor the name of its own catalog."""
    parts = [part.lower() for part in relation[:-1]]
    return parts[1:] if parts[:1] == ["spark_catalog"] else parts
