"""The three attacks of WP216: singling out, linkability and inference, each with its control.
Guesses that are left to chance are counted as often as they would be right on average."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from anonsql.attacks.sides import (
    CONTROL,
    DRAWN,
    LINKS,
    MOST_PAIRS,
    RELEASE,
    SOURCE,
    Facet,
    Sides,
    TooManyPairsError,
)
from anonsql.attacks.statistics import Counted
from anonsql.errors import PolicyError
from anonsql.system.arrays import BoolArray, IntArray, np

if TYPE_CHECKING:
    from numpy.typing import NDArray

FloatArray: TypeAlias = "NDArray[np.float64]"
Found = TypeVar("Found")
NEARLY = 1e-9
TOLERANCE = 0.05
"""How far a guess may be from a number, as a share of it, to be right."""
MOST_NUMBERS = 10_000
"""The greatest number of different numbers that are compared with each other."""
_FEWEST = 4


@dataclass(frozen=True)
class Outcome:
    """What an attack that knows some columns (``known``) guessed rightly, and its control.
    ``certain``: the right guesses that the release leaves no doubt of."""

    known: Sequence[str]
    attack: Counted
    control: Counted
    guessed: Sequence[str] = ()
    certain: int | None = None


@dataclass(frozen=True)
class Attacker:
    """Who attacks: both ``sides``, at most so many ``attempts``, and chances. With ``control``
    there are rows that were not released."""

    sides: Sides
    attempts: int
    random: np.random.Generator
    control: bool

    def within(self, attack: Callable[[Attacker], Found]) -> Found:
        """Return what an attack finds with as many attempts as possible: a quarter of them, and so
        on, where targets may be too many released rows."""
        try:
            return attack(self)
        except TooManyPairsError:
            if self.attempts < _FEWEST:
                text = f"each target may match more than {MOST_PAIRS // _FEWEST:,} released rows."
                raise PolicyError.at("--kinds", text, "Leave this attack out.") from None
            return replace(self, attempts=self.attempts // 4).within(attack)

    def singling_out(self, facets: Sequence[Facet], released: str = RELEASE) -> Outcome:
        """Guess that some columns of a ``released`` row, or of one drawn for it, single out one row
        of the source, for rows that are alone with these values. The control takes the value of
        every column from another released row. If there are rows that were not released, it holds
        the very guess against those. Where people may have several rows, the guess is that one
        person has such rows: of rows that are alone, or that the release links to one person."""
        sides, columns = self.sides, [f"v{facet.number}" for facet in facets]
        linked = sides.linked and released == RELEASE
        released = LINKS if linked else released
        asked = {"table": released, "facets": columns, "linked": linked}
        found = sides.engine.numbers("attacks/alone", **asked)
        alone = found[0] if found else np.zeros(0, np.int64)
        size = min(self.attempts, len(alone))
        guesses = self.random.choice(alone, size=size, replace=False) if size else alone[:0]
        names = [facet.name for facet in facets]
        if not size:
            return Outcome(names, Counted(0, 0), Counted(0, 0))
        same = [guesses] * len(facets)
        attack = self._hits(facets, released, same, SOURCE)
        if self.control:
            return Outcome(names, attack, self._hits(facets, released, same, CONTROL))
        ids, rows = sides.engine.numbers("verification/facts", table=released, columns=["id", "n"])
        mixed = [self.random.choice(ids, size=size, p=rows / rows.sum()) for _ in facets]
        return Outcome(names, attack, self._hits(facets, released, mixed, SOURCE))

    def _hits(
        self, facets: Sequence[Facet], released: str, rows: Sequence[IntArray], table: str
    ) -> Counted:
        """Return how many predicates exactly one row, or person, of a table satisfies. They are
        made from the ``released`` rows of these numbers, for each facet in turn."""
        sides, numbers = self.sides, [facet.number for facet in facets]
        named = {f"r{number}": ids for number, ids in zip(numbers, rows, strict=True)}
        size = len(rows[0])
        sides.load("attacked_guesses", {"id": np.arange(1, size + 1), **named})
        sides.run("attacks/predicates", "judged_tuples", table=released, facets=numbers)
        if released == DRAWN:
            columns = [f"v{number}" for number in numbers]
            asked = {"table": table, "facets": columns, "people": sides.people}
            found = sides.engine.query("attacks/equal", **asked)
        else:
            sides.hold_against(table, facets)
            pairs = sides.joined(facets)
            try:
                asked = {"steps": len(facets), "people": sides.people}
                found = sides.engine.query("attacks/hits", **asked)
            finally:
                pairs.drop()
        return Counted(size, sum(int(n) == 1 for _, n in found))

    def linkability(self, one: Sequence[Facet], other: Sequence[Facet]) -> Outcome:
        """Guess that two known parts of a target belong together: some columns pick a released row
        that may be the target's, and the ``other`` ones pick the same row. The control's target has
        no row in the release: its own is removed, or it was not released."""
        attack = self._parts(SOURCE, one, other)
        control = self._parts(CONTROL, one, other) if self.control else attack
        return Outcome(
            [facet.name for facet in one],
            self._linked(attack, taken=0),
            self._linked(control, taken=0 if self.control else 1),
            [facet.name for facet in other],
        )

    def _parts(
        self, table: str, one: Sequence[Facet], other: Sequence[Facet]
    ) -> Sequence[IntArray]:
        self.sides.draw(table, self.attempts, self.random)
        return [self._fitting(table, part) for part in (one, other, [*one, *other])]

    def _linked(self, by_part: Sequence[IntArray], *, taken: int) -> Counted:
        """Return how often targets are linked with ``taken`` of the rows that may be theirs
        away."""
        times = by_part[0][:, 1]
        first, second, both = (np.maximum(part[:, 2] - taken, 0) for part in by_part)
        return expected(times, both / np.maximum(first * second, 1))

    def _fitting(self, table: str, facets: Sequence[Facet]) -> IntArray:
        """Return of each target (id, how often it was drawn, released rows that may be its)."""
        self.sides.look_for(table, facets)
        pairs = self.sides.joined(facets)
        try:
            rows = self.sides.engine.query("attacks/fitting", steps=len(facets))
        finally:
            pairs.drop()
        return np.array(rows, dtype=np.int64).reshape(-1, 3)

    def inference(self, secret: Facet, *, near: bool = False) -> Outcome:
        """Guess a target's ``secret``: the value of most released rows that may be its by all
        labels, one of several by chance; without such rows the most frequent value. ``near``: a
        guess within :data:`TOLERANCE` of a number is right, and most rows are so near to it. The
        control guesses without the target's own row, or about rows that were not released, or the
        most frequent value if that is right more often."""
        known = [facet for facet in self.sides.labels if facet.number != secret.labels]
        if near:
            number = self.sides.column(secret)
            self.sides.run("attacks/near", "attacked_near", j=number, tolerance=TOLERANCE)
        votes = self._votes(SOURCE, known, secret, near=near)
        others = self._votes(CONTROL, known, secret, near=near) if self.control else votes
        right = self._rightly_guessed(self._most_frequent(secret, near=near), near=near)
        _, times, _, own, best, *_ = votes.T
        return Outcome(
            [facet.name for facet in known],
            expected(times, _chance(votes, right, taken=False)),
            max(
                expected(others[:, 1], _chance(others, right, taken=not self.control)),
                expected(others[:, 1], np.isin(others[:, 2], right)),
                key=lambda counted: counted.successes,
            ),
            [secret.name],
            None if near else int(times[(own > NEARLY) & (best < NEARLY)].sum()),
        )

    def _votes(
        self, table: str, known: Sequence[Facet], secret: Facet, *, near: bool
    ) -> FloatArray:
        """Return the votes of released rows about the secrets of targets, as the template has
        them."""
        sides = self.sides
        sides.draw(table, self.attempts, self.random)
        own_labels = [facet for facet in sides.labels if facet.number == secret.labels]
        sides.look_for(table, [*known, *own_labels, secret])
        sides.run("attacks/words", "attacked_words", facet=secret.number, j=secret.bucket)
        pairs = sides.joined(known)
        shared = {"facet": secret.number, "label": secret.labels, "near": near}
        try:
            votes = sides.engine.query("attacks/votes", steps=len(known), **shared)
        finally:
            pairs.drop()
        return np.array(votes, dtype=np.float64).reshape(-1, 9)

    def _most_frequent(self, secret: Facet, *, near: bool) -> int | None:
        """Return the value that most released rows have, or are near to."""
        query = self.sides.engine.query
        frequent = query("attacks/marginals", facet=secret.number, near=near)
        return int(frequent[0][0]) if frequent else None

    def _rightly_guessed(self, guess: int | None, *, near: bool) -> IntArray:
        if guess is None or not near:
            return np.array([] if guess is None else [guess], dtype=np.int64)
        guesses, truths = self.sides.engine.numbers(
            "verification/facts", table="attacked_near", columns=["guess", "truth"]
        )
        near_to: IntArray = truths[guesses == guess]
        return near_to


def _chance(votes: FloatArray, right: IntArray, *, taken: bool) -> FloatArray:
    """Return how likely guesses by votes are right; without votes the guess is the most frequent
    value, which is ``right`` for these targets. With ``taken``, each target's own row does not
    vote."""
    _, _, truth, own, best, ties, part, total, rights = votes.T
    none = total < NEARLY
    if taken:
        own = np.maximum(own - part, 0)
        none = total < 1 + NEARLY  # the only row that may be the target's is its own
    chance = np.where(own > best + NEARLY, 1.0, 0.0)
    rights = np.maximum(rights, 1)
    chance = np.where(np.abs(own - best) <= NEARLY, rights / (ties + rights), chance)
    return np.where(none, np.isin(truth, right), chance)


def expected(times: IntArray | FloatArray, chance: FloatArray | BoolArray) -> Counted:
    """Return guesses, made so many times each, and how many are right on average."""
    return Counted(round(float(times.sum())), round(float((times * chance).sum())))
