"""The places of a policy's data: the personal table, and the population that it is drawn from."""

from __future__ import annotations

import codecs
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from anonsql.errors import FieldError
from anonsql.policy.column_patterns import expanded
from anonsql.policy.databases import urls
from anonsql.system.scalars import Text

_SPECIFIER = re.compile(r"%(-?.)?")
_IN_FORMATS = {
    part
    for letter in "dmyYHIMSjbBaApf%"
    for part in ((letter, f"-{letter}") if letter in "dmyHIMSj" else (letter,))
}
_NEEDED = (("y", "Y"), ("m", "b", "B"), ("d",))
_UNWRITTEN = ("idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape")
"""Encodings of Python that no file of a table is written in."""
CSV_OPTIONS = (
    *("encoding", "delimiter", "decimal", "dates", "missing", "trim", "case", "skip", "header"),
)
"""The fields of a source that say how a CSV file is read."""
MENDING = ("missing", "trim", "case")
"""The fields of a source, and of its columns, that mend values of any source."""


class MendedColumn(BaseModel):
    """How the values of one column are mended while they are read."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    missing: list[Text] | None = Field(
        None,
        description=(
            "values of this column that mean NULL, in addition to `source.missing` (`[]`: none at"
            " all). A number also matches its other spellings (`99` matches 99.0), a date such as"
            " `1900-01-01` matches that day; in a CSV file write it as the column does"
        ),
    )
    trim: bool | None = Field(None, description="remove blanks around values")
    case: Literal["lower", "upper"] | None = Field(
        None, description="convert text to lower or upper case, so that spellings agree"
    )


class SourceColumn(MendedColumn):
    """How the values of one column are read: of a file also their type, of a CSV file their
    form."""

    type: str | None = Field(
        None,
        pattern=r"(?i)^(text|boolean|integer|double|date|timestamp|decimal\(\d{1,2}, ?\d{1,2}\))$",
        description=(
            "of a file: text, boolean, integer, double, decimal(digits, digits after the point),"
            " date or timestamp: every value must have this type. By default the type that all"
            " values have"
        ),
    )
    dates: str | None = Field(
        None, description="of a CSV file: how this column writes dates, instead of `source.dates`"
    )
    decimal: Literal[".", ","] | None = Field(
        None,
        description=(
            "of a CSV file: the decimal mark of this column; the other mark may separate thousands"
        ),
    )

    @model_validator(mode="after")
    def _formats(self) -> SourceColumn:
        if self.dates is not None:
            require_format(self.dates)
            if self.type is not None and self.sql not in ("DATE", "TIMESTAMP"):
                raise FieldError("dates", "this needs a column of dates: leave `type` out")
        return self

    @property
    def sql(self) -> str | None:
        """The type in DuckDB's spelling, where it is given."""
        if self.type is None:
            return None
        kind = self.type.upper()
        return {"TEXT": "VARCHAR", "INTEGER": "BIGINT"}.get(kind, kind)


def _is_given(part: BaseModel, name: str) -> bool:
    return getattr(part, name) not in (None, False, 0)


def require_format(dates: str) -> None:
    """Raise FieldError where a format of dates is none that is read, or has no day, month or
    year."""
    found = [match[1] or "" for match in _SPECIFIER.finditer(dates)]
    if unknown := [part for part in found if part not in _IN_FORMATS]:
        raise FieldError(
            "dates", f"%{unknown[0]} is not part of a date: write e.g. %d.%m.%Y or %m/%d/%Y %H:%M"
        )
    parts = {part.removeprefix("-") for part in found}
    if "j" not in parts and not all(parts.intersection(each) for each in _NEEDED):
        raise FieldError("dates", "the format needs a day, a month and a year, e.g. %d.%m.%Y")


def by_given_names(columns: Mapping[str, Any], source: Any) -> dict[str, Any]:
    """Return settings of columns by the names that the list in a source's ``header`` gives them,
    where they are still called column1, column2 … as they are without the list. A name that the
    list itself has means that column.

    >>> by_given_names({"column2": 1, "sex": 2}, {"header": ["sex", "age"]})
    {'age': 1, 'sex': 2}
    >>> by_given_names({"column1": 1}, {"header": ["column2", "column1"]})
    {'column1': 1}
    """
    header = source.get("header") if isinstance(source, dict) else None
    listed = header if isinstance(header, list) else []
    numbered = ((f"column{number}", name) for number, name in enumerate(listed, start=1))
    names = {old: name for old, name in numbered if old not in listed}
    return {
        names[name] if name in names and names[name] not in columns else name: settings
        for name, settings in columns.items()
    }


class Source(BaseModel):
    """The place of the personal data: a table of a database, the result of a query there, or a CSV
    or Parquet file. It is only ever read."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    database: str | None = Field(
        None,
        description=f"DuckDB file, or URL of a database: {urls()}; ${{ENV}} is expanded",
    )
    table: str | None = Field(
        None, description="table or view; `schema.table` if it needs a schema"
    )
    query: str | None = Field(
        None,
        min_length=1,
        description=(
            "of a DuckDB file, instead of `table`: a SELECT over its tables and views, which is"
            " read once"
        ),
    )
    file: str | None = Field(None, description="CSV or Parquet file; ${ENV} is expanded")
    encoding: str | None = Field(
        None,
        description=(
            "of a CSV file: utf-8 (default), utf-16, latin-1, windows-1252 or another encoding"
            " that Python knows"
        ),
    )
    delimiter: str | None = Field(
        None, min_length=1, max_length=1, description="of a CSV file; detected by default"
    )
    decimal: Literal[".", ","] | None = Field(
        None,
        description=(
            "of a CSV file: the decimal mark, by default a point; if it is given, the other mark"
            " may separate thousands (1.234,50 or 1,234.50)"
        ),
    )
    dates: str | None = Field(
        None,
        description=(
            "of a CSV file: how dates and times are written, as in strptime (%d.%m.%Y);"
            " 2025-08-31 is always read"
        ),
    )
    missing: list[Text] | None = Field(None, description='values that mean NULL, e.g. ["N/A", "."]')
    trim: bool = Field(
        False,
        description=(
            "remove blanks around text values; an empty value then means NULL; in a CSV file also"
            " around column names"
        ),
    )
    case: Literal["lower", "upper"] | None = Field(
        None, description="convert text to lower or upper case, so that spellings agree"
    )
    skip: int = Field(
        0, ge=0, description="of a CSV file: the number of lines above its header line"
    )

    header: bool | list[Annotated[str, Field(min_length=1)]] | None = Field(
        None,
        description=(
            "of a CSV file: whether its first line names the columns. If false, they are column1,"
            " column2 …. A list gives their names and replaces the file's own header line if it"
            " has one. By default the file has one, and a first line that looks like data is"
            " refused"
        ),
    )

    columns: dict[Text, SourceColumn] = Field(
        {}, description="how single columns are read, if different"
    )

    @model_validator(mode="before")
    @classmethod
    def _by_given_names(cls, data: Any) -> Any:
        if not isinstance(data, dict) or not isinstance(data.get("columns"), dict):
            return data
        return {**data, "columns": by_given_names(data["columns"], data)}

    @property
    def of_csv(self) -> Sequence[str]:
        """The given fields that say how a CSV file is read, and no other source can have."""
        header = ["header"] if self.header is False else []
        return [
            *(name for name in CSV_OPTIONS if name not in MENDING and _is_given(self, name)),
            *header,
            *(
                f"columns.{name}.{part}"
                for name, column in self.columns.items()
                for part in ("dates", "decimal")
                if _is_given(column, part)
            ),
        ]

    @property
    def mends(self) -> bool:
        """Whether values are mended while they are read."""
        return bool(self.trim or self.missing or self.case or self.columns)

    def for_columns(self, names: Sequence[str], where: str) -> Source:
        """Return the source with patterns replaced by the columns that they match; ``where`` is its
        field in the policy. Raise PolicyError for a pattern that matches no column."""
        columns, _ = expanded(self.columns, names, f"{where}.columns")
        return self.model_copy(update={"columns": columns})

    def missing_in(self, own: MendedColumn) -> list[str]:
        """Return the values that mean NULL in a column: its own, and the common ones of all
        columns, unless its own list is empty."""
        if own.missing == []:
            return []
        return list(dict.fromkeys([*(own.missing or []), *(self.missing or [])]))

    @property
    def name(self) -> str:
        """What messages and reports call it: its table, its file without the ending, or `query`."""
        return self.table or ("query" if self.query else Path(self.file or "").stem)

    @model_validator(mode="after")
    def _one_place(self) -> Source:
        if self.file is None and self.database is None:
            raise ValueError("give either `database` with `table`, or `file`")
        if self.file is not None and self.table is not None:
            raise ValueError("`table` cannot be combined with `file`")
        if self.file is None and self.of_csv:
            raise FieldError(
                self.of_csv[0],
                "this is for CSV files (`file`) only: convert values in a view of the database",
            )
        if self.header == []:
            raise FieldError("header", "the list is empty: name every column, or write false")
        if self.query is not None and (self.file is not None or self.table is not None):
            raise FieldError("query", "it replaces `table` and `file`: leave one out")
        typed = [name for name, column in self.columns.items() if column.type is not None]
        if typed and self.file is None:
            raise FieldError(
                f"columns.{typed[0]}.type",
                "this is for `file` only: cast values in a view, e.g. CREATE VIEW v AS SELECT *"
                " REPLACE (CAST(age AS INTEGER) AS age) FROM t",
            )
        self._require_readable()
        if self.file is None and self.table is None and self.query is None:
            raise FieldError("table", "this field is missing: name the table of the database")
        return self

    def _require_readable(self) -> None:
        if self.encoding is not None and not _is_encoding(self.encoding):
            raise FieldError(
                "encoding",
                "this encoding is unknown: write utf-8, utf-16, latin-1 or windows-1252, or leave"
                " it out and let `anonsql init` find it",
            )
        if self.decimal is not None and self.decimal == self.delimiter:
            raise FieldError(
                "decimal", "the delimiter is the same character, so values could not be separated"
            )
        if self.dates is not None:
            require_format(self.dates)


def _is_encoding(name: str) -> bool:
    try:
        found = codecs.lookup(name)
        codecs.getincrementaldecoder(name)
        "a".encode(name)  # fails for codecs of bytes
    except (LookupError, ValueError):
        return False
    return found.name.replace("-", "_") not in _UNWRITTEN
