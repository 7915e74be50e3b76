"""``anonsql attack`` where a policy names people: every figure counts people, as brute force does."""

import random
from collections import Counter, defaultdict
from itertools import product

import pytest

import anonsql
from anonsql.errors import PolicyError
from anonsql.policy.policy import Policy

from .engines import policy_on
from .support import cli, in_file, make_source, policy_data, rows_of, write_data

TYPES = {"person": "VARCHAR", "age": "INTEGER", "sex": "VARCHAR", "cost": "INTEGER"}
QUASI = {
    "age": {"role": "qi", "hierarchy": {"type": "interval", "widths": [10, 40]}},
    "sex": {"role": "qi", "hierarchy": {"type": "suppression"}},
}
COSTS = [0, 100, 102, 104, 150, None]
SURROGATE = {"role": "identifying", "replace": "surrogate"}


def visits(seed, people=18, rows=60):
    """Visits of people: some have many, with other values and costs at each."""
    draw = random.Random(seed)
    frequent = [f"p{int(people * draw.random() ** 2):02}" for _ in range(rows)]
    return [
        (who, draw.randrange(8) * 5, draw.choice("fm"), draw.choice(COSTS[draw.randrange(3) :]))
        for who in frequent
    ]


def published(folder, rows, role="identifying", k=3, method=None, **more):
    make_source(folder, TYPES, rows)
    privacy = {"entity": "person"}
    columns = {"person": role, **QUASI, "cost": "sensitive"}
    data = policy_data(columns, k=k, method=method or {}, limit=0.2, privacy=privacy, **more)
    policy = Policy.parse(data, folder)
    anonsql.run(policy)
    return policy


def by(report, kind):
    return {one.by: one for one in report.attacks if one.kind == kind}


def covers(label, value):
    """Whether a label stands for a value: itself, * or an interval."""
    if label in ("*", str(value)):
        return True
    if label[0] != "[":
        return False
    low, high = map(int, label[1:-1].split(","))
    return low <= value < high or (label[-1] == "]" and value == high)


class Oracle:
    """Everything by all pairs of rows of release and source."""

    def __init__(self, folder, rows, released=None):
        shown, self.rows = "SELECT age, sex, cost FROM r", rows
        self.released = released or rows_of(folder / "release.duckdb", shown)
        self.owners = [
            Counter(row[0] for row in rows if self.fits(one, row, "age", "sex", "cost"))
            for one in self.released
        ]

    @staticmethod
    def fits(released, row, *columns):
        age, sex, cost = released
        agree = {"age": covers(age, row[1]), "sex": covers(sex, row[2]), "cost": cost == row[3]}
        return all(agree[column] for column in columns)

    def owned(self, released, without=None):
        """Parts of a released row by people, without those of one of them."""
        owners = self.owners[released]
        total = sum(owners.values())
        return {who: n / total for who, n in owners.items() if who != without}

    def taken(self, released, without):
        owners = self.owners[released]
        return owners[without] / max(sum(owners.values()), 1) if without else 0

    def targets(self, rows):
        known = defaultdict(list)
        for row in rows:
            known[row[0]].append(row)
        for who, own in known.items():
            for row in own:
                yield who, row, own, 1 / len(own)

    def linked(self, one, other, *, taken=False, rows=None):
        right = 0.0
        for who, row, _, weight in self.targets(rows or self.rows):
            without = who if taken else None
            first, second = (
                [i for i, released in enumerate(self.released) if self.fits(released, row, *part)]
                for part in (one, other)
            )
            sizes = [sum(1 - self.taken(i, without) for i in part) for part in (first, second)]
            shares = []
            for part in (first, second):
                shares.append(Counter())
                for i in part:
                    shares[-1].update(self.owned(i, without))
            pairs = sum(share * shares[1][person] for person, share in shares[0].items())
            right += weight * pairs / (sizes[0] * sizes[1]) if min(sizes) > 1e-9 else 0
        return right

    def guessed(self, near, *, taken=False, rows=None):
        """How often values are guessed, how often the most frequent one would be right, and the
        right guesses without alternative."""
        everything = Counter()
        for (*_, cost), guess in product(self.released, COSTS):
            everything[guess] += near(guess, cost)
        most = min(COSTS, key=lambda one: (-everything[one], one is not None, one))
        right = frequent = certain = 0.0
        for who, row, own, weight in self.targets(rows or self.rows):
            have = {guess for guess in COSTS if any(near(guess, other[3]) for other in own)}
            votes, total, said = Counter(), 0, set()
            for i, released in enumerate(self.released):
                if self.fits(released, row, "age", "sex"):
                    vote = 1 - self.taken(i, who if taken else None)
                    total += vote
                    said.add(released[2])
                    for guess in COSTS:
                        votes[guess] += vote * near(guess, released[2])
            frequent += weight * (most in have)
            if total < 1e-9:
                right += weight * (most in have)
                continue
            best = [guess for guess, n in votes.items() if n > max(votes.values()) - 1e-9]
            right += weight * sum(guess in have for guess in best) / len(best)
            certain += weight * (len(said) == 1 and said <= have)
        return right, frequent, certain

    def alone(self, columns, linked=None, rows=None):
        """Predicates of the released rows that are alone, and how many hold for one person."""
        places = ("age", "sex", "cost")
        made = defaultdict(list)
        for i, released in enumerate(self.released):
            predicate = tuple(released[places.index(column)] for column in columns)
            made[predicate].append((linked[i] if linked else i, released))
        guesses = [
            members[0][1] for members in made.values() if len({who for who, _ in members}) == 1
        ]
        holding = [
            {row[0] for row in rows or self.rows if self.fits(guess, row, *columns)}
            for guess in guesses
        ]
        return len(guesses), sum(len(people) == 1 for people in holding)

    def all_rows(self, linked):
        """Surrogates with rows that exactly one person has all of, by their labels."""
        sets = defaultdict(list)
        for who, released in zip(linked, self.released, strict=True):
            sets[who].append(released)
        known = ("age", "sex")
        shown = [
            row for row in self.rows if any(self.fits(one, row, *known) for one in self.released)
        ]
        people = [[row for row in shown if row[0] == who] for who in {row[0] for row in shown}]
        having = 0
        for released in sets.values():
            labels = Counter(one[:2] for one in released)
            having += (
                sum(
                    len(rows) == len(released)
                    and all(
                        sum(self.fits((*label, None), row, *known) for row in rows) >= n
                        for label, n in labels.items()
                    )
                    for rows in people
                )
                == 1
            )
        return len(sets), having


def same(guess, truth):
    return guess == truth


def close(guess, truth):
    if guess is None or truth is None:
        return guess is truth
    return abs(guess - truth) <= 0.05 * abs(truth)


METHODS = [
    {"type": "full-domain"},
    {"type": "mondrian"},
    {"type": "cell-generalization"},
    {"type": "full-subtree"},
]
EXACT = {"levels": {"age": 1, "sex": 0}}


@pytest.mark.parametrize(("seed", "people"), [(0, 9), (1, 18), (2, 60)])
@pytest.mark.parametrize("method", METHODS, ids=[method["type"] for method in METHODS])
def test_every_figure_is_that_of_brute_force(tmp_path, method, seed, people):
    rows = visits(seed, people, 4 * people)
    policy = published(tmp_path, rows, method=method)
    report = anonsql.attack(policy, seed=seed)
    oracle, people = Oracle(tmp_path, rows), len({who for who, *_ in rows})
    assert report.entity == "person" and report.smallest_people >= 3 and report.below_k == 0

    for by_what, near in {"cost": same, "cost, within 5%": close}.items():
        found = by(report, "inference")[f"labels → {by_what}"]
        right, frequent, certain = oracle.guessed(near)
        assert found.attack.guesses == found.control.guesses == people
        assert found.attack.successes == round(right)
        without, *_ = oracle.guessed(near, taken=True)
        assert found.control.successes == max(round(without), round(frequent))
        assert found.certain == (round(certain) if near is same else None)
    for found in by(report, "linkability").values():
        assert found.attack.guesses == people
        assert found.attack.successes == round(oracle.linked(found.known, found.guessed))
        without = oracle.linked(found.known, found.guessed, taken=True)
        assert found.control.successes == round(without)
    for found in by(report, "singling-out").values():
        counts = (found.attack.guesses, found.attack.successes)
        assert counts == oracle.alone(found.known)


def test_a_control_of_people_who_were_not_released(tmp_path):
    rows = visits(5, 30, 120)
    policy = published(tmp_path, rows[:80], method=EXACT)
    others = [(f"other {who}", *more) for who, *more in rows[80:]]
    values = ", ".join(str(row).replace("None", "NULL") for row in others)
    made = "CREATE TABLE others AS SELECT * FROM t LIMIT 0", f"INSERT INTO others VALUES {values}"
    in_file(tmp_path / "source.duckdb", *made)
    report, oracle = anonsql.attack(policy, control="others"), Oracle(tmp_path, rows[:80])
    people = len({who for who, *_ in others})
    found = by(report, "inference")["labels → cost"].control
    right, frequent, _ = oracle.guessed(same, rows=others)
    assert (found.guesses, found.successes) == (people, max(round(right), round(frequent)))
    for found in by(report, "linkability").values():
        linked = oracle.linked(found.known, found.guessed, rows=others)
        assert (found.control.guesses, found.control.successes) == (people, round(linked))
    for found in by(report, "singling-out").values():
        counts = (found.control.guesses, found.control.successes)
        assert counts == oracle.alone(found.known, rows=others)


@pytest.mark.parametrize("seed", range(3))
def test_surrogates_single_people_out_by_all_of_their_rows(tmp_path, seed):
    """Every class has rows of three people; who knows all of a person's rows finds the surrogate."""
    rows = visits(seed, 30, 120)
    policy = published(tmp_path, rows, SURROGATE, method=EXACT)
    oracle = Oracle(tmp_path, rows)
    linked = [who for (who,) in rows_of(tmp_path / "release.duckdb", "SELECT person FROM r")]
    report = anonsql.attack(policy, kinds=["singling-out"])
    found = by(report, "singling-out")
    sets = found.pop("labels of all rows")
    assert (sets.attack.guesses, sets.attack.successes) == oracle.all_rows(linked)
    for one in found.values():
        alone = oracle.alone(one.known, linked)
        assert (one.attack.guesses, one.attack.successes) == alone
    assert sets.attack.successes > sets.attack.guesses / 2 and report.below_k == 0
    assert sets.beyond and "`person: {role: identifying}` under `columns`" in report.to_do
    (apart := tmp_path / "apart").mkdir()
    assert "labels of all rows" not in by(
        anonsql.attack(published(apart, rows, method=EXACT)), "singling-out"
    )


def test_a_kept_column_of_people_singles_each_of_them_out(tmp_path):
    rows = visits(1, 20, 80)
    policy = published(tmp_path, rows, "insensitive", method=EXACT)
    report = anonsql.attack(policy, kinds=["singling-out"])
    kept = by(report, "singling-out")["kept columns"]
    assert kept.attack.guesses == kept.attack.successes > 40 and report.beyond
    assert "`person: {role: identifying}` under `columns`" in report.to_do


@pytest.mark.parametrize("method", [EXACT, {"type": "mondrian"}], ids=["full-domain", "mondrian"])
def test_people_of_one_row_each_are_rows(tmp_path, method):
    rows = [(f"p{n:03}", *row[1:]) for n, row in enumerate(visits(4, 30, 120))]
    policy = published(tmp_path, rows, method=method)
    people = anonsql.attack(policy)
    data = policy.model_dump(exclude_unset=True)
    del data["privacy"]["entity"]
    one_row = anonsql.attack(Policy.parse(data, tmp_path))
    unlike = {"means", "control"}
    for one, other in zip(people.attacks, one_row.attacks, strict=True):
        assert one.model_dump(exclude=unlike) == other.model_dump(exclude=unlike)
        if one.kind != "singling-out":  # its control draws by chance
            assert one.control == other.control
    assert (people.by_classes, people.below_k) == (one_row.by_classes, one_row.below_k)
    assert people.smallest_people == people.smallest_class


def test_somebody_with_most_rows_of_a_class_is_one_of_five_people(tmp_path):
    """Of 50 rows 46 are one person's, so the guess is this person's value: right for one of five.
    Picked by the class and by the value, both rows are one's with 46/50 * 46/920, of the other
    four with 4/50 * 1/4; without the own rows these are 3/49 * 1/3."""
    rows = [
        (f"p{group}{n}", 40 * group, "f", 0 if n == 0 else 100 + group)
        for group in range(20)
        for n in range(5)
        for _ in range(46 if n == 0 else 1)
    ]
    policy = published(tmp_path, rows, k=5, method=EXACT)
    report = anonsql.attack(policy)
    assert (report.rows, report.classes, report.smallest_class) == (1000, 20, 50)
    assert (report.smallest_people, report.by_classes, report.below_k) == (5, 0.2, 0)
    inferred = by(report, "inference")["labels → cost"]
    assert (inferred.attack.guesses, inferred.attack.successes) == (100, 20)
    linked = by(report, "linkability")["labels → kept columns"]
    assert linked.attack.successes == round(20 * 46 / 50 / 20 + 80 * 4 / 50 / 4) == 3
    assert linked.control.successes == round(80 * 3 / 49 / 3) == 2


def test_a_class_of_one_person_is_found(tmp_path):
    rows = [(f"p{n % 12:02}", n % 4 * 40, "f", n) for n in range(120)]
    policy = published(tmp_path, rows, method=EXACT)
    assert not anonsql.attack(policy).below_k
    released = (
        "INSERT INTO r (age, age_lo, age_hi, sex, cost) VALUES ('[200,210)', 200, 210, 'f', 7)"
    )
    in_file(tmp_path / "release.duckdb", *[released] * 5)
    in_file(tmp_path / "source.duckdb", *["INSERT INTO t VALUES ('p00', 200, 'f', 7)"] * 5)
    report = anonsql.attack(policy, kinds=["singling-out"])
    assert (report.below_k, report.smallest_class, report.smallest_people) == (5, 5, 1)
    assert report.beyond and report.to_do.startswith("Replace the release by `anonsql run`")


def test_a_draw_is_held_against_people(tmp_path):
    """Every drawn row that is equal to a person's is one of the person's."""
    rows = visits(6, 18, 72)
    policy = published(tmp_path, rows, method=EXACT, release={"completed": 1})
    drawn = "SELECT CAST(age AS VARCHAR), sex, cost FROM r__completed"
    report = anonsql.attack(policy)
    drawn = [
        (age if int(age) in range(0, 40, 5) else "another", *more)
        for age, *more in rows_of(tmp_path / "release.duckdb", drawn)
    ]
    oracle = Oracle(tmp_path, rows, drawn)
    found = by(report, "inference")["labels → cost, drawn"]
    right, frequent, _ = oracle.guessed(same)
    without, *_ = oracle.guessed(same, taken=True)
    assert (found.attack.successes, found.certain) == (round(right), None)
    assert found.control.successes == max(round(without), round(frequent))
    found = by(report, "singling-out")["all columns, drawn"]
    alone = oracle.alone(["age", "sex", "cost"])
    assert (found.attack.guesses, found.attack.successes) == alone
    found = by(report, "linkability")["one half → the other, drawn"]
    assert found.attack.successes == round(oracle.linked(found.known, found.guessed))


def test_every_engine_counts_people_alike(everywhere):
    """Three people in each of two classes, with two rows each."""
    rows = [(f"p{n % 6}", n % 2 * 40, "f", n % 6 // 2) for n in range(12)]
    everywhere.make(TYPES, rows)
    columns = {"person": SURROGATE, **QUASI, "cost": "sensitive"}
    data = policy_data(columns, k=3, method=EXACT, privacy={"entity": "person"})
    anonsql.run(policy := policy_on(everywhere, data))
    report = anonsql.attack(policy)
    assert (report.rows, report.classes, report.smallest_people) == (12, 2, 3)
    assert (report.by_classes, report.below_k) == (pytest.approx(1 / 3), 0)
    inferred = by(report, "inference")
    assert {(one.attack.guesses, one.attack.successes) for one in inferred.values()} == {(6, 2)}
    linked = by(report, "linkability")["labels → kept columns"]
    assert (linked.attack.guesses, linked.attack.successes) == (6, 1)
    found = by(report, "singling-out")
    counts = {name: (one.attack.guesses, one.attack.successes) for name, one in found.items()}
    assert counts == {
        "labels": (0, 0),
        "kept columns": (0, 0),
        "all columns": (6, 6),
        "labels of all rows": (6, 0),
    }


def test_fewer_people_are_looked_for_among_many_rows(tmp_path, monkeypatch):
    policy = published(tmp_path, visits(2, 30, 240), method=EXACT)
    monkeypatch.setattr("anonsql.attacks.sides.MOST_PAIRS", 600)
    report = anonsql.attack(policy, kinds=["inference", "linkability"], attempts=24)
    assert {one.attack.guesses for one in report.attacks} < {24, 6, 1} and report.attacks
    monkeypatch.setattr("anonsql.attacks.sides.MOST_PAIRS", 0)
    with pytest.raises(PolicyError, match="Attack a release with finer labels"):
        anonsql.attack(policy, kinds=["inference"])


def test_the_terminal_says_people(tmp_path):
    rows = visits(0, 18, 72)
    published(tmp_path, rows, SURROGATE, method=EXACT)
    data = policy_data(
        {"person": SURROGATE, **QUASI, "cost": "sensitive"},
        k=3,
        limit=0.2,
        method=EXACT,
        privacy={"entity": "person"},
    )
    shown = " ".join(cli("attack", write_data(tmp_path, data)).output.split())
    assert "classes of 4 or more people by full-domain, k = 3 people" in shown
    assert "guesses about people (person), each known by one of the person's rows" in shown
    assert "without any of the target's own rows" in shown
    assert "Labels of all rows" in shown or "labels of all rows" in shown
