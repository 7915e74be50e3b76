"""Show a tree of parts on a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from anonsql.measures import risk
from anonsql.presentation import numbers
from anonsql.presentation.documents import Finding, Kept, LeftOutValue, ReachedLimit, Risks
from anonsql.presentation.tables import broken, lines, percent, statement
from anonsql.presentation.tree import Chart, Code, Figures, Part, Section, Sentence
from anonsql.privacy import differential
from anonsql.privacy.risk import is_of_all
from anonsql.system.numbers import counted

_COLOURS = {"good": " green", "warn": " yellow", "bad": " red"}


def show(console: Console, parts: Sequence[Part], *, verbose: bool = False) -> None:
    """Print the parts that are for a terminal; those for experts where it is ``verbose``."""
    readers = ("terminal", "verbose") if verbose else ("terminal",)
    for at, part in enumerate(part for part in parts if part.is_for(*readers)):
        if at and isinstance(part, (Chart, Section)):
            console.print()
        if isinstance(part, Sentence):
            _print(console, part)
        elif isinstance(part, Figures):
            console.print(_table(part))
        elif isinstance(part, Chart):
            _print(console, Sentence(part.says, f"{part.title}. "))
            console.print(_table(part.figures))
        elif isinstance(part, Code):
            console.print(Text(statement(part.text)), soft_wrap=True)
        elif isinstance(part, Section):
            if part.title:
                console.print(Text(part.title, "bold"))
            show(console, part.parts, verbose=verbose)


def _print(console: Console, sentence: Sentence) -> None:
    whole = "dim" if sentence.tone == "quiet" else ""
    text = Text(style=whole).append(sentence.lead, f"bold{_COLOURS.get(sentence.tone, '')}")
    for line in text.append(sentence.text).split(allow_blank=True) or [text]:
        console.print(broken(line, console.width), soft_wrap=True)


def _table(figures: Figures) -> Table:
    """Return a table without rules; numbers are right-aligned and stay whole."""
    table = Table(
        box=None,
        pad_edge=False,
        show_header=any(figures.headings),
        header_style="bold",
        padding=(0, 2, 0, 0),
    )
    for heading, numeric in zip(figures.headings, figures.numeric, strict=True):
        justify: Literal["right", "left"] = "right" if numeric else "left"
        table.add_column(Text(heading), justify=justify, overflow="fold", no_wrap=numeric)
    for row in figures.rows:
        table.add_row(*(Text(numbers.entry(entry)) for entry in row))
    return table


def show_identity(console: Console, identity: str | None) -> None:
    """Print that identities are not hidden, where the method does not hide them."""
    if identity:
        console.print(f"[bold yellow]Identity is {escape(identity)}.[/]")


def show_not_covered(console: Console, *sentences: str | None) -> None:
    """Print what the promise says nothing of, below it; nothing where no row is single."""
    for sentence in filter(None, sentences):
        console.print(f"[bold yellow]{escape(sentence)}.[/]", highlight=False)


def show_promises(
    console: Console,
    promises: Mapping[str, str],
    unit: str = "class",
    limits: Sequence[ReachedLimit] = (),
) -> None:
    """Print what every class, or every bucket, keeps besides k, and the limits of all together."""
    of_each = [f"{name} {what}" for name, what in promises.items() if not is_of_all(name)]
    if of_each:
        console.print(f"Every {unit} also keeps: {escape('; '.join(of_each))}.")
    if f"{differential.PREFIX}epsilon" in promises:
        console.print(differential.in_words(promises), highlight=False)
    for limit in limits:
        by = f" by the model {limit.model}" if limit.model else ""
        console.print(
            f"All rows together keep risk.{limit.name} {limit.limit}: it is {limit.reached:.4g}{by}."
        )


def masked_rows(rows: int) -> str:
    """Return how many rows are masked, in words."""
    return f"; {rows:,} rows kept as *" if rows else ""


def show_risks(console: Console, risks: Risks, *, people: bool) -> None:
    """Print the risks of identification, counted in ``people`` or in rows."""
    units = "people" if people else "rows"
    figures = ("highest", f"average of {units}", f"{units} at risk")
    table = lines("risk", *figures, "attacker", right=(1, 2, 3))
    for name, attacker in risks.attackers.items():
        numbers = (
            "" if value is None else percent(value)
            for value in (attacker.highest, attacker.average, attacker.records_at_risk)
        )
        table.add_row(name, *numbers, f"[dim]{escape(risk.FORMULAS[name])}[/]")
    console.print(table)
    console.print(
        f"[dim]{units.capitalize()} at risk have a risk above"
        f" {percent(1 / (risk.AT_RISK_SIZE + 1))}: their classes have at most {risk.AT_RISK_SIZE}"
        f" {units}, fewer than the 5 that statistical offices usually ask for.[/]"
    )
    show_kept_columns(console, risks.kept)


def show_findings(console: Console, word: str, colour: str, findings: list[Finding]) -> None:
    """Print problems or warnings, each with its remedy; equal ones of several places as one."""
    places: dict[tuple[str, str], list[str]] = {}
    for finding in findings:
        places.setdefault((finding.message, finding.remedy), []).append(finding.where)
    for (message, remedy), where in places.items():
        several = f" ({len(where)})" if len(where) > 1 else ""
        text = (
            f"[bold {colour}]{word}[/] [bold]{escape(', '.join(where))}[/]{several}:"
            f" {escape(message)} {escape(remedy)}"
        )
        console.print(text.rstrip(), highlight=False)


def show_kept_columns(console: Console, kept: Kept | None) -> None:
    """Print which kept columns single rows out, and what classes give away of sensitive ones."""
    if kept is None or not kept.columns:
        return
    if kept.unique_released:
        names = escape(", ".join(kept.columns))
        steps = (
            f"Without {escape(', '.join(alone.column for alone in kept.without))} "
            f"{kept.without[-1].unique:,} rows would be single by the kept columns ({names}). "
            if kept.without
            else ""
        )
        console.print(
            f"{steps}By all released columns together {kept.unique_released:,} of {kept.rows:,} rows"
            f" {'is' if kept.unique_released == 1 else 'are'} single"
            f" ({kept.unique_released / kept.rows:.2%}).",
            highlight=False,
        )
    for name, classes in kept.sensitive.items():
        console.print(
            f"{escape(name)}: {classes.homogeneous:.2%} of the rows lie in classes that have one"
            f" value of it; one value has at most {classes.highest_share:.2%} of a class.",
            highlight=False,
        )


_VALUES_SHOWN = 6
"""Values that a terminal lists."""
WORTH_SHOWING = 0.99
"""The released share from which on a loss is in the JSON document alone."""


def show_left_out(console: Console, losses: Sequence[LeftOutValue], k: int) -> None:
    """Print the values that lost the greatest shares of their rows, the greatest first."""
    shown = [loss for loss in losses if loss.share < WORTH_SHOWING][:_VALUES_SHOWN]
    if not shown:
        return
    table = lines("left out", "value", "rows", "released", "share", right=(2, 3, 4))
    for value in shown:
        limit = "" if value.at_least is None else "up to "
        counts = (f"{value.rows:,}", f"{limit}{value.released:,}", percent(value.share))
        table.add_row(escape(value.column), escape(name_of_value(value, k)), *counts)
    console.print(table)
    if more := len(losses) - len(shown):
        console.print(f"{more:,} more in the JSON document (left_out).")
    console.print()


def name_of_value(loss: LeftOutValue, k: int) -> str:
    """Return what a value is called; those of few rows have no name."""
    if loss.rare:
        values = "value" if loss.values == 1 else "values"
        return f"{loss.values:,} {values} with fewer than {k} rows"
    return "NULL" if loss.value is None else loss.value


def show_files(console: Console, files: int | None) -> None:
    """Print whether the files of a release were held against the record of their run."""
    if files is None:
        console.print(
            "Its tables alone were checked: no catalog here has the SHA-256 of its files. Compare them"
            " with `release.files` in the JSON of the run."
        )
    elif files:
        console.print(
            f"{counted(files, 'file has', 'files have')} the SHA-256 that the run recorded."
        )
