"""``anonsql demo``: a synthetic population, its policy, and the whole job on it. Benchmarks use the
same people."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from anonsql.engines.duckdb.session import DuckDBSession
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
method:  {type: cell-generalization, effort: 4}
"""

VISITS = """\
# A second policy of the demo: people and their visits, released together, so that they can still be
# joined. k counts people, against those who know somebody's own row and one of the visits.
source:  {database: people.duckdb}
release: {database: released_visits.duckdb}
tables:
  people:
    key: name                                    # becomes a number without meaning
    columns:
      age:            {role: quasi-identifying, hierarchy: {type: interval, widths: [5, 10, 20]}}
      sex:            {role: quasi-identifying, hierarchy: {type: suppression}}
      region:         {role: quasi-identifying, hierarchy: {type: mask, length: 3}}
      race:           {role: identifying}        # removed: every column costs
      marital_status: {role: identifying}
      education:      {role: identifying}
      country:        {role: identifying}
      occupation:     {role: identifying}
      visited:        {role: identifying}
      disease:        {role: sensitive}          # kept as it is
  visits:
    key: visit_id
    references: {name: people}
    max_rows: 4                                  # nobody is known by ten visits
    columns:
      day:    {role: quasi-identifying, hierarchy: {type: date, levels: [month, quarter, year]}}
      ward:   {role: quasi-identifying, hierarchy: {type: suppression}}
      reason: {role: sensitive}
privacy: {k: 5, of: people, known_rows: 1, suppression_limit: {people: 0.05}}
"""

_CONTINENTS = {
    "North America": ("United-States", "Canada", "Mexico"),
    "South America": ("Cuba", "Colombia", "Peru"),
    "Europe": ("Germany", "England", "Italy", "Poland"),
    "Asia": ("Philippines", "India", "China", "Vietnam"),
}


def write(
    folder: Path, rows: int, seed: int, policy: str = POLICY, *, visits: bool = False
) -> Path:
    """Write ``rows`` people, their policy and its hierarchy file to ``folder``; return the policy's
    path. With ``visits`` also write a table of their visits, and a policy that releases both.
    Before anything is written, raise PolicyError if that would replace an edited file, or a file
    that is not the demo's."""
    texts = {
        folder / "policy.yaml": policy,
        folder / "hierarchies" / "country.csv": "".join(
            f"{country};{continent};*\n"
            for continent, inside in _CONTINENTS.items()
            for country in inside
        ),
    }
    if visits:
        texts[folder / "visits.yaml"] = VISITS
    people = folder / "people.duckdb"
    made_anew(folder, texts, people)
    session = DuckDBSession(people, Journal(), "data")
    try:
        session.run("features/demo/people", table="people", rows=rows, seed=seed, factors=_FACTORS)
        if visits:
            session.run("features/demo/visits", table="visits", people="people", seed=seed)
    finally:
        session.close()
    return folder / "policy.yaml"


def made_anew(folder: Path, texts: Mapping[Path, str], data: Path) -> None:
    """Write the demo's files in ``folder``, and make place for its ``data``. Raise PolicyError,
    before anything is written, where that would replace a file that is not the demo's."""
    try:
        _require_own(texts, data)
        for path, text in texts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        data.unlink(missing_ok=True)
    except OSError as error:
        raise PolicyError.at(
            str(folder),
            f"the demo cannot be written here: {error.strerror}.",
            "Name another folder.",
        ) from None


def _require_own(texts: Mapping[Path, str], people: Path) -> None:
    """Raise PolicyError where one of the demo's files is there with another text, or the table of
    people without the demo's policy."""
    for path, text in texts.items():
        if path.exists() and path.read_bytes() != text.encode():
            raise PolicyError.at(
                str(path),
                "this file was not written by the demo, or was edited since.",
                "Name another folder, or move the file away.",
            )
    if people.exists() and not all(path.exists() for path in texts):
        raise PolicyError.at(
            str(people),
            "this table is not the demo's: its policy is not in the same folder.",
            "Name another folder, or move the file away.",
        )
