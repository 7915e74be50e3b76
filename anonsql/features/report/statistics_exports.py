"""Published tables as CSV (RFC 4180) and as SDMX-CSV 2.0, one row an observation
(https://github.com/sdmx-twg/sdmx-csv). The codes are those of SDMX: OBS_STATUS ``A`` (normal),
``Q`` (missing; suppressed), ``E`` (estimated: changed); CONF_STATUS ``F`` (free), ``C``
(confidential); ``_T`` is the total. Primary and secondary cells have the same codes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from anonsql.engines.base import ReleaseTables
from anonsql.errors import PolicyError
from anonsql.features.report.crosstabs import Tables, right, shape
from anonsql.features.report.document import ExportedFile
from anonsql.system import text_files

Row = Sequence[object]
Format = Literal["csv", "sdmx-csv"]

_SUFFIXES: Mapping[Format, str] = {"csv": ".csv", "sdmx-csv": ".sdmx.csv"}
_OPTIONS: Mapping[Format, str] = {"csv": "--csv", "sdmx-csv": "--sdmx"}
_FORMULA = re.compile(r"[=+\-@\t\r](?![0-9.,]+$)")
_AGENCY = "ANONSQL"
_VERSION = "1.0.0"
_FIRST = ("STRUCTURE", "STRUCTURE_ID", "ACTION")
_LAST = ("MEASURE", "OBS_VALUE", "OBS_STATUS", "CONF_STATUS")
_STATUS = {"published": ("A", "F"), "changed": ("E", "F"), "hidden": ("Q", "C")}


@dataclass(frozen=True)
class Export:
    """A file to be written, the option that asks for it, and its entry in the document."""

    path: Path
    option: str
    text: str
    file: ExportedFile


@dataclass(frozen=True)
class _Table:
    """A published table. Rows have label and level of each dimension, value and status of each
    measure."""

    name: str
    dimensions: Sequence[str]
    measures: Sequence[str]
    rows: Sequence[Row]

    @property
    def columns(self) -> list[str]:
        names = [part for name in self.dimensions for part in (name, f"{name}_level")]
        return names + [part for name in self.measures for part in (name, f"{name}_status")]


def of(tables: Tables, folders: Mapping[Format, Path]) -> list[Export]:
    """Return the files of published tables by format. Raise PolicyError where a folder holds
    something else."""
    made = list[Export]()
    for name, table in tables.items() if folders else ():
        if Path(name).name != name or "\0" in name or "\\" in name:
            text = f"the release has a table {name!r}, which is not a valid file name."
            raise PolicyError.at("release", text, "`anonsql verify` shows whether it is right.")
        read = _read(name, table)
        made += [_export(read, kind, folder) for kind, folder in folders.items()]
    _require_folders(made)
    return made


def write(exports: Iterable[Export], mode: int) -> list[ExportedFile]:
    """Write files of a mode, each replacing an earlier one in one step; return the files."""
    written = []
    for export in exports:
        text_files.replace(export.path, export.option, export.text, mode=mode)
        written.append(export.file)
    return written


def _read(name: str, table: ReleaseTables) -> _Table:
    columns = shape(table)
    names = {role: [column.name for column in of_role] for role, of_role in columns.items()}
    read = _Table(name, names["dimension"], names["measure"], [])
    rows = right(
        name,
        table.engine.query("verification/facts", table=table.rows, columns=read.columns),
        columns,
    )
    dimensions = range(0, 2 * len(read.dimensions), 2)

    def place(row: Row) -> list[object]:
        levels: list[object] = [-int(str(row[at + 1])) for at in dimensions]
        return levels + [part for at in dimensions for part in (row[at] is None, row[at] or "")]

    return _Table(name, read.dimensions, read.measures, sorted(rows, key=place))


def _export(table: _Table, kind: Format, folder: Path) -> Export:
    lines = _sdmx(table) if kind == "sdmx-csv" else [table.columns, *table.rows]
    path = folder / f"{table.name}{_SUFFIXES[kind]}"
    labels = {row[at] for row in table.rows for at in range(0, 2 * len(table.dimensions), 2)}
    file = ExportedFile(
        path=str(path),
        format=kind,
        table=table.name,
        rows=len(lines) - 1,
        formulas=sum(bool(_FORMULA.match(str(label))) for label in labels if label is not None),
    )
    return Export(path, _OPTIONS[kind], "".join(map(_line, lines)), file)


def _line(row: Row) -> str:
    """Return a row of CSV. NULL is nothing at all, an empty text is quoted.

    >>> _line(["a", None, "", 3, 'a "b" c']).rstrip()
    'a,,"",3,"a ""b"" c"'
    """
    return ",".join(map(_field, row)) + "\r\n"


def _field(value: object) -> str:
    if value is None:
        return ""
    text = str(value)
    if text and not re.search(r'[",\r\n]|^\s|\s$', text):
        return text
    return '"' + text.replace('"', '""') + '"'


def _sdmx(table: _Table) -> list[Row]:
    ids = identifiers([part for name in table.dimensions for part in (name, f"{name}_level")])
    measures = identifiers(table.measures, reserved=())
    (flow,) = identifiers([table.name], reserved=())
    first = 2 * len(table.dimensions)
    tops = [
        max((int(str(row[at + 1])) for row in table.rows), default=0) for at in range(0, first, 2)
    ]
    lines: list[Row] = [[*_FIRST, *ids, *_LAST]]
    structure = ("dataflow", f"{_AGENCY}:{flow}({_VERSION})", "I")
    for row in table.rows:
        key = [
            part
            for at, top in zip(range(0, first, 2), tops, strict=True)
            for part in ("_T" if row[at + 1] == top else row[at], row[at + 1])
        ]
        for at, measure in enumerate(measures):
            value, status = row[first + 2 * at], str(row[first + 2 * at + 1])
            lines.append([*structure, *key, measure, value, *_STATUS[status]])
    return lines


def identifiers(names: Sequence[str], reserved: Sequence[str] = (*_FIRST, *_LAST)) -> list[str]:
    """Return identifiers of SDMX for names: capital letters, digits and ``_``, a letter first, each
    another one and none that is ``reserved``.

    >>> identifiers(["region", "age group", "age-group", "measure", "7th"])
    ['REGION', 'AGE_GROUP', 'AGE_GROUP_2', 'MEASURE_2', 'D_7TH']
    """
    made = list[str]()
    for name in names:
        text = re.sub(r"[^A-Z0-9_]", "_", name.upper(), flags=re.ASCII)
        text = text if re.match(r"[A-Z]", text) else f"D_{text.lstrip('_')}"
        chosen, number = text, 1
        while chosen in made or chosen in reserved:
            number += 1
            chosen = f"{text}_{number}"
        made.append(chosen)
    return made


def _require_folders(exports: Sequence[Export]) -> None:
    """Raise PolicyError where a folder holds anything but earlier files of the same names and
    columns."""
    folders: dict[Path, list[Export]] = {}
    for export in exports:
        folders.setdefault(export.path.parent, []).append(export)
    for folder, inside in folders.items():
        option = inside[0].option
        text_files.require_path(folder, option)
        by_name = {export.path.name: export for export in inside}
        if len(by_name) < len(inside):
            text = f"two files in {folder} would have the same name."
            raise PolicyError.at(option, text, "Name two folders.")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            there = sorted(path.name for path in folder.iterdir())
        except OSError as error:
            text = f"{folder} cannot be written: {error.strerror}."
            raise PolicyError.at(option, text, "Name another folder.") from None
        others = [
            name
            for name in there
            if not name.startswith(text_files.UNFINISHED)
            and (name not in by_name or not _is_earlier(by_name[name]))
        ]
        if others:
            text = (
                f"{folder} contains something else:"
                f" {', '.join(others[:3])}{' and more' if len(others) > 3 else ''}."
            )
            raise PolicyError.at(option, text, "Name a new folder.")


def _is_earlier(export: Export) -> bool:
    """An earlier export of the same table begins with the same columns."""
    header = export.text.partition("\n")[0].encode() + b"\n"
    return text_files.beginning(export.path, export.option, len(header)) == header
