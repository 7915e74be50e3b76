"""Recognize the kind of a source file by its first bytes, and the columns of a CSV file.

The first line of a CSV file may hold a person's values, when it is not a header: nothing of it is
shown before it is known to be one.
"""

from __future__ import annotations

import csv
import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from anonsql.errors import AnonsqlError, PolicyError, Problem, ResourceError, SqlError
from anonsql.policy.source import Source
from anonsql.policy.yaml_text import quoted
from anonsql.system import encodings

_CSV_FORM = (
    "A CSV file has a header line, double quotes, and the same number of fields in every line."
)
_CSV_REMEDY = (
    f"{_CSV_FORM} If titles are above its header, write `skip` and the number of these lines:"
    " `anonsql init` finds it."
)
_EXPORT = "Export it as CSV (UTF-8, with a header line) or Parquet."
_EXCEL = "Save it in Excel as `CSV UTF-8`, or as Parquet by another program."
_MARKS: tuple[tuple[bytes, str, str], ...] = (
    (b"PK\x03\x04", "an Excel workbook or another zip archive", _EXCEL),
    (b"\xd0\xcf\x11\xe0", "an old Excel or Office document", _EXCEL),
    (b"SQLite format 3", "a SQLite database", _EXPORT),
    (b"\x1f\x8b", "compressed (gzip)", "Decompress it."),
    (b"\x28\xb5\x2f\xfd", "compressed (zstd)", "Decompress it."),
    (b"BZh", "compressed (bzip2)", "Decompress it."),
    (b"\xfd7zXZ", "compressed (xz)", "Decompress it."),
    (b"ARROW1", "an Arrow file", _EXPORT),
    (b"Obj\x01", "an Avro file", _EXPORT),
    (b"ORC", "an ORC file", _EXPORT),
    (b"%PDF", "a PDF document", _EXPORT),
)
_JSON = re.compile(rb'(?:\xef\xbb\xbf)?\s*(?:\{\s*(?:["}]|\Z)|\[\s*(?:[\[{]|\Z))')
_XML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:\?xml|!doctype|html|[a-z]+>)", re.I)
_LOOKED_AT = 4096
DELIMITERS = ",;\t|"
"""The delimiters that are found out."""
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


def kind_of(path: Path, source: Source, where: str) -> Literal["parquet", "csv"]:
    """Return the kind of a readable file; raise PolicyError when it cannot be read as a table."""
    with path.open("rb") as file:
        start = file.read(_LOOKED_AT)
    if start.startswith(b"PAR1"):
        return "parquet"
    if start[8:12] == b"DUCK":
        remedy = "Name the database as `database`, with its `table`."
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
    if b"\0" in start and not encodings.has_zeros(source.encoding or encodings.utf16(start)):
        raise PolicyError.at(where, f"{path} is not text.", _EXPORT)
    return "csv"


@dataclass(frozen=True)
class CsvColumns:
    """How a CSV file is read: its ``path``, where it is in UTF-8 (``text``), its delimiter, the fields of its first line, the names of its
    columns, whether the first line is left out of its rows, and whether blanks stand around its fields."""

    path: Path
    text: Path
    delimiter: str
    first: Sequence[str]
    names: Sequence[str]
    header: bool
    padded: bool = False


def not_utf8(path: Path, where: str) -> PolicyError:
    """Return the error of a file that is not UTF-8 text, though the policy names no other
    encoding."""
    found = encodings.encoding_of(encodings.blocks(path), path, where)
    option = where.rpartition(".")[0] or where
    remedy = f"Its bytes look like {found}: write `{option}: {{…, encoding: {found}}}`."
    return PolicyError.at(where, f"{path} is not UTF-8 text.", remedy)


def csv_columns(path: Path, text: Path, source: Source, where: str) -> CsvColumns:
    """Return the delimiter of a CSV file, by its first line when it is not given, and its columns;
    raise PolicyError when they cannot be determined. ``text`` is the file in UTF-8. A list of names
    replaces a header line."""
    header, file = source.header, f"{where}.file"
    try:
        with text.open(encoding="utf-8-sig", newline="") as lines:
            for _ in range(source.skip):
                lines.readline()
            above = lines.tell()
            line = lines.readline()
            if "\0" in line:
                raise not_utf8(path, file)
            if line.lower().startswith(("sep=", '"sep=')):
                text_ = f"{path} begins with a line that names its delimiter."
                remedy = f"Write `{where}: {{…, skip: {source.skip + 1}}}`, and `delimiter`."
                raise PolicyError.at(file, text_, remedy)
            words = source.delimiter or max(DELIMITERS, key=lambda letter: _outside(line, letter))
            lines.seek(above)
            header_line = csv.reader(
                lines, delimiter=words, strict=True, skipinitialspace=source.trim
            )
            first = next(header_line, [])
    except UnicodeDecodeError:
        raise not_utf8(path, file) from None
    except csv.Error as error:
        raise PolicyError.at(
            file, f"the header of {path} cannot be read: {error}.", _CSV_REMEDY
        ) from None
    if not first:
        empty = "has no header line" if line else "is empty"
        raise PolicyError.at(file, f"{path} {empty}.", "It needs a header line and rows.")
    if words == source.decimal:
        text_ = "the decimal comma is also the delimiter of the file."
        raise PolicyError.at(
            f"{where}.decimal", text_, "Name the delimiter, or leave `decimal` out."
        )
    if header is None or header is True:
        unquoted = re.sub('"[^"]*"', '""', line.rstrip("\r\n")).split(words)
        padded = any(part != part.strip() for part in (*unquoted, *first))
        return CsvColumns(path, text, words, first, first, header=True, padded=padded)
    names = header or [f"column{number}" for number in range(1, len(first) + 1)]
    if len(names) != len(first):
        counts = f"{len(names)} columns are named, but {path} has {len(first)}."
        raise PolicyError.at(f"{where}.header", counts, "Name them all, in order.")
    return CsvColumns(path, text, words, first, names, header=bool(header))


def _outside(line: str, letter: str) -> int:
    return sum(part.count(letter) for part in line.split('"')[::2])


def full_names(names: Sequence[str], source: Source) -> list[str]:
    """Return the names of a file's columns: without blanks around them where the policy says so,
    and column<n> where the file has none, as pandas writes the index of its rows."""
    return [
        (name.strip() if source.trim else name) if name.strip() else f"column{number}"
        for number, name in enumerate(names, start=1)
    ]


def listed(tokens: Sequence[str]) -> str:
    """Return texts as a list of a policy has them."""
    return ", ".join(
        quoted(token) if token[-1:].isalnum() else json.dumps(token) for token in tokens
    )


def looks_like_row(columns: CsvColumns, seen: Sequence[int]) -> int:
    """Return how many fields of the first line look like values, if they are too many for a header:
    numbers, dates, times, or texts that occur among the column's values (``seen`` counts how
    often). Otherwise return 0."""
    like_values = sum(
        bool(_VALUE.fullmatch(field.strip())) or count > 0
        for field, count in zip(columns.first, seen, strict=True)
    )
    return like_values if like_values * _SHARE >= len(columns.first) else 0


def require_header(columns: CsvColumns, seen: Sequence[int], where: str) -> None:
    """Raise PolicyError when the first line of a CSV file is most likely a row."""
    if like_values := looks_like_row(columns, seen):
        text = (
            f"the first line of {columns.path} looks like data, not like column names:"
            f" {like_values} of {len(columns.first)} fields are numbers, dates or similar, or"
            " occur among the column's values."
        )
        option = where.rpartition(".")[0] or where
        remedy = (
            f"Write `{option}: {{…, header: false}}` (columns are then column1, column2 …), give"
            " a list of names instead of false, or write `header: true` if the line has names."
            " `anonsql init` has `--no-header`, `--names a,b` and `--header`. If titles are above"
            f" the header, give the number of these lines: `{option}: {{…, skip: 1}}`."
        )
        raise PolicyError.at(where, text, remedy)


def doubt_of_header(columns: CsvColumns, facts: Sequence[int], where: str) -> list[Problem]:
    """Return a warning if the first line of a CSV file could be a row: all columns are text, none
    has values that repeat often, and no name is in a style that the column's values are not in.
    ``facts`` are the counts of engines/duckdb/csv_styles with STYLES."""
    width = len(STYLES) + 2
    for position, field in enumerate(columns.first):
        values, distinct, *written = facts[position * width : (position + 1) * width]
        own = [
            count
            for style, count in zip(_IN_STYLE, written, strict=True)
            if style.fullmatch(field.strip())
        ]
        if distinct * 2 <= values or any(n * _FEW <= values for n in own):
            return []
    text = (
        f"the first line of {columns.path} looks like its rows; it is read as column names, which"
        " are published."
    )
    remedy = "Write `header: true` if the line has names, `header: false` if it is data."
    return [Problem(where.replace(".file", ".header"), text, remedy)]


def require_names(names: Sequence[str], where: str) -> None:
    """Raise PolicyError when two columns of a CSV file share a name, in whatever case. The message
    has the numbers of the columns, not their names: the line may be a row."""
    places: dict[str, list[int]] = {}
    for number, name in enumerate(names, start=1):
        places.setdefault(name.strip().lower(), []).append(number)
    if twice := [numbers for numbers in places.values() if len(numbers) > 1]:
        listed = "; ".join(" and ".join(map(str, numbers)) for numbers in twice)
        text = f"columns share a name: {listed}."
        raise PolicyError.at(
            where,
            text,
            "Rename them, or name all columns in a list, `header: [a, b]`; names that differ only"
            " in case are equal. `anonsql init` takes the list as `--names a,b`. Without a header"
            " line, write `header: false`.",
        )


def csv_error(
    columns: CsvColumns, error: SqlError, where: str, *, by_init: bool = False
) -> AnonsqlError:
    """Return the error of a CSV file that cannot be read, without the text of the line, which
    DuckDB quotes; ``by_init``: `anonsql init` has looked for titles already."""
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
        remedy = (
            "Give this line as many fields, or remove it. If lines above the header are titles,"
            " write their number: `skip`."
        )
        return PolicyError.at(where, f"{columns.path}: {text}", remedy)
    if re.search("invalid unicode|not utf-8", error.detail, re.I):
        return not_utf8(columns.path, where)
    text = f"{location} cannot be read {delimiter}."
    return PolicyError.at(where, f"{columns.path}: {text}", _CSV_FORM if by_init else _CSV_REMEDY)


def require_distinct(names: Sequence[str]) -> None:
    """Raise PolicyError when two columns share a name, in whatever case, or one has none:
    references to them would be ambiguous."""
    seen = Counter(name.lower() for name in names)
    twice = sorted({name for name in names if seen[name.lower()] > 1})
    if twice:
        raise PolicyError.at(
            "source.file",
            f"columns share a name: {', '.join(twice)}.",
            "Rename them; names that differ only in case are equal.",
        )
    if any(not name.strip() for name in names):
        raise PolicyError.at(
            "source.file",
            "a column has no name.",
            "Give the file a header line that names every column.",
        )
