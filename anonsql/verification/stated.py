"""What a release may state of itself: in ``__about`` values, values within bounds, and texts that
cannot be proved; in ``__columns`` a row for every column of the release, with its role, level, form
and looks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite

from anonsql.engines.base import STATED, StatedColumn
from anonsql.grammar.forms import BOUNDS, Looks, of_average, of_bound
from anonsql.policy.columns import REPLACED
from anonsql.policy.local import bucket_name
from anonsql.policy.table_plan import TablePlan
from anonsql.release.columns import GROUP, RECORD
from anonsql.verification.facts import average_names, bounds_names

_DIGITS = Fraction(1, 10**11)
COUNT = "0|[1-9][0-9]*"
"""How a count is written."""
VERSION = r"[0-9]+(\.[0-9]+)+((a|b|rc)[0-9]+)?(\.post[0-9]+)?(\.dev[0-9]+)?"
"""How a version of anonsql is written: as PEP 440 has it, without an epoch or a local part."""
RELEASE = "[0-9a-f]{16}"
"""How the number of a release is written."""


@dataclass(frozen=True)
class Exactly:
    """The one text that a fact must have."""

    text: str
    open: bool = False

    def offence(self, stated: str) -> str | None:
        """Return what is expected instead of the ``stated`` text; None where the fact is right."""
        return None if stated == self.text else self.text


@dataclass(frozen=True)
class Between:
    """The limits of a number that the release alone need not determine. It is written as a run
    writes it: whole, or to twelve digits."""

    least: Fraction
    most: Fraction
    open: bool = True

    def offence(self, stated: str) -> str | None:
        """See :class:`Exactly`."""
        if not _is_number(stated):
            return f"a number from {_shown(self.least)} to {_shown(self.most)}"
        number = Fraction(stated)
        slack = _DIGITS * max(Fraction(1), abs(number))
        if self.least - slack <= number <= self.most + slack:
            return None
        if self.least == self.most:
            return _shown(self.least)
        return f"{_shown(self.least)} to {_shown(self.most)}"


def number(value: Fraction | float | int) -> Between:
    """Return the expected fact of a recomputed value, to the twelve digits that are written."""
    exact = Fraction(value)
    return Between(exact, exact, open=False)


@dataclass(frozen=True)
class Unproved:
    """A text that the release alone does not determine; only how it is written can be checked."""

    pattern: str
    open: bool = True

    def offence(self, stated: str) -> str | None:
        """See :class:`Exactly`."""
        return None if re.fullmatch(self.pattern, stated, re.ASCII) else "something else"


Expected = Exactly | Between | Unproved


def stated_offences(about: Mapping[str, str], facts: Mapping[str, Expected]) -> list[str]:
    """Return the facts ``about`` a table that differ from the expected ones, are missing, or are
    unknown."""
    wrong = []
    for name, exactly in facts.items():
        if name not in about:
            wrong.append(f"__about has no {name}, which it must state")
        elif (right := exactly.offence(about[name])) is not None:
            wrong.append(f"__about states {name}={about[name]}, the release and the policy {right}")
    if unknown := sorted(about.keys() - facts.keys()):
        wrong.append(
            f"__about states facts that such a release does not have: {', '.join(unknown)}"
        )
    return wrong


def _is_number(text: str) -> bool:
    if re.fullmatch(COUNT, text, re.ASCII):
        return True
    try:
        value = float(text)
    except ValueError:
        return False
    return isfinite(value) and text == format(value, ".12g")


def _shown(value: Fraction) -> str:
    return format(float(value), ".12g")


def column_offences(
    policy: TablePlan,
    names: Sequence[str],
    rows: Sequence[StatedColumn],
    looks: Mapping[str, tuple[int | None, Looks]],
) -> list[str]:
    """Return the rows of ``__columns`` that are missing, superfluous, or contradict the release or
    the policy. ``names`` are the columns of the rows, ``looks`` the levels and looks of columns
    whose labels were read."""
    return row_offences(rows, _expected(policy, names, looks))


def row_offences(rows: Sequence[StatedColumn], right_rows: Sequence[StatedColumn]) -> list[str]:
    """Return the rows of ``__columns`` that are missing, superfluous, or other than the right
    ones."""
    expected = {row[0]: row for row in right_rows}
    by_name = {row[0]: row for row in rows}
    offending = [
        f"__columns has {what}: {', '.join(map(str, sorted(some, key=str)))}"
        for what, some in (
            ("columns that do not exist", by_name.keys() - expected.keys()),
            ("no rows for", expected.keys() - by_name.keys()),
        )
        if some
    ]
    for name, right in expected.items():
        for what, found, wanted in zip(STATED, by_name.get(name, right), right, strict=True):
            if found != wanted:
                text = f"__columns states {what}={found} for {name!r}"
                offending.append(f"{text}, the release and the policy {wanted}")
    return offending


def _expected(
    policy: TablePlan, names: Sequence[str], looks: Mapping[str, tuple[int | None, Looks]]
) -> list[StatedColumn]:
    """Return the rows that ``__columns`` must have: of the released columns, also the ones in
    tables of their own."""
    ends = {f"_{end}": form for form, end in BOUNDS.items()}
    buckets = {bucket_name(name): part for name, part in policy.tabled.items()}
    joined = ", which joins __sensitive" if policy.separated is not None else ""
    bounds, averages, rows = bounds_names(policy), average_names(policy), list[StatedColumn]()

    def add(name: str, role: str, looks: tuple[str, str], level: int | None = None) -> None:
        rows.append(StatedColumn(name, role, level, *looks))

    for name in names:
        if name in looks:
            level, found = looks[name]
            add(name, policy.columns[name].role, found, level)
        elif name in policy.columns:
            if name not in policy.quasi_identifiers:
                replaced, settings = policy.replaced.get(name), policy.columns[name]
                kept = REPLACED[replaced] if replaced else settings.looks(name)
                add(name, settings.role, kept)
        elif name in bounds:
            add(name, policy.columns[name[:-3]].role, of_bound(name[:-3], ends[name[-3:]]))
        elif name in averages:
            own, average = averages[name]
            add(name, policy.columns[own].role, of_average(own, average))
        elif name == RECORD.name:
            add(name, "record", ("record", "number of the row"))
        elif name == GROUP.name:
            add(name, "group", ("group", f"number of the row's group{joined}"))
        elif name in buckets and policy.bucketized is not None:
            text = f"number of its bucket, which joins __{buckets[name]}"
            add(name, "bucket", ("bucket", text))
    by = "bucket" if policy.bucketized else "group"
    for name in policy.apart:
        text = f"not in the rows, but with counts in __{policy.tabled[name]}, by {by}"
        add(name, "sensitive", ("apart", text))
    return rows
