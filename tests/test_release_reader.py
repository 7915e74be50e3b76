"""Every label of every method, decoded by the release and its documentation alone
(tests/release_reader.py), stands for the true value of its row, and its bounds agree with it."""

import datetime as dt
import random

import pytest

import anonsql
from anonsql.errors import PolicyError, VerificationError
from anonsql.policy import methods
from anonsql.policy.policy import Policy

from . import release_reader
from .methods import METHODS
from .support import make_table, policy_data, rows_of, tree_file

ROWS = 240
JOBS = [  # siblings lie apart, NULL belongs to a group, names look like labels
    ["smith", "hands", "work", "*"],
    ["retired", "none", "rest", "*"],
    ["clerk", "desk", "work", "*"],
    ["a … b", "hands", "work", "*"],
    ["", "none", "rest", "*"],
    ["Cook, head", "hands", "work", "*"],
    ["{q}", "desk", "work", "*"],
    ["NULL", "none", "rest", "*"],
    [' lead "x"', "desk", "work", "*"],
]
GRADES = [{"low": ["c", "a"], "middle": ["e"], "high": ["b", "d"]}, {"all": ["high", "low"], "m": ["middle"]}]  # fmt: skip
CITIES = {"North": {"Sea": ["Kiel", "Ystad"], "Land": ["Ulm"]}, "South": {"Sea side": ["Bari"]}}
NUMBERS = [[str(n), "odd" if n % 2 else "even", "*"] for n in (7, 2, 5, 4, 9)]


def columns_of(folder):
    """Columns by name: type, hierarchy, and how a value is drawn. One of eight is NULL."""
    rnd = random.Random(7)
    day = dt.date(2019, 12, 20)
    jobs = tree_file(folder / "jobs.csv", JOBS)
    numbers = tree_file(folder / "numbers.csv", NUMBERS)
    cities = ["Kiel", "Ystad", "Ulm", "Bari"]
    return {
        "age": ("INTEGER", {"type": "interval", "widths": [5, 10, 20], "origin": 3},
                lambda: rnd.randint(-20, 60)),
        "pay": ("DECIMAL(8,2)", {"type": "interval", "widths": [2.5, 10]},
                lambda: rnd.randint(-900, 4000) / 100),
        "ratio": ("DOUBLE", {"type": "interval", "widths": [0.1, 0.5]},
                  lambda: rnd.choice([0.1, 0.3, 0.7, 1.25, 2.6])),
        "job": ("VARCHAR", jobs, lambda: rnd.choice([row[0] for row in JOBS if row[0]])),
        "number": ("INTEGER", numbers, lambda: int(rnd.choice(NUMBERS)[0])),
        "grade": ("VARCHAR", {"type": "order", "levels": GRADES}, lambda: rnd.choice("abcde")),
        "city": ("VARCHAR", {"type": "taxonomy", "tree": CITIES}, lambda: rnd.choice(cities)),
        "zip": ("VARCHAR", {"type": "mask", "length": 4},
                lambda: rnd.choice(["1012", "1015", "81", "8166", "816", "7*1"])),
        "code": ("VARCHAR", {"type": "mask", "length": 3, "from": "left"},
                 lambda: rnd.choice(["abc", "xbc", "bc", "éa"])),
        "born": ("DATE", {"type": "date", "levels": ["month", "quarter", "year", "decade"]},
                 lambda: day + dt.timedelta(days=rnd.randint(0, 60))),
        "seen": ("TIMESTAMP", {"type": "date", "levels": ["day", "week"]},
                 lambda: dt.datetime(2021, 1, 1, 12) + dt.timedelta(hours=rnd.randint(0, 300))),
        "sex": ("VARCHAR", {"type": "suppression"}, lambda: rnd.choice(["f", "m", "Ä", "[1,2]"])),
    }  # fmt: skip


SETS = {
    "numbers and names": ["age", "job", "sex"],
    "fractions and masks": ["pay", "zip", "number"],
    "doubles and left masks": ["ratio", "code", "grade"],
    "dates and taxonomies": ["born", "city"],
    "moments": ["seen", "job"],
}


def test_all_methods_are_here():
    assert {case["type"] for case in METHODS.values()} == methods.names() - methods._points()


@pytest.mark.parametrize("names", SETS)
@pytest.mark.parametrize("method", METHODS)
def test_every_label_stands_for_the_true_value(tmp_path, method, names):
    kinds = columns_of(tmp_path)
    chosen = SETS[names]
    draw = random.Random(3)
    rows = [
        (
            row,
            *(None if not draw.randrange(8) else kinds[element][2]() for element in chosen),
            row % 5,
        )
        for row in range(ROWS)
    ]
    types = {"row": "INTEGER", **{item: kinds[item][0] for item in chosen}, "ill": "INTEGER"}
    make_table(tmp_path / "source.duckdb", types, rows)
    settings = METHODS[method]
    data = policy_data(
        {"row": "insensitive", **{entry: kinds[entry][1] for entry in chosen}, "ill": "sensitive"},
        k=4, limit=0.3, method=settings,
    )  # fmt: skip
    if settings["type"] == "anatomy":
        data["privacy"] = {"k": 1, "l_diversity": {"ill": 3}}
    if settings["type"] == "local":
        first = chosen[0]
        hierarchy = data["columns"][first]["hierarchy"]
        data["columns"][first] = {
            "role": "semi-sensitive", "hierarchy": hierarchy, "sensitive_when": '"row" < 60',
        }  # fmt: skip
        data["privacy"]["l_diversity"] = {"ill": 2, first: 2}
    anonsql.run(Policy.parse(data, tmp_path))
    truth = {
        row[0]: dict(zip(types, row, strict=True))
        for row in rows_of(tmp_path / "source.duckdb", "FROM t")
    }
    about, columns, released = release_reader.read(tmp_path / "release.duckdb")
    assert set(columns) == set(chosen) and released
    wrong = [
        (name, row[name], truth[row["row"]][name])
        for row in released
        for name, column in columns.items()
        if not column.holds(row[name])(truth[row["row"]][name])
    ]
    outside = [
        (name, row[name], row[f"{name}_lo"], row[f"{name}_hi"], truth[row["row"]][name])
        for row in released
        for name in columns
        if f"{name}_lo" in row and not bounds_hold(row, name, truth[row["row"]][name], columns)
    ]
    changed = int(about.get("relocated_cells", "0"))
    assert len(wrong) <= changed, wrong[:5]
    assert len(outside) <= changed, outside[:5]


def bounds_hold(row, name, value, columns):
    """Whether the value is between its bounds, and these say what the label says: both ends, as far
    as they are of the column's values, are among those that it stands for."""
    low, high = row[f"{name}_lo"], row[f"{name}_hi"]
    if low is None or high is None:
        return low is high
    label, ends = row[name], [low, high]
    if isinstance(label, str) and label.startswith("[") and label.endswith(")"):
        open_end = release_reader.is_end(high, label[1:-1].partition(",")[2])
        ends = [low] if open_end else ends  # of fractions: the upper end is the next one's lower
    holds = columns[name].holds(label)
    return value is not None and low <= value <= high and all(holds(end) for end in ends)


@pytest.mark.parametrize("null_at", range(len(JOBS)))
def test_stretches_of_names_run_in_the_order_that_is_released(tmp_path, null_at):
    """Wherever NULL stands in the file, and whatever the intervals are."""
    rows = [row for row in JOBS if row[0]]
    rows.insert(null_at, ["", "none", "rest", "*"])
    tree = tree_file(tmp_path / "jobs.csv", rows)
    draw = random.Random(null_at)
    people = [(n, draw.choice([row[0] for row in rows if row[0]])) for n in range(120)]
    make_table(tmp_path / "source.duckdb", {"row": "INTEGER", "job": "VARCHAR"}, people)
    stretches = set()
    for k in (20, 50):
        data = policy_data({"row": "insensitive", "job": tree}, k=k,
                           method={"type": "ordered-partition"})  # fmt: skip
        anonsql.run(Policy.parse(data, tmp_path))
        _, columns, released = release_reader.read(tmp_path / "release.duckdb")
        assert all(columns["job"].holds(row["job"])(dict(people)[row["row"]]) for row in released)
        stretches |= {row["job"] for row in released if " … " in row["job"]}
        for job, count in rows_of(
            tmp_path / "source.duckdb", "SELECT job, count(*) FROM t GROUP BY 1"
        ):
            text = job.replace("'", "''")
            question = f"SELECT COUNT(*) FROM r WHERE job = '{text}'"
            (answer,) = anonsql.query(str(tmp_path / "release.duckdb"), question).answers
            assert answer.lower <= count <= answer.upper
    assert stretches


def test_a_release_with_another_order_is_refused(tmp_path):
    duckdb = pytest.importorskip("duckdb")
    tree = tree_file(tmp_path / "jobs.csv", JOBS)
    people = [(n, JOBS[n % 9][0] or None) for n in range(120)]
    make_table(tmp_path / "source.duckdb", {"row": "INTEGER", "job": "VARCHAR"}, people)
    data = policy_data({"row": "insensitive", "job": tree}, k=30,
                       method={"type": "ordered-partition"})  # fmt: skip
    policy = Policy.parse(data, tmp_path)
    anonsql.run(policy)
    with duckdb.connect(str(tmp_path / "release.duckdb")) as connection:
        connection.execute("UPDATE r__labels SET place = 8 - place")
    with pytest.raises((VerificationError, PolicyError)):
        anonsql.verify(policy)
