"""The words of ``ledger`` and ``run`` for releases that follow one another."""

from __future__ import annotations

from anonsql.features.ledger.document import LedgerReport, OverTime
from anonsql.presentation.numbers import Number, percent
from anonsql.presentation.tree import Figures, Part, Sentence

_TO_DAY = 10
"""Characters of a moment up to its day."""


def over_time(over_time: OverTime | None, records: int, k: int) -> list[Sentence]:
    """Return how a run made its release keep the promise together with those before it."""
    if over_time is None:
        return []
    begun = ", begun anew" if over_time.begun_anew else ""
    if over_time.release == 1 and not over_time.begun_anew:
        begun = ", the first of a series, because there was no release or ledger"
    alike = (
        "the smallest group of rows that were always released with the same values has"
        f" {over_time.smallest:,}"
    )
    if over_time.exposed:
        from anonsql.over_time.traces import missing_here

        alike = missing_here(over_time.exposed, k)
    return [
        Sentence(
            f"Over time: release {over_time.release}{begun}; {over_time.held_back:,} rows held back"
            f" ({percent(over_time.held_back / records)}), {over_time.gone:,} gone from the source;"
            f" {alike}."
        )
    ]


def describe(report: LedgerReport) -> list[Part]:
    """Return the releases of a ledger, the first one first."""
    if report.status == "begun anew":
        says = (
            ": the promise holds from the next release on, and that release says so. The ledger"
            f" is in {report.ledger}."
        )
        return [Sentence(says, "Begun anew", "good")]
    if report.status == "ended":
        says = (
            ": releases from now on are not compared with earlier ones. A run of a policy with"
            " `over_time` begins another series. The ledger's content was removed from"
            f" {report.ledger}."
        )
        return [Sentence(says, "Ended", "good")]
    begun = "; it was begun anew, and does not cover earlier releases" if report.anew else ""
    besides = f"; in addition to k: {report.promises}" if report.promises else ""
    sizes = ("k", "released", "held back", "gone", "exposed", "smallest")
    rows = [
        [
            *(release.release, Number(release.made[:_TO_DAY]), release.run, release.k),
            *(release.released, release.held_back, release.gone, release.exposed),
            *(release.smallest, "" if release.published else "not settled"),
        ]
        for release in report.releases
    ]
    return [
        Sentence(f"The ledger in {report.ledger} identifies rows by {report.key}{besides}{begun}."),
        Figures(["release", "made", "run", *sizes, ""], rows),
        Sentence(
            "Smallest: rows of the smallest trace, which were always released with the same"
            " values.",
            tone="quiet",
        ),
    ]
