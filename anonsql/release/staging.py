"""Staging a release: its rows, and the tables of facts about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from anonsql.engines.base import EXTRA_TABLES, Column, Engine, Part, Relation
from anonsql.engines.target import Target
from anonsql.grammar.forms import Looks, of_average, of_bound
from anonsql.hierarchies.dimensions import Attribute
from anonsql.hierarchies.leaf_tables import LeafTables
from anonsql.policy import promise_text
from anonsql.policy.columns import REPLACED, acceptances, loss_weights
from anonsql.policy.release_parts import COMPLETED, MARGINALS, MARGINALS_FACT, completed_fact
from anonsql.policy.table_plan import TablePlan
from anonsql.privacy.differential import is_told
from anonsql.privacy.promise import promised_facts
from anonsql.release import numbering
from anonsql.release.columns import ReleasedColumn
from anonsql.release.recoding import ByGroups, ByLevels, Recoding
from anonsql.release.salts import fresh_salt
from anonsql.system.scalars import plain
from anonsql.version import __version__

ABOUT = (Column("property", "VARCHAR"), Column("value", "VARCHAR"))
COLUMNS = (
    Column("column_name", "VARCHAR"),
    Column("role", "VARCHAR"),
    Column("level", "INTEGER"),
    Column("form", "VARCHAR"),
    Column("looks_like", "VARCHAR"),
)
_MEASURES = (
    "average_class_size",
    "discernibility",
    "gcp",
    "group_gcp",
    "height",
    "loss",
    "ncp",
    "precision",
    "weighted-height",
)
"""The measures of usefulness among the facts of a release."""
LABELS = (
    Column("column_name", "VARCHAR"),
    Column("level", "INTEGER"),
    Column("label", "VARCHAR"),
    Column("leaf", "VARCHAR"),
    Column("place", "INTEGER"),
)


def stage_levels(
    engine: Engine, target: Target, source: Relation, recoding: Recoding, by: ByLevels
) -> None:
    """Write the rows of a full-domain generalization: values as labels of their level."""
    kept = by.classes if recoding.suppression.rows else ""
    shared = parameters_of(source, recoding) | {"levels": by.levels, "kept_classes": kept}
    _stage(engine, target, "release/rows", recoding, shared | {"links": {}})


def stage_groups(
    engine: Engine, target: Target, source: Relation, recoding: Recoding, by: ByGroups
) -> None:
    """Write the rows of a release by groups, each with the values of its group."""
    shared = parameters_of(source, recoding) | {"split": by.split, "valued": recoding.valued}
    if by.split:
        with fresh_salt(engine):
            engine.run("release/placed", **shared)
    averaged = [column for column in recoding.released if column.averaged]
    if averaged:
        select = {"select": "release/averages", "averaged": averaged}
        engine.run("sql/table", name="averages", **select, **shared)
    _stage(engine, target, "release/groups", recoding, shared)
    if averaged:
        engine.drop("averages")


def parameters_of(source: Relation, recoding: Recoding) -> dict[str, Any]:
    """Return the parameters that all templates of released rows share."""
    return {
        "source": source,
        "attributes": recoding.attributes,
        "released": recoding.released,
        "masked": recoding.suppression.masked,
    }


def columns_of(recoding: Recoding) -> list[Column]:
    """Return the columns of the released rows."""
    return [
        Column(
            column.name, column.type, column.column.comparable, bound=column.kind in ("lo", "hi")
        )
        for column in recoding.released
    ]


def _stage(
    engine: Engine, target: Target, template: str, recoding: Recoding, parameters: Mapping[str, Any]
) -> None:
    rows = numbering.Rows("rows", template, columns_of(recoding), parameters)
    numbering.stage(engine, target, [rows], numbering.numbers_of(recoding.released, {}))


def apart(part: Part, columns: Sequence[Column], **parameters: Any) -> numbering.Rows:
    """Return the rows of a table of sensitive values with their counts. ``parameters`` are the
    other ones of the template ``release/sensitive``: which rows are counted."""
    more = {"titles": [column.name for column in columns], "own": columns[1], **parameters}
    return numbering.Rows(part, "release/sensitive", columns, more)


def free_name(names: Sequence[str]) -> str:
    """Return a column name that is not among ``names``."""
    name = "ordering"
    while name in {text.lower() for text in names}:
        name += "_"
    return name


def stage_facts(
    target: Target, policy: TablePlan, rows: int, recoding: Recoding, sizes: Mapping[str, object]
) -> None:
    """Write ``<table>__about`` and ``<table>__columns``: facts that may be published, and nothing
    that helps an attacker.

    ``rows`` counts the source's rows; ``sizes`` are the sizes and measures of the release.
    """
    suppression, max_group_loss = recoding.suppression, policy.privacy.max_group_loss
    first: dict[str, object] = {"promise": promise_text.of_policy(policy)}
    first |= {name: fact for name, fact in sizes.items() if name == "not_covered"}
    about = {
        **first,
        "method": policy.method.type,
        "k": policy.privacy.k,
        **promised_facts(policy.privacy),
        "suppression_limit": policy.privacy.suppression_limit,
        **({} if max_group_loss is None else {"max_group_loss": plain(max_group_loss)}),
        "rows": rows - (0 if suppression.masked else suppression.rows),
        "suppressed": 0 if suppression.quarantined else suppression.rows,
        **({"quarantined": suppression.rows} if suppression.quarantined else {}),
        "masked": suppression.rows if suppression.masked else 0,
        **(
            {EXTRA_TABLES: ", ".join(f"__{part}" for part in policy.release_parts)}
            if policy.release_parts
            else {}
        ),
        **({MARGINALS: MARGINALS_FACT} if policy.release.marginals else {}),
        **({COMPLETED: completed_fact(policy.release.draws)} if policy.release.draws else {}),
        **{
            name: format(value, ".12g") if isinstance(value, float) else value
            for name, value in sizes.items()
            if name not in first
        },
        **_recorded(sizes),
        **acceptances(policy.columns),
        **(loss_weights(policy.quasi_identifiers) if policy.method.least_loss else {}),
        "anonsql": __version__,
    }
    if policy.privacy.differential is not None:
        about = {name: value for name, value in about.items() if is_told(name)}
    stage_described(target, ("about", "columns"), about, column_facts(policy, recoding))


def _recorded(facts: Mapping[str, object]) -> dict[str, object]:
    """Return the fact that names the measures of usefulness, which no check recomputes."""
    names = sorted(name for name in facts if name in _MEASURES)
    return {"recorded": f"{', '.join(names)}: by the run, not recomputed by verify"}


def stage_described(
    target: Target,
    parts: tuple[Part, Part],
    about: Mapping[str, object],
    columns: Sequence[Sequence[object]],
) -> None:
    """Write the facts about a table and about its columns to the two parts of a release that are
    for them. The last entry of each of ``columns`` is its position."""
    facts = [(name, str(value), number) for number, (name, value) in enumerate(about.items())]
    _stage_table(target, parts[0], ABOUT, facts)
    _stage_table(target, parts[1], COLUMNS, columns)


def stage_labels(
    engine: Engine,
    target: Target,
    policy: TablePlan,
    attributes: Sequence[Attribute],
    leaves: LeafTables,
) -> None:
    """Write ``<table>__labels``: the leaves that every label covers of the hierarchies that the
    policy gives leaf by leaf, with the place of each leaf in the order that labels ``first … last``
    run in. Nothing of it is read from the data."""
    if "labels" not in policy.release_parts:
        return
    listed = [
        attribute
        for attribute in attributes
        if attribute.leaves and attribute.name in policy.released_hierarchies
    ]
    titles = [column.name for column in LABELS]
    if listed:
        leaves.reader.run("hierarchies/labels", attributes=listed)
        leaves.bring("published_labels", titles, engine)
    else:
        engine.load("published_labels", [(column.name, column.type) for column in LABELS], [])
    target.stage("labels", "release/labels", LABELS, titles=titles)


def _stage_table(
    target: Target, part: Part, columns: Sequence[Column], facts: Sequence[Sequence[object]]
) -> None:
    """Write a table of facts; the last entry of each row is its position in the table."""
    typed = [(column.name, column.type) for column in columns]
    target.stage(part, "release/facts", columns, facts=facts, typed=typed, ordering="ordering")


def column_facts(policy: TablePlan, recoding: Recoding) -> list[tuple[object, ...]]:
    """Return the row of ``__columns`` for each released column."""
    facts: list[tuple[object, ...]] = []
    for column in recoding.released:
        own = column.column.name
        level, looks = None, _number_looks(policy, column)
        if looks is not None:
            role: str = column.kind
        else:
            role = policy.columns[own].role
            if column.attribute is None:
                replaced = column.replaced
                looks = REPLACED[replaced] if replaced else policy.columns[own].looks(own)
            elif column.kind == "label":
                level, looks = recoding.by.described(column.attribute)
            elif column.averaged:
                looks = of_average(own, column.kind)
            else:
                looks = of_bound(own, "least" if column.kind == "lo" else "greatest")
        facts.append((column.name, role, level, *looks, column.position))
    end = len(recoding.released)
    by = "bucket" if policy.bucketized else "group"
    for number, name in enumerate(policy.apart, start=1):
        text = f"not in the rows, but with counts in __{policy.tabled[name]}, by {by}"
        facts.append((name, "sensitive", None, "apart", text, end + number))
    return facts


def _number_looks(policy: TablePlan, column: ReleasedColumn) -> Looks | None:
    if column.kind == "record":
        return Looks("record", "number of the row")
    if column.kind == "group":
        joined = ", which joins __sensitive" if policy.separated is not None else ""
        return Looks("group", f"number of the row's group{joined}")
    if column.kind == "bucket":
        part = policy.tabled.get(column.column.name)
        return Looks("bucket", f"number of its bucket, which joins __{part}")
    return None
