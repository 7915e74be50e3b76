"""The document of ``compile``."""

from __future__ import annotations

from pydantic import Field

from anonsql.presentation.documents import Document


class CompiledFile(Document):
    """One file of SQL."""

    file: str
    does: str
    creates: str | None = Field(description="the table it makes")
    offenders: bool = Field(description="a query that must return no row")


class CompileReport(Document):
    """The output of `anonsql compile`; this document is also next to the files as manifest.json."""

    dialect: str
    anonsql: str
    sqlglot: str
    folder: str
    source: str
    release: str
    k: int
    suppression_limit: float
    levels: dict[str, int]
    files: list[CompiledFile]
