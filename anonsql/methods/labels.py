"""What is released of groups of rows: the tables ``assigned`` and ``groups`` from parts of the cells.

A method leaves ``places`` (attribute, code, place: of the values that the data has, in their order), ``settled`` (part and
places p1 … pn of every cell in it, with ``first`` and ``last`` where cells are divided) and ``final_parts`` (part, n rows,
lo<i> and hi<i>: the least and greatest place in it).
"""

from __future__ import annotations

from collections.abc import Mapping

from anonsql.methods.groups import Cells, Form


def label(cells: Cells, forms: Mapping[int, Form], divided: bool) -> None:
    """Make ``assigned`` and ``groups``, the values of each attribute in its form; ``divided`` when parts take only some rows of
    a cell."""
    run, attributes = cells.engine.run, cells.star.attributes
    run("mondrian/assigned", attributes=attributes, relaxed=divided)
    table = _sets(cells, forms) if "set" in forms.values() else ""
    if {"numbers", "names"} & {*forms.values()}:
        sizes = dict(cells.engine.query("mondrian/domains"))
        run("hilbert/intervals", attributes=attributes, sizes=sizes)
    else:
        run("mondrian/groups", attributes=attributes, forms=forms, sets=table)
    for each in ("settled", "final_parts", *([table] if table else [])):
        cells.engine.drop(each)


def _sets(cells: Cells, forms: Mapping[int, Form]) -> str:
    """The table of the sets: they are joined of neighbouring halves, round by round."""
    engine = cells.engine
    engine.run("mondrian/elements", attributes=cells.star.attributes, forms=forms)
    table, number = "sets_0", 0
    while engine.query("mondrian/longest", table=table)[0][0]:
        number += 1
        engine.run("mondrian/joined", table=table, into=f"sets_{number}")
        engine.drop(table)
        table = f"sets_{number}"
    return table
