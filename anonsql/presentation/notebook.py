"""Documents in notebooks: as HTML, with every text escaped, and as data frames."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Any

from anonsql.errors import PolicyError
from anonsql.presentation import page
from anonsql.presentation.tree import Part


def html(parts: Sequence[Part]) -> str:
    """Return the experts' view of a terminal as HTML; a chart is a table."""
    template = page.environment().get_template("presentation/parts.html.j2")
    shown = template.make_module().show(parts, 3, reader="verbose")  # type: ignore[attr-defined]
    return f"<div>{shown}</div>"


def frame(rows: Sequence[Mapping[str, object]]) -> Any:
    """Return rows as a data frame of pandas. Raise PolicyError where pandas is not installed."""
    try:
        pandas = importlib.import_module("pandas")
    except ImportError:
        raise PolicyError.at(
            "to_pandas", "the package pandas is not installed.", "pip install pandas"
        ) from None
    return pandas.DataFrame.from_records([dict(row) for row in rows])
