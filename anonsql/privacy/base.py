"""What a privacy model is: its settings in a policy, and the criteria that it holds equivalence
classes to.

A model is one file. Its settings are a subclass of :class:`ColumnModel`, by sensitive column, or of
:class:`PopulationModel`. They name :class:`Criterion` objects, each with two templates that share
nothing:

``privacy/<model>/<criterion>_kept.sql``
    for searches and methods: which classes keep it, in the form that ``Criterion.over`` says;
``privacy/<model>/<criterion>_offence.sql``
    for verification: a SELECT of (keys, rows_in_class) for every class that breaks it. Most are a
    condition in ``verification/offence.sql``. The same statement is asked of coded values (see
    ``verification/keeping.sql``) and, by anybody, of the columns of a release (see
    :mod:`anonsql.verification.plain_sql`).

Both see ``model``, the :class:`Term`, and ``promise``. A release that is judged without its source
may lack some of its rows: ``promise.missing`` of them, a share ``promise.slack``, and a class may
fail only where it would whatever those rows were. (t-closeness is judged more sharply then, see
:mod:`anonsql.verification.closeness`.)

A criterion is *monotone* when the union of classes that keep it keeps it: generalizing a table
whose classes all keep it cannot break it. It stays so *under suppression* (``unions``) when the
union of a class that keeps it with ANY other keeps it too. Else a class that was suppressed may
spoil, merged into another, the one it is merged into, and the rows to be suppressed may become more
by generalization.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

from pydantic import BaseModel, ConfigDict, model_validator

from anonsql.system.scalars import plain

Over = Literal["counts", "shares", "values", "classes"]
"""What the ``_kept`` template of a criterion is: a condition over the ``counts`` of a class
(``privacy/counts.sql``), over the ``shares`` of a column's values in it
(``privacy/shares.sql``) or over the ``values`` as numbers (``privacy/ranges.sql``), which
are asked of all classes in one pass; or a SELECT of its own over ``classes``, of (keys, n: none,
ok)."""

Figure = Literal["named", "share", "place", "position", "number", "table_share", "table_values"]
"""What an offence may ask of a value in a class, besides its rows: see
``verification/offence.sql``."""


@dataclass(frozen=True)
class Criterion:
    """A condition that a class keeps or breaks, and why it is monotone or not (``because``).

    ``step`` and ``loosest`` say how advice relaxes its bound where a promise cannot be kept: by
    which steps, and to which value at most; both are shares of the bound where they are
    ``relative`` to it. ``figures`` are what its offence asks of a value besides its rows.
    ``owed_to_all``: a second parameter above 0 is a least that is owed to everybody in the
    population. ``words`` name it with its bound in messages, where it is promised of buckets.
    """

    model: str
    name: str
    over: Over
    step: Decimal
    loosest: Decimal
    because: str
    monotone: bool = True
    unions: bool = False
    relative: bool = False
    figures: tuple[Figure, ...] = ()
    owed_to_all: bool = False
    words: str = ""

    @property
    def of_people(self) -> bool:
        """Whether it can be asked of people that match, each of whom may have several values."""
        return self.over in ("counts", "shares")


@dataclass(frozen=True)
class Term:
    """A criterion with its parameters: ``bound``, the main one (l, t, α, β, δ, k, the greatest
    presence), and ``other``, its second one (c, the least presence); ``index`` is that of the
    sensitive column (0: none), ``height`` that of its hierarchy."""

    criterion: Criterion
    bound: Decimal
    other: Decimal = Decimal(0)
    index: int = 0
    height: int = 1

    @property
    def kind(self) -> str:
        """The criterion's name."""
        return self.criterion.name

    @property
    def kept(self) -> str:
        """The template by which searches and methods judge classes."""
        return f"privacy/{self.criterion.model}/{self.kind}_kept.sql"

    @property
    def offence(self) -> str:
        """The template by which verification, and anybody in a release, finds the classes that
        break the criterion."""
        return f"privacy/{self.criterion.model}/{self.kind}_offence.sql"

    @property
    def log(self) -> Decimal:
        """The natural logarithm of the bound."""
        return Decimal(repr(math.log(self.bound)))

    @property
    def words(self) -> str:
        """The term as messages name it."""
        return (self.criterion.words or f"{self.kind} {{}}").format(plain(self.bound))

    @property
    def of_everybody(self) -> bool:
        """Whether it is owed to everybody in the population, so that nobody may be certainly absent
        from the release."""
        return self.criterion.owed_to_all and self.other > 0

    @property
    def relaxation(self) -> tuple[Decimal, Decimal]:
        """The step by which the bound is relaxed, and the loosest value worth naming."""
        unit = self.bound if self.criterion.relative else Decimal(1)
        return self.criterion.step * unit, self.criterion.loosest * unit

    def stays(self, suppressing: bool) -> bool:
        """Return whether generalizing what satisfies the term leaves it satisfied, with or without
        ``suppressing``."""
        if self.criterion.unions:
            return True
        return self.criterion.monotone and not suppressing and not self.of_everybody


@dataclass(frozen=True)
class Needs:
    """What a model needs of a column's values besides their counts: their ``order`` (``given`` by
    the policy for text), the distances between them (``apart``: the field that asks), the column's
    ``hierarchy``; and the values that it is about, where not about all (``named``)."""

    order: bool = False
    given: tuple[str, ...] = ()
    apart: str | None = None
    hierarchy: bool = False
    named: tuple[str, ...] = ()


class ModelSettings(BaseModel):
    """What a policy may say of a privacy model, and what follows from it."""

    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, defer_build=True)

    name: ClassVar[str]
    """The model's name, a field of ``privacy``."""
    main: ClassVar[str]
    """The policy's name of the model's main parameter."""
    criteria: ClassVar[tuple[Criterion, ...]]
    """All that it may hold classes to."""
    short: ClassVar[bool] = True
    """Whether a bare number stands for the main parameter: ``disease: 3`` for ``disease: {l:
    3}``."""
    bare: ClassVar[str] = ""
    """What the schema of policies says of a bare number."""
    variants: ClassVar[tuple[str, ...]] = ()
    """Variants that a method may keep or not: ``l_diversity.entropy`` is the variant ``entropy``
    of ``l_diversity``."""
    templates: ClassVar[Path | None] = None
    """The folder of its templates, where another package adds the model."""

    @model_validator(mode="before")
    @classmethod
    def _spelled(cls, value: Any) -> Any:
        """Take a bare number for the main parameter."""
        numeric = isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)
        return {cls.main: value} if cls.short and numeric else value

    def terms(self, index: int = 0, height: int = 1) -> Iterator[tuple[str, Term]]:
        """Yield the terms that are promised of each class, each with the policy's name for the
        field of its bound. ``index`` is that of the sensitive column, ``height`` that of its
        hierarchy."""
        raise NotImplementedError

    @property
    def fact(self) -> str:
        """What a release states of the promise; it contains no value of the source."""
        return plain(next(term.bound for _, term in self.terms()))

    @classmethod
    def in_words(cls, fact: str, column: str, group: str) -> str:
        """Return in a sentence what a release promises by a :attr:`fact` about a column ("" for
        models about a population). ``group`` is what the sentence calls a class: class, group or
        bucket."""
        name = f"{cls.name}.{column}" if column else cls.name
        return f"Every {group} keeps “{name}: {fact}”."

    @classmethod
    def of_fact(cls, fact: str) -> Self:
        """Return the settings that a release states by a :attr:`fact`; raise ValueError where it
        states none. What a fact leaves out (values, their order) is left out of them."""
        return cls.model_validate({cls.main: fact.split(" ", maxsplit=1)[0]})

    @property
    def of_everybody(self) -> bool:
        """Whether a part of it is owed to everybody in the population."""
        return any(term.of_everybody for _, term in self.terms())


class ColumnModel(ModelSettings):
    """A model about the values of a sensitive column in each class."""

    distribution: ClassVar[bool] = False
    """Whether it holds the values' distribution in a class against that in the whole table."""

    @property
    def variant(self) -> str | None:
        """Which of the variants it is, where it is one."""
        return None

    @property
    def parts(self) -> tuple[tuple[str, str], ...]:
        """Further variants that it asks for besides, each with its field."""
        return ()

    @property
    def needs(self) -> Needs:
        """What it needs of the column's values."""
        return Needs()

    @property
    def by_values(self) -> bool:
        """Whether it is about values alone, so that it can be judged by who may be whom, without
        classes."""
        return False

    @property
    def loose(self) -> str | None:
        """The field that allows nearly all rows of a class to have one value, where one does."""
        return None

    @property
    def nearest(self) -> str | None:
        """The template of (code, share, distance) for every value: how far a class of it alone is
        from the whole table. None where the model is no bound of such a distance."""
        return None

    def without_bound(self, commonest: float) -> str | None:
        """Return to what the main parameter should be lowered, where it lets all rows of a class
        have the commonest value of the column, of that share; None where it does not."""
        return None


class PopulationModel(ModelSettings):
    """A model that holds each class against the population."""


MAX_K = 10**12
NEARLY_ALL = Decimal("0.95")
"""Share of a class from which a value counts as that of nearly all rows."""


def rounded_down(number: float) -> str:
    """Return a bound, rounded down to four decimal places."""
    return format(math.floor(number * 10_000) / 10_000, "g")
