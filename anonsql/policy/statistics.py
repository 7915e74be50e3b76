"""The policy of published statistics: tables of counts and sums, and how small cells are
protected."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from typing import Annotated, Any, Literal

from pydantic import (
    Discriminator,
    Field,
    Tag,
    model_validator,
)

from anonsql.errors import FieldError, did_you_mean
from anonsql.grammar.forms import Looks
from anonsql.policy.columns import ColumnPolicy
from anonsql.policy.envelope import Envelope, PolicyModel, ReleaseOfSeveral
from anonsql.policy.hierarchy import Hierarchy, SuppressionHierarchy
from anonsql.policy.noise import Noise, require_noise
from anonsql.policy.release_parts import parts_beside
from anonsql.policy.source import Source
from anonsql.policy.table_columns import StatisticsColumns
from anonsql.policy.waivers import Waiver, require_waivers, waived_promise
from anonsql.policy.zeros import require_zeros, zeros_promise
from anonsql.system.scalars import Text, plain

NO_TABLE_NAME = r"[/\\\x00-\x1f]|^\.|__|^\s|\s$"
"""What names of tables do not have: they are files of a folder, and `__` begins their parts."""


class Dimension(PolicyModel):
    """One column that tables are made by."""

    hierarchy: Hierarchy = Field(
        SuppressionHierarchy(type="suppression"),
        description="the levels of the tables; left out: its values, and their total",
    )


class CountOf(PolicyModel):
    """How many different people there are."""

    count: Text = Field(description="the column that names them: `protect.entity`")


class SumOf(PolicyModel):
    """The sum of a column of numbers."""

    sum: Text = Field(description="the column; NULL adds nothing")
    decimals: int | None = Field(
        None,
        ge=0,
        le=9,
        description=(
            "digits after the point that values are rounded to before they are added; the column's"
            " own when left out, and 2 of floating-point numbers"
        ),
    )


class RatioOf(PolicyModel):
    """One published measure divided by another: a mean, or a rate."""

    ratio: Annotated[list[Text], Field(min_length=2, max_length=2)] = Field(
        description="the measure that is divided, and the divisor"
    )
    decimals: int = Field(4, ge=0, le=6, description="digits after the point")


class ShareOf(PolicyModel):
    """A published measure divided by its total, that of all dimensions."""

    share: Text = Field(description="the measure")
    decimals: int = Field(4, ge=0, le=6, description="digits after the point")

    @property
    def ratio(self) -> list[str]:
        """The measure, and that of the total."""
        return [self.share, self.share]


_KINDS = ("count", "sum", "ratio", "share")


def _kind_of_measure(data: Any) -> str | None:
    """Return the kind of a measure, read or not: ``rows``, or the one field that says it; None where
    none or several do."""
    if data == "count":
        return "rows"
    if isinstance(data, PolicyModel):
        return next(kind for kind in reversed(_KINDS) if hasattr(data, kind))
    kinds = [kind for kind in _KINDS if isinstance(data, dict) and kind in data]
    return kinds[0] if len(kinds) == 1 else None


Measure = Annotated[
    Annotated[Literal["count"], Tag("rows")]
    | Annotated[CountOf, Tag("count")]
    | Annotated[SumOf, Tag("sum")]
    | Annotated[RatioOf, Tag("ratio")]
    | Annotated[ShareOf, Tag("share")],
    Discriminator(
        _kind_of_measure,
        custom_error_type="no_measure",
        custom_error_message="Write `count` for rows, or one of `{count: column}` for people,"
        " `{sum: column}`, `{ratio: [measure, measure]}` for means and rates, `{share: measure}`",
    ),
]
"""What a table has in its cells: rows, people, a sum, or a ratio of these."""


class TableOf(PolicyModel):
    """One table."""

    by: list[Text] = Field(min_length=1, description="its dimensions")
    levels: dict[Text, Annotated[int, Field(ge=0)]] = Field(
        {}, description="the finest level of a dimension; 0, its values, when left out"
    )
    name: Text | None = Field(
        None, description="its name; its dimensions joined by `_` when left out"
    )
    zeros: Literal["publish"] | None = Field(
        None,
        description="with `protect.zeros: protect`: leave the empty cells of this table out",
    )

    @property
    def table(self) -> str:
        """The table's name."""
        return self.name or "_".join(self.by)


class Statistics(PolicyModel):
    """Which tables are made, of what."""

    by: dict[Text, Dimension] = Field(min_length=1, description="the dimensions, by column")
    of: dict[Text, Measure] = Field(
        min_length=1,
        description=(
            "the measures: `count` of rows, `{count: column}` of people, `{sum: column}`; and"
            " `{ratio: [measure, measure]}` and `{share: measure}` of these, which come last"
        ),
    )
    tables: list[TableOf] = Field(
        min_length=1, description="each a list of dimensions, or `{by, levels, name, zeros}`"
    )

    @model_validator(mode="before")
    @classmethod
    def _spelled_out(cls, data: Any) -> Any:
        """Return the settings with every table as a mapping, and ratios after other measures."""
        if isinstance(data, dict) and isinstance(data.get("tables"), list):
            tables = [
                {"by": entry} if isinstance(entry, list) else entry for entry in data["tables"]
            ]
            data = {**data, "tables": tables}
        if isinstance(data, dict) and isinstance(data.get("of"), dict):
            ratios = [of for of in data["of"].values() if isinstance(of, dict)]
            ratios = [of for of in ratios if {"ratio", "share"} & of.keys()]
            last = sorted(data["of"].items(), key=lambda entry: entry[1] in ratios)
            data = {**data, "of": dict(last)}
        return data


class Dominance(PolicyModel):
    """The (n, k) rule: the n largest contributors of a cell may have a share k of its sum at most."""

    n: int = Field(ge=1, le=10, description="the largest contributors")
    share: float = Field(gt=0, lt=1, description="the share of the sum that they may have at most")


class CellKey(PolicyModel):
    """Noise by cell keys: the same people have the same noise in every table, run and engine."""

    variance: Annotated[Decimal, Field(gt=0, le=10_000)] = Field(
        Decimal(2), description="of the noise of counts"
    )
    largest: int = Field(5, ge=1, le=1000, description="deviation of counts")
    least: int = Field(
        3,
        ge=1,
        le=1000,
        description="no count is published from 1 to below it: it becomes 0 or more",
    )
    deviation: Annotated[Decimal, Field(gt=0, le=1)] = Field(
        Decimal("0.2"),
        description="standard deviation of the noise of sums, as a share of the largest contribution",
    )
    greatest: Annotated[Decimal, Field(gt=0, le=Decimal("0.66"))] = Field(
        Decimal("0.5"), description="largest noise of sums, as a share of the largest contribution"
    )


class Rounding(PolicyModel):
    """Values as multiples of a base, one of the two beside them."""

    base: int = Field(5, ge=2, le=10**9, description="of counts")
    bases: dict[Text, Annotated[int, Field(ge=2, le=10**12)]] = Field(
        {}, description="of sums, in whole units of the measure; each sum needs one"
    )
    controlled: bool = Field(
        True,
        description=(
            "where tables are small enough, choose multiples so that totals are the sums of their"
            " parts; else every value is rounded by its cell's key"
        ),
    )


class Protect(PolicyModel):
    """Who is protected, which cells may not be published, and how."""

    entity: Text | None = Field(
        None, description="the column that names people; every row is one when left out"
    )
    threshold: int | None = Field(
        None, ge=2, description="a cell with fewer people is not published"
    )
    uncertain: Literal["threshold", "double"] = Field(
        "threshold",
        description=(
            "with suppression: how large a hidden count of fewer people must still be able to be: the"
            " threshold; or double: twice its value"
        ),
    )
    dominance: Dominance | None = Field(
        None, description="of sums: the largest contributors may not have more than a share"
    )
    p_percent: float | None = Field(
        None,
        gt=0,
        lt=1,
        description=(
            "of sums: the second largest contributor cannot estimate the largest contribution to within"
            " this share of it"
        ),
    )
    by: Literal["suppression", "cell-key", "rounding", "noise"] = Field(
        "suppression",
        description=(
            "suppression: hide cells, and others from which they could be computed; cell-key: change"
            " all values by noise that the people in a cell determine; rounding: publish multiples"
            " of a base;"
            " noise: differential privacy"
        ),
    )
    zeros: Literal["publish", "protect"] = Field(
        "publish",
        description=(
            "with suppression: publish: an empty cell is left out, which reveals that it is empty;"
            " protect: it is a hidden row like a cell of few people"
        ),
    )
    over_time: Literal["added"] | None = Field(
        None,
        description=(
            "with suppression: the source only gains rows, and tables are published again and again:"
            " they are audited together with earlier ones, and small differences count as cells of"
            " few people"
        ),
    )
    cell_key: CellKey = CellKey()
    rounding: Rounding = Rounding()
    noise: Noise | None = Field(
        None, description="with noise: what differential privacy is asked for"
    )
    cost: Literal["people", "cells", "value"] = Field(
        "people", description="what hiding a cell loses: its people, 1, or its amount"
    )
    keep: list[Text] = Field(
        [], description="tables whose cells are hidden last, the most wanted first"
    )
    publish: list[Waiver] = Field(
        [], description="cells that are published although a rule forbids it, each with its reason"
    )

    @property
    def of_sums(self) -> bool:
        """Whether there is a rule about the contributors of sums."""
        return self.dominance is not None or self.p_percent is not None

    @property
    def changes(self) -> bool:
        """Whether values are changed in place of being hidden."""
        return self.by != "suppression"

    @property
    def keyed(self) -> bool:
        """Whether values are changed by the keys of people."""
        return self.by in ("cell-key", "rounding")

    @property
    def status(self) -> str:
        """The status of cells that are shown."""
        return "changed" if self.changes else "published"

    @property
    def contributors(self) -> int:
        """Of how many of the largest contributors the amounts are added: those of the dominance
        rule. The two largest ones are looked at by themselves wherever there are any."""
        if self.dominance is not None:
            return self.dominance.n
        return 2 if self.p_percent is not None else 0


class StatisticsRelease(ReleaseOfSeveral):
    """Where the tables go."""

    @model_validator(mode="after")
    def _no_single_file(self) -> StatisticsRelease:
        if self.file is not None and self.file.lower().endswith((".csv", ".parquet")):
            raise FieldError(
                "file", "a single file holds no tables: name a folder of Parquet files"
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
        """Raise FieldError where a table is made by what is no dimension."""
        known = self.statistics.by
        for number, table in enumerate(self.statistics.tables):
            where = f"statistics.tables[{number}]"
            for name in (*table.by, *table.levels):
                if name not in known:
                    hint = did_you_mean(name, known) or "see statistics.by"
                    raise FieldError(where, f"{name!r} is no dimension ({hint})")
            if twice := {name for name in table.by if table.by.count(name) > 1}:
                raise FieldError(where, f"it has {', '.join(sorted(twice))} twice")
            if other := sorted(table.levels.keys() - set(table.by)):
                raise FieldError(f"{where}.levels", f"it is not made by {', '.join(other)}")
        used = {name for table in self.statistics.tables for name in table.by}
        if unused := sorted(known.keys() - used):
            raise FieldError(
                f"statistics.by.{unused[0]}", "no table is made by it: add one, or leave it out"
            )

    def _require_measures(self) -> None:
        """Raise FieldError where people are counted by another column than the entity, and where
        a ratio is of no other measure."""
        for name, ratio in self.ratios.items():
            field = "share" if isinstance(ratio, ShareOf) else "ratio"
            for part in ratio.ratio:
                if part not in self.measures:
                    hint = did_you_mean(part, self.measures) or "see statistics.of"
                    text = f"{part!r} is no count or sum among the measures ({hint})"
                    raise FieldError(f"statistics.of.{name}.{field}", text)
        for name, measure in self.measures.items():
            if isinstance(measure, CountOf) and measure.count != self.protect.entity:
                raise FieldError(
                    f"statistics.of.{name}.count",
                    f"it counts people by {measure.count!r}, and protect.entity is"
                    f" {self.protect.entity or 'left out'}: name the column of people in both. Rows"
                    " are counted by `count`, and amounts added by `{sum: column}`",
                )
            if isinstance(measure, SumOf) and self.protect.by != "noise":
                self._require_unlabelled(name, measure)

    def _require_unlabelled(self, name: str, measure: SumOf) -> None:
        """Raise FieldError where a table shows the very values that a sum adds as labels: there the
        sum is the count times the label, and either tells the other."""
        for table in self.statistics.tables:
            if measure.sum in table.by and table.levels.get(measure.sum, 0) == 0:
                raise FieldError(
                    f"statistics.of.{name}.sum",
                    f"{table.table} has the values of {measure.sum!r} as labels, so that the sum is"
                    " the count times the label, and either tells the other: begin it at a higher"
                    f" level with groups (`levels: {{{measure.sum}: 1}}`), or leave the sum out",
                )

    def _require_names(self) -> None:
        """Raise FieldError where two tables, or two columns, would have one name."""
        tables: dict[str, int] = {}
        for number, table in enumerate(self.statistics.tables):
            where = f"statistics.tables[{number}]"
            if re.search(NO_TABLE_NAME, table.table):
                text = (
                    f"{table.table!r} is no name of a table: `__`, `/`, `\\` and line breaks cannot be"
                    " in it, nor a blank at its ends"
                )
                raise FieldError(where, f"{text}; give it a `name`")
            for name in ("", "__about", "__columns"):
                other = tables.setdefault(f"{table.table}{name}".lower(), number)
                if other != number:
                    raise FieldError(
                        where,
                        f"table {other + 1} has the name {table.table!r} too: give it another",
                    )
            names = [part for name in table.by for part in (name, f"{name}_level")]
            names += [part for name in self.statistics.of for part in (name, f"{name}_status")]
            seen = set()
            for name in names:
                if name.lower() in seen:
                    raise FieldError(
                        "statistics.of",
                        f"{table.table} would have two columns {name!r}: rename a measure, or a"
                        " dimension in a view",
                    )
                seen.add(name.lower())
        for name in self.protect.keep:
            if name not in self.tables:
                hint = did_you_mean(name, self.tables) or "see statistics.tables"
                raise FieldError("protect.keep", f"{name!r} is no table ({hint})")

    def _require_rules(self) -> None:
        """Raise FieldError where nothing is protected, or rules have nothing to be about."""
        protect = self.protect
        for name, by in (
            ("cell_key", "cell-key"),
            ("rounding", "rounding"),
            ("noise", "noise"),
        ):
            if name in protect.model_fields_set and protect.by != by:
                raise FieldError(f"protect.{name}", f"it goes with `by: {by}`")
        require_zeros(self)
        require_waivers(self)
        if protect.changes:
            self._require_changed()
            return
        if protect.threshold is None and not protect.of_sums:
            raise FieldError(
                "protect", "no rule says which cells must be hidden: give a `threshold`"
            )
        if "uncertain" in protect.model_fields_set and protect.threshold is None:
            raise FieldError("protect.uncertain", "it needs a `threshold`")
        if protect.over_time is not None and protect.threshold is None:
            text = "it needs a `threshold`, which says how many are few that came in between"
            raise FieldError("protect.over_time", text)
        if protect.of_sums and not any(map(is_sum, self.statistics.of.values())):
            name = "dominance" if protect.dominance else "p_percent"
            raise FieldError(f"protect.{name}", "it is about sums, and no measure is one")

    def _require_changed(self) -> None:
        """Raise FieldError where a policy does not fit that changes values in place of hiding
        them."""
        protect = self.protect
        if protect.over_time is not None:
            raise FieldError("protect.over_time", "it goes with `by: suppression`")
        for name in ("dominance", "p_percent"):
            if getattr(protect, name) is not None:
                raise FieldError(
                    f"protect.{name}",
                    f"it says which cells are hidden, and {protect.by} hides none"
                    " by the contributors of sums: leave it out",
                )
        for name in ("cost", "keep", "uncertain"):
            if name in protect.model_fields_set:
                raise FieldError(f"protect.{name}", "it goes with `by: suppression`")
        if protect.entity is None:
            raise FieldError(
                "protect.entity",
                f"this field is missing: {protect.by} needs the column that names people",
            )
        if protect.by == "noise":
            require_noise(self)
        if protect.by == "rounding":
            bases = protect.rounding.bases
            for name in self.sums:
                if name not in bases:
                    raise FieldError("protect.rounding.bases", f"the sum {name!r} needs a base")
            if unknown := sorted(bases.keys() - self.sums.keys()):
                raise FieldError(f"protect.rounding.bases.{unknown[0]}", "no measure is such a sum")

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
            facts["earlier_releases"] = "audited together: the source only gains rows"
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
        """Return what one table states of its promise."""
        return {**self.facts, **({"zeros": "protected"} if name in self.zeros else {})}

    def looks(self, name: str) -> Looks:
        """Return what a measure counts."""
        measure = self.statistics.of[name]
        if isinstance(measure, RatioOf):
            return Looks("ratio", f"{measure.ratio[0]} divided by {measure.ratio[1]}")
        if isinstance(measure, ShareOf):
            return Looks("share", f"{measure.share} divided by its total, of all dimensions")
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
    """Return what the tables promise, in a sentence."""
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
            f"no sum of which the {largest} more than {protect.dominance.share:.0%} is published"
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
