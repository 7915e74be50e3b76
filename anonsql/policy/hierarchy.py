"""The description of a generalization hierarchy in a policy: one model for each ``type``, and the
labels of intervals between breaks.

Level 0 is the value itself; the top level is one single value. All but ``file`` add ``*`` as the
top level. Some refer to another hierarchy, which :mod:`anonsql.policy.resolved` finds: a built-in
one, one made from the data, or one from a table of the database.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from decimal import Decimal, InvalidOperation
from itertools import pairwise
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    WithJsonSchema,
    model_validator,
)

from anonsql.errors import FieldError
from anonsql.system.scalars import Number, Text, plain

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_PLACES = 6
_LIMIT = Decimal(10) ** 18


def _break(value: Any) -> Decimal | date:
    if isinstance(value, str) and _DATE.fullmatch(value):
        try:
            return date.fromisoformat(value)
        except ValueError:
            raise ValueError(f"{value} is not a valid date") from None
    if isinstance(value, date):
        return value
    wrong = "write a number, or a date such as 2024-03-15"
    if isinstance(value, bool) or not isinstance(value, (int, float, str, Decimal)):
        raise ValueError(f"{wrong}, found {type(value).__name__}")
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        raise ValueError(f"{wrong}, found {str(value)[:40]!r}") from None
    if not number.is_finite():
        raise ValueError(f"{wrong}, found {number}")
    if abs(number) >= _LIMIT or -int(number.normalize().as_tuple().exponent) > _PLACES:
        raise ValueError(f"a break has at most 18 digits before the point and {_PLACES} after it")
    return Decimal(plain(number)) + 0  # one way to write it; no -0


Break = Annotated[
    Decimal | date,
    BeforeValidator(_break),
    WithJsonSchema({"type": ["number", "string"]}),
]


def require_nested(at: Sequence[Decimal | date], then: Sequence[Sequence[Decimal | date]]) -> None:
    """Raise FieldError unless breaks rise, and each level keeps some of the previous level's."""
    _require_rising(at, "at")
    before, name = at, "at"
    for index, breaks in enumerate(then):
        where = f"then[{index}]"
        _require_rising(breaks, where)
        for position, value in enumerate(breaks):
            if value not in before:
                text = f"{text_of(value)} is not a break of {name}: the levels do not nest"
                raise FieldError(f"{where}[{position}]", text)
        if len(breaks) == len(before):
            raise FieldError(
                where, f"it has the same breaks as {name}: leave some out, or remove the level"
            )
        before, name = breaks, where


def _require_rising(breaks: Sequence[Decimal | date], where: str) -> None:
    for index, (low, high) in enumerate(pairwise(breaks), start=1):
        if isinstance(low, date) is not isinstance(high, date):
            raise FieldError(f"{where}[{index}]", "give all breaks as numbers, or all as dates")
        if high <= low:  # type: ignore[operator]  # both are dates or both numbers
            what = "is given twice" if high == low else f"does not come after {text_of(low)}"
            raise FieldError(f"{where}[{index}]", f"{text_of(high)} {what}: breaks must increase")


def text_of(value: Decimal | date) -> str:
    """Return a break as labels have it."""
    return value.isoformat() if isinstance(value, date) else plain(value)


Ends = tuple[str | None, str | None]


def intervals(breaks: Sequence[Decimal | date]) -> list[tuple[str, Ends]]:
    """Return the labels of the intervals between breaks, with the texts of their ends: the lower
    one is in the interval, the upper one is not, None is no end.

    >>> intervals([Decimal(0), Decimal(5)])
    [('<0', (None, '0')), ('[0,5)', ('0', '5')), ('>=5', ('5', None))]
    """
    texts = [text_of(value) for value in breaks]
    inner = [(f"[{low},{high})", (low, high)) for low, high in pairwise(texts)]
    return [(f"<{texts[0]}", (None, texts[0])), *inner, (f">={texts[-1]}", (texts[-1], None))]


TOP = "*"
MAX_LEVELS = 64  # above level 0; statements grow with the square of the number of levels
DATE_UNITS = ("day", "week", "month", "quarter", "year", "decade")


class _Model(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class FileHierarchy(_Model):
    """A CSV file, `;` or `,`, no header: one row per leaf, level 0 first. An empty first cell maps
    NULL."""

    type: Literal["file"] = "file"
    path: str


class IntervalHierarchy(_Model):
    """Half-open intervals ``[a,b)`` of a number, one level for each width, each a multiple of the
    one before."""

    type: Literal["interval"] = "interval"
    widths: list[Annotated[Number, Field(gt=0)]] = Field(min_length=1)
    origin: Number = Decimal(0)

    @model_validator(mode="after")
    def _nested(self) -> IntervalHierarchy:
        for index, (narrow, wide) in enumerate(
            zip(self.widths, self.widths[1:], strict=False), start=1
        ):
            if wide <= narrow or wide % narrow != 0:
                raise FieldError(
                    f"widths[{index}]",
                    f"{wide} is not a multiple of the previous width, {narrow}: the levels do not"
                    " nest",
                )
        return self

    @property
    def scale(self) -> int:
        """Digits after the point that the interval bounds need."""
        return max(
            0,
            *(
                -int(number.normalize().as_tuple().exponent)
                for number in (*self.widths, self.origin)
            ),
        )


class BreaksHierarchy(_Model):
    """Intervals of uneven width of a number or a date: ``<0``, ``[0,500)``, …, ``>=5000`` with the
    breaks 0, 500, … 5000. Each further level leaves some of the breaks out."""

    type: Literal["breaks"] = "breaks"
    at: list[Break] = Field(
        min_length=1, max_length=1000, description="where intervals begin, in increasing order"
    )
    then: list[Annotated[list[Break], Field(min_length=1)]] = Field(
        [], description="for each coarser level, the breaks that it keeps from the level before"
    )

    @model_validator(mode="after")
    def _nested(self) -> BreaksHierarchy:
        require_nested(self.at, self.then)
        return self

    @property
    def levels(self) -> list[list[Decimal | date]]:
        """The breaks of every level of intervals, the finest first."""
        return [self.at, *self.then]

    @property
    def of_dates(self) -> bool:
        """Whether the breaks are dates, not numbers."""
        return isinstance(self.at[0], date)

    @property
    def scale(self) -> int:
        """Digits after the point that the breaks need."""
        numbers = [number for number in self.at if isinstance(number, Decimal)]
        return max([0, *(-int(number.normalize().as_tuple().exponent) for number in numbers)])


class MaskHierarchy(_Model):
    """Characters replaced by ``*`` one after another, from the right or the left; ``length`` is the
    longest value's."""

    type: Literal["mask"] = "mask"
    length: int = Field(ge=1, le=64)
    start: Literal["right", "left"] = Field("right", alias="from")


class DateHierarchy(_Model):
    """A date or timestamp coarsened to calendar units."""

    type: Literal["date"] = "date"
    levels: list[Literal["day", "week", "month", "quarter", "year", "decade"]] = Field(
        ["day", "month", "quarter", "year"], min_length=1
    )

    @model_validator(mode="after")
    def _nested(self) -> DateHierarchy:
        for index, (fine, coarse) in enumerate(
            zip(self.levels, self.levels[1:], strict=False), start=1
        ):
            if DATE_UNITS.index(coarse) <= DATE_UNITS.index(fine):
                raise FieldError(
                    f"levels[{index}]",
                    f"{coarse} is not coarser than {fine}: the levels do not nest",
                )
            if fine == "week":
                raise FieldError(
                    f"levels[{index}]",
                    f"a week can fall into two units of {coarse}: the levels do not nest",
                )
        return self


class OrderHierarchy(_Model):
    """Named groups of ordered values. ``levels[0]`` groups the values, ``levels[1]`` groups the
    names of ``levels[0]``, etc."""

    type: Literal["order"] = "order"
    levels: list[
        Annotated[dict[Text, Annotated[list[Text], Field(min_length=1)]], Field(min_length=1)]
    ] = Field(min_length=1)


class TaxonomyHierarchy(_Model):
    """A tree of names: nested mappings ending in lists of leaves, in the policy or in a YAML or
    JSON file."""

    type: Literal["taxonomy"] = "taxonomy"
    tree: dict[Text, Any] | None = Field(None, min_length=1)
    path: str | None = None

    @model_validator(mode="after")
    def _one_tree(self) -> TaxonomyHierarchy:
        if (self.tree is None) == (self.path is None):
            raise ValueError("give either `tree` or `path`")
        return self


class SuppressionHierarchy(_Model):
    """The value, or ``*``."""

    type: Literal["suppression"] = "suppression"


class TableHierarchy(_Model):
    """A reference table of the source's database: one row per value (``key``), and its groups by
    the columns ``levels``, finer ones first. It is taken to be public, as a hierarchy file is."""

    type: Literal["table"] = "table"
    table: str = Field(
        min_length=1,
        pattern=r"^[^\x00]+$",
        description="the table's name; `schema.table` if its schema differs from that of"
        " `source.table`",
    )
    key: Text = Field(description="the column with the values")
    levels: list[Text] = Field(min_length=1, description="the columns that group the values")

    @model_validator(mode="after")
    def _once(self) -> TableHierarchy:
        for index, name in enumerate(self.levels):
            if name == self.key or name in self.levels[:index]:
                raise FieldError(f"levels[{index}]", f"{name!r} is named twice")
        return self


class AutomaticHierarchy(_Model):
    """A hierarchy that is made from the data, once, and written to a file next to the policy for
    its owner to read and edit. An existing file is used unchanged."""

    type: Literal["automatic"] = "automatic"
    levels: int = Field(
        4, ge=2, le=7, description="number of levels above the value itself, including `*`"
    )
    like: Text | None = Field(
        None, description="of text: the column by which similar values are grouped"
    )
    path: str | None = Field(
        None,
        pattern=r"^[^\x00]+$",
        description=(
            "the file name without its suffix (.yaml for numbers and dates, .csv for text); by"
            " default `hierarchies/<column>`"
        ),
    )


class AgesHierarchy(_Model):
    """Ages in years: single years up to 89 and `>=90`, then 5, 10 and 30 years."""

    type: Literal["ages"] = "ages"


OTHER = "other"
"""The label, at every level below the top, of values that a built-in hierarchy does not know."""
Unknown = Annotated[
    Literal["few", "any"],
    Field(
        description=(
            "how many unknown values are allowed and released as `other`: at most 20 values in 5"
            " % of the rows (`few`), or any number"
        )
    ),
]
Spelling = Literal["alpha-2", "alpha-3", "name"]


class UsZipHierarchy(_Model):
    """US ZIP codes: the first three digits, where few people live 000 as HIPAA has it; the first
    digit."""

    type: Literal["us-zip"] = "us-zip"
    unknown: Unknown = "few"


class CountriesHierarchy(_Model):
    """Countries by ISO 3166-1 code (two or three letters) or English name: subregions and regions
    of the UN's M49."""

    type: Literal["countries"] = "countries"
    spelling: Spelling = Field(
        "alpha-2",
        description="how a country is released: as a code of two or three letters, or by name",
    )
    unknown: Unknown = "few"


class Icd10Hierarchy(_Model):
    """Codes of ICD-10 and ICD-10-CM, with or without a point: category, block, chapter, the last
    two as ranges of codes."""

    type: Literal["icd-10"] = "icd-10"
    unknown: Unknown = "few"


class SpelledTaxonomy(TaxonomyHierarchy):
    """A taxonomy whose leaves have several ``spellings`` in the data: the leaf of each, by the
    spelling in lower case, with blanks for hyphens. All other values belong to the leaf OTHER."""

    spellings: dict[str, str] = Field(repr=False)


Hierarchy = Annotated[
    FileHierarchy
    | IntervalHierarchy
    | BreaksHierarchy
    | MaskHierarchy
    | DateHierarchy
    | OrderHierarchy
    | TaxonomyHierarchy
    | TableHierarchy
    | AutomaticHierarchy
    | AgesHierarchy
    | UsZipHierarchy
    | CountriesHierarchy
    | Icd10Hierarchy
    | SuppressionHierarchy,
    Discriminator("type"),
]
