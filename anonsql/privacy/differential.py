"""(epsilon, delta)-differential privacy by SafePub: what a policy may say of it, and what a release
tells of it.

The rows are sampled, generalized to levels that do not depend on them or are drawn at random, and
released in classes of at least k: see :mod:`anonsql.privacy.safepub`. What a release tells besides
must follow from its own rows or from the policy; :data:`TOLD` lists it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema, model_validator

from anonsql.errors import FieldError
from anonsql.privacy import safepub
from anonsql.privacy.spending import Spent
from anonsql.system.scalars import as_digits, plain

PREFIX: Final = "differential."
"""What the names of the facts begin with."""
TOLD: Final = frozenset(
    ("promise", "method", "k", "rows", "masked", "extra_tables", "completed", "classes")
) | {"min_class", "anonsql", "release"}
"""The other facts that a release may tell: those that follow from its rows or from the policy. How
many rows the source has, were drawn or left out, or how much was lost does not."""
_DIGITS = 15
_LEAST = Decimal("0.01")
"""Of the rows less than 1 in 100 would be kept; k no longer falls."""


_Number = Annotated[
    Decimal,
    BeforeValidator(as_digits),
    Field(allow_inf_nan=False),
    WithJsonSchema({"type": "number"}),
]


class Differential(BaseModel):
    """Differential privacy: whether any one row is in the table or not changes the probability of
    any release by a factor of exp(``epsilon``) at most, but for a part of ``delta``."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    epsilon: _Number = Field(gt=0, le=8, description="the total budget of a release")
    delta: _Number = Field(
        gt=0, lt=1, description="much less than 1 / number of rows, such as 1e-5 or 1e-9"
    )
    search_epsilon: _Number = Field(
        Decimal(0),
        ge=0,
        description=(
            "the part of `epsilon` that the choice of levels spends; left out if `method.levels`"
            " gives them"
        ),
    )

    @model_validator(mode="after")
    def _enough(self) -> Differential:
        for name in ("epsilon", "delta", "search_epsilon"):
            exponent = getattr(self, name).normalize().as_tuple().exponent
            if isinstance(exponent, int) and -exponent > _DIGITS:
                raise FieldError(name, f"it has more than {_DIGITS} digits after the point")
        if self.search_epsilon >= self.epsilon:
            text = (
                f"{plain(self.search_epsilon)} is not a part of epsilon={plain(self.epsilon)}:"
                " give a smaller value, e.g. a tenth of epsilon"
            )
            raise FieldError("search_epsilon", text)
        if self.anonymizing < _LEAST:
            text = (
                f"{plain(self.anonymizing)} remains for the rows, and at least {plain(_LEAST)} is"
                " needed: fewer than 1 in 100 rows would be kept"
            )
            raise FieldError("epsilon", text)
        return self

    @property
    def anonymizing(self) -> Decimal:
        """The part of epsilon that the rows spend."""
        return self.epsilon - self.search_epsilon

    @property
    def searches(self) -> bool:
        """Whether levels are drawn, by scores of the whole source."""
        return self.search_epsilon > 0

    @property
    def k(self) -> int:
        """The least number of sampled rows in a class."""
        return max(2, safepub.k_for(self.anonymizing, self.delta))

    @property
    def limit(self) -> int:
        """The number below which a draw of 40 bits keeps a row."""
        return safepub.limit_of(self.anonymizing)

    @property
    def beta(self) -> Fraction:
        """The probability with which a row is kept."""
        return safepub.beta_of(self.anonymizing)

    @property
    def spent(self) -> Spent:
        """What one release spends."""
        return Spent(epsilon=self.epsilon, delta=self.delta, releases=1)

    @property
    def facts(self) -> dict[str, str]:
        """What a release states of it."""
        return {
            f"{PREFIX}epsilon": plain(self.epsilon),
            f"{PREFIX}delta": plain(self.delta),
            f"{PREFIX}search_epsilon": plain(self.search_epsilon),
            f"{PREFIX}k": str(self.k),
            f"{PREFIX}beta": format(float(self.beta), ".12g"),
        }


def in_words(facts: Mapping[str, str]) -> str:
    """Return in sentences what a release promises by these facts; as they are written where they
    cannot be read."""
    epsilon, delta, kept, k = (
        facts.get(PREFIX + name, "?") for name in ("epsilon", "delta", "beta", "k")
    )
    try:
        factor = f"{math.exp(float(epsilon)):.4g}"
        share = f"{float(kept):.1%}"
    except (ValueError, OverflowError):
        factor, share = f"exp({epsilon})", kept
    return (
        "Whether any one row is in the original table changes the probability of every possible"
        f" release by a factor of at most {factor}, except with probability {delta} (differential"
        f" privacy). Each row was kept at random with a probability of {share}, and classes of"
        f" fewer than {k} of these rows were left out."
    )


def sample_note(about: Mapping[str, str]) -> list[str]:
    """Return a note on what the counts of a release with differential privacy are of; none for
    another release."""
    try:
        kept = float(about[f"{PREFIX}beta"])
        times = f"{1 / kept:.4g}"
    except (KeyError, ValueError, ZeroDivisionError):
        return []
    return [
        "The rows are a random sample: each row of the original table was kept with a"
        f" probability of {kept:.1%}, and small classes were left out. Original counts are about"
        f" {times} times those of the release if no class was left out."
    ]


def is_told(name: str) -> bool:
    """Return whether a release with differential privacy may state a fact."""
    return name in TOLD or name.startswith(PREFIX)
