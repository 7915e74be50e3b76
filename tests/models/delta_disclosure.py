"""δ-disclosure privacy: by brute force, and what tests ask of it."""

import math
from decimal import Decimal

from tests.model_oracle import NEAR, shares
from tests.relational_oracle import shares_of


def keeps(values, everything, most):
    """Whether the values of a class keep it, among those of the whole table."""
    inside, outside = shares(values), shares(everything)
    return all(
        value in inside and abs(math.log(inside[value] / p)) < most - NEAR
        for value, p in outside.items()
    )


def kept_by_people(most):
    """Whether people that match keep it: a check of counts by value, in the class and in all."""

    def kept(counts, people, whole):
        own, all_ = shares_of(counts), shares_of(whole)
        return own.keys() == all_.keys() and all(
            abs(math.log(own[v] / all_[v])) < most - 1e-9 for v in all_
        )

    return kept


KEEPS = {"delta": keeps}
BOUNDS = {"delta": ("0.7", "1.5")}
FACTS = {"delta_disclosure.value=0.6": lambda values, whole: keeps(values, whole, 0.6)}
TERMS = {"delta": Decimal("0.9")}
SEARCHED = {"delta": ({"delta_disclosure": {"d": 0.9}}, keeps, 0.9)}
FAR = {"delta": {"delta_disclosure": {"d": 0.6}}}
ADVISED = {"delta": {"delta_disclosure": {"d": 0.1}}}
BY_PEOPLE = {"delta": ({"delta_disclosure": 1.1}, kept_by_people(1.1))}
WARNED = {
    "delta that bounds nothing": (
        "aaab",
        {"delta_disclosure": {"d": 0.3}},
        [("delta_disclosure.d.delta", "to 0.2876")],
    ),
    "delta": ("aaab", {"delta_disclosure": {"d": 0.28}}, []),
}
IN_WORDS = {"delta_disclosure.d": "1"}
MEASURED = {"delta_disclosure": lambda measured: measured < 0.7}
PROMISED = {
    "delta_disclosure": {
        "measured": {"d": 0.7},
        "every model": {"d": 1},
        "by people": {"visits.diagnosis": 5},
        "engines": {"x": 9},
    }
}
