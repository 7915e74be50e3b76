"""The page of ``anonsql search``: the explorer of a solution space by itself."""

from __future__ import annotations

from anonsql.features.search import explorer
from anonsql.features.search.solution_document import SolutionSpace
from anonsql.presentation import page


def render(space: SolutionSpace) -> str:
    """Return the page of a solution space."""
    shown = explorer.explorer(space)
    return page.render(
        "features/search/page",
        title=f"Ways to release {space.table}",
        scripts=explorer.SCRIPTS,
        styles=explorer.STYLES,
        data={"explorer": shown.data},
        explorer=shown,
    )
