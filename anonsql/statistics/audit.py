from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog


@dataclass(frozen=True)
class Needed:
    low: object
    high: object


@dataclass(frozen=True)
class Audited:
    low: object
    high: object
    failing: object


def audit(relations, values, hidden, *, needed, integral=True, signed=False, coalitions=()):
    m = relations.matrix.tocsc()[:, np.flatnonzero(hidden)].toarray().astype(float)
    x = values[hidden].astype(float)
    cells = np.flatnonzero(hidden)
    keep = np.abs(m).sum(1) > 0
    A = m[keep]
    b = A @ x
    ex = relations.exact[keep]
    low = values.astype(float).copy()
    high = low.copy()
    failing = []
    for i, c in enumerate(cells):
        if np.isnan(needed.low[c]):
            continue
        for sign in (1, -1):
            obj = np.zeros(len(x))
            obj[i] = sign
            r = linprog(
                obj,
                A_ub=A[~ex] if (~ex).any() else None,
                b_ub=b[~ex] + 0 if (~ex).any() else None,
                A_eq=A[ex] if ex.any() else None,
                b_eq=b[ex] if ex.any() else None,
                bounds=(None if signed else 0, None),
            )
            v = r.fun * sign if r.status == 0 else (-np.inf if sign == 1 else np.inf)
            if sign == 1:
                low[c] = v
            else:
                high[c] = v
        if low[c] > needed.low[c] + 1e-6 or high[c] < needed.high[c] - 1e-6:
            failing.append(c)
    return Audited(low, high, np.array(failing, int))
