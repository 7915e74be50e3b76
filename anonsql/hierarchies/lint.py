"""Check (lint) dimension tables in their engine: do they cover the values, nest, have one top?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from anonsql.engines.base import Engine
from anonsql.errors import Problem
from anonsql.hierarchies.leaf_tables import LeafTables
from anonsql.system.journal import log

if TYPE_CHECKING:
    from anonsql.hierarchies.dimensions import Attribute

_LINTED_AT_ONCE = 16  # attributes per statement: planning time grows with their square
RULES = {
    "missing": (
        "{n} distinct {values} of the column {are} not covered by the hierarchy.",
        "Add {them} to the hierarchy, or clean the source.",
    ),
    "parents": (
        "{n} {labels} of level {level} {have} more than one parent, so the levels do not nest"
        "{lines}.",
        "Give each label exactly one parent.",
    ),
    "bounds": (
        "outside the bounds of their labels of level {level}: {n} {values}.",
        "Please report this: it is a fault of anonsql.",
    ),
    "twice": (
        "equal to another value of the column without being the same: {n} {values}.",
        "Please report this: it is a fault of anonsql.",
    ),
    "tops": (
        "the top level has {n} values, so the highest generalization still distinguishes"
        " them{lines}.",
        "Add a level with one value, e.g. `*`.",
    ),
}
"""What is wrong, and its remedy: by the rule of ``hierarchies/lint`` that a table breaks."""


_MISSING_REMEDIES = {
    "hierarchies/mask": "They are longer than `length`: raise it.",
    "hierarchies/interval": "They are not finite numbers of a usable size: clean the source.",
    "hierarchies/breaks": "They are not finite numbers or dates: clean the source.",
    "hierarchies/date": "They are infinite or outside the years 1 to 9999: clean the source.",
}
"""The remedy for missing values, by the template of hierarchies that do not list their values."""


def lint(
    engine: Engine, attributes: Sequence[Attribute], leaves: LeafTables, show_values: bool
) -> list[Problem]:
    """Return everything wrong with the dimension tables, found by queries, with up to five lines of
    a hierarchy's file for each. Where ``show_values`` allows it, log up to five offending values
    for each problem; they appear nowhere else."""
    by_index = {attribute.index: attribute for attribute in attributes}
    offences = [
        row
        for first in range(0, len(attributes), _LINTED_AT_ONCE)
        for row in engine.query(
            "hierarchies/lint", attributes=attributes[first : first + _LINTED_AT_ONCE]
        )
    ]
    two_parents = {index for index, rule, level, _ in offences if (rule, level) == ("parents", 0)}
    problems = []
    for index, rule, level, offenders in offences:
        if rule == "twice" and index in two_parents:
            continue  # a value is there once for each of its parents
        attribute = by_index[index]
        shown = "" if show_values else " --show-values shows up to five."
        problems.append(_problem(attribute, (rule, level, offenders), leaves, shown))
        if show_values:
            examples = engine.query("hierarchies/examples", a=attribute, rule=rule, level=level)
            values = ", ".join(repr(row[0]) for row in examples)
            log.warning("%s: for example %s", problems[-1].where, values)
    return problems


def _problem(
    attribute: Attribute, offence: tuple[str, int, int], leaves: LeafTables, shown: str
) -> Problem:
    rule, level, offenders = offence
    wrong, remedy = RULES[rule]
    if rule == "missing":
        remedy = _MISSING_REMEDIES.get(attribute.template, remedy)
    one, lines = offenders == 1, ""
    if rule == "parents":
        lines = leaves.lines(attribute.index, level, level + 1)
    elif rule == "tops":
        offenders += 1
        lines = leaves.lines(attribute.index, None, level)
    words = {
        "values": "value" if one else "values",
        "labels": "label" if one else "labels",
        "have": "has" if one else "have",
        "are": "is" if one else "are",
        "them": "it" if one else "them",
        "n": f"{offenders:,}",
        "lines": f": {lines}" if lines else "",
    }
    wrong, remedy = (text.format(level=level, **words) for text in (wrong, remedy + shown))
    return Problem(f"{attribute.where}.hierarchy", wrong, remedy)
