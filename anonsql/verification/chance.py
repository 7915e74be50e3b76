"""How likely chance alone is to order rows as they are: exact distributions over all orders of some
rows, of which zeros and ones are known.

Each function returns an upper bound, in natural logarithms, of the probability of what was seen or
of something more extreme on the same side, times two for both sides. The terms of these
distributions are log-concave: from one term on, away from the middle, each next one is smaller by
at least the first ratio, so that a geometric series bounds the tail. The bound costs the same for a
hundred rows and for a billion, and is never below the true probability; an allowance is made for
the rounding of logarithms of factorials.

- Runs of equal neighbours: Wald, Wolfowitz, On a test whether two samples are from the same
  population, Annals of Mathematical Statistics 11 (1940).
- Ones in a part of the rows: the hypergeometric distribution (Fisher's exact test).
"""

from __future__ import annotations

from math import exp, inf, lgamma, log, log1p

_ROUNDING = 1e-13
"""Relative error of a sum of some logarithms of factorials, with room to spare."""


def of_part(rows: int, ones: int, part: int, ones_in_part: int) -> float:
    """Return the chance that so few or so many of the ``ones`` are among ``part`` of the rows."""
    if not 0 < ones < rows or not 0 < part < rows:
        return 0.0
    up = ones_in_part * rows >= ones * part
    whole = _choose(rows, part)
    tail = _tail((ones, rows - ones), (ones_in_part, part - ones_in_part), (1, -1), up=up)
    return _two_sided([tail - whole], rows)


def of_runs(rows: int, ones: int, runs: int) -> float:
    """Return the chance of so few or so many runs of equal neighbours."""
    if not 0 < ones < rows:
        return 0.0
    zeros = rows - ones
    up = (runs - 1) * rows >= 2 * ones * zeros
    whole, items = _choose(rows, ones), (ones - 1, zeros - 1)
    even = (runs + 1) // 2 if up else runs // 2  # 2k runs: k of each
    odd = runs // 2 if up else (runs - 1) // 2  # 2k + 1 runs: one more of the one or the other
    tails = [
        log(2) + _tail(items, (even - 1, even - 1), (1, 1), up=up),
        _tail(items, (odd, odd - 1), (1, 1), up=up),
        _tail(items, (odd - 1, odd), (1, 1), up=up),
    ]
    return _two_sided([tail - whole for tail in tails], rows)


def _tail(
    items: tuple[int, int], chosen: tuple[int, int], step: tuple[int, int], *, up: bool
) -> float:
    """Return a bound of the logarithm of the sum of C(items[0], a) C(items[1], b) over ``chosen`` =
    (a, b) and all that follow it by ``step``, upwards or downwards."""
    way = 1 if up else -1
    (m, n), (a, b) = items, chosen
    da, db = step[0] * way, step[1] * way
    behind = 0  # steps until both are possible
    for items_of, taken, by in ((m, a, da), (n, b, db)):
        if by > 0 and taken < 0:
            behind = max(behind, -taken)
        elif by < 0 and taken > items_of:
            behind = max(behind, taken - items_of)
    a, b = a + behind * da, b + behind * db
    if not (0 <= a <= m and 0 <= b <= n):
        return -inf
    ratio = _ratio(m, a, da) * _ratio(n, b, db)
    first = _choose(m, a) + _choose(n, b)
    return first - log1p(-ratio) if ratio < 1 else inf


def _ratio(items: int, taken: int, step: int) -> float:
    """Return C(items, taken + step) / C(items, taken) for a step of 1 up or down."""
    return (items - taken) / (taken + 1) if step > 0 else taken / (items - taken + 1)


def _choose(items: int, taken: int) -> float:
    return lgamma(items + 1) - lgamma(taken + 1) - lgamma(items - taken + 1)


def _two_sided(tails: list[float], rows: int) -> float:
    """Return the logarithm of twice a sum, no more than that of 1."""
    most = max(tails)
    if most == -inf or most >= 0:
        return 0.0
    total = most + log(sum(exp(tail - most) for tail in tails))
    return min(0.0, total + log(2) + _ROUNDING * rows * log(rows + 1))
