"""The classes of a release in people, where the policy names the column that tells them apart
(``privacy.entity``).

A class of sixty rows may be ten people: what somebody risks goes by those. A person whose rows are
in several classes is counted in each, for each is a way to find them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from anonsql.engines.base import Engine
from anonsql.measures.risk import AT_RISK_SIZE
from anonsql.release.recoding import Recoding


@dataclass(frozen=True)
class People:
    """People, counted in every class that has them, in ``classes``; those of the smallest class,
    and people ``at_risk`` in classes of at most AT_RISK_SIZE people."""

    people: int
    classes: int
    least: int
    at_risk: int

    @property
    def told(self) -> dict[str, object]:
        """What ``__about`` says of them."""
        return {"people": self.people, "min_people": self.least, "people_at_risk": self.at_risk}


def of_recoding(engine: Engine, recoding: Recoding, frequencies: str = "") -> People | None:
    """Count the people of the classes that a recoding makes, from its cells; nothing where rows are
    what is promised. ``frequencies`` is the table of a full-domain generalization's."""
    people, found = recoding.promise.people, recoding.by.people(recoding.attributes, frequencies)
    if not people or found is None:
        return None
    template, told = found
    shared = {"attributes": recoding.attributes, "people": people, "at_risk": AT_RISK_SIZE}
    return People(*engine.query(template, valued=recoding.valued, **told, **shared)[0])


def of_facts(about: Mapping[str, str], classes: int) -> People | None:
    """Return what a release tells of its people; nothing where it tells none, or no numbers."""
    told = [about.get(name, "") for name in ("people", "min_people", "people_at_risk")]
    if not all(each.isascii() and each.isdigit() for each in told):
        return None
    people, least, at_risk = map(int, told)
    return People(people, classes, least, at_risk)
