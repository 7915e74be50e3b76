"""The interface of a method of anonymization.

A method has settings (:class:`anonsql.policy.method.MethodSettings`), which a policy names by
``type``, and decides each row's released values: :meth:`Method.recode`. Most methods assign cells
(distinct combinations of quasi-identifying values) to groups and release all rows of a group with
equal labels: these extend :class:`GroupMethod` and implement :meth:`GroupMethod.group` alone.
Staging and proof have defaults for groups; a method that releases something else overrides them. No
code outside this package depends on which method a policy names.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Generic, TypeVar

from anonsql.engines.base import Engine, Part, Relation
from anonsql.engines.target import Target
from anonsql.errors import InvariantError, Problem
from anonsql.hierarchies.dimensions import Attribute
from anonsql.methods import groups
from anonsql.methods.groups import Cells, Grouped
from anonsql.policy.method import MethodSettings
from anonsql.policy.table_plan import TablePlan
from anonsql.privacy.promise import Promise
from anonsql.release import staging
from anonsql.release.columns import ReleasedColumn
from anonsql.release.recoding import By, ByGroups, Recoding
from anonsql.search.frequency import FrequencySets
from anonsql.search.results import SearchResult
from anonsql.search.roll_up import Measured, RollUps
from anonsql.star.cells import Star
from anonsql.star.coded import Coded
from anonsql.star.lattice import Levels
from anonsql.star.workbench import Workbench
from anonsql.system.clock import Clock, Progress, silent
from anonsql.system.numbers import rounded
from anonsql.verification import source as against_source

if TYPE_CHECKING:
    from anonsql.methods.local.buckets import BucketSizes
    from anonsql.methods.local.patterns import Marks, Widened


@dataclass(frozen=True)
class SearchedLattice:
    """The lattice of the cells: frequency sets, roll-ups, and the result of a search if any."""

    sets: FrequencySets
    roll_ups: RollUps
    found: SearchResult | None = None


@dataclass(frozen=True, kw_only=True)
class Table:
    """The table that a method works on, as ``engine`` reads it: policy, source, quasi-identifying
    ``attributes``, the ``coded`` columns that promises are about, and those to be released.
    ``marks``: which entries are withheld, where columns are sensitive for some people only."""

    engine: Engine
    policy: TablePlan
    source: Relation
    rows: int
    attributes: Sequence[Attribute]
    coded: Sequence[Coded]
    released: Sequence[ReleasedColumn]
    marks: Marks | None = None
    show_values: bool = False
    progress: Progress = silent
    clock: Clock = field(default_factory=Clock)


@dataclass(frozen=True, kw_only=True)
class Work(Table):
    """The input of a method: the table, its cells and hierarchies in the engine, and the promise.

    ``combinations`` are the sets of attributes, by index, that must each keep the promise: one set
    of all attributes, or several. ``levels`` are the levels of a published scheme that is applied
    again, by column; ``widened`` says which entries had to be withheld in addition to marked ones.
    The cells are on the workbench (``bench``); a method returns the tables for recoding from there.
    """

    star: Star
    promise: Promise
    combinations: tuple[tuple[int, ...], ...] = ()
    lattice: SearchedLattice | None = None
    levels: Mapping[str, int] | None = None
    widened: Widened | None = None
    bench: Workbench

    def cells(self, starts: Sequence[Levels] = ()) -> Cells:
        """Return the cells, with the promise that every group of them must keep and the limit of
        suppressed rows. ``starts`` are generalizations for the method to start from."""
        return Cells(
            self.bench.engine,
            self.star,
            self.promise,
            self.policy.privacy.max_suppressed(self.rows),
            starts,
            self.coded,
            self.progress,
            self.clock,
        )

    @property
    def nodes(self) -> SearchedLattice:
        """The lattice of the cells. Raise InvariantError where they have none."""
        if self.lattice is None:
            raise InvariantError("there is no lattice of these cells")
        return self.lattice


@dataclass(frozen=True)
class Recoded:
    """What a method decided: ``by`` which scratch tables rows become released rows, the number of
    equivalence classes and the rows of the smallest one, how many rows are suppressed and whether
    they may be released as ``*`` (``maskable``), and how useful the result is (``metrics``, by the
    names of FORMULAS).

    ``facts`` are published in ``__about`` besides. ``promise`` is what all columns together keep,
    where that differs from the required promise; ``frequencies`` is the frequency set of a
    full-domain generalization. The remaining fields are for the report.
    """

    by: By
    classes: int
    min_class: int
    suppressed: int
    metrics: Mapping[str, float]
    maskable: bool = False
    facts: Mapping[str, object] = field(default_factory=dict)
    promise: Promise | None = None
    frequencies: str = ""
    node: Measured | None = None
    optimal: bool | None = None
    hidden: Mapping[str, int] = field(default_factory=dict)
    dealt: Mapping[str, BucketSizes] = field(default_factory=dict)


Settings = TypeVar("Settings", bound=MethodSettings)
Kind = TypeVar("Kind", bound=By)


def by_of(recoding: Recoding, kind: type[Kind]) -> Kind:
    """Return the tables of a recoding; raise InvariantError where they are of another kind."""
    if not isinstance(recoding.by, kind):
        raise InvariantError(f"the recoding is no {kind.__name__}")
    return recoding.by


class Method(Generic[Settings]):
    """A method with its settings. The module's docstring says what a method has to implement."""

    settings: ClassVar[type[MethodSettings]]
    templates: ClassVar[Path | None] = None
    """The folder of the SQL templates of a method that another package adds, named
    ``<type>/<file>``; those of anonsql's own methods are in its common folder."""

    def __init__(self, parameters: Settings) -> None:
        self.parameters = parameters

    def problems(self, attributes: Sequence[Attribute]) -> list[Problem]:
        """Return what is wrong with the hierarchies for this method, before anything is counted."""
        return []

    def unmet(self, table: Table) -> list[Problem]:
        """Return the promises that the table cannot keep, as known beforehand: for ``check``."""
        return []

    @abstractmethod
    def recode(self, work: Work) -> Recoded:
        """Decide what is released for the values of each row. Raise PrivacyError, naming a promise
        that could be kept, where this one cannot."""

    def stage(self, engine: Engine, target: Target, source: Relation, recoding: Recoding) -> None:
        """Write the rows of the release, and the tables that the method adds, sorted and
        numbered by their content (:mod:`anonsql.release.numbering`)."""
        staging.stage_groups(engine, target, source, recoding, by_of(recoding, ByGroups))

    def differences(
        self,
        engine: Engine,
        tables: Mapping[Part, Relation],
        source: Relation,
        population: Relation,
        recoding: Recoding,
    ) -> list[str]:
        """Return where the staged release is not the recoded source; share no code with staging."""
        by = by_of(recoding, ByGroups)
        return against_source.of_groups(engine, tables["rows"], source, recoding, by)


class GroupMethod(Method[Settings]):
    """A method of groups, with the scratch tables of :mod:`anonsql.methods.groups`."""

    @abstractmethod
    def group(self, cells: Cells) -> Grouped:
        """Make the scratch tables ``assigned`` and ``groups``."""

    def starts(self, work: Work) -> Sequence[Levels]:
        """Return the full-domain generalizations that the method starts from."""
        return ()

    def facts(self, made: Grouped) -> dict[str, object]:
        """Return the facts for ``__about`` that this method alone has."""
        return {}

    def recode(self, work: Work) -> Recoded:
        """See :meth:`Method.recode`."""
        cells = work.cells(self.starts(work))
        made = self.group(cells)
        sizes = made.rings or groups.sizes(cells)
        k = work.policy.privacy.k
        groups.require_within_limit(cells, sizes, k)
        measured = groups.measures(cells, sizes, k)
        by = ByGroups(made.forms, made.split, made.by_values, made.rings is not None, made.arrays)
        work.bench.give_back("assigned", "groups", *made.evidence)
        suppressed = work.rows - sizes.released
        expected = {} if sizes.expected is None else {"expected_matches": rounded(sizes.expected)}
        return Recoded(
            by,
            sizes.classes,
            sizes.min_class,
            suppressed,
            measured,
            maskable=suppressed > 0 and groups.maskable(cells),
            facts={**expected, **self.facts(made)},
            optimal=made.optimal,
        )
