"""Noise, drawn by OpenDP: exact samplers of the discrete Gaussian and Laplace distributions, from
the operating system's entropy, that add to whole numbers. OpenDP also says, rounding up, what a
draw spends: more than what the budget gives is refused."""

from __future__ import annotations

from fractions import Fraction
from types import ModuleType
from typing import Any

from anonsql.errors import InvariantError, PolicyError
from anonsql.statistics.noise.budget import Query
from anonsql.system.arrays import IntArray, np

_AT_ONCE = 100_000
"""The cells that are handed over at once."""


def library() -> ModuleType:
    """Return OpenDP; raise PolicyError where it is not installed."""
    try:
        import opendp.prelude as dp
    except ImportError as error:
        raise PolicyError.at(
            "protect.by",
            "noise is drawn by OpenDP, which is not installed.",
            "pip install 'anonsql[differential]'",
        ) from error
    dp.enable_features("contrib")
    module: ModuleType = dp
    return module


def noisy(query: Query, values: IntArray) -> IntArray:
    """Return values of the cells of a query with noise, drawn anew."""
    measurement = _measurement(query)
    drawn = [
        np.array(measurement(values[first : first + _AT_ONCE].tolist()), np.int64)
        for first in range(0, len(values), _AT_ONCE)
    ]
    return np.concatenate(drawn) if drawn else values


def _measurement(query: Query) -> Any:
    dp = library()
    cells = dp.vector_domain(dp.atom_domain(T="i64"))
    if query.mechanism == "laplace":
        made = dp.m.make_laplace(cells, dp.l1_distance(T="i64"), scale=query.scale)
        spends = made.map(query.l1)
    else:
        made = dp.m.make_gaussian(cells, dp.l2_distance(T="f64"), scale=query.scale)
        spends = made.map(query.l2)
    if Fraction(spends) > query.spends:
        raise InvariantError(f"noise of scale {query.scale} spends more than its part")
    return made
