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
    rate: float | None = Field(description="null where no guess was made")
    lower: float
    upper: float


class Attack(Document):
    """One attack, and the same guesses without the release or without the target's row."""

    kind: Kind
    by: str = Field(description="which columns the guesses go by, in words")
    known: list[str] = Field(description="columns of which the attacker knows the target's values")
    guessed: list[str] = Field(description="columns that are guessed, or linked to those")
    attack: Rate
    control: Rate
    risk: float | None = Field(description="(attack - control) / (1 - control), not below 0")
    lower: float | None
    upper: float | None
    certain: int | None = Field(
        None,
        description="of the guesses, those that are right and have no alternative: all released"
        " rows that may be the target's have the value",
    )
    beyond: bool = Field(
        description="whether the attack finds more than the promise leaves to it: surely more than"
        " the class sizes alone, or what diversity rules out"
    )
    means: str = Field(description="what that means, in a sentence")


class NotAttacked(Document):
    """An attack that was not made."""

    kind: Kind
    why: str


class OfTogether(Document):
    """One of the releases that `anonsql attack --with` compared, by the source at hand."""

    release: str = Field(description="as it was named")
    method: str | None = Field(None, description="as the release says")
    k: int | None = Field(None, description="as the release says")
    rows: int
    levels: dict[str, int] = Field({}, description="of its columns, where it tells them")
    classes: int = Field(description="masked rows left aside")
    smallest_class: int = Field(description="rows of the smallest class")
    absent: int = Field(description="rows of the source that fit none of its classes")
    left_out: int = Field(
        description="rows of the source that fit a class and are not in it, for it has fewer"
        " released rows: they came later, or were held back or suppressed"
    )
    unseen: int = Field(
        description="released rows for which the source has no row any more: what they tell is not"
        " seen"
    )


class Together(Document):
    """Composition: the anonymity left by the policy's release and others (`anonsql attack --with`).

    A set is all rows of the source that have the same trace: the class that each was released in,
    or none, for each release. Rows that no release has are in none."""

    k: int
    columns: list[str] = Field(
        description="the quasi-identifying columns that somebody knows; where the policy has"
        " several combinations, those of the worst"
    )
    originals: int = Field(description="rows of the source")
    released: int = Field(description="of those, rows that are known to be in a set")
    sets: int
    smallest: int = Field(description="rows of the smallest set, 0 where there is none")
    smallest_people: int | None = Field(
        None, description="people of it, where `entity` names them, by whom sets are judged then"
    )
    small_sets: int = Field(description="sets of fewer than k")
    small_rows: int = Field(description="rows of the source in those")
    undetermined: int = Field(
        description="rows of the source of which it cannot be told in which set they are"
    )
    releases: list[OfTogether] = Field(description="the policy's own first")


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
        description="a combination goes into the class of least loss whose labels cover it; or the"
        " least and the greatest value of a range occur in its class"
    )
    cells: int | None = Field(
        None, description="generalized cells of released rows; null where these are not counted"
    )
    fewer: int | None = Field(
        None,
        description="of those, cells that stand for fewer values: of the values that combinations of"
        " the source have in the class's labels, some are in none that the rule allows there",
    )
    single: int | None = Field(None, description="of those, cells that stand for one value")
    by_column: dict[str, int] = Field({}, description="cells of fewer values")
    classes: int | None = Field(None, description="that were compared with the rule")
    reproduced: int | None = Field(
        None, description="classes that have as many rows as the rule gives them"
    )
    alone: RuleAlone | None = Field(None, description="null where that was not counted")
    most_pairs: int | None = Field(
        None, description="nothing was counted: pairs of classes and combinations are more"
    )


class AttackReport(Document):
    """What a published release reveals to attackers."""

    method: str
    k: int
    rows: int = Field(description="released rows, masked ones left aside")
    classes: int
    smallest_class: int
    entity: str | None = Field(
        None,
        description="the column that tells people apart: attacks and k count people; null where they"
        " count rows",
    )
    smallest_people: int | None = Field(
        None, description="people of the class that has fewest, where `entity` names them"
    )
    below_k: int | None = Field(
        description="released rows in classes of fewer than k rows, or people, by their labels; null"
        " where classes are not rows with equal labels"
    )
    by_classes: float = Field(
        description="how likely a guess is right by the sizes of classes alone: classes / rows, or"
        " classes / people, each counted in every class"
    )
    order: list[str] = Field(description="what the order of rows and of numbers gives away")
    attempts: int
    seed: int
    confidence: float
    control: Literal["left out", "table"] = Field(
        description="what the attacks are held against: guesses without the target's own row, and"
        " by each column by itself; or guesses about rows of a table that were not released"
    )
    known_rule: KnownRule | None = Field(
        None, description="what the public rule of the method reveals; null where it has none"
    )
    attacks: list[Attack]
    not_attacked: list[NotAttacked]
    together: Together | None = Field(
        None, description="what the release and earlier ones leave together"
    )
    together_short: list[str] = Field([], description="how that falls short of the policy's k")
    beyond: bool = Field(description="whether anything was found beyond the promise")
    to_do: str = Field(description="what to do about that: a line of policy, or nothing")
    statements: int
    seconds: float
    release: Place
