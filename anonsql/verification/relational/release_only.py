"""Verification of a release of several tables by itself: the tables have the columns that they
should have, keys are 1 to n, references lead to rows, at least k people have whatever may be known
of one of them, counted anew from the released labels (Terrovitis, Mamoulis, Kalnis 2008, section 2;
with all rows known: Nergiz, Clifton, Nergiz 2009), and models about sensitive columns hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from anonsql.engines.base import ReleaseTables
from anonsql.errors import VerificationError
from anonsql.policy.policy import Policy
from anonsql.policy.relational import RelationalPolicy
from anonsql.policy.release_parts import COMPLETED
from anonsql.risks.kept import counting
from anonsql.verification import columns, completed, order
from anonsql.verification.facts import count_of, facts_of
from anonsql.verification.relational import facts, models
from anonsql.verification.relational.known import recounted
from anonsql.verification.relational.layout import laid_out
from anonsql.verification.structure import own_offences, structure_offences


@dataclass(frozen=True)
class Known:
    """What a release shows of its people: how many they are, and how few match whatever may be
    known of one. ``rows`` are those of each table, by the policy's name; ``not_covered`` says what
    the promise does not cover, of the tables that have rows which are single by kept columns."""

    people: int
    fewest: int
    things: int
    rows: Mapping[str, int]
    not_covered: Mapping[str, str] = field(default_factory=dict)


def from_release_alone(
    release: Mapping[str, ReleaseTables],
    policy: RelationalPolicy,
    views: Mapping[str, Policy],
) -> Known:
    """Return what the released tables show; raise VerificationError listing every offence.
    ``views`` are the policies of the tables by themselves."""
    offences = [
        f"{name}: {offence}" for name, tables in release.items() for offence in own_offences(tables)
    ]
    if offences:
        raise VerificationError(offences)
    for name, tables in release.items():
        texts = structure_offences(tables, views[name])
        offences += [f"{name}: {entry}" for entry in texts]
    if not offences:  # all columns are there
        for name in release:
            offences += [f"{name}: {kind}" for kind in _of_types(release, policy, name)]
    if offences:
        raise VerificationError(offences)
    for name, tables in release.items():
        texts = _of_keys(release, policy, name)
        texts += columns.replaced_offences(tables, views[name], besides=policy.linked(name))
        offences += [f"{name}: {item}" for item in texts]
    if offences:
        raise VerificationError(offences)
    engine = release[policy.privacy.of].engine
    relations = {name: release[name].rows for name in release}
    rows = {name: _rows(release[name]) for name in release}
    missing = {name: _suppressed(facts_of(release[name])) for name in release}
    with laid_out(engine, policy, relations, views) as laid:
        things, fewest, offences = recounted(engine, policy, laid)
        for name, table in laid.items():
            most = policy.tables[name].max_rows
            texts = engine.query("verification/relational/most", number=table.number)[0][0]
            if most is not None and texts > most:
                offences.append(f"{name}: somebody has {texts:,} rows, more than {most:,}")
        offences += models.offences(engine, policy, laid, missing)
    for name in release:
        offences += [f"{name}: {value}" for value in facts.of_values(release[name], views[name])]
    single = {
        name: counting.not_covered_of(
            tables.engine, tables.rows, views[name], policy.released_name(name)
        )
        for name, tables in release.items()
        if not policy.tables[name].public
    }
    not_covered = {name: sentence for name, sentence in single.items() if sentence is not None}
    offences += facts.of_about(release, policy, rows, not_covered)
    offences += [] if offences else _of_completed(release, views)
    offences += [] if offences else _of_order(release, policy, views)
    if offences:
        raise VerificationError(offences)
    return Known(rows[policy.privacy.of], fewest, things, rows, not_covered)


def _of_completed(release: Mapping[str, ReleaseTables], views: Mapping[str, Policy]) -> list[str]:
    """Return what is wrong with the completed tables."""
    return [
        f"{name}: {text}"
        for name, tables in release.items()
        for text in completed.offences(tables, views[name].release.draws)
    ]


def _of_order(
    release: Mapping[str, ReleaseTables], policy: RelationalPolicy, views: Mapping[str, Policy]
) -> list[str]:
    """Return what is wrong with the order of all tables' rows, and with the numbers of people and
    their rows."""
    engine = release[policy.privacy.of].engine
    rows = {name: release[name].rows for name in sorted(release)}
    numbers = [
        [(name, str(policy.tables[name].key))]
        + [
            (other, column)
            for other in rows
            for column, to in sorted(policy.tables[other].references.items())
            if to == name
        ]
        for name in rows
        if not policy.tables[name].public
    ]
    for name, table in rows.items():
        replaced = views[name].replaced
        held = {holder for number in numbers for holder in number}
        numbers += [
            [(name, column.name)]
            for column in engine.columns(table)
            if replaced.get(column.name) == "surrogate" and (name, column.name) not in held
        ]
    made = {
        f"{name}__{COMPLETED}": tables.extras[COMPLETED]
        for name, tables in release.items()
        if COMPLETED in tables.extras
    }
    return order.misnumbered(engine, rows, numbers) + order.unsorted(engine, {**rows, **made})


def _rows(tables: ReleaseTables) -> int:
    rows: int = tables.engine.query("verification/rows", table=tables.rows)[0][0]
    return rows


def _of_types(
    release: Mapping[str, ReleaseTables], policy: RelationalPolicy, name: str
) -> list[str]:
    """Return the references that are not of the kind of the key: as texts they could say more."""
    types = {
        other: {column.name: column for column in tables.engine.columns(tables.rows)}
        for other, tables in release.items()
    }
    offences = []
    for column, other in policy.tables[name].references.items():
        own, key = types[name][column], types[other][str(policy.tables[other].key)]
        if own.kind != key.kind:
            offences.append(f"{column!r} is {own.family}, the key of {other} {key.family}")
    return offences


def _of_keys(
    release: Mapping[str, ReleaseTables], policy: RelationalPolicy, name: str
) -> list[str]:
    """Return what is wrong with the keys and references of a table."""
    table, tables = policy.tables[name], release[name]
    key = str(table.key)
    offences = []
    total, keys, different, least, most = tables.engine.query(
        "verification/relational/keys", table=tables.rows, key=key
    )[0]
    if keys < total or different < total:
        offences.append(f"{total:,} rows have {different:,} different keys")
    elif not table.public and total and (least, most) != (1, total):
        offences.append(
            f"the keys of {total:,} rows go from {least:,} to {most:,}, not from 1 to {total:,}"
        )
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


def _suppressed(about: Mapping[str, str]) -> int:
    """Return how many rows were suppressed, by themselves and with others, as a release says."""
    return sum(max(0, count_of(about, name)) for name in ("suppressed", "with_others"))
