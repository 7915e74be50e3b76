"""Where the data of a policy lie: the personal table, and the population that it is drawn from."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

from anonsql.errors import FieldError


class Source(BaseModel):
    """Where the personal data lies: a table of a database, or a CSV or Parquet file. It is only
    ever read."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    database: str | None = Field(
        None,
        description=(
            "DuckDB file, postgresql://, sqlite:/// or mariadb:// URL, or Spark: local[*], spark://"
            " or sc:// URL; ${ENV} is expanded"
        ),
    )
    table: str | None = Field(
        None, description="table or view, `schema.table` where it needs a schema"
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
        if self.file is None and self.table is None:
            raise FieldError("table", "this field is missing: name the table of the database")
        return self
