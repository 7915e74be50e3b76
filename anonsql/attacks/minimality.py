"""What remains possible of the rows of one class, when only those count under which the method
would have released this class.

Which rows a class may have had is a *hypothesis*: of who knows everybody's quasi-identifying
values, a way to give its rows the secrets of the class (:func:`secrets_of`); of who knows nobody,
values that the class's labels stand for (:func:`values_of`). Where a class leaves open more
hypotheses than are tried, some are drawn at random, as likely as they are. Then nothing is certain,
and the odds are estimates.

Whether a method would have made the class of a hypothesis is asked elsewhere
(:mod:`anonsql.features.attack.trials`).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations_with_replacement, product

from anonsql.attacks.refinement import Codes, dealt, first, ways
from anonsql.system.arrays import np

Row = tuple[Codes, int]
"""A row: its quasi-identifying values and its secret."""
Rows = tuple[Row, ...]
Likely = Mapping[int, float]
"""How likely values are, up to a factor."""


@dataclass(frozen=True)
class Suspected:
    """A class: what its rows are in ``truth``, how many hypotheses there are of it (None: more than
    are tried), and those that are tried, each with its weight."""

    truth: Counter[Row]
    open: int | None
    tried: Mapping[Rows, float]

    @property
    def certain(self) -> bool:
        """Whether every hypothesis is tried."""
        return self.open is not None

    @property
    def rows(self) -> int:
        """How many rows the class has."""
        return self.truth.total()


@dataclass(frozen=True)
class Judged:
    """How many rows were guessed about, how many guesses are right on average by what remains
    possible (``right``) and without it (``before``), and in how many rows one value remains of
    several (``certain``)."""

    rows: int = 0
    right: float = 0.0
    before: float = 0.0
    certain: int = 0

    def __add__(self, other: Judged) -> Judged:
        return Judged(
            self.rows + other.rows,
            self.right + other.right,
            self.before + other.before,
            self.certain + other.certain,
        )


def secrets_of(truth: Counter[Row], most: int, random: np.random.Generator) -> Suspected:
    """Return the hypotheses of who knows everybody's quasi-identifying values."""
    sizes, secrets = Counter[Codes](), Counter[int]()
    for (codes, secret), n in truth.items():
        sizes[codes] += n
        secrets[secret] += n
    many = math.factorial(min(len(sizes), len(secrets))) > most  # by exchanging one of each alone
    every = [] if many else list(first(dealt(list(sizes.items()), secrets), most + 1))
    if not many and len(every) <= most:
        tried = {
            _rows((codes, secret) for codes, given in one.items() for secret in given.elements()): (
                float(ways(one))
            )
            for one in every
        }
        return Suspected(truth, len(tried), tried)
    owners, values = list(sizes.elements()), np.array(list(secrets.elements()))
    drawn = (
        _rows(zip(owners, map(int, random.permutation(values)), strict=True)) for _ in range(most)
    )
    return Suspected(truth, None, _counted(drawn))


def values_of(
    truth: Counter[Row], leaves: Sequence[Likely], most: int, random: np.random.Generator
) -> Suspected:
    """Return the hypotheses of who knows nobody: that each row has, column by column, one of the
    values that its label stands for (``leaves``), by how frequent they are."""
    secrets = Counter[int]()
    for (_, secret), n in truth.items():
        secrets[secret] += n
    leaves = [
        {code: weight / sum(column.values()) for code, weight in column.items()}
        for column in leaves
    ]
    combinations = math.prod(map(len, leaves))
    count = math.prod(math.comb(combinations + n - 1, n) for n in secrets.values())
    if count <= most:
        weights = {
            codes: math.prod(column[code] for column, code in zip(leaves, codes, strict=True))
            for codes in product(*leaves)
        }
        tried = dict(_every(sorted(secrets.items()), weights))
        return Suspected(truth, len(tried), tried)
    columns = [(np.array(list(column)), np.array(list(column.values()))) for column in leaves]
    shares = [(codes, weights / weights.sum()) for codes, weights in columns]
    owners, rows = list(secrets.elements()), secrets.total()
    drawn = (
        _rows(
            zip(
                map(
                    tuple,
                    np.column_stack(
                        [random.choice(codes, size=rows, p=p) for codes, p in shares]
                    ).tolist(),
                ),
                owners,
                strict=True,
            )
        )
        for _ in range(most)
    )
    return Suspected(truth, None, _counted(drawn))


def judge(
    suspected: Suspected,
    remaining: Sequence[Rows],
    prior: Likely,
    known: Callable[[Row], Hashable],
    guessed: Callable[[Row], int],
) -> Judged:
    """Return how well a value of rows is guessed by somebody who knows something of each, when
    these hypotheses remain: how likely it is ``prior`` to that, times the share of the hypotheses
    with it that remain. Where none does, it is guessed as before."""
    truth: dict[Hashable, Counter[int]] = defaultdict(Counter)
    for row, n in suspected.truth.items():
        truth[known(row)][guessed(row)] += n
    tried = _shares(suspected, suspected.tried, known, guessed)
    left = _shares(suspected, remaining, known, guessed)
    kept = sum(map(suspected.tried.__getitem__, remaining)) / (sum(suspected.tried.values()) or 1)
    total = Judged()
    for key, values in truth.items():
        all_tried, remain = tried.get(key, {}), left.get(key, {})
        likely = {
            value: weight
            * (remain.get(value, 0.0) / all_tried[value] if all_tried.get(value) else kept)
            for value, weight in prior.items()
        }
        alone = suspected.certain and len(remain) == 1 < len(prior)
        total += Judged(
            values.total(),
            _right(values, likely if any(likely.values()) else prior),
            _right(values, prior),
            values.total() if alone else 0,
        )
    return total


def _shares(
    suspected: Suspected,
    chosen: Iterable[Rows],
    known: Callable[[Row], Hashable],
    guessed: Callable[[Row], int],
) -> Mapping[Hashable, Mapping[int, float]]:
    """Return how much weight some hypotheses give to each value, by what is known of a row."""
    shares: dict[Hashable, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    for rows in chosen:
        for row in rows:
            shares[known(row)][guessed(row)] += suspected.tried[rows]
    return {key: dict(values) for key, values in shares.items()}


def _right(truth: Counter[int], likely: Likely) -> float:
    """Return how many rows have the likeliest value: one of several by chance."""
    best = max(likely.values())
    values = [value for value, weight in likely.items() if weight >= best * (1 - 1e-9)]
    return sum(truth[value] for value in values) / len(values)


def _every(
    secrets: Sequence[tuple[int, int]], weights: Mapping[Codes, float]
) -> Iterator[tuple[Rows, float]]:
    """Yield all ways in which the rows of each secret can have values, with their weights."""
    by_secret = [
        [
            (
                [(codes, secret) for codes in chosen],
                math.prod(weights[codes] for codes in chosen) * _orders(chosen),
            )
            for chosen in combinations_with_replacement(sorted(weights), n)
        ]
        for secret, n in secrets
    ]
    for parts in product(*by_secret):
        yield _rows(chain(*(rows for rows, _ in parts))), math.prod(weight for _, weight in parts)


def _orders(chosen: Sequence[Codes]) -> int:
    """Return in how many orders these can be."""
    orders = math.factorial(len(chosen))
    for times in Counter(chosen).values():
        orders //= math.factorial(times)
    return orders


def _rows(rows: Iterator[Row]) -> Rows:
    return tuple(sorted(rows))


def _counted(drawn: Iterator[Rows]) -> Mapping[Rows, float]:
    return {rows: float(times) for rows, times in Counter(drawn).items()}
