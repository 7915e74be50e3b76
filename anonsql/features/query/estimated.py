"""Estimates from the completed draws of a release: a statement without guaranteed bounds is
answered on each draw, and the answers are pooled."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace

from sqlglot import exp

from anonsql.completion import table as completion
from anonsql.engines.base import KEY, Engine, Relation, ReleaseTables, references_of
from anonsql.engines.errors import SHOW_VALUES
from anonsql.errors import PolicyError, Problem, ResourceError, SqlError
from anonsql.features.query.document import AnswerLine
from anonsql.grammar.literals import UnsupportedError
from anonsql.policy.release_parts import COMPLETED
from anonsql.policy.table_plan import TablePlan
from anonsql.privacy.differential import sample_note
from anonsql.query import drawn, opening, statements
from anonsql.query.drawn import Group, Plan, Pooled, Shown
from anonsql.query.expected_counts import BANDS, expected
from anonsql.query.opening import OpenedRelease, rows_of
from anonsql.query.parse import SUPPORTED
from anonsql.query.statements import DRAW, CompletedTable, Statement
from anonsql.sql.templates import SelectQuery
from anonsql.system.numbers import counted
from anonsql.verification.facts import facts_of, missing_rows

ESTIMATED = (
    "Estimates are available for one SELECT over released tables, with WITH, subqueries, CASE,"
    " window functions, GROUP BY, ROLLUP, HAVING, ORDER BY, LIMIT and the usual functions and"
    " aggregates."
)
"""What can be asked instead of a statement that is refused."""
MOST_GROUPS = 100_000
ROWS, MOST_ROWS = 20, 10_000
"""How many rows are shown of a query for rows that has no LIMIT, and at most."""


def completed_table(located: ReleaseTables, number: int, *, one_draw: bool = False) -> Relation:
    """Return the completed table of a release: every row once a draw, with plain values. If the
    release has none, or has one draw (too few for an error by chance) and not ``one_draw`` is
    enough, several are drawn now: the first is the one that it has. ``number`` distinguishes them
    from those of other tables. Raise UnsupportedError if a column has the name of the number of a
    draw."""
    engine, published = located.engine, located.extras.get(COMPLETED)
    if any(column.name.lower() == DRAW for column in engine.columns(located.rows)):
        text = "the release has a column draw, which is also the name of the draws' number"
        raise UnsupportedError(text)
    if published is not None and (
        one_draw or len(engine.query("query/draws", table=published)) > 1
    ):
        return published
    return completion.scratch(located, facts_of(located), number=number)


@dataclass(frozen=True)
class Estimated:
    """The estimated answer to a statement: its lines, from a number of ``draws``, or ``rows`` of
    the first one; ``release`` is that of its first table."""

    release: OpenedRelease
    answers: Sequence[AnswerLine]
    draws: int
    rows: list[dict[str, Shown]] | None
    notes: Sequence[str]


def answered(
    statement: Statement,
    located: Sequence[ReleaseTables],
    policies: Sequence[TablePlan | None],
    bounded: PolicyError | None,
    *,
    one_draw: bool = False,
) -> Estimated:
    """Return the estimated answer to a statement; ``bounded`` is the reason why there are no
    bounds, None if there are some and only the estimate is wanted; ``one_draw``: one draw is
    enough, if the release has one. Raise PolicyError for unknown columns, and for syntax that the
    engine does not know."""
    releases = [
        opening.to_ask(tables, policy) for tables, policy in zip(located, policies, strict=True)
    ]
    with not_answered(located[0].engine, bounded):
        relations = [
            completed_table(tables, number, one_draw=one_draw)
            for number, tables in enumerate(located, 1)
        ]
        tables = [_table(one, relation) for one, relation in zip(releases, relations, strict=True)]
        tree = statements.qualified(statement, tables)
        return _answered(statement, tree, releases, tables, bounded)


@contextmanager
def not_answered(
    engine: Engine, bounded: PolicyError | None, remedy: str = ESTIMATED
) -> Iterator[None]:
    """Raise PolicyError if a statement inside the ``with`` block is not supported, or unknown to
    the engine; ``bounded`` is the reason why there are no bounds either."""
    try:
        yield
    except UnsupportedError as error:
        other = refusal(str(error), remedy)
        raise other if bounded is None else both(bounded, other) from None
    except ResourceError:
        raise
    except SqlError as error:
        remedy = "Leave that part out, or release to a DuckDB file, which has more functions."
        reason = error.reason.replace(SHOW_VALUES, "").strip()
        if reason.startswith("Conversion"):
            if bounded is not None:  # it names the column
                raise bounded from None
            remedy = "Write dates as '2025-08-31' and numbers without quotes."
        other = PolicyError.at(
            "query",
            f"{engine.dialect}, where the release is stored, does not answer it:"
            f" {reason.rstrip('.')}.",
            remedy,
        )
        raise other if bounded is None else both(bounded, other) from None


def refusal(text: str, remedy: str = ESTIMATED) -> PolicyError:
    """Return the error of a statement that cannot be estimated either."""
    return PolicyError.at("query", text if text.endswith(("?", ".")) else f"{text}.", remedy)


def both(bounded: PolicyError, estimated: PolicyError) -> PolicyError:
    """Return the error of a statement that can neither be answered within bounds nor estimated; the
    same reason is given once, without the list of statements that have bounds."""
    problems: dict[str, Problem] = {}
    for problem in bounded.problems:
        remedy = "" if problem.remedy == SUPPORTED else problem.remedy
        problems[problem.found] = replace(problem, remedy=remedy)
    for problem in estimated.problems:
        problems[problem.found] = problem
    return PolicyError(list(problems.values()))


def _table(release: OpenedRelease, relation: Relation) -> CompletedTable:
    """Return a completed table with the columns that can be queried: the original ones, and those
    of keys."""
    engine = release.located.engine
    there = [column.name for column in engine.columns(relation)]
    own, links = release.about.get(KEY), dict(references_of(release.about))
    if own is not None:
        links[own] = release.located.rows[-1]
    hidden = {
        one.name: f"the values of {one.name!r} are surrogates, about which no draw shows more"
        for one in release.located.stated_columns
        if one.form == "surrogate" and one.name not in links
    }
    columns = [name for name in there if name in {*release.columns, *links} and name != DRAW]
    key = [own] if own in columns and own is not None else []
    return CompletedTable(relation, columns, hidden, key=key, links=links)


def _answered(
    statement: Statement,
    tree: exp.Select,
    releases: Sequence[OpenedRelease],
    tables: Sequence[CompletedTable],
    bounded: PolicyError | None,
) -> Estimated:
    """Return the answer to a statement, by its qualified syntax ``tree``; raise UnsupportedError
    for unsupported syntax."""
    titles = statements.titles(statement, tree, tables)
    plan = drawn.plan(tree, titles, _expressions(tree))
    engine = releases[0].located.engine
    by_table = [engine.query("query/draws", table=table.relation) for table in tables]
    numbers = sorted(set.intersection(*({int(draw) for (draw,) in rows} for rows in by_table)))
    if not numbers:
        raise UnsupportedError("the completed table of the release is empty")
    notes = []
    if plan.grouped and bounded is not None:
        notes.append(f"No bounds: {bounded.problems[0].found}")

    def ask(limit: int, draw: int) -> list[tuple[object, ...]]:
        own = plan.tree.copy().limit(limit, copy=False)
        text = statements.of_draw(own, tables, draw)
        return engine.query("query/drawn", statement=SelectQuery(text))

    if plan.grouped:
        draws = [ask(MOST_GROUPS + 1, number) for number in numbers]
        if any(len(rows) > MOST_GROUPS for rows in draws):
            raise UnsupportedError(f"there are more than {MOST_GROUPS:,} groups")
        groups = drawn.pooled(plan, draws)
        shown = drawn.cut(plan, groups)
        answers = [line for group in shown for line in _lines(plan, group, releases[0])]
        rows = None
        notes += _notes(len(numbers), groups, shown, answers)
        for release, table in zip(releases, tables, strict=True) if bounded is not None else ():
            notes += _unfit(release, table.relation, statements.columns_of(tree, table))
    else:
        limit = ROWS if plan.limit is None else min(plan.limit, MOST_ROWS)
        numbers, answers = numbers[:1], []
        rows = drawn.rows(plan.titles, ask(limit, numbers[0]))
        notes.append(
            "These are rows of the first completed draw"
            + (f", at most {ROWS} if the query has no LIMIT" if plan.limit is None else "")
            + ": values of generalized labels are drawn, all others are the source's own."
        )
    for release, table in zip(releases, tables, strict=True):
        notes += _unknown(release, statements.columns_of(tree, table))
    notes += _missing(releases)
    return Estimated(releases[0], answers, len(numbers), rows, notes)


def _expressions(tree: exp.Select) -> Mapping[str, exp.Expr]:
    """Return the common table expressions of a statement by their names, which are of one each."""
    return {one.alias: one for one in tree.find_all(exp.CTE)}


def _lines(plan: Plan, group: Group, release: OpenedRelease) -> list[AnswerLine]:
    """Return a group of the answer as lines, one for each number that the query selects; without
    any, in how many draws the group occurs."""
    shown = [number for number in range(len(plan.titles)) if number in plan.keys]
    named = {plan.titles[number]: group.outputs[number].estimate for number in shown}
    values = {plan.titles[number]: group.outputs[number] for number in plan.values}
    return [
        AnswerLine(
            aggregate=title,
            group=named or None,
            estimate=own.estimate,
            lower=None,
            upper=None,
            bounds="estimated",
            about="released rows",
            certain=0,
            possible=rows_of(release),
            draws=own.draws,
            standard_error=own.error,
        )
        for title, own in (values or {"draws": Pooled(group.draws, group.draws)}).items()
    ]


def _notes(
    draws: int, groups: Sequence[Group], shown: Sequence[Group], answers: Sequence[AnswerLine]
) -> list[str]:
    """Return the meaning of the estimates."""
    notes = [
        f"Estimated from {draws} completed draws, in which each generalized label is replaced by"
        " a random value from its range: no bound is guaranteed. The estimate is the mean of the"
        " draws; their spread (Rubin's rules) does not include errors that all draws share."
    ]
    some = [group for group in shown if group.draws < draws]
    if some:
        notes.append(
            f"{len(some):,} of {len(shown):,} groups occur only in some of the draws; their"
            " estimates use the draws that have them."
        )
    if any(isinstance(answer.estimate, str | bool) for answer in answers):
        notes.append(
            "For values that are not numbers, the most frequent value of the draws is shown."
        )
    if len(shown) < len(groups):
        notes.append(f"Shown are {len(shown):,} of {len(groups):,} groups.")
    if not groups:
        notes.append("No group is in the answer of any draw.")
    return notes


def _unknown(release: OpenedRelease, names: Sequence[str]) -> list[str]:
    """Return a note for each column without information in the release: all its draws are NULL."""
    known = [release.columns[name] for name in names if name in release.columns]
    return [
        f"{held.name} is * in every row, so nothing is known about it."
        for held in known
        if held.form == "star" and held.tree is None and held.bucketed is None
    ]


def _unfit(release: OpenedRelease, completed: Relation, names: Sequence[str]) -> list[str]:
    """Return a note on the columns of a query whose labels say too little to count by them."""
    try:
        errors = expected(release.located, completed, names)
    except ResourceError:
        raise
    except (
        PolicyError,
        SqlError,
    ):  # where no scratch table can be made, an answer has no such note
        return []
    beyond = [name for name, error in errors.items() if error > BANDS[-1]]
    if not beyond:
        return []
    return [
        f"Figures about {', '.join(beyond)} may be far off, counts by more than 20 %: the labels"
        " say too little about the values."
    ]


def _missing(releases: Sequence[OpenedRelease]) -> list[str]:
    missing = sum(missing_rows(release.about) for release in releases)
    if not missing:
        return [note for release in releases for note in sample_note(release.about)]
    about = "released rows" if len(releases) > 1 else counted(rows_of(releases[0]), "released row")
    return [f"Estimates are about the {about}, not about the {counted(missing, 'suppressed row')}."]
