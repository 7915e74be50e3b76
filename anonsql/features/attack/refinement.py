"""Combinatorial refinement of a published release: which secrets its people may have, when only
those count of which the method would have made it.

Where few assignments of secrets are open in all, the release is made again of each. Otherwise
classes are looked at one by one (:mod:`anonsql.features.attack.by_class`)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from anonsql.attacks.guessing import Attacker, Outcome
from anonsql.attacks.refinement import Assignment, Puzzle
from anonsql.attacks.sides import Facet
from anonsql.attacks.statistics import Counted
from anonsql.engines.base import ReleaseTables
from anonsql.features.attack.by_class import (
    ByClass,
    Members,
    guessed_secrets,
    guessed_values,
    meanings_of,
    members_of,
    unfit,
)
from anonsql.features.attack.document import Excluded
from anonsql.features.attack.trials import Trial
from anonsql.jobs.job import Job

MOST = 100
"""The greatest number of assignments that are tried, unless another is asked for."""


@dataclass(frozen=True)
class Refined:
    """What was found, in words (``by``), and for whom what does not remain is impossible."""

    by: str
    outcome: Outcome
    excluded: Excluded


@dataclass(frozen=True)
class Refiner:
    """Who makes releases again: at most so many ``trials``, or what is usual where None are asked
    for."""

    job: Job
    published: ReleaseTables
    attacker: Attacker
    trials: int | None

    def refine(self) -> Refined | str:
        """Return what remains possible of the rows' secrets, or why that was not looked at."""
        promised = self._promised
        if not promised:
            return (
                "the policy promises nothing of sensitive values, so labels do not depend on them"
            )
        secret, sides = self._secret, self.attacker.sides
        if secret is None:
            return "it is made of releases with one sensitive column, in the rows"
        if reason := self._unreadable():
            return reason
        trial = Trial(self.job, self.published, sides, secret)
        members = members_of(trial, again=self.trials is not None)
        if isinstance(members, str):
            return members
        puzzle = Puzzle.of(members.known)
        most = MOST if self.trials is None else self.trials
        assignments = puzzle.assignments(min(self.attacker.attempts, most))
        if assignments is not None and not members.suppressed:
            return self._whole(trial, puzzle, assignments, members.apart)
        found = self._by_class(trial, members).secrets()
        if isinstance(found, str):
            return f"the release leaves more assignments open than are tried as a whole: {found}"
        return Refined(found.words, guessed_secrets(found, sides, secret), found.excluded)

    def finer(self) -> Iterator[Refined] | str:
        """Yield, column by column, what remains possible of the values that labels stand for, to
        somebody who knows nobody; or return why that was not looked at."""
        secret, sides = self._secret, self.attacker.sides
        if self._promised and secret is None:
            return "it is made of releases with one sensitive column, in the rows"
        if reason := self._unreadable():
            return reason
        if self.trials is None and (reason := unfit(self.job, whole=True)):
            return reason
        trial = Trial(self.job, self.published, sides, secret)
        members = members_of(trial, again=self.trials is not None)
        if isinstance(members, str):
            return members
        meanings = meanings_of(sides, members)
        found = self._by_class(trial, members).values(meanings)
        if isinstance(found, str):
            return found
        return (
            Refined(f"{outcome.guessed[0]}: {found.words}", outcome, found.excluded)
            for outcome in guessed_values(found, members, sides, meanings)
        )

    @property
    def _promised(self) -> set[str]:
        return {name for _, name, _ in self.job.policy.privacy.by_column()}

    @property
    def _secret(self) -> Facet | None:
        """The sensitive column that something is promised of, if it is one, in the rows."""
        secrets = [
            facet
            for facet in self.attacker.sides.values
            if facet.sensitive and facet.bucket is None and {facet.name} == self._promised
        ]
        return secrets[0] if len(secrets) == 1 else None

    def _unreadable(self) -> str | None:
        """Return why nothing can be tried of a release, if that is so."""
        job, policy = self.job, self.job.policy
        if not policy.method.equal_rows_are_classes or policy.privacy.several:
            return "rows of the release do not tell in which class each person is"
        if policy.privacy.over_time is not None:
            return "what is released of a series depends on the releases before it"
        if policy.separated or policy.conditions:
            return "values of the release lie in tables of their own"
        if not job.engine.embedded or self.published.engine is not job.engine:
            return "it is made where one DuckDB reads both the source and the release"
        return None

    def _by_class(self, trial: Trial, members: Members) -> ByClass:
        attacker = self.attacker
        return ByClass(
            self.job, trial, members, attacker.attempts, self.trials or 0, attacker.random
        )

    def _whole(
        self, trial: Trial, puzzle: Puzzle, assignments: list[Assignment], apart: bool
    ) -> Refined | str:
        """Return what remains of all assignments of the whole table; ``apart``: it is plain who is
        in which class."""

        def makes(assignment: Assignment) -> bool:
            rows = tuple(
                (codes, value)
                for codes, secrets in assignment.items()
                for value in secrets.elements()
            )
            return trial.makes([rows])

        if not makes(puzzle.truth):
            return "the method does not make the same release again: chance has a part in it"
        remaining = [one for one in assignments if one == puzzle.truth or makes(one)]
        rows = sum(sum(truth.values()) for truth in puzzle.truth.values())
        before, _ = puzzle.judged(assignments)
        after, certain = puzzle.judged(remaining)
        outcome = Outcome(
            [facet.name for facet in self.attacker.sides.labels],
            Counted(rows, round(after)),
            Counted(rows, round(before)),
            [] if trial.secret is None else [trial.secret.name],
            certain,
        )
        by = f"{len(remaining):,} of {len(assignments):,} assignments remain"
        return Refined(by, outcome, "everybody" if apart else "who knows everybody's class")
