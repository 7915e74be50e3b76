"""Whether `anonsql` says rightly by which columns to count: its errors, by the source (`measure`) and
by the release alone (the recipient's page), beside those that pandas finds.

    ANONSQL_DATA=/path/to/data python -m benchmarks.count_by
    python -m benchmarks.count_by --tables cps,insurance --methods mondrian --k 10

Of every quasi-identifying column: the sum over groups of |mean count of the draws - count in the
source| as a share of the source's rows, and the band of each (0.01, 0.05, 0.2, or - beyond). Groups
are values; of more than ten numbers, ten bins that begin at the quantiles of the source. Tables are
those of benchmarks.usefulness. All take about ten minutes.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd

import anonsql
from anonsql.errors import AnonsqlError
from anonsql.features.measure import counting
from anonsql.features.report.recipient import gather
from anonsql.policy.envelope import EngineSettings
from anonsql.policy.locations import JobLocations
from anonsql.policy.policy import Policy
from benchmarks.usefulness import TABLES, Table, policy_of

_TABLES = "cps,insurance,adult,acs,fair,diabetes"
_METHODS = "cell-generalization,mondrian,ring,full-domain"
_BINS = 10


def outside(path: Path, release: Path, column: str, *, number: bool) -> float:
    """Return the error that pandas finds."""
    with closing(duckdb.connect(str(path), read_only=True)) as connection:
        own = connection.execute(f'SELECT "{column}" AS x FROM t').df()["x"]
    with closing(duckdb.connect(str(release), read_only=True)) as connection:
        drawn = connection.execute(f'SELECT draw, "{column}" AS x FROM r__completed').df()
    if number and own.nunique() > _BINS:
        before = own.rank(method="min") - 1
        starts = own.groupby((_BINS * before // own.count()).astype(int)).min().tolist()
    elif number:
        starts = sorted(own.dropna().unique())
    if number:
        ends = [-float("inf"), *starts[1:], float("inf")]
        own = pd.cut(own, ends, right=False, labels=False)
        drawn["x"] = pd.cut(drawn["x"], ends, right=False, labels=False)
    counts = own.value_counts()
    means = drawn["x"].value_counts() / drawn["draw"].nunique()
    return float((means.reindex(counts.index, fill_value=0) - counts).abs().sum() / len(own))


def lines(table: Table, methods: list[str], ks: list[int]) -> Iterator[tuple[Any, ...]]:
    """Yield table, method, k, column, and the errors: by pandas, by measure, by the release."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        frame = pd.DataFrame(table.rows, columns=list(table.types))
        with closing(duckdb.connect(str(folder / "source.duckdb"))) as connection:
            columns = ", ".join(f'"{column}" {kind}' for column, kind in table.types.items())
            connection.execute(f"CREATE TABLE t ({columns})")
            connection.register("given", frame)
            connection.execute("INSERT INTO t FROM given")
        for method in methods:
            for k in ks:
                policy = policy_of(table, folder, method, k, 120)
                try:
                    anonsql.run(policy)
                    useful = anonsql.measure(policy, queries=5).usefulness
                except AnonsqlError as error:
                    print(f"{table.name} {method} {k}: {str(error)[:99]}", file=sys.stderr)
                    continue
                if useful is None:
                    continue
                told = {line.column: line for line in _of_release(policy)}
                for line in useful.counts:
                    if line.column in table.hierarchies:
                        number = table.types[line.column] != "VARCHAR"
                        path, release = folder / "source.duckdb", folder / f"{method}-{k}.duckdb"
                        true = outside(path, release, line.column, number=number)
                        said = told.get(line.column)
                        yield table.name, method, k, line.column, true, line, said


def _of_release(policy: Policy) -> Any:
    location = JobLocations.of(policy).release
    return gather(location, policy.release.name, EngineSettings()).counts


def main() -> None:
    """Print a line for each column, then how often bands agree."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", default=_TABLES, help="comma between names")
    parser.add_argument("--methods", default=_METHODS, help="comma between names")
    parser.add_argument("--k", default="5,10", help="comma between numbers")
    options = parser.parse_args()
    bands = [*counting.BANDS, None]
    apart, agree, widest = Counter[int](), 0, 0.0
    for name in options.tables.split(","):
        ks = [int(number) for number in options.k.split(",")]
        for *where, true, line, said in lines(TABLES[name](), options.methods.split(","), ks):
            band = counting.within(true)
            agree += line.within == band
            widest = max(widest, abs(true - line.error))
            shown = "-" if said is None else f"{said.error:.4f} {said.within or '-'}"
            if said is not None:
                apart[bands.index(said.within) - bands.index(band)] += 1
            found = f"{true:.4f} {line.error:.4f} {line.within or '-'}  release {shown}"
            print("  ".join(map(str, where)), found, flush=True)
    print(f"measure: {agree} bands as by pandas, errors {widest:.6f} apart at most")
    print(
        f"release alone, bands beyond the true one (below 0: too good): {dict(sorted(apart.items()))}"
    )


if __name__ == "__main__":
    main()
