"""Verification of kept columns whose values were changed. By the release alone: whether the stated
change can lead to each released value. Against the source: by applying the stated change to the
source again, with statements of its own.

Draws cannot be repeated: their secret is gone. While the run lasts, the new value of every old one
is known, and the counts of all pairs are compared with the stated weights; later only the weights
can be recomputed and compared with the released counts. The release does not say how many rows had
values too rare to stay: without the source, every value may have been drawn. A count is refused
where chance alone leads so far from the expected count with a probability below 10^-12, by
Bernstein's inequality for a sum of n draws with variance v: 2 exp(-d^2 / (2 v + 2 d / 3)).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal, InvalidOperation
from math import log
from typing import Any

from anonsql.engines.base import Column, Engine, PlainColumn, Relation, ReleaseTables
from anonsql.hierarchies.bounds_types import rounded_type, unit
from anonsql.policy.changes import WHOLE, Change, Drawn, Given, Recoded, changes_of
from anonsql.policy.table_plan import TablePlan
from anonsql.system.scalars import plain
from anonsql.verification.facts import count_of, missing_rows

VIEW = "changed_again"
_UNLIKELY = 12 * log(10)
NUMBER = r"-?(0|[1-9][0-9]*)(\.[0-9]+)?"
"""How a threshold is written."""


def facts(policy: TablePlan) -> dict[str, str | None]:
    """Return the facts about changes that a release must state, None where its rows or the source
    decide."""
    told: dict[str, str | None] = {}
    for name, change in changes_of(policy.columns).items():
        where = f"change.{name}"
        if change.pram is not None:
            told |= {f"{where}.stay": plain(change.pram.stay), f"{where}.drawn": None}
        for end in ("top", "bottom"):
            limit = getattr(change, end)
            if limit is not None:
                told[f"{where}.{end}"] = plain(limit.value) if isinstance(limit, Given) else None
        if change.round is not None:
            told[f"{where}.round"] = plain(change.round)
    return told


def of_release(release: ReleaseTables, policy: TablePlan, about: Mapping[str, str]) -> list[str]:
    """Return values of the rows to which no change leads, and stated changes that no run states."""
    columns = {column.name: column for column in release.engine.columns(release.rows)}
    whole = missing_rows(about) == 0 and count_of(about, "masked") <= 0
    offences: list[str] = []
    for name, change in changes_of(policy.columns).items():
        column = columns.get(name)
        if column is None:
            continue  # released in a table of groups; or missing, which is an offence already
        if change.pram is not None:
            offences += _not_drawn(release, column, change, about, whole=whole)
        elif column.kind not in ("integer", "decimal", "float"):
            offences.append(f"{name!r} is {column.family}, but its values were changed as numbers")
        else:
            offences += _outside(release, column, policy, about, whole=whole)
    return offences


def _outside(
    release: ReleaseTables,
    column: Column,
    policy: TablePlan,
    about: Mapping[str, str],
    *,
    whole: bool,
) -> list[str]:
    """Return where released numbers contradict the stated change. A threshold that comes from the
    data is the value of a released row, and of k where no row is missing (``whole``)."""
    name, change = column.name, policy.columns[column.name].change
    limits = {end: _told(about, name, end) for end in ("top", "bottom", "round")}
    asked = {end for end in limits if change is not None and getattr(change, end) is not None}
    if {end for end, limit in limits.items() if limit is not None} != asked:
        return [f"__about does not state {', '.join(sorted(asked))} of {name!r} as numbers"]
    counts = release.engine.query(
        "verification/changes/outside", table=release.rows, name=name, kind=column.kind, **limits
    )[0]
    above, below, uneven, *at = (int(count) for count in counts)
    words = {"are above the top": above, "are below the bottom": below, "are not rounded": uneven}
    offences = [
        f"{n:,} values of {name!r} {what} that __about states" for what, n in words.items() if n
    ]
    for end, rows in zip(("top", "bottom"), at, strict=True):
        given = isinstance(getattr(change, end), Given)
        least = policy.privacy.k if whole else 1
        if end in asked and not given and rows < least:
            text = (
                f"{rows:,} released rows have the {end} of {name!r}, and at least {least:,}"
                " are needed"
            )
            offences.append(f"{text}. Give `{end}` a `value`, or suppress fewer rows")
    return offences


def _not_drawn(
    release: ReleaseTables,
    column: Column,
    change: Change,
    about: Mapping[str, str],
    *,
    whole: bool,
) -> list[str]:
    """Return where released values contradict the stated weights: values without a weight, and
    where no row is missing (``whole``) counts that chance does not lead to."""
    name = column.name
    weights = _weights(about.get(f"change.{name}.drawn", ""))
    if weights is None or change.pram is None:
        return [f"__about does not state the weights of {name!r}"]
    named = {"a": PlainColumn(column), "people": None}
    counted = release.engine.query("verification/changes/values", table=release.rows, **named)
    hidden = count_of(about, "masked") > 0
    strange = sum(int(n) for value, n, _ in counted if value not in weights and not hidden)
    if strange:
        return [f"{strange:,} rows have values of {name!r} without a weight"]
    if not whole:
        return []
    rows = sum(int(n) for _, n, _ in counted)
    counts = {value: int(n) for value, n, _ in counted}
    wrong = 0
    for value, weight in weights.items():
        expected = rows * weight / WHOLE
        wrong += _unlikely(counts.get(value, 0), expected, expected * (1 - weight / WHOLE))
    text = "counts that are too unlikely under the stated weights"
    return [f"{wrong:,} values of {name!r} have {text}"] if wrong else []


def _unlikely(count: int, expected: float, variance: float) -> bool:
    """Return whether chance leads from an expected count to this one with a probability below
    10^-12. Weights are stated to within 2^-40 of a share, and so are expected counts."""
    distance = max(0.0, abs(count - expected) - 1)
    return distance**2 > (_UNLIKELY + log(2)) * (2 * variance + 2 * distance / 3)


def claimed(
    policy: TablePlan, about: Mapping[str, str], columns: Sequence[Column]
) -> list[Recoded]:
    """Return how numbers were recoded, as a release states it; ``columns`` are the source's."""
    claims = []
    for index, column in enumerate(columns, start=1):
        change = policy.columns[column.name].change if column.name in policy.columns else None
        if change is None or change.pram is not None:
            continue
        top, bottom, step = (_told(about, column.name, end) for end in ("top", "bottom", "round"))
        made, least = rounded_type(column), unit(column)
        claims.append(Recoded(index, column.name, made, top, bottom, step, least))
    return claims


def expected_source(
    engine: Engine,
    source: Relation,
    columns: Sequence[Column],
    recoded: Sequence[Recoded],
    drawn: Sequence[Drawn] = (),
) -> Relation:
    """Make the view of the source as it must be released, by the claimed changes; ``source`` has
    the drawn columns."""
    parameters: dict[str, Any] = {
        "source": source,
        "names": [column.name for column in columns],
        "recoded": {column.name: column for column in recoded},
        "drawn": {column.name: column for column in drawn},
    }
    select = "verification/changes/expected"
    engine.run(engine.own["scratch_view"], view=(VIEW,), select=select, **parameters)
    types = {column.name: column.made for column in recoded}
    made = [replace(column, type=types.get(column.name, column.type)) for column in columns]
    engine.describe_view((VIEW,), source, made)
    return (VIEW,)


def draw_offences(
    engine: Engine,
    tables: tuple[Relation, Relation],
    columns: Sequence[Column],
    drawn: Sequence[Drawn],
    about: Mapping[str, str],
) -> list[str]:
    """Return what is wrong with the table of draws: rows that are not the source's, values that
    became what has no weight, and transitions that chance does not lead to. ``tables`` are the
    source and that table, ``columns`` those of the source that the table has."""
    source, table = tables
    kinds = engine.query("verification/changes/added", source=source, table=table, columns=columns)
    wrong = int(kinds[0][0])
    offences = [
        f"{wrong:,} distinct rows are in the table of draws more or less often than in the source"
    ] * (wrong > 0)
    types = {column.name: column for column in columns}
    for draw in drawn:
        weights = _weights(about.get(f"change.{draw.name}.drawn", "")) or {}
        asked = {"table": table, "a": PlainColumn(types[draw.name]), "new": draw.new}
        counted = engine.query("verification/changes/transitions", **asked)
        offences += _not_by_weight(draw.name, float(draw.stay), weights, counted)
    return offences


def _not_by_weight(
    name: str,
    stay: float,
    weights: Mapping[str | None, int],
    counted: Sequence[tuple[Any, ...]],
) -> list[str]:
    """Return where values changed in another way than stated: (value, released value, rows) are
    ``counted``."""
    rows: dict[str | None, int] = {}
    became: dict[tuple[str | None, str | None], int] = {}
    for was, value, n in counted:
        rows[was] = rows.get(was, 0) + int(n)
        became[was, value] = int(n)
    if strange := {value for _, value in became} - weights.keys():
        return [f"{len(strange):,} values of {name!r} have no weight"]
    wrong = 0
    for was, n in rows.items():
        stays = stay if was in weights else 0
        for value, weight in weights.items():
            share = (1 - stays) * weight / WHOLE + (stays if was == value else 0)
            seen = became.get((was, value), 0)
            wrong += _unlikely(seen, n * share, n * share * (1 - share))
    text = "pairs of old and new value occur too often or too rarely to be due to chance"
    return [f"{wrong:,} {text} in {name!r}"] if wrong else []


def recounted(
    engine: Engine,
    source: Relation,
    columns: Sequence[Column],
    policy: TablePlan,
    about: Mapping[str, str],
) -> list[str]:
    """Return the drawn columns whose weights are not the shares of the source's values that k rows
    have, or k people."""
    offences, by_name = [], {column.name: PlainColumn(column) for column in columns}
    people = by_name.get(policy.privacy.entity or "")
    for column in columns:
        change = policy.columns[column.name].change if column.name in policy.columns else None
        if change is None or change.pram is None:
            continue
        weights = _weights(about.get(f"change.{column.name}.drawn", "")) or {}
        asked = {"table": source, "a": by_name[column.name], "people": people}
        counted = engine.query("verification/changes/values", **asked)
        rows = {value: int(n) for value, n, have in counted if have >= policy.privacy.k}
        total = sum(rows.values())
        wrong = (
            abs(weights.get(value, 0) * total - n * WHOLE) > total for value, n in rows.items()
        )
        if weights.keys() != rows.keys() or any(wrong):
            offences.append(
                f"the weights of {column.name!r} are not the shares of its values in the source"
            )
    return offences


def _told(about: Mapping[str, str], name: str, end: str) -> Decimal | None:
    try:
        number = Decimal(about.get(f"change.{name}.{end}", ""))
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _weights(text: str) -> dict[str | None, int] | None:
    try:
        told = json.loads(text)
        weights: dict[str | None, int] = dict(told["weights"])
        fits = told["of"] == WHOLE == sum(weights.values()) and len(told["weights"]) == len(weights)
        whole = all(type(weight) is int and weight >= 0 for weight in weights.values())
        named = all(value is None or isinstance(value, str) for value in weights)
    except (ValueError, TypeError, KeyError):
        return None
    return weights if fits and whole and named and told.keys() == {"of", "weights"} else None
