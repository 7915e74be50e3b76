"""The parts of every policy except its plan: the places of the data and of the release, and the
limits of the engine. The base of the policies of rows and of statistics."""

from __future__ import annotations

import os
import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError, model_validator

from anonsql.errors import FieldError, PolicyError
from anonsql.policy import yaml_text
from anonsql.policy.problems import problems_of
from anonsql.system import database_files, text_files
from anonsql.system.scalars import Name, Text

if TYPE_CHECKING:
    from anonsql.policy.table_columns import TableColumns
    from anonsql.policy.table_plan import TablePlan

SINGLE_FILES: Final[dict[str, Literal["parquet", "csv"]]] = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
}
"""The releases that are one file with one table, by the end of the file's name."""


class PolicyModel(BaseModel):
    """Settings of a policy: unknown fields are refused."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Recipient(PolicyModel):
    """Who receives a release, as its owner's page says. It changes no promise, and no release."""

    who: Text = Field(description="who receives the release, and for what")
    means: Text | None = Field(
        None, description="what they have to identify people with: tables, software, knowledge"
    )
    terms: Text | None = Field(None, description="the terms under which they receive it")
    until: date | None = Field(None, description="the last day of the terms: then review them")


class Release(PolicyModel):
    """The place of the anonymized table, replaced as a whole by every run: a DuckDB file of its
    own, a Parquet or CSV file, a folder of Parquet files, or a schema of the source's database."""

    database: str | None = Field(
        None,
        description=(
            "DuckDB file, or the source's own postgresql:// or Spark URL; ${ENV} is expanded"
        ),
    )
    table: Name | None = Field(
        None, description="name of the released table; on a server `schema.table`"
    )
    file: str | None = Field(
        None,
        description=(
            "a Parquet or CSV file if the name ends in .parquet or .csv, otherwise a folder of"
            " Parquet files; ${ENV} is expanded"
        ),
    )
    bounds: bool = Field(
        True, description="add `<column>_lo` and `<column>_hi` for numeric and date columns"
    )
    hierarchies: bool = Field(
        True,
        description=(
            "add `__labels`, which `anonsql query` uses to read labels. It lists the hierarchies"
            " that are given leaf by leaf (file, order, taxonomy, table, countries), which are"
            " taken to be public. It names every value of the hierarchy, but none that occurs only"
            " in the data"
        ),
    )
    completed: int = Field(
        1,
        ge=0,
        le=100,
        description=(
            "add `__completed`: this number of copies of the release in which every label is"
            " replaced by one random value from its range; 0 adds none. A single file has none"
        ),
    )
    marginals: bool = Field(
        False,
        description=(
            "add `__marginals`: the number of released rows with each value of each generalized"
            " column, if at least k people have the value; draws of `__completed` have these"
            " counts"
        ),
    )
    suppressed: Literal["remove", "mask"] = Field(
        "remove", description="leave suppressed rows out, or keep them with `*` as values"
    )
    grant: list[Name] = Field([], description="PostgreSQL roles that may read the release")
    recipient: Recipient | None = Field(
        None, alias="for", exclude=True, description="who receives it, for the owner's page"
    )

    @model_validator(mode="after")
    def _one_place(self) -> Release:
        if (self.file is None) == (self.database is None):
            raise ValueError("give either `database` with `table`, or `file`")
        if self.database is not None and self.table is None:
            raise FieldError("table", "this field is missing: name the table of the release")
        if self.marginals and self.is_single_file:
            text = (
                "a single file holds only one table: release to a database or a folder, or leave"
                " it out"
            )
            raise FieldError("marginals", text)
        return self

    @property
    def file_text(self) -> str:
        """The file as its path is written, with the environment's variables in it; empty where
        there is none."""
        return re.sub(
            r"\$\{([^}]*)\}", lambda match: os.environ.get(match.group(1), ""), self.file or ""
        )

    @property
    def is_single_file(self) -> bool:
        """Whether the release is one file with one table."""
        return Path(self.file_text).suffix.lower() in SINGLE_FILES

    @property
    def draws(self) -> int:
        """How many draws the completed table has; 0 where there is none."""
        return 0 if self.is_single_file else self.completed

    @property
    def name(self) -> str:
        """The released table's name: a file's is the stem of its own where none is given."""
        file = Path(self.file_text)
        return self.table or (file.stem if self.is_single_file else file.name) or "released"


class ReleaseOfSeveral(PolicyModel):
    """The place of several tables, replaced together by every run: a DuckDB file of their own, a
    folder of Parquet files, or a schema of the source's database."""

    database: str | None = Field(
        None, description="DuckDB file, or the source's own URL; ${ENV} is expanded"
    )
    db_schema: Name | None = Field(None, alias="schema", description="on a server: the schema")
    file: str | None = Field(None, description="a folder of Parquet files; ${ENV} is expanded")
    grant: list[Name] = Field([], description="PostgreSQL roles that may read the tables")
    recipient: Recipient | None = Field(
        None, alias="for", exclude=True, description="who receives it, for the owner's page"
    )

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        if (self.file is None) == (self.database is None):
            raise ValueError("give either `database` or `file`")
        if self.file is not None and self.db_schema is not None:
            raise FieldError("schema", "a folder has no schema: leave it out")
        return self

    def of_table(self, table: str, **settings: Any) -> Release:
        """Return the release of one of the tables."""
        return Release(
            database=self.database,
            file=self.file,
            table=table if self.db_schema is None else f"{self.db_schema}.{table}",
            grant=list(self.grant),
            hierarchies=False,
            **settings,
        )


class EngineSettings(PolicyModel):
    """Limits for the database engine that does the work."""

    memory_limit: str | None = Field(
        None, pattern=r"^[0-9]+(\.[0-9]+)? ?([KMGT]i?B)$", description="e.g. 12GB"
    )
    threads: int | None = Field(None, ge=1, le=1024)
    seconds: float | None = Field(
        None,
        gt=0,
        le=10_000_000,
        allow_inf_nan=False,
        description=(
            "the longest time that a command may take; after it the command ends with exit code 2"
            " and publishes nothing"
        ),
    )
    workbench: Literal["auto", "embedded", "in-place"] = Field(
        "auto",
        description=(
            "where search and method of a server's job are computed: `embedded` copies the"
            " distinct values of quasi-identifying columns, and cells as whole numbers, to an"
            " embedded DuckDB; `server` computes on the server; `auto` is `embedded` up to"
            " `workbench_cells`"
        ),
    )
    workbench_cells: int = Field(
        100_000_000,
        ge=1,
        description="the largest number of distinct combinations of values that `auto` copies",
    )
    workbench_memory: str | None = Field(
        None,
        pattern=r"^[0-9]+(\.[0-9]+)? ?([KMGT]i?B)$",
        description="e.g. 4GB; defaults to `memory_limit`",
    )
    spark: dict[str, Text] = Field(
        {}, description="settings of the Spark session, e.g. spark.executor.memory: 8g"
    )


@dataclass(frozen=True)
class Origin:
    """The origin of a policy: the folder of its relative paths, its file if it has one, the files
    that reference tables were read to (``read``), by table and column, and the columns that its
    patterns match, by place; None if these were not looked up."""

    folder: Path = Path()
    file: Path | None = None
    read: dict[tuple[str, str], Path] = field(default_factory=dict)
    patterns: Mapping[str, Sequence[str]] | None = None

    def path(self, text: str) -> Path:
        """Return ``text`` as a path, relative to the folder."""
        return (self.folder / text).absolute()


class Envelope(PolicyModel):
    """The settings of every policy except its plan. Relative paths are relative to the folder of
    the policy file."""

    source: Any
    release: Any
    engine: EngineSettings = EngineSettings()
    catalog: str | None = Field(
        None, description="the catalog's file; by default next to the release"
    )
    _origin: Origin = PrivateAttr(default_factory=Origin)

    @property
    def origin(self) -> Origin:
        """Where the policy was read from."""
        return self._origin

    @property
    @abstractmethod
    def first(self) -> TableColumns:
        """The first table that is released, which has the tables of all others among its parts:
        locations, locks and targets go by it."""

    @property
    @abstractmethod
    def planned(self) -> Mapping[str, TableColumns]:
        """The tables that are released, by their name in the policy; the columns that statistics are
        made of are one without a name."""

    @property
    def pattern_plans(self) -> Mapping[str, TablePlan]:
        """The released tables whose columns patterns may match, by their name in the policy; a
        single table has no name. Statistics name every column."""
        return {}

    @property
    def unread_tables(self) -> list[str]:
        """The columns whose hierarchy a reference table gives that was not read yet."""
        return [
            f"{name}.{column}" if name else column
            for name, table in self.planned.items()
            for column in table.unread_tables
        ]

    @property
    def files(self) -> dict[str, Path]:
        """The files that the policy consists of, by a description of each: see
        :attr:`TableColumns.files`."""
        return {
            f"{what} in {name}" if name else what: file
            for name, table in self.planned.items()
            for what, file in table.files.items()
        }

    @classmethod
    def load(cls, path: str | Path) -> Self:
        """Return the policy in a YAML file; raise :class:`PolicyError` with all that is wrong with
        it."""
        file = Path(path).absolute()
        return cls.parse(read_policy(path), file.parent, file)

    @classmethod
    def parse(cls, data: Any, folder: str | Path = ".", file: Path | None = None) -> Self:
        """Return the policy in a mapping as read from YAML. Relative paths start from ``folder``;
        ``file`` is the policy's own, where it has one."""
        if not isinstance(data, dict):
            raise PolicyError.at(
                "policy",
                f"found {type(data).__name__}, but a policy is a mapping.",
                "Start with `source:`.",
            )
        try:
            policy = cls.model_validate(data)
        except ValidationError as error:
            raise PolicyError(problems_of(error, cls, data)) from None
        policy._origin = Origin(Path(folder).absolute(), file)
        return policy


def plain(value: Any) -> Any:
    """Return a Python structure as YAML would have returned it."""
    if isinstance(value, Mapping):
        return {str(name): plain(entry) for name, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def read_policy(path: str | Path) -> Any:
    """Return the plain data of a policy file."""
    file, where = Path(path), str(path)
    text_files.require_text(file.absolute(), "POLICY")
    if database_files.holds_tables(file):
        text = f"{path} is a database, not a policy."
        raise PolicyError.at(where, text, "Name the policy file (YAML) that releases it.")
    text = text_files.read_text(file, where, text_files.MAX_YAML, remedy="Name a policy file.")
    return yaml_text.parse(text, str(path))
