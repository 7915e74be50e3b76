"""The words of ``compare`` for its document: the policies side by side, and the meaning for a
choice."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from anonsql.features.compare import charts
from anonsql.features.compare.document import CompareLine, CompareReport
from anonsql.features.measure.described import Figure, shown_of
from anonsql.presentation.numbers import NOTHING, Number, percent
from anonsql.presentation.tree import Figures, Part, Section, Sentence


def _entry(figure: Figure[CompareLine], line: CompareLine, report: CompareReport) -> Number:
    """Return the figure of a policy that is met; the best policies are marked."""
    best = line.policy in report.best.get(figure.ranked, [])
    return Number(f"{'*' if best else ''}{figure.shown(line)}")


_SAFETY: Sequence[Figure[CompareLine]] = (
    Figure(
        "risk", "the highest chance of picking the right person", lambda line: percent(line.risk)
    ),
    Figure(
        "left out",
        "rows that are not in the release",
        lambda line: percent(line.suppressed_share),
    ),
    Figure("untrue", "rows with changed values", lambda line: percent(line.untrue)),
    Figure(
        "uniform",
        "whether all values of a column have one level",
        lambda line: "yes" if line.uniform else "no",
    ),
)
_USEFULNESS: Sequence[Figure[CompareLine]] = (
    Figure(
        "error",
        "half of the queries have at most this error",
        lambda line: percent(line.median_error),
        "error",
    ),
    Figure(
        "nine in ten",
        "nine in ten queries have at most this error",
        lambda line: percent(line.error.ninetieth if line.error else None),
    ),
    Figure(
        "loss",
        "share of detail that is lost, by the hierarchies",
        lambda line: _number(line.loss),
        "loss",
    ),
    Figure(
        "GCP",
        "share of detail that is lost, by the values of the source",
        lambda line: _number(line.gcp),
        "gcp",
    ),
    Figure("seconds", "of all stages except publishing", lambda line: f"{line.seconds:,.1f}"),
)


def describe(report: CompareReport) -> list[Part]:
    """Return the figures of the policies, and their meaning for a choice."""
    return side_by_side(report, [Sentence(text) for text in [in_words(report)] if text])


def page_title(report: CompareReport) -> str:
    """Return the title of the page."""
    return f"Comparison of policies for {report.source.table}"


def side_by_side(report: CompareReport, closing: Sequence[Part]) -> list[Part]:
    """Return the figures of the policies, with their meaning for a choice."""
    met = sorted((line for line in report.policies if line.status == "met"), key=_by_error)
    head = (
        f"{len(met)} of {len(report.policies)} policies were finished and keep their promise on"
        f" {report.basis}{report.source.table} ({report.source.database}). Each was taken as far as"
        " a proved and measured release, which was then deleted: nothing was published."
    )
    parts = [Sentence(head), *closing, Section("The policies", _policies(report))]
    if found := charts.planes(met):
        says = "A more detailed release is more useful, and may put people at more risk."
        points = [Sentence(f"{says} Each point is a policy."), Section("", found, beside=True)]
        parts.append(Section("Usefulness and risk", points, on="page"))
    if met:
        parts.append(Section("Usefulness", _usefulness(report, met)))
    parts += _analyses(met)
    if (lost := charts.by_column(met)) is not None:
        says = "0 % keeps every value, 100 % hides all (GCP)."
        parts.append(Section("Loss by column", [Sentence(says), lost], on="page"))
    return parts


def _policies(report: CompareReport) -> list[Part]:
    shared = set.intersection(*(set(_promises(line)) for line in report.policies))
    ordered = sorted(report.policies, key=_by_error)
    rows = [[line.policy, _details(line, shared), *_safety(line, report)] for line in ordered]
    headings = ["policy", "method and promise", *(column.name for column in _SAFETY)]
    parts: list[Part] = [Figures(headings, rows)]
    if shared:
        parts.append(Sentence(f"All promise {', '.join(sorted(shared))}."))
    parts += [*reasons(report.policies)]
    parts += [
        Sentence(f": {note}.", line.policy) for line in report.policies for note in line.notes
    ]
    parts += [Sentence(f"{note[0].upper()}{note[1:]}.") for note in report.notes]
    parts += [Sentence(f": {line.means}", line.policy) for line in ordered if line.means]
    front = [line.policy for line in ordered if line.front]
    if front and sum(line.status == "met" for line in ordered) > 1:
        parts.append(
            Sentence(f"No other policy is at least as good in every respect: {_listed(front)}.")
        )
    return [*parts, _meanings(_SAFETY)]


def _usefulness(report: CompareReport, met: Sequence[CompareLine]) -> list[Part]:
    parts: list[Part] = [table_of(report, met)]
    if report.queries:
        parts.append(
            Sentence(
                f"Errors are those of {report.queries:,} random COUNT queries over"
                f" {', '.join(report.columns)}, as a share of the true answer."
                f"{' * is the best of a column.' if report.best else ''}"
            )
        )
    return [*parts, _meanings(_USEFULNESS)]


def table_of(report: CompareReport, lines: Sequence[CompareLine]) -> Figures:
    """Return how useful the releases of policies are."""
    rows = [[line.policy, *(_entry(one, line, report) for one in _USEFULNESS)] for line in lines]
    return Figures(["policy", *(column.name for column in _USEFULNESS)], rows)


def _analyses(met: Sequence[CompareLine]) -> list[Part]:
    analysed = [(line.policy, line.usefulness) for line in met if line.usefulness is not None]
    figures = shown_of([found for _, found in analysed])
    if not figures:
        return []
    rows = [
        [name, *(Number(figure.shown(found) or NOTHING) for figure in figures)]
        for name, found in analysed
    ]
    says = (
        "Each release was completed with one random value for each label, and analysed like the"
        " source."
    )
    table = Figures(["policy", *(figure.name for figure in figures)], rows)
    return [Section("What analyses find", [Sentence(says), table, _meanings(figures)])]


def _meanings(figures: Iterable[Figure[Any]]) -> Sentence:
    meanings = "; ".join(f"{figure.name}: {figure.meaning}" for figure in figures)
    return Sentence(f"{meanings[0].upper()}{meanings[1:]}.", tone="quiet")


def reasons(policies: Sequence[CompareLine]) -> list[Sentence]:
    """Return why policies are not met."""
    return [Sentence(f": {reason}", ", ".join(names), "bad") for reason, names in unmet(policies)]


def unmet(policies: Sequence[CompareLine]) -> list[tuple[str, list[str]]]:
    """Return the reasons for unmet policies, each with the names of its policies."""
    names: dict[str, list[str]] = {}
    for line in policies:
        if line.reason is not None:
            names.setdefault(f"{line.status}: {line.reason}", []).append(line.policy)
    return list(names.items())


def _by_error(line: CompareLine) -> tuple[bool, float]:
    return line.status != "met", _median(line)


def _median(line: CompareLine) -> float:
    return math.inf if line.median_error is None else line.median_error


def _promises(line: CompareLine) -> list[str]:
    return [f"k={line.k}", *(f"{location} {stated}" for location, stated in line.promises.items())]


def _details(line: CompareLine, shared: set[str]) -> str:
    """Return the method and the promises that the policy's name and ``shared`` do not say."""
    said = {*line.policy.split(), *shared}
    details = [f"{line.method} {line.settings}".rstrip(), *_promises(line)]
    return "; ".join(text for text in details if text not in said)


def _safety(line: CompareLine, report: CompareReport) -> list[Number]:
    if line.status != "met":
        return [Number(line.status), *[NOTHING] * (len(_SAFETY) - 1)]
    return [_entry(figure, line, report) for figure in _SAFETY]


def _number(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.4f}"


def _listed(names: list[str]) -> str:
    return ", ".join(names[:-1]) + (" and " if len(names) > 1 else "") + names[-1]


def in_words(report: CompareReport) -> str:
    """Return the meaning of the figures for a choice; empty if no promise is met."""
    met = sorted((policy for policy in report.policies if policy.status == "met"), key=_by_error)
    answering = [line for line in met if line.median_error is not None]
    words = []
    if answering:
        first = answering[0]
        ninetieth = first.error.ninetieth if first.error is not None else None
        names = [line.policy for line in answering if line.error == first.error]
        verb = "answer queries equally well" if len(names) > 1 else "answers queries best"
        words.append(
            f"{_listed(names)} {verb}: half of them have an error of at most"
            f" {percent(_median(first))}, nine of ten at most {percent(ninetieth)}."
        )
    first_names = {line.policy for line in answering[:1]}
    if losing := [name for name in report.best.get("loss", []) if name not in first_names]:
        verb = "lose" if len(losing) > 1 else "loses"
        words.append(f"{_listed(losing)} {verb} least information.")
    for line in met:
        if line.untrue:
            words.append(
                f"In {line.policy} {percent(line.untrue)} of the rows have changed values."
            )
        if line.suppressed_share and line.suppressed_share >= 0.01:
            words.append(f"{line.policy} leaves out {percent(line.suppressed_share)} of the rows.")
    promised = {(policy.k, *sorted(policy.promises.items())) for policy in report.policies}
    if met and len(promised) > 1:
        words.append("The promises differ: a stronger promise may cost more.")
    return " ".join(words)
