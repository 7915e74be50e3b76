"""Estimates of several draws pooled by Rubin's rules (Rubin 1987, Multiple Imputation for
Nonresponse in Surveys, chapter 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, variance
from typing import Any

from anonsql.errors import PolicyError


@dataclass(frozen=True)
class Estimate:
    """A pooled estimate: the mean over the draws, its standard error, the degrees of freedom
    (infinite where all draws agree), and the limits of its 95 % interval."""

    estimate: float
    standard_error: float
    degrees: float
    low: float
    high: float


Pooled = Mapping[str, Estimate]


def pooled(results: Sequence[Any]) -> Pooled:
    """Return the pooled estimates by name, of one result a draw: each has ``params`` and ``bse``,
    or is a pair of mappings. The variance is the mean of the squared standard errors, and (1 + 1/m)
    times the variance between the draws. With one draw there is nothing between them: the error is
    that of the draw, and too small. Raise PolicyError where draws estimate different things."""
    pairs = [_pair(result) for result in results]
    names = list(pairs[0][0])
    for estimates, errors in pairs:
        if set(estimates) != set(names) or set(errors) != set(names):
            text = "the fits of two draws have different coefficients."
            raise PolicyError.at("fit", text, "Fix the categories of its columns beforehand.")
    return {
        name: rubin([row[name] for row, _ in pairs], [row[name] ** 2 for _, row in pairs])
        for name in names
    }


def rubin(estimates: Sequence[float], variances: Sequence[float]) -> Estimate:
    """Return the estimates of m draws, with their ``variances``, as one."""
    from scipy.stats import t

    draws, mean, within = len(estimates), fmean(estimates), fmean(variances)
    between = (1 + 1 / draws) * variance(estimates) if draws > 1 else 0.0
    error = (within + between) ** 0.5
    degrees = (draws - 1) * (1 + within / between) ** 2 if between > 0 else float("inf")
    reach = float(t.ppf(0.975, degrees)) * error
    return Estimate(mean, error, degrees, mean - reach, mean + reach)


def _pair(result: Any) -> tuple[dict[str, float], dict[str, float]]:
    """Return the estimates of a fit and their standard errors, by name."""
    try:
        estimates, errors = (result.params, result.bse) if hasattr(result, "params") else result
        return (
            {str(name): float(value) for name, value in dict(estimates).items()},
            {str(name): float(value) for name, value in dict(errors).items()},
        )
    except (TypeError, ValueError):
        text = f"it returns {type(result).__name__}."
        remedy = "Return a result with `params` and `bse`, or a pair of mappings by name."
        raise PolicyError.at("fit", text, remedy) from None
