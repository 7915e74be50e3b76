"""Whether the sizes of a release's groups can be told from those that they had before rows were
relocated, by Pearson's chi-squared test (Nergiz, Gök, Özkanlı 2013, section 3.2; the formula that
is printed there lacks its square)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .changes import Correspondence, Nodes, by_values, whole_pairs


@dataclass(frozen=True)
class JudgedGroupSizes:
    """Pearson's ``statistic`` Σ (size - size before)² / size before over ``groups``, and the number
    of the source's rows that several groups stand for (``ambiguous``): where there are any, the
    sizes before are not known."""

    statistic: float
    groups: int
    ambiguous: int

    def critical(self, alpha: float) -> float:
        """Return what the statistic must not exceed, with as many degrees of freedom as there are
        groups, less one."""
        from scipy.special import chdtri  # slow to import: as long as a small search

        return float(chdtri(self.groups - 1, alpha)) if self.groups > 1 else 0.0


def compare(
    source: Nodes,
    released: Nodes,
    correspondences: Sequence[Correspondence],
    suppressed: int,
    *,
    apart: bool,
) -> JudgedGroupSizes:
    """Compare the sizes of the released groups with those of the source's rows generalized to the
    same groups.

    Rows of the source that fall into no released group are groups that were emptied, with an
    observed size of 0: each of their classes is one where the groups are those of a full-domain
    generalization (``apart``), else all of them are one together. As many of them as were
    ``suppressed`` are in groups that stayed as they were and were left out; that is how the method
    counts them. A group that no row of the source falls into makes the statistic infinite.
    """
    before, after = by_values(source), by_values(released)
    row, group = whole_pairs(before, after, correspondences)
    falls = np.bincount(row, minlength=len(before.rows))
    expected = np.bincount(group, weights=before.rows[row], minlength=len(after.rows))
    emptied = falls == 0
    gone = max(0, int(before.rows[emptied].sum()) - suppressed)
    off = (after.rows - expected) ** 2
    statistic = gone + (float("inf") if (expected == 0).any() else float((off / expected).sum()))
    others = int(emptied.sum()) if apart else int(emptied.any())
    return JudgedGroupSizes(statistic, len(after.rows) + others, int(before.rows[falls > 1].sum()))
