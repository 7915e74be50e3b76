"""`anonsql report` of published statistics: crosstabs have the published values, in HTML and JSON;
what is not to be told is not there; files have what the tables have."""

import csv
import html
import itertools
import os
import re
import shutil
import stat
from decimal import Decimal

import duckdb
import pytest

import anonsql
from anonsql.errors import PolicyError, VerificationError
from anonsql.features.report import crosstabs, statistics_exports
from anonsql.features.report import statistics as statistics_page
from anonsql.features.report.crosstabs import Margins

from . import tables_of_numbers
from .engines import DuckDB
from .support import cli, edit, flat, rows_of, write_data
from .tables_of_numbers import COLUMNS, cells, forbidden, policy_on

MEASURES = ["n", "people", "cost", "days", "score"]
VALUES = re.compile(r"<td[^>]*>(.*?)</td>", re.DOTALL)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with published statistics, their policy, the source's rows, and both pages."""
    folder = tmp_path_factory.mktemp("tables")
    rows = tables_of_numbers.rows(400)
    engine = DuckDB(folder)
    engine.make(COLUMNS, rows)
    policy = policy_on(engine, p_percent=0.1)
    anonsql.tabulate(policy)
    own = anonsql.report(policy, folder / "owner.html")
    given = anonsql.report(
        policy,
        folder / "handout.html",
        audience="recipient",
        csv=folder / "csv",
        sdmx=folder / "sdmx",
    )
    return folder, policy, rows, own, given


def table_of(folder, name):
    """A published table: by the labels and levels of its dimensions the values and statuses."""
    found = {}
    for row in rows_of(folder / "release.duckdb", f'SELECT * FROM "{name}"'):
        count = len(row) - 2 * len(MEASURES)
        key = tuple((row[at + 1], row[at]) for at in range(0, count, 2))
        found[key] = dict(zip(MEASURES, zip(row[count::2], row[count + 1 :: 2])))
    return found


def number(value):
    return None if value is None else Decimal(str(value))


# crosstabs


@pytest.mark.parametrize("page", [3, 4], ids=["owner", "recipient"])
def test_crosstabs_have_the_published_cells(made, page):
    folder, policy = made[:2]
    seen = 0
    for table in made[page].statistics.tables:
        published, by = table_of(folder, table.table), policy.tables[table.table].by
        assert [one.measure for one in table.crosstabs] == MEASURES and not table.left_out
        assert table.cells == len(published)
        for one in table.crosstabs:
            for row, line in zip(one.row_labels, one.cells, strict=True):
                for column, cell in zip(one.column_labels, line, strict=True):
                    named = {
                        one.rows: (row.level, row.label),
                        one.columns: (column.level, column.label),
                    }
                    value, status = published.get(
                        tuple(named[name] for name in by), {one.measure: (None, "absent")}
                    )[one.measure]
                    assert (number(cell.value), cell.status) == (number(value), status)
                    seen += 1
            rows = {(row.level, row.label) for row in one.row_labels}
            assert rows == {key[by.index(one.rows)] for key in published}
    assert seen > 400


def shown_cells(told):
    """Of every crosstab of a page the cells: table, crosstab, dimensions' labels, cell."""
    for table in told.statistics.tables:
        for one in table.crosstabs:
            for row, line in zip(one.row_labels, one.cells, strict=True):
                for column, cell in zip(one.column_labels, line, strict=True):
                    yield table.table, one, {one.rows: row, one.columns: column}, cell


def test_the_owner_is_told_why_cells_are_hidden(made):
    _, policy, rows, own, given = made
    oracle, kinds = cells(policy, rows), {True: 0, False: 0}
    for table, one, named, cell in shown_cells(own):
        if cell.status != "hidden":
            assert cell.primary is None
            continue
        key = tuple((named[by].label, named[by].level) for by in policy.tables[table].by)
        broken = forbidden(policy.protect, oracle[table][key])
        assert cell.primary == broken[MEASURES.index(one.measure)]
        kinds[cell.primary] += 1
    assert all(kinds.values()) and not own.missing
    assert {cell.primary for *_, cell in shown_cells(given)} == {None}
    assert any(cell.status == "hidden" for *_, cell in shown_cells(given))


def test_what_became_of_cells_is_the_runs(made):
    owner = made[3].statistics.owner
    for table in made[3].statistics.tables:
        (told,) = [one for one in owner.report.tables if one.table == table.table]
        assert [one.hidden for one in told.measures] == [one.hidden for one in table.measures]
    assert owner.run.run == 1 and owner.verified.status == "verified"
    text = (made[0] / "owner.html").read_text(encoding="utf-8")
    assert "What was lost" in text and "Confidential" in text


# what the pages look like


def entries(text):
    """The text of the cells of every crosstab in a page, by caption."""
    found = []
    for table in re.findall(r'<table class="crosstab">(.*?)</table>', text, re.DOTALL):
        body = table.partition("<tbody>")[2]
        found.append([html.unescape(re.sub("<[^>]*>", "", one)) for one in VALUES.findall(body)])
    return found


@pytest.mark.parametrize(("page", "file"), [(3, "owner.html"), (4, "handout.html")])
def test_pages_show_every_cell_of_their_crosstabs(made, page, file):
    text = (made[0] / file).read_text(encoding="utf-8")
    told = [one for table in made[page].statistics.tables for one in table.crosstabs]
    marks = {None: "hidden", True: "primary", False: "secondary"}
    expected = [
        [
            "–"
            if cell.status == "absent"
            else marks[cell.primary]
            if cell.status == "hidden"
            else statistics_page.value(cell)
            for line in one.cells
            for cell in line
        ]
        for one in told
    ]
    assert entries(text) == expected
    assert text.count("<caption>") == len(told) and "<script" not in text
    for table in re.findall(r'<table class="crosstab">.*?</table>', text, re.DOTALL):
        assert all("scope=" in heading for heading in re.findall("<th [^>]*>|<th>", table))


def test_the_recipients_page_tells_nothing_but_the_release(made):
    folder = made[0]
    whole = (folder / "handout.html").read_text(encoding="utf-8")
    text = re.sub("<style>.*?</style>", "", whole, flags=re.DOTALL)
    assert "primary" not in text and "secondary" not in text
    assert str(folder) not in text and "source" not in html.unescape(text).replace(
        "the exact value of the source", ""
    )
    assert "script-src 'none'" in html.unescape(text)
    assert stat.S_IMODE(os.stat(folder / "handout.html").st_mode) != 0o600
    assert stat.S_IMODE(os.stat(folder / "owner.html").st_mode) == 0o600
    again = anonsql.report(folder / "release.duckdb", folder / "other.html", audience="recipient")
    assert (folder / "other.html").read_text(encoding="utf-8") == whole
    assert again.statistics == made[4].statistics and again.statistics.owner is None
    for document in (again, made[4]):
        assert '"primary":true' not in document.model_dump_json()


def test_labels_are_escaped(tmp_path):
    planted = "</td></table><script>x</script>'\"\n&amp;"
    engine = DuckDB(tmp_path)
    engine.make({"kind": "VARCHAR", "sex": "VARCHAR"}, [(planted, "f")] * 9 + [("=1+1", "m")] * 8)
    data = {
        "source": {"database": "source.duckdb", "table": "t"},
        "release": {"database": "out.duckdb"},
        "statistics": {"by": {"kind": {}, "sex": {}}, "of": {"n": "count"}, "tables": [["kind"]]},
        "protect": {"threshold": 3},
    }
    data["statistics"]["tables"].append(["kind", "sex"])
    data["source"] = engine.places()[0]
    write_data(tmp_path, data)
    anonsql.tabulate(tmp_path / "policy.yaml")
    result = cli(
        "report", tmp_path / "policy.yaml", "-o", tmp_path / "p.html", "--csv", tmp_path / "c"
    )
    assert result.exit_code == 0 and "2 labels begin with" in flat(result.stdout)
    (one,) = (
        anonsql.report(tmp_path / "policy.yaml", tmp_path / "p.html").statistics.tables[0].crosstabs
    )
    assert one.columns is None and [[cell.value for cell in row] for row in one.cells] == [
        [17],
        [9],
        [8],
    ]
    text = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert planted not in text and "<script>x" not in text
    assert (
        html.escape(planted, quote=True).replace("&#x27;", "&#39;").replace("&quot;", "&#34;")
        in text
    )
    with (tmp_path / "c" / "kind.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["kind"] for row in rows} == {planted, "=1+1", "*"}


def test_of_more_dimensions_two_are_shown_at_a_time():
    tops = (2, 1, 1)
    labels = [
        [(0, "5"), (0, "10"), (0, None), (1, "few"), (2, "*")],
        [(0, "x"), (0, "y"), (1, "*")],
        [(0, "*"), (0, "z"), (1, "*")],
    ]
    keys = enumerate(itertools.product(*labels))
    published = {key: {"n": (value, "published")} for value, key in keys if value % 7}
    margins = Margins(["a", "b", "c"], tops, ["n"], published)
    found, left = crosstabs.of_table(margins, None)
    assert [(one.rows, one.columns) for one in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert left == []
    assert [row.label for row in found[0].row_labels] == ["*", "few", "5", "10", None]
    for one in found:
        for row, line in zip(one.row_labels, one.cells, strict=True):
            for column, cell in zip(one.column_labels, line, strict=True):
                named = {
                    one.rows: (row.level, row.label),
                    one.columns: (column.level, column.label),
                }
                key = tuple(named.get(by, (top, "*")) for by, top in zip("abc", tops))
                assert (cell.value, cell.status) == published.get(key, {"n": (None, "absent")})["n"]


def test_large_crosstabs_are_cut_and_say_so():
    tops = (2, 1)
    labels = [(0, f"a{n:03}") for n in range(200)] + [(1, f"g{n:02}") for n in range(20)]
    published = {
        ((level, one), (column, other)): {"n": (1, "published")}
        for level, one in [*labels, (2, "*")]
        for column, other in [(1, "*"), *((0, f"c{n:02}") for n in range(50))]
    }
    (one,), left = crosstabs.of_table(Margins(["a", "b"], tops, ["n"], published), None)
    assert one.rows == "a" and left == []
    assert [row.level for row in one.row_labels] == [2] + [1] * 20
    assert len(one.column_labels) == crosstabs.MOST_COLUMNS
    assert one.left_out == [
        "The 200 labels of a (level 0) are left out.",
        "Of 50 labels of b (level 0) only the first 11 are shown.",
    ]
    none, left = crosstabs.of_table(Margins(["a", "b"], tops, ["n"], published), {}, 20)
    assert none == [] and "1 pair of dimensions" in left[0]


# files


def test_csv_has_the_tables_as_they_are(made):
    folder, policy = made[:2]
    for name in policy.tables:
        with duckdb.connect() as connection:
            names = [row[0] for row in rows_of(folder / "release.duckdb", f"DESCRIBE {name}")]
            read = connection.read_csv(
                str(folder / "csv" / f"{name}.csv"), all_varchar=True, allow_quoted_nulls=False
            )
            assert read.columns == names
            texts = ", ".join(f'CAST("{one}" AS VARCHAR)' for one in names)
            published = rows_of(folder / "release.duckdb", f"SELECT {texts} FROM {name}")
            assert sorted(read.fetchall(), key=str) == sorted(published, key=str)


def test_sdmx_has_one_row_an_observation(made):
    folder = made[0]
    published = table_of(folder, "kinds")
    with (folder / "sdmx" / "kinds.sdmx.csv").open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    first = ["STRUCTURE", "STRUCTURE_ID", "ACTION", "KIND", "KIND_LEVEL", "REGION", "REGION_LEVEL"]
    assert header == [*first, "MEASURE", "OBS_VALUE", "OBS_STATUS", "CONF_STATUS"]
    assert (
        len(rows)
        == len(published) * len(MEASURES)
        == len({tuple(row[3:8]) for row in rows})
        + (len(rows) - len({tuple(row[3:8]) for row in rows}))
    )
    assert {tuple(row[:3]) for row in rows} == {("dataflow", "ANONSQL:KINDS(1.0.0)", "I")}
    by_code = {}
    for row in rows:
        by_code.setdefault(tuple(row[9:]), []).append(row)
    hidden = [one for cell in published.values() for one in cell.values() if one[1] == "hidden"]
    assert by_code.keys() == {("A", "F"), ("Q", "C")}
    assert len(by_code["Q", "C"]) == len(hidden) > 0
    assert {row[8] for row in by_code["Q", "C"]} == {""}
    totals = {row[7]: row for row in rows if row[3] == row[5] == "_T"}
    total = published[(1, "*"), (2, "*")]
    for measure, (value, _) in total.items():
        assert number(totals[measure.upper()][8] or None) == number(value)


def test_changed_values_have_a_code_of_their_own(tmp_path):
    engine = DuckDB(tmp_path)
    engine.make(COLUMNS, tables_of_numbers.rows(200))
    policy = policy_on(engine, by="cell-key")
    anonsql.tabulate(policy)
    own = anonsql.report(policy, tmp_path / "p.html", sdmx=tmp_path / "s")
    text = (tmp_path / "s" / "kinds.sdmx.csv").read_text(encoding="utf-8")
    assert ",E,F\r\n" in text or ",E,F\n" in text
    assert not own.missing
    statuses = {cell.status for *_, cell in shown_cells(own)}
    assert "changed" in statuses and "published" not in statuses
    assert {cell.primary for *_, cell in shown_cells(own)} == {None}
    assert "(columns); all values are changed" in (tmp_path / "p.html").read_text(encoding="utf-8")


def test_identifiers_are_ones_of_sdmx():
    found = statistics_exports.identifiers(["größe", "a b", "a-b", "measure", "7", "_x", "日"])
    assert len(set(found)) == 7 and all(re.fullmatch("[A-Z][A-Z0-9_]*", name) for name in found)
    assert found[3] == "MEASURE_2"


# what is refused, and what is missing


def test_other_files_are_not_replaced(made, tmp_path):
    policy = made[1]
    target = tmp_path / "files"
    page = tmp_path / "p.html"
    for _ in range(2):  # in place of an earlier export
        anonsql.report(policy, page, audience="recipient", csv=target, sdmx=target)
    names = [f"{name}{end}" for name in policy.tables for end in (".csv", ".sdmx.csv")]
    assert sorted(path.name for path in target.iterdir()) == sorted(names)
    page.unlink()
    for name in ("other.csv", "kinds.csv"):
        kept = (target / name).read_bytes() if (target / name).exists() else None
        (target / name).write_text("kind,n\n", encoding="utf-8")
        with pytest.raises(PolicyError, match=f"contains something else: {name}"):
            anonsql.report(policy, page, audience="recipient", csv=target, sdmx=target)
        assert (target / name).read_text(encoding="utf-8") == "kind,n\n" and not page.exists()
        (target / name).unlink() if kept is None else (target / name).write_bytes(kept)
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(PolicyError, match="cannot be written"):
        anonsql.report(policy, page, audience="recipient", csv=tmp_path / "file")


def test_what_does_not_go_together_is_refused(made, tmp_path):
    folder, policy = made[:2]
    with pytest.raises(PolicyError, match="needs the policy"):
        anonsql.report(folder / "release.duckdb", tmp_path / "p.html")
    with pytest.raises(PolicyError, match="works on released rows"):
        anonsql.report(policy, tmp_path / "p.html", attack=True)
    rows = {"source": {"file": "x.csv"}, "release": {"database": "y.duckdb"}}
    rows |= {"columns": {"a": {"role": "insensitive"}}, "privacy": {"k": 2}}
    with pytest.raises(PolicyError, match="tables of statistics, but this is a release of rows"):
        anonsql.report(rows, tmp_path / "p.html", csv=tmp_path / "c")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def copied(made, tmp_path):
    """A copy of the folder with published statistics, its engine and its policy."""
    for path in made[0].glob("*.duckdb"):
        shutil.copy(path, tmp_path)
    engine = DuckDB(tmp_path)
    return engine, policy_on(engine, p_percent=0.1)


def test_a_source_that_changed_is_said(copied, tmp_path):
    engine, policy = copied
    engine.make(COLUMNS, tables_of_numbers.rows(401))
    own = anonsql.report(policy, tmp_path / "p.html")
    (missing,) = own.missing
    assert missing.what == "Why cells are hidden" and "differs from what it was" in missing.why
    assert {cell.primary for *_, cell in shown_cells(own)} == {None}
    (tmp_path / "source.duckdb").unlink()
    for catalog in tmp_path.glob("*.anonsql.duckdb"):
        catalog.unlink()
    own = anonsql.report(policy, tmp_path / "p.html")
    assert len(own.missing) == 2 and own.statistics.owner.report is None
    text = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert "What this page cannot show" in text and "What was lost" not in text


def test_a_release_that_was_edited_has_no_page(copied, tmp_path):
    edit(tmp_path / "release.duckdb", "UPDATE kinds SET n_status = 'odd' WHERE kind = '*'")
    for audience in ("owner", "recipient"):
        with pytest.raises(VerificationError, match=r"neither (published|shown) nor hidden"):
            anonsql.report(copied[1], tmp_path / "p.html", audience=audience)


def test_statements_to_try_run(made):
    folder = made[0]
    for table in made[4].statistics.tables:
        plain, pivot = table.queries
        assert len(rows_of(folder / "release.duckdb", plain)) > len(
            rows_of(folder / "release.duckdb", pivot)
        )
