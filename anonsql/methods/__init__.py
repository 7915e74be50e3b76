"""Anonymization methods: one file each, one public function. Those listed here assign cells to groups."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from anonsql.method_policy import Method
from anonsql.methods import (
    cells,
    full_subgraph,
    full_subtree,
    hilbert,
    mondrian,
    ordered_partition,
    ring,
)
from anonsql.methods.groups import Cells, Grouped

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
