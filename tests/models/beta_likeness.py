"""β-likeness: by brute force, and what tests ask of it."""

from decimal import Decimal

from tests.model_oracle import NEAR, shares
from tests.relational_oracle import shares_of


def keeps(values, everything, most):
    """Whether the values of a class keep it, among those of the whole table."""
    outside = shares(everything)
    return all(
        (q - outside[value]) / outside[value] <= most + NEAR for value, q in shares(values).items()
    )


def kept_by_people(most):
    """Whether people that match keep it: a check of counts by value, in the class and in all."""

    def kept(counts, people, whole):
        own, all_ = shares_of(counts), shares_of(whole)
        return all(p <= (1 + most) * all_.get(v, 0) + 1e-9 for v, p in own.items())

    return kept


KEEPS = {"beta": keeps}
BOUNDS = {"beta": ("0.5", "1")}
FACTS = {"beta_likeness.value=0.5": lambda values, whole: keeps(values, whole, 0.5)}
TERMS = {"beta": Decimal("0.8")}
SEARCHED = {"beta": ({"beta_likeness": {"d": 0.8}}, keeps, 0.8)}
TOGETHER = {"beta_likeness": ({"d": 2}, lambda values, whole: keeps(values, whole, 2))}
FAR = {"beta": {"beta_likeness": {"d": 0.4}}}
ADVISED = {"beta": {"beta_likeness": {"d": 0.1}}}
BY_PEOPLE = {"beta": ({"beta_likeness": 0.7}, kept_by_people(0.7))}
WARNED = {
    "beta that bounds nothing": (
        "aaab",
        {"beta_likeness": {"d": 0.4}},
        [("beta_likeness.d.beta", "below 0.3333")],
    ),
    "beta": ("aaab", {"beta_likeness": {"d": 0.3}}, []),
}
IN_WORDS = {"beta_likeness.d": "2"}
MEASURED = {"basic_beta_likeness": lambda measured: measured <= 0.6 + 1e-9}
PROMISED = {
    "beta_likeness": {
        "measured": {"d": 0.6},
        "every model": {"d": 1},
        "by people": {"visits.diagnosis": 4},
        "methods": {"s": 5},
        "engines": {"note": 50},
    }
}
