"""What a release may state of itself: a value, one within bounds, or one that nobody can prove."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import isfinite

from anonsql.policy.policy import Policy
from anonsql.verification.facts import Classes, count_of, missing_rows

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
    """The limits that a number must lie between: the release alone need not determine it. It is
    written as a run writes it: whole, or to twelve digits."""

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
    """Return what a fact must be whose value was recomputed, to the twelve digits that are
    written."""
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


def stated_offences(
    about: Mapping[str, str], facts: Mapping[str, Expected], *, elsewhere: bool = False
) -> list[str]:
    """Return the facts ``about`` a table that are not as they must be, those that are missing, and
    those that are none; of a release that was made ``elsewhere``, only those that it states."""
    wrong = []
    for name, exactly in facts.items():
        if name not in about:
            wrong += [] if elsewhere else [f"__about says {name}=None, and must tell it"]
        elif (right := exactly.offence(about[name])) is not None:
            wrong.append(f"__about says {name}={about[name]}, the release and the policy {right}")
    if not elsewhere and (unknown := sorted(about.keys() - facts.keys())):
        wrong.append(f"__about says what is no fact of such a release: {', '.join(unknown)}")
    return wrong


@dataclass(frozen=True)
class Evidence:
    """What facts are verified with.

    ``about`` are the facts that the release states, ``classes`` the equivalence classes that are
    judged. ``sensitive_share`` is anatomy's, counted on the release. By fact: ``texts`` are the
    texts that facts must have, ``bounded`` those of them that the release only bounds.
    """

    policy: Policy
    about: Mapping[str, str]
    classes: Classes
    sensitive_share: Fraction | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    bounded: frozenset[str] = frozenset()

    @cached_property
    def missing(self) -> int:
        """The rows of the source that the release does not have."""
        return missing_rows(self.about)

    @property
    def rows(self) -> int:
        """The rows of the source."""
        return self.classes.rows + self.missing

    @property
    def suppressed(self) -> int:
        """The rows of the source that are suppressed."""
        return self.missing + self.classes.masked

    @property
    def rings(self) -> bool:
        """Whether rows that are released alike form no equivalence class, as in rings."""
        return not self.policy.method.equal_rows_are_classes

    def count(self, name: str) -> int:
        """Return a count that the release states; 0 where it states none."""
        return max(0, count_of(self.about, name))


def _is_number(text: str) -> bool:
    """Return whether a text is a finite number, written as a run writes it."""
    if re.fullmatch(COUNT, text, re.ASCII):
        return True
    try:
        value = float(text)
    except ValueError:
        return False
    return isfinite(value) and text == format(value, ".12g")


def _shown(value: Fraction) -> str:
    return format(float(value), ".12g")
