"""Checks as tables: a row says what is proved, by what, and what it needs; one loop runs the rows in
order.

A table of each kind of release is all that is proved of it: ``release_only.CHECKS`` of one table,
``relational`` and ``statistics`` have their own. A check whose needs are not met proves nothing, so
each need says why nothing is left unproved without it, or where a document names what is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from anonsql.errors import VerificationError


class Examined(Protocol):
    """A release that is being examined, with the ``offences`` that were found so far."""

    offences: list[str]


ExaminedRelease = TypeVar("ExaminedRelease", bound=Examined)


@dataclass(frozen=True)
class Need(Generic[ExaminedRelease]):
    """What a check needs, and what becomes of what it would prove ``without`` that."""

    met: Callable[[ExaminedRelease], bool]
    without: str


SOUND: Need[Any] = Need(lambda examined: not examined.offences, "the release is refused already")
"""Nothing is wrong so far: what a check compares can be relied upon."""


@dataclass(frozen=True)
class Check(Generic[ExaminedRelease]):
    """What is proved (``name``), and the function that returns where it does not hold. Nothing that
    follows can be asked of a release that breaks a ``decisive`` check."""

    name: str
    offences: Callable[[ExaminedRelease], Iterable[str]]
    needs: Sequence[Need[ExaminedRelease]] = ()
    decisive: bool = False


def run(
    checks: Iterable[Check[ExaminedRelease]], examined: ExaminedRelease, advice: str = ""
) -> None:
    """Run the checks in order. Raise VerificationError listing every offence, with ``advice`` where
    no decisive check has found one."""
    for check in checks:
        if all(need.met(examined) for need in check.needs):
            found = [*check.offences(examined)]
            examined.offences += found
            if found and check.decisive:
                raise VerificationError(list(dict.fromkeys(examined.offences)))
    if examined.offences:
        raise VerificationError(list(dict.fromkeys(examined.offences)), advice)
