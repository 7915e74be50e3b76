"""Whether the samples of ``advise`` rank methods as the whole table does.

    ANONSQL_DATA=/path/to/data python -m benchmarks.advice
    python -m benchmarks.advice --tables cps --people 1000 --for models

Each method is tried on samples and on the whole table, by ``advise`` with all the time that it needs.
Printed are, for each table: the ranked figure of each method on samples (the least and the greatest)
and on the whole table, and how many pairs of methods are in the same order. The tables are those of
:mod:`benchmarks.usefulness`.
"""

from __future__ import annotations

import argparse
import tempfile
from itertools import combinations
from pathlib import Path

import duckdb

import anonsql
from anonsql.features.advise import trials
from anonsql.features.advise.decision import ranking_of
from benchmarks.usefulness import TABLES, frame_of, policy_of


def main() -> None:
    """Print the lines of all tables as they are done."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tables", default="adult,acs,fars,cps", help="comma between names")
    parser.add_argument("--k", type=int, default=5)
    parser.add_argument("--for", dest="purpose", default="counts")
    parser.add_argument("--people", type=int, default=trials.MOST, help="of a sample")
    parser.add_argument("--seconds", type=float, default=300.0, help="of a release, at most")
    options = parser.parse_args()
    trials.LEAST = trials.MOST = options.people
    for name in options.tables.split(","):
        table = TABLES[name]()
        with tempfile.TemporaryDirectory() as folder:
            with duckdb.connect(str(Path(folder) / "source.duckdb")) as connection:
                columns = ", ".join(f'"{column}" {kind}' for column, kind in table.types.items())
                connection.execute(f"CREATE TABLE t ({columns})")
                connection.register("given", frame_of(table, table.rows))
                connection.execute("INSERT INTO t FROM given")
            method = "cell-generalization+4"
            policy = policy_of(table, Path(folder), method, options.k, options.seconds)
            report = anonsql.advise(
                policy, ks=[options.k], purpose=options.purpose, target=table.target, budget=1e5
            )
        ranking = ranking_of(options.purpose, table.target)
        whole = {line.policy: ranking.figure(line) for line in report.whole}
        print(f"{name}: {len(table.rows):,} rows, {report.ranked_by}, best on the sample first")
        means = {each: sum(found) / len(found) for each, found in report.figures.items()}
        for each in sorted(means, key=lambda each: means[each]):
            found, figure = report.figures[each], whole.get(each)
            text = "-" if figure is None else f"{figure:.4f}"
            print(f"  {each:30} {min(found):.4f} to {max(found):.4f}  whole {text}", flush=True)
        known = [each for each in means if whole.get(each) is not None]
        pairs = [(a, b) for a, b in combinations(known, 2)]
        same = sum((means[a] < means[b]) == (whole[a] < whole[b]) for a, b in pairs)
        print(f"  pairs in the same order: {same} of {len(pairs)}", flush=True)


if __name__ == "__main__":
    main()
