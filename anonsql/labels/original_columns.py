"""The columns of the original table as a release has them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

from anonsql.engines.base import Column, Engine, Relation, ReleaseTables
from anonsql.grammar.forms import column_of
from anonsql.labels.bench import TREES, bench_for
from anonsql.labels.domains import Domain
from anonsql.policy.columns import GENERALIZED, KEPT
from anonsql.policy.hierarchy import BreaksHierarchy, Hierarchy, IntervalHierarchy
from anonsql.policy.methods import traits
from anonsql.policy.release_parts import WHOLE
from anonsql.policy.table_plan import TablePlan

_ORIGINAL = (*GENERALIZED, *KEPT)


@dataclass(frozen=True)
class Bucketed:
    """A table of values by bucket: the relation, its key that the rows have too, the column of
    values, and that of counts."""

    table: Relation
    key: str
    value: Column
    count: str


Leaf = tuple[Any, ...]
"""A leaf of a hierarchy: its place in the order of intervals of names, then its labels from level 0
to the top; None is NULL."""


@dataclass(frozen=True)
class Tree:
    """A hierarchy that lists its leaves, which are ``read`` by the engine where a query needs them:
    siblings side by side in the order of intervals of names. Of one that a release publishes the
    number of the top level (``height``) and its label (``highest``) are known before."""

    read: Callable[[], Sequence[Leaf]]
    height: int | None = None
    highest: str | None = None

    @cached_property
    def leaves(self) -> Sequence[Leaf]:
        """The leaves, unchanged."""
        return self.read()

    @property
    def top(self) -> str | None:
        """The label of the top level."""
        label: str | None = self.leaves[0][-1] if self.height is None else self.highest
        return label

    @cached_property
    def by_label(self) -> tuple[Mapping[str | None, tuple[str | None, ...]], ...]:
        """The leaves under every label, by level."""
        below: list[dict[str | None, list[str | None]]] = [{} for _ in self.leaves[0][1:]]
        for _, *labels in self.leaves:
            for level, label in enumerate(labels):
                below[level].setdefault(label, []).append(labels[0])
        return tuple({label: tuple(some) for label, some in level.items()} for level in below)

    @cached_property
    def ordered(self) -> tuple[str, ...]:
        """The leaves but NULL as intervals of names go through them."""
        in_order = sorted(self.leaves, key=lambda leaf: leaf[0])
        return tuple(leaf[1] for leaf in in_order if leaf[1] is not None)

    @cached_property
    def places(self) -> Mapping[str, int]:
        """The position of every leaf in the order of :attr:`ordered`."""
        return {word: position for position, word in enumerate(self.ordered)}


@dataclass(frozen=True)
class OriginalColumn:
    """A column of the original table as the release has it: ``column`` is the released column, kept
    as it is or generalized to labels, with bounds or without, or None where the rows do not have
    it; ``bucketed`` is the table of its values by bucket, where there is one. ``level`` and
    ``form`` are what ``__columns`` says of the labels, ``exact`` whether all labels are values
    (with ``masked``: all but ``*``). Where the policy is known, ``spec`` and ``tree`` are the
    hierarchy and ``least`` is the level that sets are made of. Where only the release publishes the
    hierarchy, ``tree`` is known and ``least`` is not.
    """

    name: str
    column: Column | None
    kept: bool
    lo: Column | None = None
    hi: Column | None = None
    bucketed: Bucketed | None = None
    level: int | None = None
    form: str = ""
    exact: bool = False
    masked: bool = False
    spec: Hierarchy | None = None
    tree: Tree | None = None
    least: int | None = 0
    with_policy: bool = False

    @property
    def domain(self) -> Domain | None:
        """The domain of its values; None where only labels are known, which may mean any value."""
        if self.kept and self.column is not None:
            return Domain.of(self.column)
        if self.bucketed is not None:
            return Domain.of(self.bucketed.value)
        return Domain.of(self.lo) if self.lo is not None else None

    @property
    def starred(self) -> bool:
        """Whether ``*`` means any value, and is not a value itself."""
        return self.masked or (not self.exact and self.tree is not None and self.tree.top == "*")

    @property
    def labels(self) -> bool:
        """Whether the released rows have labels of this column."""
        return self.column is not None and not self.kept

    @property
    def half_open(self) -> bool:
        """Whether ``[a,b)`` is surely an interval without its end."""
        return self.form == "interval" or isinstance(self.spec, IntervalHierarchy | BreaksHierarchy)

    @property
    def mask(self) -> str | None:
        """From which side its labels are surely masked, or None. Known from the release, as not
        every method generalizes by the hierarchy."""
        return self.form.removeprefix("mask-") if self.form.startswith("mask-") else None


def original_columns(
    located: ReleaseTables, about: Mapping[str, str], policy: TablePlan | None
) -> dict[str, OriginalColumn]:
    """Return the columns of the original table that a release has, by name."""
    engine = located.engine
    columns = {column.name: column for column in engine.columns(located.rows)}
    described = located.stated_columns
    buckets = _buckets(located, columns)
    unknown = [] if policy is None else _unknown(policy)
    trees = _released_hierarchies(located) if policy is None or unknown else {}
    keys = {bucket.key for bucket in buckets.values()}
    by_name: dict[str, OriginalColumn] = {}
    for name, role, level, form, _ in described:
        if role not in _ORIGINAL or column_of(name, form) is not None or name in keys:
            continue
        if name not in columns and name not in buckets:
            continue
        generalized = role in GENERALIZED
        starred = traits(about.get("method", "")).all_or_nothing or form == "value-or-star"
        of_it = {one.name for one in described if column_of(one.name, one.form) == name}
        of_it &= {f"{name}_lo", f"{name}_hi"}
        ends = of_it & columns.keys() if generalized and name in columns else set()
        spec = (
            policy.hierarchy(name, ordered=bool(ends))
            if policy is not None and generalized and name in policy.columns and name not in unknown
            else None
        )
        by_name[name] = OriginalColumn(
            name,
            columns.get(name),
            kept=not generalized and name in columns,
            lo=columns.get(f"{name}_lo") if len(ends) == 2 else None,
            hi=columns.get(f"{name}_hi") if len(ends) == 2 else None,
            bucketed=buckets.get(name),
            level=level,
            form=form or "",
            exact=level == 0 or form == "value" or starred,
            masked=about.get("masked", "0") != "0" or starred,
            spec=spec,
            tree=trees.get(name)
            if policy is None or name in unknown
            else _tree(engine, spec, policy, name),
            least=_least(policy, name, name in trees),
            with_policy=policy is not None,
        )
    return by_name


def _unknown(policy: TablePlan) -> list[str]:
    """Return the columns whose hierarchy is not in the policy but in a table of the source's
    database, which a query does not read."""
    return [name for name in policy.unread_tables if name in policy.quasi_identifiers]


def _least(policy: TablePlan | None, name: str, level_is_known: bool) -> int | None:
    """Return the level that sets are made of; None where only the hierarchy is known."""
    if policy is not None and name in policy.columns:
        return policy.columns[name].min_level or 0
    return None if level_is_known else 0


def _buckets(located: ReleaseTables, of_rows: Mapping[str, Column]) -> dict[str, Bucketed]:
    tables = {}
    for part, table in located.extras.items():
        if part.startswith(WHOLE):
            continue
        columns = located.engine.columns(table)
        if len(columns) == 3 and columns[0].name in of_rows:
            key, value, count = columns
            tables[value.name] = Bucketed(table, key.name, value, count.name)
    return tables


def _released_hierarchies(located: ReleaseTables) -> dict[str, Tree]:
    table = located.extras.get("labels")
    if table is None:
        return {}
    engine = located.engine
    tops = engine.query("labels/published_heights", table=table)
    heights = {name: height for name, height, _ in tops}
    leaves: dict[str, list[Leaf]] = {}

    def read_of(name: str) -> Sequence[Leaf]:
        if not leaves:  # those of all columns by one statement
            shape = {"table": table, "highest": max(heights.values())}
            for column, *leaf in engine.query("labels/published_leaves", **shape):
                leaves.setdefault(column, []).append(tuple(leaf[: heights[column] + 2]))
        return leaves.get(name, [])

    return {name: Tree(partial(read_of, name), height, top) for name, height, top in tops}


def _tree(engine: Engine, spec: Hierarchy | None, policy: TablePlan, name: str) -> Tree | None:
    if not isinstance(spec, TREES):
        return None

    def read() -> Sequence[Leaf]:
        with bench_for(engine) as bench:
            tree = bench.tree(spec, f"columns.{name}.hierarchy", policy.path)
            return bench.engine.query("labels/leaves", number=tree.number, height=tree.height)

    return Tree(read)
