"""What the values of a release stand for: labels of any level, ``*``, sets, closed intervals, intervals of names.

A label may be read in more than one way (a hierarchy may have a node called ``[1,2]``): as a node first, then as what it
looks like. The database says which reading means something there; no hierarchy is read into Python.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from anonsql.engines.base import Engine
from anonsql.hierarchies import Attribute

Label = str | Sequence[str | None] | None
"""A released value: text, NULL, or a set as an array."""
_ELEMENT = re.compile(r'"((?:[^"]|"")*)"|([^,{}"]+)')
_BETWEEN = " … "
_COLUMNS = [
    *(("label", "INTEGER"), ("reading", "INTEGER"), ("kind", "VARCHAR"), ("part", "INTEGER")),
    *(("parts", "INTEGER"), ("word", "VARCHAR"), ("upto", "VARCHAR")),
]


@dataclass(frozen=True)
class Part:
    """A part of what a label stands for: the ``node`` of a hierarchy called ``word`` (None: the value NULL), ``all`` values, or
    those between two ``ends``."""

    kind: Literal["node", "ends", "all"]
    word: str | None = None
    upto: str | None = None


def readings(label: Label) -> list[list[list[Part]]]:
    """How a label may be read, the likelier way first. A reading is a list of parts that together are what it stands for, each
    given as the alternatives for it."""
    if label is None:
        return [[[Part("node")]]]
    if not isinstance(label, str):
        return [[[Part("node", element)] for element in label]]
    found = [[[Part("node", label)]]]
    if label == "*":
        found.append([[Part("all")]])
    elements = in_set(label)
    if elements:
        found.append([[Part("node", element)] for element in elements])
    if label.startswith("[") and label.endswith("]") and label.count(",") == 1:
        first, last = label[1:-1].split(",")
        found.append([[Part("ends", first, last)]])
    ends = [
        Part("ends", label[: each.start()], label[each.start() + len(_BETWEEN) :])
        for each in re.finditer(f"(?={_BETWEEN})", label)  # the names may hold what stands between them
    ]
    if ends:
        found.append([ends])
    return found


def in_set(label: str) -> list[str | None] | None:
    """The elements of a set written ``{one, "an,other", NULL}``; None when it is none."""
    if not (label.startswith("{") and label.endswith("}")):
        return None
    inside, at = label[1:-1], 0
    elements: list[str | None] = []
    while match := _ELEMENT.match(inside, at):
        quoted, plain = match.groups()
        elements.append(quoted.replace('""', '"') if quoted is not None else None if plain == "NULL" else plain)
        at = match.end()
        if at == len(inside):
            return elements
        if not inside.startswith(", ", at):
            return None
        at += 2
    return None


def understand(engine: Engine, attribute: Attribute, labels: Mapping[int, Label], level: int | None = None) -> dict[int, int]:
    """Make the table ``covers_<index>`` (label, code) of the values that each numbered label stands for, among those of
    ``domain_<index>``, by ``dim_<index>``; ``level`` is that of the released nodes, where it is told. Gives the number of values
    by label; labels that stand for nothing are left out."""
    rows: list[tuple[object, ...]] = []
    for number, label in labels.items():
        for reading, parts in enumerate(readings(label)):
            rows += [
                (number, reading, each.kind, place, len(parts), each.word, each.upto)
                for place, alternatives in enumerate(parts)
                for each in alternatives
            ]
    engine.load(f"words_{attribute.index}", _COLUMNS, rows)
    levels = range(attribute.height + 1) if level is None or level > attribute.height else [level]
    engine.run("workload/covers", a=attribute, levels=list(levels))
    return dict(engine.query("workload/widths", a=attribute))
