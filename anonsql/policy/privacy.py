"""What a policy promises: k, and the models about sensitive columns and about a population."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializeAsAny,
    WrapValidator,
    create_model,
    model_validator,
)
from pydantic.functional_validators import ModelWrapValidatorHandler

from anonsql.errors import FieldError
from anonsql.policy import combinations
from anonsql.policy.source import Source
from anonsql.privacy import plugins
from anonsql.privacy.base import MAX_K, ColumnModel, ModelSettings, PopulationModel
from anonsql.privacy.differential import Differential
from anonsql.privacy.l_diversity import LDiversity
from anonsql.privacy.registry import MODELS
from anonsql.privacy.risk import RiskLimits
from anonsql.privacy.suppression_limit import max_suppressed as most_suppressed
from anonsql.privacy.t_closeness import TCloseness
from anonsql.system.scalars import Number, Text


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", populate_by_name=True, defer_build=True)


class KeptLimits(_Model):
    """Limits for columns that are released unchanged: the greatest share of released rows whose
    values in all of them are unique (``max_unique``), or shared by fewer than k rows
    (``max_below_k``)."""

    max_unique: Number | None = Field(
        None,
        ge=0,
        le=1,
        description="largest share of rows that may be unique by kept columns alone",
    )
    max_below_k: Number | None = Field(
        None,
        ge=0,
        le=1,
        description=(
            "largest share of rows that may share the values of all kept columns with fewer than"
            " k - 1 other rows"
        ),
    )


class OverTime(_Model):
    """The promise that holds over all releases of a table together: rows that were ever released,
    and were released in the same classes each time or absent at the same times, number at least
    k."""

    key: Text = Field(
        description="column that identifies the row, so that it is recognised in later releases"
    )
    levels: Literal["keep", "search"] = Field(
        "keep",
        description=(
            "keep the levels of the first release, or search for the best levels of every release"
            " among rows that were released with the same values so far"
        ),
    )
    deletions: Literal["protect", "tell"] = Field(
        "protect",
        description=(
            "hold rows back so that no reader sees which row is missing, or report how many rows"
            " are exposed by missing ones"
        ),
    )


def fields_of(models: Iterable[type[ModelSettings]], by: str) -> dict[str, Any]:
    """Return the fields of a promise that ask for models: for models about columns, ``by`` the
    field that names a column."""
    fields: dict[str, Any] = {}
    for model in models:
        if issubclass(model, ColumnModel):
            description = f"{by}; {model.bare}" if model.bare else by
            fields[model.name] = (dict[Text, model], Field({}, description=description))  # type: ignore[valid-type]
        else:
            fields[model.name] = (model | None, None)
    return fields


class _Counted(_Model):
    """The promise for the rows of a class, and the unit that they are counted in."""

    k: int = Field(
        ge=1,
        le=MAX_K,
        description=("lowest number of rows, or of people, in a class; 1 only with another model"),
    )
    suppression_limit: float = Field(
        0.0, ge=0, lt=1, description="largest share of rows that may be suppressed"
    )
    max_group_loss: Number | None = Field(
        None,
        ge=0,
        lt=1,
        description=(
            "for each value of a quasi-identifying or sensitive column that at least `k` rows"
            " have: the largest share of these rows that may be suppressed"
        ),
    )
    entity: Text | None = Field(
        None, description="column that identifies the person; `k` then counts people, not rows"
    )
    quasi_identifiers: list[Annotated[list[Text], Field(min_length=1)]] | None = Field(
        None,
        min_length=1,
        description=(
            "combinations of columns that must each keep the promise; by default all columns"
            " together"
        ),
    )
    population: Source | None = Field(
        None,
        description=(
            "the table that the source is a sample of, with the same quasi-identifying columns"
        ),
    )


if TYPE_CHECKING:

    class _WithModels(_Counted):
        l_diversity: dict[Text, LDiversity] = {}
        t_closeness: dict[Text, TCloseness] = {}
else:
    _WithModels = create_model(
        "_WithModels", __base__=_Counted, **fields_of(MODELS, "by sensitive column")
    )


def _without_k(schema: dict[str, Any]) -> None:
    """Say in the JSON Schema that k may be left out: pydantic knows it as a field that is there."""
    schema["required"] = [name for name in schema.get("required", []) if name != "k"]


class Privacy(_WithModels):
    """The privacy promise: every released combination of quasi-identifying values belongs to at
    least ``k`` rows (or to ``k`` people, where ``entity`` names the column that identifies them),
    and keeps every requested model."""

    over_time: OverTime | None = Field(
        None, description="a promise about all releases of a table that is released repeatedly"
    )
    kept: KeptLimits = Field(
        KeptLimits(),
        description=(
            "limits on what sensitive and insensitive columns reveal, which are released unchanged"
        ),
    )
    risk: RiskLimits = Field(
        RiskLimits(), description="limits on the risk of the release as a whole"
    )
    differential: Differential | None = Field(
        None,
        description=(
            "(epsilon, delta)-differential privacy for full-domain, which releases a random"
            " sample; if k is left out, it follows from epsilon and delta"
        ),
    )
    model_config = ConfigDict(json_schema_extra=_without_k)

    @model_validator(mode="before")
    @classmethod
    def _k_follows(cls, data: Any) -> Any:
        """Return the promise's data with the k that differential privacy needs, where it asks for
        that and leaves k out."""
        if (
            not isinstance(data, dict)
            or "k" in data
            or not isinstance(data.get("differential"), dict)
        ):
            return data
        try:
            return {**data, "k": Differential.model_validate(data["differential"]).k}
        except ValueError:
            return {**data, "k": 2}  # the field itself reports the mistake

    @model_validator(mode="after")
    def _consistent(self) -> Privacy:
        if self.differential is not None and self.k < (least := self.differential.k):
            text = f"{self.k} is too small: this epsilon and delta need at least {least}"
            raise FieldError("k", f"{text}. Leave it out")
        about_population = any(self.of_population())
        others = about_population or self.named_columns() or self.risk.limits
        if self.k == 1 and not others:
            raise FieldError(
                "k",
                "k = 1 promises nothing without another model: give at least 2",
            )
        if about_population and self.population is None:
            raise FieldError(
                "population",
                "this field is missing: k_map and delta_presence need a population",
            )
        combinations.require_none(combinations.OF_PROMISES, self)
        return self

    @property
    def compared(self) -> bool:
        """Whether the rows are counted in comparison with others: a population or, for levels that
        are drawn, the source that they are a sample of."""
        differential = self.differential
        return self.population is not None or (differential is not None and differential.searches)

    @property
    def several(self) -> bool:
        """Whether the promise is made for several combinations of columns, each by itself."""
        return self.quasi_identifiers is not None and len(self.quasi_identifiers) > 1

    def models(self) -> Iterator[tuple[str, ModelSettings]]:
        """Yield every requested model except k, with its place in the policy."""
        for model, name, settings in self.by_column():
            yield f"privacy.{model}.{name}", settings
        for model, of_population in self.of_population():
            yield f"privacy.{model}", of_population

    def by_column(self) -> Iterator[tuple[str, str, ColumnModel]]:
        """Yield the models about sensitive columns: (model, column, parameters)."""
        for model in type(self).model_fields:
            columns = getattr(self, model)
            if isinstance(columns, Mapping):
                for name, settings in columns.items():
                    yield model, name, settings

    def of_population(self) -> Iterator[tuple[str, PopulationModel]]:
        """Yield the models that compare with a population: (model, parameters)."""
        for model in type(self).model_fields:
            settings = getattr(self, model)
            if isinstance(settings, PopulationModel):
                yield model, settings

    def about(self, column: str) -> list[ColumnModel]:
        """Return the models about a column."""
        return [settings for _, name, settings in self.by_column() if name == column]

    def models_asked(self) -> Iterator[tuple[str, str]]:
        """Yield every privacy model that the policy requires in addition to k, with its place in
        the policy. Variants that a method may keep or not have names of their own:
        ``l_diversity.entropy``, ``l_diversity.range``, ``t_closeness.hierarchical``."""
        for model, name, settings in self.by_column():
            location = f"privacy.{model}.{name}"
            yield (f"{model}.{settings.variant}" if settings.variant else model), location
            for part, field in settings.parts:
                yield f"{model}.{part}", f"{location}.{field}"
        if self.entity is not None:
            yield "entity", "privacy.entity"
        if self.population is not None:
            yield "population", "privacy.population"
        if self.several:
            yield "quasi_identifiers", "privacy.quasi_identifiers"
        if self.over_time is not None:
            yield "over_time", "privacy.over_time"
        if self.risk.limits:
            yield "risk", "privacy.risk"
        if self.differential is not None:
            yield "differential", "privacy.differential"

    def named_columns(self) -> list[tuple[str, str]]:
        """Return (model, column) of every model about a sensitive column."""
        return [(model, name) for model, name, _ in self.by_column()]

    def coded_columns(self) -> list[str]:
        """Return the columns whose values enter cells as codes: the columns of privacy models, and
        the column that names people."""
        named = [name for _, name in self.named_columns()]
        return list(dict.fromkeys([*named, *([self.entity] if self.entity is not None else [])]))

    def about_columns(self) -> Privacy:
        """Return the part of the promise, except k, that can be verified from a release alone: the
        models about sensitive columns."""
        others = ["entity", "population", *(model for model, _ in self.of_population())]
        return self.model_copy(update=dict.fromkeys(others))

    def max_suppressed(self, rows: int) -> int:
        """Return the number of rows that may be suppressed out of ``rows``. No row may be with a
        lower limit of presence: people in the population who are like a suppressed row would be
        known to be absent."""
        if any(settings.of_everybody for _, settings in self.of_population()):
            return 0
        return most_suppressed(self.suppression_limit, rows)


def _with_added(privacy: Any, handler: ModelWrapValidatorHandler[Privacy]) -> Privacy:
    """Validate a promise that asks for models of other packages: it has a field for each."""
    others = set(privacy) - set(Privacy.model_fields) if isinstance(privacy, dict) else set()
    if not others or not (others := others & plugins.names()):
        own = handler(privacy)
        type(own).model_rebuild()  # it is serialized by its own class
        return own
    models = [plugins.settings_of(name) for name in sorted(others)]
    fields = fields_of(models, "by sensitive column")
    return create_model("Privacy", __base__=Privacy, **fields).model_validate(privacy)


AnyPrivacy = Annotated[SerializeAsAny[Privacy], WrapValidator(_with_added)]
"""The privacy promise, with anonsql's own models and those of other packages."""
