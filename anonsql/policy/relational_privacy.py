"""What a policy of several tables promises: k people, and models about sensitive columns that count
people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model, field_validator, model_validator

from anonsql.errors import FieldError
from anonsql.policy.privacy import Privacy, fields_of
from anonsql.privacy import plugins
from anonsql.privacy.base import MAX_K, ColumnModel
from anonsql.privacy.registry import MODELS
from anonsql.system.scalars import Text

MOST_ROWS = 3
"""The greatest number of known rows that combinations are counted for; more is `all`."""
KnownRows = Annotated[int, Field(ge=0, le=MOST_ROWS)] | Literal["all"]
_ALONE = "this promise is for one table alone: leave it out"


class _Matching(BaseModel):
    """How many people match what is known of one of them."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    k: int = Field(ge=2, le=MAX_K, description="least number of people that match")
    of: Text = Field(description="the table whose rows are people")
    known_rows: KnownRows = Field(
        1, description="the rows of a person that others know at most: 0 to 3, or `all`"
    )
    suppression_limit: (
        Annotated[float, Field(ge=0, lt=1)] | dict[Text, Annotated[float, Field(ge=0, lt=1)]]
    ) = Field(
        0.0,
        description=(
            "greatest share of the people that may be suppressed; by table, that of its rows too"
        ),
    )


if TYPE_CHECKING:
    _WithModels = _Matching
else:
    _WithModels = create_model(
        "_WithModels",
        __base__=_Matching,
        **fields_of(
            [model for model in MODELS if issubclass(model, ColumnModel)], "by `table.column`"
        ),
    )


class RelationalPrivacy(_WithModels):
    """What is promised: at least ``k`` people (rows of the table ``of``) match whatever is known of
    one of them: all quasi-identifying values of its own row and of up to ``known_rows`` of its rows
    in other tables. Models about sensitive columns hold of the people that match."""

    @field_validator("known_rows", mode="before")
    @classmethod
    def _few_rows(cls, value: object) -> object:
        if value == "all" or (type(value) is int and 0 <= value <= MOST_ROWS):
            return value
        raise ValueError(f"found {value!r}; a number from 0 to {MOST_ROWS}, or all")

    @field_validator("suppression_limit", mode="before")
    @classmethod
    def _shares(cls, value: Any) -> object:
        for entry in value.values() if isinstance(value, Mapping) else [value]:
            is_number = isinstance(entry, (int, float)) and not isinstance(entry, bool)
            if not is_number or not 0 <= entry < 1:
                raise ValueError(f"found {entry}; a share from 0 to less than 1, or one by table")
        return value

    @model_validator(mode="after")
    def _count_people(self) -> RelationalPrivacy:
        """Refuse what a model says of one table alone."""
        for model, name, settings in self.by_column():
            for field, term in settings.terms():
                if not term.criterion.of_people:
                    at = field if field.startswith("min_") else "distance"
                    text = "" if at == field else f"found {term.kind}; "
                    raise FieldError(
                        f"{model}.{name}.{at}", f"{text}it is for one table alone: leave it out"
                    )
        return self

    @classmethod
    def require_known(cls, data: object) -> None:
        """Raise FieldError for a promise that a policy of one table may make and this one may
        not."""
        privacy = data if isinstance(data, Mapping) else {}
        if "over_time" in privacy:
            raise FieldError(
                "privacy.over_time", "it follows the rows of one table: leave it or `tables` out"
            )
        others = (Privacy.model_fields.keys() | plugins.names()) - cls.model_fields.keys()
        for name in sorted(others & {value for value in privacy if isinstance(value, str)}):
            raise FieldError(f"privacy.{name}", _ALONE)

    def by_column(self) -> Iterator[tuple[str, str, ColumnModel]]:
        """Yield the models about sensitive columns: (model, `table.column`, parameters)."""
        for model in type(self).model_fields:
            columns = getattr(self, model)
            if isinstance(columns, Mapping):
                for name, settings in columns.items():
                    if isinstance(settings, ColumnModel):
                        yield model, name, settings

    def of_columns(self, names: Mapping[str, str]) -> Privacy:
        """Return what is promised of some columns, given as `table.column` with their names, as a
        policy of their table alone would say it."""
        models: dict[str, dict[str, ColumnModel]] = {}
        for model, name, settings in self.by_column():
            if name in names:
                models.setdefault(model, {})[names[name]] = settings
        return Privacy(k=self.k).model_copy(update=models)
