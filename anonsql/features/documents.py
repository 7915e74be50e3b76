"""The JSON documents of the commands, as frozen models; their JSON Schema is
schemas/report.schema.json."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    from anonsql.features.notebook_charts import RunCharts, SearchCharts


NOT_COVERED = (
    "what the promise says nothing of, in a sentence: how many released rows are the only ones with"
    " their values in the columns that are kept as they are; null where none is"
)
"""The description of the field that documents say it in."""
_SCREEN = 1600
"""The characters that a document shows of itself in Python."""


class Document(BaseModel):
    """What all documents are: frozen, and nothing besides their fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    def __repr__(self) -> str:
        """Return the fields, cut to a screen; ``model_dump_json`` has all."""
        text = super().__repr__()
        return text if len(text) <= _SCREEN else f"{text[:_SCREEN]}…"

    __str__ = __repr__


class Tabular(Document):
    """A document that notebooks show as a table, and that is a data frame on demand."""

    def _title(self) -> str:
        """Return what a notebook writes above the table."""
        raise NotImplementedError

    def _rows(self) -> list[dict[str, object]]:
        """Return the rows of the table."""
        raise NotImplementedError

    def __repr__(self) -> str:
        """Return the table in one screen of text; ``model_dump_json`` has all."""
        from anonsql.presentation import notebook

        return notebook.text(self._title(), self._rows())

    __str__ = __repr__

    def to_pandas(self) -> Any:
        """Return the table as a data frame. Raise PolicyError where pandas is not installed."""
        from anonsql.presentation import notebook

        return notebook.frame(self._rows())

    def _repr_html_(self) -> str:
        """Return the table as HTML, for notebooks."""
        from anonsql.presentation import notebook

        return notebook.table(self._title(), self._rows())


class Risk(Document):
    """Risk under one attacker, as probabilities and a share of the released rows; null where it has
    no meaning."""

    highest: float | None
    average: float | None
    records_at_risk: float | None


class LeftAlone(Document):
    """How many rows are still alone without a kept column and those before it."""

    column: str
    unique: int
    below_k: int


class InClasses(Document):
    """What classes give away of a sensitive column."""

    homogeneous: float = Field(
        description="share of the rows that are in classes with one value of it"
    )
    highest_share: float = Field(description="largest share of one value in a class")


class Kept(Document):
    """What columns that are released as they are give away; k promises nothing of them."""

    columns: list[str] = Field(description="sensitive and insensitive ones beside the rows")
    rows: int = Field(description="released rows, masked ones counted in")
    unique: int = Field(description="rows whose values in these columns no other row has")
    below_k: int = Field(description="rows whose values in these columns fewer than k rows have")
    unique_released: int = Field(
        description="rows whose values in these and the quasi-identifying columns no other row has"
    )
    below_k_released: int = Field(description="likewise, that fewer than k rows have")
    without: list[LeftAlone] = Field(
        [],
        description=(
            "the columns that do most of it, one taken away after the other: what is unique without"
            " them"
        ),
    )
    sensitive: dict[str, InClasses] = Field(
        {},
        description=(
            "by sensitive column; none of ring, whose rows lie in no classes, nor of columns"
            " released apart"
        ),
    )


class Risks(Document):
    """The three attackers, and what columns give away that are released as they are."""

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


class Place(Document):
    """Where a release lies."""

    database: str
    table: str


class ReleasedAs(Document):
    """What was done to one column of the source."""

    column: str
    role: str
    level: int | None
    looks_like: str
    example: str | None = Field(
        None,
        description=(
            "a released value of one row or another, where values are generalized; none in the"
            " reports that the catalog keeps"
        ),
    )


class Withheld(Document):
    """What is withheld of one column, because it is sensitive, and lies in buckets."""

    cells: int = Field(description="released cells that lie in buckets")
    hidden: int = Field(
        0,
        description=(
            "released cells that are `*` in the place of both: somebody in the group does not mind"
        ),
    )
    widened: int = Field(
        0, description="of those, the ones that are not sensitive: too few rows had their pattern"
    )
    unknown: int = Field(
        0,
        description="cells of the source of which the flag or condition is NULL; they are withheld",
    )
    buckets: int
    smallest: int = Field(description="cells of the smallest bucket")


class Span(Document):
    """How far the values of a sensitive column of numbers or dates lie apart in a class or bucket:
    from the least to the greatest, as a share of the same of all released values."""

    least: float = Field(description="in the class or bucket where it is least")
    median: float = Field(description="in the median class or bucket")


class Relocated(Document):
    """What was relocated: rows that were moved to another group, and the quasi-identifying cells
    that were changed for it."""

    cells: int = Field(description="whose value is not theirs")
    cell_share: float = Field(description="of all quasi-identifying cells of the source")
    p: float = Field(description="what that share is at most")
    rows: int = Field(description="that were moved")
    row_share: float = Field(description="of the source's rows")
    columns: dict[str, int] = Field(description="changed cells of each quasi-identifying column")
    chi_squared: float | None = Field(
        None,
        description="statistic of the new group sizes against the old ones, where alpha is given",
    )
    critical: float | None = Field(
        None, description="what it must not exceed at the significance level alpha"
    )


class Traces(Document):
    """Numbers of rows of a release that follows others; a row's trace is how each release so far
    had it."""

    held_back: int = Field(description="rows of the source that the release has not")
    gone: int = Field(description="rows released before that the source does not have any more")
    exposed: int = Field(
        description=(
            "with `deletions: tell`: rows of earlier releases that are missing in this one, and"
            " fewer than k are missing like them"
        )
    )
    smallest: int = Field(
        description="rows, or people, of the smallest trace: those released alike every time"
    )


class OverTime(Traces):
    """What holds of a release and all those before it that its ledger knows of."""

    release: int = Field(description="counted from 1, from where the ledger was begun")
    begun_anew: bool = Field(
        description="whether there were releases before that the promise does not include"
    )


class LeftOutValue(Document):
    """What one value of a column lost by suppression; or, where ``rare``, all values of the column
    together that too few rows have to be named."""

    column: str
    value: str | None = Field(
        description=(
            "of a quasi-identifying column its label at the least level that may be released; null"
            " where it is NULL, and of rare ones"
        )
    )
    rare: bool = Field(
        False, description="values that fewer than k rows of the source have, together"
    )
    values: int = Field(1, description="1, or how many rare values lost rows")
    rows: int = Field(description="of the source that have it")
    released: int = Field(description="of those; masked ones are not counted")
    at_least: int | None = Field(
        None,
        description=(
            "where release and source only tell limits of `released`: the lower one; `released`,"
            " and `share` by it, is then the upper one"
        ),
    )
    share: float = Field(description="released / rows")


class Finding(Document):
    """A problem or a warning."""

    where: str
    message: str
    remedy: str


class Report(Tabular):
    """What `anonsql run` did, found done already ("unchanged", with --if-changed) or only tried
    ("tried", with --dry-run)."""

    status: Literal["published", "unchanged", "tried"]
    method: str
    records: int = Field(description="rows of the source")
    released: int = Field(description="rows of the release")
    suppressed: int = Field(description="rows left out or masked")
    masked: int = Field(description="suppressed rows kept as `*`")
    quarantined: int = Field(
        0, description="rows that would break k under a scheme applied again, left out"
    )
    left_out: list[LeftOutValue] = Field(
        [],
        description=(
            "who is left out by suppression: the values whose rows are not all released, those with"
            " the least share first, 50 named ones at most; none in the reports that the catalog"
            " keeps"
        ),
    )
    levels: dict[str, int] | None
    optimal: bool | None = Field(
        None, description="of ordered-partition: whether no other partition is better"
    )
    columns: list[ReleasedAs]
    k: int
    promises: dict[str, str] = Field(
        {}, description="what else every class keeps, by the place in privacy"
    )
    suppression_limit: float
    combinations: int = Field(
        1,
        description="of columns that keep the promise each by itself; classes are the worst one's",
    )
    min_class: int = Field(
        description=(
            "rows of the smallest class; with the method ring, rows that every released row may be"
        )
    )
    min_people: int | None = Field(
        None, description="people of the class that has fewest, where `entity` names them"
    )
    classes: int = Field(
        description="of equal quasi-identifying values; with the method ring, partitions"
    )
    metrics: dict[str, float]
    risk: Risks
    verified: bool
    not_covered: str | None = Field(None, description=NOT_COVERED)
    identity: str | None = Field(
        None,
        description="of anatomy, which does not hide it: what that means for k, classes and risk",
    )
    withheld: dict[str, Withheld] = Field(
        {}, description="of local: by semi-sensitive and sensitive column"
    )
    spans: dict[str, Span] = Field(
        {}, description="by sensitive column of numbers or dates that has an l-diversity"
    )
    relocated: Relocated | None = Field(None, description="of hybrid")
    over_time: OverTime | None = Field(None, description="where privacy has `over_time`")
    extra_tables: list[str] = Field(
        [], description="tables of the release besides the rows, __about and __columns"
    )
    seconds: dict[str, float] = Field(description="by stage")
    statements: int = Field(description="statements on the data's engine")
    release: Place
    query: str | None = Field(
        None,
        description=(
            "that the source is, where it is no table or file; none in the reports that the catalog"
            " keeps"
        ),
    )
    warnings: list[Finding] = Field([], description="what the promises do not cover")

    @property
    def charts(self) -> RunCharts:
        """The charts of the run, as objects of Altair."""
        from anonsql.features.notebook_charts import RunCharts

        return RunCharts(self)

    def _title(self) -> str:
        """See the base class."""
        verdict = "proved" if self.verified else "not proved"
        return (
            f"{self.method}, k={self.k}, {verdict}: {self.released:,} of {self.records:,} rows in"
            f" {self.classes:,} classes, the smallest of {self.min_class:,};"
            f" loss {self.metrics.get('loss', 0):.4f}"
        )

    def _rows(self) -> list[dict[str, object]]:
        """See the base class: the columns of the release."""
        return [column.model_dump() for column in self.columns]


class SearchNode(Document):
    """One satisfying generalization."""

    levels: dict[str, int]
    height: int
    minimal: bool = Field(description="no satisfying generalization is below it")
    suppressed: int
    classes: int
    min_class: int
    loss: float


class SearchRound(Document):
    """One step of a search."""

    title: str
    counted: int = Field(description="nodes whose frequency set was looked at")
    satisfied: int = Field(description="of those, or of a pass's candidates")
    undecided: int | None = Field(
        description="nodes without a verdict after it, where that is tracked"
    )
    seconds: float


class Explained(Document):
    """How a search went (--explain)."""

    algorithm: str
    rules: dict[str, int] = Field(
        description="verdicts on nodes of the whole lattice, by how they were reached"
    )
    rounds: list[SearchRound]
    seconds: dict[str, float] = Field(description="by stage")
    statements: dict[str, int] = Field(description="on the data's engine, by stage")


class SearchReport(Tabular):
    """What `anonsql search` found."""

    quasi_identifiers: list[str]
    lattice: int = Field(description="number of all generalizations")
    checked: int = Field(
        description="generalizations of all subsets whose frequency set was looked at"
    )
    statements: int
    seconds: float
    nodes: list[SearchNode]
    explained: Explained | None = None

    @property
    def charts(self) -> SearchCharts:
        """The charts of the search, as objects of Altair."""
        from anonsql.features.notebook_charts import SearchCharts

        return SearchCharts(self)

    def _title(self) -> str:
        """See the base class."""
        return f"{len(self.nodes):,} of {self.lattice:,} generalizations keep the promise"

    def _rows(self) -> list[dict[str, object]]:
        """See the base class: the generalizations, a column for the level of each
        quasi-identifying one."""
        return [
            {**entry.levels, **entry.model_dump(exclude={"levels"})}
            for entry in sorted(self.nodes, key=lambda node: node.loss)
        ]


class CheckReport(Document):
    """What `anonsql check` found."""

    status: Literal["ok", "problems"]
    exit_code: int = Field(
        description=(
            "0, or what `run` would end with: 2, or 1 when the policy is right and this table"
            " cannot keep its promise"
        )
    )
    problems: list[Finding]
    warnings: list[Finding]
    records: int | None
    of: str | None = Field(None, description="of several tables: the one whose rows are people")
    combinations: int | None = Field(
        description="distinct combinations of quasi-identifying values"
    )
    lattice: int | None


class InitReport(Document):
    """What `anonsql init` wrote."""

    policy: str
    columns: int
    undecided: list[str] = Field(description="columns whose role or hierarchy is left open")
    warnings: list[Finding] = Field([], description="what the table's owner should decide on")
    hierarchies: list[str] = Field(
        [], description="files of hierarchies that were drawn; they name values of the table"
    )
    asked: bool = Field(False, description="whether the table's owner was asked (--interactive)")
    problems: list[Finding] = Field(
        [], description="what `check` finds wrong with a policy whose owner was asked"
    )


class RunLine(Document):
    """One run of the catalog's history."""

    run: int
    command: str
    version: str
    started: str = Field(description="UTC")
    seconds: float | None
    status: str = Field(description="done, unchanged, failed, killed or running")
    source: str | None
    release: str | None
    error: str | None
    statements: int = Field(description="statements on the data's engine")
    account: str | None = Field(None, description="of the operating system, that ran it")


class RunsReport(Document):
    """What `anonsql runs` lists, the latest first."""

    catalog: str
    runs: list[RunLine]


class StatementLine(Document):
    """One statement of a run."""

    number: int
    plane: str = Field(
        description="data: the source's engine; workbench: the embedded DuckDB; control: catalog"
    )
    name: str
    rows: int
    milliseconds: float


class CompiledFile(Document):
    """One file of SQL."""

    file: str
    does: str
    creates: str | None = Field(description="the table it makes")
    offenders: bool = Field(description="a query that must return no row")


class CompileReport(Document):
    """What `anonsql compile` wrote; the same document lies beside the files as manifest.json."""

    dialect: str
    anonsql: str
    sqlglot: str
    folder: str
    source: str
    release: str
    k: int
    suppression_limit: float
    levels: dict[str, int]
    files: list[CompiledFile]


class Failure(Document):
    """What any command prints with `--json` when it fails."""

    status: Literal["failed"]
    error: str = Field(description="kind of the error")
    exit_code: int
    message: str
    problems: list[Finding]
