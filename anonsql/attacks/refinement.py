"""Combinatorial refinement: which secrets remain possible when only those assignments count under
which the method would have made this release.

Somebody who knows everybody's quasi-identifying values knows from a release which values occur in
each class, not whose they are. But where a promise is about those values, what was released depends
on who has which: finer labels would have been chosen if they had kept the promise (Wong, Fu, Wang,
Pei: Minimality attack, VLDB 2007; arXiv 2509.03350 does so of quasi-identifying values). Here all
assignments are listed, and the method itself is asked what it makes of each.

An assignment says how often each combination of quasi-identifying values has each secret. Rows
with equal combinations are alike, so it stands for as many ways to give rows their secrets as there
are, and all of these are taken to be equally likely.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeVar

Key = TypeVar("Key")
Found = TypeVar("Found")
Codes = tuple[int, ...]
"""A combination of quasi-identifying values, as numbers."""
Placed = tuple[int, Codes, int, int]
"""A class, a combination in it, a secret, and the number of rows."""
Assignment = Mapping[Codes, Counter[int]]
"""How often each combination has each secret."""


@dataclass(frozen=True)
class Puzzle:
    """Classes: the sizes of their combinations, and how often they have each secret."""

    sizes: Mapping[int, Mapping[Codes, int]]
    secrets: Mapping[int, Counter[int]]
    truth: Assignment

    @classmethod
    def of(cls, placed: Sequence[Placed]) -> Puzzle:
        """Return the classes of rows."""
        sizes: dict[int, Counter[Codes]] = defaultdict(Counter)
        secrets: dict[int, Counter[int]] = defaultdict(Counter)
        truth: dict[Codes, Counter[int]] = defaultdict(Counter)
        for of_class, combination, value, rows in placed:
            sizes[of_class][combination] += rows
            secrets[of_class][value] += rows
            truth[combination][value] += rows
        return cls(sizes, secrets, truth)

    def assignments(self, most: int) -> list[Assignment] | None:
        """Return all assignments; None where there are more than ``most``."""
        by_class: list[Sequence[Assignment]] = []
        total = 1
        for number, sizes in self.sizes.items():
            found = list(first(dealt(list(sizes.items()), self.secrets[number]), most + 1))
            total *= len(found)
            if total > most:
                return None
            by_class.append(found)
        return [
            {key: value for part in parts for key, value in part.items()}
            for parts in product(*by_class)
        ]

    def judged(self, assignments: Sequence[Assignment]) -> tuple[float, int]:
        """Return how many secrets are rightly guessed on average by who takes these assignments to
        be possible, and in how many rows no other secret is."""
        weights = [ways(assignment) for assignment in assignments]
        right, certain = 0.0, 0
        for combination, truth in self.truth.items():
            likely: dict[int, int] = defaultdict(int)
            for assignment, weight in zip(assignments, weights, strict=True):
                for value, rows in assignment[combination].items():
                    likely[value] += weight * rows
            best = max(likely.values())
            guesses = [value for value, share in likely.items() if share == best]
            right += sum(truth[value] for value in guesses) / len(guesses)
            certain += sum(truth.values()) if len(likely) == 1 else 0
        return right, certain


def first(found: Iterator[Found], most: int) -> Iterator[Found]:
    """Yield so many of what was found, at most."""
    for _, one in zip(range(most), found, strict=False):
        yield one


def dealt(
    sizes: Sequence[tuple[Key, int]], secrets: Counter[int]
) -> Iterator[dict[Key, Counter[int]]]:
    """Yield all ways in which combinations of some sizes can have some secrets."""
    if not sizes:
        yield {}
        return
    (combination, size), *others = sizes
    for chosen in _chosen(sorted(secrets.items()), size):
        for rest in dealt(others, secrets - chosen):
            yield {combination: chosen, **rest}


def _chosen(secrets: Sequence[tuple[int, int]], size: int) -> Iterator[Counter[int]]:
    """Yield all multisets of a size of what there is of secrets."""
    if not secrets:
        if not size:
            yield Counter()
        return
    (value, rows), *others = secrets
    rest_of_all = sum(n for _, n in others)
    for taken in range(max(size - rest_of_all, 0), min(rows, size) + 1):
        for rest in _chosen(others, size - taken):
            yield Counter({value: taken}) + rest if taken else rest


def ways(assignment: Mapping[Key, Counter[int]]) -> int:
    """Return in how many ways rows can have the secrets that an assignment gives them."""
    ways = 1
    for secrets in assignment.values():
        ways *= math.factorial(sum(secrets.values()))
        for rows in secrets.values():
            ways //= math.factorial(rows)
    return ways
