"""``anonsql runs``: what ran, as the catalog tells it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from anonsql import text_files
from anonsql.catalog import Catalog
from anonsql.errors import PolicyError
from anonsql.journal import Journal
from anonsql.places import Places
from anonsql.policy import Given, Policy
from anonsql.report.documents import Report, RunLine, RunReport, RunsReport, StatementLine
from anonsql.workspace import private_files


def catalog_of(policy: Given) -> Path:
    """The catalog of a policy's release; a catalog's own file is taken as it is."""
    if isinstance(policy, (Policy, Mapping)):
        return Places.of(Policy.of(policy)).catalog
    path = Path(policy)
    text_files.require_text(path.absolute(), "--policy")
    return path.absolute() if path.suffix == ".duckdb" else Places.of(Policy.load(path)).catalog


def runs(policy: Given) -> RunsReport:
    """All runs on a policy's release, the latest first."""
    path = catalog_of(policy)
    with _opened(path) as catalog:
        return RunsReport(catalog=str(path), runs=[_line(row) for row in catalog.runs()])


def show(policy: Given, run: int) -> RunReport:
    """One run with all its statements; raises PolicyError when there is none of that number."""
    path = catalog_of(policy)
    with _opened(path) as catalog:
        found = catalog.runs(run)
        if not found:
            raise PolicyError.at(
                "ID", f"there is no run {run} in {path}.", "`anonsql runs` lists them."
            )
        names = StatementLine.model_fields
        return RunReport(
            catalog=str(path),
            run=_line(found[0]),
            statements=[
                StatementLine(**dict(zip(names, row, strict=True)))
                for row in catalog.statements(run)
            ],
            report=Report.model_validate_json(found[0][-1]) if found[0][-1] else None,
        )


def _opened(path: Path) -> Catalog:
    if not path.exists():
        raise PolicyError.at(
            "catalog", f"there is no catalog {path}.", "The first `anonsql run` makes it."
        )
    with private_files():
        return Catalog.open(path, Journal(), made=True)


def _line(row: tuple[object, ...]) -> RunLine:
    return RunLine.model_validate(dict(zip(RunLine.model_fields, row[:-1], strict=True)))
