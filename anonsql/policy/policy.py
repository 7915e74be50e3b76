"""The policy: the roles of columns, the privacy promise, and the method. Frozen models of one YAML
file."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Self

from pydantic import Field, model_validator

from anonsql.errors import FieldError, PolicyError, Problem, did_you_mean, require_all
from anonsql.policy import combinations
from anonsql.policy import local as local_policy
from anonsql.policy.column_patterns import DEFAULT, matching
from anonsql.policy.columns import (
    GENERALIZED,
    ROLE_ALIASES,
    ColumnPolicy,
    require_one_weight,
)
from anonsql.policy.envelope import Envelope, Release, plain
from anonsql.policy.measuring import Measuring
from anonsql.policy.method import Requirements, require_no_semi_sensitive
from anonsql.policy.methods import Method, needs_hierarchies
from anonsql.policy.privacy import AnyPrivacy
from anonsql.policy.source import Source, by_given_names
from anonsql.policy.table_plan import TablePlan
from anonsql.system.scalars import Name


class Policy(TablePlan, Envelope):
    """One anonymization job over one table. Relative paths are relative to the folder of
    the policy file."""

    source: Source
    release: Release
    columns: dict[Name, ColumnPolicy] = Field(
        min_length=1,
        description=(
            "every column of the source, by name or by a pattern over names (`q_*`, `*`). A"
            " column's own line has priority over patterns, and every other pattern over `*`"
        ),
    )
    privacy: AnyPrivacy
    method: Method = Field({"type": "full-domain"}, validate_default=True)
    measure: Measuring = Measuring()

    @model_validator(mode="before")
    @classmethod
    def _without_hierarchies(cls, data: Any) -> Any:
        """Return the policy's data with a hierarchy for every column that may go without one, with
        an entry for every flag's column, and columns by the names that the source gives them."""
        if not isinstance(data, dict) or not isinstance(data.get("columns"), dict):
            return data
        columns = by_given_names(data["columns"], data.get("source"))
        data = {**data, "columns": local_policy.with_flags(columns)}
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
                        f"{name!r} is not a quasi-identifying column ({hint})",
                    )
        if missing := sorted(known.keys() - {name for names in named for name in names}):
            raise FieldError(
                "privacy.quasi_identifiers", f"no combination contains {', '.join(missing)}"
            )

    def _require_models_fit(self) -> None:
        """Raise FieldError where the models of ``privacy`` name columns that do not exist, or have
        a role that does not fit."""
        for model, name in self.privacy.named_columns():
            where = f"privacy.{model}.{name}"
            if name not in self.columns:
                raise self._no_column(where, name)
            if self.columns[name].suppressed == "mask":
                raise FieldError(
                    f"columns.{name}.suppressed",
                    f"the value is mask, but {model} is about the column's values, and masked"
                    " rows form a class",
                )
            if (role := self.columns[name].role) not in ("sensitive", "semi-sensitive"):
                raise FieldError(
                    where, f"{name!r} has the role {role}, and this model needs a sensitive column"
                )
        entity = self.privacy.entity
        if entity is not None and entity not in self.columns:
            raise self._no_column("privacy.entity", entity)
        self._require_sound_over_time()
        for name, column in self.columns.items():
            hierarchical = any(settings.needs.hierarchy for settings in self.privacy.about(name))
            if hierarchical and column.hierarchy is None:
                raise FieldError(
                    f"columns.{name}", "hierarchical t-closeness needs a hierarchy for this column"
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
            raise self._no_column("privacy.over_time.key", over_time.key)

    def _no_column(self, where: str, name: str) -> FieldError:
        hint = did_you_mean(name, self.columns) or "see columns"
        if DEFAULT in self.columns or matching(self.columns, name):
            hint = "a pattern is not enough here: give the column a line of its own in columns"
        return FieldError(where, f"there is no column {name!r} ({hint})")

    @property
    def planned(self) -> dict[str, Policy]:
        """The one table that is released."""
        return {self.source.name: self}

    @property
    def pattern_plans(self) -> dict[str, TablePlan]:
        """The table, without a name: see :attr:`Envelope.pattern_plans`."""
        return {"": self}

    def changed(self, **settings: Any) -> Self:
        """Return the same policy with other settings."""
        return self.model_copy(update=settings)

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
    def parse(cls, data: Any, folder: str | Path = ".", file: Path | None = None) -> Self:
        """Return the policy in a mapping: see :meth:`Envelope.parse`."""
        named = data if isinstance(data, dict) else {}
        if "tables" in named:
            text = "this is a policy of several tables, and the command supports only one table."
            raise PolicyError.at(
                "tables", text, "`anonsql guide relational` lists the commands for several tables."
            )
        if "statistics" in named:
            text = "this is a policy of statistics, and the command supports only released rows."
            raise PolicyError.at(
                "statistics",
                text,
                "`anonsql guide statistics-reference` lists the commands for statistics.",
            )
        return super().parse(data, folder, file)


Given = Policy | str | Path | Mapping[str, Any]
"""The ways to give a policy in Python."""


def _with_hierarchy(column: Any) -> Any:
    role = column.get("role") if isinstance(column, dict) else None
    is_quasi = isinstance(role, str) and ROLE_ALIASES.get(role, role) in GENERALIZED
    return {"hierarchy": {"type": "suppression"}, **column} if is_quasi else column


def parse_leniently(
    data: Any, folder: str | Path, file: Path | None = None
) -> tuple[Policy | None, list[Problem]]:
    """Return the policy without its wrong parts, and all problems, so that ``check`` can go on to
    the data.

    A wrong column is treated as insensitive, a wrong section as if it were left out. None when the
    rest is still not a valid policy.
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
    """Return whether one of ``places`` is ``path`` or is inside it."""
    return any(
        location == path or location.startswith((path + ".", path + "[")) for location in places
    )
