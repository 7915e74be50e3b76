"""What rows are released as that are told as windows: the tables ``assigned`` and ``groups`` from where the windows lie.

A method leaves ``places`` (attribute, code, place: of the values that the data has, in their order) and ``items`` (item, c1 … cn,
p1 … pn: places, the promise's extras, n rows): rows that are alike, in an order of the method's own. It divides them by
the counts of :func:`read` alone, and gives a :class:`anonsql.methods.windows.windows.Layout`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal

import numpy as np

from anonsql.errors import PrivacyError
from anonsql.methods.groups import Cells, Form
from anonsql.methods.windows.lexicographic import Items
from anonsql.methods.windows.windows import Layout

Representation = Literal["set", "range", "ancestor"]

_TEMPLATES = {"set": "windows/sets", "range": "windows/ranges", "ancestor": "windows/ancestors"}


def read(cells: Cells) -> Items:
    """What Python is told of ``items``: counts, where one differs from the one before, and opaque numbers of sensitive values.
    Raises PrivacyError where one of these is too frequent for what is promised."""
    promise = cells.promise
    sizes, depths, *codes = cells.engine.numbers("windows/counts", promise=promise)
    asked = {model.index: math.ceil(model.bound) for model in promise.models}
    items = Items(sizes, depths, tuple(codes), tuple(asked[index] for index in promise.coded))
    _require_possible(items, [each.name for each in cells.coded])
    return items


def _require_possible(items: Items, names: Sequence[str]) -> None:
    """Raise PrivacyError where a sensitive value is too frequent in the whole table to be hidden (Wong, Mamoulis, Cheung 2010,
    section 6). ``names`` are those of the sensitive columns."""
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
    return (
        f"set privacy.l_diversity.{name} to {feasible}"
        if feasible > 1
        else f"leave {name!r} out of privacy.l_diversity"
    )


def release(
    cells: Cells, layout: Layout, representation: Representation, *, array: bool = False
) -> dict[int, Form]:
    """Make ``assigned`` and ``groups``: load where the windows lie, and work out what is released of each. Gives the form of each
    attribute's values, by index; with ``array`` sets are arrays besides their text."""
    engine, attributes = cells.engine, cells.star.attributes
    forms = _forms(cells, representation)
    for table, columns in layout.tables.items():
        engine.load_numbers(table, columns)
    engine.run("windows/assigned", attributes=attributes, promise=cells.promise)
    engine.run("windows/runs", attributes=attributes)
    engine.run("windows/framed", attributes=attributes)
    engine.load_numbers("digits", {"digit": np.arange(layout.longest + 1)})
    engine.run("windows/lengths")
    for each in attributes:
        engine.run(_TEMPLATES[representation], a=each, array=array)
    engine.run("windows/groups", attributes=attributes, forms=forms, array=array)
    for table in (
        "portions",
        "runs",
        "framed",
        "digits",
        *(f"labels_{each.index}" for each in attributes),
    ):
        engine.drop(table)
    return forms


def _forms(cells: Cells, representation: Representation) -> dict[int, Form]:
    """How each attribute's values are released."""
    if representation == "range":
        return {each.index: "numbers" if each.sorts else "names" for each in cells.star.attributes}
    return dict.fromkeys(
        (each.index for each in cells.star.attributes),
        "node" if representation == "ancestor" else "set",
    )
