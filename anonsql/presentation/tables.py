"""How text, statements, tables and shares are shown on a terminal."""

from __future__ import annotations

import re
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

_WORD = re.compile(r"""(?:"(?:[^"]|"")*"|'(?:[^']|'')*'|\S)+""")


class Terminal(Console):
    """Where summaries go. Lines are broken between words, at 80 where the terminal has no width: a
    longer path, value or number stays whole, to be copied."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Print text or tables as rich does, with words that stay whole."""
        if options.get("soft_wrap") or not all(isinstance(object_, str) for object_ in objects):
            super().print(*objects, **options)
            return
        chosen = {name: options.pop(name, None) for name in ("markup", "highlight", "emoji")}
        text = self.render_str(" ".join(objects), **chosen)
        width = options.pop("width", None) or self.width
        for line in text.split(allow_blank=True) or [text]:
            super().print(broken(line, width), soft_wrap=True, **options)


def broken(line: Text, width: int) -> Text:
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


def lines(*headings: str, right: tuple[int, ...] = ()) -> Table:
    """Return a table without rules; ``right`` numbers the columns that are right-aligned."""
    table = Table(
        box=None,
        pad_edge=False,
        show_header=any(headings),
        header_style="bold",
        padding=(0, 2, 0, 0),
    )
    for number, heading in enumerate(headings):
        table.add_column(heading, justify="right" if number in right else "left", overflow="fold")
    return table


def percent(share: float) -> str:
    """Return a share as people read it."""
    return f"{share:.2%}"


def share(value: float | None) -> str:
    """Return a share or a relative error in percent; more digits of a large one mean nothing."""
    if value is None:
        return "-"
    return f"{value:.1%}" if value < 10 else ">1000%"
