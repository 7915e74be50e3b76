"""Staging a release: its rows, what is told about it, and putting it in the place of the previous one."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from anonsql import models
from anonsql.coded import Coded
from anonsql.engines.base import EXTRA_TABLES, Column, Engine, Part, Relation, Target
from anonsql.errors import Problem
from anonsql.hierarchies import Attribute
from anonsql.lattice import Levels
from anonsql.methods.groups import Form
from anonsql.models import Promise
from anonsql.policy import Policy
from anonsql.search.frequency import FrequencySets
from anonsql.search.measure import Measured
from anonsql.version import __version__

GROUP = Column("group_id", "BIGINT")
COUNT = Column("count", "BIGINT")
"""What joins the two tables of anatomy, and how many rows of a group have a sensitive value."""
ABOUT = (Column("property", "VARCHAR"), Column("value", "VARCHAR"))
COLUMNS = (
    Column("column_name", "VARCHAR"),
    Column("role", "VARCHAR"),
    Column("level", "INTEGER"),
    Column("looks_like", "VARCHAR"),
)


@dataclass(frozen=True)
class ReleasedColumn:
    """One column of the release: a generalized label, a bound of it, a source column kept as it is, or the number of the row's
    group.

    ``position`` counts from 1; a ``hidden`` column is NULL in masked rows.
    """

    position: int
    name: str
    kind: Literal["label", "lo", "hi", "kept", "group"]
    type: str
    column: Column
    attribute: Attribute | None = None
    hidden: bool = False


def released_columns(policy: Policy, columns: Sequence[Column], attributes: Sequence[Attribute]) -> list[ReleasedColumn]:
    """The columns of the release's rows: the source's order less the identifying ones, bounds beside what they bound; of
    anatomy less the sensitive one, and the group at the end."""
    by_name = {attribute.name: attribute for attribute in attributes}
    made: list[ReleasedColumn] = []
    for column in columns:
        attribute = by_name.get(column.name)
        if attribute is not None:
            made.append(ReleasedColumn(len(made) + 1, column.name, "label", policy.label_type, column, attribute))
            if attribute.bounds_type:
                for kind in ("lo", "hi"):
                    name = f"{column.name}_{kind}"
                    made.append(ReleasedColumn(len(made) + 1, name, kind, attribute.bounds_type, column, attribute))
        elif policy.columns[column.name].role != "identifying" and column.name != policy.separated:
            hidden = policy.columns[column.name].suppressed == "mask"
            made.append(ReleasedColumn(len(made) + 1, column.name, "kept", column.released_type, column, None, hidden))
    if policy.separated is not None:
        made.append(ReleasedColumn(len(made) + 1, GROUP.name, "group", GROUP.type, GROUP))
    return made


def name_clashes(policy: Policy, released: Sequence[ReleasedColumn]) -> list[Problem]:
    """Bounds columns, and columns that the method adds, whose name another column of the source or the release has, in
    whatever case."""
    names = [name.lower() for name in policy.columns] + [each.name.lower() for each in released if each.kind in ("lo", "hi")]
    clashing = [
        Problem(
            f"columns.{each.column.name}",
            f"its bounds column {each.name!r} would have the name of another column.",
            "Rename that column in a view, or set `release.bounds: false`.",
        )
        for each in released
        if each.kind in ("lo", "hi") and names.count(each.name.lower()) > 1
    ]
    separated = [name for name in (policy.separated,) if name is not None]
    added = [(GROUP.name, names), (COUNT.name, [name.lower() for name in separated])] if separated else []
    return clashing + [
        Problem("method.type", f"its column {name!r} would have the name of another column.", "Rename that column in a view.")
        for name, others in added
        if name in others
    ]


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
class ByGroups:
    """The tables ``assigned`` and ``groups`` (see :mod:`anonsql.methods.groups`), the form of each attribute's values by
    index, whether cells are divided between groups (which row falls to which is in ``placed`` then). ``by_values`` when ``assigned``
    has the codes of sensitive values too, ``rings`` when what is released alike is no class (:mod:`anonsql.methods.ring`)."""

    forms: Mapping[int, Form]
    split: bool
    by_values: bool = False
    rings: bool = False
    arrays: bool = False


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
class Recoding:
    """How the source becomes the release: what each row's values become, the released columns, what is suppressed."""

    promise: Promise
    attributes: Sequence[Attribute]
    coded: Sequence[Coded]
    by: ByLevels | ByGroups | BySeparation
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
        return None, "as it is" if isinstance(self.by, BySeparation) else _FORMS[self.by.forms[attribute.index]]


_FORMS: dict[Form, str] = {
    "node": "a value of its hierarchy",
    "range": "[least,greatest]",
    "set": "{one, another}",
    "numbers": "[first,last] of an interval",
    "names": "first … last of an interval",
}


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
    if isinstance(by, ByGroups):
        shared |= {"split": by.split, "valued": recoding.valued, "salt": salt}
        if by.split:
            engine.run("release/placed", **shared)
        target.stage("rows", "release/groups", columns, **shared)
        return
    classes = by.classes if recoding.suppression.rows else ""
    target.stage("rows", "release/rows", columns, levels=by.levels, kept_classes=classes, salt=salt, **shared)


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
        if each.kind == "group":
            facts += [
                (each.name, "group", None, "number of the row's group, by which __sensitive is joined", each.position),
                (policy.separated, "sensitive", None, "not beside the rows: by group, with counts, in __sensitive", each.position + 1),
            ]
            continue
        role = policy.columns[each.column.name].role
        if each.attribute is None:
            facts.append((each.name, role, None, "as it is", each.position))
        elif each.kind == "label":
            facts.append((each.name, role, *recoding.told_of(each.attribute), each.position))
        else:
            word = "least" if each.kind == "lo" else "greatest"
            facts.append((each.name, role, None, f"{word} value that {each.column.name} can have", each.position))
    return facts
