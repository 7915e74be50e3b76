"""A release that is open for questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from anonsql.engines.base import ReleaseTables
from anonsql.labels.domains import Domain
from anonsql.labels.original_columns import OriginalColumn
from anonsql.query.columns import QueriedColumn


@dataclass
class OpenedRelease:
    """A release opened for queries: where it is, its columns by name, the columns by which masked
    rows are recognized (``starred``, empty where no row is masked), and the facts of ``__about``.
    ``unlisted`` are the columns that may have values for which a query with GROUP BY has no
    group."""

    located: ReleaseTables
    columns: Mapping[str, OriginalColumn]
    starred: Sequence[str] = ()
    about: Mapping[str, str] = field(default_factory=dict)
    queried: dict[tuple[str, Domain, bool], QueriedColumn] = field(default_factory=dict)
    unlisted: set[str] = field(default_factory=set)
    with_hierarchies: bool = False
    rows: int | None = None


def rows_of(release: OpenedRelease) -> int:
    """Return how many rows the release has."""
    if release.rows is None:
        release.rows = int(
            release.located.engine.query("sql/rows", table=release.located.rows)[0][0]
        )
    return release.rows
