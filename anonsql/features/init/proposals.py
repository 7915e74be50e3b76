"""What `anonsql init` proposes for a column, and why: by counts, then by form, then by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from anonsql.engines.base import Column
from anonsql.features.init import names
from anonsql.features.init.quantiles import Quantiles, number_hierarchy
from anonsql.hierarchies.patterns import RANDOM, Form
from anonsql.policy.columns import Kind
from anonsql.risks import mess
from anonsql.risks.contents.looking import Held
from anonsql.risks.keys_of_people.finding import Key
from anonsql.risks.safe_harbor import words_of

_NORMALIZED = 2.5  # the median below which a number called `weight` is no person's own
_STRONG: frozenset[Kind] = frozenset(("phone", "mail", "url", "iban", "card", "national-number"))
"""What is no word of a column that others may know: a name may be that of a place."""
_OFTEN = 0.05  # of the rows that were looked at
_FEW = 20
_FINE = 20  # rows, at most, of each of many values on average, that may point to one person
_EACH = 5  # rows, at least, of each of few values on average, that identify no one
_YEARS, _FEWEST_YEARS = (1850, 2100), 3
_HIDDEN = "{type: suppression}"


@dataclass(frozen=True)
class Profile:
    """One column in numbers: rows, NULLs, distinct values, text lengths, all-digit values, range of
    dates in days, the ``form`` of all its values, signs of people in its text (``held``), the
    ``quantiles`` of its numbers, why it looks like a ``key`` of people, ``notes`` on how its file
    writes it, whether that has no name for it (``unnamed``), and values that stand ``apart``."""

    column: Column
    rows: int
    nulls: int
    distinct: int
    shortest: int
    longest: int
    digits: int
    spread: float | None
    form: Form | None = None
    held: Held | None = None
    quantiles: Quantiles | None = None
    key: Key | None = None
    notes: Sequence[str] = ()
    unnamed: bool = False
    apart: mess.Apart | None = None

    @property
    def is_code(self) -> bool:
        """Whether all values are digits of one length, as postcodes are."""
        return (
            self.column.kind in ("text", "integer")
            and self.digits == self.rows - self.nulls
            and 4 <= self.shortest == self.longest <= 12
            and not self.of_years
        )

    @property
    def of_years(self) -> bool:
        """Whether all values are years of the calendar, several of them, and the name says no
        postcode."""
        quantiles = self.quantiles
        return (
            quantiles is not None
            and self.column.kind == "integer"
            and self.distinct >= _FEWEST_YEARS
            and _YEARS[0] <= quantiles.least
            and quantiles.values[-1] <= _YEARS[1]
            and not names.POSTCODE.search(words_of(self.column.name))
        )

    @property
    def is_few(self) -> bool:
        """Whether the column has few values, each with many rows on average."""
        return 0 < self.distinct <= _FEW and self.rows - self.nulls >= _EACH * self.distinct

    @property
    def is_fine(self) -> bool:
        """Whether there are many values, each in few rows."""
        return self.distinct > _FEW and self.rows <= _FINE * self.distinct

    @property
    def is_category(self) -> bool:
        """Whether few values are codes or words: numbers are where neither digits after the point
        nor the name say that they are amounts."""
        words = words_of(self.column.name)
        coded = self.column.kind == "integer" and not names.QUANTITY.search(words)
        return self.is_few and (self.quantiles is None or (coded and not self.of_years))

    @property
    def dates(self) -> tuple[str, str, str]:
        """The levels that suit its dates."""
        spread = self.spread if self.apart is None else self.apart.range
        wide = (spread or 0) >= 3653
        return ("month", "year", "decade") if wide else ("month", "quarter", "year")

    @property
    def unique(self) -> bool:
        """Whether every value other than NULL occurs once."""
        return self.distinct == self.rows - self.nulls > 1

    def words(self) -> str:
        """Return the profile as a comment."""
        kept = [self.column.family, f"{self.distinct:,} distinct in {self.rows:,} rows"]
        return ", ".join(
            kept
            + ([f"{self.nulls:,} NULL"] if self.nulls else [])
            + (["unique"] if self.unique else [])
            + ([self.form.name] if self.form and not self.key else [])
        )


@dataclass(frozen=True)
class Decision:
    """A decision on a column, and the reason, with its ``hierarchy`` if it has one; or on several
    (``members``), by a ``pattern`` over their names: ``profile`` is that of the first."""

    profile: Profile
    role: str
    why: str
    hierarchy: str = ""
    pattern: str = ""
    members: Sequence[Profile] = ()

    @property
    def name(self) -> str:
        """The column's name, or the pattern."""
        return self.pattern or self.profile.column.name

    def words(self) -> str:
        """Return the profile as a comment; of several columns how many there are."""
        if not self.members:
            return self.profile.words()
        counts = [profile.distinct for profile in self.members]
        few, many = min(counts), max(counts)
        distinct = f"{few:,} to {many:,}" if few < many else f"{many:,}"
        return (
            f"{len(counts):,} columns in one line; a column's own line has priority over it:"
            f" {self.profile.column.family}, {distinct} distinct in {self.profile.rows:,} rows"
        )


_Proposed = tuple[str, str, str]


def propose(profile: Profile) -> _Proposed:
    """Return a role, a hierarchy and the reason. The role is ``null`` where neither counts nor the
    name suggest one, with the hierarchy that the column would have as quasi-identifying."""
    words = words_of(profile.column.name)
    for rule in (_by_counts, _by_contents, _by_time, _by_name, _by_form):
        if (found := rule(profile, words)) is not None:
            return found
    form = f" {_of_form(profile)[1]}" if profile.form is not None else ""
    return "null", hierarchy_of(profile)[0], f"UNDECIDED.{form}"


def _points(profile: Profile, words: str) -> bool:
    """Return whether the name is that of an identifier, and the values are not so few that each is
    shared by many rows."""
    if names.IDENTIFYING.search(words) is None:
        return names.NUMBERED.search(words) is not None and profile.is_fine
    return not profile.is_few or names.NAME_OF_PERSON.search(words) is not None


def _by_counts(profile: Profile, words: str) -> _Proposed | None:
    if profile.unnamed and profile.unique and profile.column.kind == "integer":
        why = (
            "Removed: the file has no name for it, and every value occurs once, so it numbers"
            " the rows."
        )
        return "identifying", "", why
    if profile.key is not None:
        return "identifying", "", f"Removed: it looks like a key of people: {profile.key.found}."
    if _points(profile, words):
        return "identifying", "", "Removed: the name suggests that it identifies one person."
    if _is_weight(words, profile):
        return (
            "weight",
            "",
            "The name suggests a weight, the number of people that a row represents: kept.",
        )
    return None


def _by_contents(profile: Profile, words: str) -> _Proposed | None:
    if profile.held is None:
        return None
    held = profile.held.words(profile.held.kinds)
    if not names.QUASI.search(words):
        return "identifying", "", f"Removed: {held}."
    if not _often(profile.held):
        return None
    why = f"Removed, though the name suggests something that others know: {held}."
    return "identifying", "", f"{why} To generalize the rest, remove these parts in a view."


def _by_time(profile: Profile, words: str) -> _Proposed | None:
    """Propose for dates and years, of whatever they are."""
    del words
    if profile.column.kind not in ("date", "timestamp") and not profile.of_years:
        return None
    hierarchy, suits = hierarchy_of(profile)
    why = "Others may know when something happened."
    return "quasi-identifying", hierarchy, f"{why} {suits}"


def _by_name(profile: Profile, words: str) -> _Proposed | None:
    if names.SENSITIVE.search(words):
        why = (
            "Kept unchanged: the name suggests the subject of the release. Make it"
            " quasi-identifying if"
        )
        return "sensitive", "", f"{why} others know it."
    if names.QUASI.search(words):
        why = "The name suggests something others know."
    elif names.IDENTIFYING.search(words):
        why = (
            "Each of its few values has many rows, so none identifies a person; others may know it."
        )
    else:
        return None
    hierarchy, suits = hierarchy_of(profile)
    why = f"{why} {suits}"
    if profile.held is not None and _STRONG & profile.held.kinds.keys():
        why += f" {profile.held.words(profile.held.kinds)}: remove that in a view."
    return "quasi-identifying", hierarchy, why


def _by_form(profile: Profile, words: str) -> _Proposed | None:
    del words
    if profile.unique and profile.column.kind in ("text", "integer") and profile.rows > 1:
        why = "Removed: every value occurs once, like an identifier. Change this if it is none."
        return "identifying", "", why
    if profile.form is not None and profile.form.name == RANDOM and profile.distinct > _FEW:
        return "identifying", "", f"Removed: all values are {RANDOM}, as machines generate them."
    return None


def propose_all(profiles: Sequence[Profile]) -> list[Decision]:
    """Return the proposals for the columns of a table, which has one weight: the first."""
    decisions: list[Decision] = []
    for profile in profiles:
        role, hierarchy, why = propose(profile)
        if role == "weight" and any(decision.role == "weight" for decision in decisions):
            role, why = "insensitive", "A further weight: a table has one. Kept unchanged."
        noted = _with_note(profile) if hierarchy else profile
        decisions.append(Decision(noted, role, why, hierarchy))
    return decisions


def _with_note(profile: Profile) -> Profile:
    if profile.apart is None:
        return profile
    note = f"the proposed widths and levels ignore {', '.join(profile.apart.values)}"
    return replace(profile, notes=(*profile.notes, note))


def person(profiles: Sequence[Profile]) -> Key | None:
    """Return the key of people by which several rows can be one person, if any: of several the one
    with such a name, or the most values."""
    keys = [profile.key for profile in profiles if profile.key is not None and profile.key.repeats]
    return max(keys, key=lambda key: key.order, default=None)


def _often(held: Held) -> bool:
    """Return whether too many rows have signs of people that are not place names."""
    return any(held.kinds[kind] >= _OFTEN * held.of[kind] for kind in _STRONG & held.kinds.keys())


def _is_weight(words: str, profile: Profile) -> bool:
    quantiles = profile.quantiles
    if quantiles is None or quantiles.least <= 0:
        return False
    alone = names.WEIGHT_ALONE.search(words) is not None and quantiles.median < _NORMALIZED
    return alone or names.WEIGHT.search(words) is not None


def _of_form(profile: Profile) -> tuple[str, str]:
    """Return the hierarchy of values of a known form, and why."""
    form = profile.form
    if form is None:
        return "null", ""
    advice = f": {form.advice}" if form.advice else ""
    way = f"All values are {form.name}{advice}."
    if form.hierarchy:
        return form.hierarchy.format(longest=profile.longest), way
    return (_HIDDEN, way) if profile.distinct <= _FEW else ("null", way)


def hierarchy_of(profile: Profile) -> tuple[str, str]:
    """Return the hierarchy that suits the values of a column, and why."""
    kind = profile.column.kind
    if kind in ("date", "timestamp"):
        levels = ", ".join(profile.dates)
        return f"{{type: date, levels: [{levels}]}}", "Calendar units are suitable for a date."
    if profile.is_code:
        why = f"All values have {profile.longest} digits, like codes: mask from the right."
        return f"{{type: mask, length: {profile.longest}}}", why
    if profile.is_category and (profile.form is None or not profile.form.hierarchy):
        return _HIDDEN, _categories(profile)
    amounts = profile.distinct > 5 or names.QUANTITY.search(words_of(profile.column.name))
    if amounts and profile.quantiles is not None and profile.quantiles.whole:
        return number_hierarchy(profile.quantiles, whole=kind == "integer")
    if profile.form is not None:
        hierarchy, why = _of_form(profile)
        return hierarchy, why if hierarchy != "null" else f"UNDECIDED: {why}"
    if profile.distinct <= _FEW:
        return _HIDDEN, _categories(profile)
    why = "UNDECIDED: many values; write a hierarchy `file` or `taxonomy` for them, or a `mask`."
    return "null", why


def _categories(profile: Profile) -> str:
    why = "Few values: publish or hide them all. A file or taxonomy of groups would keep more."
    if profile.quantiles is None or not profile.quantiles.whole or profile.distinct <= 5:
        return why
    hierarchy, _ = number_hierarchy(profile.quantiles, whole=True)
    return f"Few numbers, as codes have: publish or hide them all. For amounts: `{hierarchy}`."
