"""What one who knows how a method groups rows sees beyond the labels."""

from __future__ import annotations

from anonsql.attacks import rules
from anonsql.attacks.rules import Rule
from anonsql.attacks.sides import MOST_PAIRS, Sides, TooManyPairsError
from anonsql.engines.base import ReleaseTables
from anonsql.features.attack.document import KnownRule, RuleAlone
from anonsql.policy.methods import traits
from anonsql.policy.policy import Policy
from anonsql.presentation.numbers import percent
from anonsql.presentation.tree import Sentence
from anonsql.system.numbers import counted

_RULES = {
    "least loss": "combinations go into the class of least loss whose labels cover them",
    "ends": "the lowest and the highest value of a range occur",
}


def of(sides: Sides, published: ReleaseTables, policy: Policy) -> KnownRule | None:
    """Return the values that generalized cells can have by the rule of the release's method; None
    if the rule reveals no more than the labels."""
    rule: Rule = "least loss" if traits(policy.method.type).least_loss else "ends"
    forms = {column.name: column.form for column in published.stated_columns}
    names = [
        facet.name
        for facet in sides.labels
        if rule == "least loss" or forms.get(facet.name) == "range"
    ]
    if not names or policy.separated:
        return None
    weights = {name: column.weight for name, column in policy.quasi_identifiers.items()}
    try:
        found = rules.narrowed(sides, rule, names, weights)
    except TooManyPairsError:
        return KnownRule(rule=rule, most_pairs=MOST_PAIRS)
    alone = None
    if found.alone:
        cells = sum(one.cells for one in found.alone)
        fewer = sum(one.fewer for one in found.alone)
        alone = RuleAlone(cells=cells, fewer=fewer, single=sum(one.single for one in found.alone))
    return KnownRule(
        rule=rule,
        cells=sum(one.cells for one in found.columns),
        fewer=sum(one.fewer for one in found.columns),
        single=sum(one.single for one in found.columns),
        by_column={one.column: one.fewer for one in found.columns},
        classes=None if found.reproduced is None else found.classes,
        reproduced=found.reproduced,
        alone=alone,
    )


def described(known: KnownRule) -> list[Sentence]:
    """Return it in a sentence, and another where values are known."""
    rule = f"The rule of the method is public: {_RULES[known.rule]}."
    if known.cells is None or known.fewer is None or known.single is None:
        more = f"more than {known.most_pairs or 0:,} pairs of classes and combinations"
        return [Sentence(f"{rule} What it reveals was not counted, because there are {more}.")]
    if not known.cells:
        return []
    occurring = known.rule == "least loss"
    said = [rule]
    if (alone := known.alone) is not None and alone.cells:
        few = "" if alone.cells == known.cells else " (of classes that cover few combinations)"
        said.append(
            "An attacker who knows the rule can exclude values of"
            f" {_share(alone.fewer, alone.cells)} of {alone.cells:,} generalized cells{few}."
        )
    also = " and which combinations of values occur" * occurring
    said.append(
        f"An attacker who knows it{also} can exclude values of {_share(known.fewer, known.cells)}"
        f" of all {known.cells:,}."
    )
    if known.classes and known.reproduced is not None:
        said.append(
            f"The rule determines the size of {percent(known.reproduced / known.classes)} of the"
            " classes."
        )
    parts = [Sentence(" ".join(said))]
    for single, who in (
        (known.single, f"an attacker who knows the rule{also}"),
        (alone.single if alone is not None else 0, "an attacker who knows only the rule"),
    ):
        if single:
            cells = counted(single, "generalized cell is", "generalized cells are")
            parts.append(Sentence("", f"{cells} reduced to a single value for {who}.", "bad"))
    return parts


def _share(part: int, whole: int) -> str:
    return percent(part / whole) if part else "none"
