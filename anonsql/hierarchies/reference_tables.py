"""Hierarchies that tables of the source's database give: read once a job, to files in its private
folder, and from there on hierarchies of files."""

from __future__ import annotations

import csv
import os
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from anonsql.engines.base import Engine, PlainColumn
from anonsql.errors import PolicyError, Problem, did_you_mean
from anonsql.policy.hierarchy import TOP, TableHierarchy
from anonsql.policy.table_columns import TableColumns
from anonsql.system.journal import log

Row = tuple[str | None, ...]
_EXAMPLES = 5


def read(engine: Engine, policy: TableColumns, folder: Path, *, show_values: bool = False) -> None:
    """Read a policy's reference tables into files of a folder, and note them in the policy; the
    source is open. Raise PolicyError with all that is wrong with them."""
    problems: list[Problem] = []
    for number, (name, column) in enumerate(policy.columns.items()):
        if not isinstance(column.hierarchy, TableHierarchy) or name not in policy.unread_tables:
            continue
        where = f"columns.{name}.hierarchy"
        try:
            rows = _rows(engine, policy, column.hierarchy, where, number)
            problems += (wrong := _problems(column.hierarchy, rows, where, show_values))
            if not wrong:
                file = folder / f"reference_{os.urandom(6).hex()}.csv"
                _write(file, rows)
                policy.read_table(name, file)
        except PolicyError as error:
            problems += error.problems
    if problems:
        raise PolicyError(problems)


def _rows(
    engine: Engine, policy: TableColumns, spec: TableHierarchy, where: str, number: int
) -> list[Row]:
    """Return the distinct rows of a reference table, the key first, in order."""
    if policy.source.table is None:
        text = f"there is no table {spec.table!r} next to the source, which is a file or a query."
        remedy = (
            "Name a CSV file with a row for each value, finer groups first and `*` last:"
            " `{type: file, path: …}`."
        )
        raise PolicyError.at(f"{where}.table", text, remedy)
    schema, _, _ = policy.source.table.rpartition(".")
    table = spec.table if "." in spec.table or not schema else f"{schema}.{spec.table}"
    source = policy.source.model_copy(update={"table": table})
    relation = engine.open_reference(source, f"{where}.table", number)
    columns = {column.name: column for column in engine.columns(relation)}
    for location, name in (
        ("key", spec.key),
        *((f"levels[{index}]", level) for index, level in enumerate(spec.levels)),
    ):
        if name not in columns:
            text = f"{spec.table} has no column {name!r}."
            raise PolicyError.at(f"{where}.{location}", text, did_you_mean(name, columns))
    named = [PlainColumn(columns[name]) for name in (spec.key, *spec.levels)]
    rows = engine.query("hierarchies/reference", table=relation, columns=named)
    return sorted((tuple(row) for row in rows), key=lambda row: [cell or "" for cell in row])


def _problems(
    spec: TableHierarchy, rows: Sequence[Row], where: str, show_values: bool
) -> list[Problem]:
    if not any(row[0] is not None for row in rows):
        text = f"{spec.table} has no row with a {spec.key}."
        return [Problem(f"{where}.table", text, "Fill the table, or choose another hierarchy.")]
    keys = Counter(row[0] for row in rows)
    wrong: list[tuple[str, list[str], str, str]] = [
        (
            "key",
            [key for key, times in keys.items() if times > 1 and key is not None],
            f"{{have}} more than one {_escaped(spec.levels[0])}, or other groups",
            "Give each key exactly one row, in the table or a view of it.",
        ),
        ("key", [key for key in keys if key == ""], "{are} empty text", "Make them NULL."),
    ]
    for index, name in enumerate(spec.levels):
        wrong.append(
            (
                f"levels[{index}]",
                [row[0] or "" for row in rows if not row[index + 1]],
                f"{{have}} no {_escaped(name)}",
                "Fill the column, or leave the level out.",
            )
        )
    for index, (name, above) in enumerate(zip(spec.levels, spec.levels[1:], strict=False), start=1):
        pairs = {(row[index], row[index + 1]) for row in rows if row[index] and row[index + 1]}
        parents = Counter(label for label, _ in pairs)
        twice = [str(label) for label, times in parents.items() if times > 1]
        one, more = _escaped(name), _escaped(above)
        text = f"of {one} {{lie}} in more than one {more}: the levels do not nest"
        wrong.append((f"levels[{index}]", twice, text, "Name levels from the finest on."))
    problems = []
    for location, offenders, text, remedy in wrong:
        if offenders:
            single = len(offenders) == 1
            words = ("has", "is", "lies") if single else ("have", "are", "lie")
            said = text.format(**dict(zip(("have", "are", "lie"), words, strict=True)))
            shown = "" if show_values else " --show-values shows up to five."
            many = f"{len(offenders):,} {'value' if single else 'values'}"
            found = f"{many} {said}, in {spec.table}."
            problems.append(Problem(f"{where}.{location}", found, remedy + shown))
            if show_values:
                examples = ", ".join(map(repr, sorted(offenders)[:_EXAMPLES]))
                log.warning("%s: for example %s", f"{where}.{location}", examples)
    return problems


def _escaped(name: str) -> str:
    return name.replace("{", "{{").replace("}", "}}")


def _write(file: Path, rows: Sequence[Row]) -> None:
    """Write the rows as a hierarchy file for its owner alone; an empty first cell is NULL."""
    descriptor = os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as text:
        writer = csv.writer(text, delimiter=";", quoting=csv.QUOTE_ALL, lineterminator="\n")
        writer.writerows([["" if cell is None else cell for cell in row] + [TOP] for row in rows])
