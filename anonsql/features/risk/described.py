"""What ``risk`` says of its document, and its charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from anonsql.features.risk.bands import bands_to
from anonsql.features.risk.document import (
    IndividualRisk,
    PopulationUniques,
    RiskReport,
    Specials,
)
from anonsql.presentation.numbers import Number, count, percent
from anonsql.presentation.tree import Chart, Figures, Part, Section, Sentence, Spec, axis, chart
from anonsql.system.numbers import counted

_MOST_SETS = 8
_UPRIGHT = 14
"""Bars whose labels fit side by side."""
_MARKED = {5: "0.2", 11: "1/11", 20: "0.05"}
"""The least sizes of classes without rows above an accepted risk, and the name of that risk."""
_MODELS = {"zayatz": "Zayatz", "pitman": "Pitman", "snb": "slide negative binomial"}
"""Models of the population, in words."""


def describe(report: RiskReport) -> list[Part]:
    """Return how likely rows are to be re-identified."""
    masked = f" {counted(report.masked, 'masked row')} left aside." if report.masked else ""
    head = (
        f"{report.rows:,} rows of the {report.of} in {report.classes:,} classes by"
        f" {', '.join(report.columns)}.{masked}"
    )
    first, *others = _sections(report) if report.rows else [Section("", [])]
    chart = [histogram({f"the {report.of}": report})] if report.rows else []
    return [Sentence(head), Section(first.title, [*first.parts, *chart]), *others, *_looks(report)]


def of_tables(reports: Mapping[str, RiskReport]) -> list[Part]:
    """Return the sections for several tables, by name."""
    some = {name: report for name, report in reports.items() if report.rows}
    parts: list[Part] = [histogram(some)] if some else []
    for name, report in reports.items():
        for section in [*(_sections(report) if report.rows else []), *_looks(report)]:
            title = f"{name.capitalize()}: {section.title[0].lower()}{section.title[1:]}"
            parts.append(Section(title, section.parts))
    return parts


def _sections(report: RiskReport) -> list[Section]:
    sections = [Section("Risks of re-identification", _accepted(report))]
    if report.population is not None:
        sections.append(Section("Unique in the population", _population(report.population)))
    by_weight = [
        _individual(units, risks)
        for units, risks in (("rows", report.individual), ("people", report.people))
        if risks is not None
    ]
    if by_weight:
        sections.append(Section("Expected re-identifications", by_weight))
    if report.specials is not None:
        sections.append(Section("Columns by which rows are unique", _unique_by(report.specials)))
    return sections


def _accepted(report: RiskReport) -> list[Part]:
    headings = ["risk above", "rows", "share", "in classes of fewer than"]
    rows = [
        [Number(f"{one.accepted:.4g}"), one.rows, percent(one.share), _least(one.accepted)]
        for one in report.above
    ]
    return [
        Sentence(
            f"{counted(report.unique, 'row is', 'rows are')} alone in their class"
            f" ({percent(report.unique / report.rows)}). An attacker who knows that a person is in"
            f" the table finds the person's row with a chance of {report.average:.4g} on average"
            f" over rows, and of {report.highest:.4g} at most. {report.counting}".rstrip()
        ),
        Figures(headings, rows),
    ]


def _least(accepted: float) -> int:
    """Return the rows from which on the risk of a class is not above an accepted one."""
    exact = Fraction(accepted).limit_denominator(10**6)
    return -(-exact.denominator // exact.numerator)


def _population(population: PopulationUniques) -> list[Part]:
    rows: list[list[object]] = [
        [
            _MODELS[found.model],
            Number("did not converge") if found.uniques is None else round(found.uniques),
            percent(found.share),
            "chosen (Dankar's rule)" if found.model == population.chosen else "",
        ]
        for found in population.models
    ]
    return [
        Sentence(
            f"About {population.uniques:,.0f} of the {population.size:,.0f} people of the"
            f" population ({percent(population.share)}) are unique by these values, according to"
            f" the model that fits a sample of {percent(population.fraction)}."
        ),
        Figures(["model", "unique people", "share of the population", ""], rows),
    ]


def _individual(units: str, risks: IndividualRisk) -> Sentence:
    nulls = " (NULL matches anything)" if risks.any_null else ""
    return Sentence(
        f"An attacker who looks for all {risks.units:,} {units} is expected to re-identify"
        f" {risks.expected:,.1f} of them{nulls}. The highest risk of one is {risks.highest:.3g};"
        f" {risks.above:,} have one above {risks.accepted:.4g}."
    )


def _looks(report: RiskReport) -> list[Section]:
    found = report.identifiers
    if found is None:
        return []
    says = (
        f"By the appearance of columns (no legal advice; there may be others): {len(found):,}"
        f" look like its identifiers, and {sum(one.passes for one in found):,} of them are"
        " released in a form that it does not allow."
    )
    rows = [
        [one.column, one.kind, one.by, one.released, "yes" if one.passes else "no", one.says]
        for one in sorted(found, key=lambda one: not one.passes)
    ]
    table = [Figures(["column", "looks like", "by", "released", "passes", ""], rows)]
    return [Section("HIPAA safe harbor", [Sentence(says), *(table if rows else [])])]


def histogram(reports: Mapping[str, RiskReport]) -> Chart:
    """Return the share of the rows with each risk; of several tables side by side."""
    says = (
        "The risk of a row is 1 / the number of rows in its class. Lines mark risks that agencies"
        " accept: rows to the left of a line have a higher one."
    )
    found = [(band.least, band.most) for one in reports.values() for band in one.sizes]
    bands = bands_to(max(size for _, size in found))
    shares = {name: _shares(report) for name, report in reports.items()}
    bars = [
        {"size": size_of(band), "of": name, "share": own.get(band, 0.0)} | {"risk": _risk(band)}
        for band in bands
        for name, own in shares.items()
    ]
    headings = ["rows in the class", "risk of each row", *(f"share of {name}" for name in reports)]
    rows = [
        (size_of(band), _risk(band), *(percent(own.get(band, 0.0)) for own in shares.values()))
        for band in bands
    ]
    spec = _histogram_spec(bars, bands, list(reports))
    figures = Figures(headings, rows)
    return chart("risks", "How many rows have which risk", says, spec, figures, on="page")


def _shares(report: RiskReport) -> dict[tuple[int, int], float]:
    rows = max(report.rows, 1)
    return {(band.least, band.most): band.rows / rows for band in report.sizes}


def size_of(band: tuple[int, int]) -> str:
    """Return the sizes of classes between two numbers, in words."""
    least, most = band
    return count(least) if least == most else f"{least:,} to {most:,}"


def _risk(band: tuple[int, int]) -> str:
    least, most = band
    return f"1 in {count(least)}" if least == most else f"1 in {least:,} to 1 in {most:,}"


def _histogram_spec(
    bars: list[dict[str, object]], bands: Sequence[tuple[int, int]], names: Sequence[str]
) -> Spec:
    x: Spec = {"field": "size", "type": "ordinal", "sort": [size_of(band) for band in bands]}
    angle = 0 if len(bands) <= _UPRIGHT else -45
    title = "rows in the class: each row's risk is 1 / that"
    x["axis"] = axis(title, labelAngle=angle, grid=False)
    y: Spec = {"field": "share", "type": "quantitative"}
    y["axis"] = axis("share of the rows", "~%", tickCount=5)
    colour: Spec = {"field": "of", "type": "nominal", "scale": {"domain": list(names)}}
    colour["scale"]["range"] = [f"var(--chart-{number + 1})" for number in range(len(names))]
    colour["legend"] = {"title": None, "orient": "top"} if len(names) > 1 else None
    encoding: Spec = {"x": x, "y": y, "color": colour}
    if len(names) > 1:
        encoding["xOffset"] = {"field": "of", "type": "nominal", "sort": list(names)}
    encoding["tooltip"] = [
        {"field": "of", "title": "rows of"},
        {"field": "risk", "title": "risk"},
        {"field": "share", "title": "share", "format": ".2%"},
    ]
    lines = [
        {"size": size_of(band), "says": _MARKED[band[1] + 1]}
        for band in bands
        if band[1] + 1 in _MARKED
    ]
    at: Spec = {"x": {**x, "bandPosition": 1}}
    says = at | {"text": {"field": "says"}, "y": {"value": 0}}
    text = {"type": "text", "align": "left", "dx": 3, "baseline": "top", "color": "var(--ink)"}
    return {
        "height": 180,
        "layer": [
            {"data": {"values": bars}, "mark": {"type": "bar"}, "encoding": encoding},
            {
                "data": {"values": lines},
                "mark": {"type": "rule", "color": "var(--ink)", "strokeDash": [3, 3]},
                "encoding": at,
            },
            {"data": {"values": lines}, "mark": text, "encoding": says},
        ],
    }


def _unique_by(specials: Specials) -> list[Part]:
    if not specials.rows:
        return [
            Sentence(f"No row is unique by {specials.largest} or fewer of these columns (SUDA2).")
        ]
    sets = [[", ".join(one.columns), one.rows] for one in specials.sets[:_MOST_SETS]]
    causes = [[one.column, one.sets, percent(one.share)] for one in specials.columns]
    fewest = [
        [one.columns, one.rows, Number(f"{one.average_score:,.1f}"), round(one.highest_score)]
        for one in specials.by_columns
    ]
    says = (
        f"{counted(specials.rows, 'row is', 'rows are')} unique by {specials.largest} or fewer of"
        " these columns (SUDA2). The fewer columns are enough, the easier it is to find such a row."
    )
    headings = ["fewest columns", "rows", "average score", "highest"]
    tables = [
        Figures(["column", "smallest sets with it", "share"], causes),
        Figures(headings, fewest, on="verbose"),
    ]
    parts: list[Part] = [
        Sentence(says),
        Section("", tables, beside=True),
        Figures(["unique by", "rows"], sets, on="verbose"),
    ]
    if specials.intrusion is not None:
        says = (
            "A match of a row that is unique by all of the columns is right with a probability"
            f" of {specials.intrusion:.3g}, if the table is a sample (DIS)."
        )
        parts.append(Sentence(says))
    return parts
