"""Verification of a release of several tables: by itself, and, while it is staged, against the
source.

Nothing of the search, of the codes and of staging is used. By itself: the tables have the columns
that they should have, keys are 1 to n, references lead to rows, and at least k people have whatever
may be known of one of them, counted anew from the released labels (Terrovitis, Mamoulis, Kalnis
2008, section 2; with all rows known: Nergiz, Clifton, Nergiz 2009). Against the source: the run
shows which row has which surrogate, and every value of every released row, keys and references
among them, is compared with what that row of the source generalizes to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anonsql.engines.base import (
    Engine,
    Relation,
    ReleaseTables,
)
from anonsql.errors import VerificationError
from anonsql.hierarchies.dimensions import Attribute
from anonsql.policy.policy import Policy
from anonsql.policy.relational import RelationalPolicy
from anonsql.release.columns import ReleasedColumn
from anonsql.star.lattice import Levels
from anonsql.verification import relational_facts as facts
from anonsql.verification import relational_models as models
from anonsql.verification import replaced
from anonsql.verification.compared import as_compared
from anonsql.verification.facts import bounds_names, count_of, facts_of
from anonsql.verification.structure import structure_offences

_AT_ONCE = 16_000_000
"""About how many things that may be known one statement counts."""
_MOST_SHARES = 64


@dataclass(frozen=True)
class Known:
    """What a release shows of its people: how many they are, and how few match whatever may be
    known of one. ``rows`` are those of each table, by the policy's name."""

    people: int
    fewest: int
    things: int
    rows: Mapping[str, int]


def from_release_alone(
    release: Mapping[str, ReleaseTables], policy: RelationalPolicy, views: Mapping[str, Policy]
) -> Known:
    """Return what the released tables show; raise VerificationError listing every offence.
    ``views`` are the policies of the tables by themselves."""
    offences = []
    for name, tables in release.items():
        found = structure_offences(tables, views[name])
        offences += [f"{name}: {each}" for each in found]
    if offences:
        raise VerificationError(offences)
    for name, tables in release.items():
        found = _of_keys(release, policy, name)
        found += replaced.offences(tables, views[name], besides=policy.linked(name))
        offences += [f"{name}: {each}" for each in found]
    if offences:
        raise VerificationError(offences)
    engine = release[policy.privacy.of].engine
    relations = {name: release[name].rows for name in release}
    made = _lay_out(engine, relations, policy, views)
    rows = {name: _rows(release[name]) for name in release}
    things, fewest, offences = _recounted(engine, policy)
    for number, name in enumerate(policy.ordered, start=1):
        most = policy.tables[name].max_rows
        found_most = engine.query("verification/relational/most", number=number)[0][0]
        if most is not None and found_most > most:
            offences.append(f"{name}: somebody has {found_most:,} rows, more than {most:,}")
    missing = {name: _suppressed(facts_of(release[name])) for name in release}
    offences += models.offences(engine, policy, relations, missing)
    for table in made:
        engine.drop(table)
    for name in release:
        offences += [f"{name}: {each}" for each in facts.of_values(release[name], views[name])]
    offences += facts.of_about(release, policy, rows)
    if offences:
        raise VerificationError(offences)
    return Known(rows[policy.privacy.of], fewest, things, rows)


def _rows(tables: ReleaseTables) -> int:
    rows: int = tables.engine.query("verification/rows", table=tables.rows)[0][0]
    return rows


def _of_keys(
    release: Mapping[str, ReleaseTables], policy: RelationalPolicy, name: str
) -> list[str]:
    """Return what is wrong with the keys and references of a table."""
    table, tables = policy.tables[name], release[name]
    key = str(table.key)
    offences = []
    types = {each.name: each for each in tables.engine.columns(tables.rows)}
    total, keys, different, least, most = tables.engine.query(
        "verification/relational/keys", table=tables.rows, key=key
    )[0]
    if keys < total or different < total:
        offences.append(f"{total:,} rows have {different:,} different keys")
    elif not table.public and types[key].kind != "integer":
        offences.append(f"its keys are {types[key].type}, not whole numbers")
    elif not table.public and total and (least, most) != (1, total):
        offences.append(f"the keys of {total:,} rows go from {least:,} to {most:,}, not from 1")
    for column, other in table.references.items():
        nulls, dangling = tables.engine.query(
            "verification/relational/dangling",
            table=tables.rows,
            reference=column,
            other=release[other].rows,
            key=str(policy.tables[other].key),
        )[0]
        if dangling or (nulls and not policy.tables[other].public):
            offences.append(f"{nulls + dangling:,} rows refer by {column!r} to no row of {other}")
    return offences


def _lay_out(
    engine: Engine,
    rows: Mapping[str, Relation],
    policy: RelationalPolicy,
    views: Mapping[str, Policy],
) -> list[str]:
    """Make the tables ``verified_<number>`` of rows that are alike, and where all rows are known
    ``whole_<number>`` of trees that are; return their names."""
    numbers = {name: number for number, name in enumerate(policy.ordered, start=1)}
    depths: dict[str, int] = {}
    for name, number in numbers.items():
        reference, upper = (None, None) if number == 1 else policy.to_people(name)
        depths[name] = 0 if upper is None else depths[upper] + 1
        view = views[name]
        names = [each.name for each in engine.columns(rows[name])]
        grouped = [
            each for each in names if each in view.quasi_identifiers or each in bounds_names(view)
        ]
        engine.run(
            "star/models/table",
            name=f"verified_{number}",
            select="verification/relational/alike",
            table=rows[name],
            key=str(policy.tables[name].key),
            grouped=grouped,
            reference=reference,
            upper=None if upper is None else numbers[upper],
            nested=depths[name] > 1,
            depth=depths[name],
            number=number,
            tables=len(numbers) + 1,
        )
    made = [f"verified_{number}" for number in numbers.values()]
    return made + (_make_trees(engine, policy) if policy.privacy.known_rows == "all" else [])


def _recounted(engine: Engine, policy: RelationalPolicy) -> tuple[int, int, list[str]]:
    """Return how many things may be known, how few people have one of them, and the offences."""
    k, known = policy.privacy.k, policy.privacy.known_rows
    depths = policy.depths
    below = [Below(number, depth) for number, depth in depths.items() if depth]
    given: dict[str, Any] = {"k": k, "depth": max(depths.values())}
    most = (1 if known == "all" else known) if below else 0
    total, fewest, offences = 0, -1, list[str]()
    if most:
        engine.run(
            "star/models/table",
            name="knowable",
            select="verification/relational/knowable",
            below=below,
            tables=len(depths) + 1,
            known_rows=most,
            depth=given["depth"],
        )
    counted = [_known(engine, rows, **given) for rows in range(most + 1)]
    if most:
        engine.drop("knowable")
    if known == "all":
        counted.append(engine.query("verification/relational/whole", k=k)[0])
    for rows, (things, rare, least) in enumerate(counted):
        total += things
        if least is not None:
            fewest = least if fewest < 0 else min(fewest, least)
        if rare:
            what = "whole trees" if rows > most else f"combinations with {rows} known rows"
            offences.append(f"{rare:,} {what} belong to fewer than k={k} people, one to {least:,}")
    return total, max(fewest, 0), offences


def _known(engine: Engine, rows: int, **given: Any) -> tuple[int, int, int | None]:
    """Return how many things may be known with some rows, those of fewer than k people, and the
    fewest people that one has. Each statement looks at as many as fit into memory."""
    amount = engine.query("verification/relational/amounts")[0][rows - 1] if rows else None
    shares = max(1, min(-(-int(amount or 0) // _AT_ONCE), _MOST_SHARES))
    found = [
        engine.query(
            "verification/relational/known", rows=rows, shares=shares, share=share, **given
        )
        for share in range(shares)
    ]
    things, rare, least = zip(*(each[0] for each in found), strict=True)
    return sum(things), sum(rare), min((each for each in least if each is not None), default=None)


@dataclass(frozen=True)
class Below:
    """A table below that of people: its number, and how many references lead to people."""

    number: int
    depth: int


def _suppressed(about: Mapping[str, str]) -> int:
    """Return how many rows were suppressed, by themselves and with others, as a release says."""
    return sum(max(0, count_of(about, name)) for name in ("suppressed", "with_others"))


def _make_trees(engine: Engine, policy: RelationalPolicy) -> list[str]:
    """Make the tables ``whole_<number>`` of the kinds of whole trees; return their names."""
    numbers = {name: number for number, name in enumerate(policy.ordered, start=1)}
    for name in reversed(policy.ordered):
        lower = [
            number
            for other, number in numbers.items()
            if number > 1 and policy.to_people(other)[1] == name
        ]
        engine.run(
            "star/models/table",
            name=f"whole_{numbers[name]}",
            select="verification/relational/trees",
            number=numbers[name],
            lower=lower,
        )
    return [f"whole_{number}" for number in numbers.values()]


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
        return next(each for each in self.released if each.name == self.key.name)


def against_source(
    engine: Engine, staged: Sequence[Staged], levels: Levels, missing: Mapping[str, int]
) -> list[str]:
    """Return what is wrong with staged rows, compared with the rows of the source that they are
    said to be. ``missing`` says how many rows of each table are not released."""
    offences = []
    for each in staged:
        found = _of_rows(engine, each, levels, missing[each.name])
        offences += [f"{each.name}: {text}" for text in found]
    return offences


def models_by_source(
    engine: Engine,
    policy: RelationalPolicy,
    views: Mapping[str, Policy],
    staged: Sequence[Staged],
    capped: Mapping[str, int],
) -> list[str]:
    """Return what is wrong with the sensitive values of staged rows where these are held against
    the whole table's, as the source has them. Of a table in which some people have more rows than
    are released (``capped``: how many), what is whole is the run's choice of rows: it is judged by
    itself alone."""
    exact = [each.name for each in staged if not capped.get(each.name)]
    if not models.by_source(policy):
        return []
    rows = {each.name: each.table for each in staged if each.name in policy.personal}
    source = {each.name: models.OfSource(each.source, each.key, each.reference) for each in staged}
    made = _lay_out(engine, rows, policy, views)
    found = models.offences_by_source(engine, policy, rows, source, exact)
    for table in made:
        engine.drop(table)
    return found


def _of_rows(engine: Engine, staged: Staged, levels: Levels, missing: int) -> list[str]:
    """Return what is wrong with the staged rows of one table."""
    for link in staged.links.values():
        total, keys, surrogates = engine.query(
            "verification/relational/one_to_one", map=link.table
        )[0]
        if (keys, surrogates) != (total, total):
            return [f"{keys:,} keys have {surrogates:,} surrogates"]
    released = as_compared(engine, staged.table, staged.released)
    surrogates = [
        each
        for each in released
        if each.replaced == "surrogate" and each.position not in staged.links
    ]
    total, found, different, *dealt = engine.query(
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
    if found < total or different:
        offences.append(
            f"of {total:,} released rows {total - found:,} are none of the source's, and"
            f" {different:,} have other values than it generalizes to"
        )
    for number, each in enumerate(surrogates):
        values, numbers, pairs, alone = dealt[4 * number : 4 * number + 4]
        if (values, numbers) != (pairs, pairs) or alone:
            offences.append(
                f"{values:,} values of {each.name!r} have {numbers:,} surrogates in {pairs:,}"
                f" pairs, and {alone:,} rows have one without the other"
            )
    before = engine.query("verification/rows", table=staged.source)[0][0]
    if before - total != missing:
        offences.append(
            f"{before - total:,} rows of the source are not released, and {missing:,} were"
            " suppressed"
        )
    return offences
