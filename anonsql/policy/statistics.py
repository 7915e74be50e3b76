"""The policy of published statistics: tables of counts and sums, and how small cells are
protected."""

from __future__ import annotations

import json
import re
from typing import Literal

from pydantic import (
    model_validator,
)

from anonsql.errors import FieldError, did_you_mean
from anonsql.grammar.forms import Looks
from anonsql.policy.columns import ColumnPolicy
from anonsql.policy.envelope import Envelope, ReleaseOfSeveral
from anonsql.policy.noise import require_noise
from anonsql.policy.protect import (
    Protect,
    require_waivers,
    require_zeros,
    waived_promise,
    zeros_promise,
)
from anonsql.policy.release_parts import parts_beside
from anonsql.policy.source import Source
from anonsql.policy.statistics_tables import (
    CountOf,
    Measure,
    RatioOf,
    ShareOf,
    Statistics,
    SumOf,
    TableOf,
)
from anonsql.policy.table_columns import StatisticsColumns
from anonsql.system.scalars import plain

NO_TABLE_NAME = r"[/\\\x00-\x1f]|^\.|__|^\s|\s$"
"""What names of tables do not have: they are files of a folder, and `__` begins their parts."""


class StatisticsRelease(ReleaseOfSeveral):
    """Where the tables go."""

    @model_validator(mode="after")
    def _no_single_file(self) -> StatisticsRelease:
        if self.file is not None and self.file.lower().endswith((".csv", ".parquet")):
            raise FieldError(
                "file", "a single file cannot hold tables: name a folder of Parquet files"
            )
        return self


class StatisticsPolicy(Envelope):
    """One job that publishes statistics. Relative paths are relative to the folder of the policy
    file."""

    source: Source
    release: StatisticsRelease
    statistics: Statistics
    protect: Protect

    @model_validator(mode="after")
    def _consistent(self) -> StatisticsPolicy:
        self._require_dimensions()
        self._require_measures()
        self._require_names()
        self._require_rules()
        return self

    def _require_dimensions(self) -> None:
        known = self.statistics.by
        for number, table in enumerate(self.statistics.tables):
            where = f"statistics.tables[{number}]"
            for name in (*table.by, *table.levels):
                if name not in known:
                    hint = did_you_mean(name, known) or "see statistics.by"
                    raise FieldError(where, f"{name!r} is not a dimension ({hint})")
            if twice := {name for name in table.by if table.by.count(name) > 1}:
                raise FieldError(where, f"it contains {', '.join(sorted(twice))} twice")
            if other := sorted(table.levels.keys() - set(table.by)):
                raise FieldError(
                    f"{where}.levels", f"it does not split the table by {', '.join(other)}"
                )
        used = {name for table in self.statistics.tables for name in table.by}
        if unused := sorted(known.keys() - used):
            raise FieldError(
                f"statistics.by.{unused[0]}", "no table uses it: add one, or leave it out"
            )

    def _require_measures(self) -> None:
        """Raise FieldError where people are counted by another column than the entity, and where
        a ratio is of no other measure."""
        for name, ratio in self.ratios.items():
            field = "share" if isinstance(ratio, ShareOf) else "ratio"
            for part in ratio.ratio:
                if part not in self.measures:
                    hint = did_you_mean(part, self.measures) or "see statistics.of"
                    text = f"{part!r} is not a count or sum among the measures ({hint})"
                    raise FieldError(f"statistics.of.{name}.{field}", text)
        for name, measure in self.measures.items():
            if isinstance(measure, CountOf) and measure.count != self.protect.entity:
                raise FieldError(
                    f"statistics.of.{name}.count",
                    f"it counts people by {measure.count!r}, and protect.entity is"
                    f" {self.protect.entity or 'left out'}: name the column that identifies people"
                    " in both. `count` counts rows, and `{sum: column}` adds amounts",
                )
            if isinstance(measure, SumOf) and self.protect.by != "noise":
                self._require_unlabelled(name, measure)

    def _require_unlabelled(self, name: str, measure: SumOf) -> None:
        """Raise FieldError if a table shows the values that a sum adds as labels: there the sum is
        the count times the label, and either can be computed from the other."""
        for table in self.statistics.tables:
            if measure.sum in table.by and table.levels.get(measure.sum, 0) == 0:
                raise FieldError(
                    f"statistics.of.{name}.sum",
                    f"{table.table} has the values of {measure.sum!r} as labels, so the sum is"
                    " the count times the label and each reveals the other: begin at a higher"
                    f" level with groups (`levels: {{{measure.sum}: 1}}`), or leave the sum out",
                )

    def _require_names(self) -> None:
        tables: dict[str, int] = {}
        for number, table in enumerate(self.statistics.tables):
            where = f"statistics.tables[{number}]"
            if re.search(NO_TABLE_NAME, table.table):
                text = (
                    f"{table.table!r} is not a valid table name: it must not contain `__`, `/`,"
                    " `\\` or line breaks, nor begin or end with a blank"
                )
                raise FieldError(where, f"{text}; give it a `name`")
            for name in ("", "__about", "__columns"):
                other = tables.setdefault(f"{table.table}{name}".lower(), number)
                if other != number:
                    raise FieldError(
                        where,
                        f"table {other + 1} also has the name {table.table!r}: choose another",
                    )
            names = [part for name in table.by for part in (name, f"{name}_level")]
            names += [part for name in self.statistics.of for part in (name, f"{name}_status")]
            seen = set()
            for name in names:
                if name.lower() in seen:
                    raise FieldError(
                        "statistics.of",
                        f"{table.table} would have two columns {name!r}: rename a measure, or"
                        " rename a dimension in a view",
                    )
                seen.add(name.lower())
        for name in self.protect.keep:
            if name not in self.tables:
                hint = did_you_mean(name, self.tables) or "see statistics.tables"
                raise FieldError("protect.keep", f"{name!r} is not a table ({hint})")

    def _require_rules(self) -> None:
        protect = self.protect
        for name, by in (
            ("cell_key", "cell-key"),
            ("rounding", "rounding"),
            ("noise", "noise"),
        ):
            if name in protect.model_fields_set and protect.by != by:
                raise FieldError(f"protect.{name}", f"it needs `by: {by}`")
        require_zeros(self)
        require_waivers(self)
        if protect.changes:
            self._require_changed()
            return
        if protect.threshold is None and not protect.of_sums:
            raise FieldError(
                "protect", "no rule decides which cells must be hidden: give a `threshold`"
            )
        if "uncertain" in protect.model_fields_set and protect.threshold is None:
            raise FieldError("protect.uncertain", "it needs a `threshold`")
        if protect.over_time is not None and protect.threshold is None:
            text = "it needs a `threshold`, below which a number of new people counts as few"
            raise FieldError("protect.over_time", text)
        if protect.of_sums and not any(map(is_sum, self.statistics.of.values())):
            name = "dominance" if protect.dominance else "p_percent"
            raise FieldError(f"protect.{name}", "it is about sums, and no measure is a sum")

    def _require_changed(self) -> None:
        """Raise FieldError where a policy does not fit that changes values in place of hiding
        them."""
        protect = self.protect
        if protect.over_time is not None:
            raise FieldError("protect.over_time", "it needs `by: suppression`")
        for name in ("dominance", "p_percent"):
            if getattr(protect, name) is not None:
                raise FieldError(
                    f"protect.{name}",
                    f"it decides which cells are hidden, and {protect.by} hides no cells because"
                    " of the contributors to sums: leave it out",
                )
        for name in ("cost", "keep", "uncertain"):
            if name in protect.model_fields_set:
                raise FieldError(f"protect.{name}", "it needs `by: suppression`")
        if protect.entity is None:
            raise FieldError(
                "protect.entity",
                f"this field is missing: {protect.by} needs the column that identifies people",
            )
        if protect.by == "noise":
            require_noise(self)
        if protect.by == "rounding":
            bases = protect.rounding.bases
            for name in self.sums:
                if name not in bases:
                    raise FieldError("protect.rounding.bases", f"the sum {name!r} needs a base")
            if unknown := sorted(bases.keys() - self.sums.keys()):
                raise FieldError(
                    f"protect.rounding.bases.{unknown[0]}", "no measure is a sum of this name"
                )

    @property
    def tables(self) -> dict[str, TableOf]:
        """The tables by their names, in the order of the policy."""
        return {table.table: table for table in self.statistics.tables}

    @property
    def zeros(self) -> list[str]:
        """The tables that hide which of their cells are empty."""
        if self.protect.zeros == "publish":
            return []
        return [name for name, table in self.tables.items() if table.zeros is None]

    @property
    def measures(self) -> dict[str, Literal["count"] | CountOf | SumOf]:
        """The measures that are counted, by name."""
        measures = self.statistics.of.items()
        return {name: of for name, of in measures if not isinstance(of, RatioOf | ShareOf)}

    @property
    def ratios(self) -> dict[str, RatioOf | ShareOf]:
        """The measures that follow from others, by name."""
        measures = self.statistics.of.items()
        return {name: of for name, of in measures if isinstance(of, RatioOf | ShareOf)}

    @property
    def sums(self) -> dict[str, SumOf]:
        """The measures that are sums, by name."""
        measures = self.statistics.of.items()
        return {name: measure for name, measure in measures if isinstance(measure, SumOf)}

    @property
    def facts(self) -> dict[str, object]:
        """What a release states of its promise."""
        protect = self.protect
        facts: dict[str, object] = {"promise": promise(self), "protected_by": protect.by}
        if protect.entity is not None:
            facts["entity"] = protect.entity
        if protect.threshold is not None:
            facts["threshold"] = protect.threshold
        if protect.uncertain != "threshold":
            facts["uncertain"] = protect.uncertain
        if protect.dominance is not None:
            facts["dominance"] = f"{protect.dominance.n} at most {protect.dominance.share:g}"
        if protect.p_percent is not None:
            facts["p_percent"] = f"{protect.p_percent:g}"
        if protect.over_time is not None:
            facts["earlier_releases"] = "audited together, because the source only gains rows"
        if protect.publish:
            waived = [waiver.model_dump(exclude_defaults=True) for waiver in protect.publish]
            facts["waived"] = json.dumps(waived, ensure_ascii=False)
        if protect.keyed:
            facts["drawn_by"] = "HMAC-SHA-256 of each cell's key"
        if protect.by == "cell-key":
            key = protect.cell_key
            facts |= {"variance": plain(key.variance), "largest": key.largest, "least": key.least}
            if self.sums:
                facts |= {"deviation": plain(key.deviation), "greatest": plain(key.greatest)}
        if protect.by == "rounding":
            facts["base"] = protect.rounding.base
            facts |= {f"base.{name}": base for name, base in protect.rounding.bases.items()}
        if protect.noise is not None:
            facts |= protect.noise.facts
        return facts

    def facts_of(self, name: str) -> dict[str, object]:
        """Return the facts of one table about its promise."""
        return {**self.facts, **({"zeros": "protected"} if name in self.zeros else {})}

    def looks(self, name: str) -> Looks:
        """Return the unit of a measure."""
        measure = self.statistics.of[name]
        if isinstance(measure, RatioOf):
            return Looks("ratio", f"{measure.ratio[0]} divided by {measure.ratio[1]}")
        if isinstance(measure, ShareOf):
            return Looks("share", f"{measure.share} divided by its total over all dimensions")
        if isinstance(measure, CountOf):
            return Looks("people", "number of people")
        if isinstance(measure, SumOf):
            return Looks("sum", f"sum of {measure.sum}")
        return Looks("rows", "number of rows")

    @property
    def needed(self) -> dict[str, str]:
        """The columns of the source that the tables are made of, each with its place in the
        policy."""
        needed = {name: f"statistics.by.{name}" for name in self.statistics.by}
        for name, measure in self.sums.items():
            needed.setdefault(measure.sum, f"statistics.of.{name}.sum")
        if self.protect.entity is not None:
            needed.setdefault(self.protect.entity, "protect.entity")
        return needed

    @property
    def first(self) -> StatisticsColumns:
        """The columns that the tables are made of, which are released with the first table: its
        dimensions are quasi-identifying columns with their hierarchies."""
        by_name = {
            name: ColumnPolicy(role="quasi-identifying", hierarchy=dimension.hierarchy)
            for name, dimension in self.statistics.by.items()
        }
        others = {
            name: ColumnPolicy(role="insensitive") for name in self.needed if name not in by_name
        }
        table, *beside = self.tables
        return StatisticsColumns(
            self.source,
            self.release.of_table(table, bounds=False, completed=0),
            {**by_name, **others},
            self.catalog,
            self.origin,
            tuple(part for name in beside for part in parts_beside(name)),
        )

    @property
    def planned(self) -> dict[str, StatisticsColumns]:
        """The columns that all tables are made of: see :attr:`first`."""
        return {"": self.first}


def is_sum(measure: Measure) -> bool:
    """Return whether a measure is a sum."""
    return isinstance(measure, SumOf)


def promise(policy: StatisticsPolicy) -> str:
    """Return the promise of the tables, in a sentence."""
    protect, said = policy.protect, []
    who = "people" if protect.entity is not None else "rows"
    if protect.noise is not None:
        return protect.noise.promise
    if protect.changes:
        how = "changed by noise" if protect.by == "cell-key" else "rounded to multiples of a base"
        few = f", and counts below {protect.threshold} are hidden" if protect.threshold else ""
        return f"all values are {how}, the same for the same {who} in every table{few}"
    if protect.threshold is not None:
        said.append(
            f"no cell with fewer than {protect.threshold} {who}{zeros_promise(policy)} is published"
        )
    if protect.dominance is not None:
        n = protect.dominance.n
        largest = "largest contributor has" if n == 1 else f"{n} largest contributors have"
        said.append(
            f"no sum is published of which the {largest} more than {protect.dominance.share:.0%}"
        )
    if protect.p_percent is not None:
        said.append(
            "no sum is published from which a contributor can estimate the largest contribution to"
            f" within {protect.p_percent:.0%}"
        )
    double = ""
    if protect.uncertain == "double":
        double = (
            " and no hidden count can be bounded below twice its value (readers may learn that it is"
            f" below {protect.threshold}),"
        )
    return (
        f"{waived_promise(policy)}{'; '.join(said)}; no such cell can be computed from published"
        f" ones, or estimated more closely than that,{double} under the assumptions in `anonsql"
        " guide statistics-assumptions`"
    )
