"""Hierarchies that a policy gives leaf by leaf (files, named groups and taxonomies), as rows of
labels."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TextIO

from anonsql.errors import PolicyError, Problem
from anonsql.policy import yaml_text
from anonsql.policy.hierarchy import (
    MAX_LEVELS,
    TOP,
    FileHierarchy,
    OrderHierarchy,
    TaxonomyHierarchy,
)
from anonsql.system import encodings, text_files

_SHOWN = 5  # lines of a kind of fault that are named
BLANKS = " \t\u00a0"
"""What may stand around a cell."""
DELIMITERS = {";": "';'", ",": "','", "\t": "tab", "|": "'|'"}
"""What may stand between cells, and what messages call it."""

Rows = list[list[str]]
"""One row per leaf: its label at level 0, 1, … up to the top. All rows have the same length."""


def read(
    spec: FileHierarchy | OrderHierarchy | TaxonomyHierarchy,
    where: str,
    path: Callable[[str], Path],
) -> Rows:
    """Return a hierarchy's rows, from its place ``where``; ``path`` resolves its paths."""
    if isinstance(spec, FileHierarchy):
        return _file(path(spec.path), f"{where}.path")
    if isinstance(spec, OrderHierarchy):
        return _order(spec, where)
    if spec.path is None:
        return _taxonomy(spec.tree, f"{where}.tree")
    file = path(spec.path)
    text = text_files.read_text(file, f"{where}.path", text_files.MAX_YAML)
    return _taxonomy(yaml_text.parse(text, str(file)), f"{where}.path")


def _file(file: Path, where: str) -> Rows:
    content = text_files.read_bytes(file, where, text_files.MAX_HIERARCHY)
    encoding = encodings.encoding_of([content], file, where)
    try:
        text = content.decode(encoding).removeprefix("\ufeff")
    except UnicodeError:
        raise encodings.not_of(file, encoding, encoding, where) from None
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    delimiter = delimiter_of(io.StringIO(text))
    rows = [row for _, row in lines(io.StringIO(text, newline=""), delimiter, file, where)]
    levels = max(map(len, rows))
    return list(map(list, dict.fromkeys(tuple(padded(row, levels)) for row in rows)))


def lines(text: TextIO, delimiter: str, file: Path, where: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows of a hierarchy file one by one, each with the line that it ends in, without
    blanks around cells that have no quotes and without empty cells at the end. Raise PolicyError at
    the end with each kind of fault that lines have: on how many lines, and the first five of
    them."""
    faults = _Faults(file, where)
    levels, before, read = 0, 0, list[str]()
    lines_read = _remembered(text, read)
    reader = csv.reader(lines_read, delimiter=delimiter, strict=True, skipinitialspace=True)
    while True:
        read.clear()
        try:
            row = next(reader, None)
        except csv.Error:  # the reader goes on behind what it could not read
            faults.note("quotes", before + 1)
        else:
            if row is None:
                break
            row = [_without_blanks(cell, read) for cell in row]
            while row and not row[-1]:
                row.pop()
            if "" in row[1:]:
                faults.note("labels", reader.line_num)
            elif row:
                levels = max(levels, len(row))
                yield reader.line_num, row
        before = reader.line_num
    faults.require_none()
    if levels < 2:
        raise PolicyError.at(
            where,
            f"{file} has no level above its values (delimiter {DELIMITERS[delimiter]}).",
            "Give each row its value and at least `*`.",
        )


def _remembered(text: TextIO, read: list[str]) -> Iterator[str]:
    for line in text:
        read.append(line)
        yield line


def _without_blanks(cell: str, read: Sequence[str]) -> str:
    """Return a cell of the lines that were read last without blanks around it, unless these are in
    quotes."""
    bare = cell.strip(BLANKS)
    quoted = bare != cell and '"{}"'.format(cell.replace('"', '""')) in "".join(read)
    return cell if quoted else bare


def padded(row: list[str], levels: int) -> list[str]:
    """Return a row with as many labels as the longest: its last one below ``*`` is repeated."""
    missing = levels - len(row)
    if not missing:
        return row
    *below, last = row
    if below and last == TOP:
        return [*below, *[below[-1]] * missing, TOP]
    return [*row, *[last] * missing]


_FAULTS = {
    "quotes": (
        "{lines} a quote that does not end where its cell ends.",
        "Use double quotes, and double those inside of a cell.",
        ("has", "have"),
    ),
    "labels": (
        "{lines} an empty label.",
        "Only a first cell may be empty.",
        ("has", "have"),
    ),
}
"""What is wrong with lines, and its remedy: by the kind of fault, in the order of messages, with
the verb of one line and that of several."""


class _Faults:
    """How many lines of a file have each kind of fault, and the first of them."""

    def __init__(self, file: Path, where: str) -> None:
        self._file, self._where = file, where
        self._counts: Counter[str] = Counter()
        self._first: dict[str, list[int]] = {}

    def note(self, kind: str, line: int) -> None:
        self._counts[kind] += 1
        if self._counts[kind] <= _SHOWN:
            self._first.setdefault(kind, []).append(line)

    def require_none(self) -> None:
        problems = []
        for kind, (text, remedy, verbs) in _FAULTS.items():
            if count := self._counts[kind]:
                lines = f"{of_lines(count, self._first[kind])} {verbs[count > 1]}"
                wrong = text.format(lines=lines)
                problems.append(Problem(self._where, f"{self._file}: {wrong}", remedy))
        if problems:
            raise PolicyError(problems)


def of_lines(count: int, first: Sequence[int], word: str = "line") -> str:
    """Return words for lines of a file, naming the ``first`` few.

    >>> of_lines(1, [3]), of_lines(2, [3, 5]), of_lines(1200, [3, 5])
    ('line 3', '2 lines (3, 5)', '1,200 lines (3, 5, …)')
    """
    numbers = ", ".join(map(str, first)) + (", …" if count > len(first) else "")
    return f"{word} {numbers}" if count == 1 else f"{count:,} {word}s ({numbers})"


def delimiter_of(rows: Iterable[str]) -> str:
    """Return the delimiter of a hierarchy file, given its lines: by the first that is not blank."""
    line = next((line for line in rows if line.rstrip("\r\n")), "")
    unquoted = "".join(line.split('"')[::2])
    sure = (delimiter for delimiter in ";\t" if delimiter in unquoted)
    return next(sure, max(",|", key=unquoted.count))


def _order(spec: OrderHierarchy, where: str) -> Rows:
    """Return the rows of a hierarchy of groups of values, groups of those groups, and ``*``."""
    rows = [[value, group] for group, values in spec.levels[0].items() for value in values]
    _require_once([row[0] for row in rows], f"{where}.levels[0]")
    for index, level in enumerate(spec.levels[1:], start=1):
        parent = {member: group for group, members in level.items() for member in members}
        _require_once(
            [member for members in level.values() for member in members], f"{where}.levels[{index}]"
        )
        below = {row[-1] for row in rows}
        missing, unknown = sorted(below - set(parent)), sorted(set(parent) - below)
        if missing or unknown:
            text = " ".join(
                [f"groups without a parent: {', '.join(missing)}."] * bool(missing)
                + [f"members that are not groups of the level below: {', '.join(unknown)}."]
                * bool(unknown)
            )
            raise PolicyError.at(
                f"{where}.levels[{index}]", text, "Each level groups the names of the previous one."
            )
        rows = [[*row, parent[row[-1]]] for row in rows]
    return [[*row, TOP] for row in rows]


def _require_once(members: list[str], where: str) -> None:
    twice = sorted(member for member, times in Counter(members).items() if times > 1)
    if twice:
        raise PolicyError.at(
            where, f"in two groups: {', '.join(twice)}.", "Each value has one parent."
        )


def _taxonomy(tree: Any, where: str) -> Rows:
    """Return the rows of a tree. A shallow leaf keeps its name up to its parent's level."""
    if not isinstance(tree, dict) or not tree:
        raise PolicyError.at(
            where,
            "a taxonomy is a mapping of names to mappings or lists.",
            "E.g. `{Europe: [France, Italy]}`.",
        )
    if list(tree) == [TOP]:
        tree = tree[TOP]
    paths = list(_paths(tree, [], where))
    _require_once([path[-1] for path in paths], where)
    depth = max(len(path) for path in paths)
    return [[path[-1]] * (depth - len(path)) + path[::-1] + [TOP] for path in paths]


def _paths(tree: Any, above: list[str], where: str) -> Iterator[list[str]]:
    if len(above) > MAX_LEVELS:
        text = f"the tree is more than {MAX_LEVELS} levels deep."
        raise PolicyError.at(where, text, "Remove levels.")
    if isinstance(tree, dict) and tree:
        for name, inner in tree.items():
            yield from _paths(inner, [*above, _name(name)], where)
    elif isinstance(tree, list) and tree:
        for leaf in tree:
            if isinstance(leaf, (dict, list)) or leaf is None:
                raise PolicyError.at(
                    where,
                    f"a list under {'.'.join(above)!r} contains something that is not a value.",
                    "List leaves only.",
                )
            yield [*above, _name(leaf)]
    elif tree is None and above:
        yield above
    else:
        raise PolicyError.at(
            where,
            f"there is nothing usable under {'.'.join(above)!r}.",
            "End branches in lists of leaves.",
        )


def _name(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
