"""What pages tell of a solution space, against brute force: which nodes satisfy, and which counted
nodes decide that the others fail."""

import json
import random
from base64 import b64decode
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import anonsql
from anonsql.errors import PolicyError
from anonsql.features.search import explorer, solution_space
from anonsql.features.search import page as searched
from anonsql.policy.policy import Policy

from . import model_oracle
from .engines import Postgres, policy_on
from .solution_spaces import made_up
from .support import cli, flat, job, make_source, policy_data, tree_file, updated, write_data
from .test_incognito import COMPLETE, oracle_of, random_job, tables

FEW = settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
EVERY = [*COMPLETE, "datafly", "binary-search"]


def told(policy, folder):
    with job(policy, folder) as done:
        return solution_space.of_job(done)


def satisfying(space):
    return {space.levels(number) for number in space.satisfying.numbers}


def deciding(space, levels):
    """The places of the failing nodes that decide a node."""
    ends = [space.levels(number) for number in space.failing.numbers]
    return [
        at
        for at, end in enumerate(ends)
        if end == levels
        or (
            not space.failing.alone[at]
            and all(high >= low for high, low in zip(end, levels, strict=True))
        )
    ]


def every(space):
    return {space.levels(number) for number in range(1, space.size + 1)}


@FEW
@given(tables(), st.integers(2, 4), st.sampled_from([0.0, 0.1, 0.3]), st.sampled_from(EVERY))
def test_verdicts_are_brute_force(tmp_path_factory, table, k, limit, algorithm):
    """Whichever algorithm the policy names, also one that does not find all."""
    rows, labels = table
    k, folder = min(k, len(rows)), tmp_path_factory.mktemp("space")
    policy = random_job(folder, rows, labels, k, limit, algorithm)
    oracle, space = oracle_of(rows, labels), told(policy, folder)
    expected = oracle.satisfying(k, space.limit)
    assert satisfying(space) == expected and space.satisfied == len(expected)
    assert space.limit == policy.privacy.max_suppressed(len(rows))
    nodes = space.satisfying
    for number, loss, suppressed in zip(nodes.numbers, nodes.loss, nodes.suppressed, strict=True):
        assert loss == pytest.approx(oracle.loss(space.levels(number), k))
        assert suppressed == oracle.suppressed(space.levels(number), k)
    for number, suppressed in zip(space.failing.numbers, space.failing.suppressed, strict=True):
        assert suppressed == oracle.suppressed(space.levels(number), k) > space.limit
    assert all(bool(deciding(space, item)) == (item not in expected) for item in every(space))
    losses = dict(zip(nodes.numbers, nodes.loss, strict=True))
    if algorithm in COMPLETE:
        assert losses[space.chosen] == pytest.approx(min(losses.values()))
    else:
        levels = space.levels(space.chosen)
        assert {f"c{at}": level for at, level in enumerate(levels)} == anonsql.run(policy).levels


def of_two(folder, rows, limit=0.0, method=None, **privacy):
    """A policy over two columns with trees of three levels, and a sensitive one."""
    trees = {
        name: [[f"{name}{leaf}", f"{name}-{leaf // 2}", "*"] for leaf in range(4)] for name in "ab"
    }
    folder.mkdir(exist_ok=True)
    make_source(folder, dict.fromkeys("abs", "VARCHAR"), rows)
    columns = {name: tree_file(folder / f"{name}.csv", tree) for name, tree in trees.items()}
    data = policy_data(columns | {"s": "sensitive"}, k=2, limit=limit, privacy=privacy)
    if method:
        data["method"] = method
    return Policy.parse(data, folder), {
        name: {row[0]: row for row in tree} for name, tree in trees.items()
    }


def random_rows(seed, count=24):
    rnd = random.Random(seed)
    return [
        (f"a{rnd.randrange(4)}", f"b{rnd.randrange(4)}", rnd.choice("xyz")) for _ in range(count)
    ]


@pytest.mark.parametrize("seed", range(8))
def test_a_promise_that_generalization_can_break(tmp_path, seed):
    """Nodes that fail for themselves were each counted; the others fail because of k alone."""
    rows, everybody = random_rows(seed), [row[2] for row in random_rows(seed)]
    policy, trees = of_two(tmp_path, rows, 0.25, t_closeness={"s": {"t": 0.3, "distance": "equal"}})
    space = told(policy, tmp_path)

    def suppressed(levels, model):
        classes = defaultdict(list)
        for a, b, s in rows:
            classes[trees["a"][a][levels[0]], trees["b"][b][levels[1]]].append(s)
        return sum(
            len(one_class)
            for one_class in classes.values()
            if len(one_class) < 2
            or (model and model_oracle.equal_distance(one_class, everybody) > 0.3 + 1e-9)
        )

    expected = {item for item in every(space) if suppressed(item, True) <= space.limit}
    assert satisfying(space) == expected
    failing = space.failing
    assert failing.partly
    for number, found, alone in zip(
        failing.numbers, failing.suppressed, failing.alone, strict=True
    ):
        assert found == suppressed(space.levels(number), alone) > space.limit
    assert all(bool(deciding(space, entry)) == (entry not in expected) for entry in every(space))


def test_some_fail_for_themselves_alone(tmp_path):
    """So that the test above is not about nothing."""
    found = []
    for seed in range(8):
        policy, _ = of_two(
            tmp_path / str(seed),
            random_rows(seed),
            0.25,
            t_closeness={"s": {"t": 0.3, "distance": "equal"}},
        )
        found += told(policy, tmp_path / str(seed)).failing.alone
    assert any(found)


@pytest.mark.parametrize("seed", range(4))
def test_several_combinations(tmp_path, seed):
    rows = random_rows(seed, 12)
    policy, trees = of_two(tmp_path, rows, quasi_identifiers=[["a"], ["b"]])
    space = told(policy, tmp_path)

    def suppressed(at, levels):
        classes = defaultdict(int)
        for row in rows:
            classes[trees["ab"[at]][row[at]][levels[at]]] += 1
        return sum(one_class for one_class in classes.values() if one_class < 2)

    expected = {item for item in every(space) if not any(suppressed(at, item) for at in (0, 1))}
    assert satisfying(space) == expected
    failing = space.failing
    for number, found, at in zip(
        failing.numbers, failing.suppressed, failing.combination, strict=True
    ):
        assert found == suppressed(at, space.levels(number)) > 0
    assert all(bool(deciding(space, entry)) == (entry not in expected) for entry in every(space))


def test_methods_without_levels_have_none(tmp_path):
    policy, _ = of_two(tmp_path, random_rows(1), method={"type": "mondrian"})
    assert told(policy, tmp_path) is None


def test_too_many_are_told_as_the_best(tmp_path, monkeypatch):
    policy, _ = of_two(tmp_path, random_rows(1), 0.25)
    whole = told(policy, tmp_path)
    monkeypatch.setattr(solution_space, "MOST", 3)
    monkeypatch.setattr(solution_space, "BEST", 2)
    some = told(policy, tmp_path)
    assert some.chosen == whole.chosen
    assert whole.whole and not some.whole
    assert some.satisfied == whole.satisfied > len(some.satisfying.numbers) == 3
    assert some.failing.numbers == () and min(some.satisfying.loss) == min(whole.satisfying.loss)
    assert "too large to be shown node by node" in searched.render(some)


def test_given_levels_are_the_chosen_ones(tmp_path):
    given = {"type": "full-domain", "levels": {"a": 2, "b": 2}}
    policy, _ = of_two(tmp_path, random_rows(1), 0.25, method=given)
    space = told(policy, tmp_path)
    assert space.levels(space.chosen) == (2, 2)
    finest = {"type": "full-domain", "levels": {"a": 0, "b": 0}}
    policy, _ = of_two(tmp_path / "other", random_rows(1), 0.0, method=finest)
    assert told(policy, tmp_path / "other").chosen is None


def test_examples_are_of_values_that_k_rows_have(tmp_path):
    rows = [("a0", "b0", "x")] * 3 + [("a1", "b1", "x"), ("a2", "b2", "x"), ("a3", "b3", "x")]
    policy, _ = of_two(tmp_path, rows, 0.99)
    first, _ = told(policy, tmp_path).columns
    assert [level.example for level in first.levels] == ["a0", "a-0", "*"]
    policy, _ = of_two(tmp_path / "rare", rows[2:], 0.99)
    first, _ = told(policy, tmp_path / "rare").columns
    assert [item.example for item in first.levels] == [None, "a-0", "*"]


SPACES = [made_up((3, 2, 4), 0.5), made_up((2, 2), 0.0, limit=0), made_up((7, 6, 8, 5, 9), 0.5)]


@pytest.mark.parametrize("space", SPACES)
def test_the_front_is_what_no_other_beats(space):
    nodes = list(zip(space.satisfying.loss, space.satisfying.suppressed, strict=True))
    front = {nodes[at] for at in explorer.pareto(space)}
    beaten = {
        one
        for one in set(nodes)
        if any(a <= one[0] and b <= one[1] and (a, b) != one for a, b in front)
    }
    assert front == set(nodes) - beaten
    assert len(explorer.pareto(space)) == len(front)


@pytest.mark.parametrize("space", SPACES)
def test_what_is_drawn_keeps_the_front(space):
    drawn, number = explorer.thinned(space), space.satisfying.numbers
    assert len(drawn) == min(len(number), len(drawn)) <= explorer.POINTS
    assert set(explorer.pareto(space)) <= set(drawn) and len(set(drawn)) == len(drawn)
    assert space.chosen in [number[at] for at in drawn]
    assert len(number) <= explorer.POINTS or len(drawn) > explorer.POINTS / 8


def test_the_chart_has_the_documents_numbers():
    space = SPACES[0]
    spec = explorer.chart(space, explorer.thinned(space), explorer.pareto(space))
    points = spec["datasets"]["points"]
    nodes = space.satisfying
    assert [point["n"] for point in points] == list(nodes.numbers)
    assert [entry["suppressed"] for entry in points] == list(nodes.suppressed)
    assert [element["loss"] for element in points] == [round(each, 4) for each in nodes.loss]
    assert [each["n"] for each in spec["datasets"]["chosen"]] == [space.chosen]
    assert spec["layer"][0]["params"] == [{"name": "brush", "select": {"type": "interval"}}]
    named = {item["data"]["name"] for item in spec["layer"]}
    assert named == set(spec["datasets"])


@pytest.mark.parametrize("values", [[], [0], [255, 0, 7], [256, 1], [65536, 2], [True, False]])
def test_packed_numbers_come_back(values):
    packed = explorer.packed(values)
    raw = np.frombuffer(b64decode(packed["text"]), dtype=f"<u{packed['bytes']}")
    assert raw.tolist() == [int(value) for value in values]


def test_the_page_is_its_owners_alone(tmp_path):
    policy, _ = of_two(tmp_path, random_rows(1), 0.25)
    path = tmp_path / "search.html"
    path.write_text("<!DOCTYPE html>before")
    path.chmod(0o644)
    with_page = anonsql.search(policy, html=path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    assert with_page.nodes == anonsql.search(policy).nodes
    assert [item.name for item in tmp_path.iterdir() if item.name.startswith(".anonsql-")] == []


@pytest.mark.parametrize("place", ("missing/search.html", "folder", "link.html", "notes.txt"))
def test_a_page_that_cannot_be_written(tmp_path, place):
    policy, _ = of_two(tmp_path, random_rows(1), 0.25)
    (tmp_path / "folder").mkdir()
    (tmp_path / "link.html").symlink_to(tmp_path / "elsewhere.html")
    (tmp_path / "notes.txt").write_text("somebody's work")
    for command in (anonsql.search, lambda policy, html: anonsql.compare([policy], html=html)):
        with pytest.raises(PolicyError, match="--html"):
            command(policy, html=tmp_path / place)
    assert not (tmp_path / "elsewhere.html").exists()
    assert (tmp_path / "notes.txt").read_text() == "somebody's work"


def test_a_server_tells_the_same(tmp_path):
    """Where the star schema lies in PostgreSQL itself, and where it is carried to a workbench."""
    local, _ = of_two(tmp_path, random_rows(3), 0.25)
    wanted, server = told(local, tmp_path), Postgres(tmp_path)
    try:
        server.make(dict.fromkeys("abs", "VARCHAR"), random_rows(3))
        for workbench in ("in-place", "embedded"):
            policy = policy_on(server, local.model_dump(mode="json", exclude_unset=True))
            policy = updated(policy, engine={"workbench": workbench})
            with job(policy, tmp_path) as done:
                found = solution_space.of_job(done)
            assert found.model_copy(update={"table": wanted.table}) == wanted
    finally:
        server.close()


def test_the_command_says_where_the_page_is(tmp_path):
    of_two(tmp_path, random_rows(1), 0.25)
    data = policy_data(
        {name: {"type": "suppression"} for name in "ab"} | {"s": "sensitive"}, limit=0.25
    )
    write_data(tmp_path, data)
    given = ["search", str(tmp_path / "policy.yaml"), "--html", str(tmp_path / "page.html")]
    plain = cli(*given)
    assert plain.exit_code == 0 and "for you alone" in flat(plain.stdout)
    assert str(tmp_path / "page.html") in plain.stdout.replace("\n", "")
    (tmp_path / "page.html").unlink()
    as_json = cli(*given, "--json")
    assert json.loads(as_json.stdout)["lattice"] == 4 and (tmp_path / "page.html").exists()
    assert cli(*given[:3], tmp_path).exit_code == 2
