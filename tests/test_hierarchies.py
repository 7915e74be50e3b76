"""Every kind of hierarchy against naive Python: labels, bounds, lint."""

import calendar
import datetime as dt
import os
import uuid
from contextlib import closing
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import anonsql
from anonsql.engines import open_workbench
from anonsql.engines.base import Context
from anonsql.errors import PolicyError
from anonsql.hierarchies import files as hierarchy_files
from anonsql.hierarchies import leaf_files
from anonsql.jobs import fingerprints, pipeline
from anonsql.jobs.pipeline import stage
from anonsql.policy.envelope import EngineSettings
from anonsql.policy.hierarchy import FileHierarchy
from anonsql.system.journal import Journal

from .support import job, make_source, policy_in, policy_over, tree_file

FAST = settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


def dimension(folder, kind, values, hierarchy, **more):
    """The dimension table of a one-column table: value -> (labels, bounds)."""
    folder.mkdir(exist_ok=True, parents=True)
    (folder / "source.duckdb").unlink(missing_ok=True)
    policy = policy_over(
        folder, {"c": kind}, [(value,) for value in values], {"c": hierarchy}, k=2, **more
    )
    with job(policy, folder, pipeline.CHECK) as done:
        if done.problems:
            raise PolicyError(done.problems)
        (attribute,) = done.counted.attributes
        levels = range(attribute.height + 1)
        columns = ["value", *(f"v{level}" for level in levels)]
        if attribute.bounds_type:
            columns += [f"{end}{level}" for level in levels for end in ("lo", "hi")]
        rows = done.engine.query("verification/facts", table="dim_1", columns=columns)
        found = {}
        for row in rows:
            labels, bounds = row[1 : attribute.height + 2], row[attribute.height + 2 :]
            found[row[0]] = (labels, list(zip(bounds[::2], bounds[1::2])))
        return found


def fresh(tmp_path_factory):
    return tmp_path_factory.mktemp("h")


@FAST
@given(
    st.lists(st.integers(-10_000, 10_000), min_size=2, max_size=15),
    st.sampled_from([(5, 10, 20), (1, 100), (7,)]),
    st.integers(-3, 30),
)
def test_intervals_of_integers(tmp_path_factory, values, widths, origin):
    found = dimension(
        fresh(tmp_path_factory),
        "INTEGER",
        values,
        {"type": "interval", "widths": list(widths), "origin": origin},
    )
    for value in values:
        labels, bounds = found[value]
        lows = [(value - origin) // width * width + origin for width in widths]
        assert labels == (
            str(value),
            *(f"[{low},{low + width})" for low, width in zip(lows, widths)),
            "*",
        )
        assert bounds == [
            (value, value),
            *((low, low + width - 1) for low, width in zip(lows, widths)),
            (None, None),
        ]


def test_intervals_of_huge_integers(tmp_path):
    big = 2**63 - 1
    found = dimension(
        tmp_path / "a", "BIGINT", [big, -big - 1, 0], {"type": "interval", "widths": [10]}
    )
    assert found[big][0][1] == "[9223372036854775800,9223372036854775810)"
    assert found[big][1][1] == (9223372036854775800, big)
    assert found[-big - 1][1][1] == (-big - 1, -9223372036854775801)
    huge = 10**30 + 7
    found = dimension(tmp_path / "b", "HUGEINT", [huge, 1], {"type": "interval", "widths": [10]})
    assert found[huge][0][1] == f"[{10**30},{10**30 + 10})"


def test_intervals_of_decimals_and_doubles_are_exact(tmp_path):
    found = dimension(
        tmp_path / "a", "DOUBLE", [0.3, 0.7, -0.05, 2.0], {"type": "interval", "widths": [0.1, 1]}
    )
    assert found[0.3][0] == ("0.3", "[0.3,0.4)", "[0.0,1.0)", "*")
    assert found[0.7][0][1] == "[0.7,0.8)"
    assert found[-0.05][0][1:3] == ("[-0.1,0.0)", "[-1.0,0.0)")
    found = dimension(
        tmp_path / "b",
        "DECIMAL(8, 2)",
        [Decimal("19.99"), Decimal("20.00")],
        {"type": "interval", "widths": [5]},
    )
    assert found[Decimal("19.99")][0] == ("19.99", "[15,20)", "*")
    assert found[Decimal("19.99")][1][1] == (Decimal("15"), Decimal("20"))
    assert found[Decimal("20.00")][0][1] == "[20,25)"


def test_numbers_that_no_interval_holds_are_named(tmp_path):
    with pytest.raises(
        PolicyError, match=r"columns\.c\.hierarchy: 2 distinct values of the column are not covered"
    ):
        dimension(
            tmp_path, "DOUBLE", [1.0, float("nan"), 1e30], {"type": "interval", "widths": [1]}
        )


@FAST
@given(
    st.lists(st.text("ab0*'\";\n€", max_size=4), min_size=2, max_size=10),
    st.sampled_from(["right", "left"]),
)
def test_masks(tmp_path_factory, values, side):
    found = dimension(
        fresh(tmp_path_factory), "VARCHAR", values, {"type": "mask", "length": 4, "from": side}
    )
    for value in values:
        labels = found[value][0]
        for level in range(4):
            kept = max(len(value) - level, 0)
            hidden = "*" * min(level, len(value))
            assert labels[level] == (
                value[:kept] + hidden if side == "right" else hidden + value[len(value) - kept :]
            )
        assert labels[4] == "*"


def test_values_longer_than_the_mask_are_named(tmp_path):
    with pytest.raises(PolicyError, match="1 distinct value of the column is not covered"):
        dimension(tmp_path, "INTEGER", [12345, 123456], {"type": "mask", "length": 5})


UNITS = ["day", "month", "quarter", "year", "decade"]


def period(unit, day):
    """First and last day of the unit around a day, and its label."""
    if unit == "day":
        return day, day, day.isoformat()
    if unit == "week":
        first = day - dt.timedelta(days=day.weekday())
        year, week, _ = day.isocalendar()
        return first, first + dt.timedelta(days=6), f"{year:04}-W{week:02}"
    if unit == "month":
        return (
            day.replace(day=1),
            day.replace(day=calendar.monthrange(day.year, day.month)[1]),
            f"{day.year:04}-{day.month:02}",
        )
    if unit == "quarter":
        quarter = (day.month - 1) // 3
        last = calendar.monthrange(day.year, quarter * 3 + 3)[1]
        return (
            day.replace(month=quarter * 3 + 1, day=1),
            day.replace(month=quarter * 3 + 3, day=last),
            f"{day.year:04}-Q{quarter + 1}",
        )
    if unit == "year":
        return day.replace(month=1, day=1), day.replace(month=12, day=31), f"{day.year:04}"
    decade = day.year // 10 * 10
    return dt.date(decade, 1, 1), dt.date(decade + 9, 12, 31), f"{decade:04}s"


DAYS = st.dates(dt.date(1000, 1, 1), dt.date(9980, 1, 1))


@FAST
@given(
    st.lists(DAYS, min_size=2, max_size=12),
    st.lists(st.sampled_from(UNITS), min_size=1, unique=True),
)
def test_dates(tmp_path_factory, values, units):
    units = sorted(units, key=UNITS.index)
    found = dimension(fresh(tmp_path_factory), "DATE", values, {"type": "date", "levels": units})
    for value in values:
        periods = [period(unit, value) for unit in units]
        assert found[value][0] == (value.isoformat(), *(label for _, _, label in periods), "*")
        assert found[value][1] == [
            (value, value),
            *((first, last) for first, last, _ in periods),
            (None, None),
        ]


@FAST
@given(st.lists(DAYS, min_size=2, max_size=12))
def test_weeks_and_timestamps(tmp_path_factory, values):
    moments = [dt.datetime.combine(value, dt.time(13, 14, 15, 16)) for value in values]
    found = dimension(
        fresh(tmp_path_factory), "TIMESTAMP", moments, {"type": "date", "levels": ["day", "week"]}
    )
    for value, moment in zip(values, moments):
        first, last, label = period("week", value)
        labels, bounds = found[moment]
        assert labels == (str(moment), value.isoformat(), label, "*")
        end_of_day = dt.time(23, 59, 59, 999999)
        assert bounds[1] == (
            dt.datetime.combine(value, dt.time()),
            dt.datetime.combine(value, end_of_day),
        )
        assert bounds[2] == (
            dt.datetime.combine(first, dt.time()),
            dt.datetime.combine(last, end_of_day),
        )


def test_decades_before_the_year_1000(tmp_path):
    found = dimension(
        tmp_path,
        "DATE",
        [dt.date(995, 5, 5), dt.date(5, 1, 1)],
        {"type": "date", "levels": ["year", "decade"]},
    )
    assert found[dt.date(995, 5, 5)][0] == ("0995-05-05", "0995", "0990s", "*")


def test_infinite_dates_are_named(tmp_path):
    with pytest.raises(PolicyError, match="not covered"):
        dimension(
            tmp_path, "DATE", ["infinity", "2020-01-01"], {"type": "date", "levels": ["year"]}
        )


def test_files_with_quotes_commas_and_absent_leaves(tmp_path):
    file = tmp_path / "h.csv"
    file.write_text('"a;1",x,*\n"b ""q""",x,*\n"line\nbreak",y,*\nabsent,y,*\n', encoding="utf-8")
    found = dimension(
        tmp_path, "VARCHAR", ["a;1", 'b "q"', "line\nbreak"], {"type": "file", "path": "h.csv"}
    )
    assert found["a;1"][0] == ("a;1", "x", "*")
    assert found["line\nbreak"][0] == ("line\nbreak", "y", "*")
    assert found[None][0] == ("absent", "y", "*")


def test_files_of_numbers_give_bounds_from_their_leaves(tmp_path):
    rows = [[str(age), "young" if age < 30 else "old", "*"] for age in range(20, 40)]
    found = dimension(tmp_path, "INTEGER", [25, 37], tree_file(tmp_path / "h" / "age.csv", rows))
    assert found[25][1] == [(25, 25), (20, 29), (None, None)]
    assert found[37][1] == [(37, 37), (30, 39), (None, None)]


def test_null_is_a_value_of_its_own_and_star_at_the_top(tmp_path):
    rows = [["a", "x", "*"], ["b", "x", "*"]]
    found = dimension(
        tmp_path / "1", "VARCHAR", ["a", "b", None], tree_file(tmp_path / "1" / "c.csv", rows)
    )
    assert found[None][0] == (None, None, "*")
    mapped = [*rows, ["", "unknown", "*"]]
    found = dimension(
        tmp_path / "2", "VARCHAR", ["a", "b", None], tree_file(tmp_path / "2" / "c.csv", mapped)
    )
    assert found[None][0] == (None, "unknown", "*")


def test_order(tmp_path):
    levels = [
        {"low": ["a", "b"], "mid": ["c"], "high": ["d"]},
        {"some": ["low", "mid"], "much": ["high"]},
    ]
    found = dimension(tmp_path, "VARCHAR", ["a", "c", "d"], {"type": "order", "levels": levels})
    assert found["c"][0] == ("c", "mid", "some", "*")
    assert found["d"][0] == ("d", "high", "much", "*")


def test_taxonomy_in_the_policy_and_in_a_file(tmp_path):
    tree = {"Europe": {"West": ["FR", "DE"], "Island": None}, "Asia": ["JP"]}
    found = dimension(
        tmp_path / "1", "VARCHAR", ["FR", "JP", "Island"], {"type": "taxonomy", "tree": tree}
    )
    assert found["FR"][0] == ("FR", "West", "Europe", "*")
    assert found["JP"][0] == ("JP", "JP", "Asia", "*")
    assert found["Island"][0] == ("Island", "Island", "Europe", "*")
    (tmp_path / "2").mkdir()
    (tmp_path / "2" / "tree.json").write_text('{"*": {"Yes": [1, 2], "No": [3]}}')
    found = dimension(tmp_path / "2", "INTEGER", [1, 3], {"type": "taxonomy", "path": "tree.json"})
    assert found[1] == (("1", "Yes", "*"), [(1, 1), (1, 2), (None, None)])


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([["a", "x", "*"], ["a", "y", "*"]], "1 label of level 0 has more than one parent"),
        (
            [["a", "x", "p", "*"], ["b", "x", "q", "*"]],
            "1 label of level 1 has more than one parent",
        ),
        ([["a", "x"], ["b", "y"]], "the top level has 2 values"),
        ([["b", "*"]], "1 distinct value of the column is not covered"),
        ([["a", "x", "*"], ["b", "y"]], "the top level has 2 values"),
        ([["a", "", "*"]], "line 1 has an empty label"),
        ([["a"]], r"has no level above its values \(delimiter ','\)"),
    ],
)
def test_lint_of_files(tmp_path, rows, message):
    with pytest.raises(PolicyError, match=message):
        dimension(tmp_path, "VARCHAR", ["a"], tree_file(tmp_path / "c.csv", rows))


FAULTY_LINES = [
    "a;x",
    "a;x;*;*",
    "",
    "b;;*",
    'c;"x"y;*',
    "d;x;*",
    *["e;;*"] * 6,
    'f;"x;*',
]


def test_faults_of_lines_are_told_by_kind(tmp_path):
    """Each kind once: on how many lines, and the first of them; a fault ends the reading of its own
    lines alone."""
    (tmp_path / "c.csv").write_text("\n".join(["z;x;*", *FAULTY_LINES]))
    with pytest.raises(PolicyError) as caught:
        dimension(tmp_path, "VARCHAR", ["z"], {"type": "file", "path": "c.csv"})
    assert [
        problem.found.removeprefix(f"{tmp_path}/c.csv: ") for problem in caught.value.problems
    ] == [
        "2 lines (6, 14) have a quote that does not end where its cell ends.",
        "7 lines (5, 8, 9, 10, 11, …) have an empty label.",
    ]


EUROPE = [("Paris", "France", "Europe"), ("Köln", "Deutschland", "Europe"), ("Atlantis",) * 3]


def shape(*lines, encoding="utf-8", end="\n"):
    return end.join(lines).encode(encoding)


@pytest.mark.parametrize(
    "content",
    [
        shape("Paris;France;Europe;*", "Köln;Deutschland;Europe;*", "Atlantis;*"),
        shape("Atlantis;*", "Paris;France;Europe;*", "Köln;Deutschland;Europe;*"),
        shape("Atlantis;*;;", "Paris;France;Europe;*", "Köln;Deutschland;Europe;*"),
        shape("Paris,France,Europe,*,", "Köln,Deutschland,Europe,*,", "Atlantis,*,,,"),
        shape("Paris\tFrance\tEurope\t*", "Köln\tDeutschland\tEurope\t*", "Atlantis\t*"),
        shape("Paris|France|Europe|*", "Köln|Deutschland|Europe|*", "Atlantis|*|"),
        shape("Paris ; France;Europe ; *", "Köln;\tDeutschland;Europe;*", "Atlantis\u00a0;*"),
        shape('"Paris"; "France";"Europe";*', "Köln;Deutschland;Europe;*", '"Atlantis";"*"'),
        shape("Paris;France;Europe;*", "Köln;Deutschland;Europe;*", "Atlantis;*", end="\r\n"),
        shape("Paris;France;Europe;*", "Köln;Deutschland;Europe;*", "Atlantis;*", end="\r"),
        *(
            shape("Paris;France;Europe;*", "Köln;Deutschland;Europe;*", "Atlantis;*", encoding=name)
            for name in ("latin-1", "cp1252", "utf-8-sig", "utf-16", "utf-16-be")
        ),
    ],
)
def test_hierarchy_files_as_people_have_them(tmp_path, content):
    """Rows of unequal depth, delimiters, blanks and encodings."""
    (tmp_path / "h.csv").write_bytes(content)
    values = [leaf for leaf, *_ in EUROPE]
    found = dimension(tmp_path, "VARCHAR", values, {"type": "file", "path": "h.csv"})
    for leaf, *above in EUROPE:
        labels = found[leaf][0]
        assert labels[:2] == (leaf, above[0]) and labels[-1] == "*"
        assert above[-1] in labels and set(labels) == {leaf, *above, "*"}


@pytest.mark.parametrize("content", [b"PK\x03\x04\xff\x00;a", "ab\x00\u00e9".encode("latin-1")])
def test_other_files_are_no_hierarchies(tmp_path, content):
    (tmp_path / "h.csv").write_bytes(content)
    with pytest.raises(PolicyError, match="is not text"):
        dimension(tmp_path, "VARCHAR", ["a"], {"type": "file", "path": "h.csv"})


@pytest.mark.parametrize("read", ["rows", "file"])
def test_a_hierarchy_file_that_ends_inside_a_character(tmp_path, read):
    (tmp_path / "h.csv").write_bytes("a;b;*\n".encode("utf-16")[:-1])
    spec = FileHierarchy(path=str(tmp_path / "h.csv"))
    with pytest.raises(
        PolicyError, match=r"h\.csv is not utf-16 text. It may end inside"
    ) as caught:
        if read == "rows":
            hierarchy_files.read(spec, "columns.c.hierarchy", type(tmp_path))
        else:
            dimension(tmp_path, "VARCHAR", ["a"], {"type": "file", "path": "h.csv"})
    assert caught.value.problems[0].where == "columns.c.hierarchy.path"


def test_windows_1252_where_latin_1_has_no_sign(tmp_path):
    (tmp_path / "h.csv").write_bytes("5 €;money;*".encode("cp1252"))
    found = dimension(tmp_path, "VARCHAR", ["5 €"], {"type": "file", "path": "h.csv"})
    assert found["5 €"][0] == ("5 €", "money", "*")


@pytest.mark.parametrize("start", ["", "\n"], ids=["lines", "rows"])
def test_faults_of_leaves_are_told_together_with_their_lines(tmp_path, caplog, start):
    """Of leaves with two parents, groups with two, and tops that are not one: by SQL over as many
    lines as there are; labels on demand alone."""
    lines = [f"v{n};g{n // 10};h{n // 100};*" for n in range(1000)]
    lines += ["v7;other;h0;*", "w;g3;h9;*", "v999;g99;h9;all", "v5;g0;h0;*"]
    (tmp_path / "c.csv").write_text(start + "\n".join(lines))
    make_source(tmp_path, {"c": "VARCHAR"}, [("v1",), ("zebra",)])
    policy = policy_in(tmp_path, {"c": {"type": "file", "path": "c.csv"}})
    counted, parents = (
        "rows" if start else "lines",
        "more than one parent, so the levels do not nest",
    )
    with pytest.raises(PolicyError) as caught:
        anonsql.run(policy)
    assert [problem.found for problem in caught.value.problems] == [
        "1 distinct value of the column is not covered by the hierarchy.",
        f"1 label of level 0 has {parents}: {counted} 1001 (as against 8).",
        f"1 label of level 1 has {parents}: {counted} 1002 (as against 31).",
        f"1 label of level 2 has {parents}: {counted} 1003 (as against 901).",
        "the top level has 2 values, so the highest generalization still distinguishes them:"
        f" {counted} 1003 (as against 1).",
    ]
    assert not (tmp_path / "release.duckdb").exists() and "zebra" not in caplog.text
    with pytest.raises(PolicyError):
        anonsql.run(policy, show_values=True)
    assert "'zebra'" in caplog.text and "'v7'" in caplog.text


@pytest.mark.parametrize(
    ("hierarchy", "kind", "place", "message"),
    [
        (
            {"type": "interval", "widths": [5, 12]},
            "INTEGER",
            r"hierarchy\.widths\[1\]",
            "not a multiple",
        ),
        (
            {"type": "interval", "widths": [5]},
            "VARCHAR",
            "hierarchy",
            "intervals need a numeric column",
        ),
        (
            {"type": "interval", "widths": [0]},
            "INTEGER",
            r"hierarchy\.widths\[0\]",
            "above 0",
        ),
        (
            {"type": "date", "levels": ["year", "month"]},
            "DATE",
            r"hierarchy\.levels\[1\]",
            "not coarser",
        ),
        (
            {"type": "date", "levels": ["week", "month"]},
            "DATE",
            r"hierarchy\.levels\[1\]",
            "two units of month",
        ),
        ({"type": "date", "levels": ["year"]}, "INTEGER", "hierarchy", "need a date"),
        ({"type": "mask", "length": 5}, "DOUBLE", "hierarchy", "a mask needs text or integers"),
        (
            {"type": "order", "levels": [{"x": ["a"], "y": ["a"]}]},
            "VARCHAR",
            r"hierarchy\.levels\[0\]",
            "in two groups: a",
        ),
        (
            {"type": "order", "levels": [{"x": ["a"]}, {"z": ["w"]}]},
            "VARCHAR",
            r"hierarchy\.levels\[1\]",
            "groups without a parent: x",
        ),
        (
            {"type": "taxonomy", "tree": {"x": ["a"], "y": ["a"]}},
            "VARCHAR",
            r"hierarchy\.tree",
            "in two groups: a",
        ),
        (
            {"type": "taxonomy", "tree": {"x": [{"a": 1}]}},
            "VARCHAR",
            r"hierarchy\.tree",
            "not a value",
        ),
        ({"type": "taxonomy"}, "VARCHAR", "hierarchy", "either `tree` or `path`"),
        ({"type": "file", "path": "nowhere.csv"}, "VARCHAR", r"hierarchy\.path", "cannot be read"),
        ({"type": "suppression"}, "INTEGER[]", "c", "cannot be generalized"),
    ],
)
def test_hierarchies_that_do_not_fit(tmp_path, hierarchy, kind, place, message):
    value = [1] if kind.endswith("]") else "2020-01-01" if kind == "DATE" else 1
    with pytest.raises(
        PolicyError,
        match=f"columns\\.c.*{place}.*{message}" if place != "c" else f"columns\\.c.*{message}",
    ):
        dimension(tmp_path, kind, [value, value], hierarchy)


def test_level_limits_beyond_the_top(tmp_path):
    with pytest.raises(PolicyError, match=r"columns\.c\.max_level: 3 is above"):
        dimension(
            tmp_path,
            "VARCHAR",
            ["a"],
            {"role": "qi", "hierarchy": {"type": "suppression"}, "max_level": 3},
        )


def test_examples_of_offenders_only_when_asked(tmp_path, caplog):
    make_source(tmp_path, {"c": "VARCHAR"}, [("zebra",), ("a",)])
    policy = policy_in(tmp_path, {"c": tree_file(tmp_path / "c.csv", [["a", "*"]])})
    with pytest.raises(PolicyError) as caught:
        anonsql.run(policy)
    assert "zebra" not in str(caught.value) and "zebra" not in caplog.text
    with pytest.raises(PolicyError) as caught:
        anonsql.run(policy, show_values=True)
    assert "columns.c.hierarchy: for example 'zebra'" in caplog.text
    assert "zebra" not in str(caught.value)


@FAST
@given(
    st.lists(
        st.floats(-1e12, 1e12, allow_nan=False, width=64)
        | st.integers(-200, 200).map(lambda n: n / 10),
        min_size=2,
        max_size=12,
    )
)
def test_intervals_of_doubles_hold_their_values(tmp_path_factory, values):
    found = dimension(
        fresh(tmp_path_factory), "DOUBLE", values, {"type": "interval", "widths": [0.1, 5]}
    )
    for value in values:
        for (low, high), width in zip(found[value][1][1:3], (0.1, 5)):
            assert low <= value <= high
            assert high - low == pytest.approx(width, rel=1e-3)
        label = found[value][0][2]
        assert (
            Decimal(label[1:].split(",")[0])
            <= Decimal(repr(value))
            < Decimal(label[:-1].split(",")[1])
        )


def test_doubles_lie_where_people_read_them(tmp_path):
    values = [8.2, 32.3, 295165.0, 0.09999999999999999, -1e-300, 1e15]
    found = dimension(tmp_path, "DOUBLE", values, {"type": "interval", "widths": [0.1, 5]})
    assert found[8.2][0][1] == "[8.2,8.3)"
    assert found[32.3][0][1] == "[32.3,32.4)"
    assert found[295165.0][0][2] == "[295165.0,295170.0)"
    assert found[0.09999999999999999][0][1] == "[0.0,0.1)"
    assert found[-1e-300][0][1] == "[-0.1,0.0)"


def test_a_group_that_null_belongs_to_has_no_bounds(tmp_path):
    rows = [["0", "low", "all"], ["1", "low", "all"], ["2", "high", "all"], ["", "low", "all"]]
    found = dimension(
        tmp_path, "INTEGER", [0, 1, 2, None], tree_file(tmp_path / "h" / "c.csv", rows)
    )
    assert found[0][1] == [(0, 0), (None, None), (None, None)]
    assert found[2][1] == [(2, 2), (2, 2), (None, None)]
    policy = policy_in(tmp_path, {"c": {"type": "file", "path": "h/c.csv"}}, k=4)
    assert anonsql.run(policy).levels == {"c": 2}


@pytest.mark.parametrize("kind", ["TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "TIMESTAMP"])
def test_timestamps_of_every_precision(tmp_path, kind):
    moment = dt.datetime(2020, 1, 15, 1, 2, 3)
    found = dimension(tmp_path, kind, [moment, moment], {"type": "date", "levels": ["month"]})
    assert found[moment][0][1] == "2020-01"
    assert found[moment][1][1] == (
        dt.datetime(2020, 1, 1),
        dt.datetime(2020, 1, 31, 23, 59, 59, 999999),
    )
    assert anonsql.run(policy_in(tmp_path, {"c": {"type": "date", "levels": ["month"]}})).verified


@pytest.mark.parametrize(
    ("kind", "values", "hierarchy", "message"),
    [
        (
            "DECIMAL(38, 37)",
            ["0.5"],
            {"type": "interval", "widths": [1]},
            "do not match the 37 decimals",
        ),
        (
            "HUGEINT",
            [2**127 - 1, 1],
            {"type": "interval", "widths": [1]},
            "not covered by the hierarchy. They are not finite numbers",
        ),
        ("VARCHAR", [None, "a"], {"type": "file", "path": "null.csv"}, "no leaf except NULL"),
    ],
)
def test_odd_hierarchies_are_told_by_name(tmp_path, kind, values, hierarchy, message):
    (tmp_path / "null.csv").write_text(";*\n")
    with pytest.raises(PolicyError, match=f"columns.c.hierarchy.*{message}"):
        dimension(tmp_path, kind, values, hierarchy)


def test_leaves_that_only_python_reads_as_values_give_no_bounds(tmp_path):
    rows = [["2020-01-15", "x", "*"], ["2020-W03-1", "x", "*"]]
    found = dimension(tmp_path, "DATE", ["2020-01-15"], tree_file(tmp_path / "h" / "c.csv", rows))
    assert found[dt.date(2020, 1, 15)] == (("2020-01-15", "x", "*"), [])


def reading(folder):
    """A DuckDB that reads hierarchy files."""
    return closing(open_workbench(Context(folder, EngineSettings(), Journal())))


@pytest.fixture(scope="module")
def reader(tmp_path_factory):
    """Such a DuckDB for many files."""
    with reading(tmp_path_factory.mktemp("reader")) as engine:
        yield engine


PLAIN_CELLS = [
    "a",
    "b",
    "",
    'a"',
    "#a",
    " ",
    "é",
    "\\",
    'a""b',
    "'a'",
    "a\tb",
    "NULL",
    "a,b",
    "\x01",
]
QUOTED_CELLS = [
    '""',
    '"a"',
    '" a"',
    '"a;b"',
    '"x""y"',
    '"l\nm"',
    ' "a"',
    '"a" ',
    '"""',
    '"',
    '\t"a"',
]
CELLS = st.sampled_from([*PLAIN_CELLS, *QUOTED_CELLS, "\x00"])
LINES = st.lists(st.lists(CELLS, min_size=1, max_size=3).map(";".join), max_size=5)
EVEN = st.lists(st.tuples(CELLS, CELLS).map(";".join), min_size=1, max_size=5)
ENDS = st.sampled_from(["\n", "\r\n", "\n\n"])


@settings(FAST, max_examples=400)
@given(st.one_of(EVEN, LINES), ENDS, st.sampled_from(["", "\ufeff"]), st.sampled_from(["", "\r"]))
def test_files_are_read_by_the_engine_as_the_grammar_has_it(
    tmp_path_factory, reader, lines, end, start, more
):
    folder = fresh(tmp_path_factory)
    table = f"leaves_{uuid.uuid4().hex}"
    file = folder / "h.csv"
    file.write_bytes((start + end.join(lines) + more).encode())
    spec = FileHierarchy(path="h.csv")
    try:
        expected = hierarchy_files.read(spec, "here", folder.joinpath)
    except PolicyError as error:
        with pytest.raises(PolicyError) as caught:
            leaf_files.read(reader, table, file, "here.path", folder)
        assert str(caught.value) == str(error)
        return
    leaf_files.read(reader, table, file, "here.path", folder)
    found = reader.query("engines/duckdb/leaves_rows", table=table, levels=len(expected[0]))
    reader.drop(table)
    assert list(dict.fromkeys(row[:-1] for row in found)) == list(map(tuple, expected))
    assert not (folder / "leaves.csv").exists()


def opened(monkeypatch, file):
    """Lists the times that Python opens a file for reading by its own path."""
    times, plain = [], os.open

    def noting(path, *rest):
        times.extend([path] * (path == file))
        return plain(path, *rest)

    monkeypatch.setattr(os, "open", noting)
    return times


def test_each_file_is_read_once_by_the_stages_before_the_proof(tmp_path, monkeypatch):
    make_source(tmp_path, {"c": "VARCHAR"}, [("a",), ("a",), ("b",), ("b",)])
    rows = [["a", "x", "*"], ["b", "x", "*"]]
    policy = policy_in(tmp_path, {"c": tree_file(tmp_path / "c.csv", rows)}, k=2)
    times = opened(monkeypatch, tmp_path / "c.csv")
    with job(policy, tmp_path, (*pipeline.OPEN_SOURCE, *pipeline.CHOOSE, stage)) as done:
        levels = fingerprints.of_hierarchy(policy, "c", digests=done.leaves.digests)
    assert len(times) == 1
    assert levels == fingerprints.of_hierarchy(policy, "c")


def test_lines_that_stand_twice_and_null_between_leaves(tmp_path):
    file = tmp_path / "c.csv"
    file.write_text("b,x,*\n,none,*\na,x,*\nb,x,*\n,none,*\nc,y,*\n")
    make_source(tmp_path, {"c": "VARCHAR"}, [("a",), (None,), ("b",)])
    policy = policy_in(tmp_path, {"c": {"type": "file", "path": "c.csv"}}, k=2)
    with job(policy, tmp_path, pipeline.CHECK) as done:
        (attribute,) = done.counted.attributes
        assert (attribute.leaves, attribute.null_labels) == (3, (None, "none", "*"))
        leaves = done.leaves.rows(1, 3)
    assert leaves == [("b", "x", "*", 0), ("a", "x", "*", 1), ("c", "y", "*", 2)]
    file.write_text("b,x,*\n,none,*\n,other,*\n")
    with pytest.raises(PolicyError, match="is mapped twice"):
        dimension(tmp_path, "VARCHAR", ["b"], {"type": "file", "path": "c.csv"})
    file.write_text(",none,*\n")
    with pytest.raises(PolicyError, match="it has no leaf except NULL"):
        dimension(tmp_path, "VARCHAR", ["b"], {"type": "file", "path": "c.csv"})
