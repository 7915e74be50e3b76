"""Top-down greedy partitioning by the normalized certainty penalty (NCP): Algorithm 4 of Li, He,
Sun (Local generalization and bucketization, 2019, section 3.2.2), after Xu, Wang, Pei, Wang, Shi,
Fu (Utility-Based Anonymization Using Local Recoding, KDD 2006, section 5.2).

A part is divided in two by two distant seeds: the point farthest from a random one, and the point
farthest from that. The distance of two points is the penalty of a group of the two: for a column
released as a range, its length divided by the domain's; for any other, the leaves under the lowest
common ancestor divided by the hierarchy's, 0 for a single value; weighted by column and summed.

Xu et al. assign every tuple in turn to the seed whose group, as it is then, ends up with the lower
penalty. Here one set of statements divides all open parts: the cells of a part are ordered by how
much nearer they are to one seed than to the other, and this line is cut where the groups on both
sides lose least together, with at least k rows each. About ``_CUTS`` cuts are tried, each with a
multiple of k rows below it (as nearly as whole cells allow), so that few groups have more rows than
they need. Equal tuples are never separated.

Random choices are made by a hash of the cells, so results depend neither on the order of rows nor
on the engine.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from anonsql.methods.groups import Cells, Form

_CUTS = 16
"""About how many cuts are tried along a line; more gain next to nothing."""
_LEAST_SHARE = 12
"""Each side gets at least one twelfth of the rows, where a cut that is tried allows it: otherwise
outliers would be cut off a few at a time, in many rounds."""


def cut_greedily(cells: Cells, forms: Mapping[int, Form]) -> None:
    """Divide the parts of ``members_0`` (part, p1 … pn, n) while both sides can have k rows; a part
    with fewer is left whole.

    ``forms`` says by the index of an attribute whether it is released as a "range"; for any other
    form distances go by the lowest common ancestor. The table ``places`` and the dimension tables
    must exist. A position without a code in a dimension (a withheld value) must be the only one of
    its attribute in a part. Make ``settled`` (part, p1 … pn: one row per cell) and ``final_parts``
    (part, n rows, lo<i>, hi<i>: the first and last position of each attribute), and drop
    ``members_0``. Parts are never merged. The promise must be k rows and nothing else. A round
    takes nine statements; 27,000 cells took 27 rounds, a million took 47.
    """
    run, attributes = cells.engine.run, cells.star.attributes
    shared: dict[str, Any] = {"attributes": attributes, "forms": forms, "k": cells.promise.k}
    shared["total"] = sum(attribute.policy.weight for attribute in attributes)
    noded = [attribute for attribute in attributes if forms[attribute.index] != "range"]
    for attribute in noded:
        run("methods/local/greedy_partition/spans", a=attribute)
    last: int = cells.engine.query("methods/local/greedy_partition/greatest")[0][0]
    run("methods/local/greedy_partition/spots", attributes=attributes)
    cells.engine.drop("members_0")
    run("methods/local/greedy_partition/first_open", attributes=attributes, forms=forms)
    run("methods/local/greedy_partition/no_ends")
    number = 0
    while parts := _seed(cells, number, shared):
        _cut(cells, number, last, shared)
        last, number = last + 2 * parts, number + 1
    run("methods/local/greedy_partition/settled", attributes=attributes)
    run("methods/local/greedy_partition/final_parts", attributes=attributes)
    cells.engine.drop("ended", "spots", *(f"spans_{attribute.index}" for attribute in noded))


def _seed(cells: Cells, number: int, shared: Mapping[str, Any]) -> int:
    """Choose a first point of every part that can be cut, close the others; count the open."""
    table = f"open_{number}"
    cells.engine.run(
        "methods/local/greedy_partition/first_seeds", table=table, most=_CUTS, **shared
    )
    cells.engine.run("methods/local/greedy_partition/close", table=table)
    parts: int = cells.engine.query("sql/rows", table="seeds_0")[0][0]
    if not parts:
        cells.engine.drop(table, "seeds_0")
    return parts


def _cut(cells: Cells, number: int, last: int, shared: Mapping[str, Any]) -> None:
    run, table = cells.engine.run, f"open_{number}"
    for before, into in (("seeds_0", "seeds_1"), ("seeds_1", "seeds_2")):
        run("methods/local/greedy_partition/seeds", table=table, before=before, into=into, **shared)
    run("methods/local/greedy_partition/lines", table=table, **shared)
    cells.engine.drop(table)
    run("methods/local/greedy_partition/stretches", attributes=shared["attributes"])
    run("methods/local/greedy_partition/cuts", share=_LEAST_SHARE, **shared)
    run(
        "methods/local/greedy_partition/next_open",
        table=f"open_{number + 1}",
        after=last,
        attributes=shared["attributes"],
    )
    cells.engine.drop("seeds_0", "seeds_1", "seeds_2", "lines", "stretches", "cuts")
