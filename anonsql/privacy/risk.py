"""Limits to the risk of a release as a whole: what a policy may say of them, and what a release
says in words.

They are no criteria of single classes: each is about the sizes of all of them together (see
:mod:`anonsql.risks.limits`, which has a function of these for each limit).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
    model_validator,
)

from anonsql.errors import FieldError
from anonsql.privacy.differential import PREFIX
from anonsql.system.numbers import percent
from anonsql.system.scalars import Number, as_text, plain

POPULATION = ("population_uniqueness", "individual")
"""The limits that need to know what share of a population the table is."""
REACHED = "reached."
"""What the facts of a release begin with that say how near it came to its limits."""

NO_VALUE = "did not converge"


def _risk(text: str) -> str:
    """Refuse what is no risk that could be accepted."""
    try:
        risk = Fraction(text)
    except (ValueError, ZeroDivisionError):
        risk = Fraction(-1)
    if not 0 < risk <= 1:
        raise ValueError(
            f"found {text!r}; write a number or a fraction above 0 and at most 1, such as 0.2 or"
            " 1/11"
        )
    return text.replace(" ", "")


Accepted = Annotated[
    str,
    BeforeValidator(as_text),
    AfterValidator(_risk),
    WithJsonSchema({"type": ["number", "string"]}),
]
"""A risk that is accepted of a row: a number, or a fraction as 1/11, which no number is."""


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class SampledPopulation(_Part):
    """How large the population is that the table is a sample of: its ``size``, or the ``fraction``
    of it that the table is."""

    size: int | None = Field(None, ge=1, description="members of the population")
    fraction: Number | None = Field(
        None, gt=0, le=1, description="the table's share of the population"
    )

    @model_validator(mode="after")
    def _one(self) -> SampledPopulation:
        if (self.size is None) == (self.fraction is None):
            raise ValueError("give either the size of the population or the table's fraction of it")
        return self

    @property
    def fact(self) -> str:
        """What a release states of it."""
        return str(self.size) if self.fraction is None else f"fraction {plain(self.fraction)}"

    def share(self, rows: int) -> float:
        """Return the share of the population that a table of so many rows is; more than 1 where
        these are more than its members."""
        if self.size is not None:
            return rows / self.size
        return float(self.fraction or 1)


class RecordsAtRisk(_Part):
    """How many rows may be at risk: ``at_most`` a share of the released ones may have a risk above
    an accepted one, 1 / class size."""

    above: Accepted = Field(description="the accepted risk: 1 / class size, such as 1/11")
    at_most: Number = Field(ge=0, le=1, description="share of the released rows with a higher risk")

    @classmethod
    def of_fact(cls, fact: str) -> RecordsAtRisk:
        """Return the limit that a release states by a fact; raise ValueError where it states
        another."""
        most, _, above = fact.partition(" above ")
        return cls.model_validate({"above": above, "at_most": most})

    @property
    def least_accepted(self) -> int:
        """The size from which on classes have an accepted risk."""
        accepted = Fraction(self.above)
        return -(-accepted.denominator // accepted.numerator)


class RiskLimits(_Part):
    """Limits to the risk that a release as a whole leaves: masked and suppressed rows are in no
    class, and count in none of them."""

    population: SampledPopulation | None = Field(
        None, description="the population of which the table is a sample; size or fraction"
    )
    population_uniqueness: Number | None = Field(
        None,
        ge=0,
        le=1,
        description=(
            "largest estimated share of unique people among the members of the population that"
            " released rows represent"
        ),
    )
    records_at_risk: RecordsAtRisk | None = Field(
        None,
        description="share of the released rows whose risk, 1 / class size, is higher than another"
        " number",
    )
    individual: Number | None = Field(
        None,
        gt=0,
        le=1,
        description=(
            "highest risk of a row according to the people it represents in the population"
            " (Benedetti, Franconi)"
        ),
    )

    @model_validator(mode="after")
    def _complete(self) -> RiskLimits:
        missing = [name for name in POPULATION if name in self.limits]
        if missing and self.population is None:
            raise FieldError(
                "population",
                f"this field is missing: {' and '.join(missing)} need the population of which the"
                " table is a sample, `{size: 1000000}` or `{fraction: 0.05}`",
            )
        return self

    @property
    def limits(self) -> dict[str, Any]:
        """The limits that are set, by name."""
        names = ("population_uniqueness", "records_at_risk", "individual")
        return {name: limit for name in names if (limit := getattr(self, name)) is not None}

    def share(self, rows: int) -> float:
        """Return the share of the population that the table of so many ``rows`` is: 1, which means
        nothing, where no population is named."""
        return self.population.share(rows) if self.population is not None else 1.0

    @property
    def facts(self) -> dict[str, str]:
        """What a release states of its limits, by the names that the policy has for them."""
        if not self.limits:
            return {}
        of = {} if self.population is None else {"risk.population": self.population.fact}
        return of | {f"risk.{name}": self._fact(name) for name in self.limits}

    def _fact(self, name: str) -> str:
        limit = self.limits[name]
        if isinstance(limit, RecordsAtRisk):
            return f"{plain(limit.at_most)} above {limit.above}"
        return plain(limit)

    @staticmethod
    def relaxed(name: str, reached: Decimal) -> str:
        """Return words for what would have to be set for a limit to be kept at ``reached``."""
        if reached >= 1:
            return f"leave privacy.risk.{name} out"
        place = f"privacy.risk.{name}" + (".at_most" if name == "records_at_risk" else "")
        return f"raise {place} to {plain(reached)}"


@dataclass(frozen=True)
class Reached:
    """How near a release comes to the limit of that ``name``: the ``value`` that is limited, and
    the ``model`` of the population that estimates it, where one does. None, and not ``kept``, where
    the equations of no model were solved. ``beyond``: by how many rows it is broken, where rows
    break it."""

    name: str
    value: float | None
    kept: bool
    model: str | None = None
    beyond: int = 0


def is_of_all(fact: str) -> bool:
    """Return whether a fact of a release states a promise of all rows together, not of each
    class."""
    return fact.startswith(("risk.", PREFIX))


def facts_of(reached: Sequence[Reached]) -> dict[str, str]:
    """Return what a release states of how near it came to its limits: to six digits, as estimates
    may differ by computer beyond them."""
    facts = {}
    for each in reached:
        facts[REACHED + each.name] = NO_VALUE if each.value is None else f"{each.value:.6g}"
        if each.model is not None:
            facts[REACHED + "population_model"] = each.model
    return facts


def offence(limits: RiskLimits, reached: Reached) -> str:
    """Return in words that a limit is not kept."""
    asked = limits.facts[f"risk.{reached.name}"]
    if reached.value is None:
        return (
            f"privacy.risk.{reached.name}={asked} cannot be checked: the models of the population"
            f" {NO_VALUE}"
        )
    by = f" (by the model {reached.model})" if reached.model else ""
    return f"privacy.risk.{reached.name}={asked} is not kept: it is {reached.value:.6g}{by}"


def in_words(name: str, facts: Mapping[str, str]) -> str:
    """Return in a sentence what a release promises by one of the :attr:`RiskLimits.facts`, and how
    near it came; as it is written where anonsql does not know what it says."""
    what, of = facts[name], _population(facts)
    if name == "risk.population":
        return f"The table is treated as a sample of {of}."
    if name == "risk.population_uniqueness":
        says = (
            f"At most {_share(what)} of the people that the rows represent are estimated to be"
            f" unique in {of}"
        )
    elif name == "risk.records_at_risk":
        most, _, above = what.partition(" above ")
        says = (
            f"At most {_share(most)} of the rows have a risk above {above}: 1 divided by the"
            " number of rows with the same values"
        )
    elif name == "risk.individual":
        says = (
            f"An attacker who picks a person of {of} by the values of a row is right with a"
            f" probability of at most {what}"
        )
    else:
        says = f"The release as a whole keeps “{name}: {what}”"
    reached, model = (
        facts.get(REACHED + end) for end in (name.removeprefix("risk."), "population_model")
    )
    by = f", by the model {model}" if model and name == "risk.population_uniqueness" else ""
    if not reached:
        return f"{says}."
    here = reached if name == "risk.individual" else _share(reached)
    return f"{says} (here {here}{by})."


def _share(text: str) -> str:
    """Return a share as a percentage; as it is written where it is none."""
    try:
        return percent(float(text))
    except ValueError:
        return text


def _population(facts: Mapping[str, str]) -> str:
    """Return in words what the table is a sample of."""
    of = facts.get("risk.population", "")
    if re.fullmatch("[0-9]{1,18}", of, re.ASCII):
        return f"a population of {int(of):,}"
    return f"a population ({of} of it)" if of else "a population"
