"""A method that another package adds: found by its entry point, run to a verified release, and
nothing of anonsql is touched."""

import importlib
import sys

import pytest
import yaml

import anonsql
from anonsql.errors import PolicyError
from anonsql.policy import methods
from anonsql.policy.policy import Policy
from anonsql.policy.privacy import Privacy
from anonsql.system import entry_points

from .support import cli, make_source, policy_data, released_rows, write_data

MODULE = '''
"""Record suppression: rows that fewer than k are like are released as * in every column."""

from pathlib import Path
from typing import Literal

from pydantic import Field

from anonsql.methods import groups
from anonsql.methods.base import GroupMethod
from anonsql.methods.groups import Cells, Grouped
from anonsql.policy.method import MethodSettings


class RecordSuppression(MethodSettings):
    """Every row as it is, or nothing of it."""

    type: Literal["record-suppression"] = "record-suppression"
    least: int = Field(1, ge=1, description="times k rows that are alike")


class RecordSuppressionMethod(GroupMethod[RecordSuppression]):
    """See the settings."""

    settings = RecordSuppression
    templates = Path(__file__).parent / "record_templates"

    def group(self, cells: Cells) -> Grouped:
        told = {"attributes": cells.star.attributes, "k": cells.promise.k * self.parameters.least}
        groups.make_nodes(cells)
        cells.engine.run("methods/record-suppression/regions", **told)
        cells.engine.run("methods/record-suppression/assigned", **told)
        groups.label_regions(cells)
        return Grouped.by_nodes(cells)
'''
CELLS = """
WITH numbered AS (
    SELECT
    {% for a in attributes %}
        c.c{{ a.index | integer }},
    {% endfor %}
        c.n,
        CASE WHEN c.n >= {{ k | integer }} THEN ROW_NUMBER() OVER (ORDER BY
        {%- for a in attributes %} c.c{{ a.index | integer }}{% if not loop.last %},{% endif %}{% endfor %}) ELSE 0 END AS grp
    FROM cells AS c
)
"""
REGIONS = (
    "CREATE TABLE regions AS"
    + CELLS
    + """
SELECT
    x.grp,
    CAST(SUM(x.n) AS BIGINT) AS n
{% for a in attributes %}
    , CASE WHEN x.grp > 0 THEN {{ a.min_level | integer }} ELSE {{ a.max_level | integer }} END AS l{{ a.index | integer }}
    , MIN(CASE WHEN x.grp > 0 THEN x.c{{ a.index | integer }} ELSE d{{ a.index | integer }}.g{{ a.max_level | integer }} END) AS g{{ a.index | integer }}
{% endfor %}
FROM numbered AS x
{% for a in attributes %}
JOIN dim_{{ a.index | integer }} AS d{{ a.index | integer }} ON d{{ a.index | integer }}.code = x.c{{ a.index | integer }}
{% endfor %}
GROUP BY x.grp
HAVING SUM(x.n) >= {{ k | integer }}
"""
)
ASSIGNED = (
    "CREATE TABLE assigned AS"
    + CELLS
    + """
SELECT
{% for a in attributes %}
    x.c{{ a.index | integer }},
{% endfor %}
    x.grp
FROM numbered AS x
JOIN regions AS r ON r.grp = x.grp
"""
)
ROWS = [("a", 30, "flu"), ("a", 30, "cold"), ("b", 30, "flu"), ("b", 41, "cold"), ("c", 41, "flu")]


def forget():
    entry_points.of_group.cache_clear()
    methods.added.cache_clear()


@pytest.fixture
def added(tmp_path, monkeypatch):
    """The folder of an installed package that adds the method."""
    folder = tmp_path / "site"
    (folder / "record_templates").mkdir(parents=True)
    (folder / "record_suppression.py").write_text(MODULE)
    (folder / "record_templates" / "regions.sql").write_text(REGIONS)
    (folder / "record_templates" / "assigned.sql").write_text(ASSIGNED)
    (about := folder / "record_suppression-1.0.dist-info").mkdir()
    (about / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: record-suppression\nVersion: 1.0\n"
    )
    (about / "entry_points.txt").write_text(
        "[anonsql.methods]\n"
        "record-suppression = record_suppression:RecordSuppressionMethod\n"
        "ring = record_suppression:RecordSuppressionMethod\n"
    )
    monkeypatch.syspath_prepend(str(folder))
    importlib.invalidate_caches()
    forget()
    yield folder
    forget()
    sys.modules.pop("record_suppression", None)


def written(folder, **method):
    if not (folder / "source.duckdb").exists():
        types = {"town": "VARCHAR", "age": "INTEGER", "illness": "VARCHAR"}
        make_source(folder, types, ROWS)
    suppression = {"type": "suppression"}
    columns = {"town": suppression, "age": suppression, "illness": "sensitive"}
    data = policy_data(columns, method={"type": "record-suppression", **method})
    return write_data(folder, data, f"policy-{len(method)}.yaml")


def test_from_check_to_query(added, tmp_path):
    path = written(tmp_path)
    assert cli("check", path).exit_code == 0
    assert cli("run", path).exit_code == 0
    found = released_rows(tmp_path, "SELECT town, age, illness FROM r ORDER BY ALL")
    assert found == [
        ("*", "*", "cold"),
        ("*", "*", "flu"),
        ("*", "*", "flu"),
        ("a", "30", "cold"),
        ("a", "30", "flu"),
    ]
    assert anonsql.verify(path).status == "verified"
    assert anonsql.verify(path, against_source=True).against_source.released == len(ROWS)
    answer = anonsql.query(tmp_path / "release.duckdb", "SELECT COUNT(*) FROM r WHERE town = 'a'")
    assert (answer.answers[0].lower, answer.answers[0].upper) == (2, 5)
    assert anonsql.measure(path).method == "record-suppression"
    suppressed = Policy.parse(
        {**yaml.safe_load(path.read_text()), "method": {"type": "cell-suppression"}}, tmp_path
    )
    (other := tmp_path / "other.yaml").write_text(
        yaml.safe_dump(suppressed.model_dump(exclude_unset=True, by_alias=True, mode="json"))
    )
    lines = anonsql.compare([path, other]).policies
    assert {line.method for line in lines} == {"record-suppression", "cell-suppression"}
    assert all(item.status == "met" for item in lines)


def test_what_it_does_not_keep_is_refused(added, tmp_path):
    """Its list of privacy models is empty, so none is taken for kept."""
    data = yaml.safe_load(written(tmp_path).read_text())
    data["privacy"]["l_diversity"] = {"illness": 2}
    with pytest.raises(
        PolicyError, match=r"privacy\.l_diversity\.illness: record-suppression cannot keep this"
    ):
        Policy.parse(data, tmp_path)


def test_settings_are_its_own(added, tmp_path):
    with pytest.raises(PolicyError, match=r"method\.least"):
        Policy.load(written(tmp_path, least=0))
    assert Policy.load(written(tmp_path, least=2)).method.least == 2


def test_no_own_method_is_replaced(added):
    assert methods.settings_of("ring").__name__ == "Ring"


def test_without_the_package_there_is_no_such_method(tmp_path):
    with pytest.raises(PolicyError, match="record-suppression"):
        Policy.load(written(tmp_path))


@pytest.mark.parametrize(
    ("points", "module", "message"),
    [
        ("faulty = faulty:Nothing", "", r"'faulty' \(faulty:Nothing\) cannot be loaded: Attr"),
        ("faulty = faulty:Method", "raise OSError('a secret')", "cannot be loaded: OSError"),
        ("faulty = faulty:Method", "Method = 3", "has no settings for a method 'faulty'"),
        (
            "faulty = record_suppression:RecordSuppressionMethod",
            "",
            "has no settings for a method 'faulty'",
        ),
    ],
)
def test_a_package_that_adds_no_method_is_named(added, tmp_path, points, module, message):
    """What is wrong with it is told where its method is asked for, and nowhere else."""
    (added / "faulty.py").write_text(module)
    (about := added / "faulty-1.0.dist-info").mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: faulty\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[anonsql.methods]\n{points}\n")
    importlib.invalidate_caches()
    forget()
    path = written(tmp_path)
    assert Policy.load(path).method.type == "record-suppression"
    data = {**yaml.safe_load(path.read_text()), "method": {"type": "faulty"}}
    with pytest.raises(PolicyError, match=rf"method\.type: .*{message}") as caught:
        Policy.parse(data, tmp_path)
    sys.modules.pop("faulty", None)
    assert "secret" not in str(caught.value)


def test_two_packages_of_one_method_are_refused(added, tmp_path):
    (about := added / "other-1.0.dist-info").mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[anonsql.methods]\nrecord-suppression = other:Method\n"
    )
    forget()
    with pytest.raises(PolicyError, match="2 installed packages add the method"):
        Policy.load(written(tmp_path))


@pytest.mark.parametrize("name", sorted(methods._own()))
def test_a_privacy_model_that_no_method_knows_is_refused_by_all(name, monkeypatch, tmp_path):
    """The list of models is what a method keeps: a new one is refused until a method says so."""
    l_diversity = {} if name not in ("anatomy", "local") else {"l_diversity": {"illness": 2}}
    data = {
        **yaml.safe_load(written(tmp_path).read_text()),
        "privacy": {"k": 2, **l_diversity},
        "method": {"type": name},
    }
    Policy.parse(data, tmp_path)
    asked = Privacy.models_asked
    new = [("new_model", "privacy.new_model")]
    monkeypatch.setattr(Privacy, "models_asked", lambda given: [*asked(given), *new])
    with pytest.raises(PolicyError, match=r"privacy\.new_model: .*cannot keep this"):
        Policy.parse(data, tmp_path)
