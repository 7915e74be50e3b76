"""The summary of what columns that are released as they are give away."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from anonsql.report.documents import Kept


def show(console: Console, found: Kept | None) -> None:
    """Print how many rows kept columns single out, and what classes give away of sensitive ones."""
    if found is None or not found.columns:
        return
    rows = max(found.rows, 1)
    names = escape(", ".join(found.columns))
    steps = (
        f"; without {escape(', '.join(each.column for each in found.without))} "
        f"{found.without[-1].unique:,}"
        if found.without
        else ""
    )
    console.print(
        f"By the columns that are kept as they are ({names}) {found.unique:,} of {found.rows:,} "
        f"rows ({found.unique / rows:.2%}) are unique{steps}; by all released columns "
        f"{found.unique_released:,}. k promises nothing of those.",
        highlight=False,
    )
    for name, each in found.sensitive.items():
        console.print(
            f"{escape(name)}: {each.homogeneous:.2%} of the rows lie in classes that have one value"
            f" of it; one value has at most {each.highest_share:.2%} of a class.",
            highlight=False,
        )
