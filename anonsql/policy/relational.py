"""The policy of a relational release: several tables of one database that belong together, which of
them comes first, and a promise about the people of one of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Any

from pydantic import Field, model_validator

from anonsql.errors import FieldError, did_you_mean
from anonsql.policy.columns import ColumnPolicy
from anonsql.policy.envelope import Envelope
from anonsql.policy.measuring import Measuring
from anonsql.policy.methods import Method
from anonsql.policy.privacy import Privacy
from anonsql.policy.relational_tables import (
    RelationalPrivacy,
    RelationalRelease,
    RelationalSource,
    TablePolicy,
)
from anonsql.policy.release_parts import completed_beside, parts_beside
from anonsql.policy.table_plan import OneOfSeveral, TablePlan
from anonsql.privacy.suppression_limit import max_suppressed
from anonsql.system.scalars import Name

References = Mapping[str, Sequence[str]]
"""The tables that each table refers to."""


def circle(references: References) -> list[str]:
    """Return the tables of a circle of references, the first one twice; none without a circle."""
    try:
        TopologicalSorter(references).prepare()
    except CycleError as error:
        tables: list[str] = error.args[1]
        return tables
    return []


def order_of(references: References) -> list[str]:
    """Return the tables, each after those that it refers to, otherwise in the order given."""
    done: list[str] = []
    while len(done) < len(references):
        done += [
            name
            for name, others in references.items()
            if name not in done and all(other in done for other in others)
        ]
    return done


KEY = ColumnPolicy(role="identifying", replace="surrogate")
"""What keys and references are released as."""
PUBLIC = ColumnPolicy(role="insensitive")
REMOVED = "identifying (removed; with `replace: surrogate` it shows which rows have the same value)"
"""The role of a column that refers to people and is not followed."""


class RelationalPolicy(Envelope):
    """One job over several tables. Relative paths are relative to the folder of the policy file."""

    source: RelationalSource
    release: RelationalRelease
    tables: dict[Name, TablePolicy] = Field(min_length=1)
    privacy: RelationalPrivacy
    method: Method = Field({"type": "full-domain"}, validate_default=True)
    measure: Measuring = Measuring()

    @model_validator(mode="before")
    @classmethod
    def _without_other_promises(cls, data: Any) -> Any:
        RelationalPrivacy.require_known(data.get("privacy") if isinstance(data, dict) else None)
        return data

    @model_validator(mode="after")
    def _consistent(self) -> RelationalPolicy:
        self._require_method()
        people = self.tables.get(self.privacy.of)
        if people is None or people.public or people.left_out:
            raise FieldError(
                "privacy.of",
                f"{self.privacy.of!r} is not a table of people in `tables`"
                f" ({did_you_mean(self.privacy.of, self.personal) or 'see tables'})",
            )
        for name, table in self.tables.items():
            for column, other in table.references.items():
                self._require_reference(name, column, other)
        if texts := circle({name: self.parents(name) for name in self.personal}):
            raise FieldError(
                f"tables.{texts[0]}.references", f"they form a cycle: {' -> '.join(texts)}"
            )
        self._require_one_way()
        for name in self.source.columns:
            if not any(name.startswith(f"{table}.") for table in self.tables):
                text = "it does not begin with a table of `tables`: write it as `table.column`"
                raise FieldError(f"source.columns.{name}", text)
        self._require_limits()
        self._require_sensitive()
        self._require_names()
        self._require_levels()
        self.measure.require_fit(self.measurable)
        if not any(self.plan(name).quasi_identifiers for name in self.personal):
            raise FieldError(
                "tables", "no column is quasi-identifying, so there is nothing to anonymize"
            )
        return self

    def _require_method(self) -> None:
        if "tables" not in self.method.keeps:
            raise FieldError(
                "method.type",
                f"{self.method.type} works on one table only; several tables need full-domain",
            )
        for name in sorted(self.method.model_fields_set - {"type", "levels"}):
            raise FieldError(f"method.{name}", "this setting is for one table only: leave it out")

    def _require_reference(self, name: str, column: str, other: str) -> None:
        where = f"tables.{name}.references.{column}"
        if other == name:
            raise FieldError(where, f"the table refers to itself: make the column {REMOVED}")
        known = self.tables.get(other)
        if known is None or known.left_out:
            hint = did_you_mean(other, self.released) or "Add it, or give the column a role."
            raise FieldError(where, f"{other!r} is not a released table ({hint})")
        if self.tables[name].public and not known.public:
            raise FieldError(
                where,
                f"{name} is public and {other} is not, so the reference would identify people",
            )

    def _require_one_way(self) -> None:
        of = self.privacy.of
        for name in self.personal:
            parents = self.parents(name)
            where = f"tables.{name}.references"
            if name == of and parents:
                raise FieldError(
                    where,
                    f"the table of people refers to {parents[0]}, which is not public: name the"
                    " table that is about people in `privacy.of`",
                )
            if name != of and not parents:
                raise FieldError(
                    where,
                    f"no reference leads to {of}: name the column that holds the key of a table"
                    " that leads there, or write `public: true` if its rows are about no person",
                )
            if len(parents) > 1:
                references = self.tables[name].references.items()
                by = [column for column, other in references if other in parents]
                raise FieldError(
                    where,
                    f"{len(parents)} references lead to people, by {' and '.join(by)}: keep the"
                    f" one that shows whose row it is, and make the other column {REMOVED}",
                )

    def _require_limits(self) -> None:
        limits = self.privacy.suppression_limit
        for name in limits if isinstance(limits, Mapping) else ():
            if name not in self.personal:
                hint = did_you_mean(name, self.personal) or "see tables"
                raise FieldError(
                    f"privacy.suppression_limit.{name}",
                    f"there is no such table of people ({hint})",
                )
        if self.tables[self.privacy.of].max_rows is not None:
            raise FieldError(
                f"tables.{self.privacy.of}.max_rows",
                "every person has exactly one row of this table",
            )

    def _require_sensitive(self) -> None:
        for model, name, _ in self.privacy.by_column():
            where = f"privacy.{model}.{name}"
            if name not in self.personal_columns:
                hint = did_you_mean(name, self.personal_columns) or "see tables"
                raise FieldError(
                    where, f"there is no such table.column of people in `tables` ({hint})"
                )
            table, column = self.personal_columns[name]
            if (role := self.tables[table].columns[column].role) != "sensitive":
                raise FieldError(
                    where, f"{name!r} has the role {role}, and this model needs a sensitive column"
                )

    @property
    def personal_columns(self) -> dict[str, tuple[str, str]]:
        """The columns of tables about people that have a role, by `table.column`."""
        return {
            f"{name}.{column}": (name, column)
            for name in self.personal
            for column in self.tables[name].columns
        }

    @property
    def measurable(self) -> dict[str, ColumnPolicy]:
        """The columns that ``measure.target`` may name, by `table.column`."""
        return {
            name: self.tables[table].columns[column]
            for name, (table, column) in self.personal_columns.items()
        }

    def promised_of(self, name: str) -> Privacy:
        """Return the promise for the sensitive columns of a table, in the form of a policy of this
        table alone."""
        columns = self.tables[name].columns
        return self.privacy.of_columns({f"{name}.{column}": column for column in columns})

    @property
    def model_facts(self) -> dict[str, str]:
        """What a release states of each model, by model, released table and column. It contains no
        value of the source."""
        by_name = {}
        for model, name, settings in self.privacy.by_column():
            table, column = self.personal_columns[name]
            by_name[f"{model}.{self.released_name(table)}.{column}"] = settings.fact
        return by_name

    def _require_names(self) -> None:
        """Raise FieldError where two tables of the release would have one name: case does not
        count, in files."""
        seen: dict[str, str] = {}
        for name in self.released:
            for part in self.parts_of(name):
                if (other := seen.setdefault(part.lower(), name)) != name:
                    raise FieldError(
                        f"tables.{name}",
                        f"the release needs the name of one of {other} for a table of its own:"
                        " rename it in a view",
                    )

    @property
    def levels(self) -> Mapping[str, int]:
        """The levels to be published, by `table.column`, where the policy names them."""
        return getattr(self.method, "levels", None) or {}

    def at_levels(self, levels: Mapping[str, int]) -> RelationalPolicy:
        """Return the policy with the levels to be published, by `table.column`."""
        method = self.method.model_copy(update={"levels": dict(levels)})
        return self.model_copy(update={"method": method})

    def _require_levels(self) -> None:
        columns = {
            f"{name}.{column}": settings
            for name in self.personal
            for column, settings in self.plan(name).quasi_identifiers.items()
        }
        self.method.require_levels(columns)

    @property
    def released(self) -> list[str]:
        """The tables that are released, in the policy's order."""
        return [name for name, table in self.tables.items() if not table.left_out]

    @property
    def people_first(self) -> list[str]:
        """The tables that are released, that of people first."""
        return sorted(self.released, key=lambda name: name != self.privacy.of)

    @property
    def personal(self) -> list[str]:
        """The released tables that are about people."""
        return [name for name in self.released if not self.tables[name].public]

    def linked(self, name: str) -> list[str]:
        """Return the columns of a table that are keys or references, and no columns of its own."""
        return [str(self.tables[name].key), *self.tables[name].references]

    def surrogates(self, name: str) -> list[str]:
        """Return the columns of a table that are replaced by surrogates of their own."""
        columns = self.tables[name].columns.items()
        return [column for column, text in columns if text.replace == "surrogate"]

    def parents(self, name: str) -> list[str]:
        """Return the tables of people that a table refers to."""
        return [
            other
            for other in self.tables[name].references.values()
            if not self.tables[other].public
        ]

    @property
    def ordered(self) -> list[str]:
        """The tables about people, each after the table that it refers to: people first."""
        return order_of({name: self.parents(name) for name in self.personal})

    def to_people(self, name: str) -> tuple[str, str]:
        """Return the column by which a table refers to people, directly or through others, and the
        table that it refers to."""
        references = self.tables[name].references.items()
        return next((column, other) for column, other in references if other in self.personal)

    def capped(self, name: str) -> bool:
        """Return whether rows of a table of people may be left out by ``max_rows``, of their own or
        of a table that they refer to."""
        if self.tables[name].max_rows is not None:
            return True
        return name != self.privacy.of and self.capped(self.to_people(name)[1])

    @property
    def depths(self) -> dict[int, int]:
        """How many references lead from each table to people, by its number: its place, from 1, in
        :attr:`ordered`."""
        depths: dict[str, int] = {}
        for name in self.ordered:
            depths[name] = 0 if name == self.privacy.of else depths[self.to_people(name)[1]] + 1
        return dict(enumerate(depths.values(), start=1))

    def limit(self, name: str) -> float:
        """Return the greatest share of a table's rows that may be suppressed by themselves."""
        limits = self.privacy.suppression_limit
        if isinstance(limits, Mapping):
            return limits.get(name, 0.0)
        return limits if name == self.privacy.of else 0.0

    def most(self, name: str, rows: int) -> int:
        """Return how many of a table's ``rows`` may be suppressed, exact for a decimal limit."""
        return max_suppressed(self.limit(name), rows)

    def source_name(self, name: str) -> str:
        """Return a table's name in the database of the source, with its schema."""
        schema = self.source.db_schema
        return name if schema is None or "." in name else f"{schema}.{name}"

    def released_name(self, name: str) -> str:
        """Return a table's name in the release, without a schema: a source's schema is not the
        release's."""
        return name.rpartition(".")[2]

    def released_references(self, name: str) -> dict[str, str]:
        """Return the released tables that a table's columns refer to, by column."""
        references = self.tables[name].references
        return {column: self.released_name(other) for column, other in references.items()}

    def measured(self, name: str) -> Measuring:
        """Return the settings of ``measure`` for a table: the target is another's or its own."""
        table, column = self.personal_columns.get(self.measure.target or "", ("", ""))
        return self.measure.model_copy(update={"target": column if table == name else None})

    def plan(self, name: str, beside: tuple[str, ...] = ()) -> OneOfSeveral:
        """Return the plan for the rows of one table. Its key and references are identifying columns
        with surrogates. Public tables have the named columns."""
        table = self.tables[name]
        keys = {str(table.key): PUBLIC if table.public else KEY}
        for column, other in table.references.items():
            keys[column] = PUBLIC if self.tables[other].public else KEY
        return OneOfSeveral(
            self.source.of_table(name, self.source_name(name)),
            self.release.of_table(
                self.released_name(name),
                bounds=self.release.bounds,
                completed=0 if table.public else self.release.completed,
            ),
            {**keys, **table.columns},
            Privacy(k=self.privacy.k, suppression_limit=self.limit(name)),
            self.method,
            self.engine,
            self.measured(name),
            self.catalog,
            self.origin,
            f"{name}.",
            beside,
        )

    @property
    def planned(self) -> dict[str, OneOfSeveral]:
        """The plans of the released tables, by name."""
        return {name: self.plan(name) for name in self.released}

    @property
    def pattern_plans(self) -> Mapping[str, TablePlan]:
        """The released tables, by name: see :attr:`Envelope.pattern_plans`."""
        return self.planned

    @property
    def first(self) -> OneOfSeveral:
        """The plan of the table of people; all other tables are published next to its release."""
        others = [name for name in self.released if name != self.privacy.of]
        beside = tuple(part for name in others for part in self.parts_of(name))
        return self.plan(self.privacy.of, beside)

    def has_completed(self, name: str) -> bool:
        """Return whether a table has a completed table: public ones have nothing to draw."""
        return bool(self.release.completed) and not self.tables[name].public

    def parts_of(self, name: str) -> tuple[str, ...]:
        """Return the parts of the release that a table consists of, where it is not the table of
        people."""
        released = self.released_name(name)
        completed = (completed_beside(released),) if self.has_completed(name) else ()
        return (*parts_beside(released), *completed)

    @property
    def other_completed(self) -> list[str]:
        """The released tables with a completed table, except the table of people."""
        others = [name for name in self.released if name != self.privacy.of]
        return [self.released_name(name) for name in others if self.has_completed(name)]
