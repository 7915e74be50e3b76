"""What a policy of several tables says of each table, and where they lie and go."""

from __future__ import annotations

from pydantic import Field, field_validator, model_validator

from anonsql.errors import FieldError
from anonsql.policy.columns import HARMLESS, ColumnPolicy, require_one_weight
from anonsql.policy.envelope import PolicyModel, ReleaseOfSeveral
from anonsql.system.scalars import Name, Text


class TablePolicy(PolicyModel):
    """One table of a relational release: how its rows are named, which tables they refer to, and
    what its other columns are."""

    key: Text | None = Field(
        None,
        description=(
            "the column that names a row; released as a number that says nothing of it, of a public table as it is"
        ),
    )
    references: dict[Text, Text] = Field(
        {}, description="columns that hold the key of another table, each with that table"
    )
    columns: dict[Name, ColumnPolicy] = Field(
        {}, description="all other columns; of a public table those that are not released as is"
    )
    max_rows: int | None = Field(
        None, ge=1, description="the rows of a person that are released at most, chosen at random"
    )
    public: bool = Field(False, description="about nobody: its columns are released as they are")
    left_out: bool = Field(False, description="not released, though it refers to a table that is")

    @field_validator("key", mode="before")
    @classmethod
    def _one_column(cls, value: object) -> object:
        if isinstance(value, list):
            raise ValueError("found a list; a key is one column: make one of several in a view")
        return value

    @model_validator(mode="after")
    def _fits(self) -> TablePolicy:
        if self.left_out:
            if more := sorted(self.model_fields_set - {"left_out"}):
                raise ValueError(f"{', '.join(more)}: a table that is left out has no settings")
            return self
        if self.key is None:
            raise FieldError(
                "key", "this field is missing: name the column that tells the rows apart"
            )
        for name in (self.key, *self.references):
            if name in self.columns:
                raise FieldError(f"columns.{name}", "it is a key or a reference, and has no role")
        if self.key in self.references:
            raise FieldError(
                "key", f"{self.key!r} is a reference too: rows need a key of their own"
            )
        if self.public and self.max_rows is not None:
            raise FieldError("max_rows", "a public table has nobody's rows")
        require_one_weight(self.columns)
        for name, column in self.columns.items():
            if self.public and column.role not in ("identifying", *HARMLESS):
                raise FieldError(
                    f"columns.{name}.role",
                    f"found {column.role}; a public table is about nobody: leave `public` out",
                )
            if column.values is not None:
                text = "a table of several releases no means or medians: leave it out"
                raise FieldError(f"columns.{name}.values", text)
            if column.change is not None:
                raise FieldError(f"columns.{name}.change", "a table of several has none: leave it")
            if column.role == "semi-sensitive":
                raise FieldError(f"columns.{name}.role", "semi-sensitive needs one table alone")
        return self


class RelationalSource(PolicyModel):
    """The database that all tables lie in. It is only ever read."""

    database: str = Field(
        description="DuckDB file, postgresql:// URL, or Spark URL; ${ENV} is expanded"
    )
    db_schema: Text | None = Field(
        None, alias="schema", description="the schema of tables that are named without one"
    )


class RelationalRelease(ReleaseOfSeveral):
    """Where the tables go, and what each of them has besides its rows."""

    bounds: bool = Field(
        True, description="add `<column>_lo` and `<column>_hi` for numeric and date columns"
    )
    completed: int = Field(
        1,
        ge=0,
        le=100,
        description=(
            "add `__completed` to every table about people: so many copies of its rows in which a"
            " plain value, drawn from what it may be, stands for every label; 0 adds none"
        ),
    )
