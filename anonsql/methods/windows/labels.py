"""The labels of rows that are released as windows: the tables ``assigned`` and ``groups``, made
from the positions of the windows.

A method makes ``places`` (attribute, code, place: the position of each value that occurs, in the
order of values) and ``items`` (item, c1 … cn, p1 … pn: positions, the promise's extras, n rows):
equal rows, in an order that the method chooses. It divides the items only by the counts of
:func:`read`, and passes a :class:`anonsql.methods.windows.windows.Layout` to :func:`release`.
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
from anonsql.star.coded import Coded

Representation = Literal["set", "range", "ancestor"]

_PIECE = 12
"""The number of an attribute's values in one piece of a set."""
_PIECES = 20
"""The most pieces of a set: an attribute with more values has its sets put into words one by
one."""
_TEMPLATES = {
    "set": "methods/windows/sets",
    "range": "methods/windows/ranges",
    "ancestor": "methods/windows/ancestors",
}


def read(cells: Cells) -> Items:
    """Return the properties of ``items`` that Python may see: counts, the first attribute in which
    an item differs from the one before, and meaningless numbers for sensitive values. Raise
    PrivacyError where a sensitive value is too frequent for the promise."""
    promise = cells.promise
    sizes, depths, *codes = cells.engine.numbers("methods/windows/counts", promise=promise)
    least = {model.index: math.ceil(model.bound) for model in promise.models}
    if promise.people:  # no person has more than 1/k of the rows of a window
        least[promise.people] = max(promise.k, least.get(promise.people, 0))
    items = Items(sizes, depths, tuple(codes), tuple(least[index] for index in promise.coded))
    _require_possible(items, cells.coded, promise.people)
    return items


def _require_possible(items: Items, coded: Sequence[Coded], people: int) -> None:
    """Raise PrivacyError where a sensitive value, or a person, is too frequent in the whole table
    to be hidden (Wong, Mamoulis, Cheung 2010, section 6). ``people`` is the index of the ``coded``
    column that identifies people, 0 for none."""
    rows = int(items.sizes.sum())
    for column, codes, least in zip(coded, items.categories, items.least, strict=True):
        name, most = column.name, int(np.bincount(codes, items.sizes).max())
        if most * least > rows and column.index == people:
            raise PrivacyError(
                f"one value of {name!r} is in {most:,} of {rows:,} rows ({most / rows:.1%}), but"
                f" a person may have at most 1/k of the rows, and k is {least:,}. Leave rows of"
                f" this person out in a view, or set privacy.k to {max(rows // most, 1):,}."
            )
        if most * least > rows:
            raise PrivacyError(
                f"one value of {name!r} is in {most:,} of {rows:,} rows ({most / rows:.1%}), more"
                f" than 1/{least} of them: {_remedy(name, rows // most)}."
            )


def _remedy(name: str, feasible: int) -> str:
    return (
        f"set privacy.l_diversity.{name} to {feasible}"
        if feasible > 1
        else f"leave {name!r} out of privacy.l_diversity"
    )


def release(
    cells: Cells, layout: Layout, representation: Representation, *, array: bool = False
) -> dict[int, Form]:
    """Load the windows, make ``assigned`` and ``groups`` from them, and return the form of each
    attribute's values. With ``array``, sets are released as arrays besides their text."""
    engine, attributes = cells.engine, cells.star.attributes
    forms = _forms(cells, representation)
    for table, columns in layout.tables.items():
        engine.load_numbers(table, columns)
    engine.run("methods/windows/assigned", attributes=attributes, promise=cells.promise)
    engine.run("methods/windows/runs", attributes=attributes)
    engine.run("methods/windows/framed", attributes=attributes)
    engine.load_numbers("digits", {"digit": np.arange(layout.longest + 1)})
    engine.run("methods/windows/lengths")
    for attribute in attributes:
        pieces = cells.star.codes[attribute.index] // _PIECE + 1
        engine.run(
            _TEMPLATES[representation],
            a=attribute,
            array=array,
            pieces=0 if array or pieces > _PIECES else pieces,
        )
    engine.run("methods/windows/groups", attributes=attributes, forms=forms, array=array)
    for table in (
        "portions",
        "runs",
        "framed",
        "digits",
        *(f"labels_{attribute.index}" for attribute in attributes),
    ):
        engine.drop(table)
    return forms


def _forms(cells: Cells, representation: Representation) -> dict[int, Form]:
    if representation == "range":
        return {
            attribute.index: "numbers" if attribute.sorts else "names"
            for attribute in cells.star.attributes
        }
    return dict.fromkeys(
        (attribute.index for attribute in cells.star.attributes),
        "node" if representation == "ancestor" else "set",
    )
