"""Local generalization (Li, He, Sun, Local Generalization and Bucketization Technique for
Personalized Privacy Preservation, 2019, section 3.2): groups of at least k rows of the same
pattern, whose quasi-identifying entries are generalized.

``grouping: mdp`` (Algorithm 3) is Mondrian within the patterns, ``ncp`` (Algorithm 4) the top-down
greedy partition by the normalized certainty penalty. Numbers and dates are released as the interval
of a group's values, all else as their lowest common ancestor. A withheld entry has the code -1 and
a single position, so no cut separates such rows. Buckets are made independently
(:mod:`anonsql.methods.local.buckets`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from anonsql.engines.base import Column, Engine, Part, Relation
from anonsql.engines.target import Target
from anonsql.errors import InvariantError, Problem
from anonsql.grammar.forms import Looks
from anonsql.hierarchies.dimensions import Attribute
from anonsql.methods import groups
from anonsql.methods.base import Method, Recoded, Table, Work, by_of
from anonsql.methods.groups import Cells, Form, Grouped, GroupSizes
from anonsql.methods.local import buckets, greedy_partition, patterns, proof
from anonsql.methods.local.patterns import Marks, Widened
from anonsql.methods.local.settings import Local
from anonsql.methods.mondrian import method as mondrian
from anonsql.policy.local import bucket_name, bucket_parts
from anonsql.release import numbering, staging
from anonsql.release.columns import COUNT, GROUP, RECORD, ReleasedColumn
from anonsql.release.recoding import (
    By,
    ExpandedColumn,
    InBuckets,
    Recoding,
    looks_of,
    stage_expanded,
)
from anonsql.release.salts import fresh_salt
from anonsql.star.bucket_promises import Bucketized, promised
from anonsql.star.coded import Coded
from anonsql.system.numbers import rounded
from anonsql.verification import source as against_source


@dataclass(frozen=True)
class ByBuckets(By):
    """The scratch tables ``bucketed`` (see :mod:`anonsql.methods.local.buckets`), of rows with
    their groups and buckets, and ``groups``; the form of each attribute's values by index; and the
    marks, which name the columns that have buckets."""

    forms: Mapping[int, Form]
    marks: Marks
    dealt: Sequence[Bucketized]

    arrays: bool = False

    @property
    def withheld(self) -> Collection[int]:
        """The attributes that are withheld in some rows."""
        return self.marks.conditions

    def number(self, released: ReleasedColumn) -> int:
        """Return a column's number in ``bucketed``: k<number> if kept, b<number> of a bucket."""
        if released.kind == "bucket":
            return next(
                column.index
                for column in self.marks.bucketized
                if column.name == released.column.name
            )
        return next(
            (
                number
                for number, column in enumerate(self.marks.kept, start=1)
                if column.name == released.column.name
            ),
            0,
        )

    @property
    def parts(self) -> dict[Part, Coded]:
        """The tables of buckets, and the column of each."""
        parts = bucket_parts([column.name for column in self.marks.bucketized])
        return {parts[column.name]: column for column in self.marks.bucketized}

    def columns(self, coded: Coded) -> list[Column]:
        """Return the columns of the table of a column's buckets."""
        return [
            Column(bucket_name(coded.name), "BIGINT"),
            Column(coded.name, coded.cast or coded.column.released_type),
            COUNT,
        ]

    def described(self, attribute: Attribute) -> tuple[int | None, Looks]:
        looks = looks_of(attribute, self.forms[attribute.index])
        if attribute.index in self.marks.conditions:
            looks = looks._replace(text=f"{looks.text}; nothing where it is sensitive")
        return None, looks


class LocalMethod(Method[Local]):
    """Groups of rows of the same pattern, and buckets of the values that are sensitive to them."""

    settings = Local

    def unmet(self, table: Table) -> list[Problem]:
        """Return a problem for patterns of fewer than k rows that cannot be suppressed, and for
        values that are too frequent for the promised l."""
        marks, privacy, problems = _marks(table), table.policy.privacy, list[Problem]()
        lost = patterns.lost_rows(table.engine, privacy.k)
        if lost > privacy.max_suppressed(table.rows):
            text = (
                f"{lost:,} of {table.rows:,} rows have patterns of sensitive cells that fewer"
                f" than k={privacy.k} rows share."
            )
            remedy = "Raise the limit, lower k, or make a semi-sensitive column sensitive."
            problems.append(Problem("privacy.suppression_limit", text, remedy, unmet=True))
        for column in promised(privacy, marks.bucketized, self.parameters.least_bucket):
            patterns.count_own_values(table.engine, marks, column.coded)
            codes, counts = buckets.counts(table.engine, column, "marked")
            if len(codes):
                shown = table.show_values
                problem = buckets.unfit(table.engine, column, codes, counts, show_values=shown)
                problems += [problem] if problem else []
        return problems

    def recode(self, work: Work) -> Recoded:
        marks, privacy, cells = _marks(work), work.policy.privacy, work.cells()
        widening = work.widened or Widened()
        _require_within_limit(cells, widening.rows)
        widened = any(widening.widened.values())
        made, ncp = _group(cells, self.parameters, marks, widened=widened)
        # each group is a class of its own, because its number is released
        sizes = GroupSizes(*cells.engine.query("methods/local/patterns/sizes")[0])
        hidden = _hidden_cells(cells, marks) if widened else {}
        work.bench.give_back("assigned", "groups", *(("hidden",) if widened else ()))
        _lay_out(work.engine, marks, widened=widened)
        promises = promised(privacy, marks.bucketized, self.parameters.least_bucket)
        dealt = buckets.deal(work.engine, promises, whole="marked", show_values=work.show_values)
        names = {column.index: column.name for column in marks.bucketized}
        return Recoded(
            ByBuckets(made.forms, marks, promises),
            sizes.classes,
            sizes.min_class,
            widening.rows,
            {**groups.measures(cells, sizes), "ncp": rounded(ncp)},
            facts=self.parameters.promised(privacy),
            hidden=hidden,
            dealt={names[sizes.index]: sizes for sizes in dealt},
        )

    def stage(self, engine: Engine, target: Target, source: Relation, recoding: Recoding) -> None:
        by, columns = by_of(recoding, ByBuckets), staging.columns_of(recoding)
        shared = staging.parameters_of(source, recoding)
        shared["numbers"] = {column.position: by.number(column) for column in recoding.released}
        tables = [numbering.Rows("rows", "release/bucketed", columns, shared)]
        for part, column in by.parts.items():
            counted = buckets.counted_values(column.index)
            tables.append(staging.apart(part, by.columns(column), **counted))
        joined = {bucket_name(column.name): part for part, column in by.parts.items()}
        numbers = numbering.numbers_of(recoding.released, joined)
        made = numbering.stage(engine, target, tables, numbers)
        group = {GROUP.name: made["rows", GROUP.name]}
        dealt = {f"b{c.index}": made["rows", bucket_name(c.name)] for c in by.parts.values()}
        numbering.replace(engine, "local_rows", group)
        numbering.replace(engine, "bucketed", group | dealt)
        _stage_view(target, recoding.released, by)

    def differences(
        self,
        engine: Engine,
        tables: Mapping[Part, Relation],
        source: Relation,
        population: Relation,
        recoding: Recoding,
    ) -> list[str]:
        by = by_of(recoding, ByBuckets)
        texts = against_source.uncovered(engine, recoding.attributes, by)
        return texts + proof.differences(engine, tables, source, recoding, by)


def _marks(work: Table) -> Marks:
    if work.marks is None:
        raise InvariantError("no cell was marked")
    return work.marks


def _group(cells: Cells, method: Local, marks: Marks, *, widened: bool) -> tuple[Grouped, float]:
    """Group the cells of each pattern: make ``assigned`` and ``groups``, and ``hidden`` where
    patterns were ``widened``. Return with them the normalized certainty penalty, summed over the
    released quasi-identifying entries (section 3.2.2)."""
    forms: dict[int, Form] = {
        attribute.index: "range" if attribute.sorts else "node"
        for attribute in cells.star.attributes
    }
    withheld = [value.index for value in marks.semi]
    mondrian.place_values(cells, forms, withheld)
    cells.engine.run("methods/local/patterns/first_members", attributes=cells.star.attributes)
    if method.grouping == "ncp":
        greedy_partition.cut_greedily(cells, forms)
    else:
        mondrian.cut_parts(cells, forms, mondrian.Rule(median=method.cut == "median"))
    mondrian.label_parts(cells, forms, withheld, table="uncovered" if widened else "groups")
    if widened:
        _hide(cells, marks)
    lost = cells.engine.query(
        "methods/local/patterns/ncp", forms=forms, hidden=widened, **marks.parameters
    )
    cells.engine.drop("final_parts")
    return Grouped(forms), sum(float(value) for _, value in lost)


def _hide(cells: Cells, marks: Marks) -> None:
    """Make ``hidden``, and ``groups`` from ``uncovered``: an attribute withheld in a group that has
    a row to which it is not sensitive is released as ``*``."""
    cells.engine.run("methods/local/patterns/hidden", **marks.parameters)
    cells.engine.run("methods/local/patterns/covered", **marks.parameters)
    cells.engine.drop("uncovered")


def _hidden_cells(cells: Cells, marks: Marks) -> dict[str, int]:
    numbers = cells.engine.query("methods/local/patterns/hidden_cells", **marks.parameters)[0]
    return dict(zip((value.name for value in marks.semi), numbers, strict=True))


def _require_within_limit(cells: Cells, suppressed: int) -> None:
    text = (
        f"have patterns of sensitive cells that fewer than k={cells.promise.k} rows share, even"
        " after more of their cells are treated as sensitive"
    )
    groups.require_few(
        cells, suppressed, text, "lower privacy.k, or make a semi-sensitive column sensitive"
    )


def _lay_out(engine: Engine, marks: Marks, *, widened: bool) -> None:
    with fresh_salt(engine):
        engine.run("methods/local/patterns/rows", hidden=widened, **marks.parameters)


def _stage_view(target: Target, released: Sequence[ReleasedColumn], by: ByBuckets) -> None:
    """Add a view over the staged tables: every value that each entry can be."""
    semi = {value.name for value in by.marks.semi}
    labels = [Column(column.name, "VARCHAR") for column in released if column.kind == "label"]
    shown = [
        ExpandedColumn(label, bucket_name(label.name) if label.name in semi else None)
        for label in labels
    ]
    buckets = [
        InBuckets(by.columns(column)[1], bucket_name(column.name), part)
        for part, column in by.parts.items()
    ]
    stage_expanded(target, RECORD.name, shown, buckets)


METHODS = (LocalMethod,)
