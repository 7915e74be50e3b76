"""Dimension tables: plan each attribute's hierarchy from the policy, and build its dimension table
in the engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from anonsql.engines.base import ORDERED, Column, Engine
from anonsql.errors import PolicyError
from anonsql.grammar.forms import AS_IT_IS, Looks
from anonsql.hierarchies import breaks
from anonsql.hierarchies.bounds_types import bounds_type as bounds_type_of
from anonsql.hierarchies.leaf_tables import LeafTables, Leaves, Listed
from anonsql.hierarchies.lint import RULES
from anonsql.policy.columns import ColumnPolicy
from anonsql.policy.hierarchy import (
    MAX_LEVELS,
    OTHER,
    TOP,
    BreaksHierarchy,
    DateHierarchy,
    FileHierarchy,
    Icd10Hierarchy,
    IntervalHierarchy,
    MaskHierarchy,
    OrderHierarchy,
    SpelledTaxonomy,
    TaxonomyHierarchy,
    UsZipHierarchy,
)
from anonsql.policy.resolved import KEYED, keyed_levels, keyed_shape, keys_of
from anonsql.policy.table_columns import TableColumns

ReadLeaves = Callable[[int, Column, Listed, str, Callable[[str], Path]], Leaves]
"""Reads a hierarchy that is given leaf by leaf: its index, column, settings, and location in the
policy, and what finds the files that the policy names."""
_ROUNDED_SCALE = 12  # digits after the point to which doubles and unbounded decimals are rounded:
# twice as many as a width may have
_DIGITS = 34  # of the decimals that intervals are computed with: Spark has 38, and a sum takes one


@dataclass(frozen=True)
class Attribute:
    """A quasi-identifying column with its hierarchy, as all later stages and templates see it.

    ``index`` counts from 1 in policy order. ``height`` is the top level. ``levels`` describes the
    labels of each level, in words that name no value. ``nulls`` counts the rows in which the column
    is NULL; ``null_labels`` are NULL's labels from level 0 to the top, where the data or the
    hierarchy has NULL. ``bounds_type`` is the type of the bounds columns of an ordered attribute,
    None where there are none.

    A dimension table is made by its ``template`` with its ``parameters``. ``leaves`` counts those
    of a hierarchy that a file or the policy lists, and that has a table ``leaves_<index>``; it is 0
    for all others. ``has_null`` is whether NULL is listed besides; ``rows`` are labels and places
    of the leaves for statements that spell them out.
    """

    index: int
    name: str
    column: Column
    policy: ColumnPolicy
    template: str
    height: int
    levels: tuple[str, ...]
    top: str = TOP
    nulls: int = 0
    null_labels: tuple[str | None, ...] | None = None
    bounds_type: str | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    leaves: int = 0
    rows: Sequence[Sequence[str | int]] = field(default=(), repr=False, compare=False)
    has_null: bool = False

    def looks(self, level: int) -> Looks:
        """Return the looks of a level's labels."""
        if level == 0:
            return AS_IT_IS
        text = self.levels[level]
        return Looks("star" if level == self.height and text == TOP else self._form, text)

    @property
    def _form(self) -> str:
        if self.template in ("hierarchies/interval", "hierarchies/breaks"):
            return "interval"
        if self.template == "hierarchies/mask":
            return f"mask-{self.parameters['start']}"
        return "level"

    @property
    def merges(self) -> bool:
        """Whether several values may have the same label of level 0."""
        return bool(self.parameters.get("spellings")) or self.template == "hierarchies/keyed"

    @property
    def min_level(self) -> int:
        """The least level that may be released."""
        return self.policy.min_level or 0

    @property
    def max_level(self) -> int:
        """The greatest level that may be released."""
        return self.height if self.policy.max_level is None else self.policy.max_level

    @property
    def cast(self) -> str | None:
        """The type that statements cast values to, where it is not the column's own."""
        return self.column.cast

    @property
    def sorts(self) -> bool:
        """Whether the column's values have an order that is the same on every engine."""
        return self.column.kind in ORDERED

    @property
    def where(self) -> str:
        """The attribute's place in the policy."""
        return f"columns.{self.name}"


def require_generalizable(column: Column) -> None:
    """Raise PolicyError unless values of a column can be compared, and so generalized."""
    if column.kind == "other":
        raise PolicyError.at(
            f"columns.{column.name}",
            f"a column of type {column.family} cannot be generalized.",
            "Cast it to text, a number or a date in a view, or choose another role.",
        )


def plan(
    index: int, column: Column, policy: TableColumns, nulls: int, leaves_of: ReadLeaves
) -> Attribute:
    """Return the attribute of a quasi-identifying column; ``leaves_of`` reads a hierarchy that is
    given leaf by leaf. Raise PolicyError when the hierarchy does not fit the column."""
    settings = policy.columns[column.name]
    where = f"columns.{column.name}"
    require_generalizable(column)
    spec = policy.hierarchy(column.name, ordered=column.kind in ORDERED)
    if isinstance(spec, (FileHierarchy, OrderHierarchy, TaxonomyHierarchy)):
        leaves = leaves_of(index, column, spec, f"{where}.hierarchy", policy.path)
        shape = _tree(column, leaves, f"{where}.hierarchy")
        spellings = spec.spellings.items() if isinstance(spec, SpelledTaxonomy) else ()
        shape["parameters"] = {"spellings": list(spellings), "other": OTHER}
    else:
        shape = _shape(column, spec, f"{where}.hierarchy")
    height = len(shape["levels"]) - 1
    if height > MAX_LEVELS:
        text = f"the hierarchy has {height} levels above its values, and the limit is {MAX_LEVELS}."
        raise PolicyError.at(f"{where}.hierarchy", text, "Remove levels.")
    for name in ("min_level", "max_level"):
        level = getattr(settings, name)
        if level is not None and level > height:
            raise PolicyError.at(
                f"{where}.{name}",
                f"{level} is above the hierarchy's top level, {height}.",
                "Lower it.",
            )
    if (nulls or policy.hides_null) and shape.get("null_labels") is None:
        # with differential privacy whether the source has NULL may not show, in bounds or losses
        shape["null_labels"] = (None,) * height + (shape.get("top", TOP),)
    if not policy.release.bounds:
        shape["bounds_type"] = None
    return Attribute(index, column.name, column, settings, height=height, nulls=nulls, **shape)


def _shape(column: Column, spec: Any, where: str) -> dict[str, Any]:
    """Return the fields of an Attribute that its hierarchy determines. ``spec`` is the hierarchy as
    the policy describes it, at the location ``where``; its leaves are those of the data."""
    if isinstance(spec, IntervalHierarchy):
        return _interval(column, spec, where)
    if isinstance(spec, MaskHierarchy):
        return _mask(column, spec, where)
    if isinstance(spec, DateHierarchy):
        return _date(column, spec, where)
    if isinstance(spec, BreaksHierarchy):
        return breaks.shape(column, spec, where)
    if isinstance(spec, KEYED):
        return _keyed(column, spec, where)
    bounds_type = bounds_type_of(column, column.scale) if column.kind in ORDERED else None
    return {
        "template": "hierarchies/suppression",
        "levels": ("as it is", "*"),
        "bounds_type": bounds_type,
    }


def _tree(column: Column, leaves: Leaves, where: str) -> dict[str, Any]:
    height, top, nulls = leaves.levels - 1, "", leaves.nulls
    if height <= MAX_LEVELS:
        _require_usable(leaves, where)
        top = leaves.top
    values = column.kind in ORDERED and leaves.are_values
    return {
        "template": "hierarchies/tree",
        "levels": (
            "as it is",
            *(f"group of level {level} of {height}" for level in range(1, height)),
            top,
        ),
        "top": top,
        "null_labels": (None, *nulls[0]) if nulls else None,
        "bounds_type": bounds_type_of(column, column.scale) if values else None,
        "has_null": bool(nulls),
        "leaves": leaves.count,
        "rows": leaves.rows,
    }


def _require_usable(leaves: Leaves, where: str) -> None:
    if leaves.rows and leaves.top_labels > 1:  # a table of leaves is linted, with all else
        text, remedy = RULES["tops"]
        text = text.format(n=leaves.top_labels, level=leaves.levels - 1, lines="")
        raise PolicyError.at(where, text, remedy)
    if not leaves.count:
        raise PolicyError.at(
            where, "it has no leaf except NULL.", "Add a row for every value of the column."
        )
    if len(leaves.nulls) > 1:
        raise PolicyError.at(
            where, "NULL (an empty first cell) is mapped twice.", "Keep one of the rows."
        )


def _interval(column: Column, spec: IntervalHierarchy, where: str) -> dict[str, Any]:
    if column.kind not in ("integer", "decimal", "float"):
        raise breaks.not_numeric(column, where)
    rounded = column.kind == "float" or column.unbounded
    scale = max(spec.scale, column.scale, _ROUNDED_SCALE if rounded else 0)
    integral = column.kind == "integer" and spec.scale == 0
    # the sums of a value with the origin and widths, which the statement makes, must fit too
    limit = Decimal(10) ** (_DIGITS - 1 - scale) - max(spec.widths) * 2 - abs(spec.origin)
    if limit <= 0:
        raise PolicyError.at(
            where,
            f"the widths do not match the {scale} decimals of {column.name!r}.",
            "Round it in a view.",
        )
    bounds_type = bounds_type_of(column, scale, exact=integral)
    if bounds_type == "UHUGEINT":  # unsigned, and an interval may begin below 0
        bounds_type = "DECIMAL(38, 0)"
    return {
        "template": "hierarchies/interval",
        "levels": ("as it is", *(f"[a,b), {width} wide" for width in spec.widths), TOP),
        "bounds_type": bounds_type,
        "parameters": {
            "widths": spec.widths,
            "origin": spec.origin,
            "scale": scale,
            "label_scale": spec.scale,
            "integral": integral,
            "limit": limit,
            "rounded": rounded,
            "through_text": column.kind == "float",
            "unit": Decimal(1).scaleb(-scale),
        },
    }


def _mask(column: Column, spec: MaskHierarchy, where: str) -> dict[str, Any]:
    if column.kind not in ("text", "integer"):
        raise PolicyError.at(
            where,
            f"a mask needs text or integers, and {column.name!r} is {column.family}.",
            "Cast it to text.",
        )
    side = "last" if spec.start == "right" else "first"
    masked = (
        f"{side} {level} of {spec.length} characters hidden" for level in range(1, spec.length)
    )
    return {
        "template": "hierarchies/mask",
        "levels": ("as it is", *masked, TOP),
        "parameters": {"length": spec.length, "start": spec.start},
    }


def _date(column: Column, spec: DateHierarchy, where: str) -> dict[str, Any]:
    if column.kind not in ("date", "timestamp"):
        remedy = (
            'Convert it to a date: of a CSV file by `dates: "%d.%m.%Y"` in `source`, in a view of'
            " the database, or in a frame (`pandas.to_datetime`);"
            " or use `mask` or `file`."
        )
        raise PolicyError.at(
            where,
            f"calendar units need a date or timestamp, and {column.name!r} is {column.family}.",
            remedy,
        )
    return {
        "template": "hierarchies/date",
        "levels": ("as it is", *spec.levels, TOP),
        "bounds_type": bounds_type_of(column, 0),
        "parameters": {
            "units": spec.levels,
            "type": column.cast or column.type,
            "step": "1 day" if column.kind == "date" else "1 microsecond",
        },
    }


def build(engine: Engine, attribute: Attribute, leaves: LeafTables) -> None:
    """Make the attribute's dimension table in the engine."""
    if attribute.leaves:
        labels = [f"v{level}" for level in range(attribute.height + 1)]
        leaves.bring(f"leaves_{attribute.index}", [*labels, "place"], engine)
    engine.run(
        "sql/table",
        name=f"dim_{attribute.index}",
        select="hierarchies/grouped",
        a=attribute,
        **attribute.parameters,
    )


def _keyed(column: Column, spec: UsZipHierarchy | Icd10Hierarchy, where: str) -> dict[str, Any]:
    """Codes that are generalized by their first characters: those of ICD-10, and US ZIP codes."""
    is_zip = isinstance(spec, UsZipHierarchy)
    if column.kind != "text" and not (is_zip and column.kind == "integer"):
        text = f"such codes are text, and {column.name!r} is {column.family}."
        raise PolicyError.at(where, text, "Cast it to text in a view.")
    return {
        "template": "hierarchies/keyed",
        "levels": ("as it is", *keyed_levels(spec), TOP),
        "parameters": {
            "keys": [(key, *labels) for key, labels in keys_of(spec).items()],
            **keyed_shape(spec, column.kind),
            "other": OTHER,
        },
    }
