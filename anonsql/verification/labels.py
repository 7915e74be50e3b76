"""The released values of each quasi-identifying column and the published ``__labels``, compared
with the values that the policy's method and hierarchies can make.

By the release and the policy alone: which labels can occur, and whether bounds agree with their
labels. Where the hierarchy does not list its leaves, any value may occur at level 0: which ones
exist, only the source shows.

A release that has no equivalence classes (rings) is held to more: whether enough rows can have each
value that it names. A set names its elements, an interval its ends, and a release whose values are
built from the data, as rings are (Wong, Mamoulis, Cheung 2010, section 5.1), names only values that
occur in the source. A row of the source with that value must effectively match at least k released
rows, so at least k must cover the value: who has fewer than k matches in one column alone has fewer
than k in all columns together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from anonsql.engines.base import Column, ReleaseTables, StatedColumn
from anonsql.grammar.forms import Looks
from anonsql.labels.bench import TREES, Bench
from anonsql.labels.hierarchies import hierarchy_of
from anonsql.labels.reading import LabelVerdict, NamedColumn, read_meanings, read_values
from anonsql.labels.readings import ends_of, range_type, read_labels
from anonsql.labels.shapes import Shape
from anonsql.policy.hierarchy import (
    BreaksHierarchy,
    DateHierarchy,
    IntervalHierarchy,
    MaskHierarchy,
)
from anonsql.policy.resolved import KEYED
from anonsql.policy.table_plan import TablePlan
from anonsql.verification.classes import Proof
from anonsql.verification.facts import bounds_names

_ORDERED = (IntervalHierarchy, BreaksHierarchy, DateHierarchy)
"""Hierarchies of numbers and dates alone."""


@dataclass(frozen=True)
class ReadLabels:
    """How the distinct released values of a column were read in one way, and the verdict on it."""

    shape: Shape
    verdict: LabelVerdict


@dataclass
class DescribedColumn:
    """What was found on a column's released values: what ``__columns`` must say of them, where that
    is known, and the offences."""

    looks: Looks | None
    offences: list[str] = field(default_factory=list)


def bounds_of(name: str, columns: Mapping[str, Column], policy: TablePlan) -> list[Column]:
    """Return the bounds columns of a column that a release has."""
    names = (f"{name}_{end}" for end in ("lo", "hi"))
    return [columns[name] for name in names if name in columns and name in bounds_names(policy)]


def describe(
    bench: Bench,
    release: ReleaseTables,
    policy: TablePlan,
    stated: Mapping[str, StatedColumn | None],
    masked: Sequence[str],
) -> dict[str, DescribedColumn]:
    """Compare the released values of some columns with the ways in which they can be released, in
    rows that do not have ``*`` in all ``masked`` columns. ``stated`` is what ``__columns`` says of
    each; where values fit two ways, its looks decide."""
    columns = {column.name: column for column in release.engine.columns(release.rows)}
    described: dict[str, DescribedColumn] = {}
    ways: dict[str, list[Shape]] = {}
    for name, of_it in stated.items():
        bounds = bounds_of(name, columns, policy)
        level = None if of_it is None else of_it.level
        if offence := _bounds_offence(policy, name, bounds):
            described[name] = DescribedColumn(None, [offence])
        elif shapes := shapes_of(bench, policy, name, bounds, level):
            ways[name] = shapes
        else:
            text = f"__columns states level {level} for {name!r}"
            described[name] = DescribedColumn(None, [text])
    return described | _read(bench, release, policy, (columns, stated, masked), ways)


def released(proof: Proof) -> list[str]:
    """Return what is wrong with released labels and their bounds; set the levels and looks of
    labels that were read."""
    masked = proof.labels if proof.masked else []
    leveled = proof.policy.method.leveled
    offences, proof.looks = described(
        proof.bench, proof.release, proof.policy, masked, leveled=leveled
    )
    return offences


def described(
    bench: Bench, release: ReleaseTables, policy: TablePlan, masked: Sequence[str], *, leveled: bool
) -> tuple[list[str], dict[str, tuple[int | None, Looks]]]:
    """Return what is wrong with the labels of a table and their bounds, and the levels (if any) and
    looks of the read labels that ``__columns`` must state: see :func:`describe`."""
    said = {one.name: one for one in release.stated_columns}
    stated = {name: said.get(name) for name in policy.quasi_identifiers}
    found = describe(bench, release, policy, stated, masked)
    looks = {
        name: (said[name].level if leveled and name in said else None, column.looks)
        for name, column in found.items()
        if column.looks is not None
    }
    return [text for column in found.values() for text in column.offences], looks


def _bounds_offence(policy: TablePlan, name: str, bounds: Sequence[Column]) -> str | None:
    if len(bounds) == 1 or (bounds and not policy.release.bounds):
        return f"{name!r} has bounds columns that the policy does not ask for, or only one of two"
    spec = policy.hierarchy(name, ordered=True)
    if not bounds and policy.release.bounds and isinstance(spec, _ORDERED):
        return f"the bounds columns of {name!r} are missing"
    return None


def shapes_of(
    bench: Bench, policy: TablePlan, name: str, bounds: Sequence[Column], level: int | None
) -> list[Shape]:
    """Return the ways in which a column can be released; more than one where the release does not
    show whether its values are ordered."""
    shapes = []
    settings = policy.columns[name]
    for ordered in _ordered(policy, name, bounds):
        kind = bounds[0].type if bounds else None
        own = hierarchy_of(bench, policy, name, ordered=ordered, bounds_type=kind)
        form = policy.method.form(ordered=ordered, least=settings.min_level or 0)
        least, most = settings.min_level or 0, settings.max_level
        if form == "level":
            if level is None or not least <= level <= (own.height if most is None else most):
                continue
            least = most = level
        most = own.height if most is None else min(most, own.height)
        withheld = name in policy.conditions
        shape = Shape(name, form, own, least, most, bool(bounds), withheld)
        if shape not in shapes:  # ordered or not, most hierarchies are the same
            shapes.append(shape)
    return shapes


def _ordered(policy: TablePlan, name: str, bounds: Sequence[Column]) -> tuple[bool, ...]:
    """Return whether a column's values are ordered (numbers or dates): one answer, or both where
    the release leaves it open."""
    if bounds:
        return (True,)
    spec = policy.hierarchy(name, ordered=True)
    if not policy.release.bounds:
        return (True,) if isinstance(spec, _ORDERED) else (True, False)
    if isinstance(spec, (*TREES, MaskHierarchy, *KEYED)):
        return (False, True)
    return (False,)


def _read(
    bench: Bench,
    release: ReleaseTables,
    policy: TablePlan,
    values: tuple[Mapping[str, Column], Mapping[str, StatedColumn | None], Sequence[str]],
    ways: Mapping[str, Sequence[Shape]],
) -> dict[str, DescribedColumn]:
    columns, stated, masked = values
    if not ways:
        return {}
    named = [
        NamedColumn(n, columns[name], [bound.name for bound in bounds_of(name, columns, policy)])
        for n, name in enumerate(ways)
    ]
    read_values(bench, release, named, masked)
    shapes = [(number, shape) for number, some in enumerate(ways.values()) for shape in some]
    verdicts = read_meanings(bench, shapes)
    read = [
        ReadLabels(shape, verdict) for (_, shape), verdict in zip(shapes, verdicts, strict=True)
    ]

    def misfit(labels: ReadLabels) -> tuple[int, bool]:
        said = stated[labels.shape.name]
        differs = said is None or labels.shape.looks != (said.form, said.looks_like)
        return len(_offences(labels)), differs

    chosen = [
        min((labels for labels in read if labels.shape.name == name), key=misfit) for name in ways
    ]
    return {
        labels.shape.name: DescribedColumn(labels.shape.looks, _offences(labels))
        for labels in chosen
    }


def _offences(read: ReadLabels) -> list[str]:
    verdict = read.verdict
    of_values = f"of {verdict.values:,} distinct values of {read.shape.name!r}"
    wrong = (
        (verdict.strange, "cannot result from the policy's hierarchy and method"),
        (verdict.confused, "have bounds that differ from those of their labels"),
    )
    return [f"{many:,} {of_values} {what}" for many, what in wrong if many]


_PUBLISHED = ["column_name", "level", "label", "leaf", "place"]
_PUBLISHED_TYPES = ["VARCHAR", "INTEGER", "VARCHAR", "VARCHAR", "INTEGER"]


def published(proof: Proof) -> list[str]:
    """Return where ``__labels`` and the policy differ. A column whose values the method takes
    in their own order may be missing from ``__labels``."""
    release, policy, bench = proof.release, proof.policy, proof.bench
    table, specs = release.extras.get("labels"), policy.released_hierarchies
    if table is None:
        return ["there is no __labels"] if specs else []
    columns = release.engine.columns(table)
    if [column.name for column in columns] != _PUBLISHED or [
        column.type for column in columns
    ] != _PUBLISHED_TYPES:
        return [f"__labels has other columns than {', '.join(_PUBLISHED)}"]
    if bench.engine is not release.engine:
        rows = release.engine.query("verification/facts", table=table, columns=_PUBLISHED)
        bench.load("labels_published", list(zip(_PUBLISHED, _PUBLISHED_TYPES, strict=True)), rows)
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


def named(proof: Proof) -> list[str]:
    """Return the columns that name values which fewer than k released rows can have. Released
    values are expected to be values of the data, or sets or closed intervals of such: the values
    below a label of a hierarchy's inner node are not known here."""
    bench, k = proof.bench, proof.policy.privacy.k
    columns = {column.name: column for column in proof.columns}
    bounds = {name: bounds_of(name, columns, proof.policy) for name in proof.labels}
    of_labels = [
        NamedColumn(number, columns[name], [end.name for end in bounds[name]])
        for number, name in enumerate(proof.labels)
    ]
    read_values(bench, proof.release, of_labels, proof.labels if proof.masked else [])
    offending = list[str]()
    for number, (name, ends) in enumerate(bounds.items()):
        kind = ends[0].type if ends else None
        few, many = exposed(bench, number, column_of(bench, number, name, kind), k)
        if few:
            text = f"values named in {name!r} can belong to fewer than k={k} rows"
            offending.append(f"{few:,} of {many:,} {text}")
    return offending


def exposed(bench: Bench, number: int, column: Column, k: int) -> tuple[int, int]:
    """Return how many values that a column's released values name are covered by fewer than k rows,
    and how many they name. The column has that ``number`` in the bench's ``labels_values``, and of
    ``column`` has the type of the source's."""
    bench.run("labels/asked_column", "labels_asked", column=number)
    read_labels(bench, column, "labels_readings")
    counts = bench.engine.query(
        "labels/exposed", k=k, span_type=range_type(column), **ends_of(column)
    )
    few, named = counts[0]
    return int(few), int(named)


def column_of(bench: Bench, number: int, name: str, bounds_type: str | None) -> Column:
    """Return the source's column as far as a release shows its type: by its bounds, or by the ends
    of its closed intervals. It has that ``number`` in the bench's ``labels_values``."""
    if bounds_type is not None:
        return Column(name, bounds_type)
    bench.run("labels/asked_column", "labels_asked", column=number)
    intervals, numbers, moments, timed = bench.engine.query("labels/interval_kinds")[0]
    if intervals and numbers == intervals:
        return Column(name, "DECIMAL")
    if intervals and moments == intervals:
        return Column(name, "TIMESTAMP" if timed else "DATE")
    return Column(name, "VARCHAR")
