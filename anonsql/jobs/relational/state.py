"""What the stages of a job over several tables leave for later ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from anonsql.engines.base import BASE_PARTS, Column, Part, Relation, ReleaseTables
from anonsql.errors import InvariantError
from anonsql.hierarchies.dimensions import Attribute
from anonsql.jobs.job import Job, JobKind, Stages
from anonsql.policy.relational import RelationalPolicy
from anonsql.policy.release_parts import COMPLETED, completed_beside, parts_beside
from anonsql.policy.table_plan import TablePlan
from anonsql.relational.judge import Judge
from anonsql.relational.search import Node
from anonsql.relational.tables import CodedTables, Linked, PersonalTable
from anonsql.release.columns import ReleasedColumn
from anonsql.star.coded import Coded as SensitiveColumn
from anonsql.verification.relational.release_only import Known


@dataclass(frozen=True)
class OpenTable:
    """One table of the source: where it is, its columns, what is done
    with them, and its ``rows`` (0 until they are counted). ``sensitive`` are the columns
    that privacy models are about."""

    name: str
    relation: Relation
    columns: Sequence[Column]
    plan: TablePlan
    attributes: tuple[Attribute, ...] = ()
    released: Sequence[ReleasedColumn] = ()
    sensitive: tuple[SensitiveColumn, ...] = ()
    rows: int = 0

    def column(self, name: str) -> Column:
        """Return a column by its name."""
        return next(column for column in self.columns if column.name == name)

    @property
    def where(self) -> str:
        """The table's place in the policy."""
        return f"tables.{self.name}"


class TableTarget:
    """One table of the release, as what is written in stages to a target of one table. ``first`` is
    the released table of people, which has the release's own parts."""

    def __init__(self, first: str, name: str, *, completed: bool) -> None:
        names: tuple[Part, ...] = ("rows", "about", "columns")
        self.parts: dict[Part, Part] = dict(
            zip(names, names if name == first else parts_beside(name), strict=True)
        )
        if completed:
            self.parts[COMPLETED] = COMPLETED if name == first else completed_beside(name)

    def is_in(self, release: ReleaseTables) -> bool:
        """Return whether a release has this table."""
        return all(part in (*BASE_PARTS, *release.extras) for part in self.parts.values())

    def of(self, release: ReleaseTables) -> ReleaseTables:
        """Return this table of a release."""
        base = {"rows": release.rows, "about": release.about, "columns": release.columns}
        there = base | dict(release.extras)
        relations = {part: there[whole] for part, whole in self.parts.items() if whole in there}
        within = release.within if self.parts["rows"] == "rows" else tuple  # once a release
        return ReleaseTables.of(release.engine, relations, release.unexpected_objects, within)


@dataclass(frozen=True)
class Decided:
    """The released node, among coded tables; how many nodes were ``judged``, of how many."""

    coded: CodedTables
    node: Node
    lattice: int
    judged: int

    @property
    def numbered(self) -> dict[str, PersonalTable]:
        """The tables about people as statements see them, by name."""
        return {table.name: table for table in self.coded.tables}

    def removed(self, table: PersonalTable) -> tuple[int, int]:
        """Return how many rows of a table are suppressed by themselves, and go with others."""
        outcome, number = self.node.outcome, table.number
        alone = outcome.suppressed[number]
        return alone, self.coded.rows[number] - outcome.left[number] - alone


@dataclass
class Tables(JobKind):
    """The policy of a job over several tables, and the results of its stages: the open tables, how
    many people the source has, the judge of generalizations, the decision, and the proof of the
    staged release."""

    policy: RelationalPolicy
    opened: dict[str, OpenTable] = field(default_factory=dict)
    people: int | None = None
    judge: Judge = field(init=False)
    decided: Decided = field(init=False)
    known: Known = field(init=False)

    @property
    def stages(self) -> Stages:
        """See the base class."""
        from anonsql.jobs.relational import pipeline

        return pipeline.stages()

    @property
    def targets(self) -> dict[str, TableTarget]:
        """Each table's place in the release."""
        policy = self.policy
        first = policy.released_name(policy.privacy.of)
        return {
            name: TableTarget(
                first, policy.released_name(name), completed=policy.has_completed(name)
            )
            for name in policy.released
        }

    def key(self, name: str) -> Linked:
        """Return the column that is the key of an open table."""
        return Linked(self.opened[name].column(str(self.policy.tables[name].key)))


def tables_of(job: Job) -> Tables:
    """Return what a job over several tables has; raise InvariantError for another job."""
    if not isinstance(job.kind, Tables):
        raise InvariantError("a job of one table has no several tables")
    return job.kind
