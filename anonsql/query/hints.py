"""Hints about columns of which the release tells nothing, and about literals that occur in no
hierarchy and no released value: the query is answered, but may have a typing error.

Only values that the release contains, or the hierarchies that it is read with, are ever suggested.
"""

from __future__ import annotations

from collections.abc import Sequence

from anonsql.errors import did_you_mean
from anonsql.labels.original_columns import OriginalColumn
from anonsql.query import where
from anonsql.query.facets import Facet
from anonsql.query.opened import OpenedRelease
from anonsql.query.parse import Parsed

_MOST = 1_000  # released values that are searched for one like the literal


def of(release: OpenedRelease, parsed: Parsed) -> list[str]:
    """Return a hint for every column of the query that is ``*`` in all rows, and for every text
    that is compared by = or IN and is not a value of its column."""
    names = [atom.column for atom in parsed.atoms]
    names += [one.column for one in parsed.selected if one.column is not None]
    names += [grouping.column for grouping in parsed.groups]
    by_name = dict.fromkeys(of_stars(release, names))
    for atom in parsed.atoms:
        if atom.operator != "=" or atom.applied:
            continue
        held = where.resolve(atom.column, release.columns, "original")
        known = _known(release, held)
        if not known:
            continue
        for literal in atom.literals:
            if literal.string and not literal.cast and literal.text not in known:
                hint = did_you_mean(literal.text, known)
                can = f"that {held.name} can have by hierarchy or release"
                by_name[f"{literal.text!r} is no value {can}. {hint}".rstrip()] = None
    return list(by_name)


def of_stars(release: OpenedRelease, names: Sequence[str]) -> list[str]:
    """Return which of some columns are ``*`` in every row, or in how many rows, so that any value
    may be those rows'."""
    held = {
        column.name: column
        for column in (where.resolve(name, release.columns, "original") for name in names)
    }
    some = [
        column
        for column in held.values()
        if column.starred and column.labels and column.form != "star" and not column.level
    ]
    counts = {}
    if some:
        asked = {"table": release.located.rows, "columns": [column.name for column in some]}
        ((rows, *starred),) = release.located.engine.query("query/starred", **asked)
        counts = {
            column.name: f"in {count:,} of {rows:,} rows"
            for column, count in zip(some, starred, strict=True)
            if count
        }
    counts |= {column.name: "in this release" for column in held.values() if column.form == "star"}
    return [
        f"{name} is * {count}: any of {len(tree.ordered):,} values."
        if (tree := held[name].tree) is not None
        else f"{name} is * {count}: any value."
        for name, count in counts.items()
    ]


def _known(release: OpenedRelease, held: OriginalColumn) -> list[str]:
    """Return the values of a column of text, where all possible ones are known."""
    if held.tree is not None:
        return list(held.tree.ordered)
    if not held.kept or release.starred:
        return []
    facet = next((facet for facet in release.facets.values() if _is_text(facet, held)), None)
    if facet is None:
        return []
    rows = release.located.engine.query("query/domain", c=facet, most=_MOST + 1)
    return [str(value) for (value,) in rows if value is not None] if len(rows) <= _MOST else []


def _is_text(facet: Facet, held: OriginalColumn) -> bool:
    return facet.held is held and facet.domain.kind == "text"
