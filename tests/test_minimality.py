"""What the method would have released instead: hypotheses, and what is ruled out, by brute
force."""

import random
from collections import Counter
from contextlib import closing, contextmanager
from itertools import permutations, product

import numpy as np
import pytest

import anonsql
from anonsql.attacks.guessing import Attacker
from anonsql.attacks.minimality import judge, secrets_of, values_of
from anonsql.attacks.sides import Sides
from anonsql.features.attack.by_class import ByClass, meanings_of, members_of
from anonsql.features.attack.refinement import Refiner
from anonsql.features.attack.trials import Trial
from anonsql.features.verify.command import make_dimensions
from anonsql.jobs.job import silent
from anonsql.jobs.sessions import looking

from .support import policy_over

TYPES = {"g": "INTEGER", "s": "VARCHAR", "disease": "VARCHAR"}
COLUMNS = {
    "g": {"role": "qi", "hierarchy": {"type": "interval", "widths": [2, 4, 8]}},
    "s": {"role": "qi", "hierarchy": {"type": "suppression"}},
    "disease": "sensitive",
}
DIVERSE = {"l_diversity": {"disease": 2}}


def chance():
    return np.random.default_rng(0)


def released(folder, rows, method, privacy=(), k=2):
    method = {"type": method}
    policy = policy_over(folder, TYPES, rows, COLUMNS, k=k, method=method, privacy=privacy)
    anonsql.run(policy)
    return policy


def several(draw, n, spread):
    return [(draw.randrange(spread), draw.choice("fm"), draw.choice("xxyz")) for _ in range(n)]


@contextmanager
def attacked(policy, trials=0):
    """Looks at the classes of a release, as ``attack`` does."""
    with (
        looking(policy, "attack", progress=silent, reading=True) as job,
        job.target.published() as published,
    ):
        make_dimensions(job)
        source = job.opened.source
        sides = Sides(job.engine, published, policy, source, job.counted.attributes)
        with closing(sides):
            sides.make(source, None)
            refiner = Refiner(job, published, Attacker(sides, 2_000, chance(), False), trials)
            trial = Trial(job, published, sides, refiner._secret)
            members = members_of(trial, again=trials > 0)
            yield ByClass(job, trial, members, 2_000, trials, chance())


def by_brute_force(classes, hypotheses):
    """Of each class the hypotheses under which, with some of all others, the release is made."""
    numbers = sorted(hypotheses)
    possible = {number: set() for number in numbers}
    for chosen in product(*(sorted(hypotheses[number]) for number in numbers)):
        if classes.trial.makes(list(chosen)):
            for number, rows in zip(numbers, chosen, strict=True):
                possible[number].add(rows)
    return possible


def assert_sound(classes, found, most):
    """Nothing that is ruled out is possible, by brute force over whole tables. Whether there were
    few enough of those, and something was ruled out."""
    hypotheses = {number: suspected.tried for number, suspected, _ in found.found}
    if np.prod([float(len(tried)) for tried in hypotheses.values()]) > most:
        return False
    assert all(suspected.certain for _, suspected, _ in found.found)
    possible = by_brute_force(classes, hypotheses)
    for number, suspected, left in found.found:
        assert possible[number] <= set(left) <= set(suspected.tried)
    return any(len(left) < len(suspected.tried) for _, suspected, left in found.found)


def test_hypotheses_are_all_ways_to_deal_secrets():
    """Each as likely as there are orders of the rows that give it."""
    truth = Counter({((1,), 7): 2, ((2,), 7): 1, ((2,), 8): 1, ((3,), 9): 1})
    owners, secrets = [(1,), (1,), (2,), (2,), (3,)], [7, 7, 7, 8, 9]
    everything = Counter(
        tuple(sorted(zip(owners, order, strict=True))) for order in permutations(secrets)
    )
    suspected = secrets_of(truth, 100, chance())
    assert set(suspected.tried) == set(everything) and suspected.open == len(everything)
    share = {rows: n / 120 for rows, n in everything.items()}
    total = sum(suspected.tried.values())
    assert {rows: n / total for rows, n in suspected.tried.items()} == pytest.approx(share)
    drawn = secrets_of(truth, 3, chance())
    assert drawn.open is None and set(drawn.tried) <= set(everything)


def test_hypotheses_are_all_values_of_labels():
    """Each as likely as its values are frequent."""
    truth = Counter({((1, 5), 7): 2, ((2, 5), 8): 1})
    leaves = [{1: 3.0, 2: 1.0}, {5: 1.0, 6: 1.0}]
    likely = Counter()
    for values in product(product((1, 2), (5, 6)), repeat=3):
        rows = tuple(sorted(zip(values, (7, 7, 8), strict=True)))
        likely[rows] += 3 ** sum(a == 1 for a, _ in values) / 8**3
    suspected = values_of(truth, leaves, 100, chance())
    assert suspected.tried == pytest.approx(likely) and suspected.open == len(likely) == 40
    drawn = values_of(truth, leaves, 39, chance())
    assert drawn.open is None and set(drawn.tried) <= set(likely)


def test_guesses_go_by_what_remains():
    """Of two rows with values 1 or 2, of which 1 is the likelier: had they the same one, the label
    would be finer."""
    truth = Counter({((1,), 0): 1, ((2,), 0): 1})
    prior = {1: 3.0, 2: 1.0}
    suspected = values_of(truth, [prior], 10, chance())
    left = [rows for rows in suspected.tried if len(set(rows)) == 2]
    (known, guessed) = (lambda row: row[1]), (lambda row: row[0][0])
    judged = judge(suspected, left, prior, known, guessed)
    assert (judged.rows, judged.before, judged.right, judged.certain) == (2, 1, 1, 0)
    alone = Counter({((1,), 0): 1, ((2,), 1): 1})
    suspected = values_of(alone, [prior], 10, chance())
    left = [rows for rows in suspected.tried if rows == (((1,), 0), ((2,), 1))]
    judged = judge(suspected, left, prior, known, guessed)
    assert (judged.before, judged.right, judged.certain) == (1, 2, 2)
    assert judge(suspected, [], prior, known, guessed).right == 1
    few = values_of(alone, [prior], 3, chance())
    judged = judge(few, list(few.tried), prior, known, guessed)
    assert (judged.right, judged.certain) == (1, 0), "draws that all remain say nothing"


def test_what_classes_by_themselves_rule_out(tmp_path):
    """Had both rows of g=0 had different values, they would be a class of their own: they have the
    one value that two rows have. In the other class either row may have either value."""
    rows = [(0, "f", "x"), (0, "f", "x"), *((1, "f", value) for value in "yzw")]
    rows += [(6, "m", value) for value in "xy"]
    with attacked(released(tmp_path, rows, "mondrian", DIVERSE)) as classes:
        found = classes.secrets()
        assert found.excluded == "everybody"
        left = {suspected.rows: rows for _, suspected, rows in found.found}
        tried = {suspected.rows: len(suspected.tried) for _, suspected, _ in found.found}
        (first,) = left[5]
        assert [value for codes, value in first if codes == first[0][0]] == [first[0][1]] * 2
        assert (tried, len(left[2])) == ({5: 7, 2: 1}, 1)


@pytest.mark.long
@pytest.mark.parametrize("secrets", [True, False], ids=["secrets", "values"])
@pytest.mark.parametrize("method", ["mondrian", "full-subgraph"])
def test_exclusions_are_sound_on_random_tables(tmp_path, method, secrets):
    seen = 0
    for seed in range(60):
        draw = random.Random(seed)
        rows = several(draw, draw.randrange(4, 8), 6)
        (tmp_path / str(seed)).mkdir()
        try:
            policy = released(tmp_path / str(seed), rows, method, DIVERSE if secrets else {})
        except anonsql.AnonsqlError:
            continue
        with attacked(policy) as classes:
            if secrets:
                found = classes.secrets()
            else:
                found = classes.values(meanings_of(classes.trial.sides, classes.members))
            seen += assert_sound(classes, found, 12)
        if seen == 2:
            return
    assert seen


@pytest.mark.long
@pytest.mark.parametrize("method", ["cell-generalization", "full-domain", "hybrid"])
def test_the_truth_remains_with_all_other_rows_as_they_are(tmp_path, method):
    """Classes whose rows may be in several, too: who is where is learnt by numbered rows."""
    rows = several(random.Random(4), 14, 8)
    with attacked(released(tmp_path, rows, method, DIVERSE), trials=5) as classes:
        assert sum(classes.members.classes.values(), Counter()).total() <= 14
        found = classes.secrets()
        assert found.excluded == "who knows all other rows" and found.found
        for _, suspected, left in found.found:
            own = tuple(sorted(suspected.truth.elements()))
            assert own in left or own not in suspected.tried
            assert set(left) <= set(suspected.tried)
