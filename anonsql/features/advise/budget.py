"""The time that ``advise`` may take for all of its choices together."""

from __future__ import annotations

import time

_MINUTE = 60


class Budget:
    """Shares ``seconds`` out among a number of ``choices``, which are tried one after the other, in
    rounds of as many as ``together`` says.

    A choice may take an equal share of what is left when it begins, for those of its round; what it
    leaves over goes to those behind it."""

    def __init__(self, seconds: float, choices: int, together: int | None = None) -> None:
        """Begin to count."""
        self.seconds = seconds
        self.choices = choices
        self._together = together or max(choices, 1)
        self.done = 0
        self._tried = 0
        self._started = time.perf_counter()

    @property
    def elapsed(self) -> float:
        """Seconds since the budget was made."""
        return time.perf_counter() - self._started

    @property
    def share(self) -> float:
        """Seconds that the next choice may take; 0 or less when the budget is spent."""
        return (self.seconds - self.elapsed) / (self._together - self.done % self._together)

    def count(self, *, tried: bool) -> None:
        """Count a choice as done. ``tried``: it was run, so that its time foretells the next
        one's."""
        self.done += 1
        self._tried += tried

    def standing(self) -> str:
        """Return how far the choices are: ``4 of 15, about 3 minutes left``. The time is that of
        the choices that were tried, on average, and never more than the budget leaves."""
        text = f"{self.done} of {self.choices}"
        behind = self.choices - self.done
        if not self._tried or not behind:
            return text
        seconds = min(self.elapsed / self._tried * behind, max(self.seconds - self.elapsed, 0.0))
        return f"{text}, about {_in_words(seconds)} left"


def _in_words(seconds: float) -> str:
    """Return a duration as people say it."""
    number = round(seconds / _MINUTE) if seconds >= 1.5 * _MINUTE else max(round(seconds), 1)
    unit = "minute" if seconds >= 1.5 * _MINUTE else "second"
    return f"{number} {unit}{'' if number == 1 else 's'}"
