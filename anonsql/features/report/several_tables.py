"""The page of a release of several tables, for its owner or its recipients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from anonsql.engines.base import KEY, ReleaseTables, references_of
from anonsql.features.kinds.base import Page, PageOptions
from anonsql.features.report import promises
from anonsql.features.report.context import RECORD, context, review
from anonsql.features.report.document import Missing, Promise, RelationalPage, RelationalPageTable
from anonsql.features.report.made import by_run
from anonsql.features.report.released import (
    ReleasedTable,
    checks_shown,
    code_book,
    context_of,
    explained,
    named_from,
)
from anonsql.features.run.described import columns_of_tables, rows_of_tables
from anonsql.features.run.document import RelationalReport
from anonsql.features.runs.document import RunLine
from anonsql.features.verify.document import Check
from anonsql.features.verify.several_tables import verify
from anonsql.policy.columns import KEPT
from anonsql.policy.envelope import EngineSettings
from anonsql.policy.locations import JobLocations, Location
from anonsql.policy.promise_text import known
from anonsql.policy.relational import RelationalPolicy
from anonsql.presentation import page, policy_text
from anonsql.presentation.numbers import count, percent, seconds
from anonsql.presentation.tree import Code, Figures, Part, Section, Sentence
from anonsql.query import opening
from anonsql.system.clock import Progress
from anonsql.verification import plain_sql, plain_sql_tables
from anonsql.verification.facts import count_of, facts_of, missing_rows

_KEYS = (
    "Columns of keys hold surrogate numbers: the same number in every table for the same thing."
    " Keys of public tables are unchanged."
)
_CLASS = (
    " They form a class; a value counts the people in it who have the value in any row that"
    " may be theirs."
)


def page_of_policy(policy: RelationalPolicy, options: PageOptions) -> Page:
    """Return the page. Raise PolicyError when there is no release, for its owner also
    VerificationError when it does not keep its promise."""
    if options.audience == "owner":
        return _written(of_owner(policy, options.progress))
    names = [policy.plan(name).release.table or "" for name in policy.people_first]
    return page_of_release(JobLocations.of(policy).release, names, policy.engine)


def page_of_release(location: Location, names: Sequence[str], settings: EngineSettings) -> Page:
    """Return the page of released tables, people first; raise PolicyError without them."""
    return _written(of_recipient(location, names, settings))


def _written(shown: RelationalPage) -> Page:
    return Page(page_of(shown), "relational", shown)


def of_recipient(
    location: Location, names: Sequence[str], settings: EngineSettings
) -> RelationalPage:
    """Return the content of the page of released tables, people first; raise PolicyError without
    them."""
    with context_of(settings) as opened, opening.located(location, names, opened) as located:
        tables = dict(zip((name.rpartition(".")[2] for name in names), located, strict=True))
        return _page(location, names, tables)


def of_owner(policy: RelationalPolicy, progress: Progress) -> RelationalPage:
    """Return the page with how the release was made. Raise PolicyError when there is no release,
    VerificationError when it does not keep its promise."""
    verify(policy, progress=progress)
    location = JobLocations.of(policy).release
    names = [policy.plan(name).release.table or "" for name in policy.people_first]
    progress("release", 0, 0)
    relational_page = of_recipient(location, names, policy.engine)
    what, missing = "How the release was made: what became of the source", list[Missing]()
    report, run = by_run(policy, relational_page.release, RelationalReport, what, missing)
    why = "`anonsql measure` compares each table with its source, column by column."
    missing.append(Missing(what="What was lost", why=why))
    text = policy_text.shown(policy)
    return relational_page.model_copy(
        update={
            **{"recipient": policy.release.recipient, "report": report, "run": run},
            **{"policy": text, "missing": missing},
        }
    )


def _page(
    location: Location, names: Sequence[str], tables: Mapping[str, ReleaseTables]
) -> RelationalPage:
    released = {name: ReleasedTable.of(table, name) for name, table in tables.items()}
    of = next(iter(released))
    about = released[of].about
    pages = [_table(table, of) for table in released.values()]
    models = promises.stated(about)
    guarded = {name.partition(".")[2] for name in models}
    kept = [
        f"{table.table}.{column.column}"
        for table in pages
        if not table.public
        for column in table.columns
        if column.role in KEPT and f"{table.table}.{column.column}" not in guarded
    ]
    rows = "all" if about.get("known_rows") == "all" else max(count_of(about, "known_rows"), 0)
    k = released[of].k
    others = any(not table.public and not table.people for table in pages)
    return RelationalPage(
        of=of,
        k=k,
        known_rows=rows,
        method=about.get("method"),
        release=about.get("release", ""),
        named_from=named_from(k),
        tables=pages,
        promises=[
            Promise(
                name=f"k = {k}",
                says=f"An attacker who knows {known(rows, others)}, as far as columns are"
                f" quasi-identifying, finds {k} people or more that match."
                + (_CLASS if models else ""),
            ),
            *promises.of(k, about.get("method"), models)[1:],
            Promise(
                name="keys",
                says="Related rows are joined by their keys, which are numbers that depend on the"
                " released rows only: they lead neither to the original nor to another"
                " release.",
            ),
        ],
        not_covered=[
            item.about["not_covered"] for item in released.values() if "not_covered" in item.about
        ],
        does_not=[
            (
                "The number of rows of a person is visible. If the owner set a limit, no person has"
                " more."
            ),
            *promises.does_not(about.get("method"), kept, None, {**about, **_accepted(released)}),
        ],
        checks=_checks(location, names, tables),
        unchecked=list(models),
        queries=_queries(tables, names, of),
    )


def _accepted(released: Mapping[str, ReleasedTable]) -> dict[str, str]:
    return {
        f"{what}.{name}.{column}": text
        for name, entry in released.items()
        for what, _, column in (fact.partition(".") for fact in entry.about)
        if what in ("contains", "accepted")
        for text in (entry.about[f"{what}.{column}"],)
    }


def _table(released: ReleasedTable, of: str) -> RelationalPageTable:
    about = released.about
    return RelationalPageTable(
        table=released.name,
        public=about.get("public") == "yes",
        people=released.name == of,
        key=about.get(KEY, ""),
        references=dict(references_of(about)),
        rows=max(count_of(about, "rows"), 0),
        missing=missing_rows(about),
        columns=code_book(released),
    )


def _checks(
    location: Location, names: Sequence[str], tables: Mapping[str, ReleaseTables]
) -> list[Check]:
    dialect = next(iter(tables.values())).engine.dialect
    named = {
        own: plain_sql.named_in(location, name, dialect)
        for own, name in zip(tables, names, strict=True)
    }
    return [
        Check(promise=check.promise, title=check.title, says=check.says, sql=check.sql)
        for check in plain_sql_tables.checks(tables, named, dialect)
        if check.sql
    ]


def _queries(tables: Mapping[str, ReleaseTables], names: Sequence[str], of: str) -> list[str]:
    named = dict(zip(tables, names, strict=True))
    key = facts_of(tables[of]).get(KEY, "")
    dialect = tables[of].engine.dialect
    return [
        plain_sql_tables.joined(
            (tuple(named[of].split(".")), key), (tuple(named[name].split(".")), column), dialect
        )
        for name, table in tables.items()
        for column, other in references_of(facts_of(table)).items()
        if other == of
    ]


def page_of(relational_page: RelationalPage) -> str:
    """Return the page (HTML)."""
    return page.render(
        "features/report/several_tables",
        title=f"{relational_page.of}: what the tables contain and what they promise",
        charts=False,
        told=relational_page,
        before=[
            *_context(relational_page),
            Section("The tables", [Sentence(_KEYS), _tables(relational_page)], name="tables"),
            *_made(relational_page.report, relational_page.run),
        ],
        after=[
            Section("How to query", _how_to_query(relational_page), name="query"),
            Section(
                "Testing" if relational_page.policy else "See for yourself",
                _checked(relational_page),
                name="verify",
            ),
            *([] if relational_page.policy is None else [review(relational_page.recipient)]),
            *_of_policy(relational_page),
        ],
        books=[
            {
                "place": position,
                "told": table,
                "columns": explained(table.columns),
            }
            for position, table in enumerate(relational_page.tables, start=1)
        ],
    )


def _context(relational_page: RelationalPage) -> list[Section]:
    if relational_page.policy is None:
        return []
    unit = f"a person: a row of {relational_page.of}, and all rows that refer to it"
    others = any(not table.public and not table.people for table in relational_page.tables)
    adversary = (
        f"The adversary knows of a person {known(relational_page.known_rows, others)}, in all"
        f" quasi-identifying columns: at least {relational_page.k:,} people match. For this page"
        " `anonsql verify` recomputed it from the release."
    )
    return [
        context(relational_page.recipient, unit),
        Section("Adversaries and attacks", [Sentence(adversary)], name="adversaries"),
    ]


def _tables(relational_page: RelationalPage) -> Figures:
    return Figures(
        headings=["Table", "About", "Rows", "Left out", "Key", "References"],
        rows=[
            [
                table.table,
                "nobody: public" if table.public else "people" if table.people else "their rows",
                table.rows,
                table.missing,
                table.key,
                ", ".join(f"{column} → {other}" for column, other in table.references.items()),
            ]
            for table in relational_page.tables
        ],
    )


def _made(report: RelationalReport | None, run: RunLine | None) -> list[Section]:
    if report is None or run is None:
        return []
    made = (
        f"Run {run.run} of {run.started} (UTC) took {seconds(run.seconds)} and"
        f" {count(report.statements)} statements. It counted {count(report.judged)} of"
        f" {count(report.lattice)} generalizations and used the one with the lowest loss:"
        f" {percent(report.loss)} of the information of the columns, where a suppressed row counts"
        f" as a complete loss. Of {count(report.people)} people {count(report.released_people)}"
        f" are released; at least {count(report.fewest_people)} match whatever an attacker may"
        " know of a person."
    )
    alone = (
        "Rows suppressed individually are those of people, or of tables in which the policy"
        " allows it. The others were suppressed with the person, or the row, that they belong to,"
        " or exceeded the number of rows that a person may have."
    )
    became = [
        Section("What became of the rows of the source", [rows_of_tables(report), Sentence(alone)]),
        Section("What became of the columns of the source", [columns_of_tables(report)]),
    ]
    title = f"How it was made ({RECORD})"
    return [Section(title, [Sentence(made), *became], name="made")]


def _how_to_query(relational_page: RelationalPage) -> list[Part]:
    return [
        Sentence(
            "The tables are ordinary tables: any SQL client joins them along their keys. The"
            " number of rows of each person, for example:"
        ),
        *map(Code, relational_page.queries),
        Sentence(
            "Tables whose names end in `__completed`, if there are any, have the same rows with"
            " random values from the ranges of generalized ones, and are joined by `draw` and key."
            " These values are guesses; all others are as released."
        ),
        Sentence(
            "A released value like [20,30) covers several original ones, so a plain count answers"
            " only questions that fit the ranges. The program anonsql answers others, also over"
            " joined tables, with an estimate and with bounds that hold for any original values:"
            " `anonsql query RELEASE SQL`."
        ),
    ]


def _checked(relational_page: RelationalPage) -> list[Part]:
    parts = checks_shown(relational_page.checks, opened=True)
    if relational_page.known_rows not in (0, 1):
        more = (
            "These statements are about one known row. Several known rows have too many"
            " combinations for a readable statement: `anonsql verify` counts them, from the"
            " release and its policy alone."
        )
        parts.append(Sentence(more))
    if relational_page.unchecked:
        unchecked = (
            f"No statement here shows {', '.join(relational_page.unchecked)}: `anonsql verify`"
            " counts values by people for everything that an attacker may know."
        )
        parts.append(Sentence(unchecked))
    return parts


def _of_policy(relational_page: RelationalPage) -> list[Section]:
    if relational_page.policy is None:
        return []
    missing = [Sentence(f" {one.why}", f"{one.what}.") for one in relational_page.missing]
    not_shown = [Section("What this page does not show", missing)] if missing else []
    return [
        Section("The policy", [Code(relational_page.policy, long=True), *not_shown], name="policy")
    ]
