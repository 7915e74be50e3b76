"""The parts of a release that are compared with the source's: labels, levels and bounds, whatever
the values look like; columns that are kept; and columns whose values are in buckets."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from anonsql.engines import column_types
from anonsql.engines.base import Column, Engine, PlainColumn, Relation, ReleaseTables
from anonsql.hierarchies.dimensions import Attribute
from anonsql.policy.local import bucket_name
from anonsql.policy.table_plan import TablePlan
from anonsql.release.columns import GROUP
from anonsql.verification.facts import count_of, facts_of


@dataclass(frozen=True)
class Released:
    """The parts of a release that are matched with the source. ``labels`` are (attribute's index,
    column, its columns of bounds), ``levels`` the level of each attribute, where the release states
    one; ``masks`` says whether rows that are * everywhere are masked rows."""

    labels: tuple[tuple[int, str, tuple[Column, ...]], ...]
    texts: frozenset[int]
    levels: dict[int, int]
    masks: bool

    @classmethod
    def of(
        cls, release: ReleaseTables, policy: TablePlan, attributes: Sequence[tuple[int, str]]
    ) -> Released:
        """Return the parts of a release for some attributes, given by index and name."""
        columns = {column.name: column for column in release.engine.columns(release.rows)}
        stated = release.stated_columns
        levels = {one.name: one.level for one in stated if one.level is not None}
        bounds = {
            own: tuple(
                columns[name]
                for end in ("lo", "hi")
                if (name := f"{own}_{end}") in columns and name not in policy.columns
            )
            for _, own in attributes
        }
        texts = frozenset(index for index, name in attributes if columns[name].type == "VARCHAR")
        return cls(
            labels=tuple((index, name, bounds[name]) for index, name in attributes),
            texts=texts,
            levels={index: levels[name] for index, name in attributes if name in levels},
            masks=len(texts) == len(attributes) and count_of(facts_of(release), "masked") > 0,
        )

    def put_together(
        self, release: ReleaseTables, kept: Sequence[tuple[int, str, str | None]] = ()
    ) -> None:
        """Make the scratch table judged_rows in the release's engine, with ``kept`` columns
        (number, column, type to cast to)."""
        columns = [
            (index, name, [bound.name for bound in bounds], index in self.texts)
            for index, name, bounds in self.labels
        ]
        release.engine.run(
            "verification/linking/rows",
            table=release.rows,
            labels=columns,
            kept=kept,
            masks=self.masks,
        )

    @property
    def values(self) -> list[str]:
        """The columns of released tuples."""
        return [f"v{index}" for index, _, _ in self.labels]


def ends(bounds: Sequence[Column], texts: Sequence[str | None]) -> tuple[str | None, str | None]:
    """Return the texts that go with the bounds columns of a value, the lower one's and the upper
    one's."""
    by_name = {column.name[-3:]: text for column, text in zip(bounds, texts, strict=True)}
    return by_name.get("_lo"), by_name.get("_hi")


_TRAVELS_NOT = ("float", "timestamp", "other")
"""Kinds of values that can differ when they come from another engine."""


@dataclass(frozen=True)
class Valued:
    """A column that is kept, or whose values are in buckets.

    ``facet`` is the number under which its values are compared, None where they cannot be; the
    casts are the types to compare them as, on either side, None for their own. ``shown`` says
    whether masked rows have its value. Of buckets: ``bucket`` is the column that names them,
    ``table`` is theirs, and ``label`` the facet of the column's labels where it is sensitive to
    some rows only.
    """

    number: int
    facet: int | None
    original: Column
    original_cast: str | None = None
    released_cast: str | None = None
    shown: bool = True
    bucket: str | None = None
    table: Relation | None = None
    label: int | None = None

    @property
    def text(self) -> bool:
        """Whether values are compared as text."""
        own = self.own.cast if self.bucket else None
        return "VARCHAR" in (own or self.original.type, self.original_cast)

    @property
    def own(self) -> PlainColumn:
        """The column as value expressions take it."""
        return PlainColumn(self.original)

    @property
    def of_source(self) -> tuple[PlainColumn | None, str, str | None, bool]:
        """The parameters of the macro own_value of verification/linking/macros."""
        return self.own if self.bucket else None, self.original.name, self.original_cast, self.text


def valued_columns(
    policy: TablePlan,
    engine: Engine,
    release: ReleaseTables,
    source: Relation,
    attributes: Sequence[Attribute],
    *,
    roles: Collection[str],
) -> tuple[list[Valued], list[str]]:
    """Return the columns that are kept, of some ``roles``, or in buckets, and the names of columns
    that cannot be compared with the source's."""
    travels = release.engine is not engine
    columns = {column.name: column for column in release.engine.columns(release.rows)}
    labels = {attribute.name: attribute.index for attribute in attributes}
    most = max(labels.values(), default=0)
    result: list[Valued] = []
    offences: list[str] = []
    for original in engine.columns(source):
        part = policy.tabled.get(original.name)
        column = policy.columns.get(original.name)
        if part is None and (column is None or column.role not in roles or not column.comparable):
            continue
        number = len(result) + 1
        hidden = column is not None and column.suppressed == "mask"
        each = Valued(number, 2 * most + number, original, shown=not hidden)
        released, compared = columns.get(original.name), original
        if part is not None:
            table = release.extras[part]
            released = {one.name: one for one in release.engine.columns(table)}[original.name]
            compared = replace(original, type=original.cast or original.type)
            bucket = GROUP.name if policy.separated else bucket_name(original.name)
            label = most + labels[original.name] if original.name in labels else None
            each = replace(each, bucket=bucket, table=table, label=label)
        casts = None if released is None else _casts(compared, released, travels=travels)
        if casts is None:
            what = f"{released.family} in the release" if released else "missing in the release"
            text = f"the values of {original.name!r} cannot be compared: {what}"
            offences.append(f"{text}, {original.family} in the source")
        elif travels and original.kind in _TRAVELS_NOT:
            result.append(replace(each, facet=None))
        else:
            result.append(replace(each, original_cast=casts[0], released_cast=casts[1]))
    return result, offences


def _casts(
    original: Column, released: Column, *, travels: bool
) -> tuple[str | None, str | None] | None:
    """Return the types as which a column's values are compared, the source's and the release's;
    None when they cannot be. Released values that have to travel to where the source is do so as
    text."""
    if travels and released.type == "VARCHAR":
        return (None if original.type == "VARCHAR" else "VARCHAR"), None
    if travels:
        return (
            (None, original.type)
            if released.kind == original.kind and released.type != "BLOB"
            else None
        )
    if original.type == released.type:
        return (None, None) if original.exact else ("VARCHAR", "VARCHAR")
    if released.type in column_types.ways_of(original.type):
        return "VARCHAR", "VARCHAR"
    if released.type == original.released_type:
        return released.type, None
    return (None, original.type) if released.kind == original.kind else None
