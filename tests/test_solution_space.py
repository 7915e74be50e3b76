"""What pages show of a solution space, against brute force: which nodes satisfy, and at what
cost."""

import itertools
import json
import random
from collections import defaultdict

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import anonsql
from anonsql.errors import PolicyError
from anonsql.features.search import described, solution_space
from anonsql.features.search.described import of_space
from anonsql.policy.policy import Policy
from anonsql.presentation import page

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
    return {tuple(node.levels.values()) for node in space.nodes}


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
    for node in space.nodes:
        levels = tuple(node.levels.values())
        assert node.loss == pytest.approx(oracle.loss(levels, k))
        assert node.suppressed == oracle.suppressed(levels, k)
    chosen = space.nodes[space.chosen]
    if algorithm in COMPLETE:
        assert chosen.loss == pytest.approx(min(node.loss for node in space.nodes))
    else:
        assert chosen.levels == anonsql.run(policy).levels


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

    every = itertools.product(range(3), repeat=2)
    expected = {item for item in every if not any(suppressed(at, item) for at in (0, 1))}
    assert satisfying(space) == expected


def test_methods_without_levels_have_none(tmp_path):
    policy, _ = of_two(tmp_path, random_rows(1), method={"type": "mondrian"})
    assert told(policy, tmp_path) is None


def test_too_many_are_told_as_the_best(tmp_path, monkeypatch):
    policy, _ = of_two(tmp_path, random_rows(1), 0.25)
    whole = told(policy, tmp_path)
    monkeypatch.setattr(solution_space, "MOST", 2)
    some = told(policy, tmp_path)
    assert some.nodes[some.chosen] == whole.nodes[whole.chosen]
    assert some.satisfied == whole.satisfied == len(whole.nodes) > len(some.nodes) >= 2
    assert list(some.nodes[:2]) == sorted(whole.nodes, key=solution_space.by_loss)[:2]
    with job(policy, tmp_path) as done:
        measured = solution_space.of_job(done, whole.nodes)
    best = {whole.nodes[at].loss for at in whole.front}
    assert {measured.nodes[at].loss for at in measured.front} == best
    assert f"have {len(some.nodes)}" in page.described("search", "space", of_space(some))


def test_given_levels_are_the_chosen_ones(tmp_path):
    given = {"type": "full-domain", "levels": {"a": 2, "b": 2}}
    policy, _ = of_two(tmp_path, random_rows(1), 0.25, method=given)
    space = told(policy, tmp_path)
    assert space.nodes[space.chosen].levels == {"a": 2, "b": 2}
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
    nodes = [(node.loss, node.suppressed) for node in space.nodes]
    front = {nodes[at] for at in space.front}
    beaten = {
        one
        for one in set(nodes)
        if any(a <= one[0] and b <= one[1] and (a, b) != one for a, b in front)
    }
    assert front == set(nodes) - beaten
    assert len(space.front) == len(front)


def test_the_chart_has_the_documents_numbers():
    space = SPACES[0]
    spec = described.space_spec(space.nodes, set(space.front), space.chosen)
    points = spec["data"]["values"]
    for name, field in (("loss", "loss"), ("suppressed", "suppressed"), ("smallest", "min_class")):
        assert [point[name] for point in points] == [getattr(node, field) for node in space.nodes]
    assert [at for at, point in enumerate(points) if point["front"]] == list(space.front)
    assert [at for at, point in enumerate(points) if point["chosen"]] == [space.chosen]


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
    assert plain.exit_code == 0 and "for you only" in flat(plain.stdout)
    assert str(tmp_path / "page.html") in plain.stdout.replace("\n", "")
    (tmp_path / "page.html").unlink()
    as_json = cli(*given, "--json")
    assert json.loads(as_json.stdout)["lattice"] == 4 and (tmp_path / "page.html").exists()
    assert cli(*given[:3], tmp_path).exit_code == 2
