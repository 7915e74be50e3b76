"""A release and its source as scratch tables of numbers: which released value of a column may be
which value of the source. The source's engine determines by the dimension tables which values of
the data each reading of a label includes.

The columns that are compared are *facets*: labels, kept values, buckets of values.
``covers_<facet>`` says which released value of a facet may be which value of the source;
``judged_tuples`` and ``judged_cells`` have a column v<facet> of numbers for each, and count the
equal rows of release and source.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from anonsql.engines.base import Engine, PlainColumn, Relation, ReleaseTables
from anonsql.engines.exported_columns import bring
from anonsql.grammar.labels import Ends
from anonsql.hierarchies.dimensions import Attribute
from anonsql.labels.bench import Bench, bench_for
from anonsql.labels.readings import ask_released, range_type, read_labels
from anonsql.policy.table_plan import TablePlan
from anonsql.release.columns import COUNT
from anonsql.system.arrays import IntArray, np
from anonsql.verification.linking.valued import Released, Valued, ends


class ScratchTables:
    """The scratch tables of a release and its source. Only counts and meaningless numbers are read
    from them. Masked rows are left out. ``carried`` are further columns of the released rows,
    available as y<number> and not compared. ``person`` is the column of the source that identifies
    people: its rows are counted by person then, as numbers ``who``."""

    def __init__(
        self,
        engine: Engine,
        release: ReleaseTables,
        policy: TablePlan,
        attributes: Sequence[Attribute],
        valued: Sequence[Valued],
        *,
        carried: Sequence[str] = (),
        person: PlainColumn | None = None,
    ) -> None:
        self.person = person
        self.engine, self.release, self._reader = engine, release, release.engine
        self.policy, self.attributes, self.valued = policy, attributes, valued
        self.released = Released.of(
            release, policy, [(attribute.index, attribute.name) for attribute in attributes]
        )
        self._labels = [(attribute, *self._facet(attribute)) for attribute in attributes]
        self.compared = [column for column in valued if column.facet is not None]
        self.facets = [facet for _, facet, _ in self._labels]
        self.facets += [column.facet for column in self.compared if column.facet is not None]
        self.carried = {name: len(valued) + place for place, name in enumerate(carried, start=1)}
        self._stars: dict[int, list[int]] = {}
        self._made: list[tuple[Engine, str]] = []

    @property
    def labels(self) -> list[tuple[str, int]]:
        """The columns with labels, each with its facet."""
        return [(attribute.name, facet) for attribute, facet, _ in self._labels]

    def number_of(self, name: str) -> int:
        """Return the number of a column that is kept, or whose values are in buckets."""
        return next(one.number for one in self.valued if one.original.name == name)

    @property
    def travels(self) -> bool:
        """Whether released rows are brought to another engine, as texts."""
        return self._reader is not self.engine

    def make(self, source: Relation) -> None:
        """Make the scratch tables: the rows of release and source, and which values may be which,
        column by column."""
        texts = "VARCHAR" if self.travels else None
        rows = [
            (
                column.number,
                column.bucket or column.original.name,
                None if column.bucket else texts or column.released_cast,
            )
            for column in self.valued
        ]
        rows += [(number, name, texts) for name, number in self.carried.items()]
        self.released.put_together(self.release, rows)
        self._made.append((self._reader, "judged_rows"))
        for attribute, facet, bucket in self._labels:
            self._cover_labels(attribute)
            if bucket is not None:
                self._stars[facet] = self._starred(attribute)
                parameters = {"index": attribute.index, "facet": facet, "stars": self._stars[facet]}
                self.run(f"covers_{facet}", "verification/linking/label_covers", **parameters)
        if self.travels:
            self._bring_rows()
        for column in self.compared:
            self._cover(column, source)
        self.count_cells(source)
        self.code_released("verification/linking/tuples", "judged_tuples", masked=0)

    def code_draw(self, completed: Relation, draw: str) -> None:
        """Make attacked_drawn of the first draw of a completed table, which is on the source's
        engine; ``draw`` is its column that numbers draws."""
        valued = [
            (one.number, one.facet, one.original.name, one.released_cast, one.text)
            for one in self.compared
        ]
        parameters: dict[str, Any] = {"table": completed, "draw": draw, "valued": valued}
        parameters["labels"] = [(attribute, facet) for attribute, facet, _ in self._labels]
        parameters["facets"] = names(self.facets)
        self.run("attacked_drawn", "attacks/drawn", **parameters)

    def total(self, table: str) -> int:
        """Return how many rows a side's ``table`` counts."""
        return int(self.engine.query("verification/linking/rows_in_all", table=table)[0][0])

    def stars(self, column: Valued) -> list[int]:
        """Return the numbers of the labels that are * of a column that is in buckets."""
        return self._stars.get(column.label or 0, [])

    def count_cells(self, source: Relation) -> None:
        """Make judged_cells of the rows of a table that has the columns of the source."""
        self.code_rows(source, "verification/linking/cells", person=self.person)
        self._made.append((self.engine, "judged_cells"))

    def code_rows(self, source: Relation, template: str, **more: Any) -> None:
        """Run a template on a table that has the columns of the source, with what the macros
        coded_rows and coded_values take."""
        conditions = self.policy.conditions
        texts = [column.name for column in self.engine.columns(source) if column.kind == "text"]
        conditions_of = {name: condition.over(texts) for name, condition in conditions.items()}
        labels = [(label, facet, conditions_of.get(label.name)) for label, facet, _ in self._labels]
        valued = [(one.number, one.facet, *one.of_source) for one in self.compared]
        coded = {"labels": labels, "valued": valued, "facets": names(self.facets)}
        self.engine.run(template, source=source, **coded, **more)

    def code_released(self, template: str, made: str, **more: Any) -> None:
        """Make a table of a template on the released rows, with what the macros coded_released
        takes."""
        kept = [
            (one.number, one.facet, one.released_cast if self.travels else None, one.text)
            for one in self.compared
            if not one.bucket
        ]
        buckets = [(one.number, one.facet) for one in self.compared if one.bucket]
        labels = [(attribute.index, facet, bucket) for attribute, facet, bucket in self._labels]
        coded = {"labels": labels, "kept": kept, "buckets": buckets, "facets": names(self.facets)}
        self.run(made, template, made=made, **coded, **more)

    def run(self, made: str, template: str, /, **parameters: Any) -> None:
        """Run a template that makes a table, which is dropped at last."""
        self.engine.run(template, **parameters)
        self._made.append((self.engine, made))

    def drop(self) -> None:
        """Drop all scratch tables."""
        for engine, table in self._made:
            engine.drop(table)
        self._made.clear()

    def _facet(self, attribute: Attribute) -> tuple[int, int | None]:
        """Return the facet of an attribute's labels, and the number of the column of its buckets,
        None where it has none."""
        for column in self.valued:
            if column.label is not None and column.original.name == attribute.name:
                return column.label, column.number
        return attribute.index, None

    def _cover_labels(self, attribute: Attribute) -> None:
        index, released = attribute.index, self.released
        bounds = next(bounds for label, _, bounds in released.labels if label == index)
        types, arrays = ends(bounds, [bound.type for bound in bounds]), index not in released.texts
        with bench_for(self._reader) as bench:
            template = "verification/linking/values"
            ask_released(bench, self._reader, template, bounds, arrays, i=index)
            level = released.levels.get(index)
            cover(self.engine, bench, attribute, every=True, level=level, bounds=types)
        self._made.append((self.engine, f"covers_{index}"))

    def _starred(self, attribute: Attribute) -> list[int]:
        bounds = next(bounds for i, _, bounds in self.released.labels if i == attribute.index)
        parameters = {"i": attribute.index, "bounds": len(bounds)}
        rows = self._reader.query("verification/linking/values", **parameters)
        return [number for number, label, *_ in rows if label == "*"]

    def _bring_rows(self) -> None:
        kept = [
            (f"y{column.number}", "BIGINT" if column.bucket else "VARCHAR")
            for column in self.valued
        ]
        kept += [(f"y{number}", "VARCHAR") for number in self.carried.values()]
        columns = [*((name, "BIGINT") for name in self.released.values), *kept]
        columns += [("masked", "BIGINT"), ("n", "BIGINT")]
        taken = [name for name, _ in columns]
        rows = self._reader.query("verification/facts", table="judged_rows", columns=taken)
        self._load("judged_rows", columns, rows)

    def _cover(self, column: Valued, source: Relation) -> None:
        """Number the values of a column, and pair each with the released values that it agrees
        with."""
        a, name, cast, text = column.of_source
        parameters: dict[str, Any] = {"j": column.number, "facet": column.facet, "text": text}
        of_source = {"source": source, "a": a, "column": name, "cast": cast}
        values = f"judged_values_{column.number}"
        self.run(values, "verification/linking/source_values", **of_source, **parameters)
        if column.bucket is not None:
            table = {"table": column.table, "bucket": column.bucket, "column": name}
            table |= {"count": COUNT.name}
            if self.travels:
                brought = f"brought_buckets_{column.number}"
                rows = self._reader.query("verification/linking/bucket_texts", **table)
                columns = [("bucket", "BIGINT"), ("value", "VARCHAR"), ("n", "BIGINT")]
                self._load(brought, columns, rows)
                table = {"table": (brought,), "bucket": "bucket", "column": "value", "count": "n"}
            self.run(
                f"judged_buckets_{column.number}",
                "verification/linking/bucket_values",
                **table,
                cast=column.released_cast,
                **parameters,
            )
        parameters |= {"buckets": column.bucket is not None, "everywhere": column.label is None}
        self.run(f"covers_{column.facet}", "verification/linking/value_covers", **parameters)

    def _load(
        self, table: str, columns: Sequence[tuple[str, str]], rows: Sequence[Sequence[object]]
    ) -> None:
        self.engine.load(table, columns, rows)
        self._made.append((self.engine, table))


def names(facets: Sequence[int]) -> list[str]:
    """Return the columns of facets."""
    return [f"v{facet}" for facet in facets]


def cover(
    engine: Engine,
    bench: Bench,
    attribute: Attribute,
    *,
    every: bool,
    level: int | None = None,
    bounds: Ends = (None, None),
) -> tuple[IntArray, IntArray]:
    """Make the table ``covers_<index>`` (label, code) of the values of the data that each value of
    the bench's ``labels_asked`` covers, by ``dim_<index>``; return the numbers of the values that
    cover any, and how many each covers.

    With ``every``, a label covers the values of all its readings, of a set the values of its known
    elements: all values that it may have been made from. Without, it covers the values of its first
    reading whose parts are all known: its most likely meaning. ``level`` is the level of the
    released nodes, where the release states it; ``bounds`` are the types of the bounds columns: a
    value outside its label's bounds is not covered.
    """
    words, limits = f"words_{attribute.index}", f"limits_{attribute.index}"
    read = read_labels(bench, attribute.column, words)
    if read.limits:
        bench.run("labels/limits", limits, into=limits)
    loaded = [words, limits] if read.limits else [words]
    if bench.engine is not engine:
        for table in loaded:
            bring(bench.engine, table, engine, engine.context.workspace)
    stated = level is not None and 0 <= level <= attribute.height
    engine.run(
        "verification/covers",
        a=attribute,
        levels=[level] if stated else list(range(attribute.height + 1)),
        every=every,
        spans=read.spans,
        names=read.names,
        limits=read.limits,
        span_type=range_type(attribute.column),
        lo_type=_comparable(bounds[0] or "DOUBLE"),
        hi_type=_comparable(bounds[1] or "DOUBLE"),
    )
    engine.drop(*loaded)
    none = np.zeros(0, np.int64)
    labels, counts = engine.numbers("verification/widths", a=attribute) or (none, none)
    return labels, counts


def _comparable(kind: str) -> str:
    if kind.upper() in ("HUGEINT", "UHUGEINT"):
        return "DECIMAL(38, 0)"
    return "DOUBLE" if kind.upper() == "DECIMAL" else kind
