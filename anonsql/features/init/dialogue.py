"""The questions of ``anonsql init --interactive``: column by column what was found and what is
proposed; Enter accepts, one letter changes.

What is shown are names, counts and forms, never a value of the table.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from anonsql.errors import PolicyError
from anonsql.features.init.proposals import Decision, Option, Profile, cautious, hierarchies

_WIDTH = 80
_LETTERS = {
    "i": "identifying",
    "q": "quasi-identifying",
    "s": "sensitive",
    "n": "insensitive",
    "w": "weight",
}
_NUMBERS = ("integer", "decimal", "float")
_MEANING = {
    "identifying": "identifying: removed",
    "quasi-identifying": "quasi-identifying: others may know it, so it is generalized",
    "sensitive": "sensitive: what the release is about, kept as it is",
    "insensitive": "insensitive: neither known to others nor harmful, kept as it is",
    "weight": "weight: how many of a population a row stands for, kept as it is",
}
_QUASI = "quasi-identifying"

Alone = Callable[[Sequence[str]], int]
"""Returns how many rows no other row resembles in some columns."""


@dataclass(frozen=True)
class Talk:
    """How questions are asked and what is said: ``answer`` returns a line, without its end, or None
    when there are no more."""

    say: Callable[[str], None]
    answer: Callable[[], str | None]

    def ask(self, question: str) -> str:
        """Return the answer to a question; raise PolicyError when nobody answers any more."""
        self.say(question)
        text = self.answer()
        if text is None:
            raise PolicyError.at(
                "--interactive",
                "the answers ended before the last question; nothing was written.",
                "Start again.",
            )
        return text.strip().lower()

    def tell(self, text: str, indent: str = "  ") -> None:
        """Say a paragraph in 80 columns."""
        filled = textwrap.fill(
            text, _WIDTH - 1, initial_indent=indent, subsequent_indent=indent + "  "
        )
        self.say(f"{filled}\n")


def decide(profiles: Sequence[Profile], alone: Alone, talk: Talk) -> list[Decision]:
    """Return what the table's owner decides about each column. Raise PolicyError where no column is
    left to generalize."""
    talk.tell(
        f"{profiles[0].rows:,} rows, {len(profiles)} columns. Enter accepts what is proposed; one"
        " letter changes it, as the question says.",
        "",
    )
    decisions: list[Decision] = []
    for number, profile in enumerate(profiles, start=1):
        talk.tell("", "")
        talk.tell(f"{number} of {len(profiles)}: {shown(profile.column.name)}", "")
        talk.tell(f"{profile.words()}.")
        known = [decision.profile.column.name for decision in decisions if decision.role == _QUASI]
        _tell_alone(profile, known, alone, talk)
        decisions.append(_one(cautious(profile), talk))
    if not any(decision.role == _QUASI for decision in decisions):
        raise PolicyError.at(
            "columns",
            "no column is quasi-identifying, so there is nothing to anonymize and to write.",
            "Say q to what others may know of a person.",
        )
    return decisions


def _tell_alone(profile: Profile, known: Sequence[str], alone: Alone, talk: Talk) -> None:
    """Say how many rows the column makes unique, by itself and with those decided before it."""
    if profile.column.kind == "other":
        return
    name = profile.column.name
    text = f"By itself it makes {alone([name]):,} of {profile.rows:,} rows unique"
    if known:
        others = ", ".join(map(shown, known))
        text += f"; with {others}: {alone([*known, name]):,} (without it {alone(known):,})"
    talk.tell(f"{text}.")


def _one(decision: Decision, talk: Talk) -> Decision:
    """Return what is decided about one column, beginning with what is proposed."""
    talk.tell(f"Proposed: {_in_words(decision)}. {decision.why}")
    while True:
        numeric = decision.profile.column.kind in _NUMBERS
        letters = "i q s n" + (" w" if numeric else "") + (" h" if decision.role == _QUASI else "")
        answer = talk.ask(f"  Enter accepts, {letters} change, ? explains > ")
        if answer == "":
            return decision
        if answer in _LETTERS and (numeric or _LETTERS[answer] != "weight"):
            decision = _with_role(decision, _LETTERS[answer])
        elif answer == "h" and decision.role == _QUASI:
            decision = _with_hierarchy(decision, talk)
        else:
            _explain(talk)
            continue
        talk.tell(f"Now: {_in_words(decision)}.")


def _explain(talk: Talk) -> None:
    """Say what the letters mean."""
    for letter, role in _LETTERS.items():
        talk.tell(f"{letter}  {_MEANING[role]}", "    ")
    talk.tell("h  another hierarchy, of a quasi-identifying column", "    ")


def _with_role(decision: Decision, role: str) -> Decision:
    """Return a decision for another role, with the first hierarchy that suits the column where it
    needs one."""
    option = hierarchies(decision.profile)[0] if role == _QUASI else None
    return replace(decision, role=role, option=option, why="Decided by its owner.")


def _with_hierarchy(decision: Decision, talk: Talk) -> Decision:
    """Return a decision for another hierarchy, or the same."""
    options = hierarchies(decision.profile)
    for number, option in enumerate(options, start=1):
        talk.tell(f"{number}  {option.words}", "    ")
    answer = talk.ask("    Which? Enter leaves it > ")
    chosen = {str(number): option for number, option in enumerate(options, start=1)}
    if answer not in chosen:
        return decision
    return replace(decision, option=chosen[answer], why="Decided by its owner.")


def _in_words(decision: Decision) -> str:
    """Return what was decided about a column."""
    option: Option | None = decision.option
    return decision.role + (f", {option.words}" if option is not None else "")


def number_of_rows(rows: int, usual: int, talk: Talk) -> int:
    """Return the k that is decided."""
    while True:
        answer = talk.ask(
            f"\nk, the rows that share every released combination (2 to {rows:,}) [{usual}] > "
        )
        if answer == "":
            return usual
        if answer.isascii() and answer.isdigit() and 2 <= int(answer[:12]) <= rows:
            return int(answer)
        talk.tell(f"Give a whole number from 2 to {rows:,}; 5 or 10 are usual.")


def shown(name: str) -> str:
    """Return a name as a terminal may show it: what is not printable as its escape."""
    return "".join(
        entry if entry.isprintable() else entry.encode("unicode_escape").decode() for entry in name
    )
