"""What an attack found, in a sentence."""

from __future__ import annotations

from anonsql.features.attack.document import Attack
from anonsql.presentation.tables import percent
from anonsql.system.numbers import counted

_WITHOUT = {
    "singling-out": "of those made without that row",
    "linkability": "where the target's own row is not there",
    "inference": "where the target's own row is not there",
    "downcoding": "by a value of the label that is taken by chance",
    "refinement": "by the values of classes alone",
}
_FOUND = {
    "singling-out": "of the guesses single one person of the source out",
    "linkability": "of the targets are linked to one released row from both places",
    "inference": "of the values are guessed",
    "downcoding": "of the generalized values are guessed",
    "refinement": "of the values are guessed by what the method would have chosen",
}
_NOTHING = {
    "singling-out": "No released row is alone with its values in these columns: none singles out.",
    "linkability": "No row of the source is there to be linked.",
    "inference": "No row of the source has a secret value.",
    "downcoding": "No label stands for several values: there is nothing to guess.",
    "refinement": "There are no rows.",
}


def meaning(attack: Attack, by_classes: float, *, ruled_out: bool) -> str:
    """Return what an attack means, in a sentence. ``ruled_out``: the promised diversity rules out
    that anything is beyond doubt."""
    if attack.attack.rate is None or attack.risk is None:
        return _NOTHING[attack.kind]
    found = f"{percent(attack.attack.rate)} {_FOUND[attack.kind]}"
    without = _WITHOUT[attack.kind]
    if attack.kind == "downcoding" and attack.excluded:
        without = "by how frequent values are in the release"
    control = f"{percent(attack.control.rate or 0.0)} {without}"
    if attack.kind == "refinement":
        end = f"{counted(attack.certain or 0, 'row has', 'rows have')} no other value left by {attack.by}"
    elif attack.kind == "downcoding" and attack.excluded:
        end = f"in {attack.certain or 0:,} rows the method would have shown all but one value finer"
    elif ruled_out:
        end = f"{attack.certain or 0:,} are beyond doubt, which the promised diversity rules out"
    elif attack.beyond:
        end = f"that is more than the sizes of classes alone give, {percent(by_classes)}"
    elif attack.kind == "downcoding" and attack.certain:
        end = f"in {attack.certain:,} rows more the label can be one value only"
    elif attack.kind == "downcoding":
        end = "how frequent values are, is told by the release as a whole"
    elif not attack.lower:
        end = "the release adds nothing that could be told from chance"
    else:
        end = f"that is within what the sizes of classes give, {percent(by_classes)}"
    return f"{found}, {control}: {end}."
