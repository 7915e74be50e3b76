"""The command line: thin commands over the Python functions."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from anonsql import api
from anonsql import demo as demonstration
from anonsql.cli.console import Masking, Output, carry_out
from anonsql.commands import guide as manual
from anonsql.commands import runs as history
from anonsql.commands.check import check as check_policy
from anonsql.commands.init import init as init_policy
from anonsql.commands.measure import measure as measure_release
from anonsql.errors import PolicyError, PrivacyError
from anonsql.jobs.job import Progress
from anonsql.measures.workload import WorkloadSettings
from anonsql.report import compared, terminal, usefulness
from anonsql.report.documents import CheckReport, CompileReport, InitReport, Report
from anonsql.report.usefulness_documents import CompareReport, MeasureReport, QueryReport
from anonsql.sql.dialects import Dialect
from anonsql.system import logs, streams
from anonsql.version import __version__

app = typer.Typer(
    cls=Masking,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help=(
        "Release a table as useful as a stated privacy promise allows, by SQL that runs where the"
        " data lives."
    ),
)
PolicyFile = Annotated[Path, typer.Argument(metavar="POLICY", help="The policy file (YAML).")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]
ShowValues = Annotated[
    bool, typer.Option("--show-values", help="Show offending source values in errors, on stderr.")
]
LogFormat = Annotated[
    logs.Format, typer.Option("--log-format", help="Of what is logged on stderr: text or json.")
]
Verbose = Annotated[
    bool,
    typer.Option(
        "--verbose", "-v", help="Log every statement on stderr: name, rows, milliseconds."
    ),
]


@app.command()
def run(
    policy: PolicyFile,
    if_changed: Annotated[
        bool,
        typer.Option(
            "--if-changed", help="Skip when source, hierarchies and policy are as published."
        ),
    ] = False,
    as_json: Json = False,
    quiet: Quiet = False,
    show_values: ShowValues = False,
    verbose: Verbose = False,
    log_format: LogFormat = "text",
) -> None:
    """The whole job: search, recode, verify, publish."""
    output = Output(as_json, quiet, show_values, verbose, log_format)

    def work(progress: Progress) -> Report:
        return api.run(policy, if_changed=if_changed, progress=progress, show_values=show_values)

    carry_out(work, terminal.run, output)


@app.command()
def apply(
    policy: PolicyFile,
    scheme: Annotated[
        str,
        typer.Option(
            "--scheme",
            metavar="RELEASE_OR_RUN",
            help="Release (file, folder, table) or run number.",
        ),
    ],
    as_json: Json = False,
    quiet: Quiet = False,
    show_values: ShowValues = False,
    verbose: Verbose = False,
    log_format: LogFormat = "text",
) -> None:
    """Recode new rows with the levels of an earlier release; rows that would break k are left out
    and counted."""
    output = Output(as_json, quiet, show_values, verbose, log_format)
    carry_out(
        lambda progress: api.apply(policy, scheme, progress=progress, show_values=show_values),
        terminal.run,
        output,
    )


@app.command("compile")
def compile_policy(
    policy: PolicyFile,
    dialect: Annotated[Dialect, typer.Option("--dialect", help="Of the SQL to write.")],
    folder: Annotated[
        Path,
        typer.Option(
            "-o", "--output", metavar="DIR", help="Where to write it: a new folder, or one of ours."
        ),
    ],
    scheme: Annotated[
        str | None,
        typer.Option(
            "--scheme", metavar="RELEASE_OR_RUN", help="Use these levels, and search none."
        ),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option("--source", metavar="TABLE", help="The source's name there, if another."),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
    show_values: ShowValues = False,
    verbose: Verbose = False,
    log_format: LogFormat = "text",
) -> None:
    """Write the recoding as plain SQL files for a warehouse: hierarchies, release, and queries that
    return offenders."""
    output = Output(as_json, quiet, show_values, verbose, log_format)

    def work(progress: Progress) -> CompileReport:
        return api.compile(
            policy,
            dialect,
            folder,
            levels_of=scheme,
            source=source,
            progress=progress,
            show_values=show_values,
        )

    carry_out(work, terminal.compiled, output)


@app.command()
def search(
    policy: PolicyFile,
    as_json: Json = False,
    quiet: Quiet = False,
    show_values: ShowValues = False,
    verbose: Verbose = False,
    log_format: LogFormat = "text",
    explain: Annotated[bool, typer.Option("--explain", help="Tell how the search went.")] = False,
) -> None:
    """Every satisfying generalization; publishes nothing."""
    output = Output(as_json, quiet, show_values, verbose, log_format)
    work = partial(api.search, policy, explain=explain, show_values=show_values)
    carry_out(lambda progress: work(progress=progress), terminal.search, output)


@app.command()
def verify(
    policy: PolicyFile,
    against_source: Annotated[
        bool, typer.Option("--against-source", help="Judge by who may be whom in the source, too.")
    ] = False,
    as_json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
    log_format: LogFormat = "text",
) -> None:
    """Re-check what is published, from the release alone or against its source."""
    output = Output(as_json, quiet, False, verbose, log_format)
    carry_out(
        lambda progress: api.verify(policy, against_source=against_source, progress=progress),
        terminal.verify,
        output,
    )


@app.command()
def measure(
    policy: PolicyFile,
    workload: Annotated[
        Path | None,
        typer.Option("--workload", metavar="FILE", help="COUNT queries (SQL), not random ones."),
    ] = None,
    queries: Annotated[int, typer.Option(help="How many random queries.")] = 1000,
    predicates: Annotated[
        int, typer.Option(help="Columns that each of them asks for, at most.")
    ] = 2,
    selectivity: Annotated[
        float, typer.Option(help="Share of the rows that they are to select.")
    ] = 0.05,
    seed: Annotated[int, typer.Option(help="Another seed, other queries.")] = 0,
    sanity_bound: Annotated[
        float, typer.Option("--sanity-bound", help="Errors are relative to so much at least.")
    ] = 1.0,
    summed: Annotated[
        str | None,
        typer.Option(
            "--sum", metavar="COLUMN", help="Ask for its sum, with bounds, not for COUNT."
        ),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
    show_values: ShowValues = False,
    verbose: Verbose = False,
    log_format: LogFormat = "text",
) -> None:
    """How well what is published answers queries, and how much its values lost, against the
    source."""
    output = Output(as_json, quiet, show_values, verbose, log_format)

    def work(progress: Progress) -> MeasureReport:
        asked = WorkloadSettings(
            workload, queries, predicates, selectivity, seed, sanity_bound, summed
        )
        return measure_release(policy, asked, progress=progress, show_values=show_values)

    carry_out(work, usefulness.measured, output)


@app.command()
def compare(
    policies: Annotated[
        list[Path], typer.Argument(metavar="POLICY…", help="Policy files (YAML) of one source.")
    ],
    queries: Annotated[
        int, typer.Option(help="How many random COUNT queries, the same for all.")
    ] = 1000,
    as_json: Json = False,
    quiet: Quiet = False,
    show_values: ShowValues = False,
    verbose: Verbose = False,
    log_format: LogFormat = "text",
) -> None:
    """What several policies would make of their source, side by side; publishes nothing.

    loss, GCP: share of information lost (0 to 1), by the leaves of the
    hierarchies and by the values of the source. C_DM: discernibility.
    left out: rows that are suppressed. untrue: rows with changed cells.
    uniform: one level for all values of a column. risk: highest of a
    prosecutor. seconds: of all but publishing; memory: of anonsql at most.
    error: of random COUNT queries, median and of nine in ten, by which
    the policies are sorted. * marks the best.
    Exit code 0: some promise is met; 1: none can be; 2: all failed.
    """
    output = Output(as_json, quiet, show_values, verbose, log_format)
    found: list[CompareReport] = []

    def work(progress: Progress) -> CompareReport:
        found.append(
            api.compare(policies, queries=queries, progress=progress, show_values=show_values)
        )
        return found[0]

    carry_out(work, compared.compared, output)
    lines = found[0].policies
    for each in lines if quiet and not as_json else ():
        if each.reason:
            sys.stderr.write(f"error: {each.policy}: {each.status}: {each.reason}\n")
    if not any(each.status == "met" for each in lines):
        unmet = any(each.status == "not met" for each in lines)
        raise typer.Exit(PrivacyError.exit_code if unmet else PolicyError.exit_code)


@app.command()
def query(
    release: Annotated[
        str,
        typer.Argument(
            metavar="RELEASE",
            help="A DuckDB file, Parquet file or folder, server's URL, or policy.",
        ),
    ],
    sql: Annotated[
        str, typer.Argument(metavar="SQL", help="SELECT COUNT(*), SUM(a), AVG(b) FROM r WHERE …")
    ],
    as_json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
    log_format: LogFormat = "text",
) -> None:
    """What a release tells of the original table: an estimate, and bounds that hold whatever the
    values were."""

    def work(_progress: Progress) -> QueryReport:
        return api.query(release, sql)

    carry_out(work, usefulness.answered, Output(as_json, quiet, False, verbose, log_format))


@app.command()
def check(
    policy: PolicyFile,
    as_json: Json = False,
    quiet: Quiet = False,
    show_values: ShowValues = False,
    verbose: Verbose = False,
    log_format: LogFormat = "text",
) -> None:
    """Validate policy, hierarchies and data; changes nothing."""
    output = Output(as_json, quiet, show_values, verbose, log_format)
    found: list[CheckReport] = []

    def work(progress: Progress) -> CheckReport:
        found.append(check_policy(policy, progress=progress, show_values=show_values))
        return found[0]

    carry_out(work, terminal.check, output)
    if found[0].problems:
        for each in found[0].problems if quiet and not as_json else ():
            sys.stderr.write(f"error: {each.where}: {each.message} {each.remedy}".rstrip() + "\n")
        raise typer.Exit(found[0].exit_code)


@app.command()
def init(
    database: Annotated[
        str,
        typer.Argument(
            metavar="DATABASE",
            help="A DuckDB file, URL of PostgreSQL or Spark, CSV or Parquet file.",
        ),
    ],
    table: Annotated[
        str | None, typer.Argument(metavar="TABLE", help="Table of the database.")
    ] = None,
    policy: Annotated[
        Path, typer.Option("-o", "--output", help="Where to write the policy.")
    ] = Path("policy.yaml"),
    header: Annotated[
        bool | None,
        typer.Option(
            "--header/--no-header", help="Whether a CSV file's first line names its columns."
        ),
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Profile a table and write a commented policy to finish."""

    def work(_progress: Progress) -> InitReport:
        return init_policy(database, table, policy, header)

    carry_out(work, terminal.init, Output(as_json, quiet))


@app.command()
def demo(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="Where to put table, policy and release.")
    ] = Path("anonsql-demo"),
    rows: Annotated[
        int, typer.Option(min=1, max=1_000_000_000, help="How many people to make up.")
    ] = 30_000,
    seed: Annotated[
        int, typer.Option(min=0, max=2_000_000_000, help="Another seed, other people.")
    ] = 1,
    as_json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """The whole job on made-up data."""
    output = Output(as_json, quiet, verbose=verbose)
    carry_out(
        lambda progress: api.run(demonstration.write(folder, rows, seed), progress=progress),
        terminal.run,
        output,
    )


@app.command()
def guide(
    topic: Annotated[
        str | None, typer.Argument(metavar="TOPIC", help="Of a page; without one, the index.")
    ] = None,
    example: Annotated[
        bool,
        typer.Option("--example", help="Print the table (CSV) that the pages' examples use."),
    ] = False,
) -> None:
    """The manual: a page for each method, privacy model, engine, command and task."""
    carry_out(
        lambda _progress: manual.example() if example else manual.page(topic),
        manual.show,
        Output(),
    )


history_app = typer.Typer(invoke_without_command=True, help="What ran: the history in the catalog.")
app.add_typer(history_app, name="runs")
CatalogOf = Annotated[
    Path,
    typer.Option(
        "-p",
        "--policy",
        metavar="FILE",
        help="The policy whose runs these are, or its catalog (.duckdb).",
    ),
]


@history_app.callback()
def runs(
    context: typer.Context,
    policy: CatalogOf = Path("policy.yaml"),
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """The runs on a policy's release, the latest first."""
    if context.invoked_subcommand is None:
        carry_out(lambda _progress: history.runs(policy), terminal.runs, Output(as_json, quiet))
    else:
        context.obj = policy


@history_app.command()
def show(
    context: typer.Context,
    run_id: Annotated[int, typer.Argument(metavar="ID", help="The run's number.")],
    policy: Annotated[
        Path | None, typer.Option("-p", "--policy", metavar="FILE", help="As for `runs`.")
    ] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """One run: every statement with its rows and milliseconds, and the report."""
    carry_out(
        lambda _progress: history.show(policy or context.obj, run_id),
        terminal.show_run,
        Output(as_json, quiet),
    )


def _version(asked: bool) -> None:
    if asked:
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
    """The ``anonsql`` command."""
    with streams.tolerant():
        app(prog_name="anonsql")
