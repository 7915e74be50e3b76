"""How the source becomes the release: what is released for the values of each row, from which
scratch tables, what happens to suppressed rows, and the view ``<table>__expanded`` of every value
that each entry can be, with its probability.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from anonsql.engines.base import Column, Part
from anonsql.engines.target import Target
from anonsql.grammar.forms import Looks
from anonsql.hierarchies.dimensions import Attribute
from anonsql.policy.method import Form
from anonsql.policy.table_plan import TablePlan
from anonsql.privacy.promise import Promise
from anonsql.release.columns import ReleasedColumn
from anonsql.star.coded import Coded
from anonsql.star.lattice import Levels


@dataclass(frozen=True)
class ExpandedColumn:
    """A column of released rows; ``bucket`` has bucket numbers where entries are withheld."""

    column: Column
    bucket: str | None = None


@dataclass(frozen=True)
class InBuckets:
    """A bucketized column: its values are released in the table ``part``, with the columns
    ``bucket`` (the name that it has in the rows too), the column's own name, and ``count``."""

    column: Column
    bucket: str
    part: Part
    count: str = "count"


def stage_expanded(
    target: Target, record: str, shown: Sequence[ExpandedColumn], buckets: Sequence[InBuckets]
) -> None:
    """Add the view (record_id, column_name, value, probability) to the staged tables. A released
    label has probability 1; a withheld entry is each value of its bucket with the probability of
    that value's share there. Values are text; the probabilities of a record sum to 1 for each of
    its columns. ``record`` is the column that identifies rows. Where the release cannot hold views,
    do nothing."""
    target.stage_view("expanded", "release/expanded", record=record, shown=shown, buckets=buckets)


@dataclass(frozen=True)
class Suppression:
    """What happens to suppressed rows: ``rows`` of them, released with ``*`` for every
    quasi-identifying value when ``masked``, not counted against the policy's limit when
    ``quarantined`` (a scheme applied to new rows).

    Masked rows form an equivalence class. If that class would break the promise, or could be
    confused with another class that is ``*`` in every column, they are left out even if the policy
    asks for masking.
    """

    rows: int
    masked: bool
    quarantined: bool = False

    @classmethod
    def of(
        cls, policy: TablePlan, rows: int, maskable: bool, quarantine: bool = False
    ) -> Suppression:
        """Return the suppression of ``rows``, masked where policy and classes allow it."""
        return cls(
            rows, policy.release.suppressed == "mask" and not quarantine and maskable, quarantine
        )


Query = dict[str, Any]
"""The parameters of a template, by name."""


class Changed(Protocol):
    """The untrue values that a method released: rows, quasi-identifying entries, and entries by
    attribute. If a test must not distinguish the new sizes of groups from the old ones, its
    statistic and the critical value."""

    @property
    def rows(self) -> int:
        """The number of rows with such entries."""

    @property
    def cells(self) -> int:
        """The number of entries that are not their rows' true values."""

    @property
    def changed(self) -> Mapping[int, int]:
        """The number of changed entries by the attribute's index."""

    @property
    def chi_squared(self) -> float | None:
        """Pearson's statistic of the sizes of groups."""

    @property
    def critical(self) -> float | None:
        """What the statistic must not exceed."""


class By:
    """The tables that rows are released by; ``by_values``: with codes of sensitive values."""

    by_values: bool = False

    @property
    def changed(self) -> Changed | None:
        """The untrue values in the release; None where the method changes nothing."""
        return None

    def described(self, attribute: Attribute) -> tuple[int | None, Looks]:
        """Return an attribute's level, where all values have one, and the form of its released
        values."""
        raise NotImplementedError

    def left_out(self) -> tuple[str, Query] | None:
        """Return the template that finds the suppressed rows, with its parameters besides those of
        the source; None where no row is ever suppressed."""
        return None

    def people(self, attributes: Sequence[Attribute], frequencies: str) -> tuple[str, Query] | None:
        """Return the template that counts the people of the classes, with its parameters besides
        the attributes; None where k never counts people. ``frequencies`` is the frequency set of a
        full-domain generalization."""
        return None

    def people_of_source(
        self, attributes: Sequence[Attribute], *, suppressed: bool
    ) -> tuple[str, Query] | None:
        """Return the template that counts the people of the smallest class on the rows of the
        source, with its parameters except the source and the attributes; None where rows are no
        classes, or their values do not determine the class."""
        return None


@dataclass(frozen=True)
class ByLevels(By):
    """Full-domain generalization: each attribute's level, and the table of frequencies."""

    levels: Levels
    classes: str

    def described(self, attribute: Attribute) -> tuple[int | None, Looks]:
        """See :class:`By`."""
        level = self.levels[attribute.index]
        return level, attribute.looks(level)

    def left_out(self) -> tuple[str, Query] | None:
        """See :class:`By`."""
        return "risks/left_out/of_levels", {"levels": self.levels, "kept_classes": self.classes}

    def people(self, attributes: Sequence[Attribute], frequencies: str) -> tuple[str, Query] | None:
        """See :class:`By`."""
        return "release/people_of_levels", {"frequencies": frequencies, "classes": self.classes}

    def people_of_source(
        self, attributes: Sequence[Attribute], *, suppressed: bool
    ) -> tuple[str, Query] | None:
        """See :class:`By`."""
        classes = self.classes if suppressed else ""
        parameters: Query = {"levels": self.levels, "kept_classes": classes}
        return "risks/keys_of_people/in_levels", parameters


@dataclass(frozen=True)
class ByGroups(By):
    """The tables ``assigned`` and ``groups`` (see :mod:`anonsql.methods.groups`), the form of each
    attribute's values by index, and whether cells are divided between groups (``placed`` has the
    group of each row then). ``by_values`` when ``assigned`` has the codes of sensitive values too,
    ``rings`` when rows with equal labels are not an equivalence class
    (:mod:`anonsql.methods.ring.method`)."""

    forms: Mapping[int, Form]
    split: bool
    by_values: bool = False
    rings: bool = False
    arrays: bool = False
    withheld: tuple[int, ...] = ()

    def described(self, attribute: Attribute) -> tuple[int | None, Looks]:
        """See :class:`By`."""
        return None, looks_of(attribute, self.forms[attribute.index])

    def left_out(self) -> tuple[str, Query] | None:
        """See :class:`By`."""
        return "risks/left_out/of_groups", {"split": self.split}

    def people(self, attributes: Sequence[Attribute], frequencies: str) -> tuple[str, Query] | None:
        """See :class:`By`."""
        if self.rings:
            return "release/people_of_rings", {}
        return "release/people_of_groups", {"keys": self.keys(attributes)}

    def people_of_source(
        self, attributes: Sequence[Attribute], *, suppressed: bool
    ) -> tuple[str, Query] | None:
        """See :class:`By`."""
        if self.rings or self.split or self.by_values:
            return None
        return "risks/keys_of_people/in_groups", {"keys": self.keys(attributes)}

    def keys(self, attributes: Sequence[Attribute]) -> list[str]:
        """Return the released columns of ``groups``, which decide whether groups have equal
        labels."""
        bounded = [attribute.index for attribute in attributes if attribute.bounds_type]
        return [f"v{attribute.index}" for attribute in attributes] + [
            f"{end}{index}" for index in bounded for end in ("lo", "hi")
        ]


@dataclass(frozen=True)
class Recoding:
    """How the source becomes the release: its columns, each row's released values, and the
    suppressed rows. Groups are made ``within`` values of columns that are not released."""

    promise: Promise
    attributes: Sequence[Attribute]
    coded: Sequence[Coded]
    by: By
    released: Sequence[ReleasedColumn]
    suppression: Suppression
    within: Sequence[Coded] = ()

    @property
    def valued(self) -> Sequence[Coded]:
        """The other columns whose codes, with those of the cell, determine a row's group."""
        return (*(self.coded if self.by.by_values else ()), *self.within)

    def people_of_source(self) -> tuple[str, Query] | None:
        """Return the template that counts the people of the smallest class: see :class:`By`."""
        if self.valued:
            return None
        return self.by.people_of_source(self.attributes, suppressed=self.suppression.rows > 0)


def looks_of(attribute: Attribute, form: Form) -> Looks:
    """Return the looks of an attribute's released values, by the form of its groups' values."""
    if form == "names" and not attribute.leaves:
        return Looks("texts", f"{_LOOKS[form]}, byte by byte")
    return _of_nodes(attribute) if form == "node" else Looks(form, _LOOKS[form])


_LOOKS: dict[Form, str] = {
    "node": "a value of its hierarchy",
    "range": "[least,greatest]",
    "set": "{one, another}",
    "numbers": "[first,last] of an interval",
    "names": "first … last of an interval",
}


def _of_nodes(attribute: Attribute) -> Looks:
    if attribute.template == "hierarchies/suppression":
        return Looks("value-or-star", "as it is, or *")
    if attribute.template == "hierarchies/mask" and attribute.height > 1:
        highest = attribute.looks(attribute.height - 1)
        return Looks(highest.form, f"as it is, or up to {highest.text}")
    return Looks("node", _LOOKS["node"])
