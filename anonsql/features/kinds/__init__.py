"""What commands do with policies of each kind: of one table, of several, and of statistics. Commands
ask :func:`of` for the kind, and never which one it is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from anonsql.features.kinds.base import Kind
from anonsql.policy import policies
from anonsql.policy.policies import AnyGiven
from anonsql.policy.relational import RelationalPolicy
from anonsql.policy.statistics import StatisticsPolicy

if TYPE_CHECKING:
    from anonsql.features.kinds.base import AnyReport
    from anonsql.policy.locations import Location


def of(policy: AnyGiven) -> Kind[Any]:
    """Return the kind of a policy, right or wrong; only its modules are imported."""
    kind = policies.kind_of(policy)
    if kind is StatisticsPolicy:
        return _statistics()
    return _several_tables() if kind is RelationalPolicy else _one_table()


def of_release(location: Location) -> tuple[Kind[Any], list[str]]:
    """Return the kind of a release whose policy is not known, and its tables, beginning with the
    table of people or the first one of statistics. If nothing else is stated, the kind is one
    table, and all releases in that place are listed. Databases on servers are not examined."""
    from anonsql.engines.base import other_tables_of
    from anonsql.features.report.released import context_of
    from anonsql.policy.envelope import EngineSettings
    from anonsql.query import opening
    from anonsql.verification.facts import facts_of

    if not location.is_file:
        return _one_table(), []
    with context_of(EngineSettings()) as context:
        names = opening.tables_of(location, context)
        for name in [] if location.is_single else names:
            with opening.located(location, [name], context) as (table,):
                about = facts_of(table)
            if opening.are_statistics(about) and "other_tables" in about:
                return _statistics(), [name, *other_tables_of(about)]
            if about.get("of") == name:
                return _several_tables(), [name, *other_tables_of(about)]
    return _one_table(), names


def of_facts(about: Mapping[str, str]) -> Kind[Any]:
    """Return the kind of a release by the facts of one of its tables."""
    if "statistics" in about:
        return _statistics()
    return _several_tables() if "of" in about else _one_table()


def recorded(text: str) -> AnyReport:
    """Return the document of a run as the catalog has it."""
    fields = json.loads(text)
    if "protected_by" in fields:
        from anonsql.features.tabulate.document import StatisticsReport

        return StatisticsReport.model_validate_json(text)
    from anonsql.features.run.document import RelationalReport, Report

    model = RelationalReport if "known_rows" in fields else Report
    return model.model_validate_json(text)


def _one_table() -> Kind[Any]:
    from anonsql.features.kinds.one_table import OneTable

    return OneTable()


def _several_tables() -> Kind[Any]:
    from anonsql.features.kinds.several_tables import SeveralTables

    return SeveralTables()


def _statistics() -> Kind[Any]:
    from anonsql.features.kinds.statistics import StatisticsKind

    return StatisticsKind()
