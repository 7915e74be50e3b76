"""What ``init`` sees in a table: widths by how numbers spread, columns that tell each other, keys
of people that repeat, weights, and what a cell holds; against naive Python."""

import itertools
import random
from bisect import bisect_right
from collections import Counter, defaultdict
from contextlib import closing
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

import anonsql
from anonsql.engines.base import Column
from anonsql.features.init import command, several_tables, statistics
from anonsql.features.init.quantiles import SHARES, Quantiles, number_hierarchy
from anonsql.hierarchies.patterns import FORMS
from anonsql.sql import templates

from .engines import Postgres
from .support import cli, flat, in_file, make_source, make_table, opened, policy_in


def proposed(folder, types, rows):
    """The policy that is proposed for a table, and its text."""
    make_source(folder, types, rows)
    command.init(str(folder / "source.duckdb"), "t", folder / "p.yaml")
    text = (folder / "p.yaml").read_text(encoding="utf-8")
    return yaml.safe_load(text), text


def quantiles_of(numbers):
    """For each share the least number up to which at least so many are."""
    rising = sorted(numbers)
    return tuple(
        next(x for n, x in enumerate(rising, 1) if n >= float(share) * len(rising))
        for share in SHARES
    )


def widths_of(numbers, *, whole=False):
    return hierarchy_of(numbers, whole=whole)["widths"]


def hierarchy_of(numbers, *, whole=False):
    text, _ = number_hierarchy(Quantiles(tuple(map(float, quantiles_of(numbers)))), whole=whole)
    return yaml.safe_load(text)


NUMBERS = st.lists(st.integers(-1000, 10**6).map(float), min_size=2, max_size=60).filter(
    lambda numbers: len(set(numbers)) > 1
)


@settings(max_examples=25, deadline=None)
@given(numbers=NUMBERS)
def test_quantiles_are_those_of_the_rows(numbers):
    sql = templates.render(
        "risks/kept/quantiles",
        relation=("t",),
        columns=[Column("x", "DOUBLE")],
        shares=SHARES,
        apart={},
    )
    with opened(":memory:") as connection:
        connection.execute("CREATE TABLE t (x DOUBLE)")
        rows = [(x,) for x in [*numbers, float("inf"), float("nan"), None]]
        connection.executemany("INSERT INTO t VALUES (?)", rows)
        [(_, *values)] = connection.execute(sql).fetchall()
    assert tuple(values) == quantiles_of(numbers)


@given(numbers=NUMBERS)
def test_widths_part_the_middle_half_and_join_most_rows(numbers):
    spread = Quantiles(tuple(quantiles_of(numbers)))
    hierarchy = hierarchy_of(numbers)
    if hierarchy["type"] == "breaks":
        assert spread.most > 6 * spread.middle > 0
        at, levels = hierarchy["at"], hierarchy["then"]
        assert len(at) >= 4 and at == sorted(set(at)) and set(levels[0]) < set(at)
        policy_in(Path(), {"n": hierarchy})  # a policy takes it
        return
    widths = hierarchy["widths"]
    assert all(wide == 2 * width for width, wide in itertools.pairwise(widths))
    assert 3 <= len(widths) <= 8
    if spread.middle > 0 and spread.middle > spread.most / 250:
        assert spread.middle / widths[0] >= 4 or widths[0] < 1e-5
    else:
        assert widths[0] <= spread.whole


def test_skewed_numbers_do_not_all_lie_in_one_interval(tmp_path):
    numbers = [(round(1.02**n, 2),) for n in range(900)]  # up to 54 million; half below 7,500
    policy, _ = proposed(tmp_path, {"age": "DOUBLE"}, numbers)
    at = policy["columns"]["age"]["hierarchy"]["at"]
    fullest = max(Counter(bisect_right(at, x) for (x,) in numbers).values())
    assert fullest < len(numbers) * 0.15
    anonsql.check(tmp_path / "p.yaml")
    by_range = 10 ** len(str(int(numbers[-1][0] / 10)))
    assert max(Counter(x // by_range for (x,) in numbers).values()) > len(numbers) * 0.9


def told(pairs):
    """How many of the rows whose first value repeats have the commonest other value beside it."""
    groups = defaultdict(Counter)
    for a, b in pairs:
        groups[a][b] += 1
    repeated = [group for group in groups.values() if group.total() > 1]
    return (
        sum(group.total() for group in repeated),
        sum(max(group.values()) for group in repeated),
    )


VALUE = st.sampled_from(["", "a", "b", "c", None])


@settings(max_examples=25, deadline=None)
@given(rows=st.lists(st.tuples(VALUE, VALUE), min_size=1, max_size=30))
def test_pairs_are_counted_both_ways(rows):
    sql = templates.render(
        "features/init/pairs", relation=("t",), first="a", others=["b", "a"], most=1000
    )
    with opened(":memory:") as connection:
        connection.execute("CREATE TABLE t (a VARCHAR, b VARCHAR)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", rows)
        first, _ = connection.execute(sql).fetchall()
    pairs = [(a or "", b or "") for a, b in rows]
    backward = [(b, a) for a, b in pairs]
    expected = [
        *(len(rows), max(Counter(b for _, b in pairs).values()), *told(pairs)),
        *(max(Counter(a for a, _ in pairs).values()), *told(backward)),
    ]
    assert list(first[1:]) == expected


PLACES = [(f"9{n % 20:04}", f"town {n % 20 // 4}") for n in range(400)]
DAYS = [
    (f"{2024 - age}-0{month}-11", age)
    for age, month in (
        (random.Random(n).randint(20, 80), random.Random(n).randint(1, 9)) for n in range(400)
    )
]


def of_pairs(text):
    """The comments below the columns, as one line."""
    return flat(text.partition("# Every released")[2].replace("# ", ""))


def test_columns_that_tell_each_other_are_named(tmp_path):
    types = {"zip": "VARCHAR", "city": "VARCHAR", "birth_date": "DATE", "age": "INTEGER"}
    rows = [(*place, *day) for place, day in zip(PLACES, DAYS, strict=True)]
    make_source(
        tmp_path,
        {**types, "sex": "VARCHAR"},
        [(*row, "mf"[n // 20 % 2]) for n, row in enumerate(rows)],
    )
    report = command.init(str(tmp_path / "source.duckdb"), "t", tmp_path / "p.yaml")
    assert {warning.where for warning in report.warnings} == {"columns.city", "columns.age"}
    said = of_pairs((tmp_path / "p.yaml").read_text())
    assert (
        "zip determines city, for 100.0% of the rows" in said and "Release one: city costs" in said
    )
    assert "birth_date" in said and "city tells" not in said and "sex" not in said
    assert "9000" not in said and "town" not in said


def test_columns_that_know_nothing_of_each_other_are_not(tmp_path):
    types = {"age": "INTEGER", "sex": "VARCHAR", "zip": "VARCHAR", "born": "DATE"}
    drawn = random.Random(1)
    rows = [
        (
            drawn.randint(20, 70),
            drawn.choice("mf"),
            f"9{drawn.randint(0, 10):04}",
            f"19{drawn.randint(40, 99)}-01-01",
        )
        for _ in range(400)
    ]
    _, text = proposed(tmp_path, types, rows)
    assert "tell" not in of_pairs(text) and "together" not in of_pairs(text)


def test_a_key_of_people_that_repeats_becomes_the_entity(tmp_path):
    types = {"participant": "INTEGER", "age": "INTEGER", "answer": "VARCHAR"}
    rows = [(n // 3, 20 + n // 3 % 5, "xy"[n % 2]) for n in range(300)]
    policy, text = proposed(tmp_path, types, rows)
    assert policy["privacy"]["entity"] == "participant"
    assert policy["columns"]["participant"] == {"role": "identifying"}
    assert "at least k people (participant)" in flat(text.replace("# ", ""))
    (tmp_path / "p.yaml").write_text(text.replace("role: null", "role: insensitive"))
    assert anonsql.run(tmp_path / "p.yaml").verified


def test_a_bank_account_is_no_key_of_people(tmp_path):
    types = {"age": "INTEGER", "bank_account": "INTEGER", "holder_nr": "INTEGER"}
    rows = [(20 + n // 3 % 5, n // 3, n // 3) for n in range(300)]
    policy, _ = proposed(tmp_path, types, rows)
    assert policy["privacy"]["entity"] == "holder_nr"


def test_a_key_that_does_not_repeat_or_names_no_people_does_not(tmp_path):
    rows = [(n, n // 3, 20 + n % 5) for n in range(300)]
    policy, _ = proposed(
        tmp_path, {"patient_id": "INTEGER", "shelf": "INTEGER", "age": "INTEGER"}, rows
    )
    assert "entity" not in policy["privacy"]


@pytest.mark.parametrize(
    "name", ["perwt", "PWGTP", "fnlwgt", "sample_weight", "SurveyWeight", "wgt"]
)
def test_weights_are_known_by_name_and_numbers(tmp_path, name):
    rows = [(20 + n % 50, 10.5 + n % 90) for n in range(200)]
    policy, _ = proposed(tmp_path, {"age": "INTEGER", name: "DOUBLE"}, rows)
    assert policy["columns"][name] == {"role": "weight"}


def test_what_is_no_weight(tmp_path):
    types = {
        "age": "INTEGER",
        "weight": "DOUBLE",
        "wgt": "VARCHAR",
        "hhwt": "INTEGER",
        "birth_weight": "INTEGER",
    }
    rows = [(20 + n % 50, 55.5 + n % 40, "ab"[n % 2], n % 3, 2500 + n % 900) for n in range(200)]
    policy, _ = proposed(tmp_path, types, rows)
    roles = {name: column["role"] for name, column in policy["columns"].items()}
    assert "weight" not in roles.values() and roles["weight"] == "quasi-identifying"


def test_a_table_has_one_weight(tmp_path):
    rows = [(20 + n % 50, 1 + n % 9, 2 + n % 7) for n in range(200)]
    policy, _ = proposed(tmp_path, {"age": "INTEGER", "perwt": "INTEGER", "hhwt": "INTEGER"}, rows)
    assert [policy["columns"][name]["role"] for name in ("perwt", "hhwt")] == [
        "weight",
        "insensitive",
    ]


HELD = {
    "called Mrs Smith, 555-0101": "a telephone number",
    "please ring back on 555-0199 today": "a telephone number",
    "letter from Dr Mabuse": "a personal name",
    "write to ann.lee@example.org": "a mail address",
}


@pytest.mark.parametrize("text", HELD)
def test_what_a_cell_holds_is_called_what_it_is(tmp_path, text):
    rows = [(20 + n % 9, text if n % 3 == 0 else f"seen {n % 4}") for n in range(90)]
    policy, said = proposed(tmp_path, {"age": "INTEGER", "remark": "VARCHAR"}, rows)
    assert policy["columns"]["remark"]["role"] == "identifying"
    assert f"30 of 90 rows hold {HELD[text]}" in flat(said.replace("# ", ""))
    assert text not in said


@pytest.mark.parametrize(("often", "role"), [(10, "identifying"), (60, "quasi-identifying")])
def test_a_known_name_does_not_hide_what_the_text_holds(tmp_path, often, role):
    rows = [
        (20 + n % 9, "nurse, tel 0123456789" if n % often == 0 else "nurse") for n in range(120)
    ]
    policy, said = proposed(tmp_path, {"age": "INTEGER", "occupation": "VARCHAR"}, rows)
    assert policy["columns"]["occupation"]["role"] == role
    assert "hold a telephone number" in flat(said.replace("# ", ""))


@pytest.mark.parametrize(
    "text", ["part 234-1234 fits", "call 24", "ring size 555", "room 555-0101"]
)
def test_a_short_number_that_nobody_calls_is_no_telephone(tmp_path, text):
    rows = [(20 + n % 9, text) for n in range(90)]
    policy, _ = proposed(tmp_path, {"age": "INTEGER", "remark": "VARCHAR"}, rows)
    assert policy["columns"]["remark"]["role"] is None


def test_comments_have_at_most_100_columns_and_open_columns_one_message(tmp_path):
    types = {
        "age": "INTEGER",
        **{
            f"measurement_of_a_quantity_that_is_none_of_those_known_{letter}": "INTEGER"
            for letter in "abcdefghijkl"
        },
    }
    rows = [tuple(n * (place + 3) % 97 for place in range(13)) for n in range(300)]
    policy, text = proposed(tmp_path, types, rows)
    assert [name for name, item in policy["columns"].items() if item["role"] is None] == [*types][
        1:
    ]
    assert max(map(len, text.splitlines())) <= 100
    assert text.count("identifying, quasi-identifying, semi-sensitive") == 1
    result = cli("run", tmp_path / "p.yaml")
    assert result.exit_code == 2 and "(12)" in flat(result.stderr)
    assert flat(result.stderr).count("the role is not chosen yet") == 1


def test_several_tables_are_looked_at_one_by_one(tmp_path):
    in_file(
        tmp_path / "source.duckdb",
        "CREATE TABLE people (person_id INTEGER PRIMARY KEY, zip VARCHAR, city VARCHAR, perwt DOUBLE)",
    )
    make_more = [(n, *place, 1.5 + n % 5) for n, place in enumerate(PLACES)]
    make_table(
        tmp_path / "rows.duckdb",
        {"i": "INTEGER", "z": "VARCHAR", "c": "VARCHAR", "w": "DOUBLE"},
        make_more,
    )
    in_file(
        tmp_path / "source.duckdb",
        f"ATTACH '{tmp_path / 'rows.duckdb'}' AS r; INSERT INTO people FROM r.t; DETACH r",
    )
    report = several_tables.init_tables(
        str(tmp_path / "source.duckdb"), "people", tmp_path / "p.yaml"
    )
    assert [warning.where for warning in report.warnings] == ["tables.people.columns.city"]
    text = (tmp_path / "p.yaml").read_text()
    assert "zip determines city" in flat(text.replace("# ", ""))
    assert max(map(len, text.splitlines())) <= 100
    assert yaml.safe_load(text)["tables"]["people"]["columns"]["perwt"] == {"role": "weight"}


@pytest.mark.parametrize(("rows", "k"), [(2, 2), (13, 3), (20, 5), (39, 5), (40, 10), (500, 10)])
def test_k_is_what_the_rows_can_bear(tmp_path, rows, k):
    table = [(20 + n % 7, "mf"[n % 2], n % 3) for n in range(rows)]
    policy, text = proposed(tmp_path, {"age": "INTEGER", "sex": "VARCHAR", "n": "INTEGER"}, table)
    said = flat(text.replace("# ", ""))
    assert policy["privacy"]["k"] == k
    assert (f"k is {k}: with {rows} rows, a larger k would hide nearly everything." in said) is (
        4 <= rows < 40
    )
    assert ("too few for k-anonymity" in said) is (rows < 4)


def test_k_is_what_the_people_can_bear(tmp_path):
    rows = [(n // 5, 20 + n // 5, "xy"[n % 2]) for n in range(150)]
    types = {"participant_no": "INTEGER", "age": "INTEGER", "answer": "VARCHAR"}
    policy, text = proposed(tmp_path, types, rows)
    assert (policy["privacy"]["entity"], policy["privacy"]["k"]) == ("participant_no", 5)
    assert "k is 5: with 30 people, a larger k" in flat(text.replace("# ", ""))


@pytest.mark.parametrize(("rows", "lower"), [(13, 3), (19, 4), (20, None)])
def test_check_warns_where_all_rows_are_one_class(tmp_path, rows, lower):
    make_source(tmp_path, {"q": "INTEGER", "n": "INTEGER"}, [(n % 2, 1) for n in range(rows)])
    columns = {"q": {"role": "qi", "hierarchy": {"type": "suppression"}}, "n": "insensitive"}
    warned = anonsql.check(policy_in(tmp_path, columns, k=10)).warnings
    remedies = [warning.remedy for warning in warned if warning.where == "privacy.k"]
    assert remedies == ([f"Lower k to {lower}, or wait for more rows."] if lower else [])


VISITS = [(f"P{100_000 + n // 6}", 20 + n // 6, "AB"[n % 2], n % 9) for n in range(360)]
FORMED = {
    "code": [f"{'AB'[n % 2]}0{n % 3}.{n % 4}" for n in range(240)],
    "country": [("DE", "FR", "US")[n % 3] for n in range(240)],
    "day": [f"2024-{1 + n % 12:02}-{1 + n % 28:02}" for n in range(240)],
    "band": [f"{20 + n % 30}-{20 + n % 30}" for n in range(240)],
    "birth": [f"{1 + n % 28:02}.03.19{10 + n % 80}" for n in range(240)],
    "town": [f"town {n % 40}" for n in range(240)],
}


def test_a_patients_number_is_no_code_of_a_diagnosis(tmp_path):
    types = {"patient_no": "VARCHAR", "age": "INTEGER", "ward": "VARCHAR", "nights": "INTEGER"}
    policy, text = proposed(tmp_path, types, VISITS)
    assert policy["columns"]["patient_no"] == {"role": "identifying"}
    assert policy["privacy"]["entity"] == "patient_no" and "ICD" not in text


SHORT = [(f"P{1000 + n // 12}", 20 + n // 12 % 40, "AB"[n % 2], n % 9) for n in range(720)]


@pytest.mark.parametrize("name", ["pid", "x", "code"])
def test_short_codes_of_patients_are_no_codes_of_diagnoses(tmp_path, name):
    types = {name: "VARCHAR", "age": "INTEGER", "ward": "VARCHAR", "nights": "INTEGER"}
    policy, text = proposed(tmp_path, types, SHORT)
    assert policy["columns"][name] == {"role": "identifying"}
    assert policy["privacy"]["entity"] == name and "ICD" not in text
    statistics.init_statistics(str(tmp_path / "source.duckdb"), "t", tmp_path / "s.yaml")
    tables = yaml.safe_load((tmp_path / "s.yaml").read_text(encoding="utf-8"))
    assert tables["protect"]["entity"] == name and name not in tables["statistics"]["by"]


@pytest.mark.parametrize("name", ["PINCP", "income"])
def test_sums_of_amounts_come_before_those_of_codes_and_weights(tmp_path, name):
    """An industry's code has fewer values than an amount, or the amount's name says what it is."""
    drawn = random.Random(5)
    spread = 5_000 if name == "PINCP" else 90
    rows = [
        (
            drawn.randint(0, 2_000),
            *("ab"[n % 2], drawn.choice(range(170, 9_900, 37))),
            drawn.randint(0, 150),
            10 * drawn.randint(-5, spread),
        )
        for n in range(4_000)
    ]
    types = {"WGTP": "INTEGER", "sex": "VARCHAR", "INDP": "INTEGER", "POVPIP": "INTEGER"}
    make_source(tmp_path, {**types, name: "INTEGER"}, rows)
    path = tmp_path / "s.yaml"
    statistics.init_statistics(str(tmp_path / "source.duckdb"), "t", path)
    text = path.read_text(encoding="utf-8")
    amounts = [
        entry for entry in yaml.safe_load(text)["statistics"]["of"].values() if entry != "count"
    ]
    assert amounts[0] == {"sum": name} and len(amounts) == 2 and "sum: WGTP" not in text


def test_undotted_codes_of_diagnoses_are_known(tmp_path):
    drawn = random.Random(4)
    rows = [(f"{drawn.choice('CMS')}{drawn.randint(1000, 1050)}", n % 60) for n in range(720)]
    policy, text = proposed(tmp_path, {"code": "VARCHAR", "age": "INTEGER"}, rows)
    assert "ICD-10 codes" in text and "entity" not in policy["privacy"]


def test_forms_name_the_hierarchies_that_suit_them(tmp_path):
    rows = list(zip(*FORMED.values(), strict=True))
    policy, text = proposed(tmp_path, dict.fromkeys(FORMED, "VARCHAR"), rows)
    known = {
        name: yaml.safe_load(before.partition("If known: ")[2])["hierarchy"]
        for before, line in itertools.pairwise(text.splitlines())
        if "If known: " in before
        for name in [line.strip().partition(":")[0]]
    }
    assert known == {"code": {"type": "icd-10"}, "day": {"type": "mask", "length": 10}}
    assert policy["columns"]["country"]["hierarchy"] == {"type": "countries"}
    assert "town 1" not in text and "A00.0" not in text
    said = flat(text.replace("# ", ""))
    assert "UNDECIDED: which hierarchy? The comment above each column suggests one:" in said


def test_the_hierarchies_of_forms_pass_check(tmp_path):
    names = ["code", "country", "day"]
    rows = list(zip(*(FORMED[name] for name in names), strict=True))
    _, text = proposed(tmp_path, dict.fromkeys(names, "VARCHAR"), rows)
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if "{role: null}" in line:
            given = lines[number - 1].partition("If known: ")[2]
            lines[number] = line.replace("{role: null}", given)
    (tmp_path / "p.yaml").write_text("\n".join(lines), encoding="utf-8")
    assert anonsql.check(tmp_path / "p.yaml").status == "ok"


def test_forms_on_a_server(tmp_path):
    """Its expressions find what those of a file do."""
    values = ["20-24", "A00.1", "2024-02-29", "29.02.2024", "1012 AB", "K1A 0B1", "M1 1AE", "DE"]
    values.append("0123456789abcdef")
    types = dict.fromkeys([*(f"c{n}" for n in range(len(values))), "none"], "VARCHAR")
    rows = [(*values, "20-24\n")] * 3
    with closing(Postgres(tmp_path)) as server:
        server.make(types, rows)
        command.init(server.url, f"{server.source}.t", tmp_path / "there.yaml")
    make_source(tmp_path, types, rows)
    command.init(str(tmp_path / "source.duckdb"), "t", tmp_path / "here.yaml")
    texts = [(tmp_path / name).read_text() for name in ("here.yaml", "there.yaml")]
    assert texts[0].partition("columns:")[2] == texts[1].partition("columns:")[2]
    assert [form.name for form in FORMS if f", {form.name}." not in texts[0]] == []


HOSTILE = ["a\x1b[31m", 'say "x"', "x: y", "# no", "[bold]", "ä\n\tb", "null"]


def test_hostile_names_and_values(tmp_path):
    rows = [[HOSTILE[(i + n) % 7] for n in range(len(HOSTILE))] for i in range(210)]
    make_table(tmp_path / "source.duckdb", dict.fromkeys(HOSTILE, "VARCHAR"), rows, 'odd "table"')
    output = tmp_path / "policy.yaml"
    result = cli("init", tmp_path / "source.duckdb", 'odd "table"', "-o", output)
    assert result.exit_code == 0, result.output
    assert "\x1b" not in flat(result.output) and "\x1b" not in output.read_text()
    hidden = "{role: quasi-identifying, hierarchy: {type: suppression}}"
    output.write_text(output.read_text().replace("{role: null}", hidden))
    assert list(anonsql.Policy.load(output).columns) == HOSTILE
    assert anonsql.run(output).verified
