"""The page of ``anonsql search``: the explorer of a solution space by itself."""

from __future__ import annotations

from anonsql.report.pages import explorer, page
from anonsql.report.solution_documents import SolutionSpace


def render(space: SolutionSpace) -> str:
    """Return the page of a solution space."""
    shown = explorer.explorer(space)
    return page.render(
        "search",
        title=f"Ways to release {space.table}",
        scripts=explorer.SCRIPTS,
        styles=explorer.STYLES,
        data={"explorer": shown.data},
        explorer=shown,
    )
