"""What the rest of anonsql asks of a database engine."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from anonsql.policy import Source

Relation = tuple[str, ...]
Kind = Literal["integer", "decimal", "float", "date", "timestamp", "boolean", "text", "other"]
_KINDS: dict[str, Kind] = {
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"), "integer"),
    **dict.fromkeys(("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"), "integer"),
    **dict.fromkeys(("FLOAT", "DOUBLE"), "float"),
    "DATE": "date",
    "BOOLEAN": "boolean",
    "VARCHAR": "text",
    "UUID": "text",
}
ORDERED: tuple[Kind, ...] = ("integer", "decimal", "float", "date", "timestamp")


@dataclass(frozen=True)
class Column:
    """A column of a source or a release, with its type in the engine's spelling."""

    name: str
    type: str

    @property
    def kind(self) -> Kind:
        """The family of the type; enumerations count as text."""
        base = re.split(r"[ (\[]", self.type)[0].upper()
        if self.type.endswith("]"):
            return "other"
        if base == "DECIMAL":
            return "decimal"
        if base.startswith("TIMESTAMP"):
            return "timestamp"
        return "text" if base == "ENUM" else _KINDS.get(base, "other")

    @property
    def family(self) -> str:
        """The type as messages may tell it: an enumeration's spelling names values."""
        return "an enumeration" if "ENUM" in self.type.upper() else self.type

    @property
    def cast(self) -> str | None:
        """The type as which a quasi-identifying column enters statements, where that is not its own: enumerations
        (their dictionary names values) and UUIDs as text, timestamps of other precision as plain ones."""
        if self.kind == "text":
            return None if self.type.upper() == "VARCHAR" else "VARCHAR"
        return "TIMESTAMP" if self.type.upper() in ("TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS") else None

    @property
    def released_type(self) -> str:
        """The type the column has in a release when it is kept as it is."""
        return "VARCHAR" if "ENUM" in self.type.upper() else self.type

    @property
    def scale(self) -> int:
        """Digits after the point of a decimal, else 0."""
        match = re.search(r", ?(\d+)\)", self.type)
        return int(match.group(1)) if self.kind == "decimal" and match else 0


class Engine(Protocol):
    """The data plane: source, scratch tables and release in one database engine."""

    def open_source(self, source: Source, path: Path) -> Relation:
        """Make the source readable and name it; raises PolicyError or BusyError when that cannot be."""

    def columns(self, relation: Relation) -> list[Column]:
        """The columns of a relation in order."""

    def strangers(self, release: Relation, table: str) -> list[str]:
        """Whatever the release's database holds besides the three tables of the release, in words."""

    def open_release(self, table: str) -> Relation:
        """Make the published release readable and name its schema; raises PolicyError when there is none."""

    def require_unchanged(self) -> None:
        """Raise BusyError when the source is no longer what it was when it was opened."""

    def run(self, template: str, **parameters: Any) -> int:
        """Execute one template; the number of rows it wrote."""

    def query(self, template: str, **parameters: Any) -> list[tuple[Any, ...]]:
        """The rows of one template: counts and verdicts, never rows of the source."""

    def load(self, table: str, columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[object]]) -> None:
        """Make a scratch table of (name, type) columns from rows that Python has: hierarchies, requests of a search."""

    def guard_release(self, table: str) -> None:
        """Raise PolicyError when publishing would replace anything but an earlier release of this table."""

    def stage(self, table: str, template: str, columns: Sequence[Column], **parameters: Any) -> None:
        """Write the rows of a template as a table of the coming release."""

    def build(self) -> Relation:
        """Finish the staged release apart from everything else; where its tables can be read for verification."""

    def publish(self) -> None:
        """Put the built release in the place of the previous one, at once; raises BusyError if the source moved."""

    def close(self) -> None:
        """Let go of everything and remove what is scratch."""
