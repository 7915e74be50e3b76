"""The trials of ``advise``: the choices, numbers of people, order and time limits.

A trial takes about as long as its rows and 10,000 more: so the first one, on 1,000 people, shows
on how large a sample all methods can be tried in half of the time that is left. Then follow the best
ones on a second sample of other people, other numbers k, and the best ones on the whole table.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from anonsql.errors import PolicyError
from anonsql.features.advise.choices import Choice
from anonsql.features.advise.decision import Ranking
from anonsql.features.compare.document import CompareLine, Status, is_compared
from anonsql.features.compare.trials import Tried
from anonsql.jobs.samples import Sample, Size
from anonsql.policy.policy import Policy
from anonsql.privacy.promise import promised_facts
from anonsql.system.clock import is_interrupt

MOST = 10_000
"""The people of a sample, at most."""
LEAST = 1_000
"""The people of the first trial."""
FIXED = 10_000
"""The fixed cost of a trial, as a number of rows that take the same time."""
_NEARLY = 1.2
"""A table up to this many times as large as the sample is tried as a whole."""
_CLOSE = 2.0
"""Choices with up to this many times the least figure are tried on another sample."""
_ROUGHLY = 2.0
"""A choice is tried on the whole table if that may take up to this many times the time left."""
WHOLE = 0
"""The whole table among the parts of the people that choices are tried on; samples are 1 and 2."""

Attempt = Callable[[Choice, Sample | None, float, str], Tried]
"""Tries a choice on a sample, or on the whole table, within a number of seconds; the text is the
progress of all trials."""


@dataclass
class Trials:
    """Tries the ``choices`` of a table of a ``size``, those of a k one after the other, within a
    ``budget`` of seconds for all. The results are in ``tried``, by the name of the choice and the
    part of the people. ``slower``: the time for a row of the whole table, relative to a row of a
    sample."""

    base: Policy
    choices: Sequence[Choice]
    size: Size
    budget: float
    ranking: Ranking
    attempt: Attempt
    slower: float = 1.0
    clock: Callable[[], float] = time.perf_counter
    started: float = 0.0
    people: int = 0
    tried: dict[tuple[str, int], Tried] = field(default_factory=dict)
    interrupted: bool = False
    _first: dict[tuple[str, int], Tried] = field(default_factory=dict)
    _seconds: dict[str, float] = field(default_factory=dict)
    _pace: float | None = None

    @property
    def left(self) -> float:
        """The seconds of the budget that are left."""
        return self.budget - (self.clock() - self.started)

    @property
    def part(self) -> int:
        """The part of the people that choices are compared on."""
        return 1 if self.people < self.size.people else WHOLE

    @property
    def rows(self) -> float:
        """The rows of that part, about."""
        return self.size.rows * self.people / max(self.size.people, 1)

    def run(self) -> None:
        """Try the choices until all are tried or the time is over; Ctrl-C ends that, too."""
        small = self.size.people <= LEAST * _NEARLY
        self.people = self.size.people if small else LEAST
        try:
            for choice, part in self._attempts():
                if self.left <= 0:
                    break
                if (choice.name, part) not in self.tried and self._slow(choice) is None:
                    self._try(choice, part)
        except (Exception, KeyboardInterrupt) as error:
            if not is_interrupt(error):
                raise
            self.interrupted = True
        if self._first and not any(item.line.status == "met" for item in self.tried.values()):
            self.people, self.tried = LEAST, self._first

    def _attempts(self) -> Iterator[tuple[Choice, int]]:
        """Yield the next trials, by the results of earlier ones."""
        valid = [each for each in self.choices if isinstance(each.policy, Policy)]
        first = [each for each in valid if each.k == valid[0].k]
        others = [each for each in valid if each.k != valid[0].k]
        for choice in first if self.part else ():
            yield choice, self.part
            if self._line(choice, "met"):
                self._enlarge(choice, len(first))
                break
        yield from ((choice, self.part) for choice in first)
        if self.part == WHOLE:
            yield from ((choice, WHOLE) for choice in others)
            return
        best = sorted((one for one in first if self._line(one, "met")), key=self._rank)
        for choice in best if 2 * self.people <= self.size.people else ():
            if self._rank(choice)[1] <= _CLOSE * self._rank(best[0])[1]:
                yield choice, 2
        best.sort(key=self._rank)
        labels = [choice.label for choice in best]
        others.sort(key=lambda one: labels.index(one.label) if one.label in labels else len(labels))
        for choice in others:
            if choice.label in labels[:1] and self.left > self.budget / 2:
                yield choice, 1
        for choice in [*best, *(one for one in first if self._line(one, "not met"))]:
            if self.expected(choice) > _ROUGHLY * self.left:
                break  # without its figures there, those of lesser ones decide nothing
            yield choice, WHOLE
        yield from ((choice, 1) for choice in others)

    def _enlarge(self, choice: Choice, methods: int) -> None:
        """Take the most people with which all methods can be tried in half of the time left."""
        each, pace = self.left / 2 / methods, self._pace or math.inf
        people = int((each / pace - FIXED) * self.size.people / self.size.rows)
        if (
            self.size.people <= MOST * _NEARLY
            and (self.size.rows + FIXED) * pace * self.slower <= each
        ):
            people = self.size.people
        else:
            people = min(people, MOST, max(self.size.people // 2, LEAST)) // 100 * 100
        if people >= 2 * LEAST or people == self.size.people:
            self._first, self.tried, self.people = self.tried, {}, people

    def _try(self, choice: Choice, part: int) -> None:
        if part == WHOLE and self.part != WHOLE:
            limit = self.left
        elif self._pace is None:
            limit = self.left * 0.8
        else:
            limit = min(self.left, max(self.left / 2, 3 * self._pace * (self.rows + FIXED)))
        standing = f"{len({name for name, _ in self.tried})} of {len(self.choices)},"
        standing += f" {self.left:.0f} s left"
        sample = None
        if part != WHOLE:
            sample = Sample(self.people / self.size.people, part)
            standing += f", {self.people:,} people"
        began = self.clock()
        done = self.attempt(choice, sample, limit, standing)
        self.tried[choice.name, part] = done
        seconds = self.clock() - began
        if done.line.status in ("met", "not met") and part == self.part:
            self._seconds[choice.name] = seconds
            self._pace = seconds / (self.rows + FIXED)

    def expected(self, choice: Choice) -> float:
        """Return how many seconds the whole table is expected to take; infinite where the choice
        was not tried on a sample."""
        seconds = self._seconds.get(choice.name, math.inf)
        return seconds * self.slower * (self.size.rows + FIXED) / (self.rows + FIXED)

    def _line(self, choice: Choice, status: Status) -> CompareLine | None:
        done = self.tried.get((choice.name, self.part))
        return done.line if done is not None and done.line.status == status else None

    def _slow(self, choice: Choice) -> CompareLine | None:
        """Return the line of the same method with which it was given up: another k takes as
        long."""
        labels = {each.name: each.label for each in self.choices}
        for (name, part), done in {**self._first, **self.tried}.items():
            if (part, labels[name], done.line.status) == (self.part, choice.label, "given up"):
                return done.line
        return None

    def _rank(self, choice: Choice) -> tuple[bool, float, float]:
        line = self.tried[choice.name, self.part].line
        figures = self.figures().get(choice.name, [math.inf])
        loss = math.inf if line.loss is None else line.loss
        return not is_compared(line), sum(figures) / len(figures), loss

    def figures(self) -> dict[str, list[float]]:
        """Return the figures that choices are ranked by in the samples, by name."""
        found: dict[str, list[float]] = {}
        for part in (1, 2):
            for choice in self.choices:
                done = self.tried.get((choice.name, part))
                figure = self.ranking.figure(done.line) if done is not None else None
                if figure is not None:
                    found.setdefault(choice.name, []).append(figure)
        return found

    def compared(self) -> list[Tried]:
        """Return the result of each choice on the part on which choices are compared."""
        return [self._compared(choice) for choice in self.choices]

    def _compared(self, choice: Choice) -> Tried:
        if (done := self.tried.get((choice.name, self.part))) is not None:
            return done
        if isinstance(choice.policy, PolicyError):
            return untried(self.base, choice, "refused", " ".join(str(choice.policy).split()))
        if (slow := self._slow(choice)) is not None:
            return untried(self.base, choice, "given up", f"k={slow.k} took too long.")
        spent = f"the budget of {self.budget:g} seconds is spent; --budget allows more."
        reason = "the command was interrupted." if self.interrupted else spent
        return untried(self.base, choice, "not tried", reason)


def untried(
    base: Policy, choice: Choice, status: Status, reason: str, seconds: float = 0.0
) -> Tried:
    """Return the line of a choice without a release."""
    line = CompareLine(
        policy=choice.name,
        status=status,
        reason=reason,
        method=choice.method,
        settings="",
        k=choice.k,
        promises=promised_facts(base.privacy),
        suppression_limit=base.privacy.suppression_limit,
        seconds=seconds,
    )
    return Tried(line)
