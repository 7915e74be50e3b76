"""What a release says of itself in ``__about``, held against what it must say: a table of facts,
each with how it is verified.

A new fact is one line of :data:`FACTS`: its name, and a function that gives what is expected of it
by the :class:`Evidence` (the policy, and what was counted on the release), or None where the
release must not tell it. ``Exactly`` a text, a ``Number`` that was recomputed, a number ``Between``
two limits where the release alone leaves it open, or a text that is ``AsTold`` but for how it is
written. Families of facts, which have a name of each column or model, are functions in
:data:`FAMILIES`. What a release tells and no line expects is refused, and so is what a line expects
and the release does not tell.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from anonsql.engines.base import EXTRA_TABLES
from anonsql.policy.policy import Policy
from anonsql.verification.facts import Classes, missing_rows, promised, told_count
from anonsql.verification.labels import Losses, Read

_DIGITS = Fraction(1, 10**11)


@dataclass(frozen=True)
class Exactly:
    """The one text that a fact must have."""

    text: str
    open: bool = False

    def offence(self, told: str) -> str | None:
        """Return what is expected instead of the ``told`` text; None where the fact is right."""
        return None if told == self.text else self.text


@dataclass(frozen=True)
class Between:
    """The limits that a number must lie between: the release alone need not determine it."""

    least: Fraction
    most: Fraction
    open: bool = True

    def offence(self, told: str) -> str | None:
        """See :class:`Exactly`."""
        try:
            number = Fraction(told)
        except (ValueError, ZeroDivisionError):
            return f"a number from {_shown(self.least)} to {_shown(self.most)}"
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


def between(limits: tuple[Fraction, Fraction]) -> Between:
    """Return the limits that a fact must lie between, or the one number where they are equal."""
    return Between(*limits, open=limits[0] != limits[1])


@dataclass(frozen=True)
class AsTold:
    """A text that the release alone does not determine; only how it is written can be checked."""

    pattern: str
    open: bool = True

    def offence(self, told: str) -> str | None:
        """See :class:`Exactly`."""
        return None if re.fullmatch(self.pattern, told, re.ASCII) else "something else"


Expected = Exactly | Between | AsTold


@dataclass(frozen=True)
class Evidence:
    """What facts are verified with.

    ``about`` are the facts that the release states, ``classes`` the equivalence classes that are
    judged and ``whole`` those of all quasi-identifying columns together. By column: ``levels`` are
    the level and the height of the hierarchy where the release has one level, ``losses`` are there
    where the labels could be read, and ``read`` is how they were read. By fact: ``counted`` are
    further numbers counted on the release, ``texts`` the texts that facts must have.
    """

    policy: Policy
    about: Mapping[str, str]
    classes: Classes
    whole: Classes
    levels: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    losses: Mapping[str, Losses | None] = field(default_factory=dict)
    counted: Mapping[str, Fraction] = field(default_factory=dict)
    texts: Mapping[str, str] = field(default_factory=dict)
    read: Mapping[str, Read] = field(default_factory=dict)

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

    def told(self, name: str) -> int:
        """Return a count that the release states; 0 where it states none."""
        return max(0, told_count(self.about, name))


def offences(evidence: Evidence, *, elsewhere: bool = False) -> list[str]:
    """Return the facts that are not as they must be; of a release that was made ``elsewhere``, only
    those that it states."""
    about, found = evidence.about, expected(evidence)
    told = []
    for name, each in found.items():
        if name not in about:
            told += [] if elsewhere else [f"__about says {name}=None, and must tell it"]
        elif (right := each.offence(about[name])) is not None:
            told.append(f"__about says {name}={about[name]}, the release and the policy {right}")
    if not elsewhere and (unknown := sorted(about.keys() - found.keys())):
        told.append(f"__about says what is no fact of such a release: {', '.join(unknown)}")
    return told


def as_told(evidence: Evidence) -> list[str]:
    """Return the facts that the release alone does not determine: only how they are written, or
    limits of theirs, can be checked."""
    found = expected(evidence)
    return sorted(name for name, each in found.items() if each.open and name in evidence.about)


def expected(evidence: Evidence) -> dict[str, Expected]:
    """Return what is expected of every fact, by property."""
    single = ((name, line(evidence)) for name, line in FACTS.items())
    found = {name: each for name, each in single if each is not None}
    for family in FAMILIES:
        found |= family(evidence)
    return found


def _shown(value: Fraction) -> str:
    return format(float(value), ".12g")


def _policy_text(value: object) -> Expected:
    return Exactly(str(value))


def _suppressed(of: Evidence) -> Expected:
    """Return what is expected of the number of suppressed rows: that of the masked rows, where
    there are any. How many rows were left out the release does not show."""
    if of.classes.masked:
        return Exactly(str(of.classes.masked))
    return Exactly("0") if "quarantined" in of.about else AsTold("[0-9]+")


def _classes(of: Evidence) -> Expected | None:
    if of.policy.privacy.several:
        return None
    if not of.rings:
        return Exactly(str(of.classes.classes))
    return Between(Fraction(1), Fraction(of.rows, of.policy.privacy.k))


def _min_class(of: Evidence) -> Expected | None:
    if of.policy.privacy.several:
        return None
    if not of.rings:
        return Exactly(str(of.classes.min_class))
    return Between(Fraction(of.policy.privacy.k), Fraction(of.classes.rows))


def _expected_matches(of: Evidence) -> Expected | None:
    """Return the limits of the sum of size / window over rings: no window is larger than its ring,
    none smaller than the smallest."""
    if not of.rings:
        return None
    most = Fraction(of.classes.rows, max(1, of.told("min_class")))
    return Between(Fraction(of.told("classes")), max(most, Fraction(of.told("classes"))))


def _discernibility(of: Evidence) -> Expected | None:
    if of.rings:
        return None  # in rings, rows that are released alike are no class
    return number(of.whole.squares + of.suppressed * of.rows)


def _average_class_size(of: Evidence) -> Expected:
    classes = of.told("classes") if of.rings else of.whole.classes
    released = of.rows - of.suppressed
    # of several combinations of columns each keeps k, but all columns together promise nothing
    k = 1 if of.policy.privacy.several else of.policy.privacy.k
    return number(Fraction(released, max(1, classes) * k))


def _loss(of: Evidence) -> Expected:
    """Return the weighted mean of the columns' losses; suppressed entries count 1."""
    settings = of.policy.quasi_identifiers
    weights = {name: Fraction(str(each.weight)) for name, each in settings.items()}
    return _mean(of, weights, [each.leaves if each else None for each in of.losses.values()])


def _gcp(of: Evidence) -> Expected:
    weights = dict.fromkeys(of.policy.quasi_identifiers, Fraction(1))
    return _mean(of, weights, [each.present if each else None for each in of.losses.values()])


def _mean(
    of: Evidence,
    weights: Mapping[str, Fraction],
    limits: Sequence[tuple[Fraction, Fraction] | None],
) -> Expected:
    if len(limits) < len(weights) or None in limits or not of.rows:
        return Between(Fraction(0), Fraction(1))
    total = sum(weights.values(), Fraction(0)) * of.rows
    low = high = Fraction(0)
    for name, limit in zip(of.losses, limits, strict=True):
        low += weights[name] * ((limit or (Fraction(0),))[0] + of.suppressed)
        high += weights[name] * ((limit or (Fraction(1),))[-1] + of.suppressed)
    return between((low / total, high / total))


def _ncp(of: Evidence) -> Expected | None:
    if "ncp" not in of.policy.method.facts:
        return None
    known = [each.width for each in of.losses.values() if each is not None]
    if len(known) < len(of.policy.quasi_identifiers):
        return Between(Fraction(0), Fraction(of.rows * len(of.policy.quasi_identifiers)))
    return between(
        (sum((low for low, _ in known), Fraction(0)), sum((high for _, high in known), Fraction(0)))
    )


def _height(of: Evidence) -> Expected | None:
    if "height" not in of.policy.method.facts:
        return None
    return number(sum(level for level, _ in of.levels.values()))


def _weighted_height(of: Evidence) -> Expected | None:
    if "weighted_height" not in of.policy.method.facts:
        return None
    settings = of.policy.quasi_identifiers
    return number(
        sum(
            (
                Fraction(str(settings[name].weight)) * level
                for name, (level, _) in of.levels.items()
            ),
            Fraction(0),
        )
    )


def _precision(of: Evidence) -> Expected | None:
    if "precision" not in of.policy.method.facts or not of.levels or not of.rows:
        return None
    kept = Fraction(of.rows - of.suppressed, of.rows)
    lost = [kept * Fraction(level, height) + 1 - kept for level, height in of.levels.values()]
    return number(1 - sum(lost) / len(lost))


def _counted(name: str) -> Callable[[Evidence], Expected | None]:
    """Return the function for a fact of anatomy that was counted on the release by its name."""

    def expected_of(of: Evidence) -> Expected | None:
        if name not in of.policy.method.facts:
            return None
        return number(of.counted[name]) if name in of.counted else Between(Fraction(0), Fraction(1))

    return expected_of


def _optimal(of: Evidence) -> Expected | None:
    return AsTold("true|false") if "optimal" in of.policy.method.facts else None


def _seeded(of: Evidence) -> Expected | None:
    return Exactly("yes") if "seeded" in of.policy.method.facts else None


def _combinations(of: Evidence) -> Expected | None:
    if not of.policy.privacy.several:
        return None
    return Exactly("; ".join(", ".join(names) for names in of.policy.combinations))


def _extra_tables(of: Evidence) -> Expected | None:
    parts = of.policy.release_parts
    return Exactly(", ".join(f"__{part}" for part in parts)) if parts else None


def _quarantined(of: Evidence) -> Expected | None:
    """Return what is expected of the number of rows that a scheme could not recode: only a release
    by `apply`, which knows levels alone, states it."""
    there = "quarantined" in of.policy.method.facts and "quarantined" in of.about
    return AsTold("[0-9]+") if there else None


FACTS: dict[str, Callable[[Evidence], Expected | None]] = {
    "method": lambda of: _policy_text(of.policy.method.type),
    "k": lambda of: _policy_text(of.policy.privacy.k),
    "suppression_limit": lambda of: _policy_text(of.policy.privacy.suppression_limit),
    "rows": lambda of: Exactly(str(of.classes.rows)),
    "suppressed": _suppressed,
    "quarantined": _quarantined,
    "masked": lambda of: Exactly(str(of.classes.masked)),
    EXTRA_TABLES: _extra_tables,
    "identity": lambda of: Exactly(of.policy.identity) if of.policy.identity else None,
    "quasi_identifiers": _combinations,
    "classes": _classes,
    "min_class": _min_class,
    "expected_matches": _expected_matches,
    "loss": _loss,
    "gcp": _gcp,
    "group_gcp": _counted("group_gcp"),
    "precision": _precision,
    "discernibility": _discernibility,
    "average_class_size": _average_class_size,
    "height": _height,
    "weighted-height": _weighted_height,
    "ncp": _ncp,
    "suppressed_share": lambda of: number(Fraction(of.suppressed, max(1, of.rows))),
    "sensitive_share": _counted("sensitive_share"),
    "optimal": _optimal,
    "seeded": _seeded,
    "anonsql": lambda of: AsTold(r"[0-9]+(\.[0-9]+)+[-.+a-z0-9]*"),
    "release": lambda of: AsTold("[0-9a-f]{16}"),
}
"""Every property of ``__about`` but those of :data:`FAMILIES`, and what is expected of it."""


def _promises(of: Evidence) -> dict[str, Expected]:
    """Return what the policy requires of equivalence classes besides k, and of relocation."""
    return {name: Exactly(text) for name, text in promised(of.policy).items()}


def _relocated(of: Evidence) -> dict[str, Expected]:
    """Return the numbers of relocated entries, by column and in all, and of rows;
    :mod:`anonsql.verification.facts` checks that they add up."""
    if not of.policy.method.changes_values:
        return {}
    names = [f"relocated_cells.{name}" for name in of.policy.quasi_identifiers]
    return dict.fromkeys(["relocated_rows", "relocated_cells", *names], AsTold("[0-9]+"))


def _texts(of: Evidence) -> dict[str, Expected]:
    """Return the facts about people and about kept columns, which the modules that verify those
    have counted."""
    return {name: Exactly(text) for name, text in of.texts.items()}


FAMILIES: tuple[Callable[[Evidence], Mapping[str, Expected]], ...] = (
    _promises,
    _relocated,
    _texts,
)
"""Facts whose names have a column or a model in them."""
