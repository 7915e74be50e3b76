"""The attacks on people who may have several rows. The target is a person, and the attacker knows
one of the person's rows, any with the same probability. The attacker does not see whose a released
row is: it is divided among the people of the source whose rows fit it (``attacked_owners``).

- Singling out: exactly one person has such rows. If the release shows which rows are one person's,
  as with surrogates, also that exactly one person has all of these rows, and no others.
- Linkability: by each part one released row is picked that may be the target's; both are rows of
  the same person.
- Inference: the most frequent value of released rows that may be the target's is a value of the
  person, in any row.

The control removes all released rows of the person.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from anonsql.attacks.guessing import (
    NEARLY,
    TOLERANCE,
    Attacker,
    FloatArray,
    Outcome,
    expected,
)
from anonsql.attacks.sides import (
    CONTROL,
    SOURCE,
    Facet,
)
from anonsql.attacks.statistics import Counted
from anonsql.system.arrays import BoolArray, IntArray, np


class PeopleAttacker(Attacker):
    """Who attacks people."""

    def all_rows(self, labels: Sequence[Facet]) -> Outcome:
        """Guess that exactly one person of the source has all rows that the release links to one,
        and no more, by their labels. The control takes every one of the rows from any released
        ones. If there are rows that were not released, it holds the very guess against those."""
        sides, facts = self.sides, "verification/facts"
        columns = [f"v{facet.number}" for facet in labels]
        sides.look_through(labels)
        sides.run("attacks/people/rows_of_people", "attacked_link_sets", facets=columns)
        links = {"table": "attacked_link_sets", "columns": ["who", "tuple", "n"]}
        who, tuples, rows = sides.engine.numbers(facts, **links)
        people = np.unique(who)
        size = min(self.attempts, len(people))
        chosen = np.isin(who, self.random.choice(people, size=size, replace=False))
        who, own = (np.repeat(one[chosen], rows[chosen]) for one in (who, tuples))
        ids, n = sides.engine.numbers(facts, table="judged_tuples", columns=["id", "n"])
        mixed = self.random.choice(ids, size=len(own), p=n / n.sum())
        attack = self._having_all(SOURCE, labels, who, own)
        table, compared = (CONTROL, own) if self.control else (SOURCE, mixed)
        control = self._having_all(table, labels, who, compared)
        return Outcome([facet.name for facet in labels], attack, control)

    def _having_all(
        self, table: str, facets: Sequence[Facet], sets: IntArray, tuples: IntArray
    ) -> Counted:
        """Return of how many ``sets`` of released rows, given by their ``tuples``, exactly one
        person of a table has all."""
        sides, steps = self.sides, len(facets)
        (who, tuple_of), rows = np.unique(np.stack([sets, tuples]), axis=1, return_counts=True)
        guesses, place, sizes = np.unique(who, return_inverse=True, return_counts=True)
        whole = np.bincount(place, weights=rows).astype(np.int64)
        columns = {"id": who, "tuple": tuple_of, "n": rows, "size": sizes[place]}
        sides.load("attacked_sets", {**columns, "whole": whole[place]})
        sides.hold_against(table, facets)
        pairs = sides.joined(facets)
        try:
            sides.require_few("attacks/people/having_extent", steps=steps)
            found = sides.engine.query("attacks/people/having_all", steps=steps)
        finally:
            pairs.drop()
        return Counted(len(guesses), sum(int(n) == 1 for _, n in found))

    def linkability(self, one: Sequence[Facet], other: Sequence[Facet]) -> Outcome:
        """Guess that what is known of a target in two places belongs together: by each part a
        released row is picked that may be the target's, and both are one person's. The control's
        target has no row in the release."""
        attack = self._picks(SOURCE, one, other)
        control = self._picks(CONTROL, one, other) if self.control else attack
        return Outcome(
            [facet.name for facet in one],
            _picked_together(attack, taken=False),
            _picked_together(control, taken=not self.control),
            [facet.name for facet in other],
        )

    def _picks(self, table: str, one: Sequence[Facet], other: Sequence[Facet]) -> FloatArray:
        """Return of each target's row what the template has of it."""
        sides = self.sides
        sides.draw(table, self.attempts, self.random)
        for part, facets in enumerate((one, other), start=1):
            sides.look_for(table, facets)
            sides.find_part_owners(facets)
            pairs = sides.joined(facets)
            by_part = {"steps": len(facets), "part": part}
            try:
                sides.require_few("attacks/people/extent", steps=len(facets))
                sides.run("attacks/people/shares", f"attacked_shares_{part}", **by_part)
                sides.run("attacks/people/places", f"attacked_places_{part}", **by_part)
            finally:
                pairs.drop()
        rows = sides.engine.query("attacks/people/linked")
        return np.array(rows, dtype=np.float64).reshape(-1, 8)

    def inference(self, secret: Facet, *, near: bool = False) -> Outcome:
        """Guess a value that a target has: that of most released rows that may be the target's by
        all labels. Otherwise as :meth:`Attacker.inference`."""
        sides = self.sides
        known = [facet for facet in sides.labels if facet.number != secret.labels]
        if near:
            number = sides.column(secret)
            sides.run("attacks/near", "attacked_near", j=number, tolerance=TOLERANCE)
        sides.run("attacks/words", "attacked_words", facet=secret.number, j=None)
        right = self._rightly_guessed(self._most_frequent(secret, near=near), near=near)
        own, without = self._votes_of(SOURCE, known, secret, right, near=near)
        if self.control:
            without, _ = self._votes_of(CONTROL, known, secret, right, near=near)
        certain = (own.right > NEARLY) & (own.values == 1)
        return Outcome(
            [facet.name for facet in known],
            expected(own.weights, own.chance),
            max(
                expected(without.weights, without.chance),
                expected(without.weights, without.frequent),
                key=lambda counted: counted.successes,
            ),
            [secret.name],
            None if near else round(float(own.weights[certain].sum())),
        )

    def _votes_of(
        self, table: str, known: Sequence[Facet], secret: Facet, right: IntArray, *, near: bool
    ) -> tuple[_Votes, _Votes]:
        """Return the votes about targets of a table, with their own rows and without them. The most
        frequent value is ``right`` for people who have one of these values."""
        sides, both = self.sides, [*known, secret]
        sides.draw(table, self.attempts, self.random)
        sides.look_for(table, both)
        sides.find_part_owners(both)
        truths = {"table": table, "facet": secret.number}
        sides.run("attacks/people/truths", "attacked_truths", **truths)
        have = {"table": "attacked_truths", "columns": ["who", "value"]}
        who, value = sides.engine.numbers("verification/facts", **have)
        frequent = who[np.isin(value, right)]
        asked = {"steps": len(known), "facet": secret.number, "near": near}
        pairs = sides.joined(known)
        try:
            sides.require_few("attacks/people/extent", steps=len(known))
            with_own, without = (
                sides.engine.query("attacks/people/votes", **asked, taken=taken)
                for taken in (False, True)
            )
        finally:
            pairs.drop()
        return _Votes.of(with_own, frequent), _Votes.of(without, frequent)


@dataclass(frozen=True)
class _Votes:
    """The evidence of released rows on targets, by their known rows: how likely each row is the
    known one (``weights``), whether the most ``frequent`` value is right, how likely the guess is
    right (``chance``), the votes for a ``right`` value, and how many values have votes."""

    weights: FloatArray
    frequent: BoolArray
    chance: FloatArray
    right: FloatArray
    values: FloatArray

    @classmethod
    def of(cls, rows: Sequence[Sequence[object]], frequent: IntArray) -> _Votes:
        votes = np.array(rows, dtype=np.float64).reshape(-1, 9)
        _, who, _, right, wrong, ties, rights, total, values = votes.T
        chance = np.where(right > wrong + NEARLY, 1.0, 0.0)
        drawn = np.maximum(rights, 1) / (ties + np.maximum(rights, 1))
        chance = np.where(np.abs(right - wrong) <= NEARLY, drawn, chance)
        guessed = np.isin(who, frequent)
        chance = np.where(total < NEARLY, guessed, chance)
        return cls(_weights(votes), guessed, chance, right, values)


def _picked_together(linked: FloatArray, *, taken: bool) -> Counted:
    """Return how often the rows that are picked by two parts are one person's, with the target's
    own rows ``taken`` away."""
    _, _, _, first, second, pairs, first_own, second_own = linked.T
    if taken:
        pairs = np.maximum(pairs - first_own * second_own, 0)
        first, second = first - first_own, second - second_own
    likely = np.where(np.minimum(first, second) > NEARLY, pairs, 0)
    return expected(_weights(linked), likely / np.maximum(first * second, NEARLY))


def _weights(targets: FloatArray) -> FloatArray:
    """Return the probability that each row is the known row of its person."""
    _, place = np.unique(targets[:, 1], return_inverse=True)
    rows = targets[:, 2]
    weights: FloatArray = rows / np.bincount(place, weights=rows)[place]
    return weights
