"""Judge a release that has sensitive values in tables of their own (local: buckets; anatomy:
groups) against its source, by the release, the source and the policy alone.

Which released row was which row of the source is not known, so what is asked is whether it can be
at all. A released row *may be* a row of the source where its labels stand for that row's values,
kept values are equal, an entry lies in a bucket exactly if the policy marks it as sensitive to that
row (a column that is ``*``, as in groups where it is hidden, leaves this open), and the value of
each such entry is one of its bucket's. From that follow conditions that every true release meets:

- **Rows.** Each released row can be assigned a row of the source, no two the same one: an
  assignment, found as a flow between distinct combinations.
- **Buckets.** Column by column, every value of a bucket, as often as the bucket has it, comes from
  a row of the source that one of the bucket's released rows may be in some assignment, no two from
  the same row. A flow too.
- **Totals.** The values in a column's buckets are values of the source's sensitive entries, no
  value more often than there; and of those entries no more are missing from the buckets than rows
  were left out and entries hidden.

What is not proved: that one and the same assignment serves rows and buckets, and all columns with
buckets at once. Already with one bucketized column that is a contingency table in three dimensions
(rows' labels, buckets, values), which is hard in general. So a release that passes may hide a
change that only the conditions taken together would show: values exchanged between buckets whose
rows look alike, or between rows that could be each other. That rows of a group are alike, and
groups large enough and true to their promises, :mod:`anonsql.verification.release_only` verifies.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from anonsql.engines.base import Column, Engine, OfColumn, Relation, ReleaseTables
from anonsql.errors import VerificationError
from anonsql.hierarchies.dimensions import Attribute
from anonsql.policy.columns import HARMLESS
from anonsql.policy.local import bucket_name
from anonsql.policy.policy import Policy
from anonsql.release.columns import COUNT, GROUP
from anonsql.verification.attack.assignment_graph import Effective, MatchGraph, effective_edges
from anonsql.verification.attack.matching import cover_released
from anonsql.verification.attack.pairs import Pairs
from anonsql.verification.attack.released import Released
from anonsql.verification.attack.relocated import casts_of
from anonsql.verification.attack.transport import Ints, greatest_flow
from anonsql.verification.facts import facts_of, missing_rows

MOST_PAIRS = 10_000_000
"""The greatest number of pairs of combinations that are joined; with more the judge gives up."""
_TRAVELS_NOT = ("float", "timestamp", "other")


@dataclass(frozen=True)
class JudgedBuckets:
    """What was found of one column: how many values its ``buckets`` have, how many ``sensitive``
    entries the source has and how many released entries are ``hidden``; and whether it is
    ``possible`` that every bucket has its values, None where that is too large to compute. All are
    None where the values cannot be compared, as they come from another engine."""

    buckets: int | None = None
    sensitive: int | None = None
    hidden: int | None = None
    possible: bool | None = None


@dataclass(frozen=True)
class JudgedApart:
    """What was found. ``matches`` are the pairs of rows that fit, ``ineffective`` those of them
    that no assignment uses, ``together`` whether there is an assignment; the three are None where
    they are too large to compute."""

    originals: int
    released: int
    matches: int | None
    ineffective: int | None
    together: bool | None
    buckets: Mapping[str, JudgedBuckets]


@dataclass(frozen=True)
class Valued:
    """A column that is kept, or whose values lie in buckets.

    ``facet`` is the number under which its values are compared, None where they cannot be; the
    casts are the types to compare them as, on either side, None for their own. Of buckets:
    ``bucket`` is the column that names them, ``table`` is theirs, and ``label`` the facet of the
    column's labels where it is sensitive to some rows only.
    """

    number: int
    facet: int | None
    original: Column
    original_cast: str | None = None
    released_cast: str | None = None
    bucket: str | None = None
    table: Relation | None = None
    label: int | None = None

    @property
    def text(self) -> bool:
        """Whether values are compared as text."""
        own = self.own.cast if self.bucket else None
        return "VARCHAR" in (own or self.original.type, self.original_cast)

    @property
    def own(self) -> _Own:
        """The column as value expressions take it."""
        return _Own(self.original)

    @property
    def of_source(self) -> tuple[_Own | None, str, str | None, bool]:
        """The parameters of the macro own_value of verification/attack/macros."""
        return self.own if self.bucket else None, self.original.name, self.original_cast, self.text


@dataclass(frozen=True)
class _Own(OfColumn):
    """A column of the source in the shape in which the templates take an attribute."""

    column: Column


def against_source(
    engine: Engine,
    release: ReleaseTables,
    policy: Policy,
    source: Relation,
    attributes: Sequence[Attribute],
) -> JudgedApart:
    """Judge a release that is right by itself, see :func:`anonsql.verification.release_only.prove`,
    against the source that ``engine`` has, whose dimension tables dim_<index> are made for
    ``attributes``. Raise VerificationError listing every offence."""
    valued, offences = valued_columns(policy, engine, release, source, attributes)
    if offences:
        raise VerificationError(offences)
    judging = ScratchTables(engine, release, policy, attributes, valued)
    try:
        judging.make(source)
        originals, released = judging.total("judged_cells"), judging.total("judged_tuples")
        missing = missing_rows(facts_of(release))
        if released + missing != originals:
            text = (
                f"the source has {originals:,} rows, the release accounts for"
                f" {released + missing:,}"
            )
            offences.append(text)
        offences += judging.uncovering()
        buckets = {column.original.name: JudgedBuckets() for column in valued if column.bucket}
        for column in judging.compared:
            name = column.original.name
            buckets[name], more = judging.totals(column, missing)
            offences += more
        if offences:
            raise VerificationError(offences)
        return judging.assigned(JudgedApart(originals, released, None, None, None, buckets))
    finally:
        judging.drop()


def valued_columns(
    policy: Policy,
    engine: Engine,
    release: ReleaseTables,
    source: Relation,
    attributes: Sequence[Attribute],
    *,
    roles: Collection[str] = HARMLESS,
) -> tuple[list[Valued], list[str]]:
    """Return the columns that are kept, of some ``roles``, or in buckets, and those that cannot be
    compared with the source's."""
    travels = release.engine is not engine
    columns = {column.name: column for column in release.engine.columns(release.rows)}
    labels = {attribute.name: attribute.index for attribute in attributes}
    most = max(labels.values(), default=0)
    result: list[Valued] = []
    offences: list[str] = []
    for original in engine.columns(source):
        part = policy.tabled.get(original.name)
        column = policy.columns.get(original.name)
        if part is None and (column is None or column.role not in roles or not column.comparable):
            continue
        number = len(result) + 1
        each = Valued(number, 2 * most + number, original)
        released, compared = columns.get(original.name), original
        if part is not None:
            table = release.extras[part]
            released = {one.name: one for one in release.engine.columns(table)}[original.name]
            compared = replace(original, type=original.cast or original.type)
            bucket = GROUP.name if policy.separated else bucket_name(original.name)
            label = most + labels[original.name] if original.name in labels else None
            each = replace(each, bucket=bucket, table=table, label=label)
        casts = None if released is None else casts_of(compared, released, travels=travels)
        if casts is None:
            what = f"{released.family} in the release" if released else "missing in the release"
            text = f"the values of {original.name!r} cannot be compared: {what}"
            offences.append(f"{text}, {original.family} in the source")
        elif travels and original.kind in _TRAVELS_NOT:
            result.append(replace(each, facet=None))
        else:
            result.append(replace(each, original_cast=casts[0], released_cast=casts[1]))
    return result, offences


class ScratchTables:
    """The scratch tables beside release and source. Only counts and meaningless numbers are read
    from them. ``masks``: rows that are masked may be left aside."""

    def __init__(
        self,
        engine: Engine,
        release: ReleaseTables,
        policy: Policy,
        attributes: Sequence[Attribute],
        valued: Sequence[Valued],
        *,
        masks: bool = False,
    ) -> None:
        self._engine, self._release, self._reader = engine, release, release.engine
        self._policy, self._attributes, self._valued = policy, attributes, valued
        released = Released.of(
            release, policy, [(attribute.index, attribute.name) for attribute in attributes]
        )
        self._released = replace(released, sensitive=(), masks=masks and released.masks)
        self._labels = [(attribute, *self._facet(attribute)) for attribute in attributes]
        facets = [facet for _, facet, _ in self._labels]
        facets += [column.facet for column in valued if column.facet is not None]
        self._facets, self._pairs = facets, Pairs(engine, facets, MOST_PAIRS)
        self._stars: dict[int, list[int]] = {}
        self._made: list[tuple[Engine, str]] = []

    @property
    def labels(self) -> list[tuple[str, int]]:
        """The columns with labels, and the facets of these."""
        return [(attribute.name, facet) for attribute, facet, _ in self._labels]

    def number_of(self, name: str) -> int:
        """Return the number of a column that is kept, or whose values lie in buckets."""
        return next(one.number for one in self._valued if one.original.name == name)

    @property
    def compared(self) -> list[Valued]:
        """The columns whose values lie in buckets and can be compared."""
        return [column for column in self._valued if column.bucket and column.facet is not None]

    @property
    def _travels(self) -> bool:
        return self._reader is not self._engine

    def make(self, source: Relation) -> None:
        """Make the scratch tables: the rows of release and source, and which values may be which,
        column by column."""
        engine, texts = self._engine, "VARCHAR" if self._travels else None
        rows = [
            (
                column.number,
                column.bucket or column.original.name,
                None if column.bucket else texts or column.released_cast,
            )
            for column in self._valued
        ]
        self._released.put_together(self._release, rows)
        self._made.append((self._reader, "judged_rows"))
        for attribute, facet, bucket in self._labels:
            cover_released(engine, self._reader, self._released, attribute)
            self._made.append((engine, f"covers_{attribute.index}"))
            if bucket is not None:
                self._stars[facet] = self._starred(attribute)
                parameters = {"index": attribute.index, "facet": facet, "stars": self._stars[facet]}
                self._run(f"covers_{facet}", "verification/attack/label_covers", **parameters)
        if self._travels:
            self._bring_rows()
        for column in self._valued:
            if column.facet is not None:
                self._cover(column, source)
        self._count(source)

    def code_draw(self, completed: Relation, draw: str) -> None:
        """Make attacked_drawn of the first draw of a completed table, which lies beside the
        source; ``draw`` is its column that numbers draws."""
        valued = [
            (one.number, one.facet, one.original.name, one.released_cast, one.text)
            for one in self._valued
            if one.facet is not None
        ]
        parameters: dict[str, Any] = {"table": completed, "draw": draw, "valued": valued}
        parameters["labels"] = [(attribute, facet) for attribute, facet, _ in self._labels]
        parameters["facets"] = [f"v{number}" for number in self._facets]
        self._run("attacked_drawn", "attacks/drawn", **parameters)

    def total(self, table: str) -> int:
        """Return how many rows a side's ``table`` counts."""
        return int(self._engine.query("verification/attack/rows_in_all", table=table)[0][0])

    def uncovering(self) -> list[str]:
        """Return the offences of released labels, kept values and buckets that stand for nothing in
        the source."""
        subjects = [(facet, f"values of {label.name!r} stand") for label, facet, _ in self._labels]
        for column in self._valued:
            what = "buckets" if column.bucket else "values"
            if column.facet is not None:
                subjects.append((column.facet, f"{what} of {column.original.name!r} stand"))
        offences = []
        for facet, what in subjects:
            count, all_values = self._engine.query("verification/attack/uncovering", facet=facet)[0]
            text = f"{count:,} of {all_values:,} distinct {what} for no value of the source"
            offences += [text] * (count > 0)
        return offences

    def totals(self, column: Valued, missing: int) -> tuple[JudgedBuckets, list[str]]:
        """Return what is in the buckets of a column, and the offences where that cannot come from
        the source's sensitive entries, ``missing`` rows having been left out."""
        stars = self._stars.get(column.label or 0, [])
        parameters = {
            "j": column.number,
            "facet": column.facet,
            "label": column.label,
            "stars": stars,
        }
        held, sensitive, surplus, hidden = self._engine.query(
            "verification/attack/bucket_totals", **parameters
        )[0]
        name, offences = column.original.name, []
        if surplus:
            text = (
                f"{surplus:,} values of {name!r} in buckets are of no sensitive cell of the source"
            )
            offences.append(f"{text} that is not another's already")
        if held < (least := sensitive - missing - hidden):
            text = f"{held:,} values of {name!r} are in buckets, {least:,} at least are sensitive"
            offences.append(f"{text} in the source, neither left out nor hidden")
        return JudgedBuckets(held, sensitive, hidden), offences

    def assigned(self, judged_apart: JudgedApart) -> JudgedApart:
        """Return ``judged_apart`` with what assignments allow; raise VerificationError where there
        is no assignment."""
        if not self._pairs.join():
            return judged_apart
        graph = self._pairs.graph()
        effective = effective_edges(graph)
        if effective.unassigned.any():
            lacking = unassigned(graph)
            text = (
                f"{lacking:,} released rows can, with their kept values and those of their buckets,"
                " be no row of the source"
            )
            raise VerificationError([f"{text} that is not another's already"])
        offences, buckets = [], dict(judged_apart.buckets)
        for column in self.compared:
            name = column.original.name
            if lacking := self._lacking(graph, effective, column):
                text = f"{lacking:,} values of {name!r} in buckets can be of none of the rows there"
                offences.append(f"{text} that is not another's already")
            buckets[name] = replace(buckets[name], possible=not lacking)
        if offences:
            raise VerificationError(offences)
        weights = graph.weights
        return replace(
            judged_apart,
            matches=int(weights.sum()),
            ineffective=int(weights[~effective.edges].sum()),
            together=True,
            buckets=buckets,
        )

    def drop(self) -> None:
        """Drop all scratch tables."""
        self._pairs.drop()
        for engine, table in self._made:
            engine.drop(table)
        self._made.clear()

    def _facet(self, attribute: Attribute) -> tuple[int, int | None]:
        """Return the facet of an attribute's labels, and the number of the column of its buckets,
        None where it has none."""
        for column in self._valued:
            if column.label is not None and column.original.name == attribute.name:
                return column.label, column.number
        return attribute.index, None

    def _starred(self, attribute: Attribute) -> list[int]:
        """Return the numbers of the labels of an attribute that are *."""
        bounds = next(bounds for i, _, bounds in self._released.labels if i == attribute.index)
        parameters = {"i": attribute.index, "bounds": len(bounds)}
        rows = self._reader.query("verification/attack/values", **parameters)
        return [number for number, label, *_ in rows if label == "*"]

    def _bring_rows(self) -> None:
        """Bring the released rows, published as they are, to where the source is."""
        kept = [
            (f"y{column.number}", "BIGINT" if column.bucket else "VARCHAR")
            for column in self._valued
        ]
        columns = [*((name, "BIGINT") for name in self._released.values), *kept, ("n", "BIGINT")]
        names = [name for name, _ in columns]
        rows = self._reader.query("verification/facts", table="judged_rows", columns=names)
        self._load("judged_rows", columns, rows)

    def _cover(self, column: Valued, source: Relation) -> None:
        """Number the values of a column, and pair each with the released values that it agrees
        with."""
        a, name, cast, text = column.of_source
        parameters: dict[str, Any] = {"j": column.number, "facet": column.facet, "text": text}
        of_source = {"source": source, "a": a, "column": name, "cast": cast}
        self._run(
            f"judged_values_{column.number}",
            "verification/attack/source_values",
            **of_source,
            **parameters,
        )
        if column.bucket is not None:
            table = {"table": column.table, "bucket": column.bucket, "column": name}
            table |= {"count": COUNT.name}
            if self._travels:
                brought = f"brought_buckets_{column.number}"
                rows = self._reader.query("verification/attack/bucket_texts", **table)
                columns = [("bucket", "BIGINT"), ("value", "VARCHAR"), ("n", "BIGINT")]
                self._load(brought, columns, rows)
                table = {"table": (brought,), "bucket": "bucket", "column": "value", "count": "n"}
            made = f"judged_buckets_{column.number}"
            self._run(
                made,
                "verification/attack/bucket_values",
                **table,
                cast=column.released_cast,
                **parameters,
            )
        parameters |= {"buckets": column.bucket is not None, "everywhere": column.label is None}
        self._run(f"covers_{column.facet}", "verification/attack/value_covers", **parameters)

    def _count(self, source: Relation) -> None:
        """Make judged_cells and judged_tuples."""
        self.count_cells(source)
        with_facets = [column for column in self._valued if column.facet is not None]
        kept = [
            (facet.number, facet.facet, facet.released_cast if self._travels else None, facet.text)
            for facet in with_facets
            if not facet.bucket
        ]
        buckets = [(facet.number, facet.facet) for facet in with_facets if facet.bucket]
        labels_of = [(attribute.index, facet, bucket) for attribute, facet, bucket in self._labels]
        parameters = {"labels": labels_of, "kept": kept, "buckets": buckets}
        parameters["facets"] = [f"v{number}" for number in self._facets]
        self._run("judged_tuples", "verification/attack/apart_tuples", **parameters)

    def count_cells(self, source: Relation) -> None:
        """Make judged_cells of the rows of a table that has the columns of the source."""
        self.code_rows(source, "verification/attack/apart_cells")
        self._made.append((self._engine, "judged_cells"))

    def code_rows(self, source: Relation, template: str, **more: Any) -> None:
        """Run a template on a table that has the columns of the source, with what the macros
        coded_rows and coded_values take."""
        conditions, facets = self._policy.conditions, [f"v{number}" for number in self._facets]
        texts = [column.name for column in self._engine.columns(source) if column.kind == "text"]
        conditions_of = {name: condition.over(texts) for name, condition in conditions.items()}
        labels = [(label, facet, conditions_of.get(label.name)) for label, facet, _ in self._labels]
        with_facets = [column for column in self._valued if column.facet is not None]
        valued = [(facet.number, facet.facet, *facet.of_source) for facet in with_facets]
        coded: dict[str, Any] = {"labels": labels, "valued": valued, "facets": facets}
        self._engine.run(template, source=source, **coded, **more)

    def _lacking(self, graph: MatchGraph, effective: Effective, column: Valued) -> int:
        """Return how many values in the buckets of a column no row of the source can have."""
        facet = [f"v{column.facet}"]
        value, bucket = self._pairs.cells(facet)[0], self._pairs.tuples(facet)[0]
        names = {"table": f"judged_buckets_{column.number}", "columns": ["bucket", "x", "n"]}
        wanted = np.array(self._engine.query("verification/facts", **names), dtype=np.int64)
        return lacking_values(graph, effective, value, bucket, wanted.reshape(-1, 3))

    def _load(
        self, table: str, columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[object]]
    ) -> None:
        if not rows:
            raise VerificationError(["no row of the source is in the release"])
        self._engine.load(table, columns, rows)
        self._made.append((self._engine, table))

    def _run(self, made: str, template: str, /, **parameters: Any) -> None:
        self._engine.run(template, **parameters)
        self._made.append((self._engine, made))


def unassigned(graph: MatchGraph) -> int:
    """Return how many released rows no assignment can give a row of the source."""
    cells, tuples = len(graph.originals), len(graph.released)
    none = np.zeros(tuples, dtype=np.int64)
    supply = np.concatenate([graph.originals, none])
    demand = np.concatenate([np.zeros(cells, dtype=np.int64), graph.released])
    capacity = np.minimum(graph.originals[graph.cell], graph.released[graph.tuple])
    flow = greatest_flow(supply, demand, graph.cell, cells + graph.tuple, capacity)
    return int(graph.released.sum() - flow.sum())


def lacking_values(
    graph: MatchGraph, effective: Effective, value: Ints, bucket: Ints, wanted: Ints
) -> int:
    """Return how many values of buckets cannot be those of different rows of the source that may be
    in them. ``value`` is that of each combination of the source, ``bucket`` that of each released
    tuple, 0 where it is in none; ``wanted`` has the buckets' (bucket, value, rows)."""
    chosen = effective.edges & (bucket[graph.tuple] != 0)
    pairs = np.stack([bucket[graph.tuple[chosen]], value[graph.cell[chosen]]], axis=1)
    number = np.unique(np.concatenate([wanted[:, :2], pairs]), axis=0, return_inverse=True)[1]
    number = number.ravel()
    places = int(number.max(initial=-1)) + 1
    cells = len(graph.originals)
    edges = np.unique(np.stack([graph.cell[chosen], number[len(wanted) :]], axis=1), axis=0)
    supply = np.concatenate([graph.originals, np.zeros(places, dtype=np.int64)])
    demand = np.zeros(cells + places, dtype=np.int64)
    np.add.at(demand, cells + number[: len(wanted)], wanted[:, 2])
    tail, head = edges[:, 0], cells + edges[:, 1]
    flow = greatest_flow(supply, demand, tail, head, np.minimum(supply[tail], demand[head]))
    return int(demand.sum() - flow.sum())
