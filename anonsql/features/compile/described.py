"""What ``compile`` says of its document."""

from __future__ import annotations

from anonsql.features.compile.dbt import PACKAGE
from anonsql.features.compile.document import CompileReport
from anonsql.presentation.tree import Figures, Part, Section, Sentence


def describe(report: CompileReport) -> list[Part]:
    """Return the files in the order to run them in, or the one that dbt runs."""
    if len(report.files) == 1:
        model = f"{report.folder}/{report.files[0].file}"
        return [
            Sentence(f" the dbt model {model} for {report.dialect}.", "Wrote", "good"),
            Sentence(f"dbt builds it by the package {PACKAGE} (packages.yml: local)."),
        ]
    wrote = (
        f" {len(report.files)} files for {report.dialect} to {report.folder}; run them in order:"
    )
    rows = [
        [file.file, file.does, "must return no row" if file.offenders else ""]
        for file in report.files
    ]
    files = Figures(["file", "does", ""], rows)
    return [Sentence(wrote, "Wrote", "good"), Section("", [files])]
