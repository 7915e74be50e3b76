"""Verification of a release of several tables while it is staged: the run shows which row has which
surrogate, and every value of every released row, keys and references among them, is compared with
what that row of the source generalizes to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anonsql.engines.base import Engine, Relation
from anonsql.hierarchies.dimensions import Attribute
from anonsql.policy.relational import RelationalPolicy
from anonsql.policy.table_plan import TablePlan
from anonsql.release.columns import ReleasedColumn
from anonsql.star.lattice import Levels
from anonsql.verification.compared import as_compared
from anonsql.verification.relational import models
from anonsql.verification.relational.known import laid_out


@dataclass(frozen=True)
class Staged:
    """A staged table as the source's engine finds it: its rows, the source, what each column is,
    and the tables of surrogates, by the position of the column."""

    name: str
    table: Relation
    source: Relation
    attributes: Sequence[Attribute]
    released: Sequence[ReleasedColumn]
    key: Any
    links: Mapping[int, Any]
    reference: Any = None

    @property
    def key_column(self) -> ReleasedColumn:
        """The column of the key."""
        return next(column for column in self.released if column.name == self.key.name)


def against_source(
    engine: Engine, staged: Sequence[Staged], levels: Levels, missing: Mapping[str, int]
) -> list[str]:
    """Return what is wrong with staged rows, compared with the rows of the source that they are
    said to be. ``missing`` says how many rows of each table are not released."""
    offences = []
    for column in staged:
        texts = _of_rows(engine, column, levels, missing[column.name])
        offences += [f"{column.name}: {text}" for text in texts]
    return offences


def models_by_source(
    engine: Engine,
    policy: RelationalPolicy,
    views: Mapping[str, TablePlan],
    staged: Sequence[Staged],
    capped: Mapping[str, int],
) -> list[str]:
    """Return what is wrong with the sensitive values of staged rows, compared with the whole
    table's in the source. If some people have more rows than are released (``capped``: how many),
    the whole table is the run's choice of rows, and it is judged alone."""
    exact = [column.name for column in staged if not capped.get(column.name)]
    if not models.by_source(policy):
        return []
    rows = {column.name: column.table for column in staged if column.name in policy.personal}
    source = {
        column.name: models.OfSource(column.source, column.key, column.reference)
        for column in staged
    }
    with laid_out(engine, policy, rows, views) as tables:
        return models.offences_by_source(engine, policy, tables, source, exact)


def _of_rows(engine: Engine, staged: Staged, levels: Levels, missing: int) -> list[str]:
    for link in staged.links.values():
        total, keys, surrogates = engine.query(
            "verification/relational/one_to_one", map=link.table
        )[0]
        if (keys, surrogates) != (total, total):
            return [f"{keys:,} keys have {surrogates:,} surrogates"]
    released = as_compared(engine, staged.table, staged.released)
    surrogates = [
        column
        for column in released
        if column.replaced == "surrogate" and column.position not in staged.links
    ]
    total, result, different, *dealt = engine.query(
        "verification/relational/rows",
        table=staged.table,
        source=staged.source,
        attributes=staged.attributes,
        released=released,
        surrogates=surrogates,
        levels=levels,
        links=staged.links,
        key=staged.key,
        key_position=staged.key_column.position,
        key_name=staged.key_column.name,
    )[0]
    offences = []
    if result < total or different:
        offences.append(
            f"of {total:,} released rows {total - result:,} are not in the source, and"
            f" {different:,} have other values than the source generalizes to"
        )
    for number, surrogate in enumerate(surrogates):
        values, numbers, pairs, alone = dealt[4 * number : 4 * number + 4]
        if (values, numbers) != (pairs, pairs) or alone:
            offences.append(
                f"{values:,} values of {surrogate.name!r} have {numbers:,} surrogates in {pairs:,}"
                f" pairs, and {alone:,} rows have one without the other"
            )
    before = engine.query("verification/rows", table=staged.source)[0][0]
    if before - total != missing:
        offences.append(
            f"{before - total:,} rows of the source are not released, but {missing:,} were"
            " suppressed"
        )
    return offences
