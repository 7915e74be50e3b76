"""What a policy promises of every released equivalence class: k, and the terms of privacy models.

Two statements check a promise, and they share nothing: ``privacy/classes.sql`` for searches and
methods, ``verification/keeping.sql`` for verification.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_UP, Decimal
from typing import TYPE_CHECKING

from anonsql.privacy.base import Over, Term

if TYPE_CHECKING:
    from anonsql.policy.privacy import Privacy
    from anonsql.star.coded import Coded

_TOLERANCE = Decimal("0.000000001")
"""How far a computed share or distance may miss its bound, as engines round differently."""


@dataclass(frozen=True)
class Promise:
    """All that a policy's ``privacy`` promises of an equivalence class: at least ``k`` rows or
    people, and the terms of its ``models``.

    A cell of the star schema has more columns than the codes of the quasi-identifying attributes:
    its ``extras`` are codes (of sensitive values, of people), its ``weights`` are counts (``n``
    rows of the table, and ``p`` rows of the ``population`` where there is one). Rolling cells up
    keeps the extras and sums the weights. ``coded`` are the indices of the extras that classes are
    judged by; ``people`` is the index of the column that identifies people (0: none). ``within``
    are the indices of the extras that no group may mix values of.

    A release that is judged without its source may lack some of the source's rows: ``missing`` of
    them, which is at most the share ``slack`` of all. A class then fails only if it would fail
    whatever those rows contained.

    ``matching``: classes are of people that match, each of whom may have several values; tables of
    them have how many people the class has in ``own_people``, beside ``n`` of each value.
    """

    k: int
    models: tuple[Term, ...] = ()
    coded: tuple[int, ...] = ()
    people: int = 0
    population: bool = False
    missing: int = 0
    slack: Decimal = Decimal(0)
    within: tuple[int, ...] = ()
    matching: bool = False
    tolerance: Decimal = field(default=_TOLERANCE, repr=False)

    @property
    def extras(self) -> tuple[str, ...]:
        """The code columns of cells besides those of quasi-identifying attributes."""
        return tuple(f"x{index}" for index in (*self.coded, *self.within))

    @property
    def weights(self) -> tuple[str, ...]:
        """The columns of counts in cells."""
        return ("n", "p") if self.population else ("n",)

    @property
    def plain(self) -> bool:
        """Whether a class is judged by its number of rows alone: nothing but k is promised."""
        return not self.coded and not self.population

    @property
    def of_everybody(self) -> bool:
        """Whether the promise is owed to everybody in the population: nobody may be known to be
        absent from the release. Groups of the population without a row of the table break such a
        promise, and so do suppressed classes."""
        return any(model.of_everybody for model in self.models)

    def core(self, limit: int) -> Promise:
        """Return the part of the promise that is monotone where up to ``limit`` rows may be
        suppressed. A search may prune by it."""
        return replace(self, models=tuple(model for model in self.models if model.stays(limit > 0)))

    def trivial(self) -> Promise:
        """Return a promise over the same codes that every class keeps: no model, and k=1."""
        return replace(self, k=1, models=(), people=0)

    def monotone(self, limit: int) -> bool:
        """Return whether all generalizations of a satisfying node satisfy too, where up to
        ``limit`` rows may be suppressed."""
        return self.core(limit) == self

    def of_kind(self, *kinds: str) -> list[Term]:
        """Return the terms whose criterion has one of the names ``kinds``."""
        return [model for model in self.models if model.kind in kinds]

    @property
    def counted(self) -> bool:
        """Whether the counts of a class (``privacy/counts.sql``) suffice to judge it."""
        return all(model.criterion.over == "counts" for model in self.models)

    def over(self, what: Over) -> list[Term]:
        """Return the terms whose criteria are judged over ``what`` (see :data:`Over`)."""
        return [model for model in self.models if model.criterion.over == what]

    def by_column(self, what: Over) -> dict[int, list[Term]]:
        """Return the terms that are judged over ``what``, by the index of their column."""
        terms: dict[int, list[Term]] = {}
        for term in self.over(what):
            terms.setdefault(term.index, []).append(term)
        return terms

    def seen_alone(self, rows: int, missing: int) -> Promise:
        """Return the promise by which a release can be judged without its source. The release has
        ``rows`` rows and lacks ``missing`` rows of the source."""
        share = Decimal(missing) / (rows + missing) if missing else Decimal(0)
        return replace(self, missing=missing, slack=share.quantize(_TOLERANCE, ROUND_UP))

    @classmethod
    def of(cls, privacy: Privacy, coded: Sequence[Coded] = ()) -> Promise:
        """Return the promise of a policy over its coded columns."""
        by_name = {column.name: column for column in coded}
        people = by_name[privacy.entity].index if privacy.entity is not None else 0
        return cls(
            privacy.k,
            tuple(term for _, term in _terms(privacy, by_name)),
            tuple(column.index for column in coded),
            people,
            privacy.compared,
        )


def _terms(
    privacy: Privacy, coded: Mapping[str, Coded] | None = None
) -> Iterator[tuple[str, Term]]:
    """Yield the terms of all models, each with the place of its bound in the policy. Without the
    ``coded`` columns, their column indices are 0."""
    for model, name, settings in privacy.by_column():
        column = coded[name] if coded is not None else None
        height = column.attribute.height if column and column.attribute else 1
        for parameter, term in settings.terms(column.index if column else 0, height):
            yield f"privacy.{model}.{name}.{parameter}", term
    for model, compared in privacy.of_population():
        for parameter, term in compared.terms():
            yield f"privacy.{model}.{parameter}", term


def promised_facts(privacy: Privacy) -> dict[str, str]:
    """Return the promises besides k that a release states of itself, by the names that the policy
    has for them: of each class, and of the release as a whole. They contain no value of the
    source."""
    entity = {"entity": "k counts people"} if privacy.entity is not None else {}
    facts = {location.removeprefix("privacy."): model.fact for location, model in privacy.models()}
    differential = privacy.differential.facts if privacy.differential is not None else {}
    return entity | facts | privacy.risk.facts | differential


def places(privacy: Privacy) -> list[str]:
    """Return the place in the policy of each term's bound, in the order of
    :attr:`Promise.models`."""
    return [location for location, _ in _terms(privacy)]
