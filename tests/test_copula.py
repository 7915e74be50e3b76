"""Uniqueness by a Gaussian copula, against populations that are known and closed forms."""

import numpy as np
import pytest
from scipy.special import ndtr

import anonsql
from anonsql.errors import PolicyError
from anonsql.features.risk import copula as settings
from anonsql.risks.population import copula

from .support import cli, make_source, policy_data, write_data


def grouped(rows):
    """The classes of rows by ranks, the rows of each, and the class of each row."""
    ranks = [np.unique(column, return_inverse=True)[1].ravel() for column in rows.T]
    codes, of, counts = np.unique(
        np.column_stack(ranks), axis=0, return_inverse=True, return_counts=True
    )
    return codes, counts, of.ravel()


def test_a_known_population():
    """The estimate is within four standard errors (about 0.042) of a mean of 1,000 likelihoods.
    Likelihoods that say nothing would have an AUC of 0.5."""
    generator = np.random.default_rng(7)
    matrix = np.full((4, 4), 0.5) + 0.5 * np.eye(4)
    matrix[0, 1] = matrix[1, 0] = -0.2
    normal = generator.standard_normal((200_000, 4)) @ np.linalg.cholesky(matrix).T
    population = np.floor(ndtr(normal) ** 2 * [90, 60, 12, 8]).astype(int)
    _, counts, of = grouped(population)
    truth = np.mean(counts[of] == 1)
    drawn = generator.choice(200_000, 2_000, replace=False)
    codes, sampled, classes = grouped(population[drawn])
    found = copula.estimate(codes, sampled, 200_000)
    error = found.unique.std() / np.sqrt(1_000)
    assert abs(found.unique.mean() - truth) < 4 * error < 0.05
    member = np.zeros(len(codes), int)
    member[classes] = drawn
    unique = counts[of[member[found.drawn]]] == 1
    high, low = found.unique[unique][:, None], found.unique[~unique]
    assert ((high > low).mean() + (high == low).mean() / 2) > 0.8
    found_matrix = copula.correlations(codes, sampled)
    assert np.abs(found_matrix - matrix).max() < 0.15


def test_independent_columns_have_the_product_of_their_shares():
    codes = np.array([(i, j, k) for i in range(4) for j in range(3) for k in range(2)])
    weights = np.array([1, 2, 3, 4])[codes[:, 0]] * np.array([1, 1, 3])[codes[:, 1]] * 5
    found = copula.estimate(codes, weights, 50)
    chance = (weights / weights.sum())[found.drawn]
    assert len(found.drawn) == weights.sum()
    assert found.unique == pytest.approx((1 - chance) ** 49, rel=1e-9)
    assert found.right == pytest.approx((1 - (1 - chance) ** 50) / (50 * chance), rel=1e-9)


def test_a_box_of_two_normal_variables():
    """P(X > 0, Y > 0) = 1/4 + arcsin(rho) / (2 pi), by both ways to count it."""
    for rho in (-0.9, -0.3, 0.6):
        exact = 0.25 + np.arcsin(rho) / (2 * np.pi)
        matrix = np.array([[1, rho], [rho, 1]])
        corner = copula.boxes(np.zeros((1, 2)), np.full((1, 2), np.inf), matrix)
        assert corner[0] == pytest.approx(exact, abs=2e-3)
        half = np.array([0.5, 1.0])
        table = copula._table(np.zeros(1), np.zeros(1), half, half, rho)
        assert table[1, 1] == pytest.approx(exact, abs=1e-6)


@pytest.mark.parametrize(
    ("codes", "counts", "chance"),
    [
        ([[0], [1]], [1, 3], [0.25, 0.75, 0.75, 0.75]),
        ([[0, 0]], [4], [1.0] * 4),
        ([[0]], [1], [1.0]),
    ],
)
def test_columns_that_say_little(codes, counts, chance):
    found = copula.estimate(np.array(codes), np.array(counts), 8)
    assert found.unique == pytest.approx((1 - np.array(chance)) ** 7)


def test_columns_that_say_the_same_make_a_matrix_that_can_be_used():
    """All rows differ; three columns tell each other's values, one of them backwards."""
    rank = np.arange(60)
    codes = np.column_stack([rank, rank, 59 - rank])
    found = copula.correlations(codes, np.ones(60, int))
    assert np.linalg.eigvalsh(found)[0] > 0
    assert found[0, 1] > 0.9 and found[0, 2] < -0.9
    assert 0 < copula.estimate(codes, np.ones(60, int), 600).unique.max() <= 1


def test_risk_tells_it(tmp_path, monkeypatch):
    rows = [(i * i % 37, "fm"[i % 7 % 2] if i % 9 else None) for i in range(90)]
    make_source(tmp_path, {"age": "INTEGER", "sex": "VARCHAR"}, rows)
    column = {"role": "qi", "hierarchy": {"type": "suppression"}}
    path = write_data(tmp_path, policy_data(dict.fromkeys(("age", "sex"), column), k=2))
    found = anonsql.risk(path, source=True, population=900, copula=True)
    codes, counts, _ = grouped(np.array([(a, "fm".find(s or "-") % 3) for a, s in rows]))
    by_hand = copula.estimate(codes, counts, 900)
    assert found.copula.drawn == 90 and found.copula.not_estimated is None
    assert found.copula.uniqueness == pytest.approx(by_hand.unique.mean(), abs=1e-4)
    assert found.copula.correctness == pytest.approx(by_hand.right.mean(), abs=1e-4)
    assert anonsql.risk(path, source=True, population=900).copula is None
    with pytest.raises(PolicyError, match="--copula"):
        anonsql.risk(path, source=True, copula=True)
    monkeypatch.setattr(settings, "MOST_VALUES", 5)
    shown = cli("risk", path, "--source", "--population", 900, "--copula")
    assert "nothing was estimated" in " ".join(shown.output.split())
