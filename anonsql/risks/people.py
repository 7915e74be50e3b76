"""The sizes of equivalence classes in people, where the policy names them (``privacy.entity``). A
person with rows in several classes is counted in each, as each can identify the person."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from anonsql.engines.base import Engine
from anonsql.measures.risk import AT_RISK_SIZE
from anonsql.release.recoding import Recoding

FACTS = ("people_in_classes", "min_people", "people_at_risk")
"""The facts of ``__about`` on people: a sum over classes, the least of a class, a sum over classes.
Rows without the column of people only bound these."""


@dataclass(frozen=True)
class People:
    """The number of people, counted in every class that they have rows in, and of ``classes``; the
    people of the smallest class, and ``at_risk``, those in classes of at most AT_RISK_SIZE."""

    people: int
    classes: int
    least: int
    at_risk: int

    @property
    def facts(self) -> dict[str, object]:
        """The facts about people in ``__about``."""
        return dict(zip(FACTS, (self.people, self.least, self.at_risk), strict=True))


def of_recoding(engine: Engine, recoding: Recoding, frequencies: str = "") -> People | None:
    """Return the people of the classes that a recoding makes, counted on its cells; None where k
    counts rows. ``frequencies`` is the frequency set of a full-domain generalization."""
    people, pair = recoding.promise.people, recoding.by.people(recoding.attributes, frequencies)
    if not people or pair is None:
        return None
    template, parameters = pair
    shared = {"attributes": recoding.attributes, "people": people, "at_risk": AT_RISK_SIZE}
    return People(*engine.query(template, valued=recoding.valued, **parameters, **shared)[0])


def of_facts(about: Mapping[str, str], classes: int) -> People | None:
    """Return the people that a release states in ``__about``; None where it states no numbers."""
    texts = [about.get(name, "") for name in FACTS]
    if not all(text.isascii() and text.isdigit() for text in texts):
        return None
    people, least, at_risk = map(int, texts)
    return People(people, classes, least, at_risk)
