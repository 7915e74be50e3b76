"""What a policy of statistics says of noise by differential privacy."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WithJsonSchema,
    model_validator,
)

from anonsql.errors import FieldError, did_you_mean
from anonsql.policy.hierarchy import AutomaticHierarchy, SuppressionHierarchy
from anonsql.privacy import zcdp
from anonsql.privacy.spending import Spent
from anonsql.system.scalars import Text, as_digits, plain

if TYPE_CHECKING:
    from anonsql.policy.statistics import StatisticsPolicy


_Number = Annotated[
    Decimal,
    BeforeValidator(as_digits),
    Field(allow_inf_nan=False, max_digits=30),
    WithJsonSchema({"type": "number"}),
]
Weight = Annotated[_Number, Field(gt=0, le=10**6)]


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class NoiseSplit(_Model):
    """How the budget is divided: weights, 1 where nothing is said."""

    tables: dict[Text, Weight] = Field({}, description="by table")
    levels: dict[Text, list[Weight]] = Field(
        {}, description="weights by dimension: one for each level, the finest first"
    )
    measures: dict[Text, Weight] = Field({}, description="by measure")


class Noise(_Model):
    """Differential privacy: the presence of any one person in the source changes the published
    values by as little as the budget allows."""

    max_rows: int = Field(
        1,
        ge=1,
        le=10**6,
        description="the largest number of rows counted for a person, chosen at random",
    )
    epsilon: Annotated[_Number, Field(gt=0, le=100)] | None = Field(
        None, description="the budget of Laplace noise; with `delta`, of Gaussian noise"
    )
    delta: Annotated[_Number, Field(gt=0, lt=1)] | None = Field(
        None,
        description=(
            "with epsilon, for Gaussian noise, and for `domain: keys`; much less than 1 divided"
            " by the number of people"
        ),
    )
    rho: Annotated[_Number, Field(gt=0, le=100)] | None = Field(
        None, description="instead of epsilon: the budget of zero-concentrated differential privacy"
    )
    mechanism: Literal["gaussian", "laplace"] = Field(
        "gaussian", description="distribution of the noise"
    )
    domain: Literal["public", "keys"] = Field(
        "public",
        description=(
            "public: all cells of hierarchies that list their values, including empty cells;"
            " keys: cells of the source that have enough people after noise"
        ),
    )
    clip: dict[Text, tuple[_Number, _Number]] = Field(
        {},
        description="for each sum, the lowest and highest value of a row; values outside count as the"
        " nearest limit",
    )
    split: NoiseSplit = NoiseSplit()
    consistent: bool = Field(
        True,
        description=(
            "with a public domain: adjust the noisy values so that totals equal the sums of their"
            " parts and counts are not negative"
        ),
    )

    @model_validator(mode="after")
    def _one_budget(self) -> Noise:
        if (self.epsilon is None) == (self.rho is None):
            raise FieldError("", "give the budget, either `epsilon` or `rho`")
        if self.mechanism == "laplace":
            if self.epsilon is None:
                raise FieldError("rho", "Laplace noise has its budget in `epsilon`")
            if self.delta is not None and self.domain == "public":
                raise FieldError("delta", "Laplace noise over a public domain needs no delta")
        elif self.epsilon is not None and self.delta is None:
            text = "Gaussian noise with `epsilon` needs delta; or use `mechanism: laplace`"
            raise FieldError("delta", f"this field is missing: {text}")
        elif self.rho is not None and self.delta is not None and self.domain == "public":
            raise FieldError("delta", "a public domain with `rho` needs no delta")
        if self.domain == "keys" and self.delta is None:
            raise FieldError("delta", "this field is missing: `domain: keys` needs it")
        for name, (low, high) in self.clip.items():
            if low > high or low == high == 0:
                raise FieldError(f"clip.{name}", f"{low} to {high} is not a range of values")
        if self.mechanism == "gaussian" and self.budget <= 0:
            text = (
                f"no noise reaches epsilon {self.epsilon} with delta {self.delta}: raise one"
                " of them"
            )
            raise FieldError("epsilon", text)
        return self

    @property
    def delta_of_keys(self) -> Decimal:
        """The part of delta that the choice of cells has: all of it where noise needs none, else
        half."""
        if self.delta is None or self.domain == "public":
            return Decimal(0)
        needed = self.mechanism == "gaussian" and self.epsilon is not None
        return self.delta / 2 if needed else self.delta

    @property
    def budget(self) -> Decimal:
        """What noise spends: rho where it is Gaussian, else epsilon."""
        if self.rho is not None:
            return self.rho
        epsilon = self.epsilon or Decimal(0)
        if self.mechanism == "laplace":
            return epsilon
        return zcdp.rho_of(epsilon, (self.delta or Decimal(0)) - self.delta_of_keys)

    @property
    def counts_apart(self) -> bool:
        """Whether people have to be added up before they are counted: by the policy alone, as even
        the number of statements must not depend on the rows."""
        return self.max_rows > 1

    @property
    def spent(self) -> Spent:
        """What one release spends."""
        gaussian = self.mechanism == "gaussian"
        return Spent(
            rho=self.budget if gaussian else Decimal(0),
            epsilon=Decimal(0) if gaussian else self.budget,
            delta=self.delta_of_keys,
            releases=1,
        )

    @property
    def facts(self) -> dict[str, object]:
        """What a release states of its noise."""
        facts: dict[str, object] = {
            f"differential.{name}": plain(value)
            for name in ("epsilon", "delta", "rho")
            if (value := getattr(self, name)) is not None
        }
        if self.mechanism == "gaussian":
            facts["differential.rho"] = plain(self.budget)
        facts["differential.max_rows"] = self.max_rows
        facts["differential.neighbours"] = "one person more or less, with all rows"
        facts["mechanism"] = f"discrete {self.mechanism}"
        facts["domain"] = self.domain
        for name, (low, high) in self.clip.items():
            facts[f"clip.{name}"] = f"{plain(low)} to {plain(high)}"
        return facts

    @property
    def promise(self) -> str:
        """What is promised, in a sentence."""
        parts = [
            f"{name} {plain(value)}"
            for name in ("epsilon", "delta", "rho")
            if (value := getattr(self, name)) is not None
        ]
        rows = "one row is" if self.max_rows == 1 else f"{self.max_rows} rows at most are"
        return f"differential privacy for each person, of whom {rows} counted: {', '.join(parts)}"


def require_noise(policy: StatisticsPolicy) -> None:
    """Raise FieldError where settings of noise do not fit the tables."""
    noise, at = policy.protect.noise, "protect.noise"
    if noise is None:
        raise FieldError(at, "this field is missing: set the budget, `epsilon` or `rho`")
    if policy.protect.threshold is not None:
        raise FieldError("protect.threshold", "noise hides no cells: leave it out")
    known: dict[str, tuple[Mapping[str, Any], Mapping[str, Any]]] = {
        "clip": (noise.clip, policy.sums),
        "split.tables": (noise.split.tables, policy.tables),
        "split.levels": (noise.split.levels, policy.statistics.by),
        "split.measures": (noise.split.measures, policy.measures),
    }
    for field, (names, possible) in known.items():
        for name in names:
            if name not in possible:
                hint = did_you_mean(name, possible) or "see statistics"
                raise FieldError(f"{at}.{field}.{name}", f"there is nothing of this name ({hint})")
    columns = set()
    for name, measure in policy.sums.items():
        if name not in noise.clip:
            text = f"the sum {name!r} needs the lowest and highest value of a row"
            raise FieldError(f"{at}.clip", text)
        if measure.sum in columns:
            text = f"{measure.sum!r} is summed twice: with noise a column can be in only one sum"
            raise FieldError(f"statistics.of.{name}", text)
        columns.add(measure.sum)
    unlisted = []
    for name, dimension in policy.statistics.by.items():
        if isinstance(dimension.hierarchy, AutomaticHierarchy):
            text = (
                "this hierarchy is made from the data and would reveal it without noise: write"
                " the hierarchy into the policy or a file"
            )
            raise FieldError(f"statistics.by.{name}.hierarchy", text)
        if isinstance(dimension.hierarchy, SuppressionHierarchy) and noise.domain == "public":
            unlisted.append(name)
    if unlisted:
        text = (
            f"the values of {', '.join(map(repr, unlisted))} are not listed. List them (`file`,"
            " `taxonomy`, `order` or `table`), or use protect.noise.domain: keys"
        )
        raise FieldError(f"statistics.by.{unlisted[0]}.hierarchy", text)
