"""Anatomy as a method: rows as they are, with the numbers of their groups, and the sensitive values
of each group in a table of their own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from anonsql.engines.base import Column, Engine, Part, Relation
from anonsql.engines.target import Target
from anonsql.errors import PrivacyError, Problem
from anonsql.grammar.forms import AS_IT_IS, Looks
from anonsql.hierarchies.dimensions import Attribute
from anonsql.methods.anatomy import proof, separate
from anonsql.methods.anatomy.settings import Anatomy
from anonsql.methods.base import Method, Recoded, Table, Work, by_of
from anonsql.release import numbering, staging
from anonsql.release.columns import COUNT, GROUP
from anonsql.release.recoding import By, Recoding
from anonsql.star.coded import Coded


@dataclass(frozen=True)
class BySeparation(By):
    """The scratch table ``separated`` (see :mod:`anonsql.methods.anatomy.separate`), of unchanged
    rows with their groups, and the sensitive column that is released in a separate table."""

    sensitive: Coded

    @property
    def columns(self) -> list[Column]:
        """The columns of the table of sensitive values."""
        column = self.sensitive.column
        return [GROUP, Column(column.name, self.sensitive.cast or column.released_type), COUNT]

    def described(self, attribute: Attribute) -> tuple[int | None, Looks]:
        return None, AS_IT_IS


class AnatomyMethod(Method[Anatomy]):
    """Partition rows into groups in which no sensitive value is frequent."""

    settings = Anatomy

    def unmet(self, table: Table) -> list[Problem]:
        sensitive, least = table.coded[0], self._least(table)
        problem = separate.unfit(table.engine, sensitive, least, show_values=table.show_values)
        return [problem] if problem else []

    def recode(self, work: Work) -> Recoded:
        if problems := self.unmet(work):
            problem = problems[0]
            raise PrivacyError(f"{problem.where}: {problem.found} {problem.remedy}")
        sensitive, k, group = work.coded[0], work.policy.privacy.k, work.released[-1].position
        dealt = separate.deal(work.rows, k, self._least(work))
        columns = (work.attributes, work.released)
        separate.separate(work.engine, work.source, columns, sensitive, dealt)
        sizes = separate.sizes(work.engine, group)
        metrics = separate.measures(work.engine, work.attributes, sizes, group, k)
        by = BySeparation(sensitive)
        return Recoded(by, sizes.groups, sizes.min_group, 0, metrics)

    def _least(self, work: Table) -> int:
        return int(work.policy.privacy.l_diversity[work.coded[0].name].least)

    def stage(self, engine: Engine, target: Target, source: Relation, recoding: Recoding) -> None:
        shared, columns = staging.parameters_of(source, recoding), staging.columns_of(recoding)
        group = f"r{recoding.released[-1].position}"
        counted = {"dealt": "separated", "bucket": group, "value": "s", "withheld": None}
        titles = by_of(recoding, BySeparation).columns
        tables = [
            numbering.Rows("rows", "release/separated", columns, shared),
            staging.apart("sensitive", titles, **counted),
        ]
        numbers = numbering.numbers_of(recoding.released, {GROUP.name: "sensitive"})
        made = numbering.stage(engine, target, tables, numbers)
        numbering.replace(engine, "separated", {group: made["rows", GROUP.name]})

    def differences(
        self,
        engine: Engine,
        tables: Mapping[Part, Relation],
        source: Relation,
        population: Relation,
        recoding: Recoding,
    ) -> list[str]:
        return proof.differences(engine, tables, source, recoding, by_of(recoding, BySeparation))


METHODS = (AnatomyMethod,)
