"""Every statement is named, timed and counted. Names, rows and milliseconds are kept; values never
are.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal, TypeVar

from anonsql.system.clock import Clock, Reporter

log = logging.getLogger("anonsql")
Plane = Literal["data", "workbench", "control"]
"""Where a statement works: on the engine of the source, on the workbench apart from it, on the
catalog."""
Row = TypeVar("Row")
_ROWS_A_REPORT = 10_000


@dataclass
class Statement:
    """One executed statement: its template, the plane it ran on, rows returned or written,
    duration; and the job's ``reporter``, for statements that rows or files go through."""

    plane: Plane
    name: str
    rows: int = 0
    milliseconds: float = 0.0
    reporter: Reporter | None = field(default=None, repr=False, compare=False)

    def moved(self, done: int, total: int, unit: str) -> None:
        """Report how much has gone through so far, of how much (0 when unknown)."""
        if self.reporter is not None:
            self.reporter.moved(done, total, unit)

    def counted(self, rows: Iterable[Row], total: int = 0) -> Iterator[Row]:
        """Yield the rows that go through, and report how many did."""
        for number, row in enumerate(rows):
            if number % _ROWS_A_REPORT == 0:
                self.moved(number, total, "rows")
            yield row


@dataclass
class Journal:
    """The statements of one run, in order; ``run`` is its number in the catalog, ``clock`` says how
    long it may take; ``counts`` is whether the rows of statements on data are noted, which noise is
    to hide; ``reporter`` is told of each, but for those of the catalog. ``memory_setting`` is the
    setting that limits the memory of its engines, where the policy's do not."""

    statements: list[Statement] = field(default_factory=list)
    run: int = 0
    counts: bool = True
    clock: Clock = field(default_factory=Clock)
    reporter: Reporter | None = None
    memory_setting: str = ""

    @contextmanager
    def statement(self, plane: Plane, name: str) -> Iterator[Statement]:
        """Time the statement that runs inside; the caller fills in its rows."""
        entry = Statement(plane, name)
        self.statements.append(entry)
        if self.reporter is not None and plane != "control":
            entry.reporter = self.reporter
            self.reporter.statement()
        started = time.perf_counter()
        try:
            with self.clock.watching(f"statement {name}"):
                yield entry
        finally:
            if not self.counts and plane != "control":
                entry.rows = 0
            entry.milliseconds = (time.perf_counter() - started) * 1000
            fields = {
                "run": self.run,
                "plane": plane,
                "statement": name,
                "rows": entry.rows,
                "ms": round(entry.milliseconds, 3),
            }
            log.debug(
                "%s %s: %d rows, %.1f ms",
                plane,
                name,
                entry.rows,
                entry.milliseconds,
                extra={"fields": fields},
            )

    def count(self, plane: Plane = "data") -> int:
        """Return how many statements ran on a plane."""
        return sum(entry.plane == plane for entry in self.statements)
