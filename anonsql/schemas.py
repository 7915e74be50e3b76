"""JSON Schemas of the policy and of the commands' documents; ``python -m anonsql.schemas`` writes
them to schemas/."""

from __future__ import annotations

import json
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import models_json_schema

from anonsql.features.advise.document import AdviceReport
from anonsql.features.attack.document import AttackReport
from anonsql.features.check.document import CheckReport
from anonsql.features.compare.document import CompareReport
from anonsql.features.compile.document import CompileReport
from anonsql.features.init.document import InitReport
from anonsql.features.ledger.document import LedgerReport
from anonsql.features.measure.document import MeasureReport, RelationalMeasureReport
from anonsql.features.query.document import QueryReport
from anonsql.features.report.document import PageReport
from anonsql.features.risk.document import RiskReport
from anonsql.features.run.document import RelationalReport, Report
from anonsql.features.runs.document import RunReport, RunsReport
from anonsql.features.search.document import RelationalSearchReport, SearchReport
from anonsql.features.tabulate.document import StatisticsReport, StatisticsVerifyReport
from anonsql.features.verify.document import RelationalVerifyReport, VerificationSql, VerifyReport
from anonsql.policy.policy import Policy
from anonsql.policy.relational import RelationalPolicy
from anonsql.policy.statistics import StatisticsPolicy
from anonsql.presentation.documents import Failure
from anonsql.sql.templates import folder

_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schemas() -> dict[str, dict[str, Any]]:
    """Every generated file of schemas/ with its content."""
    verified = VerifyReport | VerificationSql
    useful = MeasureReport | CompareReport | AdviceReport | QueryReport
    risks = RiskReport | AttackReport
    checks = CheckReport | InitReport | verified | useful | risks
    history = RunsReport | RunReport | LedgerReport | CompileReport | PageReport
    several = RelationalReport | RelationalSearchReport | RelationalVerifyReport
    several |= RelationalMeasureReport
    statistics = StatisticsReport | StatisticsVerifyReport
    reports = Report | SearchReport | checks | history | several | statistics | Failure
    documents = TypeAdapter[Any](reports)
    return {
        "policy.schema.json": _of_policies(),
        "report.schema.json": {
            "$schema": _DIALECT,
            "title": "anonsql documents",
            **documents.json_schema(mode="serialization"),
        },
    }


def _of_policies() -> dict[str, Any]:
    """Return the schema of all policies; which sections one has decides what else may be in it."""
    kinds = (Policy, RelationalPolicy, StatisticsPolicy)
    by_kind, shared = models_json_schema([(kind, "validation") for kind in kinds])
    rows, several, statistics = (by_kind[kind, "validation"] for kind in kinds)
    return {
        "$schema": _DIALECT,
        "title": "anonsql policy",
        "if": {"required": ["statistics"]},
        "then": statistics,
        "else": {"if": {"required": ["tables"]}, "then": several, "else": rows},
        **shared,
    }


def text(schema: dict[str, Any]) -> str:
    """A schema as its file holds it."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for name, schema in schemas().items():
        (folder("schemas") / name).write_text(text(schema), encoding="utf-8")
