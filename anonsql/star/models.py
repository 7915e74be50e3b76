"""What a policy promises of every released class: ``star/models/classes.sql`` checks it for
searches and methods, and ``verification/keeping.sql``, which shares nothing with that, for
verification.

A model is *monotone* when the union of classes that keep it keeps it: generalizing a table whose
classes all keep it cannot break it. It stays so *under suppression* (``unions``) when the union of
a class that keeps it with ANY other keeps it too. Else a class that was suppressed may spoil,
merged into another, the one it is merged into, and the rows to be suppressed may become more by
generalization.

========================== ======== ======== ============================================
model                      monotone unions   because
========================== ======== ======== ============================================
k (rows or people)         yes      yes      a union has no fewer of them than either part
distinct l                 yes      yes      nor fewer values
k_map                      yes      yes      nor fewer rows of the population
min_range, min_span        yes      yes      its least value is no greater, its greatest no less
entropy l                  yes      no       entropy is concave, but a part of one value lowers it
recursive (c, l)           yes      no       a commonest value from elsewhere outgrows the others
t_closeness                yes      no       the distance is convex: a far part moves the union
alpha_k                    yes      no       a share is between its parts' shares, not below both
beta_likeness              yes      no       likewise
delta_disclosure           yes      no       likewise
delta_presence, max alone  yes      no       likewise: rows / population
delta_presence with a min  no       no       people without any row join a class; those of a
                                             suppressed class are absent: none may be
========================== ======== ======== ============================================
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_UP, Decimal
from typing import Any

from anonsql.policy.privacy import Privacy
from anonsql.star.coded import Coded

_UPWARD = ("distinct", "k_map", "range", "span")
_TOLERANCE = Decimal("0.000000001")


@dataclass(frozen=True)
class Model:
    """One privacy model besides k. ``kind`` is its name in ``star/models/classes.sql``, ``bound``
    its main parameter (l, t, α, β, δ, k, the greatest presence), ``other`` its second one (c, the
    least presence); ``index`` is that of the sensitive column (0: none), ``height`` that of its
    hierarchy."""

    kind: str
    bound: Decimal
    other: Decimal = Decimal(0)
    index: int = 0
    height: int = 1

    @property
    def log(self) -> Decimal:
        """The natural logarithm of the bound."""
        return Decimal(repr(math.log(self.bound)))

    @property
    def words(self) -> str:
        """The model as messages name it where it is promised of a column's values in a bucket."""
        if self.kind in ("range", "span"):
            return f"min_{self.kind}={_plain(self.bound)}"
        return f"t={_plain(self.bound)} ({self.kind})"

    def stays(self, suppressing: bool) -> bool:
        """Return whether generalizing what satisfies the model leaves it satisfied, with or without
        ``suppressing`` (see the table above)."""
        if self.kind in _UPWARD:
            return True
        return not suppressing and not (self.kind == "presence" and self.other > 0)


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
    models: tuple[Model, ...] = ()
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
        return any(each.other > 0 for each in self.of_kind("presence"))

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

    def of_kind(self, *kinds: str) -> list[Model]:
        """Return the models of some kinds."""
        return [each for each in self.models if each.kind in kinds]

    def about(self, kinds: Sequence[str]) -> dict[int, list[Model]]:
        """Return the models of some kinds, by the index of their column."""
        found: dict[int, list[Model]] = {}
        for each in self.of_kind(*kinds):
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
        models = [
            made
            for model, name, asked in privacy.by_column()
            for made in _of_column(model, asked, by_name[name])
        ]
        if privacy.k_map is not None:
            models.append(Model("k_map", Decimal(privacy.k_map.k)))
        if presence := privacy.delta_presence:
            models.append(Model("presence", presence.max, presence.min))
        people = by_name[privacy.entity].index if privacy.entity is not None else 0
        return cls(
            privacy.k,
            tuple(models),
            tuple(each.index for each in coded),
            people,
            privacy.population is not None,
        )


def _of_column(model: str, asked: Any, coded: Coded) -> Iterator[Model]:
    """Yield the models about a sensitive column from its parameters in the policy."""
    if model == "l_diversity":
        yield Model(asked.type, asked.least, asked.c or Decimal(0), coded.index)
        if asked.apart:
            kind = asked.apart.removeprefix("min_")
            yield Model(kind, getattr(asked, asked.apart), Decimal(0), coded.index)
    elif model == "t_closeness":
        yield Model(
            asked.distance,
            asked.t,
            Decimal(0),
            coded.index,
            coded.attribute.height if coded.attribute else 1,
        )
    else:
        kind = {"alpha_k": "alpha", "beta_likeness": "beta", "delta_disclosure": "delta"}[model]
        yield Model(kind, getattr(asked, kind), Decimal(0), coded.index)


def promised_facts(privacy: Privacy) -> dict[str, str]:
    """Return the promises besides k that a release states of itself, by the policy's names for
    them; they contain no value of the source."""
    said = {"entity": "k counts people"} if privacy.entity is not None else {}
    for model, name, asked in privacy.by_column():
        shown = {
            key: value
            for key, value in asked.model_dump(by_alias=True).items()
            if value is not None
        }
        words = [shown[key] for key in ("type", "distance") if key in shown]
        words += [
            _plain(shown[key]) for key in ("l", "t", "alpha", "beta", "delta") if key in shown
        ]
        words += [
            f"{key}={_plain(shown[key])}" for key in ("c", "min_range", "min_span") if key in shown
        ]
        words += ["of some values" for key in ("values",) if key in shown]
        said[f"{model}.{name}"] = " ".join(words)
    if privacy.k_map is not None:
        said["k_map"] = str(privacy.k_map.k)
    if privacy.delta_presence is not None:
        said["delta_presence"] = (
            f"{_plain(privacy.delta_presence.min)} to {_plain(privacy.delta_presence.max)}"
        )
    return said


def places(privacy: Privacy) -> list[str]:
    """Return the place in the policy of each model's main parameter, in the order of
    :attr:`Promise.models`."""
    main: dict[str, str] = {
        "l_diversity": "l",
        "t_closeness": "t",
        "alpha_k": "alpha",
        "beta_likeness": "beta",
        "delta_disclosure": "delta",
    }
    found = []
    for model, name, asked in privacy.by_column():
        apart = [asked.apart] if model == "l_diversity" and asked.apart else []
        found += [f"privacy.{model}.{name}.{field}" for field in (main[model], *apart)]
    found += ["privacy.k_map.k"] * (privacy.k_map is not None)
    return found + ["privacy.delta_presence.max"] * (privacy.delta_presence is not None)


def _plain(number: Decimal) -> str:
    """Return a number in decimal notation, without trailing zeros."""
    return format(number.normalize(), "f")
