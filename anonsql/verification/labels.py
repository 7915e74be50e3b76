"""The released values of each quasi-identifying column, compared with the values that the policy's
method and hierarchy can make.

By the release and the policy alone: which labels can occur, and whether bounds agree with their
labels. Where the hierarchy does not list its leaves, any value may occur at level 0: which ones
exist, only the source shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from anonsql.engines.base import Column, ReleaseTables, StatedColumn
from anonsql.grammar.forms import Looks
from anonsql.labels.bench import TREES, Bench
from anonsql.labels.hierarchies import hierarchy_of
from anonsql.labels.reading import LabelVerdict, NamedColumn, read_meanings, read_values
from anonsql.labels.shapes import Shape
from anonsql.policy.hierarchy import (
    BreaksHierarchy,
    DateHierarchy,
    IntervalHierarchy,
    MaskHierarchy,
)
from anonsql.policy.policy import Policy
from anonsql.policy.resolved import KEYED
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


def bounds_of(name: str, columns: Mapping[str, Column], policy: Policy) -> list[Column]:
    """Return the bounds columns of a column that a release has."""
    names = (f"{name}_{end}" for end in ("lo", "hi"))
    return [columns[name] for name in names if name in columns and name in bounds_names(policy)]


def describe(
    bench: Bench,
    release: ReleaseTables,
    policy: Policy,
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
            text = f"__columns says of {name!r} that its level is {level}"
            described[name] = DescribedColumn(None, [text])
    return described | _read(bench, release, policy, (columns, stated, masked), ways)


def _bounds_offence(policy: Policy, name: str, bounds: Sequence[Column]) -> str | None:
    """Return what is wrong with the bounds columns that there are; None where nothing is."""
    if len(bounds) == 1 or (bounds and not policy.release.bounds):
        return f"{name!r} has bounds columns that the policy does not ask for, or one alone"
    spec = policy.hierarchy(name, ordered=True)
    if not bounds and policy.release.bounds and isinstance(spec, _ORDERED):
        return f"the bounds columns of {name!r} are missing"
    return None


def shapes_of(
    bench: Bench, policy: Policy, name: str, bounds: Sequence[Column], level: int | None
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


def _ordered(policy: Policy, name: str, bounds: Sequence[Column]) -> tuple[bool, ...]:
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
    policy: Policy,
    values: tuple[Mapping[str, Column], Mapping[str, StatedColumn | None], Sequence[str]],
    ways: Mapping[str, Sequence[Shape]],
) -> dict[str, DescribedColumn]:
    """Read the columns whose ways of release are known, all in the same statements."""
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
    """Return what is wrong with values that were read in one way."""
    verdict = read.verdict
    of_values = f"of {verdict.values:,} distinct values of {read.shape.name!r}"
    wrong = (
        (verdict.strange, "are none that the policy's hierarchy and method have"),
        (verdict.confused, "have bounds that are not those of their labels"),
    )
    return [f"{many:,} {of_values} {what}" for many, what in wrong if many]
