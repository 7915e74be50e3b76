"""Hierarchies that a policy gives leaf by leaf (files, named groups and taxonomies), as rows of
labels."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterator
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
from anonsql.system import text_files

_SHOWN = 5  # problems of one file that are spelled out

Rows = list[list[str]]
"""One row per leaf: its label at level 0, 1, … up to the top. All rows have the same length."""


def read(
    spec: FileHierarchy | OrderHierarchy | TaxonomyHierarchy,
    where: str,
    path: Callable[[str], Path],
) -> Rows:
    """Return the rows of a hierarchy; ``where`` is its place in the policy, ``path`` resolves paths
    that the policy gives."""
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
    """Read a CSV file as ARX writes it: ``;`` or ``,``, quotes, no header, one row per leaf, level
    0 first."""
    text = text_files.read_text(file, where, text_files.MAX_HIERARCHY)
    delimiter = delimiter_of(text.splitlines()[0] if text else "")
    rows = lines(io.StringIO(text, newline=""), delimiter, file, where)
    return [list(row) for row in dict.fromkeys(map(tuple, rows))]


def lines(text: TextIO, delimiter: str, file: Path, where: str) -> Iterator[list[str]]:
    """Yield the rows of a hierarchy file one by one. Raise PolicyError with what is wrong with its
    lines at the first five places, and in how many more."""
    problems: list[Problem] = []
    wrong, levels = 0, 0
    reader = csv.reader(text, delimiter=delimiter, strict=True)
    try:
        for row in reader:
            if not row:
                continue
            problem = _problem(row, levels, reader.line_num, where)
            if problem is not None:
                wrong += 1
                problems += [problem] if wrong <= _SHOWN else []
            else:
                levels = len(row)
                yield row
    except csv.Error as error:
        wrong += 1
        text_of = f"{file} is not a CSV file: {error}."
        problems += (
            [Problem(where, text_of, "Use ; or , and double quotes.")] if wrong <= _SHOWN else []
        )
    except UnicodeDecodeError:
        raise text_files.not_utf8(file, where) from None
    if wrong > _SHOWN:
        problems.append(Problem(where, f"{wrong - _SHOWN} more lines are like this."))
    if problems:
        raise PolicyError(problems)
    if levels < 2:
        raise PolicyError.at(
            where,
            f"{file} has no level above its values.",
            "Give each row its value and at least `*`.",
        )


def _problem(row: list[str], levels: int, line: int, where: str) -> Problem | None:
    """Return what is wrong with a row that ends in a line of the file, if anything is. ``levels``
    is how many the first row has, 0 before it."""
    if levels and len(row) != levels:
        text = f"line {line} has {len(row)} levels, the first has {levels}."
        return Problem(where, text, "Give every leaf the same number of levels.")
    if "" in row[1:]:
        return Problem(where, f"line {line} has an empty label.", "Only a first cell may be empty.")
    return None


def delimiter_of(line: str) -> str:
    """Return the delimiter of a hierarchy file by its first line."""
    return ";" if _outside_quotes(line, ";") else ","


def _outside_quotes(line: str, character: str) -> bool:
    return any(character in part for part in line.split('"')[::2])


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
                + [f"members that are no group below: {', '.join(unknown)}."] * bool(unknown)
            )
            raise PolicyError.at(
                f"{where}.levels[{index}]", text, "Each level groups the names of the one before."
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
    """Return the rows of a tree. A leaf that is less deep than others keeps its own name up to its
    parent's level."""
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
    """Yield the path from the root to every leaf."""
    if len(above) > MAX_LEVELS:
        text = f"the tree is more than {MAX_LEVELS} levels deep."
        raise PolicyError.at(where, text, "Leave levels out.")
    if isinstance(tree, dict) and tree:
        for name, inner in tree.items():
            yield from _paths(inner, [*above, _name(name)], where)
    elif isinstance(tree, list) and tree:
        for leaf in tree:
            if isinstance(leaf, (dict, list)) or leaf is None:
                raise PolicyError.at(
                    where,
                    f"a list under {'.'.join(above)!r} holds something that is no value.",
                    "List leaves only.",
                )
            yield [*above, _name(leaf)]
    elif tree is None and above:
        yield above
    else:
        raise PolicyError.at(
            where,
            f"nothing usable stands under {'.'.join(above)!r}.",
            "End branches in lists of leaves.",
        )


def _name(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
