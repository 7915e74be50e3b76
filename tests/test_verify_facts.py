"""What a release says of itself: whatever of it is edited, removed or added, verification refuses
it."""

import random
import re
import shutil
from contextlib import closing
from copy import copy
from functools import cache

import pytest

import anonsql
from anonsql.engines import open_engine, open_target
from anonsql.engines.base import Context, StatedColumn
from anonsql.errors import VerificationError
from anonsql.jobs.workspace import workspace
from anonsql.policy.locations import JobLocations
from anonsql.policy.policy import Policy
from anonsql.system.journal import Journal
from anonsql.verification import about as facts
from anonsql.verification import stated as stating
from anonsql.verification.facts import fact_offences
from anonsql.verification.release_only import prove

from .engines import policy_on
from .methods import CHANGING
from .support import edit, editing, make_source, opened, policy_data, tree_file

TYPES = {
    "age": "INTEGER",
    "born": "DATE",
    "gender": "VARCHAR",
    "zip": "VARCHAR",
    "disease": "VARCHAR",
    "note": "VARCHAR",
    "private": "BOOLEAN",
}
ILL = ["flu", "gout", "cold", "measles", "scurvy", "mumps"]


def rows(count=120, seed=3):
    rnd = random.Random(seed)
    made = []
    for number in range(count):
        gender = "fm"[rnd.random() < 0.5] if number else None
        born = f"{rnd.randrange(1970, 1978)}-0{rnd.randrange(1, 9)}-11"
        made.append(
            (
                rnd.randrange(20, 60),
                born,
                gender,
                f"9{rnd.randrange(3)}{rnd.randrange(100):02}",
                ILL[number % len(ILL)],
                f"note {number}",
                number % 2 == 0,
            )
        )
    return made


def columns_of(folder):
    words = [["f", "known", "*"], ["m", "known", "*"]]
    return {
        "age": {"type": "interval", "widths": [5, 20]},
        "born": {"type": "date", "levels": ["month", "year"]},
        "gender": tree_file(folder / "h" / "gender.csv", words),
        "zip": {"type": "mask", "length": 4},
        "disease": "sensitive",
        "note": "insensitive",
        "private": {"role": "identifying"},
    }


METHODS = {
    "full-domain": {"method": {"type": "full-domain"}, "limit": 0.3},
    "masked": {"method": {"type": "full-domain"}, "limit": 0.3, "suppressed": "mask"},
    "no-bounds": {"method": {"type": "full-domain"}, "limit": 0.3, "bounds": False},
    "attribute-suppression": {"method": {"type": "attribute-suppression"}, "limit": 0.3},
    "full-subtree": {"method": {"type": "full-subtree"}, "limit": 0.1},
    "ordered-partition": {"method": {"type": "ordered-partition", "budget": 5}, "limit": 0.1},
    "full-subgraph": {"method": {"type": "full-subgraph"}},
    "mondrian": {"method": {"type": "mondrian"}},
    "mondrian-hierarchy": {"method": {"type": "mondrian", "values": "hierarchy"}},
    "hilbert": {"method": {"type": "hilbert"}},
    "hilbert-range": {"method": {"type": "hilbert", "representation": "range"}},
    "cell-generalization": {"method": {"type": "cell-generalization"}, "limit": 0.1},
    "cell-suppression": {"method": {"type": "cell-suppression"}, "limit": 0.1},
    "ring": {"method": {"type": "ring"}},
    "ring-range": {"method": {"type": "ring", "representation": "range"}},
    "ring-array": {"method": {"type": "ring", "sets": "array"}},
    "homogeneous": {"method": {"type": "homogeneous"}},
    "homogeneous-ancestor": {"method": {"type": "homogeneous", "representation": "ancestor"}},
    "anatomy": {"method": {"type": "anatomy"}, "l_diversity": {"disease": 3}},
    "local": {"method": {"type": "local"}, "l_diversity": {"disease": 3, "age": 2}},
    "local-ncp": {"method": {"type": "local", "grouping": "ncp"}, "l_diversity": {"disease": 3}},
    **{name: {"method": settings, "limit": 0.1} for name, settings in CHANGING.items()},
}


def data_of(folder, name):
    settings = dict(METHODS[name])
    columns = columns_of(folder)
    if "age" in settings.get("l_diversity", {}):
        columns["age"] = {**columns["age"], "role": "semi-sensitive", "flag": "private"}
        columns["age"] = {"role": "semi-sensitive", "flag": "private"}
    if name.startswith("local") or name == "anatomy":
        columns = {
            key: (
                {"role": "quasi-identifying"}
                if isinstance(column, dict) and "type" in column
                else column
            )
            for key, column in columns.items()
        }
    release = {key: settings.pop(key) for key in ("suppressed", "bounds") if key in settings}
    privacy = {key: settings.pop(key) for key in ("l_diversity",) if key in settings}
    return policy_data(columns, k=4, **settings, privacy=privacy, release=release)


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    """Copy a method's release, which is made once, into a folder; return its policy there."""

    @cache
    def made(name):
        folder = tmp_path_factory.mktemp(name)
        make_source(folder, TYPES, rows())
        anonsql.run(Policy.parse(data_of(folder, name), folder))
        return folder

    def copy(folder, name):
        shutil.copytree(made(name), folder, dirs_exist_ok=True)
        return Policy.parse(data_of(folder, name), folder)

    return copy


def gathered(policy, folder):
    """What the facts of the published release are held against, its columns, and the rows of
    __columns."""
    places = JobLocations.of(policy)
    with (
        workspace(folder / "release.duckdb") as work,
        closing(
            open_engine(places.release, context := Context(work, policy.engine, Journal()))
        ) as engine,
        closing(open_target(engine, places, policy, context)) as target,
        target.published() as found,
    ):
        made, columns = prove(found, policy), engine.columns(found.rows)
        return made, [column.name for column in columns], found.stated_columns


def stating_others(proof, about):
    """The same release with other facts."""
    changed = copy(proof)
    changed.about = about
    return changed


def others(value):
    """Other plausible values of a fact."""
    if value in ("true", "false"):
        return [{"true": "false", "false": "true"}[value]]
    if re.fullmatch(r"[0-9]+", value):
        return [str(int(value) + 1), str(int(value) * 2 + 3), str(max(0, int(value) - 1))]
    try:
        number = float(value)
    except ValueError:
        return [value + "x", "full-domain", "ring", ""]
    return [format(number * 1.01 + 1e-6, ".12g"), format(number * 0.9 + 1e-6, ".12g"), "1.5", "-1"]


@pytest.mark.parametrize("name", METHODS)
def test_every_fact_that_is_edited_is_refused(released, tmp_path, name):
    policy = released(tmp_path, name)
    report = anonsql.verify(policy)
    stated, names, lines = gathered(policy, tmp_path)
    require_known(name, stated.about, report.as_told)
    assert not facts.offences(stated) and sorted(report.as_told) == facts.unprovable(stated)
    for fact, value in stated.about.items():
        without = {key: item for key, item in stated.about.items() if key != fact}
        assert facts.offences(stating_others(stated, without)), fact
        for other in others(value):
            if other == value or fact in report.as_told:
                continue
            changed = stating_others(stated, {**stated.about, fact: other})
            classes = changed.classes
            found = facts.offences(changed) + fact_offences(policy, changed.about, classes)
            assert found, (fact, value, other)
    assert facts.offences(stating_others(stated, {**stated.about, "seed": "1"}))
    looks = {
        line.name: (line.level, (line.form, line.looks_like))
        for line in lines
        if line.name in policy.quasi_identifiers
    }
    for place, line in enumerate(lines):
        assert stating.column_offences(policy, names, lines[:place] + lines[place + 1 :], looks)
        for cell, value in enumerate(line[1:], start=1):
            other = (1 if value is None else value + 1) if cell == 2 else f"{value}, or not"
            edited = StatedColumn(*line[:cell], other, *line[cell + 1 :])
            assert stating.column_offences(
                policy, names, [*lines[:place], edited, *lines[place + 1 :]], looks
            )
    added = [*lines, StatedColumn("shoe", "insensitive", None, "value", "as it is")]
    assert stating.column_offences(policy, names, added, looks)


OPEN = {"anonsql", "release", "suppressed", "quarantined", "optimal"}
MEASURES = {
    *("loss", "gcp", "ncp", "group_gcp", "precision", "discernibility", "average_class_size"),
    *("height", "weighted-height"),
}


def require_known(name, about, as_told):
    """Of facts that protect somebody few rest on the run; measures of usefulness all do, and the
    release names them."""
    unproved = {item.split(".")[0] for item in as_told} - OPEN
    measures = sorted(MEASURES & about.keys())
    allowed = set(measures)
    allowed |= {"classes", "min_class", "expected_matches"} if name.startswith("ring") else set()
    allowed |= {"relocated_cells", "relocated_rows"} if name in CHANGING else set()
    assert set(measures) <= unproved <= allowed
    assert about["recorded"] == f"{', '.join(measures)}: by the run, not recomputed by verify"


def edited(policy, *statements):
    """What verification says of the release after some statements."""
    edit(policy.path("release.duckdb"), *statements)
    with pytest.raises(VerificationError) as refused:
        anonsql.verify(policy)
    with pytest.raises(VerificationError) as again:
        if not policy.tabled:
            anonsql.verify(policy, against_source=True)
        raise VerificationError(refused.value.offences)
    assert set(again.value.offences) >= set(refused.value.offences)
    return str(refused.value)


def tell(folder, fact, value):
    with editing(folder / "release.duckdb") as connection:
        change = "UPDATE r__about SET value = ? WHERE property = ?"
        connection.execute(change, [value, fact])


NONE = "cannot result from the policy's hierarchy and method"
BOUNDS = "have bounds that differ from those of their labels"


@pytest.mark.parametrize(
    ("name", "statement", "offence"),
    [
        ("full-domain", "UPDATE r SET gender = 'klingon'", NONE),
        ("full-domain", "UPDATE r SET zip = 'some****'", NONE),
        ("full-domain", "UPDATE r SET age_lo = 60, age_hi = 20", BOUNDS),
        ("full-domain", "UPDATE r__columns SET level = 0 WHERE column_name = 'born'", "born"),
        ("full-domain", "UPDATE r__about SET value = 'ring' WHERE property = 'method'", "method"),
        ("full-domain", "DELETE FROM r__columns WHERE column_name = 'age_lo'", "no rows for"),
        ("mondrian-hierarchy", "UPDATE r SET gender = 'klingon'", NONE),
        ("mondrian", "UPDATE r SET age_hi = age_lo WHERE age LIKE '[%'", BOUNDS),
        ("homogeneous", "UPDATE r SET age_hi = age_lo WHERE age LIKE '{%'", BOUNDS),
        ("homogeneous", "UPDATE r SET gender = '{f, klingon}' WHERE gender LIKE '{%'", NONE),
        ("ring", "UPDATE r SET born_lo = born_hi WHERE born LIKE '{%'", BOUNDS),
        ("ring", "UPDATE r__about SET value = 'full-domain' WHERE property = 'method'", "method"),
        *((name, "UPDATE r SET gender = 'klingon'", NONE) for name in CHANGING),
        ("local", "UPDATE r SET age = '[60,20]' WHERE age LIKE '[%'", BOUNDS),
        ("ordered-partition", "UPDATE r SET gender = 'm … f' WHERE gender LIKE '% … %'", NONE),
    ],
)
def test_labels_bounds_and_descriptions_that_cannot_be(
    released, tmp_path, name, statement, offence
):
    policy = released(tmp_path, name)
    with opened(tmp_path / "release.duckdb") as connection:
        found = connection.execute("SELECT COUNT(*) FROM r WHERE gender LIKE '% … %'").fetchone()
    if "…" in statement and not found[0]:
        pytest.skip("no interval of names in it")
    assert offence in edited(policy, statement)


@pytest.mark.parametrize(
    ("change", "offence"),
    [
        (lambda sql: sql.replace("'gender'", "'zip'"), "differ from the tables"),
        (lambda sql: sql.replace("CAST(1 AS", "CAST(1 + 0 * random() AS"), "no view of a release"),
        (lambda sql: sql.replace("CAST(1 AS", "CAST(1 + 0 * epoch(now()) AS"), "no view of a"),
        (
            lambda sql: sql.replace(
                "FROM r AS r", "FROM (SELECT * FROM r WHERE 1 IN (FROM range(2))) r"
            ),
            "no view of a release",
        ),
        (lambda sql: "CREATE TABLE r__expanded AS SELECT 1 AS x", "not part of a release"),
    ],
    ids=["content", "chance", "time", "another", "table"],
)
def test_a_view_that_is_another(released, tmp_path, change, offence):
    policy = released(tmp_path, "local")
    with opened(tmp_path / "release.duckdb") as connection:
        sql = "SELECT sql FROM duckdb_views() WHERE view_name = 'r__expanded'"
        made = connection.execute(sql).fetchone()[0]
    assert change(made) != made
    assert offence in edited(policy, "DROP VIEW r__expanded", change(made))


def test_query_refuses_a_method_that_is_none(released, tmp_path):
    policy = released(tmp_path, "mondrian")
    with opened(tmp_path / "release.duckdb") as connection:
        connection.execute("UPDATE r__about SET value = 'shuffle' WHERE property = 'method'")
    with pytest.raises(anonsql.errors.PolicyError, match="'shuffle', which anonsql does not have"):
        anonsql.query(tmp_path / "release.duckdb", "SELECT COUNT(*) FROM r")
    with opened(tmp_path / "release.duckdb") as connection:
        connection.execute("UPDATE r__about SET value = 'ring' WHERE property = 'method'")
    with pytest.raises(anonsql.errors.PolicyError, match="the method ring, the policy mondrian"):
        anonsql.query(policy, "SELECT COUNT(*) FROM r")


_UPDATE = "UPDATE {}.r__about SET value = CASE WHEN property = %s THEN %s ELSE value END"
"""All rows are written, so that none is told from the others by when it was."""


@pytest.mark.parametrize("engine", ["postgres"], indirect=True)
@pytest.mark.parametrize("name", ["full-domain", "local"])
def test_on_a_server(engine, name):
    engine.make(TYPES, rows())
    policy = policy_on(engine, data_of(engine.folder, name))
    anonsql.run(policy)
    assert anonsql.verify(policy).status == "verified"
    change = engine.connection.execute
    for fact, value in engine.read("r__about")[::4]:  # each of them in test_every_fact_…
        for other in others(value):
            if fact in ("anonsql", "release", "loss", "gcp", "ncp", "suppressed"):
                continue
            change(_UPDATE.format(engine.release), [fact, other])
            if other != value:
                with pytest.raises(VerificationError):
                    anonsql.verify(policy)
            break
        change(_UPDATE.format(engine.release), [fact, value])
    table = f"{engine.release}.r__columns"
    for there, back in (
        (f"ALTER TABLE {table} ADD COLUMN note TEXT", f"ALTER TABLE {table} DROP COLUMN note"),
        (
            f"ALTER TABLE {table} ALTER level TYPE TEXT",
            f"ALTER TABLE {table} ALTER level TYPE INTEGER USING CAST(level AS INTEGER)",
        ),
    ):
        change(there)
        with pytest.raises(VerificationError, match=r"has other columns|rows written later"):
            anonsql.verify(policy)
        change(back)
        anonsql.run(policy)
    assert anonsql.verify(policy).status == "verified"
    if name == "local":
        view = f"{engine.release}.r__expanded"
        made = change(f"SELECT pg_get_viewdef('{view}'::regclass)").fetchone()[0]
        changed = made.replace("(1)::double precision", "(1 + 0 * random())::double precision")
        assert changed != made
        change(f"CREATE OR REPLACE VIEW {view} AS {changed}")
        with pytest.raises(VerificationError, match="no view of a release"):
            anonsql.verify(policy)
