"""How a CSV file is written, by counts of its values: what `anonsql init` writes into the source of
a policy. No value leaves the engine but texts that mean that a value is missing."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from anonsql.engines.base import BLANKS, FoundSource
from anonsql.engines.duckdb import source_files
from anonsql.engines.duckdb.csv_layout import layout
from anonsql.engines.duckdb.csv_reader import column_of, open_rows
from anonsql.engines.duckdb.encodings import as_utf8
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
_UNNAMED = re.compile(r"Unnamed: [0-9]+")
"""What pandas calls a column without a name."""


@dataclass(frozen=True)
class _Looks:
    """What the values of a column look like: how many ``rows`` have a value, and in how many blanks
    stand around it; how many rows have each token; what the others are; whether some have a point, and
    can have no other decimal mark (``pointed``), or whether all points may stand between thousands
    (``grouped``)."""

    name: str
    field: str
    blanks: int
    tokens: Mapping[str, int]
    kind: Literal["number", "comma", "date", "text", "nothing"]
    pointed: bool
    grouped: bool
    signs: bool
    formats: Sequence[str]

    @property
    def missing(self) -> list[str]:
        """The tokens that mean NULL: all among numbers and dates; in text those that cannot be a
        word, and no minus where there is a plus."""
        if self.kind in ("number", "comma", "date"):
            return list(self.tokens)
        kept = {*WORDS, *(("-", "--") if self.signs else ())}
        return [token for token in self.tokens if token not in kept]


def find(engine: DuckDBEngine, source: Source, path: Path) -> FoundSource:
    """Return a source with all that its CSV file tells of how it is written."""
    copy = engine.context.workspace / "found.utf8.csv"
    with as_utf8(path, source.encoding, copy, "source.encoding") as text:
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
            raise source_files.csv_error(csv, error, "source.file") from None
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
    """Return what the values of a column look like; each distinct value is looked at once."""
    engine.run(
        "engines/duckdb/csv_values",
        table="found_values",
        rows="found_rows",
        field=field,
        blanks=BLANKS,
    )
    shared = {"table": "found_values", "tokens": TOKENS}
    facts = engine.query("engines/duckdb/csv_looks", **shared)[0]
    rest, blanks, some, points, commas, dates, dated, signs, dots, groups = facts
    listed = engine.query("engines/duckdb/csv_tokens_of_values", **shared) if some else []
    formats: list[str] = []
    kind: Literal["number", "comma", "date", "text", "nothing"] = "text"
    if not rest:
        kind = "nothing"
    elif points == rest:
        kind = "number"
    elif commas == rest:
        kind = "comma"
    elif dates == rest:
        kind = "date"
    elif dated == rest:
        counts = engine.query("engines/duckdb/csv_formats", formats=FORMATS, **shared)[0]
        formats = [text for text, count in zip(FORMATS, counts, strict=True) if count == rest]
        kind = "date" if formats else "text"
    engine.drop("found_values")
    pointed, grouped = points == rest > commas, kind == "number" and 0 < dots == groups
    tokens = dict(sorted(listed, key=lambda one: TOKENS.index(one[0])))
    return _Looks(name, field, blanks, tokens, kind, pointed, grouped, signs > 0, formats)


def _of_points(name: str, comma: bool) -> str:
    """Return what is to be said of points in numbers that may stand between thousands."""
    if comma:
        way = _option(name, 'decimal: "."')
        return f"its points are taken to stand between thousands: if they are decimal, say {way}"
    way = _option(name, 'decimal: ","')
    return f"its points are taken to be decimal: if they stand between thousands, say {way}"


def _option(name: str, setting: str) -> str:
    """Return the line of a policy that says how a column is read."""
    return f"`source: {{…, columns: {{{quoted(name)}: {{{setting}}}}}}}`"


def _settings(
    source: Source, delimiter: str, looks: Sequence[_Looks]
) -> tuple[Source, dict[str, list[str]]]:
    """Return a source with decimal mark, dates and missing values, and what is to be said of single
    columns."""
    notes: dict[str, list[str]] = {}
    source, own, doubts = _decimals(source, delimiter, looks)
    for name, text in doubts.items():
        notes.setdefault(name, []).append(text)
    unreadable = {look.name for look in looks if look.kind == "comma" and delimiter == ","}
    dates, doubts = _formats(source, delimiter, looks)
    for name, text in doubts.items():
        notes.setdefault(name, []).append(text)
    if dates:
        usual = Counter(dates.values()).most_common(1)[0][0]
        source = source.model_copy(update={"dates": usual})
        for name, text in dates.items():
            if text != usual:
                own.setdefault(name, {})["dates"] = text
    known = [look for look in looks if look.name not in unreadable]
    union = {token for look in known for token in look.missing}
    listed = [token for token in TOKENS if token in union]
    everywhere = all(
        token in look.missing for look in looks for token in look.tokens if token in union
    )
    if listed and everywhere:
        source = source.model_copy(update={"missing": listed})
    for look in known:
        if look.missing:
            rows = sum(look.tokens[token] for token in look.missing)
            of = f"of {source_files.listed(look.missing)}"
            text = f"{counted(rows, f'row {of} is', f'rows {of} are')} read as NULL"
            notes.setdefault(look.name, []).append(text)
            if not everywhere:
                own.setdefault(look.name, {})["missing"] = look.missing
    settled = {
        **source.columns,
        **{name: SourceColumn.model_validate(settings) for name, settings in own.items()},
    }
    return source.model_copy(update={"columns": settled}), notes


def _decimals(
    source: Source, delimiter: str, looks: Sequence[_Looks]
) -> tuple[Source, dict[str, dict[str, object]], dict[str, str]]:
    """Return a source with its decimal mark, the columns that have another one, and what to say of
    those whose mark is in doubt."""
    commas = [look.name for look in looks if look.kind == "comma"]
    if delimiter == ",":
        text = "numbers with commas: if these are decimal commas, say"
        ways = {name: _option(name, 'decimal: ","') for name in commas}
        return source, {}, {n: f"{text} {w}; else convert it in a view" for n, w in ways.items()}
    own: dict[str, dict[str, object]] = {}
    if any(look.pointed for look in looks):
        own = {name: {"decimal": ","} for name in commas}
    elif commas:
        source = source.model_copy(update={"decimal": ","})
    comma = source.decimal == ","
    return source, own, {look.name: _of_points(look.name, comma) for look in looks if look.grouped}


def _formats(
    source: Source, delimiter: str, looks: Sequence[_Looks]
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the format of each column of dates that are not in ISO form, and what to say of those
    that may have two: the other columns tell whether days or months come first, or else the other
    marks of the file."""
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
                f"all its dates are dates by {others[0]}, too: if that is right, say"
                f" {_option(look.name, f'dates: {quoted(others[0])}')}"
            )
    return chosen, doubts
