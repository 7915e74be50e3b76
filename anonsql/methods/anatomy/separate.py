"""Anatomy (Xiao, Tao, Anatomy: Simple and Effective Privacy Preservation, VLDB 2006; "AT" in Wong,
Mamoulis, Cheung 2010, section 7.4).

Rows are put into groups in which no sensitive value has a share above 1/l, regardless of their
quasi-identifying values. These are released as they are, with the number of the row's group; the
sensitive values of each group, with their counts, are released in a table of their own. So an
attacker who knows that a person is in a row learns the person's group, and each sensitive value of
it with a probability of 1/l at most; that the person is in the table, and in which row, is not
hidden.

The authors repeatedly draw a row from each of the l largest buckets of equal sensitive values, and
add each of the at most l - 1 rows that are left to a group that lacks its value. Here all rows are
dealt in one pass, like cards: sorted by sensitive value, the most frequent first, equal ones in
random order, row j goes to heap j mod floor(n / l). As no value has more than n / l rows, no heap
gets a value twice, and each heap has at least l rows (when n is no multiple of l, some have more).
Only the number of heaps is computed here; which row and which value go where is known to the
database alone. Group sizes and guarantee are the authors'. Which values meet in a group follows
from the counts of the values, more than in the authors' algorithm; which rows do is random. So of
all ways to assign the values of a group to its rows, the release makes none likelier than another.

Where ``k`` is greater than l, every ceil(k / l) heaps or more are merged: a group of h heaps has at
least l h rows, and each value at most h times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anonsql.engines.base import Engine, Relation
from anonsql.errors import Problem
from anonsql.hierarchies.dimensions import Attribute
from anonsql.measures.registry import Figures, measured
from anonsql.release.columns import ReleasedColumn
from anonsql.release.salts import fresh_salt
from anonsql.star.coded import Coded
from anonsql.system.journal import log


@dataclass(frozen=True)
class Deal:
    """How rows are dealt: the number of heaps, and of groups that these are merged into."""

    heaps: int
    groups: int


@dataclass(frozen=True)
class AnatomySizes:
    """The sizes of the groups, in rows; ``squares`` is the sum of squared sizes, ``share`` the
    greatest share of a sensitive value in a group."""

    rows: int
    groups: int
    min_group: int
    squares: int
    share: float


def deal(rows: int, k: int, least: int) -> Deal:
    """Return a deal with ``least`` (l) rows a heap or more, and ``k`` a group or more."""
    heaps = rows // least
    return Deal(heaps, max(1, heaps // -(-k // least)))


def unfit(
    engine: Engine,
    sensitive: Coded,
    least: int,
    *,
    show_values: bool,
    among: str = "rows",
    instead: str = "choose another method",
) -> Problem | None:
    """Return a problem if some sensitive value has more than one in ``least`` (l) of the rows, so
    that no groups can keep the promise; else None. Which value it is goes to the log where values
    may be shown, and nowhere else. ``among`` names what values_<index> counts, ``instead`` what
    could be done besides lowering l."""
    rows, most = engine.query("methods/anatomy/commonest", a=sensitive)[0]
    if not rows or most * least <= rows:
        return None
    if show_values:
        value = engine.query("methods/anatomy/commonest_value", a=sensitive)[0][0]
        log.warning("columns.%s: the most frequent value is %r", sensitive.name, value)
    feasible = rows // most
    text = (
        f"one value of {sensitive.name!r} has {most:,} of {rows:,} {among}, a share of"
        f" {most / rows:.1%}, and l={least} allows at most 1/{least}."
    )
    remedy = (
        f"Lower l to {feasible} or less"
        if feasible >= 2
        else "No l is possible: leave out rows with this value in a view"
    )
    where = f"privacy.l_diversity.{sensitive.name}"
    return Problem(where, text, f"{remedy}, or {instead}.", unmet=True)


def separate(
    engine: Engine,
    source: Relation,
    columns: tuple[Sequence[Attribute], Sequence[ReleasedColumn]],
    sensitive: Coded,
    by: Deal,
) -> None:
    """Make ``separated``: of each row of the source r<position> for each released column (the
    group's too), c<index>, the codes of its quasi-identifying values, and s, its sensitive value.
    ``columns`` are the policy's attributes and the released columns."""
    attributes, released = columns
    parameters = {
        "attributes": attributes,
        "released": released,
        "a": sensitive,
        "heaps": by.heaps,
        "groups": by.groups,
    }
    with fresh_salt(engine):
        engine.run(
            "methods/anatomy/separated", source=source, group=released[-1].position, **parameters
        )


def sizes(engine: Engine, group: int) -> AnatomySizes:
    """Return the sizes of the groups in ``separated``; ``group`` is their column's position."""
    rows, groups, least, squares, share = engine.query("methods/anatomy/sizes", group=group)[0]
    return AnatomySizes(rows, groups, least, squares, float(share))


def measures(
    engine: Engine, attributes: Sequence[Attribute], result: AnatomySizes, group: int, k: int
) -> dict[str, float]:
    """Return the measures of values released as they are, and those of anatomy alone."""
    lost = engine.query("methods/anatomy/penalties", attributes=attributes, group=group)[0]
    own = {
        "group_gcp": sum(map(float, lost)) / len(lost) / result.rows,
        "sensitive_share": result.share,
    }
    figures = Figures(
        result.rows,
        k=k,
        classes=result.groups,
        squares=result.squares,
        weights={attribute.index: attribute.policy.weight for attribute in attributes},
        lost={attribute.index: 0.0 for attribute in attributes},
        penalty=0.0,
        own=own,
    )
    return measured(figures)
