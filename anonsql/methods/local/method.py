"""Local generalization and bucketization as a method."""

from __future__ import annotations

from collections.abc import Mapping

from anonsql.engines.base import Engine, Part, Relation
from anonsql.engines.target import Target
from anonsql.errors import InvariantError, Problem
from anonsql.methods import groups
from anonsql.methods.base import Method, Recoded, Table, Work, by_of
from anonsql.methods.local import buckets, patterns, proof, recode
from anonsql.methods.local.patterns import Marks, Widened
from anonsql.methods.local.released import ByBuckets, stage_view
from anonsql.methods.local.settings import Local
from anonsql.policy.local import bucket_name
from anonsql.release import numbering, staging
from anonsql.release.columns import GROUP
from anonsql.release.recoding import Recoding
from anonsql.star.bucket_promises import promised
from anonsql.system.numbers import rounded
from anonsql.verification import source as against_source


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
                f"{lost:,} of {table.rows:,} rows have patterns of sensitive cells that fewer than "
                f"k={privacy.k} rows have."
            )
            remedy = "Raise it, lower k, or make a semi-sensitive column sensitive."
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
        """See :class:`Method`."""
        marks, privacy, cells = _marks(work), work.policy.privacy, work.cells()
        widening = work.widened or Widened()
        recode.require_within_limit(cells, widening.rows)
        widened = any(widening.widened.values())
        made, ncp = recode.group(cells, self.parameters, marks, widened=widened)
        sizes = recode.sizes(cells)
        hidden = recode.hidden_cells(cells, marks) if widened else {}
        work.bench.give_back("assigned", "groups", *(("hidden",) if widened else ()))
        recode.lay_out(work.engine, marks, widened=widened)
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
        """See :class:`Method`."""
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
        stage_view(target, recoding.released, by)

    def differences(
        self,
        engine: Engine,
        tables: Mapping[Part, Relation],
        source: Relation,
        population: Relation,
        recoding: Recoding,
    ) -> list[str]:
        """See :class:`Method`."""
        by = by_of(recoding, ByBuckets)
        texts = against_source.uncovered(engine, recoding.attributes, by)
        return texts + proof.differences(engine, tables, source, recoding, by)


def _marks(work: Table) -> Marks:
    if work.marks is None:
        raise InvariantError("no cell was marked")
    return work.marks


METHODS = (LocalMethod,)
