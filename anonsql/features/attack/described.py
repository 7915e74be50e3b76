"""The words of ``attack`` for its document: the findings of each attack, and remedies."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import yaml

from anonsql.errors import PolicyError
from anonsql.features.attack import known_rule
from anonsql.features.attack.document import Attack, AttackReport, Kind, Together
from anonsql.policy.columns import HARMLESS
from anonsql.policy.policy import Policy
from anonsql.presentation.numbers import Number, percent
from anonsql.presentation.policy_text import without
from anonsql.presentation.tree import Figures, Part, Section, Sentence
from anonsql.system.numbers import counted

_TITLES: dict[Kind, str] = {
    "singling-out": "Singling out",
    "linkability": "Linkability",
    "inference": "Inference",
}
_CONTROLS = {
    "left out": "the control guesses without the target's own row, or from each column alone",
    "table": "the control guesses about rows that were not released",
}
_OF_PEOPLE = "the control guesses without any of the target's own rows, or from each column alone"
_WITHOUT = {
    "singling-out": (
        "of the guesses made without that row",
        "of the guesses made without these rows",
    ),
    "linkability": ("without the target's own row", "without the target's own rows"),
    "inference": ("without the target's own row", "without the target's own rows"),
}
_FOUND = {
    "singling-out": ("of the guesses single out one person of the source",) * 2,
    "linkability": (
        "of the targets are linked to one released row from both places",
        "of the people are linked: the rows picked from both places belong to one person",
    ),
    "inference": ("of the values are guessed", "of the people have the guessed value"),
}
KEPT = "kept columns"
"""What an attacker knows who knows the released values that are kept as they are."""
ALL_ROWS = "labels of all rows"
"""The clue of an attacker who knows which released rows are one person's."""
_NOTHING = {
    "singling-out": "No released row is unique by these columns, so no guess singles out a person.",
    "linkability": "The source has no row to link.",
    "inference": "No row of the source has a secret value.",
}


def describe(report: AttackReport) -> list[Part]:
    """Return what a release reveals to attackers."""
    of_people = "" if report.smallest_people is None else f" of {report.smallest_people:,} or more"
    people = "" if report.smallest_people is None else " people"
    head = (
        f"{report.rows:,} released rows in {report.classes:,} classes{of_people}{people} by"
        f" {report.method}, k = {report.k}{people}."
    )
    return [Sentence(head), Section("What attackers find", found(report))]


def found(report: AttackReport) -> list[Part]:
    """Return the findings of attackers, their meaning and the remedies."""
    better = "better" if report.beyond else "no better"
    control, aim = _CONTROLS[report.control], ""
    if report.entity is not None:
        control = _OF_PEOPLE if report.control == "left out" else control
        aim = f" about people ({report.entity}), each known by one of the person's rows"
    parts: list[Part] = [
        Sentence(
            " By the sizes of classes alone a guess is right with a probability of"
            f" {percent(report.by_classes)}.",
            f"Attackers guess {better} than the promise and the sizes of classes suggest.",
        ),
        Sentence(
            f"Each attack makes up to {report.attempts:,} guesses{aim}; {control}. Risk is (right"
            f" - control) / (1 - control), with its {percent(report.confidence)} interval."
        ),
    ]
    if report.below_k:
        k_of = "k" if report.entity is None else "k people"
        below = f"{counted(report.below_k, 'row is', 'rows are')} in classes of fewer than {k_of}."
        parts.append(Sentence("", below, "bad"))
    parts += [Sentence(text, tone="bad") for text in report.order]
    parts += [] if report.known_rule is None else known_rule.described(report.known_rule)
    for kind in dict.fromkeys(one.kind for one in report.attacks):
        parts += _of_kind(kind, report)
    parts += [
        Sentence(f"{_TITLES[left.kind]} was not tried: {left.why}.") for left in report.not_attacked
    ]
    if report.together is not None:
        short = [Sentence(f"{text}.", tone="bad") for text in report.together_short]
        together = Sentence(of_together(report.together))
        parts.append(Section("With other releases", [together, *short]))
    return [*parts, Sentence(f" {report.to_do}", "What to do.")]


def _of_kind(kind: Kind, report: AttackReport) -> list[Part]:
    made = [one for one in report.attacks if one.kind == kind and one.attack.guesses]
    if not made:
        return [Sentence(": no guess could be made.", _TITLES[kind])]
    beyond = [one for one in made if one.beyond]
    return [
        _rates(kind, made),
        *(Sentence(f": {one.means}", f"{one.kind} by {one.by}", "bad") for one in beyond),
    ]


def _rates(kind: Kind, made: Sequence[Attack]) -> Section:
    worst = max(made, key=lambda one: one.risk or 0.0)
    says = (
        f"The highest risk beyond the control: {percent(worst.risk)} ({percent(worst.lower)} to"
        f" {percent(worst.upper)}), by {worst.by}."
    )
    rows = [
        [
            one.by,
            one.attack.guesses,
            percent(one.attack.rate),
            percent(one.control.rate),
            Number(f"{percent(one.risk)} ({percent(one.lower)} to {percent(one.upper)})"),
        ]
        for one in made
    ]
    figures = Figures(["guessed by", "guesses", "right", "control", "risk"], rows)
    return Section(_TITLES[kind], [Sentence(says), figures])


def meaning(attack: Attack, by_classes: float, *, ruled_out: bool, people: bool) -> str:
    """Return the meaning of an attack. ``ruled_out``: the promised diversity excludes certainty;
    ``people``: it is about people who may have several rows."""
    if attack.attack.rate is None or attack.risk is None:
        return _NOTHING[attack.kind]
    found = f"{percent(attack.attack.rate)} {_FOUND[attack.kind][people]}"
    control = f"{percent(attack.control.rate or 0.0)} {_WITHOUT[attack.kind][people]}"
    if ruled_out:
        end = f"{attack.certain or 0:,} guesses are certain, which the promised diversity rules out"
    elif attack.beyond:
        end = f"that is more than the sizes of classes alone allow, {percent(by_classes)}"
    elif not attack.lower:
        end = "the release adds no more than chance"
    else:
        end = f"that is within what the sizes of classes allow, {percent(by_classes)}"
    return f"{found}, {control}: {end}."


def of_together(together: Together) -> str:
    """Return the combined result of several releases."""
    people = together.smallest_people
    smallest = counted(together.smallest, "row")
    smallest += "" if people is None else f" and {counted(people, 'person', 'people')}"
    text = (
        f"With {counted(len(together.releases) - 1, 'other release')}:"
        f" {counted(together.released, 'row')} of the source in {counted(together.sets, 'set')}"
        f" whose rows an attacker cannot distinguish, the smallest of {smallest} (k={together.k})."
    )
    for one in together.releases:
        if one.unseen:
            rows = counted(one.unseen, "released row matches", "released rows match")
            text += (
                f" In {one.release}, {rows} no row of the source: the source has lost them, or"
                " the policy that made the release must be named."
            )
    return text


def to_do(
    policy: Policy,
    beyond: Sequence[Attack],
    values: Mapping[str, int],
    *,
    broken: bool,
    short: bool,
) -> str:
    """Return the remedy for the attacks ``beyond`` the promise: a line of policy against the worst.
    ``values`` counts the values of each kept column; ``broken``: the release does not keep its
    promise; ``short``: with others it does not."""
    if broken:
        return "Replace the release by `anonsql run`: a run would not publish it."
    if short:
        promise = "`over_time: {key: COLUMN}` under `privacy`"
        return f"Do not publish these releases together; for later releases, write {promise}."
    if not beyond:
        return "These attacks require no change."
    # what kept columns alone do is the cause of what all columns do
    worst = max(beyond, key=lambda one: (round(one.lower or 0.0, 1), one.by == KEPT, one.lower))
    column = _of_most_values(worst, values)
    if column is not None and worst.by == KEPT and policy.columns[column].role not in HARMLESS:
        return (
            f"{column} has {values[column]:,} values, which are released unchanged: neither k nor"
            f" other promises reduce {worst.kind} by {KEPT}. Round its values with `change` under"
            f" `columns.{column}`, or release groups of them from a view."
        )
    data = policy.model_dump(exclude_unset=True)
    for section, changed, place, line in _stricter(policy, data, worst, values):
        try:
            Policy.parse({**data, section: changed}, policy.origin.folder, policy.origin.file)
        except PolicyError:
            continue
        text = yaml.safe_dump(
            without(line), default_flow_style=True, width=math.inf, sort_keys=False
        )
        goal = f"To reduce {worst.kind} by {worst.by}"
        return f"{goal}, write `{text.strip()[1:-1]}` {place} and run it again."
    return "Choose a stricter policy: `anonsql advise` compares several."


def _stricter(
    policy: Policy, data: Mapping[str, Any], worst: Attack, values: Mapping[str, int]
) -> Iterator[tuple[str, Any, str, Mapping[str, Any]]]:
    """Yield changes that may hinder an attack, even if the method cannot keep them: the section,
    the changed section, where its line belongs, and the line."""
    privacy, place = data["privacy"], "into the policy"
    if worst.by.endswith(", drawn"):
        release = {**data["release"], "completed": 0}
        yield "release", release, place, {"release": release}
    column, entity = _of_most_values(worst, values), policy.privacy.entity
    if entity is not None and (worst.by == ALL_ROWS or column == entity):
        line: dict[str, Any] = {entity: {"role": "identifying"}}
        yield "columns", {**data["columns"], **line}, "under `columns`", line
    elif column is not None and policy.columns[column].role in HARMLESS:
        line = {column: {"role": "quasi-identifying", "hierarchy": {"type": "automatic"}}}
        yield "columns", {**data["columns"], **line}, "under `columns`", line
    elif column is not None:
        for model, asked in ("l_diversity", min(3, values[column])), ("t_closeness", 0.3):
            if column not in (named := privacy.get(model, {})):
                promise = {**privacy, model: {**named, column: asked}}
                yield "privacy", promise, place, {"privacy": promise}
    promise = {**privacy, "k": 2 * policy.privacy.k}
    yield "privacy", promise, place, {"privacy": promise}


def _of_most_values(attack: Attack, values: Mapping[str, int]) -> str | None:
    """Return the kept column of an attack that has most values; None where it has none."""
    kept = [name for name in (*attack.known, *attack.guessed) if name in values]
    return max(kept, key=lambda name: values[name], default=None)
