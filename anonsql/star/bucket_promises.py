"""What is promised of buckets: groups of sensitive values that are released in a table of their
own, without the rows that they belong to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anonsql.policy.privacy import Privacy
from anonsql.privacy.base import Term
from anonsql.privacy.promise import Promise
from anonsql.star.coded import Coded

_APART = ("range", "span")
"""The criteria of l-diversity that bound how far apart the values of a class are."""


@dataclass(frozen=True)
class Bucketized:
    """A column whose withheld entries are released in buckets, with one of two promises.

    l-diversity: every bucket has at least ``least`` (l) different values, and they are as far apart
    as the ``model`` demands, where there is one. Or t-closeness: every bucket has at least ``rows``
    rows and keeps the ``model`` (of equal or ordered distance), which compares the distribution in
    the bucket with that of all values of the column.

    Scratch columns are numbered by the column's index: s<index> has its values, w<index> the mark
    of entries that are withheld. Values are dealt to buckets in the order that an ordered distance
    uses, else in their own.
    """

    coded: Coded
    least: int | None = None
    model: Term | None = None
    rows: int = 1

    def __post_init__(self) -> None:
        diverse = self.least is not None
        close = self.model is not None and self.model.kind not in _APART
        if diverse == close:
            raise ValueError("either l or a model is promised of a bucketized column")

    @property
    def smallest(self) -> int:
        """The least number of rows of a bucket: l different values need as many rows."""
        return self.least or self.rows

    @property
    def apart(self) -> Term | None:
        """The model of how far apart the values of a bucket are, where one is promised."""
        return self.model if self.least is not None else None

    @property
    def index(self) -> int:
        """The column's index (see :class:`Coded`)."""
        return self.coded.index

    @property
    def promise(self) -> Promise:
        """The model as a promise, in the form that the templates of privacy models take."""
        return Promise(1, (self.model,) if self.model else (), (self.index,))


def promised(privacy: Privacy, columns: Sequence[Coded], rows: int) -> list[Bucketized]:
    """Return the bucketized ones of the ``columns`` that ``privacy`` is about, with promises; where
    t-closeness is promised a bucket has at least ``rows`` rows."""
    promise = Promise.of(privacy, columns)
    models = {model.index: model for model in promise.of_kind("equal", "ordered", *_APART)}
    least = {name: int(settings.least) for name, settings in privacy.l_diversity.items()}
    return [
        Bucketized(column, least.get(column.name), models.get(column.index), rows)
        for column in columns
    ]
