"""Staging a release: its rows, what is told about it, and putting it in the place of the previous one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from anonsql.engines.base import EXTRA_TABLES, Column, Engine, Part, Relation, Target
from anonsql.hierarchies.dimensions import Attribute
from anonsql.policy.local import bucket_name
from anonsql.policy.policy import Policy
from anonsql.release import expanded
from anonsql.release.columns import RECORD, ReleasedColumn
from anonsql.release.expanded import InBuckets, Shown
from anonsql.release.random_order import fresh_salt
from anonsql.release.recoding import ByBuckets, ByGroups, BySeparation, Recoding
from anonsql.search.frequency import FrequencySets
from anonsql.search.measure import Measured
from anonsql.star import models
from anonsql.version import __version__

ABOUT = (Column("property", "VARCHAR"), Column("value", "VARCHAR"))
COLUMNS = (
    Column("column_name", "VARCHAR"),
    Column("role", "VARCHAR"),
    Column("level", "INTEGER"),
    Column("looks_like", "VARCHAR"),
)
HIERARCHIES = (
    Column("column_name", "VARCHAR"),
    Column("level", "INTEGER"),
    Column("label", "VARCHAR"),
    Column("parent", "VARCHAR"),
    Column("place", "INTEGER"),
)


def judge(sets: FrequencySets, frequencies: str, classes: str) -> None:
    """Make the table ``classes`` of verdicts on the classes of a node: their codes c1 … cn, n and ok."""
    keys = [f"c{each.index}" for each in sets.star.attributes]
    sets.engine.run(
        "models/table",
        name=classes,
        select="models/classes",
        table=frequencies,
        keys=keys,
        promise=sets.promise,
    )


def maskable(sets: FrequencySets, node: Measured, classes: str, frequencies: str) -> bool:
    """Whether the suppressed rows of a node, masked, could be told from its classes and would be a class that keeps the
    promise; ``classes`` is the table of its verdicts, ``frequencies`` of its frequency set."""
    if not node.sizes.suppressed:
        return False
    parameters = {"classes": classes, "attributes": sets.star.attributes}
    if sets.engine.query("release/starred", levels=node.levels, **parameters)[0][0]:
        return False
    return bool(
        sets.engine.query(
            "release/masked", frequencies=frequencies, promise=sets.promise, **parameters
        )[0][0]
    )


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
    columns = [
        Column(each.name, each.type, each.column.comparable, bound=each.kind in ("lo", "hi"))
        for each in recoding.released
    ]
    if isinstance(by, BySeparation):
        _stage_shuffled(engine, target, "rows", "release/separated", columns, **shared)
        group = recoding.released[-1].position
        _stage_apart(engine, target, "sensitive", "release/sensitive", by.columns, group=group)
        return
    if isinstance(by, ByBuckets):
        numbers = {each.position: by.number(each) for each in recoding.released}
        shared["numbers"] = numbers
        _stage_shuffled(engine, target, "rows", "release/bucketed", columns, **shared)
        for part, each in by.parts.items():
            index = each.index
            _stage_apart(engine, target, part, "release/bucket", by.columns(each), index=index)
        _stage_view(target, recoding.released, by)
        return
    if isinstance(by, ByGroups):
        shared |= {"split": by.split, "valued": recoding.valued}
        if by.split:
            with fresh_salt(engine):
                engine.run("release/placed", **shared)
        _stage_shuffled(engine, target, "rows", "release/groups", columns, **shared)
        return
    classes = by.classes if recoding.suppression.rows else ""
    shared |= {"levels": by.levels, "kept_classes": classes, "salted": True}
    _stage_shuffled(engine, target, "rows", "release/rows", columns, **shared)


def _stage_shuffled(
    engine: Engine,
    target: Target,
    part: Part,
    template: str,
    columns: Sequence[Column],
    **parameters: Any,
) -> None:
    """Write the rows of a template that puts them into a random order."""
    with fresh_salt(engine):
        target.stage(part, template, columns, **parameters)


def _stage_apart(
    engine: Engine,
    target: Target,
    part: Part,
    template: str,
    columns: Sequence[Column],
    **parameters: Any,
) -> None:
    """Write a table of sensitive values with their counts, in a random order."""
    titles = [each.name for each in columns]
    told = {"titles": titles, "own": columns[1], "ordering": free_name(titles), **parameters}
    _stage_shuffled(engine, target, part, template, columns, **told)


def _stage_view(target: Target, released: Sequence[ReleasedColumn], by: ByBuckets) -> None:
    """What every cell can be, as a view over the tables."""
    semi = {each.name for each in by.marks.semi}
    labels = [Column(each.name, "VARCHAR") for each in released if each.kind == "label"]
    shown = [Shown(each, bucket_name(each.name) if each.name in semi else None) for each in labels]
    buckets = [
        InBuckets(by.columns(each)[1], bucket_name(each.name), part)
        for part, each in by.parts.items()
    ]
    expanded.stage(target, RECORD.name, shown, buckets)


def free_name(names: Sequence[str]) -> str:
    """A column name that none of ``names`` is."""
    name = "ordering"
    while name in {each.lower() for each in names}:
        name += "_"
    return name


def stage_facts(
    target: Target, policy: Policy, rows: int, recoding: Recoding, told: Mapping[str, object]
) -> None:
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
        **(
            {EXTRA_TABLES: ", ".join(f"__{part}" for part in policy.release_parts)}
            if policy.release_parts
            else {}
        ),
        **{
            name: format(value, ".12g") if isinstance(value, float) else value
            for name, value in told.items()
        },
        "anonsql": __version__,
    }
    facts = [(name, str(value), number) for number, (name, value) in enumerate(about.items())]
    _stage_table(target, "about", ABOUT, facts)
    _stage_table(target, "columns", COLUMNS, _column_facts(policy, recoding))


def stage_hierarchies(
    engine: Engine, target: Target, policy: Policy, attributes: Sequence[Attribute]
) -> None:
    """Write ``<table>__hierarchies``: every label of the hierarchies that are given leaf by leaf, with its parent, the leaves in
    their order. Nothing of it is read from the data."""
    if "hierarchies" not in policy.release_parts:
        return
    told: dict[tuple[str, int, str | None], tuple[str | None, int | None]] = {}
    for each in attributes:
        if each.name not in policy.told_trees or not each.leaves:
            continue
        rows: list[Sequence[str | None]] = [[*map(str, row[:-1])] for row in each.leaves]
        if each.null_told and each.null_labels is not None:
            rows.append(each.null_labels)
        for place, row in enumerate(rows):
            parents = (*row[1:], None)
            for level, (label, parent) in enumerate(zip(row, parents, strict=True)):
                told.setdefault((each.name, level, label), (parent, None if level else place))
    columns = [(column.name, column.type) for column in HIERARCHIES]
    rows_of = [(*key, *node, number) for number, (key, node) in enumerate(told.items())]
    engine.load("told_hierarchies", [*columns, ("ordering", "INTEGER")], rows_of)
    titles = [column.name for column in HIERARCHIES]
    target.stage(
        "hierarchies", "release/hierarchies", HIERARCHIES, titles=titles, ordering="ordering"
    )


def _stage_table(
    target: Target, part: Part, columns: Sequence[Column], facts: Sequence[Sequence[object]]
) -> None:
    """Write a table of facts; the last cell of each row is its place."""
    typed = [(column.name, column.type) for column in columns]
    target.stage(part, "release/facts", columns, facts=facts, typed=typed, ordering="ordering")


def _column_facts(policy: Policy, recoding: Recoding) -> list[tuple[object, ...]]:
    facts: list[tuple[object, ...]] = []
    for each in recoding.released:
        if each.kind in ("record", "group", "bucket"):
            joined = ", by which __sensitive is joined" if policy.separated is not None else ""
            what = {
                "record": "number of the row, new and random",
                "group": f"number of the row's group{joined}",
            }
            told = what.get(
                each.kind,
                f"number of its bucket, by which __{policy.tabled.get(each.column.name)} is joined",
            )
            facts.append((each.name, each.kind, None, told, each.position))
            continue
        role = policy.columns[each.column.name].role
        if each.attribute is None:
            facts.append((each.name, role, None, "as it is", each.position))
        elif each.kind == "label":
            facts.append((each.name, role, *recoding.told_of(each.attribute), each.position))
        else:
            word = "least" if each.kind == "lo" else "greatest"
            facts.append(
                (
                    each.name,
                    role,
                    None,
                    f"{word} value that {each.column.name} can have",
                    each.position,
                )
            )
    end = len(recoding.released)
    by = "bucket" if policy.bucketized else "group"
    return facts + [
        (
            name,
            "sensitive",
            None,
            f"not beside the rows: by {by}, with counts, in __{policy.tabled[name]}",
            end + number,
        )
        for number, name in enumerate(policy.apart, start=1)
    ]
