"""The document of `anonsql verify`."""

from __future__ import annotations

import textwrap
from typing import Literal

from pydantic import Field

from anonsql.presentation.documents import (
    FILES,
    NOT_COVERED,
    NOT_COVERED_OF_TABLES,
    Document,
    Finding,
    Place,
    ReachedLimit,
    Risks,
)


class BucketsAgainstSource(Document):
    """The comparison with the source for a column whose sensitive values are released in a table of
    their own. All of it is null if source and release are of different engines and the column's
    values cannot be compared."""

    buckets: int | None = Field(None, description="values in its buckets (of anatomy: in groups)")
    sensitive: int | None = Field(
        None, description="sensitive cells of the source, according to the policy"
    )
    hidden: int | None = Field(
        None, description="released cells that are * because they are hidden, or may be"
    )
    possible: bool | None = Field(
        None,
        description=(
            "whether the values of every bucket can come from different source rows that its rows"
            " may match, for this column alone; null if this takes too long"
        ),
    )


class SampledRows(Document):
    """How a release with differential privacy compares with its source: every class has at most the
    source's rows, and a number that chance explains, except with a probability of 1e-9."""

    classes: int = Field(description="classes of the source at the released levels")
    released_classes: int
    rows: int = Field(description="rows of classes that are too large to be left out by chance")
    kept: int = Field(description="of these, the rows that are released")
    least: int = Field(description="lowest number of them in a random sample")
    most: int = Field(description="highest number of them in a random sample")


class AgainstSource(Document):
    """The result of `anonsql verify --against-source`: whether every released row can be a
    different row of the source.

    A method that changes values need not keep rows; then a lower bound of the changed cells is
    given. The risk is that of the classes: all rows of a class, at least k, look the same. If some
    of them are elsewhere, an attacker who links by them is less certain, never more."""

    alone: bool = Field(
        description="whether the classes of the release also keep the promise alone"
    )
    originals: int = Field(description="rows of the source")
    released: int = Field(description="rows of the release, without masked rows")
    left_over: int = Field(description="rows of the source without a released row of their own")
    matches: int | None = Field(
        None, description="pairs of a source row and a released row whose labels agree"
    )
    least_original: int | None = Field(
        None,
        description="lowest number of released rows that match a source row which may match any",
    )
    least_released: int | None = Field(
        None, description="lowest number of source rows that match a released row"
    )
    highest_probability: float | None = Field(
        None,
        description=(
            "1/k: released rows can be assigned to source rows so that no pair has a higher"
            " probability"
        ),
    )
    with_kept_values: bool | None = Field(
        None,
        description=(
            "whether the released rows match different source rows with their sensitive and"
            " insensitive values; null if this takes too long (with buckets), or if not all values"
            " were compared"
        ),
    )
    least_people: int | None = Field(
        None,
        description=(
            "if `entity` identifies people: the lowest number of people in a class, by the"
            " source, at least; most_people is given, too, if rows fit several classes or are not"
            " all released. With ring: the lowest number of people that a released row may come"
            " from, and most_people is null"
        ),
    )
    most_people: int | None = Field(None, description="the same, at most")
    people_linked: bool | None = Field(
        None,
        description=(
            "whether every person who can be distinguished in the release is a person of the"
            " source with all rows; null if no person can be distinguished"
        ),
    )
    buckets: dict[str, BucketsAgainstSource] = Field(
        {},
        description="of local and anatomy, by column whose values are released separately",
    )
    sample: SampledRows | None = Field(None, description="with differential privacy")
    changed_rows: int | None = Field(
        None,
        description=(
            "of a method that changes values: at least this number of released rows match no"
            " source row"
        ),
    )
    changed_cells: int | None = Field(
        None, description="at least this number of cells differ from the source"
    )
    max_changed_cells: int | None = Field(None, description="the number that the policy's p allows")
    chi_squared: float | None = Field(
        None,
        description=(
            "if the policy has alpha: Pearson's statistic of the sizes of groups before and after"
        ),
    )
    critical: float | None = Field(
        None,
        description="the limit of the statistic, up to which the sizes cannot be distinguished at"
        " that level",
    )


class VerifyReport(Document):
    """What `anonsql verify` found on a release that keeps its promise. With --against-source and
    classes smaller than k, ``min_class`` is the fewest possible rows of the other side."""

    status: Literal["verified"]
    k: int
    promises: dict[str, str] = Field(
        {},
        description="the other promises of every class, and of all rows together (`risk`), as far"
        " as the release alone shows them",
    )
    limits: list[ReachedLimit] = Field(
        [],
        description="the limits on the risk of the whole release, and how close the release is to"
        " each",
    )
    released: int
    masked: int
    classes: int
    min_class: int
    min_people: int | None = Field(
        None,
        description="people in the class with the fewest, if `entity` identifies them; as the"
        " release states, unless it has that column or is compared with the source",
    )
    not_covered: str | None = Field(None, description=NOT_COVERED)
    identity: str | None = Field(
        None,
        description="of anatomy, which does not hide identity: the consequences for k, classes and"
        " risk",
    )
    files: int | None = Field(None, description=FILES)
    as_told: list[str] = Field(
        [],
        description="the run's own record: facts of __about, among them measures of usefulness,"
        " and columns of means or medians that are not recomputed",
    )
    on_trust: list[str] = Field(
        [],
        description="with differential privacy: claims that neither the release nor its source proves",
    )
    risk: Risks
    release: Place
    missing: int = Field(
        0, description="rows of the source that are left out or masked, as the release states"
    )
    against_source: AgainstSource | None = None
    warnings: list[Finding] = Field([], description="what the promises do not cover")


class Check(Document):
    """A promise of a release, and the statement by which anyone can check it."""

    promise: str = Field(description="the property of __about that states it")
    title: str
    says: str = Field(description="what the statement returns, or why there is no statement")
    sql: str | None = Field(
        description="no row means that the promise holds; null: cannot be checked by SQL"
    )


class VerificationSql(Document):
    """What `anonsql verify --sql` writes: the promises of a release as plain statements about
    it."""

    dialect: str
    release: Place
    checks: list[Check]

    @property
    def script(self) -> str:
        """The statements as one script, each below a comment that describes it."""
        parts = []
        for check in self.checks:
            lines = [*_comment(check.title), *_comment(check.says)]
            parts.append("\n".join([*lines, f"{check.sql};" if check.sql else "-- (no statement)"]))
        return "\n\n".join([*_comment(_HOLDS), *parts]) + "\n"


_HOLDS = "Each statement returns the rows that break a promise: no rows mean that it holds."


def _comment(text: str) -> list[str]:
    """Return a text as lines of a comment. No character of a column's name may end the line."""
    plain = "".join(name if name.isprintable() else " " for name in text)
    return [f"-- {line}" for line in textwrap.wrap(" ".join(plain.split()), 90)]


class TableAgainstSource(Document):
    """A released table that was compared with the source's: its rows are rows of the source,
    generalized to the levels that the release states, alone and together with the rows that they
    refer to. A public table has all of them."""

    originals: int = Field(description="rows of the source")
    released: int
    left_over: int = Field(description="rows of the source that are not released")
    not_compared: list[str] = Field(
        description="released columns that the engines of release and source write differently"
    )


class RelationalVerifyReport(Document):
    """What `anonsql verify` found about a release of several tables."""

    status: Literal["verified"]
    k: int
    of: str
    known_rows: int | Literal["all"]
    people: int
    fewest_people: int = Field(
        description="the lowest number of people that match the knowledge of an attacker"
    )
    known_things: int
    promises: dict[str, str] = Field(
        {}, description="the other promises of the people that match, by model and `table.column`"
    )
    rows: dict[str, int] = Field(description="released rows by table")
    not_covered: dict[str, str] = Field({}, description=NOT_COVERED_OF_TABLES)
    release: Place
    against_source: dict[str, TableAgainstSource] | None = Field(
        None, description="with --against-source: by table"
    )
    files: int | None = Field(None, description=FILES)
    not_told: str | None = Field(
        None,
        description="with --against-source, if rows of people are left out: what cannot be decided",
    )
    warnings: list[Finding] = Field([], description="what the promise does not cover")

    described_by = "of_tables"
