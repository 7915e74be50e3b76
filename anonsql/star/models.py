"""What a policy promises of every released class: ``star/models/classes.sql`` checks it for
searches and methods, and ``verification/keeping.sql``, which shares nothing with that, for
verification.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_UP, Decimal

from anonsql.models.base import Over, Term
from anonsql.policy.privacy import Privacy
from anonsql.sql import templates
from anonsql.star.coded import Coded

_TOLERANCE = Decimal("0.000000001")


@dataclass(frozen=True)
class Promise:
    """All that ``privacy`` promises of an equivalence class, as ``star/models/classes.sql`` checks.

    Besides the codes of the quasi-identifying attributes, cells have ``extras``, columns of codes
    (of sensitive values, of people), and ``weights``, columns of counts: ``n`` rows of the table
    first, then ``p`` rows of the population where there is one. Rolling cells up keeps the extras
    and sums the weights. ``coded`` are the indices of the extras, ``people`` the index of the
    column that identifies people (0: none).

    Where a release is judged without its source, ``missing`` rows, a share ``slack`` of the
    source's, are not there to be counted: a class then fails only if it would fail whatever those
    rows were.
    """

    k: int
    models: tuple[Term, ...] = ()
    coded: tuple[int, ...] = ()
    people: int = 0
    population: bool = False
    missing: int = 0
    slack: Decimal = Decimal(0)
    tolerance: Decimal = field(default=_TOLERANCE, repr=False)

    @property
    def extras(self) -> tuple[str, ...]:
        """The code columns of cells besides those of quasi-identifying attributes."""
        return tuple(f"x{index}" for index in self.coded)

    @property
    def weights(self) -> tuple[str, ...]:
        """The columns of counts in cells."""
        return ("n", "p") if self.population else ("n",)

    @property
    def plain(self) -> bool:
        """Whether a class is judged by its number of rows alone: only k rows are promised."""
        return not self.coded and not self.population

    @property
    def of_everybody(self) -> bool:
        """Whether the promise is owed to everybody in the population, so that nobody may be
        certainly absent from the release: neither groups without a row of the table nor suppressed
        classes keep it."""
        return any(each.of_everybody for each in self.models)

    def core(self, limit: int) -> Promise:
        """Return the monotone part of the promise under up to ``limit`` suppressed rows: a search
        may prune by that."""
        return replace(self, models=tuple(each for each in self.models if each.stays(limit > 0)))

    def without(self) -> Promise:
        """Return a promise over the same codes that every class keeps."""
        return replace(self, k=1, models=(), people=0)

    def monotone(self, limit: int) -> bool:
        """Return whether generalizing a node that satisfies with up to ``limit`` suppressed rows
        leaves it satisfying."""
        return self.core(limit) == self

    def of_kind(self, *kinds: str) -> list[Term]:
        """Return the terms of some criteria, by their names."""
        return [each for each in self.models if each.kind in kinds]

    @property
    def counted(self) -> bool:
        """Whether plain counts of a class tell whether it keeps the promise."""
        return all(each.criterion.over == "counts" for each in self.models)

    def over(self, what: Over) -> list[Term]:
        """Return the terms whose templates are conditions over what is named."""
        return [each for each in self.models if each.criterion.over == what]

    def by_column(self, what: Over) -> dict[int, list[Term]]:
        """Return the terms over what is named by the index of their column."""
        found: dict[int, list[Term]] = {}
        for each in self.over(what):
            found.setdefault(each.index, []).append(each)
        return found

    def seen_alone(self, rows: int, missing: int) -> Promise:
        """Return the promise as a release of ``rows``, which lacks ``missing`` rows of its source,
        can be judged without that source."""
        share = Decimal(missing) / (rows + missing) if missing else Decimal(0)
        return replace(self, missing=missing, slack=share.quantize(_TOLERANCE, ROUND_UP))

    @classmethod
    def of(cls, privacy: Privacy, coded: Sequence[Coded] = ()) -> Promise:
        """Return the promise of a policy over its coded columns."""
        by_name = {each.name: each for each in coded}
        people = by_name[privacy.entity].index if privacy.entity is not None else 0
        return cls(
            privacy.k,
            tuple(term for _, term in _terms(privacy, by_name)),
            tuple(each.index for each in coded),
            people,
            privacy.population is not None,
        )


def _terms(
    privacy: Privacy, coded: Mapping[str, Coded] | None = None
) -> Iterator[tuple[str, Term]]:
    """Yield the terms of all models, each with the place of its bound in the policy; with no index
    of a column where the ``coded`` columns are not given. Make the templates of models that other
    packages add available."""
    for _, each in privacy.models():
        if each.templates is not None:
            templates.add("models", each.name, each.templates)
    for model, name, settings in privacy.by_column():
        column = coded[name] if coded is not None else None
        height = column.attribute.height if column and column.attribute else 1
        for parameter, term in settings.terms(column.index if column else 0, height):
            yield f"privacy.{model}.{name}.{parameter}", term
    for model, compared in privacy.of_population():
        for parameter, term in compared.terms():
            yield f"privacy.{model}.{parameter}", term


def promised_facts(privacy: Privacy) -> dict[str, str]:
    """Return the promises besides k that a release states of itself, by the policy's names for
    them; they contain no value of the source."""
    entity = {"entity": "k counts people"} if privacy.entity is not None else {}
    facts = {place.removeprefix("privacy."): facts.fact for place, facts in privacy.models()}
    return entity | facts


def places(privacy: Privacy) -> list[str]:
    """Return the place in the policy of each term's bound, in the order of
    :attr:`Promise.models`."""
    return [place for place, _ in _terms(privacy)]
