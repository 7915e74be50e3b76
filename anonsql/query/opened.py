"""A release that is open for questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from anonsql.engines.base import ReleaseTables
from anonsql.labels.domains import Domain
from anonsql.labels.original_columns import OriginalColumn
from anonsql.query import facets
from anonsql.query.facets import Facet
from anonsql.query.questions import Bound


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
    facets: dict[tuple[str, Domain, bool], Facet] = field(default_factory=dict)
    in_facts: set[int] = field(default_factory=set)
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


def facet_of(release: OpenedRelease, name: str, bound: Bound) -> Facet:
    """Return the facet of a column in one domain, prepared at its first use."""
    domain = bound.domains[name]
    valued = domain.moments and name in bound.valued
    key = (name, domain, valued)
    if key not in release.facets:
        held, rows = release.columns[name], rows_of(release)
        made = Facet(len(release.facets) + 1, held, domain, rows, valued)
        facets.prepare(release.located.engine, release.located.rows, made)
        release.facets[key] = made
    return release.facets[key]
