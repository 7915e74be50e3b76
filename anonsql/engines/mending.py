"""The columns of a source whose values are mended while they are read, as the policy says: without
blanks around them, NULL where they mean that no value is known, in one case."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time
from decimal import Decimal

from anonsql.engines.base import Column, Engine, OfColumn, Relation
from anonsql.errors import PolicyError, Problem, did_you_mean
from anonsql.policy.source import MendedColumn, Source

WORDS = ("NA", "na", "null", "None", "nan")
TOKENS = (
    *("N/A", "n/a", "n.a.", "#N/A", "k.A.", "k. A.", "NULL", "NaN", "?", ".", "-", "--"),
    *WORDS,
)
"""Texts that often mark a missing value; the last ones, WORDS, may be words or codes in a column of
text."""
_DIGITS = 38  # of a number that a column can have
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_MOMENT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?)?"
)


@dataclass(frozen=True)
class Mended(OfColumn):
    """A column, whether blanks around its values are removed, the values that become NULL, of its
    own type (also in the given case), and the case of its text."""

    column: Column
    trim: bool = False
    missing: Sequence[object] = ()
    case: str | None = None

    @property
    def digits(self) -> str | None:
        """The type of its decimals, which a server forgets where a value may be NULL instead."""
        kept = self.column.kind == "decimal" and not self.column.unbounded
        return self.column.type if kept else None

    @property
    def made(self) -> Column:
        """The column as it is read."""
        kind = self.column.cast if self.changes and self.column.kind == "text" else None
        return replace(self.column, type=kind or self.column.type)

    @property
    def changes(self) -> bool:
        """Whether any value may change."""
        return bool(self.trim or self.missing or self.case)


def view(engine: Engine, relation: Relation, source: Source, where: str) -> Relation:
    """Return a scratch view of a relation with its values mended, and the relation itself where no
    value can change. ``where`` is the source's field in the policy; see :func:`mended`."""
    columns = mended(engine.columns(relation), source, where)
    if not any(column.changes for column in columns):
        return relation
    made = (f"mended_{len(engine.mended) + 1}",)
    parameters = {"view": made, "select": "engines/mended", "source": relation, "mended": columns}
    engine.run(engine.own["scratch_view"], blanks=engine.blanks, **parameters)
    engine.describe_mended(made, relation, [column.made for column in columns])
    return made


def mended(columns: Sequence[Column], source: Source, where: str) -> list[Mended]:
    """Return how the columns of a source are read; ``where`` is its field in the policy. Raise
    PolicyError if the policy mends a missing column, or in a way that does not suit its type.
    Settings for all columns apply to the columns whose types they suit."""
    by_name = {column.name: column for column in columns}
    source = source.for_columns(list(by_name), where)
    problems = []
    for name, own in source.columns.items():
        column, at = by_name.get(name), f"{where}.columns.{name}"
        if column is None:
            hint = did_you_mean(name, by_name) or f"It has {len(by_name)} columns."
            problems.append(Problem(at, "the source has no such column.", hint))
        else:
            problems += _useless(column, own, at)
    if problems:
        raise PolicyError(problems)
    return [_of(column, source, source.columns.get(column.name)) for column in columns]


def _of(column: Column, source: Source, own: MendedColumn | None) -> Mended:
    own, text = own or MendedColumn(), _is_text(column)
    trim = text and (source.trim if own.trim is None else own.trim)
    return Mended(
        column,
        trim,
        _values(column, [*source.missing_in(own), *([""] if trim else [])]),
        (own.case or source.case) if text else None,
    )


def _useless(column: Column, own: MendedColumn, at: str) -> list[Problem]:
    problems = []
    for field in ("trim", "case"):
        if getattr(own, field) and not _is_text(column):
            text = f"the column is {column.family}, and this setting is for text only."
            problems.append(Problem(f"{at}.{field}", text, "Leave it out."))
    if own.missing and not _values(column, own.missing):
        text = f"the column is {column.family}, so no value can equal one of these."
        problems.append(Problem(f"{at}.missing", text, "Write the values as the column has them."))
    return problems


def _is_text(column: Column) -> bool:
    return column.kind == "text" and column.type != "UUID"


def _values(column: Column, texts: Sequence[str]) -> list[object]:
    if _is_text(column):
        return list(texts)
    parse = _PARSED.get(column.kind)
    values = [parse(text) for text in texts] if parse is not None else []
    return list(dict.fromkeys(value for value in values if value is not None))


def number_of(text: str) -> Decimal | None:
    """Return the number that a text is written as, if a column can have it."""
    if not _NUMBER.fullmatch(text):
        return None
    number = Decimal(text)
    return number if not number or abs(math.floor(number.logb())) < _DIGITS else None


def _whole(text: str) -> int | None:
    number = number_of(text)
    return None if number is None or number != number.to_integral_value() else int(number)


def moment_of(text: str) -> datetime | None:
    """Return the day or the time of a day that a text is in ISO form."""
    try:
        return datetime.fromisoformat(text) if _MOMENT.fullmatch(text) else None
    except ValueError:
        return None


def _day(text: str) -> object:
    moment = moment_of(text)
    return moment.date() if moment is not None and moment.time() == time() else None


_PARSED: Mapping[str, Callable[[str], object]] = {
    "integer": _whole,
    "decimal": number_of,
    "float": number_of,
    "date": _day,
    "timestamp": moment_of,
    "boolean": {"true": True, "false": False}.get,
}
