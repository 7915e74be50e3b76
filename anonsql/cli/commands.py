"""The command line: a function for each command, whose annotations and docstring ``--help`` shows.
Most name the Python function that does the work (:func:`anonsql.cli.options.calls`); the others,
which choose between several, call it. Imports happen only when a command runs, so that ``--help``
is quick."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from anonsql.cli.console import (
    INTERRUPTED,
    Masking,
    OfPolicy,
    Output,
    carry_out,
    open_page,
)
from anonsql.cli.options import (
    ALL,
    DOCUMENT,
    STATEMENTS,
    CatalogOf,
    DryRun,
    IfChanged,
    Page,
    PolicyFile,
    Scheme,
    Target,
    TargetModel,
    calls,
    output_options,
)
from anonsql.sql.dialects import Dialect
from anonsql.system import streams
from anonsql.version import __version__

if TYPE_CHECKING:
    from anonsql.features.check.document import CheckReport
    from anonsql.features.compare.document import CompareReport
    from anonsql.features.init.document import InitReport
    from anonsql.features.mcp.document import McpReport
    from anonsql.features.report.document import PageReport
    from anonsql.features.run.document import RelationalReport, Report
    from anonsql.features.run.unchanged import Known
    from anonsql.features.tabulate.document import StatisticsReport
    from anonsql.features.verify.document import VerificationSql
    from anonsql.presentation.tree import Part
    from anonsql.system.clock import Progress

_ALLOCATIONS = 50_000
"""Objects between two searches for circles of garbage: importing makes a million that stay."""

app = typer.Typer(
    cls=Masking,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help=(
        "Release a table that keeps a stated privacy promise and is otherwise as useful as"
        " possible, by SQL that runs where the data is."
    ),
)


def _require_publishing(if_changed: bool, dry_run: bool) -> None:
    """Refuse options that exclude each other."""
    if if_changed and dry_run:
        raise typer.BadParameter(
            "--if-changed compares with the published release: leave --dry-run out"
        )


def _whole_numbers(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise typer.BadParameter(
            f"--k: {text!r} is not a list of whole numbers such as 5,10,20"
        ) from None


def _end_checked(report: CheckReport, output: Output) -> None:
    """Write the problems where nothing else does, and end with their exit code."""
    if output.quiet and not output.as_json:
        for problem in report.problems:
            sys.stderr.write(
                f"error: {problem.where}: {problem.message} {problem.remedy}".rstrip() + "\n"
            )
    if report.problems:
        raise typer.Exit(report.exit_code)


def _end_compared(report: CompareReport, output: Output) -> None:
    """Write the reasons for unmet policies if nothing else does, and end with an exit code if no
    tried policy is met."""
    from anonsql.errors import PolicyError, PrivacyError
    from anonsql.features.compare.described import unmet

    if output.quiet and not output.as_json:
        for reason, names in unmet(report.policies):
            sys.stderr.write(f"error: {', '.join(names)}: {reason}\n")
    if getattr(report, "interrupted", False):
        raise typer.Exit(INTERRUPTED)
    statuses = [line.status for line in report.policies]
    if "met" not in statuses:
        not_met = "not met" in statuses
        raise typer.Exit(PrivacyError.exit_code if not_met else PolicyError.exit_code)


def _printed(shown: VerificationSql) -> Sequence[Part]:
    """Print verification SQL as a script, whatever the width of the terminal."""
    sys.stdout.write(shown.script)
    return []


@app.command()
@output_options(ALL)
def run(
    policy: PolicyFile,
    output: Output,
    if_changed: Annotated[bool, IfChanged] = False,
    dry_run: Annotated[bool, DryRun] = False,
) -> None:
    """Do the whole job: search, recode, verify, publish."""
    _require_publishing(if_changed, dry_run)

    def work(progress: Progress) -> Report | RelationalReport | StatisticsReport | Known:
        if if_changed:
            from anonsql.features.run import unchanged

            if (known := unchanged.known(policy)) is not None:
                return known
        from anonsql import api

        return api.run(
            policy,
            if_changed=if_changed,
            dry_run=dry_run,
            progress=progress,
            show_values=output.show_values,
        )

    carry_out(work, output)


@app.command()
@output_options(ALL)
@calls("api.tabulate")
def tabulate(
    policy: PolicyFile,
    if_changed: Annotated[bool, IfChanged] = False,
    dry_run: Annotated[bool, DryRun] = False,
) -> None:
    """Publish tables of counts and sums.

    Count, protect small cells, verify, publish.
    """
    _require_publishing(if_changed, dry_run)


@app.command()
@output_options(ALL)
@calls("features.apply.command.apply")
def apply(policy: PolicyFile, levels_of: Annotated[str, Scheme]) -> None:
    """Recode new rows with the levels of an earlier release.

    Rows that would break k are left out and counted.
    """


@app.command("compile")
@output_options(ALL)
@calls("features.compile.command.compile")
def compile_policy(
    policy: PolicyFile,
    dialect: Annotated[Dialect, typer.Option("--dialect", help="The dialect of the SQL.")],
    folder: Annotated[
        Path,
        typer.Option(
            "-o",
            "--output",
            metavar="DIR",
            help="The folder to write to: a new one, or one that this command made; with --dbt"
            " the file, named like the release.",
        ),
    ],
    as_dbt: Annotated[
        bool, typer.Option("--dbt", help="Write one file instead of a folder: a dbt model.")
    ] = False,
    levels_of: Annotated[str | None, Scheme] = None,
    source: Annotated[
        str | None,
        typer.Option(
            "--source",
            metavar="TABLE",
            help="The name of the source where the SQL will run, if different.",
        ),
    ] = None,
) -> None:
    """Write the recoding as SQL files for a warehouse.

    Hierarchies, release, and queries that return the rows that break a promise.
    """


@app.command()
@output_options(ALL)
@calls("api.search")
def search(
    policy: PolicyFile,
    explain: Annotated[
        bool, typer.Option("--explain", help="Also report how the search went.")
    ] = False,
    html: Annotated[Path | None, Page] = None,
) -> None:
    """List every generalization that keeps the promise.

    Nothing is published.
    """


@app.command()
@output_options(STATEMENTS)
def verify(
    policy: PolicyFile,
    output: Output,
    against_source: Annotated[
        bool,
        typer.Option(
            "--against-source",
            help="Also find the source rows that each released row may come from.",
        ),
    ] = False,
    sql: Annotated[
        bool,
        typer.Option(
            "--sql",
            help="Check nothing: print the promises as SQL that anyone can run on the release.",
        ),
    ] = False,
    dialect: Annotated[
        Dialect | None,
        typer.Option("--dialect", help="The dialect of --sql; by default that of the release."),
    ] = None,
) -> None:
    """Check a published release again.

    It is checked by itself, or also against its source. With --sql, print the statements by which
    others can check it.
    """
    from anonsql import api
    from anonsql.features.verify.command import verification_sql

    if against_source and sql:
        raise typer.BadParameter("--sql checks only the release: leave --against-source out")
    if dialect is not None and not sql:
        raise typer.BadParameter("--dialect needs --sql")
    if sql:
        carry_out(lambda _: verification_sql(policy, dialect), output, describe=_printed)
        return

    work = partial(api.verify, policy, against_source=against_source)
    carry_out(lambda progress: work(progress=progress), output)


@app.command()
@output_options(ALL)
@calls("features.measure.command.measure")
def measure(
    policy: PolicyFile,
    file: Annotated[
        Path | None,
        typer.Option(
            "--workload", metavar="FILE", help="Ask the COUNT queries of this SQL file instead."
        ),
    ] = None,
    queries: Annotated[int, typer.Option(help="The number of random queries.")] = 1000,
    predicates: Annotated[
        int, typer.Option(help="The largest number of columns in a random query.")
    ] = 2,
    selectivity: Annotated[
        float, typer.Option(help="The share of the rows that a random query should select.")
    ] = 0.05,
    seed: Annotated[int, typer.Option(help="A different seed gives different random queries.")] = 0,
    sanity_bound: Annotated[
        float,
        typer.Option(
            "--sanity-bound",
            help="The lowest true answer that errors are relative to; smaller answers count as"
            " this.",
        ),
    ] = 1.0,
    sum: Annotated[
        str | None,
        typer.Option(
            "--sum", metavar="COLUMN", help="Ask for the sum of this column, with bounds."
        ),
    ] = None,
    target: Annotated[str | None, Target] = None,
    model: Annotated[Literal["regression", "trees"] | None, TargetModel] = None,
) -> None:
    """Compare a published release with its source.

    How much its values lost, and how well it answers queries.
    """


@app.command()
@output_options(ALL)
@calls("features.risk.command.risk")
def risk(
    policy: PolicyFile,
    source: Annotated[
        bool, typer.Option("--source", help="Use the source, not the release.")
    ] = False,
    population: Annotated[
        int | None, typer.Option(help="The size of the population of which the table is a sample.")
    ] = None,
    fraction: Annotated[
        float | None, typer.Option(help="The table's share of the population.")
    ] = None,
    weight: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="The column with the number of people that each row represents."
        ),
    ] = None,
    accepted: Annotated[
        list[str] | None,
        typer.Option("--above", help="An accepted risk, e.g. 0.05 or 1/11; can be repeated."),
    ] = None,
    any_null: Annotated[
        bool, typer.Option("--any-null", help="NULL matches anything in individual risk.")
    ] = False,
    special: Annotated[
        int,
        typer.Option(
            metavar="SIZE", help="Find rows that are unique by up to this many columns (SUDA2)."
        ),
    ] = 0,
    identifiers: Annotated[
        bool,
        typer.Option(
            "--identifiers", help="Find columns like the identifiers of HIPAA's safe harbor."
        ),
    ] = False,
    html: Annotated[Path | None, Page] = None,
) -> None:
    """Estimate how likely rows are to be re-identified."""


@app.command()
@output_options(ALL)
@calls("features.attack.command.attack")
def attack(
    policy: PolicyFile,
    kinds: Annotated[
        list[str] | None,
        typer.Option(help="Run only these attacks, separated by commas; can be repeated."),
    ] = None,
    attempts: Annotated[
        int, typer.Option(help="The largest number of guesses of each attack.")
    ] = 2000,
    seed: Annotated[int, typer.Option(help="The seed of all random choices.")] = 0,
    control: Annotated[
        str | None,
        typer.Option(
            metavar="TABLE",
            help="A table like the source, with rows that were not released, to compare with.",
        ),
    ] = None,
    confidence: Annotated[float, typer.Option(help="The confidence of intervals.")] = 0.95,
    with_releases: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="RELEASE",
            help="Another release of the source, or its policy; can be repeated. Also find out"
            " what all of them reveal together.",
        ),
    ] = None,
    html: Annotated[Path | None, Page] = None,
) -> dict[str, Any]:
    """Attack a published release.

    Report what an attacker learns beyond the promise.
    """
    return {"kinds": [kind for text in kinds or () for kind in text.split(",")]}


@app.command()
@output_options(ALL)
@calls("features.compare.command.compare", _end_compared)
def compare(
    policies: Annotated[
        list[Path], typer.Argument(metavar="POLICY…", help="Policy files (YAML) of one source.")
    ],
    queries: Annotated[
        int, typer.Option(help="The number of random COUNT queries, the same for all policies.")
    ] = 1000,
    html: Annotated[Path | None, Page] = None,
    target: Annotated[str | None, Target] = None,
    model: Annotated[Literal["regression", "trees"] | None, TargetModel] = None,
) -> None:
    """Try several policies and compare the results.

    Nothing is published.

    error: of the answers to random COUNT queries, the median and nine in
    ten; the policies are sorted by it. lost: share of detail (0 to 1), by
    the hierarchies (loss) and by the values of the source (GCP). left out:
    suppressed rows. untrue: rows with changed entries. uniform: whether all
    values of a column have one level. risk: the highest for one person.
    seconds: all but publishing. * marks the best.
    Exit code 0: a policy keeps its promise; 1: none can; 2: all failed.
    """


@app.command()
@output_options(ALL)
@calls("features.advise.command.advise", _end_compared)
def advise(
    policy: PolicyFile,
    ks: Annotated[
        str | None,
        typer.Option(
            "--k",
            metavar="5,10,20",
            help="The values of k to try; by default the policy's, its half and its double.",
        ),
    ] = None,
    methods: Annotated[
        str | None,
        typer.Option(
            "--methods",
            metavar="A,B",
            help="The methods to try, or all; by default the most promising.",
        ),
    ] = None,
    purpose: Annotated[
        Literal["counts", "means", "models"],
        typer.Option(
            "--for",
            help=(
                "Rank choices by errors of COUNT queries, of means by group, or of a regression"
                " of the target (or, with none, by how well rows can be distinguished from the"
                " source's)."
            ),
        ),
    ] = "counts",
    target: Annotated[str | None, Target] = None,
    budget: Annotated[
        float, typer.Option(help="The time limit in seconds for all choices together.")
    ] = 60.0,
    queries: Annotated[
        int, typer.Option(help="The number of random COUNT queries, the same for all choices.")
    ] = 1000,
    html: Annotated[Path | None, Page] = None,
) -> dict[str, Any]:
    """Try methods and values of k, and recommend one.

    They are compared as by `compare`, on a sample of the people first where
    the table is large. Nothing is published.

    Ctrl-C ends it and shows what is done. Exit code 0: a choice keeps its
    promise; 1: none can; 2: all failed; 130: interrupted.
    """
    return {
        "ks": None if ks is None else _whole_numbers(ks),
        "methods": None if methods is None else [part.strip() for part in methods.split(",")],
    }


@app.command()
@output_options(STATEMENTS)
@calls("features.query.command.query")
def query(
    release: Annotated[
        str,
        typer.Argument(
            metavar="RELEASE",
            help="A DuckDB, Parquet or CSV file, a folder, a server's URL, or a policy file.",
        ),
    ],
    sql: Annotated[
        str, typer.Argument(metavar="SQL", help="SELECT COUNT(*), SUM(a), AVG(b) FROM r WHERE …")
    ],
    bounded: Annotated[
        bool,
        typer.Option("--bounded", help="Answer within guaranteed bounds, or not at all."),
    ] = False,
    seconds: Annotated[
        float, typer.Option(help="The time limit in seconds for the answer.")
    ] = 60.0,
    memory_limit: Annotated[
        str, typer.Option("--memory-limit", help="The memory limit for the answer, such as 12GB.")
    ] = "4GB",
) -> None:
    """Answer a query about the source from its release.

    The answer has an estimate, and bounds that hold whatever the original values were.
    """


@app.command()
@output_options(("verbose", "log_format"))
def mcp(
    releases: Annotated[
        list[str],
        typer.Argument(
            metavar="RELEASE…",
            help="A DuckDB, Parquet or CSV file, a folder, or a server's URL: no policy.",
        ),
    ],
    output: Output,
    seconds: Annotated[float, typer.Option(help="The seconds that an answer may take.")] = 60.0,
    memory_limit: Annotated[
        str, typer.Option("--memory-limit", help="The memory limit for the answer, such as 12GB.")
    ] = "4GB",
) -> None:
    """Answer an AI agent from releases.

    It speaks the Model Context Protocol on stdin and stdout, and opens nothing else.
    """
    from anonsql.features.mcp.command import mcp as serve

    def work(_progress: Progress) -> McpReport:
        return serve(releases, seconds=seconds, memory_limit=memory_limit)

    carry_out(work, replace(output, quiet=True))


@app.command()
@output_options(ALL)
def report(
    policy: Annotated[
        str,
        typer.Argument(
            metavar="POLICY",
            help="The policy file (YAML); for a recipient also the release itself.",
        ),
    ],
    output: Output,
    page: Annotated[
        Path, typer.Option("-o", "--output", metavar="FILE", help="The page to write.")
    ] = Path("report.html"),
    audience: Annotated[
        Literal["owner", "recipient"],
        typer.Option(
            "--for",
            help="The reader of the page; a recipient's page is made from the release only.",
        ),
    ] = "owner",
    attacked: Annotated[
        bool, typer.Option("--attack", help="Attack the release, and show the results.")
    ] = False,
    csv: Annotated[
        Path | None,
        typer.Option("--csv", metavar="DIR", help="Also write tables of statistics as CSV."),
    ] = None,
    sdmx: Annotated[
        Path | None,
        typer.Option("--sdmx", metavar="DIR", help="Also write them as SDMX-CSV."),
    ] = None,
    open_it: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
) -> None:
    """Write a page (HTML) about a published release.

    It is for you, or for those who receive the release.
    """
    from anonsql.features.report.command import report as report_release

    def work(progress: Progress) -> PageReport:
        return report_release(
            policy,
            page,
            audience=audience,
            attack=attacked,
            csv=csv,
            sdmx=sdmx,
            progress=progress,
            show_values=output.show_values,
        )

    page_report = carry_out(work, output)
    if open_it:
        open_page(Path(page_report.page))


@app.command()
@output_options(ALL)
@calls("features.check.command.check", _end_checked)
def check(policy: PolicyFile) -> None:
    """Report all problems of the policy and its data.

    Nothing is changed.
    """


@app.command()
@output_options(DOCUMENT)
def init(
    database: Annotated[
        str,
        typer.Argument(
            metavar="DATABASE",
            help="A DuckDB, CSV or Parquet file, or a URL of PostgreSQL or Spark.",
        ),
    ],
    output: Output,
    table: Annotated[
        str | None, typer.Argument(metavar="TABLE", help="The table of the database.")
    ] = None,
    of: Annotated[
        str | None,
        typer.Option(
            "--of",
            metavar="PEOPLE",
            help="Instead of TABLE: the table in which every row is a person, with all tables"
            " that refer to it.",
        ),
    ] = None,
    policy: Annotated[
        Path, typer.Option("-o", "--output", help="The policy file to write.")
    ] = Path("policy.yaml"),
    header: Annotated[
        bool | None,
        typer.Option(
            "--header/--no-header", help="Whether the first line of a CSV file names its columns."
        ),
    ] = None,
    names: Annotated[
        str | None,
        typer.Option(
            "--names",
            metavar="A,B,…",
            help="The names of a CSV file's columns, if it has none or wrong ones.",
        ),
    ] = None,
    statistics: Annotated[
        bool,
        typer.Option("--statistics", help="A policy of tables of counts and sums, not of rows."),
    ] = False,
    dbt: Annotated[
        Path | None,
        typer.Option(
            "--dbt", metavar="FILE", help="dbt's target/manifest.json, whose models state roles."
        ),
    ] = None,
    contract: Annotated[
        Path | None,
        typer.Option("--contract", metavar="FILE", help="A data contract (ODCS 3), likewise."),
    ] = None,
) -> None:
    """Propose a policy for a table, or for several.

    The policy has comments, and you finish it.
    """
    from anonsql.features.init.command import init as init_policy
    from anonsql.features.init.several_tables import init_tables
    from anonsql.features.init.statistics import init_statistics

    if statistics and of is not None:
        raise typer.BadParameter("--statistics supports one table only: leave --of out")
    first_line = header if names is None else [name.strip() for name in names.split(",")]
    if names is not None and header is not None:
        raise typer.BadParameter("--names replaces the first line: leave the other option out")
    if of is not None and (table is not None or first_line is not None):
        raise typer.BadParameter(
            "--of proposes a policy for all tables of people: leave the other options out"
        )
    if (dbt or contract) and (of is not None or statistics or (dbt and contract)):
        raise typer.BadParameter("--dbt or --contract is for a policy of one table's rows, alone")
    stated: tuple[Literal["dbt", "contract"], Path] | None = (
        ("dbt", dbt) if dbt else ("contract", contract) if contract else None
    )

    def work(_progress: Progress) -> InitReport:
        if of is not None:
            return init_tables(database, of, policy)
        if statistics:
            return init_statistics(database, table, policy, first_line)
        return init_policy(database, table, policy, first_line, stated)

    carry_out(work, output)


@app.command()
@output_options((*DOCUMENT, "verbose"))
def demo(
    output: Output,
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder for table, policy and release.")
    ] = Path("anonsql-demo"),
    rows: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=1_000_000_000,
            help="The number of rows to generate: of people (30,000), or of visits (3,000).",
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option(min=0, max=2_000_000_000, help="A different seed gives different people.")
    ] = 1,
    statistics: Annotated[
        bool,
        typer.Option("--statistics", help="Tables of counts and sums of a hospital's visits."),
    ] = False,
) -> None:
    """Do the whole job on generated data."""
    from anonsql import api
    from anonsql.features.demo import command as demonstration
    from anonsql.features.demo import statistics as of_statistics
    from anonsql.features.demo.described import describe
    from anonsql.features.report.command import report as report_release
    from anonsql.presentation.page import bundling

    page = folder / "report.html"

    def work(progress: Progress) -> Report | RelationalReport | StatisticsReport:
        if statistics:
            policy = of_statistics.write(folder, rows or 3_000, seed)
            published = api.tabulate(policy, progress=progress)
            api.verify(policy, progress=progress)
            report_release(policy, page, progress=progress)
            return published
        bundling()
        policy = demonstration.write(folder, rows or 30_000, seed, visits=True)
        made = api.run(policy, progress=progress)
        report_release(policy, page, progress=progress)
        return made

    carry_out(work, output, describe=partial(describe, page=page))


@app.command()
def guide(
    topic: Annotated[
        str | None,
        typer.Argument(
            metavar="WORD", help="The page to show, or a word to look for; without one, the index."
        ),
    ] = None,
    example: Annotated[
        bool,
        typer.Option("--example", help="Print the table (CSV) that the pages' examples use."),
    ] = False,
    search_for: Annotated[
        str | None,
        typer.Option("--search", metavar="WORD", help="List the pages that contain a word."),
    ] = None,
) -> None:
    """Show the manual.

    It has a page for each method, privacy model, engine, command and task.
    """
    from anonsql.features.guide import command as manual

    def work(_progress: Progress) -> manual.Page:
        if example:
            return manual.example()
        return manual.page(topic) if search_for is None else manual.search(search_for)

    def shown(page: manual.Page) -> Sequence[Part]:
        from rich.console import Console

        manual.show(Console(), page)
        return []

    carry_out(work, Output(), describe=shown)


@app.command()
@output_options(DOCUMENT)
@calls("features.ledger.command.ledger")
def ledger(
    policy: PolicyFile,
    begin_anew: Annotated[
        bool,
        typer.Option(
            "--begin-anew",
            help="Discard the ledger of earlier releases: the promise over time holds from the"
            " next release on.",
        ),
    ] = False,
    end: Annotated[
        bool,
        typer.Option(
            "--end",
            help="End the series: policies without a promise over time may follow.",
        ),
    ] = False,
) -> None:
    """Show the ledger of releases over time.

    Each release, its rows, and the rows held back.
    """


history_app = typer.Typer(
    cls=OfPolicy,
    invoke_without_command=True,
    subcommand_metavar="POLICY | show ID",
    help="List the runs that the catalog has recorded.",
)
app.add_typer(history_app, name="runs")


@history_app.callback()
@output_options(DOCUMENT)
def runs(
    context: typer.Context,
    output: Output,
    policy: Annotated[Path, CatalogOf] = Path("policy.yaml"),
) -> None:
    """List the runs of a policy, the latest first."""
    from anonsql.features.runs import command as catalog_runs

    if context.invoked_subcommand is None:
        carry_out(lambda _progress: catalog_runs.runs(policy), output)
    else:
        context.obj = policy


@history_app.command()
@output_options(DOCUMENT)
def show(
    context: typer.Context,
    run_id: Annotated[int, typer.Argument(metavar="ID", help="The number of the run.")],
    output: Output,
    policy: Annotated[Path | None, CatalogOf] = None,
) -> None:
    """Show one run: every statement with its rows and milliseconds, and the report."""
    from anonsql.features.runs import command as catalog_runs

    carry_out(lambda _progress: catalog_runs.show(policy or context.obj, run_id), output)


def _version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"anonsql {__version__}\n")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Options of the whole program."""


def main() -> None:
    """Run the ``anonsql`` command."""
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")  # to look for them takes a while
    gc.set_threshold(_ALLOCATIONS)
    try:
        with streams.tolerant():
            app(prog_name="anonsql")
    finally:
        gc.freeze()  # the process ends: what is left need not be looked through
