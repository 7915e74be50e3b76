"""The search of `full-domain` under suppression beside a plain GROUP BY over the same columns.

    python -m benchmarks.search adult independent gifts --repeat 3
    python -m benchmarks.search adult --suppression 0 --profile

Three tables: `adult` (the real one of $ANONSQL_DATA), `independent` (a million rows, each column
drawn from Adult's by itself) and `gifts` (63,000 generated rows of eight columns with many values,
a lattice of 45,000 nodes). For each, one line: the GROUP BY, the search of `run` with the choice of
the node, how many times the GROUP BY that is, and the search of `search` with the measuring of all
nodes; medians, all in turn in one process, seconds and in brackets seconds of processors, which
depend less on what else the machine does. With `--profile` the statements by template.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections import Counter
from pathlib import Path

import duckdb

import anonsql
from anonsql.jobs import pipeline
from anonsql.jobs.job import Job
from anonsql.jobs.pipeline import choose, record_lattice, search
from anonsql.jobs.sessions import running
from anonsql.policy.policy import Policy
from anonsql.system.clock import silent
from benchmarks.full_domain import ADULT, plain_group_by

GIFTS = {
    "zip": {"type": "mask", "length": 5},
    "age": {"type": "interval", "widths": [5, 10, 20], "origin": 0},
    "gender": {"type": "suppression"},
    "income": {"type": "interval", "widths": [3], "origin": 1},
    "state": {"type": "suppression"},
    "total": {"type": "interval", "widths": [20, 100, 1000], "origin": 0},
    "gifts": {"type": "interval", "widths": [5, 10, 30], "origin": 0},
    "least": {"type": "interval", "widths": [5, 20, 100], "origin": 0},
}
"""Columns and hierarchies of the generated table: lattice 6 × 5 × 2 × 3 × 2 × 5 × 5 × 5."""


def main() -> None:
    asked = arguments()
    print(
        f"{'table':12}{'cells':>8}{'GROUP BY':>16}{'run':>16}{'ratio':>14}{'checked':>9}"
        f"{'search':>16}{'checked':>9}{'satisfying':>11}"
    )
    for name in asked.tables:
        with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
            compared(name, TABLES[name](Path(folder), asked), asked)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("tables", nargs="+", choices=sorted(TABLES))
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--suppression", type=float, default=0.05)
    parser.add_argument("--minimize", default="loss")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only-run", action="store_true", help="leave `search` out")
    parser.add_argument("--profile", action="store_true", help="print the statements by template")
    parser.add_argument("--folder", default=None, help="where to put the files")
    return parser.parse_args()


def compared(name: str, policy: Policy, asked: argparse.Namespace) -> None:
    names = list(policy.quasi_identifiers)
    times = list[tuple[float, ...]]()
    for _ in range(asked.repeat):
        before = time.process_time()
        group_by = plain_group_by(policy, names, 3)
        group_cpu = (time.process_time() - before) / 3
        run, run_cpu, job = of_a_run(policy, asked.profile)
        every, every_cpu, whole = (
            (0.0, 0.0, job) if asked.only_run else of_all(policy, asked.profile)
        )
        ratios = run / group_by, run_cpu / group_cpu
        times.append((group_by, group_cpu, run, run_cpu, *ratios, every, every_cpu))
    found = [statistics.median(item) for item in zip(*times, strict=True)]
    shown = [f"{wall:.3f}s ({cpu:.3f})" for wall, cpu in zip(found[::2], found[1::2], strict=True)]
    shown[2] = f"{found[4]:.1f} ({found[5]:.1f})"
    few, many = job.schema.searched, whole.schema.searched
    print(
        f"{name:12}{job.schema.star.cells:>8,}{shown[0]:>16}{shown[1]:>16}{shown[2]:>14}"
        f"{few.checked:>9,}{shown[3]:>16}{many.checked:>9,}{len(many.nodes):>11,}"
    )


def of_a_run(policy: Policy, profile: bool) -> tuple[float, float, Job]:
    """Return the seconds that a run searches and chooses for, those of processors, and the job."""
    forget(policy)
    with running(policy, "run", silent, show_values=False) as job:
        pipeline.go_through(job, pipeline.OPEN)
        pipeline.go_through(job, pipeline.CHOOSE[: pipeline.CHOOSE.index(search)])
        before, started = len(job.context.journal.statements), time.perf_counter()
        cpu = time.process_time()
        pipeline.go_through(job, (search, record_lattice, choose))
        seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
        if profile:
            printed("run", job, before, seconds, cpu)
            figures = job.chosen.recoded.metrics
            print(f"  levels {job.chosen.recoded.node.levels}, loss {figures['loss']}")
        return seconds, cpu, job


def forget(policy: Policy) -> None:
    """Remove the catalog, which knows the class sizes that the search before counted."""
    for path in policy.path(".").glob("*.anonsql.duckdb*"):
        path.unlink()


def of_all(policy: Policy, profile: bool) -> tuple[float, float, Job]:
    """Return the seconds that `search` searches and measures for, which is all but what it has in
    common with a run before, those of processors, and the job."""
    forget(policy)
    marks: list[tuple[int, float, float]] = []
    stages = pipeline.SEARCH
    index = [stage.__name__ for stage in stages].index("search_all")
    found: list[Job] = []
    original = pipeline.go_through

    def going(job: Job, asked: object) -> None:
        found.append(job)
        original(job, stages[:index])
        marks.append(
            (len(job.context.journal.statements), time.perf_counter(), time.process_time())
        )
        original(job, stages[index:])

    pipeline.go_through = going
    try:
        anonsql.search(policy)
    finally:
        pipeline.go_through = original
    before, started, cpu = marks[0]
    seconds, cpu = time.perf_counter() - started, time.process_time() - cpu
    if profile:
        printed("search", found[0], before, seconds, cpu)
    return seconds, cpu, found[0]


def printed(title: str, job: Job, before: int, seconds: float, cpu: float) -> None:
    """Print how long the statements of a job took, those from number ``before`` on."""
    times, counts = Counter[str](), Counter[str]()
    for statement in job.context.journal.statements[before:]:
        times[statement.name] += statement.milliseconds / 1000
        counts[statement.name] += 1
    print(f"{title}: {seconds:.3f} s, {cpu:.3f} s of processors")
    for name, took in times.most_common(8):
        print(f"  {name:44}{counts[name]:>8,}{took:>10.3f} s")
    print(f"  {'Python, and sending statements':44}{'':>8}{seconds - times.total():>10.3f} s")


def adult(folder: Path, asked: argparse.Namespace) -> Policy:
    """The real table."""
    return policy_of(folder, adult_columns(), "SELECT * FROM " + adult_file(), asked)


def independent(folder: Path, asked: argparse.Namespace) -> Policy:
    """A million rows whose columns are drawn independently from Adult's."""
    drawn = " POSITIONAL JOIN ".join(
        f'(SELECT "{name}" FROM {adult_file()} CROSS JOIN range(23)'
        f" ORDER BY hash(row_number() OVER () * 31 + {number}) LIMIT 1000000)"
        for number, name in enumerate(ADULT)
    )
    return policy_of(folder, adult_columns(), f"SELECT * FROM {drawn}", asked)


def gifts(folder: Path, asked: argparse.Namespace) -> Policy:
    """Donors and what they gave: skewed columns with many distinct values, some of which depend on
    each other."""
    uniform = "((hash(r * 97 + {}) % 1000003) / 1000003.0)".format
    statement = f"""
        SELECT lpad(((10 + state * 1.7 + {uniform(1)} * 1.5)::INT * 1000
                + ({uniform(2)} * {uniform(3)} * 300)::INT)::VARCHAR, 5, '0') AS zip,
            least(96, greatest(1, (60 + 17 * ({uniform(4)} + {uniform(5)} + {uniform(6)} - 1.5)
                * 2)::INT)) AS age,
            CASE WHEN {uniform(7)} < 0.54 THEN 'F' WHEN {uniform(7)} < 0.97 THEN 'M' ELSE 'U' END
                AS gender,
            1 + ({uniform(8)} * 6.99)::INT % 7 AS income,
            state,
            least(9999, exp(2.8 + 0.9 * 2 * ({uniform(9)} + {uniform(10)} + {uniform(11)} - 1.5)
                + 0.14 * n)::INT) AS total,
            n AS gifts,
            exp(0.5 + 2.2 * {uniform(12)})::INT AS least
        FROM (
            SELECT r, (50 * {uniform(13)} * {uniform(14)})::INT AS state,
                1 + (-ln({uniform(15)} + 0.0001) * 8)::INT AS n
            FROM range(63000) AS t(r)
        )"""
    return policy_of(folder, GIFTS, statement, asked)


def adult_file() -> str:
    data = Path(os.environ["ANONSQL_DATA"]) / "adult" / "adult.csv"
    return f"read_csv('{data}')"


def adult_columns() -> dict[str, dict[str, object]]:
    folder = Path(os.environ["ANONSQL_DATA"]) / "adult" / "hierarchies"
    return {name: {"type": "file", "path": str(folder / f"{name}.csv")} for name in ADULT}


def policy_of(
    folder: Path,
    columns: dict[str, dict[str, object]],
    statement: str,
    asked: argparse.Namespace,
) -> Policy:
    """Return a policy for the rows of a statement, which become a table of a DuckDB file."""
    with duckdb.connect(str(folder / "source.duckdb")) as connection:
        connection.execute(f"CREATE TABLE source AS {statement}")
    data = {
        "source": {"database": "source.duckdb", "table": "source"},
        "release": {"database": "release.duckdb", "table": "released"},
        "columns": {
            name: {"role": "quasi-identifying", "hierarchy": hierarchy}
            for name, hierarchy in columns.items()
        },
        "privacy": {"k": asked.k, "suppression_limit": asked.suppression},
        "method": {"type": "full-domain", "minimize": asked.minimize},
    }
    return Policy.parse(data, folder)


TABLES = {"adult": adult, "independent": independent, "gifts": gifts}

if __name__ == "__main__":
    main()
