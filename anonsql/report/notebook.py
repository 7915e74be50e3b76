"""Reports in notebooks: as small tables of HTML, and as data frames. Every text is escaped: names
of columns and released values are data."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from anonsql.errors import PolicyError

Rows = Sequence[Mapping[str, object]]
"""The rows of a table: values by the names of its columns."""
_MOST = 200


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
    """Return a value as a cell of a table shows it."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.4g}"
    return str(value)
