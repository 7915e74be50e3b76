"""The recipient's page of a release of one table, from the release alone: a code book, the promise, how
to query, and how to see that it holds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from anonsql.features.kinds.base import Page
from anonsql.features.measure import counting
from anonsql.features.measure.described import count_by
from anonsql.features.report import charts, promises
from anonsql.features.report.document import CodeBookColumn, RecipientPage
from anonsql.features.report.released import (
    ReleasedTable,
    checks,
    checks_shown,
    class_sizes,
    code_book,
    combinations,
    context_of,
    explained,
)
from anonsql.features.run.described import ReleaseToAsk, queries
from anonsql.policy.columns import GENERALIZED, KEPT
from anonsql.policy.envelope import EngineSettings
from anonsql.policy.locations import Location
from anonsql.policy.release_parts import COMPLETED
from anonsql.presentation import page
from anonsql.presentation.documents import Place
from anonsql.presentation.tree import Code, Figures, Part, Section, Sentence
from anonsql.query import opening
from anonsql.query.expected_counts import expected
from anonsql.query.opening import rows_of
from anonsql.sql.templates import render
from anonsql.verification.facts import missing_rows

_HIDDEN = ("release",)
"""Facts that say nothing to a reader."""
_ESTIMATED = (
    "This is a cautious estimate from the release alone: the values that a released value covers"
    " can be distributed in several ways, and counts that depend on the way are unknown. Numbers"
    " and dates of more than ten values are counted in ten groups."
)
_LEAST = re.compile(r"\[(-?[0-9]+(?:\.[0-9]+)?),")


def page_of_release(location: Location, table: str, settings: EngineSettings) -> Page:
    """Return the page of a table's release; raise PolicyError when there is none."""
    shown = gather(location, table, settings)
    return Page(page_of(shown), "recipient", shown)


def gather(location: Location, table: str, settings: EngineSettings) -> RecipientPage:
    """Return the content of the page of a table's release; raise PolicyError when there is none."""
    with (
        context_of(settings) as context,
        opening.opened(location, None, table, context) as opened,
    ):
        released = ReleasedTable.of(opened.located, table)
        book = code_book(released)
        method, stated = released.about.get("method"), promises.stated(released.about)
        completed = opened.located.extras.get(COMPLETED)
        errors = {} if completed is None else expected(opened.located, completed)
        labels = [c.column for c in book if c.role in GENERALIZED and c.values is not None]
        return RecipientPage(
            table=table,
            method=method,
            k=released.k,
            named_from=released.named_from,
            rows=rows_of(opened),
            suppressed=missing_rows(released.about),
            facts={k: v for k, v in released.about.items() if k not in _HIDDEN},
            promises=promises.of(released.k, method, stated, combinations(released, labels)),
            does_not=promises.does_not(
                method,
                promises.left_open({c.column: c.role or "" for c in book}, stated),
                released.about.get("identity"),
                released.about,
            ),
            columns=book,
            class_sizes=class_sizes(released),
            counts=[counting.line(name, error) for name, error in errors.items()],
            queries=_queries(released, location, book),
            question=_question(table, book),
            checks=checks(released, location),
            facts_in=_facts_in(location, table),
            missing=[],
        )


def _facts_in(location: Location, table: str) -> str:
    if location.companion is not None:
        return f"The file {location.companion.name}"
    return "The metadata of the file" if location.is_single else f"The table {table}__about"


def _queries(
    release: ReleasedTable, location: Location, book: Sequence[CodeBookColumn]
) -> list[str]:
    columns = [
        column
        for column in book
        if column.role in (*GENERALIZED, *KEPT) and column.values is not None
    ]
    if not any(column.role in GENERALIZED for column in columns):
        return []
    buckets = [column.column.removesuffix("_bucket") for column in book if column.role == "bucket"]
    return queries(
        ReleaseToAsk(
            release=Place(
                database=location.path.name if location.is_file else str(location),
                table=release.name,
            ),
            columns=columns,
            method=release.about.get("method", ""),
            identity=release.about.get("identity"),
            withheld=buckets,
            combinations=2 if "quasi_identifiers" in release.about else 1,
            min_people=release.about.get("min_people"),
        )
    )


def _question(table: str, book: Sequence[CodeBookColumn]) -> str | None:
    least: list[tuple[str, Decimal]] = []
    equal: list[tuple[str, str]] = []
    for column in book:
        words = [one.value for one in column.common if one.value is not None]
        if column.role in GENERALIZED and not least:
            starts = sorted(Decimal(match[1]) for one in words if (match := _LEAST.match(one)))
            least += [(column.column, starts[len(starts) // 2])] if starts else []
        elif column.role in KEPT and words and column.type == "VARCHAR":
            equal = equal or [(column.column, words[0])]
    if not least and not equal:
        return None
    return render("features/report/question", table=table.split("."), least=least, equal=equal)


def page_of(recipient_page: RecipientPage) -> str:
    """Return the page (HTML)."""
    sizes = [charts.class_sizes(size, recipient_page.k) for size in recipient_page.class_sizes]
    checked = checks_shown(recipient_page.checks, opened=True)
    verifying = Section("See for yourself", checked, name="verify")
    return page.render(
        "features/report/recipient",
        title=f"{recipient_page.table}: what it contains and what it promises",
        charts=False,
        told=recipient_page,
        columns=explained(recipient_page.columns),
        class_sizes=sizes,
        facts=_facts(recipient_page),
        sections=[
            Section("How to query", _how_to_query(recipient_page), name="query"),
            *([verifying] if recipient_page.checks else []),
        ],
    )


def _facts(recipient_page: RecipientPage) -> list[Part]:
    facts = Figures(["Property", "Value"], list(recipient_page.facts.items()))
    return [
        Section(
            "What the release states about itself",
            [
                Sentence(f"{recipient_page.facts_in} contains these facts."),
                Section(f"All {len(recipient_page.facts)} facts", [facts], folded=True),
            ],
        )
    ]


def _how_to_query(recipient_page: RecipientPage) -> list[Part]:
    parts: list[Part] = [
        Sentence(
            "The release is an ordinary table: any SQL client that opens it can count and group"
            " its rows. Columns that end in `_lo` and `_hi`, if there are any, contain the lowest"
            " and the highest possible original value, as numbers or dates to compute with."
        ),
        *map(Code, recipient_page.queries),
    ]
    if (completed := recipient_page.facts.get("completed")) is not None:
        says = (
            f"`{recipient_page.table}__completed` has the same rows, with one random value from"
            " its range for every released value; its column `draw` numbers the copies"
            f" ({completed}). It opens in any tool for statistics. The values are guesses:"
            " good for distributions and models, not for single rows. Relations between columns"
            " can be weaker than in the source."
        )
        by_column = list(map(Sentence, count_by(recipient_page.counts, may=True)))
        if by_column:
            by_column.append(Sentence(_ESTIMATED))
        parts.append(Section("Plain values", [Sentence(says), *by_column]))
    if recipient_page.question is not None:
        says = (
            "A released value like [20,30) covers several original ones, so a plain count answers"
            " only questions that fit the ranges. The program anonsql answers others, with an"
            " estimate and with bounds that hold for any original values: `anonsql query RELEASE"
            " SQL`, where RELEASE is the file or address of this release and SQL a question like"
            " this one."
        )
        asked = [Sentence(says), Code(recipient_page.question)]
        parts.append(Section("Questions about the original values", asked))
    return parts
