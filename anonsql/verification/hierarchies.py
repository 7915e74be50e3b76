"""Compare the hierarchies that a release publishes with those of the policy, label by label."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from anonsql.engines.base import ReleaseTables
from anonsql.hierarchies import files as hierarchy_files
from anonsql.policy.hierarchy import FileHierarchy, OrderHierarchy, TaxonomyHierarchy
from anonsql.policy.policy import Policy

HierarchyRow = tuple[int | None, str | None, str | None, int | None]
"""A row of ``__hierarchies``: level, label, parent, and the place (of leaves alone)."""
_COLUMNS = ["column_name", "level", "label", "parent", "place"]
_TYPES = ["VARCHAR", "INTEGER", "VARCHAR", "VARCHAR", "INTEGER"]
_TREES = (FileHierarchy, OrderHierarchy, TaxonomyHierarchy)


def offences(release: ReleaseTables, policy: Policy) -> list[str]:
    """Return where ``__hierarchies`` and the policy differ. A column whose values the method takes
    in their own order may be missing from ``__hierarchies``."""
    table, trees = release.extras.get("hierarchies"), policy.released_hierarchies
    if table is None:
        return ["there is no __hierarchies"] if trees else []
    columns = release.engine.columns(table)
    if [each.name for each in columns] != _COLUMNS or [each.type for each in columns] != _TYPES:
        return [f"__hierarchies has other columns than {', '.join(_COLUMNS)}"]
    released: dict[str | None, Counter[HierarchyRow]] = {}
    for name, *label in release.engine.query("verification/facts", table=table, columns=_COLUMNS):
        released.setdefault(name, Counter())[tuple(label)] += 1
    found = [
        "__hierarchies tells of a column whose hierarchy is not released"
        for name in released
        if name not in trees
    ]
    for name, spec in trees.items():
        expected, found_labels = _expected(spec, name, policy), released.get(name, Counter())
        by_order = not isinstance(policy.hierarchy(name, ordered=True), _TREES)
        differ = (expected - found_labels).total() + (found_labels - expected).total()
        if differ and (found_labels or not by_order):
            found.append(
                f"__hierarchies and the policy's hierarchy of {name!r} differ in {differ:,} labels"
            )
    return found


def _expected(
    spec: FileHierarchy | OrderHierarchy | TaxonomyHierarchy, name: str, policy: Policy
) -> Counter[HierarchyRow]:
    """Return the labels of a hierarchy, each once: leaves from the top down, each label's in the
    order in which they are given, what NULL belongs to first, NULL itself after all."""
    read = hierarchy_files.read(spec, f"columns.{name}.hierarchy", policy.path)
    rows: list[list[str | None]] = [list(row) for row in read]
    if isinstance(spec, FileHierarchy):
        rows = [[None if row[0] == "" else row[0], *row[1:]] for row in rows]
    labels: set[HierarchyRow] = set()
    for place, row in enumerate(_downwards(rows)):
        above = [*row[1:], None]
        labels |= {
            (level, label, parent, None if level else place)
            for level, (label, parent) in enumerate(zip(row, above, strict=True))
        }
    return Counter(labels)


def _downwards(rows: Sequence[list[str | None]]) -> list[list[str | None]]:
    """Return the leaves as a walk through the tree meets them that goes to NULL's groups first, and
    NULL after all."""
    met = sorted(rows, key=lambda row: row[0] is not None)
    for level in range(len(rows[0])):  # the groups of each level take their members with them
        groups: dict[str | None, list[list[str | None]]] = {}
        for row in met:
            groups.setdefault(row[level], []).append(row)
        met = [row for members in groups.values() for row in members]
    return sorted(met, key=lambda row: row[0] is None)
