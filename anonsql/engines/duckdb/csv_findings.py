"""The format of a CSV file, by counts of its values: `anonsql init` writes it into the source of a
policy. Only texts for missing values leave the engine."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from anonsql.engines.base import BLANKS, FoundSource
from anonsql.engines.duckdb import source_files
from anonsql.engines.duckdb.csv_layout import layout
from anonsql.engines.duckdb.csv_line_ends import as_text
from anonsql.engines.duckdb.csv_reader import TOTALS, column_of, open_rows
from anonsql.engines.mending import TOKENS, WORDS
from anonsql.errors import SqlError
from anonsql.policy.source import Source, SourceColumn
from anonsql.policy.yaml_text import quoted
from anonsql.system.numbers import counted

if TYPE_CHECKING:
    from anonsql.engines.duckdb.engine import DuckDBEngine

_DAYS = ("%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y", "%Y/%m/%d")
_TIMES = (" %H:%M", " %H:%M:%S")
FORMATS = (
    *_DAYS,
    *(day + time for day in _DAYS for time in _TIMES),
    *("%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"),
)
"""The formats of dates that are found."""
_SHORT = tuple(day.lower() for day in _DAYS)
"""Formats with two digits of a year, which are named but not chosen: the century is a guess."""
_UNNAMED = re.compile(r"Unnamed: [0-9]+")
"""What pandas calls a column without a name."""
_ODD, _FEWEST = 5, 5  # texts among numbers or dates at most, and distinct numbers or dates for each


_Kind = Literal["number", "comma", "grouped", "date", "text", "nothing"]
_TYPED = ("number", "comma", "grouped", "date")
_MARKS = {"comma": ",", "grouped": "."}


@dataclass(frozen=True)
class _Looks:
    """The looks of a column's values: how many distinct ``values`` are no token, and their kind
    (``grouped``: numbers with commas between thousands); in how many rows ``blanks`` surround the
    value; whether some have a point, and can have no other decimal mark (``pointed``), or whether
    their points or commas may be decimal or separate thousands (``either``); their ``formats`` of
    dates, or those with two digits of a year (``short``); and how many rows have each token."""

    name: str
    kind: _Kind
    values: int
    blanks: int
    pointed: bool
    either: bool
    signs: bool
    formats: Sequence[str]
    short: Sequence[str]
    tokens: Mapping[str, int] = field(default_factory=dict)

    @property
    def missing(self) -> list[str]:
        """The tokens that mean NULL: all among numbers and dates; in text those that cannot be a
        word, and no minus where there is a plus."""
        if self.kind in _TYPED:
            return list(self.tokens)
        kept = {*WORDS, *(("-", "--") if self.signs else ())}
        return [token for token in self.tokens if token not in kept]


def find(engine: DuckDBEngine, source: Source, path: Path) -> FoundSource:
    """Return a source completed by the format that its CSV file shows."""
    copy = engine.context.workspace / "found.utf8.csv"
    with as_text(path, source, copy, "source") as text:
        divided = layout(engine, text, source.delimiter)
        delimiter = divided.delimiter if divided.delimiter != "," else source.delimiter
        source = source.model_copy(update={"skip": divided.skip, "delimiter": delimiter})
        trimmed = source.model_copy(update={"trim": True})
        csv = source_files.csv_columns(path, text, trimmed, "source")
        names = source_files.full_names(csv.names, trimmed)
        columns = [column_of(source, f"c{number}", name) for number, name in enumerate(names)]
        try:
            open_rows(engine, csv, source, columns, view="found_text", header=csv.header)
            engine.run("engines/duckdb/csv_found", table="found_rows", relation="found_text")
        except SqlError as error:
            raise source_files.csv_error(csv, error, "source.file", by_init=True) from None
        looks = [_looks(engine, column.name, column.field) for column in columns]
        engine.run("engines/duckdb/csv_closed", view="found_text")
        engine.drop("found_rows")
    padded = csv.padded or any(look.blanks for look in looks)
    unnamed = [
        name
        for name, own in zip(names, csv.names, strict=True)
        if not own.strip() or _UNNAMED.fullmatch(own)
    ]
    found_source, notes = _settings(
        source.model_copy(update={"trim": padded}), csv.delimiter, looks
    )
    return FoundSource(found_source, notes, unnamed)


def _looks(engine: DuckDBEngine, name: str, field: str) -> _Looks:
    """Return the looks of a column's values; each distinct value is examined once. Where all but a
    few texts are numbers or dates, these texts are tokens, too."""
    engine.run(
        "engines/duckdb/csv_values",
        table="found_values",
        rows="found_rows",
        field=field,
        blanks=BLANKS,
    )
    shared = {"table": "found_values", "tokens": TOKENS}
    texts = engine.query("engines/duckdb/csv_odd", most=_ODD + 1, **shared)
    odd = [text for (text,) in texts if text.lower().rstrip(":") not in TOTALS]
    looks = _of_values(engine, name, (*TOKENS, *odd) if len(odd) <= _ODD else TOKENS)
    if odd and (looks.kind not in _TYPED or looks.values < _FEWEST * len(odd)):
        looks, odd = _of_values(engine, name, TOKENS), []
    shared["tokens"] = (*TOKENS, *odd)
    listed = dict(engine.query("engines/duckdb/csv_tokens_of_values", **shared))
    engine.drop("found_values")
    tokens = {token: listed[token] for token in shared["tokens"] if token in listed}
    return replace(looks, tokens=tokens)


def _of_values(engine: DuckDBEngine, name: str, tokens: Sequence[str]) -> _Looks:
    shared = {"table": "found_values", "tokens": tokens}
    facts = engine.query("engines/duckdb/csv_looks", **shared)[0]
    rest, blanks, points, commas, groups, dates, dated, signs, dots, threes = facts
    kind: _Kind = "text"
    formats, short = list[str](), list[str]()
    if not rest:
        kind = "nothing"
    elif points == rest:
        kind = "number"
    elif commas == rest:
        kind = "comma"
    elif groups == rest:
        kind = "grouped"
    elif dates == rest:
        kind = "date"
    elif dated == rest:
        counts = engine.query("engines/duckdb/csv_formats", formats=(*FORMATS, *_SHORT), **shared)[
            0
        ]
        fits = [
            text for text, count in zip((*FORMATS, *_SHORT), counts, strict=True) if count == rest
        ]
        formats, short = ([text for text in fits if text in some] for some in (FORMATS, _SHORT))
        kind = "date" if formats else "text"
    return _Looks(
        name=name,
        kind=kind,
        values=rest,
        blanks=blanks,
        pointed=points == rest > commas,
        either=0 < dots == threes if kind == "number" else kind == "comma" and groups == rest,
        signs=signs > 0,
        formats=formats,
        short=short,
    )


def _of_short_years(name: str, formats: Sequence[str]) -> str:
    ways = " or ".join(_option(name, f"dates: {quoted(text)}") for text in formats)
    return (
        "all its values are dates whose year has two digits, and are read as text. If 69 to 99"
        f" mean 1969 to 1999, and 00 to 68 mean 2000 to 2068, write {ways}; otherwise write the"
        " years in full"
    )


def _of_marks(name: str, signs: str, decimal: bool) -> str:
    """Return the note on points or commas that are read as ``decimal``, or else as separators of
    thousands, and may be the other."""
    mark, other = ".," if signs == "points" else ",."
    if decimal:
        way = _option(name, f'decimal: "{other}"')
        return f"its {signs} are read as decimal marks: if they separate thousands, write {way}"
    way = _option(name, f'decimal: "{mark}"')
    return (
        f"its {signs} are read as separators of thousands: if they are decimal marks, write {way}"
    )


def _option(name: str, setting: str) -> str:
    return f"`source: {{…, columns: {{{quoted(name)}: {{{setting}}}}}}}`"


def _settings(
    source: Source, delimiter: str, looks: Sequence[_Looks]
) -> tuple[Source, dict[str, list[str]]]:
    """Return a source with decimal mark, dates and missing values, and the notes on single
    columns."""
    notes = {look.name: [_of_short_years(look.name, look.short)] for look in looks if look.short}
    source, own, doubts = _decimals(source, delimiter, looks)
    for name, text in doubts.items():
        notes.setdefault(name, []).append(text)
    dates, doubts = _formats(source, delimiter, looks)
    for name, text in doubts.items():
        notes.setdefault(name, []).append(text)
    if dates:
        usual = Counter(dates.values()).most_common(1)[0][0]
        source = source.model_copy(update={"dates": usual})
        for name, text in dates.items():
            if text != usual:
                own.setdefault(name, {})["dates"] = text
    shared = [token for token in TOKENS if any(token in look.missing for look in looks)]
    everywhere = all(
        token in look.missing for look in looks for token in look.tokens if token in shared
    )
    if shared and everywhere:
        source = source.model_copy(update={"missing": shared})
    for look in looks:
        if look.missing:
            rows = sum(look.tokens[token] for token in look.missing)
            of = f"of {source_files.listed(look.missing)}"
            text = f"{counted(rows, f'row {of} is', f'rows {of} are')} read as NULL"
            notes.setdefault(look.name, []).append(text)
            if not everywhere or not set(look.missing) <= set(shared):
                own.setdefault(look.name, {})["missing"] = look.missing
    settled = {
        **source.columns,
        **{name: SourceColumn.model_validate(settings) for name, settings in own.items()},
    }
    return source.model_copy(update={"columns": settled}), notes


def _decimals(
    source: Source, delimiter: str, looks: Sequence[_Looks]
) -> tuple[Source, dict[str, dict[str, object]], dict[str, str]]:
    """Return a source with its decimal mark, the columns that have another one, and notes on
    columns whose mark is in doubt."""
    own: dict[str, dict[str, object]] = {
        look.name: {"decimal": "."} for look in looks if look.kind == "grouped"
    }
    commas = [look for look in looks if look.kind == "comma"]
    if delimiter == ",":
        own |= {look.name: {"decimal": ","} for look in commas if not look.either}
    elif any(look.pointed for look in looks):
        own |= {look.name: {"decimal": ","} for look in commas}
    elif commas:
        source = source.model_copy(update={"decimal": ","})
    comma, doubts = source.decimal == ",", dict[str, str]()
    for look in (look for look in looks if look.either):
        if delimiter != ",":
            signs = "points" if look.kind == "number" else "commas"
            doubts[look.name] = _of_marks(look.name, signs, signs == "commas" or not comma)
        elif look.kind == "comma":
            decimal, between = (_option(look.name, f'decimal: "{mark}"') for mark in ",.")
            doubts[look.name] = (
                "numbers with commas are read as text: if these are decimal commas, write"
                f" {decimal}; if they separate thousands, write {between}"
            )
    return source, own, doubts


def _formats(
    source: Source, delimiter: str, looks: Sequence[_Looks]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the format of each column of dates that are not in ISO form, and notes on columns with
    two possible formats: the other columns show whether days or months come first, or else the
    other marks of the file."""
    dated = [look for look in looks if look.formats]
    sure = [look.formats[0] for look in dated if len(look.formats) == 1]
    months = sum(text.startswith("%m") for text in sure)
    days = sum(text.startswith("%d") for text in sure if "/" in text or "-" in text)
    american = months > days if months != days else delimiter == "," and source.decimal != ","
    chosen, doubts = {}, {}
    for look in dated:
        first = next(
            (
                text
                for text in look.formats
                if text.startswith("%m") == (american and ("/" in text or months > days))
            ),
            look.formats[0],
        )
        chosen[look.name] = first
        if others := [text for text in look.formats if text != first]:
            doubts[look.name] = (
                f"all its dates are also dates by {others[0]}: if that is right, write"
                f" {_option(look.name, f'dates: {quoted(others[0])}')}"
            )
    return chosen, doubts
