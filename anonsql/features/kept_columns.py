"""The summary of what columns that are released as they are give away."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from anonsql.features.documents import Kept


def show(console: Console, found: Kept | None) -> None:
    """Print which kept columns single rows out, and what classes give away of sensitive ones. How
    many rows kept columns single out stands beside the promise."""
    if found is None or not found.columns:
        return
    if found.unique_released:
        names = escape(", ".join(found.columns))
        steps = (
            f"Without {escape(', '.join(alone.column for alone in found.without))} "
            f"{found.without[-1].unique:,} rows would be single by the kept columns ({names}). "
            if found.without
            else ""
        )
        console.print(
            f"{steps}By all released columns together {found.unique_released:,} of"
            f" {found.rows:,} rows are single ({found.unique_released / found.rows:.2%}).",
            highlight=False,
        )
    for name, classes in found.sensitive.items():
        console.print(
            f"{escape(name)}: {classes.homogeneous:.2%} of the rows lie in classes that have one"
            " value"
            f" of it; one value has at most {classes.highest_share:.2%} of a class.",
            highlight=False,
        )
