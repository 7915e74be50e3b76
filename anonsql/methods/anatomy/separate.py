"""Anatomy (Xiao, Tao, Anatomy: Simple and Effective Privacy Preservation, VLDB 2006; "AT" in Wong, Mamoulis, Cheung 2010,
section 7.4).

Rows are put into groups in which no sensitive value makes up more than 1/l, without a look at their quasi-identifying
values. These are released as they are, with the number of the row's group; the sensitive values of each group, and how
often it has them, in a table of their own. So whoever knows that a person is in a row learns her group, and each sensitive
value of it with a probability of 1/l at most; that she is there, and where, is not hidden.

The authors draw a row from each of the l largest buckets of equal sensitive values, again and again, and put the l - 1 rows
at most that are left where their value is not yet. Here all rows are dealt in one pass, like cards: sorted by sensitive
value, the commonest first, equal ones in random order, row j goes to heap j mod floor(n / l). As no value has more than
n / l rows, none comes twice into a heap, and heaps have l rows, or one more for as many as are left. Only this number is
computed here; which row and which value goes where is known to the database alone. Sizes and guarantee are the authors';
which values meet in a group follows from the counts of the values more than by chance, which rows do is left to chance. So
of all ways to give the values of a group to its rows, none is likelier than another by what is released.

``k`` rows, where they are more than l, are had by putting ceil(k / l) heaps or more together: a group of h heaps has l h rows
at least, and no value more than h times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anonsql.engines.base import Engine, Relation
from anonsql.errors import Problem
from anonsql.hierarchies.dimensions import Attribute
from anonsql.measures.full_domain import FORMULAS
from anonsql.release.columns import ReleasedColumn
from anonsql.release.random_order import fresh_salt
from anonsql.star.coded import Coded
from anonsql.system.journal import log
from anonsql.system.numbers import rounded


@dataclass(frozen=True)
class Deal:
    """How rows are dealt: to how many heaps, and into how many groups these are put together."""

    heaps: int
    groups: int


@dataclass(frozen=True)
class Sizes:
    """The groups, in rows; ``squares`` is the sum of squared sizes, ``share`` the greatest share of a sensitive value in a
    group."""

    rows: int
    groups: int
    min_group: int
    squares: int
    share: float


def deal(rows: int, k: int, least: int) -> Deal:
    """How ``rows`` rows are dealt, so that heaps have ``least`` (l) rows at least, and groups ``k`` too."""
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
    """That some sensitive value has more than one in ``least`` (l) of the rows, so that no groups can do, or None. Which one
    goes to the log where values may be shown, and nowhere else. ``among`` is what values_<index> counts, ``instead`` what
    could be done but for lowering l."""
    rows, most = engine.query("anatomy/commonest", a=sensitive)[0]
    if not rows or most * least <= rows:
        return None
    if show_values:
        value = engine.query("anatomy/commonest_value", a=sensitive)[0][0]
        log.warning("columns.%s: the commonest value is %r", sensitive.name, value)
    feasible = rows // most
    found = (
        f"one value of {sensitive.name!r} has {most:,} of {rows:,} {among}, "
        f"a share of {most / rows:.1%}, and l={least} allows 1/{least}."
    )
    remedy = (
        f"Lower it to {feasible} at most"
        if feasible >= 2
        else "No l is feasible: leave out rows with it in a view"
    )
    where = f"privacy.l_diversity.{sensitive.name}"
    return Problem(where, found, f"{remedy}, or {instead}.", unmet=True)


def separate(
    engine: Engine,
    source: Relation,
    columns: tuple[Sequence[Attribute], Sequence[ReleasedColumn]],
    sensitive: Coded,
    by: Deal,
) -> None:
    """Make the scratch table ``separated``: a row for each of the source, r<position> for each released column (the group's too),
    c<index> the codes of its quasi-identifying values, s the sensitive one. ``columns`` are those of the policy's
    quasi-identifying attributes, and the released ones."""
    attributes, released = columns
    parameters = {
        "attributes": attributes,
        "released": released,
        "a": sensitive,
        "heaps": by.heaps,
        "groups": by.groups,
    }
    with fresh_salt(engine):
        engine.run("anatomy/separated", source=source, group=released[-1].position, **parameters)


def sizes(engine: Engine, group: int) -> Sizes:
    """The groups of ``separated``; ``group`` is the position of the group's number."""
    rows, groups, least, squares, share = engine.query("anatomy/sizes", group=group)[0]
    return Sizes(rows, groups, least, squares, float(share))


def measures(
    engine: Engine, attributes: Sequence[Attribute], found: Sizes, group: int, k: int
) -> dict[str, float]:
    """The measures of FORMULAS that mean something for values that are released as they are, and those of anatomy alone."""
    lost = engine.query("anatomy/penalties", attributes=attributes, group=group)[0]
    measured = {
        "loss": 0.0,
        "gcp": 0.0,
        "group_gcp": sum(map(float, lost)) / len(lost) / found.rows,
        "discernibility": found.squares,
        "average_class_size": found.rows / found.groups / k,
        "suppressed_share": 0.0,
        "sensitive_share": found.share,
    }
    return {name: rounded(measured[name]) for name in FORMULAS if name in measured}
