"""The base of all JSON documents, and parts that several of them have."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from anonsql.errors import PolicyError, Problem

if TYPE_CHECKING:
    from anonsql.jobs.job import Job
    from anonsql.presentation.tree import Part

NOT_COVERED = (
    "what the promise does not cover, in a sentence: how many released rows are unique in the"
    " columns that are kept unchanged; null if there are none"
)
"""The description of the field that documents say it in."""
NOT_COVERED_OF_TABLES = (
    "by table with such rows: what the promise does not cover, in a sentence: how many released"
    " rows are unique in the columns that are kept unchanged"
)
_SCREEN = 1600
"""The characters that a document shows of itself in Python."""


class Document(BaseModel):
    """The base of all documents: frozen, without further fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    def __repr__(self) -> str:
        """Return the fields, cut to a screen; ``model_dump_json`` has all."""
        text = super().__repr__()
        return text if len(text) <= _SCREEN else f"{text[:_SCREEN]}…"

    __str__ = __repr__

    described_by: ClassVar[str] = "describe"
    """The function of the module ``described``, next to the document's, that describes it."""

    def described(self) -> Sequence[Part]:
        """Return the terminal's description of the document."""
        beside = type(self).__module__.rpartition(".")[0]
        describe = getattr(import_module(f"{beside}.described"), self.described_by)
        return describe(self)  # type: ignore[no-any-return]


class Tabular(Document):
    """A document that Python and notebooks show as its command does, and that is a data frame on
    demand."""

    def _rows(self) -> list[dict[str, object]]:
        raise NotImplementedError

    def __repr__(self) -> str:
        """Return the printed description, cut to a screen; ``model_dump_json`` has all."""
        from anonsql.presentation import terminal

        return terminal.screen(self.described())

    __str__ = __repr__

    def to_pandas(self) -> Any:
        """Return the table as a data frame. Raise PolicyError where pandas is not installed."""
        from anonsql.presentation import notebook

        return notebook.frame(self._rows())

    def _repr_html_(self) -> str:
        from anonsql.presentation import notebook

        return notebook.html(self.described())


class OfRelease(Tabular):
    """A document of a run, which functions take in the place of the release's path."""

    def __fspath__(self) -> str:
        """Return the release's file, folder or URL. Raise PolicyError where none was published."""
        release: Place = getattr(self, "release")  # noqa: B009 - a field of those that inherit it
        if release.database == "memory" or getattr(self, "status", "") == "tried":
            text = "this run published nothing that can be opened by a path."
            raise PolicyError.at("RELEASE", text, "Give what `anonymize` returned, or a release.")
        return release.database


class Risk(Document):
    """Risk under one attacker, as probabilities and a share of the released rows; null where it has
    no meaning."""

    highest: float | None
    average: float | None
    records_at_risk: float | None


class ReachedLimit(Document):
    """A limit to the risk of a release as a whole, and how near the release comes to it."""

    name: str = Field(description="in privacy.risk")
    limit: str
    reached: float
    model: str | None = Field(None, description="of the population, used for the estimate")


class LeftAlone(Document):
    """How many rows are still unique without a kept column and those before it."""

    column: str
    unique: int
    below_k: int


class InClasses(Document):
    """What classes reveal of a sensitive column."""

    homogeneous: float = Field(
        description="share of rows in classes with a single value of the column"
    )
    highest_share: float = Field(description="largest share of one value in a class")


class Kept(Document):
    """What columns that are released unchanged reveal; k promises nothing of them."""

    columns: list[str] = Field(description="the sensitive and insensitive columns")
    rows: int = Field(description="released rows, including masked ones")
    unique: int = Field(description="rows that are unique by these columns")
    below_k: int = Field(description="rows whose values in these columns fewer than k rows have")
    unique_released: int = Field(
        description="rows that are unique by these and the quasi-identifying columns"
    )
    below_k_released: int = Field(
        description="rows whose values in these and the quasi-identifying columns fewer than k rows have"
    )
    without: list[LeftAlone] = Field(
        [],
        description="the columns that contribute most, removed one after the other: the number of"
        " unique rows without them",
    )
    sensitive: dict[str, InClasses] = Field(
        {},
        description="by sensitive column; none with ring, whose rows form no classes, and none"
        " for columns that are released separately",
    )


class Risks(Document):
    """The risks under the three attackers, and what columns that are released unchanged reveal."""

    prosecutor: Risk
    journalist: Risk
    marketer: Risk
    kept: Kept | None = Field(None, description="null in reports of versions that did not count it")

    @property
    def attackers(self) -> dict[str, Risk]:
        """The risks by attacker."""
        return {
            "prosecutor": self.prosecutor,
            "journalist": self.journalist,
            "marketer": self.marketer,
        }


FILES = (
    "files with the SHA-256 that the run recorded; 0 on a server; null if the catalog does not"
    " contain the release: then only its tables are checked"
)


class Place(Document):
    """The place of a release."""

    database: str
    table: str


class PublishedPlace(Place):
    """Where a run published a release."""

    files: dict[str, str] = Field(
        {}, description="the SHA-256 of each published file by its name; none on servers"
    )


class ReleasedAs(Document):
    """What was done to one column of the source."""

    column: str
    role: str
    level: int | None
    form: str | None = Field(
        None,
        description="what the released values are, as in `__columns`; none for removed columns",
    )
    looks_like: str
    example: str | None = Field(
        None,
        description="an example of a released value, if values are generalized; none in the"
        " reports that the catalog keeps",
    )


class LeftOutValue(Document):
    """What one value of a column lost by suppression; or, where ``rare``, all values of the column
    together that too few rows have to be named."""

    column: str
    value: str | None = Field(
        description="of a quasi-identifying column the label at its lowest released level; null"
        " if it is NULL, and for rare values"
    )
    rare: bool = Field(
        False, description="values that fewer than k rows of the source have, together"
    )
    values: int = Field(1, description="1, or the number of rare values that lost rows")
    rows: int = Field(description="rows of the source with this value")
    released: int = Field(description="of these; masked ones are not counted")
    at_least: int | None = Field(
        None,
        description="if release and source only give bounds of `released`: the lower bound;"
        " `released`, and so `share`, is then the upper bound",
    )
    share: float = Field(description="released / rows")


class Finding(Document):
    """A problem or a warning."""

    where: str
    message: str
    remedy: str
    of_promise: bool = Field(False, exclude=True)


class Failure(Document):
    """What any command prints with `--json` when it fails."""

    status: Literal["failed"]
    error: str = Field(description="kind of the error")
    exit_code: int
    message: str
    problems: list[Finding]


def of_run(job: Job) -> dict[str, Any]:
    """Return the fields that the documents of runs have in common, by name."""
    place = PublishedPlace(
        database=str(job.places.release),
        table=job.first.release.name,
        files=dict(job.target.proved),
    )
    return {
        "verified": True,
        "seconds": job.seconds,
        "statements": job.context.journal.count(),
        "release": place,
        "warnings": [finding(warning) for warning in job.warnings],
    }


def finding(problem: Problem) -> Finding:
    """Return a problem in the form that documents have."""
    return Finding(
        where=problem.where,
        message=problem.found,
        remedy=problem.remedy,
        of_promise=problem.of_promise,
    )
