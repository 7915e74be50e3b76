"""Re-identification risk of a release under the three attackers of El Emam and Dankar (2008)."""

from __future__ import annotations

AT_RISK_SIZE = 4
"""A record is at risk when its class has at most this many rows: a risk above one fifth."""

FORMULAS = {
    "prosecutor": (
        "knows that the person is in the release: 1 / class size (in people if `entity`"
        " identifies them)"
    ),
    "journalist": (
        "picks any person; without a population table no better bound than the prosecutor's is"
        " claimed"
    ),
    "marketer": (
        "re-identifies as many people as possible: classes / rows is the expected share of"
        " correct matches (of rings: the mean of 1 / window, or of a person's largest share of a"
        " window)"
    ),
}


def of_classes(
    rows: int, classes: float, min_class: int, at_risk: int
) -> dict[str, dict[str, float | None]]:
    """Return the risks from counts without masked rows, of rows or people: ``rows`` in ``classes``
    (of rings: the rows expected to be matched), ``at_risk`` of them in classes of at most
    AT_RISK_SIZE. ``records_at_risk`` is a share; a marketer does not aim at a single record."""
    average = classes / rows if rows else 0.0
    prosecutor: dict[str, float | None] = {
        "highest": 1 / min_class if min_class else 0.0,
        "average": average,
        "records_at_risk": at_risk / rows if rows else 0.0,
    }
    marketer: dict[str, float | None] = {
        "highest": None,
        "average": average,
        "records_at_risk": None,
    }
    return {"prosecutor": prosecutor, "journalist": dict(prosecutor), "marketer": marketer}
