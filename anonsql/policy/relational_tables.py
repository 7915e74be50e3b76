"""The parts of a policy of several tables: the settings of each table, the places of the tables,
and the promise: k people, and models about sensitive columns that count people.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model, field_validator, model_validator

from anonsql.errors import FieldError
from anonsql.policy.columns import HARMLESS, ColumnPolicy, require_one_weight
from anonsql.policy.envelope import PolicyModel, ReleaseOfSeveral
from anonsql.policy.privacy import Privacy, fields_of
from anonsql.policy.source import MendedColumn, Source, SourceColumn
from anonsql.privacy import plugins
from anonsql.privacy.base import MAX_K, ColumnModel
from anonsql.privacy.registry import MODELS
from anonsql.system.scalars import Name, Text


class TablePolicy(PolicyModel):
    """One table of a relational release: the key of its rows, the tables that they refer to, and
    its other columns."""

    key: Name | None = Field(
        None,
        description=(
            "the column that identifies a row; it is released as a number that reveals nothing"
            " about the row, in a public table unchanged"
        ),
    )
    references: dict[Name, Name] = Field(
        {},
        description="columns that hold the key of another table, each with the name of that table",
    )
    columns: dict[Name, ColumnPolicy] = Field(
        {},
        description="all other columns, by name or pattern; of a public table only those that are not"
        " released unchanged",
    )
    max_rows: int | None = Field(
        None, ge=1, description="the largest number of released rows of a person, chosen at random"
    )
    public: bool = Field(False, description="about no person: its columns are released unchanged")
    left_out: bool = Field(
        False, description="not released, although it refers to a released table"
    )

    @field_validator("key", mode="before")
    @classmethod
    def _one_column(cls, value: object) -> object:
        if isinstance(value, list):
            raise ValueError("found a list, and a key is one column: combine them in a view")
        return value

    @model_validator(mode="after")
    def _fits(self) -> TablePolicy:
        if self.left_out:
            if more := sorted(self.model_fields_set - {"left_out"}):
                raise ValueError(
                    f"{', '.join(more)}: a table that is left out cannot have settings"
                )
            return self
        if self.key is None:
            raise FieldError("key", "this field is missing: name the column that identifies a row")
        for name in (self.key, *self.references):
            if name in self.columns:
                raise FieldError(f"columns.{name}", "it is a key or a reference, so it has no role")
        if self.key in self.references:
            raise FieldError(
                "key", f"{self.key!r} is also a reference: rows need a key of their own"
            )
        if self.public and self.max_rows is not None:
            raise FieldError(
                "max_rows", "a public table is about no person, so its rows have no owner"
            )
        require_one_weight(self.columns)
        for name, column in self.columns.items():
            if self.public and column.role not in ("identifying", *HARMLESS):
                raise FieldError(
                    f"columns.{name}.role",
                    f"the role is {column.role}, and a public table is about no person: leave"
                    " `public` out",
                )
            if column.values is not None:
                text = "with several tables no means or medians are released: leave it out"
                raise FieldError(f"columns.{name}.values", text)
            if column.change is not None:
                raise FieldError(
                    f"columns.{name}.change",
                    "with several tables a table cannot have this: leave it out",
                )
            if column.role == "semi-sensitive":
                raise FieldError(
                    f"columns.{name}.role", "semi-sensitive columns need a policy of one table"
                )
        return self


class RelationalSource(PolicyModel):
    """The database that has all tables. It is only ever read."""

    database: str = Field(
        description="DuckDB file, postgresql:// URL, or Spark URL; ${ENV} is expanded"
    )
    db_schema: Name | None = Field(
        None, alias="schema", description="the schema of tables whose names have none"
    )
    missing: list[Text] | None = Field(None, description="values that mean NULL, in all tables")
    trim: bool = Field(False, description="remove blanks around text values, in all tables")
    case: Literal["lower", "upper"] | None = Field(
        None,
        description="convert text to lower or upper case in all tables, so that spellings agree",
    )
    columns: dict[Text, MendedColumn] = Field(
        {}, description="how single columns (`table.column`) are read, if different"
    )

    def of_table(self, table: str, name: str) -> Source:
        """Return a table of the policy as a source of its own, under its ``name`` in the
        database."""
        columns = {
            column.removeprefix(f"{table}."): SourceColumn(**dict(settings))
            for column, settings in self.columns.items()
            if column.startswith(f"{table}.")
        }
        return Source(
            database=self.database,
            table=name,
            missing=self.missing,
            trim=self.trim,
            case=self.case,
            columns=columns,
        )


class RelationalRelease(ReleaseOfSeveral):
    """The place of the tables, and the parts of each in addition to its rows."""

    bounds: bool = Field(
        True, description="add `<column>_lo` and `<column>_hi` for numeric and date columns"
    )
    completed: int = Field(
        1,
        ge=0,
        le=100,
        description=(
            "add `__completed` to every table about people: this number of copies of its rows in"
            " which every label is replaced by one random value from its range; 0 adds none"
        ),
    )


MOST_ROWS = 3
"""The greatest number of known rows that combinations are counted for; more is `all`."""
KnownRows = Annotated[int, Field(ge=0, le=MOST_ROWS)] | Literal["all"]
_ALONE = "this promise is for one table only: leave it out"


class _Matching(BaseModel):
    """How many people match the known facts about one of them."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    k: int = Field(ge=2, le=MAX_K, description="lowest number of people that match")
    of: Name = Field(description="the table in which every row is a person")
    known_rows: KnownRows = Field(
        1,
        description="the largest number of a person's rows that an attacker knows: 0 to 3, or `all`",
    )
    suppression_limit: (
        Annotated[float, Field(ge=0, lt=1)] | dict[Name, Annotated[float, Field(ge=0, lt=1)]]
    ) = Field(
        0.0,
        description=(
            "largest share of the people that may be suppressed; by table, also of its rows"
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
        raise ValueError(f"found {value!r}; write a number from 0 to {MOST_ROWS}, or all")

    @field_validator("suppression_limit", mode="before")
    @classmethod
    def _shares(cls, value: Any) -> object:
        for entry in value.values() if isinstance(value, Mapping) else [value]:
            is_number = isinstance(entry, (int, float)) and not isinstance(entry, bool)
            if not is_number or not 0 <= entry < 1:
                raise ValueError(
                    f"found {entry}; write a share from 0 to less than 1, or one for each table"
                )
        return value

    @model_validator(mode="after")
    def _count_people(self) -> RelationalPrivacy:
        """Refuse parts of a model that are about one table alone."""
        for model, name, settings in self.by_column():
            for field, term in settings.terms():
                if not term.criterion.of_people:
                    at = field if field.startswith("min_") else "distance"
                    text = "" if at == field else f"found {term.kind}; "
                    raise FieldError(
                        f"{model}.{name}.{at}", f"{text}it is for one table only: leave it out"
                    )
        return self

    @classmethod
    def require_known(cls, data: object) -> None:
        """Raise FieldError for a promise that a policy of one table may make and this one may
        not."""
        privacy = data if isinstance(data, Mapping) else {}
        if "over_time" in privacy:
            raise FieldError(
                "privacy.over_time",
                "it follows the rows of one table: leave out either this or `tables`",
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
        """Return the promise for some columns, given as `table.column` with their names, in the
        form of a policy of their table alone."""
        models: dict[str, dict[str, ColumnModel]] = {}
        for model, name, settings in self.by_column():
            if name in names:
                models.setdefault(model, {})[names[name]] = settings
        return Privacy(k=self.k).model_copy(update=models)
