"""Who is left out where rows are suppressed: what each value lost, told and limited, against naive
Python that goes through the rows one by one."""

import math
from collections import Counter, defaultdict
from contextlib import contextmanager
from fractions import Fraction

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.console import Console

import anonsql
from anonsql.errors import PolicyError, PrivacyError, VerificationError
from anonsql.features.report import owner as owner_page
from anonsql.features.report.owner import page_of
from anonsql.features.verify.described import describe
from anonsql.jobs import pipeline
from anonsql.jobs.sessions import read_only_job
from anonsql.policy.locations import JobLocations
from anonsql.policy.policy import Policy
from anonsql.presentation import terminal
from anonsql.risks import left_out
from anonsql.system.clock import silent
from anonsql.verification.linking import group_shares

from .engines import policy_on
from .methods import PLAIN
from .support import (
    editing,
    job,
    make_source,
    make_table,
    opened,
    policy_data,
    policy_in,
    rows_of,
    vectors,
)
from .test_incognito import COMPLETE, oracle_of, random_job, tables


def lost_by_value(rows, suppressed):
    """(column's place, value) -> (rows, suppressed rows), one row at a time."""
    found = defaultdict(lambda: [0, 0])
    for row, gone in zip(rows, suppressed, strict=True):
        for place, value in enumerate(row):
            found[place, value][0] += 1
            found[place, value][1] += gone
    return found


def suppressed_at(oracle, rows, levels, k):
    classes = oracle.classes(levels)
    return [classes[oracle.generalize(row, levels)] < k for row in rows]


def satisfying(oracle, full_rows, k, max_suppressed, limit):
    """The nodes within both limits; ``full_rows`` have the sensitive value behind the others."""
    names = [row[:-1] for row in full_rows]
    found = set()
    for levels in oracle.satisfying(k, max_suppressed):
        lost = lost_by_value(full_rows, suppressed_at(oracle, names, levels, k))
        if all(gone <= limit * n for n, gone in lost.values() if n >= k):
            found.add(levels)
    return found


def with_sensitive(folder, rows, policy, limit):
    """A policy with a limit, over the table with a sensitive column more."""
    (folder / "source.duckdb").unlink()
    names = [f"c{number}" for number in range(len(rows[0]) - 1)]
    make_source(folder, dict.fromkeys([*names, "ill"], "VARCHAR"), rows)
    data = policy.model_dump(mode="json", exclude_unset=True)
    data["columns"]["ill"] = {"role": "sensitive"}
    data["privacy"]["max_group_loss"] = limit
    return Policy.parse(data, folder)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    tables(max_rows=18),
    st.integers(2, 3),
    st.sampled_from([0.1, 0.3, 0.6]),
    st.sampled_from([0.0, 0.2, 0.5]),
    st.sampled_from([*COMPLETE, "binary-search"]),
    st.randoms(use_true_random=False),
)
def test_the_search_with_a_limit_is_brute_force(
    tmp_path_factory, table, k, suppression, limit, algorithm, random
):
    rows, labels = table
    k, folder = min(k, len(rows)), tmp_path_factory.mktemp("losses")
    policy = random_job(folder, rows, labels, k, suppression, algorithm)
    full = [(*row, random.choice(["flu", "gout", None])) for row in rows]
    policy = with_sensitive(folder, full, policy, limit)
    oracle, most = oracle_of(rows, labels), policy.privacy.max_suppressed(len(rows))
    expected = satisfying(oracle, full, k, most, Fraction(str(limit)))
    if algorithm == "binary-search":
        least = min(map(sum, expected))
        expected = {node for node in expected if sum(node) == least}
    with job(policy, folder) as done:
        assert vectors(done) == expected
        searched = done.schema.searched
        if algorithm != "binary-search":
            assert vectors(done, searched.minimal) == {
                node
                for node in expected
                if not any(
                    tuple(b - (i == j) for j, b in enumerate(node)) in expected
                    for i in range(len(node))
                )
            }
        for levels, verdict in searched.verdicts:
            if len(levels) == len(labels) and algorithm != "binary-search":
                assert verdict.satisfied == (tuple(levels.values()) in expected)
                if algorithm == "auto":
                    assert verdict.rule in ("checked", "generalization", "specialization")


@settings(max_examples=25, deadline=None)
@given(tables(max_rows=18), st.integers(2, 3), st.sampled_from([0.3, 0.6]))
def test_what_a_value_loses_never_grows_along_the_lattice(tmp_path_factory, table, k, limit):
    """Why a node that keeps the limit decides its generalizations."""
    rows, labels = table
    oracle = oracle_of(rows, labels)
    lost = {
        levels: lost_by_value(rows, suppressed_at(oracle, rows, levels, k))
        for levels in oracle.lattice()
    }
    for levels, found in lost.items():
        for place in range(len(levels)):
            above = tuple(level + (place == axis) for axis, level in enumerate(levels))
            for value, (_, gone) in lost.get(above, {}).items():
                assert gone <= found[value][1]


HERE = {"sex": "VARCHAR", "age": "INTEGER", "job": "VARCHAR", "ill": "VARCHAR", "note": "VARCHAR"}


def claims(count=400):
    """Claims of people, with a few of rare groups: sex x, three soldiers."""
    return [
        (
            "x" if n % 80 == 0 else "fm"[n % 2],
            20 + n * 7 % 40,
            "soldier" if n % 100 < 2 else "clerk" if n % 3 else None,
            ["flu", "gout", "cold"][n * n % 3] if n % 50 else "rare",
            f"n{n % 5}",
        )
        for n in range(count)
    ]


def claims_policy(folder, method=None, **privacy):
    columns = {
        "sex": {"type": "suppression"},
        "age": {"type": "interval", "widths": [10, 20]},
        "job": {"type": "suppression"},
        "ill": "sensitive",
        "note": "insensitive",
    }
    return policy_in(
        folder, columns, k=6, limit=0.3, method=method or {"type": "full-domain"}, privacy=privacy
    )


AT = {"type": "full-domain", "levels": {"sex": 0, "age": 1, "job": 0}}


def expected_losses(rows, k=6):
    """What is to be told of claims released at the levels of AT: (column, value or None where rare)
    -> (values, rows, released)."""
    classes = Counter((row[0], row[1] // 10, row[2]) for row in rows)
    gone = [classes[row[0], row[1] // 10, row[2]] < k for row in rows]
    named, rare = {}, defaultdict(lambda: [0, 0, 0])
    for (place, value), (n, lost) in lost_by_value(rows, gone).items():
        column, text = list(HERE)[place], None if value is None else str(value)
        overall = sum(gone) / len(rows)
        if column == "note" and (n < k or lost / n <= max(2 * overall, overall + 0.05)):
            continue
        if lost and n >= k:
            named[column, text] = (1, n, n - lost)
        elif lost:
            for at, more in enumerate((1, n, n - lost)):
                rare[column][at] += more
    return named, {column: tuple(item) for column, item in rare.items()}


@pytest.mark.parametrize("show", [False, True])
def test_run_tells_what_every_value_lost(tmp_path, show):
    make_source(tmp_path, HERE, rows := claims())
    report = anonsql.run(claims_policy(tmp_path, AT), show_values=show)
    named, rare = expected_losses(rows, k=6)
    told = {(e.column, e.value): (e.values, e.rows, e.released) for e in report.left_out}
    if not show:
        assert told == named | {(column, None): element for column, element in rare.items()}
        assert all(entry.rows >= 6 or entry.rare for entry in report.left_out)
    assert report.left_out and report.left_out[0].share == 0
    shares = [item.share for item in report.left_out]
    assert shares == sorted(shares)
    assert all(math.isclose(e.share, e.released / e.rows) for e in report.left_out)


def test_the_engines_tell_alike(engine):
    engine.make(HERE, rows := claims())
    columns = {
        "sex": {"type": "suppression"},
        "age": {"type": "interval", "widths": [10, 20]},
        "job": {"type": "suppression"},
        "ill": "sensitive",
        "note": "insensitive",
    }
    data = policy_data(columns, k=6, limit=0.3, method=AT)
    report = anonsql.run(policy_on(engine, data))
    named, rare = expected_losses(rows)
    told = {(e.column, e.value): (e.values, e.rows, e.released) for e in report.left_out}
    assert told == named | {(column, None): item for column, item in rare.items()}
    data["privacy"]["max_group_loss"] = 0.2
    del data["method"]
    kept = anonsql.run(policy_on(engine, data))
    assert all(e.share >= 0.8 for e in kept.left_out if not e.rare and e.column != "note")


METHODS = [name for name in PLAIN if name not in ("homogeneous", "anatomy", "local")]


@pytest.mark.parametrize("name", METHODS)
def test_every_method_keeps_the_limit_or_refuses(tmp_path, name):
    method = PLAIN[name]
    rows = [row for row in claims() if row[0] is not None]
    make_source(tmp_path, HERE, rows)
    policy = claims_policy(tmp_path, method, max_group_loss=0.1)
    try:
        report = anonsql.run(policy)
    except PrivacyError as error:
        assert "privacy.max_group_loss" in str(error)
        assert "set it to" in str(error) or "leave it out" in str(error)
        assert not (tmp_path / "release.duckdb").exists()
        loose = claims_policy(tmp_path, method)
        losses = anonsql.run(loose).left_out
        assert min(e.share for e in losses if not e.rare and e.column != "note") < 0.9
        return
    about = dict(rows_of(tmp_path / "release.duckdb", "SELECT property, value FROM r__about"))
    assert about["max_group_loss"] == "0.1"
    for item in report.left_out:
        assert item.rare or item.column == "note" or item.share >= 0.9
    assert "max_group_loss" in anonsql.verify(policy).as_told  # only the source shows it
    judged = not (policy.method.changes_values or policy.tabled)
    compared = anonsql.verify(policy, against_source=True)
    assert ("max_group_loss" in compared.as_told) == (not judged)


def test_levels_that_are_named_are_refused_with_the_least_limit_that_would_do(tmp_path):
    make_table(tmp_path / "source.duckdb", HERE, rows := claims())
    with pytest.raises(PrivacyError, match="rows with the same value of job") as error:
        anonsql.run(claims_policy(tmp_path, AT, max_group_loss=0.2))
    assert not any(name in str(error.value) for name in ("soldier", "'x'"))
    assert expected_losses(rows)[0]
    with pytest.raises(PrivacyError, match="rows with the same value '"):
        anonsql.run(claims_policy(tmp_path, AT, max_group_loss=0.2), show_values=True)


def test_where_no_generalization_keeps_it_the_error_says_so(tmp_path):
    rows = [("f", 20, "clerk", "flu", "a")] * 40 + [("x", 20, "clerk", "flu", "a")] * 5
    rows += [("m", 20 + n, "clerk", "rare", "a") for n in range(3)] + [
        ("f", 20, "clerk", "rare", "a")
    ] * 3
    make_table(tmp_path / "source.duckdb", HERE, rows)
    policy = claims_policy(tmp_path, max_group_loss=0.2)
    data = policy.model_dump(mode="json", exclude_unset=True)
    data["columns"]["sex"]["max_level"] = 0
    with pytest.raises(PrivacyError, match="even at the highest levels") as error:
        anonsql.run(Policy.parse(data, tmp_path))
    assert "3 of 6 rows with the same value of ill" in str(error.value)
    assert "set it to 0.5" in str(error.value)
    data["privacy"]["max_group_loss"] = 0.5
    assert anonsql.run(Policy.parse(data, tmp_path)).suppressed == 8


# the proof: verification recomputes it


def without_the_writers_limit(monkeypatch):
    """Let staging and the search forget the limit."""
    monkeypatch.setattr("anonsql.risks.left_out.require_within", lambda *_, **__: None)
    monkeypatch.setattr("anonsql.jobs.decisions._group_losses", lambda *_, **__: None)


@pytest.mark.parametrize("suppressed", ["remove", "mask"])
def test_verification_of_a_run_refuses_what_the_writer_let_pass(tmp_path, monkeypatch, suppressed):
    make_table(tmp_path / "source.duckdb", HERE, rows := claims())
    data = claims_policy(tmp_path, AT, max_group_loss=0.2).model_dump(
        mode="json", exclude_unset=True
    )
    data["release"]["suppressed"] = suppressed
    without_the_writers_limit(monkeypatch)
    with pytest.raises(VerificationError, match=r"max_group_loss=0\.2 is not kept") as error:
        anonsql.run(Policy.parse(data, tmp_path))
    worst = max(
        (lost / n, n, n - lost)
        for (place, _), (n, lost) in lost_by_value(
            rows, [rows_of_class(rows)[row[0], row[1] // 10, row[2]] < 6 for row in rows]
        ).items()
        if n >= 6 and place < 4
    )
    assert f"of {worst[1]:,} rows with the same value" in str(error.value)
    assert f"at most {worst[2]:,} are released" in str(error.value)
    assert not (tmp_path / "release.duckdb").exists()


def rows_of_class(rows):
    return Counter((row[0], row[1] // 10, row[2]) for row in rows)


def with_limit_stated(folder, policy, limit):
    """Write into a release that it keeps a limit; return the policy that asks for it."""
    with editing(folder / "release.duckdb") as connection:
        connection.execute("INSERT INTO r__about VALUES ('max_group_loss', ?)", [str(limit)])
    data = policy.model_dump(mode="json", exclude_unset=True)
    data["privacy"]["max_group_loss"] = limit
    return Policy.parse(data, folder)


@pytest.mark.parametrize("method", [AT, {"type": "mondrian"}, {"type": "hilbert"}])
def test_what_is_published_is_held_to_the_limit_against_the_source(tmp_path, method):
    """The sensitive values are counted, whatever the labels are."""
    rows = claims(60) + [("f", 21, "clerk", "mumps", "n")] * 7
    make_table(tmp_path / "source.duckdb", HERE, rows)
    anonsql.run(policy := claims_policy(tmp_path, method, suppression_limit=0.9))
    with opened(tmp_path / "release.duckdb") as connection:
        (before,) = connection.execute("SELECT COUNT(*) FROM r WHERE ill = 'mumps'").fetchone()
    lost = 7 - before
    limit = round((lost + 0.5) / 7, 3)
    stated = with_limit_stated(tmp_path, policy, limit)
    found = shares_of(stated)
    exact = [share for share in found if share.column == "ill" and share.value == "mumps"]
    assert [share.most for share in exact] == [before] * (before < 7)


def shares_of(policy):
    """What verification counts of a published release."""
    with compared_with_source(policy) as parts:
        return group_shares.of_release(*parts, least=1)


@contextmanager
def compared_with_source(policy):
    """A published release and its source, in the shape in which verification takes them."""
    with (
        read_only_job(policy, "verify", at=JobLocations.of(policy).source, reading=True) as opened,
        opened.target.published() as published,
    ):
        pipeline.go_through(opened, pipeline.DIMENSIONS)
        source = opened.opened.source
        yield opened.engine, published, policy, source, opened.counted.attributes


@pytest.mark.parametrize("suppressed", ["remove", "mask"])
def test_shares_of_levels_are_exact(tmp_path, suppressed):
    make_table(tmp_path / "source.duckdb", HERE, rows := claims())
    data = claims_policy(tmp_path, AT).model_dump(mode="json", exclude_unset=True)
    data["release"]["suppressed"] = suppressed
    anonsql.run(policy := Policy.parse(data, tmp_path))
    gone = [rows_of_class(rows)[row[0], row[1] // 10, row[2]] < 6 for row in rows]
    expected = {
        (list(HERE)[place], None if value is None else str(value)): (n, n - lost, n - lost)
        for (place, value), (n, lost) in lost_by_value(rows, gone).items()
        if lost and place < 4
    }
    found = {
        (share.column, share.value): (share.rows, share.least, share.most)
        for share in shares_of(policy)
    }
    assert found == expected
    anonsql.verify(policy, against_source=True)
    with pytest.raises(VerificationError, match=r"max_group_loss=0\.2 is not kept"):
        anonsql.verify(with_limit_stated(tmp_path, policy, 0.2), against_source=True)


def test_a_group_taken_from_a_release_is_missed(tmp_path):
    """With the counts in __about adjusted to it."""
    rows = [("f", 20, "clerk", "flu", "a")] * 40 + [("x", 20, "clerk", "flu", "a")] * 8
    make_table(tmp_path / "source.duckdb", HERE, rows)
    anonsql.run(policy := claims_policy(tmp_path, AT, max_group_loss=0.2))
    anonsql.verify(policy, against_source=True)
    with editing(tmp_path / "release.duckdb") as connection:
        connection.execute("DELETE FROM r WHERE sex = 'x'")
        for name, value in {"rows": 40, "suppressed": 8, "classes": 1, "min_class": 40}.items():
            connection.execute("UPDATE r__about SET value = ? WHERE property = ?", [value, name])
    with compared_with_source(policy) as parts:
        (offence,) = group_shares.offences(*parts)
    assert "of 8 rows with the same value of 'sex' at most 0" in offence
    with pytest.raises(VerificationError):
        anonsql.verify(policy, against_source=True)


def test_measure_and_the_page_recompute_who_is_left_out(tmp_path):
    make_source(tmp_path, HERE, claims())
    report = anonsql.run(policy := claims_policy(tmp_path, AT))
    expected = {
        (loss.column, loss.value, loss.rare): (loss.values, loss.rows, loss.released)
        for loss in report.left_out
        if loss.column != "note"
    }
    measured = anonsql.measure(policy, queries=10)
    for losses in (
        measured.left_out,
        owner_page.gather(policy, silent, show_values=False).left_out,
    ):
        assert {
            (loss.column, loss.value, loss.rare): (loss.values, loss.rows, loss.released)
            for loss in losses
        } == expected
        assert [loss.share for loss in losses] == sorted(loss.share for loss in losses)
        assert all(loss.rare or loss.rows >= 6 for loss in losses)
    html = page_of(owner_page.gather(policy, silent, show_values=False))
    assert "Who is left out" in html and "values of fewer than 6 rows" in html
    verified = anonsql.verify(policy)
    assert verified.missing == report.suppressed > 0
    console = Console(width=80, record=True)
    terminal.show(console, describe(verified))
    said = " ".join(console.export_text().split())
    assert f"{report.suppressed} rows of the source are left out or masked: the" in said


def test_insensitive_values_are_told_where_they_lose_clearly_more(tmp_path):
    rows = [(*row[:4], f"n{n}") for n, row in enumerate(claims())]  # each note once
    make_table(tmp_path / "source.duckdb", HERE, rows)
    report = anonsql.run(claims_policy(tmp_path, AT))
    assert report.left_out and not [loss for loss in report.left_out if loss.column == "note"]
    gone = [rows_of_class(rows)[row[0], row[1] // 10, row[2]] < 6 for row in rows]
    rows = [(*row[:4], "gone" if lost else "there") for row, lost in zip(rows, gone, strict=True)]
    (tmp_path / "source.duckdb").unlink()
    make_table(tmp_path / "source.duckdb", HERE, rows)
    report = anonsql.run(claims_policy(tmp_path, AT))
    (note,) = [loss for loss in report.left_out if loss.column == "note"]
    assert (note.value, note.rows, note.released) == ("gone", sum(gone), 0)


# masked rows


def test_masked_rows_keep_their_other_columns_and_count_as_lost(tmp_path):
    make_table(tmp_path / "source.duckdb", HERE, rows := claims())
    data = claims_policy(tmp_path, AT).model_dump(mode="json", exclude_unset=True)
    left_out = anonsql.run(Policy.parse(data, tmp_path)).left_out
    data["release"]["suppressed"] = "mask"
    report = anonsql.run(policy := Policy.parse(data, tmp_path))
    assert report.masked == report.suppressed > 0 and report.left_out == left_out
    found = rows_of(tmp_path / "release.duckdb", "SELECT sex, age, job, ill, note FROM r")
    classes = Counter((row[0], row[1] // 10, row[2]) for row in rows)
    masked = [row for row in rows if classes[row[0], row[1] // 10, row[2]] < 6]
    assert Counter(row[3:] for row in found if row[:3] == ("*", "*", "*")) == Counter(
        row[3:] for row in masked
    )
    assert Counter(row[3:] for row in found) == Counter(row[3:] for row in rows)
    classes = Counter(row[:3] for row in found)
    assert min(classes.values()) >= 6  # masked rows are a class of k rows, too
    anonsql.verify(policy)


def test_masked_rows_that_would_break_the_promise_are_left_out(tmp_path):
    """Five rows would be a class of fewer than k."""
    rows = [("f", 20, "clerk", "flu", "a")] * 40 + [("x", 20, "clerk", "gout", "a")] * 5
    make_table(tmp_path / "source.duckdb", HERE, rows)
    data = claims_policy(tmp_path, AT).model_dump(mode="json", exclude_unset=True)
    data["release"]["suppressed"] = "mask"
    report = anonsql.run(Policy.parse(data, tmp_path))
    assert (report.masked, report.suppressed, report.released) == (0, 5, 40)
    with opened(tmp_path / "release.duckdb") as connection:
        connection.execute(
            "INSERT INTO r SELECT '*', '*', NULL, NULL, '*', 'gout', 'a' FROM range(5)"
        )
    with pytest.raises(VerificationError):
        anonsql.verify(Policy.parse(data, tmp_path))


# policies


def test_what_does_not_go_with_the_limit_is_refused(tmp_path):
    make_source(tmp_path, {**HERE, "id": "INTEGER"}, [])
    with pytest.raises(PolicyError, match=r"max_group_loss.*over_time holds rows back"):
        data = claims_policy(tmp_path).model_dump(mode="json", exclude_unset=True)
        data["columns"]["id"] = {"role": "identifying"}
        data["privacy"] |= {"max_group_loss": 0.2, "over_time": {"key": "id"}}
        Policy.parse(data, tmp_path)
    with pytest.raises(PolicyError, match="max_group_loss"):
        claims_policy(tmp_path, max_group_loss=1)


def test_what_is_never_suppressed_is_not_counted(tmp_path, monkeypatch):
    make_table(tmp_path / "source.duckdb", HERE, claims())
    monkeypatch.setattr(left_out, "losses_of_values", None)  # it would be called
    assert anonsql.run(claims_policy(tmp_path, suppression_limit=0.0)).left_out == []
