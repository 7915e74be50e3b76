"""Published tables against their source: every cell is counted anew from the rows, by labels, and
compared; then an audit says how well the hidden values can be recovered from all that is published.

Nothing that is counted here is what made the tables: not their numbers of cells and groups, nor
what ties these together; the audit is that of the run. Hierarchies are those of the dimension
tables, which are checked by themselves."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from anonsql.engines.base import Engine, Relation
from anonsql.errors import InvariantError
from anonsql.over_time.ledger import load_key
from anonsql.policy.protect import Protect
from anonsql.policy.statistics import StatisticsPolicy
from anonsql.statistics import keys
from anonsql.system.arrays import IntArray
from anonsql.verification.checks import Check, Need, broken
from anonsql.verification.statistics import changes
from anonsql.verification.statistics import noise as noisy
from anonsql.verification.statistics.exposure import exposed
from anonsql.verification.statistics.recount import (
    Compared,
    Recounted,
    joined_of,
    leave_out,
    people_of,
    people_of_table,
    read,
    recount,
    recount_published,
    show,
)


@dataclass
class Comparison:
    """The comparison of published ``tables`` (their rows, in the source's engine, or in ``reader``)
    with the source. Changed values must be what the ``secret`` of the keys of cells makes of the
    source's, and where rounded totals are said to be the sums of their parts (``additive``) these
    must hold. ``earlier`` is what was kept of the releases before (see
    :mod:`anonsql.statistics.earlier`). Of noise that is ``planned`` values must be within reach.
    Checks add the ``offences``, and the ``cells`` that were counted anew."""

    compared: Compared
    policy: StatisticsPolicy
    tables: Mapping[str, Relation]
    secret: str
    additive: bool
    earlier: Sequence[Mapping[str, IntArray]]
    reader: Engine
    planned: noisy.Planned | None
    offences: list[str] = field(default_factory=list)
    counted: Recounted | None = None

    @property
    def cells(self) -> Recounted:
        """The cells of all tables."""
        if self.counted is None:
            raise InvariantError("the cells were not counted again")
        return self.counted


def _cells(it: Comparison) -> list[str]:
    """Return where published tables are not what was counted anew; have the cells of all where they
    are."""
    compared, policy, engine = it.compared, it.policy, it.compared.engine
    protect = policy.protect
    keyed = protect.keyed and compared.entity is not None
    if keyed and compared.entity is not None:
        engine.drop(keys.RECORD_KEYS)
        load_key(engine, it.secret)
        keys.make_record_keys(engine, compared.source, compared.entity)
    people = people_of(compared, policy, keyed=keyed)
    found, pairs = [], []
    for number, (name, relation) in enumerate(it.tables.items(), start=1):
        pair = (f"recounted_{number}", f"shown_{number}")
        own = people_of_table(compared, policy, name, people)
        recount_published(compared, policy, name, pair[0], own)
        if own != people:
            engine.drop(own.table)
        show(compared, policy, name, relation, pair[1], reader=it.reader)
        if protect.noise is not None and protect.noise.domain == "keys":
            leave_out(compared, pair)
        found += _differences(compared, protect, name, pair)
        pairs.append(pair)
    joined = list[str]()
    for of_joined in [] if protect.changes else joined_of(compared, policy, people):
        joined.append(f"joined_{len(joined) + 1}")
        recount(compared, policy, of_joined, joined[-1], people)
    engine.drop(people.table)
    if not found:
        it.counted = read(compared, policy, pairs, joined, people, named=bool(it.earlier))
    engine.drop(*itertools.chain(*pairs, joined))
    return found


def _differences(
    compared: Compared, protect: Protect, name: str, pair: tuple[str, str]
) -> list[str]:
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
        found.append(
            f"{name} has {rows - matched:,} cells that the source does not have, or has them twice"
        )
    for position, measure in enumerate(compared.measures):
        odd, other, forbidden = counts[3 * position : 3 * position + 3]
        where = f"{measure.name} of {name}"
        if odd:
            found.append(
                f"{where}: {odd:,} cells are neither published with the right digits nor hidden"
            )
        if other:
            found.append(f"{where}: {other:,} values differ from the source")
        if forbidden:
            found.append(f"{where}: {forbidden:,} cells are published although a rule forbids it")
    return found


def _ratio(share: float | None) -> tuple[int, int] | None:
    return None if share is None else Fraction(str(share)).as_integer_ratio()


def _noise(it: Comparison) -> list[str]:
    if it.planned is None:
        return ["the plan of noise is not known"]
    levels = [it.cells.counted[f"l{a.index}"] for a in it.compared.attributes]
    return noisy.offences(it.planned, it.cells, levels)


_UNKNOWN = "no check knows this kind of protection"
HIDDEN = Need[Comparison](lambda it: it.policy.protect.by == "suppression", "no value is hidden")
KEYED = Need[Comparison](lambda it: it.policy.protect.keyed, "values are not changed by keys")
NOISE = Need[Comparison](lambda it: it.policy.protect.by == "noise", "values have no noise")

CHECKS: tuple[Check[Comparison], ...] = (
    Check(
        "every cell agrees with the source, and no rule forbids publishing it",
        _cells,
        decisive=True,
    ),
    Check(
        "hidden values cannot be recovered from all that is published, now and earlier",
        lambda it: exposed(it.compared, it.policy, it.cells, it.earlier),
        (HIDDEN,),
    ),
    Check(
        "changed values are those that the cells' keys give for the source",
        lambda it: changes.offences(
            it.policy.protect, it.compared.measures, it.cells, it.secret, additive=it.additive
        ),
        (KEYED,),
    ),
    Check("values with noise are within the noise's reach", _noise, (NOISE,)),
    Check(
        "the protection is of a kind that was checked",
        lambda it: [] if any(need.met(it) for need in (HIDDEN, KEYED, NOISE)) else [_UNKNOWN],
    ),
)


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
    """Return what is wrong with published tables, compared with their source: see
    :class:`Comparison`."""
    given = secret, additive, earlier, reader or compared.engine, planned
    return broken(CHECKS, Comparison(compared, policy, tables, *given))
