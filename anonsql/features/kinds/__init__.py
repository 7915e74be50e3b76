"""What commands do with policies of each kind: of one table, of several, and of statistics. Commands
ask :func:`of` for the kind, and never which one it is."""

from __future__ import annotations

from anonsql.features.kinds.base import Kind
from anonsql.policy.policies import AnyPolicy
from anonsql.policy.relational import RelationalPolicy
from anonsql.policy.statistics import StatisticsPolicy


def of(policy: AnyPolicy) -> Kind:
    """Return the kind of a policy; only its modules are imported."""
    if isinstance(policy, StatisticsPolicy):
        from anonsql.features.kinds.statistics import StatisticsKind

        return StatisticsKind()
    if isinstance(policy, RelationalPolicy):
        from anonsql.features.kinds.several_tables import SeveralTables

        return SeveralTables()
    from anonsql.features.kinds.one_table import OneTable

    return OneTable()
