"""Reports in notebooks: as tables of HTML, with every text escaped, and as data frames."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from html import escape
from itertools import accumulate
from textwrap import fill
from typing import Any

from anonsql.errors import PolicyError

Rows = Sequence[Mapping[str, object]]
"""The rows of a table: values by the names of its columns."""
_MOST = 200
_WIDTH = 80
_LINES = 18
_ENTRY = 30


def table(title: str, rows: Rows) -> str:
    """Return rows as a table of HTML below a title; of many rows the first."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(_text(row.get(name)))}</td>" for name in names) + "</tr>"
        for row in rows[:_MOST]
    )
    more = f"<p>{len(rows) - _MOST:,} more rows</p>" if len(rows) > _MOST else ""
    return (
        f"<div><p><strong>{escape(title)}</strong></p><table><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>{more}</div>"
    )


def text(title: str, rows: Rows) -> str:
    """Return rows as text in one screen: the first rows, and of these the columns that fit."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    shown = [names, *([_text(row.get(name)) for name in names] for row in rows[:_LINES])]
    shown = [[_cut(entry) for entry in line] for line in shown]
    widths = [max(map(len, column)) for column in zip(*shown, strict=True)]
    fitting = sum(end <= _WIDTH + 2 for end in accumulate(width + 2 for width in widths))
    shown, widths = [line[:fitting] for line in shown], widths[:fitting]
    body = [
        "  ".join(entry.ljust(width) for entry, width in zip(line, widths, strict=True)).rstrip()
        for line in shown
    ]
    more = [f"… {len(rows) - _LINES:,} more"] if len(rows) > _LINES else []
    return "\n".join([fill(title, _WIDTH), "", *body, *more])


def _cut(entry: str) -> str:
    line = " ".join(entry.split())
    return line if len(line) <= _ENTRY else f"{line[: _ENTRY - 1]}…"


def frame(rows: Rows) -> Any:
    """Return rows as a data frame of pandas. Raise PolicyError where pandas is not installed."""
    try:
        pandas = importlib.import_module("pandas")
    except ImportError:
        raise PolicyError.at(
            "to_pandas", "the package pandas is not installed.", "pip install pandas"
        ) from None
    return pandas.DataFrame.from_records([dict(row) for row in rows])


def _text(value: object) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.4g}"
    return str(value)
