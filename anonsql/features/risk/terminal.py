"""The summary of ``risk`` on a terminal."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape

from anonsql.features.risk.document import (
    IndividualRisk,
    LooksLike,
    PopulationUniques,
    RiskReport,
    Specials,
)
from anonsql.presentation.tables import lines, percent
from anonsql.system.numbers import counted

MODELS = {"zayatz": "Zayatz", "pitman": "Pitman", "snb": "slide negative binomial"}
"""Models of the population, in words."""


def risk(console: Console, report: RiskReport) -> None:
    """Print how likely rows are to be re-identified."""
    columns = ", ".join(report.columns)
    masked = f" {counted(report.masked, 'masked row')} left aside." if report.masked else ""
    console.print(
        f"{report.rows:,} rows of the {report.of} in {report.classes:,} classes by"
        f" {escape(columns)}.{masked}"
    )
    if report.rows:
        _classes(console, report)
    if report.identifiers is not None:
        _identifiers(console, report.identifiers)


def _classes(console: Console, report: RiskReport) -> None:
    console.print(
        f"{counted(report.unique, 'row is', 'rows are')} alone in their class"
        f" ({percent(report.unique / report.rows)}). An attacker who knows that a person is in the"
        f" table finds the person's row with a chance of {report.average:.4g} on average over rows,"
        f" and of {report.highest:.4g} at most."
    )
    if report.counting:
        console.print(escape(report.counting))
    table = lines("risk above", "rows", "share", right=(0, 1, 2))
    for threshold in report.above:
        table.add_row(f"{threshold.accepted:.4g}", f"{threshold.rows:,}", percent(threshold.share))
    console.print(table)
    if report.population is not None:
        _population(console, report.population)
    for units, risks in (("rows", report.individual), ("people", report.people)):
        if risks is not None:
            _individual(console, units, risks)
    if report.specials is not None:
        _specials(console, report.specials)


def _identifiers(console: Console, found: list[LooksLike]) -> None:
    passing = sum(one.passes for one in found)
    console.print(
        f"\nHIPAA safe harbor, by the look of columns (no legal advice): {len(found):,} look like"
        f" its identifiers, and {passing:,} of them pass in a form that it does not allow."
    )
    if not found:
        return
    table = lines("column", "looks like", "by", "released", "passes", "")
    for one in sorted(found, key=lambda one: not one.passes):
        passes = "yes" if one.passes else "no"
        row = (one.column, one.kind, one.by, one.released, passes, one.says)
        table.add_row(*map(escape, row))
    console.print(table)


def _population(console: Console, population: PopulationUniques) -> None:
    console.print(
        f"\nUnique among the {population.size:,.0f} people of the population whom these rows stand"
        f" for (the source is {percent(population.fraction)} of it):"
    )
    table = lines("model", "unique", "share", "", right=(1, 2))
    for one in population.models:
        chosen = "chosen (Dankar's rule)" if one.model == population.chosen else ""
        figures = ("did not converge", "")
        if one.uniques is not None and one.share is not None:
            figures = (f"{one.uniques:,.0f}", percent(one.share))
        table.add_row(MODELS[one.model], *figures, chosen)
    console.print(table)


def _individual(console: Console, units: str, risks: IndividualRisk) -> None:
    console.print(
        f"\nBy what rows stand for in the population"
        f"{' (NULL matches anything)' if risks.any_null else ''}, {risks.expected:,.1f} of"
        f" {risks.units:,} {units} are expected to be re-identified by who looks for all of them;"
        f" the highest risk of one is {risks.highest:.4g}, and {risks.above:,} have one above"
        f" {risks.accepted:.4g}."
    )


def _specials(console: Console, specials: Specials) -> None:
    console.print(
        f"\n{counted(specials.rows, 'row is', 'rows are')} unique by {specials.largest} or fewer of"
        " these columns"
        f" (SUDA2){':' if specials.rows else '.'}"
    )
    if not specials.rows:
        return
    table = lines("fewest columns", "rows", "average score", "highest", right=(0, 1, 2, 3))
    for level in specials.by_columns:
        scores = f"{level.average_score:,.1f}", f"{level.highest_score:,.0f}"
        table.add_row(str(level.columns), f"{level.rows:,}", *scores)
    console.print(table)
    causes = lines("column", "minimal sets with it", "share", right=(1, 2))
    for cause in specials.columns:
        causes.add_row(escape(cause.column), f"{cause.sets:,}", percent(cause.share))
    console.print(causes)
    sets = lines("unique by", "rows", right=(1,))
    for found in specials.sets:
        sets.add_row(escape(", ".join(found.columns)), f"{found.rows:,}")
    console.print(sets)
    if specials.intrusion is not None:
        console.print(
            "A match of a row that is unique by all of the columns is right with a probability"
            f" of {specials.intrusion:.3g}, where the table is a sample (DIS)."
        )
