"""Staging a release: its rows, what is told about it, and putting it in the place of the previous one."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from anonsql import expanded, models
from anonsql.coded import Coded
from anonsql.engines.base import EXTRA_TABLES, Column, Engine, Part, Relation, Target
from anonsql.expanded import InBuckets, Shown
from anonsql.hierarchies import Attribute
from anonsql.lattice import Levels
from anonsql.local_policy import bucket_name, bucket_parts
from anonsql.methods.buckets import Bucketized
from anonsql.methods.groups import Form
from anonsql.methods.patterns import Marks
from anonsql.models import Promise
from anonsql.policy import Policy
from anonsql.released import COUNT, GROUP, RECORD, ReleasedColumn
from anonsql.search.frequency import FrequencySets
from anonsql.search.measure import Measured
from anonsql.version import __version__

ABOUT = (Column("property", "VARCHAR"), Column("value", "VARCHAR"))
COLUMNS = (
    Column("column_name", "VARCHAR"),
    Column("role", "VARCHAR"),
    Column("level", "INTEGER"),
    Column("looks_like", "VARCHAR"),
)


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
        return cls(rows, policy.release.suppressed == "mask" and not quarantine and maskable, quarantine)


def judge(sets: FrequencySets, frequencies: str, classes: str) -> None:
    """Make the table ``classes`` of verdicts on the classes of a node: their codes c1 … cn, n and ok."""
    keys = [f"c{each.index}" for each in sets.star.attributes]
    sets.engine.run("models/table", name=classes, select="models/classes", table=frequencies, keys=keys, promise=sets.promise)


def maskable(sets: FrequencySets, node: Measured, classes: str, frequencies: str) -> bool:
    """Whether the suppressed rows of a node, masked, could be told from its classes and would be a class that keeps the
    promise; ``classes`` is the table of its verdicts, ``frequencies`` of its frequency set."""
    if not node.sizes.suppressed:
        return False
    parameters = {"classes": classes, "attributes": sets.star.attributes}
    if sets.engine.query("release/starred", levels=node.levels, **parameters)[0][0]:
        return False
    return bool(sets.engine.query("release/masked", frequencies=frequencies, promise=sets.promise, **parameters)[0][0])


@dataclass(frozen=True)
class ByLevels:
    """A full-domain generalization: a level for each attribute, by index, and the table of its frequency set."""

    levels: Levels
    classes: str


@dataclass(frozen=True)
class Relocation:
    """How far rows are from where they belong: cells that were changed, cells that may be, and the significance level at which the
    new group sizes must not be told from the old ones; ``levels`` of the generalization that is relocated in, where it has such."""

    cells: int
    max_cells: int
    alpha: Decimal | None
    levels: Levels | None


@dataclass(frozen=True)
class ByGroups:
    """The tables ``assigned`` and ``groups`` (see :mod:`anonsql.methods.groups`), the form of each attribute's values by
    index, whether cells are divided between groups (which row falls to which is in ``placed`` then). ``by_values`` when ``assigned``
    has the codes of sensitive values too, ``rings`` when what is released alike is no class (:mod:`anonsql.methods.ring`)."""

    forms: Mapping[int, Form]
    split: bool
    by_values: bool = False
    rings: bool = False
    arrays: bool = False
    relocation: Relocation | None = None


@dataclass(frozen=True)
class BySeparation:
    """The table ``separated`` (see :mod:`anonsql.methods.anatomy`) of rows as they are, with their groups, and the sensitive
    column that is released apart."""

    sensitive: Coded

    @property
    def columns(self) -> list[Column]:
        """The columns of the table of sensitive values."""
        column = self.sensitive.column
        return [GROUP, Column(column.name, self.sensitive.cast or column.released_type), COUNT]


@dataclass(frozen=True)
class ByBuckets:
    """The tables ``bucketed`` (see :mod:`anonsql.methods.buckets`) of rows with their groups and buckets, and ``groups``; the form of
    each attribute's values by index, and how the rows were marked, which names the columns that have buckets."""

    forms: Mapping[int, Form]
    marks: Marks
    dealt: Sequence[Bucketized]

    def number(self, released: ReleasedColumn) -> int:
        """The number by which ``bucketed`` knows a released column: k<number> of a kept one, b<number> of a bucket."""
        if released.kind == "bucket":
            return next(each.index for each in self.marks.bucketized if each.name == released.column.name)
        return next((number for number, each in enumerate(self.marks.kept, start=1) if each.name == released.column.name), 0)

    @property
    def parts(self) -> dict[Part, Coded]:
        """The tables of buckets, and the column of each."""
        parts = bucket_parts([each.name for each in self.marks.bucketized])
        return {parts[each.name]: each for each in self.marks.bucketized}

    def columns(self, coded: Coded) -> list[Column]:
        """The columns of the table of a column's buckets."""
        return [Column(bucket_name(coded.name), "BIGINT"), Column(coded.name, coded.cast or coded.column.released_type), COUNT]


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
        if isinstance(self.by, ByGroups) and self.by.relocation is not None and self.by.relocation.levels is not None:
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


def stage_rows(engine: Engine, target: Target, source: Relation, recoding: Recoding) -> None:
    """Write the generalized rows to the coming release, in an order that only a discarded salt knows."""
    by = recoding.by
    ordering = free_name([each.name for each in recoding.released])
    shared: dict[str, Any] = {
        "source": source,
        "attributes": recoding.attributes,
        "released": recoding.released,
        "masked": recoding.suppression.masked,
        "ordering": ordering,
    }
    columns = [Column(each.name, each.type, each.column.comparable) for each in recoding.released]
    if isinstance(by, BySeparation):
        target.stage("rows", "release/separated", columns, released=recoding.released, salt=secrets.token_hex(32), ordering=ordering)
        titles = [each.name for each in by.columns]
        told = {"titles": titles, "group": recoding.released[-1].position, "ordering": free_name(titles)}
        target.stage("sensitive", "release/sensitive", by.columns, salt=secrets.token_hex(32), **told)
        return
    salt = secrets.token_hex(32)
    if isinstance(by, ByBuckets):
        numbers = {each.position: by.number(each) for each in recoding.released}
        target.stage("rows", "release/bucketed", columns, released=recoding.released, numbers=numbers, salt=salt, ordering=ordering)
        for part, each in by.parts.items():
            titles = [column.name for column in by.columns(each)]
            told = {"index": each.index, "titles": titles, "ordering": free_name(titles)}
            target.stage(part, "release/bucket", by.columns(each), salt=secrets.token_hex(32), **told)
        _stage_view(target, recoding.released, by)
        return
    if isinstance(by, ByGroups):
        shared |= {"split": by.split, "valued": recoding.valued, "salt": salt}
        if by.split:
            engine.run("release/placed", **shared)
        target.stage("rows", "release/groups", columns, **shared)
        return
    classes = by.classes if recoding.suppression.rows else ""
    target.stage("rows", "release/rows", columns, levels=by.levels, kept_classes=classes, salt=salt, **shared)


def _stage_view(target: Target, released: Sequence[ReleasedColumn], by: ByBuckets) -> None:
    """What every cell can be, as a view over the tables."""
    semi = {each.name for each in by.marks.semi}
    labels = [Column(each.name, "VARCHAR") for each in released if each.kind == "label"]
    shown = [Shown(each, bucket_name(each.name) if each.name in semi else None) for each in labels]
    buckets = [InBuckets(by.columns(each)[1], bucket_name(each.name), part) for part, each in by.parts.items()]
    expanded.stage(target, RECORD.name, shown, buckets)


def free_name(names: Sequence[str]) -> str:
    """A column name that none of ``names`` is."""
    name = "ordering"
    while name in {each.lower() for each in names}:
        name += "_"
    return name


def stage_facts(target: Target, policy: Policy, rows: int, recoding: Recoding, told: Mapping[str, object]) -> None:
    """Write ``<table>__about`` and ``<table>__columns``: what may be told, and nothing that helps an attacker.

    ``rows`` counts the source's rows; ``told`` are the sizes and measures of the release.
    """
    suppression = recoding.suppression
    about = {
        "method": policy.method.type,
        "k": policy.privacy.k,
        **models.told(policy.privacy),
        "suppression_limit": policy.privacy.suppression_limit,
        "rows": rows - (0 if suppression.masked else suppression.rows),
        "suppressed": 0 if suppression.quarantined else suppression.rows,
        **({"quarantined": suppression.rows} if suppression.quarantined else {}),
        "masked": suppression.rows if suppression.masked else 0,
        **({EXTRA_TABLES: ", ".join(f"__{part}" for part in policy.release_parts)} if policy.release_parts else {}),
        **{name: format(value, ".12g") if isinstance(value, float) else value for name, value in told.items()},
        "anonsql": __version__,
    }
    facts = [(name, str(value), number) for number, (name, value) in enumerate(about.items())]
    _stage_table(target, "about", ABOUT, facts)
    _stage_table(target, "columns", COLUMNS, _column_facts(policy, recoding))


def _stage_table(target: Target, part: Part, columns: Sequence[Column], facts: Sequence[Sequence[object]]) -> None:
    """Write a table of facts; the last cell of each row is its place."""
    typed = [(column.name, column.type) for column in columns]
    target.stage(part, "release/facts", columns, facts=facts, typed=typed, ordering="ordering")


def _column_facts(policy: Policy, recoding: Recoding) -> list[tuple[object, ...]]:
    facts: list[tuple[object, ...]] = []
    for each in recoding.released:
        if each.kind in ("record", "group", "bucket"):
            joined = ", by which __sensitive is joined" if policy.separated is not None else ""
            what = {"record": "number of the row, new and random", "group": f"number of the row's group{joined}"}
            told = what.get(each.kind, f"number of its bucket, by which __{policy.tabled.get(each.column.name)} is joined")
            facts.append((each.name, each.kind, None, told, each.position))
            continue
        role = policy.columns[each.column.name].role
        if each.attribute is None:
            facts.append((each.name, role, None, "as it is", each.position))
        elif each.kind == "label":
            facts.append((each.name, role, *recoding.told_of(each.attribute), each.position))
        else:
            word = "least" if each.kind == "lo" else "greatest"
            facts.append((each.name, role, None, f"{word} value that {each.column.name} can have", each.position))
    end = len(recoding.released)
    by = "bucket" if policy.bucketized else "group"
    return facts + [
        (name, "sensitive", None, f"not beside the rows: by {by}, with counts, in __{policy.tabled[name]}", end + number)
        for number, name in enumerate(policy.apart, start=1)
    ]
