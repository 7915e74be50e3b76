"""The documents of releases that follow one another."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from anonsql.features.documents import Tabular, Traces


class LedgerRelease(Traces):
    """What a ledger says of one release."""

    release: int = Field(description="counted from 1, from where the ledger was begun")
    run: int = Field(description="of the catalog, see `anonsql runs`")
    made: str = Field(description="UTC")
    published: bool = Field(
        description="false: it is not known whether it was, which the next run settles"
    )
    k: int
    levels: dict[str, int] = Field(description="by quasi-identifying column")
    released: int = Field(description="rows of the release")


class LedgerReport(Tabular):
    """What `anonsql ledger` tells, the first release first."""

    status: Literal["kept", "begun anew", "ended"]
    ledger: str = Field(description="where it is kept")
    key: str = Field(description="column that names the rows")
    anew: bool = Field(description="whether it was begun although there were releases before")
    promises: str = Field(description="what is promised besides k")
    releases: list[LedgerRelease]

    def _title(self) -> str:
        """See the base class."""
        return f"{len(self.releases):,} releases that follow one another, rows known by {self.key}"

    def _rows(self) -> list[dict[str, object]]:
        """See the base class: the releases."""
        return [release.model_dump() for release in self.releases]
