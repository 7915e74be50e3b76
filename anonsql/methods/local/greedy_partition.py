"""Top-down greedy partitioning by the normalized certainty penalty (NCP): Algorithm 4 of Li, He,
Sun (Local generalization and bucketization, 2019, section 3.2.2), after Xu, Wang, Pei, Wang, Shi,
Fu (Utility-Based Anonymization Using Local Recoding, KDD 2006, section 5.2).

A part is divided in two from two seeds that lie far apart: the point farthest from one taken by
chance, and the point farthest from that. Distance is the penalty of a group of the two: of a column
released as a range, its length by that of the domain; of any other, the leaves under the lowest
common ancestor by those of the hierarchy, nothing for a single value; times the weights of the
columns, summed.

Xu et al. give every tuple in turn to the seed whose group, as it is then, ends up with the lower
penalty. Here all open parts are divided in the same statements: the cells of a part stand in a
line, by how much nearer they are to the one seed than to the other, and the line is cut where the
groups on both sides lose least together, both having k rows. Of about ``_CUTS`` cuts that are tried
each leaves a multiple of k below it (as nearly as whole cells let it), so that hardly a group has
more rows than it needs. Of equal tuples none is ever parted from the others.

What is a matter of chance is decided by a hash of the cells: results depend neither on the order of
rows nor on the engine.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anonsql.methods.groups import Cells, Form

_CUTS = 16
"""About as many are tried along a line; more gain next to nothing."""
_LEAST_SHARE = 12
"""Each side gets at least one twelfth of the rows where a cut that is tried allows it: else
outliers are cut off a few at a time, in as many rounds."""


def cut_greedily(cells: Cells, forms: Mapping[int, Form]) -> None:
    """Divide the parts of ``members_0`` (part, p1 … pn, n) while both sides can have k rows; a part
    with fewer is left whole.

    ``forms`` says by the index of an attribute whether it is released as a "range"; any other form
    counts as the lowest common ancestor. Needs ``places`` and the dimension tables; a place that
    has no code of a dimension (a value that is withheld) must be the only one of its attribute in a
    part. Makes ``settled`` (part, p1 … pn: one row per cell) and ``final_parts`` (part, n rows,
    lo<i>, hi<i>: the first and last place of each attribute), removes ``members_0``. Parts are
    never merged. Only k is asked of a part, in rows. A round is nine statements; measured were 27
    rounds of 27,000 cells and 47 of a million.
    """
    run, attributes = cells.engine.run, cells.star.attributes
    shared: dict[str, Any] = {"attributes": attributes, "forms": forms, "k": cells.promise.k}
    shared["total"] = sum(each.policy.weight for each in attributes)
    noded = [each for each in attributes if forms[each.index] != "range"]
    for each in noded:
        run("greedy/spans", a=each)
    last: int = cells.engine.query("greedy/greatest")[0][0]
    run("greedy/spots", attributes=attributes)
    cells.engine.drop("members_0")
    run("greedy/first_open", attributes=attributes, forms=forms)
    run("greedy/no_ends")
    number = 0
    while parts := _seed(cells, number, shared):
        _cut(cells, number, last, shared)
        last, number = last + 2 * parts, number + 1
    run("greedy/settled", attributes=attributes)
    run("greedy/final_parts", attributes=attributes)
    for table in ("ended", "spots", *(f"spans_{each.index}" for each in noded)):
        cells.engine.drop(table)


def _seed(cells: Cells, number: int, shared: Mapping[str, Any]) -> int:
    """Take a first point of every part that can be cut, and close the others: how many parts are
    open."""
    table = f"open_{number}"
    cells.engine.run("greedy/first_seeds", table=table, most=_CUTS, **shared)
    cells.engine.run("greedy/close", table=table)
    parts: int = cells.engine.query("tables/rows", table="seeds_0")[0][0]
    if not parts:
        cells.engine.drop(table)
        cells.engine.drop("seeds_0")
    return parts


def _cut(cells: Cells, number: int, last: int, shared: Mapping[str, Any]) -> None:
    """One round; ``last`` is the greatest number of a part so far."""
    run, table = cells.engine.run, f"open_{number}"
    for before, into in (("seeds_0", "seeds_1"), ("seeds_1", "seeds_2")):
        run("greedy/seeds", table=table, before=before, into=into, **shared)
    run("greedy/lines", table=table, **shared)
    cells.engine.drop(table)
    run("greedy/stretches", attributes=shared["attributes"])
    run("greedy/cuts", share=_LEAST_SHARE, **shared)
    run("greedy/next_open", table=f"open_{number + 1}", after=last, attributes=shared["attributes"])
    for each in ("seeds_0", "seeds_1", "seeds_2", "lines", "stretches", "cuts"):
        cells.engine.drop(each)
