"""What is promised of buckets: of the sensitive values that are released in a table of their own,
apart from their rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anonsql.models.base import Term
from anonsql.policy.privacy import Privacy
from anonsql.star.coded import Coded
from anonsql.star.models import Promise

_APART = ("range", "span")
"""The models of how far apart values are."""


@dataclass(frozen=True)
class Bucketized:
    """A column whose withheld entries are released in buckets, with its promise: at least ``least``
    (l) different values in every bucket, and perhaps a ``model`` of how far apart these are; or a
    t-closeness ``model`` (of equal or ordered distance) that every bucket of at least ``rows`` rows
    keeps. The distribution in a bucket is compared with that of all values of the column.

    ``coded.index`` is the number of the column in the names of scratch columns (w<index>,
    s<index>). Values are dealt to buckets in the order that an ordered distance uses, else in their
    own.
    """

    coded: Coded
    least: int | None = None
    model: Term | None = None
    rows: int = 1

    def __post_init__(self) -> None:
        apart = self.model is not None and self.model.kind in _APART
        if (self.least is None) == (self.model is None or apart):
            raise ValueError("either l or a model is promised of a bucketized column")

    @property
    def smallest(self) -> int:
        """The least number of rows of a bucket."""
        return self.least or self.rows

    @property
    def apart(self) -> Term | None:
        """The model of how far apart the values of a bucket are, where one is promised."""
        return self.model if self.least is not None else None

    @property
    def index(self) -> int:
        """The column's number."""
        return self.coded.index

    @property
    def promise(self) -> Promise:
        """The model as a promise, as the templates of ``models`` check it."""
        return Promise(1, (self.model,) if self.model else (), (self.index,))


def promised(privacy: Privacy, columns: Sequence[Coded], rows: int) -> list[Bucketized]:
    """Return the columns that have buckets, each with its promise. ``columns`` are all that
    ``privacy`` promises something about; ``rows`` is the least number of rows of a bucket of a
    column with t-closeness."""
    promise = Promise.of(privacy, columns)
    models = {model.index: model for model in promise.of_kind("equal", "ordered", *_APART)}
    least = {name: int(settings.least) for name, settings in privacy.l_diversity.items()}
    return [
        Bucketized(each, least.get(each.name), models.get(each.index), rows) for each in columns
    ]
