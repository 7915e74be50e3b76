"""How the lines of a CSV file are divided: its delimiter, and the lines above its header."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonsql.engines.duckdb import source_files

if TYPE_CHECKING:
    from anonsql.engines.duckdb.engine import DuckDBEngine

_LINES = 100  # that are looked at
_NOT_IN_FILES = "\x01"


@dataclass(frozen=True)
class Layout:
    """The number of lines above a file's header, and its delimiter (None: it has none)."""

    skip: int
    delimiter: str | None


def layout(engine: DuckDBEngine, text: Path, delimiter: str | None) -> Layout:
    """Return how a file in UTF-8 is divided, by its first lines: most of them have the same number
    of delimiters, and titles above the header fewer, or one field alone."""
    letters = delimiter or source_files.DELIMITERS
    lines = _lines(engine, text, letters)
    if not lines:
        return Layout(0, delimiter)
    begin = 0
    if named := lines[0][0]:
        begin, letters = 1, named
        lines = _lines(engine, text, letters)
    best = max(
        (_divided(lines[begin:], position) for position in range(len(letters))),
        key=lambda divided: (divided[1], divided[0]),
    )
    fields, share, position = best
    if not fields or share < 0.5:
        return Layout(begin, letters if named else delimiter)
    counts = [(line[2 + 2 * position], line[3 + 2 * position]) for line in lines]
    headers = (
        number
        for number, (count, filled) in enumerate(counts)
        if number >= begin and count == fields and (filled > 1 or fields == 1)
    )
    first = next(headers, begin)
    below = next((n for n in range(first + 1, len(counts)) if counts[n] != (0, 0)), first)
    if below > first + 1 and counts[below][0] == fields and counts[below][1] > counts[first][1]:
        first = below  # a title with delimiters, then blank lines and the header
    others = [(fields + 1, fields + 1), *([(fields - 1, fields)] if fields > 1 else [])]
    if first == begin + 1 and lines[first][1] and counts[begin] in others:
        first = begin  # a header with one field less or more than the rows
    return Layout(first, letters[position])


def _lines(engine: DuckDBEngine, text: Path, letters: str) -> list[tuple[Any, ...]]:
    parameters = {"path": str(text), "within": _NOT_IN_FILES, "most": _LINES}
    return engine.query("engines/duckdb/csv_lines", delimiters=list(letters), **parameters)


def _divided(lines: Sequence[Sequence[Any]], position: int) -> tuple[int, float, int]:
    """Return the most common number of delimiters, and the share of lines that have it."""
    counts = Counter(int(line[2 + 2 * position]) for line in lines if line[2 + 2 * position])
    [(count, often)] = counts.most_common(1) or [(0, 0)]
    return count, often / max(1, len(lines)), position
