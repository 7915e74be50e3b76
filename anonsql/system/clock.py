"""The time limit of a command (``engine.seconds``, or an option), and the reporting of progress.

The clock is checked before every statement and whenever a long search reports progress; the
statement that runs when the time is over is interrupted, if its engine can be. A search that has
found a result stops by itself in time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from anonsql.errors import AnonsqlError, TimeLimitError

Progress = Callable[[str, int, int], None]
"""Called with a stage's name and how much of it is done, of how much (0 when unknown)."""
_A_WHILE = 1.0  # seconds
_SEARCHING = 0.5  # share of the time: staging, verification and publication need the rest


def silent(_stage: str, _done: int, _total: int) -> None:
    """Ignore progress: the default where nobody watches."""


def is_interrupt(error: BaseException) -> bool:
    """Return whether an exception is Ctrl-C, also where an engine reports it in its words."""
    return isinstance(error, KeyboardInterrupt) or "query interrupted" in str(error).lower()


_OVER = (
    "{what}: the time limit is over (engine.seconds is {seconds:g}). Nothing was published. Raise"
    " the limit, or reduce the work: fewer quasi-identifying columns or levels (min_level,"
    " max_level), fewer rows, or another method."
)


class Clock:
    """Counts from the moment it is made; without a limit until ``limit`` is called. ``over`` says
    that the time is over, of ``{what}`` and of how many ``{seconds}``."""

    def __init__(self, over: str = _OVER) -> None:
        self._over = over
        self._started = time.perf_counter()
        self._seconds: float | None = None
        self._interrupts: list[Callable[[], None]] = []

    def limit(self, seconds: float | None, interrupt: Callable[[], None]) -> None:
        """Set the limit in ``seconds``, and the function that ends a running statement."""
        self._seconds, self._interrupts = seconds, [interrupt]

    def also_end(self, interrupt: Callable[[], None]) -> None:
        """Add a function that ends a statement which runs in another engine of the same job."""
        self._interrupts.append(interrupt)

    def stop(self) -> None:
        """Lift the limit for what follows: putting the release in its place, and cleaning up."""
        self._seconds = None

    @property
    def elapsed(self) -> float:
        """The seconds since it was made."""
        return time.perf_counter() - self._started

    @property
    def left(self) -> float | None:
        """The seconds that are left; None when there is no limit."""
        return None if self._seconds is None else self._seconds - self.elapsed

    def enough(self) -> bool:
        """Return whether a search with a result must stop, to leave time for what follows."""
        left = self.left_to_search
        return left is not None and left < 0

    @property
    def left_to_search(self) -> float | None:
        """The seconds until a search with a result must stop; None without a limit."""
        left = self.left
        return None if left is None or self._seconds is None else left - self._seconds * _SEARCHING

    def check(self, what: str) -> None:
        """Raise TimeLimitError when the time is over, once: cleaning up needs statements."""
        left = self.left
        if left is not None and left <= 0:
            seconds = self._seconds
            self.stop()
            raise TimeLimitError(self._over.format(what=what, seconds=seconds))

    @contextmanager
    def watching(self, what: str) -> Iterator[None]:
        """Interrupt the statement inside when the time is over, and raise TimeLimitError."""
        self.check(what)
        left = self.left
        if left is None:
            yield
            return
        timer = threading.Timer(left, self._end)
        timer.daemon = True
        timer.start()
        try:
            yield
        except AnonsqlError:
            self.check(what)
            raise
        finally:
            timer.cancel()

    def _end(self) -> None:
        """Interrupt the engines; where that fails or comes late, the next check raises."""
        for interrupt in self._interrupts:
            with suppress(Exception):
                interrupt()


class Reporter:
    """A ``progress`` that checks the clock at every call, and that is told of every statement: so a
    step that takes long shows that it goes on, whatever it does and however it counts. ``stage`` is
    what the first statements belong to."""

    def __init__(self, progress: Progress, clock: Clock, stage: str) -> None:
        self._progress, self._clock = progress, clock
        self._last = (stage, 0, 0)
        self._statements, self._reported = 0, time.perf_counter()

    def __call__(self, stage: str, done: int, total: int) -> None:
        """Report a stage, and how much of it is done."""
        self._clock.check(stage)
        if stage != self._last[0]:
            self._statements = 0
        self._last, self._reported = (stage, done, total), time.perf_counter()
        self._progress(stage, done, total)

    def statement(self) -> None:
        """Report which statement of the stage begins, where nothing was reported for a while."""
        self._statements += 1
        if self._is_due():
            _, done, total = self._last
            self._progress(self._of_stage(), done, total)

    def moved(self, done: int, total: int, unit: str) -> None:
        """Report how much has gone through the statement that runs, where nothing was reported for
        a while: so many of the ``unit``, of how many (0 when unknown)."""
        self._clock.check(self._last[0])
        if self._is_due():
            self._progress(f"{self._of_stage()}, {unit}", done, total)

    def _of_stage(self) -> str:
        return f"{self._last[0]}, statement {self._statements:,}"

    def _is_due(self) -> bool:
        now = time.perf_counter()
        due = now - self._reported >= _A_WHILE
        if due:
            self._reported = now
        return due
