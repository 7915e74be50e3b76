"""``anonsql query``: answer a query from a release."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from pydantic import ValidationError

from anonsql.engines.base import Context, ReleaseTables
from anonsql.errors import InvariantError, PolicyError
from anonsql.features import kinds
from anonsql.features.query import estimated, published
from anonsql.features.query.answer_lines import (
    GUESSED,
    NO_ESTIMATE,
    Row,
    notes_on_answers,
    notes_on_order,
    ordered,
    rows_of_answers,
)
from anonsql.features.query.document import AnswerLine, QueryReport
from anonsql.grammar.literals import UnsupportedError
from anonsql.jobs import source_columns
from anonsql.jobs.workspace import private_memory, scratch
from anonsql.policy.envelope import EngineSettings
from anonsql.policy.locations import JobLocations, Location
from anonsql.policy.policies import AnyGiven
from anonsql.policy.problems import problems_of
from anonsql.policy.release_parts import COMPLETED
from anonsql.policy.table_plan import TablePlan
from anonsql.presentation.documents import Place
from anonsql.query import opening
from anonsql.query.answers import answers
from anonsql.query.opening import OpenedRelease, rows_of
from anonsql.query.parse import Parsed, parse
from anonsql.query.statements import Statement
from anonsql.system.clock import Clock
from anonsql.system.journal import Journal
from anonsql.verification.facts import facts_of, missing_rows

_STOPPED = (
    "stopped after {seconds:g} seconds (`--seconds`). Raise the limit, or simplify the query:"
    " fewer subqueries and groups."
)


def query(
    release: object,
    sql: str,
    *,
    bounded: bool = False,
    seconds: float = 60,
    memory_limit: str = "4GB",
) -> QueryReport:
    """Answer ``SELECT COUNT(*), SUM(a), AVG(b) FROM released_table WHERE …`` about the original
    columns from a release.

    ``release`` is a DuckDB file, a Parquet file or folder, a CSV file, a URL of PostgreSQL or Spark
    (text or path), the result of ``anonymize``, or a policy (a file that ends in .yaml or .yml, or
    a Policy), whose hierarchies then define the labels. Raise PolicyError for a query that cannot
    be answered, naming the part that cannot, and where there is no such release; TimeLimitError
    where the answer takes more ``seconds``, ResourceError where this process's DuckDB needs more
    memory than ``memory_limit``, as text (12GB).
    """
    started, asked = time.perf_counter(), _asked(sql, bounded=bounded)
    journal = Journal(clock=Clock(_STOPPED), memory_setting="`--memory-limit`")
    with private_memory(), scratch() as folder:
        given = place_of(opening.on_disk(release, folder), asked.named)
        settings = limited(given.settings, seconds, memory_limit)
        alone = given.location.is_file and not any(given.policies)
        context = Context(
            *(folder, settings, journal),
            purpose="anonsql query",
            reading=True,
            confined=given.location.path if alone else None,
        )
        with opening.located(given.location, given.tables, context) as located:
            if opening.are_statistics(facts_of(located[0])):
                result = _published(asked, located)
            else:
                result = _of_rows(asked, located, given.policies, bounded=bounded)
            kept = isinstance(release, opening.InMemory)
            return QueryReport(
                query=sql,
                **result,
                statements=journal.count(),
                seconds=round(time.perf_counter() - started, 4),
                release=Place(
                    database="memory" if kept else str(given.location),
                    table=", ".join(asked.named),
                ),
            )


def tables_named(sql: str, *, bounded: bool = False) -> Sequence[str]:
    """Return the released tables that a query names; raise PolicyError for one that cannot be
    answered."""
    return _asked(sql, bounded=bounded).named


@dataclass(frozen=True)
class _Asked:
    """A query as it is read: within bounds about one table (``parsed``), or, where it can have no
    bounds (``refused``), as a ``statement`` to be estimated. ``named`` are its tables."""

    sql: str
    named: Sequence[str]
    parsed: Parsed | None = None
    refused: PolicyError | None = None
    statement: Statement | None = None


def _asked(sql: str, *, bounded: bool) -> _Asked:
    """Read a query; raise PolicyError for one that can neither have bounds nor be estimated; the
    reason of the former alone where it must be ``bounded``."""
    try:
        parsed = parse(sql)
        return _Asked(sql, [parsed.table], parsed)
    except PolicyError as error:
        try:
            statement = _statement(sql, error)
        except PolicyError as both:
            raise error if bounded else both from None
        return _Asked(sql, statement.tables, refused=error, statement=statement)


def _statement(sql: str, bounded: PolicyError) -> Statement:
    """Read a query that can have no bounds as a statement to be estimated."""
    from anonsql.query import statements  # it loads much of sqlglot

    try:
        return statements.read(sql)
    except UnsupportedError as error:
        raise estimated.both(bounded, estimated.refusal(str(error))) from None


def _published(asked: _Asked, located: Sequence[ReleaseTables]) -> dict[str, Any]:
    statement = asked.statement or _statement(asked.sql, PolicyError([]))
    order = _order(asked.named, statement)
    result = published.answered(statement, [located[position] for position in order])
    return {
        "method": result.protected_by,
        "released": result.cells,
        "suppressed": 0,
        "hidden": result.hidden,
        "answers": [],
        "rows": result.rows,
        "notes": list(result.notes),
    }


def _of_rows(
    asked: _Asked,
    located: Sequence[ReleaseTables],
    policies: Sequence[TablePlan | None],
    *,
    bounded: bool,
) -> dict[str, Any]:
    opened, parts = _answered(asked, located, policies, bounded=bounded)
    return {
        "method": opened.about.get("method", "unknown"),
        "released": rows_of(opened),
        "suppressed": sum(missing_rows(facts_of(tables)) for tables in located),
        **parts,
    }


def _order(named: Sequence[str], statement: Statement) -> list[int]:
    """Return the position among the named tables of every table of a statement."""
    by_name = {name.lower(): position for position, name in enumerate(named)}
    return [by_name[name.lower()] for name in statement.tables]


def _answered(
    asked: _Asked,
    located: Sequence[ReleaseTables],
    policies: Sequence[TablePlan | None],
    *,
    bounded: bool,
) -> tuple[OpenedRelease, dict[str, Any]]:
    """Return the release of a query's first table and the parts of the report that answer it:
    within bounds, or estimated where these cannot be had."""
    refused, statement = asked.refused, asked.statement
    if refused is not None and bounded:
        raise refused
    if refused is None:
        try:
            within = _bounded(asked, located, policies)
            if not bounded:
                within = _filled(asked, located, policies, within)
            return within.release, within.parts
        except PolicyError as error:
            if bounded:
                raise
            refused, statement = error, _statement(asked.sql, error)
    if statement is None:
        raise refused
    order = _order(asked.named, statement)
    result = estimated.answered(
        statement,
        [located[position] for position in order],
        [policies[position] for position in order],
        refused,
    )
    parts = {"answers": result.answers, "notes": result.notes}
    return result.release, {**parts, "draws": result.draws, "rows": result.rows}


@dataclass(frozen=True)
class _Within:
    """An answer within bounds: its ``rows``, in no order yet, of a ``release``."""

    release: OpenedRelease
    parsed: Parsed
    rows: Sequence[Row]
    notes: Sequence[str]

    @property
    def parts(self) -> dict[str, Any]:
        """The parts of the report that it is, in the order that the query asks for."""
        shown = ordered(self.rows, self.parsed)
        notes = [*self.notes, *notes_on_order(self.rows, shown, self.parsed)]
        return {"answers": [line for row in shown for line in row.lines], "notes": notes}


def _bounded(
    asked: _Asked, located: Sequence[ReleaseTables], policies: Sequence[TablePlan | None]
) -> _Within:
    """Answer a query within bounds; raise PolicyError where these cannot be had."""
    parsed, policy = asked.parsed, policies[0]
    if parsed is None:
        raise InvariantError("a query was neither read nor refused")
    opened = opening.to_ask(located[0], policy)
    (answered,) = answers(opened, [parsed])
    notes = notes_on_answers(opened, parsed, answered, policy is not None)
    return _Within(opened, parsed, rows_of_answers(opened, parsed, answered), notes)


def _filled(
    asked: _Asked,
    located: Sequence[ReleaseTables],
    policies: Sequence[TablePlan | None],
    within: _Within,
) -> _Within:
    """Return an answer within bounds with the estimates of the completed table that the release
    has. Without such a table, draws are made for aggregates that have no estimate: their labels
    cover an unknown number of values. Groups that are labels stay as they are: draws have values."""
    published = located[0].extras.get(COMPLETED) is not None
    unknown = any(note.startswith(NO_ESTIMATE) for note in within.notes)
    open_ends = any(not _known(line) for row in within.rows for line in row.lines)
    if asked.parsed is None or not open_ends or not (published or unknown):
        return within
    if by_label := sorted(within.release.by_label):
        note = (
            f"Groups of {', '.join(by_label)} are labels, but the completed table has values: the"
            " estimates are those of the labels."
        )
        return replace(within, notes=[*within.notes, *([note] if published else [])])
    try:
        columns = [one.column.lower() for one in asked.parsed.groups]
        statement = _statement(asked.sql, PolicyError([])).of_all_groups(columns)
        answered = estimated.answered(statement, located, policies, None, one_draw=True).answers
    except PolicyError:
        return within
    drawn: dict[tuple[object, ...], list[AnswerLine]] = {}
    for line in answered:
        drawn.setdefault(_group_of(line), []).append(line)
    counts = [one.counts for one in asked.parsed.selected]
    own_estimate = False

    def filled(line: AnswerLine, position: int) -> AnswerLine:
        nonlocal own_estimate
        own = drawn.get(_group_of(line))
        if _known(line) or (line.estimate is not None and not published):
            return line
        if own is not None:
            names = ("estimate", "draws", "standard_error")
            return line.model_copy(update={name: getattr(own[position], name) for name in names})
        if published and counts[position] and not line.certain:  # no draw has the group
            return line.model_copy(update={"estimate": 0})
        own_estimate = own_estimate or line.estimate is not None
        return line

    rows = [
        replace(row, lines=[filled(line, position) for position, line in enumerate(row.lines)])
        for row in within.rows
    ]
    if rows == within.rows:
        return within
    said = [note for note in within.notes if not note.startswith(NO_ESTIMATE)]
    if published and not own_estimate:
        said = [note for note in said if not note.endswith(GUESSED)]
    labels = " Groups that it does not have are estimated from the labels." * own_estimate
    note = (
        f"Estimates are the completed table's answers.{labels}"
        if published
        else "Estimates are means of completed draws if a label covers an unknown number of"
        " values, or the query has several conditions on one column."
    )
    return replace(within, rows=rows, notes=[*said, note])


def _known(line: AnswerLine) -> bool:
    """Return whether an answer is one number, or over no row."""
    return not line.possible or (line.lower is not None and line.lower == line.upper)


def _group_of(line: AnswerLine) -> tuple[object, ...]:
    """Return the values of a line's group as they are written, whole numbers without a point."""
    values = [
        int(value) if isinstance(value, float) and value.is_integer() else value
        for value in (line.group or {}).values()
    ]
    return tuple(None if value is None else str(value) for value in values)


@dataclass(frozen=True)
class Given:
    """Where a release is, the tables there that a query names, of each its policy where the release
    is given by that, and the settings of the engine."""

    location: Location
    tables: Sequence[str]
    policies: Sequence[TablePlan | None]
    settings: EngineSettings


def place_of(release: object, named: Sequence[str]) -> Given:
    """Return the place of a release, and its policy's settings if it is given by a policy."""
    if opening.names_release(release):
        location, _ = opening.given(release)
        return Given(location, named, [None] * len(named), EngineSettings())
    policy = source_columns.of(cast(AnyGiven, release), reading=True)
    tables = kinds.of(policy).queried(policy, named)
    names, plans = [name for name, _ in tables], [plan for _, plan in tables]
    return Given(JobLocations.of(policy).release, names, plans, policy.engine)


def limited(settings: EngineSettings, seconds: float, memory_limit: str) -> EngineSettings:
    """Return the settings of an engine with other limits; raise PolicyError where these are none."""
    data = {**settings.model_dump(), "seconds": seconds, "memory_limit": memory_limit}
    try:
        return EngineSettings.model_validate(data)
    except ValidationError as error:
        raise PolicyError(problems_of(error, EngineSettings, data)) from None
