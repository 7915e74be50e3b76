"""Read a CSV file into scratch as the policy says, giving each column the type that all its values
have.

The first rows determine the likely types; then the file is read once, and every value is cast to
the type of its column. If one is of another type, the file is read again to find the type that all
have. The first line enters no statement as names before it is known to be a header.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from anonsql.engines.base import BLANKS, Column
from anonsql.engines.duckdb import source_files
from anonsql.engines.duckdb.csv_layout import layout
from anonsql.engines.duckdb.csv_line_ends import as_text
from anonsql.engines.mending import TOKENS, moment_of, number_of
from anonsql.errors import PolicyError, Problem, SqlError, did_you_mean
from anonsql.policy.source import Source, SourceColumn
from anonsql.system.numbers import counted

if TYPE_CHECKING:
    from anonsql.engines.duckdb.engine import DuckDBEngine

TYPES = ("BIGINT", "DECIMAL", "DOUBLE", "BOOLEAN", "DATE", "TIMESTAMP")
"""The types that are tried, in this order."""
_FACTS = len(TYPES) + 11
_SAMPLE = 1_024  # rows whose types are taken for those of the file until one is of another
_LOOKED_AT = 100_000  # values in these rows, if a file has many columns
TOTALS = (
    *("total", "totals", "grand total", "sum", "gesamt", "summe", "insgesamt", "gesamtsumme"),
    *("total general", "totaal", "totale", "subtotal", "sub-total", "zwischensumme"),
)
_FEWEST = 4  # rows that a file with a total has at least
_SUMS = 40  # columns at most whose sums are compared
_LABELS = 3  # columns of text, the first ones, that may name a total
_LAST = 3  # rows at the end that may be totals


@dataclass(frozen=True)
class CsvColumn:
    """How a column of a CSV file is read: the ``field`` that it is in statements, its ``type`` in
    DuckDB's spelling (None: not known, or without any value) and whether the policy gives that, the
    ``texts``, ``numbers`` and ``days`` that mean NULL, the decimal ``mark`` where the policy gives
    it, and the ``format`` of dates."""

    field: str
    name: str
    type: str | None
    given: bool
    trim: bool
    texts: Sequence[str]
    numbers: Sequence[float]
    days: Sequence[datetime]
    case: str | None
    mark: Literal[".", ","] | None
    format: str | None

    blanks = BLANKS

    @property
    def missing(self) -> bool:
        """Whether some of its values mean NULL."""
        return bool(self.texts)

    @property
    def read_as(self) -> str | None:
        """The type in which its values are read: decimals of at most 18 digits cost half."""
        few = None if self.given else re.fullmatch(r"DECIMAL\(24,([0-3])\)", self.type or "")
        return f"DECIMAL(18,{few[1]})" if few else self.type

    @property
    def kind(self) -> str:
        """The family of its type."""
        return Column(self.name, self.type or "VARCHAR").kind


@dataclass(frozen=True)
class Facts:
    """How many values of a column are none of each of TYPES, and no dates of its format; how many
    there are; their digits after the decimal mark; and how many end in zeros that the number does
    not need, have blanks around them, are a token, would be a number or a date without
    these, are numbers with a decimal comma (``commas``), or may be ``days`` of another format."""

    misfits: Sequence[int]
    undated: int
    values: int
    least: int
    most: int
    zeros: int
    blanks: int
    tokens: int
    numbers: int
    dates: int
    commas: int
    days: int

    def typed(self, column: CsvColumn) -> CsvColumn:
        """Return a column with the type that all its values have: its format of dates, where it
        has one and all have that."""
        if self.values and column.format and not self.undated:
            return replace(column, type=of_format(column.format))
        return replace(column, type=self._plain_type() if self.values else None, format=None)

    def _plain_type(self) -> str:
        """Return the first type in which every value keeps its text, and text where there is none.
        Decimals must all have the same number of digits after the decimal mark."""
        fits = [kind for kind, count in zip(TYPES, self.misfits, strict=True) if not count]
        kind = next((fit for fit in fits if fit != "DECIMAL" or self.least == self.most), "VARCHAR")
        return f"DECIMAL(24,{self.most})" if kind == "DECIMAL" else kind

    @property
    def kept_from(self) -> str:
        """The type that the values would have without blanks and tokens; empty if they would still
        be text."""
        rest = self.values - self.tokens
        if not rest or not (self.blanks or self.tokens):
            return ""
        return "numbers" if self.numbers == rest else "dates" if self.dates == rest else ""

    @property
    def otherwise(self) -> tuple[str, str, str]:
        """A difference between the values and the policy's settings, if any: the option, the
        finding, and the correct setting."""
        rest = self.values - self.tokens
        if rest and self.commas == rest > self.numbers:
            return "decimal", "numbers with decimal commas", 'Write `decimal: ","` in `{}`.'
        if rest and self.days == rest > self.dates:
            way = (
                'Write in `{}` how dates are written, e.g. `dates: "%d.%m.%Y"`: `anonsql init`'
                " finds the format."
            )
            return "dates", "dates in another form than ISO", way
        return "", "", ""


def of_format(dates: str) -> str:
    """Return the type of values in a format of dates."""
    return "TIMESTAMP" if any(f"%{part}" in dates for part in ("H", "-H", "I", "-I")) else "DATE"


def take_in(engine: DuckDBEngine, source: Source, path: Path, name: str, where: str) -> None:
    """Read a CSV file into scratch, once, as the view ``<name>_rows``; ``where`` is the policy's
    field that is the source."""
    copy = engine.context.workspace / f"{name}.utf8.csv"
    with as_text(path, source, copy, where) as text:
        csv = source_files.csv_columns(path, text, source, where)
        if len(csv.first) == 1:
            require_no_titles(engine, csv, source, where)
        _Reading(engine, source, csv, name, where).read()


def require_no_titles(
    engine: DuckDBEngine, csv: source_files.CsvColumns, source: Source, where: str
) -> None:
    """Raise PolicyError if a file has titles above its header and the policy does not mention
    them."""
    found = layout(engine, csv.text, source.delimiter)
    if found.skip > source.skip:
        above = counted(found.skip, "line")
        text = f"{above} of {csv.path} seem to be above its header."
        remedy = f"Say `{where}: {{…, skip: {found.skip}}}`."
        raise PolicyError.at(f"{where}.file", text, remedy)


def open_rows(
    engine: DuckDBEngine,
    csv: source_files.CsvColumns,
    source: Source,
    columns: Sequence[CsvColumn],
    *,
    view: str,
    header: bool,
) -> None:
    """Make a view of the rows of a CSV file as text; ``header``: without its first line."""
    engine.run(
        "engines/duckdb/csv_rows",
        view=view,
        path=str(csv.text),
        delimiter=csv.delimiter,
        skip=source.skip,
        header=header,
        columns=columns,
    )


class _Reading:
    """One CSV file on its way into scratch."""

    def __init__(
        self,
        engine: DuckDBEngine,
        source: Source,
        csv: source_files.CsvColumns,
        name: str,
        where: str,
    ) -> None:
        names = source_files.full_names(csv.names, source)
        source = source.for_columns(names, where)
        self._engine, self._source, self._csv, self._where = engine, source, csv, where
        self._view, self._table, self._sample = f"{name}_text", f"{name}_table", f"{name}_sample"
        self._rows, self._file, self._read = f"{name}_rows", f"{where}.file", 0
        self._columns = [column_of(source, f"c{number}", name) for number, name in enumerate(names)]

    def read(self) -> None:
        """Read the file, and record notes for its owner."""
        engine, source = self._engine, self._source
        facts = self._look()
        table = self._typed(self._with_types(facts))
        if source.header is None:
            texts = [c for c in table if c.type == "VARCHAR"]
            self._require_header(texts)
            engine.doubts += self._doubts_of_header(self._table, table)
        named = self._named(table)
        try:
            source_files.require_names([column.name for column in named], self._file)
        except PolicyError:
            require_no_titles(engine, self._csv, source, self._where)
            raise
        self._require_known([column.name for column in named])
        engine.doubts += [*self._doubts_of_types(named, facts), *self._totals(named)]
        engine.run("engines/duckdb/csv_named", view=self._rows, table=self._table, columns=named)
        engine.drop(self._sample)
        engine.run("engines/duckdb/csv_closed", view=self._view)

    def _look(self) -> dict[str, Facts]:
        """Look at the first rows: return the facts of the columns, by field. A list of names stands
        in place of the file's first line where this is a header."""
        self._open(header=self._csv.header)
        if isinstance(self._source.header, list):
            columns = self._with_types(self._facts(self._sample, self._columns))
            if self._looks_like_names(columns):
                text = (
                    f"the first line of {self._csv.path} looks like names, but the list replaces"
                    " them."
                )
                remedy = (
                    "If the line is data, write `header: false`: columns are then column1,"
                    " column2 …"
                )
                self._engine.doubts.append(Problem(f"{self._where}.header", text, remedy))
            else:
                self._open(header=False)
        return self._facts(self._sample, self._columns)

    def _open(self, *, header: bool) -> None:
        """Make the file's rows readable as text, and keep the first ones; ``header``: without its
        first line."""
        try:
            open_rows(
                self._engine, self._csv, self._source, self._columns, view=self._view, header=header
            )
            self._engine.run(
                "engines/duckdb/csv_sample",
                table=self._sample,
                relation=self._view,
                most=max(_SAMPLE // 8, min(_SAMPLE, _LOOKED_AT // len(self._columns))),
            )
        except SqlError as error:
            raise self._unreadable(error) from None

    def _unreadable(self, error: SqlError) -> Exception:
        self._engine.require_unchanged()  # a changed file is the likelier cause
        require_no_titles(self._engine, self._csv, self._source, self._where)
        return source_files.csv_error(self._csv, error, self._file)

    def _facts(self, relation: str, columns: Sequence[CsvColumn]) -> dict[str, Facts]:
        """Return the facts of the columns whose types the policy does not give, by field."""
        ways: dict[tuple[str | None, str | None], list[str]] = {}
        for column in columns:
            if not column.given:
                ways.setdefault((column.mark, column.format), []).append(column.field)
        width, result = len(TYPES), {}
        for (mark, dates), fields in ways.items():
            rows = self._engine.query(
                "engines/duckdb/csv_facts",
                relation=relation,
                fields=fields,
                mark=mark,
                format=dates,
                types=TYPES,
                tokens=TOKENS,
                blanks=BLANKS,
            )
            counts = {field: values for field, *values in rows}
            for field in fields:
                values = counts.get(field, [0] * _FACTS)
                result[field] = Facts(values[:width], *values[width:])
        return result

    def _with_types(self, facts: dict[str, Facts]) -> list[CsvColumn]:
        return [
            facts[column.field].typed(column) if column.field in facts else column
            for column in self._columns
        ]

    def _typed(self, columns: Sequence[CsvColumn]) -> Sequence[CsvColumn]:
        """Read the file once into the table; return its columns with the types that all values
        have. Raise PolicyError where a value is not of the type that the policy gives."""
        if self._misfits(columns):
            self._require_given()
            settled = {column.field for column in columns if column.type == "VARCHAR"}
            doubtful = [column for column in self._columns if column.field not in settled]
            whole = self._facts(self._view, doubtful)
            columns = [
                whole[before.field].typed(before) if before.field in whole else column
                for before, column in zip(self._columns, columns, strict=True)
            ]
            self._misfits(columns)
        return columns

    def _misfits(self, columns: Sequence[CsvColumn]) -> int:
        """Read the file into the table; return how many rows have a value of another type."""
        self._engine.drop(self._table)
        try:
            self._engine.run(
                "engines/duckdb/csv_typed", table=self._table, relation=self._view, columns=columns
            )
        except SqlError as error:
            raise self._unreadable(error) from None
        [(self._read, count)] = self._engine.query("engines/duckdb/csv_left", table=self._table)
        return int(count)

    def _require_given(self) -> None:
        given = [column for column in self._columns if column.given]
        if not given:
            return
        counts = self._engine.query(
            "engines/duckdb/csv_uncast", relation=self._view, columns=given, tokens=TOKENS
        )[0]
        problems = [
            self._uncast(column, *counts[start : start + 2])
            for column, start in zip(given, range(0, len(counts), 2), strict=True)
            if counts[start]
        ]
        if problems:
            raise PolicyError(problems)

    def _uncast(self, column: CsvColumn, count: int, tokens: int) -> Problem:
        """Return the problem of a column with values that are none of the type that the policy
        gives."""
        settings = self._source.columns[column.name]
        field = "type" if settings.dates is None else "dates"
        kind = f"as {settings.type}" if settings.dates is None else f"as dates by {settings.dates}"
        text = f"{counted(count, 'row')} of the file cannot be read {kind}."
        if tokens == count:
            listed = self._listed(self._view, column)
            text = f"{text[:-1]}: {listed}."
            remedy = f"If they mean that the value is unknown, write `missing: [{listed}]` there."
        elif field == "dates":
            remedy = "Give the format that all values have, or write `type: text`."
        else:
            remedy = "Name a type that all values have, or correct these values."
        return Problem(f"{self._where}.columns.{column.name}.{field}", text, remedy)

    def _listed(self, relation: str, column: CsvColumn) -> str:
        parameters = {"field": column.field, "tokens": TOKENS, "blanks": BLANKS}
        found = self._engine.query("engines/duckdb/csv_tokens", relation=relation, **parameters)
        return source_files.listed(sorted((token for token, _ in found), key=TOKENS.index))

    def _require_header(self, texts: Sequence[CsvColumn]) -> None:
        source_files.require_header(self._csv, self._seen(self._table, texts), self._file)

    def _seen(self, relation: str, texts: Sequence[CsvColumn]) -> Sequence[int]:
        """Return how often each field of the first line occurs among the column's values; numbers
        and dates count as values themselves."""
        positions = [int(column.field[1:]) for column in texts]
        counts = [0] * len(self._csv.first)
        if positions:
            found = self._engine.query(
                "engines/duckdb/csv_seen",
                [self._csv.first[position] for position in positions],
                table=relation,
                names=[column.field for column in texts],
            )[0]
            for position, count in zip(positions, found, strict=True):
                counts[position] = count
        return counts

    def _looks_like_names(self, columns: Sequence[CsvColumn]) -> bool:
        texts = [column for column in columns if column.type == "VARCHAR"]
        seen = self._seen(self._sample, texts)
        return not source_files.looks_like_row(self._csv, seen) and not self._doubts_of_header(
            self._sample, columns
        )

    def _doubts_of_header(self, relation: str, columns: Sequence[CsvColumn]) -> list[Problem]:
        if any(column.type not in ("VARCHAR", None) for column in columns):
            return []
        parameters = {"names": [c.field for c in columns], "styles": source_files.STYLES}
        facts = self._engine.query("engines/duckdb/csv_styles", table=relation, **parameters)[0]
        return source_files.doubt_of_header(self._csv, facts, self._file)

    def _named(self, columns: Sequence[CsvColumn]) -> list[CsvColumn]:
        """Return the columns without the last ones that have neither a name nor a value, which come
        from delimiters at the ends of lines."""
        named = list(columns)
        while (
            len(named) > 1
            and named[-1].type is None
            and not self._csv.names[len(named) - 1].strip()
        ):
            named.pop()
        return [column if column.type else replace(column, type="VARCHAR") for column in named]

    def _require_known(self, names: Sequence[str]) -> None:
        if unknown := [name for name in self._source.columns if name not in names]:
            hint = did_you_mean(unknown[0], names) or f"It has {len(names)} columns."
            at = f"{self._where}.columns.{unknown[0]}"
            raise PolicyError.at(at, "the file has no such column.", hint)

    def _doubts_of_types(
        self, columns: Sequence[CsvColumn], facts: dict[str, Facts]
    ) -> list[Problem]:
        """Return warnings of columns of text that would be numbers or dates without blanks around
        values, and with some tokens read as NULL; and of numbers that may be codes."""
        problems = []
        for column in columns:
            known = facts.get(column.field)
            if column.type == "DOUBLE" and known is not None and known.zeros:
                text = "values differ in trailing zeros: 1.5 and 1.50 are read as the same number."
                remedy = (
                    f"If they are codes, write `{self._where}: {{…, columns: {{…: {{type:"
                    " text}}}`."
                )
                at = f"{self._where}.columns.{column.name}.type"
                problems.append(Problem(at, text, remedy))
            if column.type != "VARCHAR" or known is None:
                continue
            option, what, way = known.otherwise
            if option == "dates" or (option and self._csv.delimiter != ","):
                text = f"the column is read as text: all its values are {what}."
                at = f"{self._where}.columns.{column.name}.{option}"
                problems.append(Problem(at, text, way.format(self._where)))
            if not known.kept_from:
                continue
            if known.blanks:
                text = f"the column is read as text because of blanks around its {known.kept_from}."
                problems.append(
                    Problem(
                        f"{self._where}.columns.{column.name}.trim",
                        text,
                        f"Write `trim: true` in `{self._where}`.",
                    )
                )
            if known.tokens:
                listed = self._listed(self._sample, column)
                text = (
                    f"the column is read as text, although all its values except {listed} are"
                    f" {known.kept_from}."
                )
                remedy = f"If these mean no value, write `missing: [{listed}]` in `{self._where}`."
                at = f"{self._where}.columns.{column.name}.missing"
                problems.append(Problem(at, text, remedy))
        return problems

    def _totals(self, columns: Sequence[CsvColumn]) -> list[Problem]:
        texts = [column.field for column in columns if column.type == "VARCHAR"]
        numbers = [c.field for c in columns if c.kind in ("integer", "decimal", "float")][:_SUMS]
        if self._read < _FEWEST:
            return []
        text, shared = "", {"table": self._table, "rows": self._read, "sums": numbers}
        early, late, *summed = self._engine.query(
            "engines/duckdb/csv_totals",
            **{**shared, "labels": texts[:_LABELS], "words": TOTALS},
            **{"most": _SAMPLE, "last": _LAST},
        )[0]
        sums = [field for field, holds in zip(numbers, summed, strict=True) if holds]
        if 0 < late < _LAST and not early:
            text = "a row at the end is labelled as a total: it would be released as a person."
            if late > 1:
                text = (
                    f"{late} rows at the end are labelled as totals: they would be released as"
                    " people."
                )
        elif sums:
            parameters = {**shared, "sums": sums, "empty": texts}
            *exact, unnamed = self._engine.query("engines/duckdb/csv_summed", **parameters)[0]
            if sum(exact) > 1 or (sum(exact) == 1 and texts and unnamed):
                text = (
                    "the last row contains the sums of all others: it would be released as a"
                    " person."
                )
        remedy = "Remove such lines, or name a view without them as the source."
        return [Problem(self._file, text, remedy)] if text else []


def column_of(source: Source, field: str, name: str) -> CsvColumn:
    """Return how a column of a CSV file is read, by the policy."""
    own = source.columns.get(name, SourceColumn())
    dates = own.dates or source.dates
    kind = own.sql or (of_format(own.dates) if own.dates else None)
    missing = source.missing_in(own)
    return CsvColumn(
        field=field,
        name=name,
        type=kind,
        given=kind is not None,
        trim=source.trim if own.trim is None else own.trim,
        texts=missing,
        numbers=[float(number) for text in missing if (number := number_of(text)) is not None],
        days=[day for text in missing if (day := moment_of(text)) is not None],
        case=own.case or (None if dates else source.case),
        mark=own.decimal or source.decimal,
        format=dates,
    )
