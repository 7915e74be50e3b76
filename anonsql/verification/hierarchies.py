"""The labels that a release publishes, with the leaves that they cover, compared with the hierarchies
of the policy."""

from __future__ import annotations

from anonsql.engines.base import ReleaseTables
from anonsql.labels.bench import TREES, Bench
from anonsql.policy.policy import Policy

_COLUMNS = ["column_name", "level", "label", "leaf", "place"]
_TYPES = ["VARCHAR", "INTEGER", "VARCHAR", "VARCHAR", "INTEGER"]


def offences(release: ReleaseTables, policy: Policy, bench: Bench) -> list[str]:
    """Return where ``__labels`` and the policy differ. A column whose values the method takes
    in their own order may be missing from ``__labels``."""
    table, specs = release.extras.get("labels"), policy.released_hierarchies
    if table is None:
        return ["there is no __labels"] if specs else []
    columns = release.engine.columns(table)
    if [column.name for column in columns] != _COLUMNS or [
        column.type for column in columns
    ] != _TYPES:
        return [f"__labels has other columns than {', '.join(_COLUMNS)}"]
    if bench.engine is not release.engine:
        rows = release.engine.query("verification/facts", table=table, columns=_COLUMNS)
        bench.load("labels_published", list(zip(_COLUMNS, _TYPES, strict=True)), rows)
        table = ("labels_published",)
    trees = {
        name: bench.tree(spec, f"columns.{name}.hierarchy", policy.path)
        for name, spec in specs.items()
        if isinstance(spec, TREES)
    }
    rows = bench.engine.query(
        "labels/published",
        table=table,
        trees=[(name, tree.number, tree.height) for name, tree in trees.items()],
    )
    counts: dict[str | None, tuple[int, int]] = {}
    for name, published, differing in rows:
        before = counts.get(name, (0, 0))
        counts[name] = before[0] + published, before[1] + differing
    texts = []
    for name, (released, differ) in sorted(counts.items(), key=lambda item: item[0] or ""):
        if name not in trees:
            texts.append("__labels has a column whose hierarchy is not released")
            continue
        by_order = not isinstance(policy.hierarchy(name, ordered=True), TREES)
        if differ and (released or not by_order):
            texts.append(
                f"__labels and the policy's hierarchy of {name!r} differ in {differ:,} labels"
            )
    return texts
