"""Which rows of a source a release's rows may be, as a graph of counts: all that :mod:`anonsql.judge` asks of engines.

The release's distinct values are read, for they are published, and what they may mean is loaded beside the source as words
and intervals. Which values of the source those cover is one join a column; which tuples cover which combinations, another.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anonsql import labels
from anonsql.assignment_graph import MatchGraph
from anonsql.engines.base import Column, Engine, Located, Relation
from anonsql.errors import VerificationError
from anonsql.hierarchies import Attribute
from anonsql.linked_values import Values
from anonsql.named_values import ends
from anonsql.policy import Policy
from anonsql.transport import Ints
from anonsql.verify import facts_of, told_count

_EDGES_AT_ONCE = 500_000


@dataclass(frozen=True)
class Released:
    """What of a release is to be matched. ``labels`` are (attribute's index, column, its columns of bounds), ``levels`` the
    level of each attribute, where the release tells one, ``sensitive`` (number, column) of what is linked; ``masks`` says
    whether rows that are * everywhere are masked ones."""

    labels: tuple[tuple[int, str, tuple[Column, ...]], ...]
    texts: frozenset[int]
    levels: dict[int, int]
    sensitive: tuple[tuple[int, str], ...]
    masks: bool

    @classmethod
    def of(cls, release: Located, policy: Policy, attributes: Sequence[tuple[int, str]]) -> Released:
        """What a release has of some attributes, given by index and name; columns of types that cannot be grouped are left
        out of what is linked."""
        there = {column.name: column for column in release.engine.columns(release.rows)}
        told = release.engine.query("verify/facts", table=release.columns, columns=["column_name", "level"])
        levels = {name: level for name, level in told if level is not None}
        bounds = {
            own: tuple(there[name] for end in ("lo", "hi") if (name := f"{own}_{end}") in there and name not in policy.columns)
            for _, own in attributes
        }
        sensitive = [
            name
            for name, column in policy.columns.items()
            if column.role == "sensitive" and name in there and there[name].comparable and there[name].kind != "other"
        ]
        texts = frozenset(index for index, name in attributes if there[name].type == "VARCHAR")
        return cls(
            labels=tuple((index, name, bounds[name]) for index, name in attributes),
            texts=texts,
            levels={index: levels[name] for index, name in attributes if name in levels},
            sensitive=tuple(enumerate(sensitive, start=1)),
            masks=len(texts) == len(attributes) and told_count(facts_of(release), "masked") > 0,
        )

    def put_together(self, release: Located) -> None:
        """Make the scratch table judged_rows in the release's engine."""
        columns = [(index, name, [each.name for each in bounds], index in self.texts) for index, name, bounds in self.labels]
        release.engine.run("judge/rows", table=release.rows, labels=columns, sensitive=self.sensitive, masks=self.masks)

    @property
    def values(self) -> list[str]:
        """The columns of released tuples."""
        return [f"v{index}" for index, _, _ in self.labels]


class Matching:
    """Scratch tables on both sides, and what is read of them: counts, and numbers that say nothing."""

    def __init__(self, engine: Engine, release: Located, released: Released, attributes: Sequence[Attribute]) -> None:
        self._engine, self._release, self._reader = engine, release, release.engine
        self._released, self._attributes = released, attributes
        self._made: list[tuple[Engine, str]] = []

    def make(self, source: Relation) -> dict[str, tuple[int, int]]:
        """Find all matches. By column: released values that stand for no value of the source, and all of them."""
        engine, values = self._engine, self._released.values
        self._released.put_together(self._release)
        self._made.append((self._reader, "judged_rows"))
        self._run(self._reader, "judged_tuples", "judge/tuples", values=values)
        self._bring_tuples()
        self._run(engine, "judged_cells", "judge/cells", source=source, attributes=self._attributes)
        many = {each.index: self._cover(each) for each in self._attributes}
        extent = engine.query("judge/extent", attributes=self._attributes)
        self._match([index for index, _, _ in extent])
        covering = {index: count for index, count, _ in extent}
        return {each.name: (many[each.index] - covering[each.index], many[each.index]) for each in self._attributes}

    def graph(self) -> MatchGraph:
        """The matches, read."""
        steps = len(self._attributes)
        cells = self._sorted(self._engine, "judged_cell_steps", f"p{steps}")
        tuples = self._sorted(self._engine, "judged_tuple_steps", "id")
        table = f"judged_matches_{steps}"
        total = self._engine.query("judge/total", table=table)[0][0]
        block = max(1, _EDGES_AT_ONCE * len(cells) // max(1, total))
        parts = [
            _array(self._engine.query("judge/edges", steps=steps, first=first, last=first + block - 1), 2)
            for first in range(1, len(cells) + 1, block)
        ]
        edges = np.concatenate([*parts, np.zeros((0, 2), dtype=np.int64)])
        return MatchGraph(cells, tuples, edges[:, 0] - 1, edges[:, 1] - 1)

    def sensitive(self, number: int) -> Values:
        """The values of a sensitive column by released tuple."""
        found = _array(self._reader.query("judge/linked", values=self._released.values, j=number), 3)
        return Values(found[:, 0] - 1, found[:, 1] - 1, found[:, 2])

    def drop(self) -> None:
        """Let go of all scratch tables."""
        for engine, table in self._made:
            engine.drop(table)
        self._made.clear()

    def _run(self, engine: Engine, made: str, template: str, /, **parameters: Any) -> None:
        engine.run(template, **parameters)
        self._made.append((engine, made))

    def _load(self, table: str, columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[object]]) -> bool:
        """Load rows, if there are any; whether there are."""
        if rows:
            self._engine.load(table, columns, rows)
            self._made.append((self._engine, table))
        return bool(rows)

    def _bring_tuples(self) -> None:
        """Bring the released tuples, as numbers, to where the source is."""
        if self._reader is self._engine:
            return
        columns = ["id", *self._released.values, "n"]
        rows = self._reader.query("judge/numbers", table="judged_tuples", columns=columns)
        if not self._load("judged_tuples", [(name, "BIGINT") for name in columns], rows):
            raise VerificationError(["no row of the source is in the release"])

    def _cover(self, attribute: Attribute) -> int:
        """Find which of the source's values the released values of an attribute cover; how many of the latter there are."""
        index, released = attribute.index, self._released
        bounds = next(bounds for each, _, bounds in released.labels if each == index)
        found = self._reader.query("judge/values", i=index, bounds=len(bounds))
        words: list[tuple[int, str | None]] = []
        ranges: list[tuple[int, str, str]] = []
        names: list[tuple[int, str, str]] = []
        limits: list[tuple[int, str | None, str | None]] = []
        for value, label, *texts in found:
            low, high = ends(bounds, texts)
            reading = labels.read(label, attribute.column, (low, high))
            words += [(value, word) for word in reading.words]
            ranges += [(value, *each) for each in reading.ranges]
            names += [(value, *each) for each in reading.names]
            if low is not None or high is not None:
                limits.append((value, low, high))
        spans = [("value", "BIGINT"), ("first", "VARCHAR"), ("last", "VARCHAR")]
        self._load(f"judged_words_{index}", [("value", "BIGINT"), ("word", "VARCHAR")], words or [(0, "")])
        level = released.levels.get(index)
        types = {column.name[-3:]: column.type for column in bounds}
        self._run(
            self._engine,
            f"judged_covers_{index}",
            "judge/covers",
            a=attribute,
            levels=[level] if level is not None and 0 <= level <= attribute.height else range(attribute.height + 1),
            ranges=self._load(f"judged_ranges_{index}", spans, ranges),
            names=self._load(f"judged_names_{index}", spans, names),
            bound=self._load(f"judged_bounds_{index}", [("value", "BIGINT"), ("lo", "VARCHAR"), ("hi", "VARCHAR")], limits),
            range_type=labels.range_type(attribute.column),
            lo_type=_comparable(types.get("_lo", "DOUBLE")),
            hi_type=_comparable(types.get("_hi", "DOUBLE")),
        )
        return len(found)

    def _match(self, order: Sequence[int]) -> None:
        """Join tuples and combinations one column after the other, the one that leaves least open first."""
        columns = [f"v{index}" for index in order]
        for table, made in (("judged_tuples", "judged_tuple_steps"), ("judged_cells", "judged_cell_steps")):
            self._run(self._engine, made, "judge/steps", table=table, made=made, order=columns)
        for step, index in enumerate(order, start=1):
            table = f"judged_matches_{step}"
            self._run(self._engine, table, "judge/matches", step=step, column=f"v{index}", index=index)
            if step > 1:
                self._engine.drop(f"judged_matches_{step - 1}")

    def _sorted(self, engine: Engine, table: str, number: str) -> Ints:
        """The counts of a table in the order of its numbers, which go from 1."""
        found = _array(engine.query("judge/numbers", table=table, columns=[number, "n"]), 2)
        counts: Ints = found[np.argsort(found[:, 0]), 1]
        return counts


def _array(rows: Sequence[Sequence[int]], width: int) -> Ints:
    """Rows of whole numbers as an array."""
    return np.array(rows, dtype=np.int64).reshape(-1, width)


def _comparable(kind: str) -> str:
    """The type as which bounds of a type are compared with values."""
    return "DECIMAL(38, 0)" if kind.upper() == "HUGEINT" else "DOUBLE" if kind.upper() == "DECIMAL" else kind
