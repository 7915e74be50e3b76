"""``anonsql risk``: what it tells of releases and sources, beside counts in Python."""

import json
from collections import Counter, defaultdict

import duckdb
import pytest
import yaml

import anonsql
from anonsql.errors import PolicyError
from anonsql.risks import population
from anonsql.risks.population import ClassSizes

from .engines import policy_on
from .support import cli, make_source, make_table, policy_data, write_data
from .test_individual_risk import risk

COLUMNS = {
    "age": {"role": "qi", "hierarchy": {"type": "interval", "widths": [5, 10]}},
    "sex": {"role": "qi", "hierarchy": {"type": "suppression"}},
    "w": "insensitive",
    "person": {"role": "identifying", "replace": "surrogate"},
    "disease": "sensitive",
}
TYPES = ["INTEGER", "VARCHAR", "DOUBLE", "INTEGER", "VARCHAR"]
ROWS = [(20 + i * i % 37, "fm"[i % 7 % 2], 1.5 + i % 4, i // 3, "abc"[i % 3]) for i in range(85)]
ROWS += [(90 + 11 * i, "xyzvw"[i], 2.0, 100 + i, "abcab"[i]) for i in range(5)]


@pytest.fixture(scope="module")
def policy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("risk")
    make_source(folder, dict(zip(COLUMNS, TYPES, strict=True)), ROWS)
    data = policy_data(COLUMNS, k=4, limit=0.1)
    data["release"]["suppressed"] = "mask"
    path = write_data(folder, data)
    assert anonsql.run(path).suppressed
    return path


def test_the_source_is_counted(policy):
    found = anonsql.risk(policy, source=True, population=9_000, special=2)
    sizes = Counter(Counter(row[:2] for row in ROWS).values())
    rows = len(ROWS)
    assert (found.of, found.rows, found.masked) == ("source", rows, 0)
    assert (found.classes, found.unique) == (sum(sizes.values()), sizes[1])
    assert found.highest == pytest.approx(1 / min(sizes))
    assert [band.rows for band in found.sizes] == [s * sizes[s] for s in sorted(sizes)]
    assert {above.accepted: above.rows for above in found.above} == pytest.approx(
        {1 / 11: sum(s * n for s, n in sizes.items() if s < 11), 0.2: 0, 0.05: rows}
        | {0.2: sum(s * n for s, n in sizes.items() if s < 5)}
    )
    assert found.population.uniques == population.best(ClassSizes.of(sizes.items()), 0.01).uniques
    assert {item.model for item in found.population.models} == {"zayatz", "pitman", "snb"}
    assert found.individual.units == rows and 0 < found.individual.expected < 1
    assert sum(level.rows for level in found.specials.by_columns) == found.specials.rows
    assert found.specials.rows == sizes[1] > 0


def test_the_release_is_counted_without_masked_rows(policy):
    found = anonsql.risk(policy, weight="w")
    rows = duckdb.connect(str(policy.parent / "release.duckdb"), read_only=True).sql("FROM r")
    masked = len(rows.filter("age = '*' AND sex = '*'").fetchall())
    assert (found.of, found.masked) == ("release", masked) and masked >= 5
    assert found.rows + found.masked == len(ROWS)
    assert found.unique == 0 and found.highest <= 0.25
    assert found.population is None
    assert 0 < found.individual.highest < found.highest


def test_people_are_at_risk_by_their_rows(policy, tmp_path):
    data = yaml.safe_load(policy.read_text())
    data["privacy"]["entity"] = "person"
    data["source"]["database"] = str(policy.parent / data["source"]["database"])
    path = write_data(tmp_path, data)
    found = anonsql.risk(path, source=True, fraction=0.2)
    assert found.people.units == len({row[3] for row in ROWS})
    assert found.individual.highest < found.people.highest < 1


def test_a_class_of_eleven_is_accepted_by_a_eleventh_alone(tmp_path):
    make_source(tmp_path, {"g": "VARCHAR"}, [("a",)] * 11)
    hierarchy = {"role": "qi", "hierarchy": {"type": "suppression"}}
    path = write_data(tmp_path, policy_data({"g": hierarchy}, k=2))
    found = anonsql.risk(path, source=True, accepted=["1/11", "0.0909", "0.09"])
    assert [threshold.rows for threshold in found.above] == [0, 11, 11]


@pytest.mark.parametrize(
    "options,words",
    [
        ({"fraction": 1.5}, "not a share of a population"),
        ({"fraction": 0}, "not a share of a population"),
        ({"population": 3}, "smaller than the table, which has 90 rows"),
        ({"population": 1_000, "fraction": 0.5}, "Leave out one of the two"),
        ({"weight": "W"}, "no column 'W'. Did you mean"),
        ({"weight": "person2"}, "no column"),
        ({"accepted": ["0"]}, "not a risk"),
        ({"accepted": ["1/0"]}, "not a risk"),
        ({"accepted": ["x"]}, "not a risk"),
    ],
)
def test_settings_that_make_no_sense_are_refused(policy, options, words):
    with pytest.raises(PolicyError, match=words):
        anonsql.risk(policy, source=True, **options)


def test_the_policy_says_what_the_source_is_a_sample_of(policy, tmp_path):
    data = yaml.safe_load(policy.read_text())
    for place in ("source", "release"):
        data[place]["database"] = str(policy.parent / data[place]["database"])
    limits = {"population": {"fraction": 0.25}, "individual": 1}
    found = anonsql.risk(write_data(tmp_path, data | {"privacy": {"k": 4, "risk": limits}}))
    assert found.population.fraction == 0.25
    limits["population"] = {"size": 900}
    path = write_data(tmp_path, data | {"privacy": {"k": 4, "risk": limits}})
    found = anonsql.risk(path)  # the masked rows are of the sample, too
    assert found.masked and found.population.fraction == len(ROWS) / 900
    assert anonsql.risk(path, fraction=0.5).population.fraction == 0.5
    everybody = [row[:2] for row in ROWS] * 20
    make_table(tmp_path / "all.duckdb", {"age": "INTEGER", "sex": "VARCHAR"}, everybody, "people")
    people = {"database": "all.duckdb", "table": "people"}
    data["columns"]["w"] = {"role": "weight"}
    path = write_data(tmp_path, data | {"privacy": {"k": 4, "population": people, "k_map": 5}})
    found = anonsql.risk(path, source=True)
    assert found.population.fraction == 1 / 20
    weighted = anonsql.risk(path, source=True, weight="w")
    assert found.individual == weighted.individual


def test_an_empty_table_has_no_risk(tmp_path):
    make_source(tmp_path, {"g": "VARCHAR"}, [])
    hierarchy = {"role": "qi", "hierarchy": {"type": "suppression"}}
    path = write_data(tmp_path, policy_data({"g": hierarchy}, k=2))
    found = anonsql.risk(path, source=True, population=10, special=3)
    assert (found.rows, found.highest, found.population, found.specials.rows) == (0, 0, None, 0)
    assert "0 rows of the source" in cli("risk", path, "--source").output


def test_the_command(policy):
    plain = cli("risk", policy, "--source", "--population", 5_000, "--special", 2, "--above", "0.1")
    assert plain.exit_code == 0
    for words in (
        "alone in their class",
        "chosen (Dankar's rule)",
        "is expected to re-identify",
        "SUDA2",
    ):
        assert words in " ".join(plain.output.split()), words
    document = json.loads(cli("risk", policy, "--json").stdout)
    assert document["of"] == "release" and document["specials"] is None
    accepted = [above["accepted"] for above in document["above"]]
    assert accepted == sorted(accepted, reverse=True) and len(accepted) == 3
    assert document["entity"] is None


def test_every_engine_tells_the_same(everywhere):
    rows = [*ROWS, (None, "f", 2.0, 0, "a")]
    data = policy_data(COLUMNS, k=4, limit=0.1)
    data["privacy"]["entity"] = "person"
    everywhere.make(dict(zip(COLUMNS, TYPES, strict=True)), rows)
    found = anonsql.risk(
        policy_on(everywhere, data),
        source=True,
        fraction=0.04,
        weight="w",
        special=2,
        any_null=True,
        accepted=["0.05"],
    )
    classes = Counter(row[:2] for row in rows)
    assert (found.rows, found.classes) == (91, len(classes))
    assert found.unique == sum(size == 1 for size in classes.values())
    risks, spared = [], defaultdict(lambda: 1.0)
    for row in rows:
        alike = [o for o in rows if (o[1] == row[1] and None in (o[0], row[0])) or o[:2] == row[:2]]
        risks.append(risk(len(alike), len(alike) / sum(other[2] for other in alike)))
        spared[row[3]] *= 1 - risks[-1]
    people = [1 - share for share in spared.values()]
    for one, expected in ((found.individual, risks), (found.people, people)):
        assert (one.units, one.above) == (len(expected), sum(share > 0.05 for share in expected))
        assert (one.expected, one.highest) == pytest.approx(
            (sum(expected), max(expected)), rel=1e-5
        )
    minimal = Counter()
    for row in rows:
        alone = [at for at in (0, 1) if sum(other[at] == row[at] for other in rows) == 1]
        minimal.update([("age", "sex")[at : at + 1] for at in alone])
        minimal.update([("age", "sex")] * (not alone and classes[row[:2]] == 1))
    assert {tuple(one.columns): one.rows for one in found.specials.sets} == dict(minimal)
    histogram = ClassSizes.of(sorted(Counter(classes.values()).items()))
    assert found.population.uniques == population.best(histogram, 0.04).uniques
