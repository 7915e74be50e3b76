"""Paths that a mask generalizes, and what is counted and lost by them, against brute force."""

from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anonsql.measures import full_domain as metrics
from anonsql.search import losses, paths
from anonsql.search.paths import Paths

from .support import job
from .test_incognito import oracle_of, random_job, tables


def attribute(index, greatest, least=0):
    return SimpleNamespace(index=index, min_level=least, max_level=greatest)


ONE, TWO = attribute(1, 2), attribute(2, 1)
FAN_OUTS = {(1, 0): 5, (1, 1): 2, (1, 2): 1, (2, 0): 4, (2, 1): 1}


def test_the_bits_of_all_levels_lie_side_by_side():
    found = Paths.of([ONE, TWO], FAN_OUTS)
    assert found.keys == ("k1",)
    assert found.parts("k1") == [(ONE, 0b01111), (TWO, 0b110000)]
    levels = [{1: 0, 2: 0}, {1: 1, 2: 0}, {1: 2, 2: 1}, {2: 0}, {1: 0}]
    masks = [0b111111, 0b111000, 0, 0b110000, 0b001111]
    assert found.masks(levels)["k1"].tolist() == masks
    assert [found.mask("k1", level) for level in levels] == masks


def test_bits_that_a_key_has_no_room_for_lie_in_the_next(monkeypatch):
    monkeypatch.setattr(paths, "_BITS", 3)
    found = Paths.of([ONE, TWO], FAN_OUTS)
    assert found.keys == ("k1", "k2")
    assert found.parts("k1") == [(ONE, 0b111)]
    assert found.parts("k2") == [(ONE, 0b1), (TWO, 0b110)]
    assert found.masks([{1: 1, 2: 1}])["k1"].tolist() == [0]
    assert found.masks([{1: 1, 2: 1}])["k2"].tolist() == [0b1]


@pytest.mark.parametrize("most", [1, 12, 1000])
def test_every_attribute_is_in_one_unit(most, monkeypatch):
    monkeypatch.setattr(losses, "_MOST", most)
    groups = {(1, 0): 8, (1, 1): 2, (1, 2): 1, (2, 0): 4, (2, 1): 1}
    star = SimpleNamespace(attributes=(TWO, ONE), weights={1: 3.0, 2: 1.0})
    found = losses.units(star, Paths.of([ONE, TWO], FAN_OUTS), groups)
    assert [item.index for unit in found for item in unit.attributes] == [1, 2]
    assert [share for unit in found for share in unit.shares] == [0.75, 0.25]
    assert len(found) == (1 if most == 1000 else 2)
    numbers = found[0].combinations([{1: level, 2: 0} for level in range(3)] + [{2: 0}]).tolist()
    assert len(set(numbers)) == 4


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    tables(),
    st.integers(2, 4),
    st.sampled_from([3, 5, 62]),
    st.sampled_from([1, 30, 50_000]),
    st.data(),
)
def test_sizes_and_losses_are_brute_force(tmp_path_factory, table, k, bits, most, data):
    """Of all nodes, in one request or one by one, however paths and units are cut."""
    rows, labels = table
    k = min(k, len(rows))
    folder = tmp_path_factory.mktemp("paths")
    policy, oracle = random_job(folder, rows, labels, k, 0.9, "auto"), oracle_of(rows, labels)
    columns = list(range(1, len(labels) + 1))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paths, "_BITS", bits)
        patch.setattr(losses, "_MOST", most)
        with job(policy, folder) as done:
            star, roll_ups = done.schema.star, done.schema.nodes.roll_ups
            nodes = [dict(zip(columns, node, strict=True)) for node in oracle.lattice()]
            alone = roll_ups.measured([data.draw(st.sampled_from(nodes))])
            for item in [*roll_ups.measured(nodes), *alone]:
                node = tuple(item.levels.values())
                assert item.sizes.suppressed == oracle.suppressed(node, k)
                assert item.sizes.groups == len(oracle.classes(node))
                found = metrics.loss(star, item.levels, item.sizes.suppressed, item.suppressed_loss)
                assert found == pytest.approx(oracle.loss(node, k), abs=1e-12)


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(tables(), st.integers(2, 4), st.sampled_from([3, 62]), st.data())
def test_an_attribute_that_is_left_out_loses_nothing(tmp_path_factory, table, k, bits, data):
    rows, labels = table
    k = min(k, len(rows))
    folder = tmp_path_factory.mktemp("paths")
    policy, oracle = random_job(folder, rows, labels, k, 0.9, "auto"), oracle_of(rows, labels)
    left_out = data.draw(st.integers(1, len(labels)))
    tops = oracle.heights
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(paths, "_BITS", bits)
        with job(policy, folder) as done:
            for node in oracle.lattice():
                if node[left_out - 1] < tops[left_out - 1]:
                    continue  # to leave an attribute out is to generalize it to the top
                levels = {at: level for at, level in enumerate(node, start=1) if at != left_out}
                found, whole = (
                    done.schema.nodes.roll_ups.measured([levels]),
                    done.schema.nodes.roll_ups.measured([{**levels, left_out: node[left_out - 1]}]),
                )
                assert found[0].sizes == whole[0].sizes
                spared = whole[0].suppressed_loss - found[0].suppressed_loss
                lost = done.schema.star.losses[left_out][node[left_out - 1]]
                share = lost * found[0].sizes.suppressed / len(labels)
                assert spared == pytest.approx(share, abs=1e-12)
