"""How much of each group of a source is released: recomputed from release, source and policy alone,
to hold ``privacy.max_group_loss``.

A group are the rows with one value of a quasi-identifying or sensitive column. Of a sensitive
column, whose values are released as they are, the released rows of a group are counted. Of a
quasi-identifying one labels say which rows of the source a released row may be, and with that how
many rows of a group can be released at most. No assignment of released rows to the source's gives a
group more than

- each of its cells has rows, or matches released rows,
- each released tuple has rows, or matches rows of the group,
- each connected component of the graph of matches has released rows.

With generalization to levels each component is one class, released whole or not at all, so the
number is exact; with labels that overlap it is a limit. At least as many are released as the other
rows of a component leave over. A release is refused where even the most breaks the limit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from anonsql.engines.base import Engine, Relation, ReleaseTables
from anonsql.hierarchies.dimensions import Attribute
from anonsql.policy.policy import Policy
from anonsql.verification.attack.assignment_graph import MatchGraph
from anonsql.verification.attack.matching import Matching
from anonsql.verification.attack.pairs import as_array
from anonsql.verification.attack.released import Released
from anonsql.verification.attack.relocated import casts_of
from anonsql.verification.attack.transport import Ints, components_of
from anonsql.verification.facts import count_of, facts_of

MOST_NAMED = 50
"""Groups that are told one by one at most, the least shares first."""
_TABLE = "group_shares"
_COUNTS = [(name, "BIGINT") for name in ("code", "n", "least", "most")]
_TRAVELS_NOT = ("float", "timestamp", "other")


@dataclass(frozen=True)
class GroupShare:
    """Of ``rows`` of the source with one ``value`` of a ``column``, ``least`` to ``most`` are
    released, unmasked. ``rare``: so many ``values`` together that too few rows have to be named."""

    column: str
    value: str | None
    rows: int
    least: int
    most: int
    values: int = 1
    rare: bool = False


@dataclass(frozen=True)
class _Sensitive:
    """A sensitive column, the types to compare its values as, the source's and the release's (None:
    their own), and whether they are text then."""

    name: str
    cast: str | None
    released_cast: str | None
    text: bool


def can_be_read(policy: Policy, about: Mapping[str, str]) -> bool:
    """Return whether the rows of a release tell what is released of a group: not where values are
    changed or lie in tables of their own, nor where new rows did not fit a published scheme."""
    quarantined = count_of(about, "quarantined") > 0
    return not (policy.method.changes_values or policy.tabled or quarantined)


def offences(
    engine: Engine,
    release: ReleaseTables,
    policy: Policy,
    source: Relation,
    attributes: Sequence[Attribute],
) -> list[str]:
    """Return the offence of a release that provably leaves out more of a group of at least k rows
    than the policy allows. ``engine`` has the source and the dimension tables of ``attributes``."""
    limit, about = policy.privacy.max_group_loss, facts_of(release)
    if limit is None or not can_be_read(policy, about):
        return []
    shares = of_release(engine, release, policy, source, attributes, least=policy.privacy.k)
    least = 1 - Fraction(limit)
    broken = [share for share in shares if not share.rare and share.most < least * share.rows]
    if not broken:
        return []
    worst = broken[0]
    return [
        f"of {worst.rows:,} rows with one value of {worst.column!r} {worst.most:,} at most are"
        f" released: privacy.max_group_loss={limit:g} is not kept"
    ]


def of_release(
    engine: Engine,
    release: ReleaseTables,
    policy: Policy,
    source: Relation,
    attributes: Sequence[Attribute],
    *,
    least: int,
) -> list[GroupShare]:
    """Return the groups that lost rows, the least released shares first; groups of fewer than
    ``least`` rows together, by column."""
    released = Released.of(
        release, policy, [(attribute.index, attribute.name) for attribute in attributes]
    )
    names = {attribute.index: attribute.name for attribute in attributes}
    made: list[str] = []
    try:
        made += _share_cells(engine, release, released, source, attributes)
        first = max(names) + 1
        columns = _sensitive(engine, release, policy, source)
        for number, column in enumerate(columns, start=first):
            names[number] = column.name
            made += _hold(engine, release, released, source, number=number, column=column)
        numbers = [number for number in names if number >= first]
        shared = {"attributes": attributes, "sensitive": numbers}
        engine.run("verification/attack/group_shares/values", **shared)
        made.append(_TABLE)
        return _told(engine, names, least)
    finally:
        for table in made:
            engine.drop(table)


def _told(engine: Engine, names: Mapping[int, str], least: int) -> list[GroupShare]:
    """Return what the table group_shares says."""
    shared = {"least": least, "most": MOST_NAMED}
    named = [
        GroupShare(names[number], value, rows, fewest, most)
        for number, value, rows, fewest, most in engine.query(
            "verification/attack/group_shares/largest", **shared
        )
    ]
    rare = [
        GroupShare(names[number], None, rows, fewest, most, values, rare=True)
        for number, values, rows, fewest, most in engine.query(
            "verification/attack/group_shares/rare", least=least
        )
    ]
    return sorted([*named, *rare], key=lambda share: share.most / share.rows)


def _share_cells(
    engine: Engine,
    release: ReleaseTables,
    released: Released,
    source: Relation,
    attributes: Sequence[Attribute],
) -> list[str]:
    """Make the tables groups_<index>: what is released of the values of each attribute, at the
    least level that may be released. Return their names."""
    matching = Matching(engine, release, released, attributes)
    try:
        matching.make(source)
        graph = matching.graph()
        codes = matching.cells([f"v{attribute.index}" for attribute in attributes])
    finally:
        matching.drop()
    component = components_of(
        len(graph.originals) + len(graph.released), graph.cell, len(graph.originals) + graph.tuple
    )
    made = []
    for attribute, code in zip(attributes, codes, strict=True):
        rows = group_limits(graph, component, _at_least_level(engine, attribute, code))
        made.append(f"groups_{attribute.index}")
        engine.load(made[-1], _COUNTS, rows.tolist())
    return made


def _at_least_level(engine: Engine, attribute: Attribute, code: Ints) -> Ints:
    """Return the codes of cells at the least level of an attribute that may be released."""
    columns = ["code", f"g{attribute.min_level}"]
    table = f"dim_{attribute.index}"
    rows = engine.query("verification/facts", table=table, columns=columns)
    known = as_array([(own, above or 0) for own, above in rows], 2)
    above = np.zeros(int(max(known[:, 0].max(initial=0), code.max(initial=0))) + 1, dtype=np.int64)
    above[known[:, 0]] = known[:, 1]
    return above[code]


def group_limits(graph: MatchGraph, component: Ints, group: Ints) -> Ints:
    """Return, by group, its number, its rows, and how many of them are released at least and at
    most. ``group`` is that of each cell, ``component`` that of each cell and released tuple."""
    cells = len(graph.originals)
    parts = int(component.max(initial=-1)) + 1
    in_source = _summed(component[:cells], graph.originals, parts)
    in_release = _summed(component[cells:], graph.released, parts)
    numbers, result = np.unique(group, return_inverse=True)
    result = result.ravel()
    part, inverse = np.unique(result * parts + component[:cells], return_inverse=True)
    inverse, of_part = inverse.ravel(), part % parts
    rows = _summed(inverse, graph.originals, len(part))
    reach = graph.by_cell(np.ones(len(graph.cell), dtype=bool))
    by_cell = _summed(inverse, np.minimum(graph.originals, reach), len(part))
    tuples = len(graph.released)
    pair, own = np.unique(inverse[graph.cell] * tuples + graph.tuple, return_inverse=True)
    weight = _summed(own.ravel(), graph.originals[graph.cell], len(pair))
    by_tuple = _summed(
        pair // max(tuples, 1), np.minimum(weight, graph.released[pair % max(tuples, 1)]), len(part)
    )
    most = np.minimum(np.minimum(by_cell, by_tuple), in_release[of_part])
    least = np.clip(in_release[of_part] - (in_source[of_part] - rows), 0, most)
    owner = part // max(parts, 1)
    columns = [_summed(owner, counts, len(numbers)) for counts in (rows, least, most)]
    return np.stack([numbers, *columns], axis=1)


def _summed(numbers: Ints, counts: Ints, size: int) -> Ints:
    """Return the sums of counts by place."""
    sums = np.zeros(size, dtype=np.int64)
    np.add.at(sums, numbers, counts)
    return sums


def _sensitive(
    engine: Engine, release: ReleaseTables, policy: Policy, source: Relation
) -> list[_Sensitive]:
    """Return the sensitive columns whose released values can be compared with the source's."""
    travels = release.engine is not engine
    columns = {column.name: column for column in release.engine.columns(release.rows)}
    result = []
    for original in engine.columns(source):
        settings, column = policy.columns.get(original.name), columns.get(original.name)
        if settings is None or settings.role != "sensitive" or column is None:
            continue
        lost = original.kind == "other" or (travels and original.kind in _TRAVELS_NOT)
        casts = None if lost else casts_of(original, column, travels=travels)
        if casts is not None:
            text = "VARCHAR" in (casts[0] or original.type, casts[0])
            result.append(_Sensitive(original.name, *casts, text))
    return result


def _hold(
    engine: Engine,
    release: ReleaseTables,
    released: Released,
    source: Relation,
    *,
    number: int,
    column: _Sensitive,
) -> list[str]:
    """Make the table held_<number> beside the source: how many rows of the source and how many
    released ones have each value of a sensitive column. Return the tables made."""
    table, travels = f"released_{number}", release.engine is not engine
    parameters = {
        "table": release.rows,
        "column": column.name,
        "cast": "VARCHAR" if travels else column.released_cast,
        "text": travels or column.text,
        "labels": [label for _, label, _ in released.labels] if released.masks else [],
    }
    template = "verification/attack/group_shares/released"
    if travels:
        rows = release.engine.query(template, **parameters)
        engine.load(table, [("value", "VARCHAR"), ("n", "BIGINT")], rows or [(None, 0)])
    else:
        engine.run("sql/table", name=table, select=template, **parameters)
    casts = {"cast": column.cast, "released_cast": column.released_cast, "text": column.text}
    held = {"source": source, "number": number, "column": column.name, **casts}
    engine.run("verification/attack/group_shares/held", **held)
    return [table, f"held_{number}"]
