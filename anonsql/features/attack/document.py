"""The document of ``attack``."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from anonsql.presentation.documents import Document, Place

Kind = Literal["singling-out", "linkability", "inference"]


class Rate(Document):
    """How often guesses are right, with Wilson's interval."""

    guesses: int
    successes: int
    rate: float | None = Field(description="null if no guess was made")
    lower: float
    upper: float


class Attack(Document):
    """One attack, and the same guesses without the release or without the target's row."""

    kind: Kind
    by: str = Field(description="the columns that the guesses use, in words")
    known: list[str] = Field(description="columns whose values the attacker knows of the target")
    guessed: list[str] = Field(description="columns that are guessed, or linked to the known ones")
    attack: Rate
    control: Rate
    risk: float | None = Field(description="(attack - control) / (1 - control), not below 0")
    lower: float | None
    upper: float | None
    certain: int | None = Field(
        None,
        description="right guesses without an alternative: all released rows that can be the"
        " target's have the value",
    )
    beyond: bool = Field(
        description="whether the attack finds more than the promise allows: significantly more"
        " than the class sizes alone, or guesses that diversity rules out"
    )
    means: str = Field(description="the meaning of this, in a sentence")


class NotAttacked(Document):
    """An attack that was not made."""

    kind: Kind
    why: str


class OfTogether(Document):
    """One of the releases that `anonsql attack --with` compared, by the source at hand."""

    release: str = Field(description="as it was named")
    method: str | None = Field(None, description="as the release states")
    k: int | None = Field(None, description="as the release states")
    rows: int
    levels: dict[str, int] = Field({}, description="levels of its columns, if it states them")
    classes: int = Field(description="without masked rows")
    smallest_class: int = Field(description="rows of the smallest class")
    absent: int = Field(description="rows of the source that match none of its classes")
    left_out: int = Field(
        description="rows of the source that match a class but are not in it, because it has"
        " fewer released rows: they were added later, held back or suppressed"
    )
    unseen: int = Field(
        description="released rows that the source no longer has: attacks do not use them"
    )


class Together(Document):
    """Composition: the anonymity left by the policy's release and others (`anonsql attack --with`).

    A set is all rows of the source that have the same trace: the class that each was released in,
    or none, for each release. Rows that no release has are in none."""

    k: int
    columns: list[str] = Field(
        description="the quasi-identifying columns that the attacker knows; if the policy has"
        " several combinations, those of the worst"
    )
    originals: int = Field(description="rows of the source")
    released: int = Field(description="of these, rows that are known to be in a set")
    sets: int
    smallest: int = Field(description="rows of the smallest set, 0 if there is none")
    smallest_people: int | None = Field(
        None,
        description="people in the smallest set, if `entity` identifies them; sets are then"
        " judged by people",
    )
    small_sets: int = Field(description="sets with fewer than k rows or people")
    small_rows: int = Field(description="rows of the source in these sets")
    undetermined: int = Field(description="rows of the source whose set is not known")
    releases: list[OfTogether] = Field(description="the policy's own release first")


class RuleAlone(Document):
    """What the rule leaves to one who does not know which combinations occur: in the classes whose
    labels cover few combinations, 200,000 in all."""

    cells: int = Field(description="generalized cells of these classes")
    fewer: int
    single: int


class KnownRule(Document):
    """What one who knows the rule by which the method groups rows, and which combinations of values
    occur, sees beyond the labels."""

    rule: Literal["least loss", "ends"] = Field(
        description="a combination goes into the class of least loss whose labels cover it; or"
        " the lowest and the highest value of a range occur in its class"
    )
    cells: int | None = Field(
        None, description="generalized cells of released rows; null if these are not counted"
    )
    fewer: int | None = Field(
        None,
        description="of these, cells with fewer possible values: some of the values that"
        " combinations of the source have within the class's labels are excluded by"
        " the rule",
    )
    single: int | None = Field(None, description="of these, cells with a single possible value")
    by_column: dict[str, int] = Field({}, description="cells with fewer possible values")
    classes: int | None = Field(None, description="classes that were compared with the rule")
    reproduced: int | None = Field(
        None, description="classes that have as many rows as the rule gives them"
    )
    alone: RuleAlone | None = Field(None, description="null if this was not counted")
    most_pairs: int | None = Field(
        None,
        description="nothing was counted, because there are more pairs of classes and combinations",
    )


class AttackReport(Document):
    """What a published release reveals to attackers."""

    method: str
    k: int
    rows: int = Field(description="released rows, without masked ones")
    classes: int
    smallest_class: int
    entity: str | None = Field(
        None,
        description="the column that identifies people: attacks and k count people; null if they"
        " count rows",
    )
    smallest_people: int | None = Field(
        None, description="people in the class with the fewest, if `entity` identifies them"
    )
    below_k: int | None = Field(
        description="released rows in classes of fewer than k rows, or people, by their labels;"
        " null if classes are not rows with equal labels"
    )
    by_classes: float = Field(
        description="the probability that a guess is right by the sizes of classes alone: classes"
        " / rows, or classes / people, each counted in every class"
    )
    order: list[str] = Field(description="what the order of rows and of numbers reveals")
    attempts: int
    seed: int
    confidence: float
    control: Literal["left out", "table"] = Field(
        description="what the attacks are compared with: guesses without the target's own row,"
        " and from each column alone; or guesses about rows of a table that were not"
        " released"
    )
    known_rule: KnownRule | None = Field(
        None, description="what the public rule of the method reveals; null if it has none"
    )
    attacks: list[Attack]
    not_attacked: list[NotAttacked]
    together: Together | None = Field(
        None, description="what the release and earlier ones reveal together"
    )
    together_short: list[str] = Field([], description="how this falls short of the policy's k")
    beyond: bool = Field(description="whether anything was found beyond the promise")
    to_do: str = Field(description="what to do about it: a line of policy, or nothing")
    statements: int
    seconds: float
    release: Place
