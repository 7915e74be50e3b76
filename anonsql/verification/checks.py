"""Checks as tables: a row says what is proved, by what, and what it needs; one loop runs the rows
in order.

A table of each kind of release is all that is proved of it: ``release_only.CHECKS`` of one table,
``relational`` and ``statistics`` have their own. A check whose needs are not met proves nothing, so
each need says why nothing is left unproved without it, or where a document names what is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from anonsql.errors import VerificationError


class Proof(Protocol):
    """A release that is being proved, with the ``offences`` that were found so far."""

    offences: list[str]


ProofOfKind = TypeVar("ProofOfKind", bound=Proof)
Part = TypeVar("Part")


@dataclass(frozen=True)
class Need(Generic[ProofOfKind]):
    """The need of a check, and what remains of its proof ``without`` that."""

    met: Callable[[ProofOfKind], bool]
    without: str


SOUND: Need[Any] = Need(lambda proof: not proof.offences, "the release is refused already")
"""Nothing is wrong so far: what a check compares can be relied upon."""


@dataclass(frozen=True)
class Check(Generic[ProofOfKind]):
    """What is proved (``name``), and the function that returns where it does not hold. No later
    check applies to a release that breaks a ``decisive`` check."""

    name: str
    offences: Callable[[ProofOfKind], Iterable[str]]
    needs: Sequence[Need[ProofOfKind]] = ()
    decisive: bool = False


def each(
    parts: Callable[[ProofOfKind], Mapping[str, Part]],
    check: Callable[[ProofOfKind, Part], Iterable[str]],
) -> Callable[[ProofOfKind], list[str]]:
    """Return the check that makes a check of each part, and names the part."""
    return lambda proof: [
        f"{name}: {text}" for name, part in parts(proof).items() for text in check(proof, part)
    ]


def broken(checks: Iterable[Check[ProofOfKind]], proof: ProofOfKind) -> list[str]:
    """Run the checks in order; return every offence, up to the first decisive one."""
    for check in checks:
        if all(need.met(proof) for need in check.needs):
            found = [*check.offences(proof)]
            proof.offences += found
            if found and check.decisive:
                break
    return list(dict.fromkeys(proof.offences))


def require(checks: Iterable[Check[ProofOfKind]], proof: ProofOfKind) -> None:
    """Run the checks in order; raise VerificationError listing every offence."""
    if offences := broken(checks, proof):
        raise VerificationError(offences)
