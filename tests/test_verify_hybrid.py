"""Releases by relocation against their source: the fewest changed cells by brute force, of which
verification counts no more, broken releases refused."""

import random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment
from scipy.stats import chi2

import anonsql
from anonsql.errors import VerificationError
from anonsql.features.verify import command
from anonsql.policy.envelope import Release
from anonsql.policy.policy import Policy
from anonsql.verification.release_only import prove

from .engines import Postgres, policy_on
from .support import (
    ADULT,
    adult_policy,
    editing,
    make_described,
    make_table,
    needs_data,
    policy_data,
    rows_of,
    written_anew,
)
from .test_cli import cli
from .test_hybrid import hybrid_policy, released_rows, table_1
from .test_incognito import oracle_of, tables

pytestmark = pytest.mark.early

quick = settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def cheapest(originals, released, different):
    """The least total cost of an assignment of released rows to originals with the same first
    value."""
    total = 0
    for kept in {row[0] for row in released}:
        left, right = ([row for row in side if row[0] == kept] for side in (originals, released))
        costs = np.array([[different(a, b) for b in right] for a in left])
        total += costs[linear_sum_assignment(costs)].sum()
    return int(total)


# releases of our own


def check(policy):
    """What the comparison with the source finds, whatever the release says of itself: that is
    tests/test_verify_facts.py's."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(command, "prove", lambda *of, **_: prove(*of, elsewhere=True))
        patched.setattr(command, "_is_made_elsewhere", lambda *_: False)
        return anonsql.verify(policy, against_source=True).against_source


def alter(policy, *statements):
    """Change what is published."""
    with editing(policy.path("release.duckdb")) as connection:
        for statement in statements:
            connection.execute(statement)


def test_table_1_of_the_paper(tmp_path):
    policy = table_1(tmp_path)
    anonsql.run(policy)
    found = anonsql.verify(policy, against_source=True)
    judged = found.against_source
    assert (
        judged.originals,
        judged.released,
        judged.changed_rows,
        judged.changed_cells,
        judged.max_changed_cells,
    ) == (
        9,
        9,
        1,
        2,
        2,
    )
    assert judged.alone and judged.matches is judged.chi_squared is None
    assert found.risk == anonsql.verify(policy).risk
    assert found.risk.prosecutor.highest == pytest.approx(1 / 3)
    path = tmp_path / "policy.yaml"
    path.write_text(policy.model_dump_json(exclude_unset=True, by_alias=True))
    shown = " ".join(cli("verify", path, "--against-source").stdout.split())
    assert "At least 2 quasi-identifying cells, of 1 rows, do not; 2 are allowed" in shown


@settings(quick, max_examples=6)
@given(
    tables(max_rows=30),
    st.integers(2, 5),
    st.sampled_from([0.1, 0.3]),
    st.sampled_from([0.0, 0.2]),
    st.sampled_from(["insensitive", "identifying"]),
    st.sampled_from(["deterministic", "randomized"]),
    st.sampled_from([None, 0.05]),
)
def test_every_release_is_proven(tmp_path_factory, table, k, p, limit, identity, variant, alpha):
    """With a number for each row the truth is known, and all of it found; without, no more than by
    the assignment with fewest changes, and something wherever that has any."""
    rows, labels = table
    k, folder = min(k, len(rows)), tmp_path_factory.mktemp("verified")
    policy = hybrid_policy(
        folder,
        rows,
        labels,
        k,
        limit,
        {"p": p, "variant": variant} | ({} if alpha is None else {"alpha": alpha}),
    )
    policy.columns["id"] = policy.columns["id"].model_copy(update={"role": identity})
    report, found = anonsql.run(policy), check(policy)
    assert (found.originals, found.released) == (len(rows), report.released)
    assert found.changed_cells <= report.relocated.cells
    if alpha is not None:
        assert (found.chi_squared, found.critical) == pytest.approx(
            (report.relocated.chi_squared, report.relocated.critical), rel=1e-6
        )
    if identity == "insensitive":
        assert (found.changed_rows, found.changed_cells) == (
            report.relocated.rows,
            report.relocated.cells,
        )
        return
    levels, oracle = tuple(report.levels.values()), oracle_of(rows, labels)
    originals = [
        (f"s{number % 3}", *oracle.generalize(row, levels)) for number, row in enumerate(rows)
    ]
    columns = ", ".join(f"c{number}" for number in range(len(labels)))
    released = rows_of(folder / "release.duckdb", f"SELECT illness, {columns} FROM r")
    fewest = cheapest(originals, released, lambda a, b: sum(x != y for x, y in zip(a, b)))
    rows = cheapest(originals, released, lambda a, b: int(a != b))
    assert found.changed_rows == rows and rows <= found.changed_cells <= fewest


@pytest.mark.parametrize("mask", ["keep", "mask"])
def test_masked_rows_are_left_out(tmp_path, mask):
    rows = [("a",)] * 6 + [("b",)] * 6 + [("c",)] * 2 + [("d",)] * 2
    policy = hybrid_policy(
        tmp_path, rows, [{letter: (letter, "*") for letter in "abcd"}], 4, 0.3, {"p": 0}
    )
    policy.columns["c0"] = policy.columns["c0"].model_copy(update={"max_level": 0})
    policy.columns["id"] = policy.columns["id"].model_copy(update={"suppressed": mask})
    policy = policy.model_copy(
        update={"release": policy.release.model_copy(update={"suppressed": "mask"})}
    )
    report = anonsql.run(policy)
    assert (report.suppressed, report.released) == (4, 16)
    found = check(policy)
    assert (found.originals, found.released, found.left_over, found.changed_cells) == (16, 12, 4, 0)
    alter(policy, "UPDATE r SET illness = 's1' WHERE c0 = '*'")  # of one of them it is true
    with pytest.raises(VerificationError, match="3 rows, including masked rows"):
        check(policy)


# releases that are not what they should be


def two_groups(folder, p, **method):
    """Ten rows in two groups of five, an illness each; of the ten cells one may change, or none."""
    rows = [("a",)] * 5 + [("b",)] * 5
    policy = hybrid_policy(
        folder, rows, [{letter: (letter, "*") for letter in "ab"}], 2, method={"p": p, **method}
    )
    policy.columns["id"] = policy.columns["id"].model_copy(update={"role": "identifying"})
    anonsql.run(policy)
    return policy


def move(policy, rows):
    """Move rows from one group to the other, and say so."""
    statements = [
        f"UPDATE r__about SET value = '{rows}' WHERE property = '{name}'"
        for name in ("relocated_rows", "relocated_cells")
    ]
    alter(
        policy,
        f"UPDATE r SET c0 = 'b' WHERE rowid IN (SELECT rowid FROM r WHERE c0 = 'a' LIMIT {rows})",
        *statements,
        f"UPDATE r__about SET value = '{rows}' WHERE property = 'relocated_cells.c0'",
    )


def test_one_more_cell_than_p_allows(tmp_path):
    policy = two_groups(tmp_path, 0.1)
    assert check(policy).changed_cells == 0
    move(policy, 1)
    assert (check(policy).changed_cells, check(policy).changed_rows) == (1, 1)
    move(policy, 1)
    alter(
        policy, "UPDATE r__about SET value = '1' WHERE property LIKE 'relocated_%'"
    )  # which is not true any more
    with pytest.raises(
        VerificationError,
        match=r"at least 2 quasi-identifying cells .* more than 1, the limit of p=0.1",
    ):
        check(policy)


def test_a_release_that_says_less_than_was_changed(tmp_path):
    policy = two_groups(tmp_path, 0.2)
    move(policy, 2)
    alter(policy, "UPDATE r__about SET value = '1' WHERE property LIKE 'relocated_%'")
    with pytest.raises(
        VerificationError,
        match=r"at least 2 quasi-identifying cells .* __about states relocated_cells=1",
    ):
        check(policy)


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            (
                "UPDATE r SET illness = 's0' WHERE rowid = (SELECT min(rowid) FROM r WHERE illness"
                " <> 's0')"
            ),
            "1 released rows have sensitive",
        ),
        ("UPDATE r SET illness = NULL WHERE illness = 's1'", "3 released rows have sensitive"),
        (
            (
                "UPDATE r SET illness = CASE illness WHEN 's0' THEN 's1' WHEN 's1' THEN 's0' ELSE"
                " illness END"
            ),
            "1 released rows have",
        ),
        (
            "UPDATE r SET c0 = 'z' WHERE c0 = 'a'",
            "1 of 2 distinct values of 'c0' match no value of the source",
        ),
        ("ALTER TABLE r ALTER illness TYPE BLOB", "the values of 'illness' cannot be compared"),
    ],
)
def test_kept_values_that_are_not_the_sources(tmp_path, change, message):
    policy = two_groups(tmp_path, 0.5)
    alter(policy, change)
    with pytest.raises(VerificationError, match=message):
        check(policy)


def test_a_swapped_sensitive_value(tmp_path):
    """Two rows, known by their numbers, exchange their illnesses: as counts by column nothing
    changed."""
    rows = [("a",)] * 5 + [("b",)] * 5
    policy = hybrid_policy(
        tmp_path, rows, [{letter: (letter, "*") for letter in "ab"}], 2, method={"p": 0.5}
    )
    anonsql.run(policy)
    alter(
        policy, "UPDATE r SET illness = CASE id WHEN 0 THEN 's1' ELSE 's0' END WHERE id IN (0, 1)"
    )
    anonsql.verify(policy)
    with pytest.raises(
        VerificationError,
        match="2 released rows have sensitive and insensitive values that no source row",
    ):
        check(policy)
    assert {number: illness for number, (_, illness) in released_rows(policy, [None]).items()}[
        0
    ] == "s1"


def test_rows_that_are_missing(tmp_path):
    policy = two_groups(tmp_path, 0.1)
    alter(
        policy,
        "DELETE FROM r WHERE rowid = 0",
        "UPDATE r__about SET value = '9' WHERE property = 'rows'",
    )
    with pytest.raises(
        VerificationError, match="the source has 10 rows, but the release accounts for 9"
    ):
        check(policy)


def test_sizes_that_a_test_tells_apart(tmp_path):
    policy = two_groups(tmp_path, 0.5, alpha=0.2)
    move(policy, 2)
    assert check(policy).chi_squared == pytest.approx(8 / 5)
    assert check(policy).critical == pytest.approx(chi2.isf(0.2, 1))
    alter(
        policy,
        *(
            f"UPDATE r__about SET value = '{3}' WHERE property LIKE '{name}%'"
            for name in ("relocated_",)
        ),
    )
    alter(policy, "UPDATE r SET c0 = 'b' WHERE rowid = (SELECT min(rowid) FROM r WHERE c0 = 'a')")
    with pytest.raises(
        VerificationError,
        match=(
            r"the sizes of 2 groups changed, .* alpha=0.2 \(chi-squared 3.6, at most"
            r" 1.642\)"
        ),
    ):
        check(policy)


@pytest.mark.parametrize("seed", [2, 7])
def test_regions_are_counted_as_they_are_seen(tmp_path, seed):
    """Emptied regions are one group to whoever has the release: the run takes no more degrees of
    freedom than that."""
    rnd = random.Random(seed)
    rows = [(rnd.randrange(30), rnd.randrange(30), rnd.choice("abc")) for _ in range(40)]
    make_table(tmp_path / "source.duckdb", {"a": "INTEGER", "b": "INTEGER", "s": "VARCHAR"}, rows)
    columns = {"a": {"type": "suppression"}, "b": {"type": "suppression"}, "s": "sensitive"}
    method = {"type": "hybrid", "recoding": "mondrian", "p": 0.2, "alpha": 0.05}
    policy = Policy.parse(policy_data(columns, k=2, method=method), tmp_path)
    report = anonsql.run(policy)
    found = check(policy)
    assert report.relocated.cells and found.chi_squared <= found.critical
    assert report.relocated.critical <= found.critical * (1 + 1e-6)


# labels that are no nodes of a hierarchy: ranges and sets of regions


def regions(folder, released, p, moved=3, **method):
    """Numbers 1 … 12 with a word each, released by hand as regions."""
    source = [(n, "uvw"[n % 3], n % 2) for n in range(1, 13)]
    (folder / "source.duckdb").unlink(missing_ok=True)
    make_table(folder / "source.duckdb", {"n": "INTEGER", "w": "VARCHAR", "s": "INTEGER"}, source)
    columns = {"n": {"type": "suppression"}, "w": {"type": "suppression"}, "s": "sensitive"}
    data = policy_data(
        columns, k=3, method={"type": "hybrid", "recoding": "mondrian", "p": p, **method}
    )
    data["release"]["bounds"] = False
    policy = Policy.parse(data, folder)
    path = folder / "release.duckdb"
    path.unlink(missing_ok=True)
    make_table(path, {"n": "VARCHAR", "w": "VARCHAR", "s": "INTEGER"}, released, "r")
    facts = {
        "method": "hybrid",
        "k": 3,
        **policy.method.promised(policy.privacy),
        "rows": len(released),
        "suppressed": 0,
        "masked": 0,
        "anonsql": "by hand",
    }
    facts |= {
        "classes": len({row[:2] for row in released}),
        "relocated_rows": moved,
        "relocated_cells": moved,
    }
    facts |= {"relocated_cells.n": moved, "relocated_cells.w": 0}
    make_table(
        path,
        {"property": "VARCHAR", "value": "VARCHAR"},
        [(name, str(value)) for name, value in facts.items()],
        "r__about",
    )
    role = {name: policy.columns[name].role for name in ("n", "w", "s")}
    make_described(path, [(name, role[name], None, "set", "by hand") for name in role])
    written_anew(path)
    return policy


def as_regions(*sizes, labels=("[1,4]", "[5,8]", "[9,12]")):
    """The twelve rows in order, so many of them in each region."""
    values = [n % 2 for n in range(1, 13)]
    return [
        (label, "{u, v, w}", values.pop(0))
        for label, size in zip(labels, sizes)
        for _ in range(size)
    ]


def test_regions(tmp_path):
    policy = regions(tmp_path, as_regions(6, 3, 3), 0.125, alpha=0.05)
    found = check(policy)
    assert (found.changed_cells, found.changed_rows, found.max_changed_cells) == (2, 2, 3)
    assert (found.chi_squared, found.critical) == pytest.approx(
        (4 / 4 + 1 / 4 + 1 / 4, chi2.isf(0.05, 2))
    )
    found = check(
        regions(tmp_path, as_regions(6, 6, labels=("[1,5]", "[7,12]")), 0.2, alpha=0.3)
    )  # 6 is in none
    assert (found.changed_cells, found.chi_squared) == (1, pytest.approx(1 / 5 + 1))
    assert found.critical == pytest.approx(chi2.isf(0.3, 2))
    with pytest.raises(VerificationError, match=r"more than 0, the limit of p=0\.04"):
        check(regions(tmp_path, as_regions(6, 3, 3), 0.04, moved=0))
    with pytest.raises(VerificationError, match="2 rows of the source match several groups"):
        check(regions(tmp_path, as_regions(6, 6, labels=("[1,7]", "[6,12]")), 0.2, alpha=0.3))


# other engines, real data


@pytest.mark.sampled(3)
@pytest.mark.parametrize("file", [None, "release.duckdb", "release.parquet"])
def test_postgres(tmp_path, file):
    """Released rows that lie in a file travel to where the source is."""
    types = {
        "a": "VARCHAR",
        "x": "DOUBLE",
        "amount": "DECIMAL(8,2)",
        "day": "TIMESTAMP",
        "note": "VARCHAR",
        "ill": "VARCHAR",
    }
    rows = [
        (
            f"v{n % 5}",
            n / 3,
            n / 4,
            f"2024-01-{n % 28 + 1:02} 10:00:00.5",
            f"é'{n}",
            None if n % 4 else "flu",
        )
        for n in range(40)
    ]
    rows += [("w", 1e20, -0.25, None, None, "flu")]
    server = Postgres(tmp_path)
    try:
        server.make(types, rows)
        kept = dict.fromkeys(("x", "amount", "day", "note"), "insensitive")
        data = policy_data(
            {"a": {"type": "suppression"}, **kept, "ill": "sensitive"},
            k=3,
            method={"type": "hybrid", "p": 0.05},
        )
        policy = policy_on(server, data)
        if file:
            release = (
                Release(file=file, table="r")
                if file.endswith("parquet")
                else Release(database=str(tmp_path / file), table="r", completed=0)
            )
            policy = policy.model_copy(update={"release": release})
        assert anonsql.run(policy).relocated.cells == 1
        assert (check(policy).changed_cells, check(policy).max_changed_cells) == (1, 2)
        if file == "release.duckdb":
            alter(policy, "UPDATE r SET ill = 'flu' WHERE amount = 0.25")
        elif not file:
            server.connection.execute(
                f"UPDATE {server.release}.r SET ill = CASE WHEN amount = 0.25 THEN 'flu' ELSE ill END"
            )
        if file != "release.parquet":
            with pytest.raises(VerificationError, match="1 released rows have sensitive"):
                check(policy)
    finally:
        server.close()


@pytest.mark.long
@needs_data
def test_adult(tmp_path):
    policy = adult_policy(tmp_path, ADULT, 10, method={"type": "hybrid", "p": 0.01})
    report, found = anonsql.run(policy), check(policy)
    assert 0 < found.changed_cells <= report.relocated.cells <= found.max_changed_cells
