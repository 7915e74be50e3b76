"""Every error that anonsql raises on purpose, and the exit code that it ends the command with.

AnonsqlError
├── PolicyError          2  the policy, a hierarchy or the data under it is wrong; lists all that is
├── SqlError             2  a statement failed; carries its template name and its text
│   └── ResourceError    2  a statement failed because disk or memory ran out
├── TimeLimitError       2  the time that engine.seconds or --seconds allows is over
├── PrivacyError         1  the promised privacy cannot be met; says what could be
├── VerificationError    1  a release does not keep its promise; nothing is published
├── BusyError            3  a lock is held, a connection failed or the source moved: try again
└── InvariantError       2  anonsql contradicts itself; a fault of its own, nothing is published
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Self

from anonsql.masking import masked

RELATIVE_PATH = "Check the path; it is relative to the policy's folder."
"""The remedy for a file of a policy that is not there."""


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong: where it is, what was found, and what would be right.

    ``where`` is a path into the policy (``columns.age.hierarchy.widths[1]``). No value of the
    source is in it, and no secret of a URL: messages quote URLs, so secrets are masked in all of
    them. ``unmet``: the problem is a promise that this table cannot keep, not a fault of the
    policy. ``of_promise``: a warning that the promise may not count what a reader takes it to.
    """

    where: str
    found: str
    remedy: str = ""
    unmet: bool = False
    of_promise: bool = False

    def __post_init__(self) -> None:
        for name in ("where", "found", "remedy"):
            object.__setattr__(self, name, masked(getattr(self, name)))

    def __str__(self) -> str:
        return f"{self.where}: {self.found}" + (f" {self.remedy}" if self.remedy else "")


def together(problems: Iterable[Problem]) -> list[Problem]:
    """Return problems for a reader: those that say the same of several places as one."""
    places: dict[tuple[str, str], list[str]] = {}
    for problem in problems:
        places.setdefault((problem.found, problem.remedy), []).append(problem.where)
    return [
        Problem(", ".join(where) + (f" ({len(where)})" if len(where) > 1 else ""), found, remedy)
        for (found, remedy), where in places.items()
    ]


class AnonsqlError(Exception):
    """Any error that anonsql raises on purpose. ``exit_code`` is what the command line ends with,
    ``kind`` the name of the error in JSON."""

    exit_code = 2
    kind = "error"

    def __str__(self) -> str:
        return masked(super().__str__())


class PolicyError(AnonsqlError):
    """The policy or a hierarchy is wrong, or the data does not fit them. ``problems`` are all that
    were found."""

    kind = "policy"

    def __init__(self, problems: Sequence[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))

    @classmethod
    def at(cls, where: str, text: str, remedy: str = "") -> Self:
        """Return the error of a single problem."""
        return cls([Problem(where, text, remedy)])


class SqlError(AnonsqlError):
    """A statement failed. ``statement`` is the name of its template, ``sql`` its text, ``reason``
    what may be shown, and ``detail`` the engine's own message, which may quote personal data."""

    kind = "sql"

    def __init__(self, statement: str, reason: str, sql: str = "", detail: str = "") -> None:
        self.statement, self.reason, self.sql, self.detail = statement, reason, sql, detail
        super().__init__(f"statement {statement}: {reason}")


class ResourceError(SqlError):
    """A statement failed because disk or memory ran out."""

    kind = "resource"


class TimeLimitError(AnonsqlError):
    """The command did not end in the time that it may take. Nothing is published."""

    kind = "timeout"


class PrivacyError(AnonsqlError):
    """What the policy promises cannot be reached on this table; the message names what can."""

    exit_code = 1
    kind = "privacy"


class VerificationError(AnonsqlError):
    """A release breaks its promise. ``offences`` are the failed checks, in words and counts;
    ``advice`` is a sentence on what may be why, and what to do."""

    exit_code = 1
    kind = "verification"

    def __init__(self, offences: Sequence[str], advice: str = "") -> None:
        self.offences, self.advice = tuple(offences), advice
        lines = ["the release does not keep its promise:", *(f"- {text}" for text in offences)]
        super().__init__("\n".join([*lines, advice] if advice else lines))


class BusyError(AnonsqlError):
    """Somebody holds a lock, a connection failed, or the source changed during the run. Trying
    again may help."""

    exit_code = 3
    kind = "busy"


class InvariantError(AnonsqlError):
    """One part of anonsql broke what another relies on: a fault of anonsql. It is raised, not
    asserted, so that ``python -O`` changes nothing."""

    kind = "invariant"

    def __init__(self, text: str) -> None:
        super().__init__(f"{text}: this should not happen and is worth a report.")


class FieldError(ValueError):
    """A field of the policy is wrong by itself. The validator of a part of the policy raises it;
    ``at`` is the path of the field inside that part."""

    def __init__(self, at: str, text: str) -> None:
        self.at = at
        super().__init__(text)


class FieldsError(ValueError):
    """Several fields of the policy are wrong together."""

    def __init__(self, errors: Sequence[FieldError]) -> None:
        self.errors = tuple(errors)
        super().__init__("; ".join(f"{error.at}: {error}" for error in errors))


def require_all(*checks: Callable[[], None]) -> None:
    """Make all checks; raise FieldsError with what any of them finds."""
    found: list[FieldError] = []
    for check in checks:
        try:
            check()
        except FieldError as error:
            found.append(error)
        except FieldsError as several:
            found += several.errors
    if found:
        raise FieldsError(found)


def did_you_mean(word: object, known: Iterable[str]) -> str:
    """Return a hint with the known words nearest to ``word``; with all known words where none is
    near and they are few; else an empty text."""
    words = list(known)
    by_lower = {name.lower(): name for name in words}
    near = difflib.get_close_matches(str(word).lower(), list(by_lower), n=2, cutoff=0.6)
    if near:
        return "Did you mean " + " or ".join(f"'{by_lower[name]}'" for name in near) + "?"
    if 0 < len(words) <= 12:
        return "Known: " + ", ".join(f"'{word}'" for word in words) + "."
    return ""
