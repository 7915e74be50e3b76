"""One job: the state that all its stages share, and the results that they leave for later ones.
:mod:`anonsql.jobs.pipeline` puts the stages in order."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from anonsql.errors import InvariantError, Problem
from anonsql.hierarchies.leaf_tables import LeafTables
from anonsql.methods.local.patterns import Marks, Widened
from anonsql.policy.table_plan import TablePlan
from anonsql.star.workbench import Workbench
from anonsql.system.clock import Progress, Reporter, silent

if TYPE_CHECKING:
    from anonsql.completion.table import Drawn
    from anonsql.engines.base import Column, Context, Engine, Relation, ReleaseTables
    from anonsql.engines.target import Target
    from anonsql.hierarchies.dimensions import Attribute
    from anonsql.jobs.catalog import Catalog
    from anonsql.jobs.examples import Spans
    from anonsql.jobs.samples import Sample
    from anonsql.jobs.scheme import Scheme
    from anonsql.methods.base import Recoded, SearchedLattice
    from anonsql.over_time.ledger import Book, Ledger
    from anonsql.over_time.traces import Rows, TraceSizes
    from anonsql.policy.locations import JobLocations
    from anonsql.policy.table_columns import TableColumns
    from anonsql.privacy.promise import Promise
    from anonsql.release.changes import Changed
    from anonsql.release.columns import ReleasedColumn
    from anonsql.release.recoding import Recoding
    from anonsql.risks.kept.counting import Uniqueness
    from anonsql.risks.kept.revealing import UniquenessWithout
    from anonsql.risks.keys_of_people.finding import Key
    from anonsql.risks.keys_of_people.problems import Repeating
    from anonsql.risks.left_out import LeftOut
    from anonsql.search.results import SearchResult
    from anonsql.star.cells import Star
    from anonsql.star.coded import Coded
    from anonsql.verification.facts import Classes


@dataclass(frozen=True)
class Sampled:
    """The source that a sample was drawn from, and how many rows it has."""

    source: Relation
    rows: int


@dataclass(frozen=True)
class Opened:
    """The source, readable by the engine, with its columns; the population where there is one."""

    source: Relation
    columns: Sequence[Column]
    population: Relation = ()
    changed: Changed | None = None
    """How the ``source``, which is a view then, comes from what was opened."""

    sampled: Sampled | None = None
    """The table that the ``source`` was drawn from, if it is a sample."""

    @property
    def whole(self) -> Opened:
        """The same with all rows of the source."""
        if self.sampled is None:
            return self
        return replace(self, source=self.sampled.source, sampled=None)

    @property
    def declared(self) -> Relation:
        """The relation that was opened; the database may declare its keys."""
        return self.source if self.changed is None else self.changed.source


@dataclass(frozen=True)
class Fingerprint:
    """What the release would be made from: source, population, policy and hierarchies."""

    text: str


@dataclass(frozen=True)
class Following:
    """The ledger of a table that is released again and again, as the release finds it."""

    ledger: Ledger
    book: Book


@dataclass(frozen=True)
class HeldBack:
    """Decisions about rows with the traces of a ledger (``following``): numbers of rows, and the
    classes, by codes, that must not be released whatever the traces are."""

    following: Following
    rows: Rows
    sizes: TraceSizes
    refused: Sequence[Sequence[int]] = ()


@dataclass(frozen=True)
class Counted:
    """The rows of the source, and the distinct combinations of their quasi-identifying values
    (``combinations``, a scratch table). ``attributes`` are the quasi-identifying columns with their
    hierarchies, ``coded`` the columns that promises are about, ``released`` those of the release.
    ``marks`` says which entries are withheld, where columns are sensitive for some people only.
    Groups are made ``within`` the values of columns that are not released: the traces of rows."""

    rows: int = 0
    combinations: int = 0
    attributes: Sequence[Attribute] = ()
    coded: Sequence[Coded] = ()
    released: Sequence[ReleasedColumn] = ()
    marks: Marks | None = None
    within: Sequence[Coded] = ()


@dataclass(frozen=True)
class KeptColumns:
    """The risk of columns that are released unchanged: the rows that are unique by all of them
    (None where they were not all examined), and the columns that contribute most; the removed
    column that identifies people and repeats, where there is one and k counts rows; and the
    generalized columns that must have k values in each class."""

    rows: Uniqueness | None
    steps: Sequence[UniquenessWithout]
    people: Repeating | None = None
    keys: Sequence[Key] = ()


@dataclass(frozen=True)
class StarSchema:
    """The cells of the source, what is promised of every class of them, and their lattice: with the
    result of the search where there was one, and None where entries are withheld. ``widened`` says
    which entries had to be withheld besides those of ``marks``."""

    star: Star
    promise: Promise
    lattice: SearchedLattice | None = None
    marks: Marks | None = None
    widened: Widened = field(default_factory=Widened)
    drawn: Mapping[str, int] | None = None
    """The levels by column, where they were drawn at random."""

    @property
    def nodes(self) -> SearchedLattice:
        """The lattice of the cells. Raise InvariantError where they have none."""
        if self.lattice is None:
            raise InvariantError("there is no lattice of these cells")
        return self.lattice

    @property
    def searched(self) -> SearchResult:
        """The result of the search. Raise InvariantError where there was none."""
        if self.nodes.found is None:
            raise InvariantError("the lattice of these cells was not searched")
        return self.nodes.found


@dataclass(frozen=True)
class Chosen:
    """What the method decided, its ``recoding`` of rows, and facts that the release states."""

    recoded: Recoded
    recoding: Recoding
    facts: Mapping[str, object]


@dataclass(frozen=True)
class Verified:
    """The proved staged release: classes, spans of sensitive values, and examples by column."""

    staged: ReleaseTables
    classes: Classes
    spans: Mapping[str, Spans]
    examples: Mapping[str, str] = field(default_factory=dict)


Stage = Callable[["Job"], None]
"""A stage takes the job with what earlier stages have left in it, and leaves its own result there
for later ones."""


class JobKind:
    """What a job releases. That of several tables, and that of statistics, has what only its own
    stages leave for later ones; one of one table has nothing."""

    @property
    def stages(self) -> Stages:
        """The lists of stages of such a job, in order."""
        from anonsql.jobs import pipeline

        return pipeline.stages()


@dataclass(frozen=True)
class Stages:
    """What jobs of a kind go through: to ``open`` the source, also as a run that publishes
    (``open_run``); to ``release`` open sources, or to ``apply`` a scheme to them; to ``try_out``
    everything but publishing."""

    open: Sequence[Stage]
    open_run: Sequence[Stage]
    release: Sequence[Stage]
    apply: Sequence[Stage]
    try_out: Sequence[Stage]


@dataclass(repr=False)
class Job:
    """The state that all stages of a job share: the policy, the engine that reads the source, the
    target, the catalog, ``problems`` and ``warnings``; ``seconds`` and ``statements`` are by the
    stage's name. Then the scheme that the job applies again, if any, the ``sample`` that replaces
    the source, if any, and the results of finished stages; only results of its ``kind`` are there.
    ``first`` is the table that is released first, with all others among its parts."""

    first: TableColumns
    places: JobLocations
    engine: Engine
    target: Target
    catalog: Catalog
    context: Context
    progress: Progress = silent
    show_values: bool = False
    run: int = 0
    status: str = "done"
    leaves: LeafTables = field(init=False)
    workbench: Workbench = field(init=False)
    release_id: str = field(default_factory=lambda: secrets.token_hex(8))
    problems: list[Problem] = field(default_factory=list)
    warnings: list[Problem] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    statements: dict[str, int] = field(default_factory=dict)
    scheme: Scheme | None = None
    sample: Sample | None = None
    kind: JobKind = field(default_factory=JobKind)
    fingerprint: Fingerprint | None = None
    opened: Opened = field(init=False)
    following: Following | None = None
    held_back: HeldBack | None = None
    counted: Counted = field(init=False)
    kept_in_source: KeptColumns | None = None
    kept: KeptColumns = field(init=False)
    schema: StarSchema = field(init=False)
    chosen: Chosen = field(init=False)
    left_out: LeftOut = field(init=False)
    drawn: Drawn | None = None
    verified: Verified = field(init=False)

    def __post_init__(self) -> None:
        self.leaves = LeafTables(self.engine, self.context)
        self.workbench = Workbench(self.engine, self.context, self.leaves)
        if not isinstance(self.progress, Reporter):  # else a job inside of another
            stage = self.context.purpose.rpartition(" ")[-1]
            self.progress = Reporter(self.progress, self.context.journal.clock, stage)
            self.context.journal.reporter = self.progress

    @property
    def policy(self) -> TablePlan:
        """What is done with the rows of the first table. Raise InvariantError where the job
        publishes statistics."""
        if not isinstance(self.first, TablePlan):
            raise InvariantError("a job of statistics has no plan of rows")
        return self.first

    @property
    def follows_others(self) -> bool:
        """Whether the release follows others that are in a ledger of the catalog."""
        first = self.first
        return isinstance(first, TablePlan) and first.privacy.over_time is not None

    @property
    def records(self) -> int:
        """The rows of the source, with those held back and those outside of a sample."""
        if self.opened.sampled is not None:
            return self.opened.sampled.rows
        return self.counted.rows + (self.held_back.sizes.held_back if self.held_back else 0)
