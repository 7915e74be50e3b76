"""The policy: what the columns are, what privacy is owed, by which method. Frozen models of one
YAML file."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError, model_validator

from anonsql.errors import FieldError, PolicyError, Problem, did_you_mean, require_all
from anonsql.policy import combinations, yaml_text
from anonsql.policy import local as local_policy
from anonsql.policy.changes import Change, changes_of
from anonsql.policy.columns import (
    GENERALIZED,
    ROLE_ALIASES,
    Average,
    ColumnPolicy,
    Replacement,
    require_one_weight,
)
from anonsql.policy.conditions import Condition
from anonsql.policy.hierarchy import (
    AutomaticHierarchy,
    FileHierarchy,
    Hierarchy,
    OrderHierarchy,
    SuppressionHierarchy,
    TableHierarchy,
    TaxonomyHierarchy,
)
from anonsql.policy.measuring import Measuring
from anonsql.policy.method import Apart, Requirements, require_no_semi_sensitive
from anonsql.policy.methods import Method, needs_hierarchies
from anonsql.policy.privacy import AnyPrivacy
from anonsql.policy.problems import problems_of
from anonsql.policy.release_parts import COMPLETED
from anonsql.policy.resolved import made_files, resolved, stem_of, unresolved
from anonsql.policy.source import Source
from anonsql.system import database_files, text_files
from anonsql.system.scalars import Text

_GIVES_ORDER = (FileHierarchy, OrderHierarchy, TaxonomyHierarchy)
SINGLE_FILES: Final[dict[str, Literal["parquet", "csv"]]] = {
    ".parquet": "parquet",
    ".pq": "parquet",
    ".csv": "csv",
}
"""The releases that are one file with one table, by the end of the file's name."""


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Release(_Model):
    """Where the anonymized table goes, replaced as a whole by every run: a DuckDB file of its own,
    a Parquet or CSV file, a folder of Parquet files, or a schema of the database that the source
    lies in."""

    database: str | None = Field(
        None,
        description=(
            "DuckDB file, or the source's own postgresql:// or Spark URL; ${ENV} is expanded"
        ),
    )
    table: str | None = Field(
        None,
        min_length=1,
        pattern=r"^[^\x00]+$",
        description="name of the released table; `schema.table` on a server",
    )
    file: str | None = Field(
        None,
        description=(
            "Parquet or CSV file, by the end of its name (.parquet, .csv), else a folder of Parquet"
            " files; ${ENV} is expanded"
        ),
    )
    bounds: bool = Field(
        True, description="add `<column>_lo` and `<column>_hi` for numeric and date columns"
    )
    hierarchies: bool = Field(
        True,
        description=(
            "add `__labels`, by which `anonsql query` reads labels: hierarchies that are given"
            " leaf by leaf (file, order, taxonomy, table, countries), which are taken to be public."
            " They name every value that the hierarchy has, never one that only the data has"
        ),
    )
    completed: int = Field(
        1,
        ge=0,
        le=100,
        description=(
            "add `__completed`: so many copies of the release in which a plain value, drawn from"
            " what it may be, stands for every label; 0 adds none. A single file has none"
        ),
    )
    suppressed: Literal["remove", "mask"] = Field(
        "remove", description="leave suppressed rows out, or keep them as `*`"
    )
    grant: list[Annotated[str, Field(min_length=1, pattern=r"^[^\x00]+$")]] = Field(
        [], description="PostgreSQL roles that may read it"
    )

    @model_validator(mode="after")
    def _one_place(self) -> Release:
        if (self.file is None) == (self.database is None):
            raise ValueError("name either `database` with `table`, or `file`")
        if self.database is not None and self.table is None:
            raise FieldError("table", "this field is missing: name the table of the release")
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


class EngineSettings(_Model):
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
            "the longest that a command may take: then it ends with exit code 2, and nothing is"
            " published"
        ),
    )
    workbench: Literal["auto", "embedded", "in-place"] = Field(
        "auto",
        description=(
            "where search and method of a server's job work: on an embedded DuckDB, to which the"
            " distinct values of quasi-identifying columns travel, and cells as whole numbers; or"
            " on the server itself; `auto`: embedded, unless there are more than `workbench_cells`"
        ),
    )
    workbench_cells: int = Field(
        100_000_000,
        ge=1,
        description="the distinct combinations of values that `auto` carries at most",
    )
    workbench_memory: str | None = Field(
        None,
        pattern=r"^[0-9]+(\.[0-9]+)? ?([KMGT]i?B)$",
        description="e.g. 4GB; `memory_limit` where it is left out",
    )
    spark: dict[str, Text] = Field(
        {}, description="settings of the Spark session, e.g. spark.executor.memory: 8g"
    )


class Policy(_Model):
    """One anonymization job. Relative paths are relative to the folder of the policy file."""

    source: Source
    release: Release
    columns: dict[Text, ColumnPolicy] = Field(min_length=1)
    privacy: AnyPrivacy
    method: Method = Field({"type": "full-domain"}, validate_default=True)
    engine: EngineSettings = EngineSettings()
    measure: Measuring = Measuring()
    catalog: str | None = Field(
        None, description="file of the control plane; beside the release when left out"
    )
    _folder: Path = PrivateAttr(default=Path())
    _file: Path | None = PrivateAttr(default=None)
    _beside: tuple[str, ...] = PrivateAttr(default=())
    _tables: dict[str, Path] = PrivateAttr(default_factory=dict)
    _prefix: str = PrivateAttr(default="")

    @model_validator(mode="before")
    @classmethod
    def _without_hierarchies(cls, data: Any) -> Any:
        """Return the policy's data with a hierarchy for every column that may go without one, and
        with an entry for every flag's column."""
        if not isinstance(data, dict) or not isinstance(data.get("columns"), dict):
            return data
        data = {**data, "columns": local_policy.with_flags(data["columns"])}
        if needs_hierarchies(data.get("method")):
            return data
        return {
            **data,
            "columns": {name: _with_hierarchy(value) for name, value in data["columns"].items()},
        }

    @model_validator(mode="after")
    def _consistent(self) -> Policy:
        names = list(self.quasi_identifiers)
        if not names:
            raise FieldError(
                "columns", "no column is quasi-identifying, so there is nothing to anonymize"
            )
        self.measure.require_fit(self.measurable)
        require_one_weight(self.columns)
        required = Requirements(self.columns, self.privacy, self.release.suppressed == "mask")
        self.method.require_levels(self.quasi_identifiers)
        if self.method.semi_sensitive:
            self.method.require_fit(required)
        else:
            require_no_semi_sensitive(self.columns, self.method.type)
        self._require_models_fit()
        self._require_combinations_fit()
        require_all(
            lambda: self.method.require_fit(required),
            lambda: combinations.require_none(combinations.OF_POLICIES, self),
        )
        return self

    def _require_combinations_fit(self) -> None:
        """Raise FieldError where ``privacy.quasi_identifiers`` does not name every
        quasi-identifying column, and no other."""
        named = self.privacy.quasi_identifiers
        if named is None:
            return
        known = self.quasi_identifiers
        for number, names in enumerate(named):
            for name in names:
                if name not in known:
                    hint = did_you_mean(name, known)
                    raise FieldError(
                        f"privacy.quasi_identifiers[{number}]",
                        f"{name!r} is no quasi-identifying column ({hint})",
                    )
        if missing := sorted(known.keys() - {name for names in named for name in names}):
            raise FieldError(
                "privacy.quasi_identifiers", f"no combination holds {', '.join(missing)}"
            )

    @property
    def measurable(self) -> dict[str, ColumnPolicy]:
        """The columns that ``measure.target`` may name, as it names them."""
        return self.columns

    @property
    def replaced(self) -> dict[str, Replacement]:
        """The identifying columns that are replaced instead of removed, and by what."""
        return {
            name: column.replace
            for name, column in self.columns.items()
            if column.replace is not None
        }

    @property
    def changes(self) -> dict[str, Change]:
        """The kept columns whose values are changed, and how."""
        return changes_of(self.columns)

    @property
    def averages(self) -> dict[str, Average]:
        """The quasi-identifying columns of which means or medians are released, and which."""
        return {
            name: column.values
            for name, column in self.columns.items()
            if column.values is not None
        }

    @property
    def surrogates(self) -> list[str]:
        """The identifying columns that are replaced by surrogates."""
        return [name for name, what in self.replaced.items() if what == "surrogate"]

    @property
    def removed(self) -> list[str]:
        """The columns that no table of the release has."""
        return [
            name
            for name, column in self.columns.items()
            if column.role == "identifying" and column.replace is None
        ]

    @property
    def combinations(self) -> list[list[str]]:
        """The quasi-identifying columns that must keep the promise together, in the order of the
        policy: one list of all, or several."""
        named = self.privacy.quasi_identifiers or [list(self.quasi_identifiers)]
        return [[name for name in self.quasi_identifiers if name in names] for names in named]

    def _require_models_fit(self) -> None:
        """Raise FieldError where the models of ``privacy`` name columns that do not exist, or have
        a role that does not fit."""
        for model, name in self.privacy.named_columns():
            where = f"privacy.{model}.{name}"
            if name not in self.columns:
                raise FieldError(
                    where,
                    f"there is no column {name!r}"
                    f" ({did_you_mean(name, self.columns) or 'see columns'})",
                )
            if self.columns[name].suppressed == "mask":
                raise FieldError(
                    f"columns.{name}.suppressed",
                    f"found mask; {model} is about its values, and masked rows are a class",
                )
            if (role := self.columns[name].role) not in ("sensitive", "semi-sensitive"):
                raise FieldError(
                    where, f"the role of {name!r} is {role}; this model is about sensitive columns"
                )
        entity = self.privacy.entity
        if entity is not None and entity not in self.columns:
            raise FieldError(
                "privacy.entity",
                f"there is no column {entity!r}"
                f" ({did_you_mean(entity, self.columns) or 'see columns'})",
            )
        self._require_sound_over_time()
        for name, column in self.columns.items():
            hierarchical = any(settings.needs.hierarchy for settings in self.privacy.about(name))
            if hierarchical and column.hierarchy is None:
                raise FieldError(
                    f"columns.{name}", "hierarchical t-closeness needs a hierarchy of this column"
                )
            if column.role == "sensitive" and column.hierarchy is not None and not hierarchical:
                location = f"columns.{name}.hierarchy"
                raise FieldError(
                    location,
                    "only t_closeness with `distance: hierarchical` uses the hierarchy of a"
                    " sensitive column",
                )

    def _require_sound_over_time(self) -> None:
        """Raise FieldError where the promise over several releases does not fit the policy."""
        over_time = self.privacy.over_time
        if over_time is None:
            return
        if over_time.key not in self.columns:
            raise FieldError(
                "privacy.over_time.key",
                f"there is no column {over_time.key!r}"
                f" ({did_you_mean(over_time.key, self.columns) or 'see columns'})",
            )

    def by_itself(self) -> Policy:
        """Return the policy of one release by itself, which follows no others."""
        if self.privacy.over_time is None:
            return self
        privacy = self.privacy.model_copy(update={"over_time": None})
        return self.model_copy(update={"privacy": privacy})

    def require_one_release(self, command: str) -> None:
        """Raise PolicyError where something is promised over time, for a command that keeps no
        ledger."""
        if self.privacy.over_time is not None:
            text = f"`{command}` keeps no ledger of the rows that were released before."
            raise PolicyError.at("privacy.over_time", text, "Use `anonsql run`, or leave it out.")

    @property
    def quasi_identifiers(self) -> dict[str, ColumnPolicy]:
        """The columns whose values are generalized, in the order of the policy: quasi-identifying
        and semi-sensitive ones."""
        return {name: column for name, column in self.columns.items() if column.role in GENERALIZED}

    @property
    def released_apart(self) -> Apart | None:
        """The sensitive values that are released in tables of their own, where the method does
        so."""
        return self.method.apart(self.columns, self.privacy)

    @property
    def bucketized(self) -> list[str] | None:
        """The columns whose sensitive values are released in buckets, each in a table of its own,
        where the method does so (local)."""
        apart = self.released_apart
        return list(apart.parts) if apart is not None and apart.joined_by == "bucket" else None

    @property
    def tabled(self) -> dict[str, str]:
        """The columns whose sensitive values are released in a table of their own, with the name of
        that table in :attr:`release_parts`."""
        apart = self.released_apart
        return {} if apart is None else dict(apart.parts)

    @property
    def apart(self) -> list[str]:
        """The columns of :attr:`tabled` that the released rows do not have."""
        return [name for name in self.tabled if self.columns[name].role == "sensitive"]

    @property
    def conditions(self) -> dict[str, Condition]:
        """The condition under which each semi-sensitive column is sensitive, by column."""
        return {
            name: local_policy.condition(name, column, self.columns)
            for name, column in self.columns.items()
            if column.role == "semi-sensitive"
        }

    @property
    def separated(self) -> str | None:
        """The sensitive column that is released in a table of its own, joined by the rows' group
        (anatomy)."""
        apart = self.released_apart
        by_group = apart is not None and apart.joined_by == "group"
        return next(iter(apart.parts)) if apart is not None and by_group else None

    @property
    def identity(self) -> str | None:
        """What a release must state about identities where its method does not hide them."""
        return self.method.identity

    @property
    def release_parts(self) -> tuple[str, ...]:
        """The tables and views of the release besides the rows, ``__about`` and ``__columns``: the
        suffix of each to the table's name."""
        # Parquet and CSV files cannot hold views
        viewed = self.bucketized is not None and self.release.file is None
        others = (("expanded",) if viewed else ()) + (
            ("labels",) if self.released_hierarchies else ()
        )
        others += (COMPLETED,) if self.release.draws else ()
        return (*self.tabled.values(), *others, *self._beside)

    @property
    def released_hierarchies(
        self,
    ) -> dict[str, FileHierarchy | OrderHierarchy | TaxonomyHierarchy | TableHierarchy]:
        """The hierarchies that are released, by column: those of generalized columns that are given
        leaf by leaf and are not made from the data, which they would tell. A single file cannot
        hold them."""
        if not self.release.hierarchies or self.release.is_single_file:
            return {}
        by_name = {
            name: self.known_hierarchy(name)
            for name, column in self.quasi_identifiers.items()
            if not isinstance(column.hierarchy, AutomaticHierarchy)
        }
        return {
            name: hierarchy
            for name, hierarchy in by_name.items()
            if isinstance(hierarchy, (*_GIVES_ORDER, TableHierarchy))
        }

    def hierarchy(self, name: str, *, ordered: bool = False) -> Hierarchy | None:
        """Return the hierarchy by which a column's values are coded; ``ordered``: they are numbers
        or dates. The method may not use it, or use it only for the order of names; that of a
        sensitive column gives the distances between its values. Raise PolicyError where it is made
        from the data, or given by a table, and is not known yet."""
        result = self.known_hierarchy(name, ordered=ordered)
        if result is not None:
            where = f"columns.{name}.hierarchy"
            if error := unresolved(result, where, lambda: self.made_stem(name)):
                raise error
        return result

    def known_hierarchy(self, name: str, *, ordered: bool = False) -> Hierarchy | None:
        """Return the hierarchy of a column as far as it is known: see :meth:`hierarchy`."""
        result = self.columns[name].hierarchy
        if result is not None:
            where = f"columns.{name}.hierarchy"
            result = resolved(result, where, self.made_stem(name), self._table(name))
        gives_order = isinstance(result, (*_GIVES_ORDER, TableHierarchy))
        ignored = name in self.quasi_identifiers and self.method.ignores_hierarchy(
            ordered=ordered, gives_order=gives_order
        )
        return SuppressionHierarchy() if result and ignored else result

    def made_stem(self, name: str) -> Path:
        """Return the path of the file of a column's automatic hierarchy, without its end."""
        result = self.columns[name].hierarchy
        given = result.path if isinstance(result, AutomaticHierarchy) else None
        return self.path(given or f"hierarchies/{self._prefix}{stem_of(name)}")

    @property
    def unread_tables(self) -> list[str]:
        """The columns whose hierarchy a reference table gives that was not read yet."""
        return [
            name
            for name, column in self.columns.items()
            if isinstance(column.hierarchy, TableHierarchy) and self._table(name) is None
        ]

    def _table(self, name: str) -> Path | None:
        """Return the file that a reference table was read to; None where no command that is at work
        has read it."""
        file = self._tables.get(name)
        return file if file is not None and file.is_file() else None

    def read_table(self, name: str, file: Path) -> None:
        """Note the file that the reference table of a column's hierarchy was read to."""
        self._tables[name] = file

    @property
    def label_type(self) -> str:
        """The type of the released quasi-identifying columns."""
        return "VARCHAR[]" if self.method.arrays else "VARCHAR"

    def path(self, text: str) -> Path:
        """Return ``text`` as a path, relative to the policy's folder."""
        return (self._folder / text).absolute()

    @property
    def whole(self) -> Policy:
        """The policy that locations, locks and targets go by: this one, of one table."""
        return self

    @property
    def files(self) -> dict[str, Path]:
        """The files that the policy consists of: itself and those of its hierarchies, by a
        description of each."""
        paths = {"the policy": self._file} if self._file is not None else {}
        for name, column in self.columns.items():
            if (
                isinstance(column.hierarchy, (FileHierarchy, TaxonomyHierarchy))
                and column.hierarchy.path
            ):
                paths[f"the hierarchy of {name}"] = self.path(column.hierarchy.path)
            if isinstance(column.hierarchy, AutomaticHierarchy):
                kept = [file for file in made_files(self.made_stem(name)) if file.exists()]
                paths |= {f"the hierarchy of {name}": file for file in kept}
        return paths

    @classmethod
    def of(cls, policy: Given) -> Policy:
        """Return the policy that is given as a Policy, as a file, or as the mapping that a file
        holds, whose relative paths start from the current folder."""
        if isinstance(policy, Policy):
            return policy
        if isinstance(policy, (str, os.PathLike)):
            return cls.load(os.fspath(policy))
        return cls.parse(plain(policy), Path.cwd())

    @classmethod
    def load(cls, path: str | Path) -> Policy:
        """Return the policy in a YAML file; raise :class:`PolicyError` with all that is wrong with
        it."""
        file = Path(path).absolute()
        return cls.parse(read_policy(path), file.parent, file)

    @classmethod
    def parse(cls, data: Any, folder: str | Path = ".", file: Path | None = None) -> Policy:
        """Return the policy in a mapping as read from YAML. Relative paths start from ``folder``;
        ``file`` is the policy's own, where it has one."""
        if not isinstance(data, dict):
            raise PolicyError.at(
                "policy",
                f"a mapping is needed, found {type(data).__name__}.",
                "Start with `source:`.",
            )
        if "tables" in data:
            text = "this is a policy of several tables, and the command works on one."
            raise PolicyError.at("tables", text, "`anonsql guide relational` lists those that do.")
        if "statistics" in data:
            text = "this is a policy of statistics, and the command works on released rows."
            raise PolicyError.at(
                "statistics", text, "`anonsql guide statistics-reference` lists those that do."
            )
        try:
            policy = cls.model_validate(data)
        except ValidationError as error:
            raise PolicyError(problems_of(error, cls, data)) from None
        policy._folder, policy._file = Path(folder).absolute(), file
        return policy


Given = Policy | str | Path | Mapping[str, Any]
"""The ways to give a policy in Python."""


def plain(value: Any) -> Any:
    """Return a Python structure as YAML would have returned it."""
    if isinstance(value, Mapping):
        return {str(name): plain(entry) for name, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def _with_hierarchy(column: Any) -> Any:
    """Return a quasi-identifying column's settings as read from YAML, with a hierarchy."""
    role = column.get("role") if isinstance(column, dict) else None
    is_quasi = isinstance(role, str) and ROLE_ALIASES.get(role, role) in GENERALIZED
    return {"hierarchy": {"type": "suppression"}, **column} if is_quasi else column


def read_policy(path: str | Path) -> Any:
    """Return the plain data of a policy file."""
    file, where = Path(path), str(path)
    text_files.require_text(file.absolute(), "POLICY")
    if database_files.holds_tables(file):
        text = f"{path} is a database, not a policy."
        raise PolicyError.at(where, text, "Name the policy file (YAML) that releases it.")
    text = text_files.read_text(file, where, text_files.MAX_YAML, remedy="Name a policy file.")
    return yaml_text.parse(text, str(path))


def parse_leniently(
    data: Any, folder: str | Path, file: Path | None = None
) -> tuple[Policy | None, list[Problem]]:
    """Return the policy without its wrong parts, and all problems, so that ``check`` can go on to
    the data.

    A wrong column is treated as insensitive, a wrong section as if it were left out. None when what
    is left is still not a valid policy.
    """
    try:
        return Policy.parse(data, folder, file), []
    except PolicyError as error:
        problems = list(error.problems)
    columns = data.get("columns") if isinstance(data, dict) else None
    if not isinstance(columns, dict):
        return None, problems
    wrong = {problem.where.split(".")[0].split("[")[0] for problem in problems}
    mended = {
        key: value
        for key, value in data.items()
        if key in Policy.model_fields and key not in wrong - {"source", "columns"}
    }
    if "release" in wrong and isinstance(data.get("release"), dict):
        mended["release"] = {
            key: data["release"][key] for key in ("database", "table") if key in data["release"]
        }
    mended.setdefault("privacy", {"k": 2})
    mended["columns"] = {
        name: (
            {"role": "insensitive"}
            if is_at((problem.where for problem in problems), f"columns.{name}")
            else column
        )
        for name, column in columns.items()
    }
    try:
        return Policy.parse(mended, folder, file), problems
    except PolicyError:
        return None, problems


def is_at(places: Iterable[str], path: str) -> bool:
    """Return whether one of ``places`` is ``path`` or lies inside it."""
    return any(
        location == path or location.startswith((path + ".", path + "[")) for location in places
    )
