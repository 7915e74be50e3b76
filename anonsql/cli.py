"""The command line: thin commands over the Python functions."""

from __future__ import annotations

import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from pydantic import BaseModel
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from anonsql import api, checking, history, logs, pipeline, profile
from anonsql import demo as demonstration
from anonsql.dialects import Dialect
from anonsql.errors import AnonsqlError, PolicyError, PrivacyError, SqlError
from anonsql.journal import log
from anonsql.report import terminal
from anonsql.report.documents import CheckReport, CompileReport, Failure, InitReport, Report
from anonsql.version import __version__

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Release a table so that nobody in it can be re-identified, by SQL that runs where the data lives.",
)
PolicyFile = Annotated[Path, typer.Argument(metavar="POLICY", help="The policy file (YAML).")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but errors.")]
ShowValues = Annotated[bool, typer.Option("--show-values", help="Show offending source values in errors, on stderr.")]
LogFormat = Annotated[logs.Format, typer.Option("--log-format", help="Of what is logged on stderr: text or json.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Log every statement on stderr: name, rows, milliseconds.")]
_INTERRUPTED = 130
Result = TypeVar("Result", bound=BaseModel)


@dataclass(frozen=True)
class Output:
    """How a command was asked to speak."""

    as_json: bool = False
    quiet: bool = False
    show_values: bool = False
    verbose: bool = False
    log_format: logs.Format = "text"


@contextmanager
def _progress(quiet: bool) -> Iterator[pipeline.Progress]:
    """A progress bar on stderr when that is a terminal."""
    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield pipeline.silent
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(bar_width=30), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("", total=None)
        yield lambda stage, done, total: bar.update(task, description=stage.replace("_", " "), completed=done, total=total or None)


def _carry_out(
    work: Callable[[pipeline.Progress], Result], show: Callable[[Console, Result], None], output: Output
) -> None:  # fmt: skip
    """Do the work, print its document or its summary, and end with the contract's exit code when it fails."""
    logs.configure(output.log_format, output.verbose)
    signal.signal(signal.SIGTERM, _terminated)
    try:
        with _progress(output.quiet or output.as_json) as progress:
            result = work(progress)
    except AnonsqlError as error:
        _tell(error, output)
        raise typer.Exit(error.exit_code) from None
    except (Exception, KeyboardInterrupt) as error:
        if isinstance(error, KeyboardInterrupt) or "query interrupted" in str(error).lower():
            sys.stderr.write("interrupted: a release is never half published\n")
            raise typer.Exit(_INTERRUPTED) from None
        log.debug("unexpected: %s", _frames(error))
        _tell(_unexpected(error), output)
        raise typer.Exit(AnonsqlError.exit_code) from None
    try:
        if output.as_json:
            sys.stdout.write(result.model_dump_json(indent=2) + "\n")
        elif not output.quiet:
            show(Console(), result)
        sys.stdout.flush()
    except (BrokenPipeError, SystemExit):  # the reader had enough (rich says it by exiting); the work is done all the same
        sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115


def _terminated(_signal: int, _frame: object) -> None:
    """A scheduler's SIGTERM ends a run as Ctrl-C does: everything unfinished is let go of."""
    raise KeyboardInterrupt


def _frames(error: BaseException) -> str:
    """Where an error was raised, without its own words, which may quote data."""
    return f"{type(error).__name__} at " + " > ".join(
        f"{each.filename}:{each.lineno}" for each in traceback.extract_tb(error.__traceback__)
    )


def _unexpected(error: Exception) -> AnonsqlError:
    """What no error of ours foresaw. Its own words may quote data, except those of the operating system."""
    if isinstance(error, OSError):
        return AnonsqlError(f"{error.strerror}: {error.filename}")
    return AnonsqlError(f"{type(error).__name__}: this should not happen and is worth a report. --verbose shows where.")


def _tell(error: AnonsqlError, output: Output) -> None:
    """The error on stderr, and as a document on stdout when that is asked for."""
    console = Console(stderr=True, soft_wrap=True, highlight=False, markup=False)
    problems = error.problems if isinstance(error, PolicyError) else ()
    for told in problems or [error]:
        if output.log_format == "json":
            log.error("%s", told, extra={"fields": {"error": error.kind, "exit_code": error.exit_code}})
        else:
            console.print(f"error: {told}")
    if output.show_values and isinstance(error, SqlError):
        console.print(f"{error.detail}\n{error.sql}")
    if output.as_json:
        document = Failure(
            status="failed",
            error=error.kind,
            exit_code=error.exit_code,
            message=str(error),
            problems=[checking.finding(each) for each in problems],
        )
        sys.stdout.write(document.model_dump_json(indent=2) + "\n")


@app.command()
def run(
    policy: PolicyFile,
    if_changed: Annotated[bool, typer.Option("--if-changed", help="Skip when source, hierarchies and policy are as published.")] = False,
    as_json: Json = False,
    quiet: Quiet = False,
    show_values: ShowValues = False,
    verbose: Verbose = False,
    log_format: LogFormat = "text",
) -> None:
    """The whole job: search, recode, verify, publish."""
    output = Output(as_json, quiet, show_values, verbose, log_format)

    def work(progress: pipeline.Progress) -> Report:
        return api.run(policy, if_changed=if_changed, progress=progress, show_values=show_values)

    _carry_out(work, terminal.run, output)


@app.command()
def apply(
    policy: PolicyFile,
    scheme: Annotated[str, typer.Option("--scheme", metavar="RELEASE_OR_RUN", help="Release (file, folder, table) or run number.")],
    as_json: Json = False,
    quiet: Quiet = False,
    show_values: ShowValues = False,
    verbose: Verbose = False,
    log_format: LogFormat = "text",
) -> None:
    """Recode new rows with the levels of an earlier release; rows that would break k are left out and counted."""
    output = Output(as_json, quiet, show_values, verbose, log_format)
    _carry_out(lambda progress: api.apply(policy, scheme, progress=progress, show_values=show_values), terminal.run, output)


@app.command("compile")
def compile_policy(
    policy: PolicyFile,
    dialect: Annotated[Dialect, typer.Option("--dialect", help="Of the SQL to write.")],
    folder: Annotated[Path, typer.Option("-o", "--output", metavar="DIR", help="Where to write it: a new folder, or one of ours.")],
    scheme: Annotated[str | None, typer.Option("--scheme", metavar="RELEASE_OR_RUN", help="Use these levels, and search none.")] = None,
    source: Annotated[str | None, typer.Option("--source", metavar="TABLE", help="The source's name there, if another.")] = None,
    as_json: Json = False,
    quiet: Quiet = False,
    show_values: ShowValues = False,
    verbose: Verbose = False,
    log_format: LogFormat = "text",
) -> None:
    """Write the recoding as plain SQL files for a warehouse: hierarchies, release, and queries that return offenders."""
    output = Output(as_json, quiet, show_values, verbose, log_format)

    def work(progress: pipeline.Progress) -> CompileReport:
        return api.compile(policy, dialect, folder, levels_of=scheme, source=source, progress=progress, show_values=show_values)

    _carry_out(work, terminal.compiled, output)


@app.command()
def search(
    policy: PolicyFile,
    as_json: Json = False,
    quiet: Quiet = False,
    show_values: ShowValues = False,
    verbose: Verbose = False,
    log_format: LogFormat = "text",
) -> None:
    """Every satisfying generalization; publishes nothing."""
    output = Output(as_json, quiet, show_values, verbose, log_format)
    _carry_out(lambda progress: api.search(policy, progress=progress, show_values=show_values), terminal.search, output)


@app.command()
def verify(
    policy: PolicyFile, as_json: Json = False, quiet: Quiet = False, verbose: Verbose = False, log_format: LogFormat = "text"
) -> None:  # fmt: skip
    """Re-check what is published, from the release alone."""
    output = Output(as_json, quiet, False, verbose, log_format)
    _carry_out(lambda progress: api.verify(policy, progress=progress), terminal.verify, output)


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

    def work(progress: pipeline.Progress) -> CheckReport:
        found.append(checking.check(policy, progress=progress, show_values=show_values))
        return found[0]

    _carry_out(work, terminal.check, output)
    if found[0].problems:
        for each in found[0].problems if quiet and not as_json else ():
            sys.stderr.write(f"error: {each.where}: {each.message} {each.remedy}".rstrip() + "\n")
        only_too_few = found[0].records is not None and [each.where for each in found[0].problems] == ["privacy.k"]
        raise typer.Exit(PrivacyError.exit_code if only_too_few else PolicyError.exit_code)


@app.command()
def init(
    database: Annotated[str, typer.Argument(metavar="DATABASE", help="A DuckDB file, URL of PostgreSQL or Spark, CSV or Parquet file.")],
    table: Annotated[str | None, typer.Argument(metavar="TABLE", help="Table of the database.")] = None,
    policy: Annotated[Path, typer.Option("-o", "--output", help="Where to write the policy.")] = Path("policy.yaml"),
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Profile a table and write a commented policy to finish."""

    def work(_progress: pipeline.Progress) -> InitReport:
        return profile.init(database, table, policy)

    _carry_out(work, terminal.init, Output(as_json, quiet))


@app.command()
def demo(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Where to put table, policy and release.")] = Path("anonsql-demo"),
    rows: Annotated[int, typer.Option(min=1, max=1_000_000_000, help="How many people to make up.")] = 30_000,
    seed: Annotated[int, typer.Option(min=0, max=2_000_000_000, help="Another seed, other people.")] = 1,
    as_json: Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
) -> None:
    """The whole job on made-up data."""
    output = Output(as_json, quiet, verbose=verbose)
    _carry_out(lambda progress: api.run(demonstration.write(folder, rows, seed), progress=progress), terminal.run, output)


history_app = typer.Typer(invoke_without_command=True, help="What ran: the history in the catalog.")
app.add_typer(history_app, name="runs")
CatalogOf = Annotated[
    Path, typer.Option("-p", "--policy", metavar="FILE", help="The policy whose runs these are, or its catalog (.duckdb).")
]


@history_app.callback()
def runs(context: typer.Context, policy: CatalogOf = Path("policy.yaml"), as_json: Json = False, quiet: Quiet = False) -> None:
    """The runs on a policy's release, the latest first."""
    if context.invoked_subcommand is None:
        _carry_out(lambda _progress: history.runs(policy), terminal.runs, Output(as_json, quiet))
    else:
        context.obj = policy


@history_app.command()
def show(
    context: typer.Context,
    run_id: Annotated[int, typer.Argument(metavar="ID", help="The run's number.")],
    policy: Annotated[Path | None, typer.Option("-p", "--policy", metavar="FILE", help="As for `runs`.")] = None,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """One run: every statement with its rows and milliseconds, and the report."""
    _carry_out(lambda _progress: history.show(policy or context.obj, run_id), terminal.show_run, Output(as_json, quiet))


def _version(asked: bool) -> None:
    if asked:
        sys.stdout.write(f"anonsql {__version__}\n")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")] = False,
) -> None:
    """Options of the whole program."""


def main() -> None:
    """The ``anonsql`` command."""
    app(prog_name="anonsql")
