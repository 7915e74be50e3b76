"""``anonsql demo``: a made-up population, its policy, and the whole job on it. Benchmarks use the
same people."""

from __future__ import annotations

from pathlib import Path

from anonsql.engines.duckdb.session import Session
from anonsql.errors import PolicyError
from anonsql.system.journal import Journal

# One multiplier for each uniform of a person; any numbers below the square root of 2^63 without
# pattern do.
_FACTORS = (48271, 69621, 16807, 39373, 30269, 40692, 40014, 33614, 53668, 52774, 65539, 37691)

POLICY = """\
# The policy of the demo: nine quasi-identifying columns, each with a hierarchy of another kind.
source:  {database: people.duckdb, table: people}
release: {database: released.duckdb, table: people_released}
columns:
  name:           {role: identifying}            # removed
  age:
    role: quasi-identifying
    hierarchy: {type: interval, widths: [5, 10, 20]}
    min_level: 1
    weight: 2
  sex:            {role: quasi-identifying, hierarchy: {type: suppression}}
  race:           {role: quasi-identifying, hierarchy: {type: suppression}}
  marital_status:
    role: quasi-identifying
    hierarchy:
      type: taxonomy
      tree: {Alone: [Never-married, Divorced, Separated, Widowed], Together: [Married]}
  education:
    role: quasi-identifying
    hierarchy:                                   # named groups of ordered values
      type: order
      levels:
        - {Some school: [7th-8th, 11th], School: [HS-grad], Some college: [Some-college, Assoc-voc],
           Degree: [Bachelors], Advanced: [Masters, Prof-school, Doctorate]}
  country:        {role: quasi-identifying, hierarchy: {type: file, path: hierarchies/country.csv}}
  region:         {role: quasi-identifying, hierarchy: {type: mask, length: 3}, min_level: 2}
  occupation:
    role: quasi-identifying
    hierarchy:
      type: taxonomy
      tree:
        Office: [Professional, Manager, Sales, Clerical]
        Manual: [Craft, Service, Transport, Machine-op, Farming]
        Retired: [Retired]
  visited:
    role: quasi-identifying
    hierarchy: {type: date, levels: [quarter, year]}
    min_level: 1
  disease:        {role: sensitive}              # kept as it is
privacy: {k: 5, suppression_limit: 0.05}
method:  {type: full-domain, minimize: loss}
"""

_CONTINENTS = {
    "North America": ("United-States", "Canada", "Mexico"),
    "South America": ("Cuba", "Colombia", "Peru"),
    "Europe": ("Germany", "England", "Italy", "Poland"),
    "Asia": ("Philippines", "India", "China", "Vietnam"),
}


def write(folder: Path, rows: int, seed: int, policy: str = POLICY) -> Path:
    """Make ``rows`` people, their policy and its hierarchy file in ``folder``; the policy's
    path."""
    try:
        (folder / "hierarchies").mkdir(parents=True, exist_ok=True)
        countries = [
            f"{country};{continent};*\n"
            for continent, inside in _CONTINENTS.items()
            for country in inside
        ]
        (folder / "hierarchies" / "country.csv").write_text("".join(countries), encoding="utf-8")
        (folder / "policy.yaml").write_text(policy, encoding="utf-8")
        (folder / "people.duckdb").unlink(missing_ok=True)
    except OSError as error:
        raise PolicyError.at(
            str(folder),
            f"the demo cannot be written here: {error.strerror}.",
            "Name another folder.",
        ) from None
    session = Session.open(folder / "people.duckdb", Journal(), "data")
    try:
        session.run("demo/people", table="people", rows=rows, seed=seed, factors=_FACTORS)
    finally:
        session.close()
    return folder / "policy.yaml"
