"""Numbers and days that stand apart from all others of a column, such as an age of 99 or a birth on
1900-01-01: they often mean that no value is known, and would stretch widths and levels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from anonsql.engines.base import Column, Engine, Relation
from anonsql.policy.yaml_text import quoted
from anonsql.system.numbers import counted

_NUMBERS = (*(-9999, -999, -99, -9, -1, 99, 999), *(1900, 9999, 99999, 999999, 9999999))
_DAYS = (
    *("0001-01-01", "1111-11-11", "1753-01-01", "1800-01-01", "1899-12-30", "1899-12-31"),
    *("1900-01-01", "1901-01-01", "1970-01-01", "2099-12-31", "9999-01-01", "9999-12-31"),
)
_START = date(1970, 1, 1)
_GAP = 10  # the part of the range of all others by which a value stands apart


@dataclass(frozen=True)
class Apart:
    """The ``rows`` that have each value that stands apart, and the ``range`` of all others; numbers
    count ``days`` since 1970, or not."""

    rows: Mapping[int, int]
    range: float
    days: bool

    def note(self, column: str, noted: Sequence[str]) -> str:
        """Return what stands apart; where the column's notes do not say so, also what to do."""
        shown = {self._shown(value): count for value, count in self.rows.items()}
        listed = ", ".join(f"{value} ({counted(n, 'row')})" for value, n in shown.items())
        text = f"left out of widths and levels, as {'they stand' if len(shown) > 1 else 'it stands'} apart: {listed}"
        if any("stand apart" in note for note in noted):
            return text
        line = f"`source: {{…, columns: {{{quoted(column)}: {{missing: [{', '.join(shown)}]}}}}}}`"
        return f"{text}; if no value is known there, say {line}"

    def _shown(self, value: int) -> str:
        return str(_START + timedelta(value) if self.days else value)


def find(engine: Engine, relation: Relation, columns: Sequence[Column]) -> dict[str, Apart]:
    """Return what stands apart in columns of numbers or of dates, by column."""
    numbers = [column for column in columns if column.kind in ("integer", "decimal", "float")]
    dates = [column for column in columns if column.kind in ("date", "timestamp")]
    days = [(date.fromisoformat(text) - _START).days for text in _DAYS]
    return {
        **_among(engine, relation, numbers, _NUMBERS, days=False),
        **_among(engine, relation, dates, days, days=True),
    }


def _among(
    engine: Engine,
    relation: Relation,
    columns: Sequence[Column],
    candidates: Sequence[int],
    *,
    days: bool,
) -> dict[str, Apart]:
    if not columns:
        return {}
    asked = {"relation": relation, "columns": columns, "days": days, "candidates": candidates}
    found = {}
    for column, row in zip(columns, engine.query("risks/kept/apart", **asked), strict=True):
        _, least, most, *counts = row
        if least is None or least == most:
            continue
        rows = {
            value: int(count)
            for value, count in zip(candidates, counts, strict=True)
            if count > 1 and _stands_apart(value, float(least), float(most), days=days)
        }
        if rows:
            found[column.name] = Apart(rows, float(most) - float(least), days)
    return found


def _stands_apart(value: int, least: float, most: float, *, days: bool) -> bool:
    if value == 1900 and not days and most > 2100:
        return False  # no year
    gap = (most - least) / _GAP
    return value > most + gap or value < least - gap or (not days and value < 0 <= least)
