"""Show a tree of parts on a terminal."""

from __future__ import annotations

import re
from collections.abc import Sequence
from io import StringIO
from typing import Literal

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from anonsql.presentation import numbers
from anonsql.presentation.tree import Chart, Code, Figures, Part, Reader, Section, Sentence

_WORD = re.compile(r"""(?:"(?:[^"]|"")*"|'(?:[^']|'')*'|\S+)+""")
_WIDTH, _LINES = 80, 23
"""A screen."""
_COLOURS = {"good": " green", "warn": " yellow", "bad": " red"}


def show(console: Console, parts: Sequence[Part], *, verbose: bool = False) -> None:
    """Print the parts that are for a terminal; those for experts where it is ``verbose``."""
    reader: Reader = "verbose" if verbose else "terminal"
    for at, part in enumerate(part for part in parts if part.is_for(reader)):
        if at and isinstance(part, (Chart, Section)):
            console.print()
        if isinstance(part, Sentence):
            _print(console, part)
        elif isinstance(part, Figures):
            console.print(_table(part))
        elif isinstance(part, Chart):
            _print(console, Sentence(part.says, f"{part.title}. "))
            console.print(_table(part.figures))
        elif isinstance(part, Code):
            console.print(Text(statement(part.text)), soft_wrap=True)
        elif isinstance(part, Section):
            if part.title:
                console.print(Text(part.title, "bold"))
            show(console, part.parts, verbose=verbose)


def screen(parts: Sequence[Part]) -> str:
    """Return the terminal's view of parts, cut to a screen."""
    text = StringIO()
    show(Console(file=text, width=_WIDTH), parts)
    lines = text.getvalue().rstrip().splitlines()
    return "\n".join([*lines[:_LINES], *(["…"] if len(lines) > _LINES else [])])


def _print(console: Console, sentence: Sentence) -> None:
    whole = "dim" if sentence.tone == "quiet" else ""
    text = Text(style=whole).append(sentence.lead, f"bold{_COLOURS.get(sentence.tone, '')}")
    for line in text.append(sentence.text).split(allow_blank=True) or [text]:
        console.print(_broken(line, console.width), soft_wrap=True)


def _table(figures: Figures) -> Table:
    """Return a table without rules; numbers are right-aligned and stay whole."""
    table = Table(
        box=None,
        pad_edge=False,
        show_header=any(figures.headings),
        header_style="bold",
        padding=(0, 2, 0, 0),
    )
    for heading, numeric in zip(figures.headings, figures.numeric, strict=True):
        justify: Literal["right", "left"] = "right" if numeric else "left"
        table.add_column(Text(heading), justify=justify, overflow="fold", no_wrap=numeric)
    for row in figures.rows:
        table.add_row(*(Text(numbers.entry(entry)) for entry in row))
    return table


def _broken(line: Text, width: int) -> Text:
    """Return a line with line ends between words, so that it is as wide as a terminal; a number
    stays with its percent sign."""
    breaks, start, end = list[int](), 0, 0
    for word in re.finditer(r"\S+(?: %\S*)?", line.plain):
        if end > start and cell_len(line.plain[start : word.end()]) > width:
            breaks.append(start := word.start())
        end = word.end()
    parts = line.divide(breaks)
    for part in parts:
        part.rstrip()
    return Text("\n").join(parts)


def words(line: str) -> list[str]:
    """Return the words of a line of a statement; quoted text stays whole."""
    return _WORD.findall(line)


def statement(text: str, indent: str = "  ", width: int = 80) -> str:
    """Return a statement for a person to copy, its lines broken at blanks outside quotes."""
    made: list[str] = []
    for line in text.splitlines():
        start = indent + " " * (len(line) - len(line.lstrip()))
        first, *rest = words(line) or [""]
        made.append(start + first if first else "")
        for word in rest:
            if len(made[-1]) + 1 + len(word) > width:
                made.append(f"{start}    {word}")
            else:
                made[-1] += f" {word}"
    return "\n".join(made)
