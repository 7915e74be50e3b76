"""Published tables against their source: every cell is counted anew from the rows, by labels, and
compared; then an audit says how well the hidden values can be told from all that is published.

Nothing that is counted here is what made the tables: not their numbers of cells and groups, nor what
ties these together; the audit is that of the run. Hierarchies are those of the dimension tables,
which are checked by themselves.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from anonsql.engines.base import Column, Engine, OfColumn, Relation
from anonsql.hierarchies.dimensions import Attribute
from anonsql.over_time.ledger import load_key
from anonsql.policy.statistics import Protect, StatisticsPolicy
from anonsql.statistics import audits, keys, rules
from anonsql.statistics.cubes import PORTION, Shown, Sum
from anonsql.statistics.earlier import Earlier, aligned, names_of
from anonsql.system.arrays import IntArray, np
from anonsql.verification.statistics import changes
from anonsql.verification.statistics import noise as noisy
from anonsql.verification.statistics.recounted import Recounted

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Compared:
    """What published tables are held against: the ``source`` with its dimensions, who is counted
    (``entity``), and the measures."""

    engine: Engine
    source: Relation
    attributes: Sequence[Attribute]
    entity: OfColumn | None
    measures: Sequence[Shown]

    @property
    def sums(self) -> list[Sum]:
        """The measures that are sums."""
        return [measure.sum for measure in self.measures if measure.sum is not None]


def offences(
    compared: Compared,
    policy: StatisticsPolicy,
    tables: Mapping[str, Relation],
    *,
    secret: str = "",
    additive: bool = False,
    earlier: Sequence[Mapping[str, IntArray]] = (),
    reader: Engine | None = None,
    planned: noisy.Planned | None = None,
) -> list[str]:
    """Return what is wrong with the published ``tables`` (their rows, in the source's engine, or in
    the one that is given as ``reader``): cells
    that are missing or too many, values that are not the source's, cells that may not be told by a
    rule, and hidden cells that can be told all the same. Changed values must be what the ``secret``
    of the keys of cells makes of the source's, and where rounded totals are said to be the sums of
    their parts (``additive``) these must hold. ``earlier`` is what was kept
    of the releases before (see :mod:`anonsql.statistics.earlier`). Of noise that is ``planned``
    values must be within reach."""
    engine, protect = compared.engine, policy.protect
    keyed = protect.keyed and compared.entity is not None
    if keyed and compared.entity is not None:
        engine.drop(keys.RECORD_KEYS)
        load_key(engine, secret)
        keys.make_record_keys(engine, compared.source, compared.entity)
    people = _people(compared, policy, keyed=keyed)
    found, pairs = [], []
    for number, (name, relation) in enumerate(tables.items(), start=1):
        pair = (f"recounted_{number}", f"shown_{number}")
        own = _of_table(compared, policy, name, people)
        _recount(compared, policy, name, pair[0], own)
        if own != people:
            engine.drop(own.table)
        _show(compared, policy, name, relation, pair[1], reader=reader or engine)
        if protect.noise is not None and protect.noise.domain == "keys":
            _leave_out(compared, pair)
        found += _differences(compared, protect, name, pair)
        pairs.append(pair)
    engine.drop(people.table)
    if not found:
        cells = _read(compared, policy, pairs, named=bool(earlier))
        if planned is not None:
            levels = [cells.counted[f"l{a.index}"] for a in compared.attributes]
            found += noisy.offences(planned, cells, levels)
        elif protect.changes:
            found += changes.offences(protect, compared.measures, cells, secret, additive=additive)
        else:
            found += _audit(compared, policy, cells, earlier)
    for name in itertools.chain(*pairs):
        engine.drop(name)
    return found


def _ranked(compared: Compared, protect: Protect) -> int:
    """Return how many of the largest contributors are looked at."""
    if protect.of_sums:
        return protect.contributors
    return 2 if protect.by == "cell-key" and compared.sums else 0


def _named(compared: Compared, protect: Protect) -> bool:
    """Return whether it matters who is the only person of a cell, who knows the sum of it."""
    return not protect.changes and compared.entity is not None and bool(compared.sums)


@dataclass(frozen=True)
class _People:
    """The ``table`` that has people by labels, and whether somebody is in ``several`` rows of it."""

    table: str
    several: bool


def _people(compared: Compared, policy: StatisticsPolicy, *, keyed: bool) -> _People:
    """Add the rows of the source up by labels, and by people where somebody may be counted twice or
    amounts are compared."""
    engine = compared.engine
    least = [
        min(t.levels.get(a.name, 0) for t in policy.tables.values() if a.name in t.by)
        for a in compared.attributes
    ]
    levels = {
        a.index: list(range(first, a.height))
        for a, first in zip(compared.attributes, least, strict=True)
    }
    shared = {"attributes": compared.attributes, "levels": levels, "sums": compared.sums}
    engine.run(
        "verification/statistics/labelled",
        source=compared.source,
        entity=compared.entity,
        keyed=keyed,
        **shared,
    )
    noise = policy.protect.noise
    several = noise is not None and noise.counts_apart
    if noise is None and compared.entity is not None:
        rows, people = engine.query("verification/statistics/several")[0]
        several = rows > people
    if several or _ranked(compared, policy.protect) or _named(compared, policy.protect):
        return _People("labelled", several)
    engine.run(
        "verification/statistics/gathered",
        rows=("labelled",),
        keyed=keyed,
        name="gathered",
        **shared,
    )
    engine.drop("labelled")
    return _People("gathered", several=False)


def _of_table(compared: Compared, policy: StatisticsPolicy, name: str, people: _People) -> _People:
    """Return people by the labels of one table's dimensions alone, where that is fewer rows."""
    settings = policy.tables[name]
    own = [a for a in compared.attributes if a.name in settings.by]
    levels = {a.index: range(settings.levels.get(a.name, 0), a.height) for a in own}
    if (
        people.table != "gathered"
        or len(own) == len(compared.attributes)
        or not any(levels.values())
    ):
        return people
    compared.engine.run(
        "verification/statistics/gathered",
        rows=(people.table,),
        attributes=own,
        levels={index: list(of_table) for index, of_table in levels.items()},
        keyed=policy.protect.keyed,
        sums=compared.sums,
        name="gathered_of_table",
    )
    return _People("gathered_of_table", several=False)


def _show(
    compared: Compared,
    policy: StatisticsPolicy,
    name: str,
    relation: Relation,
    table: str,
    *,
    reader: Engine,
) -> None:
    """Make the cells of a published table by the names of their groups, where the source is."""
    engine = compared.engine
    reader.run(
        "verification/statistics/shown",
        table=relation,
        attributes=[a for a in compared.attributes if a.name in policy.tables[name].by],
        all_attributes=compared.attributes,
        measures=compared.measures,
        status=policy.protect.status,
        name=table,
    )
    if reader is engine:
        return
    keys = [
        column
        for a in compared.attributes
        for column in (Column(f"l{a.index}", "BIGINT"), Column(f"k{a.index}", "VARCHAR"))
    ]
    positions = range(1, len(compared.measures) + 1)
    columns = keys + [Column(f"{name}{at}", "BIGINT") for at in positions for name in "bh"]
    if engine.takes == "rows":
        names = [column.name for column in columns]
        rows = reader.query("verification/facts", table=(table,), columns=names)
        engine.load(table, [(column.name, column.type) for column in columns], rows)
    else:
        file = engine.context.workspace / table
        engine.receive(table, reader.carry(table, columns, file, engine.takes))
    reader.drop(table)


def _recount(
    compared: Compared, policy: StatisticsPolicy, name: str, table: str, people: _People
) -> None:
    """Count the cells of one table anew."""
    settings = policy.tables[name]
    ranges = [
        range(settings.levels.get(a.name, 0), a.height + 1) if a.name in settings.by else [a.height]
        for a in compared.attributes
    ]
    indices = [a.index for a in compared.attributes]
    vectors = [dict(zip(indices, levels, strict=True)) for levels in itertools.product(*ranges)]
    engine, portions = compared.engine, list[str]()
    for first in range(0, len(vectors), PORTION):
        portions.append(f"{table}_{len(portions) + 1}")
        engine.run(
            "verification/statistics/recounted",
            all_attributes=compared.attributes,
            vectors=vectors[first : first + PORTION],
            rows=(people.table,),
            several=people.several,
            keyed=policy.protect.keyed,
            sums=compared.sums,
            ranked=_ranked(compared, policy.protect),
            named=_named(compared, policy.protect),
            name=portions[-1],
        )
    engine.run("verification/statistics/together", portions=portions, name=table)
    for portion in portions:
        engine.drop(portion)
    noise = policy.protect.noise
    if name in policy.zeros or (noise is not None and noise.domain == "public"):
        _complete(compared, policy, table, vectors, people)


def _complete(
    compared: Compared,
    policy: StatisticsPolicy,
    table: str,
    vectors: Sequence[Mapping[int, int]],
    people: _People,
) -> None:
    """Add the cells that nobody is in to those that were counted anew: of a public domain, else of
    the labels that somebody has."""
    engine, portions = compared.engine, list[str]()
    for first in range(0, len(vectors), PORTION):
        portions.append(f"{table}_domain_{len(portions) + 1}")
        engine.run(
            "verification/statistics/domain",
            recounted=table,
            rows=(people.table,) if policy.protect.noise is None else None,
            all_attributes=compared.attributes,
            vectors=vectors[first : first + PORTION],
            ranked=_ranked(compared, policy.protect),
            named=_named(compared, policy.protect),
            sums=compared.sums,
            name=portions[-1],
        )
    engine.drop(table)
    engine.run("verification/statistics/together", portions=portions, name=table)
    for portion in portions:
        engine.drop(portion)


def _leave_out(compared: Compared, pair: tuple[str, str]) -> None:
    """Leave out what was counted anew of cells that are not published."""
    engine, matched = compared.engine, f"{pair[0]}_matched"
    engine.run(
        "verification/statistics/matched",
        recounted=pair[0],
        shown=pair[1],
        attributes=compared.attributes,
        name=matched,
    )
    engine.drop(pair[0])
    engine.run("verification/statistics/together", portions=[matched], name=pair[0])
    engine.drop(matched)


def _differences(
    compared: Compared, protect: Protect, name: str, pair: tuple[str, str]
) -> list[str]:
    """Return where a published table is not what was counted anew, or tells what a rule forbids."""
    engine = compared.engine
    cells, matched, rows, *counts = engine.query(
        "verification/statistics/differences",
        recounted=pair[0],
        shown=pair[1],
        attributes=compared.attributes,
        measures=compared.measures,
        changed=protect.changes,
        threshold=protect.threshold,
        share=_ratio(protect.dominance.share if protect.dominance else None),
        p_percent=_ratio(protect.p_percent),
    )[0]
    found = []
    if cells != matched and not protect.keyed:
        found.append(f"{name} lacks {cells - matched:,} cells that the source has")
    if rows != matched:
        found.append(f"{name} has {rows - matched:,} cells that the source has not, or has twice")
    for position, measure in enumerate(compared.measures):
        odd, other, forbidden = counts[3 * position : 3 * position + 3]
        where = f"{measure.name} of {name}"
        if odd:
            found.append(f"{where}: {odd:,} cells are neither shown nor hidden")
        if other:
            found.append(f"{where}: {other:,} values are not the source's")
        if forbidden:
            found.append(f"{where}: {forbidden:,} cells are published that a rule forbids to tell")
    return found


def _read(
    compared: Compared, policy: StatisticsPolicy, pairs: Sequence[tuple[str, str]], *, named: bool
) -> Recounted:
    """Return the cells of all tables, counted anew, with what is told of them and what ties them
    together; with their names where they are ``named``."""
    engine, attributes, protect = compared.engine, compared.attributes, policy.protect
    columns = ["people", "n", *(f"m{entry.index}" for entry in compared.sums)]
    if _ranked(compared, protect):
        columns += [f"{name}{entry.index}" for entry in compared.sums for name in "atxy"]
    if protect.keyed:
        columns.append("ck")
    positions = range(1, len(compared.measures) + 1)
    statuses = [f"{name}{position}" for position in positions for name in "hb"]
    shared: dict[str, Any] = {"attributes": attributes}
    who = _named(compared, protect)
    kept = [*columns, "e"] if who else columns
    engine.run(
        "verification/statistics/audited", pairs=pairs, columns=kept, statuses=statuses, **shared
    )
    engine.run("verification/statistics/parents", **shared)
    names = [*columns, *statuses]
    if protect.noise is not None or policy.zeros:
        names += [f"l{a.index}" for a in attributes]
    arrays = engine.numbers("verification/statistics/audited_numbers", columns=names, named=who)
    if who:
        names.append("who")
    ties = engine.numbers("verification/statistics/ties", **shared)
    hashes: Sequence[IntArray] = ()
    if named:
        own = {"numbered": engine.own["hex_number"], **shared}
        hashes = engine.numbers("verification/statistics/names", **own)
    engine.drop("audited")
    engine.drop("parents")
    return Recounted(dict(zip(names, arrays, strict=True)), ties, hashes)


def _ratio(share: float | None) -> tuple[int, int] | None:
    """Return a share as it is written in a policy, as numerator and denominator."""
    return None if share is None else Fraction(str(share)).as_integer_ratio()


def _audit(
    compared: Compared,
    policy: StatisticsPolicy,
    cells: Recounted,
    stored: Sequence[Mapping[str, IntArray]],
) -> list[str]:
    """Return an offence where hidden values can be told from what is published in all tables
    together, and in those that were published before."""
    asked, hidden, protect = [], {}, policy.protect
    there = _there(compared.attributes, policy, cells)
    before: Sequence[Earlier] = ()
    if stored:
        names = names_of(*cells.hashes)
        before = aligned(names, compared.measures, stored, protect.threshold)
    for position, measure in enumerate(compared.measures, start=1):
        hidden[measure.name] = cells.counted[f"h{position}"] == 1
    sums = [hidden[measure.name] for measure in compared.measures if measure.sum is not None]
    known = rules.known_people(there, sums, protect.threshold)
    for measure in compared.measures:
        bounds = uncertain(protect, cells.counted, measure)
        values = cells.counted[measure.counted]
        relations = cells.relations_of(measure)
        asked.append(
            audits.Asked(measure, values, relations, *bounds, cells.holder, known, cells.grid)
        )
    exposed = audits.failing(
        asked, audits.Published(hidden, before), compared.engine.context.journal.clock
    )
    found = _differences_told(protect, compared.measures, cells.counted, hidden, before)
    if len(exposed):
        found.append(f"{len(exposed):,} hidden cells can be told by what is published")
    return found


def _there(
    attributes: Sequence[Attribute], policy: StatisticsPolicy, cells: Recounted
) -> NDArray[np.bool_]:
    """Return of which cells everybody knows that somebody is in them: every label is somebody's, and
    a row that tells of two dimensions tells it where the table publishes zeros."""
    there = np.ones(cells.size, np.bool_)
    for name in policy.zeros:
        table = policy.tables[name]
        inside, below = np.ones(cells.size, np.bool_), np.zeros(cells.size, np.int64)
        for a in attributes:
            level = cells.counted[f"l{a.index}"]
            least = table.levels.get(a.name, 0) if a.name in table.by else a.height
            inside &= level >= least
            below += level < a.height
        there &= ~inside | (below < 2)
    return there


def _differences_told(
    protect: Protect,
    measures: Sequence[Shown],
    counted: Mapping[str, IntArray],
    hidden: Mapping[str, NDArray[np.bool_]],
    before: Sequence[Earlier],
) -> list[str]:
    """Return an offence where a cell is published now and was before, and its difference tells of a
    few who were added."""
    least, found = protect.threshold or 0, 0
    for release, measure in itertools.product(before, measures):
        both = ~hidden[measure.name] & ~release.hidden[measure.name]
        for name in ("people", "n"):
            added = counted[name] - release.values[name]
            found += int((both & (added > 0) & (added < least)).sum())
    return [f"{found:,} differences to earlier releases tell of a few"] if found else []


def uncertain(
    protect: Protect, counted: Mapping[str, IntArray], measure: Shown
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how uncertain the cells must stay that a rule protects, as an attacker may narrow
    them: the greatest smallest value, which is not negative where no value is, and the least largest
    one; NaN for others. This says again, cell by cell, what :mod:`anonsql.statistics.rules` says of
    all."""
    values, people = counted[measure.counted], counted["people"]
    low, high = np.full(len(values), np.nan), np.full(len(values), np.nan)
    signed = bool((values < 0).any())
    for cell, value in enumerate(values.tolist()):
        few = protect.threshold is not None and people[cell] < protect.threshold
        if measure.sum is None:
            if few:
                low[cell], high[cell] = value, max(value + 1, protect.threshold or 0)
            continue
        index, slack = measure.sum.index, Fraction(0)
        if few:
            share = Fraction(str(protect.p_percent or 0.1))
            slack = max(slack, Fraction(1), abs(value) * share)
        if protect.of_sums:
            total, top, first, second = (int(counted[f"{name}{index}"][cell]) for name in "atxy")
            if protect.dominance is not None:
                share = Fraction(str(protect.dominance.share))
                if top > share * total:
                    slack = max(slack, Fraction(1), top / share - total)
            if protect.p_percent is not None:
                asked = Fraction(str(protect.p_percent)) * first
                if total - first - second < asked:
                    slack = max(slack, Fraction(1), asked - (total - first - second))
        if slack:
            up = int(-(-slack // 1))
            low[cell], high[cell] = value - up if signed else max(value - up, 0), value + up
    return low, high
