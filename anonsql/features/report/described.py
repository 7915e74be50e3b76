"""What commands say of a page that they wrote."""

from __future__ import annotations

from pathlib import Path

from anonsql.features.report.document import PageReport
from anonsql.presentation.tree import Part, Section, Sentence

_AUDIENCES = {
    "owner": "for you only: it contains counts of the source",
    "recipient": "made from the release only, to be passed on with it",
}


def written(page: Path) -> Section:
    """Return the place of the page that a command also wrote."""
    where = Sentence(f": {page.absolute()}, {_AUDIENCES['owner']}.", "Written", "good")
    return Section("", [where])


def describe(report: PageReport) -> list[Part]:
    """Return the place of the page, its audience, and its gaps."""
    size = f"{report.bytes / 2**20:.1f} MB"
    page = f": {report.page} ({size}), {_AUDIENCES[report.audience]}."
    parts = [Sentence(page, "Written", "good")]
    parts += [
        Sentence(f": {file.path} ({file.rows:,} rows).", "Written", "good") for file in report.files
    ]
    if formulas := sum(file.formulas for file in report.files):
        worth = (
            f": {formulas:,} labels begin with =, +, - or @, which a spreadsheet may treat as"
            " formulas. Open the files as text there."
        )
        parts.append(Sentence(worth, "Worth a look", "warn"))
    parts += [
        Sentence(f" {missing.what}: {missing.why}", "not in it", "warn")
        for missing in report.missing
    ]
    return [*parts]
