"""Policies: what is read, what is refused, and that all of it is told at once."""

import json

import jsonschema
import pytest

from anonsql.errors import PolicyError, did_you_mean
from anonsql.features.guide import command as manual
from anonsql.policy import policies, yaml_text
from anonsql.policy.combinations import OF_POLICIES, OF_PROMISES
from anonsql.policy.policy import Policy, parse_leniently
from anonsql.policy.privacy import Privacy
from anonsql.schemas import schemas, text
from anonsql.sql.templates import folder

from .support import policy_data


def problems(data):
    with pytest.raises(PolicyError) as caught:
        Policy.parse(data)
    return {problem.where: f"{problem.found} {problem.remedy}" for problem in caught.value.problems}


@pytest.mark.parametrize("name", sorted(schemas()))
def test_schemas_are_the_models(name):
    assert (folder("schemas") / name).read_text(encoding="utf-8") == text(schemas()[name])


ONE = {"columns": {"": {"role": "identifying"}}, "privacy": {"k": 2}}
SEVERAL = {
    "source": {"database": "a.duckdb"},
    "release": {"database": "r.duckdb", "grant": [""]},
    "tables": {"": {"key": "id"}},
    "privacy": {"of": "", "k": 2},
}
COUNTS = {
    "source": {"database": "a.duckdb", "table": "t"},
    "release": {"database": "r.duckdb", "grant": [""]},
    "statistics": {"by": {"": {}}, "of": {"": "count"}, "tables": [[""]]},
    "protect": {"entity": "id", "threshold": 3, "by": "suppression"},
}


@pytest.mark.parametrize(
    ("data", "places"),
    [
        ({**COUNTS, **ONE, "statistics": None, "protect": None}, ["columns", "release.grant[0]"]),
        (SEVERAL, ["release.grant[0]", "tables"]),
        (
            COUNTS,
            ["release.grant[0]", "statistics.by", "statistics.of", "statistics.tables[0].by[0]"],
        ),
    ],
    ids=["one table", "several tables", "statistics"],
)
def test_empty_names_are_refused_where_they_stand(data, places):
    data = {name: value for name, value in data.items() if value is not None}
    with pytest.raises(PolicyError) as caught:
        policies.of(data)
    found = {problem.where: problem.remedy for problem in caught.value.problems}
    for place in places:
        assert found[place] == "It must not be empty."


def test_everything_wrong_is_told_at_once():
    found = problems(
        {
            "source": {"database": "a.duckdb"},
            "release": {"database": "r.duckdb", "table": "x", "bound": False},
            "columns": {
                "age": {"role": "qi", "hierarchy": {"type": "interval", "widths": [5, 12]}},
                "sex": {"role": "quasi", "hierarchy": {"type": "suppression"}},
                "zip": {"role": "qi", "hierarchy": {"type": "mask", "lenght": 5}},
                "a": {"role": "qi", "hierarchy": {"type": "maks"}},
                "b": {"role": None},
                "c": {"role": "sensitive", "weight": 3},
                "d": {"role": "qi"},
            },
            "privacy": {"k": 0, "suppresion_limit": 0.05},
            "method": {"type": "full-domain", "minimize": "los"},
        }
    )
    assert found["source.table"].startswith("this field is missing")
    assert "'bounds'" in found["release.bound"]
    assert "not a multiple" in found["columns.age.hierarchy.widths[1]"]
    assert "'quasi-identifying'" in found["columns.sex.role"]
    assert "'length'" in found["columns.zip.hierarchy.lenght"]
    assert "'mask'" in found["columns.a.hierarchy.type"]
    assert "not chosen yet" in found["columns.b.role"]
    assert "only quasi-identifying columns" in found["columns.c"]
    assert "needs a hierarchy" in found["columns.d"]
    assert "found 0" in found["privacy.k"]
    assert "'suppression_limit'" in found["privacy.suppresion_limit"]
    assert "'loss'" in found["method.minimize"]


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"privacy": {"k": 2, "suppression_limit": 1.0}}, "privacy.suppression_limit"),
        ({"privacy": {"k": "ten"}}, "privacy.k"),
        ({"method": {"levels": {"a": 1}}}, "method.levels"),
        ({"method": {"type": "full-domian"}}, "method.type"),
        ({"columns": {"a": {"role": "sensitive"}}}, "columns"),
        ({"columns": {}}, "columns"),
        ({"columns": []}, "columns"),
        ({"source": {"file": "a.csv", "table": "b"}}, "source"),
        ({"source": {}}, "source"),
        ({"engine": {"memory_limit": "lots"}}, "engine.memory_limit"),
        ({"extra": 1}, "extra"),
    ],
)
def test_refused(change, where):
    data = policy_data({"c": {"type": "suppression"}, "d": "sensitive"})
    assert where in problems({**data, **change})


def test_role_aliases():
    names = {
        "identifier": "identifying",
        "direct-identifier": "identifying",
        "quasi-identifier": "quasi-identifying",
        "key": "quasi-identifying",
    }
    for alias, role in {**names, "qi": "quasi-identifying"}.items():
        column = (
            {"role": alias}
            if role == "identifying"
            else {"role": alias, "hierarchy": {"type": "suppression"}}
        )
        data = policy_data({"c": {"type": "suppression"}})
        data["columns"]["x"] = column
        assert Policy.parse(data).columns["x"].role == role


def test_policies_are_frozen():
    policy = Policy.parse(policy_data({"c": {"type": "suppression"}}))
    with pytest.raises(Exception, match="frozen"):
        policy.privacy.k = 1


def test_suppression_limits_are_exact():
    assert (
        Privacy(k=2, suppression_limit=0.07).max_suppressed(100) == 7
    )  # 0.07 * 100 is 7.000000000000001
    assert (
        Privacy(k=2, suppression_limit=0.29).max_suppressed(100) == 29
    )  # 0.29 * 100 is 28.999999999999996
    assert Privacy(k=2, suppression_limit=0.05).max_suppressed(45222) == 2261
    assert Privacy(k=2).max_suppressed(10) == 0


def test_leniency_leaves_out_the_wrong_columns_only():
    data = policy_data(
        {"c": {"type": "suppression"}, "d": {"type": "nonsense"}, "e": {"role": None}}
    )
    policy, found = parse_leniently(data, ".")
    assert list(policy.quasi_identifiers) == ["c"]
    assert {problem.where for problem in found} == {"columns.d.hierarchy.type", "columns.e.role"}
    assert parse_leniently({"source": 3}, ".")[0] is None


def test_plain_scalars_mean_what_they_look_like():
    read = yaml_text.parse(
        "{no: NO, yes: on, zip: 02139, at: 12:30, day: 2020-01-01, n: 10, x: 0.05, e: 1_000, t:"
        " true, z: ~, f: 1.50}",
        "x",
    )
    assert read == {
        "no": "NO",
        "yes": "on",
        "zip": "02139",
        "at": "12:30",
        "day": "2020-01-01",
        "n": 10,
        "x": 0.05,
        "e": "1_000",
        "t": True,
        "z": None,
        "f": "1.50",
    }
    assert yaml_text.parse("a: '10'", "x") == {"a": "10"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb: 2\na: 3", "x, line 3: the key 'a' is given twice"),
        ("a: [1, 2", "x, line 1: this is not YAML"),
        ("? [a]\n: 1", "a key is a list"),
        ("a: &b [*b]", "contain themselves"),
        ("a: !!python/object/apply:os.system ['true']", "found the tag !!python"),
        ("\tb: 1", "not YAML"),
        ("a:\n  *: b", r'line 2: .* begins with \* and has no quotes. Write it in quotes: "\*"'),
        ("a:\n  *_id: b", "begins with .* and has no quotes"),
    ],
)
def test_bad_yaml(text, message):
    with pytest.raises(PolicyError, match=message):
        Policy.parse(yaml_text.parse(text, "x"))


def test_hints():
    assert did_you_mean("wieght", ["weight", "role"]) == "Did you mean 'weight'?"
    assert did_you_mean("zzz", ["a", "b"]) == "Known: 'a', 'b'."
    assert did_you_mean("zzz", map(str, range(100))) == ""


def test_the_schema_accepts_what_the_models_accept():
    data = policy_data(
        {
            "c": {"type": "interval", "widths": [5, 10]},
            "z": {"type": "mask", "length": 5, "from": "left"},
            "d": "sensitive",
        }
    )
    schema = json.loads((folder("schemas") / "policy.schema.json").read_text())
    jsonschema.validate(data, schema)
    data["columns"]["c"]["hierarchy"]["widht"] = 1
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(data, schema)


def test_the_schema_goes_by_what_a_policy_releases():
    schema = json.loads((folder("schemas") / "policy.schema.json").read_text())
    several = {
        "source": {"database": "s.duckdb"},
        "tables": {"people": {"key": "id", "columns": {"age": {"role": "sensitive"}}}},
        "privacy": {"k": 5, "of": "people"},
        "release": {"database": "r.duckdb"},
    }
    statistics = {
        "source": {"database": "s.duckdb", "table": "people"},
        "statistics": {"by": {"sex": {}}, "of": {"count": "count"}, "tables": [{"by": ["sex"]}]},
        "protect": {"threshold": 5},
        "release": {"database": "r.duckdb"},
    }
    for data in (several, statistics):
        jsonschema.validate(data, schema)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({**data, "columns": {}}, schema)


EXCLUDED = [
    {"privacy.quasi_identifiers": [["a"], ["b"]], "privacy.suppression_limit": 0.1},
    {"privacy.quasi_identifiers": [["a"], ["b"]], "method.algorithm": "cube"},
    {
        "privacy.quasi_identifiers": [["a"], ["b"]],
        "privacy.entity": "id",
        "privacy.over_time": {"key": "id"},
        "privacy.risk": {"individual": 0.2, "population": {"size": 1000}},
        "privacy.max_group_loss": 0.5,
        "privacy.population": {"file": "people.csv"},
    },
    {
        "privacy.over_time": {"key": "id"},
        "privacy.entity": "id",
        "privacy.l_diversity": {"s": 2},
        "release.suppressed": "mask",
        "columns.n.change": {"top": 0.9},
        "columns.s.change": {"pram": {"stay": 0.9}},
        "columns.a.values": "mean",
        "columns.a.hierarchy": {"type": "interval", "widths": [5]},
    },
    {"privacy.entity": "n", "columns.n.change": {"top": 0.9}},
    {
        "columns.s.role": "semi-sensitive",
        "columns.s.sensitive_when": "b = 1",
        "privacy.l_diversity": {"s": 2},
        "method.type": "local",
        "columns.n.change": {"top": 0.9},
    },
    {
        "privacy": {"differential": {"epsilon": 1, "delta": 1e-6}},
        "privacy.entity": "id",
        "privacy.suppression_limit": 0.1,
    },
    {
        "privacy": {"differential": {"epsilon": 1, "delta": 1e-6}},
        "release.suppressed": "mask",
        "method.minimize": "height",
        "columns.id.replace": "surrogate",
        "columns.a.hierarchy": {"type": "automatic"},
    },
    {
        "privacy": {"differential": {"epsilon": 1, "delta": 1e-6, "search_epsilon": 0.5}},
        "method.levels": {"a": 1, "b": 1},
    },
    {
        **{"release.marginals": True, "release.suppressed": "mask", "privacy.entity": "id"},
        **{"method.type": "ring", "columns.b.min_level": 1},
    },
    {
        "release.marginals": True,
        "privacy.over_time": {"key": "id"},
        "columns.a.min_level": 1,
    },
]
"""Policies, by what they change in one that is right, whose options exclude each other."""


def excluded(changes):
    """The problems of a policy with some fields changed."""
    columns = {
        "id": {"role": "identifying"},
        "a": {"role": "qi", "hierarchy": {"type": "suppression"}},
        "b": {"role": "qi", "hierarchy": {"type": "suppression"}},
        "s": {"role": "sensitive"},
        "n": {"role": "insensitive"},
    }
    data = policy_data(columns, k=2)
    for place, value in changes.items():
        *path, name = place.split(".")
        part = data
        for step in path:
            part = part.setdefault(step, {})
        part[name] = value
    with pytest.raises(PolicyError) as caught:
        Policy.parse(data)
    return [(problem.where, problem.found) for problem in caught.value.problems]


@pytest.fixture(scope="module")
def found():
    """What is wrong with each of the policies."""
    return [excluded(changes) for changes in EXCLUDED]


@pytest.mark.parametrize("exclusion", [*OF_PROMISES, *OF_POLICIES], ids=lambda each: each.why[:40])
def test_options_that_exclude_each_other_are_refused(found, exclusion):
    text = f"{exclusion.why}: {exclusion.remedy}"
    assert any(problem == f"{text}." for one in found for _, problem in one)


def test_all_options_that_exclude_each_other_are_named_at_once(found):
    assert {where for where, _ in found[3]} == {
        "privacy.over_time.key",
        "release.suppressed",
        "columns.n.change",
        "columns.s.change",
        "columns.s.change.pram",
        "columns.a.values",
    }


def test_the_manual_lists_what_does_not_go_together():
    page = (manual.FOLDER / "combinations.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("|")]
    assert rows[2:] == [
        [each.option, each.other, each.why, each.remedy] for each in (*OF_PROMISES, *OF_POLICIES)
    ]
