"""The documents of releases that follow one another."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from anonsql.presentation.documents import Document, Tabular


class Traces(Document):
    """Numbers of rows of a release that follows others; a row's trace is how each release so far
    had it."""

    held_back: int = Field(description="rows of the source that are not in the release")
    gone: int = Field(description="rows released before that the source no longer has")
    exposed: int = Field(
        description=(
            "with `deletions: tell`: rows of earlier releases that are missing in this one,"
            " together with fewer than k rows like them"
        )
    )
    smallest: int = Field(
        description="rows, or people, of the smallest trace: those that were always released with"
        " the same values"
    )


class OverTime(Traces):
    """The facts of a release and all those before it in its ledger."""

    release: int = Field(description="counted from 1, from the beginning of the ledger")
    begun_anew: bool = Field(
        description="whether there were earlier releases that the promise does not cover"
    )


class LedgerRelease(Traces):
    """What a ledger says of one release."""

    release: int = Field(description="counted from 1, from the beginning of the ledger")
    run: int = Field(description="of the catalog, see `anonsql runs`")
    made: str = Field(description="UTC")
    published: bool = Field(
        description="false: it is not known whether it was published, which the next run finds out"
    )
    k: int
    levels: dict[str, int] = Field(description="by quasi-identifying column")
    released: int = Field(description="rows of the release")


class LedgerReport(Tabular):
    """The entries that `anonsql ledger` lists, the first release first."""

    status: Literal["kept", "begun anew", "ended"]
    ledger: str = Field(description="where the ledger is stored")
    key: str = Field(description="column that identifies the rows")
    anew: bool = Field(description="whether it was begun although there were earlier releases")
    promises: str = Field(description="promises in addition to k")
    releases: list[LedgerRelease]

    def _rows(self) -> list[dict[str, object]]:
        """See the base class: the releases."""
        return [release.model_dump() for release in self.releases]
