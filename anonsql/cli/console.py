"""The output of a command: its document or summary on stdout, progress, logs and errors on stderr,
and its exit code."""

from __future__ import annotations

import os
import re
import signal
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import typer
from typer.core import TyperGroup

from anonsql.errors import AnonsqlError, PolicyError, SqlError, together
from anonsql.masking import masked
from anonsql.system import logs
from anonsql.system.clock import Progress, is_interrupt, silent
from anonsql.system.journal import log

if TYPE_CHECKING:
    from anonsql.presentation.documents import Finding
    from anonsql.presentation.tree import Part

_OF_DATA = re.compile(r"privacy\.(k|over_time\b.*)")
INTERRUPTED = 130
"""The exit code of a command that Ctrl-C ended."""
_UsageError: Any = typer.BadParameter.__mro__[1]  # click's class, or the copy in newer typers


class Document(Protocol):
    """What a command returns: it knows its JSON, and its description."""

    def model_dump_json(self, *, indent: int | None = None) -> str:
        """Return the document as JSON."""

    def described(self) -> Sequence[Part]:
        """Return the terminal's description of the document."""


Result = TypeVar("Result", bound=Document)


@dataclass(frozen=True)
class Output:
    """The options of a command that concern its output."""

    as_json: bool = False
    quiet: bool = False
    show_values: bool = False
    verbose: bool = False
    log_format: logs.Format = "text"


GROUPS = {
    "Start": ("init", "check", "run", "demo", "guide"),
    "Judge a release": ("verify", "measure", "risk", "attack", "report"),
    "Choose": ("search", "compare", "advise"),
    "Use": ("query", "mcp", "tabulate"),
    "Operate": ("runs", "ledger", "apply", "compile"),
}
"""The commands as ``--help`` lists them."""


class Masking(TyperGroup):
    """The group of commands. Usage errors quote the user's input, so URLs in it are masked."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the commands' names, each group after the other."""
        for title, names in GROUPS.items():
            for name in names:
                self.commands[name].rich_help_panel = title  # type: ignore[attr-defined]
        return [name for names in GROUPS.values() for name in names]

    def make_context(self, *args: Any, **more: Any) -> Any:
        """Parse the options before the command's name."""
        with _masking():
            return super().make_context(*args, **more)

    def invoke(self, ctx: Any) -> Any:
        """Parse the arguments behind the command's name, and run the command."""
        with _masking():
            return super().invoke(ctx)


class OfPolicy(TyperGroup):
    """A group of commands whose first word, where it is no command, is the policy's file."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the option before a policy that is named without it."""
        known = self.commands.keys() | {"-p", "--policy"}
        for at, word in enumerate(args):
            if not word.startswith("-"):
                if not known & {*args[max(at - 1, 0) : at + 1]}:
                    args = [*args[:at], "--policy", *args[at:]]
                break
        return super().parse_args(ctx, args)


@contextmanager
def _masking() -> Iterator[None]:
    try:
        yield
    except _UsageError as error:
        raise _UsageError(masked(error.format_message()), error.ctx) from None


@contextmanager
def _progress(quiet: bool) -> Iterator[Progress]:
    """Show a progress bar on stderr when that is a terminal."""
    if quiet or not (sys.stderr.isatty() or os.environ.get("FORCE_COLOR")):
        yield silent
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bar

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(bar_width=20),
        TextColumn("{task.fields[counted]}"),
        TimeElapsedColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=None, counted="")

        def shown(stage: str, done: int, total: int) -> None:
            counted = f"{done:,} of {total:,}" if total else f"{done:,}" if done else ""
            words = escape(stage.replace("_", " "))
            bar.update(
                task, description=words, completed=done, total=total or None, counted=counted
            )

        yield shown


def carry_out(
    work: Callable[[Progress], Result],
    output: Output,
    *,
    page: Path | None = None,
    describe: Callable[[Result], Sequence[Part]] | None = None,
) -> Result:
    """Do the work, print its document or its description (its own, or that of ``describe``), with
    that of an additional ``page``, and return it; when the work fails, end with the contract's exit
    code."""
    logs.configure(output.log_format, output.verbose)
    for ending in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(ending) != signal.SIG_IGN:  # ignored under nohup
            signal.signal(ending, _terminated)
    try:
        with _progress(output.quiet or output.as_json) as progress:
            result = work(progress)
    except AnonsqlError as error:
        _tell(error, output)
        raise typer.Exit(error.exit_code) from None
    except (Exception, KeyboardInterrupt) as error:
        if is_interrupt(error):
            sys.stderr.write("interrupted: a release is never half published\n")
            raise typer.Exit(INTERRUPTED) from None
        log.debug("unexpected: %s", _frames(error))
        _tell(_unexpected(error), output)
        raise typer.Exit(AnonsqlError.exit_code) from None
    _print(result, output, page, describe)
    return result


def _print(
    result: Result,
    output: Output,
    page: Path | None,
    describe: Callable[[Result], Sequence[Part]] | None,
) -> None:
    """Print the document or its description on stdout. The work is done: a stream that fails does not
    undo it (:mod:`anonsql.system.streams`), nor does a report that cannot be made."""
    try:
        if output.as_json:
            sys.stdout.write(result.model_dump_json(indent=2) + "\n")
        elif output.quiet:
            if getattr(result, "status", None) == "published":
                _warn_of(getattr(result, "warnings", []))
        else:
            from rich.console import Console

            from anonsql.presentation import terminal

            parts = [*(describe(result) if describe else result.described())]
            if page is not None:
                from anonsql.features.report.described import written

                parts.append(written(page))
            terminal.show(Console(), parts, verbose=output.verbose)
        sys.stdout.flush()
    except (Exception, SystemExit) as error:
        log.debug("unexpected: %s", _frames(error))
        log.warning("the work is done, but its report cannot be printed: %s", type(error).__name__)


def _warn_of(warnings: Sequence[Finding]) -> None:
    """Log the warnings that new data can bring: nobody reads what a scheduled run prints."""
    for one in warnings:
        if _OF_DATA.fullmatch(one.where):
            log.warning("warning %s: %s %s", one.where, one.message, one.remedy)


def open_page(page: Path) -> None:
    """Open a page in the browser; where there is none, say so on stderr, with the page's path: the
    page is written all the same."""
    import webbrowser

    try:
        opened = webbrowser.open(page.as_uri())
    except (webbrowser.Error, OSError):
        opened = False
    if not opened:
        log.warning("no browser could be opened on this machine: open the page %s", page)


def _terminated(_signal: int, _frame: object) -> None:
    """End a run on a scheduler's SIGTERM or a closed terminal's SIGHUP as Ctrl-C does: everything
    unfinished is cleaned up."""
    raise KeyboardInterrupt


def _frames(error: BaseException) -> str:
    """Return where an error was raised, without its message, which may quote data."""
    return f"{type(error).__name__} at " + " > ".join(
        f"{summary.filename}:{summary.lineno}"
        for summary in traceback.extract_tb(error.__traceback__)
    )


def _unexpected(error: BaseException) -> AnonsqlError:
    """Return an unexpected exception as an error of anonsql. Its message may quote data and is left
    out, unless it is the operating system's."""
    if isinstance(error, OSError):
        return AnonsqlError(f"{error.strerror}: {error.filename}")
    return AnonsqlError(
        f"{type(error).__name__}: this should not happen and is worth a report. --verbose shows"
        " where."
    )


def _tell(error: AnonsqlError, output: Output) -> None:
    """Print the error on stderr, and as a document on stdout with ``--json``."""
    from rich.console import Console

    from anonsql.presentation import terminal
    from anonsql.presentation.documents import Failure, finding
    from anonsql.presentation.tree import Sentence

    console = Console(stderr=True)
    problems = error.problems if isinstance(error, PolicyError) else ()
    if output.log_format == "json":
        fields = {"error": error.kind, "exit_code": error.exit_code}
        for problem in problems or [error]:
            log.error("%s", problem, extra={"fields": fields})
    else:
        found = [str(problem) for problem in together(problems)] or [str(error)]
        terminal.show(console, [Sentence(f"error: {text}") for text in found])
    if output.show_values and isinstance(error, SqlError):
        terminal.show(console, [Sentence(masked(f"{error.detail}\n{error.sql}"))])
    if output.as_json:
        document = Failure(
            status="failed",
            error=error.kind,
            exit_code=error.exit_code,
            message=str(error),
            problems=[finding(problem) for problem in problems],
        )
        sys.stdout.write(document.model_dump_json(indent=2) + "\n")
