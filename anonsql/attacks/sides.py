"""A release and its source as an attack sees them: rows as numbers, in the source's engine. The
columns that are compared are *facets*: labels, kept values, buckets of values. ``covers_<facet>``
relates released values to the source's; ``attacked_release``, ``attacked_source`` and
``attacked_control`` have a column v<facet> of numbers for each. Attackers know their targets'
values, the release and the policy's hierarchies, not which rows were whose. Where a column
identifies people, the source's tables count the rows of each person separately (``who``)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from anonsql.engines.base import Column, Engine, PlainColumn, Relation, ReleaseTables
from anonsql.errors import PolicyError
from anonsql.hierarchies.dimensions import Attribute
from anonsql.policy.columns import KEPT
from anonsql.policy.table_plan import TablePlan
from anonsql.system.arrays import IntArray, np
from anonsql.verification.linking.link import Pairs
from anonsql.verification.linking.people import linking_columns
from anonsql.verification.linking.tables import ScratchTables
from anonsql.verification.linking.valued import valued_columns

MOST_PAIRS = 20_000_000
"""The greatest number of pairs of targets and released rows that are joined."""
SOURCE, CONTROL, RELEASE = "attacked_source", "attacked_control", "attacked_release"
DRAWN, LINKS = "attacked_drawn", "attacked_links"
BOXES = "attacked_boxes"
"""Combinations of values, without people."""
_NUMBERS = ("integer", "decimal", "float")


class TooManyPairsError(Exception):
    """Targets may be more released rows than are joined: fewer targets are to be looked for."""


@dataclass(frozen=True)
class Facet:
    """A column that is compared, or its labels: its ``number``, whether its values are sensitive,
    the number of the column of its buckets (``bucket``), the facet of its ``labels``, and whether
    its values are numbers."""

    number: int
    name: str
    sensitive: bool = False
    bucket: int | None = None
    labels: int | None = None
    numeric: bool = False


class Sides:
    """The scratch tables of both sides. Only counts and meaningless numbers are read from them.
    ``person`` is the column of the source that identifies people, None where every row is one
    person; ``linked`` says whether the release shows which of its rows are one person's."""

    def __init__(
        self,
        engine: Engine,
        release: ReleaseTables,
        policy: TablePlan,
        source: Relation,
        attributes: Sequence[Attribute],
        *,
        person: Column | None = None,
    ) -> None:
        valued, _ = valued_columns(policy, engine, release, source, attributes, roles=KEPT)
        valued = [one for one in valued if one.original.comparable and one.original.kind != "other"]
        self.engine = engine
        self.people = person is not None
        released = release.engine.columns(release.rows)
        known = [] if person is None else linking_columns(policy, [person], released)
        self.linked = bool(known)
        self._person = "" if person is None else person.name
        telling = None if person is None else PlainColumn(person)
        self._tables = ScratchTables(
            engine, release, policy, attributes, valued, carried=known, person=telling
        )
        self._made: list[str] = []
        self.labels = [Facet(number, name) for name, number in self._tables.labels]
        self.values = [
            Facet(
                column.facet,
                column.original.name,
                column.bucket is not None
                or policy.columns[column.original.name].role == "sensitive",
                column.number if column.bucket is not None else None,
                column.label,
                column.original.kind in _NUMBERS,
            )
            for column in valued
            if column.facet is not None
        ]

    def make(self, source: Relation, control: Relation | None) -> None:
        """Make the tables of the release, the source, and rows that were not released, if any."""
        facets = [*self.labels, *self.values]
        self._tables.make(source)
        self._combine("judged_tuples", RELEASE, facets)
        self._combine("judged_cells", SOURCE, facets)
        if self.linked:
            self._tables.code_released(
                "attacks/people/links", LINKS, who=self._tables.carried[self._person]
            )
        if control is not None:
            self.engine.drop("judged_cells")
            self._tables.count_cells(control)
            self._combine("judged_cells", CONTROL, facets)

    def make_draw(self, completed: Relation) -> None:
        """Make the table of the first draw of a completed table, whose values take the place of
        labels."""
        draw, *_ = self.engine.columns(completed)
        self.engine.drop(DRAWN)
        self._tables.code_draw(completed, draw.name)

    def take_draw(self) -> None:
        """Take the rows of the draw for the released ones, and their values for true."""
        facets = [*self.labels, *self.values]
        self._combine(DRAWN, RELEASE, facets)
        for facet in facets:
            self.run("attacks/same", f"covers_{facet.number}", facet=facet.number)
        self.values = [replace(facet, bucket=None, labels=None) for facet in self.values]
        if self.people:
            self.find_owners()

    def find_owners(self) -> None:
        """Find whose the released rows may be: the people of the source whose rows fit them. Raise
        PolicyError where rows of the source may be too many released ones."""
        facets = [*self.labels, *self.values]
        self.look_through(facets)
        self.hold_against(SOURCE, facets)
        try:
            pairs = self.joined(facets)
        except TooManyPairsError:
            text = f"rows of the source may match released rows in more than {MOST_PAIRS:,} pairs."
            raise PolicyError.at("release", text, "Attack a release with finer labels.") from None
        names = [f"v{facet.number}" for facet in facets]
        try:
            self.run("attacks/people/owners", "attacked_owners", facets=names, steps=len(facets))
        finally:
            pairs.drop()

    def find_part_owners(self, facets: Sequence[Facet]) -> None:
        """Find whose the released rows may be that are looked through, by these facets."""
        columns = [f"v{facet.number}" for facet in facets]
        self.run("attacks/people/part_owners", "attacked_part_owners", facets=columns)

    def require_few(self, template: str, **parameters: object) -> None:
        """Raise TooManyPairsError where a join has too many pairs, as counted by the template."""
        if int(self.engine.query(template, **parameters)[0][0]) > MOST_PAIRS:
            raise TooManyPairsError

    def class_people(self, k: int) -> tuple[int, int, int]:
        """Return the people of the classes of equal labels, each counted in every class, those of
        the class that has fewest, and the rows in classes of fewer than k people."""
        facets = [f"v{facet.number}" for facet in self.labels]
        row = self.engine.query("attacks/people/class_sizes", facets=facets, k=k)[0]
        people, least, below = map(int, row)
        return people, least, below

    def distinct(self, facet: Facet) -> int:
        """Return how many values a kept column has in the source."""
        table = f"judged_values_{self.column(facet)}"
        return int(self.engine.query("verification/rows", table=table)[0][0])

    def column(self, facet: Facet) -> int:
        """Return the number of a kept column, by which its values are numbered."""
        return self._tables.number_of(facet.name)

    def total(self, table: str) -> int:
        """Return how many rows one of the tables counts."""
        return self._tables.total(table)

    def classes(self, k: int) -> tuple[int, int, int, int]:
        """Return the rows of the release, its classes of equal labels, the rows of the smallest
        one, and those in classes of fewer than k."""
        facets = [f"v{facet.number}" for facet in self.labels]
        row = self.engine.query("attacks/class_sizes", facets=facets, k=k)[0]
        total, classes, least, below = map(int, row)
        return total, classes, least, below

    def draw(self, table: str, attempts: int, random: np.random.Generator) -> None:
        """Draw rows of a table without replacement, as combinations in ``attacked_picked``; or
        people, of all of whose rows these are."""
        if self.people:
            [people] = self.engine.numbers("verification/facts", table=table, columns=["who"])
            people = np.unique(people)
            size = min(attempts, len(people))
            chosen = random.choice(people, size=size, replace=False, shuffle=False)
            self.load("attacked_picked", {"who": np.sort(chosen)})
            return
        ids, rows = self.engine.numbers("verification/facts", table=table, columns=["id", "n"])
        total = int(rows.sum())
        order = np.argsort(ids)
        drawn = random.choice(total, size=min(attempts, total), replace=False, shuffle=False)
        place = np.searchsorted(np.cumsum(rows[order]), drawn, side="right")
        picked, times = np.unique(place, return_counts=True)
        columns = {"id": ids[order][picked], "n": times.astype(np.int64)}
        self.load("attacked_picked", columns)

    def load(self, table: str, columns: dict[str, IntArray]) -> None:
        """Make a scratch table of numbers."""
        self.engine.load_numbers(table, columns)
        self._made.append(table)

    def run(self, template: str, into: str, /, **parameters: object) -> None:
        """Make a scratch table anew."""
        self.engine.drop(into)
        self.engine.run(template, **parameters)
        self._made.append(into)

    def look_for(self, table: str, facets: Sequence[Facet]) -> None:
        """Make the targets that were drawn from a table, and look through all released rows."""
        columns = [f"v{facet.number}" for facet in facets]
        template = "attacks/people/targets" if self.people else "attacks/targets"
        self.run(template, "judged_cells", table=table, facets=columns)
        self.look_through(facets)

    def look_through(self, facets: Sequence[Facet]) -> None:
        """Let the released rows be all that are looked through, by some facets."""
        self._combine(RELEASE, "judged_tuples", facets)

    def hold_against(self, table: str, facets: Sequence[Facet]) -> None:
        """Let predicates be compared with the rows of one table only, by some facets."""
        self._combine(table, "judged_cells", facets)

    def joined(self, facets: Sequence[Facet]) -> Pairs:
        """Join targets and released rows by some facets. Raise TooManyPairsError for too many
        pairs."""
        pairs = Pairs(self.engine, [facet.number for facet in facets], MOST_PAIRS)
        if not pairs.join():
            pairs.drop()
            raise TooManyPairsError
        return pairs

    def code_rows(self, rows: Relation, template: str, made: str, **parameters: object) -> None:
        """Make a scratch table, which stays, of rows with the columns of the source."""
        self._tables.code_rows(rows, template, made=made, **parameters)

    def close(self) -> None:
        """Drop all scratch tables."""
        self._tables.drop()
        self.engine.drop(*dict.fromkeys(self._made))
        self._made.clear()

    def _combine(self, table: str, made: str, facets: Sequence[Facet]) -> None:
        columns = [f"v{facet.number}" for facet in facets]
        of_people = self.people and table != BOXES and made in (SOURCE, CONTROL, "judged_cells")
        columns += ["who"] * of_people
        self.run("attacks/combined", made, table=table, made=made, facets=columns)
