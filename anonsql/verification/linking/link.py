"""The link of a release to its source: which rows of the source each released row may be, by
whichever columns are asked for."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from anonsql.engines.base import Engine, Relation, ReleaseTables
from anonsql.errors import VerificationError
from anonsql.hierarchies.dimensions import Attribute
from anonsql.policy.policy import Policy
from anonsql.verification.facts import count_of, facts_of, missing_rows
from anonsql.verification.linking.pairs import Pairs
from anonsql.verification.linking.tables import ScratchTables, names
from anonsql.verification.linking.valued import valued_columns


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
        policy: Policy,
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
                f"the source has {originals:,} rows, the release accounts for {accounted:,}"
            )
        return offences

    def uncovering(self, *, kept: bool = True) -> list[str]:
        """Return the offences of released labels, kept values and buckets that stand for nothing in
        the source."""
        subjects = [(facet, f"values of {name!r} stand") for name, facet in self.labels]
        for column in self.compared if kept else ():
            what = "buckets" if column.bucket else "values"
            subjects.append((column.facet or 0, f"{what} of {column.original.name!r} stand"))
        offences = []
        for facet, what in subjects:
            asked = {"facet": facet, "tuples": "linked_tuples", "cells": "linked_cells"}
            count, every = self.engine.query("verification/linking/uncovering", **asked)[0]
            text = f"{count:,} of {every:,} distinct {what} for no value of the source"
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
            "have sensitive and insensitive values together that no row of the source has, or not"
            " so many rows"
        )
        if released:
            return [f"{released:,} released rows {what}"]
        return [f"{with_masked:,} rows, masked ones counted in, {what}"] * (with_masked > 0)

    def _combine(self, table: str, made: str, facets: Sequence[int]) -> None:
        self.engine.drop(made)
        self.run(made, "attacks/combined", table=table, made=made, facets=names(facets))
