"""``anonsql demo --statistics``: a synthetic hospital's visits, and tables of counts and sums of
them that may be published."""

from __future__ import annotations

from pathlib import Path

from anonsql.engines.duckdb.session import DuckDBSession
from anonsql.features.demo.command import made_anew
from anonsql.system.journal import Journal

POLICY = """\
# The demo of statistics: tables of counts and sums of a hospital's visits. Cells of few patients are
# hidden, and others that would tell them.
source:  {database: hospital.duckdb, table: visits}
release: {database: published.duckdb}
statistics:
  by:                                            # the dimensions; each has a total, too
    region:                                      # regions in countries, by a table beside it
      hierarchy: {type: table, table: regions, key: region, levels: [country]}
    sex: {}                                      # its values and their total
    age: {hierarchy: {type: breaks, at: [0, 18, 40, 65]}}
    diagnosis: {}
  of:
    visits:   count                              # rows
    patients: {count: patient_id}                # people
    cost:     {sum: cost}
  tables:
    - {by: [region, sex, age], levels: {age: 1}} # age from its groups on, not year by year
    - [region, diagnosis]
protect:
  entity: patient_id                             # a patient can have several visits
  threshold: 11                                  # cells of fewer patients are hidden
  p_percent: 0.1                                 # nobody estimates a sum's largest part to a tenth
  by: suppression
"""


def write(folder: Path, rows: int, seed: int) -> Path:
    """Make ``rows`` visits, a table of regions and their policy in ``folder``; return the policy's
    path. Raise PolicyError as :func:`anonsql.features.demo.command.write` does."""
    policy = folder / "policy.yaml"
    data = folder / "hospital.duckdb"
    made_anew(folder, {policy: POLICY}, data)
    session = DuckDBSession(data, Journal(), "data")
    try:
        session.run("features/demo/hospital", table="visits", rows=rows, seed=seed)
        session.run("features/demo/regions", table="regions")
    finally:
        session.close()
    return policy
