"""Tables that are linked in a circle, of which the audit knows less than readers do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anonsql.errors import Problem
from anonsql.hierarchies.dimensions import Attribute
from anonsql.policy.statistics import TableOf


def warn_of_circles(
    tables: Mapping[str, TableOf], attributes: Sequence[Attribute]
) -> list[Problem]:
    """Return a warning where tables are linked in a circle: whatever they publish must be the
    margins of one table of all their dimensions, whose counts are not negative, and the audit does
    not look at that."""
    heights = {attribute.name: attribute.height for attribute in attributes}
    names = in_circle(tables, heights)
    if not names:
        return []
    by = list(dict.fromkeys(name for table in names for name in tables[table].by))
    text = (
        f"{_listed(names)} are linked in a circle: cells of all their dimensions together are not"
        " negative either, which the audit does not reckon with, and readers may tell hidden cells"
        " by it."
    )
    remedy = f"Leave one of these tables out, or add one of {_listed(by)}."
    return [Problem("statistics.tables", text, remedy)]


def in_circle(tables: Mapping[str, TableOf], heights: Mapping[str, int]) -> list[str]:
    """Return the tables that are linked in a circle: those that are left of the hypergraph of tables
    and the levels of their dimensions when, again and again, levels of one table alone and tables
    within others are taken away (Graham 1979; Yu and Ozsoyoglu 1979). Where none is left the audit
    takes for possible what is possible."""
    left = {
        name: {
            (by, level) for by in table.by for level in range(table.levels.get(by, 0), heights[by])
        }
        for name, table in tables.items()
    }
    while True:
        before = sum(map(len, left.values())) + len(left)
        for name, own in left.items():
            others = [part for other, part in left.items() if other != name]
            own.intersection_update(set().union(*others))
        for name in list(left):
            if any(left[name] <= part for other, part in left.items() if other != name):
                del left[name]
        if len(left) < 2:
            return []
        if sum(map(len, left.values())) + len(left) == before:
            return list(left)


def _listed(names: Sequence[str]) -> str:
    """Return names as a sentence lists them."""
    return ", ".join(names[:-1]) + f" and {names[-1]}"
