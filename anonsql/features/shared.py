"""What the summaries of a run, a check and a verification have in common."""

from __future__ import annotations

from collections.abc import Mapping

from rich.console import Console
from rich.markup import escape

from anonsql.features import kept_columns
from anonsql.features.documents import Finding, Risks
from anonsql.measures import risk
from anonsql.presentation.tables import lines, percent


def show_identity(console: Console, identity: str | None) -> None:
    """Print that identities are not hidden, where the method does not hide them."""
    if identity:
        console.print(f"[bold yellow]Identity is {escape(identity)}.[/]")


def show_not_covered(console: Console, *sentences: str | None) -> None:
    """Print what the promise says nothing of, below it; nothing where no row is single."""
    for sentence in filter(None, sentences):
        console.print(f"[bold yellow]{escape(sentence)}.[/]", highlight=False)


def show_promises(console: Console, promises: Mapping[str, str], unit: str = "class") -> None:
    """Print what every class, or every bucket, keeps besides k."""
    if promises:
        console.print(
            f"Every {unit} also keeps: "
            + escape("; ".join(f"{name} {what}" for name, what in promises.items()))
            + "."
        )


def masked_rows(rows: int) -> str:
    """Return how many rows are masked, in words."""
    return f"; {rows:,} rows kept as *" if rows else ""


def show_risks(console: Console, risks: Risks) -> None:
    """Print the risks of identification."""
    table = lines(
        "risk",
        "highest",
        "average",
        "rows at risk",
        "attacker",
        right=(1, 2, 3),
    )
    for name, attacker in risks.attackers.items():
        numbers = (
            "" if value is None else percent(value)
            for value in (attacker.highest, attacker.average, attacker.records_at_risk)
        )
        table.add_row(name, *numbers, f"[dim]{escape(risk.FORMULAS[name])}[/]")
    console.print(table)
    console.print(
        f"[dim]Rows at risk are those of a risk above {percent(1 / (risk.AT_RISK_SIZE + 1))}: in"
        f" classes of at most {risk.AT_RISK_SIZE} rows, fewer than the 5 that statistical offices"
        " usually ask for.[/]"
    )
    kept_columns.show(console, risks.kept)


def show_findings(console: Console, word: str, colour: str, findings: list[Finding]) -> None:
    """Print problems or warnings, each with its remedy; those that say the same of several places
    as one."""
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
