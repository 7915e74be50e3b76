"""The risk of linked values: equal or neighbouring values link rows, and the promise does not count
the links. Surrogates link the rows of a person: each row can be in a class of k people, while no
other person has rows in the same classes. In several tables they also link rows of several people.
Kept values link generalized ones: a loss that became a year is known to the month if the day of the
report, a few days later, is kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, product

from anonsql.engines.base import ORDERED, Column, Engine, Relation, ReleaseTables
from anonsql.errors import Problem
from anonsql.hierarchies.dimensions import Attribute
from anonsql.policy.relational import RelationalPolicy
from anonsql.policy.table_plan import TablePlan
from anonsql.release.columns import GROUP
from anonsql.risks.left_out import watched

MOST_ROWS = 50_000
"""The rows of a source that are compared; of more, a random sample."""
LEAST = 10
"""The fewest rows with a kept value that count, as fewer may agree by chance. In an ordered kept
column so many neighbouring rows count as one value, with all rows equal to them."""
PERCENT = 80
"""The percentage of the rows with a kept value in one group from which the value reveals it."""
WORTH_SAYING = 0.5
"""The share of the rows with a revealed group from which a pair of columns is warned of."""
_NO_SURROGATES = "Remove the column, or set `replace: null`."


@dataclass(frozen=True)
class LinkedRows:
    """The surrogates of a column and the ``rows`` that have one. ``few`` surrogates have rows in
    classes that, with as many rows in each, fewer than k have; None without classes."""

    surrogates: int
    rows: int
    few: int | None


def of_release(engine: Engine, table: Relation, policy: TablePlan) -> dict[str, LinkedRows]:
    """Return what the surrogates of each column link; of several combinations of columns that keep
    the promise, the worst counts."""
    names = [column.name for column in engine.columns(table)] if policy.surrogates else []
    classes = _classes(policy, names)
    by_name = {}
    for name in policy.surrogates if classes else ():
        if name not in names:
            continue
        given = {"table": table, "surrogate": name, "k": policy.privacy.k}
        counted = [
            engine.query("risks/linked/classes", classes=keys, **given)[0] for keys in classes
        ]
        few = max(int(row[2]) for row in counted) if policy.method.equal_rows_are_classes else None
        by_name[name] = LinkedRows(int(counted[0][0]), int(counted[0][1]), few)
    return by_name


def _classes(policy: TablePlan, names: Sequence[str]) -> list[list[str]]:
    """Return the columns that define the classes or groups, for each combination of columns."""
    if policy.tabled:
        return [[GROUP.name]]
    combinations = [
        [
            name
            for name in names
            if name in some or (name not in policy.columns and name[:-3] in some)
        ]
        for some in policy.combinations
    ]
    return [combination for combination in combinations if combination]


def facts(by_name: Mapping[str, LinkedRows]) -> dict[str, object]:
    """Return the facts about surrogates in ``__about``."""
    results: dict[str, object] = {}
    for name, column in by_name.items():
        results[f"surrogates.{name}"] = column.surrogates
        if column.few is not None:
            results[f"surrogates_below_k.{name}"] = column.few
    return results


def of_surrogates(policy: TablePlan, by_name: Mapping[str, LinkedRows]) -> list[Problem]:
    """Return a warning for each column of surrogates that link rows."""
    k = policy.privacy.k
    problems = []
    for name, linked in by_name.items():
        if linked.surrogates == linked.rows:
            continue
        found = f"its {linked.surrogates:,} surrogates link {linked.rows:,} rows"
        if linked.few:
            found += (
                f", and fewer than k={k} surrogates have {linked.few:,} of these rows: an"
                " attacker who knows all rows of such a person finds the person"
            )
        elif linked.few is None:
            found += ", and k holds for single rows"
        entity = policy.privacy.entity != name and "entity" in policy.method.keeps
        people = (
            f"If the column identifies people, set `privacy.entity: {name}`. " if entity else ""
        )
        problems.append(_warning(f"columns.{name}.replace", found, people + _NO_SURROGATES))
    return problems


def of_tables(release: Mapping[str, ReleaseTables], policy: RelationalPolicy) -> list[Problem]:
    """Return a warning for each column of surrogates that link rows of people in several tables.
    Keys and references must hold."""
    problems = []
    for name in policy.personal:
        above = _above(release, policy, name)
        for column in policy.surrogates(name):
            surrogates, rows, shared = release[name].engine.query(
                "risks/linked/people", column=column, above=above, last=len(above) - 1
            )[0]
            if surrogates < rows:
                found = f"its {surrogates:,} surrogates link {rows:,} rows"
                found += (
                    f", and {shared:,} of these rows belong to several people" if shared else ""
                )
                where = f"tables.{name}.columns.{column}.replace"
                problems.append(_warning(where, found, _NO_SURROGATES))
    return problems


def _above(
    release: Mapping[str, ReleaseTables], policy: RelationalPolicy, name: str
) -> list[tuple[Relation, str, str]]:
    """Return the tables from people's rows up to the last before people: rows, key, and the
    reference to the next. For people themselves, the reference is their key."""
    key = str(policy.tables[name].key)
    if name == policy.privacy.of:
        return [(release[name].rows, key, key)]
    reference, other = policy.to_people(name)
    further = [] if other == policy.privacy.of else _above(release, policy, other)
    return [(release[name].rows, key, reference), *further]


@dataclass(frozen=True)
class Group:
    """The groups of an attribute at a level; without a level, tenths of the rows in its order."""

    number: int
    attribute: Attribute
    level: int | None

    @property
    def words(self) -> str:
        """The attribute at its level, in words."""
        name, level = self.attribute.name, self.level
        if level is None:
            return f"the tenth of {name}"
        return f"{name} at level {level} ({self.attribute.levels[level]})" if level else name


@dataclass(frozen=True)
class Narrowed:
    """A kept ``column`` reveals the ``group`` of a share of the rows; ``besides``: of the rows
    outside a group with more than half of all rows."""

    column: str
    group: Group
    share: float
    besides: bool


def _levels(attribute: Attribute) -> list[int | None]:
    """Return the levels that are compared, the finest first; None for tenths."""
    if not attribute.max_level:
        return []
    if attribute.height == 1:
        return [0, None] if attribute.sorts else [0]
    inner = sorted({1, attribute.height - 1})
    return [level for level in inner if level < attribute.max_level] or [0]


def narrowed(
    engine: Engine,
    source: Relation,
    columns: Sequence[Column],
    attributes: Sequence[Attribute],
    policy: TablePlan,
    *,
    rows: int,
) -> list[Narrowed]:
    """Return the kept columns that reveal groups of attributes, each pair by the finest groups. The
    dimension tables of the attributes must have been made."""
    levels = [(attribute, level) for attribute in attributes for level in _levels(attribute)]
    groups = [Group(number, *row) for number, row in enumerate(levels, start=1)]
    kept = watched(policy, columns, attributes) if groups else []
    if not kept or policy.identity or rows < LEAST:
        return []
    engine.run(
        "risks/linked/rows",
        source=source,
        rows=rows,
        most=MOST_ROWS,
        kept=kept,
        ordered=[entry.index for entry in kept if entry.column.kind in ORDERED],
        bin=LEAST,
        attributes=attributes,
        groups=groups,
    )
    pairs = list(product(kept, groups))
    numbers = [(i, column.index, group.number) for i, (column, group) in enumerate(pairs)]
    counted = engine.query("risks/linked/shares", pairs=numbers, least=LEAST, share=PERCENT)
    engine.drop("linked_rows")
    finest: dict[tuple[str, str], Narrowed] = {}
    for i, known, compared, total in counted:
        column, group = pairs[int(i)]
        if compared >= LEAST and known >= WORTH_SAYING * compared:
            result = Narrowed(column.name, group, known / compared, besides=compared < total)
            finest.setdefault((column.name, group.attribute.name), result)
    return list(finest.values())


def of_kept(pairs: Sequence[Narrowed]) -> list[Problem]:
    """Return a warning for each kept column that narrows generalized ones, see :func:`narrowed`."""
    problems = []
    for name, results in groupby(pairs, key=lambda pair: pair.column):
        by_share = dict[str, list[str]]()
        for result in results:
            rows = f"for about {result.share:.0%} of the rows"
            rows += " outside its largest group" if result.besides else ""
            by_share.setdefault(rows, []).append(result.group.words)
        groups = "; ".join(f"{_listed(words)} {rows}" for rows, words in by_share.items())
        remedy = (
            f"Make {name} quasi-identifying or identifying, or make its values coarser in a view."
        )
        problems.append(_warning(f"columns.{name}", f"its kept values reveal {groups}", remedy))
    return problems


def _listed(words: Sequence[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def _warning(where: str, found: str, remedy: str) -> Problem:
    text = f"{found}. The promise does not count linked values."
    return Problem(where, text, remedy, of_promise=True)
