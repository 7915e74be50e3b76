"""Differential privacy by SafePub: draws, scores and releases against their formulas, an attack on
membership that must not succeed and one that must, forged releases, and policies that ask for what
cannot be. Draws have no seed: what chance decides here fails once in 10^9 runs."""

import collections
import math
import shutil
from contextlib import closing
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import anonsql
from anonsql.engines import open_workbench
from anonsql.engines.base import Column, Context
from anonsql.errors import PolicyError, VerificationError
from anonsql.features.report import promises
from anonsql.jobs import differential as drawing
from anonsql.jobs import pipeline
from anonsql.policy.envelope import EngineSettings
from anonsql.policy.policy import Policy
from anonsql.policy.refusals import DIFFERENTIAL
from anonsql.policy.statistics import StatisticsPolicy
from anonsql.privacy import differential, exponential, safepub
from anonsql.privacy.differential import Differential
from anonsql.privacy.spending import SPENT
from anonsql.release import sampling
from anonsql.search import scores
from anonsql.star.lattice import Lattice
from anonsql.system.journal import Journal
from anonsql.verification import differential as proving
from anonsql.verification.linking import sampled

from .engines import policy_on
from .support import edit, in_file, job, label_trees, make_source, policy_data, rows_of
from .test_incognito import tables

SIGMAS = 6.2  # passed once in 10^9 times, on both sides together
ASKED = {"epsilon": 1, "delta": 1e-3}
TYPES = {"age": "INTEGER", "city": "VARCHAR", "name": "VARCHAR"}
COLUMNS = {
    "age": {"type": "interval", "widths": [10, 20]},
    "city": {"type": "order", "levels": [{"north": ["a", "b"], "south": ["c", "d"]}]},
    "name": "identifying",
}


def asking(columns=COLUMNS, levels=None, **asked):
    """A policy's data with differential privacy; where no levels are given they are drawn."""
    data = policy_data(columns)
    data["privacy"] = {"differential": {**ASKED, **asked}}
    if levels is None:
        data["privacy"]["differential"].setdefault("search_epsilon", 0.2)
    else:
        data["method"] = {"levels": levels}
    return data


def people(rows=3000):
    return [(number % 57, "abcd"[number % 4], f"p{number}") for number in range(rows)]


LEVELED = asking(levels={"age": 2, "city": 1})


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """The folder of a source and its release, at given levels."""
    folder = tmp_path_factory.mktemp("differential")
    make_source(folder, TYPES, people())
    anonsql.run(Policy.parse(LEVELED, folder))
    return folder


@pytest.fixture
def released(made, tmp_path):
    """The policy of a copy of them."""
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    return Policy.parse(LEVELED, tmp_path)


def facts_of(folder):
    return dict(rows_of(folder / "release.duckdb", "FROM r__about"))


@pytest.fixture
def engine(tmp_path):
    with closing(open_workbench(Context(tmp_path, EngineSettings(), Journal()))) as made:
        yield made


def numbered(engine, rows, column="id"):
    """A table of numbers, and a random sample of it."""
    engine.load_numbers("numbers", {column: np.asarray(rows, dtype=np.int64)})

    def sample(limit):
        engine.drop(sampling.SAMPLED)
        return sampling.sample(engine, ("numbers",), [Column(column, "BIGINT")], limit)

    return sample


# draws


def test_rows_are_kept_with_the_stated_probability(engine, tmp_path):
    rows, sample = 100_000, numbered(engine, range(100_000))
    first = None
    for epsilon in ("0.1", "1", "3"):
        beta = float(safepub.beta_of(Decimal(epsilon)))
        assert 0 <= 1 - math.exp(-float(epsilon)) - beta < 2**-39
        kept = {
            row[0]
            for row in engine.query(
                "verification/facts",
                table=sample(safepub.limit_of(Decimal(epsilon)))[0],
                columns=["id"],
            )
        }
        assert abs(len(kept) - rows * beta) < SIGMAS * math.sqrt(rows * beta * (1 - beta))
        # no row is kept because another one is, nor by its place
        both = sum(number + 1 in kept for number in kept)
        assert abs(both - rows * beta**2) < 2 * SIGMAS * math.sqrt(rows * beta * (1 - beta))
        assert first is None or kept != first
        first = kept


def test_levels_are_drawn_by_the_formula():
    """A clamped score included: it is at most 2^64 times less likely than the best."""
    unit, epsilon = 10, Decimal("0.7")
    found = [0, 5, 10, 31, 33, 33, -(10**9)]
    weights = exponential.weights_of(found, unit, epsilon)
    exact = [math.exp(0.07 * (score - 33)) for score in found[:-1]]
    for weight, share in zip(weights, exact):
        assert weight / max(weights) == pytest.approx(share, rel=1e-12)
    assert weights[-1] == pytest.approx(max(weights) / 2**64, rel=1e-12)
    draws, total = 20_000, sum(exact)
    counts = collections.Counter(exponential.draw(weights) for _ in range(draws))
    for place, share in enumerate(exact):
        p = share / total
        assert abs(counts[place] - draws * p) < SIGMAS * math.sqrt(draws * p * (1 - p))
    assert counts[6] == 0


@pytest.mark.parametrize(
    "more", [[0, 1000, 300, 0, 999], [1000, 0, 1000, 1000, 0], [0, 0, 0, 0, 1000]]
)
def test_a_row_changes_no_weight_by_more_than_epsilon(more):
    """Exactly, as fractions: probabilities of all candidates with and without a row, of which the
    first two are as unlikely as a candidate can be, or nearly."""
    epsilon, unit = Decimal("0.3"), 1000
    without = [0, 700, 147_000, 147_500, 148_000]
    before, after = (
        exponential.weights_of(some, unit, epsilon)
        for some in (without, [a + b for a, b in zip(without, more)])
    )
    bound = Fraction(epsilon.exp())
    ratios = [
        Fraction(new, sum(after)) / Fraction(old, sum(before)) for old, new in zip(before, after)
    ]
    assert 1 / bound < min(ratios) and max(ratios) < bound


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(tables(max_rows=20), st.integers(1, 4), st.sampled_from([0, 10**8, 3 * 10**9]))
def test_scores_are_those_of_the_formula(tmp_path_factory, table, least, reach):
    """Also where those far below the greatest are not counted."""
    rows, labels = table
    folder = tmp_path_factory.mktemp("scores")
    columns = label_trees(folder, labels) | {"n": {"type": "interval", "widths": [2, 6]}}
    rows = [(*row, number % 7) for number, row in enumerate(rows)]
    types = dict.fromkeys(columns, "VARCHAR") | {"n": "INTEGER"}
    make_source(folder, types, rows)
    policy = Policy.parse(asking(columns), folder)
    with job(policy, folder, (*pipeline.OPEN_SOURCE, *pipeline.FIT, pipeline.build_star)) as made:
        star, nodes = made.schema.star, made.schema.nodes
        lattice = Lattice(tuple(a.index for a in star.attributes), star.bottom, star.top)
        levels = list(lattice.levels(~lattice.none()).values())
        found = scores.scores(nodes.sets, nodes.roll_ups, levels, least, 10**18)
        near = scores.scores(nodes.sets, nodes.roll_ups, levels, least, reach)
    exact = [expected_score(rows, labels, list(node.values()), least) for node in levels]
    for expected, score in zip(exact, found):
        assert 0 <= expected * scores.UNIT - score <= len(rows) * (len(columns) + 1)
    far = max(found) - reach
    assert [max(score, far) for score in near] == [max(score, far) for score in found]


def expected_score(rows, labels, levels, least):
    """Of each class the rows beyond a least number, times what is left of its entries: by leaves
    where these are listed, else by levels."""
    *of_trees, of_interval = levels
    lost = Fraction(of_interval, 3)
    classes = collections.Counter(), {}
    for *row, number in rows:
        width = (None, 2, 6, None)[of_interval]
        key = [number if of_interval == 0 else width and number // width]
        left = 1 - lost
        for column, value, level in zip(labels, row, of_trees):
            height = len(next(iter(column.values()))) - 1
            with_null = {None: (None,) * height + ("*",)} | column
            label = with_null[value][level]
            leaves = sum(other[level] == label for other in with_null.values())
            left += 1 - Fraction(leaves - 1, max(1, len(with_null) - 1))
            key.append((label,))
        classes[0][tuple(key)] += 1
        classes[1][tuple(key)] = left / len(levels)
    return sum(max(0, n - least + 1) * Fraction(classes[1][key]) for key, n in classes[0].items())


# the attack on membership


def outcomes(engine, rows, limit, k, copies=20_000):
    """How often each number of rows of a class is released, in so many runs on a class of so many
    rows: each copy is a class of the same sample."""
    sample = numbered(engine, np.repeat(np.arange(copies), rows))
    kept = engine.query("verification/facts", table=sample(limit)[0], columns=["id"])
    sizes = collections.Counter(row[0] for row in kept)
    counts = collections.Counter(size for size in sizes.values() if size >= k)
    counts[0] = copies - sum(counts.values())
    return counts


def gained(engine, asked, k, rows):
    """By how much whoever knows all rows but one is more often right than exp(epsilon) allows,
    with the event that favours one world most, and the error of that."""
    copies, beta = 20_000, float(asked.beta)
    bound = math.exp(float(asked.anonymizing))
    chances = [
        [
            math.comb(n, j) * beta**j * (1 - beta) ** (n - j) if j <= n else 0
            for j in range(rows + 1)
        ]
        for n in (rows - 1, rows)
    ]
    event = {j for j in range(k, rows + 1) if chances[1][j] > bound * chances[0][j]}
    without, person = (outcomes(engine, n, asked.limit, k) for n in (rows - 1, rows))
    shares = [sum(counts[j] for j in event) / copies for counts in (without, person)]
    error = math.sqrt(sum(max(s, 1e-3) for s in shares) / copies) * (1 + bound)
    return shares[1] - bound * shares[0], SIGMAS * error


def test_an_attack_on_membership_gains_no_more_than_delta(engine):
    """And more than delta where k is too small, so that the attack is one."""
    asked = Differential(epsilon=1, delta="0.05")
    k, beta = asked.k, asked.beta
    gamma = 1 - (1 - float(beta)) * math.exp(-1)
    assert 5 < k < 20
    gain, error = gained(engine, asked, k, math.ceil(k / gamma))
    assert gain <= 0.05 + error
    gain, error = gained(engine, asked, 1, 1)
    assert gain > 0.05 + error


def test_a_k_that_is_too_small_is_seen():
    """By the proof, which computes delta on its own."""
    for epsilon, delta in (("0.1", "1e-4"), ("1", "1e-5"), ("2", "1e-6"), ("8", "0.001")):
        asked = Differential(epsilon=epsilon, delta=delta)
        figures = float(epsilon), float(asked.beta)
        assert proving.delta_of(*figures, asked.k, float(delta)) is None
        assert proving.delta_of(*figures, asked.k - 1, float(delta)) > float(delta)


# releases


def test_every_engine(everywhere):
    everywhere.make(TYPES, [*people(2997), (None, None, "x"), (3, "d", None), (56, None, "y")])
    data = asking(epsilon=2)
    if everywhere.name == "postgres":  # whose cells travel to a workbench otherwise, as SQLite's do
        data["engine"] = {"workbench": "in-place"}
    asked = policy_on(everywhere, data)
    report = anonsql.run(asked)
    beta, k = float(asked.privacy.differential.beta), asked.privacy.k
    assert report.records == 3000
    error = SIGMAS * math.sqrt(3000 * beta * (1 - beta))
    assert abs(report.sampled - 3000 * beta) < error
    assert report.released == report.sampled - report.suppressed
    assert report.k == k and (not report.released or report.min_class >= k)
    assert not any("spend" in warning.message for warning in report.warnings)
    found = anonsql.verify(asked, against_source=True)
    assert found.as_told == ["anonsql", "differential.spent", "release"]
    assert found.against_source.originals == 3000


def test_a_release_tells_nothing_of_what_it_lacks(released, tmp_path):
    facts = facts_of(tmp_path)
    assert all(differential.is_told(name) for name in facts)
    assert not facts.keys() & {"suppressed", "suppression_limit", "loss", "gcp", "sampled"}
    asked = released.privacy.differential
    assert facts["k"] == facts["differential.k"] == str(safepub.k_for(Decimal(1), Decimal("0.001")))
    assert facts["differential.beta"] == format(float(asked.beta), ".12g")
    assert facts[SPENT] == "rho 0, epsilon 1, delta 0.001 in 1 release of one catalog"


def test_readers_are_told_what_it_means(released, tmp_path):
    facts = facts_of(tmp_path)
    (_, promise) = promises.of(34, "full-domain", promises.stated(facts))
    assert "a factor of at most 2.718" in promise.says and "63.2%" in promise.says
    texts = " ".join(promises.does_not("full-domain", [], None, facts))
    assert "protects single rows" in texts and "not differential privacy" not in texts
    result = anonsql.query(tmp_path / "release.duckdb", "SELECT COUNT(*) FROM r")
    assert any("about 1.582 times" in note for note in result.notes)


def test_null_shows_in_no_bounds(tmp_path):
    """The greatest label of a hierarchy has bounds, which NULL would take away."""
    tree = tmp_path / "h.csv"
    tree.write_text("".join(f"{number};all\n" for number in range(4)))
    columns = {"n": {"type": "file", "path": str(tree)}}
    seen = []
    for rows in ([(1,)] * 900, [(1,)] * 900 + [(None,)]):
        make_source(tmp_path, {"n": "INTEGER"}, rows)
        anonsql.run(Policy.parse(asking(columns, levels={"n": 1}), tmp_path))
        seen.append(rows_of(tmp_path / "release.duckdb", "SELECT DISTINCT n_lo, n_hi FROM r"))
        (tmp_path / "source.duckdb").unlink()
    assert seen[0] == seen[1] and len(seen[0]) == 1


@pytest.mark.parametrize(("data", "rows"), [(asking(), 2), (LEVELED, 0)])
def test_few_rows_are_no_reason_to_fail(tmp_path, data, rows):
    make_source(tmp_path, TYPES, people(rows))
    policy = Policy.parse(data, tmp_path)
    assert anonsql.run(policy).released == 0
    assert anonsql.verify(policy, against_source=True).against_source.originals == rows


def test_releases_of_one_table_add_up(released, tmp_path):
    report = anonsql.run(released)
    (warning,) = [each for each in report.warnings if "2 releases" in each.message]
    assert warning.message == (
        "The 2 releases of this source together spend epsilon 2, delta 0.002. Releases in other"
        " catalogs are not counted, because the run does not know them."
    )
    assert facts_of(tmp_path)[SPENT] == "rho 0, epsilon 2, delta 0.002 in 2 releases of one catalog"
    anonsql.verify(released)
    again = anonsql.run(released, if_changed=True)
    assert again.status == "unchanged"  # which draws nothing, and spends nothing


def test_releases_in_other_places_add_up_by_their_catalog(tmp_path):
    """Of rows and of statistics alike; a catalog beside each release knows of that alone."""
    make_source(tmp_path, TYPES, people())

    def released_to(name, **more):
        place = {"database": f"{name}.duckdb", "table": "r"}
        policy = Policy.parse({**LEVELED, "release": {**place, "completed": 0}, **more}, tmp_path)
        return anonsql.run(policy), rows_of(tmp_path / f"{name}.duckdb", "FROM r__about")

    shared = {"catalog": "account.duckdb"}
    statistics = {
        "source": LEVELED["source"],
        "release": {"database": "counts.duckdb"},
        "statistics": {
            "by": {"age": {"hierarchy": {"type": "breaks", "at": [0, 30]}}},
            "of": {"n": "count"},
            "tables": [{"by": ["age"], "levels": {"age": 1}}],
        },
        "protect": {"entity": "name", "by": "noise", "noise": {"rho": 0.5}},
    }
    for number, name in enumerate(("one", "two"), start=1):
        report, about = released_to(name, **shared)
        words = f"rho 0, epsilon {number}, delta 0.00{number} in {number} release"
        assert dict(about)[SPENT].startswith(words)
    assert "Releases in other catalogs are not counted" in str(report.warnings)
    counted = anonsql.tabulate(StatisticsPolicy.parse({**statistics, **shared}, tmp_path))
    assert counted.spent == "rho 0.5, epsilon 2, delta 0.002 in 3 releases of one catalog"
    for name in ("three", "four"):
        assert dict(released_to(name)[1])[SPENT].endswith("in 1 release of one catalog")


def test_a_file_has_one_account_however_it_is_spelled(tmp_path):
    make_source(tmp_path, TYPES, people())
    lines = ["age,city,name", *(",".join(map(str, row)) for row in people())]
    (tmp_path / "people.csv").write_text("\n".join(lines))
    (tmp_path / "sub").mkdir()
    for kind, name in (("database", "source.duckdb"), ("file", "people.csv")):
        link = tmp_path / f"link-{name}"
        link.symlink_to(tmp_path / name)
        table = {"table": LEVELED["source"]["table"]} if kind == "database" else {}
        for number, spelled in enumerate((name, f"sub/../{name}", link.name), start=1):
            release = {"database": f"{kind}{number}.duckdb", "table": "r", "completed": 0}
            more = {"source": {kind: spelled, **table}, "release": release, "catalog": "c.duckdb"}
            anonsql.run(Policy.parse({**LEVELED, **more}, tmp_path))
            about = dict(rows_of(tmp_path / f"{kind}{number}.duckdb", "FROM r__about"))
            assert f"epsilon {number}," in about[SPENT]


def test_an_earlier_release_says_what_it_spent_or_is_warned_of(released, tmp_path):
    spent = f"property = '{SPENT}'"
    edit(tmp_path / "release.duckdb", f"UPDATE r__about SET value = 'much' WHERE {spent}")
    with pytest.raises(
        PolicyError, match=r"spent=much, which cannot be read\. .*the `catalog`"
    ) as e:
        anonsql.run(released)
    assert "or release to another" not in str(e.value)
    written = "epsilon 3, delta 0.005 in 2 releases"  # by versions before this
    edit(tmp_path / "release.duckdb", f"UPDATE r__about SET value = '{written}' WHERE {spent}")
    anonsql.run(released)
    assert facts_of(tmp_path)[SPENT] == "rho 0, epsilon 4, delta 0.006 in 3 releases of one catalog"
    edit(tmp_path / "release.duckdb", f"DELETE FROM r__about WHERE {spent}")
    (warning,) = [each for each in anonsql.run(released).warnings if "earlier" in each.remedy]
    assert "has no differential privacy" in warning.message


def test_a_delta_that_some_row_may_use_up_is_warned_of(tmp_path):
    make_source(tmp_path, TYPES, people(2000))
    checked = anonsql.check(Policy.parse(asking(), tmp_path))
    assert any("1 / 2,000" in warning.message for warning in checked.warnings)
    assert checked.records == 2000


def test_levels_are_drawn_among_those_that_are_allowed(tmp_path):
    """The best of few levels wins by a score that no other comes near."""
    make_source(tmp_path, TYPES, people(4000))
    columns = {**COLUMNS, "age": {"role": "qi", "hierarchy": COLUMNS["age"], "min_level": 2}}
    report = anonsql.run(Policy.parse(asking(columns, epsilon=2, search_epsilon=1), tmp_path))
    assert report.levels == {"age": 2, "city": 0}


def test_rows_of_one_person_are_warned_of(tmp_path):
    """By the whole source; k and people of an entity are no remedy here."""
    make_source(tmp_path, TYPES, [(*row[:2], f"p{n % 300}") for n, row in enumerate(people())])
    report = anonsql.run(Policy.parse(LEVELED, tmp_path))
    (warning,) = [each for each in report.warnings if each.where == "columns.name"]
    assert "300 values" in warning.message and "3,000 rows" in warning.message
    assert "protects single rows" in warning.remedy and "entity" not in warning.remedy


def test_lattices_that_are_too_large_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(drawing, "_MOST_NODES", 11)
    make_source(tmp_path, TYPES, people(200))
    with pytest.raises(PolicyError, match="12 generalizations would be scored"):
        anonsql.run(Policy.parse(asking(), tmp_path))


# forged releases


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("differential.delta", "0.0001", "keeps only delta="),
        ("differential.epsilon", "0.5", "spends more than epsilon=0.5"),
        ("differential.beta", "0.7", "spends more"),
        ("differential.k", "9", "keeps only delta="),
        (
            "differential.spent",
            "rho 0, epsilon 0.5, delta 0.001 in 1 release of one catalog",
            "less than this release spends",
        ),
        ("differential.epsilon", "nan", "impossible values of differential privacy"),
        ("suppressed", "12", "facts that such a release does not have:  suppressed"),
    ],
)
def test_forged_facts_are_refused(released, tmp_path, name, value, words):
    edit(
        tmp_path / "release.duckdb",
        f"DELETE FROM r__about WHERE property = '{name}'",
        f"INSERT INTO r__about VALUES ('{name}', '{value}')",
    )
    with pytest.raises(VerificationError, match=words):
        anonsql.verify(released)


def test_a_run_that_draws_no_sample_is_seen_by_the_source(tmp_path, monkeypatch):
    make_source(tmp_path, TYPES, people())
    policy = Policy.parse(LEVELED, tmp_path)
    monkeypatch.setattr(Differential, "limit", property(lambda _: safepub.WHOLE))
    anonsql.run(policy)
    anonsql.verify(policy)  # by itself it cannot be told
    with pytest.raises(VerificationError, match="more rows than a random sample"):
        anonsql.verify(policy, against_source=True)


def test_another_source_is_seen(released, tmp_path):
    in_file(tmp_path / "source.duckdb", "DELETE FROM t WHERE city = 'a' AND age < 20")
    with pytest.raises(
        VerificationError, match=r"differ from the source at the stated levels|than a random sample"
    ):
        anonsql.verify(released, against_source=True)


def test_classes_are_compared_one_by_one_and_together(tmp_path):
    policy = Policy.parse(LEVELED, tmp_path)
    beta, k = float(policy.privacy.differential.beta), policy.privacy.k
    sizes = np.array([10_000, 5_000, 60, 3], dtype=np.int64)
    right = (sizes * beta).astype(np.int64) * (sizes > 100)
    found = sampled.judge(policy, sizes, right)
    assert (found.classes, found.released_classes, found.large) == (4, 2, 15_000)
    assert found.least < found.kept < found.most
    for place, count, words in (
        (0, 10_001, "more rows than in the source"),
        (0, 7_000, "more rows than a random sample"),
        (1, 2_500, "fewer rows than a random sample"),
        (1, 0, "fewer rows than a random sample"),
        (2, 60, "more rows than a random sample"),
    ):
        wrong = right.copy()
        wrong[place] = count
        with pytest.raises(VerificationError, match=words):
            sampled.judge(policy, sizes, wrong)
    many = np.full(400, 1000, dtype=np.int64)  # each a little too large
    with pytest.raises(VerificationError, match="a sample has"):
        sampled.judge(policy, many, (many * (beta + 0.03)).astype(np.int64))
    assert k > 3


# policies


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"privacy": {"differential": {"epsilon": 0}}}, "privacy.differential.epsilon"),
        ({"privacy": {"differential": {"epsilon": 9}}}, "privacy.differential.epsilon"),
        ({"privacy": {"differential": {"epsilon": 0.205}}}, "privacy.differential.epsilon"),
        ({"privacy": {"differential": {"delta": 0}}}, "privacy.differential.delta"),
        ({"privacy": {"differential": {"delta": 1}}}, "privacy.differential.delta"),
        ({"privacy": {"differential": {"delta": "1e-16"}}}, "privacy.differential.delta"),
        (
            {"privacy": {"differential": {"search_epsilon": 1}}},
            "privacy.differential.search_epsilon",
        ),
        (
            {"privacy": {"differential": {"search_epsilon": 0}}},
            "privacy.differential.search_epsilon",
        ),
        (
            {"privacy": {"differential": {"search_epsilon": -1}}},
            "privacy.differential.search_epsilon",
        ),
        ({"method": {"levels": {"age": 1, "city": 1}}}, "privacy.differential.search_epsilon"),
        ({"privacy": {"k": 10}}, "privacy.k"),
        ({"privacy": {"suppression_limit": 0.1}}, "privacy.suppression_limit"),
        ({"privacy": {"max_group_loss": 0.1}}, "privacy.max_group_loss"),
        ({"privacy": {"entity": "name"}}, "privacy.entity"),
        ({"privacy": {"over_time": {"key": "name"}}}, "privacy.over_time"),
        ({"privacy": {"quasi_identifiers": [["age"], ["city"]]}}, "privacy.quasi_identifiers"),
        ({"privacy": {"l_diversity": {"city": 2}}}, "privacy.l_diversity.city"),
        (
            {"privacy": {"risk": {"records_at_risk": {"above": 0.5, "at_most": 0.1}}}},
            "privacy.risk",
        ),
        (
            {"privacy": {"k_map": 3, "population": {"database": "p.duckdb", "table": "p"}}},
            "privacy.population",
        ),
        ({"method": {"type": "mondrian"}}, "method.type"),
        ({"method": {"type": "attribute-suppression"}}, "method.type"),
        ({"method": {"minimize": "height"}}, "method.minimize"),
        ({"method": {"algorithm": "datafly"}}, "method.algorithm"),
        ({"columns": {"name": {"role": "insensitive"}}}, "columns.name.role"),
        ({"columns": {"name": {"role": "sensitive"}}}, "columns.name.role"),
        ({"columns": {"name": {"replace": "surrogate"}}}, "columns.name.replace"),
        ({"columns": {"age": {"hierarchy": {"type": "automatic"}}}}, "columns.age.hierarchy"),
        ({"release": {"suppressed": "mask"}}, "release.suppressed"),
    ],
)
def test_what_does_not_go_together_is_refused(tmp_path, change, where):
    with pytest.raises(PolicyError) as caught:
        Policy.parse(merged(asking(), change), tmp_path)
    assert [problem.where for problem in caught.value.problems] == [where]


def merged(data, change):
    """A policy's data with another's on top; a hierarchy or method is replaced as a whole."""
    if not isinstance(data, dict) or "type" in change:
        return change
    return data | {
        name: merged(data[name], value) if isinstance(value, dict) and name in data else value
        for name, value in change.items()
    }


def test_a_greater_k_is_kept(tmp_path):
    policy = Policy.parse(merged(asking(), {"privacy": {"k": 200}}), tmp_path)
    assert policy.privacy.k == 200 > policy.privacy.differential.k


@pytest.mark.parametrize(
    "command", ["search", "compare", "advise", "compile", "apply", "anonymize"]
)
def test_commands_that_refuse_it(tmp_path, command):
    make_source(tmp_path, TYPES, people(100))
    policy = Policy.parse(asking(), tmp_path)
    calls = {
        "compare": lambda: anonsql.compare([policy, policy]),
        "compile": lambda: anonsql.compile(policy, "duckdb", tmp_path / "sql"),
        "apply": lambda: anonsql.apply(policy, "1"),
        "anonymize": lambda: anonsql.anonymize([], policy),
    }
    if command == "anonymize":
        polars = pytest.importorskip("pandas")
        frame = polars.DataFrame(people(100), columns=list(TYPES))
        calls[command] = lambda: anonsql.anonymize(frame, policy)
    with pytest.raises(PolicyError, match=f"`{command}` cannot be combined with it"):
        calls.get(command, lambda: getattr(anonsql, command)(policy))()
    assert command in DIFFERENTIAL.reasons
