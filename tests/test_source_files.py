"""What a source file is, and its first line: no value of it is told when it is no header."""

import duckdb
import pytest
import yaml

import anonsql
from anonsql.errors import PolicyError, SqlError
from anonsql.policy.policy import Policy

from .support import cli, ended, flat, in_file, policy_data, policy_in

ROWS = ["Marker Smith,34,F,12345,2020-01-31", "Ann Lee,35,M,12346,2020-02-01"] * 4


def given(folder, name, columns, **source):
    data = policy_data(columns, k=2) | {"source": {"file": name, **source}}
    return Policy.parse(data, folder)


def write(folder, lines, name="s.csv"):
    (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder / name


def init(folder, name, *options):
    return cli("init", folder / name, "-o", folder / "new.yaml", *options)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("s.json", b'[{"name": "Marker"}]\n', "is JSON"),
        ("s.csv", b'\n  {"name": "Marker"}\n{"name": "x"}\n', "is JSON"),
        ("s.ndjson", b'{"name": "Marker"}\n', "is JSON"),
        ("s.xlsx", b"PK\x03\x04Marker", "is an Excel workbook"),
        ("s.csv", b"PK\x03\x04Marker", "is an Excel workbook"),
        ("s.xls", b"\xd0\xcf\x11\xe0Marker", "old Excel"),
        ("s.csv.gz", b"\x1f\x8bMarker", "is compressed"),
        ("s.xml", b"<?xml version='1.0'?><a>Marker</a>", "is XML"),
        ("s.db", b"SQLite format 3\0Marker", "SQLite"),
        ("s.csv", b"Marker\0,b\n1,2\n", "is not text"),
    ],
)
def test_other_formats_are_recognized_and_refused(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    result = init(tmp_path, name)
    ended(result, 2, message)
    assert "arker" not in flat(result.output) and not (tmp_path / "new.yaml").exists()
    with pytest.raises(PolicyError, match=message) as caught:
        anonsql.run(given(tmp_path, name, {"a": {"type": "suppression"}}))
    assert caught.value.problems[0].where == "source.file" and "arker" not in str(caught.value)


def test_parquet_is_read_whatever_it_is_called(tmp_path):
    with duckdb.connect() as connection:
        made = connection.sql("SELECT n % 2 AS q FROM range(8) r(n)")
        made.write_parquet(str(tmp_path / "s.dat"))
    report = anonsql.run(given(tmp_path, "s.dat", {"q": {"type": "suppression"}}))
    assert report.released == 8


@pytest.mark.parametrize(
    "lines",
    [
        ROWS,
        ["a,b,a@x.org", "c,d,b@x.org"],
        ["Marker,F,Berlin", "Ann,F,Berlin", "Bob,M,Paris"],
        ["1,1,Marker", "2,2,x"],
    ],
)
def test_a_first_line_that_looks_like_a_row_is_refused_and_not_told(tmp_path, lines):
    write(tmp_path, lines)
    result = init(tmp_path, "s.csv")
    ended(result, 2, "looks like data")
    assert not (tmp_path / "new.yaml").exists()
    policy = given(tmp_path, "s.csv", {"q": {"type": "suppression"}})
    with pytest.raises(PolicyError, match=r"source\.file: the first line .* header: false"):
        anonsql.run(policy)
    printed = result.output + str(anonsql.check(policy).model_dump())
    for value in lines[0].split(","):
        assert len(value) < 3 or value not in printed


@pytest.mark.parametrize(
    "lines",
    [
        ["name,age,sex", "Ann,34,F", "Bob,35,M"],
        ["country,code,region,2019", "x,y,z,1", "x,y,z,2"],
        ["a,b,c", "1,2,3", "4,5,6"],
        ["n", "1", "2"],
    ],
)
def test_headers_are_taken_for_what_they_are(tmp_path, lines):
    write(tmp_path, lines)
    assert init(tmp_path, "s.csv").exit_code == 0


ALIKE = ["Marker Smith,Berlin", "Ann Lee,Paris", "Bob Ray,Rome", "Cid Poe,Oslo", "Dan Fox,Bern"]
DOUBT = "looks like its rows"


def test_a_first_line_that_may_be_a_row_is_warned_of_and_not_told(tmp_path):
    write(tmp_path, ALIKE)
    ended(init(tmp_path, "s.csv"), 0, DOUBT)
    columns = {"Marker Smith": "identifying", "Berlin": {"type": "suppression"}}
    report = anonsql.check(given(tmp_path, "s.csv", columns))
    found = [warning for warning in report.warnings if warning.where == "source.header"]
    assert len(found) == 1 and DOUBT in str(found[0])
    assert "Marker" not in str(found) and "Berlin" not in str(found)
    run = anonsql.run(given(tmp_path, "s.csv", columns))
    assert [item for item in run.warnings if DOUBT in str(item)]
    sure = anonsql.run(given(tmp_path, "s.csv", columns, header=True))
    assert not [entry for entry in sure.warnings if DOUBT in str(entry)]


@pytest.mark.parametrize(
    "first", ["name,city", "Name,City", "NAME,City", "full name,city", "person,Wohnort", None]
)
def test_a_first_line_that_is_evidently_names_is_not_warned_of(tmp_path, first):
    often = [f"Ann Lee{number},{'Rome' if number % 2 else 'Oslo'}" for number in range(8)]
    write(tmp_path, [first, *ALIKE] if first else ["Marker,Berlin", *often])
    made = init(tmp_path, "s.csv")
    assert made.exit_code == 0 and DOUBT not in flat(made.output)


def test_a_file_without_a_header_has_numbered_or_given_names(tmp_path):
    write(tmp_path, ROWS)
    numbered = {f"column{number}": "identifying" for number in (1, 2, 4, 5)}
    numbered["column3"] = {"type": "suppression"}
    report = anonsql.run(given(tmp_path, "s.csv", numbered, header=False))
    assert (report.records, report.released) == (8, 8)
    names = ["name", "age", "sex", "zip", "day"]
    columns = {**dict.fromkeys(names, "identifying"), "age": {"type": "suppression"}}
    assert anonsql.run(given(tmp_path, "s.csv", columns, header=names)).records == 8
    with pytest.raises(PolicyError, match=r"source\.header: 2 columns are named, but .* has 5"):
        anonsql.run(given(tmp_path, "s.csv", columns, header=["a", "b"]))
    with pytest.raises(PolicyError, match=r"source\.file: columns share a name: 1 and 2"):
        anonsql.run(given(tmp_path, "s.csv", columns, header=["a", "A", "b", "c", "d"]))


def test_names_that_look_like_values_are_taken_when_the_policy_says_so(tmp_path):
    write(tmp_path, ["2019,2020", "1,2", "1,2"])
    columns = {"2019": {"type": "suppression"}, "2020": "sensitive"}
    with pytest.raises(PolicyError, match="looks like data"):
        anonsql.run(given(tmp_path, "s.csv", columns))
    assert anonsql.run(given(tmp_path, "s.csv", columns, header=True)).records == 2


def test_init_writes_whether_there_is_a_header(tmp_path):
    write(tmp_path, ROWS)
    assert init(tmp_path, "s.csv", "--no-header").exit_code == 0
    text = (tmp_path / "new.yaml").read_text()
    assert "header: false" in text and "column1:" in text and "Marker" not in text


def test_header_goes_with_csv_files(tmp_path):
    with pytest.raises(PolicyError, match=r"source\.header"):
        policy_in(tmp_path, {"q": {"type": "suppression"}}, source={"header": False})


@pytest.mark.parametrize("name", ["out.tsv", "out.xlsx", "out.JSON", "out.duckdb"])
def test_no_folder_is_made_that_is_called_like_a_file(tmp_path, name):
    write(tmp_path, ["q", "1", "1"])
    data = policy_data({"q": {"type": "suppression"}})
    data |= {"source": {"file": "s.csv"}, "release": {"file": name, "table": "r"}}
    with pytest.raises(PolicyError, match=r"release\.file: a release cannot be a \.\w+ file"):
        anonsql.run(Policy.parse(data, tmp_path))
    assert [problem.where for problem in anonsql.check(Policy.parse(data, tmp_path)).problems] == [
        "release.file"
    ]
    assert not (tmp_path / name).exists()


def test_init_writes_no_name_that_a_type_or_its_fields_have(tmp_path):
    in_file(
        tmp_path / "s.duckdb",
        """CREATE TABLE t (a STRUCT("x\nprivacy: {k: 1}" INTEGER), b ENUM('Marker'), c DATE, d DOUBLE)""",
        "INSERT INTO t VALUES (NULL, NULL, 'infinity', 'nan'), (NULL, NULL, '0044-03-15 (BC)',"
        " 'inf')",
    )
    result = cli("init", tmp_path / "s.duckdb", "t", "-o", tmp_path / "new.yaml")
    text = (tmp_path / "new.yaml").read_text()
    assert result.exit_code == 0 and "Marker" not in text
    assert not [line for line in text.splitlines() if line.startswith("privacy: {k: 1}")]
    assert yaml.safe_load(text)["privacy"]["k"] == 2


def test_a_view_over_a_file_that_is_elsewhere(tmp_path, monkeypatch):
    """A view by a relative path is read from the folder where anonsql runs, not from its own."""
    (tmp_path / "people.csv").write_text("age\n30\n31\n30\n31\n")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    in_file(tmp_path / "source.duckdb", "CREATE VIEW t AS FROM 'people.csv'")
    data = policy_data({"age": {"type": "suppression"}})
    assert anonsql.run(Policy.parse(data, tmp_path)).released == 4
    monkeypatch.chdir(tmp_path / "elsewhere")
    with pytest.raises(SqlError, match=r"view reads a file that does not exist.*relative paths"):
        anonsql.run(Policy.parse(data, tmp_path))


POINTS = [f"{n};48.{n};x{n % 3}" for n in range(100, 160)]


@pytest.mark.parametrize(
    ("lines", "source", "comment"),
    [
        (["id;lat;town", *POINTS], {}, 'lat: {decimal: ","}'),
        (
            ["id;lat;pay", *(f"{n};48.{n};{n},5" for n in range(100, 160))],
            {"decimal": ","},
            'lat: {decimal: "."}',
        ),
        (
            ["id;lat;pay", *(f"{n};0.{n};{n},5" for n in range(100, 160))],
            {"columns": {"pay": {"decimal": ","}}},
            None,
        ),
        (["id,lat", *(f'{n},"48,{n}"' for n in range(100, 160))], {}, 'lat: {decimal: ","}'),
        (["id,lat", *(f"{n},48.{n}" for n in range(100, 160))], {}, None),
    ],
    ids=["points", "points beside commas", "both marks", "commas in quotes", "delimiter comma"],
)
def test_points_and_commas_that_may_mean_two_things(tmp_path, lines, source, comment):
    """`init` says what it takes them for, and which line of the policy says otherwise."""
    write(tmp_path, lines)
    ended(init(tmp_path, "s.csv"), 0)
    text = (tmp_path / "new.yaml").read_text()
    made = yaml.safe_load(text)["source"]
    assert {key: made[key] for key in made if key in ("decimal", "columns")} == source
    comments = " ".join(" ".join(line[3:] for line in text.splitlines() if "#" in line).split())
    assert comment in comments if comment else "decimal" not in comments


@pytest.mark.parametrize(
    "above",
    [["Report;2025;;", ""], ["Report;2025;;", "", ""], ["Report", "from;May;;", ""]],
    ids=["title", "two blank lines", "two titles"],
)
def test_titles_with_delimiters_above_a_blank_line(tmp_path, above):
    write(tmp_path, [*above, "age;pay;town;n", *(f"{n % 50};{n};x;{n}" for n in range(60))])
    ended(init(tmp_path, "s.csv"), 0)
    made = yaml.safe_load((tmp_path / "new.yaml").read_text())
    assert list(made["columns"]) == ["age", "pay", "town", "n"]
    assert made["source"]["skip"] == len(above)


def test_a_blank_line_below_a_header_is_none(tmp_path):
    write(tmp_path, ["age;pay;town", "", *(f"{n % 50};{n};x" for n in range(60))])
    ended(init(tmp_path, "s.csv"), 0)
    assert list(yaml.safe_load((tmp_path / "new.yaml").read_text())["columns"]) == [
        "age",
        "pay",
        "town",
    ]


@pytest.mark.parametrize(("decimal", "value"), [(".", "48.100"), (",", "48100")])
def test_a_column_can_have_a_decimal_mark_of_its_own(tmp_path, decimal, value):
    write(tmp_path, ["id;lat;pay", *(f"{n % 2};48.{n};{n},5" for n in range(100, 160))])
    columns = {"id": {"type": "suppression"}, "lat": "sensitive", "pay": "sensitive"}
    data = policy_data(columns, k=2)
    data["source"] = {"file": "s.csv", "decimal": ",", "columns": {"lat": {"decimal": decimal}}}
    anonsql.run(Policy.parse(data, tmp_path))
    with duckdb.connect(str(tmp_path / "release.duckdb"), read_only=True) as connection:
        found = connection.sql("SELECT MIN(lat)::VARCHAR, MAX(pay)::VARCHAR FROM r").fetchall()[0]
    assert found == (value, "159.5")
