"""Hierarchies made from the data.

Numbers and dates: breaks by an optimal partition of their frequencies. Text: by its beginning, or
by the related value of another column. The hierarchy is written once to a file next to the policy;
later runs read that file. A new number is between existing breaks. A new text is added to the file:
to the group with its beginning, else under `(new)`, for the policy's owner to move.
"""

from __future__ import annotations

import csv
import io
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from anonsql.engines.base import Column, Engine, PlainColumn, Relation
from anonsql.errors import PolicyError, Problem, did_you_mean
from anonsql.hierarchies import files, partitions
from anonsql.hierarchies.breaks import roundest_between
from anonsql.policy.hierarchy import TOP, AutomaticHierarchy, FileHierarchy, text_of
from anonsql.policy.resolved import made_files as made_paths
from anonsql.policy.resolved import resolved
from anonsql.policy.table_columns import TableColumns
from anonsql.system import text_files
from anonsql.system.arrays import np

NEW = "(new)"
"""The group of texts that a hierarchy did not know when it was made."""
_BINS = 1000  # of numbers and dates; a partition takes time with their square
_OTHERS = 20  # groups that the numbers or dates of a `like` column are taken in
_LIMIT = Decimal(10) ** 18
_BREAKS = ("integer", "decimal", "float", "date", "timestamp")
_Bounds = Sequence[Decimal | date]
_REMEDY = "Make the folder writable, or name another file in `path`."


@dataclass(frozen=True)
class _Place:
    """The subject of a hierarchy: the engine's table, its column, the location in the policy, and
    the path of its file without the end."""

    engine: Engine
    relation: Relation
    column: PlainColumn
    where: str
    stem: Path


def make(
    engine: Engine, relation: Relation, columns: Sequence[Column], policy: TableColumns
) -> tuple[list[Problem], list[Problem]]:
    """Make the missing automatic hierarchies of a policy from the rows of the source, and add new
    texts to existing ones. Return problems, and the changes as warnings to the policy's owner."""
    by_name = {column.name: column for column in columns}
    problems: list[Problem] = []
    done: list[Problem] = []
    for name, settings in policy.columns.items():
        spec, column = settings.hierarchy, by_name.get(name)
        if not isinstance(spec, AutomaticHierarchy) or column is None:
            continue
        where = f"columns.{name}.hierarchy"
        place = _Place(engine, relation, PlainColumn(column), where, policy.made_stem(name))
        try:
            made = resolved(spec, where, place.stem, None)
            if isinstance(made, FileHierarchy):
                done += _added(place, Path(made.path))
            elif made is spec:
                done.append(_made(place, spec, by_name))
        except PolicyError as error:
            problems += error.problems
    return problems, done


def _made(place: _Place, spec: AutomaticHierarchy, columns: dict[str, Column]) -> Problem:
    column = place.column.column
    if column.kind == "other":
        text = f"a column of type {column.family} cannot be generalized."
        raise PolicyError.at(place.where, text, "Cast it to text, a number or a date in a view.")
    yaml, rows = made_paths(place.stem)
    if column.kind in _BREAKS:
        if spec.like is not None:
            text = f"`like` is only for text, and {column.name!r} is {column.family}."
            raise PolicyError.at(f"{place.where}.like", text, "Leave it out.")
        at, then = _breaks(place, spec.levels)
        _write_breaks(yaml, at, then, column.name, place.where)
        text = (
            f"the hierarchy was made from the data and is in {yaml}, which reveals where"
            " values are frequent."
        )
        return Problem(place.where, text, "Read and edit it; later runs use it unchanged.")
    _write_new(rows, _csv(_of_text(place, spec, columns)), place.where)
    text = f"the hierarchy was made from the data and is in {rows}, which lists all values."
    remedy = (
        "Keep it to yourself, read and edit it; later runs use it unchanged. It is not released:"
        " to release it, name it with `type: file`."
    )
    return Problem(place.where, text, remedy)


def _breaks(place: _Place, levels: int) -> tuple[list[Any], list[list[Any]]]:
    """Return breaks by an optimal partition of a column's values, and those of coarser levels."""
    column, taken = place.column, {"table": place.relation, "a": place.column}
    distinct = place.engine.query("hierarchies/distinct", **taken)[0][0]
    bins = _BINS if distinct > _BINS else 0
    rows = place.engine.query("hierarchies/value_counts", bins=bins, **taken)
    if not rows:
        raise _nothing(place)
    first, last, leaves, counts = zip(*rows, strict=True)
    groups = partitions.sizes(levels, int(sum(leaves)))
    parts = partitions.nested(counts, leaves, groups) or [[0, len(rows) - 1][: len(rows)]]
    is_date = column.column.kind in ("date", "timestamp")
    if not is_date and max(abs(first[0]), abs(last[-1])) >= _LIMIT:
        text = "the column has numbers of more than 18 digits before the point."
        raise PolicyError.at(place.where, text, "Scale them in a view, or use another hierarchy.")
    between = _day_between if is_date else _number_between
    by_position = {
        start: between(last[start - 1] if start else None, first[start])
        for start in parts[0]
        if start or len(parts[0]) == 1
    }
    if not is_date and first[0] >= 0:  # so that the lowest interval has an end
        by_position[0] = Decimal(0)
    made: list[list[Any]] = []
    for starts in parts:
        breaks = sorted({by_position[start] for start in starts if start in by_position})
        if breaks and (not made or len(breaks) < len(made[-1])):
            made.append(breaks)
    return made[0], made[1:]


def _number_between(before: Any, value: Any) -> Decimal:
    """Return the roundest number above one value and up to the next."""
    number = Decimal(str(value))
    return roundest_between(None if before is None else Decimal(str(before)), number)


def _day_between(before: Any, value: Any) -> date:
    """Return the first day of a year or month between two days, else the later of the two."""
    day = _day(value)
    if before is not None:
        for first in (day.replace(month=1, day=1), day.replace(day=1)):
            if first > _day(before):
                return first
    return day


def _day(value: Any) -> date:
    if isinstance(value, datetime):
        return value.date()
    return value if isinstance(value, date) else date.fromisoformat(str(value)[:10])


def _nothing(place: _Place) -> PolicyError:
    text = f"{place.column.name!r} has only NULL values, so no hierarchy can be made from it."
    return PolicyError.at(place.where, text, "Use `{type: suppression}`, or leave the column out.")


def _of_text(
    place: _Place, spec: AutomaticHierarchy, columns: dict[str, Column]
) -> list[list[str]]:
    if spec.like is not None and (spec.like not in columns or spec.like == place.column.name):
        hint = did_you_mean(spec.like, columns.keys() - {place.column.name})
        text = f"there is no other column {spec.like!r}."
        raise PolicyError.at(f"{place.where}.like", text, hint)
    like = None if spec.like is None else PlainColumn(columns[spec.like])
    if like is not None and like.column.kind == "other":
        text = f"values of type {like.column.family} cannot be compared."
        raise PolicyError.at(f"{place.where}.like", text, "Name another column.")
    counts = place.engine.query(
        "hierarchies/text_counts", table=place.relation, a=place.column, like=like
    )
    words = Counter[str]()
    for word, _, rows in counts:
        words[word] += rows
    if not words:
        raise _nothing(place)
    _require_listable(words, place)
    ordered = sorted(words, key=lambda word: (-words[word], word))
    groups = partitions.sizes(spec.levels, len(words))
    if like is None:
        lengths = partitions.prefixes(ordered, groups)
        labels = [[_beginning(word, length) for length in lengths] for word in ordered]
    else:
        levels = partitions.alike(_table(ordered, counts, like.column), groups) if groups else []
        named = [_names(ordered, level) for level in levels]
        labels = [[names[position] for names in named] for position in range(len(ordered))]
    rows = [[word, *above, TOP] for word, above in zip(ordered, labels, strict=True)]
    return sorted(rows, key=lambda row: row[::-1])


def _require_listable(words: Counter[str], place: _Place) -> None:
    if "" in words:
        text = f"{place.column.name!r} contains the empty text, which a file cannot list."
        raise PolicyError.at(place.where, text, "Make it NULL or a word in a view.")


def _beginning(word: str, length: int) -> str:
    """Return the label of texts with a beginning; a shorter text is its own."""
    return f"{word[:length]}*" if len(word) >= length else word


def _table(
    words: Sequence[str], counts: Sequence[Sequence[Any]], like: Column
) -> partitions.Floats:
    """Return how often words go with values of another column, numbers and dates in groups."""
    others = Counter[Any]()
    for _, other, rows in counts:
        others[other] += rows
    known = [value for value in others if value is not None]
    place_of: dict[Any, int] = {None: 0}
    if like.kind in _BREAKS and len(known) > _OTHERS:
        known.sort()
        total, seen = sum(others[value] for value in known), 0
        for value in known:
            place_of[value] = 1 + seen * _OTHERS // total
            seen += others[value]
    else:
        place_of |= {value: position for position, value in enumerate(known, start=1)}
    position = {word: n for n, word in enumerate(words)}
    table = np.zeros((len(words), max(place_of.values()) + 1))
    for word, other, rows in counts:
        table[position[word], place_of[other]] += rows
    return table


def _names(words: Sequence[str], groups: Sequence[int]) -> list[str]:
    """Return the name of every word's group: its two most frequent words."""
    members: dict[int, list[str]] = {}
    for word, group in zip(words, groups, strict=True):
        members.setdefault(group, []).append(word)
    names: dict[int, str] = {}
    for group, some in members.items():
        name = ", ".join(some[:2]) + (f" +{len(some) - 2}" if len(some) > 2 else "")
        while name in names.values():
            name += "'"
        names[group] = name
    return [names[group] for group in groups]


def _added(place: _Place, file: Path) -> list[Problem]:
    column = place.column.column
    if column.kind in _BREAKS:
        text = f"{file} lists values, but {column.name!r} is {column.family}."
        raise PolicyError.at(place.where, text, "Name it with `type: file`, or remove it.")
    rows = files.read(FileHierarchy(path=str(file)), place.where, Path)
    known = {row[0] for row in rows}
    counts = place.engine.query(
        "hierarchies/text_counts", table=place.relation, a=place.column, like=None
    )
    new = Counter({word: n for word, _, n in counts if word not in known})
    if not new:
        return []
    _require_listable(new, place)
    beginnings = {row[1][:-1]: row[1:] for row in rows if row[1].endswith("*") and row[1] != TOP}
    depth, top = len(rows[0]), rows[0][-1]
    lengths = sorted({len(beginning) for beginning in beginnings}, reverse=True)
    added = []
    for word in sorted(new):
        begins = (word[:length] for length in lengths if word[:length] in beginnings)
        above = beginnings.get(next(begins, ""), [*[NEW] * (depth - 2), top])
        added.append([word, *above])
    line = text_files.read_text(file, place.where, text_files.MAX_HIERARCHY).split("\n", 1)[0]
    _add_rows(file, added, files.delimiter_of([line]), place.where)
    many = f"{len(added):,} {'values' if len(added) > 1 else 'value'}"
    text = (
        f"{many} of the column that were missing in it {'were' if len(added) > 1 else 'was'} added"
    )
    remedy = f"Move the entries under `{NEW}` to where they belong."
    return [Problem(place.where, f"{text} to {file}.", remedy)]


def _write_breaks(file: Path, at: _Bounds, then: Sequence[_Bounds], what: str, where: str) -> None:
    """Write a hierarchy of breaks of ``what``; raise PolicyError at ``where`` if that fails."""

    def listed(breaks: _Bounds) -> str:
        return f"[{', '.join(map(text_of, breaks))}]"

    lines = [
        f"# Made by anonsql from the values of {what!r}: it shows where values are frequent.",
        "# Read it and edit it. It is used unchanged; remove it to have it made anew.",
        "type: breaks",
        f"at: {listed(at)}",
        *(["then:"] if then else []),
        *(f"  - {listed(breaks)}" for breaks in then),
    ]
    _write_new(file, "\n".join(lines) + "\n", where)


def _add_rows(file: Path, rows: Sequence[Sequence[str]], delimiter: str, where: str) -> None:
    """Add leaves at the end of a hierarchy; raise PolicyError at ``where`` if that fails."""
    try:
        with file.open("rb") as content:
            content.seek(-1, os.SEEK_END)
            ends = content.read(1) == b"\n"
        with file.open("a", encoding="utf-8", newline="") as text:
            text.write(("" if ends else "\n") + _csv(rows, delimiter))
    except OSError as error:
        text_of_error = f"{file} cannot be written: {error.strerror}."
        raise PolicyError.at(where, text_of_error, _REMEDY) from None


def _write_new(file: Path, content: str, where: str) -> None:
    """Write a new file for its owner alone, as a whole or not at all."""
    making = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(making, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as text:
                text.write(content)
            os.link(making, file)  # never over a file that is there
        finally:
            making.unlink(missing_ok=True)
    except OSError as error:
        raise PolicyError.at(
            where, f"{file} cannot be written: {error.strerror}.", _REMEDY
        ) from None


def _csv(rows: Sequence[Sequence[str]], delimiter: str = ";") -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(
        rows
    )
    return text.getvalue()
