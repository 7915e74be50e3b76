"""How the source becomes the release: what each row's values become, by which tables, and what happens to suppressed rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from anonsql.engines.base import Column, Part
from anonsql.hierarchies.dimensions import Attribute
from anonsql.methods.groups import Form
from anonsql.methods.hybrid.relocated_groups import Relocated
from anonsql.methods.local.buckets import Bucketized
from anonsql.methods.local.patterns import Marks
from anonsql.policy.local import bucket_name, bucket_parts
from anonsql.policy.policy import Policy
from anonsql.release.columns import COUNT, GROUP, ReleasedColumn
from anonsql.star.coded import Coded
from anonsql.star.lattice import Levels
from anonsql.star.models import Promise


@dataclass(frozen=True)
class Suppression:
    """What happens to suppressed rows: ``rows`` of them, kept as ``*`` when ``masked``, not counted against the policy's
    limit when ``quarantined`` (a scheme applied to new rows).

    Masked rows are a class: where that would break the promise, or another class is ``*`` in every column anyhow and they
    could not be told from it, they are left out even where masking is asked.
    """

    rows: int
    masked: bool
    quarantined: bool = False

    @classmethod
    def of(cls, policy: Policy, rows: int, maskable: bool, quarantine: bool = False) -> Suppression:
        """As the policy wants it, as far as the promise and the classes allow: ``maskable``."""
        return cls(
            rows, policy.release.suppressed == "mask" and not quarantine and maskable, quarantine
        )


@dataclass(frozen=True)
class ByLevels:
    """A full-domain generalization: a level for each attribute, by index, and the table of its frequency set."""

    levels: Levels
    classes: str


@dataclass(frozen=True)
class Relocation:
    """What was relocated, and how far that may go: cells that may be changed, and the significance level at which the new group sizes
    must not be told from the old ones; ``levels`` of the generalization that is relocated in, where it has such."""

    done: Relocated
    max_cells: int
    alpha: Decimal | None
    levels: Levels | None


@dataclass(frozen=True)
class ByGroups:
    """The tables ``assigned`` and ``groups`` (see :mod:`anonsql.methods.groups`), the form of each attribute's values by
    index, whether cells are divided between groups (which row falls to which is in ``placed`` then). ``by_values`` when ``assigned``
    has the codes of sensitive values too, ``rings`` when what is released alike is no class (:mod:`anonsql.methods.ring.recode`)."""

    forms: Mapping[int, Form]
    split: bool
    by_values: bool = False
    rings: bool = False
    arrays: bool = False
    relocation: Relocation | None = None


@dataclass(frozen=True)
class BySeparation:
    """The table ``separated`` (see :mod:`anonsql.methods.anatomy.separate`) of rows as they are, with their groups, and the sensitive
    column that is released apart."""

    sensitive: Coded

    @property
    def columns(self) -> list[Column]:
        """The columns of the table of sensitive values."""
        column = self.sensitive.column
        return [GROUP, Column(column.name, self.sensitive.cast or column.released_type), COUNT]


@dataclass(frozen=True)
class ByBuckets:
    """The tables ``bucketed`` (see :mod:`anonsql.methods.local.buckets`) of rows with their groups and buckets, and ``groups``; the form of
    each attribute's values by index, and how the rows were marked, which names the columns that have buckets."""

    forms: Mapping[int, Form]
    marks: Marks
    dealt: Sequence[Bucketized]

    def number(self, released: ReleasedColumn) -> int:
        """The number by which ``bucketed`` knows a released column: k<number> of a kept one, b<number> of a bucket."""
        if released.kind == "bucket":
            return next(
                each.index for each in self.marks.bucketized if each.name == released.column.name
            )
        return next(
            (
                number
                for number, each in enumerate(self.marks.kept, start=1)
                if each.name == released.column.name
            ),
            0,
        )

    @property
    def parts(self) -> dict[Part, Coded]:
        """The tables of buckets, and the column of each."""
        parts = bucket_parts([each.name for each in self.marks.bucketized])
        return {parts[each.name]: each for each in self.marks.bucketized}

    def columns(self, coded: Coded) -> list[Column]:
        """The columns of the table of a column's buckets."""
        return [
            Column(bucket_name(coded.name), "BIGINT"),
            Column(coded.name, coded.cast or coded.column.released_type),
            COUNT,
        ]


By = ByLevels | ByGroups | BySeparation | ByBuckets


@dataclass(frozen=True)
class Recoding:
    """How the source becomes the release: what each row's values become, the released columns, what is suppressed."""

    promise: Promise
    attributes: Sequence[Attribute]
    coded: Sequence[Coded]
    by: By
    released: Sequence[ReleasedColumn]
    suppression: Suppression

    @property
    def valued(self) -> Sequence[Coded]:
        """The sensitive columns whose codes say, with the cell's, which group a row belongs to."""
        return self.coded if isinstance(self.by, ByGroups) and self.by.by_values else ()

    def told_of(self, attribute: Attribute) -> tuple[int | None, str]:
        """The level of an attribute, where it has one, and what its released values look like."""
        if isinstance(self.by, ByLevels):
            level = self.by.levels[attribute.index]
            return level, attribute.levels[level]
        if isinstance(self.by, BySeparation):
            return None, "as it is"
        if (
            isinstance(self.by, ByGroups)
            and self.by.relocation is not None
            and self.by.relocation.levels is not None
        ):
            level = self.by.relocation.levels[attribute.index]
            return level, attribute.levels[level]
        form = self.by.forms[attribute.index]
        looks = _node_form(attribute) if form == "node" else _FORMS[form]
        withheld = isinstance(self.by, ByBuckets) and attribute.index in self.by.marks.conditions
        return None, f"{looks}; nothing where it is sensitive" if withheld else looks


_FORMS: dict[Form, str] = {
    "node": "a value of its hierarchy",
    "range": "[least,greatest]",
    "set": "{one, another}",
    "numbers": "[first,last] of an interval",
    "names": "first … last of an interval",
}


def _node_form(attribute: Attribute) -> str:
    """What the nodes of a hierarchy look like, as far as that tells them from values."""
    if attribute.template == "hierarchies/suppression":
        return "as it is, or *"
    if attribute.template == "hierarchies/mask" and attribute.height > 1:
        return f"as it is, or up to {attribute.levels[-2]}"
    return _FORMS["node"]
