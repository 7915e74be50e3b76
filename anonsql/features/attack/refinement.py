"""Combinatorial refinement of a published release, by making it again."""

from __future__ import annotations

from dataclasses import dataclass

from anonsql.attacks.guessing import Outcome
from anonsql.attacks.refinement import Assignment, Puzzle
from anonsql.attacks.sides import SOURCE, Facet, Sides, TooManyPairsError
from anonsql.attacks.statistics import Counted
from anonsql.engines.base import ReleaseTables
from anonsql.errors import AnonsqlError
from anonsql.features.run.command import run_job
from anonsql.features.verify.other_releases import opened
from anonsql.jobs.job import Job, silent
from anonsql.policy.policy import Release
from anonsql.policy.source import Source
from anonsql.system.arrays import np

MOST = 100
"""The greatest number of assignments that are tried."""


@dataclass(frozen=True)
class Refined:
    """What was found of the ``assignments`` that a release leaves open: how many of them the method
    makes it of (``consistent``), and how well those guess secrets, beside all of them."""

    assignments: int
    consistent: int
    outcome: Outcome


def refine(job: Job, published: ReleaseTables, sides: Sides, attempts: int) -> Refined | str:
    """Return what remains possible of the rows' secrets, or why that was not looked at."""
    policy = job.policy
    secrets = [facet for facet in sides.values if facet.sensitive and facet.bucket is None]
    promised = {name for _, name, _ in policy.privacy.by_column()}
    if not promised:
        return "the policy promises nothing of sensitive values, so labels do not depend on them"
    if len(secrets) != 1 or promised != {secrets[0].name}:
        return "it is made of releases with one sensitive column, in the rows"
    if not policy.method.equal_rows_are_classes or policy.privacy.several:
        return "rows of the release do not tell in which class each person is"
    if not job.engine.embedded or published.engine is not job.engine:
        return "it is made where one DuckDB reads both the source and the release"
    (secret,) = secrets
    puzzle = _puzzle(sides, secret)
    if isinstance(puzzle, str):
        return puzzle
    most = min(attempts, MOST)
    assignments = puzzle.assignments(most)
    if assignments is None:
        return f"the release leaves more than {most:,} assignments open, too many to try"
    trial = _Trial(job, published, sides, secret)
    if not trial.makes(puzzle.truth):
        return "the method does not make the same release again: chance has a part in it"
    consistent = [one for one in assignments if one == puzzle.truth or trial.makes(one)]
    rows = sum(sum(truth.values()) for truth in puzzle.truth.values())
    before, _ = puzzle.judged(assignments)
    after, certain = puzzle.judged(consistent)
    outcome = Outcome(
        [facet.name for facet in sides.labels],
        Counted(rows, round(after)),
        Counted(rows, round(before)),
        [secret.name],
        certain,
    )
    return Refined(len(assignments), len(consistent), outcome)


def _puzzle(sides: Sides, secret: Facet) -> Puzzle | str:
    """Return the classes of a release with their combinations and secrets, or why they cannot be
    told."""
    total = sides.total(SOURCE)
    sides.draw(SOURCE, total, np.random.default_rng(0))  # that is all of them
    sides.look_for(SOURCE, [*sides.labels, secret])
    try:
        pairs = sides.joined(sides.labels)
    except TooManyPairsError:
        return "people may be too many released rows"
    try:
        facets = [f"v{facet.number}" for facet in sides.labels]
        shared = {"steps": len(facets), "facets": facets, "facet": secret.number}
        placed = sides.engine.query("attacks/placed", **shared)
    finally:
        pairs.drop()
    if any(one is None for one, *_ in placed):
        return "rows were suppressed, and their secrets are not known"
    puzzle = Puzzle.of([(int(a), int(b), int(c), int(n)) for a, b, c, n in placed])
    if sum(sum(sizes.values()) for sizes in puzzle.sizes.values()) != total:
        return "people may be in several classes"
    return puzzle


@dataclass(frozen=True)
class _Trial:
    """A policy by which tables are released that the source might be."""

    job: Job
    published: ReleaseTables
    sides: Sides
    secret: Facet

    def makes(self, assignment: Assignment) -> bool:
        """Return whether the method makes the published release of an assignment."""
        job, names = self.job, [facet.name for facet in self.sides.labels]
        folder = job.context.workspace / "tried"
        folder.mkdir(mode=0o700, exist_ok=True)
        self._assign(assignment)
        attributes = {one.name: one for one in job.counted.attributes}
        labels = [(attributes[facet.name], facet.number) for facet in self.sides.labels]
        self.sides.run(
            "attacks/candidate",
            "attacked_candidate",
            labels=labels,
            facets=[f"v{facet.number}" for facet in self.sides.labels],
            j=self.sides.column(self.secret),
            secret=self.secret.name,
        )
        columns = job.engine.columns(("attacked_candidate",))
        (path,) = job.engine.carry(
            "attacked_candidate", columns, folder / "source", "parquet"
        ).paths
        kept = {
            name: one
            for name, one in job.policy.columns.items()
            if name in {*names, self.secret.name}
        }
        policy = job.policy.model_copy(
            update={
                "source": Source(file=str(path)),
                "release": Release(database=str(folder / "release.duckdb"), table="r", completed=0),
                "columns": kept,
            }
        )
        try:
            run_job(policy, if_changed=False, dry_run=False, progress=silent, show_values=False)
        except AnonsqlError:
            return False
        with opened(job, policy) as made:
            if made is None:
                return False
            both = {"one": made.tables.rows, "other": self.published.rows}
            named = [*names, self.secret.name]
            unlike = job.engine.query("attacks/unlike", columns=named, **both)
        return int(unlike[0][0]) == 0

    def _assign(self, assignment: Assignment) -> None:
        """Make ``attacked_assigned`` of an assignment."""
        rows = [
            (combination, value)
            for combination, secrets in assignment.items()
            for value in secrets.elements()
        ]
        array = np.array(rows, dtype=np.int64)
        self.sides.load("attacked_assigned", {"combination": array[:, 0], "value": array[:, 1]})
