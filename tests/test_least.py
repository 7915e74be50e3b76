"""The search for the node of least value, against brute force."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anonsql.jobs import pipeline
from anonsql.measures import full_domain as metrics
from anonsql.search import least
from anonsql.search.least import Least
from anonsql.search.results import ClassSizes, PartSizes
from anonsql.star.lattice import Lattice

from .support import ADULT, adult_policy, job, needs_data
from .test_incognito import random_job, tables

BY_LEVELS = ["loss", "precision", "height", "weighted-height"]
ALL = [*BY_LEVELS, "discernibility", "average_class_size"]


def outcome(done):
    """What a job chose."""
    found = done.chosen.recoded
    return found.node.levels, found.node.sizes, found.metrics


class Given:
    """Values of nodes that a test made up."""

    def __init__(self, lattice, bounds, more):
        self.lattice, self.bounds, self._values = lattice, bounds, bounds + more
        self.asked = []

    def values(self, nodes):
        self.asked += nodes
        return [float(self._values[self.lattice.position(node)]) for node in nodes]


@st.composite
def worlds(draw):
    """A lattice with what its nodes suppress, which generalization makes less, and their bounds and
    values."""
    shape = draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
    random = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    suppressed = random.integers(0, draw(st.integers(1, 60)), shape)
    bounds = np.zeros(shape)
    for axis, levels in enumerate(shape):
        suppressed = np.minimum.accumulate(suppressed, axis=axis)
        steps = np.sort(random.integers(0, 8, levels)) / 8
        bounds = bounds + steps.reshape([-1 if axis == at else 1 for at in range(len(shape))])
    more = random.integers(0, 4, shape) / draw(st.sampled_from([4, 40]))
    lattice = Lattice(
        tuple(range(1, len(shape) + 1)), (0,) * len(shape), tuple(np.array(shape) - 1)
    )
    return lattice, suppressed, bounds, more


@settings(max_examples=200, deadline=None)
@given(
    worlds(),
    st.integers(0, 30),
    st.sampled_from([1, 12]),
    st.sampled_from([1, 4_000_000]),
    st.none() | st.integers(0, 99),
)
def test_every_node_that_may_be_the_least_is_decided(world, limit, first, pairs, seed):
    lattice, suppressed, bounds, more = world
    aim = Given(lattice, bounds, more)
    counted = []

    def count_part(nodes, share):
        """Parts that suppress less than all rows do, as parts may; some nodes have none."""
        random = np.random.default_rng(seed)
        rows = [int(suppressed[lattice.position(node)]) for node in nodes]
        return [
            PartSizes(
                ClassSizes(1, 1, 1, 1, int(random.integers(0, row + 1)), 1),
                share * random.uniform(0.1, 1.5),
            )
            if random.random() < 0.9
            else None
            for row in rows
        ]

    def count(nodes):
        counted.extend(tuple(node.values()) for node in nodes)
        rows = [int(suppressed[lattice.position(node)]) for node in nodes]
        return [ClassSizes(1, 1, 1, 1, row, 1) for row in rows]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(least, "_PAIRS", pairs)
        found = Least(lattice, 2, limit, aim=aim, expected=first)
        found.decide(count, lambda _: None, None if seed is None else count_part)
    satisfying = suppressed <= limit
    assert len(counted) == len(set(counted))
    decided = ~found.undecided
    assert (found.satisfying <= satisfying).all()
    assert not (satisfying & decided & ~found.satisfying).any()
    if not satisfying.any():
        assert decided.all() and np.isinf(found.least)
        return
    best = (bounds + more)[satisfying].min()
    may = bounds <= best
    assert (decided | ~may).all()
    assert ((found.satisfying & may) == (satisfying & may)).all()
    verdicts = {item.node: item for item in found.verdicts()}
    assert set(verdicts) == set((np.flatnonzero(decided) + 1).tolist())
    for number, verdict in verdicts.items():
        assert verdict.satisfied == satisfying.ravel()[number - 1]
        cause = verdicts[verdict.implied_by]
        assert cause.sizes is not None or cause.rule == "part"


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(tables(), st.integers(2, 4), st.sampled_from([0.0, 0.1, 0.3, 0.6]), st.sampled_from(ALL))
def test_a_run_chooses_what_it_would_of_all(tmp_path_factory, table, k, limit, measure):
    rows, labels = table
    chosen = []
    for algorithm in ("auto", "bottom-up"):
        folder = tmp_path_factory.mktemp("least")
        policy = random_job(
            folder, rows, labels, min(k, len(rows)), limit, algorithm, minimize=measure
        )
        with job(policy, folder, (*pipeline.OPEN_SOURCE, *pipeline.CHOOSE)) as done:
            chosen.append(outcome(done))
    assert chosen[0] == chosen[1]


@pytest.mark.parametrize("measure", BY_LEVELS)
def test_a_bound_is_the_sum_of_what_levels_add(tmp_path, measure):
    rows = [("v0", "v1"), ("v1", "v0"), ("v2", "v1")]
    labels = [
        {"v0": ("v0", "a", "*"), "v1": ("v1", "a", "*"), "v2": ("v2", "b", "*")},
        {"v0": ("v0", "*"), "v1": ("v1", "*")},
    ]
    policy = random_job(tmp_path, rows, labels, 2, 0.0, "auto")
    with job(policy, tmp_path) as done:
        star = done.schema.star
        star.__dict__["weights"] = {1: 2.5, 2: 1.0}
        lattice = Lattice((1, 2), star.bottom, star.top)
        found = metrics.bounds(measure, star, lattice)
        nodes = lattice.levels(~lattice.none())
        assert len(nodes) == 6
        for number, levels in nodes.items():
            expected = metrics.bound(measure, star, levels)
            assert found.ravel()[number - 1] == pytest.approx(expected, abs=1e-12)
        assert metrics.bounds("discernibility", star, lattice) is None


@needs_data
def test_a_run_of_adult_decides_few_nodes(tmp_path):
    chosen = {}
    for stages in (pipeline.CHOOSE, (*pipeline.CHOOSE[:-3], pipeline.search_all, pipeline.choose)):
        policy = adult_policy(tmp_path / str(len(chosen)), ADULT[:7], 10, 0.05)
        with job(policy, tmp_path, (*pipeline.OPEN_SOURCE, *stages)) as done:
            found = done.schema.searched
            chosen[found.checked] = outcome(done)
    few, many = chosen
    assert few < many / 2
    assert chosen[few] == chosen[many]
