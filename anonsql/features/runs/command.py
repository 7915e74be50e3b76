"""``anonsql runs``: list the runs that the catalog has recorded."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from anonsql.errors import PolicyError
from anonsql.features import kinds
from anonsql.features.runs.document import RunLine, RunReport, RunsReport, StatementLine
from anonsql.jobs.catalog import Catalog
from anonsql.jobs.workspace import private_memory
from anonsql.policy import policies
from anonsql.policy.envelope import read_policy
from anonsql.policy.locations import JobLocations
from anonsql.policy.policies import AnyGiven
from anonsql.policy.policy import Policy
from anonsql.system import text_files
from anonsql.system.journal import Journal

_PLACEHOLDERS = {
    "source": {"file": "any.csv"},
    "columns": {"any": {"role": "quasi-identifying", "hierarchy": {"type": "suppression"}}},
    "privacy": {"k": 2},
}
"""Valid values for the parts of a policy that its history does not depend on."""


def catalog_of(policy: AnyGiven) -> Path:
    """Return the catalog of a policy's release; the path of a catalog itself is returned as it is.
    Of the policy only the locations of release and catalog must be valid, for history is needed
    when something went wrong."""
    if isinstance(policy, (Mapping, *policies.KINDS)):
        return JobLocations.of(policies.of(policy)).catalog
    path = Path(policy)
    text_files.require_text(path.absolute(), "--policy")
    if path.suffix == ".duckdb":
        return path.absolute()
    data = read_policy(path)
    if isinstance(data, dict) and ("tables" in data or "statistics" in data):
        return catalog_of(policies.of(path))
    places = {
        key: data[key] for key in ("release", "catalog") if isinstance(data, dict) and key in data
    }
    catalog = Policy.parse({**_PLACEHOLDERS, **places}, path.absolute().parent)
    return JobLocations.catalog_of(catalog)


def runs(policy: AnyGiven) -> RunsReport:
    """Return all runs on a policy's release, the latest first."""
    path = catalog_of(policy)
    with _opened(path) as catalog:
        return RunsReport(catalog=str(path), runs=[line(row) for row in catalog.runs()])


def show(policy: AnyGiven, run: int) -> RunReport:
    """Return one run with all its statements; raise PolicyError when there is no run of that
    number."""
    path = catalog_of(policy)
    with _opened(path) as catalog:
        rows = catalog.runs(run)
        if not rows:
            raise PolicyError.at(
                "ID", f"there is no run {run} in {path}.", "`anonsql runs` lists them."
            )
        names = StatementLine.model_fields
        return RunReport(
            catalog=str(path),
            run=line(rows[0]),
            statements=[
                StatementLine(**dict(zip(names, row, strict=True)))
                for row in catalog.statements(run)
            ],
            report=kinds.recorded(rows[0][-1]) if rows[0][-1] else None,
        )


def _opened(path: Path) -> Catalog:
    if not path.exists():
        raise PolicyError.at(
            "catalog",
            f"there is no catalog {path}.",
            "The first `anonsql run` (or `tabulate`) makes it.",
        )
    with private_memory():
        return Catalog.open(path, Journal(), made=True)


def line(row: tuple[object, ...]) -> RunLine:
    """Return a row of the catalog as a line of the history."""
    return RunLine.model_validate(dict(zip(RunLine.model_fields, row[:-1], strict=True)))
