"""What a policy promises: k, and the models about sensitive columns and about a population."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from anonsql.errors import FieldError
from anonsql.policy.hierarchy import Number, Text
from anonsql.policy.source import Source

Distance = Literal["equal", "ordered", "hierarchical"]


_MAX_K = 10**12


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True)


class LDiversity(_Model):
    """l-diversity of a sensitive column (Machanavajjhala et al. 2007): ``l`` distinct values in
    every class, an entropy of at least ln l, or recursive (c, l)-diversity, r1 < c (r_l + … + r_m)
    for the counts r1 ≥ r2 ≥ … of its values. ``min_range`` or ``min_span`` ask that values which
    are numbers or dates are not all near each other besides."""

    least: Number = Field(
        alias="l", gt=1, le=1000, description="well represented values in every class"
    )
    type: Literal["distinct", "entropy", "recursive"] = "distinct"
    c: Number | None = Field(None, gt=0, le=1000, description="of recursive diversity")
    min_range: Number | None = Field(
        None,
        gt=0,
        description=(
            "of numbers and dates: how far the least and the greatest value of every class lie"
            " apart at least, as a share of the column's range"
        ),
    )
    min_span: Number | None = Field(
        None, gt=0, description="the same in the column's own unit, in days for dates"
    )

    @model_validator(mode="after")
    def _fits_type(self) -> LDiversity:
        if self.type != "entropy" and self.least != int(self.least):
            raise FieldError("l", f"found {self.least}: only entropy diversity takes a fraction")
        if (self.type == "recursive") != (self.c is not None):
            raise FieldError("c", "recursive diversity needs it, and no other has it")
        if self.min_range is not None and self.min_range > 1:
            text = f"found {self.min_range:f}: it is a share of the column's range, such as 0.2"
            raise FieldError("min_range", f"{text}; `min_span` counts in the column's own unit")
        if self.min_range is not None and self.min_span is not None:
            raise FieldError("min_span", "min_range is given too: leave one of them out")
        return self

    @property
    def apart(self) -> str | None:
        """The field that says how far values lie apart, where one does."""
        return next((name for name in ("min_range", "min_span") if getattr(self, name)), None)


class TCloseness(_Model):
    """t-closeness of a sensitive column (Li, Li, Venkatasubramanian 2007): its distribution in
    every class lies within ``t`` of that in the whole table, by the earth mover's distance over
    equal, ordered or hierarchical ground distances."""

    t: Number = Field(ge=0, lt=1, description="greatest distance")
    distance: Distance = "equal"
    order: list[Text] | None = Field(
        None, min_length=2, description="the values of a text column in their order, for `ordered`"
    )

    @model_validator(mode="after")
    def _fits_distance(self) -> TCloseness:
        if self.order is not None and self.distance != "ordered":
            raise FieldError(
                "order", f"only the ordered distance has one, and the distance is {self.distance}"
            )
        if self.order is not None and len(set(self.order)) < len(self.order):
            raise FieldError("order", "a value stands in it twice")
        return self


class AlphaK(_Model):
    """(α, k)-anonymity (Wong et al. 2006): no one of the ``values`` makes up more than ``alpha`` of
    any class."""

    alpha: Number = Field(gt=0, lt=1, description="greatest share of a value in a class")
    values: list[Text] | None = Field(
        None, min_length=1, description="only these; every value when left out"
    )


class BetaLikeness(_Model):
    """Basic β-likeness (Cao, Karras 2012): no value's share in a class exceeds its share p in the
    table by more than ``beta`` times p."""

    beta: Number = Field(gt=0, le=1_000_000, description="greatest relative gain of a value")


class DeltaDisclosure(_Model):
    """δ-disclosure privacy (Brickell, Shmatikov 2008): \\|ln(share in the class / share in the
    table)\\| < ``delta`` for every value of the table in every class."""

    delta: Number = Field(gt=0, le=100, description="bound of the logarithm")


class KMap(_Model):
    """k-map (Sweeney 2002): every class has at least ``k`` rows of the population."""

    k: int = Field(ge=2, le=_MAX_K, description="least number of rows of the population in a class")


class KeptLimits(_Model):
    """What the columns that are released as they are may give away: the greatest share of released
    rows whose values in all of them no other row has (``max_unique``), or fewer than k rows
    (``max_below_k``)."""

    max_unique: Number | None = Field(
        None, ge=0, le=1, description="share of the rows that may be unique by kept columns alone"
    )
    max_below_k: Number | None = Field(
        None,
        ge=0,
        le=1,
        description=(
            "share of the rows that may share the values of all kept columns with fewer than k - 1"
            " others"
        ),
    )


class DeltaPresence(_Model):
    """δ-presence (Nergiz, Atzori, Clifton 2007): rows of the table / rows of the population in
    every class."""

    min: Number = Field(
        Decimal(0),
        ge=0,
        le=1,
        description=(
            "above 0 everybody in the population must be in a class, and no row may be suppressed"
        ),
    )
    max: Number = Field(ge=0, le=1)

    @model_validator(mode="after")
    def _ordered(self) -> DeltaPresence:
        if self.min > self.max:
            raise FieldError("min", f"{self.min} is above max {self.max}")
        return self


def _short(name: str) -> BeforeValidator:
    """Return the validator that takes a bare number for the model's main parameter: ``disease: 3``
    for ``disease: {l: 3}``."""

    def spelled(value: Any) -> Any:
        return (
            {name: value}
            if isinstance(value, (int, float, Decimal)) and not isinstance(value, bool)
            else value
        )

    return BeforeValidator(spelled)


class Privacy(_Model):
    """What is promised: every released combination of quasi-identifying values belongs to at least
    ``k`` rows (or to ``k`` people, where ``entity`` names the column that tells them apart), and
    keeps every model that is asked for."""

    k: int = Field(
        ge=1,
        le=_MAX_K,
        description=(
            "least number of rows, or of people, in a class; 1 only where another model is"
            " asked for"
        ),
    )
    suppression_limit: float = Field(
        0.0, ge=0, lt=1, description="greatest share of the rows that may be suppressed"
    )
    entity: Text | None = Field(
        None, description="column that names the person; `k` counts people then, not rows"
    )
    quasi_identifiers: list[Annotated[list[Text], Field(min_length=1)]] | None = Field(
        None,
        min_length=1,
        description=(
            "combinations of columns that must each keep the promise; all columns together when"
            " left out"
        ),
    )
    l_diversity: dict[Text, Annotated[LDiversity, _short("l")]] = Field(
        {}, description="by sensitive column; a number is a distinct l"
    )
    t_closeness: dict[Text, Annotated[TCloseness, _short("t")]] = Field(
        {}, description="by sensitive column; a number is an equal t"
    )
    alpha_k: dict[Text, Annotated[AlphaK, _short("alpha")]] = Field(
        {}, description="by sensitive column"
    )
    beta_likeness: dict[Text, Annotated[BetaLikeness, _short("beta")]] = Field(
        {}, description="by sensitive column"
    )
    delta_disclosure: dict[Text, Annotated[DeltaDisclosure, _short("delta")]] = Field(
        {}, description="by sensitive column"
    )
    population: Source | None = Field(
        None,
        description=(
            "the table that the source is drawn from, with the same quasi-identifying columns"
        ),
    )
    k_map: Annotated[KMap, _short("k")] | None = None
    delta_presence: DeltaPresence | None = None
    kept: KeptLimits = Field(
        KeptLimits(),
        description=(
            "limits to what sensitive and insensitive columns, released as they are, give away"
        ),
    )

    @model_validator(mode="after")
    def _consistent(self) -> Privacy:
        about_population = self.k_map is not None or self.delta_presence is not None
        if self.k == 1 and not about_population and not self.named_columns():
            raise FieldError(
                "k",
                "found 1, which promises nothing: it is at least 2 unless another model is"
                " asked for",
            )
        if about_population and self.population is None:
            raise FieldError(
                "population",
                "this field is missing: k_map and delta_presence compare with a population",
            )
        if self.several and self.suppression_limit > 0:
            raise FieldError(
                "suppression_limit", "several quasi_identifiers allow no suppression: set it to 0"
            )
        if self.several and (self.entity is not None or self.population is not None):
            raise FieldError(
                "quasi_identifiers",
                "several of them do not go with entity, k_map or delta_presence",
            )
        if self.population is not None and not about_population:
            raise FieldError(
                "population", "nothing uses it: ask for k_map or delta_presence, or leave it out"
            )
        return self

    @property
    def several(self) -> bool:
        """Whether the promise is made for several combinations of columns, each by itself."""
        return self.quasi_identifiers is not None and len(self.quasi_identifiers) > 1

    def by_column(self) -> Iterator[tuple[str, str, Any]]:
        """Yield the models about sensitive columns: (model, column, parameters)."""
        asked: dict[str, dict[str, Any]] = {
            "l_diversity": self.l_diversity,
            "t_closeness": self.t_closeness,
            "alpha_k": self.alpha_k,
            "beta_likeness": self.beta_likeness,
            "delta_disclosure": self.delta_disclosure,
        }
        for model, columns in asked.items():
            for name, parameters in columns.items():
                yield model, name, parameters

    def models_asked(self) -> Iterator[tuple[str, str]]:
        """Yield every privacy model that the policy requires besides k, with its place in the
        policy. Variants that a method may keep or not have names of their own:
        ``l_diversity.entropy``, ``l_diversity.range``, ``t_closeness.hierarchical``."""
        for model, name, asked in self.by_column():
            place = f"privacy.{model}.{name}"
            variant = getattr(asked, "type", None) or getattr(asked, "distance", None)
            named = variant in ("entropy", "recursive", "hierarchical")
            yield (f"{model}.{variant}" if named else model), place
            if model == "l_diversity" and asked.apart:
                yield "l_diversity.range", f"{place}.{asked.apart}"
        if self.entity is not None:
            yield "entity", "privacy.entity"
        if self.population is not None:
            yield "population", "privacy.population"
        if self.several:
            yield "quasi_identifiers", "privacy.quasi_identifiers"

    def named_columns(self) -> list[tuple[str, str]]:
        """Return (model, column) of every model about a sensitive column."""
        return [(model, name) for model, name, _ in self.by_column()]

    def coded_columns(self) -> list[str]:
        """Return the columns whose values enter cells as codes: those that privacy models are
        about, and the one that names people."""
        named = [name for _, name in self.named_columns()]
        return list(dict.fromkeys([*named, *([self.entity] if self.entity is not None else [])]))

    def about_columns(self) -> Privacy:
        """Return the part of the promise that can be verified from a release alone, besides k rows:
        the models about sensitive columns."""
        return self.model_copy(
            update={"entity": None, "population": None, "k_map": None, "delta_presence": None}
        )

    def max_suppressed(self, rows: int) -> int:
        """Return the number of rows that may be suppressed out of ``rows``, exact for a limit
        written as a decimal. No row may be with a lower limit of presence: people in the population
        who are like a suppressed row would be known to be absent."""
        if self.delta_presence is not None and self.delta_presence.min > 0:
            return 0
        return int(Fraction(str(self.suppression_limit)) * rows)
