"""Values that would form classes of their own: one value in several spellings, outlying numbers and
days, and texts, which often mean that no value is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

from anonsql.engines.base import Column, Engine, Relation
from anonsql.engines.mending import TOKENS, WORDS
from anonsql.errors import Problem
from anonsql.hierarchies.dimensions import Attribute
from anonsql.policy.hierarchy import AgesHierarchy
from anonsql.policy.yaml_text import quoted
from anonsql.system.numbers import counted

_NUMBERS = (*(-1, -9, -99, -999, -9999), *(99, 999, 1900, 9999, 99999, 999999, 9999999))
"""Numbers that often mean no value, and"""
_DAYS = (
    *("0001-01-01", "1111-11-11", "1753-01-01", "1800-01-01", "1899-12-30", "1899-12-31"),
    *("1900-01-01", "1901-01-01", "1970-01-01", "2099-12-31", "9999-01-01", "9999-12-31"),
)
"""such days."""
_SPELLINGS, _SPELLED = 2_000, 200  # at most of values that are spelled in several ways
_YEAR, _LAST_YEAR = 1900, 2100  # where others are greater, 1900 is no year
YOUNGEST, OLDEST = 0, 120
"""The least and the greatest age."""
_WHY = {
    "spellings": "each spelling counts as a value of its own",
    "apart": "they widen the groups of other values, or are suppressed",
    "tokens": "a text for a missing value counts like any other value",
    "ages": "the hierarchy treats them as ages",
}
"""Why it matters, by the kind of mess."""
_UNKNOWN = "if they mean that the value is unknown"


@dataclass(frozen=True)
class Apart:
    """The outlying ``values`` of a column, by their texts (days are counted from 1970 on), and the
    ``range`` of the others."""

    values: Mapping[str, int]
    range: float


@dataclass(frozen=True)
class Mess:
    """What was ``found`` in a column, and the ``setting`` of the source's column that corrects it,
    where there is one: at once, or if the values mean that none is known (``unknown``). ``apart``
    are the outlying values, if any."""

    kind: Literal["spellings", "apart", "tokens", "ages"]
    found: str
    setting: str
    unknown: bool = True
    apart: Apart | None = None

    def way(self, name: str) -> str:
        """Return what to write, by the column's ``name`` in `source.columns`."""
        line = f"write `source: {{…, columns: {{{quoted(name)}: {{{self.setting}}}}}}}`"
        return f"{_UNKNOWN}, {line}" if self.unknown else line

    def note(self, name: str) -> str:
        """Return the one line about a column, by its ``name`` in `source.columns`."""
        return f"{self.found}: {self.way(name)}"


def look(
    engine: Engine,
    relation: Relation,
    columns: Sequence[Column],
    *,
    weight: str | None = None,
    ages: Sequence[str] = (),
) -> dict[str, list[Mess]]:
    """Return what was found in columns of a relation, by name, in one statement for each kind of
    columns. ``weight`` is a column that counts rows; ``ages`` are columns of ages."""
    found: dict[str, list[Mess]] = {}
    texts = [column for column in columns if column.kind == "text" and column.type != "UUID"]
    if texts:
        rows = engine.query(
            "risks/mess/texts",
            relation=relation,
            weight=weight,
            columns=texts,
            blanks=engine.blanks,
            tokens=TOKENS,
        )
        for position, *counts in rows:
            found[texts[position - 1].name] = _in_text(list(map(int, counts)))
    for kinds, candidates in (
        (("integer", "decimal", "float"), {str(number): number for number in _NUMBERS}),
        (("date", "timestamp"), {day: _number(day) for day in _DAYS}),
    ):
        some = [column for column in columns if column.kind in kinds]
        if not some:
            continue
        rows = engine.query(
            "risks/mess/apart",
            relation=relation,
            weight=weight,
            columns=some,
            candidates=list(candidates.values()),
            least=YOUNGEST,
            most=OLDEST,
        )
        for position, least, most, below, above, *counts in rows:
            column = some[position - 1]
            by_value = dict(zip(candidates.items(), map(int, counts), strict=True))
            if column.name in ages:
                found[column.name] = _beyond(int(below), int(above), by_value)
            else:
                found[column.name] = _apart(least, most, by_value, signed="integer" in kinds)
    return {name: messes for name, messes in found.items() if messes}


def warnings(engine: Engine, attributes: Sequence[Attribute], table: str = "") -> list[Problem]:
    """Return warnings of such values in quasi-identifying columns, by the ``combinations`` that
    were counted; ``table`` is the table's name in a policy of several, with a dot at its end.
    Values that a hierarchy lists, or whose spellings it knows, are meant to be there."""
    by_field = {f"q{a.index}": a for a in attributes if not a.leaves and not a.merges}
    columns = [replace(a.column, name=field) for field, a in by_field.items()]
    ages = [field for field, a in by_field.items() if isinstance(a.policy.hierarchy, AgesHierarchy)]
    found = look(engine, ("combinations",), columns, weight="n", ages=ages)
    problems, said = [], {doubt.where for doubt in engine.doubts}
    for field, messes in found.items():
        name = by_field[field].name
        for one in messes:
            if one.kind == "tokens" and f"source.columns.{name}.missing" in said:
                continue  # a file's reader says it
            way = one.way(f"{table}{name}")
            text = f"{one.found}: {_WHY[one.kind]}."
            problems.append(Problem(f"columns.{name}", text, f"{way[0].upper()}{way[1:]}."))
    return problems


def _number(day: str) -> int:
    return (date.fromisoformat(day) - date(1970, 1, 1)).days


def _in_text(counts: Sequence[int]) -> list[Mess]:
    spellings, trimmed, lowered, spelled, total, uppers, signs, *tokens = counts
    messes = []
    if spelled < spellings <= _SPELLINGS and spelled <= _SPELLED:
        ways = {"case": spelled < trimmed, "blanks": spelled < lowered}
        text = f"{spellings} spellings of {counted(spelled, 'value')}"
        settings = ["trim: true"] * ways["blanks"]
        settings += [f"case: {'upper' if uppers * 2 > total else 'lower'}"] * ways["case"]
        named = ", ".join(name for name, counts in ways.items() if counts)
        messes.append(Mess("spellings", f"{text} ({named})", ", ".join(settings), unknown=False))
    kept = {*WORDS, *(("-", "--") if signs else ())}
    rows = {
        token: count
        for token, count in zip(TOKENS, tokens, strict=True)
        if count and token not in kept
    }
    if rows:
        listed = ", ".join(map(quoted, rows))
        one = f"{counted(sum(rows.values()), 'row')} of {listed}"
        messes.append(Mess("tokens", one, f"missing: [{listed}]"))
    return messes


def _apart(
    least: float | None, most: float | None, counts: Mapping[tuple[str, int], int], *, signed: bool
) -> list[Mess]:
    """Return the values that are beyond all others by a tenth of their range, or (of ``signed``
    numbers) below zero where no other does, in two rows or more."""
    if least is None or most is None:
        return []
    margin = (float(most) - float(least)) / 10
    found, values = {}, {}
    for (text, value), count in counts.items():
        beyond = value > most + margin or value < least - margin or (signed and value < 0 <= least)
        amount = signed and value == _YEAR and most > _LAST_YEAR
        if count > 1 and beyond and not amount:
            found[text], values[text] = count, value
    if not found:
        return []
    words = f"{_values(found)} are far from the others"
    apart = Apart(values, float(most) - float(least))
    return [Mess("apart", words, f"missing: [{', '.join(found)}]", apart=apart)]


def _beyond(below: int, above: int, counts: Mapping[tuple[str, int], int]) -> list[Mess]:
    if not below + above:
        return []
    found = {
        text: count
        for (text, value), count in counts.items()
        if count and not YOUNGEST <= value <= OLDEST
    }
    words = f"{counted(below + above, 'value')} below {YOUNGEST} or above {OLDEST}"
    words += f" ({_values(found)})" if found else ""
    return [Mess("ages", words, f"missing: [{', '.join(found) or '…'}]")]


def _values(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{counted(count, 'value')} of {text}" for text, count in counts.items())
