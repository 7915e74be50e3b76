"""How tables and shares are shown on a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table


def lines(*headings: str, right: tuple[int, ...] = ()) -> Table:
    """Return a table without rules; the columns whose numbers are in ``right`` are
    right-aligned."""
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


def is_file(console: Console) -> bool:
    """Return whether what is printed goes to a file or another program: then sentences stay in one
    line, to be searched. A terminal gets them broken between words."""
    return not console.is_terminal


def percent(share: float) -> str:
    """Return a share as people read it."""
    return f"{share:.2%}"
