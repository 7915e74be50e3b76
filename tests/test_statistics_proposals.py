"""Policies of statistics that `init` proposes, which work as they are written; and the demo of
statistics."""

import json
import random

import yaml

import anonsql
from anonsql.features.demo import statistics as demo

from .support import cli, make_table

COLUMNS = {
    **{"visit_id": "INTEGER", "patient_id": "INTEGER", "sex": "VARCHAR", "age": "INTEGER"},
    **{"plz": "VARCHAR", "day": "DATE", "diagnosis": "VARCHAR", "mail": "VARCHAR"},
    **{"cost": "DECIMAL(8, 2)", "wgt": "DOUBLE"},
}


def visits(rows=240):
    """Visits, two of each patient."""
    draw = random.Random(3)
    for number in range(rows):
        patient = number // 2
        yield (
            number,
            patient,
            "mf"[patient % 2],
            (patient * 7) % 90,
            f"{10115 + (patient % 55 % 4) * 10000 + patient % 55 * 2}",
            f"2024-{1 + number % 6:02}-{1 + number % 28:02}",
            draw.choice(["flu", "flu", "asthma"]),
            f"p{patient}@example.org",
            draw.randrange(100, 90000) / 100,
            1 + draw.random(),
        )


def proposed(folder, columns, rows):
    """The policy that is proposed for a table, as a file and as read."""
    source, policy = folder / "clinic.duckdb", folder / "policy.yaml"
    make_table(source, columns, list(rows), table="visits")
    result = cli("init", source, "visits", "--statistics", "-o", policy)
    assert result.exit_code == 0, result.output
    return policy, yaml.safe_load(policy.read_text(encoding="utf-8"))


def test_dimensions_people_and_sums_are_found(tmp_path):
    policy, read = proposed(tmp_path, COLUMNS, visits())
    statistics = read["statistics"]
    assert set(statistics["by"]) == {"sex", "age", "plz", "day"}
    assert statistics["by"]["sex"] == {}
    assert statistics["by"]["age"]["hierarchy"]["type"] == "interval"
    assert statistics["by"]["plz"]["hierarchy"] == {"type": "mask", "length": 5}
    assert statistics["by"]["day"]["hierarchy"]["levels"] == ["month", "quarter", "year"]
    assert statistics["of"] == {
        "rows": "count",
        "people": {"count": "patient_id"},
        "cost": {"sum": "cost"},
    }
    assert len(statistics["tables"]) == 3
    assert {"by": ["sex", "plz"], "levels": {"plz": 3}} in statistics["tables"]
    assert read["protect"]["entity"] == "patient_id"
    assert (read["protect"]["threshold"], read["protect"]["p_percent"]) == (11, 0.1)
    text = policy.read_text(encoding="utf-8")
    assert "# - {by: [plz, day], levels: {plz: 3, day: 1}}" in text  # it would close a circle
    assert "# diagnosis: {}" in text and "wgt looks like a survey's weight" in text
    assert "example.org" not in text and max(map(len, text.splitlines())) <= 100
    assert cli("check", policy).exit_code == 0


def test_what_is_proposed_is_published_as_it_is(tmp_path):
    columns = {"a__b": "VARCHAR", "rows": "VARCHAR", "person_id": "INTEGER", "amount": "DOUBLE"}
    rows = [("xy"[n % 2], "uvw"[n % 3], n // 2, n * 0.5) for n in range(120)]
    policy, read = proposed(tmp_path, columns, rows)
    assert read["statistics"]["tables"] == [{"by": ["a__b", "rows"], "name": "table_1"}]
    assert read["statistics"]["of"]["rows_"] == "count"
    report = anonsql.tabulate(policy)
    assert (report.status, report.people, report.cells) == ("published", 60, 12)


def test_what_depends_on_a_dimension_is_left_out(tmp_path):
    """A grouping of another dimension, and prices by product, of which sums would tell counts."""
    draw, columns = random.Random(4), {"se\nx": "VARCHAR", "kind": "VARCHAR", "product": "VARCHAR"}
    columns |= {"price": "DECIMAL(8, 2)", "paid": "DECIMAL(8, 2)", "endless": "DOUBLE"}
    prices = {'tea "green"': 4.5, "tea": 3.25, "nut": 9}
    rows = []
    for _ in range(400):
        product, paid = draw.choice([*prices]), draw.randrange(100, 90000) / 100
        row = (product.split()[0], product, prices[product], paid, draw.choice([1.5, "inf"]))
        rows.append((draw.choice("mf"), *row))
    policy, read = proposed(tmp_path, columns, rows)
    statistics = read["statistics"]
    assert {*statistics["by"]} == {"se\nx", "product"}
    assert {*statistics["of"]} == {"rows", "paid"}
    text = " ".join(policy.read_text(encoding="utf-8").replace("#", " ").split())
    assert "every product has one kind" in text
    assert "within each product all values of price but 0 are alike" in text
    assert not anonsql.check(policy).warnings


def test_a_table_without_a_dimension_is_refused(tmp_path):
    source = tmp_path / "clinic.duckdb"
    make_table(source, {"word": "VARCHAR"}, [(f"w{n * n}x",) for n in range(200)], table="visits")
    refused = cli("init", source, "visits", "--statistics", "-o", tmp_path / "policy.yaml")
    assert refused.exit_code == 2 and "needs a dimension" in " ".join(refused.stderr.split())
    assert not (tmp_path / "policy.yaml").exists()


def test_the_demo_publishes_statistics(tmp_path):
    folder = tmp_path / "hospital"
    result = cli("demo", folder, "--rows", "300", "--statistics", "--json")
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert (report["status"], report["records"], report["people"]) == ("published", 300, 200)
    assert [table["table"] for table in report["tables"]] == [
        "region_sex_age",
        "region_diagnosis",
    ]
    (folder / "policy.yaml").write_text(demo.POLICY.replace("11 ", "12 "), encoding="utf-8")
    again = cli("demo", folder, "--rows", "300", "--statistics")
    assert again.exit_code == 2 and "it was edited since" in " ".join(again.stderr.split())
