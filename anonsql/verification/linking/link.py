"""The link of a release to its source: which rows of the source each released row may be, by the
requested columns, joined one after the other.

``judged_tuples`` and ``judged_cells`` have a column v<i> for each attribute i that is joined by,
and ``covers_<i>`` says which pairs of values agree.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from anonsql.engines.base import Engine, Relation, ReleaseTables
from anonsql.errors import VerificationError
from anonsql.hierarchies.dimensions import Attribute
from anonsql.policy.table_plan import TablePlan
from anonsql.system.arrays import IntArray, np
from anonsql.verification.facts import count_of, facts_of, missing_rows
from anonsql.verification.linking.tables import ScratchTables, names
from anonsql.verification.linking.valued import valued_columns

if TYPE_CHECKING:
    from anonsql.verification.linking.flow import Graph


_FEW = 20_000
"""The greatest number of pairs that are all looked at."""


@dataclass(frozen=True)
class _Joined:
    """The index of an attribute to join by, in the shape in which the templates take attributes."""

    index: int


class Pairs:
    """The scratch tables of one join. ``most`` bounds the number of pairs after each step; None:
    there is no bound."""

    def __init__(self, engine: Engine, indices: Sequence[int], most: int | None = None) -> None:
        self._engine, self._indices, self._most = engine, indices, most
        self._made: list[str] = []

    def join(self) -> bool:
        """Join tuples and combinations one column after the other, the most selective first. Return
        whether all pairs were found: not if a step has more than ``most``."""
        engine, few = self._engine, self._few()
        joined = [_Joined(index) for index in self._indices]
        order = [*self._indices]
        if not few:
            extents = engine.query("verification/linking/extent", attributes=joined)
            order = [index for index, _ in extents]
        columns = [f"v{index}" for index in order]
        for table, made in (
            ("judged_tuples", "judged_tuple_steps"),
            ("judged_cells", "judged_cell_steps"),
        ):
            engine.run("verification/linking/steps", table=table, made=made, order=columns)
            self._made.append(made)
        if few:
            engine.run("verification/linking/matches_at_once", steps=len(order), attributes=joined)
            self._made.append(f"judged_matches_{len(order)}")
            return True
        limit = None if self._most is None else self._most + 1
        for step, index in enumerate(order, start=1):
            by_name = {"step": step, "column": f"v{index}", "index": index, "most": limit}
            engine.run("verification/linking/matches", **by_name)
            self._made.append(f"judged_matches_{step}")
            if step > 1:
                engine.drop(f"judged_matches_{step - 1}")
            if limit is not None and self._total(step) >= limit:
                return False
        return True

    def _few(self) -> bool:
        """Return whether to compare every tuple with every combination at once: where statements
        cost more than rows."""
        pairs = int(self._engine.query("verification/linking/pairs_at_most")[0][0])
        return pairs <= (_FEW if self._most is None else min(_FEW, self._most))

    def lacking(self, tuples: str = "judged_tuple_steps", matches: str | None = None) -> int:
        """Return how many rows of the tuples can be no rows of the combinations that are not
        others' already: by counting, or, where a combination goes with several tuples, by a flow.
        ``tuples`` and ``matches`` are other tables instead of the joined ones."""
        tables = {"tuples": tuples, "matches": matches or self._matches}
        query, steps = "verification/linking/lacking", len(self._indices)
        lacking, shared = self._engine.query(query, steps=steps, **tables)[0]
        if not shared:
            return int(lacking)
        from anonsql.verification.linking import flow

        return flow.unplaced(self.graph(**tables))

    def narrow(self) -> None:
        """Leave only the pairs that some assignment of all rows of the tuples uses, where there is
        one."""
        from anonsql.verification.linking import flow

        graph = self.graph()
        used = flow.used(graph)
        if not used.all():
            self._engine.drop(self._matches)
            columns = {"tuple": graph.tuple[used] + 1, "cell": graph.cell[used] + 1}
            self._engine.load_numbers(self._matches, columns)

    def graph(self, tuples: str = "judged_tuple_steps", matches: str | None = None) -> Graph:
        """Read the pairs, and return them as a graph, whose nodes are in the order of numbers."""
        from anonsql.verification.linking.flow import Graph

        columns = {"columns": ["cell", "tuple"]}
        edges = (
            self._engine.numbers("verification/facts", table=matches or self._matches, **columns)
            or _none()
        )
        counts = [self._counts(table) for table in ("judged_cell_steps", tuples)]
        return Graph(*counts, *(edge - 1 for edge in edges))

    def drop(self) -> None:
        """Drop all scratch tables."""
        self._engine.drop(*self._made)
        self._made.clear()

    def _total(self, step: int) -> int:
        return int(self._engine.query("verification/rows", table=f"judged_matches_{step}")[0][0])

    @property
    def _matches(self) -> str:
        return f"judged_matches_{len(self._indices)}"

    def _counts(self, table: str) -> IntArray:
        columns = {"columns": [f"p{len(self._indices)}", "n"]}
        numbers, counts = (
            self._engine.numbers("verification/facts", table=table, **columns) or _none()
        )
        return counts[np.argsort(numbers)]


def _none() -> list[IntArray]:
    return [np.zeros(0, dtype=np.int64)] * 2


class Link(ScratchTables):
    """The two sides, and what joins them by some of their columns. ``linked_tuples`` and
    ``linked_cells`` keep all columns; ``judged_tuples`` and ``judged_cells`` are made of them anew
    for each join."""

    @classmethod
    @contextmanager
    def between(
        cls,
        engine: Engine,
        release: ReleaseTables,
        policy: TablePlan,
        source: Relation,
        attributes: Sequence[Attribute],
        *,
        roles: Collection[str],
        carried: Sequence[str] = (),
        every: bool = True,
    ) -> Iterator[Link]:
        """Give the link of a release to the source that ``engine`` has, whose dimension tables
        dim_<index> are made for ``attributes``; kept columns of some ``roles`` are compared,
        ``every`` one: raise VerificationError where one cannot be."""
        valued, offences = valued_columns(policy, engine, release, source, attributes, roles=roles)
        if offences and every:
            raise VerificationError(offences)
        link = cls(engine, release, policy, attributes, valued, carried=carried)
        try:
            link.make(source)
            yield link
        finally:
            link.drop()

    def make(self, source: Relation) -> None:
        """Make both sides."""
        super().make(source)
        self._combine("judged_tuples", "linked_tuples", self.facets)
        self._combine("judged_cells", "linked_cells", self.facets)
        if self.released.masks:
            self.code_released("verification/linking/tuples", "linked_masked", masked=1)

    @property
    def label_facets(self) -> list[int]:
        """The facets of labels."""
        return [facet for _, facet in self.labels]

    @property
    def kept_facets(self) -> list[int]:
        """The facets of kept values and of buckets."""
        return [facet for facet in self.facets if facet not in self.label_facets]

    @contextmanager
    def joined(self, facets: Sequence[int], most: int | None = None) -> Iterator[Pairs | None]:
        """Give the pairs of both sides' combinations that agree in some facets; None where there
        are more than ``most``."""
        self._combine("linked_tuples", "judged_tuples", facets)
        self._combine("linked_cells", "judged_cells", facets)
        pairs = Pairs(self.engine, facets, most)
        try:
            yield pairs if pairs.join() else None
        finally:
            pairs.drop()

    def ask(self, template: str, facets: Sequence[int], /, **parameters: Any) -> tuple[Any, ...]:
        """Return the row of a query on the pairs that are joined by some facets."""
        return self.engine.query(template, steps=len(facets), **parameters)[0]

    def lacking(self, facets: Sequence[int]) -> int:
        """Return how many released rows can, by some facets, be no row of the source that is not
        another's already."""
        with self.joined(facets) as pairs:
            return 0 if pairs is None else pairs.lacking()

    def counts(self) -> tuple[int, int, int]:
        """Return how many rows the source and the release have, and how many are masked."""
        masked = self.total("linked_masked") if self.released.masks else 0
        return self.total("linked_cells"), self.total("linked_tuples"), masked

    def unaccounted(self) -> list[str]:
        """Return the offences of a release that does not account for every row of the source, or
        has none of them."""
        about = facts_of(self.release)
        originals, released, masked = self.counts()
        held_back = max(0, count_of(about, "held_back"))  # in a release that follows others
        accounted = released + masked + missing_rows(about) + held_back
        offences = [] if released else ["no row of the source is in the release"]
        if accounted != originals:
            offences.append(
                f"the source has {originals:,} rows, but the release accounts for {accounted:,}"
            )
        return offences

    def uncovering(self, *, kept: bool = True) -> list[str]:
        """Return the released labels, kept values and buckets that match nothing in the source, as
        offences."""
        subjects = [(facet, f"values of {name!r} match") for name, facet in self.labels]
        for column in self.compared if kept else ():
            what = "buckets" if column.bucket else "values"
            subjects.append((column.facet or 0, f"{what} of {column.original.name!r} stand"))
        offences = []
        for facet, what in subjects:
            asked = {"facet": facet, "tuples": "linked_tuples", "cells": "linked_cells"}
            count, every = self.engine.query("verification/linking/uncovering", **asked)[0]
            text = f"{count:,} of {every:,} distinct {what} no value of the source"
            offences += [text] * (count > 0)
        return offences

    def kept_beyond(self) -> list[str]:
        """Return the offence of released rows whose kept values no row of the source has together,
        or not so many rows."""
        kept = [column for column in self.compared if not column.bucket]
        released, with_masked = self.engine.query(
            "verification/linking/kept_beyond",
            kept=names([column.facet or 0 for column in kept]),
            seen=names([column.facet or 0 for column in kept if column.shown]),
            masks=self.released.masks,
        )[0]
        what = (
            "have sensitive and insensitive values that no source row has in combination, or not"
            " as many source rows"
        )
        if released:
            return [f"{released:,} released rows {what}"]
        return [f"{with_masked:,} rows, including masked rows, {what}"] * (with_masked > 0)

    def _combine(self, table: str, made: str, facets: Sequence[int]) -> None:
        self.engine.drop(made)
        self.run(made, "attacks/combined", table=table, made=made, facets=names(facets))
