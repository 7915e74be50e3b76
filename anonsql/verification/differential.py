"""What a release states of its differential privacy, recomputed from that alone.

Nothing of :mod:`anonsql.privacy.safepub` is used: tails of binomial distributions are incomplete
beta functions here, all that can be greater than what is promised in one array. That every row was
drawn by chance with the stated probability, and the levels by the stated epsilon, rests on the run.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from math import ceil, exp, log
from typing import Final

from anonsql.policy.table_plan import TablePlan
from anonsql.privacy.differential import PREFIX
from anonsql.privacy.spending import SPENT, spent_by
from anonsql.system.arrays import np
from anonsql.verification.facts import count_of

_ROUNDED: Final = 1e-9
"""By which share a figure may miss another for being rounded."""
ON_TRUST: Final = (
    "that only chance decided which rows were kept",
    "that the levels were given, or drawn at random",
)
"""What neither the release nor the source proves."""


def offences(policy: TablePlan, about: Mapping[str, str]) -> list[str]:
    """Return what a release states of its differential privacy that cannot be; none where the
    policy asks for none."""
    if policy.privacy.differential is None:
        return []
    try:
        names = ("epsilon", "delta", "search_epsilon", "beta")
        epsilon, delta, search, beta = (Decimal(about[PREFIX + name]) for name in names)
        k = min(count_of(about, "k"), count_of(about, f"{PREFIX}k"))
        anonymizing = float(epsilon - search)
        if not (search >= 0 < anonymizing and 0 < delta < 1 <= k and 0 < beta < 1):
            raise ValueError
    except (KeyError, ArithmeticError, ValueError):
        return ["__about states impossible values of differential privacy"]
    wrong = []
    if float(beta) > (1 - exp(-anonymizing)) * (1 + _ROUNDED):
        wrong.append(f"a sampling probability of {beta} spends more than epsilon={epsilon}")
    elif (least := delta_of(anonymizing, float(beta), k, float(delta))) is not None:
        wrong.append(f"k={k} keeps only delta={least:.3g}, and delta={delta} is promised")
    spent = spent_by(about)
    if spent is None or not spent.includes(policy.privacy.differential.spent):
        wrong.append(f"__about states {SPENT}={about.get(SPENT)}, less than this release spends")
    return wrong


def delta_of(epsilon: float, beta: float, k: int, most: float) -> float | None:
    """Return the delta of k where it is more than ``most``: the greatest P[Bin(n, beta) > n gamma]
    over n of ceil(k / gamma - 1) or more."""
    from scipy.special import betainc  # slow to import

    gamma = 1 - (1 - beta) * exp(-epsilon)
    first = max(ceil(k / gamma - 1), 1)
    # by Chernoff P[Bin(n, beta) > n gamma] <= exp(-n KL(gamma, beta))
    distance = gamma * log(gamma / beta) + (1 - gamma) * log((1 - gamma) / (1 - beta))
    last = max(first, ceil(-log(most) / distance))
    n = np.arange(first, last + 1, dtype=np.float64)
    beyond = np.floor(n * gamma) + 1
    inside = beyond <= n
    tails = betainc(beyond[inside], n[inside] - beyond[inside] + 1, beta)
    greatest = float(tails.max(initial=0.0))
    return greatest if greatest > most * (1 + _ROUNDED) else None
