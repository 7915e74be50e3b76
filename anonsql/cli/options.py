"""The arguments and options that several commands have, each defined once, and the decorator that
turns functions into commands."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from anonsql.cli.console import Output, carry_out
from anonsql.system import logs
from anonsql.system.clock import Progress

PolicyFile = Annotated[Path, typer.Argument(metavar="POLICY", help="The policy file (YAML).")]
Scheme = typer.Option(
    "--scheme",
    metavar="RELEASE_OR_RUN",
    help="Use the levels of this release (file, folder or table) or run (its number).",
)
IfChanged = typer.Option(
    "--if-changed",
    help="Do nothing if source, hierarchies and policy are unchanged since they were published.",
)
DryRun = typer.Option("--dry-run", help="Do everything except publishing; leave nothing behind.")
CatalogOf = typer.Option(
    "-p",
    "--policy",
    metavar="FILE",
    help="The policy whose runs to list, or its catalog (a .duckdb file).",
)
Target = typer.Option(
    "--target",
    metavar="COLUMN",
    help="Predict this column from the others, instead of the policy's `measure`.",
)
TargetModel = typer.Option(
    "--model", help="The model that predicts the target; trees need anonsql[models]."
)
Page = typer.Option(
    "--html",
    metavar="FILE",
    help="Also write a page for you only (mode 0600), because it contains details of the source.",
)

_Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout.")]
_Quiet = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print only errors, and warnings about new data.")
]
_ShowValues = Annotated[
    bool, typer.Option("--show-values", help="Show offending source values in errors, on stderr.")
]
_Verbose = Annotated[
    bool,
    typer.Option(
        "--verbose",
        "-v",
        help="Print all details, and log every statement on stderr: its name, rows, milliseconds.",
    ),
]
_LogFormat = Annotated[
    logs.Format, typer.Option("--log-format", help="Write the log on stderr as text or as JSON.")
]
_OF_OUTPUT: dict[str, tuple[Any, object]] = {
    "as_json": (_Json, False),
    "quiet": (_Quiet, False),
    "show_values": (_ShowValues, False),
    "verbose": (_Verbose, False),
    "log_format": (_LogFormat, "text"),
}

DOCUMENT = ("as_json", "quiet")
"""The options of a command that runs few statements, or none."""
STATEMENTS = (*DOCUMENT, "verbose", "log_format")
"""The options of a command that may log its statements."""
ALL = (*STATEMENTS, "show_values")
"""The options of a command that reads a source, whose values it may be asked to show."""


def output_options(names: tuple[str, ...]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that gives a command some of the options that concern its output. The
    command receives them together, as its parameter ``output``."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = inspect.signature(command, eval_str=True)
        keyword = inspect.Parameter.KEYWORD_ONLY
        parameters = [
            parameter.replace(kind=keyword)
            for name, parameter in own.parameters.items()
            if name != "output"
        ]
        for name in names:
            hint, default = _OF_OUTPUT[name]
            parameters.append(inspect.Parameter(name, keyword, default=default, annotation=hint))

        @functools.wraps(command)
        def called(**given: Any) -> None:
            output = Output(**{name: given.pop(name) for name in names})
            command(**given, output=output)

        del called.__wrapped__  # typer would read the command's own parameters
        called.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
        called.__annotations__ = {column.name: column.annotation for column in parameters}
        return called

    return decorate


def calls(
    function: str, then: Callable[[Any, Output], None] | None = None
) -> Callable[[Callable[..., Mapping[str, Any] | None]], Callable[..., None]]:
    """Return a decorator that makes a command of a function that only checks its arguments, and
    returns those that have another form in Python.

    The command passes all arguments, by name, to the Python ``function`` of anonsql; omitted ones
    have its defaults. ``then`` decides how the command ends.
    """

    def decorate(checked: Callable[..., Mapping[str, Any] | None]) -> Callable[..., None]:
        @functools.wraps(checked)
        def command(*, output: Output, **given: Any) -> None:
            given |= checked(**given) or {}
            given = {name: value for name, value in given.items() if value not in (None, [])}
            done_by = _imported(function)
            takes = inspect.signature(done_by).parameters
            if "show_values" in takes:
                given["show_values"] = output.show_values

            def work(progress: Progress) -> Any:
                return done_by(**given, **({"progress": progress} if "progress" in takes else {}))

            result = carry_out(work, output, page=given.get("html"))
            if then is not None:
                then(result, output)

        return command

    return decorate


def _imported(name: str) -> Any:
    module, _, name = name.rpartition(".")
    return getattr(import_module(f"anonsql.{module}"), name)
