"""Anonymization methods: one file each, one public function. Those listed here assign cells to groups."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anonsql.methods.cells import recode as cells
from anonsql.methods.full_subgraph import recode as full_subgraph
from anonsql.methods.full_subtree import recode as full_subtree
from anonsql.methods.groups import Cells, Grouped
from anonsql.methods.hilbert import recode as hilbert
from anonsql.methods.mondrian import recode as mondrian
from anonsql.methods.ordered_partition import recode as ordered_partition
from anonsql.methods.ring import recode as ring
from anonsql.policy.method import Method

GROUPING: dict[str, Callable[[Cells, Any], Grouped]] = {
    "full-subgraph": full_subgraph.group,
    "full-subtree": full_subtree.group,
    "mondrian": mondrian.group,
    "hilbert": hilbert.group,
    "cell-generalization": cells.generalize,
    "cell-suppression": cells.suppress,
    "ordered-partition": ordered_partition.group,
    "ring": ring.group,
    "homogeneous": ring.group_whole,
}
"""By ``method.type``: makes ``assigned`` and ``groups`` from the cells, by the method's settings."""


def group(given: Cells, method: Method) -> Grouped:
    """Let the policy's method assign the cells to groups."""
    return GROUPING[method.type](given, method)
