"""Recognize the kind of a source file by its first bytes, and the columns of a CSV file.

The first line of a CSV file may hold a person's values, when it is not a header: nothing of it is
shown before it is known to be one.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from anonsql.errors import AnonsqlError, PolicyError, Problem, ResourceError, SqlError

Header = bool | Sequence[str] | None
"""Whether a CSV file begins with the names of its columns, or their names where it does not; None:
it is taken to, unless it looks like a row."""

_CSV_REMEDY = (
    "A CSV file is UTF-8, has a header line, double quotes, and the same number of fields in every"
    " line."
)
_EXPORT = "Export it as CSV (UTF-8, with a header line) or Parquet."
_MARKS: tuple[tuple[bytes, str, str], ...] = (
    (b"PK\x03\x04", "an Excel workbook or another zip archive", _EXPORT),
    (b"\xd0\xcf\x11\xe0", "an old Excel or Office document", _EXPORT),
    (b"SQLite format 3", "a SQLite database", _EXPORT),
    (b"\x1f\x8b", "compressed (gzip)", "Decompress it."),
    (b"\x28\xb5\x2f\xfd", "compressed (zstd)", "Decompress it."),
    (b"BZh", "compressed (bzip2)", "Decompress it."),
    (b"\xfd7zXZ", "compressed (xz)", "Decompress it."),
    (b"ARROW1", "an Arrow file", _EXPORT),
    (b"Obj\x01", "an Avro file", _EXPORT),
    (b"ORC", "an ORC file", _EXPORT),
    (b"%PDF", "a PDF document", _EXPORT),
    (b"\xff\xfe", "not UTF-8 text, but UTF-16", "Convert it to UTF-8."),
    (b"\xfe\xff", "not UTF-8 text, but UTF-16", "Convert it to UTF-8."),
)
_JSON = re.compile(rb'(?:\xef\xbb\xbf)?\s*(?:\{\s*(?:["}]|\Z)|\[\s*(?:[\[{]|\Z))')
_XML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:\?xml|!doctype|html|[a-z]+>)", re.I)
_LOOKED_AT = 4096
_VALUE = re.compile(
    r"[-+]?[0-9][0-9 .,:/-]*|[-+]?[0-9.]+e[-+]?[0-9]+|[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.]+\S*"
    r"|\S+@\S+\.\S+|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|true|false|null|n/?a|none",
    re.I,
)
STYLES = (r"[a-z][a-z0-9_]*", r"[A-Z][A-Z0-9_]*", r"[\pL_][\pL\pN_]*")
"""Styles in which column names are written, as regular expressions of DuckDB."""
_IN_STYLE = tuple(map(re.compile, (*STYLES[:2], r"[^\W\d]\w*")))
"""The same styles as regular expressions of Python."""
_FEW = 10  # one value in so many may be in the style of names
_SHARE = 3  # one field in so many that looks like a value is too many for a header


def kind_of(path: Path, where: str) -> Literal["parquet", "csv"]:
    """Return the kind of a readable file; raise PolicyError when it cannot be read as a table."""
    with path.open("rb") as file:
        start = file.read(_LOOKED_AT)
    if start.startswith(b"PAR1"):
        return "parquet"
    if start[8:12] == b"DUCK":
        remedy = "Name it as `database`, with its `table`."
        raise PolicyError.at(where, f"{path} is a DuckDB database.", remedy)
    for mark, what, remedy in _MARKS:
        if start.startswith(mark):
            raise PolicyError.at(where, f"{path} is {what}.", remedy)
    if path.suffix.lower() in (".parquet", ".pq"):
        return "parquet"  # DuckDB says what is wrong with it
    if _JSON.match(start) or path.suffix.lower() in (".json", ".jsonl", ".ndjson"):
        raise PolicyError.at(where, f"{path} is JSON.", _EXPORT)
    if _XML.match(start):
        raise PolicyError.at(where, f"{path} is XML or HTML.", _EXPORT)
    if b"\0" in start:
        raise PolicyError.at(where, f"{path} is no text.", _EXPORT)
    return "csv"


@dataclass(frozen=True)
class CsvColumns:
    """How a CSV file is read: its delimiter, the fields of its first line, the names of its
    columns, and whether the first line holds these."""

    delimiter: str
    first: Sequence[str]
    names: Sequence[str]
    header: bool


def csv_columns(path: Path, delimiter: str | None, header: Header, where: str) -> CsvColumns:
    """Return the delimiter of a CSV file, by its first line when it is not given, and its columns;
    raise PolicyError when they cannot be determined."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            line = lines.readline()
            words = delimiter or max(
                ",;\t|", key=lambda letter: sum(part.count(letter) for part in line.split('"')[::2])
            )
            lines.seek(0)
            first = next(csv.reader(lines, delimiter=words, strict=True), [])
    except UnicodeDecodeError:
        raise PolicyError.at(where, f"{path} is not UTF-8 text.", "Convert it to UTF-8.") from None
    except csv.Error as error:
        raise PolicyError.at(
            where, f"the header of {path} cannot be read: {error}.", _CSV_REMEDY
        ) from None
    if not first:
        raise PolicyError.at(where, f"{path} is empty.", "It needs a header line and rows.")
    if header is None or header is True:
        return CsvColumns(words, first, first, header=True)
    names = header or [f"column{number}" for number in range(1, len(first) + 1)]
    if len(names) != len(first):
        text = f"{len(names)} columns are named, and {path} has {len(first)}."
        raise PolicyError.at(where.replace(".file", ".header"), text, "Name them all, in order.")
    return CsvColumns(words, first, names, header=False)


def require_header(columns: CsvColumns, seen: Sequence[int], path: Path, where: str) -> None:
    """Raise PolicyError when the first line of a CSV file is most likely a row: many of its fields
    look like numbers, dates and the like, or occur among the column's values (``seen`` counts how
    often).
    """
    like_values = sum(
        bool(_VALUE.fullmatch(field.strip())) or count > 0
        for field, count in zip(columns.first, seen, strict=True)
    )
    if like_values and like_values * _SHARE >= len(columns.first):
        text = (
            f"the first line of {path} looks like a row, not like the names of columns:"
            f" {like_values} of {len(columns.first)} fields are numbers, dates or the like, or"
            " stand among the column's values."
        )
        option = where.rpartition(".")[0] or where
        remedy = (
            f"Say `{option}: {{…, header: false}}` (columns are then column1, column2 …), give a"
            " list of names instead of false, or `header: true` if they are names. `anonsql init`"
            " takes --no-header and --header."
        )
        raise PolicyError.at(where, text, remedy)


def doubt_of_header(
    columns: CsvColumns, types: Sequence[str], facts: Sequence[int], path: Path, where: str
) -> list[Problem]:
    """Return a warning where nothing tells the first line of a CSV file from its rows: all columns
    are text, none has values that repeat often, and no name is in a style that the column's values
    are not in. ``facts`` are what engines/duckdb/csv_styles counts with STYLES."""
    width = len(STYLES) + 2
    for position, (field, kind) in enumerate(zip(columns.first, types, strict=True)):
        values, distinct, *written = facts[position * width : (position + 1) * width]
        own = [
            count
            for style, count in zip(_IN_STYLE, written, strict=True)
            if style.fullmatch(field.strip())
        ]
        if kind != "VARCHAR" or distinct * 2 <= values or any(n * _FEW <= values for n in own):
            return []
    text = (
        f"nothing tells the first line of {path} from its rows; it is taken for the names of the "
        "columns, which are published."
    )
    remedy = "Say `header: true` if that is right, `header: false` if it is a row."
    return [Problem(where.replace(".file", ".header"), text, remedy)]


def require_names(names: Sequence[str], where: str) -> None:
    """Raise PolicyError when two columns of a CSV file share a name, in whatever case, or one has
    none. The message gives the numbers of the columns, not their names: the line may not be a
    header after all."""
    places: dict[str, list[int]] = {}
    for number, name in enumerate(names, start=1):
        places.setdefault(name.strip().lower(), []).append(number)
    if nameless := places.pop("", []):
        text = f"column {nameless[0]} has no name."
        raise PolicyError.at(
            where,
            text,
            "Give the file a header line that names every column, or say `header: false`.",
        )
    if twice := [numbers for numbers in places.values() if len(numbers) > 1]:
        listed = "; ".join(" and ".join(map(str, numbers)) for numbers in twice)
        text = f"columns share a name: {listed}."
        raise PolicyError.at(
            where,
            text,
            "Rename them; case does not count. Without a header line, say `header: false`.",
        )


def csv_error(path: Path, columns: CsvColumns, error: SqlError, where: str) -> AnonsqlError:
    """Return the error of a CSV file that cannot be read, without the text of the line, which
    DuckDB quotes."""
    line = re.search(r"CSV Error on Line: (\d+)", error.detail)
    count = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", error.detail)
    if isinstance(error, ResourceError):
        return error
    location = f"line {line.group(1)}" if line else "a line"
    delimiter = f"(delimiter {columns.delimiter!r})"
    if count:
        first = "header" if columns.header else "first line"
        text = (
            f"{location} has {count.group(2)} fields, the {first} has {count.group(1)} {delimiter}."
        )
    elif "unicode" in error.detail.lower() or "utf" in error.detail.lower():
        text = f"{location} is not UTF-8 text."
    else:
        text = f"{location} cannot be read {delimiter}."
    return PolicyError.at(where, f"{path}: {text}", _CSV_REMEDY)


def require_distinct(names: Sequence[str]) -> None:
    """Raise PolicyError when two columns share a name, in whatever case, or one has none: they
    could not be told apart."""
    seen = Counter(name.lower() for name in names)
    twice = sorted({name for name in names if seen[name.lower()] > 1})
    if twice:
        raise PolicyError.at(
            "source.file",
            f"columns share a name: {', '.join(twice)}.",
            "Rename them; case does not count.",
        )
    if any(not name.strip() for name in names):
        raise PolicyError.at(
            "source.file",
            "a column has no name.",
            "Give the file a header line that names every column.",
        )
