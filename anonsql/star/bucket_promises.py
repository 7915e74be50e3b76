"""What is promised of the buckets that the sensitive values of a column lie in, where they do not
stand beside its rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anonsql.policy.privacy import Privacy
from anonsql.star.coded import Coded
from anonsql.star.models import Model, Promise

_APART = ("range", "span")
"""The models of how far values lie apart."""


@dataclass(frozen=True)
class Bucketized:
    """A column with withheld cells and its promise: ``least`` (l) different values in every bucket,
    and beside it perhaps a ``model`` of how far they lie apart; or a t-closeness ``model`` (of
    equal or ordered distance) that every bucket of at least ``rows`` rows keeps. A model is kept
    against all values of the column.

    ``coded.index`` is the number by which scratch tables know the column (w<index>, s<index>).
    Values are dealt in the order that an ordered distance goes by, else in their own.
    """

    coded: Coded
    least: int | None = None
    model: Model | None = None
    rows: int = 1

    def __post_init__(self) -> None:
        apart = self.model is not None and self.model.kind in _APART
        if (self.least is None) == (self.model is None or apart):
            raise ValueError("either l or a model is promised of a bucketized column")

    @property
    def smallest(self) -> int:
        """The rows that a bucket has at least."""
        return self.least or self.rows

    @property
    def apart(self) -> Model | None:
        """How far the values of a bucket lie apart, where that is promised."""
        return self.model if self.least is not None else None

    @property
    def index(self) -> int:
        """The column's number."""
        return self.coded.index

    @property
    def promise(self) -> Promise:
        """Its model, as the templates of ``models`` check it."""
        return Promise(1, (self.model,) if self.model else (), (self.index,))


def promised(privacy: Privacy, columns: Sequence[Coded], rows: int) -> list[Bucketized]:
    """The columns that have buckets, each with its promise. ``columns`` are all that ``privacy``
    makes promises of, ``rows`` those that a bucket of a column with t-closeness has at least."""
    promise = Promise.of(privacy, columns)
    models = {model.index: model for model in promise.of_kind("equal", "ordered", *_APART)}
    least = {name: int(asked.least) for name, asked in privacy.l_diversity.items()}
    return [
        Bucketized(each, least.get(each.name), models.get(each.index), rows) for each in columns
    ]
