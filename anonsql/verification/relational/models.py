"""Verification of a multi-table release's promises about sensitive columns: whatever an attacker
may know of a person, the values of the matching people keep every model.

The values are counted by people, again from the released tables: in any row of the column's table,
and in the rows that each known row leads to. Where rows were suppressed, the values of the whole
table are known only within bounds: each suppressed row or person may be a missing pair of a person
and a value, and so may each person without a row, who had none or lost it. A model then fails only
if it fails whatever these were. While a release is staged, its source shows the values of the whole
table, and failures are compared with these.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any

from anonsql.engines.base import Engine, Relation
from anonsql.policy.relational import RelationalPolicy
from anonsql.privacy.promise import Promise
from anonsql.star import coded as coding
from anonsql.star.coded import Coded
from anonsql.verification.relational.known import Laid, depth_of, keys, knowable, most_known, shares


@dataclass(frozen=True)
class OfSource:
    """A table of the source: where it is, its key, and its reference towards people."""

    table: Relation
    key: Any
    reference: Any = None


@dataclass(frozen=True)
class JudgedModel:
    """A sensitive column of a table, and what is promised of it. Of the whole table ``lacking``
    rows and people are missing, and up to ``unsure`` of the people without a row had one that was
    suppressed."""

    table: Laid
    column: Coded
    promise: Promise
    where: str
    lacking: int = 0
    unsure: int = 0


def offences(
    engine: Engine,
    policy: RelationalPolicy,
    tables: Mapping[str, Laid],
    missing: Mapping[str, int],
) -> list[str]:
    """Return what breaks the promises about sensitive columns of released tables. ``missing`` says
    how many rows of each were suppressed, by themselves or with others."""
    judged = list[JudgedModel]()
    columns, problems = _judged(engine, policy, tables)
    for column in columns:
        lacking = missing[policy.ordered[column.table.number - 1]]
        people = missing[policy.privacy.of] if column.table.depth else 0
        alone = any(policy.limit(policy.ordered[number - 1]) for number in column.table.chain)
        unsure = lacking if alone else 0
        judged.append(replace(column, lacking=lacking + people, unsure=unsure))
    return problems + _broken(engine, policy, tables, judged, {})


def offences_by_source(
    engine: Engine,
    policy: RelationalPolicy,
    tables: Mapping[str, Laid],
    source: Mapping[str, OfSource],
    exact: Sequence[str],
) -> list[str]:
    """Return what breaks the promises that hold values against those of the whole table, as the
    source has them, of columns of the staged tables ``exact``."""
    judged = list[JudgedModel]()
    columns, problems = _judged(engine, policy, tables)
    distances = {model for model, _, entry in policy.privacy.by_column() if entry.distribution}
    for column in columns:
        terms = tuple(t for t in column.promise.models if t.criterion.model in distances)
        if terms and policy.ordered[column.table.number - 1] in exact:
            judged.append(replace(column, promise=replace(column.promise, models=terms)))
    return problems + _broken(engine, policy, tables, judged, source)


def by_source(policy: RelationalPolicy) -> bool:
    """Return whether any promise holds values against those of the whole table."""
    return any(model.distribution for _, _, model in policy.privacy.by_column())


def _judged(
    engine: Engine, policy: RelationalPolicy, tables: Mapping[str, Laid]
) -> tuple[list[JudgedModel], list[str]]:
    """Return the columns that models are about, with these, and what keeps others from being
    judged."""
    result, wrong = list[JudgedModel](), list[str]()
    for name, table in tables.items():
        privacy = policy.promised_of(name)
        columns, problems = coding.plan(privacy, engine.columns(table.rows), first=1)
        wrong += [f"{name}: {problem.where}: {problem.found}" for problem in problems]
        terms = Promise.of(privacy, columns).models if columns else ()
        for column in columns:
            own = tuple(term for term in terms if term.index == column.index)
            promise = Promise(1, own, (column.index,), matching=True)
            result.append(JudgedModel(table, column, promise, f"{name}.{column.name}"))
    return result, wrong


def _broken(
    engine: Engine,
    policy: RelationalPolicy,
    tables: Mapping[str, Laid],
    judged: Sequence[JudgedModel],
    source: Mapping[str, OfSource],
) -> list[str]:
    """Return which columns break their promises; with the tables of a ``source``, compared with
    them."""
    if not judged:
        return []
    trees = policy.privacy.known_rows == "all"
    _make(engine, "owners", "owners", trees=trees)
    most, texts = most_known(policy, tables), list[str]()
    with knowable(engine, tables, most, shapes=trees) if most else nullcontext():
        for model in judged:
            path = [source[name] for name in _path(policy, model.table)] if source else []
            texts += _of_column(engine, tables, model, (most, trees), path)
    engine.drop("owners")
    return texts


def _path(policy: RelationalPolicy, table: Laid) -> list[str]:
    return [policy.ordered[number - 1] for number in table.chain] + [policy.privacy.of]


def _of_column(
    engine: Engine,
    tables: Mapping[str, Laid],
    judged: JudgedModel,
    known: tuple[int, bool],
    path: Sequence[OfSource],
) -> list[str]:
    """Return what breaks the promise of one column, where up to so many rows are ``known``, with
    the trees below them or without; by the source's tables on its ``path`` to people, where these
    are given."""
    table, column, (most, shapes) = judged.table, judged.column, known
    parameters: dict[str, Any] = {"a": column, "table": table.rows, "key": table.key}
    parameters["number"] = table.number
    reference = f"reference_{column.index}"
    if path:
        _make(engine, reference, "source_reference", a=column, path=path, last=len(path) - 1)
    else:
        _make(engine, reference, "reference", unsure=judged.unsure, **parameters)
    pairs, without = engine.query(
        "verification/relational/pairs", reference=reference, number=table.number
    )[0]
    lacking = judged.lacking + min(judged.unsure, without)
    promise = judged.promise.seen_alone(pairs, lacking)
    _make(engine, "secrets", "secrets", depth=table.depth, **parameters)
    _make(engine, "of_people", "of_people")
    tellers = [
        laid
        for laid in tables.values()
        if laid.depth and (table.number in laid.chain or laid.number in table.chain)
    ]
    if tellers:
        parameters = {"tellers": tellers, "tables": len(tables) + 1, "shapes": shapes}
        _make(engine, "tells", "tells", depth=table.depth, **parameters)
    broken = [
        text
        for rows in range(most + 1)
        for position in range((rows if tellers else 0) + 1)
        if (text := _of_things(engine, tables, replace(judged, promise=promise), (rows, position)))
    ]
    engine.drop("secrets", "of_people", *(["tells"] if tellers else []), reference)
    return broken


def _of_things(
    engine: Engine, tables: Mapping[str, Laid], judged: JudgedModel, rows_and_place: tuple[int, int]
) -> str:
    """Return what breaks a column's promise when some rows are known and the row in one place shows
    the value; empty if the promise holds."""
    rows, position = rows_and_place
    known: dict[str, Any] = {"rows": rows, "keys": keys(rows), "depth": depth_of(tables)}
    things, broken = 0, 0
    for share in shares(engine, rows):
        parameters = {"place": position, "index": judged.column.index, **known, **share}
        _make(engine, "matching", "matching", **parameters)
        result = engine.query(
            "verification/relational/unkept",
            table="matching",
            keys=known["keys"],
            promise=judged.promise,
        )[0]
        things, broken = things + result[0], broken + result[1]
        engine.drop("matching")
    if not broken:
        return ""
    what = ", ".join(f"{term.words} of {judged.where}" for term in judged.promise.models)
    text = f", revealed by known row {position}" if position else ""
    return (
        f"of {things:,} things that an attacker may know with {rows} known rows {broken:,} do not"
        f" keep {what}{text}"
    )


def _make(engine: Engine, name: str, select: str, **parameters: Any) -> None:
    settings = {"name": name, "select": f"verification/relational/{select}"}
    engine.run("sql/table", **settings, **parameters)
