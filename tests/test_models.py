"""The models: the search against brute force for each of them, what stays true under
generalization, and releases."""

import json
import random
from collections import Counter, defaultdict
from dataclasses import replace
from decimal import Decimal
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import anonsql
from anonsql.errors import PolicyError, PrivacyError, VerificationError
from anonsql.jobs import publishing
from anonsql.policy.policy import Policy
from anonsql.policy.privacy import Privacy
from anonsql.privacy.promise import Promise, promised_facts
from anonsql.privacy.registry import MODELS
from anonsql.release import staging as publish
from anonsql.search.frequency import FrequencySets

from . import model_oracle
from .examples import searches
from .models import cases, promised
from .oracle import Oracle
from .support import (
    edit,
    job,
    label_trees,
    make_table,
    policy_data,
    rows_of,
    term,
    tree_file,
    updated,
    vectors,
)
from .test_incognito import tables

VALUES = [None, "flu", "it's", "a\nb", "hép"]
GROUPS = {
    "flu": ("flu", "x", "*"),
    "it's": ("it's", "x", "*"),
    "a\nb": ("a\nb", "y", "*"),
    "hép": ("hép", "y", "*"),
    None: (None, None, "*"),
}
TAXONOMY = {"type": "taxonomy", "tree": {"x": ["flu", "it's"], "y": ["a\nb", "hép"]}}
ORDER = ["hép", "flu", "a\nb", "it's"]


class Table:
    """Rows of quasi-identifying values, each with a disease, a number and a person; a
    population."""

    def __init__(self, rows, labels, diseases, numbers, people, population):
        self.rows, self.labels, self.diseases, self.numbers, self.people = (
            rows,
            labels,
            diseases,
            numbers,
            people,
        )
        self.population = population
        with_null = [any(row[i] is None for row in rows + population) for i in range(len(labels))]
        self.oracle = Oracle(
            rows,
            [
                {v: r for v, r in column.items() if v is not None or null}
                for column, null in zip(labels, with_null)
            ],
        )

    def classes(self, levels):
        """class -> (row numbers, rows of the population)"""
        found = defaultdict(list)
        for number, row in enumerate(self.rows):
            found[self.oracle.generalize(row, levels)].append(number)
        others = Counter(self.oracle.generalize(row, levels) for row in self.population)
        return {name: (numbers, others[name]) for name, numbers in found.items()}

    def suppressed(self, levels, keeps, k, people=False, everybody=False):
        """Rows in classes that break the promise; where it is owed to ``everybody``, and groups of
        the population without a row."""
        groups = {self.oracle.generalize(row, levels) for row in self.population}
        lost = len(groups - self.classes(levels).keys()) if everybody else 0
        for numbers, population in self.classes(levels).values():
            size = len({self.people[n] for n in numbers}) if people else len(numbers)
            if size < k or not keeps(self, numbers, population):
                lost += len(numbers)
        return lost


def about(check, *more, column="diseases"):
    """A model about a sensitive column as a check of a class."""
    return lambda table, numbers, _population: check(
        [getattr(table, column)[n] for n in numbers], *more
    )


def against_all(check, *more, column="diseases"):
    return lambda table, numbers, _population: check(
        [getattr(table, column)[n] for n in numbers], getattr(table, column), *more
    )


def ordered(t, column, key):
    def keeps(table, numbers, _population):
        values = getattr(table, column)
        order = sorted(set(values), key=key)
        return (
            model_oracle.ordered_distance([values[n] for n in numbers], values, order) <= t + 1e-9
        )

    return keeps


CASES = {
    "k": ({}, lambda *_: True),
    "distinct": ({"l_diversity": {"d": 2}}, about(model_oracle.distinct, 2)),
    "range": (
        {"l_diversity": {"w": {"l": 2, "min_range": 0.5}}},
        lambda t, n, p: (
            model_oracle.distinct([t.numbers[i] for i in n], 2)
            and model_oracle.span([t.numbers[i] for i in n])
            >= 0.5 * max(0, model_oracle.span(t.numbers))
        ),
    ),
    "span": (
        {"l_diversity": {"w": {"l": 2, "min_span": 28}}},
        lambda t, n, p: (
            model_oracle.distinct([t.numbers[i] for i in n], 2)
            and model_oracle.span([t.numbers[i] for i in n]) >= 28
        ),
    ),
    "entropy": (
        {"l_diversity": {"d": {"l": 1.7, "type": "entropy"}}},
        about(model_oracle.entropy, 1.7),
    ),
    "entropy of equal shares": (
        {"l_diversity": {"d": {"l": 2, "type": "entropy"}}},
        about(model_oracle.entropy, 2),
    ),
    "recursive": (
        {"l_diversity": {"d": {"l": 2, "type": "recursive", "c": 1.5}}},
        about(model_oracle.recursive, 2, 1.5),
    ),
    "equal": (
        {"t_closeness": {"d": 0.3}},
        lambda t, n, p: (
            model_oracle.equal_distance([t.diseases[i] for i in n], t.diseases) <= 0.3 + 1e-9
        ),
    ),
    "ordered numbers": (
        {"t_closeness": {"w": {"t": 0.25, "distance": "ordered"}}},
        ordered(0.25, "numbers", lambda value: (value is not None, value or 0)),
    ),
    "ordered texts": (
        {"t_closeness": {"d": {"t": 0.2, "distance": "ordered", "order": ORDER}}},
        ordered(0.2, "diseases", lambda value: -1 if value is None else ORDER.index(value)),
    ),
    "hierarchical": (
        {"t_closeness": {"d": {"t": 0.2, "distance": "hierarchical"}}},
        lambda t, n, p: (
            model_oracle.hierarchical_distance([t.diseases[i] for i in n], t.diseases, GROUPS)
            <= 0.2 + 1e-9
        ),
    ),
    "alpha": ({"alpha_k": {"d": {"alpha": 0.5}}}, about(model_oracle.alpha, 0.5)),
    "alpha of a value": (
        {"alpha_k": {"d": {"alpha": 0.4, "values": ["it's"]}}},
        about(model_oracle.alpha, 0.4, ["it's"]),
    ),
    **{
        name: (privacy, against_all(keeps, bound))
        for name, (privacy, keeps, bound) in cases("SEARCHED").items()
    },
    "people": ({"entity": "person"}, lambda *_: True),
    "k-map": ({"k": 1, "k_map": 3}, lambda t, n, p: p >= 3),
    "presence": (
        {"k": 1, "delta_presence": {"max": 0.5}},
        lambda t, n, p: model_oracle.presence(len(n), p, 0, 0.5),
    ),
    "presence between": (
        {"k": 1, "delta_presence": {"min": 0.2, "max": 0.7}},
        lambda t, n, p: model_oracle.presence(len(n), p, 0.2, 0.7),
    ),
    "together": (
        {
            "l_diversity": {"w": 2},
            "t_closeness": {"d": 0.4},
            "alpha_k": {"w": 0.7},
            **{model: asked for model, (asked, _) in cases("TOGETHER").items()},
            "k_map": 2,
        },
        lambda t, n, p: (
            model_oracle.distinct([t.numbers[i] for i in n], 2)
            and model_oracle.equal_distance([t.diseases[i] for i in n], t.diseases) <= 0.4 + 1e-9
            and model_oracle.alpha([t.numbers[i] for i in n], 0.7)
            and all(
                keeps([t.diseases[i] for i in n], t.diseases)
                for _, keeps in cases("TOGETHER").values()
            )
            and p >= 2
        ),
    ),
}


@st.composite
def tables_with_values(draw):
    rows, labels = draw(tables(max_rows=16))
    several = {"min_size": len(rows), "max_size": len(rows)}
    diseases = draw(st.lists(st.sampled_from(VALUES[: draw(st.integers(1, 5))]), **several))
    numbers = draw(st.lists(st.sampled_from([None, 1, 2, 30]), **several))
    people = draw(st.lists(st.sampled_from([None, "p", "q", "r", "s"]), **several))
    row = st.tuples(*(st.sampled_from(list(column)) for column in labels))
    population = rows + draw(st.lists(row, max_size=16))
    return Table(rows, labels, diseases, numbers, people, population)


def policy_over(folder, table, privacy, limit, **more):
    """The table as a DuckDB file with its population, and a policy over it."""
    if "values" in str(privacy.get("alpha_k")):
        assume("it's" in table.diseases)  # a value that the table lacks is an error
    kinds = {f"c{number}": "VARCHAR" for number in range(len(table.labels))}
    rows = [
        (*row, d, n, p)
        for row, d, n, p in zip(table.rows, table.diseases, table.numbers, table.people)
    ]
    make_table(
        folder / "source.duckdb",
        {**kinds, "d": "VARCHAR", "w": "INTEGER", "person": "VARCHAR"},
        rows,
    )
    columns = label_trees(folder, table.labels)
    hierarchical = "hierarchical" in json.dumps(privacy)
    columns |= {
        "d": {"role": "sensitive", **({"hierarchy": TAXONOMY} if hierarchical else {})},
        "w": "sensitive",
        "person": "insensitive",
    }
    data = policy_data(columns, k=2, limit=limit, **more, privacy=privacy)
    if "k_map" in privacy or "delta_presence" in privacy:
        make_table(folder / "population.duckdb", kinds, table.population, table="everybody")
        data["privacy"]["population"] = {"database": "population.duckdb", "table": "everybody"}
    return Policy.parse(data, folder)


@pytest.mark.parametrize("name", CASES)
@searches
@given(
    table=tables_with_values(),
    limit=st.sampled_from([0.0, 0.2, 0.4]),
    algorithm=st.sampled_from(["incognito", "auto", "bottom-up"]),
)
def test_search_is_brute_force_for_every_model(tmp_path_factory, name, table, limit, algorithm):
    privacy, keeps = CASES[name]
    people = "entity" in privacy
    folder = tmp_path_factory.mktemp("models")
    policy = policy_over(folder, table, privacy, limit, method={"algorithm": algorithm})
    if refused(table, privacy):
        with pytest.raises(PolicyError), job(policy, folder):
            pass
        return
    k, limit_rows = policy.privacy.k, policy.privacy.max_suppressed(len(table.rows))
    everybody = privacy.get("delta_presence", {}).get("min", 0) > 0
    lost = {
        levels: table.suppressed(levels, keeps, k, people, everybody)
        for levels in table.oracle.lattice()
    }
    satisfying = {levels for levels, rows in lost.items() if rows <= limit_rows}
    if not satisfying:
        with pytest.raises(PrivacyError), job(policy, folder):
            pass
        return
    with job(policy, folder) as done:
        assert vectors(done) == satisfying
        below = {
            levels for levels in satisfying if any(_below(other, levels) for other in satisfying)
        }
        assert vectors(done, done.schema.searched.minimal) == satisfying - below
        for node, sizes in done.schema.searched.sizes.items():
            if node in done.schema.searched.nodes:
                assert (
                    sizes.suppressed
                    == lost[
                        tuple(
                            done.schema.searched.nodes[node][a.index]
                            for a in done.counted.attributes
                        )
                    ]
                )


def refused(table, privacy):
    """Whether some t is so large that every class keeps it (see test_weak_promises)."""
    for name, asked in privacy.get("t_closeness", {}).items():
        t, kind = (asked["t"], asked["distance"]) if isinstance(asked, dict) else (asked, "equal")
        values = table.diseases if name == "d" else table.numbers
        key = (lambda v: (v is not None, v or 0)) if name == "w" else [None, *ORDER].index
        distance = {
            "equal": model_oracle.equal_distance,
            "ordered": lambda v, of, key=key: model_oracle.ordered_distance(
                v, of, sorted(set(of), key=key)
            ),
            "hierarchical": lambda v, of: model_oracle.hierarchical_distance(v, of, GROUPS),
        }[kind]
        if len(set(values)) > 1 and all(distance([v], values) <= t + 1e-9 for v in set(values)):
            return True
    return False


def _below(one, other):
    return one != other and all(low <= high for low, high in zip(one, other))


SINGLE = {
    "distinct": term("distinct", Decimal(2)),
    "range": term("range", Decimal("0.5")),
    "span": term("span", Decimal(28)),
    "entropy": term("entropy", Decimal("1.7")),
    "recursive": term("recursive", Decimal(2), Decimal("1.5")),
    "equal": term("equal", Decimal("0.3")),
    "ordered numbers": term("ordered", Decimal("0.25")),
    "hierarchical": term("hierarchical", Decimal("0.2")),
    "alpha": term("alpha", Decimal("0.5")),
    **{kind: term(kind, bound) for kind, bound in cases("TERMS").items()},
    "k-map": term("k_map", Decimal(3)),
    "presence": term("presence", Decimal("0.5")),
}


@pytest.mark.parametrize("name", SINGLE)
@settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
)
@given(table=tables_with_values(), data=st.data())
def test_unions_keep_what_their_parts_keep(name, table, data):
    keeps, model = CASES[name][1], SINGLE[name]
    where = data.draw(
        st.lists(st.sampled_from("ABC"), min_size=len(table.rows), max_size=len(table.rows))
    )
    one, other = ([n for n, letter in enumerate(where) if letter == which] for which in "AB")
    assume(one and other)
    some, more = data.draw(st.integers(1, 9)), data.draw(st.integers(1, 9))
    assert model.stays(suppressing=False)
    assume(keeps(table, one, some) and (model.stays(suppressing=True) or keeps(table, other, more)))
    assert keeps(table, one + other, some + more)


def test_what_may_be_pruned_by():
    promise = Promise(
        5,
        (SINGLE["distinct"], SINGLE["equal"], term("presence", Decimal(1), Decimal("0.1"))),
        (3,),
    )
    assert [item.kind for item in promise.core(0).models] == ["distinct", "equal"]
    assert [entry.kind for entry in promise.core(1).models] == ["distinct"]
    assert (
        not promise.monotone(0)
        and Promise(5).monotone(7)
        and Promise(5, (SINGLE["k-map"],)).monotone(7)
    )
    assert Promise(5, (SINGLE["entropy"],)).monotone(0) and not Promise(
        5, (SINGLE["entropy"],)
    ).monotone(1)


TREE = [["a", "x", "*"], ["b", "x", "*"], ["c", "y", "*"]]
SPOILED = {
    "entropy": {"l_diversity": {"d": {"l": 1.9, "type": "entropy"}}},
    "recursive": {"l_diversity": {"d": {"l": 2, "type": "recursive", "c": 1.5}}},
    "alpha": {"alpha_k": {"d": 0.6}},
}
FAR = {
    "equal": {"t_closeness": {"d": 0.2}},
    "ordered": {"t_closeness": {"d": {"t": 0.2, "distance": "ordered", "order": ["p", "q"]}}},
    "hierarchical": {"t_closeness": {"d": {"t": 0.2, "distance": "hierarchical"}}},
    **cases("FAR"),
}


def three_groups(folder, counts, privacy, limit, population=()):
    """One column of three values with the counts {value: (rows of disease p, rows of disease
    q)}."""
    rows = [(value, d) for value, (p, q) in counts.items() for d in "p" * p + "q" * q]
    make_table(folder / "source.duckdb", {"a": "VARCHAR", "d": "VARCHAR"}, rows)
    hierarchy = (
        {"hierarchy": {"type": "suppression"}} if "hierarchical" in json.dumps(privacy) else {}
    )
    data = policy_data(
        {"a": tree_file(folder / "h" / "a.csv", TREE), "d": {"role": "sensitive", **hierarchy}},
        limit=limit,
    )
    data["privacy"] |= privacy
    if population:
        make_table(folder / "population.duckdb", {"a": "VARCHAR"}, [(item,) for item in population])
        data["privacy"]["population"] = {"database": "population.duckdb", "table": "t"}
    return Policy.parse(data, folder)


@pytest.mark.parametrize("name", [*SPOILED, *FAR, "presence"])
def test_a_suppressed_class_spoils_the_one_it_is_merged_into(tmp_path, name):
    """Suppressing b leaves a; generalizing to x = a and b breaks both, and more rows than the limit
    allows. At the top the whole table is one class."""
    if name in SPOILED:
        policy = three_groups(tmp_path, {"a": (4, 4), "b": (6, 0), "c": (3, 3)}, SPOILED[name], 0.3)
    elif name in FAR:
        policy = three_groups(tmp_path, {"a": (6, 2), "b": (6, 0), "c": (24, 24)}, FAR[name], 0.15)
    else:
        everybody = "a" * 40 + "b" * 6 + "c" * 400
        policy = three_groups(
            tmp_path,
            {"a": (4, 4), "b": (6, 0), "c": (24, 24)},
            {"delta_presence": {"max": 0.25}},
            0.15,
            everybody,
        )
    with job(policy, tmp_path) as done:
        assert not done.schema.nodes.sets.promise.monotone(1)
        found = vectors(done)
        assert (0,) in found and (1,) not in found
        assert vectors(done, done.schema.searched.minimal) == {(0,)}


def test_people_known_from_the_population_alone_spoil_a_least_presence(tmp_path):
    policy = three_groups(
        tmp_path,
        {"a": (4, 4), "c": (8, 8)},
        {"delta_presence": {"min": 0.4, "max": 0.9}},
        0.0,
        "a" * 16 + "b" * 20 + "c" * 20,
    )
    with job(policy, tmp_path) as done:
        assert vectors(done) == {
            (2,)
        }  # nobody of b is there at level 0; 8/36 at level 1; 24/56 at the top


def test_nobody_is_certainly_absent_under_a_least_presence(tmp_path):
    """Neither the people of groups that the table does not have, nor those of suppressed
    classes."""
    privacy = {"delta_presence": {"min": 0.1, "max": 0.9}}
    everybody = "a" * 16 + "b" * 20 + "c" * 20
    policy = three_groups(tmp_path, {"a": (4, 4), "c": (8, 8)}, privacy, 0.9, everybody)
    assert anonsql.run(policy).levels == {"a": 1}
    (more := tmp_path / "more").mkdir()
    policy = three_groups(more, {"a": (4, 4), "b": (1, 0), "c": (8, 8)}, privacy, 0.9, everybody)
    assert anonsql.run(policy).suppressed == 0
    named = updated(policy, method={"levels": {"a": 0}})
    with pytest.raises(PrivacyError, match=r"Set privacy\.delta_presence\.min to 0"):
        anonsql.run(named)


def test_a_run_that_left_people_out_is_refused(tmp_path, monkeypatch):
    """Were nobody to count those, the comparison with the source would."""
    privacy = {"delta_presence": {"min": 0.1, "max": 0.9}}
    everybody = "a" * 16 + "b" * 20 + "c" * 20
    policy = three_groups(tmp_path, {"a": (4, 4), "c": (8, 8)}, privacy, 0.0, everybody)
    named = policy.model_copy(
        update={"method": policy.method.model_copy(update={"levels": {"a": 0}})}
    )
    measured = FrequencySets.measured

    def lenient(self, *given):
        found = measured(self, *given)
        return {node: (replace(item, suppressed=0), lost) for node, (item, lost) in found.items()}

    monkeypatch.setattr(FrequencySets, "measured", lenient)
    with pytest.raises(
        VerificationError, match="1 classes of the population have no released rows"
    ):
        anonsql.run(named)


def released_classes(folder, columns):
    """The released rows by their labels, masked ones a class like another: (disease, number,
    person) of each."""
    names = ", ".join(f'"{name}"' for name in columns)
    found = defaultdict(list)
    for row in rows_of(folder / "release.duckdb", f"SELECT {names}, d, w, person FROM r"):
        found[row[: len(columns)]].append(row[len(columns) :])
    return found


@pytest.mark.parametrize("name", CASES)
@settings(max_examples=2, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    table=tables_with_values(),
    limit=st.sampled_from([0.0, 0.3, 0.6]),
    suppressed=st.sampled_from(["remove", "mask"]),
)
def test_a_release_keeps_its_promise(tmp_path_factory, name, table, limit, suppressed):
    """Every released class, masked rows among them, keeps every model by the oracle; `verify` finds
    nothing to object to."""
    privacy, keeps = CASES[name]
    folder = tmp_path_factory.mktemp("release")
    policy = policy_over(folder, table, privacy, limit)
    policy = updated(policy, release={"suppressed": suppressed})
    if refused(table, privacy):
        with pytest.raises(PolicyError):
            anonsql.run(policy)
        return
    try:
        report = anonsql.run(policy)
    except PrivacyError:
        return
    assert report.promises == promised_facts(policy.privacy)
    assert anonsql.verify(policy).classes == report.classes
    names = [f"c{number}" for number in range(len(table.labels))]
    levels = tuple(report.levels.values())
    others = Counter(table.oracle.generalize(row, levels) for row in table.population)
    classes = released_classes(folder, names)
    masked = ("*",) * len(names) if report.masked else None
    for label, rows in classes.items():
        hidden = (
            sum(n for other, n in others.items() if other not in classes)
            if label == masked
            else others[label]
        )
        assert len({row[2] for row in rows} if "entity" in privacy else rows) >= policy.privacy.k
        assert _keeps(keeps, table, rows, hidden)


def _keeps(keeps, table, rows, population):
    """Whether released rows keep a model: a class of rows of the table with the same values."""
    left = defaultdict(list)
    for number, row in enumerate(zip(table.diseases, table.numbers, table.people)):
        left[row].append(number)
    return keeps(table, [left[row].pop() for row in rows], population)


def test_pycanon_finds_the_same(tmp_path):
    """A second opinion on a release, by the names that pycanon has for the models."""
    import pandas

    anonymity = pytest.importorskip("pycanon.anonymity", reason="it needs numpy 2.0")

    rnd = random.Random(2)
    rows = [
        (rnd.randrange(60), rnd.choice("ab"), rnd.choice(["flu", "hiv", "cold", "none"]))
        for _ in range(400)
    ]
    make_table(
        tmp_path / "source.duckdb", {"age": "INTEGER", "sex": "VARCHAR", "d": "VARCHAR"}, rows
    )
    columns = {
        "age": {"type": "interval", "widths": [10, 30]},
        "sex": {"type": "suppression"},
        "d": "sensitive",
    }
    data = policy_data(columns, k=5)
    data["privacy"] |= {
        "l_diversity": {"d": {"l": 3, "type": "entropy"}},
        "t_closeness": {"d": 0.2},
        "alpha_k": {"d": 0.5},
    }
    data["privacy"] |= promised("measured")
    anonsql.run(Policy.parse(data, tmp_path))
    released = rows_of(tmp_path / "release.duckdb", "SELECT age, sex, d FROM r")
    frame, quasi, sensitive = (
        pandas.DataFrame(released, columns=["age", "sex", "d"]),
        ["age", "sex"],
        ["d"],
    )
    assert anonymity.k_anonymity(frame, quasi) >= 5
    assert anonymity.entropy_l_diversity(frame, quasi, sensitive) >= 3
    assert anonymity.t_closeness(frame, quasi, sensitive) <= 0.2 + 1e-9
    assert anonymity.alpha_k_anonymity(frame, quasi, sensitive)[0] <= 0.5
    for measure, keeps in cases("MEASURED").items():
        assert keeps(getattr(anonymity, measure)(frame, quasi, sensitive))


@pytest.mark.parametrize("suppressed", ["remove", "mask"])
def test_verify_notices_what_breaks_a_model(tmp_path, suppressed):

    policy = three_groups(
        tmp_path, {"a": (4, 4), "b": (1, 0), "c": (3, 3)}, {"l_diversity": {"d": 2}}, 0.2
    )
    policy = policy.model_copy(
        update={"release": policy.release.model_copy(update={"suppressed": suppressed})}
    )
    assert anonsql.run(policy).suppressed == 1
    assert anonsql.verify(policy).promises == {"l_diversity.d": "distinct 2"}
    edit(tmp_path / "release.duckdb", "UPDATE r SET d = 'p' WHERE a = 'a'")
    with pytest.raises(
        VerificationError,
        match=r"1 classes with 8 rows do not keep l_diversity.d \(distinct 2\)",
    ):
        anonsql.verify(policy)


def test_a_run_proves_what_the_release_alone_cannot_tell(tmp_path, monkeypatch):
    """Were the classes that fall short of the population published all the same, the comparison
    would notice."""
    policy = three_groups(
        tmp_path,
        {"a": (4, 4), "b": (2, 2), "c": (3, 3)},
        {"k_map": 10},
        0.3,
        "a" * 12 + "b" * 4 + "c" * 12,
    )
    stage = publish.stage_levels

    def generous(engine, target, source, recoding, *others):
        lenient = replace(recoding, suppression=replace(recoding.suppression, rows=0))
        stage(engine, target, source, lenient, *others)

    with monkeypatch.context() as patch:
        patch.setattr(publish, "stage_levels", generous)
        patch.setattr(
            publishing, "prove", lambda *_, **__: SimpleNamespace(classes=None)
        )  # its facts would give it away before
        with pytest.raises(VerificationError, match="differ from the generalized source"):
            anonsql.run(policy)
    assert anonsql.run(policy).suppressed == 4


def test_rows_that_break_a_model_are_quarantined_under_an_old_scheme(tmp_path):
    policy = three_groups(
        tmp_path, {"a": (4, 4), "b": (2, 2), "c": (3, 3)}, {"l_diversity": {"d": 2}}, 0.0
    )
    assert anonsql.run(policy).levels == {"a": 0}
    (tmp_path / "release.duckdb").rename(tmp_path / "old.duckdb")
    (tmp_path / "source.duckdb").unlink()
    policy = three_groups(
        tmp_path, {"a": (4, 4), "b": (5, 0), "c": (3, 3)}, {"l_diversity": {"d": 2}}, 0.0
    )
    assert anonsql.apply(policy, "old.duckdb").quarantined == 5
    assert {row[0] for row in rows_of(tmp_path / "release.duckdb", "SELECT a FROM r")} == {"a", "c"}
    assert anonsql.verify(policy).released == 14


def test_compiled_sql_promises_k_alone(tmp_path):
    policy = three_groups(
        tmp_path, {"a": (4, 4), "b": (2, 2), "c": (3, 3)}, {"l_diversity": {"d": 2}}, 0.0
    )
    with pytest.raises(
        PolicyError, match=r"privacy\.l_diversity\.d: compiled SQL can promise only k rows"
    ):
        anonsql.compile(policy, "duckdb", tmp_path / "sql")


def test_every_model_is_registered_and_a_field_of_privacy():
    """In the same order, so that facts and messages name them in that of the policy."""
    fields = list(Privacy.model_fields)
    assert sorted((model.name for model in MODELS), key=fields.index) == [m.name for m in MODELS]
    everything = Privacy.model_validate(
        {
            "k": 2,
            "population": {"database": "population.duckdb", "table": "t"},
            "l_diversity": {"d": 2},
            "t_closeness": {"d": 0.3},
            "alpha_k": {"d": 0.5},
            **promised("every model"),
            "k_map": 5,
            "delta_presence": {"max": 0.5},
        }
    )
    asked = [type(item) for _, item in everything.models()]
    assert asked == list(MODELS), "give the new model in this test too"


@pytest.mark.parametrize("model", MODELS, ids=lambda letter: letter.name)
def test_every_criterion_says_why_it_is_monotone_or_not(model):
    assert model.criteria and all(element.because for element in model.criteria)
    assert {item.model for item in model.criteria} == {model.name}
    assert all(entry.monotone for entry in model.criteria if entry.unions)
