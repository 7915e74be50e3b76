"""Ring generalization (Wong, Mamoulis, Cheung, Non-homogeneous Generalization in Privacy Preserving Data Publishing, SIGMOD 2010).

Rows are put in lexicographic order and cut into partitions (:mod:`anonsql.methods.lexicographic`). Each partition of s rows is
a ring: ring position j stands for the values of its members j … j+w-1 (w: the window, k where only k is asked for). The row at
position p is released as ring position p - offset, by random offsets with which every member of a window is its owner with
probability exactly 1/w (:mod:`anonsql.methods.matchings`). A partition of w rows, or of rows that are all alike, is released as one.

Only sizes leave the engine, and only positions and numbers of windows come back: the engine knows the values, Python never.
What is released of a window is made from how often each attribute's value changes along the ring, so that windows that
span the same values of an attribute are worked out once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from anonsql.errors import PrivacyError
from anonsql.method_policy import Homogeneous, Ring
from anonsql.methods import groups, lexicographic, matchings, windows
from anonsql.methods.groups import Cells, Form, Grouped, GroupSizes
from anonsql.methods.lexicographic import Items, Parts
from anonsql.methods.windows import Layout

_TEMPLATES = {"set": "ring/sets", "range": "ring/ranges", "ancestor": "ring/ancestors"}


def group(cells: Cells, method: Ring) -> Grouped:
    """Release every row as a window of the ring that it lies in. Raises PrivacyError where not even all rows together keep the
    promise."""
    items, parts = _partition(cells)
    layout = windows.of_rings(items, parts, matchings.entropy(method.seed))
    _release(cells, method, layout)
    sizes, lengths = layout.rings["size"], layout.rings["length"]
    found = GroupSizes(len(sizes), int(lengths.min()), int(sizes.sum()), int((sizes * lengths).sum()), float((sizes / lengths).sum()))
    return Grouped(_forms(cells, method), split=True, by_values=bool(cells.promise.extras), rings=found, arrays=method.sets == "array")


def group_whole(cells: Cells, method: Homogeneous) -> Grouped:
    """Release every row as the whole of its partition (the paper's HP)."""
    items, parts = _partition(cells)
    _release(cells, method, windows.of_wholes(items, parts))
    return Grouped(_forms(cells, method), split=True, by_values=bool(cells.promise.extras), arrays=method.sets == "array")


def _partition(cells: Cells) -> tuple[Items, Parts]:
    """Put the cells in order, and cut them into partitions by their counts."""
    engine, attributes, promise = cells.engine, cells.star.attributes, cells.promise
    groups.make_nodes(cells)
    engine.run("ring/places", attributes=attributes)
    domains = dict(engine.query("mondrian/domains"))
    ordered = sorted(attributes, key=lambda each: (domains[each.index], each.index))
    engine.run("ring/items", ordered=ordered, promise=promise)
    sizes, depths, *codes = engine.numbers("ring/counts", promise=promise)
    asked = {model.index: math.ceil(model.bound) for model in promise.models}
    items = Items(sizes, depths, tuple(codes), tuple(asked[index] for index in promise.coded))
    _require_possible(items, [each.name for each in cells.coded])
    return items, lexicographic.partition(items, promise.k)


def _require_possible(items: Items, names: Sequence[str]) -> None:
    """Raise PrivacyError where a sensitive value is too frequent in the whole table to be hidden (the paper, section 6). ``names``
    are those of the sensitive columns."""
    rows = int(items.sizes.sum())
    for name, codes, least in zip(names, items.categories, items.least, strict=True):
        most = int(np.bincount(codes, items.sizes).max())
        if most * least > rows:
            raise PrivacyError(
                f"one value of {name!r} is in {most:,} of {rows:,} rows ({most / rows:.1%}), more than 1/{least} of them: "
                f"{_remedy(name, rows // most)}."
            )


def _remedy(name: str, feasible: int) -> str:
    """What can be promised of a column whose most frequent value allows an l of ``feasible``."""
    return f"set privacy.l_diversity.{name} to {feasible}" if feasible > 1 else f"leave {name!r} out of privacy.l_diversity"


def _release(cells: Cells, method: Ring | Homogeneous, layout: Layout) -> None:
    """Make ``assigned`` and ``groups``: load where the windows lie, and work out what is released of each."""
    engine, attributes = cells.engine, cells.star.attributes
    forms, array = _forms(cells, method), method.sets == "array"
    for table, columns in layout.tables.items():
        engine.load_numbers(table, columns)
    engine.run("ring/assigned", attributes=attributes, promise=cells.promise)
    engine.run("ring/runs", attributes=attributes)
    engine.run("ring/framed", attributes=attributes)
    engine.load_numbers("digits", {"digit": np.arange(layout.longest + 1)})
    engine.run("ring/lengths")
    for each in attributes:
        engine.run(_TEMPLATES[method.representation], a=each, array=array)
    engine.run("ring/groups", attributes=attributes, forms=forms, array=array)
    for table in ("portions", "runs", "framed", "digits", *(f"labels_{each.index}" for each in attributes)):
        engine.drop(table)


def _forms(cells: Cells, method: Ring | Homogeneous) -> dict[int, Form]:
    """How each attribute's values are released."""
    if method.representation == "range":
        return {each.index: "numbers" if each.sorts else "names" for each in cells.star.attributes}
    return dict.fromkeys((each.index for each in cells.star.attributes), "node" if method.representation == "ancestor" else "set")
