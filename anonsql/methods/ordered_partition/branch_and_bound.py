"""Branch and bound over sets of cuts, after K-Optimize (Bayardo, Agrawal, ICDE 2005).

A branch is a set of cuts that are taken and a set of cuts that are open: all recodings between the
coarsest and the finest that it allows. Refining never makes a class larger, so a lower bound of the
cost in the finest recoding is one for the whole branch, and a cut that suppresses too many rows is
closed in the whole branch. Branches are judged in batches, the least bound first.
"""

from __future__ import annotations

import heapq
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from anonsql.methods.ordered_partition.cuts import CutRecoding, Cuts, JudgedCut
from anonsql.methods.refinement import greatest_gains
from anonsql.system.clock import Clock, Progress, silent

_BATCH = 16


@dataclass(frozen=True)
class Best:
    """The cheapest recoding found: cuts as bits, cost, and whether that is optimal."""

    cuts: int
    cost: int
    optimal: bool


@dataclass
class Search:
    """A search for the cheapest cuts that suppress at most ``max_suppressed`` rows, in at most
    ``budget`` branches and about ``seconds``, with time left by ``clock`` for later stages.
    ``closing``: a cut that suppresses too many rows does so in every refinement."""

    cuts: Cuts
    max_suppressed: int
    budget: int
    closing: bool
    seconds: float | None = None
    progress: Progress = silent
    clock: Clock = field(default_factory=Clock)
    best: Best = Best(0, -1, False)
    judged: int = 0
    started: float = field(default_factory=time.perf_counter)

    @property
    def spent(self) -> bool:
        """Whether budget or time is used up, so that the best recoding so far is the result."""
        return self.judged >= self.budget or self.late

    @property
    def late(self) -> bool:
        """Whether the time is used up."""
        return self.clock.enough() or self._left() <= 0

    def _left(self) -> float:
        taken = time.perf_counter() - self.started
        own = math.inf if self.seconds is None else self.seconds - taken
        left = self.clock.left_to_search
        return own if left is None else min(own, left)

    def _at_once(self) -> int:
        """Return how many recodings there is time to judge at once, going by those before."""
        left = self._left()
        if math.isinf(left) or not self.judged:
            return _BATCH
        each = (time.perf_counter() - self.started) / self.judged
        return max(1, min(_BATCH, int(left / each)))

    def run(self) -> Best:
        """Refine and exchange for a start, branch within the budget; return the best recoding."""
        opened = self.refine(CutRecoding(0, self.cuts.all))
        self.exchange(opened)
        queue = [(0, 0, CutRecoding(0, opened))]
        number = 0
        while queue and queue[0][0] < self.best.cost and not self.spent:
            batch = [
                heapq.heappop(queue)[2]
                for _ in range(min(self._at_once(), len(queue), self.budget - self.judged))
            ]
            for recoding, judged in zip(batch, self.judge(batch), strict=True):
                for branch in self.branches(recoding, judged):
                    number -= 1
                    heapq.heappush(queue, (judged.finest.least, number, branch))
        return Best(self.best.cuts, self.best.cost, not queue or queue[0][0] >= self.best.cost)

    def judge(self, recodings: Sequence[CutRecoding], *, onward: bool = False) -> list[JudgedCut]:
        """Judge recodings and every recoding one cut away from them, and remember the best."""
        known = 0 if self.judged > self.budget else self.budget  # what a start takes, none knows
        self.progress("choose", self.judged, known)
        verdicts = self.cuts.judge(recodings, onward=onward)
        self.judged += len(recodings)
        for recoding, judged in zip(recodings, verdicts, strict=True):
            self.note(recoding.taken, judged.total.suppressed, judged.total.cost)
            self.note(recoding.taken | recoding.open, judged.finest.suppressed, judged.finest.cost)
            for number, change in judged.changes.items():
                self.note(
                    recoding.taken | 1 << number,
                    judged.total.suppressed + change.suppressed,
                    judged.total.cost + change.cost,
                )
        return verdicts

    def note(self, cuts: int, suppressed: int, cost: int) -> None:
        """Remember an allowed recoding if it is cheaper than all before."""
        if suppressed <= self.max_suppressed and (self.best.cost < 0 or cost < self.best.cost):
            self.best = Best(cuts, cost, False)

    def possible(self, recoding: CutRecoding, judged: JudgedCut) -> int:
        """Return the open cuts that do not suppress too many rows, here and below."""
        left = recoding.open
        for number, change in judged.changes.items():
            if self.closing and judged.total.suppressed + change.suppressed > self.max_suppressed:
                left = self.cuts.without(left, number)
        return left

    def branches(self, recoding: CutRecoding, judged: JudgedCut) -> list[CutRecoding]:
        """Return the two halves of a branch: with the most gainful cut, and without it. Return none
        where the bound of the branch is no better than the best recoding so far."""
        left = self.possible(recoding, judged)
        candidates = [
            (change.cost, number) for number, change in judged.changes.items() if left >> number & 1
        ]
        if judged.finest.least >= self.best.cost or not candidates:
            return []
        _, number = min(candidates)
        return [
            CutRecoding(recoding.taken | 1 << number, left & ~(1 << number)),
            CutRecoding(recoding.taken, self.cuts.without(left, number)),
        ]

    def refine(self, recoding: CutRecoding) -> int:
        """Take the best cuts until none is left; return those possible at the beginning."""
        first, onward = -1, False
        while True:
            judged = self.judge([recoding], onward=onward)[0]
            left = self.possible(recoding, judged)
            first = left if first < 0 else first
            room = self.max_suppressed - judged.total.suppressed
            allowed = [change for change in judged.changes.values() if change.suppressed <= room]
            taken = [
                self.cuts.numbers[gain.attribute, gain.candidate]
                for gain in greatest_gains(allowed, room)
            ]
            if not taken or self.late:
                return first
            bits = sum(1 << number for number in taken)
            recoding, onward = CutRecoding(recoding.taken | bits, left & ~bits), True

    def exchange(self, opened: int) -> None:
        """Exchange one cut for the best other one and refine, as long as that lowers the cost."""
        before = -1
        while self.best.cost != before and not self.spent:
            before, cuts = self.best.cost, self.best.cuts
            others = opened & ~cuts
            less = [
                CutRecoding(self.cuts.without(cuts, number), self.cuts.without(others, number))
                for number in range(cuts.bit_length())
                if cuts >> number & 1
            ]
            while less and not self.spent:
                batch = self._at_once()
                self.judge(less[:batch])
                less = less[batch:]
            if self.best.cost < before:
                self.refine(CutRecoding(self.best.cuts, opened & ~self.best.cuts))
