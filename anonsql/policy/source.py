"""Where the data of a policy lie: the personal table, and the population that it is drawn from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

from anonsql.errors import FieldError
from anonsql.policy.databases import urls
from anonsql.system.scalars import Text


class SourceColumn(BaseModel):
    """What a file does not tell of a column."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    type: str = Field(
        pattern=r"(?i)^(text|boolean|integer|double|date|timestamp|decimal\(\d{1,2}, ?\d{1,2}\))$",
        description=(
            "text, boolean, integer, double, decimal(digits, digits after the point), date or"
            " timestamp: every value must be one"
        ),
    )

    @property
    def sql(self) -> str:
        """The type in DuckDB's spelling."""
        kind = self.type.upper()
        return {"TEXT": "VARCHAR", "INTEGER": "BIGINT"}.get(kind, kind)


class Source(BaseModel):
    """Where the personal data lies: a table of a database, what a query reads there, or a CSV or
    Parquet file. It is only ever read."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    database: str | None = Field(
        None,
        description=f"DuckDB file, or URL of a database: {urls()}; ${{ENV}} is expanded",
    )
    table: str | None = Field(
        None, description="table or view, `schema.table` where it needs a schema"
    )
    query: str | None = Field(
        None,
        min_length=1,
        description=(
            "of a DuckDB file, in place of `table`: a SELECT of its tables and views, which is read"
            " once"
        ),
    )
    file: str | None = Field(None, description="CSV or Parquet file; ${ENV} is expanded")
    delimiter: str | None = Field(
        None, min_length=1, max_length=1, description="of a CSV file; found out when left out"
    )

    header: bool | list[Annotated[str, Field(min_length=1)]] | None = Field(
        None,
        description=(
            "of a CSV file: whether its first line names the columns; when false they are column1,"
            " column2 …, or give their names as a list. Left out: it does, and a first line that"
            " looks like a row is refused"
        ),
    )

    columns: dict[Text, SourceColumn] = Field(
        {}, description="of a file: the types of columns that it does not tell, or tells otherwise"
    )

    @property
    def name(self) -> str:
        """What messages and reports call it: its table, its file without the ending, or `query`."""
        return self.table or ("query" if self.query else Path(self.file or "").stem)

    @model_validator(mode="after")
    def _one_place(self) -> Source:
        if self.file is None and self.database is None:
            raise ValueError("name either `database` with `table`, or `file`")
        if self.file is not None and self.table is not None:
            raise ValueError("`table` does not go with `file`")
        if self.header is not None and self.file is None:
            raise FieldError("header", "this goes with `file` alone, and with CSV")
        if self.header == []:
            raise FieldError("header", "the list is empty: name every column, or say false")
        if self.query is not None and (self.file is not None or self.table is not None):
            raise FieldError("query", "it stands in the place of `table` and `file`: leave one out")
        if self.columns and self.file is None:
            raise FieldError("columns", "a database tells the types of its columns: cast in a view")
        if self.file is None and self.table is None and self.query is None:
            raise FieldError("table", "this field is missing: name the table of the database")
        return self
