"""Rings of people who have several rows (``privacy.entity``): no released row is one person's with a
probability above 1/k, by a linear program, by counting and by draws; and what is refused."""

import random
import shutil
from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

import anonsql
from anonsql.errors import PolicyError, PrivacyError, VerificationError
from anonsql.jobs import pipeline
from anonsql.methods.windows import lexicographic, windows
from anonsql.methods.windows.lexicographic import Items
from anonsql.policy.policy import Policy

from .engines import policy_on
from .support import job, make_source, policy_data, released_rows, rows_of
from .test_ring_judge import graph

TYPES = {"person": "VARCHAR", "age": "INTEGER", "town": "VARCHAR", "ill": "VARCHAR"}
HOW = ("set", "range", "ancestor")
TOWNS = {"type": "taxonomy", "tree": {"N": ["a", "b"], "S": ["c", "d"]}}


def visits(seed, people=8, rows=20):
    """Visits of people, of whom some have many; age and town are often the same."""
    draw = random.Random(seed)
    whose = [draw.randrange(people) for _ in range(rows)]
    return [
        (f"p{n}", 20 + 7 * (n % 5) + draw.randrange(3), "abcd"[draw.choice([n % 4, n % 2])], "x")
        for n in whose
    ]


def ring(folder, rows, k, *, entity=True, ill="insensitive", person="identifying", **method):
    """Make the source, and return a policy of rings."""
    make_source(folder, TYPES, rows)
    return policy_of(folder, k, entity=entity, ill=ill, person=person, **method)


def policy_of(folder, k, *, entity=True, ill="insensitive", person="identifying", **method):
    columns = {"person": person, "age": {"type": "interval", "widths": [5, 20]}, "town": TOWNS}
    privacy = {"entity": "person"} if entity else {}
    if ill == "sensitive":
        privacy["l_diversity"] = {"ill": 2}
    method = {"type": "ring", **method}
    data = policy_data({**columns, "ill": ill}, k=k, method=method, privacy=privacy)
    return Policy.parse(data, folder)


def hides_people(folder, k):
    """Whether probabilities exist of which released row is which row of the source, so that none is
    above 1/k, also of a released row and a person: a linear program over all pairs."""
    matches = graph(folder, TYPES)
    whose = [who for (who,) in rows_of(folder / "source.duckdb", "SELECT person FROM t")]
    lines, columns = np.nonzero(matches)
    equal = np.zeros((2 * len(matches), len(lines)))
    equal[lines, np.arange(len(lines))] = 1
    equal[len(matches) + columns, np.arange(len(lines))] = 1
    shares = defaultdict(list)
    for edge, (line, column) in enumerate(zip(lines, columns, strict=True)):
        shares[line, whose[column]].append(edge)
    most = np.zeros((len(shares), len(lines)))
    for number, edges in enumerate(shares.values()):
        most[number, edges] = 1
    found = linprog(
        np.zeros(len(lines)),
        A_ub=most,
        b_ub=np.full(len(most), 1 / k),
        A_eq=equal,
        b_eq=np.ones(2 * len(matches)),
        bounds=(0, 1 / k),
    )
    return found.status == 0


def people_of_rows(folder):
    """Of how many people each released row may be."""
    whose = np.array(rows_of(folder / "source.duckdb", "SELECT person FROM t"))[:, 0]
    return [len(set(whose[line])) for line in graph(folder, TYPES)]


KINDS = {
    **{f"{kind}-{how}": (kind, how) for kind in ("ring", "homogeneous") for how in HOW},
    **{f"hilbert-{how}": ("hilbert", how) for how in ("set", "range")},
}


@pytest.mark.parametrize(("method", "how"), KINDS.values(), ids=list(KINDS))
@pytest.mark.parametrize("seed", range(2))
def test_no_row_is_one_persons_with_more_than_one_kth(tmp_path, seed, how, method):
    k = 2 + seed % 2
    policy = ring(tmp_path, visits(seed), k, type=method, representation=how)
    report = anonsql.run(policy)
    assert report.min_people >= k and report.risk.prosecutor.highest <= 1 / k
    assert min(people_of_rows(tmp_path)) >= k and hides_people(tmp_path, k)
    found = anonsql.verify(policy, against_source=True)
    assert found.risk == report.risk
    if method == "ring":
        assert found.against_source.least_people == min(people_of_rows(tmp_path))
        assert found.against_source.most_people is None


def test_the_judge_agrees_with_the_linear_program(tmp_path):
    """Rings of people of one row each, of whom some turn out to be the same."""
    rows, verdicts = [(f"p{n}", *row[1:]) for n, row in enumerate(visits(4, 8, 14))], Counter()
    anonsql.run(policy := ring(tmp_path, rows, 2))
    for seed, people in enumerate([5, 8, 9, 10, 11, 12, 12, 13, 13]):
        draw = random.Random(seed)
        whose = [*range(people), *(draw.randrange(people) for _ in range(14 - people))]
        draw.shuffle(whose)
        (folder := tmp_path / str(seed)).mkdir()
        make_source(folder, TYPES, [(f"q{who}", *row[1:]) for who, row in zip(whose, rows)])
        for name in ("release.duckdb", "release.duckdb.anonsql.duckdb"):
            if (tmp_path / name).exists():
                shutil.copy(tmp_path / name, folder)
        same = Policy.parse(policy.model_dump(exclude_unset=True), folder)
        try:
            anonsql.verify(same, against_source=True)
            verdicts[hides_people(folder, 2), True] += 1
        except VerificationError as error:
            assert "people" in str(error) or "one person's" in str(error)
            verdicts[hides_people(folder, 2), False] += 1
    assert set(verdicts) == {(True, True), (False, False)}, verdicts


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4), st.integers(1, 3)), max_size=30),
    st.integers(2, 4),
    st.integers(0, 2**32),
)
def test_every_window_has_k_people(cells, k, seed):
    """Of whatever rows: each window has rows of k people, none more than 1/k of them."""
    counted = Counter()
    for cell, person, n in [*cells, *((0, 10 + n, 1) for n in range(k))]:
        counted[cell, person] += n
    ordered = sorted(counted)
    depths = [int(not i or ordered[i - 1][0] != cell) for i, (cell, _) in enumerate(ordered)]
    people = np.unique([person for _, person in ordered], return_inverse=True)[1]
    sizes = np.array([counted[key] for key in ordered])
    most = int(np.bincount(people, sizes).max())
    if most * k > sizes.sum():
        return
    items = Items(sizes, np.array(depths), (people,), (k,))
    draws = np.random.default_rng(seed).bytes
    parts = lexicographic.partition(items, k, draws)
    layout = windows.of_rings(items, parts, draws)
    for part, (size, length) in enumerate(
        zip(layout.rings["size"], layout.rings["length"], strict=True)
    ):
        inside = parts.part == part
        rows = np.bincount(people[parts.item[inside]], parts.n[inside])
        assert rows.sum() == size and k * rows.max() <= length <= size


def test_who_knows_everybody_and_the_method_finds_nobody():
    """Again and again: how often a row that is released as some set of values is whose."""
    k, runs, owners = 2, 1000, defaultdict(Counter)
    cells = [(n // 4, n % 4) for n in range(12)] + [(3, 0), *((4, n) for n in (1, 2, 3, 5))]
    people, sizes = np.array([person for _, person in cells]), np.ones(len(cells), np.int64)
    depths = np.array([int(n == 0 or cells[n - 1][0] != cells[n][0]) for n in range(len(cells))])
    items, draws = Items(sizes, depths, (people,), (k,)), np.random.default_rng(8).bytes
    for _ in range(runs):
        layout = windows.of_rings(items, lexicographic.partition(items, k, draws), draws)
        value = {
            (part, run): cells[item - 1][0]
            for part, run, item in zip(
                *(layout.members[name].tolist() for name in ("part", "run", "item")), strict=True
            )
        }
        names = ("part", "first_run", "last_run")
        spans = zip(*(layout.windows[name].tolist() for name in names), strict=True)
        labels = [
            frozenset(value[part, run] for run in range(first, last + 1))
            for part, first, last in spans
        ]
        portions = (layout.portions[name].tolist() for name in ("item", "grp", "first", "last"))
        for item, grp, first, last in zip(*portions, strict=True):
            owners[labels[grp]][cells[item - 1][1]] += last - first + 1
    assert len(owners) > 4
    for counts in owners.values():
        total = sum(counts.values())
        assert max(counts.values()) / total <= 1 / k + 5 * (0.25 / total) ** 0.5


def test_a_run_that_ignores_people_is_not_published(tmp_path, monkeypatch):
    """Even where it states as many people as were promised."""
    from anonsql.risks import people

    counted = people.of_recoding

    def without_people(cells):
        sizes, depths, *_ = cells.engine.numbers("methods/windows/counts", promise=cells.promise)
        return Items(sizes, depths)

    def as_promised(*args):
        found = counted(*args)
        return people.People(3 * found.classes, found.classes, 3, 3 * found.classes)

    policy = ring(tmp_path, visits(1, 4, 24), 3)
    method = "anonsql.methods.ring.method"
    monkeypatch.setattr(f"{method}.labels.read", without_people)
    monkeypatch.setattr(f"{method}._most_of_a_person", lambda *_: np.ones(1, np.int64))
    with pytest.raises(VerificationError, match="fewer than k=3"):
        anonsql.run(policy)
    monkeypatch.setattr("anonsql.risks.people.of_recoding", as_promised)
    with pytest.raises(VerificationError, match="rings have too many rows of a single person"):
        anonsql.run(policy)
    assert not (tmp_path / "release.duckdb").exists()


def test_stated_people_are_those_of_the_rings(tmp_path):
    """``min_people``: a window's rows by those of the person who has most in the ring, at the
    least."""
    policy = ring(tmp_path, visits(5, 12, 60), 3)
    with job(policy, tmp_path / "work", (*pipeline.OPEN[1:], *pipeline.CHOOSE)) as made:
        facts, connection = made.chosen.facts, made.engine._connection
        index = made.schema.nodes.sets.promise.people
        rows = connection.execute(
            f"SELECT w.part, r.length, p.x{index}, p.last - p.first + 1 FROM assigned AS p"
            " JOIN windows AS w ON w.grp = p.grp JOIN rings AS r ON r.part = w.part"
        ).fetchall()
    whose, lengths = defaultdict(Counter), {}
    for part, length, who, n in rows:
        whose[part][who] += n
        lengths[part] = length
    hidden = {part: lengths[part] // max(counts.values()) for part, counts in whose.items()}
    assert facts["min_people"] == min(hidden.values()) >= 3
    assert facts["people_in_classes"] == sum(map(len, whose.values()))
    assert facts["people_at_risk"] == sum(
        len(whose[part]) for part, people in hidden.items() if people <= 4
    )
    assert facts["expected_matches"] == pytest.approx(
        sum(
            sum(counts.values()) * max(counts.values()) / lengths[part]
            for part, counts in whose.items()
        )
    )


def test_people_and_sensitive_values_are_hidden_together(tmp_path):
    draw = random.Random(4)
    rows = [(*row[:3], draw.choice("xyz")) for row in visits(4, 12, 60)]
    policy = ring(tmp_path, rows, 3, ill="sensitive")
    assert anonsql.run(policy).min_people >= 3
    assert anonsql.verify(policy, against_source=True).against_source.least_people >= 3
    assert hides_people(tmp_path, 3)


def test_every_engine_makes_rings_of_people(everywhere):
    rows = visits(2, 10, 40)
    everywhere.make(TYPES, rows)
    columns = {"person": "identifying", "age": {"type": "interval", "widths": [5]}, "town": TOWNS}
    data = policy_data(
        {**columns, "ill": "insensitive"},
        k=3,
        method={"type": "ring"},
        privacy={"entity": "person"},
    )
    report = anonsql.run(policy := policy_on(everywhere, data))
    assert report.min_people >= 3
    found = anonsql.verify(policy, against_source=True)
    assert found.min_people == report.min_people and found.against_source.least_people >= 3


def test_somebody_with_most_rows_is_refused_by_name(tmp_path):
    rows = [("p0", n, "a", "x") for n in range(6)] + [(f"p{n}", n, "b", "x") for n in range(1, 5)]
    with pytest.raises(PrivacyError, match=r"one value of 'person' is in 6 of 10 rows") as found:
        anonsql.run(ring(tmp_path, rows, 2))
    assert "set privacy.k to 1" in str(found.value)


@pytest.mark.parametrize(
    ("person", "words"),
    [
        ({"role": "identifying", "replace": "surrogate"}, "'person' has surrogates, which shows"),
        ("insensitive", "'person' is insensitive, which shows"),
    ],
)
def test_a_released_column_that_links_rows_is_refused(tmp_path, person, words):
    with pytest.raises(PolicyError, match=words):
        policy_of(tmp_path, 3, person=person)
    policy_of(tmp_path, 3, person=person, type="homogeneous")
    policy_of(tmp_path, 3, person={"role": "identifying", "replace": "null"})


def test_the_terminal_says_people(tmp_path):
    from .support import cli, write_data

    ring(tmp_path, visits(2, 10, 40), 3)
    data = policy_data(
        {"person": "identifying", "age": "qi", "town": "qi", "ill": "insensitive"},
        k=3,
        method={"type": "ring"},
        privacy={"entity": "person"},
    )
    path = write_data(tmp_path, data)
    shown = " ".join(cli("run", path).output.split())
    assert "may come from any of 3 people or more, each with a probability of at most 1/3" in shown
    shown = " ".join(cli("verify", path, "--against-source").output.split())
    assert "Against the source: every released row may come from any of" in shown
    assert "each is a given person's with a probability of at most 1/k" in shown
    assert released_rows(tmp_path, "SELECT value FROM r__about WHERE property = 'entity'")
