"""Verification of ``__marginals``: how many released rows have each value of a generalized column.

The release alone shows the table's required form; drawing the completed table again shows that each
value fits the labels (:mod:`anonsql.verification.completed`). The source shows the frequencies
themselves, and which values may be shown. A run knows which rows of the source it released. For a
published release that leaves rows out, labels show the frequency of each value exactly, or within
limits where labels overlap (:mod:`anonsql.verification.linking.group_shares`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from anonsql.engines.base import Engine, Relation, ReleaseTables
from anonsql.hierarchies.dimensions import Attribute
from anonsql.policy.release_parts import MARGINALS
from anonsql.policy.table_plan import TablePlan
from anonsql.release.recoding import Recoding
from anonsql.verification.facts import facts_of, missing_rows

_COLUMNS = [("column_name", "VARCHAR"), ("kind", "VARCHAR"), ("value", "VARCHAR")]
_COLUMNS += [("rows", "BIGINT")]
_Key = tuple[str | None, str | None, str | None]
"""A column, a kind and a value."""
_ROWS = "verified_marginal_rows"


def of_release(release: ReleaseTables, policy: TablePlan) -> list[str]:
    """Return what is wrong with the table, as far as the release alone shows it."""
    table = release.extras.get(MARGINALS)
    if table is None:
        return [f"there is no __{MARGINALS}"] if policy.release.marginals else []
    columns = [(column.name, column.type) for column in release.engine.columns(table)]
    if columns != _COLUMNS:
        names = ", ".join(name for name, _ in _COLUMNS)
        return [f"__{MARGINALS} has other columns than {names}, or of other types"]
    rows = frequencies(release)
    released = int(release.engine.query("verification/rows", table=release.rows)[0][0])
    named = set(policy.quasi_identifiers)
    sums: Counter[str | None] = Counter()
    strange, few = 0, 0
    for (name, kind, value), count in rows:
        known = name in named and kind in ("value", "null", "others")
        strange += not known or (kind == "value") != (value is not None) or count is None
        few += count is not None and count < policy.privacy.k
        sums[name] += count or 0
    offences = {
        "have no such column, value, NULL or remainder": strange,
        f"count fewer than k={policy.privacy.k} rows": few,
        "occur more than once": len(rows) - len({key for key, _ in rows}),
    }
    wrong = [name for name in sorted(named) if sums[name] != released]
    return [
        f"{many:,} frequencies of __{MARGINALS} {what}" for what, many in offences.items() if many
    ] + [f"the frequencies of {name!r} do not add up to {released:,} rows" for name in wrong]


def of_recoding(
    engine: Engine,
    staged: ReleaseTables,
    sides: tuple[Relation, Relation],
    policy: TablePlan,
    recoding: Recoding,
) -> list[str]:
    """Return where the staged table differs from the frequencies of the source's rows that a
    recoding releases: of a full-domain generalization those whose labels released rows
    have, of groups those in one. ``sides`` are the released rows, as ``engine`` reads them, and the
    source."""
    (rows, source), by, suppression = sides, recoding.by, recoding.suppression
    left_out = suppression.rows > 0
    _, told = by.left_out() or ("", {})
    leveled = told.get("levels", {})
    released_by = ("labels" if leveled else "groups") if left_out else None
    shared = {"levels": leveled, "table": rows, "valued": recoding.valued}
    found = _counted(engine, policy, source, recoding.attributes, by=released_by, **shared)
    return _compared(frequencies(staged), _shown(found, policy.privacy.k))


def against_source(
    engine: Engine,
    release: ReleaseTables,
    policy: TablePlan,
    source: Relation,
    attributes: Sequence[Attribute],
) -> list[str]:
    """Return where the published table differs from the frequencies of its source, whose dimension
    tables ``engine`` has."""
    if not missing_rows(facts_of(release)):
        found = _counted(engine, policy, source, attributes, by=None)
        return _compared(frequencies(release), _shown(found, policy.privacy.k))
    return _limited(engine, release, policy, source, attributes)


@dataclass(frozen=True)
class _Counts:
    """What the source has of a column: its values that k rows have, as (rows, value), and of all
    others how many ``different`` ones, and their ``rows``."""

    frequent: Sequence[tuple[int, str | None]]
    different: int
    rows: int


def _counted(
    engine: Engine,
    policy: TablePlan,
    source: Relation,
    attributes: Sequence[Attribute],
    **released: Any,
) -> dict[str, _Counts]:
    given = {"levels": {}, "table": source, "valued": (), "attributes": attributes, **released}
    engine.drop(_ROWS)
    engine.run("verification/marginals/rows", source=source, **given)
    found = {}
    for a in attributes:
        asked = {"a": a, "k": policy.privacy.k}
        frequent = engine.query("verification/marginals/frequent", **asked)
        different, rows = engine.query("verification/marginals/rare", **asked)[0]
        own = [(int(n), value) for value, n in frequent]
        found[a.name] = _Counts(own, int(different), int(rows or 0))
    engine.drop(_ROWS)
    return found


def _shown(found: Mapping[str, _Counts], k: int) -> dict[_Key, int]:
    """Return what must be shown: where other values are too few, the rarest shown one is of them,
    of equals NULL or the least text."""
    made: dict[_Key, int] = {}
    for name, counts in found.items():
        order = sorted(counts.frequent, key=lambda own: (own[0], own[1] is not None, own[1] or ""))
        others = counts.rows
        if counts.different and order and (counts.different < 2 or counts.rows < k):
            others += order.pop(0)[0]
        for rows, value in order:
            made[name, "null" if value is None else "value", value] = rows
        if others:
            made[name, "others", None] = others
    return made


def _compared(rows: Sequence[tuple[_Key, int]], expected: Mapping[_Key, int]) -> list[str]:
    published = dict(rows)
    names = sorted({name or "" for name, *_ in (*published, *expected)})
    wrong = Counter(
        key[0] or "" for key in {*published, *expected} if published.get(key) != expected.get(key)
    )
    return [
        f"{wrong[name]:,} frequencies of {name!r} differ from those of the source's released rows"
        for name in names
        if wrong[name]
    ]


def _limited(
    engine: Engine,
    release: ReleaseTables,
    policy: TablePlan,
    source: Relation,
    attributes: Sequence[Attribute],
) -> list[str]:
    """Return where published frequencies are impossible by labels and source; where these leave one
    number for each value, also where other values should be shown."""
    from anonsql.verification.linking.link import Link

    with Link.between(engine, release, policy, source, attributes, roles=(), every=False) as link:
        with link.joined(link.label_facets):
            template = "verification/linking/group_shares/values"
            shared = {"attributes": attributes, "sensitive": [], "steps": len(link.label_facets)}
            link.run("group_shares", template, **shared)
        columns = {"columns": ["number", "value", "least", "most"]}
        rows = engine.query("verification/facts", table="group_shares", **columns)
    names, k = {attribute.index: attribute.name for attribute in attributes}, policy.privacy.k
    limits = {(names[number], value): (int(le), int(mo)) for number, value, le, mo in rows}
    if all(least == most for least, most in limits.values()):
        found = {}
        for name in names.values():
            own = [(n, value) for (of, value), (n, _) in limits.items() if of == name and n]
            rare = [n for n, _ in own if n < k]
            frequent = [row for row in own if row[0] >= k]
            found[name] = _Counts(frequent, len(rare), sum(rare))
        return _compared(frequencies(release), _shown(found, k))
    wrong = Counter(
        name
        for (name, kind, value), count in frequencies(release)
        if kind != "others" and not _within(limits.get((name or "", value), (0, 0)), count)
    )
    return [
        f"{many:,} frequencies of {name!r} are impossible for the source's released rows"
        for name, many in wrong.items()
    ]


def _within(limits: tuple[int, int], count: int) -> bool:
    return limits[0] <= count <= limits[1]


def frequencies(release: ReleaseTables) -> list[tuple[_Key, int]]:
    """Return the rows of the table, as they are stored: (column, kind, value) and their rows."""
    columns = [name for name, _ in _COLUMNS]
    rows = release.engine.query(
        "verification/facts", table=release.extras[MARGINALS], columns=columns
    )
    return [((name, kind, value), count) for name, kind, value, count in rows]
